#include "time_resolution.hpp"
#include "expression/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Of a longer run so many steps are looked at, evenly spread.
constexpr long max_steps = 256;

}  // namespace

OwnMotion own_motion(const std::function<double(double)>& value, double h_s, double duration_s)
{
    const auto steps = static_cast<long>(std::min(duration_s / h_s, 1e9));
    const long looks = std::min(steps, max_steps);
    if (looks < 4) return {};
    std::vector<double> middle;
    double within = 0, mean = 0;
    for (long k = 0; k < looks; ++k) {
        const double t_s = static_cast<double>(k * steps / looks) * h_s;
        middle.push_back(value(t_s + h_s / 2));
        within += std::abs(value(t_s) - 2 * middle.back() + value(t_s + h_s));
        mean += middle.back() / static_cast<double>(looks);
    }
    double over = 0, size = 0, amplitude = 0;
    for (const double f : middle) {
        amplitude = std::max(amplitude, std::abs(f - mean));
        over += std::abs(f - mean);
        size += std::abs(f);
    }
    if (!std::isfinite(within + over) || !(over > 1e-9 * size)) return {};
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
    for (const Contact& contact : system.contacts) {
        look("contact." + contact.name + ".gap", contact.gap);
    }
}

}  // namespace carom
