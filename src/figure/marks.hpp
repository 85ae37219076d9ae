#pragma once

#include "axes.hpp"
#include "sheet.hpp"

#include <string>
#include <vector>

namespace carom::detail {

/// A point of a diagram with a name.
struct NamedMark {
    SheetPoint at{};
    std::string name, fill;
};

/// The points of curves, on the sheet.
template <class Curves>
std::vector<SheetPoint> points_on_sheet(const Curves& curves, const Axes& axes)
{
    std::vector<SheetPoint> points;
    for (const auto& curve : curves) {
        for (const auto& point : curve.points)
            points.push_back(axes.at(point[0], point[1]));
    }
    return points;
}

/// Discs, and the names beside them inside the frame: clear of other marks and names, and where they cover least
/// of the curves.
void draw_marks(const std::vector<NamedMark>& marks, const std::vector<SheetPoint>& curves,
                const SheetBox& frame, Sheet& sheet);

}  // namespace carom::detail
