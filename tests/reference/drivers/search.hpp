#pragma once

#include <functional>
#include <numbers>

namespace carom::reference {

/// Where a property that holds at `holds` and not at `fails` stops to hold, by bisection down to roundoff.
[[nodiscard]] inline double limit_of(double holds, double fails, const std::function<bool(double)>& property)
{
    for (int i = 0; i < 60; ++i) {
        const double middle = (holds + fails) / 2;
        (property(middle) ? holds : fails) = middle;
    }
    return (holds + fails) / 2;
}

/// Where a function with one minimum between low and high is least, by golden section: good to the square
/// root of roundoff, and the minimum itself to roundoff.
[[nodiscard]] inline double place_of_least(double low, double high,
                                           const std::function<double(double)>& value)
{
    const double part = 1 / std::numbers::phi;
    for (int i = 0; i < 45; ++i) {
        const double left = high - part * (high - low), right = low + part * (high - low);
        if (value(left) > value(right)) {
            low = left;
        } else {
            high = right;
        }
    }
    return (low + high) / 2;
}

}  // namespace carom::reference
