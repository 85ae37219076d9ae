#include "carom/sweeping/moving_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Error no_set(const char* where, ErrorCode code, std::string message)
{
    return Error{.code = code,
                 .where = where,
                 .message = std::move(message),
                 .hint = "give functions of time with finite values of the dimension of the set",
                 .excerpt = {}};
}

}  // namespace

Expected<SetOfTime> SetOfTime::make(int n, Function set_at)
{
    if (n < 1 || !set_at) {
        return no_set("SetOfTime", ErrorCode::WrongSize,
                      "the space has no dimension, or there is no function");
    }
    return SetOfTime(
        n, [set_at = std::move(set_at)](double t_s, const Eigen::VectorXd&) { return set_at(t_s); });
}

Expected<SetOfTime> SetOfTime::of_point(int n, FunctionOfPoint set_at)
{
    if (n < 1 || !set_at) {
        return no_set("SetOfTime", ErrorCode::WrongSize,
                      "the space has no dimension, or there is no function");
    }
    return SetOfTime(n, std::move(set_at));
}

Expected<ProxStatus> SetOfTime::prox(double t_s, const Eigen::VectorXd& at, const Metric& metric,
                                     const ConvexSet::ConstVector& z, ConvexSet::Vector x) const
{
    const auto set = set_at_(t_s, at);
    if (!set) return set.error();
    if (!*set || (*set)->dimension() != n_) {
        return no_set("SetOfTime", ErrorCode::WrongSize,
                      fmt::format("the set at t = {} s has not {} dimensions", t_s, n_));
    }
    return (*set)->prox(metric, z, x);
}

Expected<CarriedSet> CarriedSet::make(SetPointer set, Shift shift, Scale scale)
{
    if (!set || !shift) return no_set("CarriedSet", ErrorCode::WrongSize, "there is no set, or no shift");
    return CarriedSet(std::move(set), std::move(shift), std::move(scale));
}

Expected<ProxStatus> CarriedSet::prox(double t_s, const Eigen::VectorXd&, const Metric& metric,
                                      const ConvexSet::ConstVector& z, ConvexSet::Vector x) const
{
    const Eigen::VectorXd shift = shift_(t_s);
    const double scale = scale_ ? scale_(t_s) : 1;
    if (shift.size() != set_->dimension()) {
        return no_set("CarriedSet", ErrorCode::WrongSize,
                      fmt::format("the shift at t = {} s has {} components", t_s, shift.size()));
    }
    if (!shift.allFinite() || !std::isfinite(scale)) {
        return no_set("CarriedSet", ErrorCode::NotFinite,
                      fmt::format("the shift or the scale at t = {} s is not finite", t_s));
    }
    if (scale == 0) {
        return no_set("CarriedSet", ErrorCode::SettingOutOfRange,
                      fmt::format("the scale at t = {} s is 0", t_s));
    }

    // prox of scale C + shift (CS-18), without making that set
    x = (z - shift) / scale;
    const ProxStatus status = set_->prox(metric, x, x);
    x = scale * x + shift;
    return status;
}

Expected<MovingInterval> MovingInterval::make(Function ends)
{
    if (!ends) return no_set("MovingInterval", ErrorCode::WrongSize, "there is no function");
    return MovingInterval(std::move(ends));
}

Expected<ProxStatus> MovingInterval::prox(double t_s, const Eigen::VectorXd&, const Metric&,
                                          const ConvexSet::ConstVector& z, ConvexSet::Vector x) const
{
    const Ends ends = ends_(t_s);
    if (!(ends.lower <= ends.upper && ends.lower < infinity && ends.upper > -infinity)) {
        return no_set("MovingInterval", ErrorCode::SettingOutOfRange,
                      fmt::format("the ends at t = {} s are {} and {}", t_s, ends.lower, ends.upper));
    }
    x[0] = std::clamp(z[0], ends.lower, ends.upper);
    return std::isfinite(z[0]) ? ProxStatus::Converged : ProxStatus::NotFinite;
}

}  // namespace carom
