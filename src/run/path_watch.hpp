#pragma once

#include "carom/run/run.hpp"
#include "expression/range_tape.hpp"
#include "run/progress.hpp"
#include "stepping/scratch.hpp"

#include <memory>
#include <optional>
#include <string>

namespace carom {

/// Depths below this are what correction and activation leave: a thousand times the activation gap, which is
/// a millionth of the scene's length.
[[nodiscard]] double visible_depth_m(double activation_gap_m) noexcept;

/// Looks at what lies between the instants that a time-stepping scheme looks at: gaps and denominators along
/// the straight pieces of a step.
///
/// Far from every obstacle this costs a few comparisons: each contact has a box of configurations and
/// instants around the present one in which its gap is known to be positive, by arithmetic of ranges, and
/// only a step that leaves its box is looked at (LE-9).
///
/// Theory     docs/theory/energy_ledger.md, (LE-8) gaps that stay negative, (LE-9) crossings, (LE-10) poles
class PathWatch {
public:
    explicit PathWatch(const Model& model);
    ~PathWatch();

    /// The step from `before` to `after`, whose scratch is still there. Findings go to the certifier of the
    /// run, and what is inside an obstacle to its visits. `activation_gap_m`: of the scheme.
    void after_step(const State& before, const State& after, double activation_gap_m, Scratch& scratch,
                    RunProgress& progress);

private:
    struct Formulas;  ///< of gaps and denominators, constant
    struct Memory;    ///< boxes, and room for ranges

    std::unique_ptr<Formulas> formulas_;
    std::unique_ptr<Memory> memory_;
    const Model& model_;
};

}  // namespace carom
