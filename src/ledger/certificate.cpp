#include "carom/ledger/certificate.hpp"
#include "ledger/certifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// A step's ledger may miss this part of the energies it adds up: some thousand roundings.
constexpr double ledger_tolerance = 1e-11;

/// And so many roundings of the configuration, in V.
constexpr double roundings_of_position = 64;

/// Below this part of |T| + |V| an energy is rounding: some hundred roundings.
constexpr double rounding_tolerance = 1e-13;

/// Below this energy numbers have no digits left: their products are denormal.
constexpr double smallest_J = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

}  // namespace

void Certifier::enlarge_scale(const Energies& energies) noexcept
{
    sums_.energy_scale_J =
        std::max(sums_.energy_scale_J, std::abs(energies.kinetic_J) + std::abs(energies.potential_J));
}

void Certifier::add_step(double time_s, const Residual& residual, bool solved, double penetration_m,
                         const EnergyLines& energy, const Energies& at_end, const StepAccuracy& accuracy)
{
    Certificate& certificate = sums_.certificate;
    ++certificate.steps;
    if (const double error = solved_to(residual); error > certificate.max_residual) {
        certificate.max_residual = error;
        certificate.max_residual_time_s = time_s;
    }
    certificate.max_penetration_m = std::max(certificate.max_penetration_m, penetration_m);
    certificate.max_cone_violation_Ns =
        std::max(certificate.max_cone_violation_Ns, residual.cone_violation_Ns);
    if (!solved) ++certificate.unsolved_steps;

    sums_.ledger.add(energy);
    enlarge_scale(at_end);
    const double scale_J = sums_.energy_scale_J + energy.magnitude_J() + std::abs(accuracy.held_back_J);
    const double allowed_J =
        ledger_tolerance * scale_J + roundings_of_position * accuracy.rounding_J + smallest_J;
    if (!(std::abs(energy.balance_J()) <= allowed_J)) {
        ++sums_.open_ledgers;
        add_finding(
            "open_ledger", time_s,
            fmt::format(
                "{:.3e} J of this step are unexplained: either energies cancel to rounding, or this is an "
                "error in carom; please report the scene",
                energy.balance_J()),
            true);
    }
    watch_energy(time_s, energy, at_end, accuracy);
}

void Certifier::watch_energy(double time_s, const EnergyLines& energy, const Energies& at_end,
                             const StepAccuracy& accuracy)
{
    EnergyWatch& watch = sums_.watch;
    Certificate& certificate = sums_.certificate;
    const bool broken = watch.note(energy, at_end, accuracy,
                                   {.rounding_J = rounding_tolerance * sums_.energy_scale_J + smallest_J,
                                    .tolerance = energy_tolerance_},
                                   {.time_s = time_s, .step = static_cast<double>(certificate.steps)});
    if (watch.lasting_ratio > certificate.energy_error) {
        certificate.energy_error = watch.lasting_ratio;
        certificate.energy_error_time_s = time_s;
    }
    if (!broken) return;
    add_finding("step_too_long", watch.first.time_s, words_of(watch.first, other_remedy_), true);
}

void Certifier::add_violation(double violation) noexcept
{
    double& worst = sums_.certificate.max_violation;
    if (!(violation <= worst)) worst = violation;  // NaN is not lost
}

void Certifier::add_finding(std::string code, double time_s, std::string message, bool uncertifies)
{
    add_finding({.code = std::move(code),
                 .time_s = time_s,
                 .message = std::move(message),
                 .count = 1,
                 .uncertifies = uncertifies});
}

void Certifier::add_finding(const Finding& finding)
{
    const auto same = std::find_if(sums_.findings.begin(), sums_.findings.end(), [&](const Finding& known) {
        return known.code == finding.code && known.about == finding.about;
    });
    if (same == sums_.findings.end()) {
        sums_.findings.push_back(finding);
        return;
    }
    same->count += finding.count;
    same->uncertifies = same->uncertifies || finding.uncertifies;
}

void Certifier::add_selection(bool selected, bool unexamined) noexcept
{
    if (selected) ++sums_.certificate.selected_steps;
    if (unexamined) ++sums_.certificate.unexamined_steps;
}

Certificate Certifier::certificate() const
{
    Certificate result = sums_.certificate;
    result.energy = sums_.ledger.totals();
    result.energy_balance_J = result.energy.balance_J();
    return result;
}

std::vector<Finding> Certifier::findings_at_end() const
{
    std::vector<Finding> result = sums_.findings;
    const EnergyWatch& watch = sums_.watch;
    const bool told = std::any_of(result.begin(), result.end(),
                                  [](const Finding& finding) { return finding.code == "step_too_long"; });
    if (watch.beyond != 0 && !told) {
        result.push_back({.code = "step_too_long",
                          .time_s = watch.first.time_s,
                          .message = words_of(watch.first, other_remedy_),
                          .count = 1,
                          .uncertifies = true});
    }
    // bodies that an unstable step throws pass through others: the cause comes before what follows from it
    constexpr std::array follows{"tunnelling", "impact_not_resolved", "overlap"};
    const auto by_energy = std::find_if(result.begin(), result.end(), [&](const Finding& finding) {
        return finding.code == "step_too_long" && finding.about.empty();
    });
    if (by_energy == result.end()) return result;
    const auto later = std::find_if(result.begin(), by_energy, [&](const Finding& finding) {
        return finding.time_s >= by_energy->time_s &&
               std::find(follows.begin(), follows.end(), finding.code) != follows.end();
    });
    std::rotate(later, by_energy, std::next(by_energy));
    return result;
}

bool Certifier::certified() const noexcept
{
    return sums_.certificate.unsolved_steps == 0 && sums_.open_ledgers == 0 && sums_.watch.beyond == 0 &&
           std::none_of(sums_.findings.begin(), sums_.findings.end(),
                        [](const Finding& finding) { return finding.uncertifies; });
}

}  // namespace carom
