#include "core/text.hpp"
#include "expression/workspace.hpp"
#include "figure_runs.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom::detail {
namespace {

double instant_of(const FigureNumber& number, const Run& run)
{
    int seen = 0;
    for (const RunEvent& event : run.events) {
        if (name_of(event.kind) != number.event) continue;
        if (!number.place.empty() && event.place != number.place) continue;
        if (++seen == number.which) return event.time_s;
    }
    return std::nan("");
}

Expected<double> energy_of(const FigureNumber& number, const Run& run)
{
    std::vector<std::string> names;
    for (const RecordedSeries& series : run.record.energies) {
        if (series.name == number.energy)
            return series.values.size() > 0 ? series.values[series.values.size() - 1] : std::nan("");
        names.push_back(series.name);
    }
    return Error{.code = ErrorCode::UnknownName,
                 .where = "[[figure.number]]",
                 .message = fmt::format("the ledger has no line {}", carom::quoted(number.energy)),
                 .hint = fmt::format("there are {}", fmt::join(names, ", ")),
                 .excerpt = {}};
}

double state_value(const FigureNumber& number, const Run& run)
{
    Workspace work;
    if (!number.at_s) return number.value.value(point_of(run.at_end), work);
    for (const Snapshot& snapshot : run.snapshots) {
        if (snapshot.time_s == *number.at_s && snapshot.reached)
            return number.value.value({view(snapshot.q), view(snapshot.u), snapshot.time_s}, work);
    }
    return std::nan("");
}

Expected<double> special_value(const FigureNumber& number, const std::optional<Branch>& branch)
{
    int seen = 0;
    for (const SpecialPoint& point : branch ? branch->special : std::vector<SpecialPoint>{}) {
        if (point.kind == number.special && ++seen == number.which) return point.value;
    }
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = "[[figure.number]]",
                 .message = fmt::format("the branch has {} of the special points {}, not {}", seen,
                                        number.special, number.which),
                 .hint = "carom branch tells those that it has, and how it ends",
                 .excerpt = {}};
}

Expected<double> value_in(const FigureNumber& number, const Run& run)
{
    if (!number.event.empty()) return instant_of(number, run);
    if (!number.energy.empty()) return energy_of(number, run);
    return state_value(number, run);
}

/// The run that a number is of, and its number in the plan of that run.
const FigureRun* run_for(const FigureNumber& number, const std::vector<FigureRun>& runs)
{
    if (!number.of_value) return &runs.front();
    for (const FigureRun& run : runs) {
        if (std::abs(run.value - *number.of_value) <= 1e-12 * std::abs(*number.of_value)) return &run;
    }
    return nullptr;
}

Expected<FigureResult> result_of(const FigureNumber& number, std::size_t place,
                                 const std::vector<FigureRun>& runs, const std::optional<Branch>& branch)
{
    FigureResult result{number.label, number.unit, std::nan(""), number.reference};
    if (!number.special.empty()) {
        const auto value = special_value(number, branch);
        if (!value) return value.error();
        result.value = *value;
        return result;
    }
    if (number.mean) {
        double sum = 0;
        for (const FigureRun& run : runs) {
            const auto value = value_in(run.plan.numbers[place], run.run);
            if (!value) return value.error();
            sum += *value;
        }
        result.value = sum / static_cast<double>(runs.size());
        return result;
    }
    const FigureRun* run = run_for(number, runs);
    if (run == nullptr) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "[[figure.number]]",
                     .message = fmt::format("no run of the figure has the value {}", *number.of_value),
                     .hint = "of_value is one of values",
                     .excerpt = {}};
    }
    const FigureNumber& own = run->plan.numbers[place];
    const auto value = value_in(own, run->run);
    if (!value) return value.error();
    result.value = *value;
    result.reference = own.reference;
    return result;
}

}  // namespace

Expected<std::vector<FigureResult>, Errors>
results_of(const FigurePlan& plan, const std::vector<FigureRun>& runs, const std::optional<Branch>& branch)
{
    std::vector<FigureResult> results;
    for (std::size_t k = 0; k < plan.numbers.size(); ++k) {
        auto result = result_of(plan.numbers[k], k, runs, branch);
        if (!result) return Errors{result.error()};
        results.push_back(std::move(*result));
    }
    return results;
}

}  // namespace carom::detail
