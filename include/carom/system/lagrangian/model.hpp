#pragma once

#include "carom/system/lagrangian/lagrangian_system.hpp"
#include "carom/system/state.hpp"

#include <Eigen/Dense>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace carom {

class BodyFactors;
class BodyModel;
class ContactCoupling;
class MassMatrix;
class MassPattern;

/// An unknown reaction: one firm row of a constraint, or one summand of its set.
struct ConstraintPart {
    int constraint = 0;
    int row = 0;        ///< first of its rows among those of the constraint
    int dimension = 1;  ///< rows
    int limit = -1;     ///< which summand; all of them together where there is one row; -1: firm
    bool held = false;  ///< a position is held
};

/// A checked mechanical system that never changes during a run: coordinates with formulas, rigid bodies with
/// shapes, or both. Its configuration is a product of factors: bodies, whose coordinates come first, then
/// numbers; the kinetic metric has a block per body, beside what formulas say. In coordinates its equations
/// are, between impacts (LS-1),
///
///     A(q) u' = K(t,q,u) + H(q,t)^T p,      K = F - dV/dq - c(q,u)
///
/// with the velocity terms c_i = sum_j d2T/du_i dq_j u_j - dT/dq_i (LS-2), gap gradients H_c = dg_c/dq and
/// obstacle speeds b_c = dg_c/dt, so that dg_c/dt along the motion is U_c = H_c u + b_c (LS-3).
class Model {
public:
    [[nodiscard]] const LagrangianSystem& system() const noexcept { return system_; }
    [[nodiscard]] int coordinates() const noexcept { return static_cast<int>(system_.coordinates.size()); }

    /// Its bodies; null: it has none.
    [[nodiscard]] const BodyModel* bodies() const noexcept { return body_model_; }
    /// How many coordinates are theirs, the first ones.
    [[nodiscard]] int body_coordinates() const noexcept;
    /// A prescribed body has this coordinate: no force changes it.
    [[nodiscard]] bool is_driven(int coordinate) const noexcept
    {
        return static_cast<std::size_t>(coordinate) < driven_.size() &&
               driven_[static_cast<std::size_t>(coordinate)] != 0;
    }

    [[nodiscard]] int contacts() const noexcept { return static_cast<int>(system_.contacts.size()); }
    [[nodiscard]] int constraints() const noexcept { return static_cast<int>(system_.constraints.size()); }
    [[nodiscard]] const MassPattern& mass_pattern() const noexcept { return *mass_pattern_; }

    /// A does not depend on q: it has one factor for the whole run, and there are no velocity terms.
    [[nodiscard]] bool has_constant_mass() const noexcept { return constant_mass_; }
    /// K depends on u: the second force pass changes it.
    [[nodiscard]] bool has_velocity_forces() const noexcept
    {
        return !constant_mass_ || forces_name_velocity_;
    }

    /// Some given force depends on u.
    [[nodiscard]] bool has_forces_of_velocity() const noexcept { return forces_name_velocity_; }

    [[nodiscard]] double kinetic_energy(const Point& at, Workspace& work) const;
    [[nodiscard]] double potential_energy(const Point& at, Workspace& work) const;

    /// Both at once, in joules: kinetic, potential.
    [[nodiscard]] std::array<double, 2> energies(const Point& at, Workspace& work) const;

    /// A(q) into A.values(), and the velocity terms c(q,u).
    void kinetic_terms(const Point& at, MassMatrix& A, std::span<double> c, Workspace& work) const;

    /// dV/dq; returns dV/dt.
    double potential_gradient(const Point& at, std::span<double> gradient, Workspace& work) const;

    void given_forces(const Point& at, std::span<double> F, Workspace& work) const;

    [[nodiscard]] double gap_m(int contact, const Point& at, Workspace& work) const;

    /// Interactions: the contacts, then the parts of all constraints.
    [[nodiscard]] int interactions() const noexcept { return contacts() + static_cast<int>(parts_.size()); }
    [[nodiscard]] bool is_contact(int interaction) const noexcept { return interaction < contacts(); }
    [[nodiscard]] const ConstraintPart& part(int interaction) const noexcept
    {
        return parts_[interaction - contacts()];
    }
    /// Interactions of a constraint: from its first one to that of the next.
    [[nodiscard]] int first_part(int constraint) const noexcept { return first_part_[constraint]; }

    [[nodiscard]] const ConstraintGeometry& constraint(int number) const noexcept
    {
        return *constraint_geometry_[number];
    }
    /// All rows of a constraint, U = H u + b; those of velocities after the map L: L^T H, L^T b (CO-6).
    void constraint_rows(int constraint, const Point& at, std::span<double> H, std::span<double> b,
                         Workspace& work) const;

    /// The contact that enables a constraint, and the constraint that provides the normal force of a limit;
    /// -1: none.
    [[nodiscard]] int only_while(int constraint) const noexcept { return only_while_[constraint]; }
    [[nodiscard]] int pressed_by(int constraint, int limit) const noexcept
    {
        return pressed_by_[constraint][limit];
    }

    /// The coordinates that an interaction names, sorted.
    [[nodiscard]] std::span<const int> support(int interaction) const noexcept
    {
        return supports_[interaction];
    }

    /// Components of an interaction's local velocity, and where they begin among those of all.
    [[nodiscard]] int dimension(int interaction) const noexcept
    {
        return offsets_[interaction + 1] - offsets_[interaction];
    }
    [[nodiscard]] int offset(int interaction) const noexcept { return offsets_[interaction]; }
    [[nodiscard]] int local_size() const noexcept { return offsets_.back(); }

    /// How A couples interactions.
    [[nodiscard]] const ContactCoupling& coupling() const noexcept { return *coupling_; }

    /// How a matrix of another pattern couples interactions.
    [[nodiscard]] ContactCoupling coupling_through(const MassPattern& pattern) const;

    /// The row of the gap, H_c in the order of support(contact); returns b_c.
    double gap_gradient(int contact, const Point& at, std::span<double> H, Workspace& work) const;

    /// What the normal velocity of a contact gains per second by the curvature and the motion of its
    /// obstacle, along a motion of constant u: u.g_qq u + 2 g_qt.u + g_tt, in m/s^2 (MS-8).
    [[nodiscard]] double gap_curvature(int contact, const Point& at, Workspace& work) const;

    /// All rows of a contact's local velocity U = H u + b, normal first: H row by row in the order of
    /// support(contact), one b per row.
    void contact_rows(int contact, const Point& at, std::span<double> H, std::span<double> b,
                      Workspace& work) const;

    /// e at this point, from its formula: the caller checks that it is in [0, 1].
    [[nodiscard]] double restitution(int contact, const Point& at, Workspace& work) const;

    /// The law of a contact at this point, with the static coefficient where it `sticks`. From the formulas:
    /// the caller checks it.
    [[nodiscard]] Law law(int contact, const Point& at, bool sticks, Workspace& work) const;

private:
    friend Expected<Model, Errors> make_model(LagrangianSystem system);
    friend Expected<Model, Errors> make_model(std::shared_ptr<const BodyModel> bodies,
                                              LagrangianSystem beside);

    /// What is prepared once, shared by copies: programs, rows of contacts, couplings.
    struct Inside;
    explicit Model(LagrangianSystem system, std::shared_ptr<const BodyFactors> bodies = {});
    void prepare_kinetic();
    void prepare_programs();
    void prepare_constraints();
    void prepare_contacts();

    LagrangianSystem system_;
    std::shared_ptr<const BodyFactors> bodies_;
    const BodyModel* body_model_ = nullptr;  ///< of bodies_
    std::vector<char> driven_;               ///< per coordinate of a body; empty where nobody asks
    std::shared_ptr<Inside> inside_;
    const MassPattern* mass_pattern_ = nullptr;  ///< inside
    const ContactCoupling* coupling_ = nullptr;  ///< inside
    std::vector<std::shared_ptr<const ConstraintGeometry>> constraint_geometry_;
    std::vector<ConstraintPart> parts_;
    std::vector<int> first_part_, only_while_;
    std::vector<std::vector<int>> pressed_by_;
    std::vector<int> offsets_{0};
    std::vector<std::span<const int>> supports_;  ///< per interaction; of `inside_` and of the constraints
    bool constant_mass_ = false;
    bool forces_name_velocity_ = false;
};

/// Checks the system; all its mistakes are reported together. `where` of an error is the scene key, e.g.
/// "contact.wall.gap".
[[nodiscard]] Expected<Model, Errors> make_model(LagrangianSystem system);

/// A state at rest in its contacts: sizes set, no percussions yet. Bodies are where the coordinates say;
/// their quaternions are made unit ones.
[[nodiscard]] State make_state(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                               double t_s = 0);

/// What must hold where a run begins: everything finite, A positive definite, no gap below -tolerance_m, no
/// gap gradient zero where a contact is closed, restitutions in range, constraints fulfilled and their
/// gradients independent or redundant, but not just here.
[[nodiscard]] Errors check_start(const Model& model, const State& state, double tolerance_m);

/// The point of a state.
inline Point point_of(const State& state)
{
    return {view(state.q), view(state.u), state.t_s};
}

}  // namespace carom
