#pragma once

#include "carom/geometry/shape.hpp"

#include <filesystem>
#include <string_view>

namespace carom {

/// Triangles from files: STL (text and binary), OBJ and OFF. Lengths are taken as metres. All objects of a
/// file are one mesh; polygons are cut into fans of triangles, the rest of a file is left. Materials and
/// other files that a mesh names are not read. Why not by a library: docs/decisions/mesh_files.md

/// A file may have so many bytes, and so many triangles.
inline constexpr std::size_t max_mesh_bytes = 20'000'000;
inline constexpr std::size_t max_mesh_triangles = 100'000;

/// Errors: FileUnreadable (missing, too large), FileMalformed (another format, damaged, without triangles,
/// too many, coordinates that are not finite).
[[nodiscard]] Expected<MeshShape> read_mesh_file(const std::filesystem::path& file);

/// The same from memory; `format` is the ending of the name, e.g. "stl". Errors: FileMalformed.
[[nodiscard]] Expected<MeshShape> read_mesh(std::string_view bytes, std::string_view format);

}  // namespace carom
