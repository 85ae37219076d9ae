#include "carom/orbit/lyapunov.hpp"

#include "directions.hpp"
#include "flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace carom {
namespace {

using namespace detail;

constexpr long parts = 8;

Expected<void, Errors> check(const LyapunovOptions& options)
{
    const auto refuse = [](const char* where, double value, const char* hint) {
        return Errors{{.code = ErrorCode::SettingOutOfRange,
                       .where = where,
                       .message = fmt::format("it is {}", value),
                       .hint = hint,
                       .excerpt = {}}};
    };
    if (!(options.interval_s > 0)) {
        return refuse("LyapunovOptions::interval_s", options.interval_s, "give a time greater than zero");
    }
    if (options.intervals < parts) {
        return refuse("LyapunovOptions::intervals", static_cast<double>(options.intervals), "give 8 or more");
    }
    if (options.discard < 0) {
        return refuse("LyapunovOptions::discard", static_cast<double>(options.discard), "give 0 or more");
    }
    return {};
}

/// X = Q R with positive R: Q goes on, the logarithms of R's diagonal grow.
Eigen::VectorXd orthonormalise(Rows& X)
{
    constexpr double rounding = 1e-14;
    Eigen::VectorXd logs(X.cols());
    for (Eigen::Index j = 0; j < X.cols(); ++j) {
        const double before = X.col(j).norm();
        for (int twice = 0; twice < 2; ++twice) {
            for (Eigen::Index i = 0; i < j; ++i) {
                X.col(j) -= X.col(i).dot(X.col(j)) * X.col(i);
            }
        }
        const double length = X.col(j).norm();
        // a phase of contact or of stick forgets a direction
        if (!(length > rounding * before)) {
            logs[j] = -std::numeric_limits<double>::infinity();
            X.col(j).setZero();
            continue;
        }
        logs[j] = std::log(length);
        X.col(j) /= length;
    }
    return logs;
}

}  // namespace

Expected<Lyapunov, Errors> lyapunov_exponents(const Scene& scene, const LyapunovOptions& options)
{
    if (auto checked = check(options); !checked) return checked.error();
    if (Errors errors = check_for_orbits(scene); !errors.empty()) return errors;
    auto symbols = read_symbols(scene, {});
    if (!symbols) return symbols.error();
    Flow flow(scene, *symbols);
    const auto n = static_cast<Eigen::Index>(scene.model.coordinates());
    Rows X = Rows::Identity(2 * n, 2 * n);
    flow.start(scene.start, X);

    Lyapunov result;
    std::vector<Eigen::VectorXd> sums(static_cast<std::size_t>(parts), Eigen::VectorXd::Zero(2 * n));
    std::vector<long> counts(static_cast<std::size_t>(parts), 0);
    const double start_s = scene.start.t_s;
    for (long k = 0; k < options.discard + options.intervals; ++k) {
        if (options.stop != nullptr && *options.stop) {
            result.trouble = "stopped";
            return result;
        }
        if (flow.advance(start_s + static_cast<double>(k + 1) * options.interval_s) == Flow::End::Failed) {
            result.trouble = flow.findings().empty() ? "the motion ends" : flow.findings().back().message;
            return result;
        }
        if (!flow.differentiable()) {
            result.trouble = fmt::format("at {:.9g} s: {}", flow.loss_s(), flow.loss()->words);
            return result;
        }
        // an interval that ends at an event goes on into the next one
        Eigen::VectorXd logs = Eigen::VectorXd::Zero(2 * n);
        if (!flow.at_event()) {
            X = flow.X();
            logs = orthonormalise(X);
            flow.replace_derivatives(X);
        }
        if (k >= options.discard) {
            const long part = (k - options.discard) * parts / options.intervals;
            sums[static_cast<std::size_t>(part)] += logs;
            ++counts[static_cast<std::size_t>(part)];
            result.impacts += std::ranges::count_if(
                flow.events, [](const FlowEvent& one) { return one.event.kind == EventKind::Impact; });
        }
        flow.events.clear();
    }
    result.time_s = static_cast<double>(options.intervals) * options.interval_s;
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(2 * n), square = mean;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Eigen::VectorXd rate = sums[i] / (static_cast<double>(counts[i]) * options.interval_s);
        mean += rate / parts;
        square += rate.cwiseAbs2() / parts;
    }
    result.exponents_1_s = mean;
    result.errors_1_s = ((square - mean.cwiseAbs2()).cwiseMax(0) / (parts - 1)).cwiseSqrt();
    result.finished = true;
    return result;
}

}  // namespace carom
