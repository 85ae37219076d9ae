#include "onestep/four_diagonals.hpp"

#include "core/four_numbers.hpp"

namespace carom::detail {
namespace {

using FourRows = std::array<Factors::Rows, 4>;

/// A vector of space of four contacts.
struct Space {
    Four x, y, z;
};

[[gnu::always_inline]] inline Four dot(const Space& a, const Space& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

[[gnu::always_inline]] inline Space cross(const Space& a, const Space& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A vector of each of four rows.
template <class Part>
[[gnu::always_inline]] inline Space gathered(const FourRows& rows, Part part)
{
    const auto &p = part(rows[0]), &q = part(rows[1]), &r = part(rows[2]), &s = part(rows[3]);
    return {Four{p[0], q[0], r[0], s[0]}, Four{p[1], q[1], r[1], s[1]}, Four{p[2], q[2], r[2], s[2]}};
}

/// The blocks that four contacts have on one side.
struct Blocks {
    Four inverse_mass;
    Four inverse_inertia[9];

    [[gnu::always_inline]] Blocks(const Factors& factors, const FourRows& rows, int Factors::Rows::* side)
    {
        std::array<const Factors::Block*, 4> of{};
        for (std::size_t k = 0; k < 4; ++k) {
            of[k] = &factors.blocks[static_cast<std::size_t>(rows[k].*side)];
        }
        inverse_mass =
            Four{of[0]->inverse_mass, of[1]->inverse_mass, of[2]->inverse_mass, of[3]->inverse_mass};
        for (std::size_t i = 0; i < 9; ++i) {
            inverse_inertia[i] = Four{of[0]->inverse_inertia[i], of[1]->inverse_inertia[i],
                                      of[2]->inverse_inertia[i], of[3]->inverse_inertia[i]};
        }
    }

    [[gnu::always_inline]] Space turned(const Space& a) const
    {
        const Four* const J = inverse_inertia;
        return {J[0] * a.x + J[3] * a.y + J[6] * a.z, J[1] * a.x + J[4] * a.y + J[7] * a.z,
                J[2] * a.x + J[5] * a.y + J[8] * a.z};
    }
};

/// Nine numbers of each: a block, row by row.
struct Nine {
    Four at[9];
};

/// W_cc += what the blocks of one side do. One that does not move does nothing.
[[gnu::always_inline]] inline void add_side(const Blocks& blocks, const Space (&axes)[3],
                                            const Nine& products, const Space& arm, Nine& W)
{
    Space turns[3];
    for (std::size_t i = 0; i < 3; ++i) {
        turns[i] = cross(arm, axes[i]);
    }
    const auto moves = blocks.inverse_mass != 0.0;
    for (std::size_t j = 0; j < 3; ++j) {
        const Space turned = blocks.turned(turns[j]);
        for (std::size_t i = 0; i < 3; ++i) {
            const Four sum = blocks.inverse_mass * products.at[3 * i + j] + dot(turns[i], turned);
            W.at[3 * i + j] += moves ? sum : Four{};
        }
    }
}

[[gnu::always_inline]] inline void set_blocks(const FourRows& rows, const Factors& factors, Nine& W)
{
    Space axes[3];
    for (std::size_t i = 0; i < 3; ++i) {
        axes[i] = gathered(rows, [i](const Factors::Rows& one) { return one.axes[i].data(); });
    }
    Nine products;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            products.at[3 * i + j] = products.at[3 * j + i] = dot(axes[i], axes[j]);
        }
    }
    W = {};
    const Space arm_a = gathered(rows, [](const Factors::Rows& one) { return one.arm_a.data(); });
    add_side(Blocks(factors, rows, &Factors::Rows::a), axes, products, arm_a, W);
    const Space arm_b = gathered(rows, [](const Factors::Rows& one) { return one.arm_b.data(); });
    add_side(Blocks(factors, rows, &Factors::Rows::b), axes, products, arm_b, W);
}

CAROM_WIDE void set_blocks_wide(const FourRows& rows, const Factors& factors, Nine& W)
{
    set_blocks(rows, factors, W);
}

}  // namespace

void set_four_diagonals(const std::array<Factors::Rows, 4>& rows, int first, OneStepProblem& problem)
{
    Nine W;
    if (has_wide_registers())
        set_blocks_wide(rows, problem.factors, W);
    else
        set_blocks(rows, problem.factors, W);
    for (int k = 0; k < 4; ++k) {
        const auto W_cc = problem.W.values_of(first + k, problem.W.row(first + k).front());
        for (std::size_t i = 0; i < 9; ++i) {
            W_cc[i] = W.at[i][k];
        }
    }
}

}  // namespace carom::detail
