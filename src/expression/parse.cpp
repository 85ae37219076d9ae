#include "expression/parse.hpp"

#include "core/text.hpp"
#include "parser.hpp"

#include <cmath>

#include <fmt/format.h>

namespace carom {

Expected<Formula> parse_formula(std::string_view text, const Vocabulary& vocabulary, std::string_view where)
{
    detail::Parser parser(text, vocabulary, where, detail::Allowed::Everything);
    const auto root = parser.parse();
    if (!root) return root.error();
    return to_formula(parser.graph(), *root, std::string(text));
}

Expected<double> parse_constant(std::string_view text, const Vocabulary& vocabulary, std::string_view where)
{
    detail::Parser parser(text, vocabulary, where, detail::Allowed::ConstantsOnly);
    const auto root = parser.parse();
    if (!root) return root.error();
    const double value = parser.graph()[*root].number;
    if (!std::isfinite(value)) {
        return Error{.code = ErrorCode::NotFinite,
                     .where = std::string(where),
                     .message = fmt::format("the value of {} is {}", quoted(text), value),
                     .hint = "look for a division by zero, or a root or logarithm of a negative number",
                     .excerpt = {}};
    }
    return value;
}

}  // namespace carom
