#pragma once

#include "carom/system/lagrangian/geometry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom {

/// What theory guarantees for a system and its initial state: one motion, possibly several, or nothing; and
/// for how long.
///
/// The theorems have hypotheses on all states that a motion could meet. Structure and intervals show some of
/// them; the others are checked at the start, in sampled states around it, and in configurations that
/// searches find where contacts are closed or gradients depend on each other. A hypothesis that was seen to
/// fail is refuted; one that was not seen to fail is only not refuted, and the guarantee says so.
///
/// Symbols    f = F - dV/dq   forces of the system, without reactions;  |f|* its length in the dual kinetic
///                            metric
///            V(q)            velocities that the closed contacts of q allow;  d(q,q0)  distance in the
///                            kinetic metric
/// Theory     docs/theory/well_posedness.md, (WP-1) independence, (WP-2) interior of V, (WP-3) start, (WP-4)
///            impact law, (WP-5) analytic data, (WP-6) growth, (WP-7) energy bound,
///            (WP-8) moving obstacles,
///            (WP-9) proofs, (WP-10) friction of particles, (WP-11) Painleve's condition
/// Papers     [Ballard 2002] theorems 2 and 3, corollary 16, theorem 17, counter-examples 1 to 7;
///            [Moreau 1983] (2.10);  [Charles Ballard 2014] theorem 2.1

struct WellPosednessSettings {
    double length_m = 1;    ///< typical length: states are sampled up to twice as far from the start; > 0
    double duration_s = 1;  ///< and within that time; >= 0
    double gap_tolerance_m = 1e-9;  ///< a gap not above it is closed at the start; >= 0
    int samples = 200;              ///< states sampled around the start; >= 0
    int searches = 120;             ///< searches for configurations with several closed contacts; >= 0
};

/// The closed contacts of one configuration: are their gradients independent, has V(q) interior points?
struct ConeDiagnosis {
    int rank = 0;  ///< of the gradients of the closed gaps, kinetic metric
    Eigen::VectorXd
        dependence;  ///< sum of dependence_i grad g_i / |grad g_i| = 0, largest entry 1; empty: independent
    double margin = 0;  ///< of V: how far the best velocity of length 1 is inside every wall; 0: no interior
    Eigen::VectorXd inside;  ///< that velocity; empty when there is none
    Eigen::VectorXd pinch;   ///< else non-negative, sum 1, with sum of pinch_i grad g_i / |grad g_i| = 0

    [[nodiscard]] bool independent() const noexcept { return dependence.size() == 0; }
    [[nodiscard]] bool has_interior() const noexcept { return margin > 0; }
};

/// Rows of H: gradients of the closed gaps. Angles below `tolerance` count as zero. (WP-1), (WP-2)
[[nodiscard]] ConeDiagnosis diagnose_cone(const Metric& A, const Eigen::MatrixXd& H,
                                          double tolerance = 1e-10);

/// A configuration with its closed contacts.
struct ClosedConfiguration {
    Eigen::VectorXd q;
    std::vector<int> contacts;
    std::vector<int> vanishing;  ///< those of them whose gradient is zero
    ConeDiagnosis cone;
};

/// What a search for configurations with closed contacts found.
struct ClosedSearch {
    int searches = 0;                          ///< begun
    int found = 0;                             ///< ended in an admissible configuration with closed contacts
    int several = 0;                           ///< of these, with two or more
    std::vector<ClosedConfiguration> samples;  ///< one per set of closed contacts, the worst one met
};

/// A place where a formula has no power series.
struct Singularity {
    enum class Kind {
        Kink,  ///< a function made of pieces: abs, sign, min, max, a comparison, if, table
        Edge,  ///< the edge of a function's domain, or a pole: sqrt, log, powers, quotients, ...
    };
    enum class Reach {
        AtStart,  ///< the start lies on it
        Crossed,  ///< admissible states on both sides were sampled
        Touched,  ///< an edge with the same side all around it, as of sqrt(x^2), was found between sampled states
        NotSeen,  ///< all sampled states lie on the start's side
    };
    /// What the formula belongs to, which determines the smoothness required.
    enum class Role {
        Forces,    ///< kinetic energy, potential, given forces
        Contact,   ///< gaps, particles, sliding velocities, coefficients of friction
        Position,  ///< held by a constraint
        Velocity,  ///< held by a constraint
        Limit,     ///< of a reaction
    };
    Kind kind{};
    Reach reach{};
    Role role{};
    std::string formula;     ///< scene key, e.g. "lagrangian.forces.x"
    std::string text;        ///< the formula as written; empty for formulas from C++
    std::string function;    ///< e.g. "abs"
    bool time_only = false;  ///< decided by the time alone

    /// The acceleration differs across it by about distance^exponent: 0 it jumps, below 1 it is not
    /// Lipschitz. Of constraints: their rows; of limits and coefficients: the formula itself. Unknown where
    /// it was not met, and for gaps.
    std::optional<double> exponent;

    /// Of those that the time alone decides: when, inside the run, and whether the formula is unbounded
    /// there.
    std::optional<double> instant_s = {};
    bool unbounded = false;
    bool search_cut = false;  ///< the search for the instant ended early: too fast, or too much to evaluate
};

/// How the forces grow far from the start, along sampled rays (WP-6), (WP-7): y ~ x^exponent with
/// x = 1 + d(q,q0) + |u|; infinity: faster than a power, or out of range.
struct Growth {
    double by_position = 0, by_velocity = 0, jointly = 0;  ///< of |f|*, rays in q, in u and in both
    double power = 0;                             ///< of the positive part of the given forces' power F.u
    double potential_drop = 0;                    ///< of how far the potential falls below its start
    bool steady_potential = true;                 ///< V does not depend on time
    bool shown = false;                           ///< linear by the structure of the formulas
    std::string fastest;                          ///< scene key of the formula that grows most
    int rays = 0;                                 ///< that stay admissible far enough to be measured
    [[nodiscard]] double force() const noexcept;  ///< the largest of the first three
    [[nodiscard]] bool linear() const noexcept;   ///< theorem 3's estimate holds on the rays
    [[nodiscard]] bool bounded_by_energy() const noexcept;  ///< (WP-7) holds on the rays
};

/// What impacts do, at the closed configurations met (WP-4).
struct ImpactLawDiagnosis {
    bool canonical = true;  ///< no map, and one restitution for all contacts that can close together
    double lowest_e = 0, highest_e = 0;
    int impacts = 0;      ///< sampled
    Admissibility worst;  ///< among them, relative to a velocity of kinetic length 1
};

/// What a fact means for the guarantee.
enum class Bearing {
    Holds,      ///< a hypothesis that is met: shown
    Unrefuted,  ///< checked in samples and searches, and not seen to fail
    Condition,  ///< the guarantee holds as long as the motion keeps away from something
    CostsUniqueness,
    CostsExistence,
    CostsEternity,  ///< the motion may end in finite time
};
[[nodiscard]] std::string_view name_of(Bearing bearing) noexcept;

struct Hypothesis {
    std::string code;  ///< stable, e.g. "dependent_gradients"
    Bearing bearing{};
    std::string message;
    std::string theory;  ///< where it is stated, e.g. "B02 hypothesis V, counter-example 7"
};

/// `OneSolution` is said where every hypothesis is shown; after a search that found nothing,
/// `NoObstacleFound`.
enum class Promise { OneSolution, NoObstacleFound, PossiblySeveral, NonePromised };
[[nodiscard]] std::string_view name_of(Promise promise) noexcept;

struct WellPosedness {
    Promise promise = Promise::NonePromised;
    bool for_all_time = false;        ///< the guaranteed motion does not end, shown or estimated
    bool for_all_time_shown = false;  ///< and that is shown
    std::vector<Hypothesis> hypotheses;

    double condition = 0;  ///< of A at the start: largest over smallest eigenvalue; 0 above 500 coordinates
    ClosedConfiguration start;
    std::vector<double> start_velocity_m_s;  ///< U of the closed contacts; < 0 is outside V
    ClosedSearch search;
    std::vector<Singularity> singularities;
    Growth growth;
    ImpactLawDiagnosis impacts;

    [[nodiscard]] bool well_posed() const noexcept { return promise == Promise::OneSolution && for_all_time; }
};

/// Examines a start that check_start accepts. The same input gives the same answer: seeds are fixed.
[[nodiscard]] WellPosedness diagnose_well_posedness(const Model& model, const State& start,
                                                    const WellPosednessSettings& settings);

/// Its parts, one question each.
[[nodiscard]] ClosedSearch search_closed_configurations(const Model& model, const State& start,
                                                        const WellPosednessSettings& settings);
[[nodiscard]] std::vector<Singularity> find_singularities(const Model& model, const State& start,
                                                          const WellPosednessSettings& settings);
/// Of these only edges and poles that the time alone decides and that a run of this length reaches, or for
/// which the search was cut: for runs.
[[nodiscard]] std::vector<Singularity> find_singular_instants(const Model& model, const State& start,
                                                              double duration_s);

/// A configuration near a step where some contacts that acted in it are closed and V(q) has no interior
/// (WP-12).
[[nodiscard]] std::optional<ClosedConfiguration>
find_pinch(const Model& model, const State& before, const State& after, std::span<const int> contacts);
[[nodiscard]] Growth estimate_growth(const Model& model, const State& start,
                                     const WellPosednessSettings& settings);
[[nodiscard]] ImpactLawDiagnosis sample_impacts(const Model& model, const State& start,
                                                std::span<const ClosedConfiguration> places);

}  // namespace carom
