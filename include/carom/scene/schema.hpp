#pragma once

#include <string>

namespace carom {

/// The keys of a scene as a JSON Schema (draft 7), for editors that complete and check TOML. Made from the
/// list that the reader itself uses (scene/fields.hpp): types, needed keys, ranges, choices, help.
/// Dependencies between keys (a circle needs radius_m) are known to the reader only: a scene that the schema
/// accepts may still be refused; one that the schema refuses always is.
[[nodiscard]] std::string scene_schema();

}  // namespace carom
