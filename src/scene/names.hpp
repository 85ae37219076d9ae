#pragma once

#include "carom/expression/vocabulary.hpp"
#include "carom/geometry/shape.hpp"
#include "document.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <set>

namespace carom::detail {

/// What formulas of a scene may name.
struct Names {
    Vocabulary vocabulary;
    bool complete = true;  ///< no name was lost by a mistake: a name that is missing is really missing
    std::set<std::string, std::less<>> unvalued;  ///< parameters and tables without a value, by mistake
    std::filesystem::path folder;                 ///< of the scene; empty: it has no files
    std::shared_ptr<std::map<std::string, Expected<MeshShape>>> meshes;  ///< files that have been read

    /// The formula names something without a value: what it gives means nothing.
    [[nodiscard]] bool depends_on_unvalued(std::string_view formula) const;
};

/// The words of a formula that could be names; the e of 1e-3 is none.
[[nodiscard]] std::vector<std::string_view> words_in(std::string_view formula);

/// Collects coordinates, parameters and tables. Parameters that are formulas of others are evaluated in the
/// order that they need; circles are reported.
[[nodiscard]] Names collect_names(const Node& root, const std::filesystem::path& folder, Mistakes& mistakes);

/// The [[coordinate]]s of a scene, after the names that are there. Part of collect_names, but for scenes of
/// bodies, whose coordinates come before.
void add_coordinates(const Node& root, Names& names, Mistakes& mistakes);

/// The parameters among the tables and coordinates: names become values. Part of collect_names.
void add_parameters(const Node& parameters, Names& names, Mistakes& mistakes);

/// A number, or a formula of parameters; nothing after a mistake.
[[nodiscard]] std::optional<double> constant_of(const Node& node, const Names& names, Mistakes& mistakes);

/// The points of a [[table]], from its numbers or its file; nothing after a mistake.
[[nodiscard]] std::optional<Table> table_of(const Node& node, const std::filesystem::path& folder,
                                            Mistakes& mistakes);

/// Some [[table]] has its points in a file, or some body its shape.
[[nodiscard]] bool has_files(const Node& root);
[[nodiscard]] bool has_mesh_files(const Node& root);

/// The mesh in a file below the folder.
[[nodiscard]] Expected<MeshShape> mesh_below(const std::filesystem::path& folder, const std::string& name);

/// Vertices and triangles in the place of files of bodies.
void put_meshes_in(Node& root, const std::filesystem::path& folder);

/// The scene with the points in the place of these files: it then needs no other file.
[[nodiscard]] Node with_points(Node root, const std::filesystem::path& folder);

}  // namespace carom::detail
