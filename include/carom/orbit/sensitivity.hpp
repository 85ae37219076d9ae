#pragma once

#include "carom/ledger/event.hpp"
#include "carom/scene/scene.hpp"

#include <Eigen/Dense>

#include <optional>
#include <string>
#include <vector>

namespace carom {

/// How a motion depends on its starts and parameters: derivatives of states, instants, percussions and
/// probes, exact through all events (series integrator).
///
///     dz/dp at a fixed time, instants move with the data; saltation at each event
///
/// Theory     docs/theory/orbits.md, (OR-2) variational equations, (OR-3) to (OR-8) events,
///            (OR-21) several at once,
///            (OR-22) derivatives of steps
/// Papers     [Mueller 1995], [LeineNijmeijer 2004]
struct SensitivityOptions {
    /// Derivatives are taken with respect to these: `parameters.NAME`, `coordinate.NAME.start`,
    /// `coordinate.NAME.start_velocity`.
    std::vector<std::string> by;
    std::vector<double> at_s = {};  ///< instants to show, increasing; the end always is
    /// Of the steps that the scene's integrator takes, `moreau`, instead of the motion: the derivative of the
    /// discrete map, exact on the branch of statuses that its steps take (OR-22).
    bool of_steps = false;
};

/// The system at one instant, with derivatives: one column per entry of `by`.
struct SensitiveState {
    double time_s = 0;
    Eigen::VectorXd q, u;
    Eigen::MatrixXd dq, du;  ///< empty once the motion is not differentiable
    bool one_sided = false;  ///< they hold for changes of the data that keep grazing gaps open
    std::vector<double> probes;
    Eigen::MatrixXd dprobes;
};

/// What friction does in an impact.
struct ImpactFriction {
    int slides = 0;   ///< 1 or -1: which way, in space 1; 0: it sticks
    double left = 0;  ///< how fast it slides, m/s; where it sticks, what friction has left of its bound, N s
};

struct SensitiveEvent {
    Event event;
    std::string place;                                  ///< the contact
    Eigen::VectorXd dtime_s;                            ///< empty: not differentiable
    Eigen::VectorXd dpercussion_Ns;                     ///< of impacts; else empty
    Eigen::VectorXd dvelocity_before, dvelocity_after;  ///< of impacts, normal
    Eigen::VectorXd q, u_before, u_after;               ///< the state there; empty at the start
    Eigen::MatrixXd du_before, du_after;                ///< derivatives of the velocities there
    Eigen::MatrixXd dz_before, dz_after;                ///< of (q, u) at fixed time, on both sides
    std::optional<ImpactFriction> friction;             ///< of impacts in which it acts
};

/// Impacts that come together, taken one after the other (OR-21): how they end in this order, and derivatives
/// for changes of the data that bring it about.
struct OrderedImpacts {
    std::vector<std::string> contacts;  ///< as they strike
    bool ends = true;                   ///< false: they strike without limit, or two at once again
    Eigen::VectorXd u_after;
    Eigen::MatrixXd dq, du;  ///< after them
};

/// Where derivatives end, and why.
struct NotDifferentiable {
    double time_s = 0;
    std::string
        kind;  ///< grazing, simultaneous, threshold, collapse, onset, map, formula, start; of steps: shift, law
    std::string place;
    std::string words;
    int order = 0;                                    ///< of grazing: of the minimum of the gap, p
    double instant_exponent = 0, state_exponent = 0;  ///< 1/p and 1 - 1/p on the striking side; else 0
    Eigen::VectorXd dgap_m =
        {};  ///< of grazing: of the smallest gap, by the columns; the sign gives the side
    std::vector<OrderedImpacts> orders = {};  ///< of simultaneous impacts
    std::vector<std::string> struck = {};     ///< their contacts, and
    Eigen::MatrixXd dstruck_s = {};  ///< how the instant of each moves: whose moves back most strikes first
};

struct Sensitivities {
    bool reached_end = true;  ///< false: the motion itself ended before, `findings` say why
    std::vector<std::string> by;
    std::vector<SensitiveState> states;  ///< at the requested instants, then at the end
    bool ended_by_until = false;
    Eigen::VectorXd dend_s;  ///< of the instant at which until ended it; empty: it did not
    std::vector<SensitiveEvent> events;
    std::optional<NotDifferentiable> lost;     ///< derivatives end there
    std::vector<NotDifferentiable> one_sided;  ///< after each of these they hold for dgap_m . change >= 0
    std::vector<Finding> findings;             ///< of steps: `instants_of_steps` where there are impacts
};

/// Runs the scene by series with derivatives. Errors: UnknownName for what the scene does not have,
/// SettingOutOfRange for instants outside the run, NotAllowedHere for scenes that series cannot run, and of
/// steps for another integrator than `moreau` or an `until`.
[[nodiscard]] Expected<Sensitivities, Errors> sensitivities(const Scene& scene,
                                                            const SensitivityOptions& options);

}  // namespace carom
