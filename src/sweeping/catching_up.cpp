#include "carom/sweeping/catching_up.hpp"

#include "sweep.hpp"
#include "visit_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

Error bad_setting(const char* field, std::string message, std::string hint)
{
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = field,
                 .message = std::move(message),
                 .hint = std::move(hint),
                 .excerpt = {}};
}

std::optional<Error> mistake_in(const SweepingProblem& problem, const SweepingSettings& settings,
                                double begin_s, double end_s, const Eigen::VectorXd& u)
{
    if (const auto checked = check_settings("SweepingSettings", settings); !checked) return checked.error();
    if (!(begin_s <= end_s) || !std::isfinite(begin_s) || !std::isfinite(end_s)) {
        return bad_setting("catching_up", fmt::format("the interval is from {} s to {} s", begin_s, end_s),
                           "give finite times, the end not before the beginning");
    }
    if (!std::is_sorted(problem.jumps_s.begin(), problem.jumps_s.end(), std::less_equal<>())) {
        return bad_setting("SweepingProblem::jumps_s", "the instants of jumps do not increase",
                           "give every instant once, in increasing order");
    }
    Error error{.code = ErrorCode::WrongSize,
                .where = "SweepingProblem",
                .message =
                    fmt::format("the set has {} dimensions, the point {}", problem.set.dimension(), u.size()),
                .hint = "give a finite point and a metric of the dimension of the set",
                .excerpt = {}};
    if (u.size() != problem.set.dimension() || !problem.metric.fits(u.size())) return error;
    error.code = ErrorCode::NotFinite;
    error.message = "the point at the start is not finite";
    if (!u.allFinite()) return error;
    return std::nullopt;
}

/// A sweep from begin to end, told to a listener.
SweepReport run(SweepInSteps sweep, Eigen::VectorXd& u, const SweepListener& listener)
{
    const auto tell = [&](bool is_jump) {
        u = sweep.u();
        return !listener || listener({.t_s = sweep.report().t_s, .u = u, .is_jump = is_jump}) ||
               sweep.stop(SweepEnd::Listener);
    };
    const bool jumps_at_start = sweep.jump_is_due();
    bool good = !jumps_at_start || (sweep.jump() && tell(true));
    while (good && !sweep.is_over()) {
        good = sweep.step() && tell(false);
        if (good && sweep.jump_is_due()) good = sweep.jump() && tell(true);
    }
    u = sweep.u();
    return sweep.report();
}

}  // namespace

Expected<SweepReport> catching_up(const SweepingProblem& problem, const SweepingSettings& settings,
                                  double begin_s, double end_s, Eigen::VectorXd& u,
                                  const SweepListener& listener)
{
    if (const auto mistake = mistake_in(problem, settings, begin_s, end_s, u)) return *mistake;
    return run({problem, settings, 0, begin_s, end_s, u}, u, listener);
}

Expected<SweepReport> yosida(const SweepingProblem& problem, double lambda_s,
                             const SweepingSettings& settings, double begin_s, double end_s,
                             Eigen::VectorXd& u, const SweepListener& listener)
{
    if (const auto mistake = mistake_in(problem, settings, begin_s, end_s, u)) return *mistake;
    if (!(lambda_s > 0) || !std::isfinite(lambda_s)) {
        return bad_setting("yosida", fmt::format("lambda is {} s", lambda_s),
                           "give a time of relaxation greater than zero; catching_up is the limit zero");
    }
    return run({problem, settings, lambda_s, begin_s, end_s, u}, u, listener);
}

}  // namespace carom
