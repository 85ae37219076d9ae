#include "functions.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace carom::detail {

namespace {

constexpr std::array all_functions{
    Function{"abs", Op::Abs},          Function{"acos", Op::Acos},      Function{"asin", Op::Asin},
    Function{"atan", Op::Atan},        Function{"atan2", Op::Atan2, 2}, Function{"cos", Op::Cos},
    Function{"cosh", Op::Cosh},        Function{"exp", Op::Exp},        Function{"hypot", Op::Hypot, 2},
    Function{"if", Op::Select, 3},     Function{"log", Op::Log},        Function{"max", Op::Max, 2, true},
    Function{"min", Op::Min, 2, true}, Function{"sign", Op::Sign},      Function{"sin", Op::Sin},
    Function{"sinh", Op::Sinh},        Function{"sqrt", Op::Sqrt},      Function{"table", Op::Lookup, 2},
    Function{"tan", Op::Tan},          Function{"tanh", Op::Tanh},
};
static_assert(std::ranges::is_sorted(all_functions, {}, &Function::name));

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> other_names{{
    {"arccos", "acos"},
    {"arcsin", "asin"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"fabs", "abs"},
    {"ln", "log"},
    {"norm", "hypot"},
    {"sgn", "sign"},
    {"t_s", "t"},
    {"time", "t"},
}};

}  // namespace

std::span<const Function> functions() noexcept
{
    return all_functions;
}

const Function* find_function(std::string_view name) noexcept
{
    const auto* const found = std::ranges::find(all_functions, name, &Function::name);
    return found == all_functions.end() ? nullptr : found;
}

std::vector<std::string> function_names()
{
    std::vector<std::string> names;
    for (const Function& function : all_functions)
        names.emplace_back(function.name);
    return names;
}

std::string_view other_name(std::string_view name) noexcept
{
    const auto* const found =
        std::ranges::find(other_names, name, &std::pair<std::string_view, std::string_view>::first);
    return found == other_names.end() ? std::string_view{} : found->second;
}

}  // namespace carom::detail
