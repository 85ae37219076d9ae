#pragma once

#include "carom/ledger/energy.hpp"
#include "carom/ledger/energy_watch.hpp"
#include "carom/onestep/residual.hpp"

#include <string>
#include <utility>
#include <vector>

namespace carom {

/// How far a run can be trusted; every number was measured after the fact, by code independent of the solver.
struct Certificate {
    double max_residual = 0;         ///< worst error of a step: the tolerance that it meets (OS-10)
    double max_residual_time_s = 0;  ///< and when
    double max_penetration_m = 0;    ///< deepest overlap at the end of a step
    double max_cone_violation_Ns = 0;
    double energy_balance_J = 0;  ///< what the ledger of the whole run leaves unexplained
    EnergyLines energy;           ///< by line
    long steps = 0;
    long unsolved_steps = 0;
    double max_violation =
        0;  ///< of positions that constraints hold, in their own units, at the end of a step
    double energy_error = 0;         ///< largest part of the energies that scheme and correction made (LE-7)
    double energy_error_time_s = 0;  ///< and when
    long selected_steps = 0;    ///< percussions were not determined, and the rule (SO-31) chose among them
    long unexamined_steps = 0;  ///< contacts in groups too large for that question
};

/// A statement of theory about the run that the user should know.
struct Finding {
    std::string code;   ///< stable, e.g. "energy_created"
    double time_s = 0;  ///< when it was seen first
    std::string message;
    long count = 1;            ///< how often
    bool uncertifies = false;  ///< the run cannot be certified because of it
    std::string about{};       ///< names; findings of one code about different items are kept apart
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

/// Of the rule (LE-7): an oscillation that is followed with ten steps a period or more keeps it.
inline constexpr double default_energy_tolerance = 0.1;

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
