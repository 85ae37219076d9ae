#include "body_formulas.hpp"

#include "body_parts.hpp"
#include "constraint_parts.hpp"
#include "friction_watch.hpp"
#include "ledger/reaction_line.hpp"
#include "statuses.hpp"
#include "step_parts.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "system/lagrangian/constraint_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom::detail {
namespace {

/// Quaternion components follow the place: w, i, j, k.
constexpr int places_in_space = 3;

/// What contacts and constraints of formulas did.
void take_statuses(const State& from, State& to)
{
    to.percussion_Ns = from.percussion_Ns;
    to.closed = from.closed;
    to.slides = from.slides;
    to.constraint_status = from.constraint_status;
}

}  // namespace

BodyFormulas::BodyFormulas(const BodyModel& bodies, const Model& model, Scratch& shown)
    : bodies_(bodies), model_(model), shown_(shown)
{
    own_ = model.coordinates() - model.body_coordinates();
    first_ = model.body_coordinates();
    for (int i = 0; i < bodies.bodies(); ++i) {
        if (has_coordinates(bodies, i)) body_of_.insert(body_of_.end(), coordinates_per_body(bodies), i);
    }
    const auto terms_of = [](const Formula& formula) {
        return std::vector<Term>(formula.terms().begin(), formula.terms().end());
    };
    kinetic_ = terms_of(model.system().kinetic);
    potential_ = terms_of(model.system().potential);
    covector_.setZero(model.coordinates());
}

void BodyFormulas::see(const State& at)
{
    at_ = coordinate_state(bodies_, at);
    q_ = view(std::as_const(at_.q));
    u_ = view(std::as_const(at_.u));
    t_s_ = at.t_s;
}

/// A(q) of the other coordinates, and their velocity terms (LS-2).
void BodyFormulas::evaluate_kinetic()
{
    A_.setZero(own_, own_);
    c_.setZero(own_);
    for (const Term& term : kinetic_) {
        const auto variables = term.variables();
        work_.make_room(variables.size());
        std::vector<double> first(variables.size()), second(variables.size() * (variables.size() + 1) / 2);
        term.hessian(point(), work_, first, second);
        std::size_t pair = 0;
        for (std::size_t a = 0; a < variables.size(); ++a) {
            const int i = variables[a].index - first_;
            if (variables[a].kind == Variable::Kind::Coordinate) c_[i] -= first[a];
            for (std::size_t b = 0; b <= a; ++b, ++pair) {
                if (variables[a].kind != Variable::Kind::Velocity) continue;
                const int j = variables[b].index - first_;
                if (variables[b].kind == Variable::Kind::Coordinate) {
                    c_[i] += second[pair] * u_[static_cast<std::size_t>(first_ + j)];
                } else if (variables[b].kind == Variable::Kind::Velocity) {
                    A_(i, j) += second[pair];
                    if (a != b) A_(j, i) += second[pair];
                }
            }
        }
    }
}

bool BodyFormulas::predict(double h_s, const State& state, BodyStepMemory& s)
{
    const auto bodies = static_cast<std::size_t>(bodies_.bodies()),
               all = bodies + static_cast<std::size_t>(bodies_.carriers());
    take_statuses(state, memory_);
    memory_.q = s.mid.q = state.q;
    memory_.u = s.mid.u = state.u;
    s.mid.q.tail(own_) += h_s / 2 * state.u.tail(own_);
    s.mid.v.resize(all, Vec3::Zero());
    s.mid.W.resize(all, Vec3::Zero());
    s.inverse_inertia.resize(all, Mat3::Zero());
    std::fill(s.inverse_inertia.begin() + static_cast<std::ptrdiff_t>(bodies), s.inverse_inertia.end(),
              Mat3::Zero());
    see(s.mid);
    if (own_ == 0) return true;
    evaluate_kinetic();
    L_.compute(A_);
    if (L_.info() != Eigen::Success || !A_.allFinite()) return false;
    const Eigen::VectorXd z = L_.matrixU() * s.mid.u.tail(own_);
    for (int i = 0; i < own_; ++i)
        s.mid.v[bodies + static_cast<std::size_t>(i / 3)][i % 3] = z[i];
    z_before_.assign(s.mid.v.begin() + static_cast<std::ptrdiff_t>(bodies), s.mid.v.end());
    return true;
}

/// Adds `factor` times the covector over all coordinates: to bodies as wrenches, to carriers as forces.
void BodyFormulas::scatter(const State& at, double factor, std::span<Wrench> wrenches)
{
    const int per_body = coordinates_per_body(bodies_);
    for (int j = 0; j < first_; j += per_body) {
        const auto g = covector_.segment(j, per_body);
        if (g.isZero(0)) continue;
        const auto i = static_cast<std::size_t>(body_of_[static_cast<std::size_t>(j)]);
        Wrench& wrench = wrenches[i];
        if (bodies_.is_flat()) {
            wrench.force_N += factor * Vec3(g[0], g[1], 0);
            wrench.torque_Nm += factor * Vec3(0, 0, g[2]);
            continue;
        }
        const Rotation& R = at.R[i];
        const Vec3 gv = g.segment<3>(places_in_space + 1);
        wrench.force_N += factor * Vec3(g.head<3>());
        wrench.torque_Nm +=
            factor * (R * Vec3(0.5 * (-g[places_in_space] * R.vec() + R.w() * gv + gv.cross(R.vec()))));
    }
    if (own_ == 0) return;
    const Eigen::VectorXd y = L_.matrixL().solve(covector_.tail(own_));
    for (int i = 0; i < own_; ++i) {
        const auto carrier = static_cast<std::size_t>(bodies_.bodies() + i / 3);
        wrenches[carrier].force_N[i % 3] += factor * y[i];
    }
}

void BodyFormulas::add_potential(const State& at, BodyStepMemory& s)
{
    covector_.setZero();
    potential_rate_W_ = 0;
    for (const Term& term : potential_) {
        const auto variables = term.variables();
        work_.make_room(variables.size());
        std::vector<double> first(variables.size());
        term.gradient(point(), work_, first);
        for (std::size_t a = 0; a < variables.size(); ++a) {
            if (variables[a].kind == Variable::Kind::Time)
                potential_rate_W_ += first[a];
            else
                covector_[variables[a].index] += first[a];
        }
    }
    scatter(at, -1, s.potential);
}

void BodyFormulas::add_given(const State& at, BodyStepMemory& s)
{
    const auto& forces = model_.system().forces;
    covector_.setZero();
    for (std::size_t i = 0; i < forces.size(); ++i)
        covector_[static_cast<Eigen::Index>(i)] = forces[i].value(point(), work_);
    scatter(at, 1, s.given);
    if (own_ == 0) return;
    // velocity terms at these velocities, with the metric as it is
    evaluate_kinetic();
    const Eigen::VectorXd y = L_.matrixL().solve(c_);
    terms_.assign(static_cast<std::size_t>(bodies_.carriers()), Vec3::Zero());
    for (int i = 0; i < own_; ++i)
        terms_[static_cast<std::size_t>(i / 3)][i % 3] = y[i];
}

void BodyFormulas::take_velocities(std::span<const Vec3> v, Eigen::VectorXd& u) const
{
    if (u.size() != first_ + own_) u.setZero(first_ + own_);
    if (own_ == 0) return;
    Eigen::VectorXd z(own_);
    for (int i = 0; i < own_; ++i)
        z[i] = v[static_cast<std::size_t>(bodies_.bodies() + i / 3)][i % 3];
    L_.matrixU().solveInPlace(z);
    u.tail(own_) = z;
}

Vec3 BodyFormulas::force_on_carrier(int k, const BodyStepMemory& s) const
{
    const auto i = static_cast<std::size_t>(bodies_.bodies() + k);
    return s.potential[i].force_N + s.given[i].force_N - terms_[static_cast<std::size_t>(k)];
}

void BodyFormulas::add_terms(const State& at, std::span<const int> support, std::span<const double> row,
                             BodyRows& rows)
{
    const int per_body = coordinates_per_body(bodies_);
    std::size_t p = 0;
    while (p < support.size() && support[p] < first_) {
        const int i = body_of_[static_cast<std::size_t>(support[p])];
        std::array<double, 7> g{};
        int first = support[p];
        while (first > 0 && body_of_[static_cast<std::size_t>(first - 1)] == i)
            --first;
        for (; p < support.size() && support[p] < first + per_body; ++p)
            g[static_cast<std::size_t>(support[p] - first)] = row[p];
        if (bodies_.is_flat()) {
            rows.add(i, {g[0], g[1], 0}, {0, 0, g[2]});
            continue;
        }
        const Rotation& R = at.R[static_cast<std::size_t>(i)];
        const Vec3 gv(g[4], g[5], g[6]);
        rows.add(i, {g[0], g[1], g[2]}, R * Vec3(0.5 * (-g[3] * R.vec() + R.w() * gv + gv.cross(R.vec()))));
    }
    if (p == support.size()) return;
    Eigen::VectorXd y = Eigen::VectorXd::Zero(own_);
    for (; p < support.size(); ++p)
        y[support[p] - first_] = row[p];
    L_.matrixL().solveInPlace(y);
    for (int k = 0; k < bodies_.carriers(); ++k) {
        Vec3 v = Vec3::Zero();
        for (int i = 3 * k; i < std::min(own_, 3 * k + 3); ++i)
            v[i % 3] = y[i];
        rows.add(bodies_.bodies() + k, v, Vec3::Zero());
    }
}

void BodyFormulas::add_rows(const MoreauSettings& settings, BodyStepMemory& s)
{
    see(s.mid);
    OneStepProblem& problem = s.problem;
    first_interaction_ = problem.offsets.size() - 1;
    first_row_ = problem.offsets.back();
    shown_.touching.assign(memory_.closed.begin(), memory_.closed.end());
    find_active(model_, point(), settings.activation_gap_m, work_, rows_.contacts, shown_.touching);
    evaluate_rows(model_, point(), work_, rows_);
    interactions_ = rows_.contacts;
    for (int k = 0; k < rows_.size(); ++k) {
        const auto support = model_.support(rows_.contacts[static_cast<std::size_t>(k)]);
        for (int i = 0; i < rows_.dimension(k); ++i) {
            s.rows.begin_row();
            add_terms(s.mid, support, rows_.row(k, i), s.rows);
        }
        problem.offsets.push_back(s.rows.size());
    }

    // the same rows where the functions of coordinates look for them: others before them have no support
    ContactRows& rows = shown_.rows;
    const auto skipped = first_interaction_;
    rows = rows_;
    rows.contacts.insert(rows.contacts.begin(), skipped, -1);
    rows.begin.insert(rows.begin.begin(), skipped, 0);
    rows.b.insert(rows.b.begin(), static_cast<std::size_t>(first_row_), 0.0);
    rows.offsets = problem.offsets;
    if (rows.index_of.size() != static_cast<std::size_t>(model_.interactions()))
        rows.index_of.assign(static_cast<std::size_t>(model_.interactions()), -1);
    for (int& index : rows.index_of) {
        if (index >= 0) index += static_cast<int>(skipped);
    }
}

double BodyFormulas::velocity(const BodyRows& rows, int row, std::span<const Vec3> v,
                              std::span<const Vec3> w) const
{
    return rows.velocity(row, v, w) + rows_.b[static_cast<std::size_t>(row - first_row_)];
}

bool BodyFormulas::load(const MoreauSettings& settings, BodyStepMemory& s)
{
    OneStepProblem& problem = s.problem;
    const double h = settings.time_step_s;
    const auto count = first_interaction_ + interactions_.size();
    for (auto* list : {&shown_.shift_m_s, &shown_.bend_m_s})
        list->assign(count, 0.0);
    shown_.persists.assign(count, 0);
    for (std::size_t k = 0; k < interactions_.size(); ++k) {
        const int i = interactions_[k];
        const int at = problem.offsets[first_interaction_ + k],
                  end = problem.offsets[first_interaction_ + k + 1];
        for (int row = at; row < end; ++row) {
            problem.U_minus[row] = velocity(s.rows, row, s.mid.v, s.w_before);
            problem.U_free[row] = velocity(s.rows, row, s.v_free, s.w_free);
            s.P[row] = memory_.percussion_Ns[static_cast<std::size_t>(model_.offset(i) + row - at)];
        }
        if (!model_.is_contact(i)) {
            problem.laws.push_back(constraint_law(model_, i, point(), h, work_));
            if (!check(problem.laws.back())) return false;
            continue;
        }
        const bool touched = memory_.closed[static_cast<std::size_t>(i)] != 0;
        const std::span<const double> U(problem.U_minus.data() + at, static_cast<std::size_t>(end - at));
        Law law = model_.law(i, point(), sticks_before(memory_, i, U), work_);
        if (!check(law)) return false;
        // one that touched persists (MS-8): it has no restitution, and closes at the end of the step
        const double open = model_.gap_m(i, point(), work_) - settings.activation_gap_m;
        const double W = problem.W.diagonal(static_cast<int>(first_interaction_ + k))[0];
        const double held = memory_.percussion_Ns[static_cast<std::size_t>(model_.offset(i))];
        const double reach = reach_of_touch_m_s(problem.U_free[at], problem.U_minus[at], W, held);
        const std::size_t place = first_interaction_ + k;
        const double open_half_way = gap_half_way_m(s, open, problem.U_minus[at]);
        if (touched && stays_in_touch(problem.U_minus[at], open_half_way, reach, h)) {
            remove_restitution(law);
            shown_.persists[place] = 1;
            shown_.shift_m_s[place] = closing_shift_m_s(open_half_way, problem.U_minus[at], s.theta, h);
            problem.U_free[at] += shown_.shift_m_s[place];
        } else if (open > 0) {
            law = released(end - at);
        }
        problem.laws.push_back(std::move(law));
    }
    U_free_ = problem.U_free;
    return true;
}

SolveReport BodyFormulas::solve(const SolverSettings& solver, double h_s, BodyStepMemory& s,
                                std::vector<Finding>& findings)
{
    s.problem.U_free = U_free_;
    std::swap(shown_.problem, s.problem);
    std::swap(shown_.P, s.P);
    memory_.t_s = t_s_;
    StepReport report;
    solve_with_constraints(model_,
                           {.state = memory_, .at = point(), .h_s = h_s, .carried = carried_part(s.theta)},
                           solver, shown_, report);
    std::swap(shown_.problem, s.problem);
    std::swap(shown_.P, s.P);
    const bool failed = report.status == StepStatus::Undetermined || report.status == StepStatus::NotSolved;
    if (failed && report.solve.status == SolveStatus::Converged) report.solve.status = SolveStatus::NotSolved;
    findings.insert(findings.end(), report.findings.begin(), report.findings.end());
    return report.solve;
}

void BodyFormulas::push(BodyStepMemory& s)
{
    take_velocities(s.next.v, s.next.u);
    shown_.U_plus.assign(s.P.size(), 0.0);
    for (int row = first_row_; row < static_cast<int>(s.P.size()); ++row)
        shown_.U_plus[static_cast<std::size_t>(row)] = velocity(s.rows, row, s.next.v, s.w_after);
}

Energies BodyFormulas::energies(const State& state)
{
    see(state);
    Energies result;
    for (const Term& term : kinetic_)
        result.kinetic_J += term.value(point(), work_);
    for (const Term& term : potential_)
        result.potential_J += term.value(point(), work_);
    return result;
}

double BodyFormulas::carried_energy_J(std::span<const Vec3> v) const
{
    double sum = 0;
    for (int k = 0; k < bodies_.carriers(); ++k)
        sum += 0.5 * v[static_cast<std::size_t>(bodies_.bodies() + k)].squaredNorm();
    return sum;
}

void BodyFormulas::account(double h_s, const State& state, std::span<const Vec3> v_still,
                           std::span<const Vec3> w_still, const BodyStepMemory& s, EnergyLines& lines)
{
    // of the carriers; the metric changes while they move, and a potential with time
    double potential_work = 0;
    for (int k = 0; k < bodies_.carriers(); ++k) {
        const auto i = static_cast<std::size_t>(bodies_.bodies() + k);
        const Vec3 z = 0.5 * (z_before_[static_cast<std::size_t>(k)] + s.next.v[i]);
        potential_work += h_s * s.potential[i].force_N.dot(z);
        lines.given_forces_J += h_s * s.given[i].force_N.dot(z);
        lines.scheme_J -= h_s * terms_[static_cast<std::size_t>(k)].dot(z);
    }
    double before_J = 0, after_J = 0;
    see(state);
    for (const Term& term : kinetic_)
        before_J += term.value(point(), work_);
    see(s.next);
    for (const Term& term : kinetic_)
        after_J += term.value(point(), work_);
    const double carried_J = carried_energy_J(s.next.v) - carried_energy_J(s.mid.v);
    lines.scheme_J += potential_work + after_J - before_J - carried_J;
    lines.prescribed_motions_J += h_s * potential_rate_W_;
    lines.scheme_J -= h_s * potential_rate_W_;

    for (std::size_t k = 0; k < interactions_.size(); ++k) {
        const Law& law = s.problem.laws[first_interaction_ + k];
        const int at = s.problem.offsets[first_interaction_ + k];
        for (int row = at; row < s.problem.offsets[first_interaction_ + k + 1]; ++row) {
            const auto r = static_cast<std::size_t>(row);
            lines.*line_of(law, row == at) += s.P[r] * 0.5 * (s.problem.U_minus[r] + shown_.U_plus[r]);
            lines.prescribed_motions_J -= s.P[r] * velocity(s.rows, row, v_still, w_still);
        }
    }
}

double BodyFormulas::add_violations(bool velocities, BodyStepMemory& s, double& deepest_m)
{
    see(s.next);
    ContactRows rows;
    std::vector<double> values;
    std::vector<JointPart::Kind> kinds;
    double worst = 0;
    for (std::size_t k = 0; k < interactions_.size(); ++k) {
        const int i = interactions_[k];
        if (shown_.released.size() > first_interaction_ + k && shown_.released[first_interaction_ + k])
            continue;
        if (model_.is_contact(i)) {
            const double gap = model_.gap_m(i, point(), work_);
            deepest_m = std::max(deepest_m, -gap);
            // one that separates does so by itself
            const auto row = static_cast<std::size_t>(s.problem.offsets[first_interaction_ + k]);
            const double met = std::abs(s.problem.U_minus[row]) + std::abs(s.problem.U_free[row]);
            if (!(s.P[row] > 0) || shown_.U_plus[row] > velocity_at_rest * met) continue;
            worst = std::max(worst, -gap);
            rows.contacts.push_back(i);
            values.push_back(gap);
            kinds.push_back(JointPart::Kind::Stop);
            continue;
        }
        const ConstraintPart& part = model_.part(i);
        if (part.limit >= 0 || (!part.held && !velocities)) continue;
        double value = 0;
        if (part.held) {
            std::vector<double> phi(static_cast<std::size_t>(model_.constraint(part.constraint).positions()));
            model_.constraint(part.constraint).violations(point(), phi, work_);
            value = phi[static_cast<std::size_t>(part.row)];
            if (!(std::abs(value) <= worst)) worst = std::abs(value);
        }
        rows.contacts.push_back(i);
        values.push_back(value);
        kinds.push_back(JointPart::Kind::Held);
    }
    evaluate_rows(model_, point(), work_, rows);
    for (int k = 0; k < rows.size(); ++k) {
        const auto place_of = static_cast<std::size_t>(k);
        s.correction_rows.begin_row();
        add_terms(s.next, model_.support(rows.contacts[place_of]), rows.row(k, 0), s.correction_rows);
        s.violations.push_back({.joint = -1,
                                .kind = kinds[place_of],
                                .value = values[place_of],
                                .rate = -rows.b[static_cast<std::size_t>(rows.offsets[place_of])]});
    }
    return worst;
}

void BodyFormulas::move(std::span<const Vec3> moved, State& places) const
{
    Eigen::VectorXd by;
    take_velocities(moved, by);
    places.q.tail(own_) += by.tail(own_);
}

namespace {

/// Sliding contacts of formulas; how their geometry goes on is not looked at.
class FormulaFriction final : public FrictionStep {
public:
    FormulaFriction(const Model& model, Scratch& shown, std::span<const ContactStep> of_bodies)
        : model_(model), shown_(shown), of_bodies_(of_bodies)
    {
        contacts = shown.contacts;
        before = shown.statuses;
        problem = &shown.problem;
    }
    [[nodiscard]] int interaction(const ContactStep& contact) const override
    {
        return shown_.rows.index_of[static_cast<std::size_t>(contact.contact)];
    }
    [[nodiscard]] std::string name(const ContactStep& contact) const override
    {
        return model_.system().contacts[static_cast<std::size_t>(contact.contact)].name;
    }
    [[nodiscard]] bool normal_row_ahead(const ContactStep&, std::array<double, 3>&) override { return false; }
    [[nodiscard]] bool acts_alone(const ContactStep& contact) override
    {
        const auto acts_too = [&](const ContactStep& one) { return &one != &contact && one.P[0] > 0; };
        return std::ranges::none_of(shown_.contacts, acts_too) && std::ranges::none_of(of_bodies_, acts_too);
    }

private:
    const Model& model_;
    Scratch& shown_;
    std::span<const ContactStep> of_bodies_;
};

}  // namespace

void BodyFormulas::look_at_friction(double ended_s, const BodyStepMemory& s, std::vector<Finding>& findings)
{
    FormulaFriction friction(model_, shown_, s.statuses.steps);
    friction.ended_s = ended_s;
    look_for_catastrophes(friction, findings);
    look_for_paradoxes(friction, findings);
}

void BodyFormulas::report(const State& before, double h_s, BodyStepMemory& s, StepReport& report)
{
    // the step as one in coordinates would leave it behind
    shown_.problem = s.problem;
    shown_.P = s.P;
    shown_.U_start = s.problem.U_minus;
    shown_.map_P.assign(s.P.size(), 0.0);
    shown_.held_P.clear();
    shown_.released.resize(first_interaction_ + interactions_.size(), 0);
    see(before);
    shown_.u_start = at_.u;
    see(s.next);
    shown_.u_end = at_.u;
    shown_.events.clear();
    report_contact_steps(model_, shown_);
    recall_statuses(model_, true, memory_, shown_);
    look_at_friction(before.t_s + h_s, s, report.findings);
    update_statuses(model_, true, before.t_s + h_s / 2, memory_, shown_, report.energy);
    report_constraints(model_, before.t_s + h_s / 2, memory_, shown_, report.energy);
    for (ContactStep step : shown_.contacts) {
        step.contact = shown_.rows.index_of[static_cast<std::size_t>(step.contact)];
        s.statuses.steps.push_back(step);
    }
    shown_.gap_m.resize(static_cast<std::size_t>(model_.contacts()));
    for (int c = 0; c < model_.contacts(); ++c)
        shown_.gap_m[static_cast<std::size_t>(c)] = model_.gap_m(c, point(), work_);
    memory_.q = at_.q;
    memory_.u = at_.u;
    // places: contacts of formulas, stops of joints; constraints of formulas, drives of joints
    const auto contacts = static_cast<std::uint64_t>(model_.contacts()),
               constraints = static_cast<std::uint64_t>(model_.constraints()),
               stops = static_cast<std::uint64_t>(bodies_.stops);
    for (Event& event : s.events) {
        if (event.first < 0) event.feature += event.feature < stops ? contacts : contacts + constraints;
    }
    for (Event event : shown_.events) {
        const auto place_of = static_cast<std::uint64_t>(std::exchange(event.contact, -1));
        event.feature = place_of < contacts ? place_of : place_of + stops;
        s.events.push_back(event);
    }
    std::ranges::stable_sort(s.events, {}, &Event::time_s);
}

void BodyFormulas::commit(State& state) const
{
    take_statuses(memory_, state);
}

std::string BodyFormulas::name_of_interaction(int interaction) const
{
    const int i = interactions_[static_cast<std::size_t>(interaction) - first_interaction_];
    if (model_.is_contact(i)) return model_.system().contacts[static_cast<std::size_t>(i)].name;
    return model_.system().constraints[static_cast<std::size_t>(model_.part(i).constraint)].name;
}

}  // namespace carom::detail
