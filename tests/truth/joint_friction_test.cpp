#include "support.hpp"

#include <array>
#include <cmath>

using namespace carom::test;

namespace {

/// A bead of mass m on a ring of radius 0.5 m, without gravity; the ring is written as `ring` = 0.
std::string bead_scene(const std::string& ring, const std::string& kind, double mass_kg)
{
    const std::string m = std::to_string(mass_kg);
    return "duration_s = 0.5\n[[coordinate]]\nname = \"x\"\nstart = 0.5\n[[coordinate]]\nname = \"y\"\nstart "
           "= "
           "0.0\nstart_velocity = 2.0\n[lagrangian]\nkinetic = \"" +
           m + "*(x'^2 + y'^2)/2\"\n[[constraint]]\nname = \"ring\"\nzero = [\"" + ring +
           "\"]\nvelocity = [\"(x*y' - y*x')/hypot(x, y)\"]\nlaw = { kind = \"" + kind +
           "\", friction = 0.3 }\n[integrator]\ntime_step_s = 1e-4\n";
}

double speed_in(const nlohmann::json& run)
{
    return std::hypot(run["state"]["x"]["u"].get<double>(), run["state"]["y"]["u"].get<double>());
}

/// A particle that slides on z = s(x, y) with Coulomb friction under gravity, by Runge and Kutta in x, y.
/// s = (x^2 - y^2)/2: s_x = x, s_y = -y, second derivatives 1 and -1.
std::array<double, 4> on_saddle(std::array<double, 4> state, double mass_kg, double mu, double g, double t_s)
{
    const auto rate = [&](const std::array<double, 4>& at) -> std::array<double, 4> {
        const auto [x, y, vx, vy] = at;
        const double length = std::sqrt(1 + x * x + y * y), vz = x * vx - y * vy;
        const std::array<double, 3> n{-x / length, y / length, 1 / length}, v{vx, vy, vz};
        const double speed = std::sqrt(vx * vx + vy * vy + vz * vz);
        // n.a = (v Hess(s) v) / |grad phi|
        const double R_N = mass_kg * ((vx * vx - vy * vy) / length + g * n[2]);
        const auto a = [&](std::size_t i) {
            return (R_N * n[i] - mu * std::abs(R_N) * v[i] / speed) / mass_kg;
        };
        return {vx, vy, a(0), a(1)};
    };
    const int steps = 2000;
    const double h = t_s / steps;
    for (int k = 0; k < steps; ++k) {
        const auto moved = [&](const std::array<double, 4>& by, double weight) {
            auto there = state;
            for (std::size_t i = 0; i < 4; ++i)
                there[i] += weight * by[i];
            return there;
        };
        const auto a = rate(state), b = rate(moved(a, h / 2)), c = rate(moved(b, h / 2)),
                   d = rate(moved(c, h));
        for (std::size_t i = 0; i < 4; ++i)
            state[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    return state;
}

}  // namespace

TEST_CASE("the friction of a ring does not depend on how its equation is written")
{
    // v' = -mu v^2 / r: v = 2 / (1 + 0.3 * 4 * 0.5), whatever the mass; the scheme is of order h
    const double exact = 2 / (1 + 0.3 * 4 * 0.5);
    const Folder folder;
    for (const std::string kind : {"friction", "coulomb"}) {
        for (const std::string ring :
             {"hypot(x, y) - 0.5", "2*(hypot(x, y) - 0.5)", "-1e3*(hypot(x, y) - 0.5)", "x^2 + y^2 - 0.25",
              "log(hypot(x, y)/0.5)"}) {
            for (const double mass_kg : {1.0, 0.1}) {
                CAPTURE(kind);
                CAPTURE(ring);
                CAPTURE(mass_kg);
                const auto run = run_of(folder.write("ring.toml", bead_scene(ring, kind, mass_kg)));
                CHECK(run["status"] == "certified");
                CHECK(std::abs(speed_in(run) - exact) < 3e-4);
            }
        }
    }
}

TEST_CASE("a particle rubs along a saddle as Coulomb's law says, whatever length the gradient has")
{
    const Folder folder;
    for (const std::string factor : {"1", "3"}) {
        for (const double mass_kg : {1.0, 2.5}) {
            const std::string m = std::to_string(mass_kg);
            const std::string scene = folder.write(
                "saddle.toml",
                "duration_s = 0.6\n[[coordinate]]\nname = \"x\"\nstart = 0.8\nstart_velocity = -1.0\n"
                "[[coordinate]]\nname = \"y\"\nstart = 0.5\nstart_velocity = 1.2\n"
                "[[coordinate]]\nname = \"z\"\nstart = 0.195\nstart_velocity = -1.4\n"
                "[lagrangian]\nkinetic = \"" +
                    m + "*(x'^2 + y'^2 + z'^2)/2\"\npotential = \"" + m +
                    "*9.81*z\"\n[[constraint]]\nname = \"saddle\"\nzero = [\"" + factor +
                    "*(z - (x^2 - y^2)/2)\"]\nvelocity = [\"x'\", \"y'\", \"z'\"]\n"
                    "law = { kind = \"friction\", friction = 0.25 }\n[integrator]\ntime_step_s = 2e-4\n");
            const auto run = run_of(scene);
            CHECK(run["status"] == "certified");
            const auto exact = on_saddle({0.8, 0.5, -1.0, 1.2}, mass_kg, 0.25, 9.81, 0.6);
            // the limit of a step is taken with the speed at its begin: an error of order h
            CHECK(std::abs(run["state"]["x"]["q"].get<double>() - exact[0]) < 1e-3);
            CHECK(std::abs(run["state"]["y"]["q"].get<double>() - exact[1]) < 1e-3);
            CHECK(std::abs(run["state"]["x"]["u"].get<double>() - exact[2]) < 2e-3);
            CHECK(std::abs(run["state"]["y"]["u"].get<double>() - exact[3]) < 2e-3);
        }
    }
}

TEST_CASE("friction between two bodies that move is mu times the force between them")
{
    // two particles on one level, held together in height, relative motion damped by mu m g: the upper one
    // presses with its weight on the lower one, which a table carries without friction
    const Folder folder;
    const std::string scene = folder.write(
        "pair.toml", "duration_s = 0.1\n[[coordinate]]\nname = \"x1\"\nstart = 0\nstart_velocity = 1.0\n"
                     "[[coordinate]]\nname = \"y1\"\nstart = 0\n[[coordinate]]\nname = \"x2\"\nstart = 0\n"
                     "[[coordinate]]\nname = \"y2\"\nstart = 0\n"
                     "[lagrangian]\nkinetic = \"(x1'^2 + y1'^2)/2 + 3*(x2'^2 + y2'^2)/2\"\npotential = "
                     "\"9.81*(y1 + 3*y2)\"\n"
                     "[[constraint]]\nname = \"ground\"\nzero = [\"y2\"]\n"
                     "[[constraint]]\nname = \"pad\"\nzero = [\"4*(y1 - y2)\"]\nvelocity = [\"x1' - x2'\"]\n"
                     "law = { kind = \"friction\", friction = 0.2 }\n");
    const auto run = run_of(scene);
    CHECK(run["status"] == "certified");
    CHECK(std::abs(run["state"]["x1"]["u"].get<double>() - (1 - 0.2 * 9.81 * 0.1)) < 1e-9);
    CHECK(std::abs(run["state"]["x2"]["u"].get<double>() - 0.2 * 9.81 * 0.1 / 3) < 1e-9);
}
