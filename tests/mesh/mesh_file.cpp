#include "mesh/mesh_file.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

namespace carom {
namespace {

using test::near;

const std::string cube_obj = R"(mtllib ../../etc/passwd
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
)";

std::string binary_stl(std::uint32_t claimed, int triangles)
{
    std::string bytes(80, ' ');
    const auto append = [&](const auto& value) {
        char raw[sizeof(value)];
        std::memcpy(raw, &value, sizeof(value));
        bytes.append(raw, sizeof(value));
    };
    append(claimed);
    for (int t = 0; t < triangles; ++t) {
        for (const float x : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, static_cast<float>(t)}) {
            append(x);
        }
        append(std::uint16_t{0});
    }
    return bytes;
}

double volume_of(const MeshShape& mesh)
{
    double six = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        six += mesh.vertices_m[a].dot(mesh.vertices_m[b].cross(mesh.vertices_m[c]));
    }
    return six / 6;
}

TEST_CASE("a cube from OBJ: its quadrilaterals become triangles that enclose its volume")
{
    const auto cube = read_mesh(cube_obj, "OBJ");
    REQUIRE(cube.has_value());
    CHECK(cube->triangles.size() == 12);
    CHECK(volume_of(*cube) == near(1, 1e-6));
    CHECK(mass_properties(PolyhedronShape{cube->vertices_m}, 2).mass_kg == near(2, 1e-6));
}

TEST_CASE("STL in both forms, and OFF")
{
    const auto binary = read_mesh(binary_stl(3, 3), "stl");
    REQUIRE(binary.has_value());
    CHECK(binary->triangles.size() == 3);
    const auto text =
        read_mesh("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                  "endloop\nendfacet\nendsolid a\n",
                  "stl");
    REQUIRE(text.has_value());
    CHECK(text->triangles.size() == 1);
    CHECK(read_mesh("OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "off").has_value());
}

TEST_CASE("files that are no mesh are told so")
{
    const auto code = [](const Expected<MeshShape>& mesh) {
        REQUIRE_FALSE(mesh.has_value());
        return mesh.error().code;
    };
    CHECK(code(read_mesh("", "stl")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh("solid nothing", "stl")) == ErrorCode::FileMalformed);
    // a count that the file does not hold is not believed
    CHECK(code(read_mesh(binary_stl(4'000'000'000U, 2), "stl")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh(cube_obj, "exe")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh(cube_obj, "../x")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh("v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n", "obj")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "obj")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh("OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "off")) == ErrorCode::FileMalformed);
    CHECK(code(read_mesh_file("no_such_file.stl")) == ErrorCode::FileUnreadable);

    // any piece of a file, any byte changed: an answer
    std::mt19937 random(3);
    const std::string stl = binary_stl(4, 4);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = i % 2 == 0 ? cube_obj : stl;
        bytes.resize(random() % bytes.size() + 1);
        bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto mesh = read_mesh(bytes, i % 2 == 0 ? "obj" : "stl");
        if (mesh) CHECK(check(*mesh, "mesh").has_value());
    }
}

}  // namespace
}  // namespace carom
