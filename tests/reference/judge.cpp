#include "judge.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace carom::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An inequality such as "<= 1e-9".
struct Inequality {
    bool is_upper = true;  ///< the value must not be above the bound
    bool is_strict = false;
    double bound = 0;
};

std::optional<Inequality> inequality_of(const Json& reference)
{
    if (!reference.is_string()) return std::nullopt;
    const std::string text = reference.get<std::string>();
    if (text.empty() || (text[0] != '<' && text[0] != '>')) return std::nullopt;
    Inequality result{.is_upper = text[0] == '<', .is_strict = text.size() < 2 || text[1] != '='};
    const std::size_t begin = text.find_first_not_of(" ", result.is_strict ? 1 : 2);
    if (begin == std::string::npos) return std::nullopt;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data() + begin, end, result.bound);
    if (failed != std::errc{} || stop != end) return std::nullopt;
    return result;
}

/// The bounds of a text that begins "between 0.3 and 1".
std::optional<std::array<double, 2>> interval_of(const Json& reference)
{
    if (!reference.is_string()) return std::nullopt;
    const std::string text = reference.get<std::string>();
    std::array<double, 2> bounds{};
    std::size_t at = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string_view word = k == 0 ? "between " : " and ";
        if (text.compare(at, word.size(), word) != 0) return std::nullopt;
        const char* begin = text.data() + at + word.size();
        const auto [stop, failed] = std::from_chars(begin, text.data() + text.size(), bounds[k]);
        if (failed != std::errc{}) return std::nullopt;
        at = static_cast<std::size_t>(stop - text.data());
    }
    return bounds;
}

/// How far a value is outside an interval; NaN is infinitely far.
double outside(double value, double lowest, double highest)
{
    if (std::isnan(value)) return infinity;
    return std::max({0.0, lowest - value, value - highest});
}

/// Distance of a value to a reference of the same shape; nothing where the shapes differ.
std::optional<double> distance(const Json& value, const Json& reference)
{
    if (value.is_number() && reference.is_number()) {
        const double error = std::abs(value.get<double>() - reference.get<double>());
        return std::isnan(error) ? infinity : error;
    }
    if (value.is_array() && reference.is_array()) {
        if (value.size() != reference.size()) return std::nullopt;
        double worst = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            const auto entry = distance(value[i], reference[i]);
            if (!entry) return std::nullopt;
            worst = std::max(worst, *entry);
        }
        return worst;
    }
    const bool same_kind =
        (value.is_boolean() && reference.is_boolean()) || (value.is_string() && reference.is_string());
    if (same_kind) return value == reference ? 0.0 : 1.0;
    return std::nullopt;
}

std::optional<double> error_of(const Json& value, const ReferenceValue& reference)
{
    if (const auto inequality = inequality_of(reference.value)) {
        if (!value.is_number()) return std::nullopt;
        const double x = value.get<double>();
        if (inequality->is_strict && x == inequality->bound) return infinity;
        return inequality->is_upper ? outside(x, -infinity, inequality->bound)
                                    : outside(x, inequality->bound, infinity);
    }
    if (const auto interval = interval_of(reference.value); interval && value.is_number()) {
        return outside(value.get<double>(), (*interval)[0], (*interval)[1]);
    }
    const Json& range = reference.value;
    if (reference.is_range && range.is_array() && range.size() == 2 && range[0].is_number() &&
        range[1].is_number()) {
        if (!value.is_number()) return std::nullopt;
        return outside(value.get<double>(), range[0].get<double>(), range[1].get<double>());
    }
    return distance(value, range);
}

}  // namespace

Verdict judge(const std::string& id, const ReferenceValue& reference, const Answer& answer)
{
    if (!answer.failure.empty()) return failure(id, reference.name, reference.value, answer.failure);
    Verdict result{.id = id,
                   .name = reference.name,
                   .value = answer.value,
                   .reference = reference.value,
                   .error = error_of(answer.value, reference),
                   .tolerance = reference.tolerance,
                   .pass = false,
                   .reason = {}};
    if (answer.means == Means::TimeStepping && reference.time_stepping_tolerance) {
        result.tolerance = reference.time_stepping_tolerance;
    }
    if (!result.error) {
        result.reason = "value and reference differ in shape";
        return result;
    }
    result.pass = *result.error <= *result.tolerance;
    if (!result.pass) result.reason = "the error is greater than the tolerance";
    return result;
}

Verdict failure(const std::string& id, const std::string& name, const Json& reference, std::string reason)
{
    return {.id = id,
            .name = name,
            .value = nullptr,
            .reference = reference,
            .error = std::nullopt,
            .tolerance = std::nullopt,
            .pass = false,
            .reason = std::move(reason)};
}

std::string to_json_line(const Verdict& verdict)
{
    const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
    Json line = {{"id", verdict.id},
                 {"name", verdict.name},
                 {"value", verdict.value},
                 {"reference", verdict.reference},
                 {"error", number(verdict.error)},
                 {"tolerance", number(verdict.tolerance)},
                 {"pass", verdict.pass}};
    if (!verdict.by.empty()) line["by"] = verdict.by;
    if (!verdict.reason.empty()) line["reason"] = verdict.reason;
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text_line(const Verdict& verdict)
{
    const std::string head = fmt::format("{} {:<14} {:<40}", verdict.pass ? "pass" : "FAIL",
                                         printable(verdict.id), printable(verdict.name));
    if (!verdict.error) return fmt::format("{} {}", head, printable(verdict.reason));
    std::string line = fmt::format("{} error {:.2e} of {:.2e}", head, *verdict.error, *verdict.tolerance);
    if (!verdict.by.empty()) line += fmt::format("  (by {})", verdict.by);
    if (!verdict.pass) {
        line += fmt::format("  value {} reference {}", verdict.value.dump(), verdict.reference.dump());
    }
    return line;
}

}  // namespace carom::reference
