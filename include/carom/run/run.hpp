#pragma once

#include "carom/analytic/series.hpp"
#include "carom/ledger/certificate.hpp"
#include "carom/ledger/event.hpp"
#include "carom/solver/solve.hpp"
#include "carom/stepping/settings.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carom {

/// The scheme of a run with its settings; the scene key `integrator.kind` names it.
using IntegratorSettings = std::variant<MoreauSettings, MoreauJeanSettings, SeriesSettings>;

[[nodiscard]] std::string_view name_of(const IntegratorSettings& settings) noexcept;
[[nodiscard]] double time_step_s(const IntegratorSettings& settings) noexcept;
[[nodiscard]] IntegratorSettings with_time_step(IntegratorSettings settings, double h_s) noexcept;
[[nodiscard]] IntegratorSettings with_activation_gap(IntegratorSettings settings, double gap_m) noexcept;
[[nodiscard]] Expected<void> check(const IntegratorSettings& settings);

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

/// How exactly a file keeps what moves. The state from which a run is resumed is always exact.
enum class RecordPrecision {
    Auto,    ///< Single in runs of more than max_bodies_in_double bodies, else Double
    Double,  ///< 64 bits, as computed
    Single,  ///< 32 bits and fewer, packed: docs/reference/recording.md says to how many digits
};
inline constexpr int max_bodies_in_double = 200;

/// What a recording holds, and how often.
struct RecordSettings {
    double every_s = 0;      ///< interval between frames; 0: a thousandth of the duration, at least a step
    bool velocities = true;  ///< scene: fields = ["velocities", ...]; time and coordinates are always there
    bool gaps = true;
    bool percussions = true;  ///< sums since the previous frame
    bool energies = true;     ///< kinetic, potential and the lines of the ledger since the start
    bool probes = true;
    RecordPrecision precision = RecordPrecision::Auto;  ///< of a file; in memory all is as computed
    int parts = 0;             ///< 0: one file; else one that shows what lies in so many others beside it
    int checkpoint_steps = 0;  ///< steps between two checkpoints; 0: by the amount of data and work
};
inline constexpr int max_record_parts = 4096;

[[nodiscard]] Expected<void> check(const RecordSettings& settings);

/// Why a run ended.
enum class RunEnd {
    Duration,      ///< the duration is over
    Rest,          ///< until = "rest"
    Formula,       ///< the until formula became >= 0
    Listener,      ///< requested by a listener
    UnsolvedStep,  ///< on_unsolved = stop
    NotFinite,     ///< kinds of failure: see StepStatus
    MetricSingular,
    LawOutOfRange,
    Undetermined,
};

[[nodiscard]] std::string_view name_of(RunEnd end) noexcept;

struct StepView;  // a finished step, as the inside sees it; programs get a StepRecord (door/step_record.hpp)

/// Returns false to end the run after this step.
using StepListener = std::function<bool(const StepView&)>;

/// `Certified`: every step solved to the tolerance and every ledger closed.
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
/// the duration requires it. `state` ends as that of the last good step, however the run ended.
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

}  // namespace carom
