#pragma once

#include "mistakes.hpp"

#include <string_view>

namespace carom::detail {

/// What is looked at before the TOML parser sees a text: letters outside ASCII may stand in strings and
/// comments only (docs/decisions/toml.md says why), and keys of more than `max_key_parts` parts are refused,
/// so that no text makes tables nest without bound. Reports every offending line.
void look_for_what_toml_refuses(std::string_view text, Mistakes& mistakes);

inline constexpr int max_key_parts = 16;

}  // namespace carom::detail
