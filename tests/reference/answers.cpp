#include "answers.hpp"

#include "core/text.hpp"
#include "expression/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>

namespace carom::reference {
namespace {

/// The pattern as a regular expression.
std::regex expression_of(std::string_view pattern)
{
    constexpr std::string_view special = R"(\^$.|?+()[]{})";
    std::string result;
    for (const char letter : pattern) {
        if (letter == '#') {
            result += R"(([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?))";
        } else if (letter == '*') {
            result += "(.*)";
        } else {
            if (special.find(letter) != std::string_view::npos) result += '\\';
            result += letter;
        }
    }
    return std::regex(result);
}

std::optional<Pieces> fit(const std::regex& pattern, const std::string& name)
{
    std::smatch match;
    if (name.size() > 1000 || !std::regex_match(name, match, pattern)) return std::nullopt;
    return Pieces(std::next(match.begin()), match.end());
}

/// What `read` makes of the piece; nothing where it cannot, which fails later the output that holds it, and
/// it alone.
template <class Read>
auto readable(const std::string& piece, Read read) -> std::optional<decltype(read(piece))>
{
    try {
        return read(piece);
    } catch (const DriverFailure&) {
        return std::nullopt;
    }
}

}  // namespace

void Answers::give(std::string_view pattern, Means means, const std::function<Json(const Pieces&)>& compute)
{
    const std::regex expression = expression_of(pattern);
    for (const std::string& output : outputs_) {
        if (answers_.contains(output)) continue;
        const auto pieces = fit(expression, output);
        if (!pieces) continue;
        Answer& answer = answers_[output];
        answer.means = means;
        try {
            answer.value = compute(*pieces);
        } catch (const DriverFailure& failure) {
            answer.failure = failure.what();
        }
    }
}

void Answers::give(std::string_view name, Means means, const std::function<Json()>& compute)
{
    give(name, means, [&](const Pieces&) { return compute(); });
}

std::vector<Pieces> Answers::asked(std::string_view pattern) const
{
    const std::regex expression = expression_of(pattern);
    std::vector<Pieces> result;
    for (const std::string& output : outputs_) {
        if (auto pieces = fit(expression, output)) result.push_back(std::move(*pieces));
    }
    return result;
}

const Answer* Answers::find(const std::string& output) const
{
    const auto found = answers_.find(output);
    return found == answers_.end() ? nullptr : &found->second;
}

double number_in(const std::string& piece, const std::map<std::string, double>& names)
{
    Vocabulary vocabulary;
    for (const auto& [name, value] : names) {
        if (auto added = vocabulary.add_parameter(name, value); !added)
            throw DriverFailure(added.error().message);
    }
    const auto value = parse_constant(piece, vocabulary);
    if (!value) {
        throw DriverFailure(
            fmt::format("{} in the name is no number: {}", carom::quoted(piece), value.error().message));
    }
    return *value;
}

std::vector<double> numbers_in(const std::string& piece)
{
    std::vector<double> result;
    std::size_t begin = 0;
    while (begin <= piece.size()) {
        const std::size_t end = std::min(piece.find(',', begin), piece.size());
        result.push_back(number_in(piece.substr(begin, end - begin)));
        begin = end + 1;
    }
    return result;
}

std::size_t count_in(const std::string& piece)
{
    const double value = number_in(piece);
    if (!(value >= 1 && value <= 1e6 && value == std::floor(value))) {
        throw DriverFailure(
            fmt::format("{} in the name is no count from 1 to a million", carom::quoted(piece)));
    }
    return static_cast<std::size_t>(value);
}

std::size_t largest_count(const std::vector<Pieces>& asked, std::size_t place)
{
    std::size_t result = 0;
    for (const Pieces& pieces : asked) {
        result = std::max(result, readable(pieces[place], count_in).value_or(0));
    }
    return result;
}

double last_instant(const std::vector<Pieces>& asked, std::size_t place)
{
    double result = 0;
    for (const Pieces& pieces : asked) {
        const auto number = [](const std::string& piece) { return number_in(piece); };
        result = std::max(result, readable(pieces[place], number).value_or(0));
    }
    return result;
}

Json list_of(const Eigen::VectorXd& x)
{
    return std::vector<double>(x.begin(), x.end());
}

}  // namespace carom::reference
