#include "forcing.hpp"

#include "closure.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carom::detail {
namespace {

constexpr double no_period_s = 0.7310585786300049;  ///< nobody's: what repeats after it does not depend on t

struct Repeats {
    bool here = true;   ///< at the values of the parameters,
    bool along = true;  ///< and to first order for others, if the period follows them as told (OR-28)
};

/// Whether formulas of the scene at t and t + n T are the same, n = 1, 2, 4, ... for no longer than the run of the
/// scene: after a small part of a period nothing has changed yet.
Repeats repeats_after(Member& member, double T, const Eigen::VectorXd& dT)
{
    constexpr double rounding = 1e-8, most = 1e-3, nothing = 1e-300;
    VariationalSystem& system = member.flow->system();
    std::vector<Formula> formulas = member.symbols.system.forces;
    formulas.push_back(member.symbols.system.potential);
    Differentiated functions = system.functions_of(formulas);
    Workspace work;
    const State& start = member.scene.start;
    const auto n = static_cast<std::size_t>(start.q.size());
    const Eigen::Index z = 2 * start.q.size(), P = dT.size();
    Repeats result;
    const auto compare = [&](Differentiated& f) {
        const Eigen::Index rows = f.slope.rows();
        Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(rows, P), sizes = changes;
        for (int k = 0; k < 8; ++k) {
            Eigen::VectorXd q = start.q, u = start.u;
            for (std::size_t i = 0; i < n; ++i) {
                q[static_cast<Eigen::Index>(i)] +=
                    0.01 * member.scene.length_m * std::sin(1.7 * k + static_cast<double>(i));
                u[static_cast<Eigen::Index>(i)] += 0.1 * std::cos(2.3 * k + static_cast<double>(i));
            }
            const double t = start.t_s + 0.37 * T * k;
            f.at(system.place(t, q, u).point(), work);
            const Eigen::VectorXd before = f.value;
            const Eigen::MatrixXd slope = f.slope;
            f.at(system.place(t + T, q, u).point(), work);
            const double size = before.cwiseAbs().sum() + slope.cwiseAbs().sum();
            const auto is_as_before = [&](double periods) {
                const double limit = std::min(rounding * periods, most) * size + nothing;
                return (f.value - before).cwiseAbs().maxCoeff() <= limit &&
                       (f.slope.leftCols(z) - slope.leftCols(z)).cwiseAbs().maxCoeff() <= limit;
            };
            result.here = result.here && is_as_before(1);
            // at a single instant a slope may be zero but for its rounding
            const Eigen::MatrixXd by_period = f.slope.rightCols(1) * dT.transpose();
            const Eigen::MatrixXd change = f.slope.middleCols(z, P) + by_period - slope.middleCols(z, P);
            changes = changes.cwiseMax(change.cwiseAbs());
            sizes = sizes.cwiseMax(f.slope.middleCols(z, P).cwiseAbs() + by_period.cwiseAbs());
            for (double periods = 2; result.here && periods * T <= member.scene.plan.duration_s;
                 periods *= 2) {
                f.at(system.place(t + periods * T, q, u).point(), work);
                result.here = is_as_before(periods);
            }
        }
        if (P > 0) result.along = result.along && (changes - rounding * sizes).maxCoeff() <= nothing;
    };
    if (!formulas.empty()) compare(functions);
    for (auto& contact : system.contacts) {
        compare(contact.gap);
        compare(contact.U[0]);
        compare(contact.coefficients);
    }
    return result;
}

}  // namespace

bool repeats_at_all_times(Member& member)
{
    return repeats_after(member, no_period_s, {}).here;
}

std::optional<Error> wrong_period(Member& member, const OrbitOptions& options)
{
    const Period period = given_period(member);
    const Repeats repeats = repeats_after(member, period.value_s, period.slope);
    if (!repeats.here) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "--period",
                     .message = fmt::format("after {} s the formulas of the scene are not what they were: "
                                            "the period is not a multiple of the period of the forcing",
                                            period.value_s),
                     .hint = "give a multiple of the period of the forces and obstacles",
                     .excerpt = {}};
    }
    if (!repeats.along) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "--period",
                     .message = fmt::format("the period of the forcing changes with {}, and {} does not "
                                            "follow it",
                                            fmt::join(options.parameters, ", "), options.period),
                     .hint = "write it as a formula of the parameters, for example 2*pi/w",
                     .excerpt = {}};
    }
    return std::nullopt;
}

}  // namespace carom::detail
