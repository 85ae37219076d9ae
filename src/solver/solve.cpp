#include "solver/solver_scratch.hpp"

#include "multiples.hpp"
#include "single_contact.hpp"
#include "small_island.hpp"
#include "solver/automatic.hpp"
#include "solver/no_solution.hpp"
#include "solver/thorough.hpp"
#include "visit_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {

struct MethodScratch::Memory {
    Islands islands;
    FlatProblem flat;
    Automatic automatic;
    std::vector<double> x;
    std::vector<double> start_P;
    Multiples multiples;
    std::vector<double> merged_P;
};

MethodScratch::MethodScratch() = default;
MethodScratch::~MethodScratch() = default;
MethodScratch::MethodScratch(MethodScratch&&) noexcept = default;
MethodScratch& MethodScratch::operator=(MethodScratch&&) noexcept = default;

MethodScratch::Memory& MethodScratch::memory()
{
    if (!memory_) memory_ = std::make_unique<Memory>();
    return *memory_;
}

namespace {

/// Some interaction has several components: no complementarity of numbers.
bool has_blocks(const OneStepProblem& problem)
{
    return std::any_of(problem.laws.begin(), problem.laws.end(), [](const Law& law) {
        return std::holds_alternative<Coulomb>(law) || std::holds_alternative<NonFirm>(law) ||
               std::holds_alternative<Resisting>(law);
    });
}

/// Laws that only the natural map knows.
bool has_other_sets(const OneStepProblem& problem)
{
    return std::any_of(problem.laws.begin(), problem.laws.end(), [](const Law& law) {
        return gives_way(law) || std::holds_alternative<Resisting>(law);
    });
}

/// Newton's method from where sweeps have come; each kind of problem has its own.
void polish(const OneStepProblem& problem, std::span<double> P, SolverScratch& scratch)
{
    if (has_other_sets(problem)) {
        scratch.natural_newton.polish(problem, P, scratch.residual);
    } else {
        scratch.polisher.polish(problem, P, scratch.residual);
    }
}

/// Unit-free errors that need no improvement.
constexpr double nearly_exact = 1e-14;

/// Residual and status of the percussions found.
void judge(const OneStepProblem& problem, const SolverSettings& settings, std::span<const double> P,
           SolverScratch& scratch, SolveReport& report)
{
    report.residual = residual(problem, P, scratch.residual);
    report.status = !report.residual.finite                          ? SolveStatus::NotFinite
                    : is_solved(report.residual, settings.tolerance) ? SolveStatus::Converged
                                                                     : SolveStatus::NotSolved;
}

/// With friction of any shape: sweeps in growing numbers, each followed by an attempt to finish by Newton's
/// method, which is exact once every contact has its right status. Where Gauss-Seidel has not come closer,
/// PSOR begins at the best percussions seen: it moves differently.
SolveReport solve_general(const OneStepProblem& problem, const SolverSettings& settings, const Budget& budget,
                          std::span<double> P, SolverScratch& scratch)
{
    SolveReport report;
    report.solver = SolverKind::GaussSeidel;
    SolverSettings part = settings;
    part.relaxation = 1;

    // the local solution of a single contact is the solution
    const bool single = problem.interactions() == 1;
    const bool small = has_other_sets(problem) ? problem.size() <= NaturalNewton::max_rows
                                               : problem.interactions() <= Polisher::max_interactions;
    const double roundoff = (single ? 32 : 1) * std::numeric_limits<double>::epsilon();
    double best = std::numeric_limits<double>::infinity();
    for (int sweeps = single ? 1 : 4; report.iterations < 2 * settings.max_sweeps; sweeps *= 2) {
        part.max_sweeps = std::min(sweeps, 2 * settings.max_sweeps - report.iterations);
        report.iterations += report.solver == SolverKind::GaussSeidel
                                 ? sweep_gauss_seidel(problem, part, P, scratch)
                                 : sweep_psor(problem, part, P, scratch);
        judge(problem, settings, P, scratch, report);
        if (small && report.residual.unit_free > roundoff) {
            polish(problem, P, scratch);
            judge(problem, settings, P, scratch, report);
        }
        if (report.status != SolveStatus::NotSolved || budget.expired()) return report;
        const double now = solved_to(report.residual);
        if (now < best) scratch.best_P.assign(P.begin(), P.end());
        const bool stalls = !(now < 0.5 * best);
        best = std::min(best, now);
        if (report.iterations >= settings.max_sweeps || (stalls && sweeps > 256)) {
            std::copy(scratch.best_P.begin(), scratch.best_P.end(), P.begin());
            report.solver = SolverKind::Psor;
        }
    }
    std::copy(scratch.best_P.begin(), scratch.best_P.end(), P.begin());
    return report;
}

/// Sizes of U_free, scaled and raw, for parts of a problem to be measured by.
FlatError size_of(const OneStepProblem& problem)
{
    double scaled = 0, raw = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto W = problem.W.diagonal(c);
        const auto d = static_cast<std::size_t>(problem.W.dimension(c));
        double trace = 0, sum = 0;
        for (std::size_t k = 0; k < d; ++k) {
            const double U_free = problem.U_free[static_cast<std::size_t>(problem.offsets[c]) + k];
            trace += W[k * d + k];
            sum += U_free * U_free;
        }
        scaled += trace > 0 ? sum * static_cast<double>(d) / trace : sum;
        raw += sum;
    }
    return {std::sqrt(scaled), std::sqrt(raw), 0.0};
}

/// Island by island (SO-19). Each is solved to its share of the error of the whole.
SolveReport solve_islands(const OneStepProblem& problem, const SolverSettings& settings, Budget budget,
                          std::span<double> P, SolverScratch& scratch)
{
    SolveReport report;
    auto& [islands, flat, automatic, x, start_P, multiples, merged_P] = scratch.methods.memory();
    islands.find(problem);
    report.islands = islands.count();
    FlatError floor = size_of(problem);
    const double share = 1 / std::sqrt(static_cast<double>(report.islands));
    floor = {floor.unit_free * share, floor.siconos * share, floor.unit_free};
    budget.tolerance *= report.islands > 1 ? 0.5 : 0.99;
    const bool to_roundoff = problem.interactions() <= Polisher::max_interactions;
    int hardest = -1;
    for (int k = 0; k < report.islands; ++k) {
        flat.load(problem, islands.members(k));
        flat.floor = floor;
        x.resize(static_cast<std::size_t>(flat.size()));
        flat.gather(problem, P, x);
        automatic.run(flat, budget, x, to_roundoff);
        flat.scatter(problem, x, P);
        const auto& work = automatic.work();
        report.iterations += work.sweeps + work.factorisations + work.splittings;
        report.factorisations += work.factorisations;
        if (work.rank > hardest) {
            hardest = work.rank;
            report.solver = work.solver;
        }
    }
    judge(problem, settings, P, scratch, report);
    return report;
}

/// A few contacts that the methods for many have left unsolved: Newton's method on dense islands, from many
/// starts (SO-35).
void search_small_islands(const OneStepProblem& problem, const SolverSettings& settings, const Budget& budget,
                          std::span<double> P, SolverScratch& scratch, SolveReport& report)
{
    Islands& islands = scratch.methods.memory().islands;
    islands.find(problem);
    std::vector<double> trial(P.begin(), P.end()), x;
    SmallIsland island;
    for (int k = 0; k < islands.count(); ++k) {
        const auto members = islands.members(k);
        if (members.size() < 2) continue;
        island.load(problem, members);
        x.resize(static_cast<std::size_t>(island.rows()));
        island.gather(trial, x);
        report.factorisations += island.search(budget, x);
        island.scatter(x, trial);
    }
    SolveReport there = report;
    judge(problem, settings, trial, scratch, there);
    if (!there.residual.finite || solved_to(there.residual) >= solved_to(report.residual)) return;
    std::copy(trial.begin(), trial.end(), P.begin());
    report = there;
    report.solver = SolverKind::ProximalNewton;
}

/// One contact with friction: its exact local solution is the solution, and the only one while Painleve's
/// condition holds. False, with P as it was, where that is not so to rounding.
bool solve_alone(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                 SolverScratch& scratch, SolveReport& report)
{
    std::array<double, 3> start{};
    const auto* law = std::get_if<Coulomb>(&problem.laws.front());
    if (law == nullptr || P.size() > start.size()) return false;
    if (!(sliding_margin(*law, problem.W.diagonal(0)) > 0)) return false;
    std::copy(P.begin(), P.end(), start.begin());
    report.solver = SolverKind::GaussSeidel;
    report.iterations = report.islands = 1;
    if (solve_single(problem, 0, P)) {
        judge(problem, settings, P, scratch, report);
        if (report.status == SolveStatus::Converged && report.residual.unit_free <= nearly_exact) return true;
    }
    std::copy_n(start.begin(), P.size(), P.begin());
    return false;
}

SolveReport solve_auto(const OneStepProblem& problem, const SolverSettings& settings, const Budget& budget,
                       std::span<double> P, SolverScratch& scratch)
{
    if (problem.interactions() == 1) {
        SolveReport report;
        if (solve_alone(problem, settings, P, scratch, report)) return report;
    }
    if (!has_blocks(problem)) {
        SolveReport report;
        report.solver = SolverKind::Exact;
        report.iterations = report.factorisations = scratch.pivoting.solve(problem, P, settings.stop);
        judge(problem, settings, P, scratch, report);
        if (report.status == SolveStatus::Converged || report.status == SolveStatus::NotFinite) return report;
    }
    const bool flat = FlatProblem::takes(problem);
    SolveReport report = flat ? solve_islands(problem, settings, budget, P, scratch)
                              : solve_general(problem, settings, budget, P, scratch);
    const bool few = problem.interactions() <= Polisher::max_interactions;
    if (report.status == SolveStatus::NotSolved && few)
        search_small_islands(problem, settings, budget, P, scratch, report);
    if (!flat) return report;

    // the last digits of a few contacts, by Newton on their statuses
    if (report.status == SolveStatus::Converged && report.residual.unit_free > nearly_exact && few) {
        scratch.polisher.polish(problem, P, scratch.residual);
        judge(problem, settings, P, scratch, report);
    }
    return report;
}

/// One named method on the whole problem; laws it does not know take the general path.
SolveReport solve_named(const OneStepProblem& problem, const SolverSettings& settings, const Budget& budget,
                        std::span<double> P, SolverScratch& scratch)
{
    SolveReport report;
    report.solver = settings.kind;
    if (FlatProblem::takes(problem)) {
        auto& [islands, flat, automatic, x, start_P, multiples, merged_P] = scratch.methods.memory();
        flat.load(problem);
        x.resize(static_cast<std::size_t>(flat.size()));
        flat.gather(problem, P, x);
        report.iterations = automatic.run_one(flat, settings.kind, settings.relaxation, budget, x);
        flat.scatter(problem, x, P);
    } else if (settings.kind == SolverKind::GaussSeidel) {
        report.iterations = sweep_gauss_seidel(problem, settings, P, scratch);
    } else if (settings.kind == SolverKind::Psor) {
        report.iterations = sweep_psor(problem, settings, P, scratch);
    } else {
        return solve_general(problem, settings, budget, P, scratch);
    }
    judge(problem, settings, P, scratch, report);
    return report;
}

SolveReport solve_as_asked(const OneStepProblem& problem, const SolverSettings& settings,
                           const Budget& budget, std::span<double> P, SolverScratch& scratch)
{
    const bool chooses = settings.kind == SolverKind::Auto || settings.kind == SolverKind::Exact;

    // contacts that are multiples of each other are solved as one (SO-36), unless a method is asked for
    MethodScratch::Memory& memory = scratch.methods.memory();
    if (chooses && memory.multiples.find(problem)) {
        memory.multiples.gather(problem, P, memory.merged_P);
        SolveReport report =
            solve_auto(memory.multiples.reduced(), settings, budget, memory.merged_P, scratch);
        memory.multiples.share(problem, memory.merged_P, P);
        judge(problem, settings, P, scratch, report);
        if (report.status != SolveStatus::NotSolved || budget.expired()) return report;
    }
    return chooses ? solve_auto(problem, settings, budget, P, scratch)
                   : solve_named(problem, settings, budget, P, scratch);
}

/// Percussions of the warm start may be so large, in redundant contacts, that velocities are lost beside
/// them: what came to rest has no use for those of the step before. Without them, once more.
void begin_again(const OneStepProblem& problem, const SolverSettings& settings, const Budget& budget,
                 std::span<double> P, SolverScratch& scratch, SolveReport& report)
{
    std::vector<double> from_nothing(P.size(), 0.0);
    SolveReport again = solve_as_asked(problem, settings, budget, from_nothing, scratch);
    again.iterations += report.iterations;
    again.factorisations += report.factorisations;
    if (!again.residual.finite || solved_to(again.residual) >= solved_to(report.residual)) return;
    std::copy(from_nothing.begin(), from_nothing.end(), P.begin());
    report = again;
}

/// A method that got lost leaves percussions that are worse than those it began with, or than none.
void fall_back(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
               SolverScratch& scratch, SolveReport& report)
{
    std::vector<double>& other = scratch.methods.memory().start_P;
    for (int attempt = 0; attempt < 2; ++attempt) {
        SolveReport there = report;
        judge(problem, settings, other, scratch, there);
        if (there.residual.finite && solved_to(there.residual) < solved_to(report.residual)) {
            std::copy(other.begin(), other.end(), P.begin());
            report = there;
        }
        std::fill(other.begin(), other.end(), 0.0);
    }
}

/// Problems up to this size are examined whenever they are not solved; larger ones where percussions diverge.
constexpr int examined_rows = 200;

/// Percussions so many times what stops the free velocities one by one are a sign that none will do (SO-25).
constexpr double diverging = 1e4;

/// Sizes are scaled as in (OS-5).
bool percussions_diverge(const OneStepProblem& problem, std::span<const double> P)
{
    double P2 = 0, U2 = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto W = problem.W.diagonal(c);
        const auto n = static_cast<std::size_t>(problem.W.dimension(c));
        double mean = 0;
        for (std::size_t k = 0; k < n; ++k) {
            mean += W[k * n + k] / static_cast<double>(n);
        }
        if (!(mean > 0)) continue;
        for (const double p : problem.part(P, c)) {
            P2 += p * p * mean;
        }
        for (const double u : problem.part(std::span<const double>(problem.U_free), c)) {
            U2 += u * u / mean;
        }
    }
    return P2 > diverging * diverging * U2;
}

/// True where it is proved that there is no solution: then percussions let the interactions which contradict
/// each other give way as slowly as they can (SO-25).
bool ends_without_solution(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                           SolverScratch& scratch, SolveReport& report)
{
    if (problem.size() > examined_rows && !percussions_diverge(problem, P)) return false;
    auto found = prove_no_solution(problem, scratch.pivoting);
    if (!found) return false;
    OneStepProblem nearest = problem;
    for (std::size_t row = 0; row < nearest.U_free.size(); ++row) {
        nearest.U_free[row] += found->min_violation_m_s[row];
    }
    std::fill(P.begin(), P.end(), 0.0);
    SolverSettings automatic = settings;
    automatic.kind = SolverKind::Auto;
    const SolveReport there = solve_as_asked(nearest, automatic, budget_of(settings), P, scratch);
    report.solver = there.solver;
    report.iterations += there.iterations;
    report.factorisations += there.factorisations;
    judge(problem, settings, P, scratch, report);
    report.status = SolveStatus::NoSolution;
    report.proof = std::move(found->proof);
    return true;
}

}  // namespace

Budget budget_of(const SolverSettings& settings)
{
    Budget budget{.tolerance = settings.tolerance, .max_iterations = settings.max_sweeps};
    budget.stop = settings.stop;
    if (settings.time_limit_s > 0) {
        budget.deadline = Budget::Clock::now() + std::chrono::duration_cast<Budget::Clock::duration>(
                                                     std::chrono::duration<double>(settings.time_limit_s));
    }
    return budget;
}

std::string_view name_of(SolverKind kind) noexcept
{
    return word_of(kind);
}

std::span<const SolverKind> all_solver_kinds() noexcept
{
    static constexpr auto kinds = [] {
        constexpr auto words = words_of(SolverKind{});
        std::array<SolverKind, words.size()> all{};
        std::ranges::transform(words, all.begin(), &Word<SolverKind>::value);
        return all;
    }();
    return kinds;
}

std::string_view name_of(SolveStatus status) noexcept
{
    switch (status) {
    case SolveStatus::Converged: return "converged";
    case SolveStatus::NotSolved: return "not_solved";
    case SolveStatus::NotFinite: return "not_finite";
    case SolveStatus::TimeLimit: return "time_limit";
    case SolveStatus::NoSolution: return "no_solution";
    }
    return "unknown";
}

Expected<void> check(const SolverSettings& settings)
{
    constexpr std::string_view name = "SolverSettings";
    if (const auto checked = check_settings(name, settings); !checked) return checked;
    if (settings.time_limit_s >= 0) return {};
    // of programs only
    return setting_out_of_range(
        name, {.path = "time_limit_s", .unit = "s", .range = not_negative, .hint = "0 for no limit"},
        settings.time_limit_s);
}

SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                  SolverScratch& scratch)
{
    SolveReport report;
    if (problem.interactions() == 0) {
        report.solver = SolverKind::Exact;
        report.status = SolveStatus::Converged;
        return report;
    }
    if (!problem.is_assembled()) return solve_factored(problem, settings, P, scratch);
    std::vector<double>& start_P = scratch.methods.memory().start_P;
    start_P.assign(P.begin(), P.end());
    if (scratch.had_no_solution && ends_without_solution(problem, settings, P, scratch, report)) {
        if (!is_solved(report.residual, settings.tolerance)) return report;
        std::copy(start_P.begin(), start_P.end(), P.begin());  // what contradicts is too little to be felt
    }
    scratch.had_no_solution = false;
    const Budget budget = budget_of(settings);
    const bool warm = std::any_of(P.begin(), P.end(), [](double value) { return value != 0; });
    report = solve_as_asked(problem, settings, budget, P, scratch);
    if (report.status == SolveStatus::Converged) return report;
    if (report.status == SolveStatus::NotSolved && budget.expired()) {
        report.status = SolveStatus::TimeLimit;
        return report;
    }
    if (warm && report.residual.unit_free <= settings.tolerance) {
        begin_again(problem, settings, budget, P, scratch, report);
        if (report.status == SolveStatus::Converged) return report;
    }
    scratch.had_no_solution = ends_without_solution(problem, settings, P, scratch, report);
    if (report.status == SolveStatus::NotSolved) fall_back(problem, settings, P, scratch, report);
    return report;
}

SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P)
{
    SolverScratch scratch;
    return solve(problem, settings, P, scratch);
}

}  // namespace carom
