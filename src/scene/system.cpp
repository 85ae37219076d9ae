#include "system.hpp"

#include "carom/law/law.hpp"
#include "core/text.hpp"
#include "expression/parse.hpp"
#include "validate.hpp"

#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

class Drafting {
public:
    Drafting(const Node& root, const Names& names, Mistakes& mistakes)
        : root_(root), names_(names), mistakes_(mistakes)
    {
    }

    Draft run_beside(std::vector<Coordinate> of_bodies)
    {
        first_ = of_bodies.size();
        draft_.system.coordinates = std::move(of_bodies);
        draft_.q.assign(first_, 0.0);
        draft_.u.assign(first_, 0.0);
        read_system();
        return std::move(draft_);
    }

    Draft run()
    {
        read_system();
        if (const Node* impact = find(root_, "impact"); impact != nullptr && impact->kind == Kind::Table) {
            draft_.system.impact_map = detail::impact_map_of(*impact, draft_.system, names_, mistakes_);
        }
        for_each("probe", [&](const Node& item) { add_probe(item); });
        for_each("draw", [&](const Node& item) { add_drawing(item); });
        return std::move(draft_);
    }

private:
    void read_system()
    {
        for_each("coordinate", [&](const Node& item) { add_coordinate(item); });
        const Node* lagrangian = find(root_, "lagrangian");
        if (lagrangian != nullptr && lagrangian->kind == Kind::Table)
            add_lagrangian(*lagrangian);
        else
            draft_.system.kinetic = first_ == 0 ? stand_in_kinetic() : Formula();
        for_each("contact", [&](const Node& item) { add_contact(item); });
        for_each("string", [&](const Node& item) { add_string(item); });
        for_each("constraint", [&](const Node& item) { add_constraint(item); });
    }

    template <class Visit>
    void for_each(std::string_view key, Visit&& visit)
    {
        const Node* list = find(root_, key);
        if (list == nullptr) return;
        for (const Node& item : list->items)
            visit(item);
    }

    /// Coordinates in the order of the vocabulary, which left out those with unusable names.
    void add_coordinate(const Node& item)
    {
        using Meaning = Vocabulary::Meaning;
        const std::string name = word_of(item, "name");
        const auto meaning = names_.vocabulary.find(name);
        const auto next = static_cast<int>(draft_.system.coordinates.size());
        if (!meaning || meaning->kind != Meaning::Kind::Coordinate || meaning->index != next) {
            draft_.start_known = false;
            return;
        }
        draft_.system.coordinates.push_back({.name = name, .unit = word_of(item, "unit", "m")});
        draft_.q.push_back(start_value(find(item, "start"), true));
        draft_.u.push_back(start_value(find(item, "start_velocity"), false));
    }

    double start_value(const Node* node, bool needed)
    {
        if (node == nullptr && !needed) return 0;
        const auto value = node != nullptr ? constant_of(*node, names_, mistakes_) : std::nullopt;
        if (!value || !std::isfinite(*value)) draft_.start_known = false;
        return value.value_or(0.0);
    }

    void add_lagrangian(const Node& node)
    {
        const Node* kinetic = find(node, "kinetic");
        const Node* mass = find(node, "mass");
        LagrangianSystem& system = draft_.system;
        const std::vector<Coordinate> own(system.coordinates.begin() + static_cast<std::ptrdiff_t>(first_),
                                          system.coordinates.end());
        const bool none_needed = own.empty() && kinetic == nullptr && mass == nullptr;
        if ((kinetic != nullptr) == (mass != nullptr) && !none_needed) {
            mistakes_.add(
                kinetic != nullptr ? mass->place : node.place,
                kinetic != nullptr ? ErrorCode::NotAllowedHere : ErrorCode::MissingKey,
                kinetic != nullptr ? "lagrangian has both kinetic and mass"
                                   : "lagrangian has neither kinetic nor mass",
                "give the kinetic energy as a formula, kinetic = \"m/2*x'^2\", or as a matrix, mass = [[m]]");
        }
        auto energy = kinetic != nullptr ? formula_of(kinetic, names_, mistakes_)
                      : mass != nullptr  ? kinetic_of_matrix(*mass, own, names_, mistakes_)
                                         : std::nullopt;
        system.kinetic = energy ? *energy : first_ == 0 ? stand_in_kinetic() : Formula();
        system.potential = formula_of(find(node, "potential"), names_, mistakes_).value_or(Formula());
        if (const Node* forces = find(node, "forces")) add_forces(*forces);
    }

    void add_forces(const Node& forces)
    {
        draft_.system.forces.clear();
        for (auto& formula :
             formulas_by_coordinate(forces, draft_.system.coordinates, names_, "force", mistakes_))
            draft_.system.forces.push_back(formula.value_or(Formula()));
    }

    void add_contact(const Node& item)
    {
        const Formula stand_in = stand_in_gap();
        Contact contact = contact_of(item, names_, stand_in, mistakes_);
        contact.name = name_of(item, contact_names_);
        draft_.system.contacts.push_back(std::move(contact));
    }

    /// A string is a contact whose gap is what it has left to become taut.
    void add_string(const Node& item)
    {
        const auto gap = gap_of_string(item, names_, mistakes_);
        const auto restitution = formula_of(find(item, "restitution"), names_, mistakes_);
        draft_.system.contacts.push_back({.name = name_of(item, contact_names_),
                                          .gap = gap ? *gap : stand_in_gap(),
                                          .restitution = restitution.value_or(Formula())});
    }

    /// One that could not be read holds the first coordinate, and the start is not looked at.
    void add_constraint(const Node& item)
    {
        std::string name = name_of(item, constraint_names_);
        auto constraint = constraint_of(item, name, names_, mistakes_);
        if (!constraint) {
            constraint = Constraint{.name = std::move(name), .zero = {stand_in_gap()}};
            draft_.start_known = false;
        }
        draft_.system.constraints.push_back(std::move(*constraint));
    }

    void add_probe(const Node& item)
    {
        for (const char* key : {"force_on", "from", "direction"}) {
            if (const Node* node = find(item, key)) {
                mistakes_.add(node->key_place, ErrorCode::NotAllowedHere,
                              fmt::format("{} is for scenes of bodies", key), "give value = \"...\"");
            }
        }
        if (find(item, "value") == nullptr) {
            mistakes_.add(item.place, ErrorCode::MissingKey, "a probe has no value",
                          "give value: formula of everything");
        }
        const auto value = formula_of(find(item, "value"), names_, mistakes_);
        draft_.system.probes.push_back({.name = name_of(item, probe_names_),
                                        .value = value.value_or(Formula()),
                                        .unit = word_of(item, "unit")});
    }

    void add_drawing(const Node& item)
    {
        auto& drawings = draft_.system.drawings;
        auto drawing = drawing_of(item, drawings.size(), draft_.system.contacts, names_, mistakes_);
        if (drawing) drawings.push_back(std::move(*drawing));
    }

    /// Names of contacts and probes follow the rule of formulas: --set paths and recordings use them too.
    std::string name_of(const Node& item, Vocabulary& taken)
    {
        const Node* name = find(item, "name");
        if (name == nullptr || name->kind != Kind::Text) return {};
        if (auto added = taken.add_coordinate(name->text); !added) {
            Error error = added.error();
            if (error.code == ErrorCode::DuplicateName) error.hint = "give each its own name";
            mistakes_.add(name->place, std::move(error));
        }
        return name->text;
    }

    [[nodiscard]] Formula stand_in_kinetic() const
    {
        const auto n = static_cast<Eigen::Index>(draft_.system.coordinates.size());
        const auto unit = kinetic_energy_of(Eigen::MatrixXd::Identity(n, n));
        return unit ? *unit : Formula();
    }

    [[nodiscard]] Formula stand_in_gap() const
    {
        if (draft_.system.coordinates.empty()) return {};
        const auto first = parse_formula(draft_.system.coordinates[0].name, names_.vocabulary);
        return first ? *first : Formula();
    }

    const Node& root_;
    const Names& names_;
    Mistakes& mistakes_;
    Draft draft_;
    std::size_t first_ = 0;  ///< coordinates of bodies, which come first
    Vocabulary contact_names_, constraint_names_, probe_names_;
};

}  // namespace

std::optional<Formula> formula_of(const Node* node, const Names& names, Mistakes& mistakes)
{
    if (node == nullptr) return std::nullopt;
    if (node->kind == Kind::Number && std::isfinite(node->number)) return Formula::constant(node->number);
    if (node->kind != Kind::Text) return std::nullopt;
    auto formula = parse_formula(node->text, names.vocabulary);
    if (formula) return *formula;
    const bool follows = formula.error().code == ErrorCode::UnknownName && !names.complete;
    if (!follows) mistakes.add(node->place, formula.error());
    return std::nullopt;
}

std::vector<std::optional<Formula>> formulas_by_coordinate(const Node& table,
                                                           const std::vector<Coordinate>& coordinates,
                                                           const Names& names, std::string_view what,
                                                           Mistakes& mistakes)
{
    constexpr auto coordinate = Vocabulary::Meaning::Kind::Coordinate;
    std::vector<std::optional<Formula>> formulas(coordinates.size());
    for (const Entry& entry : table.entries) {
        const auto formula = formula_of(&entry.value, names, mistakes);
        const auto meaning = names.vocabulary.find(entry.key);
        if (meaning && meaning->kind == coordinate) {
            const auto index = static_cast<std::size_t>(meaning->index);
            if (formula && index < formulas.size()) formulas[index] = *formula;
        } else if (names.complete) {
            mistakes.add(entry.value.key_place, ErrorCode::UnknownName,
                         fmt::format("there is no coordinate {} for this {}", carom::quoted(entry.key), what),
                         nearest_or_all(entry.key, names.vocabulary.names(coordinate)));
        }
    }
    return formulas;
}

Draft draft_system(const Node& root, const Names& names, Mistakes& mistakes)
{
    return Drafting(root, names, mistakes).run();
}

Draft draft_beside_bodies(const Node& root, std::vector<Coordinate> of_bodies, const Names& names,
                          Mistakes& mistakes)
{
    return Drafting(root, names, mistakes).run_beside(std::move(of_bodies));
}

}  // namespace carom::detail
