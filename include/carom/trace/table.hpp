#pragma once

#include "carom/core/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carom {

/// Tables: rows of numbers and text in named columns, in memory, as CSV and as HDF5. A number that is
/// not finite is an empty cell, and an empty cell of numbers is NaN: tables round-trip bit for bit.

/// One entry: a number, or text.
using Cell = std::variant<double, std::string>;
using Row = std::vector<Cell>;

enum class CellKind { Number, Text };

struct TableColumn {
    std::string name;
    CellKind kind = CellKind::Number;
    std::vector<double> numbers = {};     ///< one per row of a column of numbers
    std::vector<std::string> texts = {};  ///< one per row of a text column
};

struct ResultTable {
    std::vector<TableColumn> columns;

    [[nodiscard]] std::size_t rows() const noexcept;
    [[nodiscard]] Row row(std::size_t i) const;

    /// Cells must have the type of their column. Non-finite numbers become NaN.
    void add(const Row& row);

    /// The column of that name; nullptr if there is none.
    [[nodiscard]] const TableColumn* find(std::string_view name) const noexcept;

    /// The same columns, without rows.
    [[nodiscard]] ResultTable empty_copy() const;
};

/// Names of the columns as a line of CSV, and one row; both end with a line break. Numbers round-trip bit for
/// bit; cells with commas, quotes or line breaks are quoted.
[[nodiscard]] std::string csv_header(const ResultTable& table);
[[nodiscard]] std::string csv_line(const Row& row);

/// A CSV file as text, from which a table is made once the column types are known.
struct CsvText {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> rows;
    std::uint64_t header_end = 0;     ///< bytes of the line of names
    std::vector<std::uint64_t> ends;  ///< where each row ends in the file, bytes
};

/// Reads a CSV file. A last line without a line break was cut off by a kill and is dropped. Errors:
/// FileUnreadable; FileMalformed when a row and the header differ in the number of cells, or the file is
/// larger than 1 GB.
[[nodiscard]] Expected<CsvText> read_csv(const std::string& path);

/// Appends the row of that text; false when a number cell holds no number.
[[nodiscard]] bool add_text_row(const std::vector<std::string>& cells, ResultTable& table);

/// The text as a table: a column whose cells are all empty or numbers holds numbers.
[[nodiscard]] ResultTable typed(const CsvText& text);

/// Writes HDF5: one dataset per column, named after it, and `columns`, their names in order. At every
/// instant the file of that name is the old one or the new one. Errors: FileUnwritable.
[[nodiscard]] Expected<void> write_table_hdf5(const std::string& path, const ResultTable& table);

/// Reads what write_table_hdf5 wrote. Errors: FileUnreadable, FileMalformed.
[[nodiscard]] Expected<ResultTable> read_table_hdf5(const std::string& path);

}  // namespace carom
