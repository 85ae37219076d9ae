// carom solve, and carom run --save-problems.

#include "support.hpp"

#include "carom/onestep/fclib.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

const std::string data = std::string(CAROM_SOURCE_DIR) + "/tests/data/fclib/";
const std::string box = data + "Box_Stacks-i0122-82-5.hdf5";

std::string text_of(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("carom solve --json says what was reached, and the saved solution bears it out")
{
    const Folder folder;
    const std::string saved = folder.path("solved.hdf5");
    const Outcome outcome = carom_program({"solve", box, "--save", saved, "--json"});
    CHECK(outcome.status == 0);
    const auto json = outcome.json();
    CHECK(json["status"] == "solved");
    CHECK(json["contacts"] == 82);
    CHECK(json["dimension"] == 3);
    CHECK(json["form"] == "local");
    CHECK(json["unit_free_error"].get<double>() <= 1e-8);
    CHECK(json["siconos_error"].get<double>() <= 1e-8);
    CHECK(json["iterations"].get<int>() >= 1);
    CHECK(json["time_s"].get<double>() >= 0);
    CHECK(json["certificate"]["max_cone_violation_Ns"].get<double>() < 1e-8);

    // Siconos' error from the file alone, by the formula written out here
    const auto file = read_fclib(saved);
    REQUIRE(file.has_value());
    REQUIRE(file->stored.has_value());
    const Eigen::VectorXd r = *file->stored, u = file->W * r + file->q;
    double F2 = 0;
    for (int c = 0; c < file->contacts(); ++c) {
        const double mu = file->mu[c];
        const Eigen::Vector3d r_c = r.segment<3>(3 * c), u_c = u.segment<3>(3 * c);
        Eigen::Vector3d x = r_c - u_c;
        x[0] -= mu * u_c.tail<2>().norm();
        const double x_T = x.tail<2>().norm();
        if (mu * x_T <= -x[0])
            x.setZero();
        else if (x_T > mu * x[0]) {
            const double n = (x[0] + mu * x_T) / (1 + mu * mu);
            x.tail<2>() *= mu * n / x_T;
            x[0] = n;
        }
        F2 += (r_c - x).squaredNorm();
    }
    const double error = std::sqrt(F2) / std::max({file->q.norm(), r.norm(), u.norm()});
    CHECK(error <= 1e-8);
    CHECK(std::abs(error - json["siconos_error"].get<double>()) < 1e-12);
}

TEST_CASE("several problems give a table, or a list; not all solved is exit status 1")
{
    const std::string cube = data + "CubeH8.hdf5";
    const Outcome table = carom_program({"solve", box, cube});
    CHECK(table.status == 0);
    CHECK(contains(table.out, "Box_Stacks"));
    CHECK(contains(table.out, "2 of 2 solved"));

    const Outcome list = carom_program({"solve", box, cube, "--json"});
    CHECK(list.json()["problems"].size() == 2);
    CHECK(list.json()["problems"][1]["form"] == "global");

    // no arithmetic in doubles reaches this; who knows that, or the clock, ends it
    const Outcome missed =
        carom_program({"solve", box, "--tolerance", "1e-300", "--time-limit", "1", "--json"});
    CHECK(missed.status == 1);
    const std::string status = missed.json()["status"];
    CHECK((status == "not_solved" || status == "time_limit"));
    CHECK_FALSE(missed.json()["warnings"].empty());
}

TEST_CASE("solvers are compared, with a profile in words, CSV and SVG")
{
    const Folder folder;
    const std::string csv = folder.path("profile.csv"), svg = folder.path("profile.svg");
    const Outcome words = carom_program({"solve", box, "--compare", "--profile", csv, "--time-limit", "5"});
    CHECK(words.status == 0);
    CHECK(contains(words.out, "fraction of the problems"));
    CHECK(contains(words.out, "gauss_seidel"));
    CHECK(contains(text_of(csv), "file,contacts,solver,status"));
    CHECK(carom_program({"solve", box, "--compare", "--profile", svg, "--time-limit", "5"}).status == 0);
    CHECK(contains(text_of(svg), "</svg>"));
    const auto json = carom_program({"solve", box, "--compare", "--json", "--time-limit", "5"}).json();
    CHECK(json["runs"].size() >= 4);
    CHECK(json["profile"]["parts"]["auto"].back() == 1.0);
}

TEST_CASE("bad input to carom solve is told, all of it, with exit status 2")
{
    const Folder folder;
    const std::string no_file = folder.write("text.hdf5", "not HDF5");
    const Outcome outcome =
        carom_program({"solve", no_file, folder.path("absent.hdf5"), "--solver", "gaus_seidel", "--json"});
    CHECK(outcome.status == 2);
    CHECK(outcome.json()["errors"].size() == 3);
    CHECK(contains(outcome.err, "did you mean gauss_seidel"));
    CHECK(contains(outcome.err, "absent.hdf5"));

    CHECK(carom_program({"solve", box, "--tolerance", "-1"}).status == 2);
    CHECK(carom_program({"solve", box, "--tolerance", "nan"}).status == 2);
    CHECK(carom_program({"solve", box, "--time-limit", "-1"}).status == 2);
    CHECK(carom_program({"solve", box, "--save", box}).status == 2);
    CHECK(carom_program({"solve", box, box, "--save", folder.path("x.hdf5")}).status == 2);
    CHECK(carom_program({"solve", box, "--save", "/no/such/folder/x.hdf5"}).status == 2);
    CHECK(carom_program({"solve", box, "--profile", folder.path("x.svg")}).status == 2);
    CHECK(carom_program({"solve", box, "--compare", "--profile", folder.path("x.png")}).status == 2);
    CHECK(carom_program({"solve"}).status == 2);
    CHECK(text_of(box).size() == 37120);  // nothing was written over it
}

TEST_CASE("one-step problems of a run are saved and solved again")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const std::string run = folder.path("ball.h5");
    REQUIRE(carom_program({"run", scene, "-o", run, "--no-svg", "--save-problems", "worst:5"}).status == 0);
    const std::string problems = folder.path("ball_problems");
    std::vector<std::string> arguments{"solve", "--json"};
    for (const auto& entry : std::filesystem::directory_iterator(problems)) {
        arguments.push_back(entry.path().string());
    }
    REQUIRE(arguments.size() == 2 + 5);
    const Outcome solved = carom_program(arguments);
    CHECK(solved.status == 0);
    CHECK(solved.json()["status"] == "solved");

    // the ball of 1 kg lies on the floor: W = 1, q = -g h, and the run pushed with g h
    const auto problem = read_fclib(arguments.back());
    REQUIRE(problem.has_value());
    CHECK(problem->contacts() == 1);
    CHECK(problem->mu[0] == 0);
    CHECK(std::abs(problem->W.coeff(0, 0) - 1) < 1e-15);
    REQUIRE(problem->stored.has_value());
    CHECK(std::abs((*problem->stored)[0] + problem->q[0]) < 1e-15);

    // another run in the same folder replaces them; a run in which all is solved has no failed ones
    REQUIRE(carom_program({"run", scene, "-o", run, "--no-svg", "--save-problems", "failed"}).status == 0);
    CHECK(std::filesystem::is_empty(problems));
    CHECK(carom_program({"run", scene, "--save-problems", "best:3"}).status == 2);
}

TEST_CASE(
    "problems with rolling and spinning friction, which have six components, are solved from their files")
{
    const Folder folder;
    const std::string scene = folder.write("rolling.toml", R"(duration_s = 0.02
gravity_m_s2 = [2, 0.5, -9.81]
material = [{ name = "rubber", friction = 0.6, rolling_m = 0.002, spinning_m = 0.001 }]
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 2
position_m = [0, 0, 0.1]
angular_velocity_rad_s = [0, 0, 3]
)");
    REQUIRE(carom_program(
                {"run", scene, "-o", folder.path("rolling.h5"), "--no-svg", "--save-problems", "worst:1"})
                .status == 0);
    const auto files = std::filesystem::directory_iterator(folder.path("rolling_problems"));
    const Outcome solved = carom_program({"solve", begin(files)->path().string(), "--json"});
    CHECK(solved.status == 0);
    const auto json = solved.json();
    CHECK(json["status"] == "solved");
    CHECK(json["contacts"] == 1);
    // spinning and rolling at their bounds, to rounding of m g h and some m/s
    CHECK(std::abs(json["certificate"]["bipotential_gap_J"].get<double>()) < 1e-12);
}
