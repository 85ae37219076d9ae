#pragma once

#include "analytic/visit_settings.hpp"
#include "carom/run/run.hpp"
#include "solver/visit_settings.hpp"

#include <variant>

namespace carom {

/// Calls visit(settings) with the defaults of every kind of integrator.
template <class Visit>
void visit_integrators(const Visit& visit)
{
    const auto each = [&]<class... Kinds>(const std::variant<Kinds...>*) { (visit(Kinds{}), ...); };
    each(static_cast<const IntegratorSettings*>(nullptr));
}

[[nodiscard]] constexpr auto words_of(OnUnsolved) noexcept
{
    return std::array{Word{OnUnsolved::Accept, "accept"}, Word{OnUnsolved::Stop, "stop"}};
}

[[nodiscard]] constexpr auto words_of(RecordPrecision) noexcept
{
    return std::array{Word{RecordPrecision::Double, "double"}, Word{RecordPrecision::Single, "single"}};
}

template <SettingsOf<RunPlan> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(Setting{.path = "duration_s",
                  .unit = "s",
                  .range = positive,
                  .help = "maximum duration; a number, or a formula of parameters",
                  .hint = "otherwise the run would end before it starts",
                  .needed = true,
                  .formula = true},
          s.duration_s);
    visit(Setting{.path = "integrator.on_unsolved",
                  .help = "what to do after a step that misses the tolerance"},
          s.on_unsolved);
    visit(Setting{.path = "integrator.energy_tolerance",
                  .range = positive,
                  .help = "fraction of the exchanged energy that scheme and correction may create or destroy "
                          "in a certified run"},
          s.energy_tolerance);
    visit(Setting{.path = "record.events",
                  .help = "record every contact event: impacts, contacts made and lost, slip and stick",
                  .fallback = "true; with more than 1000 bodies false"},
          s.keep_events);
}

template <SettingsOf<RecordSettings> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(Setting{.path = "record.every_s",
                  .unit = "s",
                  .range = positive,
                  .help = "interval between recorded frames; a number, or a formula of parameters",
                  .fallback = "a thousandth of duration_s, at least one step",
                  .formula = true,
                  .absent = 0.0},
          s.every_s);
    // entries of one list, whose first one says what it is
    visit(Setting{.path = "record.fields[velocities]",
                  .help = "what is recorded in addition to time and coordinates",
                  .fallback = "all of them"},
          s.velocities);
    visit(Setting{.path = "record.fields[gaps]"}, s.gaps);
    visit(Setting{.path = "record.fields[percussions]"}, s.percussions);
    visit(Setting{.path = "record.fields[energies]"}, s.energies);
    visit(Setting{.path = "record.fields[probes]"}, s.probes);
    visit(Setting{.path = "record.precision",
                  .help =
                      "digits that frames have in a file: all, or packed to about 24 or 16 bits; runs are "
                      "resumed exactly",
                  .fallback = "double; with more than 200 bodies single"},
          s.precision);
    visit(Setting{.path = "record.parts",
                  .range = {.low = 0, .high = max_record_parts},
                  .help =
                      "files beside the recording over which its large tables are spread, one per rank of "
                      "a run on several; 0: none"},
          s.parts);
    visit(Setting{.path = "record.checkpoint_steps",
                  .range = {.low = 0, .high = 2147483647},
                  .help =
                      "steps between two checkpoints of a recording, which a killed run loses at most; 0: "
                      "by the amount of data and work"},
          s.checkpoint_steps);
}

}  // namespace carom
