#include "carom/orbit/branch.hpp"

#include "forcing.hpp"
#include "scene/symbols.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

/// Where the point was found last, and the way that it moves.
struct CurvePlace {
    double first = 0, second = 0;
    double slope = 0;  ///< d first / d second
    Orbit orbit;
};

/// The special point of this kind next to a guess, on a short branch through it.
std::optional<SpecialPoint> found_near(const Scene& scene, const BranchOptions& options,
                                       const SpecialPoint& like, const Orbit& from, double guess,
                                       double reach, double second, const std::string& other)
{
    const std::array names{options.over, other};
    std::optional<SpecialPoint> best;
    // at the guess there may be no orbit any more: beside it, on either side
    for (const double begin : {guess, guess - reach / 2, guess + reach / 2}) {
        const std::array values{begin, second};
        const auto member = scene_with_parameters(scene, names, values);
        if (!member) return std::nullopt;
        BranchOptions near = options;
        near.low = guess - reach;
        near.high = guess + reach;
        near.max_step = 0.1;
        near.max_points = 200;
        near.values.clear();
        near.on_point = {};
        for (const bool upwards : {true, false}) {
            near.upwards = upwards;
            const auto branch = follow_branch(*member, near, from);
            if (!branch) return std::nullopt;
            for (const SpecialPoint& one : branch->special) {
                if (one.kind != like.kind || one.place != like.place) continue;
                if (!best || std::abs(one.value - guess) < std::abs(best->value - guess)) best = one;
            }
            if (best) return best;
        }
    }
    return best;
}

/// From the first place to an end of the range. Returns how it ends.
std::string walk_curve(const Scene& scene, const BranchOptions& options, const SpecialPoint& point,
                       const CurveOptions& curve, bool upwards, double start, std::vector<CurvePoint>& points)
{
    const double whole = curve.high - curve.low, range = options.high - options.low;
    const double end = upwards ? curve.high : curve.low;
    double step = whole / curve.steps;
    CurvePlace now{.first = point.value, .second = start, .orbit = point.orbit};
    while (now.second != end) {
        const double left = std::abs(end - now.second);
        const double next = step >= left * (1 - 1e-9) ? end : now.second + (upwards ? step : -step);
        const double guess = now.first + now.slope * (next - now.second);
        std::optional<SpecialPoint> found;
        for (double reach = 0.01 * range; !found && reach <= 0.2 * range; reach *= 4) {
            found = found_near(scene, options, point, now.orbit, guess, reach, next, curve.over);
        }
        if (!found) {
            step /= 2;
            if (step < 1e-3 * whole / curve.steps)
                return fmt::format("{} is not found again beyond {} = {:.9g}", point.kind, curve.over,
                                   now.second);
            continue;
        }
        const double slope = (found->value - now.first) / (next - now.second);
        points.push_back({.first = found->value, .second = next, .orbit = found->orbit});
        now = {.first = found->value, .second = next, .slope = slope, .orbit = std::move(found->orbit)};
        step = std::min(2 * step, whole / curve.steps);
    }
    return "range";
}

/// What a curve begins with: the values of both parameters in the scene, or what is wrong.
Expected<std::vector<double>, Errors> values_of(const Scene& scene, const BranchOptions& options,
                                                const CurveOptions& curve)
{
    if (curve.over == options.over) {
        return Errors{{.code = ErrorCode::SettingOutOfRange,
                       .where = "CurveOptions::over",
                       .message = fmt::format("{} is the parameter of the branch as well", curve.over),
                       .hint = "give another one, which the special points depend on",
                       .excerpt = {}}};
    }
    const std::array names{options.over, curve.over};
    const auto symbols = read_symbols(scene, names);
    if (!symbols) return symbols.error();
    const double start = symbols->values.at(1);
    if (!(curve.low <= start && start <= curve.high && curve.low < curve.high) || curve.steps < 1) {
        return Errors{{.code = ErrorCode::SettingOutOfRange,
                       .where = "CurveOptions::low",
                       .message = fmt::format("{} is {} in the scene, outside {} to {}", curve.over, start,
                                              curve.low, curve.high),
                       .hint = "give a range that contains the value of the scene",
                       .excerpt = {}}};
    }
    return symbols->values;
}

}  // namespace

Errors check_curve(const Scene& scene, const BranchOptions& options, const CurveOptions& curve)
{
    const auto values = values_of(scene, options, curve);
    return values ? Errors{} : values.error();
}

Expected<Curve, Errors> follow_special_point(const Scene& scene, const BranchOptions& options,
                                             const SpecialPoint& point, const CurveOptions& curve)
{
    const auto values = values_of(scene, options, curve);
    if (!values) return values.error();
    const double start = values->at(1);
    OrbitOptions with = options.orbit;
    with.parameters = {options.over, curve.over};
    auto member = detail::make_member(scene, with);
    if (!member) return member.error();
    if ((*member)->period) {
        if (auto wrong = detail::wrong_period(**member, with)) return Errors{std::move(*wrong)};
    }
    Curve result{.kind = point.kind, .place = point.place};
    const std::string below = walk_curve(scene, options, point, curve, false, start, result.points);
    std::ranges::reverse(result.points);
    result.points.push_back({.first = point.value, .second = start, .orbit = point.orbit});
    const std::string above = walk_curve(scene, options, point, curve, true, start, result.points);
    result.end = fmt::format("below: {}; above: {}", below, above);
    return result;
}

}  // namespace carom
