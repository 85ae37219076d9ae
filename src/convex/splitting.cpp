#include "carom/convex/operations.hpp"

#include "fixed_point.hpp"
#include "support_by_prox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

using Sets = std::vector<SetPointer>;

Expected<void> check_dimensions(const char* where, const Sets& sets)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = where,
                .message = "there is no set",
                .hint = "give at least one set, all of one dimension",
                .excerpt = {}};
    if (sets.empty()) return error;
    for (const SetPointer& set : sets) {
        if (!set || set->dimension() != sets.front()->dimension()) {
            error.message = "the sets differ in dimension";
            return error;
        }
    }
    return {};
}

double sum_of_sizes(const Sets& sets)
{
    double sum = 0;
    for (const SetPointer& set : sets) {
        sum += set->size();
    }
    return sum;
}

/// What the blocks v_i of a splitting z = v_1 + ... + v_m + rest are.
enum class Blocks {
    Points,   ///< v_i in C_i: their sum is the nearest point of the sum
    Normals,  ///< v_i normal to C_i: the rest is the nearest point of the intersection
};

/// Sweeps over the blocks of (CS-19): each v_i becomes the best one given the others. The first block follows
/// from the others, which are the unknown of a fixed point iteration.
class Splitting {
public:
    Splitting(const Sets& sets, Blocks blocks, const Metric& metric, Eigen::VectorXd z)
        : sets_(sets),
          blocks_(blocks),
          metric_(metric),
          z_(std::move(z)),
          v_(Eigen::MatrixXd::Zero(z_.size(), static_cast<Eigen::Index>(sets.size())))
    {
    }

    ProxStatus solve()
    {
        const Eigen::Index n = z_.size(), others = v_.cols() - 1;
        Eigen::VectorXd unknown = Eigen::VectorXd::Zero(n * others);
        if (others == 0) {
            sweep(unknown);
            return all_solved_ ? ProxStatus::Converged : ProxStatus::NotConverged;
        }
        const double scale = z_.norm() + sum_of_sizes(sets_);
        const auto report = detail::accelerated_fixed_point(
            [&](const Eigen::VectorXd& at) { return sweep(at); }, roundoff * scale, unknown, max_sweeps);
        sweep(unknown);
        return report.converged && all_solved_ ? ProxStatus::Converged : ProxStatus::NotConverged;
    }

    [[nodiscard]] Eigen::VectorXd sum() const { return v_.rowwise().sum(); }

private:
    static constexpr double roundoff = 2e-14;
    static constexpr int max_sweeps = 3000;

    /// One sweep from given blocks 2 to m; returns the new ones.
    Eigen::VectorXd sweep(const Eigen::VectorXd& at)
    {
        const Eigen::Index n = z_.size();
        v_.rightCols(v_.cols() - 1) = at.reshaped(n, v_.cols() - 1);
        Eigen::VectorXd nearest(n);
        all_solved_ = true;
        for (Eigen::Index i = 0; i < v_.cols(); ++i) {
            v_.col(i).setZero();
            const Eigen::VectorXd left = z_ - sum();
            const auto& set = *sets_[static_cast<std::size_t>(i)];
            all_solved_ = set.prox(metric_, left, nearest) == ProxStatus::Converged && all_solved_;
            v_.col(i) = blocks_ == Blocks::Points ? nearest : Eigen::VectorXd(left - nearest);
        }
        return v_.rightCols(v_.cols() - 1).reshaped();
    }

    const Sets& sets_;
    Blocks blocks_;
    const Metric& metric_;
    Eigen::VectorXd z_;
    Eigen::MatrixXd v_;       ///< one block per column
    bool all_solved_ = true;  ///< in the last sweep
};

}  // namespace

Expected<Intersection> Intersection::make(std::vector<SetPointer> sets)
{
    if (const auto checked = check_dimensions("Intersection", sets); !checked) return checked.error();
    Intersection set(std::move(sets));

    // some point must be common to all: the one nearest to the origin is looked for
    Eigen::VectorXd x = Eigen::VectorXd::Zero(set.dimension());
    if (set.prox(x, x) != ProxStatus::Converged || !set.contains(x, 1e-9)) {
        return Error{
            .code = ErrorCode::SettingOutOfRange,
            .where = "Intersection",
            .message = "no common point was found",
            .hint = "give sets that overlap; sets that only touch may need one description by inequalities",
            .excerpt = {}};
    }
    return set;
}

double Intersection::size() const noexcept
{
    return sum_of_sizes(sets_);
}

double Intersection::distance_to(ConstPoint v) const
{
    // zero exactly where v is in every set; otherwise a lower bound of the distance
    double worst = 0;
    Eigen::VectorXd x(v.size());
    for (const SetPointer& set : sets_) {
        if (set->prox(v, x) != ProxStatus::Converged) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, (v - x).norm());
    }
    return worst;
}

ProxStatus Intersection::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus Intersection::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    Splitting splitting(sets_, Blocks::Normals, metric, z);
    const ProxStatus status = splitting.solve();
    x = z - splitting.sum();
    return status;
}

double Intersection::support_at(ConstPoint p) const
{
    return detail::support_by_prox(*this, p);
}

Expected<MinkowskiSum> MinkowskiSum::make(std::vector<SetPointer> sets)
{
    if (const auto checked = check_dimensions("MinkowskiSum", sets); !checked) return checked.error();
    return MinkowskiSum(std::move(sets));
}

double MinkowskiSum::size() const noexcept
{
    return sum_of_sizes(sets_);
}

double MinkowskiSum::distance_to(ConstPoint v) const
{
    // the sum of blocks is in the set, so this is never below the distance
    Eigen::VectorXd x(v.size());
    nearest(v, Point(x.data(), x.size()));
    return (v - x).norm();
}

ProxStatus MinkowskiSum::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus MinkowskiSum::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    Splitting splitting(sets_, Blocks::Points, metric, z);
    const ProxStatus status = splitting.solve();
    x = splitting.sum();
    return status;
}

double MinkowskiSum::support_at(ConstPoint p) const
{
    double sum = 0;
    for (const SetPointer& set : sets_) {
        sum += set->support(Eigen::VectorXd(p));
    }
    return sum;
}

}  // namespace carom
