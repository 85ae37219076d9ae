#include "carom/trace/table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace carom;

namespace {

ResultTable example()
{
    ResultTable table{
        .columns = {{.name = "x"}, {.name = "words, more", .kind = CellKind::Text}, {.name = "y'@0.5"}}};
    table.add({0.1, std::string("plain"), 1e300});
    table.add({1.0 / 3, std::string("with \"quotes\", and\nlines"), std::numeric_limits<double>::infinity()});
    table.add({-0.0, std::string(), 5e-324});
    return table;
}

void same(const ResultTable& a, const ResultTable& b)
{
    REQUIRE(a.columns.size() == b.columns.size());
    REQUIRE(a.rows() == b.rows());
    CHECK(csv_header(a) == csv_header(b));
    for (std::size_t i = 0; i < a.rows(); ++i)
        CHECK(csv_line(a.row(i)) == csv_line(b.row(i)));
    CHECK(a.columns[0].numbers == b.columns[0].numbers);
    CHECK(std::isnan(a.columns[2].numbers[1]));
    CHECK(std::isnan(b.columns[2].numbers[1]));
}

std::string temporary(const char* name)
{
    return (std::filesystem::temp_directory_path() / name).string();
}

}  // namespace

TEST_CASE("tables read back to the same bits, as CSV and as HDF5")
{
    const ResultTable table = example();
    const std::string csv = temporary("carom_table_test.csv"), h5 = temporary("carom_table_test.h5");
    {
        std::ofstream out(csv, std::ios::binary);
        out << csv_header(table);
        for (std::size_t i = 0; i < table.rows(); ++i)
            out << csv_line(table.row(i));
        out << "0.5,torn";
    }
    const auto text = read_csv(csv);
    REQUIRE(text);
    REQUIRE(text->rows.size() == 3);
    same(typed(*text), table);
    CHECK(text->ends.back() == std::filesystem::file_size(csv) - 8);

    REQUIRE(write_table_hdf5(h5, table));
    const auto read = read_table_hdf5(h5);
    REQUIRE(read);
    same(*read, table);
    std::filesystem::remove(csv);
    std::filesystem::remove(h5);
}

TEST_CASE("an empty table has its columns")
{
    const std::string h5 = temporary("carom_empty_table_test.h5");
    REQUIRE(write_table_hdf5(h5, example().empty_copy()));
    const auto read = read_table_hdf5(h5);
    REQUIRE(read);
    CHECK(read->rows() == 0);
    CHECK(csv_header(*read) == csv_header(example()));
    std::filesystem::remove(h5);
}

TEST_CASE("what is no table is refused")
{
    const std::string csv = temporary("carom_bad_table_test.csv");
    std::ofstream(csv) << "a,b\n1,2,3\n";
    CHECK(read_csv(csv).error().code == ErrorCode::FileMalformed);
    CHECK(read_table_hdf5(csv).error().code == ErrorCode::FileMalformed);
    std::filesystem::remove(csv);
    CHECK(read_csv(csv).error().code == ErrorCode::FileUnreadable);
    CHECK(write_table_hdf5("/no/such/folder/t.h5", example()).error().code == ErrorCode::FileUnwritable);
}
