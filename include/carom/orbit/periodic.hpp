#pragma once

#include "carom/orbit/sensitivity.hpp"

#include <complex>
#include <map>

namespace carom {

/// Periodic motions z(t + T) = z(t), found by Newton's method with exact derivatives.
///
/// Theory     docs/theory/orbits.md, (OR-9) Newton, (OR-10) multipliers, (OR-16) multiple shooting
struct OrbitOptions {
    /// Period of a driven system, s: a number or a formula of parameters such as `2*pi/w`. Empty: unknown.
    std::string period;

    /// Of an autonomous system: the orbit begins where this formula of the state rises through zero.
    std::string section;
    int returns = 1;  ///< the orbit closes at this return to the section, >= 1

    /// Coordinates that advance by a given amount in a period, as formulas of parameters: walking, rolling,
    /// falling.
    std::map<std::string, std::string> shift = {};
    std::vector<std::string> free = {};  ///< coordinates that may advance by any amount

    std::vector<std::string> parameters = {};  ///< derivatives of the orbit by these
    int settle = 0;            ///< periods, or returns, that are run from the start before the search
    int segments = 1;          ///< of multiple shooting, >= 1
    int max_iterations = 40;   ///< >= 1
    double tolerance = 1e-12;  ///< of the closure, relative to the sizes of the state; > 0
};

/// A gap of an open contact that is smallest at some instant, a reaction of a closed one, its slip or what
/// its friction has left while it sticks, an acceleration out of a reversal or into sticking, the rate with
/// which friction reaches its bound, the speed of an impact, its slip or what its friction has left, or the time
/// between events of two contacts: where it vanishes, the sequence of events changes.
struct Nearness {
    enum class Kind {
        Gap,
        Reaction,
        Reversal,
        Impact,
        Slip,
        Stop,
        Hold,
        Onset,
        ImpactSlip,
        ImpactHold,
        Interval
    };
    Kind kind{};
    int contact = 0;
    double time_s = 0;
    double value = 0;       ///< m, N, m/s^2, N/s, m/s, N s or s
    Eigen::VectorXd q, u;   ///< of a gap: the state there
    Eigen::VectorXd slope;  ///< by the parameters, along the orbits; empty: not known
    int before = -1;        ///< of an interval: the contact whose event comes first
};

struct Orbit {
    bool converged = false;
    double residual = 0;  ///< of the closure, relative
    int iterations = 0;
    std::string trouble;  ///< where it did not converge: why, and what to try

    double period_s = 0;
    State start;
    Eigen::VectorXd end_shift;  ///< of the coordinates in one period
    Eigen::MatrixXd monodromy;  ///< derivative of the state after a period, 2n x 2n, of what may vary
    Eigen::MatrixXd tangent;    ///< columns span the states near the start that closed contacts allow
    std::vector<std::complex<double>> multipliers;  ///< the largest first; of the return map with `section`:
                                                    ///< section_multipliers
    std::vector<std::complex<double>> section_multipliers;
    bool stable = false;  ///< all moduli < 1, the trivial one of autonomous systems left out
    bool neutral =
        false;           ///< the largest are 1 to within their rounding: neither stable nor unstable (OR-29)
    bool rests = false;  ///< nothing moves in the whole period: an equilibrium under forces that depend on t

    Eigen::VectorXd dperiod;             ///< by the parameters
    Eigen::MatrixXd dstart;              ///< by the parameters
    std::vector<SensitiveEvent> events;  ///< of one period; derivatives along the orbits, by the parameters
    std::vector<Nearness> near;
    Eigen::VectorXd lowest, highest;  ///< of each coordinate
    std::optional<NotDifferentiable> lost;
    std::vector<Finding> findings;
};

/// The orbit near the start of a scene. Errors: mistakes of the scene or the options; a section that is never
/// crossed; a period that is not one of the forcing. Failure to converge is reported in the orbit.
[[nodiscard]] Expected<Orbit, Errors> find_orbit(const Scene& scene, const OrbitOptions& options);

/// stable, neutral or unstable.
[[nodiscard]] std::string_view stability_of(const Orbit& orbit);
[[nodiscard]] inline bool is_unstable(const Orbit& orbit)
{
    return !orbit.stable && !orbit.neutral;
}

/// The derivative of the return map in some coordinates and their velocities, which must determine the state
/// near the start together with the contacts that are closed.
[[nodiscard]] Eigen::MatrixXd monodromy_of(const Orbit& orbit, std::span<const int> coordinates);

/// Eigenvalues, the largest modulus first, of a pair the one with positive imaginary part first.
[[nodiscard]] std::vector<std::complex<double>> multipliers_of(const Eigen::MatrixXd& M);

}  // namespace carom
