#pragma once

#include "carom/onestep/factors.hpp"
#include "solver/accelerated.hpp"
#include "solver/contact_colours.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Gauss-Seidel and PSOR on contacts of rigid bodies without the matrix W, as SphereContacts does it for
/// spheres: velocities of the bodies are kept beside the percussions and changed with them,
///
///     U = D (v_a + w_a x r_a - v_b - w_b x r_b),      D rows n, t1, t2                           (SO-21)
///     v_a += P / m_a,   w_a += J_a^-1 (r_a x P);      v_b -= P / m_b,   w_b -= J_b^-1 (r_b x P)
///
/// so that a contact costs the same whatever touches its bodies. Memory is linear in bodies and contacts.
/// Contacts colour by colour (ContactColours), blocks of a colour on several threads.
///
/// Symbols    n  unit normal from b to a;  r  arm from the centre of mass to the contact, m;  w  angular
///            velocity, rad/s;  J  inertia, all in the axes of the world;  P  percussion on a, N s
/// Theory     docs/theory/solvers.md, (SO-21), (SO-15) nonlinear conjugate gradients, (SO-42) joints

/// Velocity of the centre of mass, angular velocity, mass and inertia.
using RigidBody = Factors::Block;

struct RigidContact {
    std::array<double, 3> normal{0, 0, 1};  ///< from b to a, unit
    std::array<double, 3> arm_a{}, arm_b{};
    double shift_m_s = 0;       ///< added to U_n: gap / step, restitution
    std::array<double, 3> P{};  ///< N s, on a: a warm start
    double friction = 0;        ///< mu >= 0
    int a = 0, b = -1;          ///< bodies; b = -1: an obstacle at rest
};

class RigidContacts;

/// What acts on the bodies beside their contacts, by percussions of its own, and takes part in their sweeps:
/// joints (SO-42).
class BesideContacts {
public:
    virtual ~BesideContacts() = default;

    /// Its part of a sweep, after that of the contacts.
    virtual void sweep(RigidContacts& bodies) = 0;

    /// (SO-15) for its percussions.
    virtual void step_on(double beta) = 0;

    /// Adds what its percussions do to velocities that have those of the contacts only.
    virtual void restore(RigidContacts& bodies) = 0;

    /// Of its last sweep, as a part of the velocities that met.
    [[nodiscard]] virtual double change() const = 0;
};

class RigidContacts {
public:
    /// Velocities are those without the percussions of the contacts. Errors: bodies out of range, normals
    /// that are not unit vectors, negative masses or friction, contacts between bodies that do not move.
    /// Keeps its memory from one problem to the next.
    [[nodiscard]] Expected<void> load(std::span<const RigidBody> bodies,
                                      std::span<const RigidContact> contacts);

    /// One sweep, colour by colour.
    void sweep(Sweep kind = Sweep::GaussSeidel) noexcept;

    /// Nonlinear conjugate gradients around sweeps of Gauss-Seidel until the errors are small (SO-24), looked
    /// at after 1, 2, 4, ... 16 sweeps and every 16 from there on; returns the sweeps. At the end velocities
    /// are computed anew from the percussions, so no rounding of the way is left in them.
    int run(const Budget& budget, BesideContacts* beside = nullptr);

    /// Errors of the percussions as they are.
    [[nodiscard]] FlatError error() noexcept;

    [[nodiscard]] int contacts() const noexcept { return diagonal_.contacts(); }

    /// Contacts in the order of a sweep.
    [[nodiscard]] std::span<const int> order() const noexcept { return colours_.order(); }

    /// Percussion of a contact on its body a, axes of the world, N s.
    [[nodiscard]] std::array<double, 3> percussion(int contact) const noexcept;

    /// Velocity and angular velocity of a body, percussions in them.
    [[nodiscard]] std::array<double, 3> velocity(int body) const noexcept;
    [[nodiscard]] std::array<double, 3> angular_velocity(int body) const noexcept;
    void set_velocity(int body, const std::array<double, 3>& v, const std::array<double, 3>& w) noexcept;

    /// The same problem with its matrix, for solvers that factorise; P receives the percussions in the frames
    /// of the contacts, and take_percussions brings those of a solution back.
    [[nodiscard]] OneStepProblem assembled(std::vector<double>& P) const;
    void take_percussions(std::span<const double> P);

private:
    /// Four numbers each, so that a vector is one load: v and 1/m, w, columns of J^-1.
    struct alignas(64) Moving {
        std::array<double, 4> v{}, w{};
        std::array<std::array<double, 4>, 3> inverse_J{};
    };
    /// Rows n, t1, t2 times the scale of the contact (SO-6), and the arms.
    struct Rows {
        std::array<std::array<double, 4>, 3> D{};
        std::array<double, 4> arm_a{}, arm_b{};
        int a = 0, b = 0;
        bool a_moves = false, b_moves = false;  ///< what does not move is not written: others may read it
    };
    struct Kernel;  ///< the inner loops, compiled for wide registers and for others

    void prepare(std::span<const RigidContact> contacts);
    [[nodiscard]] double coupling(const Rows& here, int row, const Rows& there, int column) const noexcept;
    void restore_velocities();
    void measure(std::vector<double>& u) const noexcept;
    [[nodiscard]] bool is_over(const Budget& budget);
    void step_on(double beta) noexcept;
    [[nodiscard]] double changes_squared() const noexcept;
    template <class F>
    void for_colours(F f) const;

    std::vector<Moving> bodies_, free_, before_, direction_v_;  ///< the last body does not move
    std::vector<char> couples_;                                 ///< bodies that percussions move
    ContactColours colours_;
    BesideContacts* beside_ = nullptr;  ///< during a run
    std::vector<std::array<int, 2>> pairs_;
    std::vector<int> place_;  ///< of a contact in what follows, which is in the order of colours
    std::vector<Rows> rows_;
    FlatProblem diagonal_;  ///< laws and W_cc, without anything beside the diagonal
    Relaxation relaxation_;
    std::vector<double> shift_, x_, x_before_, direction_x_, u_;
};

}  // namespace carom
