#include "support.hpp"

#include "carom/scene/scene.hpp"
#include "scene/scene_bodies.hpp"
#include "support/near.hpp"

#include <fstream>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

const std::string robot = CAROM_SOURCE_DIR "/tests/data/urdf/arm.urdf";

std::string text_of_robot()
{
    std::ostringstream text;
    text << std::ifstream(robot).rdbuf();
    return text.str();
}

Scene scene_of(const std::string& text)
{
    auto scene = read_scene_text(text, "arm.toml");
    if (!scene) FAIL(scene.error()[0].message);
    return std::move(*scene);
}

int number_of(const BodySetup& setup, const std::string& name)
{
    for (std::size_t i = 0; i < setup.bodies.size(); ++i) {
        if (setup.bodies[i].name == name) return static_cast<int>(i);
    }
    FAIL(name);
    return -1;
}

}  // namespace

TEST_CASE("a robot in URDF becomes a scene that runs")
{
    const Outcome outcome = carom_program({"import", robot});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const Scene scene = scene_of(outcome.out);
    const BodyModel& model = *scene.model.bodies();
    const BodySetup& setup = model.setup();

    // world and base are one fixed body; the tool, which is fixed to the lower arm, belongs to it
    REQUIRE(setup.bodies.size() == 6);
    CHECK(setup.bodies[0].motion == BodyMotion::Fixed);
    REQUIRE(setup.joints.size() == 6);  // five that move, one that couples

    // mass, centre and inertia of lower arm and tool together, the elbow at its lower limit 0.2
    const int lower = number_of(setup, "lower");
    CHECK(model.mass[static_cast<std::size_t>(lower)] == near(1.2, 1e-12));
    const Vec3 elbow(0, 0.25, 0.6);
    const double depth = (1 * 0.15 + 0.2 * 0.3) / 1.2;
    const Vec3 centre = elbow + Vec3(-depth * std::sin(0.2), 0, -depth * std::cos(0.2));
    CHECK((scene.start.x[static_cast<std::size_t>(lower)] - centre).norm() < 1e-9);
    const Mat3 R = scene.start.R[static_cast<std::size_t>(lower)].toRotationMatrix();
    const Mat3 J = R * model.inertia[static_cast<std::size_t>(lower)] * R.transpose();
    const double cosine = std::cos(0.5), sine = std::sin(0.5);
    // about y, the axis of the elbow: the arm turned by 0.5 about its own z, and Steiner's parts
    const double arm = sine * sine * 0.01 + cosine * cosine * 0.012 + 2 * sine * cosine * 0.0005;
    const double steiner = 1 * std::pow(0.15 - depth, 2) + 0.2 * std::pow(0.3 - depth, 2);
    CHECK(J(1, 1) == near(arm + 1e-4 + steiner, 1e-9));

    // limits count from the start
    const Joint& bend = setup.joints[1];
    CHECK(bend.name == "elbow");
    CHECK(*bend.turn.low == near(0, 1e-12));
    CHECK(*bend.turn.high == near(2.3, 1e-12));
    const Joint& shoulder = setup.joints[0];
    CHECK(shoulder.turn.damping == 0.1);
    CHECK(shoulder.turn.friction == 0.05);
    CHECK_FALSE(static_cast<bool>(shoulder.turn.motor_rate));

    // it falls; held by its motors it does not, and jaws stay opposite to each other
    const Folder folder;
    const std::string held = folder.path("held.toml"), loose = folder.path("loose.toml");
    REQUIRE(carom_program({"import", robot, "--hold", "-o", held}).status == 0);
    REQUIRE(carom_program({"import", robot, "-o", loose}).status == 0);
    CHECK(carom_program({"import", robot, "-o", loose}).status == 2);  // never over a file that is there
    const auto result = [](const std::string& file) {
        const Outcome run = carom_program({"run", file, "--json", "--set", "duration_s=0.3"});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        return run.json()["state"];
    };
    const auto still = result(held), fallen = result(loose);
    const auto z = [](const auto& state, const char* name) {
        return state[name]["q"].template get<double>();
    };
    CHECK(z(still, "lower_z") == near(centre.z(), 1e-6));
    CHECK(z(fallen, "lower_z") < centre.z() - 3e-4);
}

TEST_CASE("what is no robot, or wants more than reading, is refused")
{
    const Folder folder;
    const auto refused = [&](const std::string& text, const char* piece) {
        const Outcome outcome = carom_program({"import", folder.write("r.urdf", text)});
        CAPTURE(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(outcome.out.empty());
        CHECK(contains(outcome.err, piece));
    };
    refused("", "not the URDF");
    refused("<robot", "not a valid URDF");
    refused("<robot name=\"a\"></robot>", "not the URDF");
    refused("<!DOCTYPE robot [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><robot name=\"&x;\"/>", "entities");
    refused(with(text_of_robot(), "<box size=\"0.05 0.05 0.4\"/>", "<mesh filename=\"../secret.stl\"/>"),
            "cannot be used");
    refused(with(text_of_robot(), "<box size=\"0.05 0.05 0.4\"/>", "<mesh filename=\"http://a/b.stl\"/>"),
            "cannot be used");
    refused(with(text_of_robot(), "<mass value=\"2\"/>", "<mass value=\"nan\"/>"), "");
    refused(with(text_of_robot(), "<mass value=\"2\"/>", "<mass value=\"0\"/>"), "has no mass");
    CHECK(carom_program({"import", folder.path("none.urdf")}).status == 2);
}
