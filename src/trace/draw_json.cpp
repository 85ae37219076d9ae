#include "draw_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

/// More points than any picture has: a damaged file.
constexpr int max_points = 1'000'000;

std::optional<DrawingKind> kind_named(const std::string& name)
{
    for (int i = 0; name_of(static_cast<DrawingKind>(i)) != "unknown"; ++i) {
        if (name_of(static_cast<DrawingKind>(i)) == name) return static_cast<DrawingKind>(i);
    }
    return std::nullopt;
}

/// Gives the next columns to a drawing.
void place_columns(RecordedDrawing& drawing, bool has_radius, bool has_normal, bool has_tangent, int& next)
{
    drawing.first = next;
    next += drawing.points * drawing.dimension;
    drawing.radius = has_radius ? next++ : -1;
    drawing.normal = has_normal ? next : -1;
    if (has_normal) next += drawing.dimension;
    drawing.tangent = has_tangent ? next : -1;
    if (has_tangent) next += drawing.dimension;
}

}  // namespace

std::vector<RecordedDrawing> columns_of(const std::vector<Drawing>& drawings)
{
    std::vector<RecordedDrawing> result;
    int next = 0;
    for (const Drawing& drawing : drawings) {
        result.push_back({.kind = drawing.kind,
                          .label = drawing.label,
                          .colour = drawing.colour,
                          .contact = drawing.contact,
                          .closed = drawing.closed,
                          .dimension = drawing.dimension,
                          .points = drawing.point_count()});
        place_columns(result.back(), drawing.radius_m.has_value(), !drawing.normal.empty(),
                      !drawing.tangent.empty(), next);
    }
    return result;
}

int column_count(const std::vector<RecordedDrawing>& drawings) noexcept
{
    if (drawings.empty()) return 0;
    const RecordedDrawing& last = drawings.back();
    return last.first + last.points * last.dimension + (last.radius >= 0 ? 1 : 0) +
           (last.normal >= 0 ? last.dimension : 0) + (last.tangent >= 0 ? last.dimension : 0);
}

void append_drawings(const std::vector<Drawing>& drawings, const Point& at, Workspace& work,
                     std::vector<double>& row)
{
    for (const Drawing& drawing : drawings) {
        for (const Formula& entry : drawing.points)
            row.push_back(entry.value(at, work));
        if (drawing.radius_m) row.push_back(drawing.radius_m->value(at, work));
        for (const Formula& entry : drawing.normal)
            row.push_back(entry.value(at, work));
        for (const Formula& entry : drawing.tangent)
            row.push_back(entry.value(at, work));
    }
}

std::string to_json(const std::vector<RecordedDrawing>& drawings)
{
    Json list = Json::array();
    for (const RecordedDrawing& drawing : drawings) {
        list.push_back({{"kind", name_of(drawing.kind)},
                        {"label", drawing.label},
                        {"colour", drawing.colour},
                        {"contact", drawing.contact},
                        {"closed", drawing.closed},
                        {"dimension", drawing.dimension},
                        {"points", drawing.points},
                        {"first", drawing.first},
                        {"radius", drawing.radius},
                        {"normal", drawing.normal},
                        {"tangent", drawing.tangent}});
    }
    return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::vector<RecordedDrawing>> drawings_from_json(const std::string& text, int contacts)
try {
    std::vector<RecordedDrawing> drawings;
    int next = 0;
    for (const Json& json : Json::parse(text)) {
        const auto kind = kind_named(json.at("kind").get<std::string>());
        RecordedDrawing drawing{.kind = kind.value_or(DrawingKind::Point),
                                .label = json.at("label").get<std::string>(),
                                .colour = json.at("colour").get<std::string>(),
                                .contact = json.at("contact").get<int>(),
                                .closed = json.at("closed").get<bool>(),
                                .dimension = json.at("dimension").get<int>(),
                                .points = json.at("points").get<int>()};
        const bool known = kind && drawing.contact >= -1 && drawing.contact < contacts &&
                           (drawing.dimension == 2 || drawing.dimension == 3) && drawing.points >= 1 &&
                           drawing.points <= max_points && next <= max_points;
        if (!known) return std::nullopt;

        // the columns follow from what there is; the file must say the same. Older files know no tangent
        const int tangent = json.value("tangent", -1);
        place_columns(drawing, json.at("radius").get<int>() >= 0, json.at("normal").get<int>() >= 0,
                      tangent >= 0, next);
        if (tangent != drawing.tangent || json.at("first").get<int>() != drawing.first ||
            json.at("radius").get<int>() != drawing.radius ||
            json.at("normal").get<int>() != drawing.normal) {
            return std::nullopt;
        }
        drawings.push_back(std::move(drawing));
    }
    return drawings;
} catch (const Json::exception&) {
    return std::nullopt;
}

}  // namespace carom::detail
