#pragma once

#include "carom/trace/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom::detail {

/// Rows of a table of a study as text, with what they say about themselves.
class TableRows {
public:
    explicit TableRows(const CsvText& text);

    /// Names of the columns begin as those of a study.
    [[nodiscard]] bool is_study() const noexcept;

    /// The study that row i belongs to, and its run; -1 when there is no number.
    [[nodiscard]] const std::string& study(std::size_t i) const { return text_.rows[i][1]; }
    [[nodiscard]] long run(std::size_t i) const;

    /// The end of the rows of the run that begins at row i; nothing when some are missing.
    [[nodiscard]] std::optional<std::size_t> end_of_run(std::size_t i) const;

private:
    const CsvText& text_;
    std::optional<std::size_t> count_column_;  ///< of strobe tables: how many rows the run has
};

/// A table file of either kind as text.
[[nodiscard]] Expected<CsvText> read_table_text(const std::string& path);

}  // namespace carom::detail
