#pragma once

#include "expression/parse.hpp"
#include "expression/term.hpp"
#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::test {

/// Coordinates x, y, theta, parameters m = 2, g = 9.81, e = 0.5, and the table ramp: 0 before 1, then up to
/// 10 at 3.
inline Vocabulary words()
{
    Vocabulary vocabulary;
    for (const char* name : {"x", "y", "theta"})
        REQUIRE(vocabulary.add_coordinate(name));
    REQUIRE(vocabulary.add_parameter("m", 2));
    REQUIRE(vocabulary.add_parameter("g", 9.81));
    REQUIRE(vocabulary.add_parameter("e", 0.5));
    REQUIRE(vocabulary.add_table("ramp", *Table::from_points({1, 3}, {0, 10})));
    return vocabulary;
}

inline Formula parsed(std::string_view text, const Vocabulary& vocabulary = words())
{
    auto formula = parse_formula(text, vocabulary);
    if (!formula) FAIL(std::string(text) << ": " << to_text(formula.error()));
    return *formula;
}

inline double constant(std::string_view text)
{
    auto value = parse_constant(text, words());
    if (!value) FAIL(std::string(text) << ": " << to_text(value.error()));
    return *value;
}

/// A point for three coordinates.
struct Place {
    std::vector<double> q{0.4, -0.3, 1.2};
    std::vector<double> u{0.7, 1.5, -0.2};
    double t_s = 2.5;

    [[nodiscard]] Point point() const { return {q, u, t_s}; }
};

inline double value(std::string_view text, const Place& place = {})
{
    Workspace work;
    return parsed(text).value(place.point(), work);
}

/// Derivatives of a formula by all q, all u and t, from the sparse ones of its terms.
struct Derivatives {
    double value = 0;
    std::vector<double> first;
    std::vector<std::vector<double>> second;
};

inline std::size_t slot(const Variable& variable, std::size_t coordinates)
{
    const auto index = static_cast<std::size_t>(variable.index);
    switch (variable.kind) {
    case Variable::Kind::Coordinate: return index;
    case Variable::Kind::Velocity: return coordinates + index;
    default: return 2 * coordinates;
    }
}

inline Derivatives derivatives(const Formula& formula, const Point& at)
{
    const std::size_t n = at.q.size();
    Derivatives sum{.first = std::vector<double>(2 * n + 1), .second = {}};
    sum.second.assign(2 * n + 1, sum.first);
    Workspace work;
    for (const Term& term : formula.terms()) {
        const std::size_t k = term.variables().size();
        std::vector<double> first(k), second(k * (k + 1) / 2);
        sum.value += term.hessian(at, work, first, second);
        std::size_t place = 0;
        for (std::size_t r = 0; r < k; ++r) {
            const std::size_t i = slot(term.variables()[r], n);
            sum.first[i] += first[r];
            for (std::size_t s = 0; s <= r; ++s, ++place) {
                const std::size_t j = slot(term.variables()[s], n);
                sum.second[i][j] += second[place];
                if (i != j) sum.second[j][i] += second[place];
            }
        }
    }
    return sum;
}

}  // namespace carom::test
