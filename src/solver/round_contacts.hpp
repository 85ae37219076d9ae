#pragma once

#include "carom/core/expected.hpp"
#include "solver/swept_contacts.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Nonlinear conjugate gradients around Gauss-Seidel for contacts of round bodies, without the matrix W:
/// isotropic inertia, arms along the normal. As RigidContacts, with a closed form for the local solution, by
/// SweptContacts in double precision:
///
///     U = v_a - v_b - (l_a w_a + l_b w_b) x n                                                    (SO-23)
///     v_a += P / m_a,   w_a -= l_a / J_a n x P;      v_b -= P / m_b,   w_b -= l_b / J_b n x P
///     W_NN = 1/m_a + 1/m_b,      W_TT = W_NN + l_a^2 / J_a + l_b^2 / J_b,      W_NT = 0
///
/// Percussions are vectors of space: there are no tangents.
///
/// Symbols    n  unit normal from b to a;  l  arm from the centre to the contact, against n for a and along n
///            for b, m;  w  angular velocity, rad/s;  P  percussion on a, N s;  U_n > 0 separates
/// Theory     docs/theory/solvers.md, (SO-23), (SO-15) nonlinear conjugate gradients

struct RoundBody {
    std::array<double, 3> v{};   ///< m/s
    double inverse_mass = 0;     ///< 1/kg; 0: does not move
    std::array<double, 3> w{};   ///< rad/s, axes of the world
    double inverse_inertia = 0;  ///< 1/(kg m^2)
};

struct RoundContact {
    std::array<double, 3> normal{0, 0, 1};  ///< from b to a, unit
    double arm_a = 0, arm_b = 0;            ///< m
    double shift_m_s = 0;                   ///< added to U_n: gap / step, restitution
    std::array<double, 3> P{};              ///< N s, on a: a warm start
    double friction = 0;                    ///< mu >= 0
    int a = 0, b = 0;                       ///< bodies
};

class RoundContacts {
public:
    /// Velocities are those without the percussions of the contacts. Errors: bodies out of range, normals
    /// that are not unit vectors, negative masses or friction, contacts between bodies that do not move.
    /// Keeps its memory from one problem to the next.
    [[nodiscard]] Expected<void> load(std::span<const RoundBody> bodies,
                                      std::span<const RoundContact> contacts);

    /// Sweeps until the errors are small (SO-24); returns them.
    int run(const Budget& budget) { return sweeps_.run(budget); }

    /// Errors of the percussions as they are.
    using Errors = SweptContacts<double>::Errors;
    [[nodiscard]] Errors error() noexcept { return sweeps_.error(); }

    [[nodiscard]] int contacts() const noexcept { return static_cast<int>(pairs_.size()); }

    /// Percussion of a contact on its body a, axes of the world, N s.
    [[nodiscard]] std::array<double, 3> percussion(int contact) const noexcept
    {
        return sweeps_.percussion(static_cast<std::size_t>(contact));
    }

    /// Velocities of a body with the percussions in them.
    [[nodiscard]] std::array<double, 3> velocity(int body) const noexcept
    {
        return sweeps_.velocity(static_cast<std::size_t>(body));
    }
    [[nodiscard]] std::array<double, 3> angular_velocity(int body) const noexcept
    {
        return sweeps_.angular_velocity(static_cast<std::size_t>(body));
    }

private:
    [[nodiscard]] static Expected<void> check(std::span<const RoundBody> bodies,
                                              std::span<const RoundContact> contacts);

    SweptContacts<double> sweeps_;
    std::vector<std::array<int, 2>> pairs_;
    std::vector<char> round_, moves_;
};

}  // namespace carom
