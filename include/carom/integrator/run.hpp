#pragma once

#include "carom/integrator/moreau.hpp"
#include "carom/ledger/certificate.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace carom {

/// A run: steps from a start to an end, with certificate and events.

/// What ends a run before its duration is over.
struct Until {
    bool rest = false;               ///< nothing moves any more, and nothing begins to
    std::optional<Formula> formula;  ///< becomes >= 0
};

/// What to do with a step whose one-step problem missed its tolerance.
enum class OnUnsolved { Accept, Stop };

struct RunPlan {
    double duration_s = 1;
    Until until{};
    OnUnsolved on_unsolved = OnUnsolved::Accept;
};

[[nodiscard]] Expected<void> check(const RunPlan& plan);

/// What a recording holds, and how often.
struct RecordSettings {
    double every_s = 0;      ///< distance of frames; 0: a thousandth of the duration, at least a step
    bool velocities = true;  ///< scene: fields = ["velocities", ...]; time and coordinates are always there
    bool gaps = true;
    bool percussions = true;  ///< sums since the frame before
    bool energies = true;     ///< kinetic, potential and the lines of the ledger since the start
    bool probes = true;
};

[[nodiscard]] Expected<void> check(const RecordSettings& settings);

/// One finished step, for those who listen. References are valid during the call only.
struct StepView {
    const Model& model;
    long step;  ///< number of the step, from 1
    const State& before;
    const State& after;
    const StepReport& report;
    const Scratch& scratch;  ///< its public part: active contacts, gaps, events, free velocity
};

/// Configuration within a step, linear in time; velocity its right limit, that of the end of the step (MS-6).
void interpolate(const StepView& view, double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u);

/// Returns false to end the run after this step.
using StepListener = std::function<bool(const StepView&)>;

/// Why a run ended.
enum class RunEnd {
    Duration,      ///< it ran its time
    Rest,          ///< until = "rest"
    Formula,       ///< the until formula became >= 0
    Listener,      ///< a listener asked for it
    UnsolvedStep,  ///< on_unsolved = stop
    NotFinite,     ///< the three ways to fail: see StepStatus
    MetricSingular,
    LawOutOfRange,
};

[[nodiscard]] std::string_view name_of(RunEnd end) noexcept;

/// `Certified`: every step solved to the asked tolerance and every ledger closed.
enum class RunStatus { Certified, Uncertified, Failed };

[[nodiscard]] std::string_view name_of(RunStatus status) noexcept;

struct RunReport {
    RunStatus status = RunStatus::Failed;
    RunEnd end = RunEnd::Duration;
    Certificate certificate;
    std::vector<Finding> findings;
    std::vector<Event> events;
};

/// Runs Moreau's scheme on `state`, at the instants start + n h; the last step is shorter where the duration
/// asks for it. The state at the end of the last good step is left in `state`, whatever the end.
[[nodiscard]] RunReport simulate(const Model& model, const MoreauSettings& settings,
                                 const SolverSettings& solver, const RunPlan& plan, State& state,
                                 const StepListener& listener = {});

}  // namespace carom
