#include "support.hpp"

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <random>

using namespace carom;
using namespace carom::test;

namespace {

constexpr double h = 1e-3;

MoreauSettings ball_settings()
{
    MoreauSettings settings;
    settings.time_step_s = h;
    return settings;
}

RunPlan plan_of(double duration_s)
{
    RunPlan plan;
    plan.duration_s = duration_s;
    return plan;
}

RunReport ball_run(const Model& model, double duration_s, const StepListener& listener)
{
    State state = dropped(model);
    return simulate(model, ball_settings(), {}, plan_of(duration_s), state, listener);
}

RecordSettings frames_between_steps()
{
    RecordSettings settings;
    settings.every_s = 0.0037;
    return settings;
}

/// So often that a process is nearly always busy with one.
constexpr CheckpointSettings very_often{.step_rows = 30, .frames = 2, .bytes = 1000};

Expected<Recorder> recorder_at(const std::string& path, const Model& model, double duration_s,
                               const CheckpointSettings& checkpoints)
{
    return Recorder::create(path, model, "a ball", "text", frames_between_steps(), dropped(model), duration_s,
                            h, checkpoints, {0.3, 0.0, 0.12345, 0.9});
}

/// A process that records, tells through a pipe that it has begun, and ends without cleaning up.
pid_t start_recording(const std::string& path, const Model& model, double duration_s)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        auto recorder = recorder_at(path, model, duration_s, very_often);
        if (!recorder || ::write(ends[1], "b", 1) != 1) ::_exit(1);
        const RunReport report = ball_run(model, duration_s, std::ref(*recorder));
        ::_exit(recorder->finish(report) ? 0 : 1);
    }
    ::close(ends[1]);
    char begun = 0;
    CHECK(::read(ends[0], &begun, 1) == 1);
    ::close(ends[0]);
    return child;
}

/// The frames of `part` are the first of `whole`, but for a frame at its end.
void check_begins(const Recording& part, const Recording& whole)
{
    REQUIRE(part.frames() <= whole.frames());
    const Eigen::Index rows = part.frames();
    CHECK(same_bits(part.time_s, whole.time_s.head(rows)));
    CHECK(same_bits(part.q, whole.q.topRows(rows)));
    CHECK(same_bits(part.u, whole.u.topRows(rows)));
    CHECK(same_bits(part.percussion_Ns, whole.percussion_Ns.topRows(rows)));
    CHECK(same_bits(*part.energy("scheme_J"), whole.energy("scheme_J")->head(rows)));

    // nothing that the checkpoint counts is missing
    CHECK(rows == part.checkpoint->next_frame);
}

}  // namespace

TEST_CASE("a recording whose process was killed at any of 100 moments is readable and goes on")
{
    const double duration_s = 1.0;
    const Folder folder;
    const Model model = ball_and_wheel(0.9);
    const std::string path = folder / "run.h5";

    auto recorder = recorder_at(folder / "whole.h5", model, duration_s, {});
    REQUIRE(recorder.has_value());
    REQUIRE(recorder->finish(ball_run(model, duration_s, std::ref(*recorder))).has_value());
    const Recording whole = read(folder / "whole.h5");

    // the moments are random, whatever they are the file must be whole
    std::mt19937 random(20240607);
    std::uniform_int_distribution<int> microseconds(0, 20'000);
    int unfinished = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        CAPTURE(attempt);
        const pid_t child = start_recording(path, model, duration_s);
        ::usleep(static_cast<useconds_t>(microseconds(random)));
        REQUIRE(::kill(child, SIGKILL) == 0);
        REQUIRE(::waitpid(child, nullptr, 0) == child);

        const Recording part = read(path);
        if (part.report) continue;
        ++unfinished;
        check_begins(part, whole);

        // going on gives the whole run; leftovers of the killed process do not disturb
        auto recorder_again = Recorder::resume(path, model);
        REQUIRE(recorder_again.has_value());
        auto run = run_at_checkpoint(part, model);
        REQUIRE(run.has_value());
        const RunReport report =
            resume_run(model, ball_settings(), {}, plan_of(duration_s), *run, std::ref(*recorder_again));
        REQUIRE(recorder_again->finish(report).has_value());
        check_same_rows(whole, read(path));
        CHECK_FALSE(std::filesystem::exists(path + ".next"));
    }
    // a whole run needs about 500 checkpoints, many times 20 ms: kills hit a process at work
    CHECK(unfinished >= 80);
}

TEST_CASE("someone who keeps the file open sees the version that was opened")
{
    const double duration_s = 4.0;
    const Folder folder;
    const Model model = ball_and_wheel(0.9);
    const std::string path = folder / "run.h5";
    auto recorder = recorder_at(path, model, duration_s, very_often);
    REQUIRE(recorder.has_value());
    hid_t reader = -1, times = -1;
    const auto rows_seen = [&] {
        const hid_t space = H5Dget_space(times);
        const auto rows = H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
        return rows;
    };
    hssize_t rows_opened = 0;
    const RunReport report = ball_run(model, duration_s, [&](const StepView& view) {
        if (view.step == 1000) {
            reader = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
            times = H5Dopen2(reader, "/time_s", H5P_DEFAULT);
            REQUIRE(times >= 0);
            rows_opened = rows_seen();
        }
        return (*recorder)(view);
    });
    REQUIRE(recorder->finish(report).has_value());

    // the values that were there are there still
    std::vector<double> values(static_cast<std::size_t>(rows_opened));
    CHECK(rows_seen() == rows_opened);
    REQUIRE(H5Dread(times, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    const Recording whole = read(path);
    CHECK(whole.report.has_value());
    CHECK(rows_opened > 200);
    CHECK(whole.frames() > 4 * rows_opened - 10);
    for (std::size_t i = 0; i < values.size(); ++i) {
        REQUIRE(same_bits(values[i], whole.time_s[static_cast<Eigen::Index>(i)]));
    }
    H5Dclose(times);
    H5Fclose(reader);
}

TEST_CASE("a full disk ends the run with an error and keeps what was recorded")
{
    const double duration_s = 4.0;
    const Folder folder;
    const Model model = ball_and_wheel(0.9);
    const std::string path = folder / "run.h5";
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // files may not grow beyond what the first frame needs and a little more
        auto recorder = recorder_at(path, model, duration_s, very_often);
        if (!recorder) ::_exit(10);
        ::signal(SIGXFSZ, SIG_IGN);
        const auto bytes = std::filesystem::file_size(path) + 20'000;
        const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(11);
        const RunReport report = ball_run(model, duration_s, std::ref(*recorder));
        if (report.end != RunEnd::Listener) ::_exit(12);
        const auto finished = recorder->finish(report);
        if (finished || finished.error().code != ErrorCode::FileUnwritable) ::_exit(13);
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    const Recording part = read(path);
    CHECK_FALSE(part.report.has_value());
    CHECK(part.frames() == part.checkpoint->next_frame);
}
