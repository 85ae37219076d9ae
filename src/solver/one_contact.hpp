#pragma once

#include "carom/law/law.hpp"

#include <span>

namespace carom {

/// Exact solution of one frictional contact, the others held:  U = W P + b  with
///
///     0 <= U_N  perp  P_N >= 0,      P_T in P_N mu S,      -U_T in N_{P_N mu S}(P_T)            (OC-1)
///
/// b holds U_free, what the other contacts do, and the shifts of restitution. W may be nonsymmetric, and
/// singular where the parts cannot move in every direction (M88 13, 17: the projected cone and wedging).
///
/// Theory     docs/theory/friction.md, (OC-1) problem, (OC-2) plane, (OC-3) space, (OC-4) singular W
/// Papers     [Moreau 1988] 14-15 in the plane, [BonnefonDaviet 2011] for the equation in space

enum class ContactStatus : char {
    Open,   ///< no percussion
    Stick,  ///< U = 0
    Slip,   ///< U_N = 0, friction at its bound
    None,   ///< no P solves it: the contact is wedged and something still drives it
};

[[nodiscard]] const char* name_of(ContactStatus status) noexcept;

/// W row by row, d x d with d = dimension of the law; b and P have d entries. P need not be set before.
ContactStatus solve_one_contact(const Coulomb& law, std::span<const double> W, std::span<const double> b,
                                std::span<double> P) noexcept;

/// Painleve's condition: the least of (W_NN + <W_NT, x>) / W_NN over x in mu S. Sliding in any direction has
/// one continuation while it is positive; below that it may have none or several (B02 example 13, M88 14).
[[nodiscard]] double sliding_margin(const Coulomb& law, std::span<const double> W) noexcept;

}  // namespace carom
