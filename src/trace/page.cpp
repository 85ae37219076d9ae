#include "carom/trace/page.hpp"

#include "carom/core/expected.hpp"
#include "page_data.hpp"
#include "page_shell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom {
namespace {

using detail::PageData;
using detail::script_safe;
using Json = nlohmann::ordered_json;

/// Measured data: columns of numbers, `time_s` among them.
Json tables_json(const std::vector<PageTable>& tables)
{
    Json list = Json::array();
    for (const PageTable& table : tables) {
        Json columns = Json::array();
        for (const TableColumn& column : table.table->columns) {
            if (column.kind == CellKind::Number)
                columns.push_back({{"name", column.name}, {"values", column.numbers}});
        }
        list.push_back({{"name", table.name}, {"columns", columns}});
    }
    return list;
}

/// The data of a run as elements of a page: `tag` tells runs apart.
void add_data(const Json& head, const std::string& tag, PageData& data, std::vector<std::string>& pieces)
{
    pieces.push_back(fmt::format("<script type=\"application/json\" id=\"carom-head{}\">", tag) +
                     script_safe(head) + "</script>\n");
    pieces.push_back(fmt::format("<script type=\"text/plain\" id=\"carom-tracks{}\">", tag));
    pieces.push_back(data.tracks());
    pieces.emplace_back("</script>");
    const auto add = [&](const std::string& name, std::string text) {
        if (text.empty()) return;
        pieces.push_back(fmt::format("\n<script type=\"text/plain\" {}{}\">", name, tag));
        pieces.push_back(std::move(text));
        pieces.emplace_back("</script>");
    };
    // the first picture needs the first block only, and the browser reads from top to bottom
    std::vector<std::string>& blocks = data.motion();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        add("class=\"carom-motion", std::move(blocks[i]));
        if (i == 0) add("id=\"carom-late", data.late_tracks());
    }
}

std::string joined(const std::vector<std::string>& pieces)
{
    std::string text;
    for (const std::string& piece : pieces)
        text += piece;
    return text;
}

}  // namespace

std::string to_page(const Recording& recording, const PageSettings& settings)
{
    return to_page(PageOfRuns{.runs = {{.name = {}, .recording = &recording}}, .tables = {}}, settings);
}

std::string to_page(const PageOfRuns& shown, const PageSettings& settings)
{
    const auto pieces = page_pieces(shown, settings);
    if (!pieces) throw InternalError("a recording whose tables are in its file is shown piece by piece");
    return joined(*pieces);
}

Expected<std::vector<std::string>> page_pieces(const PageOfRuns& shown, const PageSettings& settings)
{
    std::vector<std::string> pieces{detail::page_beginning()};
    for (std::size_t i = 0; i < shown.runs.size(); ++i) {
        auto data = PageData::make(*shown.runs[i].recording, settings);
        if (!data) return data.error();
        Json head = data->head(settings.follow);
        head["name"] = shown.runs[i].name;
        if (i == 0 && !shown.tables.empty()) head["tables"] = tables_json(shown.tables);
        if (i == 0 && shown.runs.size() > 1) head["others"] = shown.runs.size() - 1;
        // the first run is the page's own, the others are compared with it
        add_data(head, i == 0 ? "" : fmt::format("-{}", i), *data, pieces);
    }
    pieces.emplace_back(detail::page_end());
    return pieces;
}

std::string run_of_point(long point, const Recording& recording)
{
    auto data = PageData::make(recording, {});
    if (!data) throw InternalError("a recording whose tables are in its file is shown piece by piece");
    std::vector<std::string> pieces;
    add_data(data->head({}), fmt::format("-run-{}", point), *data, pieces);
    return joined(pieces);
}

std::optional<std::string> to_page_part(const Recording& recording, std::string_view has,
                                        const PageSettings& settings)
{
    const auto progress = detail::progress_from(has);
    auto data = progress ? PageData::make_part(recording, *progress, settings) : std::nullopt;
    if (!data) return std::nullopt;
    std::vector<std::string> pieces;
    add_data(data->part_head(settings.follow), "", *data, pieces);
    return joined(pieces);
}

}  // namespace carom
