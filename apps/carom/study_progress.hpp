#pragma once

#include <chrono>

namespace carom::app {

/// The line that shows on a terminal how far a study is. It looks at the clock; the runs do not.
class StudyLine {
public:
    StudyLine(bool shown, long done, long runs);

    /// Draws at most ten times a second.
    void after_run();

    /// Removes the line.
    void clear();

    /// Since the study began.
    [[nodiscard]] double seconds() const;

private:
    using Clock = std::chrono::steady_clock;

    void draw();

    bool shown_, drawn_ = false;
    long first_, done_, runs_;
    Clock::time_point begin_, next_;
};

}  // namespace carom::app
