#pragma once

#include <array>
#include <memory>
#include <string>

namespace carom::test {

/// An expression tree that knows how to be written, evaluated and differentiated, by rules of its own: what
/// parser, tape and duals are compared with.
struct Tree;
using Branch = std::shared_ptr<const Tree>;

struct Tree {
    enum class Kind {
        Number,
        Variable,
        Add,
        Subtract,
        Multiply,
        Divide,
        Negate,
        Power,
        Sin,
        Cos,
        Tan,
        Asin,
        Acos,
        Atan,
        Sinh,
        Cosh,
        Tanh,
        Exp,
        Log,
        Sqrt,
        Abs,
        Atan2,
        Hypot,
        Min,
        Max,
        IfLess,  ///< if(a < b, c, d)
    };
    Kind kind{};
    double number = 0;
    int variable = 0;  ///< 0..2 coordinates, 3..5 velocities, 6 time
    std::array<Branch, 4> part{};
};

inline constexpr int tree_variables = 7;

/// A value and a bound for what rounding in double precision can add to it.
struct Bounded {
    long double value = 0;
    long double error = 0;
};

/// With as few brackets as the grammar allows.
std::string text_of(const Branch& tree);

/// In long double, with a running bound of the roundings that doubles would make; infinite where rounding
/// decides a branch.
Bounded evaluate(const Branch& tree, const std::array<double, tree_variables>& at);

/// The derivative, by the rules of the textbook.
Branch derivative(const Branch& tree, int variable);

/// A random tree of the given depth whose functions stay well inside their domains.
Branch random_tree(int depth);

}  // namespace carom::test
