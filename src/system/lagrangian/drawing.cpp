#include "carom/system/lagrangian/lagrangian_system.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {
namespace {

Error refuse(ErrorCode code, const std::string& where, std::string message, std::string hint)
{
    return {
        .code = code, .where = where, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

bool names_velocity(const std::vector<Formula>& formulas)
{
    return std::ranges::any_of(formulas,
                               [](const Formula& f) { return f.depends_on(Variable::Kind::Velocity); });
}

bool has_fitting_points(const Drawing& drawing)
{
    const int count = drawing.point_count();
    switch (drawing.kind) {
    case DrawingKind::Segment: return count == 2;
    case DrawingKind::Polyline: return count >= 2;
    case DrawingKind::Point:
    case DrawingKind::Circle:
    case DrawingKind::Trace: return count == 1;
    }
    return false;
}

}  // namespace

std::string_view name_of(DrawingKind kind) noexcept
{
    switch (kind) {
    case DrawingKind::Point: return "point";
    case DrawingKind::Segment: return "segment";
    case DrawingKind::Circle: return "circle";
    case DrawingKind::Polyline: return "polyline";
    case DrawingKind::Trace: return "trace";
    }
    return "unknown";
}

Expected<void> check(const Drawing& drawing, int contacts, const std::string& where)
{
    const auto dimension = static_cast<std::size_t>(drawing.dimension);
    const bool fits =
        (drawing.dimension == 2 || drawing.dimension == 3) && drawing.points.size() % dimension == 0 &&
        has_fitting_points(drawing) && (drawing.normal.empty() || drawing.normal.size() == dimension) &&
        (drawing.tangent.empty() || (drawing.tangent.size() == dimension && !drawing.normal.empty()));
    if (!fits) {
        return refuse(
            ErrorCode::WrongSize, where,
            fmt::format("a {} has {} entries of {} per point", name_of(drawing.kind), drawing.points.size(),
                        drawing.dimension),
            "a point, circle or trace has one point, a segment two, a polyline two or more; each has "
            "two entries or each has three, and so have the normal and, with a normal, the tangent");
    }
    if (drawing.contact < -1 || drawing.contact >= contacts) {
        return refuse(ErrorCode::UnknownName, where,
                      fmt::format("there is no contact number {}", drawing.contact),
                      fmt::format("contacts count from 0, and there are {}", contacts));
    }
    if (names_velocity(drawing.points) || names_velocity(drawing.normal) || names_velocity(drawing.tangent) ||
        (drawing.radius_m && drawing.radius_m->depends_on(Variable::Kind::Velocity))) {
        return refuse(ErrorCode::NotAllowedHere, where, "what is drawn names a velocity",
                      "it may depend on coordinates, parameters and t");
    }
    return {};
}

}  // namespace carom
