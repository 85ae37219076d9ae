#include "branch_walk.hpp"

#include "forcing.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int max_corrections = 12;

/// Unknowns of a closure and the parameter, in units of their sizes.
Eigen::VectorXd units(const Closure& closure, double range)
{
    Eigen::VectorXd unit(closure.unknowns() + 1);
    const Eigen::MatrixXd scaled = closure.scale.asDiagonal() * closure.B.cwiseAbs();
    for (Eigen::Index i = 0; i < closure.B.cols(); ++i) {
        unit[i] = std::max(scaled.col(i).maxCoeff(), 1e-300);
    }
    if (closure.has_free_period()) unit[closure.B.cols()] = closure.period_s;
    unit[unit.size() - 1] = range;
    return unit;
}

/// [J, J_p] with rows over the sizes of the state and columns in units.
Eigen::MatrixXd scaled_slopes(const Closure& closure, const Eigen::VectorXd& unit)
{
    Eigen::MatrixXd A(closure.J.rows(), unit.size());
    A << closure.J, closure.J_p;
    A = A * unit.asDiagonal();
    for (Eigen::Index i = 0; i < closure.scale.size(); ++i) {
        A.row(i) /= closure.scale[i];
    }
    return A;
}

/// Of the closure within what contacts leave free, and a row along the tangent: it changes its sign where
/// branches cross, and not at folds (OR-30). Rows have the same size. Zero where nothing is left of it beside
/// rounding: orbits that form a family for each value.
double bordered_determinant(const Closure& closure, const Eigen::VectorXd& unit,
                            const Eigen::VectorXd& tangent)
{
    constexpr double rounding = 1e-9;
    const Eigen::Index z = closure.scale.size(), d = closure.B.cols(), n = unit.size();
    Eigen::MatrixXd slopes(closure.J.rows(), n);
    slopes << closure.J, closure.J_p;
    Eigen::MatrixXd A(n, n);
    A.topRows(d) = closure.B.transpose() * slopes.topRows(z) * unit.asDiagonal();
    if (n > d + 1) A.row(d) = slopes.row(z).cwiseProduct(unit.transpose());
    A.row(n - 1) = tangent.transpose();
    A.rowwise().normalize();
    if (!A.allFinite() || Svd(A).values().minCoeff() < rounding) return 0;
    return Lu(A).determinant();
}

Eigen::VectorXd scaled_residual(const Closure& closure)
{
    Eigen::VectorXd r = closure.residual;
    for (Eigen::Index i = 0; i < closure.scale.size(); ++i) {
        r[i] /= closure.scale[i];
    }
    return r;
}

}  // namespace

BranchNode reversed(BranchNode node)
{
    node.dz = -node.dz;
    node.dT = -node.dT;
    node.dvalue = -node.dvalue;
    node.determinant = -node.determinant;
    return node;
}

BranchWalk::BranchWalk(const Scene& scene, const BranchOptions& options)
    : scene_(scene), options_(options), orbit_(options.orbit), range_(std::abs(options.high - options.low))
{
    orbit_.parameters = {options.over};
}

/// The closure with the member at this value.
bool BranchWalk::evaluate(double value)
{
    errors_.clear();
    trouble_.clear();
    const std::array values{value};
    auto member = make_member(scene_, orbit_, values);
    if (!member) {
        errors_ = member.error();
        return false;
    }
    closure_->move_to(**member);
    member_ = std::move(*member);
    if (closure_->evaluate()) return true;
    trouble_ = closure_->shot.loss ? closure_->shot.loss->words : closure_->shot.trouble;
    return false;
}

std::optional<BranchNode> BranchWalk::at_value(const State& start, const Held& held, double period_s,
                                               double value, const BranchNode* like,
                                               const std::optional<Plane>& plane)
{
    const std::array values{value};
    auto member = make_member(scene_, orbit_, values);
    if (!member) {
        errors_ = member.error();
        return std::nullopt;
    }
    closure_.emplace(**member, start, period_s);
    if (!held.contacts.empty()) closure_->held = held;
    closure_->plane = plane;
    closure_->move_to(**member);
    member_ = std::move(*member);
    if (!plane && !has_given_period()) stay_off_section();
    if (!begin_s_) begin_s_ = has_given_period() ? scene_.start.t_s : start.t_s;
    const NewtonReport report = solve_closure(*closure_, orbit_);
    if (!report.converged) return std::nullopt;
    return finished(value, like);
}

/// The plane across an orbit at the end of its period, in units of the state.
Plane BranchWalk::plane_across(const Shot& shot, const State& at, const Eigen::VectorXd& scale)
{
    Plane plane{.normal = shot.f_end.cwiseQuotient(scale.cwiseAbs2()).transpose(),
                .through = Eigen::VectorXd(2 * at.q.size())};
    plane.through << at.q, at.u;
    return plane;
}

/// An orbit that was turned does not begin on the section: it goes on where it is.
void BranchWalk::stay_off_section()
{
    constexpr double far = 1e-2;  // of what the section's formula runs through in a period
    if (!closure_->evaluate()) return;
    const SectionRow section = closure_->section_row();
    const double rate = section.by_state.dot(closure_->shot.f_end);
    if (std::abs(section.value) > far * std::abs(rate) * closure_->period_s)
        closure_->plane = plane_across(closure_->shot, closure_->start, closure_->scale);
}

std::optional<BranchNode> BranchWalk::turned(const BranchNode& node, double part)
{
    const std::array values{node.value};
    auto member = make_member(scene_, orbit_, values);
    if (!member) return std::nullopt;
    // the tangent goes along, so that the way on is told at folds too
    Rows X(node.dz.size() + 1, 1);
    X(node.dz.size(), 0) = node.dvalue * range_;
    X.topRows(node.dz.size()) =
        node.dz.cwiseProduct(node.scale) + node.held_by_value * (node.dvalue * range_);
    const Shot shot = shoot(**member, node.start, part * node.period_s, X);
    if (!shot.good || shot.loss) return std::nullopt;
    State start = shot.end;
    Eigen::VectorXd dz = shot.Z.col(0);
    // one period earlier, lest the time of the start grows: the later it is, the more its phase moves with
    // the parameter
    if (start.t_s - begin_s_.value_or(scene_.start.t_s) >= node.period_s) {
        start.t_s -= node.period_s;
        start.q -= node.orbit.end_shift;
        dz += shot.f_end * (node.period_s * node.dT);
    }
    std::optional<Plane> plane;
    if (!has_given_period()) {
        plane = plane_across(shot, start, node.scale);
        dz -= shot.f_end * (plane->normal.dot(dz) / plane->normal.dot(shot.f_end));
    }
    auto other = at_value(start, held_at(**member, start), node.period_s, node.value, nullptr, plane);
    if (!other) return std::nullopt;
    const double along =
        other->dz.dot(dz.cwiseQuotient(other->scale)) + other->dT * node.dT + other->dvalue * node.dvalue;
    return along < 0 ? reversed(std::move(*other)) : other;
}

std::optional<BranchNode> BranchWalk::ahead(const BranchNode& from, double step)
{
    if (!closure_) return std::nullopt;
    closure_->start = from.start;
    closure_->held = from.held;
    closure_->plane = from.plane;
    closure_->period_s = from.period_s;
    const auto n = from.start.q.size();
    const Eigen::VectorXd dz = step * (from.dz.array() * from.scale.array()).matrix();
    closure_->start.q += dz.head(n);
    closure_->start.u += dz.tail(n);
    closure_->period_s += step * from.dT * from.period_s;
    double value = from.value + step * from.dvalue * range_;
    for (int k = 0; k < max_corrections; ++k) {
        if (!evaluate(value) || !(closure_->period_s > 0)) return std::nullopt;
        if (k > 0 && closure_->closes(orbit_.tolerance)) return finished(value, &from);
        // the closure, and a step across the tangent
        const Eigen::VectorXd unit = units(*closure_, range_);
        Eigen::MatrixXd A(closure_->J.rows() + 1, unit.size());
        A.topRows(closure_->J.rows()) = scaled_slopes(*closure_, unit);
        const Eigen::VectorXd along =
            (closure_->B.transpose() * (from.dz.array() / from.scale.array()).matrix());
        for (Eigen::Index i = 0; i < closure_->B.cols(); ++i) {
            A(A.rows() - 1, i) = along[i] * unit[i];
        }
        if (closure_->has_free_period()) A(A.rows() - 1, closure_->B.cols()) = from.dT;
        A(A.rows() - 1, A.cols() - 1) = from.dvalue;
        Eigen::VectorXd right(A.rows());
        right << -scaled_residual(*closure_), 0;
        const Eigen::VectorXd by = (LeastSquares(A).solve(right).array() * unit.array()).matrix();
        if (!by.allFinite() || k > 8) return std::nullopt;
        closure_->step(by.head(by.size() - 1), 1);
        value += by[by.size() - 1];
        if (std::abs(value - from.value) > 3 * std::abs(step) * range_ + 1e-300) return std::nullopt;
    }
    return std::nullopt;
}

/// The node of a solved closure; its tangent goes on the way of `like`.
std::optional<BranchNode> BranchWalk::finished(double value, const BranchNode* like)
{
    if (member_->period) {
        if (auto wrong = wrong_period(*member_, orbit_)) {
            errors_ = {std::move(*wrong)};
            return std::nullopt;
        }
    }
    const Eigen::VectorXd unit = units(*closure_, range_);
    const Eigen::MatrixXd A = scaled_slopes(*closure_, unit);
    const Svd svd(A, Eigen::ComputeFullV);
    Eigen::VectorXd tangent = svd.V().rightCols(1);
    BranchNode node;
    node.value = value;
    node.start = closure_->start;
    node.held = closure_->held;
    node.plane = closure_->plane;
    node.period_s = closure_->period_s;
    // steps keep their length where orbits shrink to a point
    node.scale = like != nullptr ? Eigen::VectorXd(closure_->scale.cwiseMax(like->scale)) : closure_->scale;
    const Eigen::Index d = closure_->B.cols();
    node.dz = ((closure_->B * (tangent.head(d).array() * unit.head(d).array()).matrix()).array() /
               node.scale.array())
                  .matrix();
    if (closure_->has_free_period())
        node.dT = tangent[d];
    else
        node.dT = closure_->dperiod.size() > 0
                      ? closure_->dperiod[0] * tangent[tangent.size() - 1] * range_ / node.period_s
                      : 0;
    node.dvalue = tangent[tangent.size() - 1];
    const double length = std::sqrt(node.dz.squaredNorm() + node.dT * node.dT + node.dvalue * node.dvalue);
    double sign = node.dvalue < 0 ? -1 : 1;
    if (like != nullptr)
        sign = node.dz.dot(like->dz) + node.dT * like->dT + node.dvalue * like->dvalue < 0 ? -1 : 1;
    else if (!options_.upwards)
        sign = -sign;
    node.dz *= sign / length;
    node.dT *= sign / length;
    node.dvalue *= sign / length;
    node.held_by_value = closure_->start_p.col(0);
    node.determinant = bordered_determinant(*closure_, unit, sign * tangent);
    node.orbit = orbit_of(*closure_, orbit_);
    node.orbit.converged = true;
    return node;
}

}  // namespace carom::detail
