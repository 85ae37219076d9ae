#include "onestep/factored_operator.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <array>

namespace carom {
namespace {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Interactions that one thread takes at once.
constexpr std::size_t in_block = 512;

Eigen::Map<const Mat3> inverse_inertia_of(const Factors::Block& block)
{
    return Eigen::Map<const Mat3>(block.inverse_inertia.data());
}

Eigen::Map<const Vec3> vector(const std::array<double, 3>& a)
{
    return Eigen::Map<const Vec3>(a.data());
}

Eigen::Map<Vec3> vector(std::array<double, 3>& a)
{
    return Eigen::Map<Vec3>(a.data());
}

/// Part of W_cc by one block of any inertia; `axes`: products of the axes of the rows.
template <std::size_t components>
void add_point_block(const Factors::Block& block, const Factors::Rows& rows, const Vec3& arm,
                     const Mat3& axes, std::span<double> W)
{
    std::array<Vec3, components> turns;
    for (std::size_t i = 0; i < components; ++i) {
        turns[i] = arm.cross(rows.axes[i]);
    }
    const Mat3 inverse_inertia = inverse_inertia_of(block);
    for (std::size_t j = 0; j < components; ++j) {
        const Vec3 turned = inverse_inertia * turns[j];
        for (std::size_t i = 0; i < components; ++i) {
            const double both = axes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
            W[i * components + j] += block.inverse_mass * both + turns[i].dot(turned);
        }
    }
}

/// W_cc of blocks of any inertia.
template <std::size_t components>
void add_point_blocks(const Factors& factors, const Factors::Rows& rows, std::span<double> W)
{
    Mat3 axes = Mat3::Zero();
    for (std::size_t i = 0; i < components; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
            axes(row, column) = axes(column, row) = rows.axes[i].dot(rows.axes[j]);
        }
    }
    for (const int k : {rows.a, rows.b}) {
        if (k < 0) continue;
        const Factors::Block& block = factors.blocks[static_cast<std::size_t>(k)];
        if (block.inverse_mass == 0) continue;
        add_point_block<components>(block, rows, k == rows.a ? rows.arm_a : rows.arm_b, axes, W);
    }
}

/// The same where the inertia is the same about all axes and the arm is along the normal: W_cc is diagonal.
void add_round_block(const Factors::Block& block, const Vec3& arm, std::size_t components,
                     std::span<double> W)
{
    W[0] += block.inverse_mass;
    if (components == 1) return;
    const double tangential = block.inverse_mass + block.inverse_inertia[0] * arm.squaredNorm();
    for (std::size_t k = 1; k < components; ++k) {
        W[k * components + k] += tangential;
    }
}

/// What a percussion on block a, and the opposite on b, do to velocities.
void apply(const Factors::Rows& rows, const Vec3& P, std::span<Factors::Block> blocks)
{
    for (const int k : {rows.a, rows.b}) {
        if (k < 0) continue;
        Factors::Block& block = blocks[static_cast<std::size_t>(k)];
        const Vec3 on_block = k == rows.a ? P : Vec3(-P);
        const Vec3& arm = k == rows.a ? rows.arm_a : rows.arm_b;
        vector(block.v) += block.inverse_mass * on_block;
        vector(block.w) += inverse_inertia_of(block) * arm.cross(on_block);
    }
}

/// Velocity of the point of block a against that of block b.
Vec3 relative_velocity(const Factors::Rows& rows, std::span<const Factors::Block> blocks)
{
    const Factors::Block& a = blocks[static_cast<std::size_t>(rows.a)];
    Vec3 U = vector(a.v) + vector(a.w).cross(rows.arm_a);
    if (rows.b < 0) return U;
    const Factors::Block& b = blocks[static_cast<std::size_t>(rows.b)];
    U -= vector(b.v) + vector(b.w).cross(rows.arm_b);
    return U;
}

}  // namespace

void Factors::clear()
{
    blocks.clear();
    rows.clear();
    freedoms = 0;
    round = calm = false;
}

namespace detail {
namespace {

/// W has the diagonal blocks of these interactions and no others, as mostly in the step before.
bool has_diagonal_alone(const OneStepProblem& problem)
{
    const int count = static_cast<int>(problem.offsets.size()) - 1;
    if (problem.W.blocks() != count) return false;
    for (int c = 0; c < count; ++c) {
        const auto row = problem.W.row(c);
        if (row.size() != 1 || row.front().column != c) return false;
        if (problem.W.dimension(c) != problem.offsets[c + 1] - problem.offsets[c]) return false;
    }
    return true;
}

}  // namespace

void begin_diagonal(OneStepProblem& problem)
{
    const int count = static_cast<int>(problem.offsets.size()) - 1;
    if (!has_diagonal_alone(problem)) {
        problem.W.begin(problem.offsets);
        for (int c = 0; c < count; ++c) {
            problem.W.append(c, c);
        }
        problem.W.finish();
        return;
    }
    for (int c = 0; c < count; ++c) {
        std::ranges::fill(problem.W.values_of(c, problem.W.row(c).front()), 0.0);
    }
}

void set_diagonal(const Factors::Rows& rows, int c, OneStepProblem& problem)
{
    const Factors& factors = problem.factors;
    const auto W = problem.W.values_of(c, problem.W.row(c).front());
    const auto components = static_cast<std::size_t>(problem.W.dimension(c));
    if (!factors.round) {
        if (components == 3) return add_point_blocks<3>(factors, rows, W);
        if (components == 2) return add_point_blocks<2>(factors, rows, W);
        return add_point_blocks<1>(factors, rows, W);
    }
    for (const int k : {rows.a, rows.b}) {
        if (k < 0) continue;
        const Factors::Block& block = factors.blocks[static_cast<std::size_t>(k)];
        if (block.inverse_mass == 0) continue;
        add_round_block(block, k == rows.a ? rows.arm_a : rows.arm_b, components, W);
    }
}

namespace {

/// What one block that moves adds to W of two interactions; their rows begin at `here` and `there`.
inline void add_term(double by_mass, const BlockRows::Term* here, std::size_t terms_c, int height,
                     const BlockRows::Term* there, std::size_t terms_d, int width, double* entry)
{
    for (int i = 0; i < height; ++i, here += terms_c) {
        const BlockRows::Term* other = there;
        for (int j = 0; j < width; ++j, other += terms_d) {
            *entry++ += by_mass * here->v.dot(other->v) + here->w.dot(other->turned);
        }
    }
}

}  // namespace

void add_block(const BlockRows& rows, std::span<const double> inverse_mass, const OneStepProblem& problem,
               int c, int d, std::span<double> W)
{
    const int at_c = problem.offsets[c], height = problem.offsets[c + 1] - at_c;
    const int at_d = problem.offsets[d], width = problem.offsets[d + 1] - at_d;
    // rows of an interaction have the same blocks, and lie one after the other
    const auto first_c = rows.row(at_c), first_d = rows.row(at_d);
    const std::size_t terms_c = first_c.size(), terms_d = first_d.size();
    for (std::size_t p = 0; p < terms_c; ++p) {
        const int block = first_c[p].block;
        const double by_mass = inverse_mass[static_cast<std::size_t>(block)];
        if (by_mass == 0) continue;
        for (std::size_t q = 0; q < terms_d; ++q) {
            if (block != first_d[q].block) continue;
            // mostly contacts with friction: loops of three are written out
            if (height == 3 && width == 3)
                add_term(by_mass, &first_c[p], terms_c, 3, &first_d[q], terms_d, 3, W.data());
            else
                add_term(by_mass, &first_c[p], terms_c, height, &first_d[q], terms_d, width, W.data());
        }
    }
}

void assemble_from_rows(const BlockRows& rows, std::span<const double> inverse_mass,
                        std::vector<std::vector<int>>& interactions_of, OneStepProblem& problem)
{
    // the interactions of every block that moves, in increasing order
    const int count = static_cast<int>(problem.offsets.size()) - 1;
    interactions_of.resize(inverse_mass.size());
    for (std::vector<int>& list : interactions_of) {
        list.clear();
    }
    const auto for_each_moving = [&](int c, const auto& act) {
        for (const BlockRows::Term& term : rows.row(problem.offsets[c])) {
            const auto k = static_cast<std::size_t>(term.block);
            if (inverse_mass[k] > 0) act(interactions_of[k]);
        }
    };
    for (int c = 0; c < count; ++c) {
        for_each_moving(c, [&](std::vector<int>& list) {
            if (list.empty() || list.back() != c) list.push_back(c);
        });
    }

    // those that share one with c, sorted, each once
    std::vector<int> neighbours;
    problem.W.begin(problem.offsets);
    for (int c = 0; c < count; ++c) {
        neighbours.assign(1, c);
        for_each_moving(c, [&](const std::vector<int>& list) {
            neighbours.insert(neighbours.end(), list.begin(), list.end());
        });
        std::sort(neighbours.begin(), neighbours.end());
        neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
        for (const int d : neighbours) {
            add_block(rows, inverse_mass, problem, c, d, problem.W.append(c, d));
        }
    }
    problem.W.finish();
}

void velocities_by_factors(const OneStepProblem& problem, std::span<const double> P,
                           std::vector<Factors::Block>& blocks, std::span<double> U)
{
    const Factors& factors = problem.factors;
    blocks = factors.blocks;
    for (int c = 0; c < problem.interactions(); ++c) {
        const Factors::Rows& rows = factors.rows[static_cast<std::size_t>(c)];
        const auto part = problem.part(P, c);
        Vec3 on_a = part[0] * rows.axes[0];
        for (std::size_t k = 1; k < part.size(); ++k) {
            on_a += part[k] * rows.axes[k];
        }
        apply(rows, on_a, blocks);
    }
    for_each_index(factors.rows.size(), in_block, [&](std::size_t c) {
        const Factors::Rows& rows = factors.rows[c];
        const Vec3 of_points = relative_velocity(rows, blocks);
        const auto part = problem.part(U, static_cast<int>(c));
        for (std::size_t k = 0; k < part.size(); ++k) {
            part[k] = rows.axes[k].dot(of_points);
        }
        part[0] += rows.b_m_s;
    });
}

}  // namespace detail

OneStepProblem assembled(const OneStepProblem& problem)
{
    OneStepProblem result = problem;
    if (problem.is_assembled()) return result;
    BlockRows rows;
    for (int c = 0; c < problem.interactions(); ++c) {
        const Factors::Rows& of_c = problem.factors.rows[static_cast<std::size_t>(c)];
        const auto components = static_cast<std::size_t>(problem.offsets[c + 1] - problem.offsets[c]);
        rows.add_point(std::span(of_c.axes).first(components), of_c.a, of_c.arm_a, of_c.b, of_c.arm_b);
    }
    std::vector<double> inverse_mass;
    std::vector<Mat3> inverse_inertia;
    for (const Factors::Block& block : problem.factors.blocks) {
        inverse_mass.push_back(block.inverse_mass);
        inverse_inertia.emplace_back(inverse_inertia_of(block));
    }
    rows.set_inertia(inverse_inertia);
    std::vector<std::vector<int>> interactions_of;
    detail::assemble_from_rows(rows, inverse_mass, interactions_of, result);
    result.factors.clear();
    return result;
}

}  // namespace carom
