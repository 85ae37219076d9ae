#include "solids_svg.hpp"

#include "carom/core/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace carom::detail {
namespace {

using Point2 = Eigen::Vector2d;

/// More would make the text longer than a plot is worth.
constexpr std::size_t most_pieces = 30'000;

/// One face or ball as seen.
struct Piece {
    std::vector<Point2> corners;  ///< one: the centre of a ball
    double radius = 0;
    double depth = 0;  ///< greater is farther
    double light = 1;
    std::string_view colour;
    bool glass = false;  ///< a plane in space: what is behind it is seen
};

/// Looks from the front left, a little from above; in the plane straight at it.
class View {
public:
    explicit View(bool flat) : flat_(flat) {}

    [[nodiscard]] Point2 seen(const Vec3& x) const
    {
        if (flat_) return x.head<2>();
        return {cosine_ * x.x() - sine_ * x.y(), up_cosine_ * x.z() + up_sine_ * back(x)};
    }
    [[nodiscard]] double depth(const Vec3& x) const
    {
        return flat_ ? 0 : up_cosine_ * back(x) - up_sine_ * x.z();
    }

private:
    [[nodiscard]] double back(const Vec3& x) const { return sine_ * x.x() + cosine_ * x.y(); }

    bool flat_;
    double cosine_ = std::cos(-0.6), sine_ = std::sin(-0.6);
    double up_cosine_ = std::cos(0.35), up_sine_ = std::sin(0.35);
};

double area_of(const std::vector<Point2>& corners)
{
    double area = 0;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const Point2 &a = corners[k], &b = corners[(k + 1) % corners.size()];
        area += 0.5 * (a.x() * b.y() - a.y() * b.x());
    }
    return area;
}

double light_on(const Vec3& a, const Vec3& b, const Vec3& c)
{
    const Vec3 n = (b - a).cross(c - a);
    return n.norm() > 0 ? std::max(0.0, 0.35 + 0.65 * Vec3(0.3, -0.5, 0.8).dot(n.normalized())) : 0.5;
}

bool is_ball(const Surface& surface)
{
    return surface.smooth &&
           std::ranges::all_of(surface.vertices, [](const Vec3& v) { return std::abs(v.norm() - 1) < 1e-9; });
}

void add_pieces(const RecordedSolids& solids, const RecordedSolid& solid, const Pose& body, const View& view,
                std::vector<Piece>& pieces)
{
    const Surface& surface = solids.surfaces[static_cast<std::size_t>(solid.placed.surface)];
    const auto place = [&](const Vec3& X) {
        return Vec3(body.to_world(solid.placed.pose.to_world(solid.placed.scale.cwiseProduct(X))));
    };
    if (is_ball(surface)) {
        const Vec3 centre = place(Vec3::Zero());
        pieces.push_back({.corners = {view.seen(centre)},
                          .radius = solid.placed.scale.x(),
                          .depth = view.depth(centre),
                          .colour = solid.colour});
        return;
    }
    std::vector<Vec3> world;
    for (const Vec3& vertex : surface.vertices)
        world.push_back(place(vertex));
    const auto at = [&](int v) -> const Vec3& { return world[static_cast<std::size_t>(v)]; };
    const bool glass = surface.faces.size() == 1 && !solids.flat;
    for (const std::vector<int>& face : surface.faces) {
        Piece piece{.corners = {}, .colour = solid.colour, .glass = glass};
        for (const int v : face) {
            piece.corners.push_back(view.seen(at(v)));
            piece.depth += view.depth(at(v)) / static_cast<double>(face.size());
        }
        // faces that look away are hidden by those that do not
        if (!solids.flat && !glass && area_of(piece.corners) <= 0) continue;
        if (!solids.flat) piece.light = light_on(at(face[0]), at(face[1]), at(face.back()));
        pieces.push_back(std::move(piece));
    }
}

std::vector<Piece> pieces_at(const Recording& run, Eigen::Index frame)
{
    const RecordedSolids& solids = run.solids;
    const View view(solids.flat);
    std::vector<Piece> pieces;
    for (const RecordedSolid& solid : solids.solids) {
        add_pieces(solids, solid, solids.pose(static_cast<std::size_t>(solid.body), run.q, frame), view,
                   pieces);
        if (pieces.size() > most_pieces) return {};
    }
    std::erase_if(pieces, [](const Piece& piece) {
        return std::ranges::any_of(piece.corners, [](const Point2& x) { return !x.allFinite(); });
    });
    std::ranges::stable_sort(pieces, [](const Piece& a, const Piece& b) {
        return a.glass != b.glass ? a.glass : a.depth > b.depth;
    });
    return pieces;
}

/// A colour of the palette made darker: "rgb(r, g, b)".
std::string shaded(std::string_view name, double light)
{
    std::string_view value = grey.value;
    for (const Colour& colour : palette) {
        if (colour.name == name) value = colour.value;
    }
    std::array<int, 3> rgb{};
    for (std::size_t i = 0; i < 3; ++i) {
        std::from_chars(value.data() + 1 + 2 * i, value.data() + 3 + 2 * i, rgb[i], 16);
        rgb[i] = static_cast<int>(std::lround(rgb[i] * (0.45 + 0.55 * std::min(light, 1.0))));
    }
    return fmt::format("rgb({}, {}, {})", rgb[0], rgb[1], rgb[2]);
}

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
