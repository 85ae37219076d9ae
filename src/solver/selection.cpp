#include "solver/solver_scratch.hpp"

#include "single_contact.hpp"
#include "small_island.hpp"
#include "solver/flat_problem.hpp"
#include "solver/solver_scratch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace carom {
namespace {

/// Velocities that differ by less than this part of them are the same motion.
constexpr double same_motion = 1e-6;

/// So are those that differ by less than this part of what the step does to the velocities: in steps of
/// contacts that change the scheme itself is not more exact than that. Two corners of a stone next to each
/// other, one of which sticks while the other lifts, are no other motion.
constexpr double same_step = 0.01;

/// What the rule leaves of errors, and what percussions of the step before may have to solve this one as
/// well.
constexpr double left_by_rule = 1e-12, left_at_rest = 1e-13;

/// Islands with more components are not tried from other starts: that takes dozens of factorisations.
constexpr int max_tried_components = 24;

}  // namespace

struct Selector::Memory {
    Islands islands;
    std::vector<SmallIsland> loaded;  ///< those that are tried later come first, in their order
    SmallIsland* island = nullptr;    ///< the one that is looked at
    std::vector<int> indeterminate, tried, singles;  ///< islands
    std::vector<int> changed;     ///< interactions whose percussions are not those of the step before
    std::vector<char> deficient;  ///< per tried one: its percussions are not determined
    std::vector<double> P_before, P_selected, P_solver;
    std::vector<double> U_before;  ///< of P_before, once it is asked for
    std::vector<double> x, other, u, u_other;
    std::vector<char> places, places_before;
    int unexamined = 0, unsettled = 0;

    void look(const OneStepProblem& problem, double tolerance);
    [[nodiscard]] std::optional<bool> is_still(const OneStepProblem& problem, std::span<const int> members,
                                               double tolerance);
    void copy_selected(const OneStepProblem& problem, std::span<const int> which, std::span<double> P) const;
    [[nodiscard]] std::span<const double> velocities_of(const OneStepProblem& problem,
                                                        std::span<const double> P);
    void try_other_starts(double tolerance, std::span<const double> P, std::vector<OtherMotion>& others);
    [[nodiscard]] bool tries(std::span<const double> P);
    [[nodiscard]] double moves_differently(double tolerance);
    [[nodiscard]] bool is_connected();

    std::vector<double> low, high, middle, u_low, u_high, u_middle;  ///< of is_connected
};

Selector::Selector() = default;
Selector::~Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;

Selector::Memory& Selector::memory()
{
    if (!memory_) memory_ = std::make_unique<Memory>();
    return *memory_;
}

namespace {

int components(const OneStepProblem& problem, std::span<const int> members)
{
    int sum = 0;
    for (const int c : members) {
        sum += problem.W.dimension(c);
    }
    return sum;
}

bool has_contacts(const OneStepProblem& problem, std::span<const int> members)
{
    return std::any_of(members.begin(), members.end(), [&](int c) { return is_unilateral(problem.laws[c]); });
}

/// Percussions that solve the problem to rounding, with every contact either pressed or opening. One that
/// touches without a load may have to take its part of it.
bool is_still_solution(const OneStepProblem& problem, std::span<const double> P, double tolerance,
                       ResidualScratch& scratch, SolveReport& report)
{
    bool acts = false;
    for (int c = 0; c < problem.interactions(); ++c) {
        acts = acts || (P[problem.offsets[c]] > 0 && is_unilateral(problem.laws[c]));
    }
    if (!acts) return false;
    report.residual = residual(problem, P, scratch);
    if (!(report.residual.unit_free <= tolerance && report.residual.velocity <= tolerance)) return false;
    for (int c = 0; c < problem.interactions(); ++c) {
        const int row = problem.offsets[c];
        const bool idle = is_unilateral(problem.laws[c]) && !(P[row] > 0);
        if (idle && !(scratch.U[row] + scratch.s[row] > 1e-9 * std::abs(problem.U_free[row]))) return false;
    }
    report.status = SolveStatus::Converged;
    report.solver = SolverKind::ProximalNewton;
    return true;
}

/// A cone of percussions that project_on_set() knows, or a half-line.
bool has_plain_set(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr
               ? !std::holds_alternative<FrictionRough>(coulomb->shape)
               : std::holds_alternative<Unilateral>(law) || std::holds_alternative<Bilateral>(law);
}

}  // namespace

/// SmallIsland::is_still_solution() by the natural map (OS-5), without a dense island: most of those at rest
/// need none. Empty where a law has another set.
std::optional<bool> Selector::Memory::is_still(const OneStepProblem& problem, std::span<const int> members,
                                               double tolerance)
{
    bool acts = false;
    for (const int c : members) {
        if (!has_plain_set(problem.laws[c])) return std::nullopt;
        acts = acts || (P_before[problem.offsets[c]] > 0 && is_unilateral(problem.laws[c]));
    }
    if (!acts) return false;
    if (U_before.empty()) {
        U_before.resize(P_before.size());
        local_velocity(problem, P_before, U_before);
    }
    double F2 = 0, U2 = 0, U_free2 = 0;
    std::array<double, 3> s{}, y{};
    for (const int c : members) {
        const auto first = static_cast<std::size_t>(problem.offsets[c]);
        const auto d = static_cast<std::size_t>(problem.W.dimension(c));
        const auto W = problem.W.diagonal(c);
        double trace = 0;
        for (std::size_t k = 0; k < d; ++k) {
            trace += W[k * d + k];
        }
        const double scale2 = trace > 0 ? static_cast<double>(d) / trace : 1.0;
        const std::span<const double> U(U_before.data() + first, d), P(P_before.data() + first, d);
        velocity_shift(problem.laws[c], {problem.U_minus.data() + first, d}, U, std::span(s).first(d));
        for (std::size_t k = 0; k < d; ++k) {
            y[k] = P[k] - scale2 * (U[k] + s[k]);
        }
        project_on_set(problem.laws[c], std::span(y).first(d));
        for (std::size_t k = 0; k < d; ++k) {
            const double F = P[k] - y[k], U_free = problem.U_free[first + k];
            F2 += F * F / scale2;
            U2 += scale2 * U[k] * U[k];
            U_free2 += scale2 * U_free * U_free;
        }
        // one that touches without a load may have to take its part of it
        const bool idle = is_unilateral(problem.laws[c]) && !(P[0] > 0);
        if (idle && !(U[0] + s[0] > 1e-9 * std::abs(problem.U_free[first]))) return false;
    }
    const double velocities2 = std::max(U2, U_free2);
    return F2 <= tolerance * tolerance * velocities2;  // the stricter of the two errors
}

/// Islands whose percussions are not determined, by the rank of their W, and the percussions that the rule
/// selects; those with friction that may have several motions are tried later. The rule does not see what a
/// solver has found: all solvers give the same.
void Selector::Memory::look(const OneStepProblem& problem, double tolerance)
{
    islands.find(problem);
    U_before.clear();
    indeterminate.clear();
    tried.clear();
    deficient.clear();
    singles.clear();
    changed.clear();
    P_selected.assign(P_before.begin(), P_before.end());
    unexamined = unsettled = 0;
    for (int k = 0; k < islands.count(); ++k) {
        const auto members = islands.members(k);
        if (members.size() == 1 && solve_single(problem, members[0], P_selected)) singles.push_back(k);
        if (members.size() < 2 || !has_contacts(problem, members)) continue;
        const int size = components(problem, members);
        if (size > max_examined_components) {
            ++unexamined;
            continue;
        }
        const auto still = is_still(problem, members, tolerance);
        if (still == true) {
            indeterminate.push_back(k);
            continue;
        }
        if (loaded.size() == tried.size()) loaded.emplace_back();
        island = &loaded[tried.size()];
        island->load(problem, members);
        x.resize(static_cast<std::size_t>(size));
        island->gather(P_before, x);
        if (!still && island->is_still_solution(x, tolerance)) {
            indeterminate.push_back(k);
            continue;
        }
        const bool determined = island->rank() == size;
        if (island->has_friction() && size <= max_tried_components) {
            tried.push_back(k);
            deficient.push_back(determined ? 0 : 1);
        }
        if (determined) continue;
        if (island->select(x)) {
            island->scatter(x, P_selected);
            indeterminate.push_back(k);
            changed.insert(changed.end(), members.begin(), members.end());
        } else {
            ++unsettled;
        }
    }
}

/// U of P, which differs from P_before in `changed` and the single contacts alone.
std::span<const double> Selector::Memory::velocities_of(const OneStepProblem& problem,
                                                        std::span<const double> P)
{
    if (U_before.empty()) {
        U_before.resize(P.size());
        local_velocity(problem, P, U_before);
        return U_before;
    }
    for (const int k : singles) {
        changed.push_back(islands.members(k).front());
    }
    for (const int c : changed) {
        const auto U = problem.part(std::span<double>(U_before), c);
        std::fill(U.begin(), U.end(), 0.0);
        problem.W.add_row_product(c, P, U);
        for (std::size_t k = 0; k < U.size(); ++k) {
            U[k] += problem.U_free[static_cast<std::size_t>(problem.offsets[c]) + k];
        }
    }
    return U_before;
}

void Selector::Memory::copy_selected(const OneStepProblem& problem, std::span<const int> which,
                                     std::span<double> P) const
{
    for (const int k : which) {
        for (const int c : islands.members(k)) {
            const auto from = problem.part(std::span<const double>(P_selected), c);
            std::copy(from.begin(), from.end(), problem.part(P, c).begin());
        }
    }
}

/// Worth trying: contacts have changed what they do since the step before, or all of them let go.
bool Selector::Memory::tries(std::span<const double> P)
{
    x.resize(static_cast<std::size_t>(island->rows()));
    island->gather(P_before, x);
    island->places(x, places_before);
    island->gather(P, x);
    island->places(x, places);
    return places != places_before || island->leaves(x);
}

/// How far the velocities of `other` are from those of `x`, in m/s; 0 where they are the same.
double Selector::Memory::moves_differently(double tolerance)
{
    u.resize(x.size());
    u_other.resize(x.size());
    island->velocity(x, u);
    island->velocity(other, u_other);
    double size = island->drive(), sum = 0, difference = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = u[i] - u_other[i];
        sum += d * d;
        size = std::max({size, std::abs(u[i]), std::abs(u_other[i])});
        difference = std::max(difference, std::abs(d) * island->metres_per_second(static_cast<int>(i)));
    }
    const double smallest =
        std::max(std::max(same_motion, 10 * tolerance) * size, same_step * island->change(u));
    return std::sqrt(sum) > smallest ? difference : 0.0;
}

/// Solutions from `low` to `high` whose velocities lie between theirs: both belong to one family.
bool Selector::Memory::is_connected()
{
    constexpr int max_bisections = 8;
    const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sum += (a[i] - b[i]) * (a[i] - b[i]);
        }
        return std::sqrt(sum);
    };
    for (auto* vector : {&u_low, &u_high, &u_middle}) {
        vector->resize(low.size());
    }
    island->velocity(low, u_low);
    island->velocity(high, u_high);
    const double whole = distance(u_low, u_high);
    for (int k = 0; k < max_bisections; ++k) {
        middle.resize(low.size());
        for (std::size_t i = 0; i < low.size(); ++i) {
            middle[i] = (low[i] + high[i]) / 2;
        }
        if (!island->settle(SmallIsland::Equations::Coulomb, middle)) return false;
        island->velocity(middle, u_middle);
        const double below = distance(u_low, u_middle), above = distance(u_middle, u_high);
        if (std::max(below, above) <= 0.25 * whole) return true;
        if (below > above) {
            high.swap(middle);
            u_high.swap(u_middle);
        } else {
            low.swap(middle);
            u_low.swap(u_middle);
        }
    }
    return false;
}

/// Other starts (SO-34): nothing acts, and everything is held as firmly as the cones allow.
void Selector::Memory::try_other_starts(double tolerance, std::span<const double> P,
                                        std::vector<OtherMotion>& others)
{
    for (std::size_t t = 0; t < tried.size(); ++t) {
        const int k = tried[t];
        island = &loaded[t];
        if (!tries(P)) continue;
        island->forget_factors();
        if (!deficient[t] && island->is_unique()) continue;

        // compared are exact solutions: with a coarse tolerance this one is made exact first
        constexpr double exact = 1e-10;
        if (const auto error = island->error(x); !(error.unit_free <= exact && error.velocity <= exact)) {
            other.assign(x.begin(), x.end());
            if (!island->settle(SmallIsland::Equations::Coulomb, other)) continue;
            if (moves_differently(std::max(tolerance, error.velocity)) > 0) continue;
            x.swap(other);
        }
        other.assign(x.size(), 0.0);
        const auto is_solution = [&] {
            const auto error = island->error(other);
            return error.unit_free <= exact && error.velocity <= exact;
        };
        const auto add = [&](double difference, bool wedged) {
            const auto members = islands.members(k);
            others.push_back({.interactions = {members.begin(), members.end()},
                              .difference_m_s = difference,
                              .wedged = wedged});
        };

        // the rule from nothing
        if (island->select(other) && is_solution()) {
            if (const double difference = moves_differently(0); difference > 0) {
                add(difference, false);
                continue;
            }
        }

        // held: the convex problem, then Coulomb's from there
        if (!island->may_have_several()) continue;
        const auto by_compliance = [&] {
            other.assign(x.size(), 0.0);
            if (!island->follow_compliance(SmallIsland::Equations::Associated, other)) return false;
            if (!island->settle(SmallIsland::Equations::Associated, other)) return false;
            return is_solution() || (island->settle(SmallIsland::Equations::Coulomb, other) && is_solution());
        };
        if (!by_compliance() && !(island->hold(other) && is_solution())) continue;
        const double difference = moves_differently(0);
        if (!(difference > 0)) continue;
        const double still = *std::max_element(u_other.begin(), u_other.end(),
                                               [](double a, double b) { return std::abs(a) < std::abs(b); });
        const bool wedged = std::abs(still) <= same_motion * island->drive();
        // only loads are open: there are motions between the two, and the rule leads back
        low.assign(x.begin(), x.end());
        high.assign(other.begin(), other.end());
        if (is_connected() && island->select(other) && is_solution() && !(moves_differently(0) > 0)) continue;
        add(difference, wedged);
    }
}

SolveReport solve_selected(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                           SolverScratch& scratch)
{
    scratch.selector.others_.clear();
    if (!problem.is_assembled()) return solve(problem, settings, P, scratch);

    // the exact solution of a single contact has its own rule (OC-4)
    if (problem.interactions() < 2 || std::ranges::none_of(problem.laws, is_unilateral))
        return solve(problem, settings, P, scratch);

    // at rest: what was selected in the step before solves this one as well
    SolveReport report;
    const bool small = problem.size() <= max_examined_components;
    const double exactly = std::min(settings.tolerance, left_by_rule);
    const double at_rest = std::min(settings.tolerance, left_at_rest);
    if (small && is_still_solution(problem, P, at_rest, scratch.residual, report)) return report;

    Selector::Memory& memory = scratch.selector.memory();
    memory.P_before.assign(P.begin(), P.end());
    memory.look(problem, at_rest);
    memory.copy_selected(problem, memory.indeterminate, P);

    // where the solver is ours to choose and the rule has solved every island, it is the solver
    const bool chooses = settings.kind == SolverKind::Auto || settings.kind == SolverKind::Exact;
    const bool any = !memory.indeterminate.empty();
    const auto known = memory.indeterminate.size() + memory.singles.size();
    const bool all = any && static_cast<int>(known) == memory.islands.count();
    bool solved = false;
    if (chooses && all) {
        memory.copy_selected(problem, memory.singles, P);
        report.residual = residual_at(problem, P, memory.velocities_of(problem, P), scratch.residual);
        solved = is_solved(report.residual, exactly);
        report.status = SolveStatus::Converged;
        report.solver = SolverKind::ProximalNewton;
        report.iterations = report.factorisations = report.islands = memory.islands.count();
    }
    if (!solved) {
        if (!chooses || all) std::copy(memory.P_before.begin(), memory.P_before.end(), P.begin());
        report = solve(problem, settings, P, scratch);
        const bool hopeless =
            report.status == SolveStatus::NotFinite || report.status == SolveStatus::NoSolution;
        if (!memory.indeterminate.empty() && !hopeless) {
            memory.P_solver.assign(P.begin(), P.end());
            memory.copy_selected(problem, memory.indeterminate, P);
            const Residual now = residual(problem, P, scratch.residual);
            const bool good = is_solved(now, settings.tolerance);
            if (good || (now.finite && solved_to(now) <= solved_to(report.residual))) {
                report.residual = now;
                if (good) report.status = SolveStatus::Converged;
            } else {
                std::copy(memory.P_solver.begin(), memory.P_solver.end(), P.begin());
                memory.unsettled += static_cast<int>(memory.indeterminate.size());
                memory.indeterminate.clear();
            }
        }
    }
    report.selection.selected = static_cast<int>(memory.indeterminate.size());
    report.selection.unsettled = memory.unsettled;
    report.selection.unexamined = memory.unexamined;
    if (!memory.tried.empty() && report.status == SolveStatus::Converged) {
        memory.try_other_starts(settings.tolerance, P, scratch.selector.others_);
        report.selection.several = static_cast<int>(scratch.selector.others_.size());
    }
    return report;
}

}  // namespace carom
