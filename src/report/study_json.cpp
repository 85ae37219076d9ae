#include "carom/report/json.hpp"

#include "report/json_text.hpp"

namespace carom {
namespace {

using detail::Json;

Json rows_of(const ResultTable& table)
{
    Json rows = Json::array();
    for (std::size_t i = 0; i < table.rows(); ++i) {
        Json row = Json::array();
        for (const TableColumn& column : table.columns) {
            if (column.kind == CellKind::Number)
                row.push_back(column.numbers[i]);
            else
                row.push_back(column.texts[i]);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json values_of(const StudyResults& results, const std::vector<std::string>& values)
{
    Json object = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
        object[results.study.plan().axes[i].path] = values[i];
    return object;
}

Json orders_of_all(const StudyResults& results)
{
    Json list = Json::array();
    for (const OrdersAt& point : orders_of(results.study, results.result.table, results.exact)) {
        for (const OrderTable& table : point.tables) {
            list.push_back({{"values", values_of(results, point.values)},
                            {"quantity", table.quantity},
                            {"exact", table.exact ? Json(*table.exact) : Json()},
                            {"h_s", table.h_s},
                            {"value", table.value},
                            {"error", table.error},
                            {"ratio_order", table.ratio},
                            {"fitted_order", table.fitted},
                            {"limit", table.limit},
                            {"verdict", name_of(table.verdict)}});
        }
    }
    return list;
}

Json outcomes_of_all(const StudyResults& results)
{
    Json list = Json::array();
    for (const PointRows& point : points_of(results.study, results.result.table)) {
        const Outcomes outcomes = outcomes_of(results.study, results.result.table, point.first, point.end);
        Json distributions = Json::array(), groups = Json::array();
        for (const Distribution& d : outcomes.distributions) {
            distributions.push_back({{"quantity", d.quantity},
                                     {"count", d.count},
                                     {"mean", d.mean},
                                     {"deviation", d.deviation},
                                     {"min", d.low},
                                     {"max", d.high},
                                     {"histogram", d.histogram}});
        }
        for (const Outcome& group : outcomes.groups)
            groups.push_back({{"count", group.count}, {"state", group.state}});
        list.push_back({{"values", values_of(results, point.values)},
                        {"distributions", std::move(distributions)},
                        {"groups", std::move(groups)}});
    }
    return list;
}

}  // namespace

std::string study_json(const StudyResults& results)
{
    const auto counts = statuses_of(results.result.table);
    const auto has = [&](const char* status) { return counts.contains(status); };
    const char* status = has("failed") || has("refused") ? "failed"
                         : has("uncertified")            ? "uncertified"
                                                         : "certified";
    Json names = Json::array();
    for (const TableColumn& column : results.result.table.columns)
        names.push_back(column.name);
    Json json = {{"status", status},
                 {"study", results.study.id()},
                 {"runs", results.result.progress.runs},
                 {"done", results.result.progress.done},
                 {"resumed", results.result.resumed},
                 {"interrupted", results.result.stopped},
                 {"statuses", counts},
                 {"columns", std::move(names)},
                 {"rows", rows_of(results.result.table)}};
    if (results.study.plan().levels > 0) json["orders"] = orders_of_all(results);
    if (results.study.plan().repeat > 1) json["outcomes"] = outcomes_of_all(results);
    json["timing"] = {{"wall_s", results.result.wall_s}, {"threads", results.result.threads}};
    return detail::one_line(json);
}

std::string to_json(const MergeReport& merged)
{
    Json missing = Json::array();
    for (const MissingRuns& part : merged.missing) {
        missing.push_back({{"part", part.shard.part + 1},
                           {"parts", part.shard.parts},
                           {"runs", part.runs},
                           {"of", part.of},
                           {"first_run", part.first}});
    }
    return detail::one_line(
        {{"runs", merged.runs}, {"of", merged.of}, {"rows", merged.rows}, {"missing", std::move(missing)}});
}

}  // namespace carom
