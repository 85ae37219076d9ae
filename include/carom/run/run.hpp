#pragma once

#include "carom/ledger/certificate.hpp"
#include "carom/run/obstacle_visit.hpp"
#include "carom/run/settings.hpp"
#include "carom/stepping/step_report.hpp"
#include "carom/sweeping/catching_up.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// A run: steps from a start to an end, with certificate and events.

/// What ends a run before its duration is over.
struct Until {
    bool rest = false;               ///< everything is at rest and stays at rest
    std::optional<Formula> formula;  ///< becomes >= 0
};

/// What to do with a step whose one-step problem missed its tolerance.
enum class OnUnsolved { Accept, Stop };

struct RunPlan {
    double duration_s = 1;
    Until until{};
    OnUnsolved on_unsolved = OnUnsolved::Accept;
    double energy_tolerance = default_energy_tolerance;  ///< > 0; what scheme and correction may do (LE-7)
    bool keep_events = true;                             ///< large heaps have millions
};

[[nodiscard]] Expected<void> check(const RunPlan& plan);

/// What a recording holds, and how often.
struct RecordSettings {
    double every_s = 0;      ///< interval between frames; 0: a thousandth of the duration, at least a step
    bool velocities = true;  ///< scene: fields = ["velocities", ...]; time and coordinates are always there
    bool gaps = true;
    bool percussions = true;  ///< sums since the previous frame
    bool energies = true;     ///< kinetic, potential and the lines of the ledger since the start
    bool probes = true;
};

[[nodiscard]] Expected<void> check(const RecordSettings& settings);

/// Why a run ended.
enum class RunEnd {
    Duration,      ///< the duration is over
    Rest,          ///< until = "rest"
    Formula,       ///< the until formula became >= 0
    Listener,      ///< a listener asked for it
    UnsolvedStep,  ///< on_unsolved = stop
    NotFinite,     ///< the ways to fail: see StepStatus
    MetricSingular,
    LawOutOfRange,
    Undetermined,
};

[[nodiscard]] std::string_view name_of(RunEnd end) noexcept;

/// Detects rest: all velocities below 1e-9 of the largest so far, in three consecutive steps. At the top of a
/// throw one step may look like rest; three do not: the force would have moved it.
struct RestWatch {
    double fastest = 0;   ///< largest |u_i| so far
    int still_steps = 0;  ///< consecutive, up to now

    void after_step(const Eigen::VectorXd& u);
    [[nodiscard]] bool at_rest() const noexcept { return still_steps >= 3; }
};

/// What a run carries from step to step besides its state: with both it continues bit for bit.
struct RunProgress {
    double start_s = 0;  ///< instants are start_s + n h, not sums
    long steps = 0;      ///< taken so far
    Certifier certifier{Energies{}};
    RestWatch rest;
    std::optional<RunEnd> end;  ///< set by the last step
    std::vector<ObstacleVisit>
        visits;                        ///< per contact of systems in coordinates; empty before the first step
    std::vector<GapReach> reaches;     ///< the same
    std::vector<ImpactDelays> delays;  ///< the same
    std::vector<ContactDrive> drives;  ///< the same; empty where nothing moves by itself
    SlipWork slip;                     ///< of all contacts of systems in coordinates
    std::optional<SweepProgress> sweep;  ///< of a sweeping process, from its start on
};

struct BodyStep;

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

    const BodyStep* bodies = nullptr;  ///< of a run of bodies: their state and contacts (body_run.hpp)

    ProblemSource* source = nullptr;
    [[nodiscard]] std::optional<StepProblem> problem() const
    {
        return source != nullptr ? source->problem() : std::nullopt;
    }
};

/// Configuration within a step, linear in time; velocity its right limit, that of the end of the step (MS-6).
/// The series integrator gives the motion itself.
void interpolate(const StepView& view, double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u);

/// Returns false to end the run after this step.
using StepListener = std::function<bool(const StepView&)>;

/// `Certified`: every step solved to the asked tolerance and every ledger closed.
enum class RunStatus { Certified, Uncertified, Failed };

[[nodiscard]] std::string_view name_of(RunStatus status) noexcept;

struct RunReport {
    RunStatus status = RunStatus::Failed;
    RunEnd end = RunEnd::Duration;
    Certificate certificate;
    std::vector<Finding> findings;
    std::vector<Event> events;
    std::vector<std::string> event_names;  ///< names by Event::contact
    std::size_t event_contacts = 0;        ///< how many of them are contacts; the rest are constraints
};

/// Runs the scheme of the settings on `state`, at the instants start + n h; the last step is shorter where
/// the duration asks for it. `state` ends as that of the last good step, however the run ended.
[[nodiscard]] RunReport simulate(const Model& model, const IntegratorSettings& settings,
                                 const SolverSettings& solver, const RunPlan& plan, State& state,
                                 const StepListener& listener = {});

/// Moreau's scheme, so that its settings can be written in place: simulate(model, {.time_step_s = 1e-3}, ...)
[[nodiscard]] inline RunReport simulate(const Model& model, const MoreauSettings& settings,
                                        const SolverSettings& solver, const RunPlan& plan, State& state,
                                        const StepListener& listener = {})
{
    return simulate(model, IntegratorSettings(settings), solver, plan, state, listener);
}

/// The names of what events refer to, by Event::contact: contacts, then constraints; for a sweeping process
/// the set.
[[nodiscard]] EventPlaces event_places(const LagrangianSystem& system);

/// A run between two steps.
struct RunSoFar {
    State state;
    RunProgress progress;
    std::vector<Event> events;
};

/// A run before its first step.
[[nodiscard]] RunSoFar start_run(const Model& model, State start);

/// Continues a run to its end, which `run` then holds. A run resumed between any two steps, from a
/// checkpoint for example, ends bit for bit as if it had never been interrupted. A run of full steps can
/// continue with a longer plan; a shortened last step must not have been taken.
[[nodiscard]] RunReport resume_run(const Model& model, const IntegratorSettings& settings,
                                   const SolverSettings& solver, const RunPlan& plan, RunSoFar& run,
                                   const StepListener& listener = {});

}  // namespace carom
