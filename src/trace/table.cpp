#include "carom/trace/table.hpp"

#include "core/mistake.hpp"
#include "csv_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace carom {
namespace {

constexpr std::uintmax_t max_table_bytes = 1'000'000'000;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// The number that all of the text spells; NaN for an empty cell.
std::optional<double> number_in(const std::string& cell)
{
    if (cell.empty()) return no_number;
    double number = 0;
    const char* end = cell.data() + cell.size();
    const auto [stop, problem] = std::from_chars(cell.data(), end, number);
    if (problem != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

std::string text_of(const Cell& cell)
{
    if (const auto* text = std::get_if<std::string>(&cell)) return detail::csv_cell(*text);
    const double number = std::get<double>(cell);
    return std::isfinite(number) ? fmt::format("{}", number) : std::string();
}

/// Reads one row from `at` on and moves behind its line break; nothing when the text ends before.
std::optional<std::vector<std::string>> next_row(const std::string& text, std::size_t& at)
{
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = at; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
            cells.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else if (c == '\n' && !quoted) {
            at = i + 1;
            return cells;
        } else if (c != '\r' || quoted) {
            cells.back() += c;
        }
    }
    return std::nullopt;
}

Expected<std::string> text_of_file(const std::string& path)
{
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path, failed);
    std::ifstream in(path, std::ios::binary);
    if (failed || !in) {
        return mistake(ErrorCode::FileUnreadable, path, "the table cannot be read",
                       "give the name of a table that carom study wrote");
    }
    if (bytes > max_table_bytes) {
        return mistake(ErrorCode::FileMalformed, path,
                       fmt::format("the table has more than {} bytes", max_table_bytes),
                       "make smaller studies, or use HDF5");
    }
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

}  // namespace

std::size_t ResultTable::rows() const noexcept
{
    if (columns.empty()) return 0;
    const TableColumn& first = columns.front();
    return first.kind == CellKind::Number ? first.numbers.size() : first.texts.size();
}

Row ResultTable::row(std::size_t i) const
{
    Row cells;
    for (const TableColumn& column : columns) {
        if (column.kind == CellKind::Number)
            cells.emplace_back(column.numbers[i]);
        else
            cells.emplace_back(column.texts[i]);
    }
    return cells;
}

void ResultTable::add(const Row& row)
{
    if (row.size() != columns.size()) throw InternalError("a row has another width than its table");
    for (std::size_t i = 0; i < row.size(); ++i) {
        TableColumn& column = columns[i];
        if (row[i].index() != (column.kind == CellKind::Number ? 0U : 1U))
            throw InternalError("a cell is not of the kind of its column " + column.name);
        if (column.kind == CellKind::Number) {
            const double number = std::get<double>(row[i]);
            column.numbers.push_back(std::isfinite(number) ? number : no_number);
        } else {
            column.texts.push_back(std::get<std::string>(row[i]));
        }
    }
}

const TableColumn* ResultTable::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find(columns, name, &TableColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

ResultTable ResultTable::empty_copy() const
{
    ResultTable copy;
    for (const TableColumn& column : columns) {
        copy.columns.push_back({.name = column.name, .kind = column.kind});
    }
    return copy;
}

std::string csv_header(const ResultTable& table)
{
    std::string line;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        line += (i > 0 ? "," : "") + detail::csv_cell(table.columns[i].name);
    }
    return line + '\n';
}

std::string csv_line(const Row& row)
{
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
        line += (i > 0 ? "," : "") + text_of(row[i]);
    }
    return line + '\n';
}

Expected<CsvText> read_csv(const std::string& path)
{
    const auto text = text_of_file(path);
    if (!text) return text.error();
    CsvText csv;
    std::size_t at = 0;
    if (auto names = next_row(*text, at)) csv.names = std::move(*names);
    csv.header_end = at;
    while (auto row = next_row(*text, at)) {
        if (row->size() != csv.names.size()) {
            return mistake(ErrorCode::FileMalformed, path,
                           fmt::format("row {} has {} cells below {} names", csv.rows.size() + 1, row->size(),
                                       csv.names.size()),
                           "this is not a table of carom study, or it was edited by hand");
        }
        csv.rows.push_back(std::move(*row));
        csv.ends.push_back(at);
    }
    return csv;
}

bool add_text_row(const std::vector<std::string>& cells, ResultTable& table)
{
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (table.columns[i].kind == CellKind::Text) {
            row.emplace_back(cells[i]);
            continue;
        }
        const auto number = number_in(cells[i]);
        if (!number) return false;
        row.emplace_back(*number);
    }
    table.add(row);
    return true;
}

ResultTable typed(const CsvText& text)
{
    ResultTable table;
    for (std::size_t i = 0; i < text.names.size(); ++i) {
        const bool numbers =
            std::ranges::all_of(text.rows, [&](const auto& row) { return number_in(row[i]).has_value(); });
        table.columns.push_back({.name = text.names[i], .kind = numbers ? CellKind::Number : CellKind::Text});
    }
    for (const auto& row : text.rows) {
        if (!add_text_row(row, table)) throw InternalError("a cell lost its number");
    }
    return table;
}

}  // namespace carom
