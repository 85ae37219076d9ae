#include "carom/report/json.hpp"

#include "core/palette.hpp"

#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr double width_px = 640, height_px = 400;
constexpr double left_px = 60, right_px = 150, top_px = 30, bottom_px = 50;

/// Factors on a logarithmic axis, parts on a plain one.
struct Frame {
    double largest_factor = 10;

    [[nodiscard]] double x(double factor) const
    {
        const double part = std::log10(factor) / std::log10(largest_factor);
        return left_px + part * (width_px - left_px - right_px);
    }
    [[nodiscard]] static double y(double part)
    {
        return height_px - bottom_px - part * (height_px - top_px - bottom_px);
    }
};

std::string axes(const Frame& frame, const Profile& profile)
{
    std::string text;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        text += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
                            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                            left_px, width_px - right_px, frame.y(part), frame.y(part), left_px - 8,
                            frame.y(part) + 4, part);
    }
    for (const double factor : profile.factors) {
        if (std::abs(std::log10(factor) - std::round(std::log10(factor))) > 1e-9) continue;
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n",
                            frame.x(factor), height_px - bottom_px + 18, factor);
    }
    text +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">times slower than the fastest "
                    "solver</text>\n<text x=\"{:.1f}\" y=\"{:.1f}\">fraction of the problems solved</text>\n",
                    (left_px + width_px - right_px) / 2, height_px - 10, left_px, top_px - 12);
    return text;
}

}  // namespace

std::string to_svg(const Profile& profile)
{
    const Frame frame{.largest_factor = std::max(10.0, profile.factors.back())};
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width_px, height_px);
    text += axes(frame, profile);
    for (std::size_t k = 0; k < profile.lines.size(); ++k) {
        const ProfileLine& line = profile.lines[k];
        const auto colour = palette[k % palette.size()].value;
        const char* dashes = k < palette.size() ? "none" : "5 3";  // more solvers than colours

        // steps: the part holds until the next factor
        std::string path = fmt::format("M{:.1f} {:.1f}", frame.x(1), frame.y(line.part[0]));
        for (std::size_t i = 1; i < line.part.size(); ++i) {
            path += fmt::format("H{:.1f}V{:.1f}", frame.x(profile.factors[i]), frame.y(line.part[i]));
        }
        path += fmt::format("H{:.1f}", width_px - right_px);
        const double label_y = top_px + 10 + 18 * static_cast<double>(k);
        text += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                            "stroke-dasharray=\"{}\"/>\n"
                            "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n",
                            path, colour, dashes, width_px - right_px + 10, label_y, colour, line.solver);
    }
    return text + "</svg>\n";
}

}  // namespace carom
