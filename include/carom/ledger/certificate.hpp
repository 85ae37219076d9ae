#pragma once

#include "carom/ledger/energy.hpp"
#include "carom/onestep/residual.hpp"

#include <string>
#include <vector>

namespace carom {

/// How far a run can be trusted; every number was measured after the fact, by code independent of the solver.
struct Certificate {
    double max_residual = 0;         ///< worst unit-free error of a step
    double max_residual_time_s = 0;  ///< and when
    double max_penetration_m = 0;    ///< deepest overlap at the end of a step
    double max_cone_violation_Ns = 0;
    double energy_balance_J = 0;  ///< what the ledger of the whole run leaves unexplained
    EnergyLines energy;           ///< by line
    long steps = 0;
    long unsolved_steps = 0;
};

/// Something that theory says about the run and the user should know.
struct Finding {
    std::string code;   ///< stable, e.g. "energy_created"
    double time_s = 0;  ///< when it was seen first
    std::string message;
    long count = 1;  ///< how often
};

/// Collects the certificate step by step.
class Certifier {
public:
    /// `start`: balances are measured against the largest energies of the run, from its start on.
    explicit Certifier(const Energies& start) { enlarge_scale(start); }

    void add_step(double time_s, const Residual& residual, bool solved, double penetration_m,
                  const EnergyLines& energy, const Energies& at_end);
    void add_finding(std::string code, double time_s, std::string message);

    [[nodiscard]] Certificate certificate() const;
    [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }

    /// Every step solved, and every step's ledger closed to roundoff.
    [[nodiscard]] bool certified() const noexcept;

    /// Largest |kinetic| + |potential| energy so far.
    [[nodiscard]] double energy_scale_J() const noexcept { return energy_scale_J_; }

private:
    void enlarge_scale(const Energies& energies) noexcept;

    Certificate certificate_;
    EnergyLedger ledger_;
    std::vector<Finding> findings_;
    double energy_scale_J_ = 0;
    long open_ledgers_ = 0;
};

}  // namespace carom
