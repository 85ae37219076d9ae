#include "table_rows.hpp"

#include "carom/study/study.hpp"
#include "study/table_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

std::string plain_text(const Cell& cell)
{
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    const double number = std::get<double>(cell);
    return std::isfinite(number) ? fmt::format("{}", number) : std::string();
}

}  // namespace

TableRows::TableRows(const CsvText& text) : text_(text)
{
    // sample, rows, time_s stand together in tables of a strobe, and nowhere else
    const auto& names = text.names;
    for (std::size_t i = 0; i + 2 < names.size(); ++i) {
        if (names[i] == "sample" && names[i + 1] == "rows" && names[i + 2] == "time_s") count_column_ = i + 1;
    }
}

bool TableRows::is_study() const noexcept
{
    return text_.names.size() > 2 && text_.names[0] == "run" && text_.names[1] == "study";
}

long TableRows::run(std::size_t i) const
{
    const auto number = number_of(text_.rows[i][0]);
    const bool counted = number && *number >= 0 && *number <= static_cast<double>(max_study_rows);
    return counted ? static_cast<long>(*number) : -1;
}

std::optional<std::size_t> TableRows::end_of_run(std::size_t i) const
{
    if (!count_column_) return i + 1;
    const auto count = number_of(text_.rows[i][*count_column_]);
    if (!count || !(*count >= 1) || *count > static_cast<double>(text_.rows.size() - i)) return std::nullopt;
    const std::size_t end = i + static_cast<std::size_t>(*count);
    for (std::size_t k = i; k < end; ++k) {
        if (text_.rows[k][0] != text_.rows[i][0]) return std::nullopt;
    }
    return end;
}

Expected<CsvText> read_table_text(const std::string& path)
{
    if (!is_hdf5_path(path)) return read_csv(path);
    const auto table = read_table_hdf5(path);
    if (!table) return table.error();
    CsvText text;
    for (const TableColumn& column : table->columns)
        text.names.push_back(column.name);
    for (std::size_t i = 0; i < table->rows(); ++i) {
        std::vector<std::string> cells;
        for (const Cell& cell : table->row(i))
            cells.push_back(plain_text(cell));
        text.rows.push_back(std::move(cells));
        text.ends.push_back(0);
    }
    return text;
}

}  // namespace carom::detail
