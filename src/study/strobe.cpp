#include "strobe.hpp"

#include "core/text.hpp"
#include "expression/parse.hpp"
#include "expression/workspace.hpp"
#include "scene/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

Error refusal(ErrorCode code, std::string message, std::string hint, const char* where = "--strobe")
{
    return {
        .code = code, .where = where, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

}  // namespace

Expected<std::vector<double>> strobe_times(const Strobe& strobe, const Scene& scene)
{
    const auto period = strobe_period_s(scene, strobe.period);
    if (!period) return period.error();
    if (!(*period > 0) || !std::isfinite(*period)) {
        return refusal(ErrorCode::SettingOutOfRange, fmt::format("the period is {} s", *period),
                       "give a period greater than zero");
    }
    const double periods = scene.plan.duration_s / *period * (1 + 1e-12) + 1e-9;
    if (!(strobe.skip >= 0) || static_cast<double>(strobe.skip) > periods) {
        return refusal(ErrorCode::SettingOutOfRange,
                       fmt::format("{} of {:.6g} periods are skipped", strobe.skip, periods),
                       "leave some for the samples: make the run longer or skip less");
    }
    if (periods - static_cast<double>(strobe.skip) >= static_cast<double>(max_study_rows)) {
        return refusal(ErrorCode::SettingOutOfRange, fmt::format("a run has {:.4g} periods", periods),
                       fmt::format("a table has at most {} rows", max_study_rows));
    }
    std::vector<double> times_s;
    for (auto k = strobe.skip; k <= static_cast<long>(periods); ++k)
        times_s.push_back(scene.start.t_s + static_cast<double>(k) * *period);
    return times_s;
}

Expected<Formula> section_of(const Strobe& strobe, const Scene& scene)
{
    constexpr const char* where = "--section";
    if (!(strobe.skip >= 0))
        return refusal(ErrorCode::SettingOutOfRange, fmt::format("{} crossings are skipped", strobe.skip),
                       "give zero or more", where);
    const auto symbols = read_symbols(scene, {});
    if (!symbols) return symbols.error().front();
    auto formula = parse_formula(strobe.section, symbols->numbers, where);
    if (!formula) return formula.error();
    Workspace work;
    const double at_start = formula->value(point_of(scene.start), work);
    if (!std::isfinite(at_start))
        return refusal(ErrorCode::NotFinite, fmt::format("the section is {} at the start", at_start),
                       "look for a division by zero, or a root or logarithm of a negative number", where);
    return *formula;
}

}  // namespace carom::detail

namespace carom {

Expected<double> strobe_period_s(const Scene& scene, const std::string& text)
{
    if (const auto number = number_of(text)) return *number;
    std::vector<std::string> names;
    for (const Probe& probe : scene.model.system().probes) {
        if (probe.name == text) return probe.value.value(point_of(scene.start));
        names.push_back(probe.name);
    }
    // a formula that names something unknown was meant as a probe
    if (!scene.bodies && !scene.sweeping) {
        if (const auto symbols = read_symbols(scene, {})) {
            auto value = parse_constant(text, symbols->numbers, "--strobe");
            if (value || value.error().code != ErrorCode::UnknownName) return value;
        }
    }
    return detail::refusal(
        ErrorCode::UnknownName,
        fmt::format("{} is neither a number, a probe nor a formula of parameters", carom::quoted(text)),
        names.empty() ? "give the period in seconds, or add a [[probe]] for it"
                      : fmt::format("the probes are: {}", fmt::join(names, ", ")));
}

}  // namespace carom
