#include "carom/study/study.hpp"

#include "core/mistake.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace carom {
namespace {

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Splits where `separator` stands outside of quotes and brackets.
std::vector<std::string_view> pieces_of(std::string_view text, char separator)
{
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (std::string_view("([{").find(c) != std::string_view::npos)
            ++depth;
        else if (std::string_view(")]}").find(c) != std::string_view::npos)
            --depth;
        else if (c == separator && depth <= 0) {
            pieces.push_back(trimmed(text.substr(begin, i - begin)));
            begin = i + 1;
        }
    }
    pieces.push_back(trimmed(text.substr(begin)));
    return pieces;
}

/// The range a, a + step, ... up to b.
Expected<Axis> range_axis(std::string path, std::string_view text,
                          const std::vector<std::string_view>& pieces)
{
    std::vector<double> numbers;
    for (const std::string_view piece : pieces) {
        const auto number = number_of(piece);
        if (!number) {
            return mistake(ErrorCode::WrongType, "--vary",
                           fmt::format("{} is not a number", carom::quoted(piece)),
                           "a range is written from:to:step, for example 0:1:0.1");
        }
        numbers.push_back(*number);
    }
    const double a = numbers[0], b = numbers[1], step = numbers[2];
    const double steps = (b - a) / step;  // not finite for a step of zero, negative for one that goes away
    if (step == 0 || !(steps > -1e-9)) {
        return mistake(ErrorCode::SettingOutOfRange, "--vary",
                       fmt::format("the range {} is empty", carom::quoted(text)),
                       "a range is written from:to:step, with a step that leads from one to the other");
    }
    if (!(steps < static_cast<double>(max_study_rows))) {
        return mistake(ErrorCode::SettingOutOfRange, "--vary",
                       fmt::format("the range {} has {:.3g} values", carom::quoted(text), steps),
                       fmt::format("a study has at most {} runs", max_study_rows));
    }
    Axis axis{.path = std::move(path), .values = {}, .numbers = true};
    const auto count = static_cast<long>(std::floor(steps * (1 + 1e-12) + 1e-9)) + 1;
    const double roundoff = 1e-14 * std::max({std::abs(a), std::abs(b), std::abs(step)});
    for (long i = 0; i < count; ++i) {
        // 0.3 and not 0.30000000000000004
        const double value = a + static_cast<double>(i) * step;
        axis.values.push_back(std::abs(value) < roundoff ? "0" : fmt::format("{:.15g}", value));
    }
    return axis;
}

/// Splits "left=right"; nothing where a side is missing.
std::optional<std::pair<std::string, std::string_view>> sides_of(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::string left(trimmed(text.substr(0, equals)));
    const std::string_view right = trimmed(text.substr(equals + 1));
    if (left.empty() || right.empty()) return std::nullopt;
    return std::pair{std::move(left), right};
}

}  // namespace

std::optional<double> number_of(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

Expected<Axis> parse_axis(std::string_view text)
{
    auto sides = sides_of(text);
    if (!sides) {
        return mistake(ErrorCode::SceneSyntax, "--vary",
                       fmt::format("{} is not of the form path=values", carom::quoted(text)),
                       "write --vary parameters.e=0:1:0.1 or --vary parameters.e=0.2,0.5,0.8");
    }
    auto& [path, values] = *sides;
    const auto pieces = pieces_of(values, ':');
    if (pieces.size() == 3) return range_axis(std::move(path), values, pieces);

    Axis axis{.path = std::move(path), .values = {}, .numbers = true};
    for (const std::string_view piece : pieces_of(values, ',')) {
        if (piece.empty()) {
            return mistake(ErrorCode::SceneSyntax, "--vary",
                           fmt::format("{} has an empty value", carom::quoted(values)),
                           "write values with commas between them: 0.2,0.5,0.8");
        }
        axis.values.emplace_back(piece);
        axis.numbers = axis.numbers && number_of(piece).has_value();
    }
    return axis;
}

Expected<Perturbation> parse_perturbation(std::string_view text)
{
    const auto sides = sides_of(text);
    if (!sides) {
        return mistake(ErrorCode::SceneSyntax, "--perturb",
                       fmt::format("{} is not of the form name=width", carom::quoted(text)),
                       "name a coordinate or its velocity: --perturb theta=1e-3");
    }
    const auto width = number_of(sides->second);
    if (!width) {
        return mistake(ErrorCode::WrongType, "--perturb",
                       fmt::format("{} is not a number", carom::quoted(sides->second)),
                       "give the largest shift of the initial value: --perturb theta=1e-3");
    }
    if (!(*width >= 0)) {
        return mistake(ErrorCode::SettingOutOfRange, "--perturb", fmt::format("the width is {}", *width),
                       "give a width that is not negative");
    }
    return Perturbation{.name = sides->first, .width = *width};
}

Expected<Shard> parse_shard(std::string_view text)
{
    const auto slash = text.find('/');
    long part = 0, parts = 0;
    const auto read = [](std::string_view piece, long& number) {
        const char* end = piece.data() + piece.size();
        const auto [stop, problem] = std::from_chars(piece.data(), end, number);
        return problem == std::errc() && stop == end;
    };
    if (slash == std::string_view::npos || !read(text.substr(0, slash), part) ||
        !read(text.substr(slash + 1), parts)) {
        return mistake(ErrorCode::SceneSyntax, "--shard",
                       fmt::format("{} is not of the form i/n", carom::quoted(text)),
                       "--shard 2/4 is the second of four parts");
    }
    if (parts < 1 || part < 1 || part > parts) {
        return mistake(ErrorCode::SettingOutOfRange, "--shard",
                       fmt::format("there is no part {} of {}", part, parts),
                       "parts are counted from 1: --shard 1/4 to --shard 4/4");
    }
    return Shard{.part = part - 1, .parts = parts};
}

}  // namespace carom
