#include "carom/door/run.hpp"
#include "carom/trace/recording.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

/// What recordings say about forces on bodies: each of them by itself, so that their sum can be held against
/// the change of velocity, which is recorded apart.

namespace carom {
namespace {

Recording record_of(const std::string& text)
{
    auto scene = read_scene_text(text, "test");
    REQUIRE(scene.has_value());
    auto result = run(*scene);
    REQUIRE(result.has_value());
    return std::move(result->record);
}

/// Contacts, weight, loads and joints on a body in the step of a frame, N.
Vec3 sum_of_forces(const Recording& record, int body, Eigen::Index frame)
{
    const RecordedBodies& bodies = record.bodies;
    const auto at = static_cast<std::size_t>(frame);
    const double h = bodies.step_s[frame];
    Vec3 sum = record.mechanics.mass_kg[static_cast<std::size_t>(body)] * record.mechanics.gravity_m_s2;
    for (Eigen::Index row = bodies.first_row[at]; row < bodies.first_row[at + 1]; ++row) {
        const auto k = static_cast<std::size_t>(row);
        const Vec3 P = bodies.percussion_Ns.row(row).transpose();
        if (bodies.first[k] == body) sum += P / h;
        if (bodies.second[k] == body) sum -= P / h;
    }
    Eigen::Index moving = 0;
    for (int other = 0; other < body; ++other)
        moving += record.solids.columns[static_cast<std::size_t>(other)] >= 0 ? 1 : 0;
    if (bodies.load_N.cols() > 0) sum += bodies.load_N.row(frame).segment<3>(3 * moving).transpose();
    for (std::size_t j = 0; j < record.mechanics.joints.size(); ++j) {
        const RecordedJoint& joint = record.mechanics.joints[j];
        const Vec3 P =
            bodies.joint_percussion_Ns.row(frame).segment<3>(static_cast<Eigen::Index>(3 * j)).transpose();
        if (joint.first == body) sum += P / h;
        if (joint.second == body) sum -= P / h;
    }
    return sum;
}

/// m a of the step of a frame, from the change of velocity.
Vec3 mass_times_acceleration(const Recording& record, int body, Eigen::Index frame)
{
    Eigen::Index moving = 0;
    for (int other = 0; other < body; ++other)
        moving += record.solids.columns[static_cast<std::size_t>(other)] >= 0 ? 1 : 0;
    const Vec3 change = record.bodies.velocity_change_m_s.row(frame).segment<3>(3 * moving).transpose();
    return record.mechanics.mass_kg[static_cast<std::size_t>(body)] / record.bodies.step_s[frame] * change;
}

constexpr const char* sliding_crate = R"(
duration_s = 0.5
[[material]]
name = "wood"
friction = 0.4
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "crate"
shape = "box"
size_m = [0.4, 0.4, 0.2]
mass_kg = 3
position_m = [0, 0, 0.1]
velocity_m_s = [1, 0, 0]
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
)";

}  // namespace

TEST_CASE("forces on a crate that slides and stops sum to m a; friction is on its cone while it slides")
{
    const Recording record = record_of(sliding_crate);
    const RecordedBodies& bodies = record.bodies;
    REQUIRE(record.mechanics.mass_kg == std::vector<double>{0, 3});
    CHECK(record.mechanics.materials[1] == "wood");
    REQUIRE(bodies.friction.size() == static_cast<Eigen::Index>(bodies.first.size()));

    // it stops after v / (mu g); until then all points slide, later none does
    const double stops_s = 1.0 / (0.4 * 9.81);
    for (Eigen::Index frame = 1; frame < record.frames(); ++frame) {
        const Vec3 wanted = mass_times_acceleration(record, 1, frame), sum = sum_of_forces(record, 1, frame);
        // both are sums of a few numbers of the size of the weight
        CHECK((sum - wanted).norm() < 1e-9 * 3 * 9.81);
        const bool slides = record.time_s[frame] < stops_s - 2e-3;
        if (slides) CHECK(wanted.x() == doctest::Approx(-0.4 * 9.81 * 3).epsilon(1e-6));
        if (!slides && record.time_s[frame] < stops_s + 2e-3) continue;
        for (Eigen::Index row = bodies.first_row[static_cast<std::size_t>(frame)];
             row < bodies.first_row[static_cast<std::size_t>(frame) + 1]; ++row) {
            CHECK(bodies.friction[row] == doctest::Approx(0.4).epsilon(1e-12));
            CHECK((bodies.sliding_m_s[row] > 1e-6) == slides);
        }
    }
}

TEST_CASE("springs and pins are among the forces: a rod on a pin, held by a spring")
{
    const Recording record = record_of(R"(
duration_s = 0.5
[[body]]
name = "rod"
shape = "box"
size_m = [1, 0.1, 0.1]
mass_kg = 2
position_m = [0.5, 0, 0]
[[joint]]
name = "pin"
kind = "revolute"
first = "rod"
axis = [0, 1, 0]
point_m = [0, 0, 0]
[[spring]]
first = "rod"
first_point_m = [0.5, 0, 0]
second_point_m = [1, 0, 1]
stiffness_N_m = 30
rest_length_m = 1
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
)");
    REQUIRE(record.mechanics.joints.size() == 1);
    CHECK(record.mechanics.joints[0].kind == "revolute");
    CHECK((record.mechanics.joints[0].first_point_m - Vec3(-0.5, 0, 0)).norm() < 1e-12);
    REQUIRE(record.bodies.load_N.cols() == 3);
    double largest = 0;
    for (Eigen::Index frame = 1; frame < record.frames(); ++frame) {
        const Vec3 wanted = mass_times_acceleration(record, 0, frame);
        // at the end of a step velocities are brought back onto the joints: a force of order h beside them
        CHECK((sum_of_forces(record, 0, frame) - wanted).norm() < 1e-3 * 2 * 9.81);
        largest = std::max(largest, wanted.norm());
    }
    // it does move
    CHECK(largest > 1);
}

TEST_CASE("forces of a recording are read back to the same bits")
{
    const auto folder = std::filesystem::temp_directory_path() / "carom_body_forces_test";
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "run.h5").string();
    auto scene = read_scene_text(sliding_crate, "test");
    REQUIRE(scene.has_value());
    const auto result = run(*scene, {.recording = file});
    REQUIRE(result.has_value());
    const auto read = read_recording(file);
    REQUIRE(read.has_value());
    const RecordedBodies &a = result->record.bodies, &b = read->bodies;
    CHECK(a.velocity_change_m_s == b.velocity_change_m_s);
    CHECK(a.friction == b.friction);
    CHECK(a.sliding_m_s == b.sliding_m_s);
    CHECK(read->mechanics.mass_kg == result->record.mechanics.mass_kg);
    std::filesystem::remove_all(folder);
}

}  // namespace carom
