#include "bodies.hpp"
#include "body_forces.hpp"
#include "body_names.hpp"
#include "body_shown.hpp"
#include "body_values.hpp"
#include "core/text.hpp"
#include "expression/term.hpp"
#include "figures.hpp"
#include "scene/scene_bodies.hpp"
#include "settings.hpp"
#include "system.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "validate.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// Events of more bodies are kept where they are asked for: a pour has millions.
constexpr int max_bodies_with_events = 1000;

/// What a scene of bodies cannot have.
void refuse_beside_bodies(const Node& root, const Settings& settings, Mistakes& mistakes)
{
    for (const auto* key : {"sweeping", "set"}) {
        if (const Node* node = find(root, key)) {
            mistakes.add(node->key_place, ErrorCode::NotAllowedHere,
                         fmt::format("a scene of bodies has no {}", key),
                         "leave it out, or describe the whole system by coordinates");
        }
    }
    if (std::holds_alternative<SeriesSettings>(settings.integrator)) {
        mistakes.add(place_of(root, "integrator.kind"), ErrorCode::NotAllowedHere,
                     "bodies are run by the integrators moreau and moreau_jean",
                     "write integrator.kind = \"moreau\"");
    }
    const bool formulas = has_formulas(root);
    if (const Node* impact = find(root, "impact"); impact != nullptr && formulas) {
        mistakes.add(impact->key_place, ErrorCode::NotAllowedHere,
                     "an impact map of bodies does not support contacts and constraints given by formulas",
                     "give restitutions instead, or leave the formulas out");
    }
    if (!things_of(root, "coordinate").empty() && find(root, "lagrangian") == nullptr) {
        mistakes.add(things_of(root, "coordinate").front().place, ErrorCode::MissingKey,
                     "coordinates beside bodies have no lagrangian",
                     "add [lagrangian] with their kinetic energy: kinetic = \"1/2*x'^2\"");
    }
}

/// Errors of the bodies get the places of the [[body]] that they come from; copies say the same once.
void add_body_errors(const Node& root, const BodyDraft& draft, const Errors& errors, Mistakes& mistakes)
{
    for (const Error& error : errors) {
        Place place = place_of(root, error.where);
        constexpr std::string_view key = "body.";
        const auto body = error.where.starts_with(key)
                              ? draft.body_numbers.find(error.where.substr(key.size()))
                              : draft.body_numbers.end();
        if (body != draft.body_numbers.end()) place = draft.places[static_cast<std::size_t>(body->second)];
        if (!mistakes.known_at(place)) mistakes.add(place, error);
    }
}

/// Kinetic energy of coordinates is theirs alone: what names bodies has no place in the metric.
void check_kinetic(const Node& root, const LagrangianSystem& system, int first, Mistakes& mistakes)
{
    for (const Term& term : system.kinetic.terms()) {
        const auto of_body = std::ranges::find_if(term.variables(), [&](const Variable& variable) {
            return variable.kind != Variable::Kind::Time && variable.index < first;
        });
        if (of_body == term.variables().end()) continue;
        mistakes.add(
            place_of(root, "lagrangian.kinetic"), ErrorCode::NotAllowedHere,
            fmt::format("the kinetic energy of coordinates names {}, of a body",
                        system.coordinates[static_cast<std::size_t>(of_body->index)].name),
            "bodies have their own kinetic energy; couple them by potentials, forces, loads, contacts "
            "or constraints");
        return;
    }
}

}  // namespace

std::optional<Scene> scene_of_bodies(const Node& root, const Names& names, Mistakes& mistakes)
{
    BodyDraft draft = draft_bodies(root, names, mistakes);
    const Names all_names = with_coordinates(root, names, draft, mistakes);
    Settings settings = read_settings(root, all_names, mistakes);
    refuse_beside_bodies(root, settings, mistakes);
    std::vector<Load> loads = read_loads(root, draft, all_names, mistakes);
    ShownBodies shown = read_shown(root, draft, all_names, mistakes);
    read_motors(root, draft, mistakes);
    std::vector<DrivenSpring> springs = read_driven_springs(root, draft, mistakes);
    draft.setup.start_s = settings.start_s;
    Draft beside;
    if (has_formulas(root)) {
        std::vector<Coordinate> of_bodies = coordinate_names(draft.setup);
        const auto first = static_cast<int>(of_bodies.size());
        beside = draft_beside_bodies(root, std::move(of_bodies), all_names, mistakes);
        check_kinetic(root, beside.system, first, mistakes);
        draft.setup.with_formulas = true;
        draft.setup.coordinates = static_cast<int>(beside.system.coordinates.size()) - first;
    }
    auto figures = read_figures(root, all_names, figure_names(shown), mistakes);
    if (const Node* impact = find(root, "impact"))
        draft.setup.impact_map = impact_map_of_bodies(*impact, mistakes);
    if (!mistakes.empty()) return std::nullopt;
    const auto others = static_cast<std::ptrdiff_t>(draft.setup.coordinates);
    const bool loaded = !loads.empty() || !springs.empty();
    auto made = loaded ? make_body_model(draft.setup) : make_body_model(std::move(draft.setup));
    if (made && loaded) {
        // loads act at points, which are known from the centres of mass
        draft.setup.forces = forces_of(std::move(loads), std::move(springs),
                                       std::make_shared<const BodyModel>(std::move(*made)));
        made = make_body_model(std::move(draft.setup));
    }
    if (!made) {
        add_body_errors(root, draft, made.error(), mistakes);
        return std::nullopt;
    }
    const auto bodies = std::make_shared<const BodyModel>(std::move(*made));
    State body_start = make_body_state(*bodies);
    body_start.q.tail(others) =
        Eigen::Map<const Eigen::VectorXd>(beside.q.data(), std::ssize(beside.q)).tail(others);
    body_start.u.tail(others) =
        Eigen::Map<const Eigen::VectorXd>(beside.u.data(), std::ssize(beside.u)).tail(others);
    beside.system.probes = std::move(shown.probes);
    beside.system.drawings = spring_drawings(*bodies);
    std::ranges::move(shown.drawings, std::back_inserter(beside.system.drawings));
    auto model = make_model(bodies, std::move(beside.system));
    if (!model) {
        add_body_errors(root, draft, model.error(), mistakes);
        return std::nullopt;
    }
    const double length_m = settings.length_m.value_or(bodies->length_m());
    const IntegratorSettings integrator =
        with_activation_gap(settings.integrator, settings.activation_gap_m.value_or(1e-9 * length_m));
    RunPlan plan = settings.plan;
    if (find_path(root, "record.events") == nullptr)
        plan.keep_events = bodies->bodies() <= max_bodies_with_events;
    State start = make_state(*model, body_start.q, body_start.u, settings.start_s);
    copy_bodies(body_start, start);
    if (has_formulas(root)) {
        for (const Error& error : check_start(*model, start, 1e-9 * length_m))
            mistakes.add(place_of(root, error.where), error);
        if (!mistakes.empty()) return std::nullopt;
    }
    return Scene{.title = {},
                 .text = {},
                 .model = std::move(*model),
                 .start = std::move(start),
                 .integrator = integrator,
                 .solver = settings.solver,
                 .plan = std::move(plan),
                 .record = settings.record,
                 .length_m = length_m,
                 .bodies = std::make_shared<const SceneBodies>(
                     SceneBodies{std::move(shown.forces), std::move(draft.colours)}),
                 .figures = std::move(figures)};
}

}  // namespace carom::detail
