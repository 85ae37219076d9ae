#include "tree.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <rapidcheck.h>

namespace carom::test {

namespace {

using Kind = Tree::Kind;

Branch number(double value)
{
    return std::make_shared<const Tree>(Tree{.kind = Kind::Number, .number = value});
}

Branch make(Kind kind, Branch a, Branch b = {}, Branch c = {}, Branch d = {})
{
    return std::make_shared<const Tree>(
        Tree{.kind = kind, .part = {std::move(a), std::move(b), std::move(c), std::move(d)}});
}

Branch operator+(const Branch& a, const Branch& b)
{
    return make(Kind::Add, a, b);
}
Branch operator-(const Branch& a, const Branch& b)
{
    return make(Kind::Subtract, a, b);
}
Branch operator*(const Branch& a, const Branch& b)
{
    return make(Kind::Multiply, a, b);
}
Branch operator/(const Branch& a, const Branch& b)
{
    return make(Kind::Divide, a, b);
}
Branch power(const Branch& a, const Branch& b)
{
    return make(Kind::Power, a, b);
}

const char* function_name(Kind kind)
{
    switch (kind) {
    case Kind::Sin: return "sin";
    case Kind::Cos: return "cos";
    case Kind::Tan: return "tan";
    case Kind::Asin: return "asin";
    case Kind::Acos: return "acos";
    case Kind::Atan: return "atan";
    case Kind::Sinh: return "sinh";
    case Kind::Cosh: return "cosh";
    case Kind::Tanh: return "tanh";
    case Kind::Exp: return "exp";
    case Kind::Log: return "log";
    case Kind::Sqrt: return "sqrt";
    case Kind::Abs: return "abs";
    case Kind::Atan2: return "atan2";
    case Kind::Hypot: return "hypot";
    case Kind::Min: return "min";
    default: return "max";
    }
}

/// Binding strength: sums 1, products 2, signs 3, powers 4, everything else 5.
int strength(const Tree& tree)
{
    switch (tree.kind) {
    case Kind::Add:
    case Kind::Subtract: return 1;
    case Kind::Multiply:
    case Kind::Divide: return 2;
    case Kind::Negate: return 3;
    case Kind::Power: return 4;
    case Kind::Number: return tree.number < 0 ? 3 : 5;
    default: return 5;
    }
}

/// In brackets if it binds more weakly than its place needs.
std::string inside(const Branch& tree, int needed)
{
    return strength(*tree) < needed ? fmt::format("({})", text_of(tree)) : text_of(tree);
}

/// f(a) with the bound |f'| error(a) + one rounding of f.
Bounded rounded(long double value, long double carried)
{
    // library functions are within one unit in the last place, twice this bound
    const long double rounding = 2 * std::numeric_limits<double>::epsilon();
    return {value, carried + rounding * std::abs(value)};
}

Bounded evaluate_function(Kind kind, Bounded a)
{
    const long double x = a.value, e = a.error;
    switch (kind) {
    case Kind::Sin: return rounded(std::sin(x), e);
    case Kind::Cos: return rounded(std::cos(x), e);
    case Kind::Tan: return rounded(std::tan(x), e * (1 + std::tan(x) * std::tan(x)));
    case Kind::Asin: return rounded(std::asin(x), e / std::sqrt(1 - x * x));
    case Kind::Acos: return rounded(std::acos(x), e / std::sqrt(1 - x * x));
    case Kind::Atan: return rounded(std::atan(x), e);
    case Kind::Sinh: return rounded(std::sinh(x), e * std::cosh(x));
    case Kind::Cosh: return rounded(std::cosh(x), e * std::cosh(x));
    case Kind::Tanh: return rounded(std::tanh(x), e);
    case Kind::Exp: return rounded(std::exp(x), e * std::exp(x));
    case Kind::Log: return rounded(std::log(x), e / std::abs(x));
    case Kind::Sqrt: return rounded(std::sqrt(x), e / (2 * std::sqrt(x)));
    case Kind::Abs: return {std::abs(x), e};
    case Kind::Negate: return {-x, e};
    default: return {std::numeric_limits<long double>::quiet_NaN(), 0};
    }
}

Bounded evaluate_pair(Kind kind, Bounded a, Bounded b)
{
    const long double x = a.value, y = b.value;
    const long double e = a.error + b.error;
    switch (kind) {
    case Kind::Add: return rounded(x + y, e);
    case Kind::Subtract: return rounded(x - y, e);
    case Kind::Multiply: return rounded(x * y, std::abs(y) * a.error + std::abs(x) * b.error);
    case Kind::Divide: return rounded(x / y, a.error / std::abs(y) + std::abs(x / y / y) * b.error);
    case Kind::Power: {
        const long double f = std::pow(x, y);
        const long double by_exponent = x > 0 ? std::abs(f * std::log(x)) * b.error : 0;
        // integer powers by repeated squaring make |y| roundings
        const long double extra = std::abs(f * y) * std::numeric_limits<double>::epsilon();
        return rounded(f, std::abs(y * std::pow(x, y - 1)) * a.error + by_exponent + extra);
    }
    case Kind::Atan2: return rounded(std::atan2(x, y), e / std::hypot(x, y));
    case Kind::Hypot: return rounded(std::hypot(x, y), e);
    case Kind::Min: return {std::min(x, y), std::max(a.error, b.error)};
    default: return {std::max(x, y), std::max(a.error, b.error)};
    }
}

/// f' of a function of one argument, as a tree.
Branch slope(Kind kind, const Branch& x)
{
    const Branch one = number(1);
    const Branch two = number(2);
    const Branch rest = make(Kind::Sqrt, one - power(x, two));
    switch (kind) {
    case Kind::Sin: return make(Kind::Cos, x);
    case Kind::Cos: return make(Kind::Negate, make(Kind::Sin, x));
    case Kind::Tan: return one / power(make(Kind::Cos, x), two);
    case Kind::Asin: return one / rest;
    case Kind::Acos: return number(-1) / rest;
    case Kind::Atan: return one / (one + power(x, two));
    case Kind::Sinh: return make(Kind::Cosh, x);
    case Kind::Cosh: return make(Kind::Sinh, x);
    case Kind::Tanh: return one / power(make(Kind::Cosh, x), two);
    case Kind::Exp: return make(Kind::Exp, x);
    case Kind::Log: return one / x;
    case Kind::Sqrt: return one / (two * make(Kind::Sqrt, x));
    case Kind::Negate: return number(-1);
    default: return make(Kind::IfLess, x, number(0), number(-1), one);  // abs
    }
}

Branch derivative_of_power(const Branch& x, const Branch& y, const Branch& dx, const Branch& dy)
{
    // (x^n)' = n x^(n-1) x';  otherwise x^y = exp(y log x)
    if (y->kind == Kind::Number) return y * power(x, number(y->number - 1)) * dx;
    return power(x, y) * (dy * make(Kind::Log, x) + y * dx / x);
}

}  // namespace

std::string text_of(const Branch& tree)
{
    const auto& [a, b, c, d] = tree->part;
    switch (tree->kind) {
    case Kind::Number: return fmt::format("{}", tree->number);
    case Kind::Variable: {
        const char* const names[] = {"x", "y", "theta", "x'", "y'", "theta'", "t"};
        return names[tree->variable];
    }
    case Kind::Add: return inside(a, 1) + " + " + inside(b, 2);
    case Kind::Subtract: return inside(a, 1) + " - " + inside(b, 2);
    case Kind::Multiply: return inside(a, 2) + "*" + inside(b, 3);
    case Kind::Divide: return inside(a, 2) + "/" + inside(b, 3);
    case Kind::Negate: return fmt::format("-{}", inside(a, 3));
    case Kind::Power: return inside(a, 5) + "^" + inside(b, 3);
    case Kind::IfLess:
        return fmt::format("if({} < {}, {}, {})", text_of(a), text_of(b), text_of(c), text_of(d));
    default:
        if (b) return fmt::format("{}({}, {})", function_name(tree->kind), text_of(a), text_of(b));
        return fmt::format("{}({})", function_name(tree->kind), text_of(a));
    }
}

Bounded evaluate(const Branch& tree, const std::array<double, tree_variables>& at)
{
    const long double half = std::numeric_limits<double>::epsilon();
    if (tree->kind == Kind::Number) return {tree->number, half * std::abs(tree->number)};
    if (tree->kind == Kind::Variable) {
        const double value = at[static_cast<std::size_t>(tree->variable)];
        return {value, half * std::abs(value)};
    }
    const Bounded a = evaluate(tree->part[0], at);
    if (!tree->part[1]) return evaluate_function(tree->kind, a);
    const Bounded b = evaluate(tree->part[1], at);
    const bool decides = tree->kind == Kind::IfLess || tree->kind == Kind::Min || tree->kind == Kind::Max;
    if (decides && std::abs(a.value - b.value) <= 1000 * (a.error + b.error))
        return {0, std::numeric_limits<long double>::infinity()};
    if (tree->kind == Kind::IfLess) return evaluate(tree->part[a.value < b.value ? 2 : 3], at);
    return evaluate_pair(tree->kind, a, b);
}

Branch derivative(const Branch& tree, int variable)
{
    if (tree->kind == Kind::Number) return number(0);
    if (tree->kind == Kind::Variable) return number(tree->variable == variable ? 1 : 0);
    const auto& [x, y, c, d] = tree->part;
    if (tree->kind == Kind::IfLess)
        return make(Kind::IfLess, x, y, derivative(c, variable), derivative(d, variable));
    const Branch dx = derivative(x, variable);
    if (!y) return slope(tree->kind, x) * dx;
    const Branch dy = derivative(y, variable);
    switch (tree->kind) {
    case Kind::Add: return dx + dy;
    case Kind::Subtract: return dx - dy;
    case Kind::Multiply: return dx * y + x * dy;
    case Kind::Divide: return (dx * y - x * dy) / (y * y);
    case Kind::Power: return derivative_of_power(x, y, dx, dy);
    case Kind::Atan2: return (dx * y - x * dy) / (x * x + y * y);
    case Kind::Hypot: return (x * dx + y * dy) / make(Kind::Hypot, x, y);
    case Kind::Min: return make(Kind::IfLess, x, y, dx, dy);
    default: return make(Kind::IfLess, x, y, dy, dx);
    }
}

Branch random_tree(int depth)
{
    const auto pick = [](int count) { return *rc::gen::inRange(0, count); };
    if (depth == 0 || pick(8) == 0) {
        if (pick(3) == 0) return number(pick(41) / 8.0 - 2.5);
        return std::make_shared<const Tree>(Tree{.kind = Kind::Variable, .variable = pick(tree_variables)});
    }
    const Branch a = random_tree(depth - 1);
    // arguments that keep functions inside their domains and away from their singularities
    const auto positive = [](const Branch& x) { return number(1.5) + power(x, number(2)); };
    const auto small = [&](const Branch& x) { return x / positive(x); };  // within +- 0.41
    const auto tame = [](const Branch& x) { return make(Kind::Sin, x); };

    // every function once, + - * / and the sign several times as often
    const int drawn = pick(46);
    const int choice = drawn < 26 ? drawn : drawn < 30 ? 0 : 22 + drawn % 4;
    if (choice == 0) return make(Kind::Negate, a);
    if (choice == 1) return make(Kind::Sin, a);
    if (choice == 2) return make(Kind::Cos, a);
    if (choice == 3) return make(Kind::Tan, tame(a));
    if (choice == 4) return make(Kind::Asin, small(a));
    if (choice == 5) return make(Kind::Acos, small(a));
    if (choice == 6) return make(Kind::Atan, a);
    if (choice == 7) return make(Kind::Sinh, tame(a));
    if (choice == 8) return make(Kind::Cosh, tame(a));
    if (choice == 9) return make(Kind::Tanh, a);
    if (choice == 10) return make(Kind::Exp, tame(a));
    if (choice == 11) return make(Kind::Log, positive(a));
    if (choice == 12) return make(Kind::Sqrt, positive(a));
    if (choice == 13) return make(Kind::Abs, a);
    if (choice == 14) return power(a, number(pick(3) + 2));
    if (choice == 15) return power(positive(a), number(pick(9) / 2.0 - 2));
    const Branch b = random_tree(depth - 1);
    if (choice == 16) return power(positive(a), tame(b));
    if (choice == 17) return make(Kind::Atan2, positive(a), b);
    if (choice == 18) return make(Kind::Hypot, positive(a), b);
    if (choice == 19) return make(Kind::Min, a, b);
    if (choice == 20) return make(Kind::Max, a, b);
    if (choice == 21) return make(Kind::IfLess, a, b, tame(b), small(a));
    if (choice == 22) return a + b;
    if (choice == 23) return a - b;
    if (choice == 24) return a * b;
    return a / positive(b);
}

}  // namespace carom::test
