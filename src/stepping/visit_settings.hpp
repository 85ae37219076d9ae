#pragma once

#include "carom/stepping/settings.hpp"
#include "core/setting.hpp"

namespace carom {

[[nodiscard]] constexpr auto words_of(ConePoint) noexcept
{
    return std::array{Word{ConePoint::Midpoint, "midpoint"}, Word{ConePoint::End, "end"}};
}

// what several schemes have

inline constexpr Setting time_step_setting{.path = "integrator.time_step_s",
                                           .unit = "s",
                                           .range = positive,
                                           .help = "step h; series: reporting interval, default 1e-2"};
inline constexpr Setting activation_gap_setting{.path = "integrator.activation_gap_m",
                                                .unit = "m",
                                                .range = not_negative,
                                                .help = "gaps up to this value count as closed",
                                                .fallback = "1e-9 of length_m"};
inline constexpr Setting correction_setting{.path = "integrator.correction",
                                            .help = "remove the overlap of parts that stay in contact"};
inline constexpr Setting max_overlap_setting{
    .path = "integrator.max_overlap",
    .unit = "-",
    .range = positive,
    .help = "largest overlap in a certified run, relative to the thickness of the thinner body, or to "
            "the largest gap of the contact during the run"};

template <SettingsOf<MoreauSettings> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(time_step_setting, s.time_step_s);
    visit(activation_gap_setting, s.activation_gap_m);
    visit(Setting{.path = "integrator.force_passes",
                  .range = {.low = 1, .high = 2},
                  .help = "moreau: force evaluations per step; 2 is second order, 1 as in Moreau's paper"},
          s.force_passes);
    visit(Setting{.path = "integrator.cone_point",
                  .help = "moreau: point of the step at which contacts are detected"},
          s.cone_point);
    visit(correction_setting, s.correction);
    visit(max_overlap_setting, s.max_overlap);
}

template <SettingsOf<MoreauJeanSettings> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(time_step_setting, s.time_step_s);
    visit(activation_gap_setting, s.activation_gap_m);
    visit(Setting{.path = "integrator.theta",
                  .range = {.low = 0.5, .high = 1},
                  .help = "moreau_jean: 0.5 is second order, 1 damps fast modes most strongly",
                  .hint = "below 0.5 the scheme is unstable"},
          s.theta);
    visit(Setting{.path = "integrator.force_tolerance",
                  .range = inside_zero_to_one,
                  .help = "moreau_jean: the iteration of implicit forces ends below this relative change"},
          s.force_tolerance);
    visit(Setting{.path = "integrator.max_iterations",
                  .range = {.low = 2, .high = 1e9},
                  .help = "moreau_jean: largest number of iterations of implicit forces per step",
                  .hint = "one pass solves and one sees that it holds"},
          s.max_iterations);
    visit(correction_setting, s.correction);
    visit(max_overlap_setting, s.max_overlap);
}

}  // namespace carom
