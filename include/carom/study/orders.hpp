#pragma once

#include "carom/study/study.hpp"

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

}  // namespace carom
