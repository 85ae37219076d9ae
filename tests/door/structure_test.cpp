#include "carom/door/problem.hpp"
#include "carom/door/run.hpp"
#include "carom/onestep/residual.hpp"
#include "carom/scene/scene.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace {

using namespace carom;
namespace fs = std::filesystem;

/// A wall of boxes in the form of a pyramid, at rest: more than 200 contacts, so that steps are solved by
/// factors.
Scene pyramid(int base, const std::string& duration_s)
{
    std::string text = fmt::format("duration_s = {}\n", duration_s) + R"toml(
[[material]]
name = "stone"
friction = 0.6
[[body]]
name = "ground"
shape = "plane"
[integrator]
time_step_s = 0.004
[solver]
tolerance = 1e-8
)toml";
    for (int row = 0; row < base; ++row) {
        text +=
            fmt::format("[[body]]\nname = \"row{0}\"\nshape = \"box\"\nsize_m = [1, 1, 1]\ncopies = [{1}]\n"
                        "position_m = [\"1.1*i + {2}\", 0, {3}]\n",
                        row, base - row, 0.55 * row, row + 0.5);
    }
    auto scene = read_scene_text(text, "pyramid");
    REQUIRE(scene);
    return *std::move(scene);
}

}  // namespace

TEST_CASE("a last step that is shorter does not solve a structure at rest anew (BO-26)")
{
    // 5.25 steps; what holds is a force times the step, so a quarter of the percussions holds the last one
    const Scene scene = pyramid(14, "0.021");
    std::vector<int> iterations;
    std::vector<double> lengths_s;
    const auto done = run(scene, {.columns = false, .listener = [&](const StepRecord& step) {
                                      iterations.push_back(step.iterations());
                                      lengths_s.push_back(step.step_s());
                                      return true;
                                  }});
    REQUIRE(done);
    CHECK(done->status == RunStatus::Certified);
    REQUIRE(iterations.size() == 6);
    CHECK(lengths_s.back() == doctest::Approx(0.001));
    CHECK(iterations.front() > 0);
    // eight sweeps show that it still holds; Newton's method is not asked
    CHECK(iterations.back() <= 8);
}

TEST_CASE("problems that bodies solved by factors are kept, read and solved again")
{
    const fs::path folder = fs::temp_directory_path() / fmt::format("carom_structure_{}", ::getpid());
    const Scene scene = pyramid(12, "0.008");
    const auto done = run(scene, {.problems = {.which = KeepProblems::Which::All, .folder = folder.string()},
                                  .columns = false});
    REQUIRE(done);
    CHECK(done->problems.written == 2);
    for (const char* step : {"step_000001.hdf5", "step_000002.hdf5"}) {
        const auto file = read_problem((folder / step).string());
        REQUIRE(file);
        CHECK(file->stored.contacts() >= 200);
        REQUIRE(file->stored.stored.has_value());
        // the percussions of the run solve what was written, by the code of the problem in blocks
        const OneStepProblem& problem = file->loaded.problem;
        CHECK(problem.is_assembled());
        std::vector<double> P;
        for (const int row : file->loaded.rows)
            P.push_back((*file->stored.stored)[row]);
        CHECK(is_solved(residual(problem, P), 1e-8));
        // and a solver finds some from nothing
        CHECK(solve_errors_only(problem, {}).report.status == SolveStatus::Converged);
    }
    fs::remove_all(folder);
}
