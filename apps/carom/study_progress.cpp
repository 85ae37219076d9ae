#include "study_progress.hpp"

#include "progress.hpp"
#include "report/text.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace carom::app {

StudyLine::StudyLine(bool shown, long done, long runs)
    : shown_(shown), first_(done), done_(done), runs_(runs), begin_(Clock::now()), next_(begin_)
{
    if (shown_) draw();
}

void StudyLine::after_run()
{
    ++done_;
    const auto now = Clock::now();
    if (!shown_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    draw();
}

void StudyLine::draw()
{
    constexpr int width = 24;
    const double part = runs_ > 0 ? static_cast<double>(done_) / static_cast<double>(runs_) : 1;
    const auto full = static_cast<std::size_t>(part * width);
    const long computed = done_ - first_;
    const std::string left =
        computed > 0
            ? in_words(seconds() * static_cast<double>(runs_ - done_) / static_cast<double>(computed)) +
                  " left"
            : "";
    fmt::print(stderr, "\r[{}{}] {} of {} runs  {}\033[K", std::string(full, '#'),
               std::string(width - full, '.'), done_, runs_, left);
    std::fflush(stderr);
    drawn_ = true;
}

void StudyLine::clear()
{
    if (!drawn_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
}

double StudyLine::seconds() const
{
    return std::chrono::duration<double>(Clock::now() - begin_).count();
}

}  // namespace carom::app
