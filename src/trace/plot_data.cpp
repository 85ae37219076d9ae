#include "core/text.hpp"
#include "plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detail {

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, Range range, std::size_t columns)
{
    if (points.size() <= 4 * columns) return points;
    const auto column_of = [&](const PlotPoint& point) {
        return std::floor((point.x - range.low) / (range.high - range.low) * static_cast<double>(columns));
    };
    std::vector<PlotPoint> kept;
    for (std::size_t begin = 0; begin < points.size();) {
        // a run of points that are not finite: one of them
        const auto finite = [](const PlotPoint& point) {
            return std::isfinite(point.x) && std::isfinite(point.y);
        };
        std::size_t end = begin + 1;
        if (!finite(points[begin])) {
            while (end < points.size() && !finite(points[end])) {
                ++end;
            }
            kept.push_back(points[begin]);
            begin = end;
            continue;
        }

        // the points of one column: first, least, greatest, last
        while (end < points.size() && finite(points[end]) &&
               column_of(points[end]) == column_of(points[begin])) {
            ++end;
        }
        std::array<std::size_t, 4> chosen{begin, begin, begin, end - 1};
        for (std::size_t i = begin; i < end; ++i) {
            if (points[i].y < points[chosen[1]].y) chosen[1] = i;
            if (points[i].y > points[chosen[2]].y) chosen[2] = i;
        }
        std::sort(chosen.begin(), chosen.end());
        const auto different = std::unique(chosen.begin(), chosen.end());
        for (auto it = chosen.begin(); it != different; ++it) {
            kept.push_back(points[*it]);
        }
        begin = end;
    }
    return kept;
}

std::string escaped(std::string_view text)
{
    std::string result;
    const std::string shown = printable(text);
    for (const char letter : shown) {
        switch (letter) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&apos;"; break;
        default: result += letter;
        }
    }
    // U+FFFE and U+FFFF are no characters, and XML forbids them
    for (const char* forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
        for (auto at = result.find(forbidden); at != std::string::npos; at = result.find(forbidden, at)) {
            result.erase(at, 2);
            result[at] = '?';
        }
    }
    return result;
}

}  // namespace carom::detail
