#pragma once

#include "carom/run/run.hpp"
#include "run_parts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom {

/// The same run with impacts at their own instants, of coordinates and of bodies.
///
/// A step sees an impact where it looks, up to a step late. Taken again, up to the instant at which the gap
/// closes and on from there, it leaves an error of second order; what is between a run and its punctual copy
/// is what the delays of its impacts have done, whatever came of them since: another phase of a drive,
/// another normal, an impact that was missed, an end by `until` that is elsewhere.
///
/// Theory     docs/theory/energy_ledger.md, (LE-23)

/// How far a motion is from the run where both end.
struct Departure {
    double velocity = 0;     ///< a part of the velocities of the last steps (LE-5)
    double place = 0;        ///< a part of the largest gap or displacement in the run
    std::string where = {};  ///< what is elsewhere
};

/// A motion from the start of the run on, whose next step can be tried with any length.
class Retakes {
public:
    Retakes() = default;
    virtual ~Retakes() = default;
    Retakes(const Retakes&) = delete;
    Retakes& operator=(const Retakes&) = delete;

    /// Tries a step from where the motion is. False: it fails.
    [[nodiscard]] virtual bool take(double h_s) = 0;

    /// How long after its beginning the first impact of the step that was tried has closed its gap; negative
    /// where it was closed before. Nothing where no impact is fast enough to matter.
    [[nodiscard]] virtual std::optional<double> struck_s() = 0;

    /// The motion is where the step that was tried has led.
    virtual void keep() = 0;

    /// The motion is where it was before the step that was kept last; returns its length, 0 if it had an
    /// impact or was undone before.
    virtual double undo_s() = 0;

    /// Where it is, as formulas see it.
    [[nodiscard]] virtual const State& at() const = 0;

    /// How far that is from where the run has ended.
    [[nodiscard]] virtual Departure from_run() const = 0;
};

/// Goes on by `h_s`, split where impacts close their gaps. False: a step has failed.
[[nodiscard]] bool take_punctually(Retakes& motion, double h_s);

/// What the run is that has a punctual copy.
struct LateRun {
    StepGrid grid;
    const Until& until;
    double end_s;
    bool by_until;       ///< it was ended by `until`
    double max_overlap;  ///< what velocities and places may differ by, as a part
};

/// Compares the run with its punctual copy, which is at the start of the run. Finding `impact_instants`.
void look_at_punctual_copy(Retakes& copy, const LateRun& run, std::vector<Finding>& findings);

/// Whether impacts that change the velocities by so much, `sum (U_N^+ - U_N^-)^2`, are so late that what came
/// of them must be followed: above this part of the largest gap, or way, of the run.
[[nodiscard]] bool is_late(double jumps2_m2_s2, double h_s, double largest_m, double part, double small_m);

/// Of max_overlap: impacts, one after another, that move the motion by less are followed no further.
inline constexpr double followed = 0.25;

/// How smooth steps of a copy are taken.
enum class Smooth {
    AsInRun,
    Extrapolated,  ///< from one step and two halves: their errors of second order cancel
};

/// Of the energy that takes part in the run: a copy with more kinetic energy is not stable, because something is
/// too stiff to be extrapolated, and means nothing (LE-25).
inline constexpr double max_energy_of_copy = 4;

/// Of max_overlap: phases off by less are followed no further (LE-25).
inline constexpr double followed_phase = 0.5;

/// Impacts that turn over less than this part of the energies change velocities by less than max_overlap.
constexpr double small_impact(double max_overlap)
{
    return max_overlap * max_overlap;
}

/// An impact of the run is where its step is, up to so many steps.
inline constexpr double known_steps = 4;

/// Kinetic energies that are this part of the most that a group has had are those of a group at rest.
inline constexpr double energy_at_rest = 1e-6;

/// Kinetic energy of a group that moves independently of others: what its errors are small or large against.
struct GroupEnergy {
    double recent_J = 0;  ///< of the last steps (LE-5)
    double max_J = 0;

    /// After a part of a step.
    void note(double kinetic_J, double part);
    /// The velocity between two motions as a part of that of the last steps.
    [[nodiscard]] double part_of(double between_J) const;
};

/// A run and how far its smooth motion is out of phase.
struct RunInPhase {
    double phase_rad, h_s, max_overlap;
    [[nodiscard]] bool is_followed() const noexcept { return phase_rad > followed_phase * max_overlap; }
};

/// An impact that only one of the two has, the run or its copy with smooth steps of higher order. Finding
/// `impact_instants`. `struck`: its name.
[[nodiscard]] Finding other_impact(const std::string& struck, const Event& impact, bool in_run,
                                   const RunInPhase& run);

/// Impacts that move less than this part of the smallest length that counts in a step stay where steps see
/// them.
inline constexpr double slow_impact = 1e-3;

}  // namespace carom
