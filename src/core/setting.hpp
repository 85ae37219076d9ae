#pragma once

#include "carom/core/expected.hpp"
#include "carom/core/range.hpp"

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace carom {

/// A member of a struct of settings that scenes have too, and what there is to say about it. Every struct of
/// settings has one visitor, in the module of the struct,
///
///     visit_settings(settings, visit)      calls visit(setting, member) for one such member after the other
///
/// and everything goes by it: the list of fields (scene/setting_fields.cpp), from which schema, --set, help
/// and Python are made, the reader of scenes (scene/settings.cpp), and check().
struct Setting {
    std::string_view path;              ///< in scenes; its last key is the name of the member
    std::string_view unit = {};         ///< "s", "m/s"; "-" for pure numbers
    Range range = {};                   ///< of numbers
    std::string_view help = {};         ///< one line
    std::string_view hint = {};         ///< for a value out of range, where the range alone does not help
    std::string_view fallback = {};     ///< words; empty: the default is the value in the struct
    bool needed = false;                ///< scenes have to give it
    bool formula = false;               ///< scenes may give a formula of parameters
    std::optional<double> absent = {};  ///< in the struct, whatever the range says: as if left out

    /// The name of the member. Settings that are entries of one list, "record.fields[gaps]", have that of the
    /// entry.
    [[nodiscard]] std::string_view name() const noexcept;
};

/// What visitors take: constant settings, or settings that are read into.
template <class Seen, class Settings>
concept SettingsOf = std::same_as<std::remove_const_t<Seen>, Settings>;

/// A value of an enumeration and its name in scenes; words_of(value) gives those of its enumeration.
template <class Value>
struct Word {
    Value value;
    std::string_view text;
};

template <class Value>
[[nodiscard]] constexpr std::string_view word_of(Value value) noexcept
{
    for (const auto& word : words_of(value)) {
        if (word.value == value) return word.text;
    }
    return "unknown";
}

inline constexpr Range positive{.low = 0, .with_low = false};
inline constexpr Range not_negative{.low = 0};
inline constexpr Range inside_zero_to_one{.low = 0, .high = 1, .with_low = false, .with_high = false};

/// Numbers as users write them in scenes: 0.5, 1e-3, 10000.
[[nodiscard]] std::string plain_number(double value);

/// A value out of its range, of the struct of that name.
[[nodiscard]] Error setting_out_of_range(std::string_view settings, const Setting& setting, double value);

/// The first setting out of its range, of the struct of that name.
template <class Settings>
[[nodiscard]] Expected<void> check_settings(std::string_view name, const Settings& settings)
{
    std::optional<Error> mistake;
    const auto look = [&](const Setting& setting, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::same_as<Value, double> || std::same_as<Value, int>) {
            if (mistake || setting.range.contains(value) || setting.absent == value) return;
            mistake = setting_out_of_range(name, setting, value);
        }
    };
    visit_settings(settings, look);
    if (mistake) return *std::move(mistake);
    return {};
}

}  // namespace carom
