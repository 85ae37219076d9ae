#pragma once

#include "variational_piece.hpp"

#include "carom/orbit/sensitivity.hpp"

#include <optional>
#include <string>

namespace carom::detail {

/// What happens if impacts that come together come one after another instead.
struct ImpactOrder {
    std::vector<int> contacts;  ///< as they strike
    Eigen::VectorXd u_plus;     ///< the velocity behind them
    Rows X;                     ///< derivatives of (q, u) behind them, at a fixed time
    bool ends = true;           ///< false: they strike for ever
};

/// Why derivatives end at an instant.
struct Loss {
    std::string kind;  ///< grazing, simultaneous, threshold, collapse, onset, map, formula, start, correction
    int contact = -1;
    int order = 0;  ///< grazing: of the minimum of the gap
    std::string words;
    std::vector<ImpactOrder> orders = {};  ///< simultaneous impacts: by their order
    Rows dt = {};  ///< and how the instants of their contacts move, one row for each, as in `struck`
    std::vector<int> struck = {};
};

/// What a contact did in a jump of the velocities, and how the data move there: all that its law needs to be
/// differentiated on the branch that it took (OR-5).
struct LawRows {
    const VariationalSystem::ContactFunctions* contact = nullptr;
    int index = 0;                       ///< of the contact
    int first = 0;                       ///< of its percussions among the unknowns
    Eigen::VectorXd P, U_minus, U_plus;  ///< all its components
    Eigen::MatrixXd H;                   ///< rows of U = H u + b
    Rows DU_rest, DU_minus;              ///< of U^+ without what u^+ does, and of U^-
    Rows HT_P;                           ///< D(H^T) P
    double shift = 0;                    ///< it leaves with U_N^+ = -e U_N^- - shift
    Rows Dshift;                         ///< empty: none
    double e = 0, e_T = 0, mu = 0;       ///< e: zero for a contact that touched before
    Rows De, De_T, Dmu;
    double rounding = 1e-9;  ///< of percussions and velocities that decide a branch
};

/// Adds the rows of one contact to M (Du^+, DP) = right, whose first n rows are the balance. A loss: its law
/// is at a threshold.
[[nodiscard]] std::optional<Loss> add_law_rows(const LawRows& rows, double largest_P, int n,
                                               Eigen::MatrixXd& M, Rows& right);

/// What friction does in an impact; nothing: there is none, or nothing bounds it.
[[nodiscard]] std::optional<ImpactFriction> friction_of(const LawRows& rows);

/// In space the frame of a contact is that of its normal (CF-3): the one that has the rows of the model.
[[nodiscard]] std::size_t frame_of(const Model& model, int c, VariationalSystem::ContactFunctions& contact,
                                   const VariationalSystem::Place& place, Workspace& work);

/// A at a place; `place` comes back as it was.
[[nodiscard]] Eigen::MatrixXd kinetic_matrix(VariationalSystem& system, VariationalSystem::Place& place,
                                             Workspace& work);

}  // namespace carom::detail
