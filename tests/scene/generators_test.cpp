#include "support.hpp"

#include "scene/scene_bodies.hpp"
#include "support/near.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

using namespace carom;
using namespace carom::test;

namespace {

const std::string grains = R"toml(duration_s = 1.0
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "grain"
shape = "sphere"
copies = [400]
radius_m = "r"
within_m = [[-1, -1, 0], [1, 1, 4]]
seed = 3
[[body.random]]
name = "r"
kind = "uniform"
low = 0.02
high = 0.1
)toml";

Scene good_scene(const std::string& text)
{
    auto scene = read_scene_text(text, "s.toml");
    if (!scene) FAIL(all_text(scene.error()));
    return std::move(*scene);
}

std::vector<double> radii(const Scene& scene)
{
    std::vector<double> list;
    for (const Body& body : scene.model.bodies()->setup().bodies) {
        if (const auto* ball = std::get_if<SphereShape>(&*body.shape)) list.push_back(ball->radius_m);
    }
    return list;
}

/// The only mistake of a text, with its place.
void only_mistake(const std::string& text, ErrorCode code, std::string_view where)
{
    const auto scene = read_scene_text(text, "s.toml");
    REQUIRE_FALSE(scene.has_value());
    CAPTURE(all_text(scene.error()));
    REQUIRE(scene.error().size() == 1);
    CHECK(name_of(scene.error()[0].code) == name_of(code));
    CHECK(scene.error()[0].where == where);
}

struct Moments {
    double mean = 0, deviation = 0;
};

Moments moments_of(const std::vector<double>& values)
{
    Moments m;
    const auto n = static_cast<double>(values.size());
    for (const double x : values)
        m.mean += x / n;
    for (const double x : values)
        m.deviation += (x - m.mean) * (x - m.mean) / n;
    m.deviation = std::sqrt(m.deviation);
    return m;
}

}  // namespace

TEST_CASE("sizes at random have their distribution, and the same seed gives the same ones")
{
    // 400 numbers: means are known to 5 % of a deviation, three of those are allowed
    const auto uniform = radii(good_scene(grains));
    REQUIRE(uniform.size() == 400);
    const double width = 0.08 / std::sqrt(12);
    CHECK(moments_of(uniform).mean == near(0.06, 3 * width / 20));
    CHECK(moments_of(uniform).deviation == near(width, 0.1 * width));
    CHECK(*std::min_element(uniform.begin(), uniform.end()) >= 0.02);
    CHECK(*std::max_element(uniform.begin(), uniform.end()) < 0.1);
    CHECK(radii(good_scene(grains)) == uniform);
    CHECK(radii(good_scene(with(grains, "seed = 3", "seed = 4"))) != uniform);

    const std::string distribution = "kind = \"uniform\"\nlow = 0.02\nhigh = 0.1\n";
    const auto normal =
        radii(good_scene(with(grains, distribution, "kind = \"normal\"\nmean = 0.05\ndeviation = 0.01\n")));
    CHECK(moments_of(normal).mean == near(0.05, 3 * 0.01 / 20));
    CHECK(moments_of(normal).deviation == near(0.01, 0.001));
    const auto cut = radii(good_scene(
        with(grains, distribution, "kind = \"normal\"\nmean = 0.05\ndeviation = 0.01\nlow = 0.045\n")));
    CHECK(*std::min_element(cut.begin(), cut.end()) >= 0.045);

    std::vector<double> logarithms;
    for (const double r :
         radii(good_scene(with(grains, distribution, "kind = \"lognormal\"\nmedian = 0.04\nspread = 0.2\n"))))
        logarithms.push_back(std::log(r / 0.04));
    CHECK(moments_of(logarithms).mean == near(0, 3 * 0.2 / 20));
    CHECK(moments_of(logarithms).deviation == near(0.2, 0.02));

    const auto listed = radii(good_scene(
        with(grains, distribution, "kind = \"listed\"\nvalues = [0.02, 0.05]\nweights = [3, 1]\n")));
    const auto small = std::count(listed.begin(), listed.end(), 0.02);
    CHECK(std::count(listed.begin(), listed.end(), 0.05) == 400 - small);
    CHECK(std::abs(small - 300) < 3 * 9);  // deviation sqrt(400 3/4 1/4)
}

TEST_CASE("bodies at random places do not overlap, and stay in their box")
{
    const Scene scene = good_scene(grains);
    const auto r = radii(scene);
    const auto& x = scene.start.x;
    for (std::size_t i = 0; i < r.size(); ++i) {
        CHECK(x[i + 1].cwiseAbs().head<2>().maxCoeff() <= 1);
        for (std::size_t j = 0; j < i; ++j)
            REQUIRE((x[i + 1] - x[j + 1]).norm() >= r[i] + r[j]);
    }
    only_mistake(with(grains, "[1, 1, 4]", "[1, 1, 0.1]"), ErrorCode::SettingOutOfRange, "s.toml:10:12");
    only_mistake(with(grains, "[1, 1, 4]", "[1]"), ErrorCode::WrongSize, "s.toml:10:12");
    only_mistake(with(grains, "seed = 3", "position_m = [0, 0, 0]"), ErrorCode::WrongSize, "s.toml:10:12");
    only_mistake(with(grains, "low = 0.02\n", ""), ErrorCode::MissingKey, "s.toml:12:1");
    only_mistake(with(grains, "low = 0.02", "low = 0.2"), ErrorCode::SettingOutOfRange, "s.toml:12:1");
}

TEST_CASE("turns at random are all turns alike")
{
    const Scene scene = good_scene(R"toml(duration_s = 1.0
[[body]]
name = "die"
shape = "box"
copies = [10, 10, 10]
size_m = [1, 1, 1]
position_m = ["2*i", "2*j", "2*k"]
turn_at_random = true
)toml");
    // the image of an axis is even on the sphere: means of coordinates vanish, of squares are a third
    Vec3 mean = Vec3::Zero(), square = Vec3::Zero();
    for (const Rotation& R : scene.start.R) {
        const Vec3 z = R * Vec3::UnitZ();
        mean += z / 1000;
        square += z.cwiseAbs2() / 1000;
    }
    CHECK(mean.cwiseAbs().maxCoeff() < 3 / std::sqrt(3000.0));
    CHECK((square - Vec3::Constant(1.0 / 3)).cwiseAbs().maxCoeff() < 3 * 0.3 / std::sqrt(1000.0));
}

TEST_CASE("a group is placed several times, with its springs")
{
    const Scene scene = good_scene(R"toml(duration_s = 1.0
[[group]]
name = "pair"
copies = [2, 2]
position_m = ["10*i", "10*j", 1]
rotation_rad = [0, 0, "pi/2*i"]
[[group.random]]
name = "r"
kind = "uniform"
low = 0.1
high = 0.2
[[group.body]]
name = "ball"
shape = "sphere"
copies = [2]
radius_m = "r"
position_m = ["1 + i", "0.1*gi", "gj"]
velocity_m_s = [1, 0, 0]
[[group.body]]
name = "base"
shape = "box"
size_m = [1, 1, 1]
motion = "prescribed"
position_m = ["t", 0, -5]
[[group.spring]]
first = "ball_0"
second = "ball_1"
stiffness_N_m = 5
rest_length_m = 1
)toml");
    const BodySetup& setup = scene.model.bodies()->setup();
    REQUIRE(setup.bodies.size() == 12);
    CHECK(setup.bodies[3].name == "pair_1_0_ball_0");
    CHECK(setup.bodies[5].name == "pair_1_0_base");

    // the second pair is turned by a quarter: its x is the world's y
    CHECK((scene.start.x[4] - Vec3(10 - 0.1, 2, 1)).norm() < 1e-14);
    CHECK((scene.start.v[4] - Vec3(0, 1, 0)).norm() < 1e-15);
    CHECK((setup.bodies[5].path(3).position_m - Vec3(10, 3, -4)).norm() < 1e-14);

    // all bodies of a copy have its number
    const auto r = radii(scene);
    CHECK(r[0] == r[1]);
    CHECK(r[0] != r[2]);
    REQUIRE(setup.springs.size() == 4);
    CHECK(setup.springs[1].first == 3);
    CHECK(setup.springs[1].second == 4);

    // names of groups are paths of --set
    const Override set{.path = "group.pair.body.ball.radius_m", .value = "0.5"};
    const auto changed = read_scene_text(scene.text, "s.toml", std::span(&set, 1), {});
    REQUIRE(changed.has_value());
    CHECK(radii(*changed)[7] == 0.5);
}

TEST_CASE("loads act at their points, in the axes of the world or the body")
{
    const std::string pushed = R"toml(duration_s = 0.5
gravity_m_s2 = [0, 0, 0]
[[table]]
name = "pull"
t_s = [0, 1]
value = [0, 6]
[[body]]
name = "a"
shape = "sphere"
radius_m = 0.5
mass_kg = 2
inertia_kg_m2 = [0.5, 0.5, 0.5]
[[load]]
body = "a"
force_N = ["table(pull, t)", 0, 0]
point_m = [0, 0.25, 0]
)toml";
    const auto end_of = [](const Scene& scene) {
        State state = scene.start;
        const RunReport report = simulate(scene.model, scene.integrator, scene.solver, scene.plan, state);
        CHECK(report.status == RunStatus::Certified);
        return state;
    };
    // v = integral of 6 t / m; forces at mid-points are exact for what is linear in time
    const State state = end_of(good_scene(pushed));
    CHECK(state.v[0].x() == near(6 * 0.125 / 2, 1e-12));
    // the arm turns with the body: the torque about z is -0.25 F cos(angle), the angle about 0.06
    const double turning = -0.25 * 6 * 0.125 / 0.5;
    CHECK(state.W[0].z() == near(turning, 0.01 * std::abs(turning)));
    CHECK(std::abs(state.W[0].z()) < std::abs(turning));

    // a force that turns with the body keeps its torque
    const State following = end_of(good_scene(with(pushed, "point_m", "axes = \"body\"\npoint_m")));
    CHECK(following.W[0].z() == near(turning, 1e-12));

    // feedback: a damper, dv/dt = -v
    const State slowed =
        end_of(good_scene(with(with(pushed, "force_N = [\"table(pull, t)\", 0, 0]\npoint_m = [0, 0.25, 0]",
                                    "force_N = [\"-2*a_x'\", 0]"),
                               "mass_kg = 2", "mass_kg = 2\nvelocity_m_s = [3, 0, 0]")));
    CHECK(slowed.v[0].x() == near(3 * std::exp(-0.5), 1e-6));

    only_mistake(with(pushed, "body = \"a\"", "body = \"b\""), ErrorCode::UnknownName, "s.toml:14:8");
    only_mistake(with(pushed, "table(pull, t)", "a_q"), ErrorCode::UnknownName, "s.toml:15:12");
    only_mistake(with(pushed, "force_N = [\"table(pull, t)\", 0, 0]\n", ""), ErrorCode::MissingKey,
                 "s.toml:13:1");
    only_mistake(with(pushed, "[[load]]", "[parameters]\na_x = 1\n[[load]]"), ErrorCode::DuplicateName,
                 "s.toml:14:7");
}

TEST_CASE("probes of bodies: formulas, and contact forces by names")
{
    const std::string text = R"toml(duration_s = 1.0
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 1
[[probe]]
name = "speed"
value = "sqrt(ball_x'^2 + ball_z'^2)"
unit = "m/s"
[[probe]]
name = "push"
force_on = "ball"
from = "floor"
direction = [0, 0, 2]
)toml";
    const Scene scene = good_scene(text);
    CHECK(scene.model.system().probes.size() == 1);
    REQUIRE(scene.bodies->probes.size() == 1);
    CHECK(scene.bodies->probes[0].on == 1);
    CHECK(scene.bodies->probes[0].from == 0);
    CHECK(scene.bodies->probes[0].direction == Vec3(0, 0, 1));
    only_mistake(with(text, "from = \"floor\"", "from = \"flor\""), ErrorCode::UnknownName, "s.toml:16:8");
    only_mistake(with(text, "force_on = \"ball\"\n", ""), ErrorCode::MissingKey, "s.toml:13:1");
    only_mistake(with(text, "[0, 0, 2]", "[0, 0, 0]"), ErrorCode::WrongSize, "s.toml:17:13");
}
