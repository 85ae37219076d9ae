#include "carom/expression/record.hpp"
#include "expression/derivative.hpp"
#include "expression/parse.hpp"
#include "expression/series_program.hpp"

#include "expression/term.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace carom;
using test::near;

namespace {

constexpr int order = 24;
constexpr std::size_t stride = order + 1;

/// Names x and y; formulas of one variable are put on x = 0.3 + t.
struct Names {
    Vocabulary vocabulary;
    Names()
    {
        REQUIRE(vocabulary.add_coordinate("x").has_value());
        REQUIRE(vocabulary.add_coordinate("y").has_value());
    }
    Formula read(const std::string& text) const
    {
        auto formula = parse_formula(text, vocabulary);
        INFO(text);
        REQUIRE(formula.has_value());
        return *formula;
    }
};

/// The series of a formula for x(t) = x_0 + x_1 t, y(t) = y_0 + y_1 t.
std::vector<double> series_of(const Formula& formula, double x0, double x1, double y0, double y1)
{
    Graph graph;
    const int node = add_formula(graph, formula);
    SeriesProgram program(graph, std::vector<int>{node}, 2, order);
    std::vector<double> inputs(5 * stride, 0.0);
    inputs[0] = x0;
    inputs[1] = x1;
    inputs[stride] = y0;
    inputs[stride + 1] = y1;
    inputs[4 * stride + 1] = 1;
    program.tape.start_with_sides(inputs.data(), stride);
    for (int k = 1; k <= order; ++k) {
        program.tape.advance(k, inputs.data(), stride);
    }
    return {program.output(0), program.output(0) + stride};
}

const char* const formulas[] = {"x*y",
                                "x/y",
                                "sqrt(x)",
                                "exp(x)",
                                "log(x)",
                                "sin(x)",
                                "cos(x)",
                                "tan(x)",
                                "asin(x)",
                                "acos(x)",
                                "atan(x)",
                                "sinh(x)",
                                "cosh(x)",
                                "tanh(x)",
                                "atan2(x, y)",
                                "hypot(x, y)",
                                "x^3",
                                "x^-2",
                                "x^0.3",
                                "x^y",
                                "1/x",
                                "x^2 + 3*x",
                                "abs(x - 2)",
                                "min(x, y)",
                                "max(x, y)",
                                "if(x < y, x^2, y)",
                                "sin(x*y)/(1 + exp(-x)) + t",
                                "sign(x - 2)*x"};

}  // namespace

TEST_CASE("the series of every function sums up to the function")
{
    const Names names;
    Workspace work;
    for (const char* text : formulas) {
        INFO(text);
        const Formula formula = names.read(text);
        // away from singularities: within a fifth of the nearest, at x = 0
        const auto series = series_of(formula, 0.3, 0.7, 0.9, -0.4);
        for (const double t : {-0.05, 0.03, 0.08}) {
            const double point[] = {0.3 + 0.7 * t, 0.9 - 0.4 * t}, u[] = {0, 0};
            // 0.19^25 is below 1e-17
            CHECK(series_value(series.data(), order, t) ==
                  near(formula.value({point, u, t}, work), 2e-15 * 6));
        }
    }
}

TEST_CASE("a C++ function runs on series as a formula does")
{
    const Names names;
    const auto from_function =
        series_of(record(2, [](const auto& q, const auto&,
                               const auto& t) { return sin(q[0]) * exp(-t) / sqrt(1 + q[1] * q[1]); }),
                  0.3, 1, 0.7, -0.5);
    const auto from_text = series_of(names.read("sin(x)*exp(-t)/sqrt(1 + y*y)"), 0.3, 1, 0.7, -0.5);
    for (std::size_t k = 0; k < stride; ++k) {
        // the same operations, up to how signs and squares are written
        CHECK(from_function[k] == near(from_text[k], 1e-14 * (1 + std::abs(from_text[k]))));
    }
    CHECK(from_text[1] != 0);
}

TEST_CASE("derivatives of expressions are those of duals")
{
    const Names names;
    Workspace work;
    for (const char* text : formulas) {
        INFO(text);
        const Formula formula = names.read(text);
        Graph graph;
        const int node = add_formula(graph, formula);
        const double point[] = {0.37, 0.81}, u[] = {0, 0};
        for (int i = 0; i < 2; ++i) {
            double exact = 0;
            for (const Term& term : formula.terms()) {
                work.make_room(term.variables().size());
                term.gradient({point, u, 0.2}, work, work.first);
                for (std::size_t k = 0; k < term.variables().size(); ++k) {
                    if (term.variables()[k] == Variable{Variable::Kind::Coordinate, i})
                        exact += work.first[k];
                }
            }
            const std::vector<Variable> direction{{Variable::Kind::Coordinate, i}};
            const int slope = gradient(graph, node, direction).front();
            SeriesProgram program(graph, std::vector<int>{slope}, 2, order);
            std::vector<double> inputs(5 * stride, 0.0);
            inputs[0] = point[0];
            inputs[stride] = point[1];
            inputs[4 * stride] = 0.2;
            program.tape.start_with_sides(inputs.data(), stride);
            CHECK(program.output(0)[0] == near(exact, 1e-14 * (1 + std::abs(exact))));
        }
    }
}

TEST_CASE("a base that vanishes at the instant has a series where its power does")
{
    const Names names;
    const auto cube = series_of(names.read("x^3"), 0, 2, 0, 0);
    CHECK(cube[3] == 8);
    CHECK(cube[2] == 0);
    // the root of zero is zero, that of t has no series
    CHECK(series_of(names.read("sqrt(x)"), 0, 0, 0, 0)[5] == 0);
    CHECK_FALSE(std::isfinite(series_of(names.read("sqrt(x)"), 0, 1, 0, 0)[1]));
    CHECK_FALSE(std::isfinite(series_of(names.read("x^(1/3)"), 0, 1, 0, 0)[2]));
}

TEST_CASE("integer powers are exact where their base vanishes, however large the exponent")
{
    const Names names;
    for (const int n : {12, 17, 23, 24}) {
        const auto power = series_of(names.read("x^" + std::to_string(n)), 0, 1, 0, 0);
        for (int k = 0; k <= order; ++k) {
            CHECK(power[static_cast<std::size_t>(k)] == (k == n ? 1 : 0));
        }
    }
    // beyond the last order nothing is left, and nothing is no number
    for (const double c : series_of(names.read("x^1000"), 0, 1, 0, 0)) {
        CHECK(c == 0);
    }
    CHECK(series_of(names.read("x^31"), -2, 1, 0, 0)[1] == near(31 * std::pow(2.0, 30), 1));
}

TEST_CASE("what vanishes identically lies within the bounds of its rounding, and these are small (PS-13)")
{
    const Names names;
    const char* const nothing[] = {"sin(x)^2 + cos(x)^2 - 1",
                                   "exp(log(x)) - x",
                                   "sqrt(x)^2 - x",
                                   "tan(x)*cos(x) - sin(x)",
                                   "(x + y)^3 - x^3 - 3*x^2*y - 3*x*y^2 - y^3",
                                   "x^0.3*x^0.7 - x",
                                   "atan(tan(x)) - x",
                                   "cosh(x)^2 - sinh(x)^2 - 1",
                                   "x/y*y - x",
                                   "atan2(x, y) - atan(x/y)",
                                   "asin(sin(x)) - x",
                                   "x^3/x^2 - x",
                                   "x/(1 + y^2)*(1 + y^2) - x",
                                   "tanh(x)*cosh(x) - sinh(x)",
                                   "hypot(x, y)^2 - x^2 - y^2"};
    for (const char* text : nothing) {
        INFO(text);
        Graph graph;
        SeriesProgram program(graph, std::vector<int>{add_formula(graph, names.read(text))}, 2, order);
        std::vector<double> inputs(5 * stride, 0.0), errors(5 * stride, 0.0);
        inputs[0] = 0.3;
        inputs[1] = 0.7;
        inputs[stride] = 0.9;
        inputs[stride + 1] = -0.4;
        inputs[4 * stride + 1] = 1;
        for (int k = 0; k <= order; ++k) {
            program.tape.advance(k, inputs.data(), stride);
            program.tape.bound(k, errors.data(), stride);
        }
        // the nearest singularity is at 0.43
        double unit = 1;
        for (int k = 0; k <= order; ++k, unit *= 0.43) {
            CHECK(std::abs(program.output(0)[k]) <= 32 * program.error(0)[k]);
            CHECK(program.error(0)[k] * unit < 1e-11);
        }
    }
}

TEST_CASE("tables are told before they are asked for a series")
{
    const Names names;
    CHECK_FALSE(has_table(names.read("abs(x)")));
}
