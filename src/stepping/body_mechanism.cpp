#include "body_parts.hpp"

#include <algorithm>
#include <variant>

namespace carom::detail {
namespace {

bool is_held(const JointPart& part)
{
    return part.kind == JointPart::Kind::Held;
}

/// Rows that the last pass of the correction must leave alone: stops and contacts that its displacement does
/// not close. Their linearised gaps with the displacement in scratch.correction_v, correction_w.
bool all_stay_open(const BodyScratch& s)
{
    const auto opens = [&](double gap, std::size_t row) {
        return gap + s.correction_rows.velocity(static_cast<int>(row), s.correction_v, s.correction_w) >= 0;
    };
    for (std::size_t row = 0; row < s.violations.size(); ++row) {
        if (!is_held(s.violations[row]) && !opens(s.violations[row].value, row)) return false;
    }
    for (std::size_t k = 0; k < s.overlaps.size(); ++k) {
        if (!opens(s.overlaps[k].at.gap_m, s.violations.size() + k)) return false;
    }
    return true;
}

/// The rows of joints at the end of the step are in scratch.held, with a factor: the one of the step, unless
/// it is none of theirs, or is to be made `anew`.
bool factor_at_end(const BodyModel& model, bool anew, BodyScratch& s)
{
    s.correction_rows.set_inertia(s.inverse_inertia);
    const bool same = s.held.load(model, s.correction_rows, s.violations, 0, is_held);
    if (s.held.size() == 0) return false;
    const bool serves = s.held_at_end || s.held.serves_nearby();
    if (same && s.held_is_factorised && serves && !anew) return true;
    s.held_is_factorised = s.held_at_end = s.held.factorise(model, s.correction_rows);
    return s.held_is_factorised;
}

}  // namespace

bool solve_mechanism(const BodyModel& model, const SolverSettings& solver, BodyScratch& s,
                     SolveReport& report)
{
    const bool chooses = solver.kind == SolverKind::Auto || solver.kind == SolverKind::Exact;
    if (!chooses || s.joints.empty() || !s.contacts.empty() || s.formulas) return false;
    const auto is_firm = [](const Law& law) { return std::holds_alternative<Bilateral>(law); };
    if (!std::ranges::all_of(s.problem.laws, is_firm)) return false;

    // motors without limits take part here, and not at the end: then the factor serves this once
    const bool all_held = std::ranges::all_of(s.joints, is_held);
    Mechanism& mechanism = all_held ? s.held : s.driven;
    bool& is_factorised = all_held ? s.held_is_factorised : s.driven_is_factorised;
    if (!is_factorised) {
        mechanism.load(model, s.rows, s.joints, 0, [](const JointPart&) { return true; });
        is_factorised = mechanism.factorise(model, s.rows);
        if (!is_factorised) return false;
        report.factorisations = 1;
    }
    const auto n = s.v_free.size();
    s.correction_v.assign(n, Vec3::Zero());
    s.correction_w.assign(n, Vec3::Zero());
    mechanism.hold(model, s.rows, s.problem.U_free, s.P, s.correction_v, s.correction_w);
    report.solver = SolverKind::Exact;
    report.iterations = 1;
    return true;
}

bool press_joints(const BodyModel& model, bool anew, BodyScratch& s)
{
    if (s.formulas || !factor_at_end(model, anew, s)) return false;
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
    return all_stay_open(s);
}

bool hold_joints(const BodyModel& model, BodyScratch& s)
{
    if (s.formulas || !factor_at_end(model, false, s)) return false;
    s.held_P.assign(static_cast<std::size_t>(s.held.size()), 0.0);
    const auto settles = [&] {
        return s.held.hold(model, s.correction_rows, {}, s.held_P, s.correction_v, s.correction_w);
    };
    if (!settles() && !(s.held.factorise(model, s.correction_rows) && settles())) return false;
    s.correction_P.assign(static_cast<std::size_t>(s.correction_rows.size()), 0.0);
    const auto rows = s.held.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        s.correction_P[static_cast<std::size_t>(rows[i])] = s.held_P[i];
    }
    return true;
}

}  // namespace carom::detail
