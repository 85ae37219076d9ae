#include "support.hpp"

#include <cmath>
#include <limits>
#include <numbers>

using namespace carom;
using namespace carom::test;

TEST_CASE("operators bind as in mathematics")
{
    CHECK(constant("1 + 2*3") == 7);
    CHECK(constant("(1 + 2)*3") == 9);
    CHECK(constant("7 - 4 - 2") == 1);  // from the left
    CHECK(constant("16/4/2") == 2);
    CHECK(constant("2^3^2") == 512);  // from the right
    CHECK(constant("-2^2") == -4);    // the power before the sign
    CHECK(constant("(-2)^2") == 4);
    CHECK(constant("2^-3") == 0.125);
    CHECK(constant("2^-2^2") == 0.0625);  // 2^(-(2^2))
    CHECK(constant("2*-3") == -6);
    CHECK(constant("1 - -1") == 2);
    CHECK(constant("--1") == 1);
    CHECK(constant("+1") == 1);
    CHECK(constant("6/2*3") == 9);
}

TEST_CASE("numbers are written as in C")
{
    CHECK(constant("1e-3") == 1e-3);
    CHECK(constant("1.5E+2") == 150);
    CHECK(constant(".5") == 0.5);
    CHECK(constant("3.") == 3);
    CHECK(constant("0.1") == 0.1);
    CHECK(constant("1.7976931348623157e308") == std::numeric_limits<double>::max());
    CHECK(constant("5e-324") == std::numeric_limits<double>::denorm_min());
    CHECK(constant("1e-999") == 0);  // too small for a double is zero
    CHECK(constant("0e999") == 0);
    CHECK(constant("0." + std::string(1000, '0') + "1e1001") == 1);
    CHECK(constant("1" + std::string(400, '0') + "e-400") == 1);
}

TEST_CASE("e is a name like any other, and an exponent needs digits")
{
    CHECK(constant("2*e - 3") == -2);
    CHECK(constant("2e-3") == 2e-3);
    CHECK(constant("e*2") == 1);
}

TEST_CASE("pi, parameters, coordinates, velocities and the time have their values")
{
    const Place here;
    CHECK(constant("pi") == std::numbers::pi);
    CHECK(value("m*g") == 2 * 9.81);
    CHECK(value("x") == here.q[0]);
    CHECK(value("y'") == here.u[1]);
    CHECK(value("theta' + theta") == near(1.0, 1e-15));
    CHECK(value("t") == 2.5);
    CHECK(value(" \t\n x\r\n ") == here.q[0]);
}

TEST_CASE("functions have the values of the standard library")
{
    // compilers evaluate functions of constants with another rounding than the library does
    const double ulps = 1e-15;
    const double x = 0.4, y = -0.3;
    CHECK(value("sin(x)") == near(std::sin(x), ulps));
    CHECK(value("cos(x)") == near(std::cos(x), ulps));
    CHECK(value("tan(x)") == near(std::tan(x), ulps));
    CHECK(value("asin(x)") == near(std::asin(x), ulps));
    CHECK(value("acos(x)") == near(std::acos(x), ulps));
    CHECK(value("atan(x)") == near(std::atan(x), ulps));
    CHECK(value("atan2(y, x)") == near(std::atan2(y, x), ulps));
    CHECK(value("sinh(x)") == near(std::sinh(x), ulps));
    CHECK(value("cosh(x)") == near(std::cosh(x), ulps));
    CHECK(value("tanh(x)") == near(std::tanh(x), ulps));
    CHECK(value("exp(x)") == near(std::exp(x), ulps));
    CHECK(value("log(x)") == near(std::log(x), ulps));
    CHECK(value("sqrt(x)") == near(std::sqrt(x), ulps));
    CHECK(value("hypot(x, y)") == near(std::hypot(x, y), ulps));
    CHECK(value("abs(y)") == 0.3);
    CHECK(value("sign(y)") == -1);
    CHECK(value("min(x, y)") == y);
    CHECK(value("max(x, y)") == x);
    CHECK(value("min(x, y, -1, 5)") == -1);
    CHECK(value("max(1, x, y)") == 1);
    CHECK(value("x^y") == near(std::pow(x, y), ulps));
    CHECK(value("x^1.7") == near(std::pow(x, 1.7), ulps));
    CHECK(value("2^x") == near(std::pow(2, x), ulps));
    // constants go the same way as variables
    CHECK(constant("atan2(1, 2)") == near(std::atan2(1.0, 2.0), ulps));
    CHECK(constant("sin(0.4)") == near(std::sin(0.4), ulps));
}

TEST_CASE("a sign before a difference exchanges its sides")
{
    CHECK(value("exp(-(x - y))") == near(std::exp(-0.7), 1e-15));
    CHECK(value("-(x - y)") == near(-0.7, 1e-15));
    CHECK(value("t*-(x - y)") == near(-2.5 * 0.7, 1e-15));
    CHECK(value("-(-(x - y))^3") == near(0.343, 1e-15));
}

TEST_CASE("division by a constant rounds once, as written")
{
    // 49 * (1/49) is not 1 in doubles
    Place place;
    place.q[0] = 49;
    CHECK(value("x/49", place) == 1);
    CHECK(value("x/4", place) == 12.25);
}

TEST_CASE("if chooses by its condition")
{
    CHECK(value("if(x > 0, 1, 2)") == 1);
    CHECK(value("if(x < 0, 1, 2)") == 2);
    CHECK(value("if(x >= 0.4 and x <= 0.4, 1, 2)") == 1);
    CHECK(value("if(x == 0.4, 1, 2)") == 1);
    CHECK(value("if(x != 0.4, 1, 2)") == 2);
    CHECK(value("if(not x > 0 or y < 0, 1, 2)") == 1);
    CHECK(value("if(not (x > 0 or y < 0), 1, 2)") == 2);
    CHECK(value("if(x > 0 or y > 0 and t < 0, 1, 2)") == 1);  // and before or
    CHECK(value("if((x + y)*2 > 0, 1, 2)") == 1);             // a bracket may begin a number ...
    CHECK(value("if((x > 0) and ((y < 0)), 1, 2)") == 1);     // ... or a condition
    CHECK(value("if(x < 0, 1, if(y < 0, 2, 3))") == 2);
    CHECK(value("1 + if(t > 2, x, y)") == 1.4);
    CHECK(constant("if(1 < 2, 3, 4)") == 3);
}

TEST_CASE("the branch that is not chosen does not matter, infinite or not")
{
    CHECK(value("if(x > 0, sqrt(x), sqrt(-x))") == std::sqrt(0.4));
    const auto d = derivatives(parsed("if(x > 0, sqrt(x), log(x - x))"), Place{}.point());
    CHECK(d.first[0] == near(0.5 / std::sqrt(0.4), 1e-15));
}

TEST_CASE("tables are straight between their points and constant outside")
{
    for (const auto& [t, exact] :
         {std::pair{0.0, 0.0}, {1.0, 0.0}, {2.0, 5.0}, {2.5, 7.5}, {3.0, 10.0}, {9.0, 10.0}}) {
        Place place;
        place.t_s = t;
        CHECK(value("table(ramp, t)", place) == exact);
    }
    CHECK(value("table(ramp, 2*x + 1.2)") == near(5, 1e-14));
    CHECK(constant("table(ramp, 2)") == 5);
}

TEST_CASE("outside their domain functions give what IEEE arithmetic gives")
{
    CHECK(std::isnan(value("sqrt(y)")));
    CHECK(std::isnan(value("log(y)")));
    CHECK(std::isnan(value("y^0.3")));
    CHECK(value("1/(x - x)") == std::numeric_limits<double>::infinity());
    CHECK(value("x/0") == std::numeric_limits<double>::infinity());
    // NaN is not lost in a minimum, on either side
    CHECK(std::isnan(value("min(sqrt(y), x)")));
    CHECK(std::isnan(value("max(x, sqrt(y))")));
    CHECK(std::isnan(value("sign(sqrt(y))")));
    CHECK(std::isnan(value("table(ramp, sqrt(y))")));
}
