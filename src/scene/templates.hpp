#pragma once

#include <span>
#include <string_view>

namespace carom {

/// A scene to start from.
struct Template {
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] std::span<const Template> templates() noexcept;

}  // namespace carom
