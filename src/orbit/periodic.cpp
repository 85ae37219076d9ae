#include "carom/orbit/periodic.hpp"

#include "closure.hpp"
#include "core/dense.hpp"
#include "forcing.hpp"
#include "landings.hpp"
#include "stability.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {

std::vector<std::complex<double>> multipliers_of(const Eigen::MatrixXd& M)
{
    std::vector<std::complex<double>> result;
    if (M.rows() == 0) return result;
    const Eigen::VectorXcd values = eigenvalues_of(M);
    result.assign(values.begin(), values.end());
    std::ranges::stable_sort(result, [](const auto& a, const auto& b) {
        const double difference = std::abs(a) - std::abs(b);
        if (std::abs(difference) > 1e-13 * (std::abs(a) + std::abs(b))) return difference > 0;
        return a.imag() > b.imag();
    });
    return result;
}

std::string_view stability_of(const Orbit& orbit)
{
    return orbit.stable ? "stable" : orbit.neutral ? "neutral" : "unstable";
}

Eigen::MatrixXd monodromy_of(const Orbit& orbit, std::span<const int> coordinates)
{
    const auto n = orbit.start.q.size(), d = static_cast<Eigen::Index>(coordinates.size());
    Eigen::MatrixXd end(2 * d, orbit.tangent.cols()), begin(2 * d, orbit.tangent.cols());
    const Eigen::MatrixXd moved = orbit.monodromy * orbit.tangent;
    for (Eigen::Index i = 0; i < d; ++i) {
        const int at = coordinates[static_cast<std::size_t>(i)];
        end.row(i) = moved.row(at);
        end.row(d + i) = moved.row(n + at);
        begin.row(i) = orbit.tangent.row(at);
        begin.row(d + i) = orbit.tangent.row(n + at);
    }
    return end * LeastSquares(begin).pseudo_inverse();
}

namespace detail {
namespace {

/// From the whole matrix of a period, whose eigenvalues are the multipliers and zeros (OR-29).
void add_stability(const Eigen::MatrixXd& M, const Eigen::VectorXd& scale, Orbit& orbit)
{
    orbit.stable = orbit.neutral = true;
    for (const auto& m : orbit.section_multipliers) {
        const bool on_circle = is_on_unit_circle(m, M, scale, orbit.residual);
        orbit.stable = orbit.stable && !on_circle && std::abs(m) < 1;
        orbit.neutral = orbit.neutral && (on_circle || std::abs(m) < 1);
    }
    orbit.neutral = orbit.neutral && !orbit.stable;
}

/// The return map of a section: what a period does, taken back along the flow to the section (OR-10).
Eigen::MatrixXd on_section(const Closure& closure, const Eigen::MatrixXd& M_B, const Eigen::VectorXd& f,
                           const Eigen::RowVectorXd& slope)
{
    const Eigen::MatrixXd& B = closure.B;
    const Eigen::RowVectorXd row = slope * B;
    // a single direction leads through the section: none is left within it
    if (B.cols() < 2) return Eigen::MatrixXd(0, 0);
    const Svd svd(row, Eigen::ComputeFullV);
    const Eigen::MatrixXd S = B * svd.V().rightCols(B.cols() - 1);
    const Eigen::MatrixXd moved = M_B * svd.V().rightCols(B.cols() - 1);
    const Eigen::MatrixXd back = moved - f * ((slope * moved) / slope.dot(f));
    return LeastSquares(S).solve(back);
}

void add_multipliers(Closure& closure, Orbit& orbit)
{
    const Eigen::MatrixXd M_B = closure.shot.Z.leftCols(closure.B.cols());
    orbit.tangent = closure.B;
    orbit.monodromy = M_B * closure.B.transpose();
    orbit.multipliers = multipliers_of(closure.B.transpose() * M_B);
    orbit.section_multipliers = orbit.multipliers;
    Eigen::MatrixXd M = orbit.monodromy;
    if (closure.has_free_period() && closure.member().section && closure.B.cols() > 0) {
        const Eigen::RowVectorXd slope = closure.section_row().by_state;
        const Eigen::VectorXd& f = closure.shot.f_end;
        orbit.section_multipliers = multipliers_of(on_section(closure, M_B, f, slope));
        M -= f * ((slope * M) / slope.dot(f));
    }
    add_stability(M, closure.scale, orbit);
}

/// How start and period follow the parameters: the linear equation of the closure.
Eigen::MatrixXd follow_parameters(const Closure& closure)
{
    if (closure.J.cols() == 0) return Eigen::MatrixXd::Zero(0, closure.J_p.cols());
    return -LeastSquares(closure.J, 1e-10).solve(closure.J_p);
}

/// Derivatives by the unknowns and parameters together, along the orbits.
Eigen::VectorXd along(const Eigen::VectorXd& by_columns, const Closure& closure, const Eigen::MatrixXd& steps)
{
    if (by_columns.size() == 0) return {};
    const Eigen::Index d = closure.B.cols(), P = steps.cols();
    return (by_columns.head(d).transpose() * steps.topRows(d)).transpose() + by_columns.tail(P);
}

Eigen::MatrixXd along_rows(const Eigen::MatrixXd& by_columns, const Closure& closure,
                           const Eigen::MatrixXd& steps)
{
    if (by_columns.size() == 0) return {};
    const Eigen::Index d = closure.B.cols(), P = steps.cols();
    return by_columns.leftCols(d) * steps.topRows(d) + by_columns.rightCols(P);
}

/// How near impacts are to slide where they stick, or to stick where they slide.
void add_frictions(Orbit& orbit)
{
    for (const SensitiveEvent& one : orbit.events) {
        if (!one.friction || one.event.kind != EventKind::Impact) continue;
        orbit.near.push_back(
            {.kind = one.friction->slides != 0 ? Nearness::Kind::ImpactSlip : Nearness::Kind::ImpactHold,
             .contact = one.event.contact,
             .time_s = one.event.time_s,
             .value = one.friction->left,
             .q = {},
             .u = {},
             .slope = {}});
    }
}

/// The times between events of two contacts that follow each other: where one vanishes is a corner.
void add_intervals(Orbit& orbit)
{
    const SensitiveEvent* first = nullptr;
    for (const SensitiveEvent& second : orbit.events) {
        const bool follows = first != nullptr && first->event.time_s > orbit.start.t_s;
        if (follows && first->event.contact >= 0 && second.event.contact >= 0 &&
            first->event.contact != second.event.contact && second.event.time_s > first->event.time_s)
            orbit.near.push_back({.kind = Nearness::Kind::Interval,
                                  .contact = second.event.contact,
                                  .time_s = second.event.time_s,
                                  .value = second.event.time_s - first->event.time_s,
                                  .q = {},
                                  .u = {},
                                  .slope = second.dtime_s.size() == first->dtime_s.size()
                                               ? Eigen::VectorXd(second.dtime_s - first->dtime_s)
                                               : Eigen::VectorXd(),
                                  .before = first->event.contact});
        first = &second;
    }
}

/// Impacts that accumulate get as slow as one likes: that says nothing about other sequences.
void forget_landing_impacts(Orbit& orbit)
{
    const auto parts = parts_of_landings(orbit);
    std::erase_if(orbit.near, [&](const Nearness& near) {
        const bool of_impact = near.kind == Nearness::Kind::Impact ||
                               near.kind == Nearness::Kind::ImpactSlip ||
                               near.kind == Nearness::Kind::ImpactHold;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Event& event = orbit.events[i].event;
            if (parts[i] == LandingPart::Accumulating && event.contact == near.contact &&
                event.time_s == near.time_s && of_impact)
                return true;
        }
        return false;
    });
}

}  // namespace

Orbit orbit_of(Closure& closure, const OrbitOptions&)
{
    Orbit orbit;
    Member& member = closure.member();
    const auto n = closure.start.q.size();
    const Shot& shot = closure.shot;
    orbit.residual = closure.size;
    orbit.period_s = closure.period_s;
    orbit.start = closure.start;
    orbit.lowest = shot.lowest;
    orbit.highest = shot.highest;
    orbit.findings = shot.findings;
    orbit.near = shot.near;
    if (!shot.good || shot.loss) return orbit;
    orbit.end_shift = shot.z_end.head(n) - closure.start.q;
    const double moves = (orbit.highest - orbit.lowest).cwiseAbs().maxCoeff();
    orbit.rests = moves <= 1e-9 * std::max(orbit.start.q.cwiseAbs().maxCoeff(), member.scene.length_m);
    add_multipliers(closure, orbit);
    const Eigen::MatrixXd steps = follow_parameters(closure);
    const Eigen::Index d = closure.B.cols();
    orbit.dstart = closure.B * steps.topRows(d) + closure.start_p;
    orbit.dperiod = closure.has_free_period() ? Eigen::VectorXd(steps.row(d).transpose()) : closure.dperiod;
    for (Nearness& one : orbit.near) {
        one.slope = along(one.slope, closure, steps);
    }
    for (const FlowEvent& one : shot.events) {
        if (one.event.kind == EventKind::Impact && one.event.velocity_before_m_s < 0)
            orbit.near.push_back({.kind = Nearness::Kind::Impact,
                                  .contact = one.event.contact,
                                  .time_s = one.event.time_s,
                                  .value = -one.event.velocity_before_m_s,
                                  .q = one.q,
                                  .u = one.u_before,
                                  .slope = -along(one.dU_minus, closure, steps)});
    }
    for (const FlowEvent& one : shot.events) {
        const int c = one.event.contact;
        const auto& contacts = member.scene.model.system().contacts;
        orbit.events.push_back({.event = one.event,
                                .place = c >= 0 && c < static_cast<int>(contacts.size())
                                             ? contacts[static_cast<std::size_t>(c)].name
                                             : std::string(),
                                .dtime_s = along(one.dt, closure, steps),
                                .dpercussion_Ns = along(one.dP, closure, steps),
                                .dvelocity_before = along(one.dU_minus, closure, steps),
                                .dvelocity_after = along(one.dU_plus, closure, steps),
                                .q = one.q,
                                .u_before = one.u_before,
                                .u_after = one.u_after,
                                .du_before = along_rows(one.du_before, closure, steps),
                                .du_after = along_rows(one.du_after, closure, steps),
                                .dz_before = one.X_before,
                                .dz_after = one.X_after,
                                .friction = one.friction});
    }
    add_frictions(orbit);
    add_intervals(orbit);
    forget_landing_impacts(orbit);
    return orbit;
}

namespace {

Error section_error(const std::string& message,
                    const std::string& hint = "give a formula of the state that rises through zero once in "
                                              "each period, or a longer duration_s")
{
    return {.code = ErrorCode::SettingOutOfRange,
            .where = "--section",
            .message = message,
            .hint = hint,
            .excerpt = {}};
}

double section_value(Member& member)
{
    const State& now = member.flow->state();
    Workspace work;
    member.section->at(member.flow->system().place(now.t_s, now.q, now.u).point(), work);
    return member.section->value[0];
}

}  // namespace

namespace {

/// Whether an impact led over the section at the instant at which the flow has stopped.
bool has_jumped_over(Member& member)
{
    constexpr double rounding = 1e-9;
    const Flow& flow = *member.flow;
    const auto n = flow.state().q.size();
    Eigen::VectorXd z(2 * n);
    z << flow.state().q, flow.state().u;
    const bool strikes = !flow.events.empty() && flow.events.back().event.time_s == flow.state().t_s;
    const double value = section_value(member);
    const auto slope = member.section->slope.row(0).head(2 * n);
    return strikes && value > rounding * slope.cwiseAbs().dot(z.cwiseAbs());
}

}  // namespace

SectionReturn run_to_section(Member& member, double duration_s)
{
    Flow& flow = *member.flow;
    const double nudge_s = 1e-7 * duration_s / 1000, end_s = flow.state().t_s + 2 * duration_s;
    const auto nudge = [&] {
        flow.set_until(nullptr);
        return flow.advance(flow.state().t_s + nudge_s) == Flow::End::Reached;
    };
    bool has_jumped = false;
    while (flow.state().t_s < end_s) {
        if (!nudge()) break;
        if (section_value(member) >= 0) {
            flow.set_until(&*member.section_falls);
            if (flow.advance(flow.state().t_s + duration_s) != Flow::End::Until || !nudge()) break;
        }
        flow.set_until(&*member.section_formula);
        if (flow.advance(flow.state().t_s + duration_s) != Flow::End::Until) break;
        if (!has_jumped_over(member)) return SectionReturn::Met;
        has_jumped = true;
    }
    return has_jumped ? SectionReturn::JumpsOver : SectionReturn::NotMet;
}

Expected<FirstGuess, Errors> first_guess(Member& member, const OrbitOptions& options)
{
    Flow& flow = *member.flow;
    const Rows none(flow.system().columns(), 0);
    FirstGuess guess{.state = member.scene.start, .period_s = 0};
    if (member.period) {
        guess.period_s = given_period(member).value_s;
        if (!(guess.period_s > 0)) {
            return Errors{{.code = ErrorCode::SettingOutOfRange,
                           .where = "--period",
                           .message = fmt::format("the period is {} s", guess.period_s),
                           .hint = "give a time greater than zero, such as 2*pi/w",
                           .excerpt = {}}};
        }
        if (auto wrong = wrong_period(member, options)) return Errors{std::move(*wrong)};
        for (int k = 0; k < options.settle; ++k) {
            flow.set_until(nullptr);
            flow.start(guess.state, none);
            if (flow.advance(guess.state.t_s + guess.period_s) == Flow::End::Failed) break;
            const double t_s = guess.state.t_s;
            guess.state = flow.state();
            guess.state.t_s = t_s;
        }
        return guess;
    }
    if (!member.section) {
        return Errors{
            {.code = ErrorCode::MissingKey,
             .where = "--section",
             .message = "neither a period nor a section is given",
             .hint =
                 "give --period T where forces repeat, or --section FORMULA where they do not depend on t",
             .excerpt = {}}};
    }
    if (!repeats_at_all_times(member)) {
        return Errors{
            section_error("the scene depends on the time: its orbits have the period of the forcing",
                          "give --period with the period of the forces, or a multiple of it")};
    }
    flow.start(guess.state, none);
    const double duration_s = member.scene.plan.duration_s;
    double before_s = guess.state.t_s;
    for (int k = 0; k <= options.settle + options.returns; ++k) {
        if (const auto end = run_to_section(member, duration_s); end != SectionReturn::Met) {
            flow.set_until(nullptr);
            const bool jumps = end == SectionReturn::JumpsOver;
            return Errors{section_error(
                fmt::format("within {} s the motion crosses the section {} times, {} are needed{}",
                            duration_s, k, options.settle + options.returns + 1,
                            jumps ? "; impacts that lead over it do not count" : ""))};
        }
        if (k == options.settle) {
            guess.state = flow.state();
            before_s = flow.state().t_s;
        }
    }
    guess.period_s = flow.state().t_s - before_s;
    flow.set_until(nullptr);
    return guess;
}

namespace {

/// Coordinates that do not come back within the first period but move on by more than they swing.
std::string advancing_coordinates(Member& member, const FirstGuess& guess)
{
    const Shot shot = shoot(member, guess.state, guess.period_s, Rows(member.flow->system().columns(), 0));
    if (!shot.good) return {};
    std::string words;
    for (Eigen::Index i = 0; i < guess.state.q.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double advance = shot.end.q[i] - guess.state.q[i];
        if (member.is_free[k] != 0 || member.shift[k] != 0 ||
            std::abs(advance) <= 0.5 * (shot.highest[i] - shot.lowest[i]))
            continue;
        const std::string& name = member.scene.model.system().coordinates[k].name;
        words +=
            fmt::format("; {0} moves on by {1:.3g} in a period: perhaps --free {0} is missing, or --shift "
                        "{0}=VALUE",
                        name, advance);
    }
    return words;
}

}  // namespace
}  // namespace detail

Expected<Orbit, Errors> find_orbit(const Scene& scene, const OrbitOptions& options)
{
    auto member = detail::make_member(scene, options);
    if (!member) return member.error();
    auto guess = detail::first_guess(**member, options);
    if (!guess) return guess.error();
    detail::Closure closure(**member, guess->state, guess->period_s);
    const auto report = detail::solve_closure(closure, options);
    Orbit orbit = detail::orbit_of(closure, options);
    orbit.converged = report.converged;
    orbit.iterations = report.iterations;
    orbit.trouble = report.trouble;
    if (!orbit.converged && !orbit.trouble.empty())
        orbit.trouble += detail::advancing_coordinates(**member, *guess);
    // rest closes after any time
    if (orbit.converged && orbit.rests && detail::repeats_at_all_times(**member)) {
        orbit.converged = orbit.stable = orbit.neutral = false;
        orbit.trouble = std::string(detail::equilibrium_words);
    }
    return orbit;
}

}  // namespace carom
