#include "step_parts.hpp"
#include "system/bodies/body_model.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include "constraint_parts.hpp"
#include "solver/one_contact.hpp"
#include "tolerances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace carom {

namespace {

/// Rigid bodies have a memory of their own: this one serves formulas, beside them or alone.
bool has_formulas(const Model& model)
{
    return model.bodies() == nullptr || model.bodies()->setup().with_formulas;
}

const MassPattern& pattern_of(const Model& model)
{
    static const MassPattern none{};
    return has_formulas(model) ? model.mass_pattern() : none;
}

}  // namespace

Scratch::Scratch(const Model& model)
    : gap_m(static_cast<std::size_t>(model.contacts())),
      A(pattern_of(model)),
      equal(model),
      correction_A(pattern_of(model))
{
    const int n = has_formulas(model) ? model.coordinates() : 0;
    for (auto* vector : {&u_free,
                         &q_mid,
                         &q_cone,
                         &u_start,
                         &u_minus,
                         &u_mean,
                         &u_end,
                         &q_end,
                         &velocity_terms,
                         &given_forces,
                         &potential_gradient,
                         &x,
                         &correction_x,
                         &q_theta,
                         &u_theta,
                         &u_before,
                         &u_held,
                         &q_moved,
                         &start_forces,
                         &end_forces}) {
        *vector = Eigen::VectorXd::Zero(n);
    }
}

Energies energies(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double t_s,
                  Workspace& work)
{
    const Point at{view(q), view(u), t_s};
    const auto [kinetic_J, potential_J] = model.energies(at, work);
    return {.kinetic_J = kinetic_J, .potential_J = potential_J};
}

bool sticks_before(const State& state, int contact, std::span<const double> U_start)
{
    if (state.closed[contact]) return !state.slides[contact];
    double sliding2 = 0;
    for (const double U_t : U_start.subspan(1)) {
        sliding2 += U_t * U_t;
    }
    return std::sqrt(sliding2) <= detail::velocity_rounding * std::abs(U_start[0]);
}

namespace {

/// check() of the usual laws without the words for what may be wrong with them.
bool is_in_range(const FrictionShape& shape)
{
    if (std::holds_alternative<FrictionDisc>(shape)) return true;
    if (const auto* interval = std::get_if<FrictionInterval>(&shape); interval != nullptr)
        if (interval->low <= 0 && interval->high >= 0 && std::isfinite(interval->high - interval->low))
            return true;
    return check(shape).has_value();
}

bool is_in_range(const Law& law)
{
    const auto is_restitution = [](double e) { return e >= 0 && e <= 1; };
    if (const auto* unilateral = std::get_if<Unilateral>(&law))
        return is_restitution(unilateral->restitution);
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) {
        return coulomb->friction >= 0 && std::isfinite(coulomb->friction) &&
               is_restitution(coulomb->restitution) && is_restitution(coulomb->tangential_restitution) &&
               is_in_range(coulomb->shape);
    }
    if (const auto* limited = std::get_if<Limited>(&law)) return limited->low <= 0 && limited->high >= 0;
    return std::holds_alternative<Bilateral>(law) || check(law).has_value();
}

}  // namespace

void remove_restitution(Law& law)
{
    if (auto* unilateral = std::get_if<Unilateral>(&law)) unilateral->restitution = 0;
    if (auto* coulomb = std::get_if<Coulomb>(&law))
        coulomb->restitution = coulomb->tangential_restitution = 0;
}

bool choose_laws(const Model& model, const Point& at, double h_s, const State& state, Scratch& s)
{
    OneStepProblem& problem = s.problem;
    problem.laws.clear();
    assign(s.rows.offsets, problem.offsets);
    s.persistence_known = false;
    if (s.rows.size() == 0) {
        for (auto* vector : {&s.U_start, &problem.U_minus, &s.P, &s.shift_m_s, &s.bend_m_s}) {
            vector->clear();
        }
        s.persists.clear();
        return true;
    }
    local_velocities(model, s.rows, view(s.u_start), s.U_start);
    if (model.system().impact_map)
        local_velocities(model, s.rows, view(s.u_minus), problem.U_minus);
    else
        assign(s.U_start, problem.U_minus);
    s.P.clear();
    const auto before_Ns = s.equal.percussions_Ns(state);
    set_all(s.rows.contacts.size(), char{0}, s.persists);
    set_all(s.rows.contacts.size(), 0.0, s.shift_m_s);
    set_all(s.rows.contacts.size(), 0.0, s.bend_m_s);
    for (int k = 0; k < s.rows.size(); ++k) {
        const int c = s.rows.contacts[k];
        const auto U_start = problem.part(std::span<const double>(s.U_start), k);
        Law& law = problem.laws.emplace_back(model.is_contact(c)
                                                 ? model.law(c, at, sticks_before(state, c, U_start), s.work)
                                                 : constraint_law(model, c, at, h_s, s.work));
        if (!is_in_range(law)) return false;
        if (model.system().impact_map) remove_restitution(law);
        for (int i = 0; i < s.rows.dimension(k); ++i) {
            s.P.push_back(before_Ns[model.offset(c) + i]);
        }
    }
    return true;
}

namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>,
                              std::bit_cast<std::uint64_t, double>);
}

}  // namespace

void assemble(const Model& model, const ContactCoupling& coupling, MassMatrix& B, Scratch& s)
{
    local_velocities(model, s.rows, view(s.u_free), s.problem.U_free);
    // contacts that stay, on plane obstacles and with a constant metric: W is that of the step before
    const bool constant = s.A_is_constant_and_factored && &B == &s.A;
    if (constant && s.W_is_constant && std::ranges::equal(s.rows.contacts, s.W_contacts) &&
        same_bits(s.rows.H, s.W_rows))
        return;
    assemble_delassus(model, coupling, s.rows, B, view(s.x), s.problem);
    s.W_is_constant = constant;
    if (!constant) return;
    assign(s.rows.contacts, s.W_contacts);
    assign(s.rows.H, s.W_rows);
}

namespace {

struct NormalVelocity {
    double U_m_s, terms_m_s;  ///< and the sum of the magnitudes of what it is made of
};

NormalVelocity normal_velocity(std::span<const int> support, std::span<const double> row, double b,
                               const Eigen::VectorXd& u)
{
    NormalVelocity result{b, std::abs(b)};
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double term = row[i] * u[support[i]];
        result.U_m_s += term;
        result.terms_m_s += std::abs(term);
    }
    return result;
}

/// The normal velocity of a contact that touches when the step begins; nothing for others.
std::optional<NormalVelocity> touches_at_start(const Model& model, const State& state, int contact,
                                               double activation_gap_m, Scratch& s)
{
    const Point at = point_of(state);
    if (!(std::abs(model.gap_m(contact, at, s.work)) <= activation_gap_m)) return std::nullopt;
    auto& row = s.correction_rows.H;  // free until the correction
    row.resize(model.support(contact).size());
    const double b = model.gap_gradient(contact, at, row, s.work);
    return normal_velocity(model.support(contact), row, b, state.u);
}

/// The paper to the letter: a contact that was closed and approaches by no more than it was held with in the
/// step before, or that the step begins with, slides along a curved or moving obstacle: that is no collision,
/// and restitution does not act (MS-7).
void calm_persistent_contacts(const Model& model, const State& state, double activation_gap_m, Scratch& s)
{
    for (int k = 0; k < s.rows.size(); ++k) {
        const int c = s.rows.contacts[k];
        const double approach = -s.problem.U_minus[s.problem.offsets[k]];
        if (!(approach > 0) || restitution(s.problem.laws[k]) == 0) continue;
        const double held = s.problem.W.diagonal(k)[0] * s.equal.percussions_Ns(state)[model.offset(c)];
        bool persists = state.closed[c] && approach <= 2 * held;
        if (!state.closed[c]) {
            const auto start = touches_at_start(model, state, c, activation_gap_m, s);
            persists = start && start->U_m_s >= -detail::velocity_rounding * start->terms_m_s;
        }
        if (persists) remove_restitution(s.problem.laws[k]);
    }
}

/// What reactions of the last step made of the normal velocity of a contact.
struct MadeByReactions {
    double by_forces_m_s = 0;  ///< those that were no impacts
    double by_all_m_s = 0;
};

/// The percussion of a contact that did not persist was an impact's.
MadeByReactions made_by_reactions(const Model& model, const State& state, int k, bool after_impact,
                                  const Scratch& s)
{
    MadeByReactions sum;
    const auto before_Ns = s.equal.percussions_Ns(state);
    for (const auto& entry : s.problem.W.row(k)) {
        const int j = s.rows.contacts[entry.column];
        const auto block = s.problem.W.block(k, entry);
        double made = 0;
        for (int i = 0; i < s.problem.W.dimension(entry.column); ++i) {
            made += block[static_cast<std::size_t>(i)] * before_Ns[model.offset(j) + i];
        }
        sum.by_all_m_s += std::abs(made);
        const bool force = model.is_contact(j) ? state.closed[j] == 2 : !after_impact;
        if (force) sum.by_forces_m_s += std::abs(made);
    }
    return sum;
}

/// Some contact acted in the last step and does not persist.
bool had_impact(const Model& model, const State& state)
{
    for (int c = 0; c < model.contacts(); ++c) {
        if (state.closed[c] != 2 && state.percussion_Ns[model.offset(c)] > 0) return true;
    }
    return false;
}

/// A contact that touches, as the step meets it.
PersistentContact met_by_step(const Model& model, const Persistence& persistence, const State& state, int k,
                              bool after_impact, Scratch& s)
{
    const int c = s.rows.contacts[k], row = s.problem.offsets[k];
    const NormalVelocity U = normal_velocity(model.support(c), s.rows.row(k, 0), s.rows.b[row], s.u_start);
    PersistentContact contact;
    contact.gap_m = model.gap_m(c, persistence.at, s.work);
    contact.U_minus_m_s = U.U_m_s;
    const MadeByReactions made = made_by_reactions(model, state, k, after_impact, s);
    contact.rounding_m_s =
        detail::velocity_rounding * U.terms_m_s + 2 * detail::velocity_at_rest * made.by_all_m_s;
    // constraints were put together after an impact, and have moved it a little
    if (after_impact && state.closed[c] == 1)
        contact.rounding_m_s +=
            detail::moved_after_impact * s.problem.W.diagonal(k)[0] * state.percussion_Ns[model.offset(c)];
    contact.bend_m_s = persistence.step.h_s * model.gap_curvature(c, persistence.at, s.work);
    if (!std::isfinite(contact.bend_m_s)) contact.bend_m_s = 0;  // a root or a power at its edge
    contact.reach_m_s = std::abs(s.problem.U_free[row] - s.problem.U_minus[row]) +
                        std::abs(contact.bend_m_s) + made.by_forces_m_s;
    return contact;
}

/// What curvature made of U_N since the last step took its contacts, if it was more than now.
double bend_before(const Model& model, const Persistence& persistence, int contact, Scratch& s)
{
    const double h = persistence.step.h_s;
    move(s.q_cone, s.u_start, -h, s.q_end);  // not yet needed
    const Point before{view(s.q_end), view(s.u_start), persistence.at.t_s - h};
    return h * std::abs(model.gap_curvature(contact, before, s.work));
}

/// (MS-8): u does not change between two steps. What a contact that was closed approaches with more than one
/// step ago, with the same u, its obstacle has made; what curvature and motion of the obstacle do not explain
/// is a kink, which strikes.
bool meets_kink(const Model& model, const Persistence& persistence, int k, const PersistentContact& contact,
                Scratch& s)
{
    const double bend = std::abs(contact.bend_m_s);
    if (!(contact.U_minus_m_s < -2 * bend - contact.rounding_m_s)) return false;
    const int c = s.rows.contacts[k];
    const double h = persistence.step.h_s;
    const double last_bend = bend_before(model, persistence, c, s);  // leaves the place in q_end
    const Point before{view(s.q_end), view(s.u_start), persistence.at.t_s - h};
    auto& row = s.correction_rows.H;
    row.resize(model.support(c).size());
    const double b = model.gap_gradient(c, before, row, s.work);
    const NormalVelocity U = normal_velocity(model.support(c), row, b, s.u_start);
    return contact.U_minus_m_s - U.U_m_s < -2 * (bend + last_bend) - contact.rounding_m_s;
}

/// Reactions of others pressed or lifted it in the last step.
bool is_pressed_by_others(const Model& model, const State& state, int k, const Scratch& s)
{
    return std::ranges::any_of(s.problem.W.row(k), [&](const auto& entry) {
        const int j = s.rows.contacts[entry.column];
        return entry.column != k && state.percussion_Ns[model.offset(j)] != 0;
    });
}

/// A contact that is not above the activation gap, moves away, and does so faster and faster: it has left a
/// moment ago (MS-10), and the law of a contact that persists leaves it alone. That of a collision would hold
/// it to U_N >= 0 half-way, where one that follows its obstacle has h kappa/2.
bool has_just_left(const Model& model, const Persistence& persistence, const State& state, int k,
                   const Scratch& s, const PersistentContact& contact)
{
    return contact.gap_m > 0 && contact.U_minus_m_s > contact.rounding_m_s &&
           persists(contact, persistence.step) &&
           s.problem.U_free[s.problem.offsets[k]] - contact.U_minus_m_s + contact.bend_m_s > 0 &&
           !is_pressed_by_others(model, state, k, s);
}

/// A contact that acted in the last step and was thrown back approaches again, only because its obstacle
/// bends or moves: its flight is shorter than a step, and it persists (MS-14).
bool returns_at_once(const Persistence& persistence, const PersistentContact& contact)
{
    return contact.U_minus_m_s < 0 && contact.U_minus_m_s - contact.bend_m_s >= -contact.rounding_m_s &&
           persists(contact, persistence.step);
}

/// (MS-8), (MS-9) for all contacts that touch. True when one of them is open after all: it touches no more.
bool recognise_persistent(const Model& model, const Persistence& persistence, const State& state, Scratch& s)
{
    const bool after_impact = model.constraints() > 0 && had_impact(model, state);
    const auto map_acted = [&] {
        return std::any_of(s.map_P.begin(), s.map_P.end(), [](double percussion) { return percussion != 0; });
    };
    bool any_open = false;
    for (int k = 0; k < s.rows.size() && model.is_contact(s.rows.contacts[k]); ++k) {
        const int c = s.rows.contacts[k];
        const bool touches = s.touching[static_cast<std::size_t>(c)] != 0;
        const bool acted = state.percussion_Ns[model.offset(c)] > 0;
        if (!touches && !acted && !(s.problem.U_minus[s.problem.offsets[k]] > 0)) continue;
        PersistentContact contact = met_by_step(model, persistence, state, k, after_impact, s);
        const bool returns = !touches && acted && returns_at_once(persistence, contact);
        if (!touches && !returns && !has_just_left(model, persistence, state, k, s, contact)) continue;
        if (!persists(contact, persistence.step)) {
            contact.reach_m_s += bend_before(model, persistence, c, s);
        }
        const bool struck =
            (returns || state.closed[c] != 0) && meets_kink(model, persistence, k, contact, s);
        if (!struck && persists(contact, persistence.step)) {
            s.persists[k] = 1;
            s.bend_m_s[k] = contact.bend_m_s;
            s.shift_m_s[k] = persistent_shift_m_s(contact, persistence.step);
            remove_restitution(s.problem.laws[k]);
        } else if (contact.gap_m > persistence.step.activation_gap_m && !map_acted()) {
            s.equal.open(c, s.touching);
            any_open = true;
        }
    }
    return any_open;
}

}  // namespace

void find_touching(const Model& model, const State& state, double activation_gap_m, bool recognise,
                   Scratch& s)
{
    if (model.contacts() == 0) return;
    if (!recognise) {
        set_all(state.closed.size(), char{0}, s.touching);
        return;
    }
    assign(state.closed, s.touching);
    const bool gaps_known = s.at_end_known && same(state.q, s.at_end_q);
    for (int c = 0; c < model.contacts(); ++c) {
        // the last step has left the gaps, up to roundings
        if (state.closed[c] || (gaps_known && std::abs(s.gap_m[c]) > 2 * activation_gap_m)) continue;
        const auto start = touches_at_start(model, state, c, activation_gap_m, s);
        s.touching[c] = start && std::abs(start->U_m_s) <= detail::velocity_rounding * start->terms_m_s;
    }
}

void detect(const Model& model, const Point& at, double activation_gap_m, const State& state, Scratch& s)
{
    find_active(model, at, activation_gap_m, s.work, s.rows.contacts, s.touching);
    s.equal.fold(model, state, s.touching, s.rows.contacts);
    evaluate_rows(model, at, s.work, s.rows);
}

bool assemble_with_persistence(const Model& model, const ContactCoupling& coupling, MassMatrix& B,
                               const Persistence& persistence, const State& state, Scratch& s)
{
    if (s.rows.size() == 0) {
        if (s.problem.W.blocks() != 0) assemble(model, coupling, B, s);
        s.problem.U_free.clear();
        s.persistence_known = persistence.recognise;
        return true;
    }
    assemble(model, coupling, B, s);
    const double activation_gap_m = persistence.step.activation_gap_m;
    if (!persistence.recognise) {
        calm_persistent_contacts(model, state, activation_gap_m, s);
        return true;
    }
    if (!model.is_contact(s.rows.contacts.front())) {  // constraints alone: no law is shifted
        s.persistence_known = true;
        return true;
    }
    while (!s.persistence_known && recognise_persistent(model, persistence, state, s)) {
        detect(model, persistence.at, activation_gap_m, state, s);
        s.map_P.assign(s.rows.b.size(), 0.0);
        if (!choose_laws(model, persistence.at, persistence.step.h_s, state, s)) return false;
        assemble(model, coupling, B, s);
    }
    s.persistence_known = true;
    for (int k = 0; k < s.rows.size(); ++k) {
        s.problem.U_free[s.problem.offsets[k]] += s.shift_m_s[k];
    }
    return true;
}

void apply_solution(const Model& model, MassMatrix& B, Scratch& s)
{
    assign(s.u_free, s.u_end);
    if (s.rows.size() == 0) return;
    apply_percussions(model, s.rows, s.P, B, view(s.x));
    for (Eigen::Index i = 0; i < s.x.size(); ++i) {
        s.u_end[i] += s.x[i];
    }
}

void report_contacts(const Model& model, Scratch& s)
{
    s.contacts.clear();
    if (s.rows.size() == 0) {
        s.U_plus.clear();
        return;
    }
    local_velocities(model, s.rows, view(s.u_end), s.U_plus);
    report_contact_steps(model, s);
}

void report_contact_steps(const Model& model, Scratch& s)
{
    const OneStepProblem& problem = s.problem;
    s.contacts.clear();
    // a solve mixes all contacts: roundings of the largest velocity are among those of the others
    double largest_m_s = 0;
    for (std::size_t row = 0; row < problem.U_free.size(); ++row) {
        largest_m_s = std::max({largest_m_s, std::abs(problem.U_free[row]), std::abs(problem.U_minus[row])});
    }
    for (int k = 0; k < s.rows.size() && model.is_contact(s.rows.contacts[k]); ++k) {
        if (s.rows.contacts[k] < 0) continue;
        ContactStep& contact = s.contacts.emplace_back();
        contact.contact = s.rows.contacts[k];
        contact.dimension = s.rows.dimension(k);
        contact.restitution = restitution(problem.laws[k]);
        // what an impact map has thrown off takes part in an impact
        contact.persists = s.persists[k] != 0 && s.map_P[problem.offsets[k]] == 0;
        contact.shift_m_s = s.shift_m_s[k];
        contact.bend_m_s = s.bend_m_s[k];
        contact.left_m_s = detail::velocity_rounding * largest_m_s;
        const auto support = model.support(contact.contact);
        const auto row = s.rows.row(k, 0);
        const double b = s.rows.b[problem.offsets[k]];
        double met_m_s = std::abs(b), left_m_s = met_m_s;  // the terms of U_N before and after
        for (std::size_t i = 0; i < row.size(); ++i) {
            met_m_s += std::abs(row[i] * s.u_start[support[i]]);
            left_m_s += std::abs(row[i] * s.u_end[support[i]]);
        }
        contact.rounding_m_s = detail::velocity_rounding * std::max(met_m_s, left_m_s);
        const auto W = problem.W.diagonal(k);
        contact.W_1_kg = W[0];
        if (const auto* coulomb = std::get_if<Coulomb>(&problem.laws[k])) {
            contact.sliding_margin = sliding_margin(*coulomb, W);
        }
        for (int i = 0; i < contact.dimension; ++i) {
            const int at = problem.offsets[k] + i;
            contact.U_minus[i] = s.U_start[at];
            contact.U_free[i] = problem.U_free[at] - (i == 0 ? contact.shift_m_s : 0.0);
            contact.U_plus[i] = s.U_plus[at];
            contact.P[i] = s.P[at] + s.map_P[at];
            (i == 0 ? contact.energy_J : contact.friction_J) +=
                (s.map_P[at] * (s.U_start[at] + problem.U_minus[at]) +
                 s.P[at] * (problem.U_minus[at] + s.U_plus[at])) /
                2;
            contact.from_free_J += s.P[at] * (contact.U_free[i] - problem.U_minus[at]) / 2;
            const double W_ii = W[static_cast<std::size_t>(i * contact.dimension + i)];
            if (i > 0) contact.W_tangential_1_kg = std::max(contact.W_tangential_1_kg, W_ii);
        }
        contact.from_free_J += contact.energy_J + contact.friction_J;
    }
}

double energy_created_J(std::span<const double> P, std::span<const double> U_free,
                        std::span<const double> U_plus, double shift_m_s)
{
    // the law of a contact that persists may throw it out: that is not made by its percussion
    double created = P[0] * (std::min(0.0, shift_m_s) - 0.5 * shift_m_s);
    for (std::size_t i = 0; i < P.size(); ++i) {
        created += P[i] * 0.5 * (U_free[i] + U_plus[i]);
    }
    return created;
}

StepReport failed(StepStatus status, double h_s)
{
    StepReport report;
    report.status = status;
    report.h_s = h_s;
    return report;
}

StepReport failed(StepReport report)
{
    StepReport result = failed(report.status, report.h_s);
    result.findings = std::move(report.findings);
    return result;
}

void add_other_motion(const OtherMotion& other, double time_s, std::vector<std::string> names,
                      StepReport& report, const char* unit)
{
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    Finding finding{.code = "several_solutions",
                    .time_s = time_s,
                    .message = {},
                    .uncertifies = true,
                    .about = fmt::format("{}", fmt::join(names, ", "))};
    const bool known = std::ranges::any_of(report.findings, [&](const Finding& other_finding) {
        return other_finding.code == finding.code && other_finding.about == finding.about;
    });
    if (known) return;
    const bool accelerates = std::string_view(unit) != "m/s";
    finding.message = fmt::format(
        "{}: {}, and {} differ by {:.3g} {}. The motion is one of several: that of the {} which an equal, "
        "vanishing compliance of the contacts selects",
        finding.about,
        other.wedged ? "contacts that hold each other by friction may also stay wedged"
                     : "another motion satisfies all laws as well",
        accelerates ? "accelerations" : "velocities", other.difference_m_s, unit,
        accelerates ? "reactions" : "percussions");
    report.findings.push_back(std::move(finding));
}

std::string_view name_of(StepStatus status) noexcept
{
    switch (status) {
    case StepStatus::Solved: return "solved";
    case StepStatus::NotSolved: return "not_solved";
    case StepStatus::NotFinite: return "not_finite";
    case StepStatus::MetricSingular: return "metric_singular";
    case StepStatus::LawOutOfRange: return "law_out_of_range";
    case StepStatus::Undetermined: return "undetermined";
    case StepStatus::NoNearestPoint: return "no_nearest_point";
    }
    return "unknown";
}

}  // namespace carom
