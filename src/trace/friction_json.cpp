#include "friction_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

/// One overload per shape, so that a new shape cannot be forgotten.
struct ToJson {
    Json operator()(const FrictionInterval& interval) const
    {
        return {{"kind", "interval"}, {"low", interval.low}, {"high", interval.high}};
    }
    Json operator()(const FrictionDisc&) const { return {{"kind", "disc"}}; }
    Json operator()(const FrictionEllipse& ellipse) const
    {
        return {{"kind", "ellipse"},
                {"half_axes", ellipse.half_axes},
                {"angle_rad", ellipse.angle_rad},
                {"centre", ellipse.centre}};
    }
    Json operator()(const FrictionPolygon& polygon) const
    {
        return {{"kind", "polygon"}, {"vertices", *polygon.vertices}};
    }
    Json operator()(const FrictionRough& rough) const
    {
        return {{"kind", "rough"}, {"dimension", rough.dimension}};
    }
};

std::optional<FrictionShape> shape_from_json(const Json& json)
{
    using Pair = std::array<double, 2>;
    const auto kind = json.at("kind").get<std::string>();
    if (kind == "interval")
        return FrictionInterval{.low = json.at("low").get<double>(), .high = json.at("high").get<double>()};
    if (kind == "disc") return FrictionDisc{};
    if (kind == "ellipse") {
        return FrictionEllipse{.half_axes = json.at("half_axes").get<Pair>(),
                               .angle_rad = json.at("angle_rad").get<double>(),
                               .centre = json.at("centre").get<Pair>()};
    }
    if (kind == "polygon") {
        auto polygon = make_polygon(json.at("vertices").get<std::vector<Pair>>());
        return polygon ? std::optional<FrictionShape>(std::move(*polygon)) : std::nullopt;
    }
    const int dimension = kind == "rough" ? json.at("dimension").get<int>() : 0;
    if (dimension != 1 && dimension != 2) return std::nullopt;
    return FrictionRough{.dimension = dimension};
}

}  // namespace

std::vector<RecordedCone> cones_of(const std::vector<Contact>& contacts)
{
    std::vector<RecordedCone> cones;
    int next = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        if (!contacts[c].friction) continue;
        cones.push_back(
            {.contact = static_cast<int>(c), .shape = contacts[c].friction->shape, .first = next});
        next += tangential_dimension(cones.back().shape);
    }
    return cones;
}

int column_count(const std::vector<RecordedCone>& cones) noexcept
{
    return cones.empty() ? 0 : cones.back().first + tangential_dimension(cones.back().shape);
}

std::string to_json(const std::vector<RecordedCone>& cones)
{
    Json list = Json::array();
    for (const RecordedCone& cone : cones)
        list.push_back({{"contact", cone.contact}, {"shape", std::visit(ToJson{}, cone.shape)}});
    return list.dump();
}

std::optional<std::vector<RecordedCone>> cones_from_json(const std::string& text, int contacts)
try {
    std::vector<RecordedCone> cones;
    int next = 0;
    for (const Json& json : Json::parse(text)) {
        const int contact = json.at("contact").get<int>();
        const auto shape = shape_from_json(json.at("shape"));
        const int before = cones.empty() ? -1 : cones.back().contact;
        if (!shape || !check(*shape) || contact <= before || contact >= contacts) return std::nullopt;
        cones.push_back({.contact = contact, .shape = *shape, .first = next});
        next += tangential_dimension(*shape);
    }
    return cones;
} catch (const Json::exception&) {
    return std::nullopt;
}

std::vector<std::array<double, 2>> outline_of(const FrictionShape& shape)
{
    constexpr int around = 64;
    if (const auto* interval = std::get_if<FrictionInterval>(&shape))
        return {{interval->low, 0}, {interval->high, 0}};
    if (const auto* polygon = std::get_if<FrictionPolygon>(&shape)) return *polygon->vertices;
    if (std::holds_alternative<FrictionRough>(shape)) return {};
    const auto* given = std::get_if<FrictionEllipse>(&shape);
    const FrictionEllipse ellipse = given != nullptr ? *given : FrictionEllipse{};
    const double c = std::cos(ellipse.angle_rad), s = std::sin(ellipse.angle_rad);
    std::vector<std::array<double, 2>> points;
    for (int i = 0; i < around; ++i) {
        const double turn = 2 * std::numbers::pi * i / around;
        const double x = ellipse.half_axes[0] * std::cos(turn), y = ellipse.half_axes[1] * std::sin(turn);
        points.push_back({ellipse.centre[0] + c * x - s * y, ellipse.centre[1] + s * x + c * y});
    }
    return points;
}

}  // namespace carom::detail
