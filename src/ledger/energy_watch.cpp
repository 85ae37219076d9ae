#include "ledger/energy_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// What is kept of a work with every step: the window is some hundred steps long (LE-5).
constexpr double kept = 0.99;

/// What percussions hold back in a step, beside the energies that took part before.
constexpr double max_growth = 2;

/// A motion that starts from rest has little kinetic energy in its first steps: a ratio counts when it lasts.
/// It rises from here, and at most doubles in a step (LE-7).
constexpr double first_ratio = 1e-4;
constexpr double largest_ratio = 1e6;

void keep(double& sum, double work)
{
    sum = kept * sum + work;
}

/// What made most of a step's error: 0 the scheme, 1 the correction, 2 the given forces.
double culprit_of(const EnergyLines& energy, const StepAccuracy& accuracy)
{
    const double scheme = std::abs(energy.scheme_J), correction = std::abs(energy.correction_J),
                 forces = std::abs(accuracy.forces_defect_J);
    if (correction > std::max(scheme, forces)) return 1;
    return forces > scheme ? 2 : 0;
}

/// NaN must not pass for a small number.
double ratio_of(double amount_J, double scale_J, double rounding_J)
{
    return std::abs(amount_J) <= rounding_J ? 0.0 : std::abs(amount_J) / scale_J;
}

}  // namespace

EnergyWatch& EnergyWatch::operator+=(const EnergyWatch& other) noexcept
{
    for (const auto sum : {&EnergyWatch::kinetic_J, &EnergyWatch::potential_J, &EnergyWatch::given_J,
                           &EnergyWatch::prescribed_J, &EnergyWatch::reaction_J, &EnergyWatch::held_J,
                           &EnergyWatch::drift_J, &EnergyWatch::run_scale_J})
        this->*sum += other.*sum;
    if (std::abs(other.worst_step_J) > std::abs(worst_step_J)) worst_step_J = other.worst_step_J;
    lasting_ratio = std::max(lasting_ratio, other.lasting_ratio);
    if (beyond == 0 && other.beyond != 0) first = other.first;
    beyond = std::max(beyond, other.beyond);
    return *this;
}

bool EnergyWatch::is_free(const EnergyLines& energy, const StepAccuracy& accuracy) const noexcept
{
    return energy.given_forces_J == 0 && energy.prescribed_motions_J == 0 && energy.impact_J == 0 &&
           energy.friction_J == 0 && energy.non_firm_J == 0 && energy.joint_J == 0 &&
           accuracy.held_back_J == 0 && given_J == 0 && prescribed_J == 0 && reaction_J == 0 && held_J == 0;
}

/// The energies that take part: kinetic energy and net works of the window (LE-5).
double EnergyWatch::add_works(const EnergyLines& energy, const StepAccuracy& accuracy, double end_kinetic_J)
{
    const double reactions_J = energy.impact_J + energy.friction_J + energy.non_firm_J + energy.joint_J;
    const double scale_before_J = run_scale_J;
    keep(given_J, energy.given_forces_J);
    keep(prescribed_J, energy.prescribed_motions_J);
    keep(reaction_J, reactions_J);
    // what was held back may grow the scale threefold in a step, and no more: forces that a step does not
    // resolve would give a free motion that hides them
    const double held_back_J = scale_before_J > 0
                                   ? std::min(std::abs(accuracy.held_back_J), max_growth * scale_before_J)
                                   : std::abs(accuracy.held_back_J);
    keep(held_J, held_back_J);
    const double scale_J = kinetic_J + std::abs(potential_J) + std::abs(given_J) + std::abs(prescribed_J) +
                           std::abs(reaction_J) + held_J;
    run_scale_J = std::max(run_scale_J, scale_J);

    // what dissipation and driving replace of the error of the run (LE-6)
    const double held_at_rest_J =
        held_back_J > 0 ? held_back_J * held_back_J / (held_back_J + std::abs(end_kinetic_J)) : 0.0;
    const double replaced_J = std::abs(energy.given_forces_J) + std::abs(energy.prescribed_motions_J) +
                              std::abs(reactions_J) + held_at_rest_J;
    if (run_scale_J > 0) drift_J *= run_scale_J / (run_scale_J + replaced_J);
    return scale_J;
}

bool EnergyWatch::note(const EnergyLines& energy, const Energies& at_end, const StepAccuracy& accuracy,
                       const EnergyLimits& limits, const EnergyInstant& at) noexcept
{
    const double start_kinetic_J = at_end.kinetic_J - energy.kinetic_J;
    kinetic_J = std::max({kept * kinetic_J, at_end.kinetic_J, start_kinetic_J});
    keep(potential_J, energy.potential_J);
    double scale_J = kinetic_J + std::abs(potential_J);
    if (is_free(energy, accuracy))
        run_scale_J = std::max(run_scale_J, scale_J);
    else
        scale_J = add_works(energy, accuracy, at_end.kinetic_J);

    // what the discretisation did in this step (LE-4), and what is left of it in the run (LE-6)
    const double step_J = energy.scheme_J + energy.correction_J + accuracy.forces_defect_J;
    drift_J += step_J;
    const bool worst = !(std::abs(step_J) < kept * std::abs(worst_step_J));
    worst_step_J = worst ? step_J : kept * worst_step_J;

    // a step that made less than a billionth of what took part in the run matters by its sum alone
    const double smallest_J = std::max(limits.rounding_J, 1e-9 * run_scale_J);
    const double step_ratio = ratio_of(worst_step_J, scale_J, smallest_J),
                 drift_ratio = ratio_of(drift_J, run_scale_J, limits.rounding_J);
    const bool is_drift = !(drift_ratio <= step_ratio);
    const double ratio = is_drift ? drift_ratio : step_ratio;

    // written so that NaN is beyond
    const double risen = std::min(2 * std::max(lasting_ratio, first_ratio / 2), largest_ratio);
    lasting_ratio = ratio <= risen ? ratio : risen;
    const bool is_beyond = !(ratio <= limits.tolerance);
    if (is_beyond && beyond == 0)
        first = {.ratio = ratio,
                 .amount_J = is_drift ? drift_J : worst_step_J,
                 .scale_J = is_drift ? run_scale_J : scale_J,
                 .time_s = at.time_s,
                 .step = at.step,
                 .is_drift = is_drift ? 1.0 : 0.0,
                 .culprit = culprit_of(energy, accuracy)};
    beyond = is_beyond ? 1 : 0;
    return !(lasting_ratio <= limits.tolerance);
}

std::string words_of(const EnergyError& error, std::string_view other_remedy)
{
    const char* did = error.amount_J < 0 ? "destroyed" : "created";
    const char* by = error.culprit == 1   ? "the correction, or reactions that hold,"
                     : error.culprit == 2 ? "forces that change much within a step"
                                          : "the scheme";
    const std::string what =
        error.is_drift != 0
            ? fmt::format("up to step {:.0f} scheme and correction {} {:.3e} J in all, now by {}", error.step,
                          did, std::abs(error.amount_J), by)
            : fmt::format("in step {:.0f} {} {} {:.3e} J", error.step, by, did, std::abs(error.amount_J));
    // overlaps of the first step are those of the start, which no other step and no other scheme cures
    if (error.culprit == 1 && error.step <= 1)
        return fmt::format("{}, of {:.3e} J exchanged: parts overlap at the start, or the step is too long "
                           "for this speed; start with them apart, or shorten the step",
                           what, error.scale_J);
    return fmt::format("{}, of {:.3e} J exchanged: the step is too long for this stiffness, damping or "
                       "speed; shorten the step{}{}",
                       what, error.scale_J, other_remedy.empty() ? "" : ", or ", other_remedy);
}

}  // namespace carom
