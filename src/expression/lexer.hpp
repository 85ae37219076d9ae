#pragma once

#include "carom/core/expected.hpp"

#include <cstddef>
#include <string_view>

namespace carom::detail {

/// A word of a formula.
struct Token {
    enum class Kind { Number, Name, Sign, End };
    Kind kind = Kind::End;
    std::string_view text;     ///< as written; empty at the end
    std::size_t position = 0;  ///< of its first byte in the formula
    double number = 0;         ///< of a Number
    int primes = 0;            ///< behind a Name: theta' has one

    [[nodiscard]] bool is(std::string_view sign) const noexcept { return kind == Kind::Sign && text == sign; }
    [[nodiscard]] bool is_word(std::string_view word) const noexcept
    {
        return kind == Kind::Name && text == word;
    }
};

/// What names begin with.
[[nodiscard]] constexpr bool is_letter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The word that begins at `position` or, behind white space, after it. An error has code, message, hint and,
/// in `position`, its place. Errors: FormulaSyntax, NotFinite.
[[nodiscard]] Expected<Token> next_token(std::string_view text, std::size_t& position);

}  // namespace carom::detail
