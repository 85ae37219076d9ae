#include "support.hpp"

#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

/// Where a ball dropped from 1 m with restitution e is at 1 s, after its first bounce and before its second.
double height_at_1s(double g, double e)
{
    const double fall_s = std::sqrt(2 / g), speed = e * g * fall_s, t = 1 - fall_s;
    return speed * t - g * t * t / 2;
}

}  // namespace

TEST_CASE("each run has the values that its row says")
{
    const Folder folder;
    // with e >= 0.65 the second bounce comes after 1 s: 2 e sqrt(2/g) > 1 - sqrt(2/g)
    const Study study = study_of(folder, ball, {.axes = {axis("parameters.e=0.7:1:0.1")}, .impacts = 1});
    const ResultTable table = table_of(study);
    REQUIRE(table.rows() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const double e = table.find("parameters.e")->numbers[i];
        CHECK(e == near(0.7 + 0.1 * static_cast<double>(i), 1e-15));
        // one impact, in a step of h: the place is wrong by at most the two speeds times the step
        CHECK(table.find("z")->numbers[i] == near(height_at_1s(9.81, e), 2 * 4.43 * 1e-3));
        CHECK(table.find("height")->numbers[i] == 2 * table.find("z")->numbers[i]);
        CHECK(table.find("status")->texts[i] == "certified");
        CHECK(table.find("end")->texts[i] == "duration");
        CHECK(table.find("steps")->numbers[i] == 1000);
        CHECK(table.find("impacts")->numbers[i] == 1);
        CHECK(table.find("impact1_s")->numbers[i] == near(std::sqrt(2 / 9.81), 1e-3));
        CHECK(table.find("last_event_s")->numbers[i] == table.find("impact1_s")->numbers[i]);
        CHECK(table.find("study")->texts[i] == study.id());
    }
}

TEST_CASE("a run of a study is the run of carom run")
{
    const Folder folder;
    const Study study =
        study_of(folder, ball, {.axes = {axis("parameters.e=0.25,0.75")}, .at_s = {0.9, 0.1}});
    const ResultTable table = table_of(study);
    const std::vector<Override> overrides{{.path = "parameters.e", .value = "0.75"}};
    const auto scene = read_scene(folder.path("scene.toml"), overrides);
    REQUIRE(scene);
    State state = scene->start;
    const RunReport report = simulate(scene->model, scene->integrator, scene->solver, scene->plan, state);
    // the same bits: a study adds nothing to a motion
    CHECK(table.find("z")->numbers[1] == state.q[0]);
    CHECK(table.find("z'")->numbers[1] == state.u[0]);
    CHECK(table.find("energy_balance_J")->numbers[1] == report.certificate.energy_balance_J);
    // the free fall until 0.1 s is exact on the grid of steps, up to roundoff of 100 steps
    CHECK(table.find("z@0.1")->numbers[1] == near(1 - 9.81 * 0.01 / 2, 1e-13));
    CHECK(table.find("z'@0.1")->numbers[1] == near(-0.981, 1e-13));
}

TEST_CASE("rows do not depend on threads or shards")
{
    const Folder folder;
    const Study study = study_of(folder, ball,
                                 {.axes = {axis("parameters.e=0:1:0.25")},
                                  .repeat = 5,
                                  .perturb_step_s = 0,
                                  .perturbations = {{"z'", 0.1}}});
    const std::string one = text_of(table_of(study));
    for (const int threads : {2, 3, 8})
        CHECK(text_of(table_of(study, {}, {}, threads)) == one);

    // the parts, put together again
    std::vector<std::string> parts;
    for (long part = 0; part < 3; ++part) {
        parts.push_back(folder.path("part" + std::to_string(part) + (part == 1 ? ".h5" : ".csv")));
        static_cast<void>(table_of(study, parts.back(), {.part = part, .parts = 3}, 2));
    }
    const auto merged = merge_tables(parts, folder.path("all.csv"));
    REQUIRE(merged);
    CHECK(merged->runs == 25);
    CHECK(merged->of == 25);
    CHECK(merged->missing.empty());

    // without the second part: it is named, with all its runs
    const auto without = merge_tables({parts[0], parts[2]}, folder.path("some.csv"));
    REQUIRE(without);
    REQUIRE(without->missing.size() == 1);
    CHECK(without->missing[0].shard.part == 1);
    CHECK(without->missing[0].shard.parts == 3);
    CHECK(without->missing[0].runs == 8);
    CHECK(without->missing[0].of == 8);
    CHECK(without->missing[0].first == 1);
    CHECK(folder.read("all.csv") == one);
}

TEST_CASE("perturbed starts stay within their width, and differ")
{
    const Folder folder;
    const Study study = study_of(folder, ball, {.repeat = 50, .perturbations = {{"z", 0.01}}, .at_s = {0}});
    const ResultTable table = table_of(study);
    const auto& shifts = table.find("shift.z")->numbers;
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(std::abs(shifts[i]) <= 0.01);
        CHECK(table.find("z@0")->numbers[i] == 1 + shifts[i]);
        if (i > 0) CHECK(shifts[i] != shifts[i - 1]);
    }
}

TEST_CASE("a start pushed into an obstacle gives a row that says so")
{
    const Folder folder;
    auto scene = ball;
    scene.replace(scene.find("start = 1.0"), 11, "start = 0.0");
    const Study study = study_of(folder, scene, {.repeat = 20, .perturbations = {{"z", 0.1}}});
    const ResultTable table = table_of(study);
    for (std::size_t i = 0; i < 20; ++i) {
        const bool inside = table.find("shift.z")->numbers[i] < 0;
        CHECK(table.find("status")->texts[i] == (inside ? "refused" : "certified"));
        if (inside) CHECK(table.find("end")->texts[i] == "gap_violated");
        CHECK(std::isnan(table.find("z")->numbers[i]) == inside);
    }
}

TEST_CASE("a strobe sees a driven oscillator at the same phase")
{
    const Folder folder;
    // x'' = -x + 3 sin(2 t) from x = 0, x' = -2 is x = -sin(2 t): seen every pi it stands still
    const std::string scene = R"toml(duration_s = 20.0
[parameters]
w = 2.0
[[coordinate]]
name = "x"
start = 0.0
start_velocity = "-w"
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
forces = { x = "(w^2 - 1)*sin(w*t)" }
[[probe]]
name = "period"
value = "2*pi/w"
[integrator]
time_step_s = 1e-3
)toml";
    const Study study = study_of(
        folder, scene, {.axes = {axis("parameters.w=2,3")}, .strobe = Strobe{.period = "period", .skip = 2}});
    const ResultTable table = table_of(study);
    // floor(20 / pi) = 6 periods and floor(20 / (2 pi / 3)) = 9, without the first two: 2 to 6 and 2 to 9
    REQUIRE(table.rows() == 5 + 8);
    for (std::size_t i = 0; i < table.rows(); ++i) {
        const double w = table.find("parameters.w")->numbers[i], k = table.find("sample")->numbers[i];
        CHECK(k == static_cast<double>(i < 5 ? i + 2 : i - 3));
        CHECK(table.find("rows")->numbers[i] == (i < 5 ? 5 : 8));
        CHECK(table.find("time_s")->numbers[i] == near(k * 2 * M_PI / w, 1e-12));
        // second order, (w h)^2 / 24 a radian in the worst case, over 20 s; and u is that of the step's end:
        // h u' = h w^2 x, small here because x = 0, so of second order too
        CHECK(table.find("x")->numbers[i] == near(0, 1e-4));
        CHECK(table.find("x'")->numbers[i] == near(-w, 1e-4));
    }

    // the period as a formula of the varied parameter, as `carom orbit --period` takes it: the same instants
    const ResultTable by_formula = table_of(
        study_of(folder, scene,
                 {.axes = {axis("parameters.w=2,3")}, .strobe = Strobe{.period = "2*pi/w", .skip = 2}}));
    CHECK(by_formula.find("time_s")->numbers == table.find("time_s")->numbers);
    CHECK(by_formula.find("x")->numbers == table.find("x")->numbers);
}

TEST_CASE("a section is seen where its formula rises through zero, by a jump as well")
{
    const Folder folder;
    const std::string text = R"toml(duration_s = 20.0
[parameters]
w = 2.0
[[coordinate]]
name = "x"
start = 1.0
[lagrangian]
kinetic = "x'^2/2"
potential = "w^2*x^2/2"
[integrator]
kind = "series"
time_step_s = 0.3
)toml";
    // cos(w t) rises through zero at w t = 3 pi/2 + 2 pi k; up to 20 s six times with w = 2, nine with w = 3
    const ResultTable table = table_of(study_of(
        folder, text, {.axes = {axis("parameters.w=2,3")}, .strobe = Strobe{.skip = 1, .section = "x"}}));
    REQUIRE(table.rows() == 5 + 8);
    for (std::size_t i = 0; i < table.rows(); ++i) {
        const double w = table.find("parameters.w")->numbers[i], k = table.find("sample")->numbers[i];
        CHECK(k == static_cast<double>(i < 5 ? i + 1 : i - 4));
        CHECK(table.find("rows")->numbers[i] == (i < 5 ? 5 : 8));
        // rounding of the phase, and of 60 steps
        CHECK(table.find("time_s")->numbers[i] == near((1.5 * M_PI + 2 * M_PI * k) / w, 1e-13));
        CHECK(table.find("x'")->numbers[i] == near(w, 1e-13));
    }

    // a ball that is dropped: its velocity rises through zero at the floor
    const std::string dropped = R"toml(duration_s = 4.5
[[coordinate]]
name = "z"
start = 1.0
[lagrangian]
kinetic = "z'^2/2"
potential = "2*z"
[[contact]]
name = "floor"
gap = "z"
law = { restitution = 1 }
[integrator]
kind = "series"
time_step_s = 0.3
)toml";
    const ResultTable impacts =
        table_of(study_of(folder, dropped, {.strobe = Strobe{.skip = 0, .section = "z'"}}));
    REQUIRE(impacts.rows() == 2);  // at 1 s and 3 s
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(impacts.find("time_s")->numbers[i] == near(1 + 2 * static_cast<double>(i), 1e-12));
        CHECK(std::abs(impacts.find("z")->numbers[i]) <= 1e-12);
        CHECK(impacts.find("z'")->numbers[i] == near(2, 1e-12));
    }
}

TEST_CASE("a stopped study keeps nothing of the run that was stopped")
{
    const Folder folder;
    const Study study = study_of(folder, ball, {.repeat = 3});
    int asked = 0;
    CHECK(study.compute(0, [&] { return ++asked > 10; }).empty());
    CHECK(study.compute(0, {}).size() == 1);
    auto file = TableFile::open("", study, {});
    REQUIRE(file);
    const auto progress = compute_runs(
        study, {}, 0, 2, [&](long, std::span<const Row> rows) { return file->add(rows); },
        [] { return true; });
    CHECK(progress.stopped);
    CHECK(progress.done == 0);
}
