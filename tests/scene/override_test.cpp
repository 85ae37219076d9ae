#include "expression/workspace.hpp"
#include "support.hpp"

using namespace carom;
using namespace carom::test;

TEST_CASE("an override is split at its first =")
{
    CHECK(parse_override("a.b = c=d")->path == "a.b");
    CHECK(parse_override("a.b = c=d")->value == "c=d");
    CHECK(parse_override("title=")->value.empty());
    CHECK(parse_override("nothing").error().code == ErrorCode::SceneSyntax);
    CHECK(parse_override("=5").error().code == ErrorCode::SceneSyntax);
}

TEST_CASE("overrides reach every kind of key")
{
    Workspace work;
    const Scene scene = good(pendulum, {"parameters.e=0.25", "integrator.time_step_s=2e-4", "duration_s=1",
                                        "coordinate.theta.start=0.5", "coordinate.theta.start_velocity=l*2",
                                        "title=two words", "lagrangian.forces.theta=-theta'^3"});
    CHECK(scene.model.restitution(0, point_of(scene.start), work) == 0.25);
    CHECK(moreau_of(scene).time_step_s == 2e-4);
    CHECK(scene.plan.duration_s == 1);
    CHECK(scene.start.q[0] == 0.5);
    CHECK(scene.start.u[0] == 2.0);
    CHECK(scene.title == "two words");
    CHECK(good(pendulum, {"contact.wall.law.restitution=0.5"}).text != pendulum);
    CHECK(good(pendulum, {"title=5"}).title == "5");
    CHECK(good(pendulum, {"title='5'"}).title == "5");
}

TEST_CASE("a known key that the scene leaves out can be set, also in a group that it leaves out")
{
    CHECK(good(pendulum, {"solver.tolerance=1e-10"}).solver.tolerance == 1e-10);
    const std::string soft = with(pendulum, "law = { kind = \"unilateral\", restitution = \"e\" }\n", "");
    Workspace work;
    const Scene scene = good(soft, {"contact.wall.law.restitution=0.5"});
    CHECK(scene.model.restitution(0, point_of(scene.start), work) == 0.5);
}

TEST_CASE("of two overrides of one key the last counts")
{
    CHECK(good(pendulum, {"duration_s=1", "duration_s=2"}).plan.duration_s == 2);
}

TEST_CASE("paths that lead nowhere come with the nearest name")
{
    const auto refuse = [](const std::string& set, const char* hint) {
        const Error error =
            only_error(pendulum, ErrorCode::UnknownKey, "--set " + set.substr(0, set.find('=')), {set});
        CAPTURE(to_text(error));
        CHECK(contains(error.hint, hint));
    };
    refuse("integrator.timestep_s=1", "time_step_s");
    refuse("parameters.ee=1", "`e`");
    refuse("coordinate.thetta.start=1", "theta");
    refuse("contact.wal.gap=1", "wall");
    refuse("contact.wall=1", "gap");
    refuse("contact=1", "gap");
    refuse("integrator=1", "kind");
    refuse("duration_s.x=1", "ends at a value");
    refuse("contact[].gap=1", "contact");
    refuse("probe.p.value=1", "leave it out");
}

TEST_CASE("values of overrides are checked like those of the file")
{
    CHECK(contains(only_error(pendulum, ErrorCode::WrongType, "--set start_s", {"start_s=abc"}).message,
                   "abc"));
    only_error(pendulum, ErrorCode::UnknownName, "--set duration_s", {"duration_s=abc"});
    only_error(pendulum, ErrorCode::SettingOutOfRange, "--set duration_s", {"duration_s=nan"});
    only_error(pendulum, ErrorCode::SceneSyntax, "--set duration_s", {"duration_s=[1"});
    only_error(pendulum, ErrorCode::UnknownName, "--set contact.wall.gap", {"contact.wall.gap=sin(tetha)"});
    only_error(pendulum, ErrorCode::GapViolated, "s.toml:16:7", {"coordinate.theta.start=-1"});
    only_error(pendulum, ErrorCode::WrongType, "--set start_s", {"start_s=1\nduration_s = 2"});
}

TEST_CASE("mistakes of overrides come before those of the file")
{
    const Errors errors = errors_of(with(pendulum, "1e-3", "0"), {"duration_s=0", "parameters.x=1"});
    REQUIRE(errors.size() == 3);
    CHECK(errors[0].where == "--set duration_s");
    CHECK(errors[1].where == "--set parameters.x");
    CHECK(errors[2].where == "s.toml:20:15");
}

TEST_CASE("the text as run reads back to the same scene")
{
    const std::vector<std::string> changes{"parameters.e=0.1", "title=a \"quoted\" \\ title\t",
                                           "duration_s=0.1", "solver.kind=exact",
                                           "contact.wall.law.restitution=e/3"};
    const Scene once = good(pendulum, changes);
    const Scene again = good(once.text);
    CHECK(again.title == once.title);
    CHECK(again.plan.duration_s == 0.1);
    CHECK(again.solver.kind == SolverKind::Exact);
    CHECK(again.start.q == once.start.q);
    Workspace work;
    CHECK(again.model.restitution(0, point_of(again.start), work) ==
          once.model.restitution(0, point_of(once.start), work));
    CHECK(contains(once.text, "# --set parameters.e=0.1\n"));

    // what is replaced stays where it was
    CHECK(once.text.find("\ntitle = ") < once.text.find("\nduration_s = "));
    CHECK(once.text.find("\nl = ") < once.text.find("\ne = "));
}
