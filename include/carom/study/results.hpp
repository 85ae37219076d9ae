#pragma once

#include "carom/study/study.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carom {

/// Orders of convergence, from runs that differ in their step only: h, h/2, h/4, ...
///
///     e(h) = |v(h) - v|, or without the exact value v the difference |v(h) - v(h/2)|           (CV-1)
///     order by ratio  p_k = log2(e_k / e_k+1);  by least squares the slope of log2 e over log2 h  (CV-2)
///     limit  v(h/4) + d / (2^p - 1),  d = v(h/4) - v(h/2),  2^p = (v(h/2) - v(h)) / d        (CV-3)
///
/// Theory     docs/theory/convergence.md

/// What can be said about the order of one quantity.
enum class OrderVerdict {
    Seen,       ///< errors shrink at every halving, the last three times by the same factor
    Irregular,  ///< errors shrink from the coarser to the finer half of the steps, but unevenly, as where
                ///< impacts fall differently into steps
    Roundoff,   ///< the error is roundoff from the first or second step on
    None,       ///< errors do not shrink
    TooFew,     ///< fewer than three runs gave a value
};

[[nodiscard]] std::string_view name_of(OrderVerdict verdict) noexcept;

struct OrderTable {
    std::string quantity;
    std::optional<double> exact;
    std::vector<double> h_s, value;  ///< one per level that gave a value
    std::vector<double> error;       ///< one per level, or without an exact value one less
    std::vector<double> ratio;       ///< p_k, one less than errors; NaN where an error is roundoff
    double fitted = 0;               ///< least squares over errors above roundoff; NaN below two of them
    double limit = 0;                ///< (CV-3); NaN where the order cannot be seen
    OrderVerdict verdict = OrderVerdict::TooFew;
};

/// The order of one quantity. `h_s` and `value` are in the order of levels; NaN values are dropped, and all
/// values after them.
[[nodiscard]] OrderTable order_of(std::string quantity, std::span<const double> h_s,
                                  std::span<const double> value, std::optional<double> exact = {});

/// The tables of all quantities for one combination of varied values.
struct OrdersAt {
    std::vector<std::string> values;  ///< one per axis
    std::vector<OrderTable> tables;
};

/// Needs a plan with levels. Combinations with runs missing from the table are skipped.
[[nodiscard]] std::vector<OrdersAt> orders_of(const Study& study, const ResultTable& table,
                                              const std::map<std::string, double>& exact);

/// How the results of many runs are distributed.

/// One quantity over the rows that have it.
struct Distribution {
    std::string quantity;
    std::size_t count = 0;
    double mean = 0;
    double deviation = 0;  ///< standard deviation of a sample: divided by count - 1
    double low = 0, high = 0;
    std::array<std::size_t, 20> histogram{};  ///< counts in equal parts of [low, high]
};

/// Runs that ended alike.
struct Outcome {
    std::size_t count = 0;
    std::vector<double> state;  ///< mean of coordinates and velocities at the end
};

struct Outcomes {
    std::vector<Distribution> distributions;
    std::vector<Outcome> groups;  ///< most frequent first
    bool too_many_groups = false;
};

/// Distributions of the quantities over the rows `first` to `end` of a table, and the groups of their final
/// states. A row joins the first group whose first state differs in no coordinate or velocity by more than
/// 5 % of the spread of all rows, or 1 % of the largest value where that is more; differences below 1e-9 of
/// the largest number in all states are roundoff.
[[nodiscard]] Outcomes outcomes_of(const Study& study, const ResultTable& table, std::size_t first,
                                   std::size_t end);

}  // namespace carom
