#include "support.hpp"

#include <limits>

using namespace carom;
using namespace carom::test;

TEST_CASE("coordinates are numbered in the order in which they are added")
{
    Vocabulary vocabulary;
    CHECK(*vocabulary.add_coordinate("b") == 0);
    CHECK(*vocabulary.add_coordinate("a") == 1);
    CHECK(vocabulary.coordinates() == 2);
    CHECK(vocabulary.find("a")->index == 1);
    CHECK_FALSE(vocabulary.find("c"));
}

TEST_CASE("names that formulas could not use are refused")
{
    Vocabulary vocabulary;
    for (const char* name : {"", "1x", "x-y", "x'", "a b", "x.y", "\u03b8", "x\n"})
        CHECK(vocabulary.add_coordinate(name).error().code == ErrorCode::BadName);
    for (const char* name : {"t", "pi", "sin", "if", "table", "and", "or", "not", "min"})
        CHECK(vocabulary.add_parameter(name, 1).error().code == ErrorCode::BadName);
    // e is the restitution in most scenes and therefore free
    for (const char* name : {"e", "_", "x1", "T", "Sin", "inf", "nan"})
        CHECK(vocabulary.add_parameter(name, 1));
}

TEST_CASE("one name means one thing")
{
    Vocabulary vocabulary = words();
    const Table table = *Table::from_points({0}, {1});
    for (const char* name : {"x", "m", "ramp"}) {
        CHECK(vocabulary.add_coordinate(name).error().code == ErrorCode::DuplicateName);
        CHECK(vocabulary.add_parameter(name, 1).error().code == ErrorCode::DuplicateName);
        CHECK(vocabulary.add_table(name, table).error().code == ErrorCode::DuplicateName);
    }
}

TEST_CASE("a parameter is a finite number")
{
    Vocabulary vocabulary;
    CHECK(vocabulary.add_parameter("a", std::numeric_limits<double>::quiet_NaN()).error().code ==
          ErrorCode::NotFinite);
    CHECK(vocabulary.add_parameter("a", std::numeric_limits<double>::infinity()).error().code ==
          ErrorCode::NotFinite);
}

TEST_CASE("a table needs as many ordinates as abscissae, finite and increasing")
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(Table::from_points({}, {}).error().code == ErrorCode::WrongSize);
    CHECK(Table::from_points({0, 1}, {0}).error().code == ErrorCode::WrongSize);
    CHECK(Table::from_points({0, nan}, {0, 1}).error().code == ErrorCode::NotFinite);
    CHECK(Table::from_points({0, 1}, {0, nan}).error().code == ErrorCode::NotFinite);
    CHECK(Table::from_points({0, 5e-324}, {0, 1}).error().code == ErrorCode::NotFinite);  // slope 1/0
    CHECK(Table::from_points({-1.5e308, 1.5e308}, {0, 1}).error().code ==
          ErrorCode::NotFinite);  // width 3e308
    CHECK(Table::from_points({0, 0}, {0, 1}).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Table::from_points({1, 0}, {0, 1}).error().code == ErrorCode::SettingOutOfRange);
}

TEST_CASE("where two pieces of a table meet the slope is the one to the right")
{
    const Table table = *Table::from_points({0, 1, 3}, {0, 2, -2});
    CHECK(table.at(-1).slope == 0);
    CHECK(table.at(0).slope == 2);
    CHECK(table.at(1).slope == -2);
    CHECK(table.at(1).value == 2);
    CHECK(table.at(3).slope == 0);
    CHECK(table.at(3).value == -2);
    const Table point = *Table::from_points({1}, {5});
    CHECK(point.at(0).value == 5);
    CHECK(point.at(1).value == 5);
    CHECK(point.at(2).slope == 0);
}
