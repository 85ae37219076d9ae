#include "sweep.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Nearest points are known to this part of their distance from the origin: what is below does not push.
constexpr double push_tolerance = 1e-9;

}  // namespace

SweepInSteps::SweepInSteps(const SweepingProblem& problem, const SweepingSettings& settings, double lambda_s,
                           double begin_s, double end_s, Eigen::VectorXd u)
    : problem_(problem),
      settings_(settings),
      lambda_s_(lambda_s),
      begin_s_(begin_s),
      u_(std::move(u)),
      jump_is_due_(lambda_s == 0),
      nearest_(u_.size())
{
    for (const double jump_s : problem_.jumps_s) {
        if (jump_s > begin_s && jump_s <= end_s) ends_.push_back(jump_s);
    }
    if (ends_.empty() ? end_s > begin_s : end_s > ends_.back()) ends_.push_back(end_s);
    report_.t_s = begin_s;
    progress_.h_s = settings_.time_step_s;
}

void SweepInSteps::take_up(double t_s, Eigen::VectorXd u, const SweepProgress& progress)
{
    u_ = std::move(u);
    report_.t_s = t_s;
    progress_ = progress;
    jump_is_due_ = false;
    while (!is_over() && ends_[part_] <= t_s)
        ++part_;
}

bool SweepInSteps::is_controlled() const noexcept
{
    return std::isfinite(settings_.tolerance_per_s);
}

bool SweepInSteps::stop(SweepEnd end)
{
    report_.end = end;
    return false;
}

/// prox of the set at t, seen from `at`; false if there is none.
bool SweepInSteps::find_nearest(double t_s, const Eigen::VectorXd& at, const Eigen::VectorXd& z)
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
bool SweepInSteps::propose(double t_s, double h_s, double set_s, const Eigen::VectorXd& from,
                           Eigen::VectorXd& to)
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

/// Whether the set pushed, from where the point was free and where it was led (SW-11).
void SweepInSteps::note_push()
{
    difference_ = free_ - nearest_;
    const double size = std::max(problem_.metric.norm(free_), problem_.metric.norm(nearest_));
    progress_.pushed = problem_.metric.norm(difference_) > push_tolerance * size ? 1 : 0;
}

bool SweepInSteps::jump()
{
    jump_is_due_ = false;
    free_ = u_;
    if (!find_nearest(report_.t_s, u_, free_)) return false;
    const double pushed_before = progress_.pushed;
    note_push();
    progress_.pushed = std::max(progress_.pushed, pushed_before);
    before_ = u_;
    u_ = nearest_;
    return accept(report_.t_s, report_.t_s);
}

/// u is the point at t: its distance to the set is measured from u alone.
bool SweepInSteps::accept(double t_s, double set_s)
{
    report_.t_s = t_s;
    difference_ = u_ - before_;
    report_.variation += problem_.metric.norm(difference_);
    // a point, or the way to it, that is too long for a number
    if (!u_.allFinite() || !std::isfinite(report_.variation)) return stop(SweepEnd::NotFinite);
    if (!settings_.measure_distance) return true;
    if (!find_nearest(set_s, u_, u_)) return false;
    difference_ = u_ - nearest_;
    const double outside = problem_.metric.norm(difference_);
    if (!std::isfinite(outside)) return stop(SweepEnd::NotFinite);
    report_.largest_outside = std::max(report_.largest_outside, outside);
    return true;
}

bool SweepInSteps::step()
{
    if (!(is_controlled() ? controlled_step() : equal_step())) return false;
    if (report_.t_s >= ends_[part_]) enter_next_part();
    return true;
}

/// A part that ends with a jump of the set is over: the last step used the set before it (SW-4).
void SweepInSteps::enter_next_part()
{
    const auto& jumps_s = problem_.jumps_s;
    jump_is_due_ = lambda_s_ == 0 && std::binary_search(jumps_s.begin(), jumps_s.end(), ends_[part_]);
    progress_.steps_since_jump = 0;
    ++part_;
}

/// Equal steps within a part, as many as needed so that none is longer than asked.
bool SweepInSteps::equal_step()
{
    const double begin_s = part_ == 0 ? begin_s_ : ends_[part_ - 1], end_s = ends_[part_];
    const double count = std::ceil((end_s - begin_s) / settings_.time_step_s * (1 - 1e-12));
    const double k = progress_.steps_since_jump + 1;
    const double t_s = k < count ? begin_s + (end_s - begin_s) * (k / count) : end_s;
    const double set_s = k < count ? t_s : last_set_s();
    before_ = u_;
    if (!propose(report_.t_s, t_s - report_.t_s, set_s, before_, u_)) return false;
    note_push();
    progress_.steps_since_jump = k;
    ++report_.steps;
    return accept(t_s, set_s);
}

/// A step and the same in two halves: their difference is the error (SW-6); the halves are kept.
bool SweepInSteps::controlled_step()
{
    const double end_s = ends_[part_], t_s = report_.t_s;
    for (;;) {
        double& next_h_s = progress_.h_s;
        const bool is_last = t_s + next_h_s * (1 + 1e-9) >= end_s;
        const double next_s = is_last ? end_s : t_s + next_h_s;
        const double h_s = next_s - t_s, set_s = is_last ? last_set_s() : next_s;
        if (!propose(t_s, h_s, set_s, u_, whole_)) return false;
        if (!propose(t_s, h_s / 2, t_s + h_s / 2, u_, middle_)) return false;
        if (!propose(t_s + h_s / 2, h_s / 2, set_s, middle_, halved_)) return false;

        // the error of a step is of order h^2, so per second of order h
        const double difference = problem_.metric.norm(whole_ - halved_);
        const double allowed = settings_.tolerance_per_s * h_s;
        const bool is_smallest = next_h_s <= settings_.smallest_step_s;
        const bool accepted = difference <= allowed || is_smallest;
        const double factor = difference > 0 ? std::clamp(0.8 * allowed / difference, 0.2, 4.0) : 4.0;
        if (accepted && difference > allowed) ++report_.at_smallest_step;
        if (!is_last || !accepted) next_h_s = std::max(h_s * factor, settings_.smallest_step_s);
        if (!accepted) {
            ++report_.rejected;
            continue;
        }
        note_push();
        before_ = u_;
        u_ = halved_;
        ++report_.steps;
        report_.error_estimate += difference;
        return accept(next_s, set_s);
    }
}

/// Where a part ends with a jump, the set an instant before it.
double SweepInSteps::last_set_s() const
{
    const double end_s = ends_[part_];
    const auto& jumps_s = problem_.jumps_s;
    const bool jumps = std::binary_search(jumps_s.begin(), jumps_s.end(), end_s);
    return jumps ? std::nextafter(end_s, begin_s_) : end_s;
}

}  // namespace carom
