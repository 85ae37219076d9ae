#include "parser.hpp"

#include "core/text.hpp"
#include "expression/derivative.hpp"
#include "expression/parse.hpp"

#include <numbers>

#include <fmt/format.h>

namespace carom::detail {

Parser::Parser(std::string_view text, const Vocabulary& vocabulary, std::string_view where, Allowed allowed)
    : text_(text), vocabulary_(vocabulary), where_(where), allowed_(allowed)
{
    // node 0: what parts of a refused formula point to
    (void)graph_.constant(0);
}

Expected<int> Parser::parse()
{
    if (text_.size() > max_formula_characters) {
        fail(ErrorCode::FormulaTooLarge, max_formula_characters,
             fmt::format("the formula has {} characters; the limit is {}", text_.size(),
                         max_formula_characters),
             "split it, or give its coefficients as a table");
        return *error_;
    }
    advance();
    if (!error_ && token_.kind == Token::Kind::End)
        fail(ErrorCode::FormulaSyntax, 0, "the formula is empty",
             "write a number, a name or an expression of them");
    const int root = number(disjunction());
    if (!error_ && token_.kind != Token::Kind::End) fail_unexpected();
    check_size();
    if (error_) return *error_;
    return root;
}

// disjunction = conjunction { "or" conjunction }
Parser::Part Parser::disjunction()
{
    Part left = conjunction();
    while (token_.is_word("or")) {
        advance();
        const Part right = conjunction();
        left.node = graph_.function(Op::Or, condition(left), condition(right));
    }
    return left;
}

// conjunction = negation { "and" negation }
Parser::Part Parser::conjunction()
{
    Part left = negation();
    while (token_.is_word("and")) {
        advance();
        const Part right = negation();
        left.node = graph_.function(Op::And, condition(left), condition(right));
    }
    return left;
}

// negation = "not" negation | comparison
Parser::Part Parser::negation()
{
    if (!token_.is_word("not")) return comparison();
    const Token word = token_;
    if (!enter(word)) return {};
    advance();
    const int node = graph_.function(Op::Not, condition(negation()));
    leave();
    return {.node = node, .condition = true, .position = word.position};
}

// comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
Parser::Part Parser::comparison()
{
    const auto compares = [](const Token& token) {
        return token.is("<") || token.is("<=") || token.is(">") || token.is(">=") || token.is("==") ||
               token.is("!=");
    };
    const Part left = sum();
    if (!compares(token_)) return left;
    const Token sign = token_;
    advance();
    const Part right = sum();
    const int x = number(left);
    const int y = number(right);
    if (compares(token_)) {
        fail(ErrorCode::FormulaSyntax, token_.position, "comparisons cannot be chained",
             "write a < b and b < c instead of a < b < c");
    }

    Part result{.condition = true, .position = left.position};
    if (sign.is("<"))
        result.node = graph_.function(Op::Less, x, y);
    else if (sign.is(">"))
        result.node = graph_.function(Op::Less, y, x);
    else if (sign.is("<="))
        result.node = graph_.function(Op::LessEqual, x, y);
    else if (sign.is(">="))
        result.node = graph_.function(Op::LessEqual, y, x);
    else
        result.node = graph_.function(Op::Equal, x, y);
    if (sign.is("!=")) result.node = graph_.function(Op::Not, result.node);
    return result;
}

// sum = product { ( "+" | "-" ) product }
Parser::Part Parser::sum()
{
    Part left = product();
    while (token_.is("+") || token_.is("-")) {
        const bool plus = token_.is("+");
        advance();
        const Part right = product();
        const int x = number(left);
        const int y = number(right);
        left.node = plus ? graph_.add(x, y) : graph_.subtract(x, y);
    }
    return left;
}

// product = signed_power { ( "*" | "/" ) signed_power }
Parser::Part Parser::product()
{
    Part left = signed_power();
    while (token_.is("*") || token_.is("/")) {
        const bool times = token_.is("*");
        advance();
        const Part right = signed_power();
        const int x = number(left);
        const int y = number(right);
        left.node = times ? graph_.multiply(x, y) : graph_.divide(x, y);
    }
    return left;
}

// signed_power = { "+" | "-" } power
Parser::Part Parser::signed_power()
{
    const Token first = token_;
    bool negative = false;
    for (; token_.is("+") || token_.is("-"); advance())
        negative = negative != token_.is("-");
    Part part = power();
    if (!first.is("+") && !first.is("-")) return part;
    const int node = number(part);
    return {.node = negative ? graph_.negate(node) : node, .position = first.position};
}

// power = primary [ "^" signed_power ], which makes towers associate from the right
Parser::Part Parser::power()
{
    Part base = primary();
    check_end_of_factor();
    if (token_.is("**")) {
        fail(ErrorCode::FormulaSyntax, token_.position, "`**` is not allowed in a formula",
             "write ^ for powers");
    }
    if (!token_.is("^")) return base;
    if (!enter(token_)) return {};
    advance();
    const Part exponent = signed_power();
    const int x = number(base);
    base.node = graph_.power(x, number(exponent));
    leave();
    return base;
}

// primary = number | name | name "'" | call | "(" disjunction ")"
Parser::Part Parser::primary()
{
    if (token_.kind == Token::Kind::Number) {
        const Part part{.node = graph_.constant(token_.number), .position = token_.position};
        advance();
        return part;
    }
    if (token_.kind == Token::Kind::Name) return name();
    if (token_.is("(")) return bracket();
    fail_unexpected();
    return {};
}

Parser::Part Parser::bracket()
{
    const Token opening = token_;
    if (!enter(opening)) return {};
    advance();
    Part part = disjunction();
    expect(")", "the bracket is not closed", "add ) for the bracket that the formula opens");
    leave();
    part.position = opening.position;
    return part;
}

Parser::Part Parser::name()
{
    const Token word = token_;
    advance();
    const Function* function = find_function(word.text);
    if (token_.is("(") && word.primes == 0) {
        if (function != nullptr) return call(*function, word);
        if (!vocabulary_.find(word.text)) fail_no_function(word);
    }
    if (function != nullptr) {
        fail(ErrorCode::FormulaSyntax, word.position, fmt::format("{} is a function", word.text),
             fmt::format("give its arguments in brackets: {}(...)", word.text));
        return {};
    }
    return {.node = meaning(word), .position = word.position};
}

// call = name "(" disjunction { "," disjunction } ")", and table "(" name "," sum ")"
Parser::Part Parser::call(const Function& function, const Token& name)
{
    if (!enter(name)) return {};
    if (function.op == Op::Lookup) return lookup(name);
    advance();
    std::vector<Part> arguments;
    if (token_.is(")")) {
        fail_arguments(function, name, 0);
        return {};
    }
    arguments.push_back(disjunction());
    while (token_.is(",")) {
        advance();
        arguments.push_back(disjunction());
    }
    expect(")", fmt::format("the bracket of {} is not closed", function.name),
           "separate arguments by , and end with )");
    leave();
    return {.node = apply(function, name, arguments), .position = name.position};
}

Parser::Part Parser::lookup(const Token& name)
{
    const Function& function = *find_function(name.text);
    advance();
    const Token table = token_;
    const auto found = vocabulary_.find(table.text);
    if (!found || found->kind != Vocabulary::Meaning::Kind::Table || table.primes > 0) {
        if (table.is(")"))
            fail_arguments(function, name, 0);
        else
            fail_no_table(table);
        return {};
    }
    advance();
    if (token_.is(")")) fail_arguments(function, name, 1);
    expect(",", "table needs a name and an abscissa", "write table(name, t)");
    const Part abscissa = sum();
    if (token_.is(",")) fail_arguments(function, name, 3);
    expect(")", "the bracket of table is not closed", "write table(name, t)");
    leave();
    const int x = number(abscissa);
    return {.node = error_ ? 0 : graph_.lookup(found->table, x), .position = name.position};
}

int Parser::apply(const Function& function, const Token& name, const std::vector<Part>& arguments)
{
    const auto given = arguments.size();
    const auto wanted = static_cast<std::size_t>(function.arguments);
    if (given < wanted || (given > wanted && !function.more)) {
        fail_arguments(function, name, given);
        return 0;
    }
    if (function.op == Op::Select) {
        const int chooses = condition(arguments[0]);
        const int x = number(arguments[1]);
        return graph_.function(Op::Select, chooses, x, number(arguments[2]));
    }
    const int x = number(arguments[0]);
    if (given == 1) return graph_.function(function.op, x);
    int result = x;
    for (std::size_t i = 1; i < given; ++i)
        result = graph_.function(function.op, result, number(arguments[i]));
    return result;
}

int Parser::meaning(const Token& name)
{
    const auto found = vocabulary_.find(name.text);
    const bool is_time = name.text == "t";
    const bool is_pi = name.text == "pi";
    if (!found && !is_time && !is_pi) {
        fail_unknown(name);
        return 0;
    }
    if (found && found->kind == Vocabulary::Meaning::Kind::Table) {
        fail(ErrorCode::FormulaSyntax, name.position, fmt::format("{} is a table", quoted(name.text)),
             fmt::format("write table({}, t) for its value at t", name.text));
        return 0;
    }
    const bool is_coordinate = found && found->kind == Vocabulary::Meaning::Kind::Coordinate;
    if (name.primes > 0 && !is_coordinate) {
        fail(ErrorCode::FormulaSyntax, name.position,
             fmt::format("{} is not a coordinate: it has no velocity", quoted(name.text)),
             "only coordinates can be written with a '");
        return 0;
    }
    if (is_pi) return graph_.constant(std::numbers::pi);
    if (found && found->kind == Vocabulary::Meaning::Kind::Parameter) {
        const bool symbol = found->expression && allowed_ != Allowed::ConstantsOnly;
        return symbol ? add_formula(graph_, *found->expression) : graph_.constant(found->value);
    }
    if (allowed_ == Allowed::ConstantsOnly) {
        fail(ErrorCode::NotAllowedHere, name.position,
             fmt::format("{} changes during the motion; here a constant is needed", quoted(name.text)),
             "use numbers and parameters only");
        return 0;
    }
    if (is_time) return graph_.variable({Variable::Kind::Time, 0});
    return coordinate(name, *found);
}

int Parser::coordinate(const Token& name, const Vocabulary::Meaning& meaning)
{
    if (name.primes > 1) {
        fail(ErrorCode::FormulaSyntax, name.position,
             fmt::format("{} has {} primes: formulas can use positions and velocities only",
                         quoted(name.text), name.primes),
             fmt::format("the velocity is {}'", name.text));
        return 0;
    }
    return graph_.variable(
        {name.primes == 1 ? Variable::Kind::Velocity : Variable::Kind::Coordinate, meaning.index});
}

}  // namespace carom::detail
