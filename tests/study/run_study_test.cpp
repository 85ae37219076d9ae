#include "carom/study/run_study.hpp"

#include "study/support.hpp"

#include <cmath>

namespace carom::test {

/// A window that moves with speed 1 and takes the point along once the slack is used up.
const std::string play = R"toml(duration_s = 1
[parameters]
slack = 0.5
[[coordinate]]
name = "u"
start = 0
[[set]]
name = "window"
kind = "interval"
lower = ["t - slack"]
upper = ["t + slack"]
[sweeping]
set = "window"
time_step_s = 0.01
)toml";

TEST_CASE("a study by one call: all runs in one table, which goes on where it was stopped")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const auto axis = parse_axis("parameters.e=0,0.25,0.5,0.75");
    REQUIRE(axis);
    const StudyPlan plan{.axes = {*axis}};
    const auto whole = carom::study(scene, {}, plan, {.output = folder.path("whole.csv"), .threads = 2});
    REQUIRE(whole);
    CHECK(whole->table.rows() == 4);
    CHECK(statuses_of(whole->table) == std::map<std::string, long>{{"certified", 4}});

    // stopped after the first run, then taken up again: the same file
    std::atomic<bool> stop = false;
    const auto begun = carom::study(
        scene, {}, plan,
        {.output = folder.path("half.csv"), .threads = 1, .after_run = [&] { stop = true; }, .stop = &stop});
    REQUIRE(begun);
    CHECK(begun->stopped);
    CHECK(begun->table.rows() < 4);
    long before = -1;
    const auto ended =
        carom::study(scene, {}, plan,
                     {.output = folder.path("half.csv"), .before_runs = [&](long done) { before = done; }});
    REQUIRE(ended);
    CHECK(before == static_cast<long>(begun->table.rows()));
    CHECK(ended->resumed == before);
    CHECK(folder.read("half.csv") == folder.read("whole.csv"));

    const auto prepared = Study::prepare(scene, {}, plan);
    REQUIRE(prepared);
    CHECK(points_of(*prepared, ended->table).size() == 4);
}

TEST_CASE("what a study cannot do is told before it begins")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const auto refused = [&](const StudyOptions& options) {
        const auto result = carom::study(scene, {}, {}, options);
        REQUIRE_FALSE(result);
        return result.error().front();
    };
    CHECK(refused({.threads = -1}).where == "StudyOptions::threads");
    CHECK(refused({.output = folder.path("no/such/folder.csv")}).code == ErrorCode::FileUnwritable);
    const std::string swept = folder.write("sweep.toml", play);
    const auto no_velocity = carom::study(swept, {}, {.perturbations = {{.name = "u'", .width = 0.1}}});
    REQUIRE_FALSE(no_velocity);
    CHECK(no_velocity.error().front().code == ErrorCode::UnknownName);
}

TEST_CASE("sweeping processes are studied: values, starts and orders")
{
    const Folder folder;
    const std::string scene = folder.write("play.toml", play);

    // the window begins to push when t reaches its slack, and from then on u = t - slack
    const auto axis = parse_axis("parameters.slack=0.25,0.5,0.75");
    REQUIRE(axis);
    const auto varied =
        carom::study(scene, {}, {.axes = {*axis}}, {.output = folder.path("varied.csv"), .threads = 2});
    REQUIRE(varied);
    REQUIRE(varied->table.rows() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const double slack = varied->table.find("parameters.slack")->numbers[i];
        CHECK(varied->table.find("u")->numbers[i] == near(1 - slack, 1e-15));
        CHECK(varied->table.find("status")->texts[i] == "certified");
        CHECK(varied->table.find("contacts_made")->numbers[i] == 1);
        CHECK(varied->table.find("last_event_s")->numbers[i] == near(slack, 0.011));
        CHECK(std::isnan(varied->table.find("energy_J")->numbers[i]));
    }

    // starts below the window's end all end there; catching-up never lets points move apart
    const auto shifted =
        carom::study(scene, {}, {.repeat = 8, .seed = 3, .perturbations = {{.name = "u", .width = 0.2}}});
    REQUIRE(shifted);
    for (const double u : shifted->table.find("u")->numbers)
        CHECK(u == near(0.5, 1e-15));

    // the steps that are halved are those of the sweep
    const auto halved = carom::study(scene, {}, {.levels = 3});
    REQUIRE(halved);
    CHECK(halved->table.find("steps")->numbers == std::vector<double>{100, 200, 400});
    CHECK(halved->table.find("time_step_s")->numbers == std::vector<double>{0.01, 0.005, 0.0025});
}

}  // namespace carom::test
