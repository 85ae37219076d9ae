#include "carom/orbit/sensitivity.hpp"

#include "directions.hpp"
#include "flow.hpp"
#include "run/until.hpp"
#include "step_sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {
namespace {

using namespace detail;

SensitiveState shown(Flow& flow, Differentiated& probes, Workspace& work)
{
    const auto n = static_cast<Eigen::Index>(flow.model().coordinates());
    SensitiveState result{.time_s = flow.state().t_s,
                          .q = flow.state().q,
                          .u = flow.state().u,
                          .dq = {},
                          .du = {},
                          .one_sided = !flow.one_sided().empty(),
                          .probes = {},
                          .dprobes = {}};
    probes.at(flow.system().place(result.time_s, result.q, result.u).point(), work);
    result.probes.assign(probes.value.data(), probes.value.data() + probes.value.size());
    if (!flow.differentiable() || flow.at_event()) return result;
    const Rows& X = flow.X();
    result.dq = X.topRows(n);
    result.du = X.middleRows(n, n);
    result.dprobes = probes.slope.leftCols(X.rows()) * X;
    return result;
}

Errors check_instants(const Scene& scene, const std::vector<double>& at_s)
{
    const double end = scene.start.t_s + scene.plan.duration_s;
    for (std::size_t i = 0; i < at_s.size(); ++i) {
        const bool inside = at_s[i] >= scene.start.t_s && at_s[i] <= end;
        if (inside && (i == 0 || at_s[i] > at_s[i - 1])) continue;
        return {{.code = ErrorCode::SettingOutOfRange,
                 .where = "--at",
                 .message = fmt::format(
                     "{} s is not an instant of the run, or not later than the previous one", at_s[i]),
                 .hint = fmt::format("give increasing instants from {} to {} s", scene.start.t_s, end),
                 .excerpt = {}}};
    }
    return {};
}

}  // namespace

std::string detail::name_of_contact(const Model& model, int contact)
{
    return contact >= 0 && contact < model.contacts()
               ? model.system().contacts[static_cast<std::size_t>(contact)].name
               : std::string();
}

NotDifferentiable detail::not_differentiable(const Loss& loss, double t_s, const Model& model)
{
    NotDifferentiable result{.time_s = t_s,
                             .kind = loss.kind,
                             .place = name_of_contact(model, loss.contact),
                             .words = loss.words,
                             .order = loss.order};
    if (loss.order > 0) {
        result.instant_exponent = 1.0 / loss.order;
        result.state_exponent = 1 - 1.0 / loss.order;
    }
    const auto names_of = [&](const std::vector<int>& contacts) {
        std::vector<std::string> names;
        for (const int c : contacts) {
            names.push_back(name_of_contact(model, c));
        }
        return names;
    };
    const auto n = static_cast<Eigen::Index>(model.coordinates());
    for (const ImpactOrder& order : loss.orders) {
        result.orders.push_back({.contacts = names_of(order.contacts),
                                 .ends = order.ends,
                                 .u_after = order.u_plus,
                                 .dq = order.X.topRows(n),
                                 .du = order.X.bottomRows(n)});
    }
    result.struck = names_of(loss.struck);
    result.dstruck_s = loss.dt;
    return result;
}

namespace {

/// Gaps that touched zero on the way, with what opens them.
std::vector<NotDifferentiable> grazes_of(const Flow& flow, const Model& model)
{
    std::vector<NotDifferentiable> result;
    for (const auto& [t_s, graze] : flow.one_sided()) {
        result.push_back(not_differentiable(
            {.kind = "grazing", .contact = graze.contact, .order = graze.order, .words = graze.words}, t_s,
            model));
        result.back().dgap_m = graze.dgap.row(0).transpose();
    }
    return result;
}

}  // namespace

Expected<Sensitivities, Errors> sensitivities(const Scene& scene, const SensitivityOptions& options)
{
    if (Errors errors = check_for_orbits(scene); !errors.empty()) return errors;
    if (options.by.empty()) {
        return Errors{
            {.code = ErrorCode::MissingKey,
             .where = "SensitivityOptions::by",
             .message = "no parameter or initial value is given to differentiate by",
             .hint = "name parameters.NAME, coordinate.NAME.start or coordinate.NAME.start_velocity",
             .excerpt = {}}};
    }
    auto directions = read_directions(scene, options.by);
    if (!directions) return directions.error();
    auto symbols = read_symbols(scene, directions->parameters);
    if (!symbols) return symbols.error();
    if (Errors errors = check_instants(scene, options.at_s); !errors.empty()) return errors;
    if (options.of_steps) return sensitivities_of_steps(scene, options, *directions, *symbols);

    Flow flow(scene, *symbols);
    std::vector<Formula> formulas;
    for (const Probe& probe : symbols->system.probes) {
        formulas.push_back(probe.value);
    }
    Differentiated probes = flow.system().functions_of(formulas);
    Workspace work;
    if (const auto& until = scene.plan.until.formula; until)
        flow.set_until(&*until, is_zero_at_start(*until, scene.start, work));
    flow.set_one_sided(true);
    flow.start(scene.start, directions->start(*symbols));

    Sensitivities result;
    result.by = options.by;
    // in parts, so that not all pieces of a long run are kept at once; slip that begins in space and is still
    // slow cannot be cut
    const bool slips_in_space = std::ranges::any_of(flow.system().contacts, [](const auto& contact) {
        return contact.dimension == 3 && contact.friction;
    });
    double part_s = slips_in_space ? scene.plan.duration_s : scene.plan.duration_s / 256;
    std::vector<double> instants = options.at_s;
    instants.push_back(scene.start.t_s + scene.plan.duration_s);
    for (const double instant : instants) {
        Flow::End end = Flow::End::Reached;
        for (double part = flow.state().t_s; end == Flow::End::Reached && part < instant;) {
            constexpr int few = 32, many = 256;
            const int before = flow.pieces();
            part = part + part_s < instant ? part + part_s : instant;
            end = flow.advance(part);
            const int pieces = flow.pieces() - before;
            if (pieces < few) part_s *= 2;
            if (pieces > many) part_s /= 2;
        }
        if (end == Flow::End::Failed) {
            result.reached_end = false;
            break;
        }
        result.states.push_back(shown(flow, probes, work));
        if (end == Flow::End::Until) {
            result.ended_by_until = true;
            if (flow.differentiable()) result.dend_s = flow.dt_until().row(0).transpose();
            break;
        }
    }
    for (const FlowEvent& one : flow.events) {
        result.events.push_back({.event = one.event,
                                 .place = name_of_contact(scene.model, one.event.contact),
                                 .dtime_s = one.dt,
                                 .dpercussion_Ns = one.dP,
                                 .dvelocity_before = one.dU_minus,
                                 .dvelocity_after = one.dU_plus,
                                 .q = one.q,
                                 .u_before = one.u_before,
                                 .u_after = one.u_after,
                                 .du_before = one.du_before,
                                 .du_after = one.du_after,
                                 .dz_before = one.X_before,
                                 .dz_after = one.X_after});
    }
    if (!flow.differentiable()) result.lost = not_differentiable(*flow.loss(), flow.loss_s(), scene.model);
    result.one_sided = grazes_of(flow, scene.model);
    result.findings = flow.findings();
    return result;
}

}  // namespace carom
