#include "core/text.hpp"
#include "expression/parse.hpp"
#include "parser.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom::detail {

namespace {

/// The hint that names what was probably meant; otherwise what could have been.
std::string meant(std::string_view name, std::string_view behind, const std::vector<std::string>& known,
                  std::string_view otherwise)
{
    std::string nearest(other_name(name));
    if (nearest.empty()) nearest = nearest_name(name, known);
    if (nearest.empty()) return std::string(otherwise);
    return fmt::format("did you mean `{}{}`?", nearest, behind);
}

}  // namespace

void Parser::fail(ErrorCode code, std::size_t position, std::string message, std::string hint)
{
    if (!error_) {
        error_ = Error{.code = code,
                       .where = where_,
                       .message = std::move(message),
                       .hint = std::move(hint),
                       .excerpt = excerpt_with_caret(text_, position)};
    }
    // nothing is left to read
    position_ = text_.size();
    token_ = Token{.kind = Token::Kind::End, .text = {}, .position = text_.size()};
}

void Parser::check_size()
{
    if (graph_.size() <= max_formula_operations) return;
    fail(ErrorCode::FormulaTooLarge, token_.position,
         fmt::format("the formula has more than {} operations", max_formula_operations),
         "split it, or give its coefficients as a table");
}

void Parser::advance()
{
    check_size();
    if (error_) return;
    auto token = next_token(text_, position_);
    if (token)
        token_ = *token;
    else
        fail(token.error().code, position_, token.error().message, token.error().hint);
}

bool Parser::enter(const Token& at)
{
    if (++depth_ <= max_formula_nesting) return true;
    fail(ErrorCode::FormulaTooLarge, at.position,
         fmt::format("the formula nests brackets or powers more than {} deep", max_formula_nesting),
         "remove brackets that are not needed, or split the formula");
    return false;
}

bool Parser::expect(std::string_view sign, std::string_view message, std::string_view hint)
{
    if (token_.is(sign)) {
        advance();
        return true;
    }
    if (token_.kind == Token::Kind::End) {
        fail(ErrorCode::FormulaSyntax, token_.position, std::string(message), std::string(hint));
    } else {
        fail_unexpected();
    }
    return false;
}

void Parser::check_end_of_factor()
{
    // behind a factor stands an operator; a number, a name or a bracket there is a product without its sign
    const bool word = token_.kind == Token::Kind::Name && !token_.is_word("and") && !token_.is_word("or");
    const bool begins_factor = token_.kind == Token::Kind::Number || word || token_.is("(");
    if (!begins_factor || error_) return;
    std::size_t end = token_.position;
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == '\t'))
        --end;
    std::size_t begin = end;
    while (begin > 0 &&
           std::string_view(" \t\r\n+-*/^(),<>=").find(text_[begin - 1]) == std::string_view::npos)
        --begin;
    const std::string before =
        begin == end ? "(...)" : printable(text_.substr(begin, end - begin).substr(0, 40));
    const std::string behind = token_.is("(") ? "(...)" : printable(token_.text.substr(0, 40));
    fail(ErrorCode::FormulaSyntax, token_.position,
         fmt::format("an operator is missing before {}", quoted(token_.text)),
         fmt::format("for a product write {}*{}", before, behind));
}

int Parser::number(const Part& part)
{
    if (part.condition) {
        fail(ErrorCode::FormulaSyntax, part.position, "a comparison is used where a number is needed",
             "conditions are allowed only in if(condition, a, b)");
    }
    return error_ ? 0 : part.node;
}

int Parser::condition(const Part& part)
{
    if (!part.condition) {
        fail(ErrorCode::FormulaSyntax, part.position, "a number is used where a condition is needed",
             "write a comparison, for example if(x > 0, a, b)");
    }
    return error_ ? 0 : part.node;
}

void Parser::fail_unexpected()
{
    if (token_.kind == Token::Kind::End) {
        fail(ErrorCode::FormulaSyntax, token_.position, "the formula ends too early",
             "a number, a name or a bracket is missing at its end");
        return;
    }
    const bool too_much = token_.is(")") && depth_ == 0;
    fail(ErrorCode::FormulaSyntax, token_.position,
         fmt::format("{} is not expected here", quoted(token_.text)),
         too_much ? "this ) closes no bracket" : "a number, a name or a bracket is expected");
}

void Parser::fail_no_table(const Token& name)
{
    if (name.kind == Token::Kind::End) {
        fail_unexpected();
        return;
    }
    fail(ErrorCode::UnknownName, name.position, fmt::format("there is no table {}", quoted(name.text)),
         meant(name.text, "", vocabulary_.names(Vocabulary::Meaning::Kind::Table),
               "the first argument of table is the name of a table"));
}

void Parser::fail_no_function(const Token& name)
{
    fail(ErrorCode::UnknownName, name.position, fmt::format("there is no function {}", quoted(name.text)),
         name.text == "pow" ? "write a^b for powers"
                            : meant(name.text, "", function_names(),
                                    fmt::format("there are {}; a product is written with *, as in x*(a + b)",
                                                fmt::join(function_names(), ", "))));
}

std::optional<std::string> Parser::other_way_of_writing(const Token& name) const
{
    // velocities as other programs write them: z_dot, zdot, z_prime, dz, dz_dt, vz
    const std::vector<std::string> coordinates = vocabulary_.names(Vocabulary::Meaning::Kind::Coordinate);
    for (const std::string& q : coordinates) {
        for (const std::string& velocity :
             {q + "_dot", q + "dot", q + "_d", q + "_prime", q + "_velocity", q + "_vel", "d" + q,
              "d" + q + "_dt", "d" + q + "dt", "v_" + q, "v" + q}) {
            if (name.text == velocity) return fmt::format("write {}' for the velocity of {}", q, q);
        }
    }
    if (name.text == "e" || name.text == "E")
        return "write exp(x) for the exponential of x, exp(1) for the number e";
    if (name.text == "g") return "add g = 9.81 to [parameters]";
    return std::nullopt;
}

void Parser::fail_unknown(const Token& name)
{
    using Kind = Vocabulary::Meaning::Kind;
    const std::string_view prime = name.primes > 0 ? "'" : "";
    std::vector<std::string> known = vocabulary_.names(Kind::Coordinate);
    if (name.primes == 0) {
        for (const Kind kind : {Kind::Parameter, Kind::Table})
            for (std::string& other : vocabulary_.names(kind))
                known.push_back(std::move(other));
        for (std::string& function : function_names())
            known.push_back(std::move(function));
        known.emplace_back("pi");
    }
    fail(ErrorCode::UnknownName, name.position, fmt::format("nothing is called {}", quoted(name.text)),
         other_way_of_writing(name).value_or(meant(
             name.text, prime, known, "formulas may name coordinates, parameters, t, pi and functions")));
}

void Parser::fail_arguments(const Function& function, const Token& name, std::size_t given)
{
    fail(ErrorCode::WrongArguments, name.position,
         fmt::format("{} takes {}{} argument{}, not {}", function.name, function.more ? "at least " : "",
                     function.arguments, function.arguments == 1 ? "" : "s", given),
         function.op == Op::Select   ? "write if(condition, a, b)"
         : function.op == Op::Lookup ? "write table(name, t)"
                                     : "arguments are separated by ,");
}

}  // namespace carom::detail
