#include "carom/study/results.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace carom {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Errors below it are roundoff of some million steps with the largest value.
double roundoff_of(std::span<const double> values)
{
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    return 4e-12 * largest + 1e-15;
}

/// Slope of log2 e over log2 h.
double slope_of(const std::vector<double>& log_h, const std::vector<double>& log_e)
{
    const auto n = static_cast<double>(log_h.size());
    if (n < 2) return nothing;
    double mean_h = 0, mean_e = 0;
    for (std::size_t i = 0; i < log_h.size(); ++i) {
        mean_h += log_h[i] / n;
        mean_e += log_e[i] / n;
    }
    double above = 0, below = 0;
    for (std::size_t i = 0; i < log_h.size(); ++i) {
        above += (log_h[i] - mean_h) * (log_e[i] - mean_e);
        below += (log_h[i] - mean_h) * (log_h[i] - mean_h);
    }
    return above / below;  // steps differ, so below > 0
}

/// Every halving of the step helped, and the last three by the same factor.
bool even(const std::vector<double>& ratio)
{
    if (ratio.size() < 2) return false;
    const auto last = ratio.end();
    const auto [low, high] = std::minmax_element(last - std::min<std::ptrdiff_t>(3, std::ssize(ratio)), last);
    return std::ranges::all_of(ratio, [](double p) { return p > 0.2; }) && *high - *low < 0.3;
}

/// Errors of the finer half of the steps are smaller than those of the coarser one, by an order of 0.2 at
/// least. A slope through values that go up and down shows nothing.
bool shrink(const std::vector<double>& error)
{
    if (error.size() < 2) return false;
    const std::size_t half = error.size() / 2;
    const auto middle = error.begin() + static_cast<std::ptrdiff_t>(half);
    const double coarse = *std::max_element(error.begin(), middle),
                 fine = *std::max_element(middle, error.end());
    // from the middle of one half to that of the other the step is halved n/2 times
    return fine < coarse * std::exp2(-0.2 * static_cast<double>(error.size()) / 2);
}

/// Without an exact value the differences must go one way: an error in powers of the step does.
bool goes_one_way(const OrderTable& table, double roundoff)
{
    if (table.exact) return true;
    bool up = false, down = false;
    for (std::size_t k = 0; k + 1 < table.value.size(); ++k) {
        const double step = table.value[k + 1] - table.value[k];
        up = up || step > roundoff;
        down = down || step < -roundoff;
    }
    return !(up && down);
}

OrderVerdict verdict_of(const OrderTable& table, std::size_t above_roundoff)
{
    if (table.value.size() < 3) return OrderVerdict::TooFew;
    if (above_roundoff < 2) return OrderVerdict::Roundoff;
    // an order that is seen until roundoff is reached counts
    std::vector<double> seen;
    std::ranges::copy_if(table.ratio, std::back_inserter(seen), [](double p) { return !std::isnan(p); });
    if (even(seen) && goes_one_way(table, roundoff_of(table.value))) return OrderVerdict::Seen;
    return table.fitted > 0.2 && shrink(table.error) ? OrderVerdict::Irregular : OrderVerdict::None;
}

/// What the last three values tend to (CV-3); their own differences say how, not the exact value.
double limit_of(std::span<const double> value, double roundoff)
{
    const std::size_t n = value.size();
    const double before = value[n - 2] - value[n - 3], last = value[n - 1] - value[n - 2];
    if (!(std::abs(last) > roundoff) || !(std::abs(before) > 1.1 * std::abs(last))) return nothing;
    return value[n - 1] + last / (before / last - 1);
}

}  // namespace

std::string_view name_of(OrderVerdict verdict) noexcept
{
    switch (verdict) {
    case OrderVerdict::Seen: return "seen";
    case OrderVerdict::Irregular: return "irregular";
    case OrderVerdict::Roundoff: return "roundoff";
    case OrderVerdict::None: return "none";
    case OrderVerdict::TooFew: return "too_few";
    }
    return "unknown";
}

OrderTable order_of(std::string quantity, std::span<const double> h_s, std::span<const double> value,
                    std::optional<double> exact)
{
    OrderTable table{.quantity = std::move(quantity), .exact = exact};
    for (std::size_t k = 0; k < value.size() && !std::isnan(value[k]); ++k) {
        table.h_s.push_back(h_s[k]);
        table.value.push_back(value[k]);
    }

    // errors, or differences of neighbours (CV-1)
    const std::size_t levels = table.value.size();
    for (std::size_t k = 0; k + (exact ? 0 : 1) < levels; ++k)
        table.error.push_back(std::abs(table.value[k] - (exact ? *exact : table.value[k + 1])));

    // orders, where errors are more than roundoff (CV-2)
    const double roundoff = roundoff_of(table.value);
    std::vector<double> log_h, log_e;
    for (std::size_t k = 0; k < table.error.size(); ++k) {
        const bool counts = table.error[k] > roundoff;
        if (counts) {
            log_h.push_back(std::log2(table.h_s[k]));
            log_e.push_back(std::log2(table.error[k]));
        }
        if (k == 0) continue;
        const bool both = counts && table.error[k - 1] > roundoff;
        table.ratio.push_back(both ? std::log2(table.error[k - 1] / table.error[k]) : nothing);
    }
    table.fitted = slope_of(log_h, log_e);
    table.verdict = verdict_of(table, log_e.size());

    table.limit = table.verdict == OrderVerdict::Seen ? limit_of(table.value, roundoff) : nothing;
    return table;
}

std::vector<OrdersAt> orders_of(const Study& study, const ResultTable& table,
                                const std::map<std::string, double>& exact)
{
    const auto levels = static_cast<std::size_t>(study.plan().levels);
    const auto& runs = table.find("run")->numbers;
    std::vector<OrdersAt> all;
    for (std::size_t i = 0; levels > 0 && i + levels <= runs.size(); ++i) {
        // a whole combination: its levels stand one after the other
        const auto index = static_cast<long>(runs[i]);
        if (index % study.plan().levels != 0) continue;
        if (static_cast<long>(runs[i + levels - 1]) != index + study.plan().levels - 1) continue;
        OrdersAt point{.values = study.run(index).values, .tables = {}};
        std::vector<double> h_s;
        for (long k = 0; k < study.plan().levels; ++k)
            h_s.push_back(study.run(index + k).time_step_s);
        for (const std::string& name : study.quantities()) {
            const std::span<const double> values(table.find(name)->numbers);
            const auto known = exact.find(name);
            point.tables.push_back(
                order_of(name, h_s, values.subspan(i, levels),
                         known == exact.end() ? std::nullopt : std::optional(known->second)));
        }
        all.push_back(std::move(point));
    }
    return all;
}

}  // namespace carom
