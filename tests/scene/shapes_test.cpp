#include "support.hpp"

#include "scene/scene_bodies.hpp"
#include "support/near.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace carom;
using namespace carom::test;

namespace {

namespace fs = std::filesystem;

const std::string two_bodies = R"toml(duration_s = 0.1
[parameters]
a = 0.1
[[body]]
name = "ground"
shape = "heightfield"
size_m = [4, 2]
points = [5, 3]
height_m = "a*x^2 + y"
[[body]]
name = "ball"
shape = "compound"
position_m = [0, 0, 2]
[[body.part]]
shape = "sphere"
radius_m = 0.2
[[body.part]]
shape = "cylinder"
radius_m = "a"
length_m = 1
position_m = [0, 0, 0.5]
rotation_rad = [0, 0.1, 0]
)toml";

Expected<Scene, Errors> read_at(const std::string& text, const fs::path& folder = {})
{
    return read_scene_text(text, "s.toml", {}, folder);
}

ErrorCode code_of(const std::string& text, const fs::path& folder = {})
{
    const auto scene = read_at(text, folder);
    REQUIRE_FALSE(scene.has_value());
    CAPTURE(all_text(scene.error()));
    CHECK_FALSE(scene.error()[0].hint.empty());
    return scene.error()[0].code;
}

const std::string tetrahedron = R"(OFF
4 4 6
0 0 0
100 0 0
0 100 0
0 0 100
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
)";

const std::string with_file = R"toml(duration_s = 0.1
[[body]]
name = "ground"
shape = "mesh"
file = "parts/rock.off"
scale = 0.01
[[body]]
name = "stone"
shape = "polyhedron"
file = "parts/rock.off"
scale = 0.001
position_m = [0, 0, 3]
)toml";

/// A folder with a mesh, a link that leads out of it, and a secret beside it.
struct Folder {
    fs::path top = fs::temp_directory_path() / "carom_shapes_test";
    fs::path scene = top / "scene";

    Folder()
    {
        fs::remove_all(top);
        fs::create_directories(scene / "parts");
        write(scene / "parts/rock.off", tetrahedron);
        write(scene / "parts/broken.stl", "solid nothing");
        write(scene / "parts/rock.exe", tetrahedron);
        write(top / "secret.off", tetrahedron);
        fs::create_symlink(top / "secret.off", scene / "link.off");
    }
    ~Folder() { fs::remove_all(top); }
    static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
};

}  // namespace

TEST_CASE("a heightfield by a formula of x and y, and a compound of parts")
{
    const auto scene = read_at(two_bodies);
    if (!scene) FAIL(all_text(scene.error()));
    REQUIRE(scene->bodies != nullptr);
    const auto& bodies = scene->model.bodies()->setup().bodies;
    const auto& field = std::get<HeightFieldShape>(*bodies[0].shape);
    CHECK(bodies[0].motion == BodyMotion::Fixed);
    CHECK(field.columns == 5);
    REQUIRE(field.heights_m.size() == 15);
    CHECK(field.heights_m[0] == near(0.1 * 4 - 1, 1e-15));
    CHECK(field.heights_m[14] == near(0.1 * 4 + 1, 1e-15));
    CHECK(field.spacing_m.x() == near(1, 1e-15));
    const auto& compound = std::get<CompoundShape>(*bodies[1].shape);
    REQUIRE(compound.parts.size() == 2);
    CHECK(std::get<CylinderShape>(compound.parts[1].shape).radius_m == near(0.1, 0));

    const auto matrix = read_at(with(with(two_bodies, "points = [5, 3]\n", ""), "height_m = \"a*x^2 + y\"",
                                     "heights_m = [[0, 1], [2, 3], [4, \"a\"]]"));
    if (!matrix) FAIL(all_text(matrix.error()));
    const auto& rows = std::get<HeightFieldShape>(*matrix->model.bodies()->setup().bodies[0].shape);
    CHECK(rows.columns == 2);
    CHECK(rows.heights_m[5] == near(0.1, 1e-15));
}

TEST_CASE("shapes that a scene cannot mean are named")
{
    // before a byte of the grid is taken
    CHECK(code_of(with(two_bodies, "[5, 3]", "[1e9, 1e9]")) == ErrorCode::SettingOutOfRange);
    CHECK(code_of(with(two_bodies, "[5, 3]", "[1, 3]")) == ErrorCode::SettingOutOfRange);
    CHECK(code_of(with(two_bodies, "[5, 3]", "[2.5, 3]")) == ErrorCode::SettingOutOfRange);
    CHECK(code_of(with(two_bodies, "a*x^2 + y", "a*x^2 + w")) == ErrorCode::UnknownName);
    CHECK(code_of(with(two_bodies, "a*x^2 + y", "log(x)")) == ErrorCode::NotFinite);
    CHECK(code_of(with(two_bodies, "height_m = \"a*x^2 + y\"", "")) == ErrorCode::MissingKey);
    CHECK(code_of(with(two_bodies, "height_m = \"a*x^2 + y\"", "heights_m = [[0, 1], [2]]")) ==
          ErrorCode::WrongSize);
    CHECK(code_of(with(two_bodies, "shape = \"sphere\"", "shape = \"plane\"")) == ErrorCode::UnknownName);
    CHECK(code_of(with(two_bodies, "[4, 2]", "[4, 2]\nmotion = \"free\"")) == ErrorCode::NotAllowedHere);
    const std::string mesh =
        "[[body]]\nname = \"m\"\nshape = \"mesh\"\nvertices_m = [[0,0,0],[1,0,0],[0,1,0]]\n";
    CHECK(code_of(two_bodies + mesh) == ErrorCode::MissingKey);
    CHECK(code_of(two_bodies + mesh + "triangles = [[0, 1, 3]]\n") == ErrorCode::SettingOutOfRange);
    CHECK(code_of(two_bodies + mesh + "triangles = [[0, 1, 0.5]]\n") == ErrorCode::SettingOutOfRange);
    CHECK(read_at(two_bodies + mesh + "triangles = [[0, 1, 2]]\n").has_value());
}

TEST_CASE("meshes come from files below the folder of the scene, and from nowhere else")
{
    const Folder folder;
    const auto scene = read_at(with_file, folder.scene);
    if (!scene) FAIL(all_text(scene.error()));
    const auto& bodies = scene->model.bodies()->setup().bodies;
    CHECK(std::get<MeshShape>(*bodies[0].shape).triangles.size() == 4);
    // a corner of a cube of edge 0.1: a sixth of it
    CHECK(scene->model.bodies()->mass[1] == near(1000 * 1e-3 / 6, 1e-9));

    // what is recorded needs no other file
    const auto again = read_at(scene->text);
    if (!again) FAIL(all_text(again.error()));
    CHECK(std::get<MeshShape>(*again->model.bodies()->setup().bodies[0].shape).triangles.size() == 4);
    CHECK(again->model.bodies()->mass[1] == near(scene->model.bodies()->mass[1], 1e-12));

    for (const char* name : {"../secret.off", "link.off", "missing.off", "/etc/passwd", "parts", ""}) {
        CAPTURE(name);
        CHECK(code_of(with(with_file, "parts/rock.off", name), folder.scene) == ErrorCode::FileUnreadable);
    }
    CHECK(code_of(with(with_file, "parts/rock.off", "parts/rock.off"), {}) == ErrorCode::FileUnreadable);
    CHECK(code_of(with(with_file, "rock.off", "broken.stl"), folder.scene) == ErrorCode::FileMalformed);
    CHECK(code_of(with(with_file, "rock.off", "rock.exe"), folder.scene) == ErrorCode::FileMalformed);
}
