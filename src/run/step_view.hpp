#pragma once

#include "analytic/series_piece.hpp"
#include "run/progress.hpp"
#include "stepping/body_contact.hpp"
#include "stepping/step_report.hpp"

#include <optional>
#include <span>

namespace carom {

/// The one-step problem of a step and the percussions that were found. Both live until the next step.
struct StepProblem {
    const OneStepProblem& problem;
    std::span<const double> P;
};

/// Assembles the problem of the last step on request: sweeps over bodies need no matrix, files do.
class ProblemSource {
public:
    ProblemSource() = default;
    virtual ~ProblemSource() = default;
    ProblemSource(const ProblemSource&) = delete;
    ProblemSource& operator=(const ProblemSource&) = delete;

    /// Nothing where the step solved none.
    [[nodiscard]] virtual std::optional<StepProblem> problem() = 0;
};

/// One finished step, as listeners see it. References are valid during the call only.
struct StepView {
    const Model& model;
    long step;  ///< number of the step, from 1
    const State& before;
    const State& after;
    const StepReport& report;
    const RunProgress& progress;         ///< with this step in it
    std::span<const Event> events = {};  ///< of the step; none where the plan does not keep them
    bool smooth = false;                 ///< nothing happened: the velocity changed without a jump

    // of systems in coordinates
    std::span<const ContactStep> contacts = {};  ///< that were active
    std::span<const Law> laws = {};              ///< theirs; by power series none
    std::span<const double> gap_m = {};          ///< per contact of the model, at the end of the step
    std::span<const double> reaction_J = {};     ///< per constraint: its work on the kinetic energy
    const Eigen::VectorXd* u_free = nullptr;     ///< velocity without percussions
    std::span<const SeriesPiece> pieces = {};    ///< the motion itself, by power series

    // of systems with bodies; what formulas say beside them is in the fields above
    std::span<const BodyContact> body_contacts = {};         ///< that the step detected, active or not
    std::span<const JointReaction> joint_reactions = {};     ///< one per joint
    std::span<const Wrench> potential = {};                  ///< weight and springs, per body
    std::span<const Wrench> given = {};                      ///< dampers and given forces, per body
    std::span<const Wrench> constrained = {};                ///< N s, N m s: of gears and formulas; or empty
    std::span<const Vec3> half_way_m = {};                   ///< centres of mass where contacts are taken
    std::span<const Vec3> spin_Nms = {};                     ///< change of angular momentum; for diagrams
    const OneStepProblem* body_problem = nullptr;            ///< contacts, then joints and formulas
    std::span<const double> body_P = {}, joint_U_plus = {};  ///< its percussions; velocities of the latter

    ProblemSource* source = nullptr;
    [[nodiscard]] std::optional<StepProblem> problem() const
    {
        return source != nullptr ? source->problem() : std::nullopt;
    }
};

/// Configuration within a step, linear in time; velocity its right limit, that of the end of the step (MS-6).
/// The series integrator gives the motion itself.
void interpolate(const StepView& view, double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u);

}  // namespace carom
