#include "core/setting.hpp"

#include <charconv>

#include <fmt/format.h>

namespace carom {

std::string Range::text() const
{
    const bool below = std::isfinite(high);
    if (std::isfinite(low) && below) {
        return with_low && with_high ? fmt::format("from {} to {}", low, high)
                                     : fmt::format("between {} and {}", low, high);
    }
    if (std::isfinite(low))
        return with_low ? fmt::format("not less than {}", low) : fmt::format("greater than {}", low);
    if (below)
        return with_high ? fmt::format("not greater than {}", high) : fmt::format("less than {}", high);
    return "that is finite";
}

std::string_view Setting::name() const noexcept
{
    std::string_view name = path.substr(path.find_last_of(".[") + 1);  // npos + 1 is 0
    if (name.ends_with(']')) name.remove_suffix(1);
    return name;
}

std::string plain_number(double value)
{
    constexpr double small = 0.01;
    if (value == 0 || !(std::abs(value) < small)) return fmt::format("{}", value);
    // 1e-3 where the library writes 1e-03
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    std::string number(text, end);
    const auto digits = number.find("e-") + 2;
    if (number[digits] == '0') number.erase(digits, 1);
    return number;
}

Error setting_out_of_range(std::string_view settings, const Setting& setting, double value)
{
    const std::string unit =
        setting.unit.empty() || setting.unit == "-" ? "" : fmt::format(" {}", setting.unit);
    const std::string more = setting.hint.empty() ? "" : fmt::format(": {}", setting.hint);
    return {.code = ErrorCode::SettingOutOfRange,
            .where = fmt::format("{}::{}", settings, setting.name()),
            .message = fmt::format("{} is {}{}", setting.name(), value, unit),
            .hint = fmt::format("give a number {}{}", setting.range.text(), more),
            .excerpt = {}};
}

}  // namespace carom
