#include "support.hpp"
#include "support/near.hpp"

#include "carom/convex/sets.hpp"
#include "carom/trace/export.hpp"
#include "carom/trace/page.hpp"

#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

/// A bead of 1 kg on a ring of radius 1 that rubs, under gravity.
Model bead_on_ring()
{
    LagrangianSystem system;
    system.coordinates = {{.name = "x"}, {.name = "y"}};
    system.kinetic =
        record(2, [](const auto&, const auto& u, const auto&) { return 0.5 * (u[0] * u[0] + u[1] * u[1]); });
    system.potential = record(2, [](const auto& q, const auto&, const auto&) { return g * q[1]; });
    Constraint ring{.name = "ring"};
    ring.zero = {
        record(2, [](const auto& q, const auto&, const auto&) { return q[0] * q[0] + q[1] * q[1] - 1.0; })};
    ring.velocity = {
        record(2, [](const auto& q, const auto& u, const auto&) { return q[0] * u[1] - q[1] * u[0]; })};
    ring.limits = {{.set = std::make_shared<const Interval>(*Interval::make(-1, 1)),
                    .size = Formula::constant(0.2),
                    .pressed_by = "ring"}};
    system.constraints = {ring};
    auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    return std::move(*model);
}

}  // namespace

TEST_CASE("reactions of constraints and their work are recorded, and a resumed recording is the same")
{
    const Folder folder;
    const Model model = bead_on_ring();
    const State start = make_state(model, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 3));
    const double h = 1e-3;
    const RecordSettings settings{.every_s = 0.0105};
    const MoreauSettings step{.time_step_s = h};
    const RunPlan plan{.duration_s = 0.5, .until = {}};

    // in one go, with what the listener sees
    double tangential_Ns = 0, work_J = 0;
    State end = start;
    auto recorder = Recorder::create(folder / "whole.h5", model, "", "", settings, start, 0.5, h);
    REQUIRE(recorder.has_value());
    const RunReport report = simulate(model, step, {}, plan, end, [&](const StepView& view) {
        tangential_Ns += view.after.percussion_Ns[1];
        work_J += view.reaction_J[0];
        return (*recorder)(view);
    });
    REQUIRE(recorder->finish(report).has_value());
    const Recording whole = read(folder / "whole.h5");
    REQUIRE(whole.constraints.names == std::vector<std::string>{"ring"});
    REQUIRE(whole.constraints.reactions == std::vector<std::string>{"ring.1", "ring.2"});
    CHECK(whole.constraints.percussion_Ns.col(1).sum() == near(tangential_Ns, 1e-12));
    CHECK(whole.constraints.energy_J(whole.frames() - 1, 0) == near(work_J, 1e-12));
    CHECK(work_J < 0);
    CHECK(work_J == near(report.certificate.energy.friction_J, 1e-12));
    CHECK(whole.report->certificate.max_violation == report.certificate.max_violation);
    CHECK(to_csv(whole).find("percussion_Ns.ring.2,energy_J.ring") != std::string::npos);
    CHECK(to_page(whole).find("reaction of ring.2") != std::string::npos);

    // put down after 201 steps and taken up again
    {
        RunSoFar run = start_run(model, start);
        auto part = Recorder::create(folder / "part.h5", model, "", "", settings, start, 0.5, h);
        REQUIRE(part.has_value());
        const RunReport stopped = resume_run(model, step, {}, plan, run, [&](const StepView& view) {
            return (*part)(view) && view.step < 201;
        });
        REQUIRE(part->finish(stopped).has_value());
    }
    const Recording part = read(folder / "part.h5");
    auto run = run_at_checkpoint(part, model);
    REQUIRE(run.has_value());
    auto resumed = Recorder::resume(folder / "part.h5", model);
    REQUIRE(resumed.has_value());
    const RunReport rest =
        resume_run(model, step, {}, plan, *run, [&](const StepView& view) { return (*resumed)(view); });
    REQUIRE(resumed->finish(rest).has_value());
    const Recording joined = read(folder / "part.h5");
    CHECK(same_bits(joined.constraints.percussion_Ns, whole.constraints.percussion_Ns));
    CHECK(same_bits(joined.constraints.energy_J, whole.constraints.energy_J));
    CHECK(joined.report->certificate.max_violation == whole.report->certificate.max_violation);
}

TEST_CASE("events of a constraint name it in the recording and on its page, also where percussions are not "
          "recorded")
{
    const Folder folder;
    const Model model = bead_on_ring();
    const State start = make_state(model, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 3));
    for (const bool percussions : {true, false}) {
        CAPTURE(percussions);
        State end = start;
        auto recorder = Recorder::create(folder / "run.h5", model, "", "",
                                         {.every_s = 0.01, .percussions = percussions}, start, 0.5, 1e-3);
        REQUIRE(recorder.has_value());
        const RunReport report =
            simulate(model, MoreauSettings{.time_step_s = 1e-3}, {}, {.duration_s = 0.5, .until = {}}, end,
                     [&](const StepView& view) { return (*recorder)(view); });
        REQUIRE(recorder->finish(report).has_value());

        // thrown upwards at 3 m/s it comes back after some 0.3 s: its slip turns round
        REQUIRE(!report.events.empty());
        const Recording recording = read(folder / "run.h5");
        CHECK(recording.events.size() == report.events.size());
        CHECK(recording.event_names == std::vector<std::string>{"ring"});
        CHECK(to_page(recording).find(R"("event_names":["ring"])") != std::string::npos);
    }
}
