#include "core/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace carom;

namespace {

/// The character above the caret of an excerpt.
char pointed_at(const std::string& excerpt)
{
    const std::size_t line_break = excerpt.find('\n');
    const std::size_t column = excerpt.find('^', line_break) - line_break - 1;
    return column < line_break ? excerpt[column] : '\0';
}

}  // namespace

TEST_CASE("the nearest name is the one with the fewest slips of the pen")
{
    const std::vector<std::string> known{"theta", "phi", "length", "lambda"};
    CHECK(nearest_name("thetta", known) == "theta");   // a letter too much
    CHECK(nearest_name("teta", known) == "theta");     // a letter too few
    CHECK(nearest_name("tehta", known) == "theta");    // two letters swapped
    CHECK(nearest_name("Theta", known) == "theta");    // a capital
    CHECK(nearest_name("lenght", known) == "length");  // swapped at the end
    CHECK(nearest_name("ph", known) == "phi");         // one letter is always allowed
    const std::vector<std::string> commands{"new", "view"};
    CHECK(nearest_name("vew", commands) == "view");  // as near as `new`, and begins as it does

    // what joins words says little, and neither does the end of a name that begins alike
    const std::vector<std::string> keys{"time_step_s", "mass_kg", "statement", "--output", "restitution"};
    CHECK(nearest_name("timestep", keys) == "time_step_s");
    CHECK(nearest_name("mass", keys) == "mass_kg");
    CHECK(nearest_name("state", keys) == "statement");
    CHECK(nearest_name("--outptu", keys) == "--output");
    CHECK(nearest_name("resitutoin", keys) == "restitution");  // two slips in ten letters
}

TEST_CASE("a name that resembles nothing gets no proposal")
{
    const std::vector<std::string> known{"theta", "x"};
    CHECK(nearest_name("omega_dot", known).empty());
    CHECK(nearest_name("y", known).empty());  // one letter, wholly different

    // three of seven letters, two of six, and words that only begin alike
    const std::vector<std::string> scenes{"bowling", "string", "position", "threshold", "density", "--seed"};
    for (const char* other :
         {"nothing", "strike", "during", "condition", "three", "identity", "--time", "--", "_"}) {
        CAPTURE(other);
        CHECK(nearest_name(other, scenes).empty());
    }
    CHECK(nearest_name("", known).empty());
    CHECK(nearest_name("theta", {}).empty());
    CHECK(nearest_name(std::string(100'000, 'a'), known).empty());
}

TEST_CASE("a capital is a smaller slip than a wrong letter")
{
    const std::vector<std::string> known{"Kb", "ka"};
    CHECK(nearest_name("Ka", known) == "ka");
}

TEST_CASE("the caret stands under the place")
{
    CHECK(excerpt_with_caret("a + b", 4) == "a + b\n    ^");
    CHECK(excerpt_with_caret("a + b", 0) == "a + b\n^");
    CHECK(excerpt_with_caret("a +", 3) == "a +\n   ^");   // the end
    CHECK(excerpt_with_caret("a +", 99) == "a +\n   ^");  // beyond it
    CHECK(excerpt_with_caret("", 0) == "\n^");
}

TEST_CASE("of several lines the one with the place is shown")
{
    const std::string text = "first\nsecond\nthird";
    CHECK(excerpt_with_caret(text, text.find("cond")) == "second\n  ^");
    CHECK(excerpt_with_caret(text, 5) == "first\n     ^");  // at the line break itself
    CHECK(excerpt_with_caret(text, 6) == "second\n^");
}

TEST_CASE("long lines are cut around the place and the caret still points at it")
{
    std::string text(1000, '+');
    for (const std::size_t place : {0UL, 1UL, 49UL, 50UL, 51UL, 500UL, 949UL, 951UL, 999UL}) {
        text[place] = 'X';
        const std::string excerpt = excerpt_with_caret(text, place);
        CHECK(pointed_at(excerpt) == 'X');
        CHECK(excerpt.find('\n') <= 106);  // 100 characters and twice three dots
        CHECK(excerpt.find('\n') >= 100);
        CHECK(excerpt.starts_with("...") == (place > 50));
        text[place] = '+';
    }
}

TEST_CASE("letters of several bytes count as one column and are never cut")
{
    CHECK(excerpt_with_caret("\u03b8 + x", 5) == "\u03b8 + x\n    ^");
    std::string text;
    for (int i = 0; i < 200; ++i)
        text += "\u03b8";
    // printable() turns halves of letters into question marks: there must be none
    CHECK(excerpt_with_caret(text, 201).find('?') == std::string::npos);
    CHECK(quoted(text, 41).find('?') == std::string::npos);
}

TEST_CASE("whatever the bytes, messages stay printable")
{
    CHECK(printable("a\tb\x01") == "a b ");
    CHECK(printable("\xff\xc3(") == "\?\?(");        // no letter begins so
    CHECK(printable("\xc0\xaf") == "??");            // overlong form of /
    CHECK(printable("\xed\xa0\x80") == "???");       // half of a surrogate pair
    CHECK(printable("\xf4\x90\x80\x80") == "????");  // beyond the last code point
    CHECK(printable("\xe2\x82") == "??");            // cut off
    CHECK(printable("\u20ac \U0001f600") == "\u20ac \U0001f600");
    CHECK(quoted("abc") == "`abc`");
    CHECK(quoted("abcdef", 3) == "`abc...`");
}
