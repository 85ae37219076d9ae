#include "carom/core/threads.hpp"
#include "carom/door/problem.hpp"
#include "carom/door/run.hpp"
#include "trace/checkpoint.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>

namespace {

using namespace carom;
namespace fs = std::filesystem;

/// A file of its own that is gone afterwards, with what stands beside it.
struct Scratchpad {
    fs::path folder = fs::temp_directory_path() / ("carom_run_test_" + std::to_string(::getpid()));
    Scratchpad() { fs::create_directories(folder); }
    ~Scratchpad() { fs::remove_all(folder); }
    Scratchpad(const Scratchpad&) = delete;
    Scratchpad& operator=(const Scratchpad&) = delete;
    [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }
};

const std::string block = R"toml(duration_s = 0.3
[[coordinate]]
name = "x"
start = 0.0
start_velocity = 1.0
[[coordinate]]
name = "y"
start = 0.05
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[contact]]
name = "floor"
gap = "y"
sliding = ["x'"]
law = { kind = "coulomb", friction = 0.3, restitution = 0.4 }
[[probe]]
name = "speed"
value = "x'"
unit = "m/s"
[[draw]]
kind = "point"
at = ["x", "y"]
[record]
every_s = 0.01
)toml";

const std::string bodies = R"toml(duration_s = 0.2
[[material]]
name = "wood"
friction = 0.5
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 2
position_m = [0, 0, 0.1]
velocity_m_s = [1, 0, 0]
[[probe]]
name = "force"
force_on = "ball"
)toml";

const std::string play = R"toml(duration_s = 1
[[coordinate]]
name = "u"
start = 0
[[set]]
name = "window"
kind = "interval"
lower = ["sin(pi*t) - 0.4"]
upper = ["sin(pi*t) + 0.4"]
[sweeping]
set = "window"
)toml";

/// A set that jumps, a drift, steps that are controlled.
const std::string controlled = R"toml(duration_s = 1.3
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 1
[[set]]
name = "disc"
kind = "ball"
centre = ["if(t < 0.5, t, t + 0.4)", 0]
radius = 1
[sweeping]
set = "disc"
tolerance_per_s = 1e-4
jumps_s = [0.5]
drift = { y = "0.3*cos(7*t)" }
)toml";

Scene scene_of(const std::string& text)
{
    auto scene = read_scene_text(text, "scene");
    if (!scene) FAIL(to_text(scene.error().front()));
    return *std::move(scene);
}

Run good_run(const Scene& scene, const RunOptions& options = {})
{
    auto done = run(scene, options);
    if (!done) FAIL(to_text(done.error().front()));
    return *std::move(done);
}

bool same_series(const std::vector<RecordedSeries>& a, const std::vector<RecordedSeries>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.name == y.name && x.unit == y.unit && x.values == y.values;
    });
}

}  // namespace

TEST_CASE(
    "a run with derivatives: those of sensitivities, and what they refuse ends it before anything is written")
{
    const auto scene = read_scene_text(block, "test");
    REQUIRE(scene);
    // falls 0.05 m and slides on: x at the end by its start and by the first speed
    const auto told =
        run(*scene,
            {.sensitivity = {.by = {"coordinate.x.start", "coordinate.x.start_velocity"}, .at_s = {0.05}}});
    REQUIRE(told);
    REQUIRE(told->sensitivity);
    REQUIRE(told->sensitivity->states.size() == 2);
    CHECK(told->sensitivity->states[0].dq(0, 1) == doctest::Approx(0.05).epsilon(1e-12));
    CHECK(told->sensitivity->states[1].dq(0, 0) == doctest::Approx(1).epsilon(1e-12));
    CHECK(!run(*scene)->sensitivity);

    const Scratchpad scratch;
    const auto refused =
        run(*scene, {.recording = scratch.path("run.h5"), .sensitivity = {.by = {"parameters.none"}}});
    REQUIRE(!refused);
    CHECK(refused.error().front().code == ErrorCode::UnknownName);
    CHECK(!fs::exists(scratch.path("run.h5")));
}

TEST_CASE("the columns of a run are the same in memory and in its recording, whatever the kind of scene")
{
    const Scratchpad pad;
    for (const std::string* text : {&block, &bodies, &play}) {
        const Scene scene = scene_of(*text);
        CAPTURE(name_of(kind_of(scene)));
        const Run here = good_run(scene, {.at_s = {0.1}});
        const Run there = good_run(scene, {.recording = pad.path("run.h5"), .at_s = {0.1}});
        const Recording &a = here.record, &b = there.record;
        REQUIRE(a.frames() > 10);
        CHECK(a.title == b.title);
        CHECK(a.scene_text == b.scene_text);
        CHECK(a.every_s == b.every_s);
        CHECK(a.settings.probes == b.settings.probes);
        CHECK(a.time_s == b.time_s);
        CHECK(a.q == b.q);
        CHECK(a.u == b.u);
        CHECK(a.gap_m == b.gap_m);
        CHECK(a.percussion_Ns == b.percussion_Ns);
        CHECK(a.residual == b.residual);
        CHECK(same_series(a.energies, b.energies));
        CHECK(same_series(a.probes, b.probes));
        CHECK(a.draw == b.draw);
        CHECK(a.friction.percussion_Ns == b.friction.percussion_Ns);
        CHECK(a.jumps.u_plus == b.jumps.u_plus);
        CHECK(a.snapshots.q == b.snapshots.q);
        CHECK(a.bodies.names == b.bodies.names);
        CHECK(a.bodies.first_row == b.bodies.first_row);
        CHECK(a.bodies.percussion_Ns == b.bodies.percussion_Ns);
        CHECK(a.solids.surfaces.size() == b.solids.surfaces.size());
        CHECK(a.events.size() == b.events.size());
        CHECK(a.report->certificate.steps == b.report->certificate.steps);

        // and the run itself does not notice
        CHECK(here.at_end.q == there.at_end.q);
        CHECK(good_run(scene, {.columns = false}).at_end.q == here.at_end.q);
        CHECK(good_run(scene, {.columns = false}).record.frames() == 0);
    }
}

TEST_CASE("a run from memory that was saved, and one that was recorded, are opened as the run itself")
{
    const Scratchpad pad;
    for (const std::string* text : {&block, &bodies, &play}) {
        const Scene scene = scene_of(*text);
        CAPTURE(name_of(kind_of(scene)));
        const Run here = good_run(scene, {.at_s = {0.1}});
        REQUIRE(save(here, scene, pad.path("saved.h5")));
        const Run there = good_run(scene, {.recording = pad.path("recorded.h5"), .at_s = {0.1}});
        for (const char* file : {"saved.h5", "recorded.h5"}) {
            const auto opened = open_recorded(pad.path(file));
            REQUIRE(opened);
            const Run& run = opened->run;
            CHECK(opened->status == name_of(here.status));
            CHECK(run.end == here.end);
            CHECK(run.at_end.t_s == here.at_end.t_s);
            CHECK(run.at_end.q == here.at_end.q);
            CHECK(run.probes == here.probes);
            CHECK(run.certificate.steps == here.certificate.steps);
            CHECK(run.certificate.energy_balance_J == here.certificate.energy_balance_J);
            REQUIRE(run.snapshots.size() == 1);
            CHECK(run.snapshots[0].q == here.snapshots[0].q);
            REQUIRE(run.events.size() == here.events.size());
            for (std::size_t i = 0; i < run.events.size(); ++i) {
                CHECK(run.events[i].place == here.events[i].place);
                CHECK(run.events[i].time_s == here.events[i].time_s);
                CHECK(run.events[i].status_after == here.events[i].status_after);
            }
            CHECK(run.record.u == here.record.u);
            CHECK(run.record.jumps.u_plus == here.record.jumps.u_plus);
            CHECK(run.record.bodies.percussion_Ns == here.record.bodies.percussion_Ns);
            CHECK(run.record.bodies.first_row == here.record.bodies.first_row);
        }
    }
    const Scene scene = scene_of(block);
    CHECK_FALSE(save(good_run(scene, {.columns = false}), scene, pad.path("none.h5")));
    CHECK_FALSE(save(good_run(scene), scene_of(bodies), pad.path("other.h5")));
    CHECK_FALSE(open_recorded(pad.path("none.h5")));
}

TEST_CASE("a listener sees every step, the weight at the contact of what rests, and can end the run")
{
    const Scene scene = scene_of(bodies);
    long seen = 0;
    const Run whole = good_run(scene, {.listener = [&](const StepRecord& step) {
                                   CHECK(step.step() == ++seen);
                                   const auto contacts = step.contacts();
                                   REQUIRE(contacts.size() == 1);
                                   CHECK(contacts[0].name == "floor/ball");
                                   CHECK(std::abs(contacts[0].percussion_Ns[0]) ==
                                         doctest::Approx(2 * 9.81 * step.step_s()).epsilon(1e-9));
                                   return true;
                               }});
    CHECK(seen == whole.certificate.steps);
    CHECK(whole.status == RunStatus::Certified);

    const Run cut = good_run(scene, {.listener = [](const StepRecord& step) { return step.step() < 10; }});
    CHECK(cut.end == RunEnd::Listener);
    CHECK(cut.certificate.steps == 10);
    CHECK_FALSE(cut.stopped);
}

TEST_CASE("events carry names and statuses: the block falls, bounces, slides and stops")
{
    const Run run = good_run(scene_of(block));
    REQUIRE_FALSE(run.events.empty());
    CHECK(run.events.front().place == "floor");
    CHECK(run.events.front().kind == EventKind::Impact);
    CHECK(run.events.front().status_before == "open");
    for (std::size_t i = 1; i < run.events.size(); ++i)
        CHECK(run.events[i].status_before == run.events[i - 1].status_after);
    REQUIRE(run.probes.size() == 1);
    CHECK(run.probes[0] == run.at_end.u[0]);
}

TEST_CASE("a run that was stopped and resumed ends as if it had never been stopped, bit for bit")
{
    const Scratchpad pad;
    for (const std::string* text : {&block, &bodies, &play, &controlled}) {
        const Scene scene = scene_of(*text);
        CAPTURE(scene.text);
        const Run whole = good_run(scene, {.recording = pad.path("whole.h5")});
        std::atomic<bool> stop = false;
        const Run begun = good_run(scene, {.recording = pad.path("half.h5"),
                                           .listener =
                                               [&](const StepRecord& step) {
                                                   stop = step.step() >= 100;
                                                   return true;
                                               },
                                           .stop = &stop});
        CHECK(begun.stopped);
        CHECK(begun.certificate.steps == 100);
        const auto ended = resume(pad.path("half.h5"));
        REQUIRE(ended);
        CHECK(ended->note.empty());
        CHECK(ended->at_end.q == whole.at_end.q);
        CHECK(ended->at_end.u == whole.at_end.u);
        CHECK(ended->events.size() == whole.events.size());
        CHECK(ended->status == whole.status);
        CHECK(ended->certificate.max_penetration_m == whole.certificate.max_penetration_m);
        CHECK(ended->record.time_s == whole.record.time_s);
        CHECK(ended->record.q == whole.record.q);
        CHECK(ended->steps_now == whole.certificate.steps - 100);

        // there is nothing left to do then, but a longer run goes on
        const auto again = resume(pad.path("half.h5"));
        REQUIRE(again);
        CHECK(again->note == "the run is complete");
        CHECK(again->at_end.q == whole.at_end.q);
        if (scene.sweeping) continue;  // it fits its steps to its duration
        const auto longer = resume(
            pad.path("half.h5"),
            {.overrides = {{.path = "duration_s", .value = std::to_string(2 * scene.plan.duration_s)}}});
        REQUIRE(longer);
        CHECK(longer->at_end.t_s == doctest::Approx(2 * scene.plan.duration_s));
    }
}

TEST_CASE(
    "packed frames are the same from one thread and from two, stopped and resumed, and round those in memory")
{
    // balls fall into a heap; 14 coordinates and velocities a ball
    const std::string heap = R"toml(duration_s = 0.4
[[material]]
name = "stone"
friction = 0.4
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
copies = [3, 3, 5]
position_m = ["0.19*i + 0.01*k", "0.19*j", "0.11 + 0.23*k"]
[solver]
tolerance = 1e-4
[record]
every_s = 0.002
precision = "single"
)toml";
    const Scratchpad pad;
    const Scene scene = scene_of(heap);
    const Run memory = good_run(scene);
    const Run alone = good_run(scene, {.recording = pad.path("one.h5")});
    const auto one = read_recording(pad.path("one.h5"));
    REQUIRE(one);
    {
        const Threads two(2);
        static_cast<void>(good_run(scene, {.recording = pad.path("two.h5")}));
        std::atomic<bool> stop = false;
        static_cast<void>(good_run(scene, {.recording = pad.path("half.h5"),
                                           .listener =
                                               [&](const StepRecord& step) {
                                                   stop = step.step() >= 133;
                                                   return true;
                                               },
                                           .stop = &stop}));
        REQUIRE(resume(pad.path("half.h5")));
    }
    REQUIRE(one->bodies.first.size() > 3000);
    for (const char* name : {"two.h5", "half.h5"}) {
        CAPTURE(name);
        const auto other = read_recording(pad.path(name));
        REQUIRE(other);
        CHECK(other->settings.precision == RecordPrecision::Single);
        CHECK(other->time_s == one->time_s);
        CHECK(other->q == one->q);
        CHECK(other->u == one->u);
        CHECK(other->bodies.first_row == one->bodies.first_row);
        CHECK(other->bodies.first == one->bodies.first);
        CHECK(other->bodies.second == one->bodies.second);
        CHECK(other->bodies.point_m == one->bodies.point_m);
        CHECK(other->bodies.percussion_Ns == one->bodies.percussion_Ns);
        CHECK(other->bodies.half_way_m == one->bodies.half_way_m);
        CHECK(other->checkpoint->state.q == one->checkpoint->state.q);
    }
    const RecordedBodies &packed = one->bodies, &exact = memory.record.bodies;
    REQUIRE(packed.first_row == exact.first_row);
    CHECK(packed.first == exact.first);
    CHECK((packed.point_m - exact.point_m).cwiseAbs().maxCoeff() <
          6e-8 * exact.point_m.cwiseAbs().maxCoeff());
    CHECK((packed.normal - exact.normal).cwiseAbs().maxCoeff() < 1.6e-5);
    CHECK((packed.percussion_Ns - exact.percussion_Ns).cwiseAbs().maxCoeff() <
          1.6e-5 * exact.percussion_Ns.cwiseAbs().maxCoeff());
    CHECK(packed.friction[0] == doctest::Approx(0.4).epsilon(1e-7));
    CHECK(alone.at_end.q == memory.at_end.q);
}

TEST_CASE("what cannot be run or resumed is told before the first step")
{
    const Scratchpad pad;
    const Scene scene = scene_of(block);
    const auto code = [](const auto& result) {
        REQUIRE_FALSE(result);
        return result.error().front().code;
    };
    CHECK(code(run(scene, {.at_s = {0.1, 7, -1}})) == ErrorCode::SettingOutOfRange);
    CHECK(run(scene, {.at_s = {0.1, 7, -1}}).error().size() == 2);
    CHECK(code(run(scene, {.recording = pad.path("no/such/folder.h5")})) == ErrorCode::FileUnwritable);
    CHECK(code(resume(pad.path("nothing.h5"))) == ErrorCode::FileUnreadable);

    static_cast<void>(good_run(scene, {.recording = pad.path("run.h5")}));
    CHECK(code(resume(pad.path("run.h5"), {.overrides = {{.path = "solver.tolerance", .value = "1"}}})) ==
          ErrorCode::NotAllowedHere);
    CHECK(code(resume(pad.path("run.h5"), {.overrides = {{.path = "duration_s", .value = "0.1"}}})) ==
          ErrorCode::SettingOutOfRange);
    static_cast<void>(good_run(scene_of(play), {.recording = pad.path("play.h5")}));
    CHECK(code(resume(pad.path("play.h5"), {.overrides = {{.path = "duration_s", .value = "2"}}})) ==
          ErrorCode::NotAllowedHere);
}

TEST_CASE(
    "problems that a run keeps are solved again, with both errors and the velocities of their percussions")
{
    const Scratchpad pad;
    const Run run = good_run(
        scene_of(block),
        {.problems = {.which = KeepProblems::Which::Worst, .count = 3, .folder = pad.path("problems")}});
    CHECK(run.problems.written == 3);
    CHECK(run.problems.left_out == 0);
    std::vector<ProblemFile> files;
    for (const auto& entry : fs::directory_iterator(pad.path("problems"))) {
        auto file = read_problem(entry.path().string());
        REQUIRE(file);
        files.push_back(std::move(*file));
    }
    REQUIRE(files.size() == 3);
    const SolveTask task{.settings = {.tolerance = 1e-10}};
    for (const ProblemFile& file : files) {
        const OneStepProblem& problem = file.loaded.problem;
        const SolvedProblem solved = solve_problem(problem, task);
        CHECK(solved.solved());
        CHECK(solved.check.unit_free <= 1e-10);
        CHECK(solved.check.siconos <= 1e-10);
        CHECK(solved.W.negative == 0);
        REQUIRE(solved.P.size() == static_cast<std::size_t>(problem.size()));
        std::vector<double> U(solved.P.size());
        local_velocity(problem, solved.P, U);
        CHECK(U == solved.U);
    }

    // every solver on all of them
    const Comparison comparison = compare_solvers(files, task);
    CHECK(comparison.runs.size() == 3 * all_solver_kinds().size());
    const Profile profile = profile_of(comparison);
    CHECK(profile.factors.front() == 1);
    for (const ProfileLine& line : profile.lines)
        CHECK(line.part.back() >= line.part.front());
    CHECK_FALSE(solver_named("gauss_seidle"));
    CHECK(solver_named("gauss_seidle").error().hint.starts_with("did you mean gauss_seidel?"));
}
