#include "support.hpp"

#include "carom/onestep/fclib.hpp"

#include <cmath>

using namespace carom::test;

namespace {

/// Every kind of solver that scenes may name.
const std::vector<std::string>& solver_kinds()
{
    static const std::vector<std::string> kinds{"auto",
                                                "exact",
                                                "gauss_seidel",
                                                "psor",
                                                "anderson",
                                                "nonlinear_cg",
                                                "accelerated_gradients",
                                                "admm",
                                                "proximal_newton",
                                                "interior_point"};
    return kinds;
}

}  // namespace

TEST_CASE("walls that close on a point leave no solution, and every solver says so")
{
    for (const std::string& kind : solver_kinds()) {
        CAPTURE(kind);
        const auto run =
            run_of(defect("closing_walls"), {"--set", "solver.kind=" + kind, "--set", "duration_s=1.05"});
        CHECK(run["status"] == "uncertified");
        const auto found = finding(run, "no_solution");
        REQUIRE(found.is_object());
        CHECK(found["time_s"].get<double>() == doctest::Approx(1.001).epsilon(1e-9));
        const auto message = found["message"].get<std::string>();
        CHECK(contains(message, "left and right"));
        CHECK(contains(message, "at least 1 m/s"));  // each wall comes with 1 m/s, their mean cannot be less
        CHECK(finding(run, "unsolved_step").is_null());
        CHECK(finding(run, "unseen_impact").is_null());  // every step saw both walls
        // the point stays between them, pushed by neither more than by the other
        CHECK(std::abs(run["state"]["x"]["q"].get<double>()) < 1e-3);
    }
}

TEST_CASE("a step of stiff forces ends where rounding ends it: a pendulum on a spring of 1e8 N/m is solved")
{
    const auto run = run_of(defect("stiff_pendulum"));
    CHECK(run["certificate"]["unsolved_steps"] == 0);
    CHECK(finding(run, "unsolved_step").is_null());
    CHECK(finding(run, "forces_not_settled").is_null());
}

TEST_CASE("forces that do not settle are the reason told, not the one-step problem, which is solved")
{
    const Folder folder;
    const auto scene = folder.write("forces.toml", R"toml(duration_s = 0.3
[[coordinate]]
name = "x"
start = 0
start_velocity = 1
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "1e4*sin(1e4*x)*x'" }
[integrator]
kind = "moreau_jean"
time_step_s = 0.1
max_iterations = 3
)toml");
    const auto run = run_of(scene);
    CHECK(run["status"] == "uncertified");
    CHECK(finding(run, "forces_not_settled").is_object());
    CHECK(finding(run, "unsolved_step").is_null());
}

TEST_CASE("a ring of feet that comes to rest is solved in its last steps too")
{
    const auto run = run_of(defect("rest_counts_as_unsolved"), {"--set", "integrator.time_step_s=1e-3"});
    CHECK(run["end"] == "rest");
    CHECK(run["certificate"]["unsolved_steps"] == 0);
}

TEST_CASE(
    "what misses a tolerance says which, and what meets all of them is solved: stacks at coarse tolerances")
{
    for (const char* tolerance : {"1e-2", "1e-3", "1e-5"}) {
        CAPTURE(tolerance);
        const auto run =
            run_of(defect("stack20_coarse"), {"--set", std::string("solver.tolerance=") + tolerance});
        const double residual = run["certificate"]["max_residual"].get<double>();
        CHECK(run["certificate"]["unsolved_steps"] == 0);
        CHECK(residual <= std::stod(tolerance));
    }
}

TEST_CASE("boxes that grow heavier upwards: the residual and the count of unsolved steps never contradict")
{
    const Folder folder;
    for (const char* growth : {"0.5", "1.7", "2"}) {
        CAPTURE(growth);
        const auto scene = folder.write("boxes.toml", with(R"toml(duration_s = 0.05
[[material]]
name = "m"
friction = 0.5
[[body]]
name = "ground"
shape = "plane"
[[body]]
name = "b"
shape = "box"
size_m = [0.2, 0.2, 0.2]
copies = [6]
position_m = [0, 0, "0.1 + 0.2*i"]
mass_kg = "10^(GROWTH*i)"
)toml",
                                                           "GROWTH", growth));
        const auto run = run_of(scene);
        const bool met = run["certificate"]["max_residual"].get<double>() <= 1e-8;
        const auto unsolved = run["certificate"]["unsolved_steps"].get<long>();
        CHECK(met == (unsolved == 0));
        if (unsolved > 0)
            CHECK(contains(finding(run, "unsolved_step")["message"].get<std::string>(), "velocity error"));
    }
}

TEST_CASE("a pendulum that stands upright at rest is solved by series: its force is the rounding of pi")
{
    const Folder folder;
    const auto run = run_of(folder.write("upright.toml", R"toml(duration_s = 0.5
[[coordinate]]
name = "th"
start = "pi"
[lagrangian]
kinetic = "th'^2/2"
potential = "-9.81*cos(th)"
[integrator]
kind = "series"
)toml"));
    CHECK(run["status"] == "certified");
}

TEST_CASE("a wheel that rolls while it touches may stay on the floor: its overlap is no dependent constraint")
{
    for (const char* step : {"1e-3", "3e-3", "1e-4"}) {
        const auto run = run_of(shipped_scene("rolling_wheel"),
                                {"--set", "contact.floor.law.restitution=0", "--set", "duration_s=0.6",
                                 "--set", std::string("integrator.time_step_s=") + step});
        CHECK(finding(run, "constraints_dependent").is_null());
        CHECK(run["certificate"]["unsolved_steps"] == 0);
    }
}

TEST_CASE("a jaw that closes on two blocks and a wall names all contacts that cannot be kept")
{
    const Folder folder;
    const auto run = run_of(folder.write("jaw.toml", R"toml(duration_s = 0.2
[[coordinate]]
name = "x"
start = 0.2
[[coordinate]]
name = "y"
start = 0.6
[[coordinate]]
name = "z"
start = 5
[lagrangian]
kinetic = "x'^2 + 5*y'^2 + z'^2"
[[contact]]
name = "wall"
gap = "x - 0.1"
[[contact]]
name = "between"
gap = "y - x - 0.2"
[[contact]]
name = "jaw"
gap = "0.9 - t - y"
[[contact]]
name = "elsewhere"
gap = "z"
)toml"),
                            {"--set", "duration_s=0.7"});
    CHECK(run["status"] == "uncertified");
    const auto found = finding(run, "no_solution");
    REQUIRE(found.is_object());
    // blocks touch each other and both ends when 0.9 - t = 0.3; each of three closes by a third of 1 m/s
    CHECK(found["time_s"].get<double>() == doctest::Approx(0.6).epsilon(5e-3));
    const auto message = found["message"].get<std::string>();
    CHECK(contains(message, "wall, between and jaw"));
    CHECK(contains(message, "at least 0.333 m/s"));
}

TEST_CASE("files of problems without a solution: carom solve proves it with every solver, and exits with 1")
{
    using namespace carom;
    // a body of 2 kg: two walls that close on it with friction, the same with a joint that holds it, and
    // three walls around it
    const auto write = [](const Folder& folder, const Eigen::MatrixXd& H, const Eigen::VectorXd& U_free,
                          std::vector<Law> laws) {
        const auto problem = make_problem(H * H.transpose() / 2, U_free, Eigen::VectorXd::Zero(U_free.size()),
                                          std::move(laws));
        REQUIRE(problem.has_value());
        const auto stored = fclib_problem(*problem);
        REQUIRE(stored.has_value());
        const std::string path = folder.path("problem.hdf5");
        REQUIRE(write_fclib(path, stored->stored).has_value());
        return path;
    };
    const Law rough = Coulomb{.shape = FrictionDisc{}, .friction = 0.4};
    Eigen::MatrixXd walls(6, 3), held(4, 3);
    walls << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1;
    held << 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0;
    Eigen::VectorXd closing(6), driven(4);
    closing << -1, 0.3, 0, -0.5, -0.2, 0.1;
    driven << -1, 0, 0, 1;
    for (const std::string& kind : solver_kinds()) {
        CAPTURE(kind);
        const Folder folder;
        const auto outcome = carom_program(
            {"solve", write(folder, walls, closing, {rough, rough}), "--solver", kind, "--json"});
        CHECK(outcome.status == 1);
        const auto json = outcome.json();
        CHECK(json["status"] == "no_solution");
        CHECK(json["no_solution"]["weights"].size() == 2);
        CHECK(json["no_solution"]["closing_speed_m_s"].get<double>() == doctest::Approx(0.75).epsilon(1e-6));
        // a joint across does not keep the body from the wall: then there is a solution
        const auto free = carom_program(
            {"solve", write(folder, held, driven, {rough, Bilateral{}}), "--solver", kind, "--json"});
        CHECK(free.json()["status"] != "no_solution");
    }
    Eigen::MatrixXd along(4, 3);
    along << 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0;
    const Folder folder;
    const auto outcome = carom_program({"solve", write(folder, along, driven, {rough, Bilateral{}})});
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.out, "no_solution"));
    CHECK(contains(outcome.out, "interaction 0 and interaction 1 contradict each other"));
}
