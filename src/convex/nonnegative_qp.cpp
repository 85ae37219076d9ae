#include "convex/nonnegative_qp.hpp"

#include "carom/core/expected.hpp"
#include "principal_pivoting.hpp"
#include "triangular_factor.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

namespace detail {

double power_of_two_scale(double length)
{
    if (!(length > 0)) return 1;
    return std::ldexp(1.0, -std::clamp(std::ilogb(length), -1000, 1000));
}

namespace {

constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

/// W by its elements, equilibrated: W_ii in [1, 4) unless zero.
class GramFactor {
public:
    static constexpr bool can_be_unbounded = true;

    GramFactor(Eigen::MatrixXd W, Eigen::VectorXd b)
        : W_(std::move(W)), b_(std::move(b)), length_(W_.diagonal().cwiseMax(0.0).cwiseSqrt()), R_(b_.size())
    {
    }

    [[nodiscard]] const std::vector<int>& passive() const { return R_.passive(); }
    [[nodiscard]] const Eigen::VectorXd& solution() const { return c_; }

    Relation relate(int j)
    {
        r_ = R_.solve_transposed(passive_part(W_.col(j)));
        c_ = R_.solve_upper(r_);
        const double schur = W_(j, j) - r_.squaredNorm();

        // rounding errors of W_kl reach the Schur complement with the weights d_k d_l
        double size = length_[j];
        for (Eigen::Index k = 0; k < R_.rank(); ++k) {
            size += std::abs(c_[k]) * length_[passive()[static_cast<std::size_t>(k)]];
        }
        rho_ = schur > 0 ? std::sqrt(schur) : 0;
        return {schur, schur > 16 * machine_epsilon * static_cast<double>(b_.size()) * size * size};
    }

    void append(int j) { R_.append(j, r_, rho_); }
    void drop(int position)
    {
        R_.drop(position, [](Eigen::Index, const Eigen::JacobiRotation<double>&) {});
    }

    /// Two steps of refinement make w_P vanish to the roundoff of W x + b.
    [[nodiscard]] Eigen::VectorXd stationary() const
    {
        const Eigen::VectorXd b = passive_part(b_);
        const Eigen::MatrixXd W = W_(passive(), passive());
        Eigen::VectorXd x = Eigen::VectorXd::Zero(R_.rank());
        for (int pass = 0; pass < 3; ++pass) {
            x -= R_.solve_upper(R_.solve_transposed(W * x + b));
        }
        return x;
    }

    void gradient(const Eigen::VectorXd& x, Eigen::VectorXd& w)
    {
        w = b_;
        magnitude_ = b_.cwiseAbs();
        for (const int k : passive()) {
            w += x[k] * W_.col(k);
            magnitude_ += std::abs(x[k]) * W_.col(k).cwiseAbs();
        }
        roundoff_ = machine_epsilon * static_cast<double>(8 + b_.size()) * magnitude_;
    }
    [[nodiscard]] const Eigen::VectorXd& roundoff() const { return roundoff_; }
    [[nodiscard]] const Eigen::VectorXd& magnitude() const { return magnitude_; }

    [[nodiscard]] double objective(const Eigen::VectorXd& x) const { return 0.5 * b_.dot(x); }
    [[nodiscard]] double objective_size(const Eigen::VectorXd& x) const { return linear_size(x); }
    [[nodiscard]] double linear_size(const Eigen::VectorXd& d) const
    {
        return b_.cwiseAbs().dot(d.cwiseAbs());
    }

private:
    template <class Column>
    [[nodiscard]] Eigen::VectorXd passive_part(const Column& column) const
    {
        return column(passive());
    }

    Eigen::MatrixXd W_;
    Eigen::VectorXd b_;
    Eigen::VectorXd length_;  ///< W_ii^(1/2)
    TriangularFactor R_;
    Eigen::VectorXd r_;
    Eigen::VectorXd c_;
    Eigen::VectorXd roundoff_;
    Eigen::VectorXd magnitude_;
    double rho_ = 0;
};

void require_sizes(bool fit)
{
    if (!fit) throw InternalError("nonnegative programme: the sizes of matrix, vectors and flags differ");
}

}  // namespace
}  // namespace detail

NonnegativeQpReport solve_nonnegative_qp(const Eigen::Ref<const Eigen::MatrixXd>& W,
                                         const Eigen::Ref<const Eigen::VectorXd>& b,
                                         std::span<const char> is_free, Eigen::Ref<Eigen::VectorXd> x)
{
    Eigen::VectorXd ray(b.size());
    return solve_nonnegative_qp(W, b, is_free, x, ray);
}

NonnegativeQpReport solve_nonnegative_qp(const Eigen::Ref<const Eigen::MatrixXd>& W,
                                         const Eigen::Ref<const Eigen::VectorXd>& b,
                                         std::span<const char> is_free, Eigen::Ref<Eigen::VectorXd> x,
                                         Eigen::Ref<Eigen::VectorXd> ray)
{
    const Eigen::Index n = b.size();
    detail::require_sizes(W.rows() == n && W.cols() == n && x.size() == n && ray.size() == n &&
                          (is_free.empty() || static_cast<Eigen::Index>(is_free.size()) == n));
    ray.setZero();
    if (!W.allFinite() || !b.allFinite() || !x.allFinite()) return {QpStatus::NotFinite, 0};

    // equilibrate: x = s x', W' = s W s, b' = s b, all products exact
    Eigen::VectorXd scale(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        scale[i] = detail::power_of_two_scale(std::sqrt(std::max(W(i, i), 0.0)));
    }
    detail::GramFactor factor(scale.asDiagonal() * W * scale.asDiagonal(), scale.cwiseProduct(b));
    Eigen::VectorXd scaled_x = x.cwiseQuotient(scale);
    detail::PrincipalPivoting pivoting(factor, is_free, scaled_x);
    const NonnegativeQpReport report = pivoting.solve();

    x = scale.cwiseProduct(scaled_x);
    if (report.status == QpStatus::Unbounded) {
        ray = scale.cwiseProduct(pivoting.ray());
        ray /= ray.cwiseAbs().maxCoeff();
    }
    return report;
}

}  // namespace carom
