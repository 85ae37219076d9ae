#pragma once

#include "carom/core/expected.hpp"

#include <filesystem>
#include <string_view>

namespace carom::detail {

/// A robot has at most so many links; its tags are nested at most so deep and have at most so many
/// attributes, which tinyxml compares one by one.
inline constexpr int max_urdf_links = 20'000, max_urdf_depth = 50, max_urdf_attributes = 100;

/// What is wrong with the text of a URDF before urdfdom sees it: tags that are not closed or nested without
/// end, too many links, and numbers that are none. urdfdom keeps a link whose inertia it could not read, and
/// gives it none. Linear in the length of the text, all mistakes at once.
[[nodiscard]] Errors check_urdf(std::string_view text, const std::filesystem::path& file);

}  // namespace carom::detail
