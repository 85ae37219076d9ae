#include "support.hpp"

#include "expression/workspace.hpp"
#include "scene/scene_bodies.hpp"
#include "support/near.hpp"
#include "system/lagrangian/constraint_rank.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <cmath>
#include <numbers>

using namespace carom;
using namespace carom::test;

namespace {

const std::string crates = R"toml(duration_s = 1.0
[parameters]
edge = 0.2
[[material]]
name = "wood"
friction = 0.5
[[material]]
name = "ice"
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "crate"
shape = "box"
copies = [3, 2]
size_m = ["edge", "edge", "edge"]
position_m = ["2*edge*i", 0, "edge/2 + edge*j"]
density = 500
[integrator]
time_step_s = 5e-3
)toml";

Expected<Scene, Errors> read_bodies(const std::string& text)
{
    return read_scene_text(text, "s.toml");
}

Scene good_bodies(const std::string& text)
{
    auto scene = read_bodies(text);
    if (!scene) FAIL(all_text(scene.error()));
    return std::move(*scene);
}

/// The only mistake, which must have this code and place.
void only_mistake(const std::string& text, ErrorCode code, std::string_view where)
{
    const auto scene = read_bodies(text);
    REQUIRE_FALSE(scene.has_value());
    CAPTURE(all_text(scene.error()));
    REQUIRE(scene.error().size() == 1);
    CHECK(name_of(scene.error()[0].code) == name_of(code));
    CHECK(scene.error()[0].where == where);
    CHECK_FALSE(scene.error()[0].hint.empty());
}

}  // namespace

TEST_CASE("a lattice of bodies: formulas of i and j, one name each")
{
    const Scene scene = good_bodies(crates);
    REQUIRE(scene.bodies != nullptr);
    const BodyModel& model = *scene.model.bodies();
    REQUIRE(model.bodies() == 7);
    CHECK(model.setup().bodies[6].name == "crate_2_1");
    CHECK((scene.start.x[6] - Vec3(0.8, 0, 0.3)).norm() < 1e-15);
    CHECK(model.mass[1] == near(500 * 0.008, 1e-12));
    CHECK(model.surface(0, 1).friction == 0.5);
    CHECK(model.inverse_mass[0] == 0);
    CHECK(time_step_s(scene.integrator) == 5e-3);

    // results show seven coordinates of each
    CHECK(scene.model.coordinates() == 6 * 7);
    CHECK(scene.model.system().coordinates[7].name == "crate_1_0_x");
}

TEST_CASE("coordinates of bodies have their energies")
{
    // a turning, moving, tilted box: kinetic and potential energy by both ways
    const Scene scene =
        good_bodies(with(crates, "density = 500",
                         "density = 500\nvelocity_m_s = [1, 2, 3]\nrotation_rad = [0.1, 0.2, 0.3]\n"
                         "inertia_kg_m2 = [0.01, 0.02, 0.025]\nangular_velocity_rad_s = [4, -5, 6]"));
    Workspace work;
    const State& state = scene.start;
    const Point at = point_of(scene.start);
    const double kinetic = scene.model.bodies()->kinetic_energy_J(state);
    CHECK(scene.model.kinetic_energy(at, work) == near(kinetic, 1e-12 * kinetic));
    const double potential = scene.model.bodies()->potential_energy_J(state.x, state.R);
    CHECK(scene.model.potential_energy(at, work) == near(potential, 1e-12 * potential));
}

TEST_CASE("scatter is the same for the same seed")
{
    const std::string shaken = with(crates, "density = 500", "jitter_m = 0.01\nseed = 7");
    const Scene a = good_bodies(shaken), b = good_bodies(shaken),
                c = good_bodies(with(shaken, "seed = 7", "seed = 8"));
    CHECK(a.start.x[3] == b.start.x[3]);
    CHECK(a.start.x[3] != c.start.x[3]);
    CHECK((a.start.x[3] - Vec3(0.8, 0, 0.1)).cwiseAbs().maxCoeff() <= 0.01);
}

TEST_CASE("in the plane up is y, and a prescribed body follows its formulas")
{
    const Scene scene = good_bodies(R"toml(duration_s = 1.0
[[body]]
name = "ground"
shape = "plane"
[[body]]
name = "wheel"
shape = "disc"
radius_m = 0.5
position_m = [0, 0.5]
[[body]]
name = "arm"
shape = "polygon"
vertices_m = [[-1, 2], [1, 2], [1, 2.1], [-1, 2.1]]
motion = "prescribed"
position_m = ["sin(t)", 0]
rotation_rad = ["2*t"]
)toml");
    const BodyModel& model = *scene.model.bodies();
    CHECK(model.is_flat());
    CHECK(model.setup().gravity_m_s2 == Vec3(0, -9.81, 0));
    CHECK(std::get<PlaneShape>(*model.setup().bodies[0].shape).normal == Vec3(0, 1, 0));
    const Pose pose = model.setup().bodies[2].path(0.25);
    CHECK(pose.position_m.x() == near(std::sin(0.25), 1e-15));
    CHECK(rotation_vector(pose.rotation).z() == near(0.5, 1e-15));
    CHECK(scene.model.coordinates() == 6);
}

TEST_CASE("mistakes of bodies have their place")
{
    only_mistake(with(crates, "friction = 0.5", "friction = -1"), ErrorCode::SettingOutOfRange,
                 "s.toml:6:12");
    only_mistake(with(crates, "shape = \"box\"", "shape = \"cube\""), ErrorCode::UnknownName, "s.toml:14:9");
    only_mistake(with(crates, "density = 500", "material = \"iron\""), ErrorCode::UnknownName,
                 "s.toml:18:12");
    only_mistake(with(crates, "density = 500", "mass = 1"), ErrorCode::UnknownKey, "s.toml:18:1");
    only_mistake(with(crates, "copies = [3, 2]", "copies = [3000, 2000]"), ErrorCode::SettingOutOfRange,
                 "s.toml:15:10");
    only_mistake(with(crates, "size_m = [\"edge\", \"edge\", \"edge\"]\n", ""), ErrorCode::MissingKey,
                 "s.toml:12:1");
    only_mistake(with(crates, "\"edge/2 + edge*j\"", "\"edge/2 + ege*j\""), ErrorCode::UnknownName,
                 "s.toml:17:30");
    only_mistake(with(crates, "time_step_s = 5e-3", "kind = \"series\""), ErrorCode::NotAllowedHere,
                 "s.toml:20:8");
    only_mistake(with(crates, "[integrator]",
                      "[[body]]\nname = \"crate_0_0\"\nshape = \"sphere\"\nradius_m = 1\n[integrator]"),
                 ErrorCode::DuplicateName, "s.toml");

    // the scene itself has none, and says what it is
    const auto scene = read_scene_text(crates, "s.toml");
    REQUIRE(scene);
    CHECK(name_of(kind_of(*scene)) == "bodies");
}

namespace {

const std::string arms = R"toml(duration_s = 1.0
[[material]]
name = "rubber"
friction = 0.5
static_friction = 0.6
rolling_m = 1e-3
cohesion_N = 2
[[body]]
name = "base"
shape = "none"
motion = "fixed"
[[body]]
name = "weight"
shape = "none"
mass_kg = 2
position_m = [0, 0, -1]
[[joint]]
name = "rail"
kind = "prismatic"
first = "weight"
slide = { low_m = -0.5, high_m = 0.5, motor_m_s = "0.1*t", motor_limit_N = 40, friction_ratio = 0.1 }
[[group]]
name = "arm"
copies = [2]
position_m = ["i", 0, 0]
[[group.body]]
name = "rod"
shape = "capsule"
radius_m = 0.05
length_m = 0.5
position_m = [0, 0, 0.25]
[[group.joint]]
name = "hinge"
first = "rod"
second = "base"
axis = [0, 1, 0]
turn = { low_rad = -1, high_rad = "2*0.25", restitution = 0.3, friction_Nm = 0.2, damping_Nms = 0.01 }
[[joint]]
name = "gears"
kind = "gear"
first_joint = "arm_0_hinge"
second_joint = "arm_1_hinge"
ratio = -1
[integrator]
time_step_s = 5e-3
)toml";

}  // namespace

TEST_CASE("joints, those of groups in every copy, and what surfaces have beside friction")
{
    const Scene scene = good_bodies(arms);
    const BodySetup& setup = scene.model.bodies()->setup();
    REQUIRE(setup.joints.size() == 4);
    // groups come first
    const Joint& rail = setup.joints[2];
    CHECK(rail.kind == JointKind::Prismatic);
    CHECK(rail.second == -1);
    CHECK(rail.slide.motor_rate(2) == near(0.2, 1e-15));
    CHECK(rail.slide.motor_limit == 40);
    CHECK(*rail.slide.low == -0.5);
    CHECK(rail.slide.friction_arm == 0.1);
    const Joint& hinge = setup.joints[1];
    CHECK(hinge.name == "arm_1_hinge");
    CHECK(setup.bodies[static_cast<std::size_t>(hinge.first)].name == "arm_1_rod");
    CHECK(hinge.point_m.x() == 1);
    CHECK(*hinge.turn.high == 0.5);
    CHECK(setup.joints[3].first_joint == 0);
    CHECK(setup.joints[3].second_joint == 1);
    const SurfaceLaw& surface = scene.model.bodies()->surface(0, 0);
    CHECK(*surface.detail.static_friction == near(0.6, 1e-15));
    CHECK(surface.detail.rolling_m == 1e-3);
    CHECK(surface.detail.cohesion_N == 2);
}

TEST_CASE("mistakes of joints have their place")
{
    only_mistake(with(arms, "first = \"weight\"", "first = \"wait\""), ErrorCode::UnknownName, "s.toml:20:9");
    only_mistake(with(arms, "second_joint = \"arm_1_hinge\"", "second_joint = \"hinge\""),
                 ErrorCode::UnknownName, "s.toml:42:16");
    only_mistake(with(arms, "kind = \"prismatic\"", "kind = \"sliding\""), ErrorCode::UnknownName,
                 "s.toml:19:8");
    only_mistake(with(arms, "low_m = -0.5", "low_m = 0.1"), ErrorCode::SettingOutOfRange, "s.toml:17:1");
}

TEST_CASE("formulas of bodies and springs have the energies that the bodies have, in their order")
{
    const std::string bodies = R"toml(duration_s = 1.0
gravity_m_s2 = [0.3, -0.2, -9.81]
[[body]]
name = "post"
shape = "sphere"
motion = "fixed"
radius_m = 0.1
position_m = [0, 0, 3]
[[body]]
name = "stone"
shape = "box"
size_m = [0.2, 0.3, 0.4]
position_m = [0.1, 0.2, 1.3]
rotation_rad = [0.3, -0.2, 0.9]
velocity_m_s = [1, -2, 0.5]
angular_velocity_rad_s = [2, -1, 3]
[[body]]
name = "ball"
shape = "sphere"
copies = [2]
radius_m = 0.1
position_m = ["2 + i", 0, 1]
velocity_m_s = [0, "i", 1]
angular_velocity_rad_s = [0, 0, 5]
[[spring]]
first = "stone"
second = "post"
first_point_m = [0.05, 0.1, 0]
stiffness_N_m = 50
rest_length_m = 0.4
[[spring]]
first = "ball_1"
second = "stone"
stiffness_N_m = 20
[integrator]
time_step_s = 1e-3
)toml";
    const Scene alone = good_bodies(bodies);
    const Scene beside = good_bodies(bodies + R"toml([[coordinate]]
name = "q"
start = 0.0
[lagrangian]
kinetic = "q'^2/2"
)toml");
    REQUIRE(beside.model.coordinates() == alone.model.coordinates() + 1);
    Workspace work;
    const double kinetic = alone.model.kinetic_energy(point_of(alone.start), work),
                 potential = alone.model.potential_energy(point_of(alone.start), work);
    CHECK(kinetic == beside.model.kinetic_energy(point_of(beside.start), work));
    CHECK(potential == beside.model.potential_energy(point_of(beside.start), work));

    // the same from the bodies themselves, not from their coordinates
    const BodyModel& model = *alone.model.bodies();
    const State& start = alone.start;
    CHECK(kinetic == near(model.kinetic_energy_J(start), 1e-13));
    CHECK(potential == near(model.potential_energy_J(start.x, start.R), 1e-13));

    // springs are drawn between the same points
    REQUIRE(alone.model.system().drawings.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
        const auto &a = alone.model.system().drawings[k].points,
                   &b = beside.model.system().drawings[k].points;
        REQUIRE(a.size() == 6);
        for (std::size_t i = 0; i < a.size(); ++i) {
            CHECK(a[i].value(point_of(alone.start), work) == b[i].value(point_of(beside.start), work));
        }
    }
    const auto& second = alone.model.system().drawings[1].points;
    CHECK(second[0].value(point_of(alone.start), work) == near(3.0, 1e-15));
    CHECK(second[3].value(point_of(alone.start), work) == near(0.1, 1e-15));
}

TEST_CASE("a box that spins has the metric of its quaternion, a spring its gradient (BO-40)")
{
    const Scene scene = good_bodies(R"toml(duration_s = 1.0
[[body]]
name = "box"
shape = "box"
size_m = [0.2, 0.5, 1.1]
density = 700
position_m = [0.3, -0.2, 1.7]
angular_velocity_rad_s = [1.0, -2.0, 0.5]
[[spring]]
first = "box"
first_point_m = [0.1, 0.2, 0.5]
second_point_m = [1.0, 1.0, 4.0]
stiffness_N_m = 35
rest_length_m = 0.4
[[coordinate]]
name = "q"
start = 0.0
[lagrangian]
kinetic = "q'^2/2"
[integrator]
time_step_s = 1e-3
)toml");
    const Model& model = scene.model;
    REQUIRE(model.coordinates() == 8);
    Workspace work;
    Eigen::VectorXd q = scene.start.q, u = scene.start.u, c(8);
    q.segment<4>(3) = Eigen::Vector4d(0.5, -0.1, 0.7, 0.5);  // of length one
    u << 0.3, -1.1, 0.7, 0.7, 0.5, -0.6, 0.24, 0.9;
    u.segment<4>(3) -= q.segment<4>(3).dot(u.segment<4>(3)) * q.segment<4>(3);

    MassMatrix A(model.mass_pattern());
    const auto metric_at = [&](const Eigen::VectorXd& at) {
        Eigen::VectorXd terms(8);
        model.kinetic_terms({view(at), view(u), 0}, A, view(terms), work);
        c = terms;
        return Eigen::MatrixXd(A.dense());
    };
    const Point at{view(q), view(u), 0};
    CHECK(0.5 * u.dot(metric_at(q) * u) == near(model.kinetic_energy(at, work), 1e-12));
    const Eigen::VectorXd terms = c;

    // c = (dA/dt) u - d(u.A u / 2)/dq along u, and dV/dq, by central differences; A is of degree two in q
    const double step = 1e-5;
    const Eigen::VectorXd momentum_rate =
        (metric_at(q + step * u) - metric_at(q - step * u)) * u / (2 * step);
    Eigen::VectorXd gradient(8);
    const double rate = model.potential_gradient(at, view(gradient), work);
    CHECK(rate == 0);
    for (int i = 0; i < 8; ++i) {
        Eigen::VectorXd more = q, fewer = q;
        more[i] += step;
        fewer[i] -= step;
        const double of_T = 0.5 * u.dot((metric_at(more) - metric_at(fewer)) * u) / (2 * step);
        CHECK(terms[i] == near(momentum_rate[i] - of_T, 1e-7));
        // the length of the quaternion is no place: V does not see it
        const double of_V = (model.potential_energy({view(more), view(u), 0}, work) -
                             model.potential_energy({view(fewer), view(u), 0}, work)) /
                            (2 * step);
        CHECK(gradient[i] == near(of_V, 1e-6));
    }
}

TEST_CASE("a constraint that asks something of a prescribed body alone is dependent")
{
    const auto with = [](const char* zero) {
        return read_scene_text(std::string(R"toml(duration_s = 1.0
[[body]]
name = "cam"
shape = "sphere"
radius_m = 0.1
motion = "prescribed"
position_m = ["0.1*t", 0, 0]
[[body]]
name = "rod"
shape = "sphere"
radius_m = 0.1
position_m = [1.0, 0.0, 0.0]
mass_kg = 1
[[constraint]]
name = "tie"
zero = [")toml") + zero + R"toml("]
[integrator]
time_step_s = 1e-3
)toml",
                               "s.toml");
    };
    const auto tied = with("rod_x - cam_x - 1"), idle = with("cam_x");
    REQUIRE(tied.has_value());
    CHECK(diagnose_constraints(tied->model, tied->start).independent());
    if (idle) CHECK_FALSE(diagnose_constraints(idle->model, idle->start).independent());
}

TEST_CASE("formulas name the coordinates of any of ten thousand bodies")
{
    const Scene scene = good_bodies(R"toml(duration_s = 1.0
[[body]]
name = "ball"
shape = "sphere"
copies = [100, 100]
radius_m = 0.1
position_m = ["i", "j", 2]
[[probe]]
name = "far"
value = "ball_7_99_x + 1000*ball_99_98_y + ball_0_0_w"
[integrator]
time_step_s = 1e-3
)toml");
    Workspace work;
    CHECK(scene.model.system().probes[0].value.value(point_of(scene.start), work) == near(98008.0, 1e-14));
    CHECK(scene.model.coordinates() == 70000);
}
