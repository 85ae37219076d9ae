#pragma once

#include <string>

namespace carom {

/// The keys of a scene as a JSON Schema (draft 7), for editors that complete and check TOML. Made from the
/// list that the reader itself uses (scene/fields.hpp): types, needed keys, ranges, choices, help. What one
/// key asks of another (a circle needs radius_m) only the reader knows: a scene that the schema accepts can
/// still be refused, one that it refuses always is.
[[nodiscard]] std::string scene_schema();

}  // namespace carom
