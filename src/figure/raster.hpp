#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace carom::detail {

/// Areas drawn into a picture of dots with smooth edges. Lengths in dots, y down.

using DotPoint = std::array<double, 2>;

/// Which part of each dot an area covers, within a rectangle of dots.
class Coverage {
public:
    /// The dots from (left, top) to (right, bottom), the last ones left out.
    Coverage(int left, int top, int right, int bottom);

    /// A closed polygon. Areas that go round a point in the same direction add up to one area.
    void add(const std::vector<DotPoint>& polygon);

    /// What was added so far becomes coverage: a point is inside where outlines go round it a number of times
    /// that is not zero. Exact across, in eight lines per dot downwards.
    void finish();

    [[nodiscard]] int left() const noexcept { return left_; }
    [[nodiscard]] int top() const noexcept { return top_; }
    [[nodiscard]] int right() const noexcept { return right_; }
    [[nodiscard]] int bottom() const noexcept { return bottom_; }
    [[nodiscard]] float at(int x, int y) const
    {
        return part_[static_cast<std::size_t>(y - top_) * static_cast<std::size_t>(right_ - left_) +
                     static_cast<std::size_t>(x - left_)];
    }

private:
    struct Crossing {
        double x = 0;
        int turn = 0;  ///< +1: the outline goes down here
    };
    void cover(int row, double from, double to);

    int left_, top_, right_, bottom_;
    std::vector<float> part_;
    std::vector<std::vector<Crossing>> lines_;  ///< eight for each row of dots
};

/// The outline of a line of some width with round ends and corners, added to `coverage`. A line of one point
/// is a disc.
void add_stroke(const std::vector<DotPoint>& line, bool closed, double width, Coverage& coverage);

/// The parts of a line that are drawn where it is dashed: `on` long, then `off` long without ink.
[[nodiscard]] std::vector<std::vector<DotPoint>> dashes_of(std::vector<DotPoint> line, bool closed, double on,
                                                           double off);

/// A polygon that a circle cannot be told from, at the size of dots.
[[nodiscard]] std::vector<DotPoint> circle_polygon(DotPoint centre, double radius);

}  // namespace carom::detail
