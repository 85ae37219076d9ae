#pragma once

#include "carom/core/expected.hpp"
#include "carom/scene/scene.hpp"
#include "carom/trace/table.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// What a study consists of: many runs of one scene. Runs are counted from 0: repetitions change fastest,
/// then the levels of the step, then the values of the last axis, and so on to the first.

/// Largest number of rows of a study; checked before memory is allocated.
inline constexpr long max_study_rows = 10'000'000;

/// Values for one key of the scene.
struct Axis {
    std::string path;                 ///< as of --set: parameters.e
    std::vector<std::string> values;  ///< TOML values, or words; at least one
    bool numbers = true;              ///< all of them are numbers
};

/// "PATH=a:b:step", from a to b, both included where the step fits, rounded to 15 digits; or "PATH=v1,v2,..."
/// Errors: SceneSyntax; WrongType; SettingOutOfRange for a range that is empty, endless or has more than
/// max_study_rows values.
[[nodiscard]] Expected<Axis> parse_axis(std::string_view text);

/// Start data perturbed by a random amount, uniform in [-width, width], drawn once per run.
struct Perturbation {
    std::string name;  ///< a coordinate, or its velocity: theta'
    double width = 0;  ///< >= 0, in the unit of the perturbed quantity
};

/// "NAME=width". Errors: SceneSyntax, WrongType, SettingOutOfRange.
[[nodiscard]] Expected<Perturbation> parse_perturbation(std::string_view text);

/// Samples at start + k period_s for k = skip, skip + 1, ... up to the end of the run; or where a section is
/// crossed, without the first `skip` crossings.
struct Strobe {
    std::string period;        ///< seconds, or the name of a probe whose value at the start is the period
    long skip = 0;             ///< >= 0
    std::string section = {};  ///< instead: a formula of the state that rises through zero there
};

struct StudyPlan {
    std::vector<Axis> axes;  ///< all combinations are run
    long repeat = 1;         ///< runs of each combination; >= 1
    std::uint64_t seed = 0;  ///< of all that is random

    /// Each run has a uniform step of its own, h - width RND with RND in [0, 1) [Moreau 1988, 15.3]; 0 stands
    /// for a fifth of h.
    std::optional<double> perturb_step_s;
    std::vector<Perturbation> perturbations;

    int levels = 0;            ///< steps h, h/2, h/4, ...: how many; 0: only h
    std::vector<double> at_s;  ///< instants to record
    int impacts = 0;           ///< how many impact instants to keep
    std::optional<Strobe> strobe;
};

/// The period that a text gives, s: a number, a probe of the scene, which is evaluated at its start, or in
/// scenes of coordinates a formula of parameters. Errors: UnknownName, those of formulas.
[[nodiscard]] Expected<double> strobe_period_s(const Scene& scene, const std::string& text);

/// One of n parts of a study: the runs with index % parts == part.
struct Shard {
    long part = 0;
    long parts = 1;
};

/// "i/n" with i from 1 to n. Errors: SceneSyntax, SettingOutOfRange.
[[nodiscard]] Expected<Shard> parse_shard(std::string_view text);

/// The finite number that the whole text represents.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

/// Many runs of one scene, and one table of their results. docs/how-to/studies.md lists the columns.

/// The parameters of one run.
struct StudyRun {
    long index = 0;
    std::vector<std::string> values;  ///< one per axis
    int level = 0;                    ///< how often the step was halved
    long repetition = 0;
    double time_step_s = 0;
    std::vector<double> shifts;  ///< one per perturbation
};

/// Called during a run; true ends it.
using StopRequest = std::function<bool()>;

/// A study ready to run: scene and plan are compatible.
class Study {
public:
    /// Reads the scene with `overrides` and checks it with the values of every axis. All mistakes are
    /// reported together; those of an axis name `--vary`.
    [[nodiscard]] static Expected<Study, Errors> prepare(const std::filesystem::path& file,
                                                         std::span<const Override> overrides, StudyPlan plan);

    [[nodiscard]] const Scene& scene() const noexcept { return scene_; }
    [[nodiscard]] const StudyPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] long runs() const noexcept { return runs_; }
    [[nodiscard]] StudyRun run(long index) const;

    /// Columns without rows.
    [[nodiscard]] const ResultTable& columns() const noexcept { return columns_; }

    /// Columns that hold results of the motion: state, probes, energy, instants.
    [[nodiscard]] const std::vector<std::string>& quantities() const noexcept { return quantities_; }

    /// Names the study in every row: 16 digits made from version, scene and plan, and the number of runs.
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    /// The scene of one run, from the start that it had. Errors: values that do not fit together.
    [[nodiscard]] Expected<Scene, Errors> scene_at(long index) const;

    /// The rows of one run: one, or with a strobe one per sample. Values that do not fit together (a start in
    /// overlap, ...) give one row with the status `refused`. Nothing when `stop` ended it. Safe to call from
    /// several threads.
    [[nodiscard]] std::vector<Row> compute(long index, const StopRequest& stop) const;

private:
    Study(Scene scene, StudyPlan plan, std::filesystem::path file);
    [[nodiscard]] std::vector<Override> overrides_of(const StudyRun& run) const;
    [[nodiscard]] Expected<Scene, Errors> scene_of(const StudyRun& run) const;
    [[nodiscard]] Errors look_at_plan();
    [[nodiscard]] Errors look_at_axes() const;
    [[nodiscard]] Errors look_at_samples() const;
    [[nodiscard]] Errors look_at_steps() const;
    void name_columns();

    Scene scene_;
    StudyPlan plan_;
    std::filesystem::path file_;
    long runs_ = 0;
    ResultTable columns_;
    std::vector<std::string> quantities_;
    std::string id_;
};

/// The progress of a study.
struct StudyProgress {
    long done = 0;  ///< runs, of this part
    long runs = 0;
    bool stopped = false;
};

/// Takes the rows of a run; called in the order of runs, by one thread at a time. False ends the study.
using RunSink = std::function<bool(long run, std::span<const Row> rows)>;

/// Computes the runs of a shard on several threads, skipping its first `done` runs. The rows that reach
/// the sink do not depend on the number of threads.
[[nodiscard]] StudyProgress compute_runs(const Study& study, const Shard& shard, long done, int threads,
                                         const RunSink& sink, const StopRequest& stop);

/// Runs of a study that belong to a shard.
[[nodiscard]] long runs_in(const Shard& shard, long runs) noexcept;

}  // namespace carom
