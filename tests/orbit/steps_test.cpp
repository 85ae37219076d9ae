#include "support.hpp"

using namespace carom;
using namespace carom::test;

namespace {

/// A pendulum with drag: forces that depend on the velocity.
const std::string pendulum = R"toml(
title = "pendulum"
duration_s = 1
[parameters]
l = 1.3
d = 0.4
[[coordinate]]
name = "a"
start = 1
start_velocity = 0.2
unit = "rad"
[lagrangian]
kinetic = "l^2/2*a'^2*(1 + 0.2*a^2)"
potential = "-9.81*l*cos(a)"
forces = { a = "-d*a'*abs(a') " }
[integrator]
kind = "moreau"
time_step_s = 1e-3
)toml";

/// A bead that falls into a bowl, without giving velocity back, and slides in it against friction.
const std::string bowl = R"toml(
title = "bowl"
duration_s = 0.5
[parameters]
mu = 0.2
k = 0.7
[[coordinate]]
name = "x"
start = 0.5
start_velocity = -0.6
[[coordinate]]
name = "y"
start = 0.4
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[contact]]
name = "bowl"
position = ["x", "y"]
surface = "y - k*x^2"
law = { kind = "coulomb", friction = "mu" }
[integrator]
kind = "moreau"
time_step_s = 1e-3
)toml";

/// The same, in the bowl from the beginning.
std::string sliding()
{
    return with(bowl, {{"k = 0.7", "k = 0.7\nx0 = 0.9\nv0 = -0.4"},
                       {"start = 0.5", "start = \"x0\""},
                       {"start_velocity = -0.6", "start_velocity = \"v0\""},
                       {"start = 0.4", "start = \"k*x0^2\"\nstart_velocity = \"2*k*x0*v0\""}});
}

/// Falls, bounces, is thrown along a floor.
const std::string ball = R"toml(
title = "ball"
duration_s = 0.6
[parameters]
e = 0.6
mu = 0.1
[[coordinate]]
name = "x"
start = 0
start_velocity = 3
[[coordinate]]
name = "y"
start = 0.5
[[coordinate]]
name = "a"
start = 0
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + 0.005*a'^2"
potential = "9.81*y"
[[contact]]
name = "floor"
gap = "y - 0.1"
sliding = ["x' + 0.1*a'"]
law = { kind = "coulomb", friction = "mu", restitution = "e" }
[integrator]
kind = "moreau"
time_step_s = 1e-3
)toml";

const std::vector<std::string> names_of(const std::string& text)
{
    std::vector<std::string> names;
    for (const char* parameter : {"l", "d", "mu", "k", "e"}) {
        if (text.find(std::string("\n") + parameter + " = ") != std::string::npos)
            names.push_back(std::string("parameters.") + parameter);
    }
    for (const char* parameter : {"x0", "v0"}) {
        if (text.find(std::string("\n") + parameter + " = ") == std::string::npos) continue;
        names.push_back(std::string("parameters.") + parameter);
    }
    if (names.back() == "parameters.v0") return names;  // starts are made of these
    for (const char* coordinate : {"a", "x", "y"}) {
        if (text.find(std::string("name = \"") + coordinate + "\"") == std::string::npos) continue;
        names.push_back(std::string("coordinate.") + coordinate + ".start");
        names.push_back(std::string("coordinate.") + coordinate + ".start_velocity");
    }
    return names;
}

Sensitivities of_steps(const std::string& text, const std::vector<Override>& overrides = {})
{
    const auto result = sensitivities(read(text, overrides), {.by = names_of(text), .of_steps = true});
    REQUIRE(result);
    REQUIRE_MESSAGE(!result->lost, result->lost->kind << ": " << result->lost->words);
    return *result;
}

Eigen::MatrixXd derivatives(const Sensitivities& of)
{
    Eigen::MatrixXd d(of.states.back().dq.rows() + of.states.back().du.rows(), of.states.back().dq.cols());
    d << of.states.back().dq, of.states.back().du;
    return d;
}

/// The value of a scene that a name means; starts that are left out are zero.
double value_of(const std::string& text, const std::string& name)
{
    const auto dot = name.rfind('.');
    const std::string key = name.substr(dot + 1);
    std::size_t from = 0;
    std::string line = "\n" + key + " = ";
    if (name.starts_with("coordinate.")) {
        from = text.find("name = \"" + name.substr(11, dot - 11) + "\"");
        const auto end = std::min(text.find("[[", from), text.find("\n[", from + 1));
        const auto at = text.find(line, from);
        if (at == std::string::npos || at > end) return 0;
    }
    return std::stod(text.substr(text.find(line, from) + line.size()));
}

/// The same contacts do the same in the same steps.
bool same_events(const Sensitivities& a, const Sensitivities& b)
{
    return std::ranges::equal(a.events, b.events, [](const SensitiveEvent& x, const SensitiveEvent& y) {
        return x.event.kind == y.event.kind && x.event.contact == y.event.contact &&
               x.event.time_s == y.event.time_s;
    });
}

/// Central differences of the last state, over an interval in which no status changes.
Eigen::MatrixXd differences(const std::string& text, const std::vector<Override>& overrides, double step)
{
    const auto names = names_of(text);
    const Sensitivities middle = of_steps(text, overrides);
    Eigen::MatrixXd d;
    for (std::size_t i = 0; i < names.size(); ++i) {
        Eigen::VectorXd ends[2];
        for (const int side : {0, 1}) {
            auto set = overrides;
            set.push_back({names[i], digits(value_of(text, names[i]) + (side == 0 ? -step : step))});
            const Sensitivities motion = of_steps(text, set);
            REQUIRE(same_events(motion, middle));
            const SensitiveState& end = motion.states.back();
            ends[side].resize(2 * end.q.size());
            ends[side] << end.q, end.u;
        }
        d.conservativeResize(ends[0].size(), static_cast<Eigen::Index>(names.size()));
        d.col(static_cast<Eigen::Index>(i)) = (ends[1] - ends[0]) / (2 * step);
    }
    return d;
}

double off(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("steps where a formula changes its piece have no derivative")
{
    const auto lost_for = [](const std::string& force, const std::string& start) {
        const auto result = sensitivities(
            read("title = \"kink\"\nduration_s = 1\n[[coordinate]]\nname = \"q\"\nstart = " + start +
                 "\n[lagrangian]\nkinetic = \"q'^2/2\"\nforces = { q = \"" + force +
                 "\" }\n[integrator]\ntime_step_s = 0.01\n"),
            {.by = {"coordinate.q.start"}, .of_steps = true});
        REQUIRE(result);
        return result->lost ? result->lost->kind : std::string();
    };
    CHECK(lost_for("-abs(q)", "0") == "formula");
    CHECK(lost_for("sqrt(abs(q))", "0") == "formula");
    CHECK(lost_for("-abs(q)", "1").empty());
}

TEST_CASE("derivatives of Moreau's steps are those of the discrete map, by differences")
{
    const auto check = [](const std::string& text, const std::vector<Override>& set, double step) {
        CAPTURE(text);
        CAPTURE(set.front().value);
        // states have some 1e-15 of rounding
        CHECK(off(derivatives(of_steps(text, set)), differences(text, set, step)) <= 2e-14 / step);
    };
    for (const std::string& text : {pendulum, sliding(), ball}) {
        check(text, {{"integrator.cone_point", "midpoint"}}, 1e-6);
        check(text, {{"integrator.cone_point", "end"}}, 1e-6);
    }
    check(pendulum, {{"integrator.force_passes", "1"}}, 1e-6);
    check(bowl, {{"integrator.cone_point", "midpoint"}}, 1e-6);
    check(bowl, {{"integrator.cone_point", "end"}}, 1e-8);
}

TEST_CASE("derivatives of steps go to those of the motion where nothing strikes")
{
    for (const std::string& text : {pendulum, sliding()}) {
        CAPTURE(text);
        const auto exact = sensitivities(read(text), {.by = names_of(text)});
        REQUIRE(exact);
        REQUIRE(!exact->lost);
        const auto error = [&](const char* h) {
            return off(derivatives(of_steps(text, {{"integrator.time_step_s", h}})), derivatives(*exact));
        };
        const double coarse = error("1e-3"), fine = error("2.5e-4");
        CHECK(coarse <= 0.05);
        // of first order at least
        CHECK(fine <= 0.3 * coarse);
    }
}

TEST_CASE("impacts: the derivative of the steps is not near that of the motion, and this is said")
{
    const Sensitivities steps = of_steps(ball);
    const auto exact = sensitivities(read(ball), {.by = names_of(ball)});
    REQUIRE(exact);
    CHECK(off(derivatives(steps), derivatives(*exact)) > 0.1);
    REQUIRE(!steps.findings.empty());
    CHECK(steps.findings.back().code == "instants_of_steps");
    CHECK(of_steps(sliding()).findings.empty());
}

TEST_CASE("steps of other integrators, and runs that until ends, are refused")
{
    const auto refused = [](const std::vector<Override>& set) {
        const auto result = sensitivities(read(pendulum, set), {.by = {"parameters.l"}, .of_steps = true});
        REQUIRE(!result);
        CHECK(result.error().front().code == ErrorCode::NotAllowedHere);
    };
    refused({{"integrator.kind", "moreau_jean"}});
    refused({{"until", "a - 10"}});
}
