#include "coordinate_system.hpp"

#include "constraint_parts.hpp"
#include "friction_watch.hpp"
#include "impact_map.hpp"
#include "statuses.hpp"
#include "step_parts.hpp"
#include "tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Gaps at the end of the step; returns the deepest overlap.
double evaluate_gaps(const Model& model, const Point& at, Scratch& s)
{
    double deepest = 0;
    for (int c = 0; c < model.contacts(); ++c) {
        s.gap_m[c] = model.gap_m(c, at, s.work);
        deepest = std::max(deepest, -s.gap_m[c]);
    }
    return deepest;
}

/// A bounce may begin so deep inside its obstacle, beside its own height; lifting it may give back so much of
/// what the impact took.
constexpr double deepest_bounce = 0.1, given_back = 0.01;

/// (MS-12): a contact leaves by restitution, faster than a step of acceleration makes it, and the overlap
/// takes more than a tenth of its bounce. What lifting it gives back is little beside what the impact took.
bool is_swallowed(const ContactStep& contact, double depth_m, double h_s)
{
    const double away = contact.U_plus[0], met = contact.U_minus[0];
    const double pressed_m_s = met - contact.U_free[0];  // h a, towards the obstacle
    if (contact.persists || !(contact.P[0] > 0 && pressed_m_s > 0 && away > 2 * pressed_m_s)) return false;
    const double lift_m2_s2 = 2 * pressed_m_s / h_s * depth_m;
    return lift_m2_s2 > deepest_bounce * away * away && lift_m2_s2 < given_back * (met * met - away * away);
}

/// (MS-5): contacts that acted, stay closed and overlap. One that leaves by restitution is not lifted, which
/// would feed it energy so that it would never rest, unless the overlap would swallow its bounce.
bool lift_out(const Model& model, double activation_gap_m, double t_s, double h_s, Scratch& s)
{
    auto& staying = s.correction_rows.contacts;
    staying.clear();
    double violation = 0;
    for (const ContactStep& contact : s.contacts) {
        const double depth_m = -s.gap_m[contact.contact];
        if (!stays_closed(contact) && !is_swallowed(contact, depth_m, h_s)) continue;
        staying.push_back(contact.contact);
        // one that persists is kept on its obstacle by its law
        if (!contact.persists) violation = std::max(violation, depth_m);
    }
    const double tolerance = detail::violation_left * activation_gap_m;
    if (!(violation > tolerance)) return false;
    auto& gaps = s.correction_problem.U_free;
    gaps.clear();
    for (const int contact : staying) {
        gaps.push_back(s.gap_m[contact]);
    }
    begin_correction(model, s);
    if (!project_out(model, t_s, s.q_end, s)) return false;
    const Point at{view(s.q_end), view(s.u_end), t_s};
    double last = std::numeric_limits<double>::infinity();
    for (int pass = 1; pass < max_correction_passes; ++pass) {
        double left = 0;
        for (std::size_t k = 0; k < staying.size(); ++k) {
            gaps[k] = model.gap_m(staying[k], at, s.work);
            left = std::max(left, left_to_correct(gaps[k], staying[k], s));
        }
        if (!(left > tolerance && left <= 0.5 * last) || !project_out(model, t_s, s.q_end, s)) break;
        last = left;
    }
    return true;
}

/// The step begins where the last one ended, but perhaps for a rounding of the time.
bool begins_where_last_ended(const State& state, const Scratch& s)
{
    return s.at_end_known && same(state.q, s.at_end_q) && same(state.u, s.at_end_u);
}

/// Energies where the step begins: mostly the last step has left them.
Energies energies_at_start(const Model& model, const State& state, bool continues, Scratch& s)
{
    const bool known = continues && (state.t_s == s.at_end_t_s ||
                                     !model.system().potential.depends_on(Variable::Kind::Time));
    return known ? s.at_end : energies(model, state.q, state.u, state.t_s, s.work);
}

/// Forces where the step begins: mostly the last step has left them.
void forces_at_start(const Model& model, const State& state, bool continues, Scratch& s)
{
    const auto depend_on_time = [&] {
        return std::ranges::any_of(model.system().forces, [](const Formula& force) {
            return force.depends_on(Variable::Kind::Time);
        });
    };
    const bool known = s.end_forces_known && !model.system().force_function;
    if (continues && known && (state.t_s == s.at_end_t_s || !depend_on_time()))
        s.start_forces.swap(s.end_forces);
    else
        model.given_forces(point_of(state), view(s.start_forces), s.work);
    s.end_forces_known = false;
}

/// (LE-4): work of the given forces over the step by Simpson's rule, less what the ledger has for them. `at`
/// is the end of the step.
double forces_defect_J(const Model& model, const State& state, bool continues, const Point& at, double h_s,
                       Scratch& s)
{
    if (model.system().forces.empty()) return 0;
    forces_at_start(model, state, continues, s);
    model.given_forces(at, view(s.end_forces), s.work);
    s.end_forces_known = true;
    double at_start = 0, at_end = 0;
    for (Eigen::Index i = 0; i < s.u_end.size(); ++i) {
        at_start += (s.start_forces[i] - s.given_forces[i]) * s.u_minus[i];
        at_end += (s.end_forces[i] - s.given_forces[i]) * s.u_end[i];
    }
    // sin(t)/t has no value at an end that is 0, and a motion: the midpoint decides, as it does for the
    // scheme
    return h_s / 6 * ((std::isfinite(at_start) ? at_start : 0) + (std::isfinite(at_end) ? at_end : 0));
}

/// (LE-5): T(u_free) - T(u_end), what percussions took from the motion that they met.
double held_back_J(const Scratch& s)
{
    double sum = 0;
    for (std::size_t i = 0; i < s.P.size(); ++i) {
        sum += s.P[i] * ((s.problem.U_free[i] + s.U_plus[i]) / 2 - s.rows.b[i]);
    }
    return -sum;
}

/// W_N. of the contact k, its normal row times A^-1 times all its rows, at another configuration. Works in
/// the memory of the correction; false where the metric is singular.
bool normal_row_of_W(const Model& model, int contact, const Point& at, Scratch& s, std::array<double, 3>& W_N)
{
    ContactRows& rows = s.correction_rows;
    rows.contacts.assign(1, contact);
    evaluate_rows(model, at, s.work, rows);
    if (!s.A_is_constant_and_factored) {
        model.kinetic_terms(at, s.correction_A, view(s.correction_x), s.work);
        if (!s.correction_A.factorise()) return false;
    }
    s.correction_P.assign(static_cast<std::size_t>(rows.offsets.back()), 0.0);
    s.correction_P.front() = 1;
    MassMatrix& A = s.A_is_constant_and_factored ? s.A : s.correction_A;
    apply_percussions(model, rows, s.correction_P, A, view(s.correction_x));
    for (int i = 0; i < rows.dimension(0); ++i) {
        const auto row = rows.row(0, i);
        const auto support = model.support(contact);
        W_N[static_cast<std::size_t>(i)] = 0;
        for (std::size_t p = 0; p < row.size(); ++p) {
            W_N[static_cast<std::size_t>(i)] += row[p] * s.correction_x[support[p]];
        }
    }
    return true;
}

/// Sliding contacts of a step in coordinates.
class CoordinateFriction final : public FrictionStep {
public:
    CoordinateFriction(const Model& model, const State& start, bool persistence_known, double h_s, Scratch& s)
        : model_(model), h_s_(h_s), start_s_(start.t_s), s_(s)
    {
        contacts = s.contacts;
        before = s.statuses;
        recognised = persistence_known;
        ended_s = start.t_s + h_s;
        problem = &s.problem;
    }
    [[nodiscard]] int interaction(const ContactStep& contact) const override
    {
        return s_.rows.index_of[contact.contact];
    }
    [[nodiscard]] std::string name(const ContactStep& contact) const override
    {
        return model_.system().contacts[static_cast<std::size_t>(contact.contact)].name;
    }
    [[nodiscard]] bool normal_row_ahead(const ContactStep& contact, std::array<double, 3>& W_N) override
    {
        move(s_.q_cone, s_.u_start, h_s_, s_.q_moved);
        const Point ahead{view(s_.q_moved), view(s_.u_start), start_s_ + 1.5 * h_s_};
        return normal_row_of_W(model_, contact.contact, ahead, s_, W_N);
    }
    [[nodiscard]] bool acts_alone(const ContactStep& contact) override
    {
        return std::ranges::none_of(s_.contacts,
                                    [&](const ContactStep& one) { return &one != &contact && one.P[0] > 0; });
    }

private:
    const Model& model_;
    double h_s_, start_s_;
    Scratch& s_;
};

}  // namespace

CoordinateSystem::CoordinateSystem(const Model& model, const Scheme& scheme, State& state, Scratch& scratch)
    : model_(model), scheme_(scheme), state_(state), s_(scratch)
{
}

void CoordinateSystem::set_places()
{
    s_.events.clear();
    assign(state_.u, s_.u_minus);
    assign(state_.u, s_.u_start);
    move(state_.q, state_.u, scheme_.h_s / 2, s_.q_mid);
    if (scheme_.at_end)
        move(state_.q, state_.u, scheme_.h_s, s_.q_cone);
    else
        assign(s_.q_mid, s_.q_cone);
}

void CoordinateSystem::detect()
{
    find_touching(model_, state_, scheme_.activation_gap_m, scheme_.recognise, s_);
    carom::detect(model_, cone_point(), scheme_.activation_gap_m, state_, s_);
}

bool CoordinateSystem::strike(StepReport& report)
{
    return apply_impact_map(model_, state_, cone_point().t_s, s_, report);
}

void CoordinateSystem::choose_laws_into(StepReport& report)
{
    if (!choose_laws(model_, cone_point(), scheme_.h_s, state_, s_))
        report.status = StepStatus::LawOutOfRange;
}

void CoordinateSystem::solve(const SolverSettings& solver, StepReport& report)
{
    const Persistence persistence{scheme_.recognise,
                                  {scheme_.h_s, scheme_.theta, scheme_.at_end, scheme_.activation_gap_m},
                                  cone_point()};
    if (!assemble_with_persistence(model_, coupling(), response(), persistence, state_, s_)) {
        report.status = StepStatus::LawOutOfRange;
        return;
    }
    solve_with_constraints(model_, {state_, cone_point(), scheme_.h_s, carried_part(scheme_.theta)}, solver,
                           s_, report);
    apply_solution(model_, response(), s_);
}

double CoordinateSystem::created_J()
{
    local_velocities(model_, s_.rows, view(s_.u_end), s_.U_plus);
    double created = 0;
    for (int k = 0; k < s_.rows.size() && model_.is_contact(s_.rows.contacts[k]); ++k) {
        if (restitution(s_.problem.laws[k]) > 0) continue;
        const auto at = static_cast<std::size_t>(s_.problem.offsets[k]);
        created += energy_created_J(s_.problem.part(std::span<const double>(s_.P), k),
                                    s_.problem.part(std::span<const double>(s_.problem.U_free), k),
                                    std::span<const double>(s_.U_plus).subspan(at), s_.shift_m_s[k]);
    }
    return created;
}

double CoordinateSystem::free_kinetic_J()
{
    return s_.A.squared_norm(view(s_.u_free)) / 2;
}

std::vector<std::string> CoordinateSystem::names_of(const OtherMotion& other) const
{
    std::vector<std::string> names;
    for (const int k : other.interactions) {
        const int i = s_.rows.contacts[k];
        names.push_back(model_.is_contact(i) ? model_.system().contacts[static_cast<std::size_t>(i)].name
                                             : model_.system().constraints[model_.part(i).constraint].name);
    }
    return names;
}

std::span<const OtherMotion> CoordinateSystem::other_motions() const
{
    return s_.solver.selector.others();
}

Energies CoordinateSystem::energies_at_start()
{
    continues_ = begins_where_last_ended(state_, s_);
    return carom::energies_at_start(model_, state_, continues_, s_);
}

Energies CoordinateSystem::energies_at_end()
{
    return energies(model_, s_.q_end, u_after(), end_s(), s_.work);
}

void CoordinateSystem::account(const Energies& start, const Energies& end, StepReport& report)
{
    s_.at_end_known = false;
    report_contacts(model_, s_);
    report.energy = account_step({.h_s = scheme_.h_s,
                                  .u_start = view(s_.u_start),
                                  .u_minus = view(report.map_acted ? s_.u_minus : s_.u_start),
                                  .u_plus = view(s_.u_end),
                                  .A = &s_.A,
                                  .velocity_terms = view(s_.velocity_terms),
                                  .given_forces = view(s_.given_forces),
                                  .potential_gradient = view(s_.potential_gradient),
                                  .potential_rate_W = s_.potential_rate_W,
                                  .laws = s_.problem.laws,
                                  .offsets = s_.problem.offsets,
                                  .P = s_.P,
                                  .U_minus = s_.problem.U_minus,
                                  .U_plus = s_.U_plus,
                                  .b = s_.rows.b,
                                  .map_P = s_.map_P,
                                  .U_start = s_.U_start,
                                  .persists = s_.persists},
                                 start, end);
    report.accuracy.held_back_J = held_back_J(s_);
}

bool CoordinateSystem::correct(StepReport& report)
{
    const Point at{view(s_.q_end), view(s_.u_end), end_s()};
    report.max_penetration_m = evaluate_gaps(model_, at, s_);
    const bool has_constraints = model_.constraints() > 0;
    if (has_constraints && !scheme_.correction) report.max_violation = largest_violation(model_, end_s(), s_);
    if (!scheme_.correction) return false;
    if (has_constraints) {
        hold_constraints(model_, scheme_.activation_gap_m, end_s(), s_, report);
        held_ = true;
    } else if (!lift_out(model_, scheme_.activation_gap_m, end_s(), scheme_.h_s, s_)) {
        return false;
    }
    report.max_penetration_m = evaluate_gaps(model_, at, s_);
    return true;
}

void CoordinateSystem::watch(StepReport& report)
{
    report.accuracy.forces_defect_J = forces_defect_J(
        model_, state_, continues_, {view(s_.q_end), view(u_after()), end_s()}, scheme_.h_s, s_);
    s_.equal.share_rows(s_.rows);
    s_.equal.unfold(s_.rows, s_.contacts, s_.problem.laws);
    recall_statuses(model_, s_.persistence_known, state_, s_);
    if (!s_.contacts.empty()) {
        CoordinateFriction friction(model_, state_, s_.persistence_known, scheme_.h_s, s_);
        look_for_catastrophes(friction, report.findings);
        look_for_paradoxes(friction, report.findings);
    }
    update_statuses(model_, s_.persistence_known, mid_s(), state_, s_, report.energy);
    report_constraints(model_, mid_s(), state_, s_, report.energy);
}

void CoordinateSystem::commit(const StepReport& report)
{
    s_.at_end = report.at_end;
    assign(s_.q_end, s_.at_end_q);
    assign(u_after(), s_.at_end_u);
    s_.at_end_t_s = end_s();
    s_.at_end_known = true;
    assign(s_.q_end, state_.q);
    assign(u_after(), state_.u);
    state_.t_s = end_s();
}

}  // namespace carom
