#include "expression/homogeneity.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <string>

using namespace carom;
using namespace carom::test;

namespace {

constexpr Variable x{Variable::Kind::Coordinate, 0};
constexpr Variable y{Variable::Kind::Coordinate, 1};
constexpr Variable vx{Variable::Kind::Velocity, 0};
constexpr Variable vy{Variable::Kind::Velocity, 1};
constexpr Variable time_{Variable::Kind::Time, 0};

std::vector<std::vector<Variable>> variables_of_terms(std::string_view text)
{
    const Formula formula = parsed(text);
    std::vector<std::vector<Variable>> sets;
    for (const Term& term : formula.terms())
        sets.emplace_back(term.variables().begin(), term.variables().end());
    return sets;
}

using Sets = std::vector<std::vector<Variable>>;

}  // namespace

TEST_CASE("a sum becomes one term for each set of variables that its parts name")
{
    CHECK(variables_of_terms("x^2 + y^2") == Sets{{x}, {y}});
    CHECK(variables_of_terms("x^2 + x*y + sin(x) + y*x^3") == Sets{{x}, {x, y}});
    CHECK(variables_of_terms("x*y'*t*x'*y") == Sets{{x, y, vx, vy, time_}});  // coordinates, velocities, time
    CHECK(variables_of_terms("m*g") == Sets{{}});
    CHECK(variables_of_terms("x + 1") == Sets{{x}, {}});
    CHECK(variables_of_terms("0").empty());
}

TEST_CASE("signs, brackets and constant factors do not hide a sum")
{
    CHECK(variables_of_terms("-(x - (y - t))") == Sets{{x}, {y}, {time_}});
    CHECK(variables_of_terms("m/2*(x'^2 + y'^2)") == Sets{{vx}, {vy}});
    CHECK(variables_of_terms("(x'^2 + y'^2)/3*m") == Sets{{vx}, {vy}});
    CHECK(variables_of_terms("m*(g*(x + 2*(y - t)) - 3)") == Sets{{x}, {y}, {time_}, {}});
    CHECK(value("m*(g*(x + 2*(y - t)) - 3)") == near(2 * (9.81 * (0.4 + 2 * (-0.3 - 2.5)) - 3), 1e-13));
    CHECK(value("(x + y)/3") == near(0.1 / 3, 1e-16));
    // products of variables are not opened
    CHECK(variables_of_terms("x*(x' + y')") == Sets{{x, vx, vy}});
}

TEST_CASE("what cancels is not named")
{
    CHECK(variables_of_terms("x + y - x") == Sets{{y}});
    CHECK(variables_of_terms("0*x + y") == Sets{{y}});
    CHECK(variables_of_terms("x^0").size() == 1);
    CHECK_FALSE(parsed("(m - 2)*x'^2").depends_on(Variable::Kind::Velocity));
}

TEST_CASE("division by zero is not spread over a sum")
{
    // 0.4 - 0.3 = 0.1 > 0, over zero is infinite; term by term it would be inf - inf
    CHECK(value("(x + y)/0") == std::numeric_limits<double>::infinity());
}

TEST_CASE("a chain of a thousand springs is a thousand small terms")
{
    Vocabulary vocabulary;
    REQUIRE(vocabulary.add_parameter("k", 3));
    std::string text = "0";
    std::vector<double> q;
    double exact = 0;
    for (int i = 0; i <= 1000; ++i) {
        REQUIRE(vocabulary.add_coordinate(fmt::format("q{}", i)));
        q.push_back(std::sin(i));
        if (i == 0) continue;
        text += fmt::format(" + k/2*(q{} - q{})^2", i, i - 1);
        exact += 1.5 * std::pow(std::sin(i) - std::sin(i - 1), 2);
    }
    const Formula formula = parsed(text, vocabulary);
    REQUIRE(formula.terms().size() == 1000);
    for (const Term& term : formula.terms()) {
        CHECK(term.variables().size() == 2);
        CHECK(term.tape().size() == 5);  // two variables, difference, square, factor
    }
    Workspace work;
    // a thousand additions of numbers up to 1e3
    CHECK(formula.value({q, q, 0}, work) == near(exact, 1e-10));
}

TEST_CASE("equal subexpressions are computed once and constants not at all")
{
    const auto length = [](std::string_view text) { return parsed(text).terms()[0].tape().size(); };
    CHECK(length("sin(x)*cos(x)*sin(x)") == 5);      // x, sin, cos, two products
    CHECK(length("(x*y + 1)^2*exp(y*x + 1)") == 7);  // x, y, xy, +1, square, exp, product
    CHECK(length("x*m*g/4*e") == 2);                 // x and one factor
    CHECK(length("x^2") == 2);
    CHECK(length("hypot(x, y)^2*hypot(x, y)^2") == 5);  // x, y, hypot, square, square
    CHECK(parsed("2*(3 + 4)").terms()[0].tape().size() == 1);
}

TEST_CASE("terms with many variables are differentiated in several passes, with the same result")
{
    // (x_1 + ... + x_n)^2 / 2 + ...: gradient s + cos, Hessian 1; as a dense dual it would need 30 million
    // numbers
    Vocabulary vocabulary;
    std::string sum = "0";
    std::vector<double> q;
    double s = 0;
    const std::size_t n = 350;
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(vocabulary.add_coordinate(fmt::format("a{}", i)));
        sum += fmt::format("+a{}", i);
        q.push_back(0.01 * static_cast<double>(i));
        s += q.back();
    }
    const Formula formula = parsed(fmt::format("({})^3/6", sum), vocabulary);
    REQUIRE(formula.terms().size() == 1);
    const Term& term = formula.terms()[0];
    Workspace work;
    std::vector<double> first(n), second(n * (n + 1) / 2);
    const double value = term.hessian({q, q, 0}, work, first, second);
    CHECK(work.registers.size() < 100'000);
    // 350 additions
    CHECK(value == near(s * s * s / 6, 1e-12 * s * s * s));
    CHECK(std::ranges::all_of(first, [&](double d) { return d == near(s * s / 2, 1e-12 * s * s); }));
    CHECK(std::ranges::all_of(second, [&](double d) { return d == near(s, 1e-12 * s); }));
}

TEST_CASE("passes put every derivative in its place")
{
    // sum of i a_i a_{i+1}, wrapped so that it is one term: the derivatives are all different
    Vocabulary vocabulary;
    std::string sum = "0";
    std::vector<double> q;
    const std::size_t n = 320;
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(vocabulary.add_coordinate(fmt::format("a{}", i)));
        q.push_back(1 + 0.001 * static_cast<double>(i));
        if (i > 0) sum += fmt::format("+{}*a{}*a{}", i, i - 1, i);
    }
    const Formula formula = parsed(fmt::format("if(a0 > 0, {}, 0)", sum), vocabulary);
    REQUIRE(formula.terms().size() == 1);
    Workspace work;
    std::vector<double> first(n), second(n * (n + 1) / 2);
    (void)formula.terms()[0].hessian({q, q, 0}, work, first, second);
    CHECK(work.registers.size() < 100'000);
    for (std::size_t i = 0, place = 0; i < n; ++i) {
        const double slope = (i > 0 ? static_cast<double>(i) * q[i - 1] : 0) +
                             (i + 1 < n ? static_cast<double>(i + 1) * q[i + 1] : 0);
        CHECK(first[i] == near(slope, 1e-12 * slope));
        for (std::size_t j = 0; j <= i; ++j, ++place)
            CHECK(second[place] == (j + 1 == i ? static_cast<double>(i) : 0.0));
    }
}

TEST_CASE("a formula knows whether it has a power series")
{
    CHECK(parsed("m*x'^2/2 + sin(x)*exp(-t)/(1 + y^2)^1.5 + atan2(y, x) + hypot(x, y)").analytic());
    for (const char* text :
         {"abs(x)", "min(x, y)", "max(x, y)", "sign(x)", "if(x > 0, x, y)", "table(ramp, t)", "x + abs(y)"})
        CHECK_FALSE(parsed(text).analytic());
    CHECK(parsed("abs(-3)*x").analytic());  // of a constant nothing is left
}

TEST_CASE("a formula knows what it depends on")
{
    CHECK(parsed("x + y'").depends_on(Variable::Kind::Coordinate));
    CHECK(parsed("x + y'").depends_on(Variable::Kind::Velocity));
    CHECK_FALSE(parsed("x + y'").depends_on(Variable::Kind::Time));
    CHECK(parsed("table(ramp, t)").depends_on(Variable::Kind::Time));
    CHECK_FALSE(parsed("m*g").depends_on(Variable::Kind::Coordinate));
}

TEST_CASE("kinetic energies are recognised as quadratic in the velocities")
{
    for (const char* text :
         {"m/2*x'^2", "m/2*(x'^2 + y'^2)", "x'*y'*cos(x - y)", "(x'*cos(theta) - y'*sin(theta))^2",
          "m/2*hypot(x', y')^2", "x'^2*(1 + x^2)/(2 + sin(y))", "x'*abs(x')", "sqrt(x'^4 + y'^4)", "x'^3/y'",
          "max(x'^2, y'^2)", "if(x > 0, 2, 3)*x'^2", "if(x > 0, x'^2, y'^2)", "if(x > 0, x'^2, 0)", "0",
          "x'^2*t", "x'^2*atan(y'/x')", "2*x'^2 - (x' - y')*(x' + y')"})
        CHECK_MESSAGE(parsed(text).quadratic_in_velocities(), text);
    for (const char* text : {"x'", "m*x'^2 + x", "x'^2 + 1", "x'^2 + x'", "x'^3", "sin(x')", "x'^2*exp(x')",
                             "x'^x", "(x' + 1)^2", "m*g*x", "if(x' > 0.1, x'^2, y'^2)", "if(x > 0, x'^2, 1)",
                             "x'^2*sign(x' - 1)", "hypot(x', 1)^2", "x'^2/2 + y", "3"})
        CHECK_FALSE_MESSAGE(parsed(text).quadratic_in_velocities(), text);
}

TEST_CASE("formulas recognised as quadratic scale with the square of the velocities")
{
    for (const char* text : {"(x'*cos(theta) - y'*sin(theta))^2", "m/2*hypot(x', y')^2",
                             "x'*abs(x') + sqrt(x'^4 + y'^4)", "max(x'^2, y'^2) + x'^3/y'"}) {
        const Formula formula = parsed(text);
        REQUIRE(formula.quadratic_in_velocities());
        Place place;
        Workspace work;
        const double before = formula.value(place.point(), work);
        for (double& u : place.u)
            u *= 4;  // a power of two: exact
        CHECK(formula.value(place.point(), work) == near(16 * before, 1e-12));
    }
}

TEST_CASE("a copied formula shares its terms, and the text is kept")
{
    const Formula formula = parsed("x + y");
    const Formula copy = formula;
    CHECK(copy.terms().data() == formula.terms().data());
    CHECK(copy.text() == "x + y");
    Workspace work;
    CHECK(Formula().value({}, work) == 0);
    CHECK(Formula::constant(2.5).value({}, work) == 2.5);
}
