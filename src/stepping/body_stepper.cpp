#include "body_stepper.hpp"

#include "body_formulas.hpp"
#include "stepping/body_memory.hpp"

#include <utility>

namespace carom::detail {

MoreauSettings BodyStepper::midpoint_of(const Scheme& scheme)
{
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&scheme)) return midpoint_settings(*jean);
    return std::get<MoreauSettings>(scheme);
}

BodyStepper::BodyStepper(const BodyModel& model, Scheme scheme, const SolverSettings& solver)
    : model_(model),
      scheme_(scheme),
      solver_(solver),
      memory_(std::make_unique<BodyStepMemory>()),
      finished_(model, *memory_)
{
}

BodyStepper::BodyStepper(const BodyModel& model, Scheme scheme, const SolverSettings& solver,
                         const FormulasBeside& formulas)
    : BodyStepper(model, scheme, solver)
{
    if (model.setup().with_formulas)
        memory_->formulas = std::make_shared<BodyFormulas>(model, formulas.model, formulas.shown);
}

BodyStepper::~BodyStepper() = default;

StepReport BodyStepper::take(double h_s, double last_s, State& state)
{
    memory_->part_of_step = h_s / last_s;
    std::visit([h_s](auto& scheme) { scheme.time_step_s = h_s; }, scheme_);
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&scheme_))
        return moreau_jean_body_step(model_, *jean, solver_, state, *memory_);
    return body_step(model_, std::get<MoreauSettings>(scheme_), solver_, state, *memory_);
}

}  // namespace carom::detail
