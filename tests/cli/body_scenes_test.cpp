#include "support.hpp"

#include "carom/trace/recording.hpp"
#include "support/near.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace carom;
using namespace carom::test;

/// Scenes of bodies that the project comes with: each is certified, and does what physics says.

namespace {

struct SceneRun {
    nlohmann::json result;
    Recording recording;

    [[nodiscard]] double q(const std::string& name) const { return result["state"][name]["q"].get<double>(); }
    [[nodiscard]] const Eigen::VectorXd& probe(const std::string& name) const
    {
        const auto found = std::find_if(recording.probes.begin(), recording.probes.end(),
                                        [&](const RecordedSeries& probe) { return probe.name == name; });
        REQUIRE(found != recording.probes.end());
        return found->values;
    }
    /// A coordinate over the frames.
    [[nodiscard]] Eigen::VectorXd column(const std::string& name) const
    {
        for (std::size_t i = 0; i < recording.coordinates.size(); ++i) {
            if (recording.coordinates[i].name == name) return recording.q.col(static_cast<Eigen::Index>(i));
        }
        FAIL(name);
        return {};
    }
};

SceneRun run_scene(const std::string& name, const std::vector<std::string>& more = {})
{
    const Folder folder;
    const std::string file = folder.path("run.h5");
    std::vector<std::string> arguments{
        "run", std::string(CAROM_SOURCE_DIR "/scenes/") + name + ".toml", "--no-svg", "--json", "-o", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = carom_program(arguments);
    CAPTURE(name);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    auto recording = read_recording(file);
    REQUIRE(recording.has_value());
    return {.result = outcome.json(), .recording = std::move(*recording)};
}

}  // namespace

TEST_CASE("dominoes: the push reaches the last one, and all lie at the end")
{
    const SceneRun run = run_scene("dominoes");
    for (int i = 0; i < 10; ++i) {
        const std::string name = "domino_" + std::to_string(i);
        // the axis of a fallen domino is nearer to the floor than to the vertical
        const double upright = 1 - 2 * (std::pow(run.q(name + "_i"), 2) + std::pow(run.q(name + "_j"), 2));
        CAPTURE(name);
        CHECK(upright < 0.6);
    }
    // one after the other: the last one still stands when the first has fallen
    const Eigen::VectorXd& last = run.probe("upright");
    CHECK(last[10] == near(1, 1e-9));

    // without a push nothing falls
    const SceneRun still = run_scene("dominoes", {"--set", "parameters.push=0"});
    CHECK(still.q("domino_0_x") == near(0, 1e-9));
    CHECK(still.probe("upright").minCoeff() > 1 - 1e-12);
}

TEST_CASE("a wall, a stack and an arch stand: no body moves by more than a micrometre")
{
    for (const std::string name : {"wall", "stack", "arch"}) {
        const SceneRun run = run_scene(name);
        CAPTURE(name);
        REQUIRE(run.recording.q.rows() > 2);
        // stones settle into their joints in the first frame, within the tolerance of the geometry
        const auto rows = run.recording.q.rows() - 1;
        const double moved_m =
            (run.recording.q.bottomRows(rows).rowwise() - run.recording.q.row(1)).cwiseAbs().maxCoeff();
        CHECK(moved_m < 1e-6);
    }
}

TEST_CASE("a house of cards stands, and does not without friction")
{
    const SceneRun run = run_scene("card_house");
    for (const char* name : {"upper_left_x", "upper_left_y", "tent_0_left_y", "ceiling_y"}) {
        const Eigen::VectorXd way = run.column(name);
        CAPTURE(name);
        CHECK((way.array() - way[0]).abs().maxCoeff() < 1e-5);
    }
    // falling cards are a millimetre thin: a shorter step sees them meet
    const SceneRun slips = run_scene(
        "card_house", {"--set", "material.card.friction=0.05", "--set", "integrator.time_step_s=1e-3"});
    CHECK(slips.column("upper_left_y")[slips.recording.frames() - 1] < 0.7 * slips.column("upper_left_y")[0]);
}

TEST_CASE("a top precesses once a second and keeps its tilt")
{
    // steady precession: m g l = J3 w3 W - (J1 + m l^2) W^2 cos(tilt), which the scene starts with. The
    // scheme is of first order where contacts act: the tilt drifts by some 90 h in this second
    const SceneRun run = run_scene("top");
    const double drift = (run.probe("upright").array() - std::cos(0.35)).abs().maxCoeff();
    CHECK(drift < 6e-3);
    const Eigen::VectorXd x = run.column("top_x"), y = run.column("top_y");
    const Eigen::Index quarter = (run.recording.frames() - 1) / 4, half = 2 * quarter;
    const double arm = 0.045 * std::sin(0.35);
    CHECK(std::hypot(x[quarter], y[quarter] - arm) < 0.03 * arm);
    CHECK(std::hypot(x[half] + arm, y[half]) < 0.03 * arm);

    const SceneRun fine = run_scene("top", {"--set", "integrator.time_step_s=2.5e-5"});
    const double finer = (fine.probe("upright").array() - std::cos(0.35)).abs().maxCoeff();
    CHECK(drift / finer == near(2, 0.3));
}

TEST_CASE("a tippe top inverts by friction, and does not without it")
{
    const SceneRun run = run_scene("tippe_top");
    const Eigen::VectorXd& upright = run.probe("upright");
    CHECK(upright[0] > 0.99);
    CHECK(upright.minCoeff() < -0.95);
    // the centre of mass has been lifted by nearly twice its depth
    const Eigen::VectorXd z = run.column("top_z");
    CHECK(z.maxCoeff() - z[0] > 1.8 * 0.2 * 0.015);

    const SceneRun smooth =
        run_scene("tippe_top", {"--set", "material.wood.friction=0", "--set", "duration_s=1"});
    CHECK(smooth.probe("upright").minCoeff() > 0.9);
}

TEST_CASE("bowling: momentum is kept until the lane takes it, and pins fall")
{
    const SceneRun run = run_scene("bowling");
    long fallen = 0;
    for (int i = 0; i < 10; ++i) {
        const std::string name = "pin_" + std::to_string(i);
        fallen += 1 - 2 * (std::pow(run.q(name + "_i"), 2) + std::pow(run.q(name + "_j"), 2)) < 0.5 ? 1 : 0;
    }
    CHECK(fallen >= 5);

    // a smooth lane pushes upwards only
    const SceneRun smooth = run_scene("bowling", {"--set", "material.lane.friction=0"});
    const Eigen::VectorXd& momentum = smooth.probe("momentum");
    CHECK((momentum.array() - 36).abs().maxCoeff() < 1e-9 * 36);
}

TEST_CASE("a slider-crank moves as its geometry says")
{
    const SceneRun run = run_scene("slider_crank");
    const Eigen::VectorXd& way = run.probe("way");
    const Eigen::VectorXd& t = run.recording.time_s;
    // x = a cos + sqrt(b^2 - a^2 sin^2); angles are kept to the second order of steps of 6.3 mrad
    for (Eigen::Index i = 0; i < t.size(); ++i) {
        const double angle = 2 * std::numbers::pi * t[i];
        const double x = 0.1 * std::cos(angle) + std::sqrt(0.09 - std::pow(0.1 * std::sin(angle), 2));
        CAPTURE(t[i]);
        CHECK(way[i] == near(x, 1e-3));
    }
    CHECK(way.minCoeff() == near(0.2, 1e-4));
    CHECK(run.column("slider_y").cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("a gripper holds a part by friction, and drops it where it is too weak")
{
    const SceneRun run = run_scene("gripper");
    const Eigen::VectorXd z = run.column("part_z"), finger = run.column("left_z");
    const Eigen::Index end = z.size() - 1;
    CHECK(z[end] - z[0] == near(0.1, 1e-4));
    CHECK(run.probe("grip")[end] == near(12, 0.1));
    // it sticks: no creep against the finger from before the lift to after it
    const Eigen::Index begin = 30;  // the hand still stands
    CHECK(std::abs((z[end] - finger[end]) - (z[begin] - finger[begin])) < 1e-6);

    // 2 mu F < m g
    const SceneRun weak = run_scene("gripper", {"--set", "parameters.force=5"});
    CHECK(weak.q("part_z") == near(0.04, 1e-4));
}

TEST_CASE("a heap comes to rest and its weight is on the ground")
{
    const SceneRun run = run_scene("heap");
    const Eigen::VectorXd& weight = run.probe("weight");
    const nlohmann::json inspected =
        carom_program({"inspect", CAROM_SOURCE_DIR "/scenes/heap.toml", "--json"}).json();
    CHECK(inspected["shapes"]["sphere"] == 100);
    const double expected = 9.81 * inspected["mass_kg"].get<double>();
    // grains still roll a little: the mean of the last tenth of the run
    const Eigen::Index n = weight.size() / 10;
    CHECK(weight.tail(n).mean() == near(expected, 0.05 * expected));
    // grains that fall a few millimetres a step may overlap for one of them
    CHECK(run.result["certificate"]["max_penetration_m"].get<double>() < 2e-3);
}

TEST_CASE("terrain: stones, a roller, a ball and a stool come down a hillside and do not sink into it")
{
    const SceneRun run = run_scene("terrain");
    CHECK(run.result["certificate"]["max_penetration_m"].get<double>() < 1e-6);
    for (const char* name : {"ball", "roller", "stool", "stone_0_0", "stone_2_1"}) {
        const std::string body(name);
        const double x = run.q(body + "_x"), y = run.q(body + "_y");
        const double ground = -0.45 * x + 0.12 * std::sin(2.5 * x) * std::cos(2 * y) + 0.15 * y * y;
        CAPTURE(body);
        // triangles of 0.2 m are at most 0.2^2 / 8 times the curvature 0.75 below the formula
        CHECK(run.q(body + "_z") > ground - 0.01);
        CHECK(x > -3);
    }
}
