#include "solids_svg.hpp"

#include "solid_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace carom::detail {
namespace {

void draw_piece(const Piece& piece, const auto& across, const auto& down, double scale, std::string& svg)
{
    auto out = std::back_inserter(svg);
    const std::string fill = shaded(piece.colour, piece.light), edge = shaded(piece.colour, 0.2);
    if (piece.corners.size() == 1) {
        fmt::format_to(out,
                       "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2f}\" fill=\"{}\" stroke=\"{}\" "
                       "stroke-width=\"0.4\"/>\n",
                       across(piece.corners[0]), down(piece.corners[0]), piece.radius * scale, fill, edge);
        return;
    }
    std::string path;
    for (const Point2& corner : piece.corners)
        fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? "M" : "L", across(corner),
                       down(corner));
    fmt::format_to(out,
                   "<path class=\"solid\" d=\"{}Z\" fill=\"{}\" fill-opacity=\"{}\" stroke=\"{}\" "
                   "stroke-width=\"0.4\" stroke-linejoin=\"round\"/>\n",
                   path, fill, piece.glass ? 0.15 : 1.0, edge);
}

}  // namespace

std::string solids_svg(const Recording& recording, const SvgFrame& frame)
{
    const Eigen::Index frames = recording.frames();
    if (recording.solids.solids.empty() || frames == 0) return {};
    const std::array<Eigen::Index, 3> shown{0, (frames - 1) / 2, frames - 1};
    std::array<std::vector<Piece>, 3> pictures;
    Eigen::AlignedBox2d box;
    for (std::size_t k = 0; k < shown.size(); ++k) {
        pictures[k] = pieces_at(recording, shown[k]);
        if (pictures[k].empty()) return {};
        for (const Piece& piece : pictures[k]) {
            for (const Point2& corner : piece.corners) {
                box.extend(Point2(corner.array() - piece.radius));
                box.extend(Point2(corner.array() + piece.radius));
            }
        }
    }
    const double each_px = frame.width_px / 3;
    const Point2 size = box.sizes().cwiseMax(1e-9 * (1 + box.sizes().maxCoeff()));
    const double scale = std::min(0.94 * each_px / size.x(), (frame.height_px - 24) / size.y());
    std::string svg;
    for (std::size_t k = 0; k < shown.size(); ++k) {
        const double middle = frame.left_px + (static_cast<double>(k) + 0.5) * each_px;
        const auto across = [&](const Point2& x) { return middle + scale * (x.x() - box.center().x()); };
        const auto down = [&](const Point2& x) {
            return frame.top_px + (frame.height_px - 24) / 2 - scale * (x.y() - box.center().y());
        };
        for (const Piece& piece : pictures[k])
            draw_piece(piece, across, down, scale, svg);
        fmt::format_to(std::back_inserter(svg),
                       "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.4g} s</text>\n", middle,
                       frame.top_px + frame.height_px - 4, recording.time_s[shown[k]]);
    }
    return svg;
}

}  // namespace carom::detail
