#pragma once

#include "carom/analytic/series.hpp"
#include "stepping/visit_settings.hpp"

namespace carom {

template <SettingsOf<SeriesSettings> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(time_step_setting, s.time_step_s);
    visit(activation_gap_setting, s.activation_gap_m);
    visit(Setting{.path = "integrator.order",
                  .range = {.low = 6, .high = 60},
                  .help = "series: order of the power series"},
          s.order);
    visit(Setting{.path = "integrator.max_order",
                  .range = {.low = 6, .high = 200},
                  .help = "series: contact statuses that order does not decide are decided with longer "
                          "series, up to this order"},
          s.max_order);
    visit(Setting{.path = "integrator.tolerance",
                  .range = inside_zero_to_one,
                  .help = "series: error of one expansion, relative to the state"},
          s.tolerance);
    visit(Setting{.path = "integrator.accumulation_speed_m_s",
                  .unit = "m/s",
                  .range = not_negative,
                  .help = "series: accumulating impacts slower than this are passed in one event",
                  .fallback = "0: computed from length_m and the acceleration"},
          s.accumulation_speed_m_s);
    visit(Setting{.path = "integrator.max_events",
                  .range = {.low = 1, .high = 1e9},
                  .help = "series: largest number of events and expansions in a reporting interval"},
          s.max_events);
}

}  // namespace carom
