#include "support.hpp"

#include <functional>
#include <random>

using namespace carom;
using namespace carom::test;

namespace {

MoreauSettings step_of(double h)
{
    MoreauSettings settings;
    settings.time_step_s = h;
    return settings;
}

RunPlan plan_of(double duration_s, bool until_rest = false)
{
    RunPlan plan;
    plan.duration_s = duration_s;
    plan.until.rest = until_rest;
    return plan;
}

/// A column of blocks that fall on each other: so many contacts that the solver takes its sparse factors,
/// and sets of acting contacts that change all the time.
Model falling_column(int blocks, double restitution)
{
    LagrangianSystem system;
    const auto n = static_cast<std::size_t>(blocks);
    system.kinetic = record(blocks, [n](const auto&, const auto& u, const auto&) {
        auto sum = 0.5 * u[0] * u[0];
        for (std::size_t i = 1; i < n; ++i) {
            sum = sum + 0.5 * u[i] * u[i];
        }
        return sum;
    });
    system.potential = record(blocks, [n](const auto& q, const auto&, const auto&) {
        auto sum = g * q[0];
        for (std::size_t i = 1; i < n; ++i) {
            sum = sum + g * q[i];
        }
        return sum;
    });
    for (std::size_t i = 0; i < n; ++i) {
        system.coordinates.push_back({.name = "z" + std::to_string(i)});
        system.contacts.push_back(
            {.name = "c" + std::to_string(i),
             .gap = record(blocks, [i](const auto& q, const auto&,
                                       const auto&) { return i == 0 ? q[0] + 0.0 : q[i] - q[i - 1]; }),
             .restitution = Formula::constant(restitution)});
    }
    auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    return std::move(*model);
}

State spread(const Model& model)
{
    Eigen::VectorXd q(model.coordinates());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
        q[i] = 0.01 + 0.011 * static_cast<double>(i) + 1e-4 * static_cast<double>(i * i % 7);
    }
    return make_state(model, q, Eigen::VectorXd::Zero(q.size()), 0);
}

/// A run in one go, and one that is put down after some steps and taken up with new memory, many times.
void check_pieces(const Model& model, const State& start, const IntegratorSettings& settings,
                  const RunPlan& plan, unsigned seed)
{
    State end = start;
    const RunReport whole = simulate(model, settings, {}, plan, end);

    std::mt19937 random(seed);
    std::uniform_int_distribution<long> steps(1, 200);
    RunSoFar run = start_run(model, start);
    RunReport last;
    do {
        const long stop = run.progress.steps + steps(random);
        last = resume_run(model, settings, {}, plan, run,
                          [&](const StepView& view) { return view.step < stop; });
    } while (last.end == RunEnd::Listener);

    check_same_report(last, whole);
    REQUIRE(last.events.size() == whole.events.size());
    CHECK(same_bits(run.state.t_s, end.t_s));
    CHECK(same_bits(run.state.q, end.q));
    CHECK(same_bits(run.state.u, end.u));
    CHECK(run.state.percussion_Ns == end.percussion_Ns);
    CHECK(run.state.closed == end.closed);
}

}  // namespace

TEST_CASE("a run taken up between any two steps ends as if it had never been put down")
{
    const Model ball = ball_and_wheel(0.6);
    check_pieces(ball, dropped(ball, 5.0), step_of(1e-3), plan_of(3.0004), 1);

    const Model column = falling_column(30, 0.5);
    check_pieces(column, spread(column), step_of(1e-3), plan_of(1.5), 2);
    const Model soft = falling_column(30, 0.0);
    check_pieces(soft, spread(soft), step_of(1e-3), plan_of(5, true), 3);
    check_pieces(column, spread(column), MoreauJeanSettings{.time_step_s = 1e-3}, plan_of(1.0), 4);
}

TEST_CASE("a run that was put down at its very last step does not go further")
{
    // at rest, and the listener asks for the end at the same step: the plan counts
    const Model model = falling_column(2, 0.0);
    RunSoFar run = start_run(model, spread(model));
    const auto settings = step_of(1e-3);
    const RunReport report = resume_run(model, settings, {}, plan_of(5, true), run,
                                        [](const StepView& view) { return !view.progress.end; });
    CHECK(report.end == RunEnd::Rest);
    const long steps = run.progress.steps;
    CHECK(resume_run(model, settings, {}, plan_of(5, true), run).end == RunEnd::Rest);
    CHECK(run.progress.steps == steps);
}

TEST_CASE("an interrupted recording has a frame at its end and goes on without it")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.3);
    const RecordSettings settings{.every_s = 0.0137};
    const std::string path = folder / "run.h5";
    const double h = 1e-3;

    // interrupted inside the last step, which is shorter than the others, and long before it
    for (const long stop : {1501L, 400L}) {
        CAPTURE(stop);
        const double duration_s = 1.5004;
        const auto whole =
            run_and_record(model, dropped(model), folder / "whole.h5", duration_s, h, settings).recording;
        State state = dropped(model);
        auto recorder = Recorder::create(path, model, "a ball", "scene text", settings, state, duration_s, h);
        REQUIRE(recorder.has_value());
        const RunReport stopped =
            simulate(model, step_of(h), {}, plan_of(duration_s), state,
                     [&](const StepView& view) { return (*recorder)(view) && view.step < stop; });
        REQUIRE(stopped.end == RunEnd::Listener);
        REQUIRE(recorder->finish(stopped).has_value());

        const Recording part = read(path);
        CHECK_FALSE(is_finished(part));
        CHECK(same_bits(part.time_s[part.frames() - 1], state.t_s));
        CHECK(part.checkpoint->progress.steps == std::min(stop, 1500L));

        auto again = Recorder::resume(path, model);
        REQUIRE(again.has_value());
        auto run = run_at_checkpoint(part, model);
        REQUIRE(run.has_value());
        const RunReport report =
            resume_run(model, step_of(h), {}, plan_of(duration_s), *run, std::ref(*again));
        REQUIRE(again->finish(report).has_value());
        check_same_rows(whole, read(path));
    }
}

TEST_CASE("a recorded run goes on with the percussions where its solves begin")
{
    // an iterative solver ends at other bits when it begins elsewhere; at rest the blocks press on each other
    const Folder folder;
    const Model model = falling_column(8, 0.0);
    const SolverSettings solver{.kind = SolverKind::GaussSeidel};
    const RunPlan plan = plan_of(0.6);
    const auto recorded = [&](const std::string& path, long stop) {
        State state = spread(model);
        auto recorder = Recorder::create(path, model, "", "", {.every_s = 0.0021}, state, 0.6, 1e-3);
        REQUIRE(recorder.has_value());
        const RunReport report =
            simulate(model, step_of(1e-3), solver, plan, state,
                     [&](const StepView& view) { return (*recorder)(view) && view.step < stop; });
        REQUIRE(recorder->finish(report).has_value());
        return read(path);
    };
    const Recording whole = recorded(folder / "whole.h5", 1000), part = recorded(folder / "run.h5", 450);
    CHECK(part.checkpoint->state.percussion_Ns[0] > part.checkpoint->state.percussion_Ns[7]);

    auto recorder = Recorder::resume(folder / "run.h5", model);
    REQUIRE(recorder.has_value());
    auto run = run_at_checkpoint(part, model);
    REQUIRE(run.has_value());
    const RunReport report = resume_run(model, step_of(1e-3), solver, plan, *run, std::ref(*recorder));
    REQUIRE(recorder->finish(report).has_value());
    check_same_rows(whole, read(folder / "run.h5"));
}

TEST_CASE("a finished run goes on for longer, and is then the longer run")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    const RecordSettings settings{.every_s = 0.0137};
    const auto whole =
        run_and_record(model, dropped(model), folder / "whole.h5", 2.0, 1e-3, settings).recording;
    const auto part =
        run_and_record(model, dropped(model), folder / "run.h5", 0.7003, 1e-3, settings).recording;

    auto recorder =
        Recorder::resume(folder / "run.h5", model, RunText{.scene = "longer scene", .duration_s = 2.0});
    REQUIRE(recorder.has_value());
    auto run = run_at_checkpoint(part, model);
    REQUIRE(run.has_value());
    const RunReport report = resume_run(model, step_of(1e-3), {}, plan_of(2.0), *run, std::ref(*recorder));
    REQUIRE(recorder->finish(report).has_value());
    const Recording longer = read(folder / "run.h5");
    check_same_rows(whole, longer);
    CHECK(longer.scene_text == "longer scene");
    CHECK(longer.duration_s == 2.0);
}

TEST_CASE("a checkpoint that contradicts the rest of its file is refused")
{
    const Folder folder;
    const Model model = ball_and_wheel(0.8);
    const Recording good =
        run_and_record(model, dropped(model), folder / "run.h5", 0.5, 1e-3, {.every_s = 0.01}).recording;
    REQUIRE(run_at_checkpoint(good, model).has_value());
    const auto code_after = [&](const std::function<void(Recording&)>& change) {
        Recording changed = good;
        change(changed);
        const auto run = run_at_checkpoint(changed, model);
        REQUIRE_FALSE(run.has_value());
        return run.error().code;
    };
    CHECK(code_after([](Recording& r) { r.contacts[0] = "other"; }) == ErrorCode::WrongSize);
    const auto at_other = [&](const std::function<void(Checkpoint&)>& change) {
        return code_after([&](Recording& r) {
            auto checkpoint = std::make_shared<Checkpoint>(*r.checkpoint);
            change(*checkpoint);
            r.checkpoint = std::move(checkpoint);
        });
    };
    CHECK(at_other([](Checkpoint& c) { c.state.t_s = 0.4; }) == ErrorCode::FileMalformed);
    CHECK(at_other([](Checkpoint& c) { c.progress.steps = 400; }) == ErrorCode::FileMalformed);
    // millions of frames would lie between the last one and the checkpoint
    CHECK(code_after([](Recording& r) { r.every_s = 1e-9; }) == ErrorCode::FileMalformed);
}
