#include "carom/door/run.hpp"
#include "carom/trace/recording.hpp"

#include <doctest/doctest.h>

#include <cmath>
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

/// Where a body stands among those that move.
Eigen::Index moving_number(const Recording& record, int body)
{
    Eigen::Index moving = 0;
    for (int other = 0; other < body; ++other)
        moving += record.solids.columns[static_cast<std::size_t>(other)] >= 0 ? 1 : 0;
    return moving;
}

/// The vector of a table, zero where it was not recorded.
Vec3 vector_in(const RowMatrix& table, Eigen::Index frame, Eigen::Index k)
{
    return table.cols() > 3 * k ? Vec3(table.row(frame).segment<3>(3 * k).transpose()) : Vec3::Zero();
}

/// Force, and moment about the centre half-way.
struct Sum {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    double sizes = 0;  ///< of all forces

    void add(const Vec3& f, const Vec3& arm, const Vec3& m = Vec3::Zero())
    {
        force += f;
        moment += arm.cross(f) + m;
        sizes += f.norm();
    }
};

/// Contacts, weight, loads, constraints and joints on a body in the step of a frame (BO-25).
Sum sum_of_forces(const Recording& record, int body, Eigen::Index frame)
{
    const RecordedBodies& bodies = record.bodies;
    const auto at = static_cast<std::size_t>(frame);
    const double h = bodies.step_s[frame];
    const Eigen::Index k = moving_number(record, body);
    const Vec3 centre = vector_in(bodies.half_way_m, frame, k);
    Sum sum;
    sum.add(record.mechanics.mass_kg[static_cast<std::size_t>(body)] * record.mechanics.gravity_m_s2,
            Vec3::Zero());
    for (Eigen::Index row = bodies.first_row[at]; row < bodies.first_row[at + 1]; ++row) {
        const Vec3 P = bodies.percussion_Ns.row(row).transpose();
        const Vec3 M =
            bodies.moment_Nms.cols() > 0 ? Vec3(bodies.moment_Nms.row(row).transpose()) : Vec3::Zero();
        const Vec3 arm = Vec3(bodies.point_m.row(row).transpose()) - centre;
        if (bodies.first[static_cast<std::size_t>(row)] == body) sum.add(P / h, arm, M / h);
        if (bodies.second[static_cast<std::size_t>(row)] == body) sum.add(-P / h, arm, -M / h);
    }
    sum.add(vector_in(bodies.load_N, frame, k), Vec3::Zero(), vector_in(bodies.load_torque_Nm, frame, k));
    sum.add(vector_in(bodies.constraint_Ns, frame, k) / h, Vec3::Zero(),
            vector_in(bodies.constraint_moment_Nms, frame, k) / h);
    for (std::size_t j = 0; j < record.mechanics.joints.size(); ++j) {
        const RecordedJoint& joint = record.mechanics.joints[j];
        const double sign = joint.first == body ? 1 : joint.second == body ? -1 : 0;
        if (sign == 0 || joint.kind == "gear") continue;
        const auto column = static_cast<Eigen::Index>(j);
        const Pose pose = record.solids.pose(static_cast<std::size_t>(joint.first), record.q, frame);
        // the point moves by less than h v from half-way to the frame
        const Vec3 arm = pose.to_world(joint.first_point_m) - centre;
        sum.add(sign / h * vector_in(bodies.joint_percussion_Ns, frame, column), arm,
                sign / h * vector_in(bodies.joint_moment_Nms, frame, column));
    }
    return sum;
}

/// m a of the step of a frame, from the change of velocity.
Vec3 mass_times_acceleration(const Recording& record, int body, Eigen::Index frame)
{
    const Vec3 change = vector_in(record.bodies.velocity_change_m_s, frame, moving_number(record, body));
    return record.mechanics.mass_kg[static_cast<std::size_t>(body)] / record.bodies.step_s[frame] * change;
}

/// In every frame but the first, on every body that forces move: forces sum to m a without a remainder, and
/// moments to the change of angular momentum, within `moments` of the forces times a metre. Returns the
/// largest force of a joint.
double check_diagrams(const Recording& record, double moments)
{
    double largest = 0;
    for (Eigen::Index frame = 1; frame < record.frames(); ++frame) {
        for (int body = 0; body < static_cast<int>(record.mechanics.mass_kg.size()); ++body) {
            if (record.mechanics.mass_kg[static_cast<std::size_t>(body)] == 0) continue;
            const Sum sum = sum_of_forces(record, body, frame);
            const Vec3 wanted = mass_times_acceleration(record, body, frame);
            CAPTURE(body);
            CAPTURE(frame);
            // sums of some numbers of the size of the forces, divided by the step
            CHECK((sum.force - wanted).norm() < 1e-9 * sum.sizes);
            const Vec3 spin = vector_in(record.bodies.spin_change_Nms, frame, moving_number(record, body)) /
                              record.bodies.step_s[frame];
            CHECK((sum.moment - spin).norm() < moments * sum.sizes);
        }
        for (std::size_t j = 0; j < record.mechanics.joints.size(); ++j)
            largest = std::max(
                largest,
                vector_in(record.bodies.joint_percussion_Ns, frame, static_cast<Eigen::Index>(j)).norm() /
                    record.bodies.step_s[frame]);
    }
    return largest;
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
        const Vec3 wanted = mass_times_acceleration(record, 1, frame),
                   sum = sum_of_forces(record, 1, frame).force;
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
    // what holds the velocities acts at the end of the step, h v after the midpoint, and is of order h^2
    // itself
    CHECK(check_diagrams(record, 1e-5) > 9.81);
}

/// Two pendulums coupled by a gear, with joint friction; a ball strikes one of them.
constexpr const char* machine = R"(
duration_s = 0.6
[[material]]
name = "steel"
friction = 0.3
restitution = 0.4
[[body]]
name = "left"
shape = "box"
size_m = [0.1, 0.1, 1]
mass_kg = 2
position_m = [0, 0, -0.5]
[[body]]
name = "right"
shape = "box"
size_m = [0.1, 0.1, 0.6]
mass_kg = 1
position_m = [1, 0, -0.3]
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 0.5
position_m = [-0.6, 0, -0.8]
velocity_m_s = [3, 0, 0]
[[joint]]
name = "a"
kind = "revolute"
first = "left"
axis = [0, 1, 0]
point_m = [0, 0, 0]
turn = { friction_Nm = 0.1 }
[[joint]]
name = "b"
kind = "revolute"
first = "right"
axis = [0, 1, 0]
point_m = [1, 0, 0]
[[joint]]
name = "wheels"
kind = "gear"
first_joint = "a"
second_joint = "b"
ratio = 0.5
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
)";

TEST_CASE("a gear, joint friction and an impact: forces sum to m a, moments to the change of spin")
{
    const Recording record = record_of(machine);
    REQUIRE(record.bodies.constraint_moment_Nms.cols() == 9);
    CHECK(check_diagrams(record, 1e-5) > 9.81);
    // the gear does something
    CHECK(record.bodies.constraint_moment_Nms.cwiseAbs().maxCoeff() > 1e-4);
}

TEST_CASE("a formula that holds a body is among the forces: a bead on a parabola")
{
    const Recording record = record_of(R"(
duration_s = 0.5
[[body]]
name = "bead"
shape = "disc"
radius_m = 0.05
mass_kg = 2
position_m = [1, 1]
[[constraint]]
name = "wire"
zero = ["bead_y - bead_x^2"]
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
)");
    REQUIRE(record.bodies.constraint_Ns.cols() == 3);
    check_diagrams(record, 1e-9);
    // at the start it is at rest on a slope of 2: the wire bears m g cos = m g / sqrt 5, plus what bends the
    // way
    const Vec3 wire = vector_in(record.bodies.constraint_Ns, 1, 0) / record.bodies.step_s[1];
    CHECK(wire.norm() == doctest::Approx(2 * 9.81 / std::sqrt(5.0)).epsilon(0.02));
}

TEST_CASE("rolling resistance has a moment: a ball that rolls out")
{
    const Recording record = record_of(R"(
duration_s = 0.5
[[material]]
name = "felt"
friction = 0.5
rolling_m = 0.01
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [0, 0, 0.1]
velocity_m_s = [1, 0, 0]
angular_velocity_rad_s = [0, 10, 0]
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
)");
    REQUIRE(record.bodies.moment_Nms.cols() == 3);
    check_diagrams(record, 1e-9);
    // while it rolls the moment is rolling_m times the weight
    CHECK(record.bodies.moment_Nms.row(5).norm() / 1e-3 == doctest::Approx(0.01 * 9.81).epsilon(1e-6));
}

TEST_CASE("contacts share the residual of their step")
{
    const Recording record = record_of(sliding_crate);
    const RecordedBodies& bodies = record.bodies;
    REQUIRE(bodies.residual.size() == static_cast<Eigen::Index>(bodies.first.size()));
    for (Eigen::Index frame = 1; frame < record.frames(); ++frame) {
        const auto at = static_cast<std::size_t>(frame);
        const Eigen::Index from = bodies.first_row[at], count = bodies.first_row[at + 1] - from;
        REQUIRE(count > 0);
        // squares sum to that of the step, which is the worst of ten; all are numbers
        const double together = bodies.residual.segment(from, count).norm();
        CHECK(std::isfinite(together));
        CHECK(together <= record.residual[frame] * (1 + 1e-9) + 1e-14);
    }
    CHECK(bodies.residual.maxCoeff() > 0);
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
    CHECK(a.spin_change_Nms == b.spin_change_Nms);
    CHECK(a.half_way_m == b.half_way_m);
    CHECK(a.residual == b.residual);
    CHECK(a.friction == b.friction);
    CHECK(a.sliding_m_s == b.sliding_m_s);
    CHECK(read->mechanics.mass_kg == result->record.mechanics.mass_kg);
    std::filesystem::remove_all(folder);
}

}  // namespace carom
