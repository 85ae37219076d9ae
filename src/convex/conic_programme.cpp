#include "conic_programme.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {

namespace {

using Blocks = std::vector<Eigen::Index>;
using Vector = Eigen::VectorXd;
using ConstVector = Eigen::Ref<const Vector>;

/// Calls `act(first_row, rows)` for every block.
template <class Act>
void for_each_block(const Blocks& blocks, Act&& act)
{
    Eigen::Index first = 0;
    for (const Eigen::Index rows : blocks) {
        act(first, rows);
        first += rows;
    }
}

/// (u_0^2 - |u_1|^2)^(1/2) inside the cone, without cancellation.
double hyperbolic_length(const ConstVector& u)
{
    const double rest = u.tail(u.size() - 1).norm();
    return std::sqrt((u[0] - rest) * (u[0] + rest));
}

/// Product of the cone's algebra: (u.v, u_0 v_1 + v_0 u_1), block by block.
Vector product(const Blocks& blocks, const Vector& u, const Vector& v)
{
    Vector result(u.size());
    for_each_block(blocks, [&](Eigen::Index i, Eigen::Index n) {
        result.segment(i, n) = u[i] * v.segment(i, n) + v[i] * u.segment(i, n);
        result[i] = u.segment(i, n).dot(v.segment(i, n));
    });
    return result;
}

/// The w with product(u, w) = d, u inside its cones.
Vector quotient(const Blocks& blocks, const Vector& u, const Vector& d)
{
    Vector w(u.size());
    for_each_block(blocks, [&](Eigen::Index i, Eigen::Index n) {
        const auto u_1 = u.segment(i + 1, n - 1), d_1 = d.segment(i + 1, n - 1);
        const double length = hyperbolic_length(u.segment(i, n));
        w[i] = (u[i] * d[i] - u_1.dot(d_1)) / (length * length);
        w.segment(i + 1, n - 1) = (d_1 - w[i] * u_1) / u[i];
    });
    return w;
}

/// Greatest step along d that stays in the cones, at most `limit`.
double longest_step(const Blocks& blocks, const Vector& u, const Vector& d, double limit)
{
    double step = limit;
    for_each_block(blocks, [&](Eigen::Index i, Eigen::Index n) {
        // first positive root of (u + t d)_0^2 = |(u + t d)_1|^2, c > 0
        const auto u_1 = u.segment(i + 1, n - 1), d_1 = d.segment(i + 1, n - 1);
        const double c = std::pow(hyperbolic_length(u.segment(i, n)), 2);
        const double b = u[i] * d[i] - u_1.dot(d_1);
        const double a = d[i] * d[i] - d_1.squaredNorm();
        const double discriminant = b * b - a * c;
        if (discriminant >= 0) {
            const double root = std::sqrt(discriminant);
            const double t = b < 0 ? c / (root - b) : (a < 0 ? -(root + b) / a : limit);
            if (t > 0) step = std::min(step, t);
        }
        if (d[i] < 0) step = std::min(step, -u[i] / d[i]);
    });
    return step;
}

/// Adds to the first components what moves u well inside the cones, if it is not inside.
void move_inside(const Blocks& blocks, Vector& u)
{
    double worst = std::numeric_limits<double>::infinity();
    for_each_block(blocks,
                   [&](Eigen::Index i, Eigen::Index n) { worst = std::min(worst, margin(u.segment(i, n))); });
    const double floor = 1e-2;
    if (worst > floor) return;
    for_each_block(blocks, [&](Eigen::Index i, Eigen::Index) { u[i] += 1 - worst; });
}

class InteriorPoint {
public:
    explicit InteriorPoint(const ConicProgramme& programme)
        : p_(programme),
          n_(programme.q.size()),
          equations_(programme.e.size()),
          rows_(programme.h.size()),
          W_(Eigen::MatrixXd::Identity(rows_, rows_)),
          W_inverse_(W_)
    {
    }

    ConicSolution solve()
    {
        start();
        constexpr int max_steps = 100;
        constexpr double small_enough = 1e-15;
        for (int step = 0; step < max_steps; ++step) {
            measure();
            if (!(std::max(gap_, residual_) > small_enough)) break;
            if (!advance()) break;
        }
        return best_;
    }

private:
    /// The matrix of a step in scaled multipliers W l, with a little that keeps it regular.
    void factorise()
    {
        kkt_ = Eigen::MatrixXd::Zero(n_ + equations_ + rows_, n_ + equations_ + rows_);
        kkt_.topLeftCorner(n_, n_) = p_.P;
        kkt_.block(n_, 0, equations_, n_) = p_.E;
        kkt_.block(0, n_, n_, equations_) = p_.E.transpose();
        kkt_.bottomLeftCorner(rows_, n_) = W_inverse_ * p_.G;
        kkt_.topRightCorner(n_, rows_) = (W_inverse_ * p_.G).transpose();
        kkt_.bottomRightCorner(rows_, rows_).diagonal().setConstant(-1);
        constexpr double regular = 1e-13;
        Eigen::MatrixXd shifted = kkt_;
        shifted.diagonal().head(n_).array() += regular;
        shifted.diagonal().segment(n_, equations_).array() -= regular;
        factor_.compute(shifted);
    }

    /// Solves the step's equations; the shift is taken out by refinement.
    [[nodiscard]] Vector solved(const Vector& right) const
    {
        Vector x = factor_.solve(right);
        for (int pass = 0; pass < 3; ++pass) {
            x += factor_.solve(right - kkt_ * x);
        }
        return x;
    }

    void start()
    {
        factorise();
        Vector right(n_ + equations_ + rows_);
        right << -p_.q, p_.e, p_.h;
        const Vector x = solved(right);
        y_ = x.head(n_);
        nu_ = x.segment(n_, equations_);
        l_ = x.tail(rows_);
        s_ = -l_;
        move_inside(p_.blocks, s_);
        move_inside(p_.blocks, l_);
    }

    void measure()
    {
        r_dual_ = p_.P * y_ + p_.q + p_.E.transpose() * nu_ + p_.G.transpose() * l_;
        r_equations_ = p_.E * y_ - p_.e;
        r_slack_ = p_.G * y_ + s_ - p_.h;
        gap_ = s_.dot(l_);
        residual_ = std::max({r_dual_.norm(), r_equations_.norm(), r_slack_.norm()});
        const bool better = std::max(gap_, residual_) < std::max(best_.gap, best_.residual);
        if (best_.y.size() == 0 || better) best_ = {y_, s_, l_, gap_, residual_};
    }

    /// The symmetric W with W l = W^-1 s, a hyperbolic reflection in every block.
    void scale()
    {
        for_each_block(p_.blocks, [&](Eigen::Index i, Eigen::Index n) {
            const double of_s = hyperbolic_length(s_.segment(i, n)),
                         of_l = hyperbolic_length(l_.segment(i, n));
            const Vector s = s_.segment(i, n) / of_s, l = l_.segment(i, n) / of_l;
            const double gamma = std::sqrt((1 + s.dot(l)) / 2);
            Vector w = s;
            w[0] += l[0];
            w.tail(n - 1) -= l.tail(n - 1);
            w /= 2 * gamma;
            w[0] += 1;
            const Vector v = w / std::sqrt(2 * w[0]);
            Vector mirrored = -v;
            mirrored[0] = v[0];

            // J = diag(1, -1, ...): W = beta (2 v v^T - J), its inverse with J v in place of v
            Eigen::MatrixXd J = -Eigen::MatrixXd::Identity(n, n);
            J(0, 0) = 1;
            const double beta = std::sqrt(of_s / of_l);
            W_.block(i, i, n, n) = beta * (2 * v * v.transpose() - J);
            W_inverse_.block(i, i, n, n) = (2 * mirrored * mirrored.transpose() - J) / beta;
        });
    }

    struct Step {
        Vector y, nu, s, l;
    };

    /// The direction that removes `share` of the residuals and makes the scaled product change by `target`.
    [[nodiscard]] Step direction(double share, const Vector& target) const
    {
        const Vector turned = quotient(p_.blocks, scaled_, target);
        Vector right(n_ + equations_ + rows_);
        right << -share * r_dual_, -share * r_equations_, -share * (W_inverse_ * r_slack_) - turned;
        const Vector x = solved(right);
        Step step{x.head(n_), x.segment(n_, equations_), {}, W_inverse_ * x.tail(rows_)};
        step.s = -share * r_slack_ - p_.G * step.y;
        return step;
    }

    bool advance()
    {
        scale();
        if (!W_.allFinite() || !W_inverse_.allFinite()) return false;
        factorise();
        scaled_ = W_ * l_;

        // predictor: straight to complementarity; how far it gets tells how much to centre
        const Vector square = product(p_.blocks, scaled_, scaled_);
        const Step predictor = direction(1, -square);
        const double reach = std::min(longest_step(p_.blocks, s_, predictor.s, 1),
                                      longest_step(p_.blocks, l_, predictor.l, 1));
        const double centring = std::pow(1 - reach, 3);

        // corrector: what the predictor's step leaves out of the product
        const double mean = gap_ / static_cast<double>(p_.blocks.size());
        Vector target = -square - product(p_.blocks, W_inverse_ * predictor.s, W_ * predictor.l);
        for_each_block(p_.blocks, [&](Eigen::Index i, Eigen::Index) { target[i] += centring * mean; });
        const Step step = direction(1 - centring, target);
        if (!step.y.allFinite() || !step.s.allFinite() || !step.l.allFinite()) return false;

        const double longest =
            std::min(longest_step(p_.blocks, s_, step.s, 2), longest_step(p_.blocks, l_, step.l, 2));
        const double t = std::min(1.0, 0.99 * longest);
        y_ += t * step.y;
        nu_ += t * step.nu;
        s_ += t * step.s;
        l_ += t * step.l;
        constexpr double shortest = 1e-9;
        return t > shortest && is_inside(s_) && is_inside(l_);
    }

    [[nodiscard]] bool is_inside(const Vector& u) const
    {
        bool inside = true;
        for_each_block(p_.blocks, [&](Eigen::Index i, Eigen::Index n) {
            inside = inside && margin(u.segment(i, n)) > 0;
        });
        return inside;
    }

    const ConicProgramme& p_;
    Eigen::Index n_, equations_, rows_;
    Vector y_, nu_, s_, l_, scaled_;  ///< unknowns, multipliers of equations, slack, its multipliers, W l
    Eigen::MatrixXd W_, W_inverse_, kkt_;
    Lu factor_;
    Vector r_dual_, r_equations_, r_slack_;
    double gap_ = 0, residual_ = 0;
    ConicSolution best_;
};

}  // namespace

ConicSolution solve_conic_programme(const ConicProgramme& programme)
{
    return InteriorPoint(programme).solve();
}

}  // namespace carom::detail
