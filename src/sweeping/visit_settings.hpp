#pragma once

#include "carom/sweeping/catching_up.hpp"
#include "core/setting.hpp"

namespace carom {

template <SettingsOf<SweepingSettings> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(Setting{.path = "sweeping.time_step_s",
                  .unit = "s",
                  .range = positive,
                  .help = "step h; with step control the first step"},
          s.time_step_s);
    visit(Setting{.path = "sweeping.tolerance_per_s",
                  .range = positive,
                  .help = "turns on step control: error per second, in units of the coordinates",
                  .fallback = "none: constant step",
                  .absent = std::numeric_limits<double>::infinity()},
          s.tolerance_per_s);
    visit(Setting{.path = "sweeping.smallest_step_s",
                  .unit = "s",
                  .range = positive,
                  .help = "lower bound for step control"},
          s.smallest_step_s);
}

}  // namespace carom
