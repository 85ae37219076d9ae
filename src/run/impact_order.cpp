#include "impact_order.hpp"

#include "core/dense.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Velocities that differ by less than this part of those that there are count as the same.
constexpr double same_velocity = 0.01;

/// Contacts that close within this part of a step close together: then the law decides.
constexpr double together = 1e-6;

/// Normal velocities below this part of those that forces alone would give in the step are no impacts, but what
/// a solver leaves of rest: ten times its default tolerance.
constexpr double at_rest = 1e-7;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// More rows of firm interactions than these are not looked at.
constexpr int max_firm_rows = 120;

/// The rows that firm constraints and joints have in what an impact sees: per interaction its first, -1 where
/// it is not firm.
struct FirmRowPlaces {
    std::vector<int> first;
    int count = 0;

    explicit FirmRowPlaces(const OneStepProblem& problem) : first(problem.laws.size(), -1)
    {
        for (std::size_t k = 0; k < first.size(); ++k) {
            if (!std::holds_alternative<Bilateral>(problem.laws[k])) continue;
            first[k] = count;
            count += problem.offsets[k + 1] - problem.offsets[k];
        }
    }

    /// The firm columns of a row of blocks, from the row `at` of `to` on; of a contact the normal one alone.
    void copy(const OneStepProblem& problem, int interaction, int height, Eigen::MatrixXd& to, int at) const
    {
        for (const auto& entry : problem.W.row(interaction)) {
            const int column = first[static_cast<std::size_t>(entry.column)];
            if (column < 0) continue;
            const int width = problem.W.dimension(entry.column);
            const auto block = problem.W.block(interaction, entry);
            for (int i = 0; i < height; ++i) {
                for (int j = 0; j < width; ++j)
                    to(at + i, column + j) = block[static_cast<std::size_t>(i * width + j)];
            }
        }
    }
};

/// Normal percussions only, over the contacts of a step, while firm constraints and joints hold:
/// W - W_F W_FF^-1 W_F^T of the normal rows.
class NormalImpacts {
public:
    NormalImpacts(const OneStepProblem& problem, const FirmRowPlaces& firm, std::vector<Closing> closings)
        : closings_(std::move(closings)), W_(closings_.size() * closings_.size(), 0.0)
    {
        const std::size_t n = closings_.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (const auto& entry : problem.W.row(closings_[i].k)) {
                const auto at = std::ranges::find(closings_, entry.column, &Closing::k);
                if (at != closings_.end())
                    W_[i * n + static_cast<std::size_t>(at - closings_.begin())] =
                        problem.W.block(closings_[i].k, entry)[0];
            }
        }
        if (firm.count > 0) hold(problem, firm);
    }

    /// All at once: 0 <= U + e U^- perp P >= 0.
    [[nodiscard]] std::vector<double> at_once() const
    {
        std::vector<double> U_minus(closings_.size());
        for (std::size_t i = 0; i < U_minus.size(); ++i)
            U_minus[i] = closings_[i].U_minus_m_s;
        return together_from(U_minus, infinity);
    }

    /// One after the other as they close, those that touch with each that collides: 0 <= U + e U^- perp P >=
    /// 0 of all whose velocity is not positive, until nothing approaches.
    [[nodiscard]] std::vector<double> in_order_with_touching() const
    {
        const std::size_t n = closings_.size();
        const double still = 1e-9 * fastest();
        std::vector<double> P(n, 0.0), U(n);
        for (std::size_t last = 0; last < n; ++last) {
            for (int pass = 0; pass < 100; ++pass) {
                bool approaches = false;
                for (std::size_t i = 0; i < n; ++i) {
                    U[i] = i <= last ? velocity(P, i) : infinity;
                    approaches = approaches || U[i] < -still;
                }
                if (!approaches) break;
                const std::vector<double> more = together_from(U, still);
                for (std::size_t i = 0; i < n; ++i)
                    P[i] += more[i];
            }
        }
        return P;
    }

    /// One after the other as they close; what is closed already and approaches again collides again.
    [[nodiscard]] std::vector<double> in_order() const
    {
        const std::size_t n = closings_.size();
        std::vector<double> P(n, 0.0);
        for (std::size_t last = 0; last < n; ++last) {
            for (int pass = 0; pass < 1000; ++pass) {
                std::size_t worst = n;
                double U_worst = -1e-9 * fastest();
                for (std::size_t i = 0; i <= last; ++i) {
                    const double U = velocity(P, i);
                    if (U >= U_worst) continue;
                    worst = i;
                    U_worst = U;
                }
                if (worst == n) break;
                P[worst] -= (1 + closings_[worst].restitution) * U_worst / W(worst, worst);
            }
        }
        return P;
    }

    /// Kinetic energy of the velocity that two answers differ by.
    [[nodiscard]] double energy_between(const std::vector<double>& P, const std::vector<double>& Q) const
    {
        const std::size_t n = closings_.size();
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j)
                sum += 0.5 * (P[i] - Q[i]) * W(i, j) * (P[j] - Q[j]);
        }
        return sum;
    }

private:
    void hold(const OneStepProblem& problem, const FirmRowPlaces& firm)
    {
        constexpr double firmly = 1e-10;  // a contact that nothing can move is left with so much
        const std::size_t n = closings_.size();
        Eigen::MatrixXd W_FF = Eigen::MatrixXd::Zero(firm.count, firm.count),
                        W_F = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), firm.count);
        for (std::size_t k = 0; k < firm.first.size(); ++k) {
            const auto interaction = static_cast<int>(k);
            if (firm.first[k] >= 0)
                firm.copy(problem, interaction, problem.W.dimension(interaction), W_FF, firm.first[k]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            firm.copy(problem, closings_[i].k, 1, W_F, static_cast<int>(i));
        }
        // the rows of W_F are combinations of those of W_FF, whatever its rank
        const Eigen::MatrixXd held = W_F * FullLu(W_FF).solve(W_F.transpose());
        for (std::size_t i = 0; i < n; ++i) {
            const double free = W(i, i);
            for (std::size_t j = 0; j < n; ++j) {
                W_[i * n + j] -= held(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
            }
            W_[i * n + i] = std::max(W_[i * n + i], firmly * free);
        }
    }

    /// Percussions of those with U^- <= `smallest`, from these velocities, by sweeps.
    [[nodiscard]] std::vector<double> together_from(const std::vector<double>& U_minus, double smallest) const
    {
        const std::size_t n = closings_.size();
        std::vector<double> P(n, 0.0);
        for (int sweep = 0; sweep < 1000; ++sweep) {
            double moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (!(U_minus[i] <= smallest)) continue;
                double U = U_minus[i] + closings_[i].restitution * std::min(0.0, U_minus[i]);
                for (std::size_t j = 0; j < n; ++j)
                    U += W(i, j) * P[j];
                const double next = std::max(0.0, P[i] - U / W(i, i));
                moved = std::max(moved, std::abs(next - P[i]) * W(i, i));
                P[i] = next;
            }
            if (moved <= 1e-12 * fastest()) break;
        }
        return P;
    }

    [[nodiscard]] double W(std::size_t i, std::size_t j) const { return W_[i * closings_.size() + j]; }
    [[nodiscard]] double velocity(const std::vector<double>& P, std::size_t i) const
    {
        double U = closings_[i].U_minus_m_s;
        for (std::size_t j = 0; j < P.size(); ++j)
            U += W(i, j) * P[j];
        return U;
    }
    [[nodiscard]] double fastest() const
    {
        double speed = 0;
        for (const Closing& c : closings_)
            speed = std::max(speed, std::abs(c.U_minus_m_s));
        return speed;
    }

    std::vector<Closing> closings_;
    std::vector<double> W_;
};

}  // namespace

void look_at_order(const ClosingOrder& order, Certifier& certifier)
{
    const std::vector<Closing>& closings = order.closings;
    const auto first = std::ranges::find_if(closings, [](const Closing& c) { return c.fresh || c.recent; });
    if (closings.end() - first < 2 || !closings.back().fresh) return;
    const double between_s = std::min(order.h_s, first->since_s - closings.back().since_s);
    if (!(between_s > together * order.h_s)) return;
    const auto strikes = [&](const Closing& c) {
        const auto row = order.problem.offsets[static_cast<std::size_t>(c.k)];
        return std::abs(c.U_minus_m_s) > at_rest * std::abs(order.problem.U_free[row]);
    };
    if (std::none_of(first, closings.end(), strikes)) return;
    const FirmRowPlaces firm(order.problem);
    if (firm.count > max_firm_rows) return;
    const NormalImpacts impacts(order.problem, firm, closings);
    const std::vector<double> P = impacts.at_once();
    const double other_J = std::max(impacts.energy_between(P, impacts.in_order()),
                                    impacts.energy_between(P, impacts.in_order_with_touching()));
    if (!(other_J > same_velocity * same_velocity * order.kinetic_J)) return;
    std::vector<std::string> names;
    for (auto it = first; it != closings.end(); ++it) {
        std::string name = order.name(it->k);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    const std::string all = fmt::format("{}", fmt::join(names, ", "));
    certifier.add_finding(
        {.code = "impact_order",
         .time_s = order.time_s,
         .message = fmt::format(
             "{} close within {}, {:.1e} s apart, and are solved together: one after the other "
             "they leave another velocity, which differs by {:.2g} of the kinetic energy. Take "
             "a step below {:.1e} s",
             all, first->recent ? "two steps" : "one step", between_s, other_J / order.kinetic_J, between_s),
         .count = 1,
         .uncertifies = true,
         .about = all});
}

}  // namespace carom
