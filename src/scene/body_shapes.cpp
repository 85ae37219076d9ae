#include "body_values.hpp"
#include "carom/expression/parse.hpp"

namespace carom::detail {
namespace {

/// Formulas of t for a prescribed body, as many as there are; an entry that is missing is zero.
std::vector<Formula> path_formulas(const BodyValues& values, std::string_view key)
{
    std::vector<Formula> formulas;
    const Node* node = find(values.item_, key);
    if (node == nullptr || node->kind != Node::Kind::Array) return formulas;
    for (const Node& entry : node->items) {
        if (entry.kind == Node::Kind::Number) {
            formulas.push_back(Formula::constant(entry.number));
            continue;
        }
        auto formula = parse_formula(entry.text, values.names_.vocabulary);
        if (!formula) values.mistakes_.add(entry.place, formula.error());
        formulas.push_back(formula ? *formula : Formula());
    }
    return formulas;
}

}  // namespace

std::optional<Shape> shape_of(const BodyValues& values)
{
    const std::string kind = word_of(values.item_, "shape");
    const double radius = values.number("radius_m", 0), length = values.number("length_m", 0);
    if (kind == "sphere" || kind == "disc" || kind == "capsule" || kind == "cylinder")
        values.missing("radius_m", kind);
    if (kind == "capsule") values.missing("length_m", kind);
    if (kind == "sphere") return SphereShape{radius};
    if (kind == "disc") return DiscShape{radius};
    if (kind == "capsule") return CapsuleShape{radius, length};
    if (kind == "cylinder") return CylinderShape{radius, length};
    if (kind == "box") {
        values.missing("size_m", kind);
        return BoxShape{values.vector("size_m", Vec3::Ones())};
    }
    if (kind == "plane") {
        const Vec3 normal = values.vector("normal", Vec3::UnitZ());
        return PlaneShape{normal.norm() > 0 ? Vec3(normal.normalized()) : normal, 0};
    }
    if (kind != "polyhedron" && kind != "polygon") return std::nullopt;
    values.missing("vertices_m", kind);
    const Node* rows = find(values.item_, "vertices_m");
    if (rows == nullptr) return std::nullopt;
    PolyhedronShape solid;
    PolygonShape flat;
    for (const Node& row : rows->items) {
        const auto x = values.list(row);
        if (x.size() != (kind == "polygon" ? 2U : 3U)) {
            values.wrong_count("vertices_m",
                               kind == "polygon" ? "two numbers per vertex" : "three numbers per vertex");
            return std::nullopt;
        }
        if (kind == "polygon")
            flat.vertices_m.emplace_back(x[0], x[1]);
        else
            solid.vertices_m.emplace_back(x[0], x[1], x[2]);
    }
    if (kind == "polygon") return flat;
    return solid;
}

std::function<Pose(double)> path_of(const BodyValues& values)
{
    const auto place = path_formulas(values, "position_m"), turn = path_formulas(values, "rotation_rad");
    return [place, turn](double t_s) {
        Workspace work;
        const Point at{{}, {}, t_s};
        const auto entry = [&](const std::vector<Formula>& list, std::size_t i) {
            return i < list.size() ? list[i].value(at, work) : 0.0;
        };
        const Vec3 angle = turn.size() == 1 ? Vec3(0, 0, entry(turn, 0))
                                            : Vec3(entry(turn, 0), entry(turn, 1), entry(turn, 2));
        return Pose{.position_m = {entry(place, 0), entry(place, 1), entry(place, 2)},
                    .rotation = rotation_by(angle)};
    };
}

}  // namespace carom::detail
