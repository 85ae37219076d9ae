#include "support.hpp"

#include <string>

using namespace carom;
using namespace carom::test;

namespace {

Error refused(std::string_view text)
{
    const Vocabulary vocabulary = words();
    auto formula = parse_formula(text, vocabulary, "scene.toml:3:9");
    REQUIRE_FALSE(formula);
    CHECK(formula.error().where == "scene.toml:3:9");
    CHECK_FALSE(formula.error().hint.empty());
    return formula.error();
}

/// Column of the caret.
std::size_t caret(const Error& error)
{
    return error.excerpt.find('^', error.excerpt.find('\n')) - error.excerpt.find('\n') - 1;
}

void check_refused(std::string_view text, ErrorCode code, std::size_t column, std::string_view piece)
{
    CAPTURE(text);
    const Error error = refused(text);
    CAPTURE(error.message);
    CAPTURE(error.hint);
    CHECK(error.code == code);
    CHECK(caret(error) == column);
    CHECK((error.message + error.hint).find(piece) != std::string::npos);
}

}  // namespace

TEST_CASE("what cannot be read is refused, with the place and what to do")
{
    check_refused("", ErrorCode::FormulaSyntax, 0, "empty");
    check_refused("   ", ErrorCode::FormulaSyntax, 0, "empty");
    check_refused("x +", ErrorCode::FormulaSyntax, 3, "ends too early");
    check_refused("x + * y", ErrorCode::FormulaSyntax, 4, "`*`");
    check_refused("(x + y", ErrorCode::FormulaSyntax, 6, "not closed");
    check_refused("sin(x", ErrorCode::FormulaSyntax, 5, "not closed");
    check_refused("x + y)", ErrorCode::FormulaSyntax, 5, "closes no bracket");
    check_refused("table(", ErrorCode::FormulaSyntax, 6, "ends too early");
    check_refused("()", ErrorCode::FormulaSyntax, 1, "`)`");
    check_refused("x, y", ErrorCode::FormulaSyntax, 1, "`,`");
    check_refused("(x, y)", ErrorCode::FormulaSyntax, 2, "`,`");
    check_refused("sin(x,)", ErrorCode::FormulaSyntax, 6, "`)`");
    check_refused("x # y", ErrorCode::FormulaSyntax, 2, "`#`");
    check_refused("x = y", ErrorCode::FormulaSyntax, 2, "`==`");
    check_refused("x ** 2", ErrorCode::FormulaSyntax, 2, "^");
    check_refused("if(x > 0 && y > 0, 1, 2)", ErrorCode::FormulaSyntax, 9, "`and`");
    check_refused(".", ErrorCode::FormulaSyntax, 0, "0.5");
    check_refused("x + \u03b8", ErrorCode::FormulaSyntax, 4, "ASCII");
    check_refused(std::string_view("x\0y", 3), ErrorCode::FormulaSyntax, 1, "not allowed");
    check_refused("x + \xff", ErrorCode::FormulaSyntax, 4, "`?`");
}

TEST_CASE("products without a sign are explained")
{
    check_refused("2x", ErrorCode::FormulaSyntax, 1, "2*x");
    check_refused("2 x", ErrorCode::FormulaSyntax, 2, "2*x");
    check_refused("x y", ErrorCode::FormulaSyntax, 2, "x*y");
    check_refused("m(x + y)", ErrorCode::FormulaSyntax, 1, "m*(...)");
    check_refused("(x)(y)", ErrorCode::FormulaSyntax, 3, "(...)*(...)");
    check_refused("3(x)", ErrorCode::FormulaSyntax, 1, "3*(...)");
    check_refused("2e", ErrorCode::FormulaSyntax, 1, "2*e");
    check_refused("1.2.3", ErrorCode::FormulaSyntax, 3, "operator is missing");
    check_refused("x 'y", ErrorCode::FormulaSyntax, 2, "directly followed");
}

TEST_CASE("an unknown name is answered by the nearest known one")
{
    check_refused("2*thetta", ErrorCode::UnknownName, 2, "did you mean `theta`?");
    check_refused("1 + tehta'", ErrorCode::UnknownName, 4, "did you mean `theta'`?");
    check_refused("X", ErrorCode::UnknownName, 0, "did you mean `x`?");
    check_refused("sine(x)", ErrorCode::UnknownName, 0, "did you mean `sin`?");
    check_refused("ln(x)", ErrorCode::UnknownName, 0, "did you mean `log`?");
    check_refused("time", ErrorCode::UnknownName, 0, "did you mean `t`?");
    check_refused("table(rampe, t)", ErrorCode::UnknownName, 6, "did you mean `ramp`?");
    check_refused("table(x, t)", ErrorCode::UnknownName, 6, "no table `x`");
    check_refused("table(2, t)", ErrorCode::UnknownName, 6, "no table `2`");
    check_refused("table((ramp), t)", ErrorCode::UnknownName, 6, "no table `(`");
    check_refused("table(ramp', t)", ErrorCode::UnknownName, 6, "no table `ramp`");
    check_refused("wibble", ErrorCode::UnknownName, 0, "coordinates, parameters");
    check_refused("wibble(x)", ErrorCode::UnknownName, 0, "no function");
    check_refused("cosinus(x)", ErrorCode::UnknownName, 0, "there are abs, acos");
    check_refused("pow(x, 2)", ErrorCode::UnknownName, 0, "write a^b");
    check_refused("x_prime", ErrorCode::UnknownName, 0, "x'");
    check_refused("t_s", ErrorCode::UnknownName, 0, "did you mean `t`?");
}

TEST_CASE("names are used as what they are")
{
    check_refused("sin + 1", ErrorCode::FormulaSyntax, 0, "sin(...)");
    check_refused("ramp", ErrorCode::FormulaSyntax, 0, "table(ramp, t)");
    check_refused("m'", ErrorCode::FormulaSyntax, 0, "no velocity");
    check_refused("pi'", ErrorCode::FormulaSyntax, 0, "no velocity");
    check_refused("t'", ErrorCode::FormulaSyntax, 0, "no velocity");
    check_refused("1 + x''", ErrorCode::FormulaSyntax, 4, "x'");
}

TEST_CASE("functions want their number of arguments")
{
    check_refused("1 + sin()", ErrorCode::WrongArguments, 4, "sin takes 1 argument, not 0");
    check_refused("sin(x, y)", ErrorCode::WrongArguments, 0, "sin takes 1 argument, not 2");
    check_refused("atan2(x)", ErrorCode::WrongArguments, 0, "atan2 takes 2 arguments, not 1");
    check_refused("hypot(x, y, 1)", ErrorCode::WrongArguments, 0, "not 3");
    check_refused("min(x)", ErrorCode::WrongArguments, 0, "at least 2");
    check_refused("if(x > 0, 1)", ErrorCode::WrongArguments, 0, "if takes 3 arguments, not 2");
    check_refused("table(ramp)", ErrorCode::WrongArguments, 0, "table takes 2");
    check_refused("table()", ErrorCode::WrongArguments, 0, "table takes 2");
    check_refused("table(ramp, t, 1)", ErrorCode::WrongArguments, 0, "table takes 2");
}

TEST_CASE("conditions and numbers are not mixed up")
{
    check_refused("x > 0", ErrorCode::FormulaSyntax, 0, "comparison");
    check_refused("1 + (x > 0)", ErrorCode::FormulaSyntax, 4, "comparison");
    check_refused("sin(x > 0)", ErrorCode::FormulaSyntax, 4, "comparison");
    check_refused("-(x > 0)", ErrorCode::FormulaSyntax, 1, "comparison");
    check_refused("if(x, 1, 2)", ErrorCode::FormulaSyntax, 3, "condition is needed");
    check_refused("if(x > 0 and y, 1, 2)", ErrorCode::FormulaSyntax, 13, "condition is needed");
    check_refused("if(not x, 1, 2)", ErrorCode::FormulaSyntax, 7, "condition is needed");
    check_refused("if(x > 0, y > 0, 2)", ErrorCode::FormulaSyntax, 10, "comparison");
    check_refused("if(0 < x < 1, 1, 2)", ErrorCode::FormulaSyntax, 9, "chained");
    check_refused("table(ramp, (x > 0))", ErrorCode::FormulaSyntax, 12, "comparison");
}

TEST_CASE("a number too large for a double is refused")
{
    check_refused("x + 1e999", ErrorCode::NotFinite, 4, "`1e999`");
    check_refused("1" + std::string(310, '0'), ErrorCode::NotFinite, 0, "too large");
    check_refused("1e99999999999999999999", ErrorCode::NotFinite, 0, "too large");
}

TEST_CASE("a constant names nothing that moves and is finite")
{
    const Vocabulary vocabulary = words();
    for (const char* text : {"x", "x'", "t", "2*theta"}) {
        const auto value = parse_constant(text, vocabulary, "scene.toml:1:1");
        REQUIRE_FALSE(value);
        CHECK(value.error().code == ErrorCode::NotAllowedHere);
        CHECK(value.error().where == "scene.toml:1:1");
    }
    CHECK(caret(parse_constant("2*theta", vocabulary).error()) == 2);
    for (const char* text : {"1/0", "sqrt(-1)", "log(0)", "0/0"})
        CHECK(parse_constant(text, vocabulary).error().code == ErrorCode::NotFinite);
    CHECK(parse_constant("nothing", vocabulary).error().code == ErrorCode::UnknownName);
}

TEST_CASE("no text is too long, too deep or too odd to be answered")
{
    const auto too_large = [](const std::string& text) {
        CHECK(refused(text).code == ErrorCode::FormulaTooLarge);
    };
    const auto repeated = [](const std::string& piece, int times) {
        std::string text;
        for (int i = 0; i < times; ++i)
            text += piece;
        return text;
    };
    too_large(std::string(1'000'000, 'x'));
    too_large(repeated("x+", 500'000) + "x");
    too_large(std::string(99'999, '('));
    too_large(std::string(49'000, '(') + "x" + std::string(49'000, ')'));
    too_large(repeated("sin(", 20'000));
    too_large(repeated("2^", 40'000) + "2");
    too_large(repeated("2^-", 30'000) + "2");
    too_large("if(" + repeated("not ", 20'000) + "x > 0, 1, 2)");
    too_large(repeated("if(x>0,1,", 10'000) + "2");

    // long, but neither deep nor beyond the limits
    CHECK(value(std::string(50'000, '-') + "x") == 0.4);
    CHECK(value(repeated("x+", 49'000) + "x") == near(49'001 * 0.4, 1e-9));
    CHECK(value(std::string(150, '(') + "x" + std::string(150, ')')) == 0.4);
    CHECK(value(repeated("x*", 49'000) + "0") == 0);
    CHECK(refused(std::string(99'999, 'x')).code == ErrorCode::UnknownName);
    CHECK(refused(std::string(99'999, '\'')).excerpt.size() < 300);
}

TEST_CASE("random words make a formula or an error that points into the text, never a crash")
{
    const std::vector<std::string> pieces{
        "x",   "y'", "2",   "1e3", "sin", "min",   "if", "table",  "ramp", "(",  "(",  "(",
        ")",   ")",  ")",   ",",   "+",   "-",     "*",  "/",      "^",    "<",  ">=", "==",
        "and", "or", "not", "'",   " ",   "wrong", "#",  "\u03b8", "m",    "pi", "t",  "hypot"};
    const Vocabulary vocabulary = words();
    int formulas = 0;
    holds_for(5000, [&] {
        std::string text;
        for (const std::string& piece :
             *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)))
            text += piece;
        const auto formula = parse_formula(text, vocabulary);
        if (formula) {
            ++formulas;
            Workspace work;
            (void)formula->value(Place{}.point(), work);
            return;
        }
        RC_ASSERT(!formula.error().message.empty());
        RC_ASSERT(caret(formula.error()) <= text.size());
    });
    CHECK(formulas > 20);  // a few of them do make sense
}

TEST_CASE("more operations than the limit are refused")
{
    // the shortest operation has two characters
    const auto quotient = [](int operations) {
        std::string text = "x";
        for (int i = 0; i < operations; ++i)
            text += "/x";
        return text;
    };
    static_assert(2 * max_formula_operations <= max_formula_characters);
    CHECK(refused(quotient(max_formula_operations - 1)).code == ErrorCode::FormulaTooLarge);
    CHECK(parse_formula(quotient(max_formula_operations - 10), words()));
}
