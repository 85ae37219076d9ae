#pragma once

#include "carom/core/range.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// The keys of a scene: one list that the reader checks scenes against, that names the nearest known key, and
/// that documentation and schema are made from.

enum class FieldType {
    Group,      ///< a table: [lagrangian]
    GroupList,  ///< tables distinguished by their name: [[contact]]
    Text,
    Name,        ///< a text that formulas, --set paths and recordings can use as a name
    File,        ///< the name of a file below the scene's folder
    Choice,      ///< one of `choices`
    ChoiceList,  ///< some of `choices`
    Number,
    Integer,
    Boolean,
    Constant,  ///< a number, or a formula of parameters
    Formula,   ///< a number, or a formula of coordinates, velocities, parameters and t; or one of `choices`
    NumberList,
    FormulaList,
    Matrix,  ///< rows of numbers or formulas
};

/// How messages name it, with its article: "a number".
[[nodiscard]] std::string_view name_of(FieldType type) noexcept;

struct Field {
    std::string_view path = {};  ///< "contact[].law.restitution"; [] any thing of a list, * any key
    FieldType type{};
    bool needed = false;         ///< if its group is present
    std::string_view unit = {};  ///< "s", "m", "J"; "-" for pure numbers; empty where there is none
    Range range = {};            ///< of numbers
    std::string fallback = {};   ///< the default: a TOML value, or words
    std::vector<std::string> choices = {};
    std::string_view help = {};  ///< one line
    std::string_view hint = {};  ///< for a value out of range, where the range alone does not help

    /// The last key of the path.
    [[nodiscard]] std::string_view key() const noexcept;
};

/// All fields, groups before what is in them.
[[nodiscard]] std::span<const Field> scene_fields();

/// The groups that a scene of coordinates needs and a scene of bodies does not have.
[[nodiscard]] constexpr bool is_of_coordinates(std::string_view path) noexcept
{
    return path == "coordinate" || path == "lagrangian";
}

/// The field of a path written like Field::path; a key that no field names matches `*`. nullptr if there is
/// none.
[[nodiscard]] const Field* find_field(std::string_view path);

/// Keys allowed in the group `path` (empty: at the top of a scene), in the order of the list.
[[nodiscard]] std::vector<std::string> keys_in(std::string_view path);

/// The keys of a scene as a JSON Schema (draft 7), for editors that complete and check TOML. Made from the
/// list that the reader itself uses (scene/fields.hpp): types, needed keys, ranges, choices, help.
/// Dependencies between keys (a circle needs radius_m) are known to the reader only: a scene that the schema
/// accepts may still be refused; one that the schema refuses always is.
[[nodiscard]] std::string scene_schema();

}  // namespace carom
