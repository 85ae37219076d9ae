#include "samples.hpp"

#include <algorithm>
#include <numeric>

namespace carom::detail {

std::vector<double> values_at(const Model& model, const Point& at, Workspace& work)
{
    std::vector<double> values(at.q.begin(), at.q.end());
    values.insert(values.end(), at.u.begin(), at.u.end());
    for (const Probe& probe : model.system().probes)
        values.push_back(probe.value.value(at, work));
    return values;
}

Sampler::Sampler(std::span<const double> times_s, const Model& model, const State& start)
    : order_(times_s.size())
{
    for (const double t_s : times_s)
        samples_.push_back({.time_s = t_s, .values = {}});
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return times_s[i]; });

    // the start is no part of a step
    q_ = start.q;
    u_ = start.u;
    for (; next_ < order_.size() && samples_[order_[next_]].time_s <= start.t_s; ++next_)
        take(model, samples_[order_[next_]]);
}

void Sampler::after_step(const StepView& view)
{
    for (; next_ < order_.size(); ++next_) {
        Sample& sample = samples_[order_[next_]];
        if (sample.time_s > view.after.t_s) return;
        interpolate(view, sample.time_s, q_, u_);
        take(view.model, sample);
    }
}

void Sampler::at_end(const Model& model, const State& end, double tolerance_s)
{
    q_ = end.q;
    u_ = end.u;
    for (; next_ < order_.size(); ++next_) {
        Sample& sample = samples_[order_[next_]];
        if (sample.time_s > end.t_s + tolerance_s) return;
        take(model, sample);
    }
}

double SectionSampler::value_at(const StepView& view, double t_s)
{
    interpolate(view, t_s, q_, u_);
    return section_.value({carom::view(q_), carom::view(u_), t_s}, work_);
}

void SectionSampler::after_step(const StepView& view)
{
    constexpr int parts = 16;
    const double begin = view.before.t_s, end = view.after.t_s;
    double low = begin, f_low = value_at(view, begin);
    for (int i = 1; i <= parts; ++i) {
        const double high = i < parts ? begin + (end - begin) * i / parts : end;
        const double f_high = value_at(view, high);
        if (f_low < 0 && f_high >= 0) {
            double below = low, above = high;
            for (double middle = (below + above) / 2; below < middle && middle < above;
                 middle = (below + above) / 2)
                (value_at(view, middle) < 0 ? below : above) = middle;
            if (skip_-- <= 0) {
                interpolate(view, above, q_, u_);
                samples_.push_back(
                    {.time_s = above,
                     .values = values_at(view.model, {carom::view(q_), carom::view(u_), above}, work_)});
            }
        }
        low = high;
        f_low = f_high;
    }
}

void Sampler::take(const Model& model, Sample& sample)
{
    sample.values = values_at(model, {view(q_), view(u_), sample.time_s}, work_);
}

}  // namespace carom::detail
