#include "core/text.hpp"
#include "expression/parse.hpp"
#include "law/frictional_impact.hpp"
#include "solver/poisson_impact.hpp"
#include "system.hpp"
#include "validate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

std::optional<double> number(const Node& table, std::string_view key)
{
    const Node* node = find(table, key);
    if (node == nullptr || node->kind != Kind::Number) return std::nullopt;
    return node->number;
}

/// Stiffness of each contact; a key that names none is a mistake.
std::vector<double> stiffnesses(const Node& impact, const std::vector<Contact>& contacts, Mistakes& mistakes)
{
    std::vector<double> result(contacts.size(), 1.0);
    const Node* table = find(impact, "stiffness");
    if (table == nullptr || table->kind != Kind::Table) return result;
    std::vector<std::string> names;
    for (const Contact& contact : contacts) {
        names.push_back(contact.name);
    }
    for (const Entry& entry : table->entries) {
        const auto found = std::find(names.begin(), names.end(), entry.key);
        if (found == names.end()) {
            mistakes.add(entry.value.key_place, ErrorCode::UnknownName,
                         fmt::format("there is no contact {} for this stiffness", carom::quoted(entry.key)),
                         nearest_or_all(entry.key, names));
        } else if (entry.value.kind == Kind::Number) {
            result[static_cast<std::size_t>(found - names.begin())] = entry.value.number;
        }
    }
    return result;
}

/// Velocities after the impact by formulas; coordinates without one keep theirs.
ImpactMap map_of_formulas(const Node& impact, const std::vector<Coordinate>& coordinates, const Names& names,
                          Mistakes& mistakes)
{
    const Node* velocities = find(impact, "velocities");
    if (velocities == nullptr || velocities->kind != Kind::Table) {
        mistakes.add(impact.place, ErrorCode::MissingKey, "the impact map has no velocities",
                     "give those that change, for example velocities = { x = \"-0.5*x'\" }");
        return {};
    }
    std::vector<Formula> after;
    const auto given = formulas_by_coordinate(*velocities, coordinates, names, "velocity", mistakes);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const auto same = parse_formula(coordinates[i].name + "'", names.vocabulary);
        after.push_back(given[i] ? *given[i] : same ? *same : Formula());
    }
    return carom::impact_map_of(std::move(after));
}

/// Keys that the chosen map does not read would be ignored without a word.
void refuse_unread(const Node& impact, std::string_view kind, Mistakes& mistakes)
{
    struct Reader {
        std::string_view key;
        bool reads;
        std::string_view whose;
    };
    const bool lzb = kind == "lzb", formulas = kind == "formulas";
    for (const Reader& reader :
         {Reader{"exponent", lzb, "lzb"}, Reader{"stiffness", lzb, "lzb"},
          Reader{"velocities", formulas, "formulas"},
          Reader{"restitution", !formulas, "canonical, sequential, poisson, energetic and lzb"}}) {
        const Node* node = find(impact, reader.key);
        if (node == nullptr || reader.reads) continue;
        mistakes.add(node->key_place, ErrorCode::NotAllowedHere,
                     fmt::format("impact.{} is not read by the map {}", reader.key, kind),
                     fmt::format("leave it out; it belongs to {}", reader.whose));
    }
}

}  // namespace

ImpactMap impact_map_of_bodies(const Node& impact, Mistakes& mistakes)
{
    for (const char* key : {"stiffness", "velocities"}) {
        if (const Node* node = find(impact, key)) {
            mistakes.add(node->key_place, ErrorCode::NotAllowedHere,
                         fmt::format("an impact map of bodies has no {}", key),
                         "contacts of bodies have no names: leave it out");
        }
    }
    const Node* kind = find(impact, "kind");
    if (kind != nullptr && kind->text == "formulas") {
        mistakes.add(kind->place, ErrorCode::NotAllowedHere, "impacts of bodies are not given by formulas",
                     "give canonical, sequential, poisson, energetic or lzb");
        return {};
    }
    return impact_map_of(impact, {}, {}, mistakes);
}

ImpactMap impact_map_of(const Node& impact, const LagrangianSystem& system, const Names& names,
                        Mistakes& mistakes)
{
    const Node* kind = find(impact, "kind");
    if (kind == nullptr || kind->kind != Kind::Text) return {};
    refuse_unread(impact, kind->text, mistakes);
    const auto e = number(impact, "restitution");
    if (kind->text == "canonical") return canonical_map(e.value_or(1.0));
    if (kind->text == "sequential") return sequential_map({.restitution = e.value_or(1.0)});
    if (kind->text == "poisson") return poisson_map({.restitution = e});
    if (kind->text == "energetic") return energetic_map({.restitution = e});
    if (kind->text == "lzb") {
        LzbSettings settings{.restitution = e, .stiffness = {}};
        if (!system.contacts.empty()) settings.stiffness = stiffnesses(impact, system.contacts, mistakes);
        settings.exponent = number(impact, "exponent").value_or(settings.exponent);
        return lzb_map(settings);
    }
    return map_of_formulas(impact, system.coordinates, names, mistakes);
}

}  // namespace carom::detail
