#include "carom/study/run_study.hpp"

#include "study/support.hpp"

namespace carom::test {

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
    const auto sweep = folder.write("sweep.toml", R"toml(duration_s = 1
[[coordinate]]
name = "u"
start = 0
[[set]]
name = "window"
kind = "interval"
lower = ["t - 1"]
upper = ["t + 1"]
[sweeping]
set = "window"
)toml");
    const auto not_swept = carom::study(sweep, {}, {});
    REQUIRE_FALSE(not_swept);
    CHECK(not_swept.error().front().code == ErrorCode::NotAllowedHere);
}

}  // namespace carom::test
