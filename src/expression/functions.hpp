#pragma once

#include "expression/tape.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

/// A function that formulas may call by name.
struct Function {
    std::string_view name;
    Op op{};
    int arguments = 1;  ///< the fewest
    bool more = false;  ///< takes more arguments than that, from the left: min(a, b, c) = min(min(a, b), c)
};

/// All of them, sorted by name; `if` is Op::Select, `table` is Op::Lookup.
[[nodiscard]] std::span<const Function> functions() noexcept;

[[nodiscard]] const Function* find_function(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string> function_names();

/// Names that users of other programs write, and what carom calls it: "ln" is "log". Empty if there is none.
[[nodiscard]] std::string_view other_name(std::string_view name) noexcept;

}  // namespace carom::detail
