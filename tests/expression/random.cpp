#include "../../src/expression/range_tape.hpp"
#include "expression/derivative.hpp"
#include "expression/print.hpp"
#include "expression/program.hpp"
#include "support.hpp"
#include "tree.hpp"

#include <array>
#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

std::array<double, tree_variables> random_point()
{
    std::array<double, tree_variables> at{};
    for (double& x : at)
        x = *rc::gen::inRange(-2000, 2001) / 1000.0 + 1e-4;
    return at;
}

/// Where the tree keeps a variable of a formula.
std::size_t place_of(const Variable& variable)
{
    const auto first = variable.kind == Variable::Kind::Coordinate ? 0
                       : variable.kind == Variable::Kind::Velocity ? 3
                                                                   : 6;
    return static_cast<std::size_t>(first + variable.index);
}

Point point_of(const std::array<double, tree_variables>& at)
{
    return {std::span(at).subspan(0, 3), std::span(at).subspan(3, 3), at[6]};
}

/// Equal up to rounding. The oracle's bound counts the roundings of the tree as written; opening sums and
/// sharing change their order, and a dual's rule is not the textbook's: a few times the bound covers both.
void check_close(double seen, Bounded exact, long double times)
{
    RC_PRE(std::isfinite(exact.value) && exact.error < 1e-6L);
    RC_ASSERT(std::isfinite(seen));
    RC_ASSERT(std::abs(static_cast<long double>(seen) - exact.value) <= times * exact.error + 1e-300L);
}

}  // namespace

TEST_CASE("a formula has the value of the tree that it was written from")
{
    holds_for(2000, [] {
        const Branch tree = random_tree(*rc::gen::inRange(1, 7));
        const auto at = random_point();
        RC_LOG(text_of(tree));
        const Formula formula = parsed(text_of(tree));
        Workspace work;
        check_close(formula.value(point_of(at), work), evaluate(tree, at), 4);
    });
}

TEST_CASE("a formula that is written and read again has the same values")
{
    const std::array<std::string, 3> names{"x", "y", "theta"};
    holds_for(2000, [&] {
        const Branch tree = random_tree(*rc::gen::inRange(1, 7));
        const auto at = random_point();
        const Formula formula = parsed(text_of(tree));
        const auto text = text_of(formula, names);
        RC_ASSERT(text.has_value());
        RC_LOG(*text);
        const Formula again = parsed(*text);
        Workspace work;
        const double first = formula.value(point_of(at), work);
        check_close(first, evaluate(tree, at), 4);
        // the order of terms is free
        check_close(again.value(point_of(at), work), evaluate(tree, at), 4);
        RC_ASSERT(again.analytic() == formula.analytic());
    });
}

TEST_CASE("first and second derivatives are those of the textbook's rules")
{
    holds_for(1000, [] {
        const Branch tree = random_tree(*rc::gen::inRange(1, 5));
        const auto at = random_point();
        RC_LOG(text_of(tree));
        const Derivatives seen = derivatives(parsed(text_of(tree)), point_of(at));
        check_close(seen.value, evaluate(tree, at), 4);
        for (int i = 0; i < tree_variables; ++i) {
            const auto r = static_cast<std::size_t>(i);
            const Branch first = derivative(tree, i);
            check_close(seen.first[r], evaluate(first, at), 16);
            for (int j = 0; j <= i; ++j)
                check_close(seen.second[r][static_cast<std::size_t>(j)], evaluate(derivative(first, j), at),
                            64);
        }
    });
}

TEST_CASE("derivatives made as formulas, evaluated together, are those of the textbook's rules")
{
    std::vector<Variable> all;
    for (int i = 0; i < 3; ++i)
        all.push_back({Variable::Kind::Coordinate, i});
    for (int i = 0; i < 3; ++i)
        all.push_back({Variable::Kind::Velocity, i});
    all.push_back({Variable::Kind::Time, 0});
    holds_for(1000, [&] {
        const Branch tree = random_tree(*rc::gen::inRange(1, 5));
        const auto at = random_point();
        RC_LOG(text_of(tree));
        Graph graph;
        std::vector<int> results{add_formula(graph, parsed(text_of(tree)))};
        const auto first = gradient(graph, results.front(), all);
        results.insert(results.end(), first.begin(), first.end());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto second = gradient(graph, first[i], std::span(all).first(i + 1));
            results.insert(results.end(), second.begin(), second.end());
        }
        std::vector<double> seen(results.size());
        Workspace work;
        Program(graph, results).run(point_of(at), work, seen);
        check_close(seen[0], evaluate(tree, at), 4);
        std::size_t next = 1 + all.size();
        for (int i = 0; i < tree_variables; ++i) {
            const Branch by_i = derivative(tree, i);
            check_close(seen[1 + static_cast<std::size_t>(i)], evaluate(by_i, at), 16);
            for (int j = 0; j <= i; ++j)
                check_close(seen[next++], evaluate(derivative(by_i, j), at), 64);
        }
    });
}

TEST_CASE("a table is differentiated on the piece where it is read, and what is not chosen spoils nothing")
{
    Graph graph;
    const Variable x{Variable::Kind::Coordinate, 0};
    const std::vector<int> results{
        gradient(graph, add_formula(graph, parsed("table(ramp, x)^2")), {&x, 1}).front(),
        gradient(graph, add_formula(graph, parsed("if(x < 3, x^3, sqrt(x - 3))")), {&x, 1}).front()};
    const double q[] = {2};
    double seen[2] = {};
    Workspace work;
    Program(graph, results).run({q, {}, 0}, work, seen);
    CHECK(seen[0] == near(2 * 5 * 5, 1e-14));  // the ramp rises by 5 a unit and is at 5
    CHECK(seen[1] == near(12, 1e-14));         // sqrt(-1) is not looked at
}

TEST_CASE("value, gradient and Hessian of a term agree on what they share")
{
    holds_for(500, [] {
        const Branch tree = random_tree(4);
        const auto at = random_point();
        Workspace work;
        const Formula formula = parsed(text_of(tree));
        for (const Term& term : formula.terms()) {
            const std::size_t k = term.variables().size();
            std::vector<double> first(k), again(k), second(k * (k + 1) / 2);
            const double value = term.value(point_of(at), work);
            RC_PRE(std::isfinite(value));
            // the library may give sin and cos together with other roundings than one by one
            const double tolerance = 1e-12 * (1 + std::abs(value));
            RC_ASSERT(std::abs(term.gradient(point_of(at), work, first) - value) <= tolerance);
            RC_ASSERT(std::abs(term.hessian(point_of(at), work, again, second) - value) <= tolerance);
            for (std::size_t i = 0; i < k; ++i)
                RC_ASSERT(!(std::abs(first[i] - again[i]) > 1e-12 * (1 + std::abs(first[i]))));
        }
    });
}

TEST_CASE("no value of a formula on a box lies outside the range that the box gives it")
{
    holds_for(2000, [] {
        const Branch tree = random_tree(*rc::gen::inRange(1, 7));
        RC_LOG(text_of(tree));
        const Formula formula = parsed(text_of(tree));
        const auto low = random_point();
        std::array<double, tree_variables> width{}, at{};
        for (double& x : width)
            x = *rc::gen::inRange(0, 1000) / 1000.0;
        detail::Range sum{0, 0};
        for (const Term& term : formula.terms()) {
            std::vector<detail::Range> box, registers(static_cast<std::size_t>(term.tape().size()));
            for (const Variable& variable : term.variables()) {
                const auto i = place_of(variable);
                box.push_back({low[i], low[i] + width[i]});
            }
            detail::run_on_ranges(term.tape(), box, registers);
            sum = sum + registers.back();
            const detail::Range anywhere = detail::ranges_everywhere(term.tape()).back();
            RC_ASSERT(anywhere.low <= registers.back().low && registers.back().high <= anywhere.high);
        }
        for (int k = 0; k < 8; ++k) {
            for (std::size_t i = 0; i < at.size(); ++i)
                at[i] = low[i] + width[i] * *rc::gen::inRange(0, 1001) / 1000.0;
            const Bounded exact = evaluate(tree, at);
            if (!std::isfinite(exact.value) || !(exact.error < 1e-6L)) continue;
            const auto rounding = static_cast<double>(64 * exact.error + 1e-300L);
            RC_ASSERT(exact.value >= sum.low - rounding && exact.value <= sum.high + rounding);
        }
    });
}
