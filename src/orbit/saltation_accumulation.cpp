#include "saltation.hpp"

#include <algorithm>
#include <cmath>

/// Impacts that accumulate (OR-7). Derivatives of the last impacts are rounded by the unit of the state over
/// their speeds, those of the first are behind the limit by the order of theirs: it is extrapolated to speed
/// zero from all of them.
namespace carom::detail {
namespace {

constexpr std::size_t max_bounces = 24;

/// The entries of a Neville scheme in v, at v = 0: for each column the one that differs least from its
/// neighbour, with the rounding of the gap over its speed.
Rows at_zero(const std::vector<double>& v, const std::vector<Rows>& values)
{
    constexpr double unit = 1e-15;
    Rows best = values.back();
    Eigen::RowVectorXd error = Eigen::RowVectorXd::Constant(best.cols(), INFINITY);
    std::vector<Rows> row = values;
    for (std::size_t width = 1; width < v.size(); ++width) {
        for (std::size_t k = v.size(); k-- > width;) {
            const Rows next = (v[k - width] * row[k] - v[k] * row[k - 1]) / (v[k - width] - v[k]);
            for (Eigen::Index j = 0; j < best.cols(); ++j) {
                const double change = (next.col(j) - row[k].col(j)).cwiseAbs().maxCoeff() +
                                      unit * next.col(j).cwiseAbs().maxCoeff() / v[k];
                if (!(change < error[j])) continue;
                error[j] = change;
                best.col(j) = next.col(j);
            }
            row[k] = next;
        }
    }
    return best;
}

}  // namespace

void Saltation::remember_kind(const SeriesInstant& instant)
{
    struck_alone_ = -1;
    const bool alone = instant.causes.size() == 1 && instant.causes.front().kind == SeriesCause::Kind::Gap &&
                       instant.jumps.size() == 1 && instant.jumps.front().contacts.size() == 1;
    if (!alone) return;
    const SeriesJump& one = instant.jumps.front();
    const double used = one.P.size() > 1 ? one.P.tail(one.P.size() - 1).norm() / one.P[0] : 0;
    // friction that begins to stick makes another sequence
    if (!bounces_.empty() && std::abs(used - friction_used_) > 1e-6 * (1 + used)) bounces_.clear();
    friction_used_ = used;
    struck_alone_ = one.contacts.front();
}

void Saltation::remember_bounce()
{
    if (struck_alone_ < 0) {
        bounces_.clear();
        return;
    }
    auto& contact = system_.contacts[static_cast<std::size_t>(struck_alone_)];
    contact.U[0].at(system_.place(t_s_, q_, u_plus_).point(), work_);
    const double v = contact.U[0].value[0];
    // speeds fall from one to the next, or it is another sequence
    if (!bounces_.empty() && !(v < bounces_.back().v)) bounces_.clear();
    if (bounces_.size() == max_bounces) bounces_.erase(bounces_.begin());
    bounces_.push_back({t_s_, v, q_, u_plus_, a_plus_, D_, dt});
}

/// t + 2 v / (a (1 - e)), v and a behind an impact (OR-7).
Saltation::Tail Saltation::tail_of(int contact, const Bounce& last)
{
    const int n = system_.coordinates();
    auto& functions = system_.contacts[static_cast<std::size_t>(contact)];
    const auto point = system_.place(last.t_s, last.q, last.u_plus);
    functions.U[0].at(point.point(), work_);
    const auto slope = functions.U[0].slope.row(0);
    const double v = functions.U[0].value[0];
    const double a =
        -(slope.head(n).dot(last.u_plus) + slope.segment(n, n).dot(last.a_plus) + slope[slope.size() - 1]);
    functions.coefficients.at(point.point(), work_);
    const double e = functions.coefficients.value[2];
    const Rows dv = slope * last.D, de = functions.coefficients.slope.row(2) * last.D;
    return {v, 2 * v / (a * (1 - e)),
            Rows(last.dt + 2 / (a * (1 - e)) * dv + 2 * v / (a * (1 - e) * (1 - e)) * de)};
}

/// The state behind the accumulation as each of the bounces sees it, and the limit.
void Saltation::extrapolate(const SeriesInstant& instant)
{
    const int n = system_.coordinates(), contact = instant.causes.front().contact;
    if (bounces_.size() < 3 || instant.jumps.size() != 1) return;
    const auto kept = percussions;
    const Rows D = D_, moves = dt, before = Du_minus, after = Du_plus;
    std::vector<double> v;
    std::vector<Rows> seen;
    bool good = true;
    for (const Bounce& bounce : bounces_) {
        const Tail tail = tail_of(contact, bounce);
        dt = tail.dt;
        // at a fixed time behind the impact, a flight on, and with the instant of the limit
        Rows dq = bounce.D.topRows(n) - bounce.u_plus * bounce.dt,
             du = bounce.D.middleRows(n, n) - bounce.a_plus * bounce.dt;
        D_ = bounce.D;
        D_.topRows(n) = dq + tail.rest_s * du + (bounce.u_plus + tail.rest_s * bounce.a_plus) * dt;
        D_.middleRows(n, n) = du + bounce.a_plus * dt;
        D_.bottomRows(1) = dt;
        good = good && jump(instant.jumps.front());
        v.push_back(tail.v);
        seen.push_back(D_);
    }
    loss.reset();
    percussions = kept;
    D_ = D;
    dt = moves;
    Du_minus = before;
    Du_plus = after;
    if (!good) return;
    D_ = at_zero(v, seen);
    dt = D_.bottomRows(1);
    Du_plus = D_.middleRows(n, n);
    for (Percussion& one : percussions) {
        one.dt = dt;
    }
}

void Saltation::change_columns(const Eigen::MatrixXd& T)
{
    if (D_.cols() != T.rows()) return;  // nothing has been crossed yet
    D_ = D_ * T;
    dt = dt * T;
    for (Bounce& bounce : bounces_) {
        bounce.D = bounce.D * T;
        bounce.dt = bounce.dt * T;
    }
}

}  // namespace carom::detail
