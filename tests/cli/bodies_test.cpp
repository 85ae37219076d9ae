#include "support.hpp"

#include "carom/trace/recording.hpp"
#include "support/near.hpp"
#include "trace/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

const std::string slope = R"toml(duration_s = 1.0
[parameters]
angle = "atan(0.5)"
[[material]]
name = "wood"
friction = 0.4
[[body]]
name = "slope"
shape = "plane"
normal = ["sin(angle)", 0, "cos(angle)"]
[[body]]
name = "crate"
shape = "box"
size_m = [0.4, 0.4, 0.2]
position_m = ["0.1*sin(angle)", 0, "0.1*cos(angle)"]
rotation_rad = [0, "angle", 0]
[integrator]
time_step_s = 1e-2
[record]
every_s = 0.1
)toml";

}  // namespace

TEST_CASE("a scene of bodies runs, is certified, recorded and shown")
{
    const Folder folder;
    const std::string scene = folder.write("slope.toml", slope), file = folder.path("run.h5");
    const Outcome outcome = carom_program({"run", scene, "-o", file, "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto result = outcome.json();
    CHECK(result["status"] == "certified");

    // a = g (sin - mu cos), exact in the midpoint rule
    const double angle = std::atan(0.5), way = 0.5 * 9.81 * (std::sin(angle) - 0.4 * std::cos(angle));
    const double start = 0.1 * std::sin(angle);
    CHECK(result["state"]["crate_x"]["q"].get<double>() == near(start + way * std::cos(angle), 1e-9));
    CHECK(result["certificate"]["max_penetration_m"].get<double>() < 1e-9);
    CHECK(result["certificate"]["energy"]["friction_J"].get<double>() < 0);

    const auto recording = read_recording(file);
    REQUIRE(recording.has_value());
    CHECK(recording->frames() == 11);
    // a box and as much of the plane as it needs
    CHECK(recording->drawings.empty());
    REQUIRE(recording->solids.solids.size() == 2);
    const RecordedSolid& box = recording->solids.solids[1];
    const Surface& cube = recording->solids.surfaces[static_cast<std::size_t>(box.placed.surface)];
    CHECK(cube.faces.size() == 6);
    const Pose pose = recording->solids.pose(1, recording->q, 10);
    double lowest = 1;
    for (const Vec3& X : cube.vertices) {
        const Vec3 x = pose.to_world(box.placed.pose.to_world(box.placed.scale.cwiseProduct(X)));
        lowest = std::min(lowest, x.x() * std::sin(angle) + x.z() * std::cos(angle));
    }
    CHECK(lowest == near(0, 1e-9));  // it stands on the slope
    CHECK(carom_program({"report", file, "-o", folder.path("page.html")}).status == 0);
    CHECK(carom_program({"export", file, "--to", "gltf", "-o", folder.path("run.glb")}).status == 0);
}

namespace {

/// A crate falls on a slope, slides, tips over an edge and is pushed: contacts come and go, forces too.
const std::string tumbling = R"toml(title = "tumbling"
duration_s = 1.0
[parameters]
push = 2
[[material]]
name = "wood"
friction = 0.4
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "crate"
shape = "box"
size_m = [0.3, 0.2, 0.4]
copies = [2]
position_m = ["0.5*i", "0.05*i", "0.36 + 0.1*i"]
rotation_rad = [0.3, "0.2 + i", 0.1]
angular_velocity_rad_s = [1, 2, "3*i"]
[[body]]
name = "shelf"
shape = "box"
size_m = [0.4, 2, 0.1]
motion = "prescribed"
position_m = ["0.3 + 0.1*sin(3*t)", 0, 0.05]
[[load]]
body = "crate"
force_N = ["push*sin(5*t)", 0, "-0.5*crate_0_x'"]
point_m = [0.1, 0, 0.2]
axes = "body"
[[probe]]
name = "load"
force_on = "floor"
direction = [0, 0, -1]
[[probe]]
name = "shove"
force_on = "crate_0"
from = "floor"
[[probe]]
name = "height"
value = "crate_0_z + 0*crate_0_z'"
unit = "m"
[[draw]]
kind = "trace"
at = ["crate_0_x", "crate_0_y", "crate_0_z"]
[integrator]
time_step_s = 2e-3
[solver]
tolerance = 1e-8
[record]
every_s = 0.005
)toml";

std::string text_of(const std::string& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
        parts.push_back(part);
    return parts;
}

/// All that a recording says about the motion is the same, to the bit.
void check_same(const Recording& a, const Recording& b)
{
    CHECK(a.time_s == b.time_s);
    CHECK(a.q == b.q);
    CHECK(a.u == b.u);
    CHECK(a.residual == b.residual);
    CHECK(a.draw == b.draw);
    REQUIRE(a.probes.size() == b.probes.size());
    for (std::size_t k = 0; k < a.probes.size(); ++k)
        CHECK(a.probes[k].values == b.probes[k].values);
    CHECK(a.bodies.first_row == b.bodies.first_row);
    CHECK(a.bodies.first == b.bodies.first);
    CHECK(a.bodies.second == b.bodies.second);
    CHECK(a.bodies.point_m == b.bodies.point_m);
    CHECK(a.bodies.percussion_Ns == b.bodies.percussion_Ns);
    CHECK(a.bodies.gap_m == b.bodies.gap_m);
    CHECK(a.bodies.step_s == b.bodies.step_s);
    const State &x = a.checkpoint->state, &y = b.checkpoint->state;
    CHECK(x.x == y.x);
    CHECK(x.W == y.W);
    REQUIRE(x.kept.size() == y.kept.size());
    for (std::size_t k = 0; k < x.kept.size(); ++k) {
        CHECK(x.kept[k].feature == y.kept[k].feature);
        CHECK(x.kept[k].percussion_Ns == y.kept[k].percussion_Ns);
    }
}

}  // namespace

TEST_CASE("a run of bodies goes on as if it had never stopped, bit for bit")
{
    const Folder folder;
    const std::string scene = folder.write("tumbling.toml", tumbling), whole = folder.path("whole.h5"),
                      part = folder.path("part.h5");
    const Outcome all = carom_program({"run", scene, "-o", whole, "--json"});
    CAPTURE(all.err);
    REQUIRE(all.status == 0);

    // in the air, on the floor, and with a last step that is shorter
    for (const char* first_s : {"0.05", "0.4", "0.7001"}) {
        CAPTURE(first_s);
        std::filesystem::remove(part);
        const Outcome begun = carom_program(
            {"run", scene, "--no-svg", "-o", part, "--set", std::string("duration_s=") + first_s});
        CAPTURE(begun.err);
        REQUIRE(begun.status == 0);
        const Outcome rest = carom_program({"resume", part, "--no-svg", "--json", "--set", "duration_s=1.0"});
        CAPTURE(rest.err);
        CHECK(rest.status == 0);
        CHECK(rest.json()["state"] == all.json()["state"]);
        CHECK(rest.json()["certificate"] == all.json()["certificate"]);
        const auto a = read_recording(whole), b = read_recording(part);
        REQUIRE(a.has_value());
        REQUIRE(b.has_value());
        check_same(*a, *b);
    }
}

TEST_CASE("recordings have the contacts of bodies, and forces as probes")
{
    const Folder folder;
    const std::string scene = folder.write("tumbling.toml", tumbling), file = folder.path("run.h5");
    const Outcome outcome = carom_program(
        {"run", scene, "-o", file, "--json", "--set", "parameters.push=0", "--set", "duration_s=4"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto run = read_recording(file);
    REQUIRE(run.has_value());
    const RecordedBodies& bodies = run->bodies;
    REQUIRE(bodies.names.size() == 4);
    REQUIRE(bodies.first_row.size() == static_cast<std::size_t>(run->frames()) + 1);
    CHECK(bodies.first_row[1] == 0);  // nothing has pushed before the first step
    REQUIRE(bodies.first_row.back() > 0);

    // what the last step did is in the cone of friction, and the normals are unit vectors
    for (Eigen::Index k = 0; k < bodies.gap_m.size(); ++k) {
        const Vec3 n = bodies.normal.row(k), P = bodies.percussion_Ns.row(k);
        CHECK(n.norm() == near(1, 1e-12));
        const double normal = n.dot(P), sliding = (P - normal * n).norm();
        CHECK(normal > 0);
        CHECK(sliding <= 0.4 * normal * (1 + 1e-6) + 1e-12);
    }

    // the force probe of a pair is what its contacts say, where a frame is one step long
    const Outcome every =
        carom_program({"run", scene, "-o", file, "--no-svg", "--set", "record.every_s=2e-3"});
    REQUIRE(every.status == 0);
    const auto fine = read_recording(file);
    REQUIRE(fine.has_value());
    const auto& force = fine->probes[2];
    CHECK(force.name == "shove");
    CHECK(force.unit == "N");
    CHECK(fine->probes[1].name == "load");
    double largest = 0;
    for (Eigen::Index i = 1; i < fine->frames(); ++i) {
        Vec3 sum = Vec3::Zero();
        for (Eigen::Index k = fine->bodies.first_row[static_cast<std::size_t>(i)];
             k < fine->bodies.first_row[static_cast<std::size_t>(i) + 1]; ++k) {
            const auto row = static_cast<std::size_t>(k);
            const std::string a = fine->bodies.names[static_cast<std::size_t>(fine->bodies.first[row])],
                              b = fine->bodies.names[static_cast<std::size_t>(fine->bodies.second[row])];
            if (a == "crate_0" && b == "floor") sum += Vec3(fine->bodies.percussion_Ns.row(k));
            if (b == "crate_0" && a == "floor") sum -= Vec3(fine->bodies.percussion_Ns.row(k));
        }
        const double expected = sum.norm() / fine->bodies.step_s[i];
        largest = std::max(largest, expected);
        CHECK(force.values[i] == near(expected, 1e-9 * (1 + expected)));
    }
    CHECK(largest > 0);

    // inspect, tables and the page know them
    const Outcome inspected = carom_program({"inspect", file, "--json"});
    CHECK(inspected.status == 0);
    CHECK(inspected.json()["probes"]["shove"]["highest"].get<double>() > 0);
    CHECK(inspected.json()["tolerance"] == 1e-8);
    const Outcome table = carom_program({"export", file, "--to", "csv", "-o", folder.path("run.csv")});
    CHECK(table.status == 0);
    CHECK(contains(text_of(folder.path("run.csv")), ",shove"));
}

TEST_CASE("joints are inspected: what they are, and what freedom they leave")
{
    // a parallelogram of three bars on four parallel pins: in space each pin takes five of 18 freedoms, and
    // yet one is left
    const Folder folder;
    std::string scene = "duration_s = 1\n";
    const auto bar = [&](const char* name, const char* size, const char* at) {
        scene += fmt::format(
            "[[body]]\nname = \"{}\"\nshape = \"box\"\nsize_m = {}\nposition_m = {}\nmass_kg = 1\n", name,
            size, at);
    };
    bar("left", "[0.02, 0.02, 0.5]", "[0, 0, 0.25]");
    bar("right", "[0.02, 0.02, 0.5]", "[1, 0, 0.25]");
    bar("top", "[1, 0.02, 0.02]", "[0.5, 0, 0.5]");
    const auto pin = [&](const char* name, const char* bodies, const char* at) {
        scene +=
            fmt::format("[[joint]]\nname = \"{}\"\nkind = \"revolute\"\n{}\naxis = [0, 1, 0]\npoint_m = {}\n",
                        name, bodies, at);
    };
    pin("foot", "first = \"left\"", "[0, 0, 0]");
    scene += "[joint.turn]\nlow_rad = -0.5\nmotor_rad_s = 1\nmotor_limit_Nm = 3\n";
    pin("heel", "first = \"right\"", "[1, 0, 0]");
    pin("knee", "first = \"left\"\nsecond = \"top\"", "[0, 0, 0.5]");
    pin("hip", "first = \"right\"\nsecond = \"top\"", "[1, 0, 0.5]");
    scene += "[integrator]\nkind = \"moreau\"\ntime_step_s = 1e-3\n";
    const std::string file = folder.write("linkage.toml", scene);
    const Outcome inspected = carom_program({"inspect", file, "--json"});
    CAPTURE(inspected.err);
    REQUIRE(inspected.status == 0);
    const auto json = inspected.json();
    CHECK(json["degrees_of_freedom"] == 18);
    CHECK(json["held_by_joints"] == 20);
    CHECK(json["independent"] == 17);
    CHECK(json["joints"][2] == "knee: revolute, left and top");
    const std::string words = carom_program({"inspect", file}).out;
    CHECK(contains(words, "foot: revolute, left and the world, from -0.5 rad, motor of at most 3 N m"));
    CHECK(contains(words, "joints leave 1 of 18 degrees of freedom; 3 conditions are redundant"));
}

TEST_CASE("scenes of bodies are inspected and studied")
{
    const Folder folder;
    const std::string scene = folder.write("slope.toml", slope);
    const Outcome inspected = carom_program({"inspect", scene, "--json"});
    CAPTURE(inspected.err);
    CHECK(inspected.status == 0);
    const auto json = inspected.json();
    CHECK(json["start"]["contacts"] == 4);
    CHECK(json["start"]["unknowns"] == 12);
    CHECK(json["degrees_of_freedom"] == 6);
    CHECK(contains(carom_program({"inspect", scene}).out, "4 contact points closed"));

    // an overlap is told, with the bodies
    const Outcome sunk = carom_program({"inspect", scene, "--set", "body.crate.position_m=[0, 0, 0.05]"});
    CHECK(sunk.status == 1);
    CHECK(contains(sunk.out, "m, slope and crate"));

    // a crate slides by a = g (sin - mu cos): friction is varied, each run as exact as the midpoint rule
    const std::string table = folder.path("study.csv");
    const Outcome study = carom_program(
        {"study", scene, "--vary", "material.wood.friction=0.1,0.4,0.6", "-o", table, "--json"});
    CAPTURE(study.err);
    REQUIRE(study.status == 0);
    const auto rows = split(text_of(table), '\n');
    REQUIRE(rows.size() == 4);
    const auto head = split(rows[0], ',');
    const double angle = std::atan(0.5), start = 0.1 * std::sin(angle);
    const auto column =
        static_cast<std::size_t>(std::find(head.begin(), head.end(), "crate_x") - head.begin());
    REQUIRE(column < head.size());
    for (const auto& [row, mu] : {std::pair{1, 0.1}, {2, 0.4}, {3, 0.6}}) {
        const double pull = std::max(0.0, std::sin(angle) - mu * std::cos(angle));
        CHECK(std::stod(split(rows[static_cast<std::size_t>(row)], ',')[column]) ==
              near(start + 0.5 * 9.81 * pull * std::cos(angle), 1e-9));
    }

    // the floor presses with m g cos, and drags with as much of mu times it as the weight asks for: always
    const std::string probed = folder.write(
        "probed.toml", std::string(slope) + "\n[[probe]]\nname = \"drag\"\nforce_on = \"crate\"\n"
                                            "direction = [\"-cos(angle)\", 0, \"sin(angle)\"]\n");
    const std::string of_forces = folder.path("forces.csv");
    REQUIRE(carom_program({"study", probed, "--vary", "material.wood.friction=0.1,0.6", "-o", of_forces})
                .status == 0);
    const auto forces = split(text_of(of_forces), '\n');
    const auto names = split(forces[0], ',');
    for (const char* name : {"drag", "drag_mean"}) {
        const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        REQUIRE(at < names.size());
        for (const auto& [row, mu] : {std::pair{1, 0.1}, {2, 0.6}}) {
            const double mass = 32;
            CHECK(std::stod(split(forces[static_cast<std::size_t>(row)], ',')[at]) ==
                  near(mass * 9.81 * std::min(mu * std::cos(angle), std::sin(angle)), 1e-6));
        }
    }

    // starts are perturbed by coordinates, but not by parts of a quaternion
    CHECK(carom_program({"study", scene, "--repeat", "3", "--perturb", "crate_y=0.01"}).status == 0);
    const Outcome part = carom_program({"study", scene, "--repeat", "2", "--perturb", "crate_w=0.01"});
    CHECK(part.status == 2);
    CHECK(contains(part.err, "no coordinate or velocity"));
}

TEST_CASE("a run of bodies ends when its formula says so, or at rest")
{
    const Folder folder;
    const std::string scene = folder.write("slope.toml", slope);
    const Outcome outcome = carom_program({"run", scene, "--json", "--set", "until=crate_x - 0.2"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.json()["end"] == "formula");
    const double x = outcome.json()["state"]["crate_x"]["q"].get<double>();
    CHECK(x >= 0.2);
    CHECK(x < 0.23);  // one step of 10 ms at less than 2 m/s
    // it slides down, and stops after v / (g (mu cos - sin)) = 0.57 s
    const Outcome rest =
        carom_program({"run", scene, "--json", "--set", "until=rest", "--set", "material.wood.friction=0.6",
                       "--set", "body.crate.velocity_m_s=[\"0.5*cos(angle)\", 0, \"-0.5*sin(angle)\"]"});
    CAPTURE(rest.err);
    CHECK(rest.json()["end"] == "rest");
    CHECK(rest.json()["time_s"].get<double>() == near(0.57, 0.05));
}
