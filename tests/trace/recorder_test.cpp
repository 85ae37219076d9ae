#include "carom/core/version.hpp"
#include "support.hpp"
#include "support/near.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

MoreauSettings step_of(double h)
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

}  // namespace

TEST_CASE("what a run did is read back bit for bit")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    const double h = 1e-3;
    State state = dropped(model);

    // an independent listener keeps what the frames must hold: one frame a step
    std::vector<State> states{state};
    std::vector<double> percussions{0}, residuals{0}, impact_J{0};
    EnergyLedger ledger;
    const RecordSettings settings{.every_s = h};
    auto recorder = Recorder::create(folder / "run.h5", model, "ball & <wheel>", "text of the scene\nline 2",
                                     settings, state, 1.0, h);
    REQUIRE(recorder.has_value());
    const RunReport report = simulate(model, step_of(h), {}, plan_of(1.0), state, [&](const StepView& view) {
        states.push_back(view.after);
        percussions.push_back(view.after.percussion_Ns[0]);
        residuals.push_back(view.report.solve.residual.unit_free);
        ledger.add(view.report.energy);
        impact_J.push_back(ledger.totals().impact_J);
        return (*recorder)(view);
    });
    REQUIRE(recorder->finish(report).has_value());

    const Recording run = read(folder / "run.h5");
    CHECK(run.title == "ball & <wheel>");
    CHECK(run.scene_text == "text of the scene\nline 2");
    CHECK(run.carom_version == version);
    CHECK(run.coordinates[1].name == "phi");
    CHECK(run.coordinates[1].unit == "rad");
    CHECK(run.contacts == std::vector<std::string>{"floor"});
    REQUIRE(run.frames() == 1001);
    for (Eigen::Index i = 0; i < run.frames(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        REQUIRE(same_bits(run.time_s[i], static_cast<double>(i) * h));
        REQUIRE(same_bits(run.q.row(i), states[k].q.transpose()));
        REQUIRE(same_bits(run.u.row(i), states[k].u.transpose()));
        REQUIRE(same_bits(run.gap_m(i, 0), states[k].q[0]));
        REQUIRE(same_bits(run.percussion_Ns(i, 0), percussions[k]));
        REQUIRE(same_bits(run.residual[i], residuals[k]));
        REQUIRE(same_bits((*run.energy("impact_J"))[i], impact_J[k]));
        // T = u1^2 + u2^2/2 and V = 2 g z for this model; a few roundings of numbers of order 20
        REQUIRE((*run.energy("kinetic_J"))[i] ==
                near(states[k].u[0] * states[k].u[0] + states[k].u[1] * states[k].u[1] / 2, 1e-13));
        REQUIRE((*run.energy("potential_J"))[i] == near(2 * g * states[k].q[0], 1e-13));
    }
    CHECK(run.probes[0].name == "speed squared");
    CHECK(run.probes[1].name == "a/b");
    CHECK(run.probes[1].unit == "s");
    CHECK(same_bits(run.probes[1].values, Eigen::VectorXd(3.0 * run.time_s)));

    // events and jumps are those of the run
    REQUIRE(run.report.has_value());
    REQUIRE(run.events.size() == report.events.size());
    CHECK(run.events.size() >= 1);
    for (std::size_t i = 0; i < run.events.size(); ++i) {
        CHECK(same_bits(run.events[i].time_s, report.events[i].time_s));
        CHECK(run.events[i].step == report.events[i].step);
        CHECK(run.events[i].kind == report.events[i].kind);
        CHECK(same_bits(run.events[i].percussion_Ns, report.events[i].percussion_Ns));
        CHECK(same_bits(run.events[i].energy_J, report.events[i].energy_J));
    }
    const auto struck = static_cast<std::size_t>(run.events[0].step);
    CHECK(same_bits(run.jumps.time_s[0], run.events[0].time_s));
    CHECK(same_bits(run.jumps.u_minus.row(0), states[struck - 1].u.transpose()));
    CHECK(same_bits(run.jumps.u_plus.row(0), states[struck].u.transpose()));

    // the certificate went through JSON, which keeps every bit of a double
    CHECK(run.report->status == report.status);
    CHECK(run.report->end == report.end);
    CHECK(same_bits(run.report->certificate.max_residual, report.certificate.max_residual));
    CHECK(same_bits(run.report->certificate.energy.impact_J, report.certificate.energy.impact_J));
    CHECK(run.report->certificate.steps == 1000);

    // and the state for going on
    CHECK(run.checkpoint->progress.steps == 1000);
    CHECK(same_bits(run.checkpoint->state.t_s, state.t_s));
    CHECK(same_bits(run.checkpoint->state.q, state.q));
    CHECK(run.checkpoint->state.closed == state.closed);
    CHECK(run.checkpoint->state.percussion_Ns == state.percussion_Ns);
    CHECK_FALSE(std::filesystem::exists(folder / "run.h5.next"));
}

TEST_CASE("frames are at start + k every_s and at the end, whatever the step")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    const double start = 5.0, every = 0.013, h = 2e-3, duration = 0.25;
    const auto [report, run] =
        run_and_record(model, dropped(model, start), folder / "run.h5", duration, h, {.every_s = every});

    // 0.25 / 0.013 = 19.2: frames 0 .. 19 and the end
    REQUIRE(run.frames() == 21);
    for (Eigen::Index k = 0; k < 20; ++k) {
        CHECK(same_bits(run.time_s[k], start + static_cast<double>(k) * every));
        // the wheel turns evenly: linear interpolation is exact to roundoff of q of order 1
        CHECK(run.q(k, 1) == near(2 * (run.time_s[k] - start), 1e-13));
        // the ball falls: linear between points of the parabola, off by at most g h^2 / 8
        const double t = run.time_s[k] - start;
        CHECK(run.q(k, 0) == near(1 - g * t * t / 2, g * h * h / 8 + 1e-12));
    }
    CHECK(run.time_s[20] == near(start + duration, 1e-14));
    CHECK(run.u(20, 0) == near(-g * duration, 1e-12));
}

TEST_CASE("a frame where a step ends shows the state there, bit for bit")
{
    // k (9 h) and (9 k) h differ in their last digit for some k
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    const double h = 1e-3, every = 9e-3;
    State state = dropped(model);
    std::vector<State> states{state};
    auto recorder = Recorder::create(folder / "run.h5", model, "", "", {.every_s = every}, state, 0.9, h);
    REQUIRE(recorder.has_value());
    const RunReport report = simulate(model, step_of(h), {}, plan_of(0.9), state, [&](const StepView& view) {
        states.push_back(view.after);
        return (*recorder)(view);
    });
    REQUIRE(recorder->finish(report).has_value());
    const Recording run = read(folder / "run.h5");
    REQUIRE(run.frames() == 101);
    int last_digits = 0;
    for (Eigen::Index k = 0; k < run.frames(); ++k) {
        const State& at = states[static_cast<std::size_t>(9 * k)];
        CHECK(same_bits(run.q.row(k), at.q.transpose()));
        CHECK(same_bits(run.u.row(k), at.u.transpose()));
        if (!same_bits(run.time_s[k], at.t_s)) ++last_digits;
    }
    CHECK(last_digits > 0);
}

TEST_CASE("every_s = 0 gives a thousandth of the duration, at least a step")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.5);
    CHECK(run_and_record(model, dropped(model), folder / "a.h5", 0.2, 1e-4).recording.every_s ==
          near(2e-4, 1e-18));
    CHECK(run_and_record(model, dropped(model), folder / "b.h5", 0.2, 1e-3).recording.every_s ==
          near(1e-3, 1e-18));
}

TEST_CASE("percussions of frames far apart add up to the momentum that the floor gave")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.7);
    const State start = dropped(model);
    const auto [report, run] = run_and_record(model, start, folder / "run.h5", 3.0, 1e-3, {.every_s = 0.31});

    // m (u_end - u_start) = P - m g T, m = 2 kg; 3000 roundings of numbers below 20
    const double momentum = 2 * run.u(run.frames() - 1, 0);
    CHECK(run.percussion_Ns.col(0).sum() == near(momentum + 2 * g * 3.0, 1e-9));

    // and the last frame's ledger is the certificate's
    for (const char* name : {"impact_J", "scheme_J", "correction_J"}) {
        CAPTURE(name);
        CHECK(run.energy(name)->size() == run.frames());
    }
    CHECK(same_bits((*run.energy("impact_J"))[run.frames() - 1], report.certificate.energy.impact_J));
    CHECK(same_bits((*run.energy("scheme_J"))[run.frames() - 1], report.certificate.energy.scheme_J));
}

TEST_CASE("titles and scenes of any length are kept")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.7);
    const std::string title(200'000, 't'), scene(3'000'000, 's');
    for (const auto& [t, s] : {std::pair{title, scene}, std::pair{std::string(), std::string()}}) {
        const auto recorder = Recorder::create(folder / "run.h5", model, t, s, {}, dropped(model), 1.0, 1e-3);
        REQUIRE(recorder.has_value());
        const Recording run = read(folder / "run.h5");
        CHECK(run.title == t);
        CHECK(run.scene_text == s);
    }
}

TEST_CASE("what was not asked for is not recorded")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.7);
    const RecordSettings settings{.every_s = 0.01,
                                  .velocities = false,
                                  .gaps = false,
                                  .percussions = false,
                                  .energies = false,
                                  .probes = false};
    const Recording run =
        run_and_record(model, dropped(model), folder / "run.h5", 0.1, 1e-3, settings).recording;
    CHECK(run.q.rows() == 11);
    CHECK(run.u.size() == 0);
    CHECK(run.gap_m.size() == 0);
    CHECK(run.percussion_Ns.size() == 0);
    CHECK(run.energies.empty());
    CHECK(run.probes.empty());
}

TEST_CASE("the same run gives the same bytes but for the instant when the file was made")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.9);
    static_cast<void>(run_and_record(model, dropped(model), folder / "a.h5", 0.5, 1e-3));
    ::sleep(1);  // HDF5's time stamps count seconds
    static_cast<void>(run_and_record(model, dropped(model), folder / "b.h5", 0.5, 1e-3));
    const auto bytes = [](const std::string& path) {
        std::ostringstream out;
        out << std::ifstream(path, std::ios::binary).rdbuf();
        return out.str();
    };
    const std::string a = bytes(folder / "a.h5"), b = bytes(folder / "b.h5");
    REQUIRE(a.size() == b.size());
    std::size_t different = 0, last = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;
        ++different;
        last = i;
    }
    // four stamps and a checksum, of four bytes each, in the header of the root, the first object of the file
    CHECK(different <= 20);
    CHECK(last < 1024);
}

TEST_CASE("how often checkpoints are made does not change what is recorded")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.9);
    const RecordSettings settings{.every_s = 0.004};
    const auto rare = run_and_record(model, dropped(model), folder / "rare.h5", 2.0, 1e-3, settings);
    const auto often = run_and_record(model, dropped(model), folder / "often.h5", 2.0, 1e-3, settings,
                                      {.step_rows = 9, .frames = 3, .bytes = 1000});
    check_same_rows(rare.recording, often.recording);
}

TEST_CASE("a recording that was dropped goes on and ends as an uninterrupted one")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.1);
    const double h = 1e-3, duration = 1.5;
    // the ball rests on the floor by then, so every step has a percussion, and steps end between frames:
    // what was added up since the last frame matters
    const RecordSettings settings{.every_s = 0.0137};
    const auto whole = run_and_record(model, dropped(model), folder / "whole.h5", duration, h, settings);

    // dropped after 777 steps, without finish()
    {
        State state = dropped(model);
        auto recorder =
            Recorder::create(folder / "run.h5", model, "a ball", "scene text", settings, state, duration, h);
        REQUIRE(recorder.has_value());
        static_cast<void>(
            simulate(model, step_of(h), {}, plan_of(duration), state,
                     [&](const StepView& view) { return (*recorder)(view) && view.step < 777; }));
    }
    const Recording half = read(folder / "run.h5");
    CHECK_FALSE(half.report.has_value());
    CHECK(half.checkpoint->progress.steps == 777);
    CHECK(half.checkpoint->percussion_since_frame_Ns[0] > 0);
    CHECK(half.checkpoint->state.closed[0] != 0);
    CHECK_FALSE(std::filesystem::exists(folder / "run.h5.next"));

    // goes on with the steps after the checkpoint
    auto recorder = Recorder::resume(folder / "run.h5", model);
    REQUIRE(recorder.has_value());
    auto run = run_at_checkpoint(half, model);
    REQUIRE(run.has_value());
    const RunReport report = resume_run(model, step_of(h), {}, plan_of(duration), *run, std::ref(*recorder));
    REQUIRE(recorder->finish(report).has_value());
    check_same_rows(whole.recording, read(folder / "run.h5"));

    // a finished one does not
    const auto again = Recorder::resume(folder / "run.h5", model);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code == ErrorCode::FileUnwritable);
}

TEST_CASE("an unfinished recording goes on only with its own model")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.9), other = ball_and_wheel(0.9, "ceiling");
    {
        const auto recorder =
            Recorder::create(folder / "run.h5", model, "", "", {}, dropped(model), 1.0, 1e-3);
        REQUIRE(recorder.has_value());
    }
    const auto resumed = Recorder::resume(folder / "run.h5", other);
    REQUIRE_FALSE(resumed.has_value());
    CHECK(resumed.error().code == ErrorCode::WrongSize);
}

TEST_CASE("a model without contacts is recorded")
{
    const Folder folder;
    LagrangianSystem system;
    system.coordinates = {{.name = "x"}};
    system.kinetic = record(1, [](const auto&, const auto& u, const auto&) { return 0.5 * u[0] * u[0]; });
    const auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    const State start = make_state(*model, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1));
    const Recording run = run_and_record(*model, start, folder / "run.h5", 1.0, 0.1).recording;
    CHECK(run.frames() == 11);
    CHECK(run.gap_m.rows() == 11);
    CHECK(run.gap_m.cols() == 0);
    CHECK(run.contacts.empty());
}

TEST_CASE("a place that cannot be written is found before the run")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.7);
    const State start = dropped(model);
    const auto refused = [&](const std::string& path) {
        const auto recorder = Recorder::create(path, model, "", "", {}, start, 1.0, 1e-3);
        REQUIRE_FALSE(recorder.has_value());
        CHECK_FALSE(recorder.error().message.empty());
        return recorder.error().code;
    };
    CHECK(refused(folder / "no_such_folder/run.h5") == ErrorCode::FileUnwritable);
    CHECK(refused(folder.path().string()) == ErrorCode::FileUnwritable);
    CHECK(refused(folder / "") == ErrorCode::FileUnwritable);
    CHECK(refused("") == ErrorCode::FileUnwritable);
    CHECK(refused("/dev/null") == ErrorCode::FileUnwritable);

    // a text that someone wrote is not replaced by a slip of the pen
    std::FILE* text = std::fopen((folder / "scene.toml").c_str(), "w");
    REQUIRE(text != nullptr);
    std::fputs("title = \"precious\"\n", text);
    std::fclose(text);
    CHECK(refused(folder / "scene.toml") == ErrorCode::FileUnwritable);
    CHECK(std::filesystem::file_size(folder / "scene.toml") == 19);

    // nothing is left behind
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("settings and sizes out of range are refused")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.7);
    const State start = dropped(model);
    const auto code_of = [&](const RecordSettings& settings, const State& state, double duration, double h) {
        const auto recorder =
            Recorder::create(folder / "run.h5", model, "", "", settings, state, duration, h);
        REQUIRE_FALSE(recorder.has_value());
        return recorder.error().code;
    };
    CHECK(code_of({.every_s = -1}, start, 1, 1e-3) == ErrorCode::SettingOutOfRange);
    CHECK(code_of({.every_s = std::nan("")}, start, 1, 1e-3) == ErrorCode::SettingOutOfRange);
    CHECK(code_of({.every_s = 1e-300}, start, 1, 1e-3) == ErrorCode::SettingOutOfRange);
    CHECK(code_of({}, start, std::nan(""), 1e-3) == ErrorCode::SettingOutOfRange);
    CHECK(code_of({}, start, 1, 0) == ErrorCode::SettingOutOfRange);
    CHECK(code_of({}, State{}, 1, 1e-3) == ErrorCode::WrongSize);
}

TEST_CASE("a recording has one writer at a time, also in one program")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.9);
    const std::string path = folder / "run.h5";
    {
        const auto first = Recorder::create(path, model, "", "", {}, dropped(model), 1.0, 1e-3);
        REQUIRE(first.has_value());
        const auto second = Recorder::create(path, model, "", "", {}, dropped(model), 1.0, 1e-3);
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().message.starts_with("another run writes this"));
        const auto third = Recorder::resume(path, model);
        REQUIRE_FALSE(third.has_value());
        CHECK(third.error().message.starts_with("another run writes this"));
        CHECK(read_recording(path).has_value());  // readers need no lock
    }
    CHECK_FALSE(std::filesystem::exists(path + ".lock"));

    // a finished one is free, although its recorder still lives
    State state = dropped(model);
    auto recorder = Recorder::create(path, model, "", "", {}, state, 0.01, 1e-3);
    REQUIRE(recorder.has_value());
    const RunReport report = simulate(model, step_of(1e-3), {}, plan_of(0.01), state, std::ref(*recorder));
    REQUIRE(recorder->finish(report).has_value());
    CHECK(Recorder::create(path, model, "", "", {}, dropped(model), 1.0, 1e-3).has_value());
}
