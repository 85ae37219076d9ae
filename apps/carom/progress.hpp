#pragma once

#include "carom/door/run.hpp"

#include <chrono>
#include <string>

namespace carom::app {

/// The line that shows on a terminal how far a run is. It looks at the clock; the run does not.
class Progress {
public:
    /// On a terminal one line is drawn again and again. Under mpirun, which takes the terminal away, there is
    /// a line below the other now and then.
    enum class Shown { Nowhere, OneLine, Lines };

    /// Of a run that begins, or goes on.
    Progress(Shown shown, const Scene& scene);

    /// Draws at most ten times a second; lines after two seconds, and then ever more rarely, up to a minute.
    void after_step(const StepRecord& step);

    /// Removes the line.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double seconds() const;  ///< since the run began
    [[nodiscard]] double part(double t_s) const;
    [[nodiscard]] std::string line(double t_s, long steps) const;

    Shown shown_;
    bool drawn_ = false;
    double start_s_, duration_s_;
    long steps_before_ = -1;  ///< and how far the run was when this program took it up; -1: not known yet
    double part_before_ = 0;
    Clock::time_point begin_, next_;
};

}  // namespace carom::app
