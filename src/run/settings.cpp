#include "carom/run/run.hpp"

#include "analytic/series_step.hpp"
#include "one_step.hpp"
#include "run_parts.hpp"

namespace carom {

std::string_view name_of(const IntegratorSettings& settings) noexcept
{
    if (std::holds_alternative<SeriesSettings>(settings)) return "series";
    return std::holds_alternative<MoreauSettings>(settings) ? "moreau" : "moreau_jean";
}

double time_step_s(const IntegratorSettings& settings) noexcept
{
    return std::visit([](const auto& scheme) { return scheme.time_step_s; }, settings);
}

IntegratorSettings with_time_step(IntegratorSettings settings, double h_s) noexcept
{
    std::visit([&](auto& scheme) { scheme.time_step_s = h_s; }, settings);
    return settings;
}

double activation_gap_m(const IntegratorSettings& settings) noexcept
{
    return std::visit([](const auto& scheme) { return scheme.activation_gap_m; }, settings);
}

IntegratorSettings with_activation_gap(IntegratorSettings settings, double gap_m) noexcept
{
    std::visit([&](auto& scheme) { scheme.activation_gap_m = gap_m; }, settings);
    return settings;
}

Expected<void> check(const IntegratorSettings& settings)
{
    return std::visit([](const auto& scheme) { return check(scheme); }, settings);
}

StepReport step(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                State& state, Scratch& scratch)
{
    if (const auto* moreau = std::get_if<MoreauSettings>(&settings)) {
        return moreau_step(model, *moreau, solver, state, scratch);
    }
    if (const auto* series = std::get_if<SeriesSettings>(&settings)) {
        return series_step(model, *series, solver, state, scratch);
    }
    return moreau_jean_step(model, std::get<MoreauJeanSettings>(settings), solver, state, scratch);
}

}  // namespace carom
