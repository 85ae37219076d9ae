#include "carom/core/version.hpp"
#include "carom/study/study.hpp"
#include "core/mistake.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "scene/scene_bodies.hpp"
#include "strobe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace carom {
namespace {

/// Where a scene says its step.
std::string_view step_path_of(const Scene& scene)
{
    return scene.sweeping ? "sweeping.time_step_s" : "integrator.time_step_s";
}

/// FNV-1a, 64 bits: tells studies apart, and protects against nobody.
std::uint64_t hash_of(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

/// Everything that the rows depend on, as one text.
std::string identity_of(const Scene& scene, const StudyPlan& plan)
{
    std::string text = fmt::format("carom {}\n{}\n", version, scene.text);
    for (const Axis& axis : plan.axes)
        text += fmt::format("vary {}={}\n", axis.path, fmt::join(axis.values, "\n,"));
    for (const Perturbation& p : plan.perturbations)
        text += fmt::format("perturb {}={}\n", p.name, p.width);
    if (plan.perturb_step_s) text += fmt::format("perturb-step {}\n", *plan.perturb_step_s);
    if (plan.strobe) text += fmt::format("strobe {} skip {}\n", plan.strobe->period, plan.strobe->skip);
    if (plan.strobe && !plan.strobe->section.empty())
        text += fmt::format("section {}\n", plan.strobe->section);
    text += fmt::format("repeat {} seed {} levels {} impacts {} at {}", plan.repeat, plan.seed, plan.levels,
                        plan.impacts, fmt::join(plan.at_s, ","));
    return text;
}

/// Two columns of one name could not be told apart.
std::string unused(std::string name, const ResultTable& table)
{
    while (table.find(name) != nullptr)
        name += '_';
    return name;
}

/// Adds errors that are not known yet. Those of the varied path itself are told for --vary, others with the
/// value that caused them.
void add_fresh(const Errors& errors, const std::string& path, const std::string& value, Errors& all)
{
    for (Error error : errors) {
        const bool of_option = error.where.starts_with("--set ");
        if (of_option) error.where.replace(0, 5, "--vary");
        const bool known = std::ranges::any_of(all, [&](const Error& other) {
            return other.where == error.where && other.message.starts_with(error.message);
        });
        if (!of_option)
            error.message += fmt::format(", with --vary {} = {}", printable(path), printable(value));
        if (!known) all.push_back(std::move(error));
    }
}

}  // namespace

Study::Study(Scene scene, StudyPlan plan, std::filesystem::path file)
    : scene_(std::move(scene)), plan_(std::move(plan)), file_(std::move(file))
{
}

Expected<Study, Errors> Study::prepare(const std::filesystem::path& file, std::span<const Override> overrides,
                                       StudyPlan plan)
{
    auto scene = read_scene(file, overrides);
    if (!scene) return scene.error();
    Study study(std::move(*scene), std::move(plan), file);

    // counts first: nothing is made before they are known to be small
    Errors errors = study.look_at_plan();
    if (!errors.empty()) return errors;
    for (const Errors& found : {study.look_at_axes(), study.look_at_samples(), study.look_at_steps()})
        errors.insert(errors.end(), found.begin(), found.end());
    if (!errors.empty()) return errors;

    study.id_ = fmt::format("{:016x}-{}", hash_of(identity_of(study.scene_, study.plan_)), study.runs_);
    study.name_columns();
    return study;
}

StudyRun Study::run(long index) const
{
    StudyRun run{.index = index};
    long rest = index;
    const auto digit = [&rest](long base) {
        const long value = rest % base;
        rest /= base;
        return value;
    };
    run.repetition = digit(plan_.repeat);
    run.level = static_cast<int>(digit(std::max(plan_.levels, 1)));
    run.time_step_s = time_step_s(scene_.integrator);
    run.values.resize(plan_.axes.size());
    for (std::size_t i = plan_.axes.size(); i-- > 0;) {
        const Axis& axis = plan_.axes[i];
        run.values[i] = axis.values[static_cast<std::size_t>(digit(static_cast<long>(axis.values.size())))];
        if (axis.path == step_path_of(scene_))
            run.time_step_s = number_of(run.values[i]).value_or(run.time_step_s);
    }

    // the step of this run, uniform within it (M88 15.3)
    run.time_step_s = std::ldexp(run.time_step_s, -run.level);
    const auto counter = static_cast<std::uint64_t>(index);
    if (plan_.perturb_step_s) {
        const double width = *plan_.perturb_step_s > 0 ? *plan_.perturb_step_s : run.time_step_s / 5;
        run.time_step_s -= width * uniform_of(plan_.seed, counter, 0);
    }
    for (std::size_t k = 0; k < plan_.perturbations.size(); ++k) {
        run.shifts.push_back(plan_.perturbations[k].width * (2 * uniform_of(plan_.seed, counter, k + 1) - 1));
    }
    return run;
}

std::vector<Override> Study::overrides_of(const StudyRun& run) const
{
    std::vector<Override> overrides;
    for (std::size_t i = 0; i < run.values.size(); ++i)
        overrides.push_back({.path = plan_.axes[i].path, .value = run.values[i]});
    if (plan_.levels > 0 || plan_.perturb_step_s)
        overrides.push_back(
            {.path = std::string(step_path_of(scene_)), .value = fmt::format("{}", run.time_step_s)});
    return overrides;
}

Expected<Scene, Errors> Study::scene_of(const StudyRun& run) const
{
    const auto folder = file_.parent_path();
    return read_scene_text(scene_.text, file_.string(), overrides_of(run), folder.empty() ? "." : folder);
}

/// Options that do not go together, and counts.
Errors Study::look_at_plan()
{
    Errors errors;
    if (plan_.repeat < 1) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "--repeat",
                                 fmt::format("{} repetitions are not possible", plan_.repeat),
                                 "give a number from 1 on"));
    }
    if (plan_.levels != 0 && (plan_.levels < 3 || plan_.levels > 20)) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "--levels",
                                 fmt::format("{} levels show no order", plan_.levels),
                                 "give from 3 to 20 levels; each halves the step"));
    }
    if (plan_.levels > 0 &&
        (plan_.repeat > 1 || plan_.perturb_step_s || !plan_.perturbations.empty() || plan_.strobe)) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "--converge",
                                 "orders of convergence need runs that differ only in their step",
                                 "leave --repeat, --perturb-step, --perturb and --strobe out"));
    }
    std::set<std::string> paths;
    double runs = static_cast<double>(plan_.repeat) * std::max(plan_.levels, 1);
    for (const Axis& axis : plan_.axes) {
        runs *= static_cast<double>(axis.values.size());
        if (!paths.insert(axis.path).second) {
            errors.push_back(mistake(ErrorCode::DuplicateName, "--vary " + printable(axis.path),
                                     "the same path is varied twice", "give all its values in one list"));
        }
    }
    if (runs > static_cast<double>(max_study_rows)) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "study",
                                 fmt::format("there are {:.4g} runs", runs),
                                 fmt::format("a study has at most {}", max_study_rows)));
    }
    if (errors.empty()) runs_ = static_cast<long>(runs);
    return errors;
}

/// Every value of an axis, the others at their first one. Of very long axes, only the ends.
Errors Study::look_at_axes() const
{
    constexpr std::size_t looked_at = 1000;
    Errors errors;
    StudyRun first = run(0);
    first.time_step_s = time_step_s(scene_.integrator);
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
        const Axis& axis = plan_.axes[i];
        StudyRun one = first;
        for (std::size_t k = 0; k < axis.values.size(); ++k) {
            if (axis.values.size() > looked_at && k > 0 && k + 1 < axis.values.size()) continue;
            one.values[i] = axis.values[k];
            if (axis.path == step_path_of(scene_)) one.time_step_s = number_of(one.values[i]).value_or(-1);
            const std::size_t known = errors.size();
            if (auto scene = scene_of(one); !scene)
                add_fresh(scene.error(), axis.path, axis.values[k], errors);
            // a path that is wrong is wrong for all values
            if (errors.size() > known && errors.back().code == ErrorCode::UnknownKey) break;
        }
    }
    return errors;
}

/// Instants within the run, coordinates that exist, and rows that can be counted.
Errors Study::look_at_samples() const
{
    Errors errors;
    const bool fixed = std::ranges::none_of(
        plan_.axes, [](const Axis& axis) { return axis.path == "duration_s" || axis.path == "start_s"; });
    const double start_s = scene_.start.t_s, end_s = start_s + scene_.plan.duration_s;
    for (const double t_s : plan_.at_s) {
        if (!std::isfinite(t_s) ||
            (fixed && !(t_s >= start_s && t_s <= end_s + 1e-9 * time_step_s(scene_.integrator)))) {
            errors.push_back(mistake(ErrorCode::SettingOutOfRange, "--at",
                                     fmt::format("{} s is outside the run", t_s),
                                     fmt::format("give times from {} to {} s", start_s, end_s)));
        }
    }
    if (plan_.impacts < 0 || plan_.impacts > 1000) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "--impacts",
                                 fmt::format("{} instants cannot be shown", plan_.impacts),
                                 "give a number from 0 to 1000"));
    }
    // parts of a quaternion do not change alone
    std::vector<std::string> names;
    for (const Coordinate& c : scene_.model.system().coordinates) {
        if (scene_.bodies && c.unit.empty()) continue;
        names.push_back(c.name);
        if (!scene_.sweeping) names.push_back(c.name + "'");  // a swept point has no velocity of its own
    }
    for (const Perturbation& p : plan_.perturbations) {
        if (std::ranges::find(names, p.name) != names.end()) continue;
        errors.push_back(
            mistake(ErrorCode::UnknownName, "--perturb",
                    fmt::format("the scene has no coordinate or velocity {}", carom::quoted(p.name)),
                    fmt::format("there are: {}", fmt::join(names, ", "))));
    }
    if (!plan_.strobe) return errors;
    if (!plan_.strobe->section.empty()) {
        if (!plan_.strobe->period.empty())
            errors.push_back(mistake(ErrorCode::NotAllowedHere, "--section", "a period is given as well",
                                     "give --strobe or --section"));
        if (auto formula = detail::section_of(*plan_.strobe, scene_); !formula)
            errors.push_back(formula.error());
        return errors;
    }
    const auto samples = detail::strobe_times(*plan_.strobe, scene_);
    if (!samples)
        errors.push_back(samples.error());
    else if (static_cast<double>(samples->size()) * static_cast<double>(runs_) >
             static_cast<double>(max_study_rows))
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "--strobe",
                                 fmt::format("{} samples of {} runs are too many", samples->size(), runs_),
                                 fmt::format("a table has at most {} rows", max_study_rows)));
    return errors;
}

/// A perturbed step stays positive.
Errors Study::look_at_steps() const
{
    Errors errors;
    if (!plan_.perturb_step_s) return errors;
    const double width = *plan_.perturb_step_s;
    double shortest_s = time_step_s(scene_.integrator);
    for (const Axis& axis : plan_.axes) {
        if (axis.path != step_path_of(scene_)) continue;
        shortest_s = std::numeric_limits<double>::infinity();
        for (const std::string& value : axis.values)
            shortest_s = std::min(shortest_s, number_of(value).value_or(shortest_s));
    }
    if (!(width >= 0) || !(width < shortest_s)) {
        errors.push_back(
            mistake(ErrorCode::SettingOutOfRange, "--perturb-step",
                    fmt::format("steps of {} s cannot be shortened by up to {} s", shortest_s, width),
                    "give a width that is not negative and below the step"));
    }
    return errors;
}

void Study::name_columns()
{
    const auto add = [&](const std::string& name, CellKind kind = CellKind::Number) {
        columns_.columns.push_back({.name = unused(name, columns_), .kind = kind});
    };
    const auto add_quantity = [&](const std::string& name) {
        add(name);
        quantities_.push_back(columns_.columns.back().name);
    };

    // which run
    add("run");
    add("study", CellKind::Text);
    for (const Axis& axis : plan_.axes)
        add(axis.path, axis.numbers ? CellKind::Number : CellKind::Text);
    if (plan_.levels > 0) add("level");
    if (plan_.repeat > 1) add("repetition");
    add(plan_.axes.empty() || columns_.find(step_path_of(scene_)) == nullptr ? "time_step_s" : "step_s");
    for (const Perturbation& p : plan_.perturbations)
        add("shift." + p.name);

    // how it ended
    add("status", CellKind::Text);
    add("end", CellKind::Text);
    add("end_s");
    add("steps");
    if (plan_.strobe) {
        add("sample");
        add("rows");
        add("time_s");
    }

    // where it was
    std::vector<std::string> state;
    const LagrangianSystem& system = scene_.model.system();
    for (const Coordinate& c : system.coordinates)
        state.push_back(c.name);
    for (const Coordinate& c : system.coordinates)
        state.push_back(c.name + "'");
    for (const Probe& probe : system.probes)
        state.push_back(probe.name);
    for (const std::string& name : state)
        add_quantity(name);
    for (const double t_s : plan_.at_s) {
        for (const std::string& name : state)
            add_quantity(fmt::format("{}@{}", name, t_s));
    }
    add_quantity("energy_J");
    if (scene_.bodies) {
        for (const ContactForceProbe& probe : scene_.bodies->probes) {
            add_quantity(probe.name);
            add_quantity(probe.name + "_mean");
        }
    }
    for (int i = 1; i <= plan_.impacts; ++i)
        add_quantity(fmt::format("impact{}_s", i));

    // what happened, and how far to trust it
    for (const char* name : {"impacts", "contacts_made", "contacts_lost", "sticks", "slips", "last_event_s",
                             "max_residual", "max_penetration_m", "energy_balance_J", "unsolved_steps"})
        add(name);
}

}  // namespace carom
