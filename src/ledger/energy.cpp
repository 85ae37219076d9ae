#include "ledger/certifier.hpp"
#include "ledger/reaction_line.hpp"
#include "ledger/step_work.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace carom {
namespace {

constexpr double EnergyLines::* lines[] = {
    &EnergyLines::kinetic_J,      &EnergyLines::potential_J,
    &EnergyLines::given_forces_J, &EnergyLines::prescribed_motions_J,
    &EnergyLines::impact_J,       &EnergyLines::friction_J,
    &EnergyLines::non_firm_J,     &EnergyLines::joint_J,
    &EnergyLines::correction_J,   &EnergyLines::scheme_J,
};

/// Adds the lines of a step and keeps what rounding lost: sum + term = rounded + lost, exactly (Knuth). No
/// branches, so that two lines are added at once.
void add_compensated(EnergyLines& sums, EnergyLines& compensation, const EnergyLines& step)
{
    using Numbers = std::array<double, std::size(lines)>;
    auto sum = std::bit_cast<Numbers>(sums), lost = std::bit_cast<Numbers>(compensation);
    const auto term = std::bit_cast<Numbers>(step);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const double rounded = sum[i] + term[i], added = rounded - sum[i];
        lost[i] += (sum[i] - (rounded - added)) + (term[i] - added);
        sum[i] = rounded;
    }
    sums = std::bit_cast<EnergyLines>(sum);
    compensation = std::bit_cast<EnergyLines>(lost);
}

/// work of a force during the step: h f.(u- + u+) / 2
double work_of(std::span<const double> force, const StepWork& step)
{
    double sum = 0;
    for (std::size_t i = 0; i < force.size(); ++i) {
        sum += force[i] * (step.u_minus[i] + step.u_plus[i]);
    }
    return step.h_s / 2 * sum;
}

}  // namespace

double EnergyLines::* line_of(const Law& law, bool normal) noexcept
{
    if (std::holds_alternative<Bilateral>(law)) return &EnergyLines::joint_J;
    const auto* limited = std::get_if<Limited>(&law);
    const auto* non_firm = std::get_if<NonFirm>(&law);
    if (limited != nullptr) return limited->rubs ? &EnergyLines::friction_J : &EnergyLines::non_firm_J;
    if (non_firm != nullptr) return non_firm->rubs ? &EnergyLines::friction_J : &EnergyLines::non_firm_J;
    return normal ? &EnergyLines::impact_J : &EnergyLines::friction_J;
}

double EnergyLines::balance_J() const noexcept
{
    return kinetic_J + potential_J -
           (given_forces_J + prescribed_motions_J + impact_J + friction_J + non_firm_J + joint_J +
            correction_J + scheme_J);
}

double EnergyLines::magnitude_J() const noexcept
{
    // written out: it is asked for twice in a step
    return std::abs(kinetic_J) + std::abs(potential_J) + std::abs(given_forces_J) +
           std::abs(prescribed_motions_J) + std::abs(impact_J) + std::abs(friction_J) + std::abs(non_firm_J) +
           std::abs(joint_J) + std::abs(correction_J) + std::abs(scheme_J);
}

EnergyLines account_step(const StepWork& step, const Energies& start, const Energies& end) noexcept
{
    EnergyLines result;
    result.kinetic_J = end.kinetic_J - start.kinetic_J;
    result.potential_J = end.potential_J - start.potential_J;
    result.given_forces_J = work_of(step.given_forces, step);
    result.prescribed_motions_J = step.h_s * step.potential_rate_W;

    // an impact map acts at once, before the step goes on; its tangential percussions are friction
    const double start_norm = step.A->squared_norm(step.u_start),
                 minus_norm = step.u_minus.data() == step.u_start.data() ? start_norm
                                                                         : step.A->squared_norm(step.u_minus);
    result.impact_J = (minus_norm - start_norm) / 2;

    // reactions at the mean local velocity; what an obstacle's own motion brings in is not theirs. In theory
    // a contact that persists does no work: what it does keeps it on its obstacle
    for (std::size_t c = 0; c < step.laws.size(); ++c) {
        for (int i = step.offsets[c]; i < step.offsets[c + 1]; ++i) {
            const double work = step.P[i] * (step.U_minus[i] + step.U_plus[i]) / 2;
            const bool normal = i == step.offsets[c];
            const bool holds = normal && !step.persists.empty() && step.persists[c];
            result.*(holds ? &EnergyLines::correction_J : line_of(step.laws[c], normal)) += work;
            result.prescribed_motions_J -= step.P[i] * step.b[i];
            if (normal || step.map_P.empty()) continue;
            const double by_map = step.map_P[i] * ((step.U_start[i] + step.U_minus[i]) / 2 - step.b[i]);
            result.friction_J += by_map;
            result.impact_J -= by_map;
        }
    }

    // scheme: energies at both ends against the metric and the forces of the midpoint (LE-3)
    const double kinetic_scheme = (end.kinetic_J - step.A->squared_norm(step.u_plus) / 2) -
                                  (start.kinetic_J - start_norm / 2) - work_of(step.velocity_terms, step);
    const double potential_scheme = end.potential_J - start.potential_J -
                                    work_of(step.potential_gradient, step) - step.h_s * step.potential_rate_W;
    result.scheme_J = kinetic_scheme + potential_scheme;
    return result;
}

void EnergyLedger::add(const EnergyLines& step) noexcept
{
    add_compensated(sums, compensation, step);
    worst_step_balance_J = std::max(worst_step_balance_J, std::abs(step.balance_J()));
    largest_step_J = std::max(largest_step_J, step.magnitude_J());
}

EnergyLines EnergyLedger::totals() const noexcept
{
    EnergyLines result;
    for (const auto line : lines) {
        result.*line = sums.*line + compensation.*line;
    }
    return result;
}

}  // namespace carom
