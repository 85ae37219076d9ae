#pragma once

#include "carom/core/expected.hpp"

#include <string>
#include <utility>

namespace carom {

/// A mistake in data that is no line of a text: without an excerpt.
[[nodiscard]] inline Error mistake(ErrorCode code, std::string where, std::string message, std::string hint)
{
    return {.code = code,
            .where = std::move(where),
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

}  // namespace carom
