#include "gltf_data.hpp"

#include "little_endian.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

// numbers of the specification
constexpr int float_type = 5126, unsigned_short_type = 5123;
constexpr int array_buffer = 34962, element_array_buffer = 34963;

const char* type_name(int components)
{
    return components == 1 ? "SCALAR" : components == 3 ? "VEC3" : "VEC4";
}

float cosine(int i, int count)
{
    return static_cast<float>(std::cos(2 * std::numbers::pi * i / count));
}

float sine(int i, int count)
{
    return static_cast<float>(std::sin(2 * std::numbers::pi * i / count));
}

/// Two triangles for each field of a grid of (rows + 1) x (columns + 1) points.
void add_grid(int rows, int columns, std::vector<std::uint16_t>& triangles)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            const int a = i * (columns + 1) + j, b = a + columns + 1;
            for (const int corner : {a, b, a + 1, a + 1, b, b + 1})
                triangles.push_back(static_cast<std::uint16_t>(corner));
        }
    }
}

}  // namespace

void GltfData::add_view(std::size_t begin, Use use)
{
    Json view = {{"buffer", 0}, {"byteOffset", begin}, {"byteLength", bytes_.size() - begin}};
    if (use == Use::Vertices) view["target"] = array_buffer;
    if (use == Use::Indices) view["target"] = element_array_buffer;
    views_.push_back(std::move(view));
    while (bytes_.size() % 4 != 0)
        bytes_.push_back('\0');
}

int GltfData::add(std::span<const float> values, int components, Use use)
{
    const std::size_t begin = bytes_.size(), width = static_cast<std::size_t>(components);
    std::vector<double> low(values.begin(), values.begin() + components), high = low;
    for (std::size_t i = 0; i < values.size(); ++i) {
        low[i % width] = std::min(low[i % width], static_cast<double>(values[i]));
        high[i % width] = std::max(high[i % width], static_cast<double>(values[i]));
        put_little_endian(std::bit_cast<std::uint32_t>(values[i]), bytes_);
    }
    add_view(begin, use);
    accessors_.push_back({{"bufferView", views_.size() - 1},
                          {"componentType", float_type},
                          {"count", values.size() / width},
                          {"type", type_name(components)},
                          {"min", low},
                          {"max", high}});
    return static_cast<int>(accessors_.size()) - 1;
}

int GltfData::add(std::span<const std::uint16_t> indices)
{
    const std::size_t begin = bytes_.size();
    for (const std::uint16_t index : indices)
        put_little_endian(index, bytes_);
    add_view(begin, Use::Indices);
    accessors_.push_back({{"bufferView", views_.size() - 1},
                          {"componentType", unsigned_short_type},
                          {"count", indices.size()},
                          {"type", "SCALAR"}});
    return static_cast<int>(accessors_.size()) - 1;
}

GltfSurface unit_ball()
{
    constexpr int rows = 12, columns = 24;
    GltfSurface ball;
    for (int i = 0; i <= rows; ++i) {
        for (int j = 0; j <= columns; ++j) {
            const float ring = sine(i, 2 * rows);
            for (const float x : {ring * cosine(j, columns), ring * sine(j, columns), cosine(i, 2 * rows)})
                ball.positions.push_back(x);
        }
    }
    // a point of the unit sphere is its own normal, but for rounding
    for (std::size_t i = 0; i < ball.positions.size(); i += 3) {
        const float *p = ball.positions.data() + i, length = std::hypot(p[0], p[1], p[2]);
        ball.normals.insert(ball.normals.end(), {p[0] / length, p[1] / length, p[2] / length});
    }
    add_grid(rows, columns, ball.triangles);
    return ball;
}

GltfSurface unit_disc()
{
    constexpr int columns = 48;
    GltfSurface disc{.positions = {0, 0, 0}, .normals = {0, 0, 1}, .triangles = {}};
    for (int j = 0; j < columns; ++j) {
        disc.positions.insert(disc.positions.end(), {cosine(j, columns), sine(j, columns), 0});
        disc.normals.insert(disc.normals.end(), {0, 0, 1});
        for (const int corner : {0, j + 1, (j + 1) % columns + 1})
            disc.triangles.push_back(static_cast<std::uint16_t>(corner));
    }
    return disc;
}

GltfSurface unit_rod()
{
    constexpr int columns = 12;
    GltfSurface rod;
    for (const float x : {0.0F, 1.0F}) {
        for (int j = 0; j <= columns; ++j) {
            const float y = sine(j, columns), z = cosine(j, columns), length = std::hypot(y, z);
            rod.positions.insert(rod.positions.end(), {x, y, z});
            rod.normals.insert(rod.normals.end(), {0, y / length, z / length});
        }
    }
    add_grid(1, columns, rod.triangles);
    return rod;
}

GltfSurface gltf_surface(std::span<const Eigen::Vector3d> vertices, std::span<const std::vector<int>> faces,
                         bool smooth)
{
    using Vector = Eigen::Vector3d;
    const auto vertex = [&](int v) -> const Vector& { return vertices[static_cast<std::size_t>(v)]; };
    std::vector<Vector> positions, normals;
    std::vector<std::size_t> corners;
    if (smooth) {
        positions.assign(vertices.begin(), vertices.end());
        normals.assign(vertices.size(), Vector::Zero());
    }
    for (const std::vector<int>& face : faces) {
        if (face.size() < 3) continue;
        // the normal of the largest triangle: thin ones have none
        Vector normal = Vector::Zero();
        for (std::size_t k = 1; k + 1 < face.size(); ++k) {
            const Vector across =
                (vertex(face[k]) - vertex(face[0])).cross(vertex(face[k + 1]) - vertex(face[0]));
            if (across.norm() > normal.norm()) normal = across;
        }
        const std::size_t first = positions.size();
        for (const int v : face) {
            if (smooth) {
                normals[static_cast<std::size_t>(v)] += normal;
            } else {
                positions.push_back(vertex(v));
                normals.push_back(normal);
            }
        }
        for (std::size_t k = 1; k + 1 < face.size(); ++k) {
            for (const std::size_t c : {std::size_t{0}, k, k + 1})
                corners.push_back(smooth ? static_cast<std::size_t>(face[c]) : first + c);
        }
    }
    GltfSurface surface;
    if (positions.size() > 65535) return surface;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Vector n = normals[i].norm() > 0 ? Vector(normals[i].normalized()) : Vector(Vector::UnitZ());
        for (int k = 0; k < 3; ++k) {
            surface.positions.push_back(static_cast<float>(positions[i][k]));
            surface.normals.push_back(static_cast<float>(n[k]));
        }
    }
    for (const std::size_t corner : corners)
        surface.triangles.push_back(static_cast<std::uint16_t>(corner));
    return surface;
}

}  // namespace carom::detail
