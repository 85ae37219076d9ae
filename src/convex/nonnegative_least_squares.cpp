#include "convex/nonnegative_qp.hpp"

#include "carom/core/expected.hpp"
#include "principal_pivoting.hpp"
#include "triangular_factor.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

namespace detail {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// W = F^T F by the columns of F, equilibrated to lengths in [1, 2), and an orthonormal basis Q of the
/// passive ones: F_P = Q R.
class ColumnFactor {
public:
    static constexpr bool can_be_unbounded = false;

    /// Sine of the smallest angle that makes a column independent: above what a whitening by a metric of
    /// condition 1e6 leaves of columns that were dependent.
    static constexpr double smallest_angle = 1e-12;

    ColumnFactor(Eigen::MatrixXd F, Eigen::VectorXd z)
        : F_(std::move(F)),
          z_(std::move(z)),
          length_(F_.colwise().norm()),
          size_of_z_(z_.norm()),
          Q_(F_.rows(), std::min(F_.rows(), F_.cols())),
          R_(Q_.cols())
    {
    }

    [[nodiscard]] const std::vector<int>& passive() const { return R_.passive(); }
    [[nodiscard]] const Eigen::VectorXd& solution() const { return c_; }

    Relation relate(int j)
    {
        // orthogonalised twice, so that what is left is orthogonal to roundoff of itself
        const auto Q = basis();
        r_ = Q.transpose() * F_.col(j);
        left_ = F_.col(j) - Q * r_;
        const Eigen::VectorXd again = Q.transpose() * left_;
        r_ += again;
        left_ -= Q * again;
        rho_ = left_.norm();
        c_ = R_.solve_upper(r_);

        // rounding errors of the passive columns reach what is left with the weights c
        double size = length_[j];
        for (Eigen::Index k = 0; k < R_.rank(); ++k) {
            size += std::abs(c_[k]) * length_[passive()[static_cast<std::size_t>(k)]];
        }
        const double roundoff = 32 * epsilon * size;
        const bool independent = rho_ > smallest_angle * length_[j] && rho_ > roundoff;
        return {rho_ * rho_, R_.rank() < Q_.cols() && independent};
    }

    void append(int j)
    {
        Q_.col(R_.rank()) = left_ / rho_;
        R_.append(j, r_, rho_);
    }

    void drop(int position)
    {
        R_.drop(position, [this](Eigen::Index i, const Eigen::JacobiRotation<double>& rotation) {
            Q_.applyOnTheRight(i, i + 1, rotation);
        });
    }

    [[nodiscard]] Eigen::VectorXd stationary() const { return R_.solve_upper(basis().transpose() * z_); }

    /// z - F x at the stationary x of the passive set, without the rounding errors of a large x.
    [[nodiscard]] Eigen::VectorXd remainder() const
    {
        // columns that span the space leave nothing
        if (R_.rank() == F_.rows()) return Eigen::VectorXd::Zero(F_.rows());
        const auto Q = basis();
        Eigen::VectorXd rest = z_ - Q * (Q.transpose() * z_);
        rest -= Q * (Q.transpose() * rest);
        return rest;
    }

    void gradient(const Eigen::VectorXd& x, Eigen::VectorXd& w)
    {
        w = -F_.transpose() * remainder();
        roundoff_ = epsilon * static_cast<double>(8 + F_.rows()) * size_of_z_ * length_;
        magnitude_ = (size_of_z_ + length_.dot(x.cwiseAbs())) * length_;
    }
    [[nodiscard]] const Eigen::VectorXd& roundoff() const { return roundoff_; }
    [[nodiscard]] const Eigen::VectorXd& magnitude() const { return magnitude_; }

    [[nodiscard]] double objective(const Eigen::VectorXd&) const { return 0.5 * remainder().squaredNorm(); }
    [[nodiscard]] double objective_size(const Eigen::VectorXd&) const { return size_of_z_ * size_of_z_; }

private:
    [[nodiscard]] Eigen::Block<const Eigen::MatrixXd, Eigen::Dynamic, Eigen::Dynamic, true> basis() const
    {
        return Q_.leftCols(R_.rank());
    }

    Eigen::MatrixXd F_;
    Eigen::VectorXd z_;
    Eigen::VectorXd length_;
    double size_of_z_;
    Eigen::MatrixXd Q_;
    TriangularFactor R_;
    Eigen::VectorXd r_;
    Eigen::VectorXd left_;
    Eigen::VectorXd c_;
    Eigen::VectorXd roundoff_;
    Eigen::VectorXd magnitude_;
    double rho_ = 0;
};

}  // namespace
}  // namespace detail

NonnegativeQpReport solve_nonnegative_least_squares(const Eigen::Ref<const Eigen::MatrixXd>& F,
                                                    const Eigen::Ref<const Eigen::VectorXd>& z,
                                                    std::span<const char> is_free,
                                                    Eigen::Ref<Eigen::VectorXd> x,
                                                    Eigen::Ref<Eigen::VectorXd> remainder)
{
    const Eigen::Index m = F.cols();
    if (z.size() != F.rows() || x.size() != m || remainder.size() != F.rows() ||
        (!is_free.empty() && static_cast<Eigen::Index>(is_free.size()) != m)) {
        throw InternalError("nonnegative least squares: the sizes of matrix, vectors and flags differ");
    }
    if (!F.allFinite() || !z.allFinite() || !x.allFinite()) return {QpStatus::NotFinite, 0};

    // equilibrate by exact powers of two: columns to length one, z to size one
    Eigen::VectorXd scale(m);
    for (Eigen::Index j = 0; j < m; ++j) {
        scale[j] = detail::power_of_two_scale(F.col(j).stableNorm());
    }
    const double scale_of_z = detail::power_of_two_scale(z.stableNorm());
    detail::ColumnFactor factor(F * scale.asDiagonal(), z * scale_of_z);
    Eigen::VectorXd scaled_x = (x * scale_of_z).cwiseQuotient(scale);
    detail::PrincipalPivoting pivoting(factor, is_free, scaled_x);
    const NonnegativeQpReport report = pivoting.solve();

    x = scale.cwiseProduct(scaled_x) / scale_of_z;
    remainder = factor.remainder() / scale_of_z;
    return report;
}

}  // namespace carom
