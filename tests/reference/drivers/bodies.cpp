#include "bodies.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

BodyModel checked(BodySetup setup)
{
    auto model = make_body_model(std::move(setup));
    if (!model) throw DriverFailure(model.error().front().where + ": " + model.error().front().message);
    return std::move(*model);
}

}  // namespace

BodyMotionRun::BodyMotionRun(BodySetup setup, double time_step_s, double tolerance)
    : model_(checked(std::move(setup))),
      state_(make_body_state(model_)),
      start_(state_),
      settings_{.time_step_s = time_step_s, .activation_gap_m = 1e-9 * model_.length_m()},
      solver_{.tolerance = tolerance}
{
}

void BodyMotionRun::step()
{
    const StepReport report = body_step(model_, settings_, solver_, state_, *scratch_);
    if (report.status != StepStatus::Solved) throw DriverFailure("a step of the bodies was not solved");
}

void BodyMotionRun::run(double duration_s)
{
    const long steps = std::lround(duration_s / settings_.time_step_s);
    for (long n = 0; n < steps; ++n) {
        step();
    }
}

double BodyMotionRun::fastest_m_s() const
{
    double fastest = 0;
    for (const Vec3& v : state_.v) {
        fastest = std::max(fastest, v.norm());
    }
    return fastest;
}

double BodyMotionRun::drift_m() const
{
    double farthest = 0;
    for (std::size_t i = 0; i < state_.x.size(); ++i) {
        farthest = std::max(farthest, (state_.x[i] - start_.x[i]).norm());
    }
    return farthest;
}

double BodyMotionRun::normal_force_N(int upper, int lower) const
{
    double sum = 0;
    for (const BodyContact& contact : contacts()) {
        const bool same = contact.first == std::min(upper, lower) && contact.second == std::max(upper, lower);
        if (same) sum += contact.P[0];
    }
    return sum / settings_.time_step_s;
}

}  // namespace carom::reference
