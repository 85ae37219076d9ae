#pragma once

#include "series_motion.hpp"

#include <algorithm>
#include <initializer_list>

namespace carom::reference {

/// What drivers by series have in common.

/// The last instant that outputs of these patterns name.
inline double last_of(const Answers& answers, std::initializer_list<const char*> patterns)
{
    double last_s = 0;
    for (const char* pattern : patterns) {
        last_s = std::max(last_s, last_instant(answers.asked(pattern)));
    }
    return last_s;
}

/// The vector of one number.
inline Eigen::VectorXd one(double x)
{
    return Eigen::VectorXd::Constant(1, x);
}

/// Instants of the first events.
inline std::vector<double> instants_of(const std::vector<Event>& events, std::size_t count)
{
    if (events.size() < count) throw DriverFailure("there were fewer impacts");
    std::vector<double> result;
    for (std::size_t k = 0; k < count; ++k) {
        result.push_back(events[k].time_s);
    }
    return result;
}

inline double first_accumulation_s(const SeriesMotion& motion)
{
    const auto ends = motion.events(EventKind::Accumulation);
    if (ends.empty()) throw DriverFailure("impacts do not accumulate");
    return ends.front().time_s;
}

}  // namespace carom::reference
