#include "body_parts.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace carom::detail {
namespace {

bool is_held(const JointPart& part)
{
    return part.kind == JointPart::Kind::Held;
}

/// A motor without a limit.
bool is_firm_motor(const JointPart& part)
{
    return part.kind == JointPart::Kind::Motor && std::isinf(part.largest);
}

bool is_firm(const JointPart& part)
{
    return is_held(part) || is_firm_motor(part);
}

/// Rows beside the firm ones, in s.giving_way: stops, motors with limits, friction. False where there are too
/// many of them, or laws that are not of one component, or that reactions press.
bool find_rows_that_give_way(BodyStepMemory& s)
{
    constexpr std::size_t largest = 24;
    s.giving_way.clear();
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& part = s.joints[k];
        if (is_firm(part)) continue;
        if (part.dimension != 1 || part.arm != 0 || s.giving_way.size() == largest) return false;
        s.giving_way.push_back(static_cast<int>(k));
    }
    return true;
}

/// Percussions of the firm rows in s.held_P, and the velocities in s.correction_v, correction_w that they and
/// `first`, a percussion of 1 along that row, make of nothing. First a row of -1: none.
void hold_rows(const BodyModel& model, Mechanism& mechanism, std::span<const double> b, BodyStepMemory& s,
               int first = -1)
{
    const auto n = s.v_free.size();
    s.correction_v.assign(n, Vec3::Zero());
    s.correction_w.assign(n, Vec3::Zero());
    s.held_P.assign(static_cast<std::size_t>(mechanism.size()), 0.0);
    if (first >= 0) s.rows.apply(model.inverse_mass, first, 1.0, s.correction_v, s.correction_w);
    mechanism.hold(model, s.rows, Mechanism::FactorOf::TheseRows, b, s.held_P, s.correction_v,
                   s.correction_w);
}

/// The rows that give way as a problem of their own, with the velocities that firm ones leave them (a Schur
/// complement); then s.P of them, and what they add to the firm ones in s.firm_P. False where a stop acts:
/// which of several percussions are meant is not decided here.
bool add_rows_that_give_way(const BodyModel& model, Mechanism& mechanism, BodyStepMemory& s)
{
    const std::size_t n = s.giving_way.size();
    const auto row_of = [&](std::size_t i) {
        return s.problem.offsets[static_cast<std::size_t>(s.giving_way[i])];
    };
    OneStepProblem& reduced = s.correction;
    reduced.laws.clear();
    reduced.offsets.assign(1, 0);
    reduced.U_free.clear();
    reduced.U_minus.clear();
    for (std::size_t i = 0; i < n; ++i) {
        const int row = row_of(i);
        reduced.laws.push_back(s.problem.laws[static_cast<std::size_t>(s.giving_way[i])]);
        reduced.offsets.push_back(static_cast<int>(i) + 1);
        reduced.U_minus.push_back(s.problem.U_minus[row]);
        reduced.U_free.push_back(s.problem.U_free[row] +
                                 s.rows.velocity(row, s.correction_v, s.correction_w));
    }
    reduced.W.begin(reduced.offsets);
    s.responses.clear();
    for (std::size_t i = 0; i < n; ++i) {
        hold_rows(model, mechanism, {}, s, row_of(i));
        s.responses.insert(s.responses.end(), s.held_P.begin(), s.held_P.end());
        for (std::size_t j = 0; j < n; ++j) {
            reduced.W.append(static_cast<int>(i), static_cast<int>(j))[0] =
                s.rows.velocity(row_of(j), s.correction_v, s.correction_w);
        }
    }
    reduced.W.finish();
    s.correction_P.assign(n, 0.0);
    s.solver.pivoting.solve(reduced, s.correction_P);
    for (std::size_t i = 0; i < n; ++i) {
        if (s.correction_P[i] != 0 && std::holds_alternative<Unilateral>(reduced.laws[i])) return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double P = s.correction_P[i];
        s.P[row_of(i)] = P;
        for (std::size_t k = 0; k < s.firm_P.size(); ++k) {
            s.firm_P[k] += P * s.responses[i * s.firm_P.size() + k];
        }
    }
    return true;
}

/// Rows that the last pass of the correction must leave alone: stops and contacts that its displacement does
/// not close. Their linearised gaps with the displacement in scratch.correction_v, correction_w.
bool all_stay_open(double left_alone_m, const BodyStepMemory& s)
{
    const auto opens = [&](double gap, std::size_t row, double down_to = 0) {
        return gap + s.correction_rows.velocity(static_cast<int>(row), s.correction_v, s.correction_w) >=
               down_to;
    };
    for (std::size_t row = 0; row < s.violations.size(); ++row) {
        if (!is_held(s.violations[row]) && !opens(s.violations[row].value, row)) return false;
    }
    for (std::size_t k = 0; k < s.overlaps.size(); ++k) {
        if (!opens(s.overlaps[k].at.gap_m, s.violations.size() + k, -left_alone_m)) return false;
    }
    return true;
}

}  // namespace

Mechanism* factor_at_end(const BodyModel& model, bool anew, BodyStepMemory& s)
{
    s.correction_rows.set_inertia(s.inverse_inertia);
    const bool same = s.held.load(model, s.correction_rows, s.violations, 0, is_held);
    if (s.held.size() == 0) return nullptr;
    const bool serves = s.held_at_end || s.held.serves_nearby();
    if (same && s.held_is_factorised && serves && !anew) return &s.held;
    s.held_is_factorised = s.held_at_end = s.held.factorise(model, s.correction_rows);
    return s.held_is_factorised ? &s.held : nullptr;
}

Mechanism* factor_firm_rows(const BodyModel& model, BodyStepMemory& s, SolveReport& report)
{
    if (!find_rows_that_give_way(s)) return nullptr;
    // motors without limits take part here, and not at the end: then the factor serves this once
    const bool driven = std::ranges::any_of(s.joints, is_firm_motor);
    Mechanism& mechanism = driven ? s.driven : s.held;
    bool& is_factorised = driven ? s.driven_is_factorised : s.held_is_factorised;
    if (is_factorised) return &mechanism;
    mechanism.load(model, s.rows, s.joints, s.problem.offsets[s.contacts.size()], is_firm);
    if (mechanism.size() == 0) return nullptr;
    is_factorised = mechanism.factorise(model, s.rows);
    if (!is_factorised) return nullptr;
    ++report.factorisations;
    return &mechanism;
}

bool solve_mechanism(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s,
                     SolveReport& report)
{
    const bool chooses = solver.kind == SolverKind::Auto || solver.kind == SolverKind::Exact;
    if (!chooses || s.joints.empty() || !s.contacts.empty() || s.formulas || s.implicit) return false;
    Mechanism* const factored = factor_firm_rows(model, s, report);
    if (factored == nullptr) return false;
    Mechanism& mechanism = *factored;
    s.held_U.clear();
    for (const int row : mechanism.rows()) {
        s.held_U.push_back(s.problem.U_free[row]);
    }
    hold_rows(model, mechanism, s.held_U, s);
    s.firm_P = s.held_P;
    if (!s.giving_way.empty() && !add_rows_that_give_way(model, mechanism, s)) return false;
    for (std::size_t i = 0; i < s.firm_P.size(); ++i) {
        s.P[mechanism.rows()[i]] = s.firm_P[i];
    }
    report.solver = SolverKind::Exact;
    report.iterations = 1;
    return true;
}

bool press_joints(const BodyModel& model, bool anew, double left_alone_m, BodyStepMemory& s)
{
    if (s.formulas || s.violations.empty() || factor_at_end(model, anew, s) == nullptr) return false;
    const auto rows = s.held.rows();
    s.held_P.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        s.held_P[i] = -s.violations[static_cast<std::size_t>(rows[i])].value;
    }
    s.held.solve(s.held_P);
    s.correction_P.assign(static_cast<std::size_t>(s.correction_rows.size()), 0.0);
    const auto n = model.inverse_mass.size();
    s.correction_v.assign(n, Vec3::Zero());
    s.correction_w.assign(n, Vec3::Zero());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        s.correction_P[static_cast<std::size_t>(rows[i])] = s.held_P[i];
        s.correction_rows.apply(model.inverse_mass, rows[i], s.held_P[i], s.correction_v, s.correction_w);
    }
    return all_stay_open(left_alone_m, s);
}

bool hold_joints(const BodyModel& model, BodyStepMemory& s)
{
    if (s.formulas || factor_at_end(model, false, s) == nullptr) return false;
    s.held_P.assign(static_cast<std::size_t>(s.held.size()), 0.0);
    using Factor = Mechanism::FactorOf;
    const auto settles = [&](Factor factor) {
        return s.held.hold(model, s.correction_rows, factor, {}, s.held_P, s.correction_v, s.correction_w);
    };
    const bool old = !s.held_at_end;
    if (!settles(old ? Factor::AnotherPlace : Factor::TheseRows)) {
        if (!old || !s.held.factorise(model, s.correction_rows) || !settles(Factor::TheseRows)) return false;
    }
    s.correction_P.assign(static_cast<std::size_t>(s.correction_rows.size()), 0.0);
    const auto rows = s.held.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        s.correction_P[static_cast<std::size_t>(rows[i])] = s.held_P[i];
    }
    return true;
}

}  // namespace carom::detail
