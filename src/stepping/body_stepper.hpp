#pragma once

#include "carom/solver/solve.hpp"
#include "carom/stepping/settings.hpp"
#include "stepping/finished_body_step.hpp"

#include <memory>
#include <variant>

namespace carom {
class Model;
struct Scratch;  // stepping/scratch.hpp

namespace detail {

/// Coordinates, contacts and constraints of formulas beside bodies, and the memory in which they are shown.
struct FormulasBeside {
    const Model& model;
    Scratch& shown;
};

/// Steps of bodies, one after the other, by one scheme, with the memory that they share.
class BodyStepper {
public:
    using Scheme = std::variant<MoreauSettings, MoreauJeanSettings>;

    /// What both schemes have, as settings of Moreau's.
    [[nodiscard]] static MoreauSettings midpoint_of(const Scheme& scheme);

    BodyStepper(const BodyModel& model, Scheme scheme, const SolverSettings& solver);
    BodyStepper(const BodyModel& model, Scheme scheme, const SolverSettings& solver,
                const FormulasBeside& formulas);
    ~BodyStepper();
    BodyStepper(const BodyStepper&) = delete;
    BodyStepper& operator=(const BodyStepper&) = delete;

    /// A step of h_s after one of last_s, which percussions and velocities of the state are of. `NotFinite`
    /// leaves the state as it was.
    [[nodiscard]] StepReport take(double h_s, double last_s, State& state);

    /// The last one.
    [[nodiscard]] FinishedBodyStep& finished() noexcept { return finished_; }
    [[nodiscard]] const FinishedBodyStep& finished() const noexcept { return finished_; }

private:
    const BodyModel& model_;
    Scheme scheme_;
    const SolverSettings& solver_;
    std::unique_ptr<BodyStepMemory> memory_;
    FinishedBodyStep finished_;
};

}  // namespace detail
}  // namespace carom
