#include "support.hpp"

#include "support/near.hpp"

using namespace carom::test;

namespace {

const std::vector<std::string> some_solvers{"auto", "gauss_seidel", "psor", "admm", "proximal_newton"};

/// A box that slides and spins on a floor; what lies in between are its four corners.
const std::string sliding_box = R"toml(duration_s = 0.2
[[material]]
name = "rough"
friction = 0.3
[[body]]
name = "floor"
shape = "plane"
material = "rough"
[[body]]
name = "box"
shape = "box"
size_m = [1.0, 0.6, 0.2]
position_m = [0, 0, 0.1]
velocity_m_s = [1, 0, 0]
angular_velocity_rad_s = [0, 0, 2]
mass_kg = 1
material = "rough"
)toml";

}  // namespace

TEST_CASE("a plate on four equal feet slides and spins in one way, whatever the solver")
{
    const auto first = run_of(defect("four_feet"));
    CHECK(first["status"] == "certified");
    CHECK(first["diagnosis"].empty());

    // the rule had to choose in every step, and the run says so
    CHECK(first["certificate"]["selected_steps"] == first["steps"]);
    CHECK(first["certificate"]["unexamined_steps"] == 0);

    // also where forces and percussions are computed again until they settle, and the last pass changes nothing
    const auto theta = run_of(defect("four_feet"), {"--set", "integrator.kind=moreau_jean"});
    CHECK(theta["certificate"]["selected_steps"] == theta["steps"]);
    for (const std::string& solver : some_solvers) {
        CAPTURE(solver);
        const auto run = run_of(defect("four_feet"), {"--set", "solver.kind=" + solver});
        CHECK(run["status"] == "certified");
        for (const char* coordinate : {"x", "y", "th"}) {
            // loads are selected to some 1e-10 of themselves in every step
            const double u = run["state"][coordinate]["u"];
            CHECK(u == near(first["state"][coordinate]["u"].get<double>(), 1e-7));
        }
    }
}

TEST_CASE("a box of bodies on its four corners slides and spins in one way, whatever the solver")
{
    const Folder folder;
    const std::string scene = folder.write("box.toml", sliding_box);
    const auto first = run_of(scene);
    CHECK(first["status"] == "certified");
    for (const std::string& solver : some_solvers) {
        CAPTURE(solver);
        const auto run = run_of(scene, {"--set", "solver.kind=" + solver});
        CHECK(run["status"] == "certified");
        for (const char* part : {"box_x", "box_y", "box_w", "box_k"}) {
            CHECK(run["state"][part]["u"].get<double>() ==
                  near(first["state"][part]["u"].get<double>(), 1e-7));
        }
    }
}

TEST_CASE("a disc pulled out of a self-locking groove leaves, whatever the solver, and may as well stay: no "
          "certificate, and a finding that says so")
{
    for (const std::string& solver : some_solvers) {
        CAPTURE(solver);
        const auto run = run_of(defect("groove"), {"--set", "solver.kind=" + solver});

        // it is stopped in the first step and free from then on: 20 m/s^2 for all but that step of 1 ms
        CHECK(run["state"]["y"]["u"].get<double>() == near(20 * (0.2 - 0.001), 1e-9));
        CHECK(run["status"] == "uncertified");
        const auto several = finding(run, "several_solutions");
        REQUIRE(!several.is_null());
        CHECK(contains(several["message"].get<std::string>(), "left, right"));
        CHECK(contains(several["message"].get<std::string>(), "wedged"));
    }
}

TEST_CASE("a groove is self-locking below the angle of friction: just above it there is one motion")
{
    // atan(0.3) = 0.29146
    const auto below = run_of(defect("groove"), {"--set", "parameters.a=0.285"});
    CHECK(!finding(below, "several_solutions").is_null());
    const auto above = run_of(defect("groove"), {"--set", "parameters.a=0.298"});
    CHECK(finding(above, "several_solutions").is_null());
    CHECK(above["status"] == "certified");
}

TEST_CASE("contacts in groups too large to be examined are counted, and are no finding")
{
    const auto run = run_of(shipped_scene("wall"), {"--set", "duration_s=0.05"});
    CHECK(run["status"] == "certified");
    CHECK(run["diagnosis"].empty());
    CHECK(run["certificate"]["unexamined_steps"] == run["steps"]);
}
