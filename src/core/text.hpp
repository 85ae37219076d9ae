#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace carom {

/// Pieces of text for error messages: where a mistake is and what was probably meant.

/// The text with everything that could spoil a terminal or a JSON file replaced: control characters by a
/// blank, bytes that are not UTF-8 by a question mark.
[[nodiscard]] std::string printable(std::string_view text);

/// The piece between backquotes, printable and cut to `longest` bytes: how messages show what was seen.
[[nodiscard]] std::string quoted(std::string_view piece, std::size_t longest = 40);

/// The known name that differs least from `name`, in letters inserted, deleted, replaced or swapped with their
/// neighbour: no more than one in four letters of the longer name, or one in a shorter name, where another first
/// letter counts half a slip more. Capitals, underscores and dashes do not count. Otherwise a name that begins alike
/// and ends differently; empty if there is none. All hints of carom ("did you mean") come from here.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// The line of `text` that holds byte `position` and below it a caret under that place, joined by a line
/// break. Lines longer than about 100 characters are cut around the place; "..." marks the cut. `position`
/// may be text.size(): the end.
[[nodiscard]] std::string excerpt_with_caret(std::string_view text, std::size_t position);

}  // namespace carom
