#include "time_resolution.hpp"
#include "expression/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Of a longer run so many steps are looked at, evenly spread.
constexpr long max_steps = 256;

/// Between the middle of a step and its ends, in units of h: no period of steps puts these instants at the
/// same phase as the middle.
constexpr double inner = 0.30901699437494742;

}  // namespace

OwnMotion own_motion(const std::function<double(double)>& value, double h_s, double duration_s)
{
    const auto steps = static_cast<long>(std::min(duration_s / h_s, 1e9));
    const long looks = std::min(steps, max_steps);
    if (looks < 4) return {};
    std::vector<double> middle;
    double within = 0, mean = 0, largest = 0;
    for (long k = 0; k < looks; ++k) {
        const long step = k * steps / looks;
        const double t_s = static_cast<double>(step) * h_s, mid_s = t_s + h_s / 2;
        const double f = value(mid_s);
        const double ends = std::abs(value(t_s) - 2 * f + value(t_s + h_s));
        const double inside = std::abs(value(mid_s - inner * h_s) - 2 * f + value(mid_s + inner * h_s));
        middle.push_back(f);
        within += std::max(ends, inside);
        largest = std::max({largest, ends, inside});
        mean += f / static_cast<double>(looks);
    }
    double over = 0, size = 0, amplitude = 0;
    for (const double f : middle) {
        amplitude = std::max(amplitude, std::abs(f - mean));
        over += std::abs(f - mean);
        size += std::abs(f);
    }
    if (!std::isfinite(within + over)) return {};
    // the same in the middle of every step: it rests, or its period divides the step
    if (!(over > 1e-9 * size)) {
        if (!(within - largest > 1e-9 * (size + largest))) return {};
        over = within / 4;  // |f_0 - 2 f_1 + f_2| <= 4 max |f|
        amplitude = largest / 4;
    }
    return {.unresolved = within / over, .amplitude = amplitude};
}

void look_at_time_dependence(const TimeDependence& dependence, double start_s, double h_s, double duration_s,
                             double tolerance, Certifier& certifier)
{
    const double part = own_motion(dependence.value, h_s, duration_s).unresolved;
    if (!(part > tolerance)) return;
    certifier.add_finding(
        {.code = "step_too_long",
         .time_s = start_s,
         .message = fmt::format("{} changes within a step by {:.2g} of its change over the run: it is too "
                                "fast for this step; take one below {:.1e} s",
                                dependence.name, part, h_s * std::sqrt(tolerance / part)),
         .count = 1,
         .uncertifies = true,
         .about = dependence.name});
}

void look_at_time_dependence(const Model& model, const State& start, double h_s, double duration_s,
                             double tolerance, Certifier& certifier)
{
    const LagrangianSystem& system = model.system();
    Workspace work;
    std::vector<double> place;
    const auto look = [&](const std::string& name, const Formula& formula) {
        if (!formula.depends_on(Variable::Kind::Time)) return;
        const auto value = [&](double t_s) {
            return formula.value({view(start.q), view(start.u), start.t_s + t_s}, work);
        };
        look_at_time_dependence({name, value}, start.t_s, h_s, duration_s, tolerance, certifier);
    };
    look("lagrangian.potential", system.potential);
    for (std::size_t i = 0; i < system.forces.size(); ++i) {
        look("lagrangian.forces." + system.coordinates[i].name, system.forces[i]);
    }
    // formulas of a particle name its place instead of coordinates
    const auto look_at_particle = [&](const std::string& name, const ContactParticle& particle) {
        const auto look_there = [&](const std::string& key, const Formula& formula, bool with_place) {
            const auto moves = [](const Formula& x) { return x.depends_on(Variable::Kind::Time); };
            if (!moves(formula) && !(with_place && std::ranges::any_of(particle.position, moves))) return;
            const auto value = [&](double t_s) {
                place.clear();
                for (const Formula& x : particle.position) {
                    place.push_back(x.value({view(start.q), view(start.u), start.t_s + t_s}, work));
                }
                return formula.value({.q = place, .u = {}, .t_s = start.t_s + t_s}, work);
            };
            look_at_time_dependence({name + key, value}, start.t_s, h_s, duration_s, tolerance, certifier);
        };
        look_there(".surface", particle.surface, true);
        for (const Formula& velocity : particle.obstacle_velocity) {
            look_there(".obstacle_velocity", velocity, false);
        }
    };
    for (const Contact& contact : system.contacts) {
        const std::string name = "contact." + contact.name;
        if (contact.particle) {
            look_at_particle(name, *contact.particle);
        } else {
            look(name + ".gap", contact.gap);
        }
        for (const Formula& velocity : contact.sliding) {
            look(name + ".sliding", velocity);
        }
        if (!contact.friction) continue;
        look(name + ".law.friction", contact.friction->coefficient);
        if (contact.friction->static_coefficient)
            look(name + ".law.static_friction", *contact.friction->static_coefficient);
    }
    for (const Constraint& constraint : system.constraints) {
        const std::string name = "constraint." + constraint.name;
        for (const Formula& zero : constraint.zero) {
            look(name + ".zero", zero);
        }
        for (const Formula& velocity : constraint.velocity) {
            look(name + ".velocity", velocity);
        }
        for (const ReactionLimit& limit : constraint.limits) {
            look(name + ".law", limit.size);
        }
    }
}

}  // namespace carom
