#pragma once

#include "carom/run/run.hpp"
#include "carom/sweeping/catching_up.hpp"

#include <string_view>
#include <type_traits>

namespace carom::detail {

/// One spelling per setting: calls visit(path, member) for every setting that scenes have, with its path in
/// the list of fields (scene/fields.hpp), which knows unit, range, default and help. The reader goes by it;
/// tests compare the list with the defaults of the structs and with check().
///
/// Members of RecordSettings that are entries of a list have the path of the list with their name in
/// brackets: "record.fields[gaps]".
template <class Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    using Plain = std::remove_const_t<Settings>;
    constexpr bool moreau = std::is_same_v<Plain, MoreauSettings>;
    constexpr bool jean = std::is_same_v<Plain, MoreauJeanSettings>;
    constexpr bool series = std::is_same_v<Plain, SeriesSettings>;
    if constexpr (moreau || jean || series) {
        visit("integrator.time_step_s", s.time_step_s);
        visit("integrator.activation_gap_m", s.activation_gap_m);
    }
    if constexpr (moreau) {
        visit("integrator.force_passes", s.force_passes);
        visit("integrator.cone_point", s.cone_point);
    }
    if constexpr (jean) {
        visit("integrator.theta", s.theta);
        visit("integrator.force_tolerance", s.force_tolerance);
        visit("integrator.max_iterations", s.max_iterations);
    }
    if constexpr (moreau || jean) {
        visit("integrator.correction", s.correction);
        visit("integrator.max_overlap", s.max_overlap);
    }
    if constexpr (series) {
        visit("integrator.order", s.order);
        visit("integrator.max_order", s.max_order);
        visit("integrator.tolerance", s.tolerance);
        visit("integrator.accumulation_speed_m_s", s.accumulation_speed_m_s);
        visit("integrator.max_events", s.max_events);
    }
    if constexpr (std::is_same_v<Plain, SolverSettings>) {
        visit("solver.kind", s.kind);
        visit("solver.tolerance", s.tolerance);
        visit("solver.max_sweeps", s.max_sweeps);
        visit("solver.relaxation", s.relaxation);
    }
    if constexpr (std::is_same_v<Plain, RunPlan>) {
        visit("duration_s", s.duration_s);
        visit("integrator.on_unsolved", s.on_unsolved);
        visit("integrator.energy_tolerance", s.energy_tolerance);
        visit("record.events", s.keep_events);
    }
    if constexpr (std::is_same_v<Plain, RecordSettings>) {
        visit("record.every_s", s.every_s);
        visit("record.fields[velocities]", s.velocities);
        visit("record.fields[gaps]", s.gaps);
        visit("record.fields[percussions]", s.percussions);
        visit("record.fields[energies]", s.energies);
        visit("record.fields[probes]", s.probes);
        visit("record.precision", s.precision);
        visit("record.parts", s.parts);
        visit("record.checkpoint_steps", s.checkpoint_steps);
    }
    if constexpr (std::is_same_v<Plain, SweepingSettings>) {
        visit("sweeping.time_step_s", s.time_step_s);
        visit("sweeping.tolerance_per_s", s.tolerance_per_s);
        visit("sweeping.smallest_step_s", s.smallest_step_s);
    }
}

}  // namespace carom::detail
