#include "axis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

std::string superscript(int number)
{
    static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string result = number < 0 ? "⁻" : "";
    for (const char digit : std::to_string(std::abs(number))) {
        result += digits[digit - '0'];
    }
    return result;
}

}  // namespace

bool fits_on_axis(double value)
{
    return std::abs(value) < 1e300;
}

Ticks round_ticks(Range range, int wanted)
{
    // the distance is the nearest of 1, 2, 5 or 10 times a power of ten
    const double raw = (range.high - range.low) / wanted;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double leading = raw / power;
    const double round = leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10;
    Ticks ticks{.step = round * power, .at = {}};

    // multiples of the distance, not sums
    const auto first = std::llround(std::ceil(range.low / ticks.step - 1e-9));
    const auto last = std::llround(std::floor(range.high / ticks.step + 1e-9));
    for (auto k = first; k <= last; ++k) {
        ticks.at.push_back(static_cast<double>(k) * ticks.step);
    }
    return ticks;
}

int common_exponent(Range range)
{
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    if (size >= 1e-2 && size < 1e5) return 0;
    return 3 * static_cast<int>(std::floor(std::log10(size) / 3));
}

std::string axis_label(const std::string& quantity, const std::string& unit, int exponent)
{
    const std::string power = exponent == 0 ? std::string() : fmt::format("10{}", superscript(exponent));
    const std::string shown_unit = unit == "1" ? std::string() : unit;
    if (power.empty() && shown_unit.empty()) return quantity;
    const char* blank = power.empty() || shown_unit.empty() ? "" : " ";
    return fmt::format("{} ({}{}{})", quantity, power, blank, shown_unit);
}

std::string tick_label(double value, double step, int exponent)
{
    const double scale = std::pow(10.0, exponent);
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step / scale) + 1e-9)));
    return fmt::format("{:.{}f}", value / scale, decimals);
}

}  // namespace carom::detail
