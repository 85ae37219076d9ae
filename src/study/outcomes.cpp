#include "carom/study/results.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr std::size_t max_groups = 100;

std::vector<double> finite_ones(const std::vector<double>& numbers, std::size_t first, std::size_t end)
{
    std::vector<double> values;
    for (std::size_t i = first; i < end; ++i) {
        if (std::isfinite(numbers[i])) values.push_back(numbers[i]);
    }
    return values;
}

Distribution distribution_of(std::string quantity, const std::vector<double>& values)
{
    Distribution d{.quantity = std::move(quantity), .count = values.size()};
    if (values.empty()) return d;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    d.low = *low;
    d.high = *high;
    const auto n = static_cast<double>(values.size());
    for (const double value : values)
        d.mean += value / n;
    double squares = 0;
    for (const double value : values)
        squares += (value - d.mean) * (value - d.mean);
    d.deviation = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
    const double parts = static_cast<double>(d.histogram.size());
    for (const double value : values) {
        const double part = d.high > d.low ? (value - d.low) / (d.high - d.low) * parts : 0;
        ++d.histogram[std::min(static_cast<std::size_t>(part), d.histogram.size() - 1)];
    }
    return d;
}

/// Groups final states; the widths say what counts as alike.
class Grouping {
public:
    explicit Grouping(std::vector<double> widths) : widths_(std::move(widths)) {}

    /// False when there are too many groups already.
    bool add(const std::vector<double>& state)
    {
        for (std::size_t g = 0; g < firsts_.size(); ++g) {
            if (!alike(firsts_[g], state)) continue;
            ++groups_[g].count;
            for (std::size_t i = 0; i < state.size(); ++i)
                groups_[g].state[i] +=
                    (state[i] - groups_[g].state[i]) / static_cast<double>(groups_[g].count);
            return true;
        }
        if (firsts_.size() == max_groups) return false;
        firsts_.push_back(state);
        groups_.push_back({.count = 1, .state = state});
        return true;
    }

    [[nodiscard]] std::vector<Outcome> groups() const
    {
        auto sorted = groups_;
        std::ranges::stable_sort(sorted, std::ranges::greater{}, &Outcome::count);
        return sorted;
    }

private:
    [[nodiscard]] bool alike(const std::vector<double>& a, const std::vector<double>& b) const
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (std::abs(a[i] - b[i]) > widths_[i]) return false;
        }
        return true;
    }

    std::vector<double> widths_;
    std::vector<std::vector<double>> firsts_;
    std::vector<Outcome> groups_;
};

}  // namespace

Outcomes outcomes_of(const Study& study, const ResultTable& table, std::size_t first, std::size_t end)
{
    Outcomes outcomes;
    for (const std::string& name : study.quantities()) {
        outcomes.distributions.push_back(
            distribution_of(name, finite_ones(table.find(name)->numbers, first, end)));
    }

    // final states are the first quantities
    const auto size = static_cast<std::size_t>(2 * study.scene().model.coordinates());
    const std::span<const Distribution> states(outcomes.distributions.data(), size);
    double largest = 0;
    for (const Distribution& d : states)
        largest = std::max({largest, std::abs(d.low), std::abs(d.high)});
    std::vector<double> widths;
    std::vector<const std::vector<double>*> columns;
    for (const Distribution& d : states) {
        const double own = std::max(std::abs(d.low), std::abs(d.high));
        widths.push_back(std::max({0.05 * (d.high - d.low), 0.01 * own, 1e-9 * largest}));
        columns.push_back(&table.find(d.quantity)->numbers);
    }
    Grouping grouping(std::move(widths));
    for (std::size_t row = first; row < end; ++row) {
        std::vector<double> state;
        for (const auto* column : columns)
            state.push_back((*column)[row]);
        const bool whole = std::ranges::all_of(state, [](double x) { return std::isfinite(x); });
        if (whole && !grouping.add(state)) outcomes.too_many_groups = true;
    }
    outcomes.groups = grouping.groups();
    return outcomes;
}

}  // namespace carom
