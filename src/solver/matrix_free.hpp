#pragma once

#include "carom/onestep/problem.hpp"
#include "solver/budget.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Gauss-Seidel on contacts of spheres without the matrix W: velocities of the bodies are kept beside the
/// percussions and changed with them, so that a contact costs the same whatever touches its bodies. Memory is
/// linear in bodies and contacts.
///
///     U = v_a - v_b - (w_a + w_b) x n,        w = R omega                                        (SO-20)
///     v_a += P / m_a,   w_a -= (R_a^2 / J_a) n x P;      v_b -= P / m_b,   w_b -= (R_b^2 / J_b) n x P
///
/// W_cc is diagonal, normal and tangential, so the exact local solution has a closed form and needs no
/// tangent vectors: percussions are vectors of space.
///
/// Symbols    n  unit normal from b to a;  P  percussion on a, N s;  U_n > 0 separates
/// Theory     docs/theory/solvers.md, (SO-20)

/// One cache line.
struct alignas(64) SphereBody {
    std::array<double, 3> v{};  ///< m/s
    double inverse_mass = 0;    ///< 1/kg; 0: does not move
    std::array<double, 3> w{};  ///< R omega, m/s
    double inverse_spin = 0;    ///< R^2 / J, 1/kg; 5/2 of the inverse mass for a full sphere
};

struct SphereContact {
    std::array<double, 3> normal{0, 0, 1};  ///< from b to a, unit
    double shift_m_s = 0;                   ///< added to U_n: gap / step, restitution
    std::array<double, 3> P{};              ///< N s, on a
    double friction = 0;                    ///< mu >= 0
    int a = 0, b = -1;                      ///< bodies; b = -1: an obstacle at rest
};

class SphereContacts {
public:
    /// Errors: bodies out of range, normals that are not unit vectors, negative masses or friction, contacts
    /// between bodies that do not move. Percussions of the contacts are a warm start: the velocities are
    /// those without them.
    [[nodiscard]] static Expected<SphereContacts> make(std::vector<SphereBody> bodies,
                                                       std::vector<SphereContact> contacts);

    /// The contacts in an order in which the next few share no moving body: their local solutions do not wait
    /// for each other, and a sweep takes half the time. Contacts stay near their places, so memory does too.
    [[nodiscard]] static std::vector<SphereContact> spread(std::vector<SphereContact> contacts);

    /// One sweep of exact local solutions, in the order of the contacts.
    void sweep() noexcept;

    /// Errors of the percussions as they are: e_d, and that of the velocities (as Residual has them, but for
    /// percussions that are not made smaller).
    struct Errors {
        double unit_free = 0, velocity = 0;
    };
    [[nodiscard]] Errors errors() const noexcept;
    [[nodiscard]] double error() const noexcept { return errors().unit_free; }

    /// Sweeps until the errors are small (OS-10); returns them. The error is looked at after 1, 2, 4, ... 16
    /// sweeps and every 16 from there on.
    int run(const Budget& budget);

    /// Velocities with the percussions in them.
    [[nodiscard]] std::span<const SphereBody> bodies() const noexcept { return bodies_; }
    [[nodiscard]] std::span<const SphereContact> contacts() const noexcept { return contacts_; }

    /// The same problem with its matrix, tangents chosen for every normal: for small problems and tests. P
    /// receives the percussions in those frames.
    [[nodiscard]] OneStepProblem assembled(std::vector<double>& P) const;

private:
    std::vector<SphereBody> bodies_;  ///< the last one does not move: the obstacles
    std::vector<SphereContact> contacts_;
    std::vector<std::array<double, 2>> inverse_W_;  ///< 1 / W_NN and 1 / W_TT
    double size_ = 0;                               ///< of U_free, scaled
};

}  // namespace carom
