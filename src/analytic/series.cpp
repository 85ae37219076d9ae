#include "analytic/series_step.hpp"

#include "series_engine.hpp"
#include "stepping/step_parts.hpp"
#include "visit_settings.hpp"

#include <cmath>

namespace carom {
namespace {

/// What of a contact has no series.
void check_contact(const Contact& contact, Errors& errors)
{
    const std::string where = "contact." + contact.name;
    const auto refuse = [&](const std::string& key, std::string message, std::string hint) {
        errors.push_back({.code = ErrorCode::NotAllowedHere,
                          .where = where + "." + key,
                          .message = std::move(message),
                          .hint = std::move(hint),
                          .excerpt = {}});
    };
    std::vector<Formula> formulas = contact.sliding;
    formulas.push_back(contact.gap);
    if (contact.particle) {
        const ContactParticle& particle = *contact.particle;
        formulas.push_back(particle.surface);
        for (const auto* list : {&particle.position, &particle.obstacle_velocity, &particle.tangent}) {
            formulas.insert(formulas.end(), list->begin(), list->end());
        }
    }
    if (contact.friction) {
        formulas.push_back(contact.friction->coefficient);
        if (contact.friction->static_coefficient) formulas.push_back(*contact.friction->static_coefficient);
        const FrictionShape& shape = contact.friction->shape;
        if (std::holds_alternative<FrictionEllipse>(shape) ||
            std::holds_alternative<FrictionPolygon>(shape)) {
            refuse("friction",
                   "the series integrator supports friction in the plane and isotropic friction in space",
                   "use integrator.kind = \"moreau\" for ellipses and polygons");
        }
    }
    for (const Formula& formula : formulas) {
        if (!has_table(formula)) continue;
        refuse("gap", "a table has no power series", "write a formula, or use integrator.kind = \"moreau\"");
    }
}

}  // namespace

Expected<void> check(const SeriesSettings& settings)
{
    return check_settings("SeriesSettings", settings);
}

Errors check_for_series(const Model& model)
{
    Errors errors;
    const LagrangianSystem& system = model.system();
    std::vector<std::pair<std::string, Formula>> formulas{{"lagrangian.kinetic", system.kinetic},
                                                          {"lagrangian.potential", system.potential}};
    for (std::size_t i = 0; i < system.forces.size(); ++i) {
        formulas.emplace_back("lagrangian.forces." + system.coordinates[i].name, system.forces[i]);
    }
    for (const auto& [where, formula] : formulas) {
        if (!has_table(formula)) continue;
        errors.push_back({.code = ErrorCode::NotAllowedHere,
                          .where = where,
                          .message = "a table has no power series",
                          .hint = "write a formula, or use integrator.kind = \"moreau\"",
                          .excerpt = {}});
    }
    if (system.force_function) {
        errors.push_back({.code = ErrorCode::NotAllowedHere,
                          .where = "LagrangianSystem::force_function",
                          .message = "forces that a program computes have no power series",
                          .hint = "write them as formulas, or use integrator.kind = \"moreau\"",
                          .excerpt = {}});
    }
    for (const Contact& contact : system.contacts) {
        check_contact(contact, errors);
    }
    for (const Constraint& constraint : system.constraints) {
        errors.push_back({.code = ErrorCode::NotAllowedHere,
                          .where = "constraint." + constraint.name,
                          .message = "the series integrator supports contacts, not constraints",
                          .hint = "use integrator.kind = \"moreau\" or \"moreau_jean\", or choose "
                                  "coordinates that satisfy the constraint identically",
                          .excerpt = {}});
    }
    return errors;
}

void SeriesPiece::at(double s, Eigen::VectorXd& q_out, Eigen::VectorXd& u_out) const
{
    const auto stride = static_cast<std::size_t>(order) + 1;
    const auto n = static_cast<Eigen::Index>(q.size() / stride);
    q_out.resize(n);
    u_out.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto begin = static_cast<std::size_t>(i) * stride;
        q_out[i] = series_value(q.data() + begin, order, s);
        u_out[i] = series_value(u.data() + begin, order, s);
    }
}

std::array<double, 3> SeriesPiece::reaction_N(int contact, double s) const
{
    std::array<double, 3> result{};
    for (const Reaction& reaction : reactions) {
        if (reaction.contact != contact) continue;
        for (int i = 0; i < reaction.dimension; ++i) {
            const auto begin = static_cast<std::size_t>(i) * (static_cast<std::size_t>(order) + 1);
            result[static_cast<std::size_t>(i)] = series_value(reaction.r.data() + begin, order, s);
        }
    }
    return result;
}

std::span<const SeriesPiece> series_pieces(const Scratch& scratch) noexcept
{
    if (!scratch.series) return {};
    return {scratch.series->pieces.data(), scratch.series->piece_count};
}

Expected<std::vector<StatusDecision>> explain_statuses(const Model& model, const SeriesSettings& settings,
                                                       const State& state)
{
    if (auto checked = check(settings); !checked) return checked.error();
    if (const Errors errors = check_for_series(model); !errors.empty()) return errors.front();
    Scratch scratch(model);
    SeriesMemory& memory = detail::series_memory(model, settings.order, state, scratch);
    if (detail::RepeatedContacts* const joined = memory.repeated.get()) {
        State& begin = joined->begin(state, nullptr, false);
        const auto decisions =
            detail::SeriesEngine(joined->reduced(), settings, {}, begin, joined->scratch(), memory)
                .decisions();
        if (!decisions) return decisions.error();
        return joined->of_all(*decisions);
    }
    State copy = state;
    return detail::SeriesEngine(model, settings, {}, copy, scratch, memory).decisions();
}

StepReport series_step(const Model& model, const SeriesSettings& settings, const SolverSettings& solver,
                       State& state, Scratch& scratch)
{
    if (model.constraints() > 0) {
        StepReport report;
        report.status = StepStatus::Undetermined;
        report.h_s = settings.time_step_s;
        report.findings.push_back({.code = "constraints_unknown",
                                   .time_s = state.t_s,
                                   .message = "the series integrator supports contacts, not constraints"});
        return report;
    }
    SeriesMemory& memory = detail::series_memory(model, settings.order, state, scratch);
    if (detail::RepeatedContacts* const joined = memory.repeated.get()) {
        State& begin = joined->begin(state, scratch.until, scratch.until_starts_at_zero);
        const StepReport report =
            detail::SeriesEngine(joined->reduced(), settings, solver, begin, joined->scratch(), memory).run();
        joined->finish(model, state, scratch);
        return report;
    }
    return detail::SeriesEngine(model, settings, solver, state, scratch, memory).run();
}

}  // namespace carom
