#pragma once

#include "carom/core/expected.hpp"

#include <string_view>

namespace carom {

/// Moreau's midpoint scheme for Lagrangian systems with unilateral contacts.
///
/// Theory     docs/theory/moreau_scheme.md, (MS-1) predict and detect, (MS-2) free velocity, (MS-3) one-step
/// problem,
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

}  // namespace carom
