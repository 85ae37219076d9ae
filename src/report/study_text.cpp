#include "report/text.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr std::size_t max_rows = 40, max_points = 12, max_groups = 8;

std::string title_of(const StudyResults& results, const std::vector<std::string>& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{}{} = {}", i > 0 ? ", " : "", results.study.plan().axes[i].path, values[i]);
    return text;
}

std::string number(double value, int digits)
{
    return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

/// What the verdict means, in words.
std::string verdict_of(const OrderTable& table)
{
    switch (table.verdict) {
    case OrderVerdict::Seen: return fmt::format("order {:.2f}", table.fitted);
    case OrderVerdict::Irregular:
        return fmt::format("order {:.2f} on average; errors are irregular, as where impacts fall at varying "
                           "points of a step",
                           table.fitted);
    case OrderVerdict::Roundoff: return "no order visible: the error is roundoff";
    case OrderVerdict::None: return "no convergence: errors do not decrease with the step";
    case OrderVerdict::TooFew: return "fewer than three runs gave this value";
    }
    return {};
}

std::string order_text(const OrderTable& table)
{
    std::string text = table.quantity;
    if (table.exact) text += fmt::format("   exact: {}", *table.exact);
    text += fmt::format("\n  {:>12} {:>24} {:>12} {:>7}\n", "h, s", "value",
                        table.exact ? "error" : "difference", "order");
    for (std::size_t k = 0; k < table.value.size(); ++k) {
        text += fmt::format("  {:>12.6g} {:>24.16g} {:>12} {:>7}\n", table.h_s[k], table.value[k],
                            k < table.error.size() ? fmt::format("{:.3e}", table.error[k]) : "",
                            k > 0 && k <= table.ratio.size() && std::isfinite(table.ratio[k - 1])
                                ? fmt::format("{:.2f}", table.ratio[k - 1])
                                : "");
    }
    text += "  " + verdict_of(table);
    if (std::isfinite(table.limit)) text += fmt::format("; limit {:.12g}", table.limit);
    return text + "\n\n";
}

std::string orders_text(const StudyResults& results)
{
    std::string text;
    for (const OrdersAt& point : orders_of(results.study, results.result.table, results.exact)) {
        if (!point.values.empty()) text += title_of(results, point.values) + "\n\n";
        for (const OrderTable& table : point.tables)
            text += order_text(table);
    }
    return text;
}

/// A histogram as one line: the darker, the more runs.
std::string shades_of(const Distribution& d)
{
    const std::size_t largest = *std::ranges::max_element(d.histogram);
    std::string line;
    for (const std::size_t count : d.histogram) {
        const std::string_view shades = " .:-=+*#@";
        const std::size_t shade = count == 0 ? 0 : 1 + count * (shades.size() - 2) / largest;
        line += shades[std::min(shade, shades.size() - 1)];
    }
    return line;
}

std::string outcomes_text(const StudyResults& results, const PointRows& point)
{
    const Outcomes outcomes = outcomes_of(results.study, results.result.table, point.first, point.end);
    std::string text;
    if (!point.values.empty()) text += title_of(results, point.values) + "\n";
    text += fmt::format("  {:<16} {:>13} {:>11} {:>13} {:>13}  {}\n", "quantity", "mean", "deviation", "min",
                        "max", "from min to max");
    for (const Distribution& d : outcomes.distributions) {
        if (d.count == 0) continue;
        text += fmt::format("  {:<16} {:>13.6g} {:>11.3g} {:>13.6g} {:>13.6g}  |{}|\n", d.quantity, d.mean,
                            d.deviation, d.low, d.high, shades_of(d));
    }
    const double runs = static_cast<double>(point.end - point.first);
    text += fmt::format("  outcomes (final states, equal within 5 % of their spread or 1 %): {}{}\n",
                        outcomes.groups.size(), outcomes.too_many_groups ? " or more" : "");
    for (std::size_t g = 0; g < std::min(outcomes.groups.size(), max_groups); ++g) {
        const Outcome& group = outcomes.groups[g];
        text += fmt::format("  {:5.1f} %  ", 100 * static_cast<double>(group.count) / runs);
        for (std::size_t i = 0; i < group.state.size() && i < 8; ++i)
            text += fmt::format(" {} = {:.5g}", results.study.quantities()[i], group.state[i]);
        text += '\n';
    }
    return text + '\n';
}

/// The rows themselves: what varies, how it ended, the first quantities.
std::string rows_text(const StudyResults& results)
{
    const Study& study = results.study;
    std::vector<const TableColumn*> columns{results.result.table.find("run")};
    for (std::size_t i = 2; results.result.table.columns[i].name != "end"; ++i)
        columns.push_back(&results.result.table.columns[i]);
    if (study.plan().strobe) columns.push_back(results.result.table.find("time_s"));
    for (std::size_t i = 0; i < study.quantities().size() && columns.size() < 9; ++i)
        columns.push_back(results.result.table.find(study.quantities()[i]));
    columns.push_back(results.result.table.find("impacts"));

    std::vector<std::vector<std::string>> cells(1);
    for (const TableColumn* column : columns)
        cells[0].push_back(column->name);
    for (std::size_t row = 0; row < std::min(results.result.table.rows(), max_rows); ++row) {
        auto& line = cells.emplace_back();
        for (const TableColumn* column : columns) {
            line.push_back(column->kind == CellKind::Text ? printable(column->texts[row])
                                                          : number(column->numbers[row], 7));
        }
    }
    std::string text;
    for (const auto& line : cells) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            std::size_t width = 0;
            for (const auto& other : cells)
                width = std::max(width, other[i].size());
            text += fmt::format("  {:>{}}", line[i], width);
        }
        text += '\n';
    }
    if (results.result.table.rows() > max_rows)
        text += fmt::format("  ... and {} more rows\n", results.result.table.rows() - max_rows);
    return text;
}

std::string head_text(const StudyResults& results)
{
    const StudyProgress& progress = results.result.progress;
    std::string counts;
    for (const auto& [status, count] : statuses_of(results.result.table))
        counts += fmt::format(", {} {}", count, status);
    std::string text = fmt::format("{}: {} of {} runs{}", printable(results.study.scene().title),
                                   progress.done, progress.runs, counts);
    if (results.shard.parts > 1)
        text += fmt::format("; part {} of {}, {} runs in all", results.shard.part + 1, results.shard.parts,
                            results.study.runs());
    text += "\n";
    if (results.result.resumed > 0)
        text += fmt::format("{} runs were already in the table\n", results.result.resumed);
    if (!results.output.empty())
        text += fmt::format("table    {}, {} rows\n", printable(results.output), results.result.table.rows());
    text += fmt::format("time     {} on {} thread{}\n", in_words(results.result.wall_s),
                        results.result.threads, results.result.threads == 1 ? "" : "s");
    if (results.result.stopped) text += "interrupted; repeat the command to continue\n";
    return text + '\n';
}

/// "; missing: --shard 2/4 (25 runs), 1 of 25 runs of --shard 3/4 (run 74)"
std::string missing_runs(const MergeReport& merged)
{
    std::string text;
    for (const MissingRuns& part : merged.missing) {
        text += text.empty() ? "; missing: " : ", ";
        const std::string name = part.shard.parts > 1
                                     ? fmt::format("--shard {}/{}", part.shard.part + 1, part.shard.parts)
                                     : "the study";
        text += part.runs == part.of ? fmt::format("{} ({})", name, counted(part.runs, "run"))
                                     : fmt::format("{} of {} of {} (from run {} on)", part.runs,
                                                   counted(part.of, "run"), name, part.first);
    }
    return text;
}

}  // namespace

std::string to_text(const StudyResults& results)
{
    std::string text = head_text(results);
    const StudyPlan& plan = results.study.plan();
    if (plan.levels > 0) return text + orders_text(results);
    if (plan.repeat == 1 || plan.strobe) return text + rows_text(results);

    const auto points = points_of(results.study, results.result.table);
    for (std::size_t i = 0; i < std::min(points.size(), max_points); ++i)
        text += outcomes_text(results, points[i]);
    if (points.size() > max_points)
        text += fmt::format("... and {} more combinations\n", points.size() - max_points);
    return text;
}

std::string to_text(const MergeReport& merged, const std::string& file)
{
    return fmt::format("{}: {} of {} runs, {} rows{}\n", printable(file), merged.runs, merged.of, merged.rows,
                       missing_runs(merged));
}

}  // namespace carom
