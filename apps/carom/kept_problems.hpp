#pragma once

#include "carom/integrator/body_run.hpp"
#include "carom/onestep/fclib.hpp"

#include <string>
#include <vector>

namespace carom::app {

/// Which one-step problems of a run are kept: `carom run --save-problems`.
struct KeepPlan {
    enum class Which { None, All, Failed, Worst };
    Which which = Which::None;
    std::size_t count = 0;  ///< of `Worst`
};

/// Reads "all", "failed" or "worst:N", 1 <= N <= 10000. Errors: WrongType.
[[nodiscard]] Expected<KeepPlan> parse_keep_plan(const std::string& text);

/// Listens to a run and writes its one-step problems as FCLIB files FOLDER/step_N.hdf5, with the percussions
/// that the run used as their solution; `carom solve` takes them. All and failed ones are written as they
/// come, the worst (largest unit-free error) at the end.
class KeptProblems {
public:
    KeptProblems() = default;  ///< keeps nothing
    KeptProblems(KeepPlan plan, std::string folder, std::string title);

    /// Makes the folder; problems of an earlier run in it are removed. Errors: FileUnwritable.
    [[nodiscard]] Expected<void> begin();

    void after_step(const StepView& view);

    /// Writes what is still to be written. Errors: FileUnwritable, also of earlier steps.
    [[nodiscard]] Expected<void> finish();

    [[nodiscard]] std::size_t written() const noexcept { return written_; }
    [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }  ///< FCLIB cannot say their law
    [[nodiscard]] const std::string& why() const noexcept { return why_; }     ///< of the first left out
    /// Steps by power series, which solve no one-step problem.
    [[nodiscard]] std::size_t without_problem() const noexcept { return without_problem_; }
    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

private:
    struct Kept {
        long step = 0;
        double residual = 0;
        StoredProblem problem;
        FclibSolution solution;
    };
    void keep(Kept kept);
    void write(const Kept& kept);

    KeepPlan plan_;
    std::string folder_, title_;
    std::vector<Kept> worst_;  ///< a heap, the least of them first
    std::size_t written_ = 0, left_out_ = 0, without_problem_ = 0;
    std::string why_;
    std::optional<Error> failure_;
};

}  // namespace carom::app
