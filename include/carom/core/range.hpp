#pragma once

#include <cmath>
#include <limits>
#include <string>

namespace carom {

/// Numbers from low to high. Contains no NaN and nothing infinite.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool with_low = true;
    bool with_high = true;

    [[nodiscard]] bool contains(double x) const noexcept
    {
        return std::isfinite(x) && (with_low ? x >= low : x > low) && (with_high ? x <= high : x < high);
    }

    /// In words, to follow "a number": "greater than 0", "from 0 to 1", "that is finite".
    [[nodiscard]] std::string text() const;
};

}  // namespace carom
