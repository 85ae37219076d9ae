#include "progress.hpp"

#include "report/text.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Three digits: "950", "62 k", "1.3 M".
std::string rounded(double rate)
{
    if (rate < 1e3) return fmt::format("{:.0f}", rate);
    if (rate < 1e6) return fmt::format("{:.0f} k", rate / 1e3);
    return fmt::format("{:.1f} M", rate / 1e6);
}

}  // namespace

Progress::Progress(Shown shown, const Scene& scene)
    : shown_(shown),
      start_s_(scene.start.t_s),
      duration_s_(scene.plan.duration_s),
      begin_(Clock::now()),
      next_(begin_ + std::chrono::milliseconds(shown == Shown::OneLine ? 200 : 2000))
{
}

void Progress::after_step(const StepRecord& step)
{
    if (shown_ == Shown::Nowhere) return;
    if (steps_before_ < 0) {
        steps_before_ = step.step() - 1;
        part_before_ = part(step.time_s() - step.step_s());
    }
    const auto now = Clock::now();
    if (now < next_) return;
    const std::string text = line(step.time_s(), step.step());
    if (shown_ == Shown::Lines) {
        next_ = now + std::clamp<Clock::duration>((now - begin_) / 10, std::chrono::seconds(2),
                                                  std::chrono::seconds(60));
        fmt::print(stderr, "{}\n", text);
        return;
    }
    next_ = now + std::chrono::milliseconds(100);
    fmt::print(stderr, "\r{}\033[K", text);
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::clear()
{
    if (!drawn_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
}

double Progress::seconds() const
{
    return std::chrono::duration<double>(Clock::now() - begin_).count();
}

double Progress::part(double t_s) const
{
    return std::clamp((t_s - start_s_) / duration_s_, 0.0, 1.0);
}

std::string Progress::line(double t_s, long steps) const
{
    constexpr int width = 24;
    const double now = part(t_s), done = now - part_before_;
    const auto full = static_cast<std::size_t>(now * width);
    const double passed = std::max(seconds(), 1e-9);
    const double rate = static_cast<double>(steps - steps_before_) / passed;
    const std::string left = done > 0 ? in_words(passed * (1 - now) / done) + " left" : "";
    return fmt::format("[{}{}] {:3.0f} %  t = {:.4g} s  {} steps/s  {}", std::string(full, '#'),
                       std::string(width - full, '.'), 100 * now, t_s, rounded(rate), left);
}

}  // namespace carom::app
