#pragma once

#include "carom/core/expected.hpp"

#include <vector>

namespace carom {

/// A function given by points: linear between neighbouring points, constant outside them.
///
/// At a point where two slopes meet, the slope is the one to the right (EX-6); at the last point it is zero.
class Table {
public:
    struct Value {
        double value = 0;
        double slope = 0;
    };

    /// At least one point, finite numbers and slopes, abscissae strictly increasing.
    /// Errors: WrongSize, NotFinite, SettingOutOfRange.
    [[nodiscard]] static Expected<Table> from_points(std::vector<double> abscissae,
                                                     std::vector<double> ordinates);

    /// NaN at NaN.
    [[nodiscard]] Value at(double x) const noexcept;

private:
    Table() = default;

    std::vector<double> abscissae_;
    std::vector<double> ordinates_;
    std::vector<double> slopes_;  ///< of the piece to the right of each point; the last is zero
};

}  // namespace carom
