#include "solid_pieces.hpp"

#include "core/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace carom::detail {
namespace {

/// More would make the text longer than a plot is worth.
constexpr std::size_t max_pieces = 30'000;

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

}  // namespace

std::vector<Piece> pieces_at(const Recording& run, Eigen::Index frame)
{
    const RecordedSolids& solids = run.solids;
    const View view(solids.flat);
    std::vector<Piece> pieces;
    for (const RecordedSolid& solid : solids.solids) {
        add_pieces(solids, solid, solids.pose(static_cast<std::size_t>(solid.body), run.q, frame), view,
                   pieces);
        if (pieces.size() > max_pieces) return {};
    }
    std::erase_if(pieces, [](const Piece& piece) {
        return std::ranges::any_of(piece.corners, [](const Point2& x) { return !x.allFinite(); });
    });
    std::ranges::stable_sort(pieces, [](const Piece& a, const Piece& b) {
        return a.glass != b.glass ? a.glass : a.depth > b.depth;
    });
    return pieces;
}

Point2 seen_in_space(const Vec3& point)
{
    return View(false).seen(point);
}

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
    return fmt::format("#{:02X}{:02X}{:02X}", rgb[0], rgb[1], rgb[2]);
}

}  // namespace carom::detail
