#pragma once

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carom::detail {

/// The numbers of a glTF asset: one buffer, and the views and accessors that say what is where in it.
class GltfData {
public:
    /// What vertices are made of needs a target; animations have none.
    enum class Use { Animation, Vertices, Indices };

    /// Number of the accessor of these entries of 1, 3 or 4 components each.
    int add(std::span<const float> values, int components, Use use);
    int add(std::span<const std::uint16_t> indices);

    [[nodiscard]] const nlohmann::ordered_json& views() const noexcept { return views_; }
    [[nodiscard]] const nlohmann::ordered_json& accessors() const noexcept { return accessors_; }
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    void add_view(std::size_t begin, Use use);

    nlohmann::ordered_json views_ = nlohmann::ordered_json::array();
    nlohmann::ordered_json accessors_ = nlohmann::ordered_json::array();
    std::string bytes_;
};

/// Surfaces of unit size, as positions and normals with triangles.
struct GltfSurface {
    std::vector<float> positions, normals;
    std::vector<std::uint16_t> triangles;
};

/// Faces cut into triangles: with shared vertices and mean normals where it is smooth, else each face with
/// vertices and a normal of its own. Without triangles where sixteen bits do not count the vertices.
[[nodiscard]] GltfSurface gltf_surface(std::span<const Eigen::Vector3d> vertices,
                                       std::span<const std::vector<int>> faces, bool smooth);

[[nodiscard]] GltfSurface unit_ball();  ///< radius 1
[[nodiscard]] GltfSurface unit_disc();  ///< radius 1, in the plane of x and y, seen from both sides
[[nodiscard]] GltfSurface unit_rod();   ///< along x from 0 to 1, radius 1

}  // namespace carom::detail
