#include "answers.hpp"
#include "orbit_drivers.hpp"
#include "orbit_scenes.hpp"

#include "carom/orbit/lyapunov.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

Lyapunov exponents_or_fail(const Scene& scene, const LyapunovOptions& options)
{
    auto result = lyapunov_exponents(scene, options);
    if (!result) throw DriverFailure(result.error().front().message);
    if (!result->finished) throw DriverFailure(result->trouble);
    return std::move(*result);
}

}  // namespace

void lyapunov_oscillator(const Task& task, Answers& answers)
{
    const double cycles = task.number("n_cycles"), T = 2 * std::numbers::pi / task.number("w");
    const Lyapunov found = exponents_or_fail(oscillator_scene(task).read(1, 0),
                                             {.interval_s = T,
                                              .discard = static_cast<long>(task.number("n_discard")),
                                              .intervals = static_cast<long>(cycles)});
    answers.give("lyapunov_1", Means::Exact, [&] { return Json(found.exponents_1_s[0]); });
    answers.give("lyapunov_2", Means::Exact, [&] { return Json(found.exponents_1_s[1]); });
    answers.give("impacts_per_forcing_period", Means::Exact,
                 [&] { return Json(static_cast<double>(found.impacts) / cycles); });
    answers.give("chaotic", Means::Exact, [&] { return Json(found.exponents_1_s[0] > 0); });
}

void lyapunov_wedge(const Task& task, Answers& answers)
{
    const Scene scene = wedge_scene(task).read(1, 0);
    const auto wanted = static_cast<long>(task.number("n_bounces"));
    // how long so many bounces take is known after some of them
    const double interval_s = 0.5 * std::sqrt(task.number("E")) / task.number("g");
    Lyapunov found = exponents_or_fail(scene, {.interval_s = interval_s, .discard = 20, .intervals = 2000});
    const double share = static_cast<double>(wanted) / static_cast<double>(std::max(found.impacts, 1L));
    found = exponents_or_fail(
        scene, {.interval_s = interval_s, .discard = 20, .intervals = static_cast<long>(2000 * share)});
    const double bounce_s = found.time_s / static_cast<double>(found.impacts);
    answers.give("lyapunov_1", Means::Exact, [&] { return Json(found.exponents_1_s[0]); });
    answers.give("lyapunov_per_bounce", Means::Exact,
                 [&] { return Json(found.exponents_1_s[0] * bounce_s); });
    answers.give("mean_bounce_time", Means::Exact, [&] { return Json(bounce_s); });
}

}  // namespace carom::reference
