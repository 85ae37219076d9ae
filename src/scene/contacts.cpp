#include "expression/parse.hpp"
#include "system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// What formulas over the point of a particle may name: x, y, z, and the parameters and tables of the scene.
/// A parameter called like an axis is hidden.
Names names_over_point(const Names& names)
{
    Names point;
    point.complete = names.complete;
    point.unvalued = names.unvalued;
    for (const char* axis : {"x", "y", "z"}) {
        static_cast<void>(point.vocabulary.add_coordinate(axis));
    }
    for (const std::string& name : names.vocabulary.names(Vocabulary::Meaning::Kind::Parameter)) {
        const auto parameter = names.vocabulary.find(name);
        static_cast<void>(point.vocabulary.add_parameter(name, parameter->value));
        if (parameter->expression) {
            static_cast<void>(point.vocabulary.keep_as_symbol(name, *parameter->expression));
        }
    }
    for (const std::string& name : names.vocabulary.names(Vocabulary::Meaning::Kind::Table)) {
        static_cast<void>(point.vocabulary.add_table(name, *names.vocabulary.find(name)->table));
    }
    return point;
}

/// Reads one [[contact]]; mistakes go to the list, and harmless formulas stand in for what could not be read.
class ContactReader {
public:
    ContactReader(const Node& item, const Names& names, const Formula& stand_in, Mistakes& mistakes)
        : item_(item), names_(names), stand_in_(stand_in), mistakes_(mistakes)
    {
    }

    Contact read()
    {
        read_place();
        const Node* law = find(item_, "law");
        if (law != nullptr && law->kind == Kind::Table) read_law(*law);
        return std::move(contact_);
    }

private:
    /// Either gap (and, for friction, sliding) or position and surface.
    void read_place()
    {
        const Node* gap = find(item_, "gap");
        const Node* position = find(item_, "position");
        contact_.gap = stand_in_;
        if (position == nullptr) {
            for (const char* key : {"surface", "obstacle_velocity", "tangent"}) {
                not_with(key, "needs the position of the particle",
                         "give position = [\"x\", \"y\"] as formulas of the coordinates, or leave it out");
            }
            if (gap == nullptr) {
                mistakes_.add(item_.place, ErrorCode::MissingKey, "the contact has no gap",
                              "add gap = ..., the distance between the parts, or position and surface");
            }
            contact_.gap = formula(gap).value_or(stand_in_);
            contact_.sliding = list(find(item_, "sliding"), names_, 2);
            return;
        }
        not_with("gap", "has the same meaning as surface", "give position and surface, or gap alone");
        not_with("sliding", "follows from position and surface", "leave it out");
        read_particle(*position);
    }

    void read_particle(const Node& position)
    {
        const Names point = names_over_point(names_);
        const Node* surface = find(item_, "surface");
        if (surface == nullptr) {
            mistakes_.add(item_.place, ErrorCode::MissingKey, "the contact has a position but no surface",
                          "add surface = ..., a formula of x, y, z and t that is positive on the free side");
        }
        ContactParticle particle;
        particle.position = list(&position, names_, 3);
        const auto read = formula_of(surface, point, mistakes_);
        particle.obstacle_velocity = list(find(item_, "obstacle_velocity"), point, 3);
        particle.tangent = list(find(item_, "tangent"), point, 3);
        const bool whole =
            read && particle.position.size() == position.items.size() && !position.items.empty();
        if (!whole) return;  // the stand-in gap is looked at instead
        particle.surface = *read;
        contact_.particle = std::move(particle);
    }

    void read_law(const Node& law)
    {
        contact_.restitution = restitution_of(law);
        const std::string kind = word_of(law, "kind", "unilateral");
        if (kind != "unilateral" && kind != "coulomb" && kind != "rough") return;  // told already
        if (kind == "unilateral") {
            for (const char* key : {"friction", "static_friction", "tangential_restitution", "shape"}) {
                if (const Node* node = find(law, key)) {
                    mistakes_.add(node->key_place, ErrorCode::NotAllowedHere,
                                  fmt::format("{} has no meaning for a frictionless contact", key),
                                  "write kind = \"coulomb\"");
                }
            }
            return;
        }
        const std::size_t tangential = tangential_directions();
        if (tangential == 0) {
            const Node* sliding = find(item_, "sliding");
            if (sliding != nullptr && sliding->kind != Kind::Array) return;  // told already
            mistakes_.add(item_.place, ErrorCode::MissingKey,
                          "the contact has friction but no sliding velocity",
                          "add sliding = [\"x'\"], the sliding velocity, or give position and surface");
            return;
        }
        ContactFriction friction;
        friction.tangential_restitution = formula(find(law, "tangential_restitution")).value_or(Formula());
        if (kind == "rough") {
            friction.shape = FrictionRough{.dimension = static_cast<int>(tangential)};
            for (const char* key : {"friction", "static_friction", "shape"}) {
                if (const Node* node = find(law, key)) {
                    mistakes_.add(
                        node->key_place, ErrorCode::NotAllowedHere,
                        fmt::format("{} has no meaning for a rough contact, which never slides", key),
                        "write kind = \"coulomb\", or leave it out");
                }
            }
        } else {
            read_coefficients(law, friction);
            friction.shape =
                tangential == 1 ? FrictionShape(FrictionInterval{}) : FrictionShape(FrictionDisc{});
            const Node* shape = find(law, "shape");
            if (shape != nullptr && shape->kind == Kind::Table) friction.shape = shape_of(*shape);
        }
        contact_.friction = std::move(friction);
    }

    void read_coefficients(const Node& law, ContactFriction& friction)
    {
        const Node* coefficient = find(law, "friction");
        if (coefficient == nullptr) {
            mistakes_.add(
                law.place, ErrorCode::MissingKey, "the law has no friction",
                "add friction = ..., the coefficient mu; for none at all write kind = \"unilateral\"");
        }
        friction.coefficient = formula(coefficient).value_or(Formula());
        if (const Node* at_rest = find(law, "static_friction")) {
            friction.static_coefficient = formula(at_rest).value_or(friction.coefficient);
        }
    }

    [[nodiscard]] std::size_t tangential_directions() const
    {
        const Node* position = find(item_, "position");
        if (position != nullptr && position->kind == Kind::Array) {
            return position->items.empty() ? 0 : position->items.size() - 1;
        }
        const Node* sliding = find(item_, "sliding");
        return sliding != nullptr && sliding->kind == Kind::Array ? sliding->items.size() : 0;
    }

    FrictionShape shape_of(const Node& shape)
    {
        const std::string name = word_of(shape, "kind");
        Expected<FrictionShape> result = FrictionShape(FrictionDisc{});
        if (name == "interval") {
            result = FrictionShape(
                FrictionInterval{.low = number(shape, "low", -1), .high = number(shape, "high", 1)});
        } else if (name == "ellipse") {
            result = FrictionShape(FrictionEllipse{.half_axes = pair(find(shape, "half_axes"), {1, 1}),
                                                   .angle_rad = number(shape, "angle_rad", 0),
                                                   .centre = pair(find(shape, "centre"), {0, 0})});
        } else if (name == "polygon") {
            std::vector<std::array<double, 2>> vertices;
            const Node* list = find(shape, "vertices");
            if (list != nullptr && list->kind == Kind::Array) {
                for (const Node& vertex : list->items) {
                    vertices.push_back(pair(&vertex, {0, 0}));
                }
            }
            auto polygon = make_polygon(std::move(vertices));
            if (polygon) {
                result = FrictionShape(*polygon);
            } else {
                mistakes_.add(shape.place, polygon.error());
                return FrictionDisc{};
            }
        }
        if (auto good = check(*result); !good) {
            mistakes_.add(shape.place, good.error());
            return std::holds_alternative<FrictionInterval>(*result) ? FrictionShape(FrictionInterval{})
                                                                     : FrictionShape(FrictionDisc{});
        }
        return *result;
    }

    double number(const Node& table, std::string_view key, double fallback)
    {
        const Node* node = find(table, key);
        return node != nullptr && node->kind == Kind::Number ? node->number : fallback;
    }

    std::array<double, 2> pair(const Node* node, std::array<double, 2> fallback)
    {
        if (node == nullptr) return fallback;
        const bool two = node->kind == Kind::Array && node->items.size() == 2 &&
                         node->items[0].kind == Kind::Number && node->items[1].kind == Kind::Number;
        if (two) return {node->items[0].number, node->items[1].number};
        mistakes_.add(node->place, ErrorCode::WrongSize, "two numbers are needed here",
                      "write for example [0.5, 0.3]");
        return fallback;
    }

    /// e, given as restitution or as Moreau's dissipation index.
    Formula restitution_of(const Node& law)
    {
        const Node* restitution = find(law, "restitution");
        const Node* index = find(law, "dissipation_index");
        if (restitution != nullptr && index != nullptr) {
            mistakes_.add(index->place, ErrorCode::NotAllowedHere,
                          "the law has both restitution and dissipation_index", "give one of them");
            return {};
        }
        auto read = formula(restitution != nullptr ? restitution : index);
        if (!read) return {};
        if (index == nullptr) return *read;

        // e = (1 - delta) / (1 + delta)
        const std::string delta = index->kind == Kind::Text ? index->text : fmt::format("{}", index->number);
        auto composed = parse_formula(fmt::format("(1-({0}))/(1+({0}))", delta), names_.vocabulary);
        if (composed) return *composed;
        mistakes_.add(index->place, composed.error());
        return {};
    }

    void not_with(std::string_view key, std::string_view why, std::string hint)
    {
        const Node* node = find(item_, key);
        if (node == nullptr) return;
        mistakes_.add(node->key_place, ErrorCode::NotAllowedHere, fmt::format("{} {}", key, why),
                      std::move(hint));
    }

    std::optional<Formula> formula(const Node* node) { return formula_of(node, names_, mistakes_); }

    /// The formulas of a list; those that could not be read are left out.
    std::vector<Formula> list(const Node* node, const Names& names, std::size_t largest)
    {
        std::vector<Formula> formulas;
        if (node == nullptr || node->kind != Kind::Array) return formulas;
        if (node->items.size() > largest) {
            mistakes_.add(node->place, ErrorCode::WrongSize,
                          fmt::format("{} formulas where at most {} make sense", node->items.size(), largest),
                          "give one component per direction of the plane or of space");
            return formulas;
        }
        for (const Node& entry : node->items) {
            if (const auto read = formula_of(&entry, names, mistakes_)) formulas.push_back(*read);
        }
        return formulas;
    }

    const Node& item_;
    const Names& names_;
    const Formula& stand_in_;
    Mistakes& mistakes_;
    Contact contact_;
};

}  // namespace

Contact contact_of(const Node& item, const Names& names, const Formula& stand_in, Mistakes& mistakes)
{
    return ContactReader(item, names, stand_in, mistakes).read();
}

}  // namespace carom::detail
