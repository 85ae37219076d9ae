#pragma once

#include "carom/core/expected.hpp"

#include <string_view>

namespace carom {

/// Moreau's midpoint scheme for Lagrangian systems with unilateral contacts.
///
/// Theory     docs/theory/moreau_scheme.md, (MS-1) predict and detect, (MS-2) free velocity,
///            (MS-3) one-step problem,
///            (MS-4) advance, (MS-5) correction
/// Papers     [Moreau 1988] 11 with remark 11.1

/// Where gaps, their gradients and so the cone V are taken.
enum class ConePoint {
    Midpoint,  ///< q + h/2 u, the paper's stage 2
    End,       ///< q + h u, the paper's remark 11.1: less penetration
};

[[nodiscard]] std::string_view name_of(ConePoint point) noexcept;

/// With activation_gap_m = 0, force_passes = 1 and correction = false the scheme is exactly that of the
/// paper.
struct MoreauSettings {
    double time_step_s = 1e-3;  ///< h; > 0
    double activation_gap_m =
        1e-9;  ///< a gap not above it counts as closed; >= 0. Scenes: 1e-9 of their length
    int force_passes =
        2;  ///< 1, or 2: forces a second time at (u + u_free) / 2, which makes K(u) second order
    bool correction = true;  ///< project the violation of contacts that stay out of the configuration
    ConePoint cone_point = ConePoint::Midpoint;
    double max_overlap = 0.1;  ///< > 0; in a certified run, relative to the thickness of the thinner body, or
                               ///< the largest gap of the contact
};

[[nodiscard]] Expected<void> check(const MoreauSettings& settings);

/// The theta scheme of Moreau and Jean: Moreau's contacts with forces that may be implicit, for stiff springs
/// and damping.
///
/// Symbols    theta   1/2: second order, energy kept by linear systems; 1: first order, fast modes damped
/// Theory     docs/theory/moreau_jean.md, (MJ-1) equation, (MJ-2) iteration, (MJ-3) energy
/// Papers     [Jean 1999]; [Moreau 1988] 11 for the contacts
struct MoreauJeanSettings {
    double time_step_s = 1e-3;  ///< h; > 0
    double theta = 0.5;         ///< in [0.5, 1]
    double activation_gap_m =
        1e-9;                ///< a gap not above it counts as closed; >= 0. Scenes: 1e-9 of their length
    bool correction = true;  ///< project the violation of contacts that stay out of the configuration
    double force_tolerance =
        1e-12;                 ///< the iteration ends when the relative change of velocities is below it; > 0
    int max_iterations = 50;   ///< of the implicit forces; >= 2
    double max_overlap = 0.1;  ///< > 0; in a certified run, relative to the largest gap of the contact
};

[[nodiscard]] Expected<void> check(const MoreauJeanSettings& settings);

/// How a step ended. `Solved` and `NotSolved` have advanced the state; the others have left it as it was.
enum class StepStatus {
    Solved,
    NotSolved,       ///< the one-step problem missed its tolerance; best percussions used
    NotFinite,       ///< NaN or infinity in forces, gaps or velocities
    MetricSingular,  ///< A(q) lost its positivity at the midpoint
    LawOutOfRange,   ///< a restitution formula left [0, 1], a limit became negative, or a map gave no number
    Undetermined,    ///< the motion has no continuation, several, or none that the scheme can find
    NoNearestPoint,  ///< of a moving set
};

[[nodiscard]] std::string_view name_of(StepStatus status) noexcept;

}  // namespace carom
