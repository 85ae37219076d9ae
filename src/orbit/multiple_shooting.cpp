#include "closure.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <cmath>

/// Orbits in segments (OR-16): where a period multiplies differences by much, one shot from the start sees
/// nothing of its end. Unknowns are the states at the beginning of each segment.
namespace carom::detail {
namespace {

struct Segment {
    State start;
    Held held;
    Eigen::MatrixXd B;
    Shot shot;
};

Eigen::MatrixXd tangent_of(Member& member, const Segment& one)
{
    const auto n = one.start.q.size();
    const Eigen::MatrixXd C = held_slopes(member, one.held, one.start).leftCols(2 * n);
    if (C.rows() == 0) return Eigen::MatrixXd::Identity(2 * n, 2 * n);
    const Svd svd(C, Eigen::ComputeFullV);
    const Eigen::Index rank = svd.rank_above(1e-10 * svd.values()[0]);
    return svd.V().rightCols(2 * n - rank);
}

bool shoot_all(Member& member, std::vector<Segment>& segments, double length_s)
{
    const auto n = segments.front().start.q.size();
    const int P = member.flow->system().parameters();
    for (Segment& one : segments) {
        one.B = tangent_of(member, one);
        Rows X = Rows::Zero(2 * n + P, one.B.cols());
        X.topRows(2 * n) = one.B;
        one.shot = shoot(member, one.start, length_s, X);
        if (!one.shot.good || one.shot.loss) return false;
    }
    return true;
}

Eigen::VectorXd state_of(const State& state)
{
    Eigen::VectorXd z(2 * state.q.size());
    z << state.q, state.u;
    return z;
}

/// What is left between the end of each segment and the beginning of the next.
Eigen::VectorXd defects_of(const Member& member, const std::vector<Segment>& segments)
{
    const auto n = segments.front().start.q.size();
    const std::size_t m = segments.size();
    Eigen::VectorXd left(static_cast<Eigen::Index>(m) * 2 * n);
    for (std::size_t k = 0; k < m; ++k) {
        auto part = left.segment(static_cast<Eigen::Index>(k) * 2 * n, 2 * n);
        part = segments[k].shot.z_end - state_of(segments[(k + 1) % m].start);
        for (Eigen::Index i = 0; k + 1 == m && i < n; ++i) {
            part[i] -= member.shift[static_cast<std::size_t>(i)];
            if (member.is_free[static_cast<std::size_t>(i)] != 0) part[i] = 0;
        }
    }
    return left;
}

/// One Newton step for all segments and, where it is unknown, the period.
Eigen::VectorXd step_of(Member& member, const std::vector<Segment>& segments, const Eigen::VectorXd& left,
                        bool free_period)
{
    const auto n = segments.front().start.q.size();
    const std::size_t m = segments.size();
    Eigen::Index columns = free_period ? 1 : 0;
    for (const Segment& one : segments) {
        columns += one.B.cols();
    }
    const Eigen::Index extra = member.section ? 1 : 0;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(left.size() + extra, columns);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(left.size() + extra);
    right.head(left.size()) = -left;
    Eigen::Index at = 0;
    for (std::size_t k = 0; k < m; ++k) {
        const Segment& one = segments[k];
        const auto row = static_cast<Eigen::Index>(k) * 2 * n;
        const Eigen::Index before = static_cast<Eigen::Index>((k + m - 1) % m) * 2 * n;
        J.block(row, at, 2 * n, one.B.cols()) += one.shot.Z.leftCols(one.B.cols());
        J.block(before, at, 2 * n, one.B.cols()) -= one.B;
        if (free_period) J.col(columns - 1).segment(row, 2 * n) = one.shot.f_end / static_cast<double>(m);
        at += one.B.cols();
    }
    if (extra == 1) {
        const State& first = segments.front().start;
        Workspace work;
        member.section->at(member.flow->system().place(first.t_s, first.q, first.u).point(), work);
        J.row(left.size()).head(segments.front().B.cols()) =
            member.section->slope.row(0).head(2 * n) * segments.front().B;
        right[left.size()] = -member.section->value[0];
    }
    for (Eigen::Index i = 0; i < n; ++i) {
        if (member.is_free[static_cast<std::size_t>(i)] != 0) J.row(left.size() - 2 * n + i).setZero();
    }
    return LeastSquares(J, 1e-12).solve(right);
}

/// The segments and the period, moved by a part of a step.
void move(Member& member, std::vector<Segment>& segments, double& period_s, const Eigen::VectorXd& by,
          double length, bool free_period)
{
    Eigen::Index at = 0;
    const double start_s = segments.front().start.t_s;
    if (free_period) period_s += length * by[by.size() - 1];
    for (std::size_t k = 0; k < segments.size(); ++k) {
        Segment& one = segments[k];
        const auto n = one.start.q.size();
        const Eigen::VectorXd dz = length * (one.B * by.segment(at, one.B.cols()));
        one.start.q += dz.head(n);
        one.start.u += dz.tail(n);
        one.start.t_s = start_s + period_s * static_cast<double>(k) / static_cast<double>(segments.size());
        close_contacts(member, one.held, one.start);
        at += one.B.cols();
    }
}

}  // namespace

bool solve_in_segments(Closure& closure, const OrbitOptions& options)
{
    Member& member = closure.member();
    const auto m = static_cast<std::size_t>(options.segments);
    const bool free_period = closure.has_free_period();
    double period_s = closure.period_s;
    std::vector<Segment> segments(m);
    State state = closure.start;
    const Rows none(member.flow->system().columns(), 0);
    for (std::size_t k = 0; k < m; ++k) {
        segments[k].start = state;
        segments[k].held = held_at(member, state);
        const Shot shot = shoot(member, state, period_s / static_cast<double>(m), none);
        if (!shot.good) return false;
        state = shot.end;
    }
    if (!shoot_all(member, segments, period_s / static_cast<double>(m))) return false;
    Eigen::VectorXd left = defects_of(member, segments);
    for (int k = 0; k < options.max_iterations; ++k) {
        const Eigen::VectorXd by = step_of(member, segments, left, free_period);
        if (!by.allFinite()) return false;
        const std::vector<Segment> from = segments;
        const double from_period = period_s, before = left.norm();
        bool got_on = false;
        for (double length = 1; length > 1e-4 && !got_on; length /= 2) {
            segments = from;
            period_s = from_period;
            move(member, segments, period_s, by, length, free_period);
            if (!(period_s > 0) || !shoot_all(member, segments, period_s / static_cast<double>(m))) continue;
            left = defects_of(member, segments);
            got_on = left.norm() < (1 - 0.1 * length) * before;
        }
        if (!got_on) {
            segments = from;
            period_s = from_period;
            break;
        }
        if (left.norm() <= 1e-14 * closure.scale.norm()) break;
    }
    closure.start = segments.front().start;
    closure.held = segments.front().held;
    closure.period_s = period_s;
    return true;
}

}  // namespace carom::detail
