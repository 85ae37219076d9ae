#pragma once

#include "carom/ledger/certificate.hpp"
#include "ledger/energy_watch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace carom {

/// Sums lines over a run, compensated, so that a long sum is as exact as a short one. All its numbers are
/// here: a resumed run starts from a copy.
struct EnergyLedger {
    EnergyLines sums, compensation;   ///< their sum is the total
    double worst_step_balance_J = 0;  ///< largest |balance| of a single step
    double largest_step_J = 0;        ///< largest magnitude of the lines of a step

    void add(const EnergyLines& step) noexcept;
    [[nodiscard]] EnergyLines totals() const noexcept;
};

/// Everything that a certifier has accumulated, so that a run can be resumed.
struct CertifierSums {
    Certificate certificate;  ///< without its energies, which are in the ledger
    EnergyLedger ledger;
    std::vector<Finding> findings;
    double energy_scale_J = 0;  ///< largest |kinetic| + |potential| energy so far
    long open_ledgers = 0;      ///< steps whose ledger did not close
    EnergyWatch watch;
};

/// Collects the certificate step by step.
class Certifier {
public:
    /// `start`: balances are measured against the largest energies of the run, from its start on.
    explicit Certifier(const Energies& start) { enlarge_scale(start); }

    /// Continues from the state of another one.
    explicit Certifier(CertifierSums sums) : sums_(std::move(sums)) {}

    /// Why a step was not solved is a finding of the run.
    void add_step(double time_s, const Residual& residual, bool solved, double penetration_m,
                  const EnergyLines& energy, const Energies& at_end, const StepAccuracy& accuracy = {});
    void add_violation(double violation) noexcept;

    /// `uncertifies`: the run cannot be certified because of it. The first finding of one code about one item
    /// is kept; further ones are counted.
    void add_finding(std::string code, double time_s, std::string message, bool uncertifies = false);
    void add_finding(const Finding& finding);

    /// The part of the energies that scheme and correction may create or destroy (LE-7).
    void set_energy_tolerance(double tolerance) noexcept { energy_tolerance_ = tolerance; }

    /// What helps besides a shorter step where that fraction is exceeded, in words; empty: nothing.
    void set_other_remedy(std::string remedy) noexcept { other_remedy_ = std::move(remedy); }

    /// Whether the rule (SO-31) chose among several percussions in a step, and whether groups of contacts
    /// were too large to ask.
    void add_selection(bool selected, bool unexamined) noexcept;

    [[nodiscard]] Certificate certificate() const;
    [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return sums_.findings; }

    /// The same where the run ends here: an energy error that might have been a start from rest is one.
    [[nodiscard]] std::vector<Finding> findings_at_end() const;
    [[nodiscard]] const CertifierSums& sums() const noexcept { return sums_; }

    /// Every step solved, every step's ledger closed to roundoff, and no finding that prevents it.
    [[nodiscard]] bool certified() const noexcept;

    /// Largest |kinetic| + |potential| energy so far.
    [[nodiscard]] double energy_scale_J() const noexcept { return sums_.energy_scale_J; }

private:
    void enlarge_scale(const Energies& energies) noexcept;
    void watch_energy(double time_s, const EnergyLines& energy, const Energies& at_end,
                      const StepAccuracy& accuracy);

    CertifierSums sums_;
    double energy_tolerance_ = default_energy_tolerance;
    std::string other_remedy_;
};

}  // namespace carom
