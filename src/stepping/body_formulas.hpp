#pragma once

#include "body_response.hpp"
#include "expression/term.hpp"
#include "ledger/group_step.hpp"
#include "stepping/body_memory.hpp"
#include "stepping/groups_of_bodies.hpp"
#include "stepping/scratch.hpp"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace carom::detail {

/// Coordinates, contacts and constraints of formulas in a step of bodies (BO-24).
///
/// The model holds the coordinates of the bodies, then others. These have a kinetic energy of their own,
/// u.A(q) u / 2 with A = L L^T half-way: z = L^T u is a velocity of unit mass, and three of its components
/// ride on a carrier after the bodies. A row H of a formula is then a row over bodies and carriers,
///
///     H u = sum over bodies of v_k . v_k + w_k . w_k  +  (L^-1 H_own) . z,       q' = q (0, W) / 2
///
/// and contacts, joints and formulas make one problem. Laws, pressed limits, statuses and events of formulas
/// are those of systems in coordinates: they work on the memory of such a step.
///
/// Theory     docs/theory/bodies.md, (BO-24)
class BodyFormulas {
public:
    /// `shown`: the memory in which listeners see the contacts and constraints of formulas.
    BodyFormulas(const BodyModel& bodies, const Model& model, Scratch& shown);

    // in the order of the step

    /// Coordinates half-way, their metric, and the velocities of the carriers. False: A is not positive
    /// definite.
    [[nodiscard]] bool predict(double h_s, const State& state, BodyStepMemory& s);

    /// Formulas are evaluated with the places and velocities of `at` from here on.
    void see(const State& at);

    /// Adds forces of the potential where formulas see the bodies, `at`, to s.potential: of bodies, and of
    /// the carriers.
    void add_potential(const State& at, BodyStepMemory& s);

    /// Adds given forces there to s.given, and computes the velocity terms.
    void add_given(const State& at, BodyStepMemory& s);

    /// Velocities of the coordinates beside bodies, of those of the carriers in `v`.
    void take_velocities(std::span<const Vec3> v, Eigen::VectorXd& u) const;

    /// Force on carrier k with the velocity terms, as the last calls found it.
    [[nodiscard]] Vec3 force_on_carrier(int k, const BodyStepMemory& s) const;

    /// Potentials or forces of formulas are there, so that an implicit step differentiates them.
    [[nodiscard]] bool has_forces() const noexcept;

    /// Bodies and carriers that one of their terms couples, a list per term.
    [[nodiscard]] std::vector<std::vector<int>> coupled_blocks() const;

    /// Adds  (h theta)^2 d2V/dq2 - sym(h theta dF/du + (h theta)^2 dF/dq)  where formulas see the bodies,
    /// `at` (MJ-2), (BO-33).
    void add_derivatives(const State& at, double h_theta_s, BodyResponse& response);

    /// |L^T q|^2: the square of places of coordinates in the metric of the step.
    [[nodiscard]] double squared_size(const Eigen::VectorXd& q) const;

    /// Appends rows and dimensions of the interactions of formulas; then their laws and velocities. False: a
    /// law left its range.
    void add_rows(const MoreauSettings& settings, BodyStepMemory& s);
    [[nodiscard]] bool load(const MoreauSettings& settings, BodyStepMemory& s);

    /// Solves the problem of the step: firm rows hold their mean velocity, limits follow what presses them,
    /// constraints let go where their contact does not act.
    [[nodiscard]] SolveReport solve(const SolverSettings& solver, double h_s, BodyStepMemory& s,
                                    std::vector<Finding>& findings);

    /// Other motions that the last solve found.
    [[nodiscard]] std::span<const OtherMotion> other_motions() const
    {
        return shown_.solver.selector.others();
    }

    /// Velocities of the coordinates at the end, from those of the carriers, and of the interactions.
    void push(BodyStepMemory& s);

    /// Adds the lines of the step.
    void account(double h_s, const State& state, std::span<const Vec3> v_still, std::span<const Vec3> w_still,
                 const BodyStepMemory& s, EnergyLines& lines);

    /// Energies that bodies alone do not have.
    [[nodiscard]] Energies energies(const State& state);
    [[nodiscard]] double carried_energy_J(std::span<const Vec3> v) const;

    /// (LE-4): work of the forces of formulas over the step by Simpson's rule, less what the ledger has for them.
    [[nodiscard]] double forces_defect_J(double h_s, const State& before, const State& after);

    /// Energies and works of the last step, group by group (LE-28); velocities of prescribed bodies only.
    void add_energies(const State& at, const GroupsOfBodies& groups, Energies GroupStep::* of,
                      std::span<GroupStep> steps);
    void add_works(double h_s, const State& before, const State& after, std::span<const Vec3> v_driven,
                   std::span<const Vec3> w_driven, const GroupsOfBodies& groups, const BodyStepMemory& s,
                   std::span<GroupStep> steps);

    /// Of the interaction k of formulas in the step; -1: forces move nothing that it names.
    [[nodiscard]] int group_of_interaction(std::size_t k, const GroupsOfBodies& groups) const;

    /// Rows of held positions and closed contacts at s.next, for the correction; with `velocities` those of
    /// firm velocities as well. Returns the largest violation; `deepest_m` grows to the deepest overlap.
    double add_violations(bool velocities, BodyStepMemory& s, double& deepest_m);

    /// Moves the coordinates of `places` by displacements of the carriers.
    void move(std::span<const Vec3> moved, State& places) const;

    /// Statuses and events; the events go to s.events, findings and works that held to the report.
    void report(const State& before, double h_s, BodyStepMemory& s, StepReport& report);

    /// Percussions and statuses of contacts and constraints, after report().
    void commit(State& state) const;

    [[nodiscard]] std::string name_of_interaction(int interaction) const;

    /// Laws of the interactions of the last step, contacts first.
    [[nodiscard]] std::span<const Law> laws() const
    {
        return std::span<const Law>(shown_.problem.laws).subspan(first_interaction_);
    }

private:
    void look_at_friction(double ended_s, const BodyStepMemory& s, std::vector<Finding>& findings);
    [[nodiscard]] int group_of_coordinate(int coordinate, const GroupsOfBodies& groups) const;
    [[nodiscard]] int group_of_term(const Term& term, const GroupsOfBodies& groups) const;
    [[nodiscard]] std::vector<int> blocks_of(std::span<const int> coordinates) const;
    [[nodiscard]] double rate_of(const State& at, int coordinate, const BodyVelocity& velocity) const;
    void add_derivative(const State& at, std::span<const int> coordinates, const Eigen::MatrixXd& S,
                        BodyResponse& response) const;
    void add_turning(std::span<const Variable> variables, std::span<const double> gradient, double factor,
                     BodyResponse& response) const;
    void add_terms(const State& at, std::span<const int> support, std::span<const double> row,
                   BodyRows& rows);
    void scatter(const State& at, double factor, std::span<Wrench> wrenches);
    void evaluate_kinetic();
    [[nodiscard]] Point point() const { return {q_, u_, t_s_}; }
    [[nodiscard]] double velocity(const BodyRows& rows, int row, std::span<const Vec3> v,
                                  std::span<const Vec3> w) const;

    const BodyModel& bodies_;
    const Model& model_;
    Scratch& shown_;
    State memory_;  ///< coordinates, percussions and statuses of formulas, as a step in coordinates has them
    int first_ = 0, own_ = 0;                ///< coordinates of bodies, and others
    std::vector<int> body_of_;               ///< per coordinate of bodies
    std::vector<Term> kinetic_, potential_;  ///< of the others, and of what formulas add

    // at one place
    State at_;
    std::span<const double> q_, u_;
    double t_s_ = 0;
    Eigen::MatrixXd A_;
    Eigen::VectorXd c_, covector_;  ///< velocity terms; a force or gradient over all coordinates
    Eigen::LLT<Eigen::MatrixXd> L_;
    Eigen::MatrixXd L_inverse_;  ///< where derivatives were asked for
    double potential_rate_W_ = 0;
    std::vector<Vec3> z_before_, terms_;  ///< of the carriers: velocity before, and velocity terms
    Workspace work_;

    // interactions of the step
    std::vector<int> interactions_;
    ContactRows rows_;
    std::size_t first_interaction_ = 0;
    int first_row_ = 0;
    std::vector<double> U_free_;
    std::vector<double> defect_J_;  ///< per coordinate, of the forces of the step
};

}  // namespace carom::detail
