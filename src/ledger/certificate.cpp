#include "carom/ledger/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// A step's ledger may miss this part of the energies it adds up: some thousand roundings.
constexpr double ledger_tolerance = 1e-11;

}  // namespace

void Certifier::enlarge_scale(const Energies& energies) noexcept
{
    energy_scale_J_ =
        std::max(energy_scale_J_, std::abs(energies.kinetic_J) + std::abs(energies.potential_J));
}

void Certifier::add_step(double time_s, const Residual& residual, bool solved, double penetration_m,
                         const EnergyLines& energy, const Energies& at_end)
{
    ++certificate_.steps;
    if (residual.unit_free > certificate_.max_residual) {
        certificate_.max_residual = residual.unit_free;
        certificate_.max_residual_time_s = time_s;
    }
    certificate_.max_penetration_m = std::max(certificate_.max_penetration_m, penetration_m);
    certificate_.max_cone_violation_Ns =
        std::max(certificate_.max_cone_violation_Ns, residual.cone_violation_Ns);
    if (!solved) {
        ++certificate_.unsolved_steps;
        add_finding("unsolved_step", time_s,
                    fmt::format("the one-step problem was solved to {:.2e} only", residual.unit_free));
    }

    ledger_.add(energy);
    enlarge_scale(at_end);
    if (!(std::abs(energy.balance_J()) <= ledger_tolerance * (energy_scale_J_ + energy.magnitude_J()))) {
        ++open_ledgers_;
        add_finding("open_ledger", time_s,
                    fmt::format("{:.3e} J of this step are unexplained", energy.balance_J()));
    }
}

void Certifier::add_finding(std::string code, double time_s, std::string message)
{
    const auto same = std::find_if(findings_.begin(), findings_.end(),
                                   [&](const Finding& finding) { return finding.code == code; });
    if (same != findings_.end()) {
        ++same->count;
        return;
    }
    findings_.push_back(
        {.code = std::move(code), .time_s = time_s, .message = std::move(message), .count = 1});
}

Certificate Certifier::certificate() const
{
    Certificate result = certificate_;
    result.energy = ledger_.totals();
    result.energy_balance_J = result.energy.balance_J();
    return result;
}

bool Certifier::certified() const noexcept
{
    return certificate_.unsolved_steps == 0 && open_ledgers_ == 0;
}

}  // namespace carom
