#include "carom/expression/vocabulary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {

namespace {

Error table_error(ErrorCode code, std::string message, std::string hint)
{
    return {.code = code,
            .where = "table",
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

}  // namespace

Expected<Table> Table::from_points(std::vector<double> abscissae, std::vector<double> ordinates)
{
    const std::size_t n = abscissae.size();
    if (n == 0 || ordinates.size() != n) {
        return table_error(ErrorCode::WrongSize,
                           fmt::format("the table has {} abscissae and {} ordinates", n, ordinates.size()),
                           "give as many ordinates as abscissae, at least one of each");
    }
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::ranges::all_of(abscissae, finite) || !std::ranges::all_of(ordinates, finite)) {
        return table_error(ErrorCode::NotFinite, "the table holds a number that is infinite or NaN",
                           "give finite numbers; outside its points a table is constant");
    }
    for (std::size_t i = 1; i < n; ++i) {
        if (abscissae[i - 1] < abscissae[i]) continue;
        return table_error(
            ErrorCode::SettingOutOfRange,
            fmt::format("abscissa {} of the table is {} after {}", i + 1, abscissae[i], abscissae[i - 1]),
            "sort the points so that the abscissae strictly increase");
    }

    Table table;
    table.slopes_.assign(n, 0);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double run = abscissae[i + 1] - abscissae[i];
        table.slopes_[i] = (ordinates[i + 1] - ordinates[i]) / run;
        if (std::isfinite(run) && std::isfinite(table.slopes_[i])) continue;
        return table_error(
            ErrorCode::NotFinite,
            fmt::format("between points {} and {} the table is too wide or too steep for doubles", i + 1,
                        i + 2),
            "give points whose differences and slopes are finite");
    }
    table.abscissae_ = std::move(abscissae);
    table.ordinates_ = std::move(ordinates);
    return table;
}

Table::Value Table::at(double x) const noexcept
{
    if (std::isnan(x)) return {.value = x, .slope = x};

    // the first point to the right of x; its predecessor begins the piece
    const auto right = std::upper_bound(abscissae_.begin(), abscissae_.end(), x);
    if (right == abscissae_.begin()) return {.value = ordinates_.front(), .slope = 0};
    if (right == abscissae_.end()) return {.value = ordinates_.back(), .slope = 0};
    const auto i = static_cast<std::size_t>(right - abscissae_.begin()) - 1;
    return {.value = ordinates_[i] + slopes_[i] * (x - abscissae_[i]), .slope = slopes_[i]};
}

}  // namespace carom
