#pragma once

#include "carom/core/expected.hpp"
#include "solver/budget.hpp"
#include "solver/contact_colours.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Nonlinear conjugate gradients around Gauss-Seidel for contacts of round bodies, without the matrix W:
/// isotropic inertia, arms along the normal. As RigidContacts, with a closed form for the local solution;
/// contacts colour by colour, four at once and blocks of them on several threads:
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

/// One cache line.
struct alignas(64) RoundBody {
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

    /// Sweeps until the errors are small (SO-24); returns them. Errors are looked at after the first sweep,
    /// and when the changes of a sweep promise that they are small.
    int run(const Budget& budget);

    /// Errors of the percussions as they are: e_d, and that of the velocities (as Residual has them).
    struct Errors {
        double unit_free = 0, velocity = 0;
    };
    [[nodiscard]] Errors error() noexcept;

    [[nodiscard]] int contacts() const noexcept { return static_cast<int>(place_.size()); }

    /// Percussion of a contact on its body a, axes of the world, N s.
    [[nodiscard]] std::array<double, 3> percussion(int contact) const noexcept;

    /// A body with the percussions in its velocities.
    [[nodiscard]] const RoundBody& body(int index) const noexcept
    {
        return bodies_[static_cast<std::size_t>(index)];
    }

private:
    using Lanes = std::array<double, 4>;

    /// Four contacts of one colour; places that are left over have a percussion of zero on a body that does
    /// not move.
    struct alignas(32) Group {
        std::array<Lanes, 3> n{}, P{};
        std::array<Lanes, 3> direction{}, change{};  ///< of the conjugate gradients; of the last sweep
        Lanes arm_a{}, arm_b{}, shift{}, mu{};
        Lanes inverse_n{}, inverse_t{}, rho{};  ///< 1 / W_NN, 1 / W_TT, d^2 of (OS-5)
        std::array<int, 4> a{}, b{};
        bool all_move = false;  ///< all eight bodies: what does not move is not written, others may read it
    };
    /// Sums of squares that the errors are made of, lane by lane.
    struct Sums {
        Lanes F{}, P{}, U{};
        Sums& operator+=(const Sums& other) noexcept;
    };
    struct Kernel;  ///< the inner loops, compiled for wide registers and for others

    [[nodiscard]] Expected<void> check(std::span<const RoundBody> bodies,
                                       std::span<const RoundContact> contacts) const;
    void arrange(std::span<const RoundContact> contacts);
    void fill(std::span<const RoundContact> contacts);
    void start();
    [[nodiscard]] double sweep(double beta) noexcept;
    void step_bodies(double beta) noexcept;
    [[nodiscard]] Sums measured() noexcept;
    template <class F>
    void for_colours(F f);

    std::vector<RoundBody> bodies_, before_, direction_;  ///< the last one does not move
    std::vector<Group> groups_;
    std::vector<int> place_;         ///< of a contact: four times its group, and the lane
    std::vector<int> colour_begin_;  ///< groups of colours; behind the last one groups are taken in turn
    ContactColours colours_;
    std::vector<std::array<int, 2>> pairs_;
    std::vector<char> moves_;
    std::vector<double> changes_;  ///< of a sweep, per group block
    double free_size_ = 0;         ///< of U_free, scaled
};

}  // namespace carom
