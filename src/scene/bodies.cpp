#include "bodies.hpp"

#include "carom/core/palette.hpp"
#include "carom/core/text.hpp"
#include "carom/expression/parse.hpp"
#include "validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

const std::vector<Node>& items_of(const Node& root, std::string_view key)
{
    static const std::vector<Node> none;
    const Node* list = find(root, key);
    return list != nullptr ? list->items : none;
}

std::string text_of(const Node& item, std::string_view key, std::string fallback = {})
{
    const Node* node = find(item, key);
    return node != nullptr && node->kind == Kind::Text ? node->text : fallback;
}

/// Reads the numbers of one table, which may be formulas of parameters.
class Values {
public:
    Values(const Node& item, const Names& names, Mistakes& mistakes)
        : item_(item), names_(names), mistakes_(mistakes)
    {
    }

    double number(std::string_view key, double fallback) const
    {
        const Node* node = find(item_, key);
        return node == nullptr ? fallback : constant_of(*node, names_, mistakes_).value_or(fallback);
    }
    std::optional<double> number(std::string_view key) const
    {
        const Node* node = find(item_, key);
        return node == nullptr ? std::nullopt : constant_of(*node, names_, mistakes_);
    }

    /// Three numbers; with two the third is zero.
    Vec3 vector(std::string_view key, const Vec3& fallback) const
    {
        const auto entries = list(key);
        if (entries.empty()) return fallback;
        if (entries.size() == 2 || entries.size() == 3) {
            return {entries[0], entries[1], entries.size() == 3 ? entries[2] : 0.0};
        }
        wrong_count(key, "two or three numbers");
        return fallback;
    }

    /// Three numbers, or one about z.
    Vec3 turn(std::string_view key) const
    {
        const auto entries = list(key);
        if (entries.empty()) return Vec3::Zero();
        if (entries.size() == 1) return {0, 0, entries[0]};
        if (entries.size() == 3) return {entries[0], entries[1], entries[2]};
        wrong_count(key, "three numbers, in the plane one");
        return Vec3::Zero();
    }

    std::vector<double> list(std::string_view key) const
    {
        const Node* node = find(item_, key);
        if (node == nullptr || node->kind != Kind::Array) return {};
        return list(*node);
    }
    std::vector<double> list(const Node& node) const
    {
        std::vector<double> numbers;
        for (const Node& entry : node.items) {
            numbers.push_back(constant_of(entry, names_, mistakes_).value_or(0));
        }
        return numbers;
    }

    void missing(std::string_view key, std::string_view shape) const
    {
        if (find(item_, key) != nullptr) return;
        mistakes_.add(item_.place, ErrorCode::MissingKey, fmt::format("a {} has no {}", shape, key),
                      fmt::format("give {}", key));
    }
    void wrong_count(std::string_view key, std::string_view wanted) const
    {
        mistakes_.add(find(item_, key)->place, ErrorCode::WrongSize,
                      fmt::format("{} has the wrong number of entries", key), fmt::format("give {}", wanted));
    }

    const Node& item_;
    const Names& names_;
    Mistakes& mistakes_;
};

std::optional<Shape> shape_of(const Values& values)
{
    const std::string kind = text_of(values.item_, "shape");
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

/// Formulas of t for a prescribed body, as many as there are; an entry that is missing is zero.
std::vector<Formula> path_formulas(const Values& values, std::string_view key)
{
    std::vector<Formula> formulas;
    const Node* node = find(values.item_, key);
    if (node == nullptr || node->kind != Kind::Array) return formulas;
    for (const Node& entry : node->items) {
        if (entry.kind == Kind::Number) {
            formulas.push_back(Formula::constant(entry.number));
            continue;
        }
        auto formula = parse_formula(entry.text, values.names_.vocabulary);
        if (!formula) values.mistakes_.add(entry.place, formula.error());
        formulas.push_back(formula ? *formula : Formula());
    }
    return formulas;
}

std::function<Pose(double)> path_of(const Values& values)
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

class BodyReader {
public:
    BodyReader(const Node& root, const Names& names, Mistakes& mistakes)
        : root_(root), names_(names), mistakes_(mistakes)
    {
    }

    BodyDraft run()
    {
        read_materials();
        for (const Node& item : items_of(root_, "body")) {
            read_body(item);
        }
        read_gravity();
        read_springs();
        return std::move(draft_);
    }

private:
    void read_materials()
    {
        const auto& materials = items_of(root_, "material");
        if (!materials.empty()) draft_.setup.materials.clear();
        for (const Node& item : materials) {
            const Values values(item, names_, mistakes_);
            draft_.setup.materials.push_back({.name = text_of(item, "name"),
                                              .friction = values.number("friction", 0),
                                              .restitution = values.number("restitution", 0)});
        }
        for (const Node& item : items_of(root_, "material_pair")) {
            const Values values(item, names_, mistakes_);
            draft_.setup.pairs.push_back({.first = material(item, "first"),
                                          .second = material(item, "second"),
                                          .friction = values.number("friction", 0),
                                          .restitution = values.number("restitution", 0)});
        }
    }

    int material(const Node& item, std::string_view key)
    {
        const Node* node = find(item, key);
        if (node == nullptr || node->kind != Kind::Text) return 0;
        std::vector<std::string> known;
        for (const Material& one : draft_.setup.materials) {
            if (one.name == node->text) return static_cast<int>(known.size());
            known.push_back(one.name);
        }
        mistakes_.add(node->place, ErrorCode::UnknownName,
                      fmt::format("there is no material {}", carom::quoted(node->text)),
                      nearest_or_all(node->text, known));
        return 0;
    }

    /// How many copies along each direction; one where there is no lattice.
    std::vector<long> counts_of(const Node& item)
    {
        const Node* copies = find(item, "copies");
        if (copies == nullptr || copies->kind != Kind::Array) return {};
        std::vector<long> counts;
        double all = static_cast<double>(draft_.setup.bodies.size());
        double product = 1;
        for (const Node& entry : copies->items) {
            const bool whole = entry.kind == Kind::Number && entry.number >= 1 &&
                               entry.number <= max_bodies && std::floor(entry.number) == entry.number;
            counts.push_back(whole ? static_cast<long>(entry.number) : 0);
            product *= static_cast<double>(counts.back());
        }
        // looked at before memory is taken
        all += product;
        if (counts.empty() || counts.size() > 3 || product == 0 || all > max_bodies) {
            mistakes_.add(
                copies->place, ErrorCode::SettingOutOfRange, "copies are no lattice of bodies",
                "give one to three whole numbers from 1 on, a million bodies at most: copies = [5, 4]");
            // one copy with all its numbers, so that its formulas make no second mistake
            return std::vector<long>(std::clamp<std::size_t>(counts.size(), 1, 3), 1);
        }
        return counts;
    }

    void read_body(const Node& item)
    {
        const std::vector<long> counts = counts_of(item);
        if (counts.empty()) return add_body(item, names_, text_of(item, "name"));

        // the numbers i, j, k of a copy are parameters of its formulas
        const Node* seed = find(item, "seed");
        std::mt19937_64 random(seed != nullptr && seed->number >= 0 ? static_cast<std::uint64_t>(seed->number)
                                                                    : 1);
        const double jitter = Values(item, names_, mistakes_).number("jitter_m", 0);
        std::array<long, 3> size{1, 1, 1};
        std::copy(counts.begin(), counts.end(), size.begin());
        for (long k = 0; k < size[2]; ++k) {
            for (long j = 0; j < size[1]; ++j) {
                for (long i = 0; i < size[0]; ++i) {
                    const std::array<long, 3> number{i, j, k};
                    Names names = names_;
                    std::string name = text_of(item, "name");
                    for (std::size_t d = 0; d < counts.size(); ++d) {
                        const std::string letter(1, "ijk"[d]);
                        if (auto added =
                                names.vocabulary.add_parameter(letter, static_cast<double>(number[d]));
                            !added) {
                            mistakes_.add(item.place, added.error());
                            return;
                        }
                        name += fmt::format("_{}", number[d]);
                    }
                    const std::size_t before = draft_.setup.bodies.size();
                    add_body(item, names, name);
                    if (draft_.setup.bodies.size() > before)
                        shake(jitter, random, draft_.setup.bodies.back());
                    if (!mistakes_.empty()) return;  // the other copies have the same mistakes
                }
            }
        }
    }

    static void shake(double jitter, std::mt19937_64& random, Body& body)
    {
        if (jitter == 0) return;
        const int axes = body.shape && is_flat(*body.shape) ? 2 : 3;
        for (int d = 0; d < axes; ++d) {
            // 53 bits of the generator: the same numbers with every library
            const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
            body.pose.position_m[d] += jitter * (2 * unit - 1);
        }
    }

    void add_body(const Node& item, const Names& names, const std::string& name)
    {
        const Values values(item, names, mistakes_);
        Body body;
        body.name = name;
        body.shape = shape_of(values);
        const bool plane = body.shape && std::holds_alternative<PlaneShape>(*body.shape);
        const std::string motion = text_of(item, "motion", plane ? "fixed" : "free");
        body.motion = motion == "fixed"        ? BodyMotion::Fixed
                      : motion == "prescribed" ? BodyMotion::Prescribed
                                               : BodyMotion::Free;
        if (body.motion == BodyMotion::Prescribed) {
            body.path = path_of(values);
            body.pose = body.path(0);
        } else {
            body.pose = {.position_m = values.vector("position_m", Vec3::Zero()),
                         .rotation = rotation_by(values.turn("rotation_rad"))};
        }
        body.velocity_m_s = values.vector("velocity_m_s", Vec3::Zero());
        body.angular_velocity_rad_s = values.turn("angular_velocity_rad_s");
        body.density = values.number("density", 1000);
        body.mass_kg = values.number("mass_kg");
        if (find(item, "inertia_kg_m2") != nullptr) {
            body.inertia_kg_m2 = Mat3(values.turn("inertia_kg_m2").asDiagonal());
        }
        body.material = material(item, "material");

        // the yellow, last of the palette, is too pale to come by itself
        const std::size_t turn = moving_++ % (palette.size() - 1);
        const bool moves = body.motion == BodyMotion::Free;
        if (!moves) --moving_;
        draft_.colours.push_back(
            text_of(item, "colour", std::string(moves ? palette[turn].name : grey.name)));
        draft_.places.push_back(item.place);
        draft_.setup.bodies.push_back(std::move(body));
    }

    void read_gravity()
    {
        const bool flat =
            std::any_of(draft_.setup.bodies.begin(), draft_.setup.bodies.end(),
                        [](const Body& body) { return body.shape && carom::is_flat(*body.shape); });
        const Vec3 down = flat ? Vec3(0, -9.81, 0) : Vec3(0, 0, -9.81);
        draft_.setup.gravity_m_s2 = Values(root_, names_, mistakes_).vector("gravity_m_s2", down);

        // what points up without being asked: in the plane along y
        if (!flat) return;
        const auto& items = items_of(root_, "body");
        for (std::size_t i = 0; i < draft_.setup.bodies.size(); ++i) {
            auto* plane = draft_.setup.bodies[i].shape
                              ? std::get_if<PlaneShape>(&*draft_.setup.bodies[i].shape)
                              : nullptr;
            const auto item = std::find_if(items.begin(), items.end(),
                                           [&](const Node& node) { return node.place == draft_.places[i]; });
            if (plane != nullptr && item != items.end() && find(*item, "normal") == nullptr) {
                plane->normal = Vec3::UnitY();
            }
        }
    }

    int body(const Node& item, std::string_view key)
    {
        const Node* node = find(item, key);
        if (node == nullptr || node->kind != Kind::Text) return -1;
        std::vector<std::string> known;
        for (const Body& one : draft_.setup.bodies) {
            if (one.name == node->text) return static_cast<int>(known.size());
            known.push_back(one.name);
        }
        mistakes_.add(node->place, ErrorCode::UnknownName,
                      fmt::format("there is no body {}", carom::quoted(node->text)),
                      nearest_or_all(node->text, known));
        return 0;
    }

    void read_springs()
    {
        for (const Node& item : items_of(root_, "spring")) {
            const Values values(item, names_, mistakes_);
            draft_.setup.springs.push_back({.first = body(item, "first"),
                                            .second = body(item, "second"),
                                            .first_point_m = values.vector("first_point_m", Vec3::Zero()),
                                            .second_point_m = values.vector("second_point_m", Vec3::Zero()),
                                            .stiffness_N_m = values.number("stiffness_N_m", 0),
                                            .damping_Ns_m = values.number("damping_Ns_m", 0),
                                            .rest_length_m = values.number("rest_length_m", 0)});
        }
    }

    const Node& root_;
    const Names& names_;
    Mistakes& mistakes_;
    BodyDraft draft_;
    std::size_t moving_ = 0;
};

}  // namespace

BodyDraft draft_bodies(const Node& root, const Names& names, Mistakes& mistakes)
{
    return BodyReader(root, names, mistakes).run();
}

}  // namespace carom::detail
