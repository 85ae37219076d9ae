#include "body_values.hpp"
#include "expression/parse.hpp"
#include "expression/workspace.hpp"

#include <array>
#include <cmath>

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

/// Rows of so many numbers; nothing after a mistake.
std::optional<std::vector<std::vector<double>>> rows_of(const BodyValues& values, std::string_view key,
                                                        std::size_t width, std::string_view wanted)
{
    const Node* rows = find(values.item_, key);
    if (rows == nullptr) return std::nullopt;
    std::vector<std::vector<double>> result;
    for (const Node& row : rows->items) {
        result.push_back(values.list(row));
        if (width == 0 || result.back().size() == width) continue;
        values.wrong_count(key, wanted);
        return std::nullopt;
    }
    return result;
}

std::optional<Shape> polygon_of(const BodyValues& values)
{
    values.missing("vertices_m", "polygon");
    const auto rows = rows_of(values, "vertices_m", 2, "two numbers per vertex");
    if (!rows) return std::nullopt;
    PolygonShape polygon;
    for (const auto& x : *rows) {
        polygon.vertices_m.emplace_back(x[0], x[1]);
    }
    return polygon;
}

/// Vertices and triangles, from the scene or from a file, in metres; nothing after a mistake.
std::optional<MeshShape> vertices_and_triangles(const BodyValues& values, bool with_triangles)
{
    const Node* file = find(values.item_, "file");
    const bool given = find(values.item_, "vertices_m") != nullptr;
    if ((file != nullptr) == given ||
        (with_triangles && (find(values.item_, "triangles") != nullptr) != given)) {
        values.mistakes_.add(
            values.item_.place, ErrorCode::MissingKey,
            with_triangles ? "a mesh needs its triangles once" : "a polyhedron needs its vertices once",
            with_triangles ? "give file, or vertices_m and triangles" : "give file or vertices_m");
        return std::nullopt;
    }
    MeshShape mesh;
    if (file != nullptr) {
        if (file->kind != Node::Kind::Text) return std::nullopt;
        auto& known = *values.names_.meshes;
        const auto read = known.try_emplace(file->text, MeshShape{});
        if (read.second) read.first->second = mesh_below(values.names_.folder, file->text);
        if (!read.first->second) {
            if (!values.mistakes_.known_at(file->place))
                values.mistakes_.add(file->place, read.first->second.error());
            return std::nullopt;
        }
        mesh = *read.first->second;
    } else {
        const auto vertices = rows_of(values, "vertices_m", 3, "three numbers per vertex");
        if (!vertices) return std::nullopt;
        for (const auto& x : *vertices) {
            mesh.vertices_m.emplace_back(x[0], x[1], x[2]);
        }
    }
    const double scale = values.number("scale", 1);
    for (Vec3& vertex : mesh.vertices_m) {
        vertex *= scale;
    }
    return mesh;
}

std::optional<Shape> polyhedron_of(const BodyValues& values)
{
    auto mesh = vertices_and_triangles(values, false);
    if (!mesh) return std::nullopt;
    return PolyhedronShape{std::move(mesh->vertices_m)};
}

std::optional<Shape> mesh_of(const BodyValues& values)
{
    auto mesh = vertices_and_triangles(values, true);
    if (!mesh || find(values.item_, "file") != nullptr) return mesh;
    const auto triangles = rows_of(values, "triangles", 3, "three vertices per triangle");
    if (!triangles) return std::nullopt;
    for (const auto& corners : *triangles) {
        std::array<int, 3> triangle{-1, -1, -1};
        for (std::size_t i = 0; i < 3; ++i) {
            const double v = corners[i];
            if (v >= 0 && v < static_cast<double>(mesh->vertices_m.size()) && v == std::floor(v))
                triangle[i] = static_cast<int>(v);
        }
        mesh->triangles.push_back(triangle);  // -1 is refused with the shape
    }
    return mesh;
}

/// Heights by a formula of x and y over a grid.
std::optional<std::vector<double>> heights_by_formula(const BodyValues& values, const Node& node, int columns,
                                                      int rows, const Eigen::Vector2d& spacing)
{
    // x and y are two more coordinates for this formula
    Vocabulary vocabulary = values.names_.vocabulary;
    const auto x = vocabulary.add_coordinate("x"), y = vocabulary.add_coordinate("y");
    if (!x || !y) {
        values.mistakes_.add(node.place, !x ? x.error() : y.error());
        return std::nullopt;
    }
    const std::string text = node.kind == Node::Kind::Number ? fmt::format("{}", node.number) : node.text;
    const auto formula = parse_formula(text, vocabulary);
    if (!formula) {
        if (!values.mistakes_.known_at(node.place)) values.mistakes_.add(node.place, formula.error());
        return std::nullopt;
    }
    std::vector<double> q(static_cast<std::size_t>(vocabulary.coordinates()), 0.0), heights;
    const std::vector<double> u(q.size(), 0.0);
    Workspace work;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            q[static_cast<std::size_t>(*x)] = (i - 0.5 * (columns - 1)) * spacing.x();
            q[static_cast<std::size_t>(*y)] = (j - 0.5 * (rows - 1)) * spacing.y();
            heights.push_back(formula->value(Point{q, u, 0}, work));
        }
    }
    return heights;
}

std::optional<Shape> height_field_of(const BodyValues& values)
{
    values.missing("size_m", "heightfield");
    const Node* formula = find(values.item_, "height_m");
    const bool given = find(values.item_, "heights_m") != nullptr;
    if ((formula != nullptr) == given) {
        values.mistakes_.add(values.item_.place, ErrorCode::MissingKey,
                             "a heightfield needs its heights once",
                             "give points and height_m, or heights_m");
        return std::nullopt;
    }
    const Vec3 size = values.vector("size_m", Vec3::Ones());
    HeightFieldShape field;
    std::vector<std::vector<double>> matrix;
    double columns = 0, rows = 0;
    if (given) {
        auto read = rows_of(values, "heights_m", 0, "");
        if (!read || read->empty()) return std::nullopt;
        matrix = std::move(*read);
        columns = static_cast<double>(matrix.front().size());
        rows = static_cast<double>(matrix.size());
    } else {
        values.missing("points", "heightfield with height_m");
        const auto points = values.list("points");
        if (points.size() == 2) {
            columns = points[0];
            rows = points[1];
        }
    }
    // looked at before memory is taken; written so that NaN is refused too
    const bool whole = columns == std::floor(columns) && rows == std::floor(rows);
    if (!(columns >= 2 && rows >= 2 && whole && 2 * columns * rows <= static_cast<double>(max_triangles))) {
        values.mistakes_.add(
            values.item_.place, ErrorCode::SettingOutOfRange,
            fmt::format("a heightfield of {} x {} points", columns, rows),
            "give two whole numbers from 2 on, two million points at most: points = [40, 30]");
        return std::nullopt;
    }
    field.columns = static_cast<int>(columns);
    field.spacing_m = {size.x() / (columns - 1), size.y() / (rows - 1)};
    if (!given) {
        auto heights =
            heights_by_formula(values, *formula, field.columns, static_cast<int>(rows), field.spacing_m);
        if (!heights) return std::nullopt;
        field.heights_m = std::move(*heights);
        return field;
    }
    for (const auto& row : matrix) {
        if (row.size() != matrix.front().size()) {
            values.wrong_count("heights_m", "rows of the same length");
            return std::nullopt;
        }
        field.heights_m.insert(field.heights_m.end(), row.begin(), row.end());
    }
    return field;
}

std::optional<Shape> compound_of(const BodyValues& values)
{
    CompoundShape compound;
    for (const Node& item : things_of(values.item_, "part")) {
        const BodyValues part(item, values.names_, values.mistakes_);
        const auto shape = shape_of(part);
        if (!shape) return std::nullopt;
        compound.parts.push_back({*shape,
                                  {.position_m = part.vector("position_m", Vec3::Zero()),
                                   .rotation = rotation_by(part.turn("rotation_rad"))}});
    }
    return compound;
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
    if (kind == "polygon") return polygon_of(values);
    if (kind == "polyhedron") return polyhedron_of(values);
    if (kind == "mesh") return mesh_of(values);
    if (kind == "heightfield") return height_field_of(values);
    if (kind == "compound") return compound_of(values);
    return std::nullopt;
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
