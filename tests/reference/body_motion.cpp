#include "body_motion.hpp"
#include "stepping/body_memory.hpp"

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

bool between(const BodyContact& contact, int a, int b)
{
    return (contact.first == a && contact.second == b) || (contact.first == b && contact.second == a);
}

}  // namespace

BodyWalk::BodyWalk(BodySetup setup, const BodyWalkSettings& settings)
    : model_(checked(std::move(setup))),
      state_(make_body_state(model_)),
      start_(state_),
      settings_{.time_step_s = settings.time_step_s,
                .activation_gap_m = settings.activation_length * model_.length_m(),
                .correction = settings.correction},
      solver_{.tolerance = settings.tolerance},
      accept_unsolved_(settings.accept_unsolved)
{
}

void BodyWalk::step(double h_s)
{
    MoreauSettings settings = settings_;
    settings.time_step_s = h_s;
    report_ = body_step(model_, settings, solver_, state_, *scratch_);
    const bool good =
        report_.status == StepStatus::Solved || (accept_unsolved_ && report_.status == StepStatus::NotSolved);
    if (!good) throw DriverFailure("a step of the bodies was not solved");
}

void BodyWalk::advance(double duration_s)
{
    const long steps = std::lround(duration_s / settings_.time_step_s);
    for (long n = 0; n < steps; ++n) {
        step();
    }
}

const BodyContact& BodyWalk::pressing(int a, int b) const
{
    const BodyContact* largest = nullptr;
    for (const BodyContact& contact : contacts()) {
        if (between(contact, a, b) && contact.P[0] > (largest ? largest->P[0] : 0)) largest = &contact;
    }
    if (largest == nullptr) throw DriverFailure("two bodies do not touch that should");
    return *largest;
}

double BodyWalk::normal_force_N(int a, int b) const
{
    double sum = 0;
    for (const BodyContact& contact : contacts()) {
        if (between(contact, a, b)) sum += contact.P[0];
    }
    return sum / settings_.time_step_s;
}

double BodyWalk::energy_J() const
{
    return kinetic_J() + model_.potential_energy_J(state_.x, state_.R);
}

double BodyWalk::fastest() const
{
    double fastest = 0;
    for (std::size_t i = 0; i < state_.v.size(); ++i) {
        fastest = std::max({fastest, state_.v[i].norm(), state_.W[i].norm()});
    }
    return fastest;
}

double BodyWalk::drift_m() const
{
    double farthest = 0;
    for (std::size_t i = 0; i < state_.x.size(); ++i) {
        farthest = std::max(farthest, (state_.x[i] - start_.x[i]).norm());
    }
    return farthest;
}

BodyWalk struck(BodySetup setup)
{
    BodyWalk walk(std::move(setup), {.time_step_s = 1e-14, .tolerance = 1e-13});
    walk.step();
    return walk;
}

double friction_used(const BodyContact& contact)
{
    if (!(contact.P[0] > 0)) throw DriverFailure("a contact does not press");
    return std::hypot(contact.P[1], contact.P[2]) / contact.P[0];
}

Vec3 slip_m_s(const BodyContact& contact)
{
    return contact.U_plus[1] * contact.axes[1] + contact.U_plus[2] * contact.axes[2];
}

Body flat_floor(int material)
{
    return {.shape = PlaneShape{{0, 1, 0}, 0}, .motion = BodyMotion::Fixed, .material = material};
}

Body solid_floor(int material)
{
    return {.shape = PlaneShape{{0, 0, 1}, 0}, .motion = BodyMotion::Fixed, .material = material};
}

}  // namespace carom::reference
