#pragma once

#include "carom/ledger/certificate.hpp"

#include <string>

namespace carom {

/// Whether what the discretisation creates or destroys is small beside the energies that take part.
///
/// Symbols    s    scheme + correction + defect of the given forces, of one step, J
///            S    kinetic energy and net works of the last steps, J (LE-5)
///            D    sum of s over the run, less what dissipation and driving have replaced since (LE-6)
/// Theory     docs/theory/energy_ledger.md, (LE-4) s, (LE-5) scale, (LE-6) drift, (LE-7) rule
///
/// Adding a constant to the potential changes none of these numbers.

/// What the rule needs of a step beside its ledger.
struct StepAccuracy {
    double forces_defect_J = 0;  ///< work of given forces along the path, less the line given_forces (LE-4)
    double held_back_J = 0;      ///< T(u_free) - T(u_end): what percussions took from the free motion (LE-5)
    double rounding_J = 0;       ///< what a rounding of q may do to V
};

/// What the discretisation did to the energy, as large as it was seen.
struct EnergyError {
    double ratio = 0;     ///< amount over scale
    double amount_J = 0;  ///< s or D; > 0: created
    double scale_J = 0;   ///< S, for a drift the largest one of the run
    double time_s = 0;    ///< end of the step
    double step = 0;      ///< its number
    double is_drift = 0;  ///< 1: D, 0: s
    double culprit = 0;   ///< 1: most of the step's s is the correction, 2: given forces, 0: the scheme
};

/// What is below the first is rounding; the other is tau.
struct EnergyLimits {
    double rounding_J = 0, tolerance = 0;
};

/// The end of a step, and its number.
struct EnergyInstant {
    double time_s = 0, step = 0;
};

/// The sums of (LE-5) and (LE-6): all that goes from step to step.
struct EnergyWatch {
    double kinetic_J = 0;  ///< largest of the window, forgetting
    double potential_J = 0, given_J = 0, prescribed_J = 0, reaction_J = 0, held_J = 0;  ///< net, forgetting
    double worst_step_J = 0;  ///< largest |s| of the window, forgetting
    double drift_J = 0;
    double run_scale_J = 0;
    double lasting_ratio = 0;  ///< the ratio, which may at most double in a step (LE-7)
    double beyond = 0;         ///< 1: the ratio itself is beyond the tolerance
    EnergyError first;         ///< since when

    /// Two parts become one: their energies and works are sums, and the worse of their errors counts.
    EnergyWatch& operator+=(const EnergyWatch& other) noexcept;

    /// Adds a step. True when the rule (LE-7) does not hold, and for so long that no start from rest explains
    /// it.
    bool note(const EnergyLines& energy, const Energies& at_end, const StepAccuracy& accuracy,
              const EnergyLimits& limits, const EnergyInstant& at) noexcept;

private:
    /// Only kinetic and potential energy take part, now and in the window.
    [[nodiscard]] bool is_free(const EnergyLines& energy, const StepAccuracy& accuracy) const noexcept;
    double add_works(const EnergyLines& energy, const StepAccuracy& accuracy, double end_kinetic_J);
};

/// Which step, how much, why, and what helps.
[[nodiscard]] std::string words_of(const EnergyError& error, std::string_view other_remedy);

}  // namespace carom
