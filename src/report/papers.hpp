#pragma once

#include <string>
#include <string_view>

namespace carom {

/// The full titles of the papers that a text cites by short names (M83, M88, B02, CB14), one a line; empty
/// where it cites none. docs/reference/papers.md has them with their addresses.
[[nodiscard]] std::string papers_cited_in(std::string_view text);

}  // namespace carom
