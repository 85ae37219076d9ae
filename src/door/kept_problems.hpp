#pragma once

#include "carom/door/run.hpp"
#include "carom/onestep/fclib.hpp"
#include "run/step_view.hpp"

#include <string>
#include <vector>

namespace carom::detail {

/// Listens to a run and writes its one-step problems.
class KeptProblems {
public:
    KeptProblems() = default;  ///< keeps nothing
    KeptProblems(KeepProblems plan, std::string title);

    /// Makes the folder; problems of an earlier run in it are removed. Errors: FileUnwritable.
    [[nodiscard]] Expected<void> begin();

    void after_step(const StepView& view);

    /// Writes what is still to be written. Errors: FileUnwritable, also of earlier steps.
    [[nodiscard]] Expected<void> finish();

    [[nodiscard]] const KeptProblemCounts& counts() const noexcept { return counts_; }

private:
    struct Kept {
        long step = 0;
        double residual = 0;
        StoredProblem problem;
        FclibSolution solution;
    };
    void keep(Kept kept);
    void write(const Kept& kept);

    KeepProblems plan_;
    std::string title_;
    std::vector<Kept> worst_;  ///< a heap, the least of them first
    KeptProblemCounts counts_;
    std::optional<Error> failure_;
};

}  // namespace carom::detail
