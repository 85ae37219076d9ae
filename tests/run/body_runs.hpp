#pragma once

#include "stepping/body_memory.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

/// Bodies and runs that several files of tests need.
namespace carom::test {

inline constexpr double g = 9.81;

inline BodyModel model_of(BodySetup setup)
{
    auto model = make_body_model(std::move(setup));
    if (!model) {
        for (const Error& error : model.error()) {
            MESSAGE(to_text(error));
        }
        FAIL("the bodies were refused");
    }
    return std::move(*model);
}

inline Body floor_body(const Vec3& normal = Vec3::UnitZ())
{
    return {.name = "floor", .shape = PlaneShape{normal.normalized(), 0}, .motion = BodyMotion::Fixed};
}

inline Body box(const Vec3& size, const Vec3& at, double mass_kg = 1)
{
    return {.shape = BoxShape{size}, .pose = {.position_m = at}, .mass_kg = mass_kg};
}

inline Body ball(double radius, const Vec3& at, double mass_kg = 1)
{
    return {.shape = SphereShape{radius}, .pose = {.position_m = at}, .mass_kg = mass_kg};
}

/// A run whose every step must be solved with a closed ledger.
struct Run {
    BodyModel model;
    State state = make_body_state(model);
    std::unique_ptr<BodyStepMemory> scratch = std::make_unique<BodyStepMemory>();
    MoreauSettings settings = {.time_step_s = 1.0 / 240};
    SolverSettings solver = {};
    EnergyLines sums = {};
    double deepest_m = 0;
    double worst_violation = 0;

    void step()
    {
        const StepReport report = body_step(model, settings, solver, state, *scratch);
        REQUIRE(report.status == StepStatus::Solved);
        const EnergyLines& lines = report.energy;
        // every line is computed from its own formula; what remains is rounding
        const double scale = std::abs(report.at_end.kinetic_J) + std::abs(report.at_end.potential_J) + 1e-3;
        REQUIRE(std::abs(lines.balance_J()) <= 1e-11 * (scale + lines.magnitude_J()));
        sums.impact_J += lines.impact_J;
        sums.friction_J += lines.friction_J;
        deepest_m = std::max(deepest_m, report.max_penetration_m);
        worst_violation = std::max(worst_violation, report.max_violation);
    }
    void until(double t_s)
    {
        const long last = std::lround(t_s / settings.time_step_s);
        for (long n = std::lround(state.t_s / settings.time_step_s); n < last; ++n) {
            step();
        }
    }
};

inline double drift(const Run& run)
{
    const State start = make_body_state(run.model);
    double worst = 0;
    for (int i = 0; i < run.model.bodies(); ++i) {
        worst = std::max(worst, (run.state.x[i] - start.x[i]).norm());
    }
    return worst;
}

inline Vec3 angular_momentum(const Run& run, int i)
{
    return run.state.R[i] * (run.model.inertia[i] * run.state.W[i]);
}

}  // namespace carom::test
