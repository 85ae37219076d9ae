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
