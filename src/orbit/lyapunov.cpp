#include "carom/orbit/lyapunov.hpp"

#include "kernel.hpp"
#include "member.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

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
        return refuse("--strobe", options.interval_s, "give a time greater than zero");
    }
    if (options.intervals < parts) {
        return refuse("--lyapunov", static_cast<double>(options.intervals), "give 8 or more");
    }
    if (options.discard < 0) {
        return refuse("--skip", static_cast<double>(options.discard), "give 0 or more");
    }
    return {};
}

/// X = Q R with positive R: Q goes on, the logarithms of R's diagonal grow, and T = R^-1. Where contacts hold,
/// a column that has nothing left beside the others is a direction that the motion has forgotten: zero.
struct Frame {
    Rows Q;
    Eigen::MatrixXd T;
    Eigen::VectorXd logs;

    Frame(const Rows& X, bool holds) : Q(X), T(Eigen::MatrixXd::Identity(X.cols(), X.cols())), logs(X.cols())
    {
        const double nothing = holds ? 1e-14 : 0;
        for (Eigen::Index j = 0; j < Q.cols(); ++j) {
            const double before = Q.col(j).norm();
            for (int twice = 0; twice < 2; ++twice) {
                for (Eigen::Index i = 0; i < j; ++i) {
                    const double share = Q.col(i).dot(Q.col(j));
                    Q.col(j) -= share * Q.col(i);
                    T.col(j) -= share * T.col(i);
                }
            }
            const double length = Q.col(j).norm();
            const bool forgotten = !(length > nothing * before);
            logs[j] = forgotten ? -std::numeric_limits<double>::infinity() : std::log(length);
            const double factor = forgotten ? 0 : 1 / length;
            Q.col(j) *= factor;
            T.col(j) *= factor;
        }
    }
};

/// Puts directions that closed contacts allow, where the rows `held` are zero, in the places of forgotten ones.
void complete(Rows& X, const Eigen::MatrixXd& held)
{
    constexpr double independent = 1e-6;
    const Eigen::MatrixXd allowed = kernel_of(held.leftCols(X.rows()));
    Eigen::Index next = 0;
    for (Eigen::Index j = 0; j < X.cols(); ++j) {
        while (X.col(j).isZero(0) && next < allowed.cols()) {
            Eigen::VectorXd other = allowed.col(next++);
            for (int twice = 0; twice < 2; ++twice)
                other -= X * (X.transpose() * other);
            if (other.norm() > independent) X.col(j) = other.normalized();
        }
    }
}

/// A motion with a frame of directions that is made orthonormal after every piece.
class GrowingFrame {
public:
    GrowingFrame(Member& member, const State& start) : flow_(*member.flow)
    {
        const Eigen::Index z = 2 * start.q.size();
        logs = Eigen::VectorXd::Zero(z);
        Rows X = Rows::Zero(z, z);
        complete(X, held_slopes(member, held_at(member, start), start));
        flow_.set_until(nullptr);
        flow_.start(start, X);
        flow_.on_piece = [this](const SeriesPiece&, const std::vector<SeriesStatus>& statuses) {
            statuses_ = statuses;
        };
        flow_.on_derivatives = [this](const VariationalPiece&, const Rows& X) {
            const Frame frame(X, !statuses_.empty());
            logs += frame.logs;
            flow_.change_columns(frame.Q, frame.T);
        };
    }
    ~GrowingFrame()
    {
        flow_.on_piece = nullptr;
        flow_.on_derivatives = nullptr;
    }
    GrowingFrame(const GrowingFrame&) = delete;
    GrowingFrame& operator=(const GrowingFrame&) = delete;

    /// On to a time, and until no event is there: its volumes are known on both sides of it only. Nothing: why
    /// not.
    [[nodiscard]] std::optional<std::string> advance(double to_s, bool clear_of_events)
    {
        double more_s = 1e-3 * (to_s - flow_.state().t_s);
        for (int k = 0; k == 0 || (clear_of_events && flow_.at_event() && k < 8); ++k, more_s *= 2) {
            if (flow_.advance(to_s + (k > 0 ? more_s : 0)) == Flow::End::Failed)
                return flow_.findings().empty() ? "the motion ends" : flow_.findings().back().message;
            if (!flow_.differentiable())
                return fmt::format("at {:.9g} s: {}", flow_.loss_s(), flow_.loss()->words);
        }
        return std::nullopt;
    }

    /// Counts from here on, in all directions that closed contacts allow.
    void begin()
    {
        Rows X = flow_.X();
        const State& now = flow_.state();
        complete(X, flow_.rows_that_hold(flow_.system().place(now.t_s, now.q, now.u), statuses_));
        flow_.replace_derivatives(X);
        logs.setZero();
        flow_.events.clear();
    }

    Eigen::VectorXd logs;  ///< of the growth along the directions, since `begin`

private:
    Flow& flow_;
    std::vector<SeriesStatus> statuses_;  ///< of the last piece
};

/// Means over the whole time, and their standard errors from those of its parts.
void add_means(const std::vector<Eigen::VectorXd>& sums, const std::vector<double>& times_s, Lyapunov& result)
{
    const Eigen::Index z = sums.front().size();
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(z), square = mean;
    for (const Eigen::VectorXd& one : sums) {
        mean += one / result.time_s;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Eigen::VectorXd difference = sums[i] / times_s[i] - mean;
        square += difference.cwiseAbs2() * (times_s[i] / result.time_s / (parts - 1));
    }
    std::vector<Eigen::Index> order(static_cast<std::size_t>(z));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::ranges::stable_sort(order, std::greater{}, [&](Eigen::Index i) { return mean[i]; });
    result.exponents_1_s.resize(z);
    result.errors_1_s.resize(z);
    for (Eigen::Index i = 0; i < z; ++i) {
        const Eigen::Index from = order[static_cast<std::size_t>(i)];
        result.exponents_1_s[i] = mean[from];
        result.errors_1_s[i] = std::isfinite(mean[from]) ? std::sqrt(square[from]) : 0;
    }
}

}  // namespace

Expected<Lyapunov, Errors> lyapunov_exponents(const Scene& scene, const LyapunovOptions& options)
{
    if (auto checked = check(options); !checked) return checked.error();
    auto member = make_member(scene, {});
    if (!member) return member.error();
    // an interval may have countless events: the engine looks for a request to stop as well
    (*member)->scene.solver.stop = options.stop;
    const auto is_stopped = [&] { return (*member)->scene.solver.is_stopped(); };
    Flow& flow = *(*member)->flow;
    flow.set_forgets(true);
    GrowingFrame growth(**member, scene.start);

    Lyapunov result;
    std::vector<Eigen::VectorXd> sums;
    std::vector<double> times_s;
    Eigen::VectorXd counted = growth.logs;
    double begin_s = scene.start.t_s, part_s = begin_s;
    for (long k = 0; k < options.discard + options.intervals; ++k) {
        if (is_stopped()) {
            result.trouble = "stopped";
            return result;
        }
        if (k == options.discard && k > 0) {
            growth.begin();
            counted.setZero();
            begin_s = part_s = flow.state().t_s;
        }
        // intervals from the beginning of the mean, without this one; parts end with an interval
        const long done = k - options.discard + 1;
        const bool ends_part = done == 0 || (done > 0 && done * parts / options.intervals >
                                                             (done - 1) * parts / options.intervals);
        if (auto trouble = growth.advance(scene.start.t_s + static_cast<double>(k + 1) * options.interval_s,
                                          ends_part)) {
            result.trouble = is_stopped() ? "stopped" : std::move(*trouble);
            return result;
        }
        if (done <= 0) continue;
        result.impacts += std::ranges::count_if(
            flow.events, [](const FlowEvent& one) { return one.event.kind == EventKind::Impact; });
        flow.events.clear();
        if (!ends_part) continue;
        const auto grown = [](double now, double before) { return std::isinf(now) ? now : now - before; };
        sums.emplace_back(growth.logs.binaryExpr(counted, grown));
        times_s.push_back(flow.state().t_s - part_s);
        counted = growth.logs;
        part_s = flow.state().t_s;
    }
    result.time_s = part_s - begin_s;
    add_means(sums, times_s, result);
    result.finished = true;
    return result;
}

}  // namespace carom
