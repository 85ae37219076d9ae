#include "carom/sweeping/catching_up.hpp"

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
    if (!(settings.time_step_s > 0) || !std::isfinite(settings.time_step_s)) {
        return bad_setting("SweepingSettings::time_step_s",
                           fmt::format("the time step is {} s", settings.time_step_s),
                           "give a step greater than zero, for example 1e-3");
    }
    if (!(settings.tolerance_per_s > 0) || !(settings.smallest_step_s > 0)) {
        return bad_setting("SweepingSettings::tolerance_per_s",
                           fmt::format("the tolerance is {} per second, the smallest step {} s",
                                       settings.tolerance_per_s, settings.smallest_step_s),
                           "give both greater than zero; an infinite tolerance keeps all steps equal");
    }
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

/// One sweep: catching-up for lambda = 0, regularised for lambda > 0.
class Sweep {
public:
    Sweep(const SweepingProblem& problem, const SweepingSettings& settings, double lambda_s,
          const SweepListener& listener, Eigen::VectorXd& u)
        : problem_(problem),
          settings_(settings),
          lambda_s_(lambda_s),
          listener_(listener),
          u_(u),
          nearest_(u.size())
    {
    }

    SweepReport run(double begin_s, double end_s)
    {
        report_.t_s = begin_s;
        h_s_ = settings_.time_step_s;
        if (lambda_s_ == 0 && !jump(begin_s)) return report_;
        for (const double jump_s : problem_.jumps_s) {
            if (jump_s <= begin_s || jump_s > end_s) continue;

            // up to the set before the jump, then to the set after it (SW-4)
            if (!advance(jump_s, std::nextafter(jump_s, begin_s))) return report_;
            if (lambda_s_ == 0 && !jump(jump_s)) return report_;
        }
        advance(end_s, end_s);
        return report_;
    }

private:
    [[nodiscard]] bool is_controlled() const { return std::isfinite(settings_.tolerance_per_s); }

    bool stop(SweepEnd end)
    {
        report_.end = end;
        return false;
    }

    /// prox of the set at t, seen from `at`; false if there is none.
    bool find_nearest(double t_s, const Eigen::VectorXd& at, const Eigen::VectorXd& z)
    {
        const auto found = problem_.set.prox(t_s, at, problem_.metric, z, nearest_);
        if (!found) {
            report_.error = found.error();
            return stop(SweepEnd::NoSet);
        }
        return *found == ProxStatus::Converged ||
               stop(*found == ProxStatus::NotFinite ? SweepEnd::NotFinite : SweepEnd::NotConverged);
    }

    /// One step of length h from (t, from), with the set at `set_s`: (SW-3) or (SW-7).
    bool step(double t_s, double h_s, double set_s, const Eigen::VectorXd& from, Eigen::VectorXd& to)
    {
        free_ = from;
        if (problem_.F) free_ += h_s * problem_.F(t_s, from);
        if (!find_nearest(set_s, from, free_)) return false;
        if (lambda_s_ == 0) {
            to = nearest_;
        } else {
            to = free_ - h_s / (lambda_s_ + h_s) * (free_ - nearest_);
        }
        return true;
    }

    /// u <- nearest point of the set at t, as a jump.
    bool jump(double t_s)
    {
        free_ = u_;
        if (!find_nearest(t_s, u_, free_)) return false;
        before_ = u_;
        u_ = nearest_;
        return accept(t_s, t_s, true);
    }

    /// u is the point at t: its distance to the set is measured from u alone.
    bool accept(double t_s, double set_s, bool is_jump)
    {
        report_.t_s = t_s;
        difference_ = u_ - before_;
        report_.variation += problem_.metric.norm(difference_);
        // a point, or the way to it, that is too long for a number
        if (!u_.allFinite() || !std::isfinite(report_.variation)) return stop(SweepEnd::NotFinite);
        if (settings_.measure_distance) {
            if (!find_nearest(set_s, u_, u_)) return false;
            difference_ = u_ - nearest_;
            const double outside = problem_.metric.norm(difference_);
            if (!std::isfinite(outside)) return stop(SweepEnd::NotFinite);
            report_.largest_outside = std::max(report_.largest_outside, outside);
        }
        if (listener_ && !listener_({.t_s = t_s, .u = u_, .is_jump = is_jump}))
            return stop(SweepEnd::Listener);
        return true;
    }

    /// Steps up to `end`; the last one uses the set at `last_set`, an instant before a jump.
    bool advance(double end_s, double last_set_s)
    {
        const double begin_s = report_.t_s;
        if (is_controlled()) {
            while (report_.t_s < end_s) {
                if (!controlled_step(end_s, last_set_s)) return false;
            }
            return true;
        }

        // equal steps, as many as needed so that none is longer than asked
        const double count = std::ceil((end_s - begin_s) / settings_.time_step_s * (1 - 1e-12));
        for (double k = 1; k <= count; ++k) {
            const double t_s = k < count ? begin_s + (end_s - begin_s) * (k / count) : end_s;
            const double set_s = k < count ? t_s : last_set_s;
            before_ = u_;
            if (!step(report_.t_s, t_s - report_.t_s, set_s, before_, u_)) return false;
            ++report_.steps;
            if (!accept(t_s, set_s, false)) return false;
        }
        return true;
    }

    /// A step and the same in two halves: their difference is the error (SW-6); the halves are kept.
    bool controlled_step(double end_s, double last_set_s)
    {
        const double t_s = report_.t_s;
        const bool is_last = t_s + h_s_ * (1 + 1e-9) >= end_s;
        const double next_s = is_last ? end_s : t_s + h_s_;
        const double h_s = next_s - t_s, set_s = is_last ? last_set_s : next_s;
        if (!step(t_s, h_s, set_s, u_, whole_)) return false;
        if (!step(t_s, h_s / 2, t_s + h_s / 2, u_, middle_)) return false;
        if (!step(t_s + h_s / 2, h_s / 2, set_s, middle_, halved_)) return false;

        // the error of a step is of order h^2, so per second of order h
        const double difference = problem_.metric.norm(whole_ - halved_);
        const double allowed = settings_.tolerance_per_s * h_s;
        const bool is_smallest = h_s_ <= settings_.smallest_step_s;
        const bool accepted = difference <= allowed || is_smallest;
        const double factor = difference > 0 ? std::clamp(0.8 * allowed / difference, 0.2, 4.0) : 4.0;
        if (accepted && difference > allowed) ++report_.at_smallest_step;
        if (!is_last || !accepted) h_s_ = std::max(h_s * factor, settings_.smallest_step_s);
        if (!accepted) {
            ++report_.rejected;
            return true;
        }
        before_ = u_;
        u_ = halved_;
        ++report_.steps;
        report_.error_estimate += difference;
        return accept(next_s, set_s, false);
    }

    const SweepingProblem& problem_;
    const SweepingSettings& settings_;
    double lambda_s_;
    const SweepListener& listener_;
    Eigen::VectorXd& u_;
    SweepReport report_;
    double h_s_ = 0;
    Eigen::VectorXd nearest_, free_, before_, difference_, whole_, middle_, halved_;
};

}  // namespace

Expected<SweepReport> catching_up(const SweepingProblem& problem, const SweepingSettings& settings,
                                  double begin_s, double end_s, Eigen::VectorXd& u,
                                  const SweepListener& listener)
{
    if (const auto mistake = mistake_in(problem, settings, begin_s, end_s, u)) return *mistake;
    return Sweep(problem, settings, 0, listener, u).run(begin_s, end_s);
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
    return Sweep(problem, settings, lambda_s, listener, u).run(begin_s, end_s);
}

}  // namespace carom
