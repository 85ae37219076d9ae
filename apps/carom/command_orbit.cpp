#include "commands.hpp"

#include "carom/carom.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "report/branch_family.hpp"
#include "report/text.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// name=formula.
void read_shifts(const std::vector<std::string>& texts, OrbitOptions& options, Errors& errors)
{
    for (const std::string& text : texts) {
        const std::size_t at = text.find('=');
        if (at == std::string::npos || at == 0) {
            errors.push_back(mistake(ErrorCode::WrongType, "--shift",
                                     fmt::format("{} is not NAME=VALUE", text),
                                     "write for example --shift x=2*l*sin(alpha)"));
            continue;
        }
        options.shift[text.substr(0, at)] = text.substr(at + 1);
    }
}

/// Without `parameters.` in front, which is all that an orbit is differentiated by.
void read_parameters(const std::vector<std::string>& by, OrbitOptions& options, Errors& errors)
{
    constexpr std::string_view prefix = "parameters.";
    for (const std::string& text : by) {
        if (text.starts_with(prefix))
            options.parameters.push_back(text.substr(prefix.size()));
        else
            errors.push_back(mistake(ErrorCode::WrongType, "--by", fmt::format("{} is not a parameter", text),
                                     "write parameters.NAME"));
    }
}

OrbitOptions orbit_options(const OrbitCommand& command, Errors& errors)
{
    OrbitOptions options;
    options.period = command.period;
    options.section = command.section;
    options.returns = command.returns;
    options.settle = command.settle;
    options.segments = command.segments;
    options.free = command.free;
    if (!command.period.empty() && !command.section.empty()) {
        errors.push_back(
            mistake(ErrorCode::WrongType, "--section", "a period is given as well",
                    "give --period where forces repeat, --section where they do not depend on t"));
    }
    read_shifts(command.shifts, options, errors);
    read_parameters(command.by, options, errors);
    return options;
}

/// parameters.NAME=LOW:HIGH.
Expected<BranchOptions> branch_range(const std::string& text, const char* option)
{
    constexpr std::string_view prefix = "parameters.";
    const std::size_t equal = text.find('='), colon = text.find(':', equal == std::string::npos ? 0 : equal);
    BranchOptions options;
    std::optional<double> low, high;
    if (text.starts_with(prefix) && equal != std::string::npos && colon != std::string::npos) {
        low = number_of(std::string_view(text).substr(equal + 1, colon - equal - 1));
        high = number_of(std::string_view(text).substr(colon + 1));
    }
    const bool good = low && high && *low < *high;
    if (!good) {
        return mistake(ErrorCode::WrongType, option, fmt::format("{} is not the range of a parameter", text),
                       "write for example --over parameters.w=0.5:3, the smaller value first");
    }
    options.over = text.substr(prefix.size(), equal - prefix.size());
    options.low = *low;
    options.high = *high;
    return options;
}

/// carom branch --equilibrium.
ExitStatus branch_of_equilibria(const OrbitCommand& command, const Scene& scene, const BranchOptions& range)
{
    const auto refused = [&](const Errors& mistakes) { return refuse(mistakes, command.json); };
    if (!command.period.empty() || !command.section.empty() || command.doublings > 0 ||
        !command.curve.empty() || command.past_grazing) {
        return refused({mistake(ErrorCode::WrongType, "--equilibrium", "options of orbits are given as well",
                                "leave out --period, --section, --doublings, --past-grazing and --curve")});
    }
    const EquilibriumOptions options{.over = range.over, .low = range.low, .high = range.high};
    const auto found = follow_equilibria(scene, options);
    if (!found) return refused(found.error());
    if (!command.output.empty()) {
        if (const Errors unwritten = write_equilibria(scene, options, *found, command.output);
            !unwritten.empty())
            return refused(unwritten);
    }
    const std::string text = command.json ? json_of(scene, options, *found) : to_text(scene, options, *found);
    if (!print_result(text)) return ExitStatus::BadInput;
    const bool any =
        std::ranges::any_of(found->branches, [](const auto& one) { return !one.points.empty(); });
    return any ? ExitStatus::Certified : ExitStatus::Uncertified;
}

/// Values that were set, and the start of a guess or of an orbit.
std::vector<Override> overrides_with_start(const OrbitCommand& command, Errors& errors)
{
    std::vector<Override> overrides = read_sets(command.sets, errors);
    if (command.guess.empty()) return overrides;
    auto start = start_from(command.guess, command.over.empty() ? "--guess" : "--from");
    if (start)
        overrides.insert(overrides.end(), start->begin(), start->end());
    else
        errors.insert(errors.end(), start.error().begin(), start.error().end());
    return overrides;
}

}  // namespace

ExitStatus run_sensitivity(const RunOptions& options)
{
    const auto refused = [&](const Errors& mistakes) { return refuse(mistakes, options.json); };
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    SensitivityOptions wanted;
    wanted.by = options.sensitivity;
    wanted.of_steps = options.of_steps;
    wanted.at_s = read_times(options.times, errors);
    if (!options.output.empty()) {
        errors.push_back(mistake(ErrorCode::WrongType, "-o", "a run with derivatives writes no recording",
                                 "run it once without --sensitivity for the recording"));
    }
    const auto scene = read_scene_with(options.scene, overrides, errors);
    if (!scene) return refused(errors);
    auto result = sensitivities(*scene, wanted);
    if (!result) return refused(result.error());
    const std::string text = options.json ? json_of(*scene, *result) : to_text(*scene, *result);
    if (!print_result(text)) return ExitStatus::BadInput;
    if (!result->reached_end) return ExitStatus::Failed;
    if (options.of_steps && !result->findings.empty()) return ExitStatus::Uncertified;
    return result->lost || !result->one_sided.empty() ? ExitStatus::Uncertified : ExitStatus::Certified;
}

ExitStatus run_orbit(const OrbitCommand& command)
{
    const auto refused = [&](const Errors& mistakes) { return refuse(mistakes, command.json); };
    Errors errors;
    const auto overrides = overrides_with_start(command, errors);
    const OrbitOptions options = orbit_options(command, errors);
    const auto scene = read_scene_with(command.scene, overrides, errors);
    if (!scene) return refused(errors);
    auto orbit = find_orbit(*scene, options);
    if (!orbit) return refused(orbit.error());
    const std::string text =
        command.json ? json_of(*scene, options, *orbit) : to_text(*scene, options, *orbit);
    if (orbit->converged && !command.output.empty()) {
        if (const Errors unwritten = write_orbit(*scene, options, *orbit, command.output); !unwritten.empty())
            return refused(unwritten);
    }
    if (!print_result(text)) return ExitStatus::BadInput;
    return orbit->converged ? ExitStatus::Certified : ExitStatus::Uncertified;
}

ExitStatus run_branch(const OrbitCommand& command)
{
    const auto refused = [&](const Errors& mistakes) { return refuse(mistakes, command.json); };
    Errors errors;
    const auto overrides = overrides_with_start(command, errors);
    const OrbitOptions orbit = orbit_options(command, errors);
    auto range = branch_range(command.over, "--over");
    if (!range) errors.push_back(range.error());
    std::optional<BranchOptions> second;
    if (!command.curve.empty()) {
        auto over = branch_range(command.curve, "--curve");
        if (over)
            second = *over;
        else
            errors.push_back(over.error());
    }
    const auto scene = read_scene_with(command.scene, overrides, errors);
    if (!scene) return refused(errors);
    if (command.equilibrium) return branch_of_equilibria(command, *scene, *range);
    range->orbit = orbit;
    range->max_step = command.max_step;
    range->max_points = command.max_points;
    const auto refused_curve = [&](Errors wrong) {
        for (Error& error : wrong) {
            if (error.where.starts_with("CurveOptions::")) error.where = "--curve";
        }
        return refused(wrong);
    };
    if (second) {
        if (Errors wrong = check_curve(*scene, *range, curve_over(*second)); !wrong.empty())
            return refused_curve(std::move(wrong));
    }
    auto branches =
        follow_family(*scene, *range, {.doublings = command.doublings, .past_grazing = command.past_grazing});
    if (!branches) return refused(branches.error());
    if (second) {
        if (Errors wrong = add_curves_over(*second, *scene, *branches); !wrong.empty())
            return refused_curve(std::move(wrong));
    }
    if (!command.output.empty()) {
        if (const Errors unwritten = write_branches(*scene, *branches, command.output, &interrupt_flag());
            !unwritten.empty())
            return refused(unwritten);
    }
    if (!print_result(command.json ? json_of(*scene, *branches) : to_text(*scene, *branches)))
        return ExitStatus::BadInput;
    return branches->front().branch.points.empty() ? ExitStatus::Uncertified : ExitStatus::Certified;
}

ExitStatus run_lyapunov(const StudyOptions& options)
{
    const auto refused = [&](const Errors& mistakes) { return refuse(mistakes, options.json); };
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    if (options.strobe.empty()) {
        errors.push_back(mistake(ErrorCode::WrongType, "--lyapunov", "the length of an interval is missing",
                                 "give --strobe T: the period of the forcing, or some time"));
    }
    if (!options.varies.empty() || options.repeat > 1 || options.converge || !options.output.empty()) {
        errors.push_back(
            mistake(ErrorCode::WrongType, "--lyapunov", "Lyapunov exponents belong to one motion",
                    "leave out --vary, --repeat, --converge and -o; use --set for other numbers"));
    }
    const auto scene = read_scene_with(options.scene, overrides, errors);
    if (!scene) return refused(errors);
    const auto interval = strobe_period_s(*scene, options.strobe);
    if (!interval) return refused({interval.error()});
    note_interrupts();
    auto result = lyapunov_exponents(*scene, {.interval_s = *interval,
                                              .discard = options.skip,
                                              .intervals = options.lyapunov,
                                              .stop = &interrupt_flag()});
    if (!result) return refused(result.error());
    if (!print_result(options.json ? json_of(*scene, *result) : to_text(*scene, *result)))
        return ExitStatus::BadInput;
    if (result->finished) return ExitStatus::Certified;
    return result->trouble == "stopped" ? ExitStatus::Interrupted : ExitStatus::Failed;
}

}  // namespace carom::app
