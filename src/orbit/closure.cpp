#include "closure.hpp"

#include "core/dense.hpp"
#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {

Period given_period(Member& member)
{
    Workspace work;
    const VariationalSystem& system = member.flow->system();
    const State& start = member.scene.start;
    member.period->at(system.place(start.t_s, start.q, start.u).point(), work);
    return {.value_s = member.period->value[0],
            .slope =
                member.period->slope.row(0).segment(2 * start.q.size(), system.parameters()).transpose()};
}

Closure::Closure(Member& member, const State& guess, double period)
    : start(guess), period_s(period), held(held_at(member, guess)), member_(&member)
{
    close_contacts(member, held, start);
    const auto n = start.q.size();
    scale.resize(2 * n);
    scale.head(n).setConstant(std::max(
        {start.q.cwiseAbs().maxCoeff(), 1e-2 * start.u.cwiseAbs().maxCoeff() * period, min_length()}));
    scale.tail(n).setConstant(std::max(start.u.cwiseAbs().maxCoeff(), scale[0] / period));
}

void Closure::move_to(Member& member)
{
    member_ = &member;
    if (member.period) period_s = given_period(member).value_s;
    close_contacts(member, held, start);
}

/// What closed contacts leave free of a start, and how parameters move the rest.
void Closure::find_tangent()
{
    const auto n = start.q.size();
    const int P = member_->flow->system().parameters();
    Eigen::MatrixXd C = held_slopes(*member_, held, start);
    // a coordinate that moves on freely may begin anywhere: it stays where it is
    for (Eigen::Index i = 0; i < n; ++i) {
        if (member_->is_free[static_cast<std::size_t>(i)] == 0) continue;
        C.conservativeResize(C.rows() + 1, C.cols());
        C.bottomRows(1).setZero();
        C(C.rows() - 1, i) = 1;
    }
    if (C.rows() == 0) {
        B.setIdentity(2 * n, 2 * n);
        start_p.setZero(2 * n, P);
        return;
    }
    const Eigen::MatrixXd C_z = C.leftCols(2 * n);
    B = kernel_of(C_z);
    start_p = -LeastSquares(C_z).solve(C.rightCols(P));
}

bool Closure::evaluate()
{
    const auto n = start.q.size();
    VariationalSystem& system = member_->flow->system();
    const int P = system.parameters();
    find_tangent();
    Rows X = Rows::Zero(2 * n + P, B.cols() + P);
    X.topLeftCorner(2 * n, B.cols()) = B;
    X.topRightCorner(2 * n, P) = start_p;
    X.bottomRightCorner(P, P).setIdentity();
    shot = shoot(*member_, start, period_s, X);
    if (!shot.good || shot.loss) return false;

    // sizes of the state: what it runs through in this period, whatever was tried before
    const double width = (shot.highest - shot.lowest).cwiseAbs().maxCoeff();
    const double reach = std::max(shot.highest.cwiseAbs().maxCoeff(), shot.lowest.cwiseAbs().maxCoeff());
    const double speed = std::max(start.u.cwiseAbs().maxCoeff(), shot.z_end.tail(n).cwiseAbs().maxCoeff());
    scale.head(n).setConstant(std::max({reach, width, 1e-2 * speed * period_s, min_length()}));
    scale.tail(n).setConstant(std::max(speed, scale[0] / period_s));

    // z(T) - z(0) - shift, and the section
    Eigen::VectorXd z(2 * n);
    z << start.q, start.u;
    const Eigen::Index extra = member_->section ? 1 : 0;
    residual.setZero(2 * n + extra);
    residual.head(2 * n) = shot.z_end - z;
    J.setZero(2 * n + extra, unknowns());
    J.topLeftCorner(2 * n, B.cols()) = shot.Z.leftCols(B.cols()) - B;
    J_p.setZero(2 * n + extra, P);
    J_p.topRows(2 * n) = Eigen::MatrixXd(shot.Z.rightCols(P)) - start_p;
    dperiod.setZero(P);
    if (has_free_period()) {
        J.col(B.cols()).head(2 * n) = shot.f_end;
    } else {
        dperiod = given_period(*member_).slope;
        J_p.topRows(2 * n) += shot.f_end * dperiod.transpose();
    }
    if (extra == 1) {
        const SectionRow section = section_row();
        residual[2 * n] = section.value;
        J.row(2 * n).head(B.cols()) = section.by_state * B;
        J_p.row(2 * n) = section.by_parameters + section.by_state * start_p;
    }
    for (Eigen::Index i = 0; i < n; ++i) {
        residual[i] -= member_->shift[static_cast<std::size_t>(i)];
        J_p.row(i) -= member_->shift_slopes[static_cast<std::size_t>(i)].transpose();
        if (member_->is_free[static_cast<std::size_t>(i)] == 0) continue;
        residual[i] = 0;
        J.row(i).setZero();
        J_p.row(i).setZero();
    }
    size = size_in(scale);
    return residual.allFinite() && J.allFinite();
}

SectionRow Closure::section_row()
{
    const auto n = start.q.size();
    VariationalSystem& system = member_->flow->system();
    const int P = system.parameters();
    if (plane) {
        Eigen::VectorXd z(2 * n);
        z << start.q, start.u;
        return {.value = plane->normal.dot(z - plane->through),
                .by_state = plane->normal,
                .by_parameters = Eigen::RowVectorXd::Zero(P)};
    }
    Workspace work;
    member_->section->at(system.place(start.t_s, start.q, start.u).point(), work);
    const auto slope = member_->section->slope.row(0);
    return {.value = member_->section->value[0],
            .by_state = slope.head(2 * n),
            .by_parameters = slope.segment(2 * n, P)};
}

double Closure::size_in(const Eigen::VectorXd& units) const
{
    return (residual.head(units.size()).array() / units.array()).abs().maxCoeff();
}

double Closure::min_length() const
{
    return 1e-9 * member_->scene.length_m;
}

bool Closure::closes(double tolerance) const
{
    constexpr double rounding = 32 * 2.2e-16, worst = 1e-8, little = 1e-13, much = 1e-3;
    // a period that goes to zero closes everything: the state has not moved
    const double travel = (shot.highest - shot.lowest).cwiseAbs().maxCoeff() / scale[0];
    if (has_free_period() && size > little && size > much * travel) return false;
    const Eigen::MatrixXd M = shot.Z.leftCols(B.cols()) * B.transpose();
    const Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * M.cwiseAbs() * scale.asDiagonal();
    const double grows = scaled.size() > 0 ? scaled.rowwise().sum().maxCoeff() : 0;
    return size <= std::max(tolerance, std::min(worst, rounding * grows));
}

void Closure::step(const Eigen::VectorXd& by, double length)
{
    const auto n = start.q.size();
    const Eigen::VectorXd dz = B * by.head(B.cols()) * length;
    start.q += dz.head(n);
    start.u += dz.tail(n);
    if (has_free_period()) period_s += length * by[B.cols()];
    close_contacts(*member_, held, start);
}

namespace {

/// Rows of the residual in comparable sizes.
Eigen::VectorXd newton_step(const Closure& closure)
{
    Eigen::VectorXd weight = Eigen::VectorXd::Ones(closure.residual.size());
    weight.head(closure.scale.size()) = closure.scale.cwiseInverse();
    if (weight.size() > closure.scale.size()) {
        weight[closure.scale.size()] =
            1 / std::max(1e-300, (closure.J.row(closure.scale.size()) * 1.0).cwiseAbs().maxCoeff() *
                                     closure.scale[0]);
    }
    if (closure.J.cols() == 0) return {};  // closed contacts leave nothing free
    const Eigen::MatrixXd A = weight.asDiagonal() * closure.J;
    return -LeastSquares(A, 1e-10).solve(weight.asDiagonal() * closure.residual);
}

/// Runs on from the start by some periods: what attracts is found so.
bool run_on(Closure& closure, int periods)
{
    Member& member = closure.member();
    for (int k = 0; k < periods; ++k) {
        const Shot shot =
            shoot(member, closure.start, closure.period_s, Rows(member.flow->system().columns(), 0));
        if (!shot.good) return false;
        const double t_s = closure.start.t_s;
        closure.start = shot.end;
        closure.start.t_s = t_s;
        for (Eigen::Index i = 0; i < closure.start.q.size(); ++i) {
            closure.start.q[i] -= member.shift[static_cast<std::size_t>(i)];
        }
        closure.held = held_at(member, closure.start);
        close_contacts(member, closure.held, closure.start);
    }
    return true;
}

}  // namespace

NewtonReport solve_closure(Closure& closure, const OrbitOptions& options)
{
    constexpr int max_runs_on = 4, periods_of_a_run = 25;
    constexpr double shortest = 1e-3;  // of the period that was guessed
    const double least_period = closure.has_free_period() ? shortest * closure.period_s : 0;
    NewtonReport report;
    int runs_on = 0;
    if (options.segments > 1) static_cast<void>(solve_in_segments(closure, options));
    const auto get_away = [&] {
        // only where the period is given: phases of autonomous orbits would drift
        if (closure.has_free_period() || ++runs_on > max_runs_on) return false;
        return run_on(closure, periods_of_a_run) && closure.evaluate();
    };
    if (!closure.evaluate() && !get_away()) {
        report.trouble = closure.shot.loss ? closure.shot.loss->words : closure.shot.trouble;
        return report;
    }
    for (report.iterations = 0; report.iterations < options.max_iterations; ++report.iterations) {
        const Eigen::VectorXd by = newton_step(closure);
        const State from = closure.start;
        const double from_period = closure.period_s, before = closure.size;
        // measured in one unit: a wild step makes the state large, and so what it leaves small beside it
        const Eigen::VectorXd units = closure.scale;
        const bool closed_before = closure.closes(options.tolerance);
        bool got_on = false;
        for (double length = 1; length > 1e-4 && !got_on; length /= 2) {
            closure.start = from;
            closure.period_s = from_period;
            closure.step(by, length);
            got_on = closure.period_s > least_period && closure.evaluate() &&
                     closure.size_in(units) < (1 - 0.1 * length) * before;
            // at the level of rounding nothing gets smaller
            if (!got_on && length == 1 && closed_before) break;
        }
        if (!got_on) {
            closure.start = from;
            closure.period_s = from_period;
            const bool good = closure.evaluate();
            if (good && closure.closes(options.tolerance)) {
                report.converged = true;
                return report;
            }
            if (!get_away()) break;
        }
        if (closure.size <= 1e-15) break;
    }
    report.converged = closure.closes(options.tolerance);
    if (!report.converged) {
        report.trouble = "Newton's method does not converge; start closer to the orbit, let the motion "
                         "settle first, or use more segments";
    }
    return report;
}

}  // namespace carom::detail
