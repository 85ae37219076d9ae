#include "solver/factor_sweeps.hpp"

#include "core/parallel.hpp"
#include "solver/body_newton.hpp"
#include "solver/budget.hpp"
#include "solver/held_sweeps.hpp"
#include "solver/round_contacts.hpp"

#include <algorithm>

namespace carom {
namespace {

using Vec3 = Eigen::Vector3d;

/// Sweeps before a matrix is assembled.
constexpr int max_sweeps = 400;

/// Blocks and interactions that one thread takes at once.
constexpr std::size_t blocks_at_once = 256, rows_at_once = 512;

std::array<double, 3> components(const Vec3& a)
{
    return {a.x(), a.y(), a.z()};
}

double friction_of(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr ? coulomb->friction : 0.0;
}

double restitution_of(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr ? coulomb->restitution : std::get<Unilateral>(law).restitution;
}

/// What is added to the normal velocity that the blocks have.
double shift_of(const OneStepProblem& problem, std::size_t c)
{
    const double U_minus = problem.U_minus[static_cast<std::size_t>(problem.offsets[c])];
    return problem.factors.rows[c].b_m_s + restitution_of(problem.laws[c]) * std::min(U_minus, 0.0);
}

/// Percussion on block a, axes of the world.
Vec3 in_world(const OneStepProblem& problem, std::size_t c, std::span<const double> P)
{
    const Factors::Rows& rows = problem.factors.rows[c];
    const auto part = problem.part(P, static_cast<int>(c));
    Vec3 sum = part[0] * rows.axes[0];
    for (std::size_t k = 1; k < part.size(); ++k) {
        sum += part[k] * rows.axes[k];
    }
    return sum;
}

/// Percussions that a kernel has found, in the axes of the rows.
template <class Kernel>
void take_percussions(const Kernel& kernel, const OneStepProblem& problem, std::span<double> P)
{
    for_each_index(problem.laws.size(), rows_at_once, [&](std::size_t c) {
        const auto found = kernel.percussion(static_cast<int>(c));
        const auto part = problem.part(P, static_cast<int>(c));
        for (std::size_t k = 0; k < part.size(); ++k) {
            part[k] = problem.factors.rows[c].axes[k].dot(Vec3(found[0], found[1], found[2]));
        }
    });
}

bool are_swept(const OneStepProblem& problem)
{
    return std::all_of(problem.laws.begin(), problem.laws.end(), HeldSweeps::takes);
}

/// Contacts of any shape, with percussions to begin with.
bool load_rigid(const OneStepProblem& problem, std::span<const double> P, std::vector<RigidContact>& contacts,
                RigidContacts& kernel)
{
    contacts.resize(problem.laws.size());
    for_each_index(problem.laws.size(), rows_at_once, [&](std::size_t c) {
        const Factors::Rows& rows = problem.factors.rows[c];
        contacts[c] = {.normal = components(rows.axes[0]),
                       .arm_a = components(rows.arm_a),
                       .arm_b = components(rows.arm_b),
                       .shift_m_s = shift_of(problem, c),
                       .P = components(in_world(problem, c, P)),
                       .friction = friction_of(problem.laws[c]),
                       .a = rows.a,
                       .b = rows.b};
    });
    return kernel.load(problem.factors.blocks, contacts).has_value();
}

}  // namespace

struct FactorSweeps::Memory {
    bool round = false;  ///< the last problem was
    std::vector<RigidContact> rigid_contacts;
    RigidContacts rigid;
    std::vector<RoundBody> round_blocks;
    std::vector<RoundContact> round_contacts;
    RoundContacts round_kernel;

    [[nodiscard]] bool load_round(const OneStepProblem& problem, std::span<const double> P);

    int run(const Budget& budget) { return round ? round_kernel.run(budget) : rigid.run(budget); }

    void take(const OneStepProblem& problem, std::span<double> P) const
    {
        if (round)
            take_percussions(round_kernel, problem, P);
        else
            take_percussions(rigid, problem, P);
    }
};

FactorSweeps::FactorSweeps() = default;
FactorSweeps::~FactorSweeps() = default;
FactorSweeps::FactorSweeps(FactorSweeps&&) noexcept = default;
FactorSweeps& FactorSweeps::operator=(FactorSweeps&&) noexcept = default;

bool FactorSweeps::Memory::load_round(const OneStepProblem& problem, std::span<const double> P)
{
    round_blocks.resize(problem.factors.blocks.size());
    for_each_index(round_blocks.size(), blocks_at_once, [&](std::size_t i) {
        const Factors::Block& block = problem.factors.blocks[i];
        round_blocks[i] = {.v = block.v,
                           .inverse_mass = block.inverse_mass,
                           .w = block.w,
                           .inverse_inertia = block.inverse_inertia[0]};
    });
    round_contacts.resize(problem.laws.size());
    for_each_index(problem.laws.size(), rows_at_once, [&](std::size_t c) {
        const Factors::Rows& rows = problem.factors.rows[c];
        const Vec3& n = rows.axes[0];
        round_contacts[c] = {.normal = components(n),
                             .arm_a = -rows.arm_a.dot(n),
                             .arm_b = rows.arm_b.dot(n),
                             .shift_m_s = shift_of(problem, c),
                             .P = components(in_world(problem, c, P)),
                             .friction = friction_of(problem.laws[c]),
                             .a = rows.a,
                             .b = rows.b};
    });
    return round_kernel.load(round_blocks, round_contacts).has_value();
}

bool FactorSweeps::load(const OneStepProblem& problem, std::span<const double> P)
{
    if (problem.is_assembled() || !are_swept(problem)) return false;
    if (!memory_) memory_ = std::make_unique<Memory>();
    memory_->round = problem.factors.round;
    if (memory_->round) return memory_->load_round(problem, P);
    return load_rigid(problem, P, memory_->rigid_contacts, memory_->rigid);
}

/// A structure that stands is solved well, whatever the tolerance (BO-26): by a few sweeps, which are enough
/// where it stood before, or else by Newton's method in the space of the blocks. False where that costs too
/// much, or does not reach what was asked for.
bool FactorSweeps::hold_structure(const OneStepProblem& problem, const SolverSettings& settings,
                                  std::span<double> P, SolveReport& report)
{
    constexpr double well = 1e-8, max_products = 5e6, all_products = 2e7;
    constexpr int few_sweeps = 8, smallest = 30, largest = 300;
    const double tolerance = std::min(0.9 * settings.tolerance, well);
    RigidContacts& sweeps = memory_->rigid;
    Budget budget = budget_of(settings);
    budget.tolerance = tolerance;
    report.iterations = sweeps.run(budget.with(few_sweeps));
    if (sweeps.error().worst() <= tolerance) {
        take_percussions(sweeps, problem, P);
        return true;
    }
    BodyNewton newton;
    newton.load(problem.factors.blocks, memory_->rigid_contacts);
    if (newton.products() > max_products) return false;
    // factors of the contacts, which are left if this fails, cost far more: blocks of redundant contacts fill
    // in
    const double affordable = all_products / newton.products();
    const int max_factorisations = static_cast<int>(std::clamp<double>(affordable, smallest, largest));
    const int factorisations = newton.run(budget.with(max_factorisations));
    report.iterations += factorisations;
    report.factorisations += factorisations;
    if (!(newton.error() <= 0.9 * settings.tolerance)) return false;
    report.solver = SolverKind::ProximalNewton;
    take_percussions(newton, problem, P);
    return true;
}

bool FactorSweeps::solve(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                         SolveReport& report)
{
    if (!load(problem, P)) return false;
    report.solver = SolverKind::NonlinearCg;
    const Factors& factors = problem.factors;
    const bool stands = factors.calm && factors.is_redundant(P.size());
    if (!factors.round && stands && hold_structure(problem, settings, P, report)) return true;
    Budget budget = budget_of(settings);
    budget.tolerance *= 0.9;
    report.iterations += memory_->run(budget.with(std::min(max_sweeps, settings.max_sweeps)));
    memory_->take(problem, P);
    return true;
}

bool FactorSweeps::refine(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                          SolveReport& report)
{
    // a factorisation of a hundred bodies takes some thousand products, of a thousand bodies a million
    constexpr double max_products = 2e5, all_products = 3e7;
    constexpr int largest = 1000;
    if (!are_swept(problem)) return false;
    if (!memory_) memory_ = std::make_unique<Memory>();
    memory_->round = false;
    if (!load_rigid(problem, P, memory_->rigid_contacts, memory_->rigid)) return false;
    BodyNewton newton;
    newton.load(problem.factors.blocks, memory_->rigid_contacts);
    if (newton.products() > max_products) return false;
    Budget budget = budget_of(settings);
    budget.tolerance *= 0.9;
    budget.max_iterations = static_cast<int>(std::min<double>(largest, all_products / newton.products()));
    const int factorisations = newton.run(budget, BodyNewton::Of::Heap);
    report.iterations += factorisations;
    report.factorisations += factorisations;
    if (!(newton.error() <= budget.tolerance)) return false;
    take_percussions(newton, problem, P);
    report.solver = SolverKind::ProximalNewton;
    report.selection.unexamined = 1;
    return true;
}

bool FactorSweeps::sweep(const OneStepProblem& problem, const Budget& budget, std::span<double> P)
{
    if (!load(problem, P)) return false;
    memory_->run(budget);
    memory_->take(problem, P);
    return true;
}

bool HeldSweeps::takes(const Law& law)
{
    if (std::holds_alternative<Unilateral>(law)) return true;
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr && coulomb->tangential_restitution == 0 &&
           (std::holds_alternative<FrictionDisc>(coulomb->shape) ||
            std::holds_alternative<FrictionInterval>(coulomb->shape));
}

int HeldSweeps::run(const OneStepProblem& contacts, const Budget& budget, BesideContacts& beside,
                    std::span<double> P)
{
    if (!are_swept(contacts) || !load_rigid(contacts, P, contacts_, kernel_)) return 0;
    const int sweeps = kernel_.run(budget, &beside);
    take_percussions(kernel_, contacts, P);
    return sweeps;
}

std::array<double, 3> FactorSweeps::velocity(int block) const
{
    return memory_->round ? memory_->round_kernel.velocity(block) : memory_->rigid.velocity(block);
}

}  // namespace carom
