#include "raster.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::detail {
namespace {

constexpr int lines_per_dot = 8;

/// Twice the area, positive where the polygon goes round clockwise as seen with y down.
double turning_of(const std::vector<DotPoint>& polygon)
{
    double sum = 0;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
        const DotPoint &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
        sum += a[0] * b[1] - b[0] * a[1];
    }
    return sum;
}

}  // namespace

Coverage::Coverage(int left, int top, int right, int bottom)
    : left_(left), top_(top), right_(std::max(left, right)), bottom_(std::max(top, bottom))
{
    const auto rows = static_cast<std::size_t>(bottom_ - top_);
    part_.resize(rows * static_cast<std::size_t>(right_ - left_));
    lines_.resize(rows * lines_per_dot);
}

void Coverage::add(const std::vector<DotPoint>& polygon)
{
    for (std::size_t k = 0; k < polygon.size(); ++k) {
        DotPoint a = polygon[k], b = polygon[(k + 1) % polygon.size()];
        const int turn = a[1] < b[1] ? 1 : -1;
        if (turn < 0) std::swap(a, b);
        // line i lies at top + (i + 1/2) / 8
        const double first = std::ceil((a[1] - top_) * lines_per_dot - 0.5);
        const double last = std::ceil((b[1] - top_) * lines_per_dot - 0.5) - 1;
        const double slope = b[1] > a[1] ? (b[0] - a[0]) / (b[1] - a[1]) : 0;
        const double end = std::min(last, static_cast<double>(lines_.size()) - 1);
        for (double i = std::max(first, 0.0); i <= end; ++i) {
            const double y = top_ + (i + 0.5) / lines_per_dot;
            lines_[static_cast<std::size_t>(i)].push_back({a[0] + (y - a[1]) * slope, turn});
        }
    }
}

void Coverage::cover(int row, double from, double to)
{
    from = std::max(from, static_cast<double>(left_));
    to = std::min(to, static_cast<double>(right_));
    if (!(from < to)) return;
    float* dots = part_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(right_ - left_);
    const int first = static_cast<int>(from), last = std::min(static_cast<int>(to), right_ - 1);
    for (int x = first; x <= last; ++x) {
        const double width = std::min(to, x + 1.0) - std::max(from, static_cast<double>(x));
        dots[x - left_] += static_cast<float>(width / lines_per_dot);
    }
}

void Coverage::finish()
{
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        std::ranges::sort(lines_[i], {}, &Crossing::x);
        int round = 0;
        for (std::size_t k = 0; k + 1 < lines_[i].size(); ++k) {
            round += lines_[i][k].turn;
            if (round != 0) cover(static_cast<int>(i) / lines_per_dot, lines_[i][k].x, lines_[i][k + 1].x);
        }
        lines_[i].clear();
    }
    for (float& part : part_) {
        part = std::min(part, 1.0F);
    }
}

std::vector<DotPoint> circle_polygon(DotPoint centre, double radius)
{
    // a chord is 1/100 of a dot from its arc
    const int sides = std::clamp(
        static_cast<int>(std::ceil(std::numbers::pi / std::sqrt(2 * 0.01 / std::max(radius, 0.1)))), 8, 400);
    std::vector<DotPoint> polygon;
    for (int k = 0; k < sides; ++k) {
        const double angle = 2 * std::numbers::pi * k / sides;
        polygon.push_back({centre[0] + radius * std::cos(angle), centre[1] + radius * std::sin(angle)});
    }
    return polygon;
}

void add_stroke(const std::vector<DotPoint>& line, bool closed, double width, Coverage& coverage)
{
    const std::size_t segments = closed ? line.size() : line.size() - (line.empty() ? 0 : 1);
    for (const DotPoint& corner : line) {
        coverage.add(circle_polygon(corner, width / 2));
    }
    for (std::size_t k = 0; k < segments; ++k) {
        const DotPoint &a = line[k], &b = line[(k + 1) % line.size()];
        const double dx = b[0] - a[0], dy = b[1] - a[1], length = std::hypot(dx, dy);
        if (!(length > 0)) continue;
        const double nx = -dy / length * width / 2, ny = dx / length * width / 2;
        std::vector<DotPoint> bar{
            {a[0] + nx, a[1] + ny}, {a[0] - nx, a[1] - ny}, {b[0] - nx, b[1] - ny}, {b[0] + nx, b[1] + ny}};
        // all parts go round as circles do, so that they add up
        if (turning_of(bar) < 0) std::ranges::reverse(bar);
        coverage.add(bar);
    }
}

std::vector<std::vector<DotPoint>> dashes_of(std::vector<DotPoint> line, bool closed, double on, double off)
{
    if (closed && !line.empty()) line.push_back(line.front());
    if (!(on > 0 && off > 0)) return {line};
    std::vector<std::vector<DotPoint>> parts;
    bool drawing = true;
    double left = on;
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
        DotPoint a = line[k];
        const DotPoint& b = line[k + 1];
        double length = std::hypot(b[0] - a[0], b[1] - a[1]);
        if (k == 0) parts.push_back({a});
        while (length > left) {
            const double part = left / length;
            a = {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])};
            length -= left;
            if (drawing)
                parts.back().push_back(a);
            else
                parts.push_back({a});
            drawing = !drawing;
            left = drawing ? on : off;
        }
        left -= length;
        if (drawing) parts.back().push_back(b);
    }
    return parts;
}

}  // namespace carom::detail
