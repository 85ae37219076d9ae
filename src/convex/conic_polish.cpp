#include "conic_programme.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Where a slack is in its cone at the minimum.
enum class Place {
    Inside,    ///< no multiplier
    Boundary,  ///< on a generator; the multiplier is on the opposite one
    Apex,      ///< zero; the multiplier is anywhere in the cone
};

Place place_of(const Vector& slack, const Vector& multiplier)
{
    if (multiplier[0] < margin(slack)) return Place::Inside;
    return slack.size() == 1 || slack[0] < margin(multiplier) ? Place::Apex : Place::Boundary;
}

/// Newton's method for a minimum whose active blocks are known.
class Polish {
public:
    Polish(const ConicProgramme& programme, const ConicSolution& solution)
        : p_(programme), y_(solution.y), l_(solution.multipliers)
    {
        Eigen::Index first = 0;
        for (const Eigen::Index rows : p_.blocks) {
            places_.push_back(
                place_of(solution.slack.segment(first, rows), solution.multipliers.segment(first, rows)));
            first += rows;
        }
    }

    ConicSolution solve()
    {
        constexpr int max_steps = 8;
        for (int step = 0; step < max_steps; ++step) {
            if (!newton_step()) break;
        }
        return measured();
    }

private:
    /// Linearised active conditions J dy = -r, and the curvature of the boundaries they lie on.
    void linearise()
    {
        const Vector slack = p_.h - p_.G * y_;
        J_ = p_.E;
        r_ = p_.E * y_ - p_.e;
        curvature_ = Matrix::Zero(y_.size(), y_.size());
        Eigen::Index first = 0;
        for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
            const Eigen::Index rows = p_.blocks[b];
            const Matrix G = p_.G.middleRows(first, rows);
            const Vector s = slack.segment(first, rows);
            if (places_[b] == Place::Apex) append(G, -s);
            if (places_[b] == Place::Boundary) {
                // |s_1| - s_0 = 0
                const double length = s.tail(rows - 1).norm();
                const Vector n = s.tail(rows - 1) / length;
                const Matrix G_1 = G.bottomRows(rows - 1);
                append(G.row(0) - n.transpose() * G_1, Vector::Constant(1, length - s[0]));
                const Matrix across = G_1 - n * (n.transpose() * G_1);
                curvature_ += l_[first] / length * across.transpose() * across;
            }
            first += rows;
        }
    }

    void append(const Matrix& rows, const Vector& values)
    {
        Matrix J(J_.rows() + rows.rows(), y_.size());
        J << J_, rows;
        Vector r(J.rows());
        r << r_, values;
        J_ = std::move(J);
        r_ = std::move(r);
    }

    bool newton_step()
    {
        linearise();
        const Eigen::Index n = y_.size(), m = r_.size();
        Matrix kkt = Matrix::Zero(n + m, n + m);
        kkt.topLeftCorner(n, n) = p_.P + curvature_;
        kkt.bottomLeftCorner(m, n) = J_;
        kkt.topRightCorner(n, m) = J_.transpose();
        Vector right(n + m);
        right << -(p_.P * y_ + p_.q), -r_;
        const Vector step = LeastSquares(kkt, 1e-12).solve(right);
        if (!step.allFinite()) return false;
        y_ += step.head(n);
        take_multipliers(step.tail(m));
        constexpr double at_rest = 1e-16;
        return step.head(n).norm() > at_rest;
    }

    /// Multipliers of the rows of G from those of the active conditions.
    void take_multipliers(const Vector& active)
    {
        const Vector slack = p_.h - p_.G * y_;
        nu_ = active.head(p_.e.size());
        l_.setZero();
        Eigen::Index first = 0, at = p_.e.size();
        for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
            const Eigen::Index rows = p_.blocks[b];
            if (places_[b] == Place::Apex) {
                l_.segment(first, rows) = active.segment(at, rows);
                at += rows;
            }
            if (places_[b] == Place::Boundary) {
                l_[first] = active[at++];
                l_.segment(first + 1, rows - 1) =
                    -l_[first] * slack.segment(first + 1, rows - 1).normalized();
            }
            first += rows;
        }
    }

    /// All conditions of the minimum, active or not.
    [[nodiscard]] ConicSolution measured() const
    {
        ConicSolution result{y_, p_.h - p_.G * y_, l_, 0, 0};
        result.gap = std::abs(result.slack.dot(l_));
        const Vector dual = p_.P * y_ + p_.q + p_.E.transpose() * nu_ + p_.G.transpose() * l_;
        result.residual = std::max(dual.norm(), (p_.E * y_ - p_.e).norm());
        Eigen::Index first = 0;
        for (const Eigen::Index rows : p_.blocks) {
            const double outside =
                std::max(-margin(result.slack.segment(first, rows)), -margin(l_.segment(first, rows)));
            result.residual = std::max(result.residual, outside);
            first += rows;
        }
        return result;
    }

    const ConicProgramme& p_;
    Vector y_, nu_, l_;
    std::vector<Place> places_;
    Matrix J_, curvature_;
    Vector r_;
};

}  // namespace

ConicSolution polished(const ConicProgramme& programme, const ConicSolution& solution)
{
    if (!solution.y.allFinite()) return solution;
    const ConicSolution result = Polish(programme, solution).solve();
    const bool is_better =
        std::max(result.gap, result.residual) < std::max(std::abs(solution.gap), solution.residual);
    return is_better ? result : solution;
}

}  // namespace carom::detail
