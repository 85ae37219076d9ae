#include "carom/expression/vocabulary.hpp"

#include "carom/expression/formula.hpp"
#include "core/text.hpp"
#include "functions.hpp"
#include "lexer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {

namespace {

bool is_name(std::string_view name)
{
    const auto continues = [](char c) { return detail::is_letter(c) || (c >= '0' && c <= '9'); };
    return !name.empty() && detail::is_letter(name.front()) && std::ranges::all_of(name, continues);
}

}  // namespace

bool is_reserved(std::string_view name) noexcept
{
    constexpr std::string_view words[] = {"t", "pi", "and", "or", "not"};
    return std::ranges::find(words, name) != std::end(words) || detail::find_function(name) != nullptr;
}

Expected<void> Vocabulary::may_add(std::string_view name) const
{
    if (!is_name(name)) {
        return Error{.code = ErrorCode::BadName,
                     .where = {},
                     .message = fmt::format("{} is not a name that formulas can use", quoted(name)),
                     .hint = "a name is a letter or _, then letters, digits and _",
                     .excerpt = {}};
    }
    if (is_reserved(name)) {
        return Error{.code = ErrorCode::BadName,
                     .where = {},
                     .message = fmt::format("the name {} is reserved: formulas already use it", quoted(name)),
                     .hint = "t is the time, pi the number, the others are functions and logical words",
                     .excerpt = {}};
    }
    if (find(name)) {
        return Error{.code = ErrorCode::DuplicateName,
                     .where = {},
                     .message = fmt::format("two things are called {}", quoted(name)),
                     .hint = "coordinates, parameters and tables need different names",
                     .excerpt = {}};
    }
    return {};
}

Expected<int> Vocabulary::add_coordinate(std::string_view name)
{
    if (auto allowed = may_add(name); !allowed) return allowed.error();
    meanings_.emplace(
        name,
        Meaning{.kind = Meaning::Kind::Coordinate, .index = coordinates_, .expression = {}, .table = {}});
    return coordinates_++;
}

Expected<void> Vocabulary::add_parameter(std::string_view name, double value)
{
    if (auto allowed = may_add(name); !allowed) return allowed.error();
    if (!std::isfinite(value)) {
        return Error{.code = ErrorCode::NotFinite,
                     .where = {},
                     .message = fmt::format("the parameter {} is {}", quoted(name), value),
                     .hint = "give a finite number",
                     .excerpt = {}};
    }
    meanings_.emplace(
        name, Meaning{.kind = Meaning::Kind::Parameter, .value = value, .expression = {}, .table = {}});
    return {};
}

Expected<void> Vocabulary::keep_as_symbol(std::string_view name, Formula expression)
{
    const auto found = meanings_.find(name);
    if (found == meanings_.end() || found->second.kind != Meaning::Kind::Parameter) {
        return Error{.code = ErrorCode::UnknownName,
                     .where = {},
                     .message = fmt::format("there is no parameter {}", quoted(name)),
                     .hint = "name one that the scene has",
                     .excerpt = {}};
    }
    found->second.expression = std::make_shared<const Formula>(std::move(expression));
    return {};
}

Expected<void> Vocabulary::add_table(std::string_view name, Table table)
{
    if (auto allowed = may_add(name); !allowed) return allowed.error();
    meanings_.emplace(name, Meaning{.kind = Meaning::Kind::Table,
                                    .expression = {},
                                    .table = std::make_shared<const Table>(std::move(table))});
    return {};
}

std::optional<Vocabulary::Meaning> Vocabulary::find(std::string_view name) const
{
    const auto found = meanings_.find(name);
    if (found == meanings_.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> Vocabulary::names(Meaning::Kind kind) const
{
    std::vector<std::string> names;
    for (const auto& [name, meaning] : meanings_)
        if (meaning.kind == kind) names.push_back(name);
    return names;
}

}  // namespace carom
