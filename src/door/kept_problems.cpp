#include "kept_problems.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace carom::detail {
namespace {

namespace fs = std::filesystem;

bool is_kept_file(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.starts_with("step_") && name.ends_with(".hdf5");
}

/// For heaps whose top is the least bad; of equal ones the later step.
constexpr auto worse = [](const auto& a, const auto& b) {
    return a.residual != b.residual ? a.residual > b.residual : a.step < b.step;
};

}  // namespace

KeptProblems::KeptProblems(KeepProblems plan, std::string title)
    : plan_(std::move(plan)), title_(std::move(title))
{
}

Expected<void> KeptProblems::begin()
{
    if (plan_.which == KeepProblems::Which::None) return {};
    std::error_code problem;
    fs::create_directories(plan_.folder, problem);
    std::vector<fs::path> old;
    if (!problem) {
        for (const auto& entry : fs::directory_iterator(plan_.folder, problem)) {
            if (is_kept_file(entry.path())) old.push_back(entry.path());
        }
    }
    for (const fs::path& path : old) {
        if (!problem) fs::remove(path, problem);
    }
    if (!problem) return {};
    return Error{.code = ErrorCode::FileUnwritable,
                 .where = printable(plan_.folder),
                 .message = "the folder for problems cannot be made or emptied: " + problem.message(),
                 .hint = "check the folder and its permissions",
                 .excerpt = {}};
}

void KeptProblems::after_step(const StepView& view)
{
    // steps without contacts, joints and constraints have no problem
    if (plan_.which == KeepProblems::Which::None) return;
    if (!view.pieces.empty() && !(view.contacts.empty() && view.model.constraints() == 0)) {
        ++counts_.without_problem;
        return;
    }
    const SolveReport& solve = view.report.solve;
    if (plan_.which == KeepProblems::Which::Failed && solve.status == SolveStatus::Converged) return;
    const bool full = plan_.which == KeepProblems::Which::Worst && worst_.size() >= plan_.count;
    if (full && solved_to(solve.residual) <= worst_.front().residual) return;

    const auto solved = view.problem();
    if (!solved) return;
    auto problem = fclib_problem(solved->problem);
    if (!problem) {
        if (counts_.left_out == 0) counts_.why = problem.error().message;
        ++counts_.left_out;
        return;
    }
    Kept kept{.step = view.step,
              .residual = solved_to(solve.residual),
              .problem = std::move(*problem),
              .solution = {}};
    kept.solution = fclib_solution(kept.problem.stored, kept.problem.rows, solved->P);
    kept.problem.stored.info = {
        .title = fmt::format("{}, step {}", printable(title_), view.step),
        .description = fmt::format(
            "one-step problem of carom: t = {} s, h = {} s, unit-free error {} by {}, {}", view.after.t_s,
            view.report.h_s, solve.residual.unit_free, name_of(solve.solver), name_of(solve.status)),
        .math_info = kept.problem.stored.form == FclibForm::Carom
                         ? "W = H A^-1 H^T"
                         : "W = H A^-1 H^T; shifts of restitution are in q"};
    keep(std::move(kept));
}

void KeptProblems::keep(Kept kept)
{
    if (plan_.which != KeepProblems::Which::Worst) {
        write(kept);
        return;
    }
    if (worst_.size() >= plan_.count) {
        std::pop_heap(worst_.begin(), worst_.end(), worse);
        worst_.pop_back();
    }
    worst_.push_back(std::move(kept));
    std::push_heap(worst_.begin(), worst_.end(), worse);
}

void KeptProblems::write(const Kept& kept)
{
    if (failure_) return;
    const std::string path = (fs::path(plan_.folder) / fmt::format("step_{:06}.hdf5", kept.step)).string();
    if (auto done = write_fclib(path, kept.problem.stored, &kept.solution); done)
        ++counts_.written;
    else
        failure_ = done.error();
}

Expected<void> KeptProblems::finish()
{
    for (const Kept& kept : worst_) {
        write(kept);
    }
    worst_.clear();
    if (failure_) return *failure_;
    return {};
}

}  // namespace carom::detail
