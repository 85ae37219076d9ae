#include "scene/symbols.hpp"

#include "core/text.hpp"
#include "expression/graph.hpp"
#include "expression/parse.hpp"
#include "overrides.hpp"
#include "system.hpp"
#include "validate.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace carom {
namespace {

using namespace detail;

Formula symbol(int index)
{
    Graph graph;
    const int node = graph.variable({Variable::Kind::Coordinate, index});
    return to_formula(graph, node, {});
}

/// Gives parameters that are formulas of symbols their expressions, those they need first.
class Expressions {
public:
    Expressions(const Node& parameters, Vocabulary& vocabulary)
        : parameters_(parameters), vocabulary_(vocabulary)
    {
    }

    void add(const std::string& name)
    {
        if (!seen_.insert(name).second) return;
        const Node* node = find(parameters_, name);
        if (node == nullptr || node->kind != Node::Kind::Text) return;
        bool depends = false;
        for (const std::string_view word : words_in(node->text)) {
            const auto meaning = vocabulary_.find(word);
            if (!meaning || meaning->kind != Vocabulary::Meaning::Kind::Parameter) continue;
            add(std::string(word));
            depends = depends || vocabulary_.find(word)->expression;
        }
        if (!depends) return;
        const auto formula = parse_formula(node->text, vocabulary_);
        if (formula) static_cast<void>(vocabulary_.keep_as_symbol(name, *formula));
    }

    void take_as_symbol(const std::string& name, int index)
    {
        seen_.insert(name);
        static_cast<void>(vocabulary_.keep_as_symbol(name, symbol(index)));
    }

private:
    const Node& parameters_;
    Vocabulary& vocabulary_;
    std::set<std::string> seen_;
};

Error unknown_parameter(const std::string& name, const Vocabulary& vocabulary)
{
    const auto known = vocabulary.names(Vocabulary::Meaning::Kind::Parameter);
    // sensitivities are asked for by longer names
    constexpr std::string_view prefix = "parameters.";
    if (name.starts_with(prefix) && std::ranges::count(known, name.substr(prefix.size())) > 0)
        return {.code = ErrorCode::UnknownName,
                .where = printable(name),
                .message = "here a parameter has its name alone",
                .hint = "write " + name.substr(prefix.size()),
                .excerpt = {}};
    return {.code = ErrorCode::UnknownName,
            .where = "parameters." + printable(name),
            .message = fmt::format("the scene has no parameter {}", carom::quoted(name)),
            .hint = known.empty() ? "add it below [parameters], and name it in the formulas"
                                  : nearest_or_all(name, known),
            .excerpt = {}};
}

Formula start_of(const Node* node, const Names& names, Mistakes& mistakes)
{
    return formula_of(node, names, mistakes).value_or(Formula());
}

void read_map(const Node& root, const Names& names, SceneSymbols& symbols, Mistakes& mistakes)
{
    const Node* impact = find(root, "impact");
    const Node* kind = impact != nullptr ? find(*impact, "kind") : nullptr;
    if (kind == nullptr) return;
    symbols.impact_map = kind->text;
    const Node* e = find(*impact, "restitution");
    if (e != nullptr && e->kind == Node::Kind::Number) symbols.map_restitution = e->number;
    const Node* velocities = find(*impact, "velocities");
    if (velocities == nullptr) return;
    const auto& coordinates = symbols.system.coordinates;
    const auto given = formulas_by_coordinate(*velocities, coordinates, names, "velocity", mistakes);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const auto same = parse_formula(coordinates[i].name + "'", names.vocabulary);
        symbols.map_after.push_back(given[i] ? *given[i] : *same);
    }
}

}  // namespace

Expected<SceneSymbols, Errors> read_symbols(const Scene& scene, std::span<const std::string> parameters)
{
    if (kind_of(scene) != SceneKind::Coordinates) {
        return Errors{
            {.code = ErrorCode::NotAllowedHere,
             .where = scene.title,
             .message = fmt::format("derivatives are those of scenes of coordinates; this one is of {}",
                                    kind_of(scene) == SceneKind::Bodies ? "bodies" : "sweeping"),
             .hint = "describe the system by [[coordinate]] and [lagrangian]",
             .excerpt = {}}};
    }
    if (scene.text.empty()) {
        return Errors{
            {.code = ErrorCode::NotAllowedHere,
             .where = scene.title,
             .message = "derivatives need formulas; a function of this scene cannot be written as one",
             .hint = "an impact map, a table in a function, or a function that is too long: use formulas",
             .excerpt = {}}};
    }
    Mistakes mistakes(scene.title, scene.text, {});
    const auto root = parse_toml(scene.text, mistakes);
    if (!root) return mistakes.sorted();
    Names names = collect_names(*root, {}, mistakes);
    SceneSymbols symbols;
    symbols.first_symbol = std::max(3, names.vocabulary.coordinates());
    symbols.numbers = names.vocabulary;

    Errors errors;
    const Node none;
    const Node* table = find(*root, "parameters");
    Expressions expressions(table != nullptr ? *table : none, names.vocabulary);
    for (const std::string& name : parameters) {
        const auto meaning = names.vocabulary.find(name);
        if (!meaning || meaning->kind != Vocabulary::Meaning::Kind::Parameter) {
            errors.push_back(unknown_parameter(name, names.vocabulary));
            continue;
        }
        expressions.take_as_symbol(name, symbols.first_symbol + static_cast<int>(symbols.parameters.size()));
        symbols.parameters.push_back(name);
        symbols.values.push_back(meaning->value);
    }
    if (!errors.empty()) return errors;
    for (const std::string& name : names.vocabulary.names(Vocabulary::Meaning::Kind::Parameter)) {
        expressions.add(name);
    }
    symbols.vocabulary = names.vocabulary;
    symbols.system = draft_system(*root, names, mistakes).system;
    if (const Node* coordinates = find(*root, "coordinate")) {
        for (const Node& item : coordinates->items) {
            symbols.q0.push_back(start_of(find(item, "start"), names, mistakes));
            symbols.u0.push_back(start_of(find(item, "start_velocity"), names, mistakes));
        }
    }
    read_map(*root, names, symbols, mistakes);
    if (!mistakes.empty()) return mistakes.sorted();
    return symbols;
}

Expected<Scene, Errors> scene_with_parameters(const Scene& scene, std::span<const std::string> parameters,
                                              std::span<const double> values)
{
    std::vector<Override> overrides;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        overrides.push_back({"parameters." + parameters[i], fmt::format("{:.17g}", values[i])});
    }
    Mistakes mistakes(scene.title, scene.text, overrides);
    auto root = parse_toml(scene.text, mistakes);
    if (!root) return mistakes.sorted();
    apply_overrides(overrides, *root, mistakes);
    const Names names = collect_names(*root, {}, mistakes);
    const Draft draft = draft_system(*root, names, mistakes);
    if (!mistakes.empty()) return mistakes.sorted();
    auto model = make_model(draft.system);
    if (!model) return model.error();
    return Scene{.title = scene.title,
                 .text = to_toml(*root),
                 .model = std::move(*model),
                 .start = scene.start,
                 .integrator = scene.integrator,
                 .solver = scene.solver,
                 .plan = scene.plan,
                 .record = scene.record,
                 .length_m = scene.length_m};
}

}  // namespace carom
