#include "solver/quick_contacts.hpp"

#include "carom/onestep/residual.hpp"
#include "core/parallel.hpp"
#include "eight_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom {
namespace {

using detail::all_eight;
using detail::Eight;
using detail::EightVectors;
using detail::load_eight;
using detail::load_vectors;
using detail::store_vectors;

/// Of groups of eight contacts, and of bodies, that one thread takes at once.
constexpr std::size_t groups_in_block = 32, bodies_in_block = 2048;

/// Sweeps without a look at the error.
constexpr int longest_interval = 32;

constexpr std::uint8_t all_move = 0xff;

/// Eight bodies: what is beside the vectors comes with them.
struct EightBodies {
    EightVectors v, w;
    Eight inverse_mass, inverse_inertia;

    template <class Moving>
    [[gnu::always_inline]] void load(const Moving* bodies, const std::array<int, 8>& index)
    {
        Eight row[8];
        for (int k = 0; k < 8; ++k) {
            row[k] = load_eight(bodies[index[k]].at.data());
        }
        detail::transpose(row);
        v = {row[0], row[1], row[2]};
        inverse_mass = row[3];
        w = {row[4], row[5], row[6]};
        inverse_inertia = row[7];
    }

    template <class Moving>
    [[gnu::always_inline]] void store(Moving* bodies, const std::array<int, 8>& index,
                                      std::uint8_t moves) const
    {
        Eight row[8] = {v.x, v.y, v.z, inverse_mass, w.x, w.y, w.z, inverse_inertia};
        detail::transpose(row);
        if (moves == all_move) {
            for (int k = 0; k < 8; ++k) {
                detail::store_eight(row[k], bodies[index[k]].at.data());
            }
            return;
        }
        for (int k = 0; k < 8; ++k) {
            if ((moves >> k & 1) != 0) detail::store_eight(row[k], bodies[index[k]].at.data());
        }
    }
};

/// J^-1 of eight bodies.
struct EightTensors {
    Eight xx, yy, zz, yz, xz, xy;

    template <class Moving>
    [[gnu::always_inline]] void load(const Moving* tensors, const std::array<int, 8>& index)
    {
        Eight row[8];
        for (int k = 0; k < 8; ++k) {
            row[k] = load_eight(tensors[index[k]].at.data());
        }
        detail::transpose(row);
        xx = row[0];
        yy = row[1];
        zz = row[2];
        yz = row[3];
        xz = row[4];
        xy = row[5];
    }

    [[gnu::always_inline]] EightVectors operator*(const EightVectors& a) const
    {
        return {xx * a.x + xy * a.y + xz * a.z, xy * a.x + yy * a.y + yz * a.z,
                xz * a.x + yz * a.y + zz * a.z};
    }
};

}  // namespace

struct QuickContacts::Kernel {
    [[gnu::always_inline]] static inline EightVectors velocity(const RoundGroup& group, const EightVectors& n,
                                                               const EightBodies& a, const EightBodies& b)
    {
        return a.v - b.v -
               cross(load_eight(group.arm_a.data()) * a.w + load_eight(group.arm_b.data()) * b.w, n);
    }
    [[gnu::always_inline]] static inline EightVectors velocity(const RigidGroup& group, const EightVectors&,
                                                               const EightBodies& a, const EightBodies& b)
    {
        return a.v - b.v + cross(a.w, load_vectors(group.arm_a)) - cross(b.w, load_vectors(group.arm_b));
    }

    /// What a change of the percussions does to the bodies.
    [[gnu::always_inline]] static inline void push(const RoundGroup& group, const EightVectors& n,
                                                   const EightVectors& change, const Moving*, EightBodies& a,
                                                   EightBodies& b)
    {
        const EightVectors turn = cross(n, change);
        a.v = a.v + a.inverse_mass * change;
        b.v = b.v - b.inverse_mass * change;
        a.w = a.w - (load_eight(group.arm_a.data()) * a.inverse_inertia) * turn;
        b.w = b.w - (load_eight(group.arm_b.data()) * b.inverse_inertia) * turn;
    }
    [[gnu::always_inline]] static inline void push(const RigidGroup& group, const EightVectors&,
                                                   const EightVectors& change, const Moving* tensors,
                                                   EightBodies& a, EightBodies& b)
    {
        EightTensors J;
        a.v = a.v + a.inverse_mass * change;
        b.v = b.v - b.inverse_mass * change;
        J.load(tensors, group.a);
        a.w = a.w + J * cross(load_vectors(group.arm_a), change);
        J.load(tensors, group.b);
        b.w = b.w - J * cross(load_vectors(group.arm_b), change);
    }

    /// U_T after the normal percussion has changed.
    [[gnu::always_inline]] static inline EightVectors coupled(const RoundGroup&, const EightVectors& U_t,
                                                              Eight)
    {
        return U_t;
    }
    [[gnu::always_inline]] static inline EightVectors coupled(const RigidGroup& group,
                                                              const EightVectors& U_t, Eight change)
    {
        return U_t + change * load_vectors(group.coupling);
    }

    /// From x + beta d on, local solutions, group after group; returns the sum of |change|^2 (1/m_a + 1/m_b).
    template <class Group>
    [[gnu::always_inline]] static inline double sweep(std::span<Group> groups, Moving* bodies,
                                                      const Moving* tensors, float beta)
    {
        Eight changes{};
        const Eight along = all_eight(beta);
        for (Group& group : groups) {
            const EightVectors n = load_vectors(group.n), last = along * load_vectors(group.direction);
            const EightVectors P = load_vectors(group.P) + last;
            store_vectors(last + load_vectors(group.change), group.direction);
            EightBodies a, b;
            a.load(bodies, group.a);
            b.load(bodies, group.b);
            const EightVectors U = velocity(group, n, a, b);
            const Eight U_n = dot(U, n), P_n = dot(P, n);

            // normal part, then the tangential one within its disc
            const Eight shift = load_eight(group.shift.data());
            const Eight next_n =
                detail::positive_part(P_n - (U_n + shift) * load_eight(group.inverse_n.data()));
            const EightVectors U_t = coupled(group, U - U_n * n, next_n - P_n);
            const EightVectors t = P - P_n * n - load_eight(group.inverse_t.data()) * U_t;
            const Eight radius = load_eight(group.mu.data()) * next_n, size2 = dot(t, t);
            const Eight part = size2 > radius * radius ? radius / detail::root(size2) : all_eight(1);
            const EightVectors next = next_n * n + part * t, change = next - P;
            push(group, n, change, tensors, a, b);
            a.store(bodies, group.a, group.a_moves);
            b.store(bodies, group.b, group.b_moves);

            // a sweep is the map from the point with beta d in it
            store_vectors(next, group.P);
            store_vectors(change, group.change);
            changes += dot(change, change) * (a.inverse_mass + b.inverse_mass);
        }
        return detail::sum(changes);
    }

    /// |F|^2, |P|^2 and |U|^2, scaled (OS-5); F = P - proj_K(P - rho (U + s)).
    template <class Group>
    [[gnu::always_inline]] static inline Sums measure(std::span<const Group> groups, const Moving* bodies)
    {
        Eight sum_F{}, sum_P{}, sum_U{};
        for (const Group& group : groups) {
            const EightVectors n = load_vectors(group.n), P = load_vectors(group.P);
            EightBodies a, b;
            a.load(bodies, group.a);
            b.load(bodies, group.b);
            const Eight rho = load_eight(group.rho.data()), mu = load_eight(group.mu.data());
            const EightVectors U = velocity(group, n, a, b);
            const Eight U_n = dot(U, n), P_n = dot(P, n);
            // without friction the tangential velocity counts for nothing
            const EightVectors U_t = (mu > 0.0F ? all_eight(1) : Eight{}) * (U - U_n * n), P_t = P - P_n * n;
            const EightVectors t = P_t - rho * U_t;
            const Eight slip2 = dot(U_t, U_t), t_size = detail::root(dot(t, t));
            const Eight normal = U_n + load_eight(group.shift.data());

            // inside the cone, at its apex, or on its surface; t_size > 0 there
            const Eight y = P_n - rho * (normal + mu * detail::root(slip2));
            const Eight on = (y + mu * t_size) / (1.0F + mu * mu);
            const Eight safe = t_size > 0.0F ? t_size : all_eight(1);
            const Eight y_n = detail::positive_part(t_size <= mu * y ? y : on);
            const Eight part = t_size <= mu * y ? all_eight(1) : mu * y_n / safe;
            const EightVectors rest = P_t - part * t;
            const Eight inverse_rho = 1.0F / rho;
            sum_F += ((P_n - y_n) * (P_n - y_n) + dot(rest, rest)) * inverse_rho;
            sum_P += dot(P, P) * inverse_rho;
            sum_U += rho * (slip2 + normal * normal);
        }
        return {detail::sum(sum_F), detail::sum(sum_P), detail::sum(sum_U)};
    }

    /// The percussions act on the bodies.
    template <class Group>
    [[gnu::always_inline]] static inline void warm(std::span<const Group> groups, Moving* bodies,
                                                   const Moving* tensors)
    {
        for (const Group& group : groups) {
            EightBodies a, b;
            a.load(bodies, group.a);
            b.load(bodies, group.b);
            push(group, load_vectors(group.n), load_vectors(group.P), tensors, a, b);
            a.store(bodies, group.a, group.a_moves);
            b.store(bodies, group.b, group.b_moves);
        }
    }

    /// (SO-15): from the swept point along the direction, velocities with the coefficients of percussions.
    [[gnu::always_inline]] static inline void step(std::span<Moving> bodies, Moving* before,
                                                   Moving* direction, float beta)
    {
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            float *now = bodies[k].at.data(), *last = before[k].at.data(), *along = direction[k].at.data();
            const Eight swept = load_eight(now), f = swept - load_eight(last), d = beta * load_eight(along);
            detail::store_eight(swept + d, now);  // what is beside the vectors does not change
            detail::store_eight(swept + d, last);
            detail::store_eight(d + f, along);
        }
    }

    template <class Group>
    CAROM_WIDE static void warm_wide(std::span<const Group> groups, Moving* bodies, const Moving* tensors)
    {
        warm(groups, bodies, tensors);
    }
    CAROM_WIDE static void step_wide(std::span<Moving> bodies, Moving* before, Moving* direction, float beta)
    {
        step(bodies, before, direction, beta);
    }
    template <class Group>
    CAROM_WIDE static double sweep_wide(std::span<Group> groups, Moving* bodies, const Moving* tensors,
                                        float beta)
    {
        return sweep(groups, bodies, tensors, beta);
    }
    template <class Group>
    CAROM_WIDE static Sums measure_wide(std::span<const Group> groups, const Moving* bodies)
    {
        return measure(groups, bodies);
    }
};

QuickContacts::Sums& QuickContacts::Sums::operator+=(const Sums& other) noexcept
{
    F += other.F;
    P += other.P;
    U += other.U;
    return *this;
}

/// Places that are left over.
template <class Group>
void QuickContacts::Groups<Group>::clear(int still)
{
    Group empty{};
    empty.n[0].fill(1);
    empty.inverse_n.fill(1);
    empty.inverse_t.fill(1);
    empty.rho.fill(1);
    empty.a.fill(still);
    empty.b.fill(still);
    std::ranges::fill(all, empty);
}

/// Places by colours: eight contacts in a row are a group; behind the colours each has a group of its own.
template <class Group>
void QuickContacts::place_contacts(bool round, Groups<Group>& groups)
{
    const auto order = colours_.order();
    const auto begin = colours_.begin();
    const auto is_mine = [&](int c) { return (is_round_[static_cast<std::size_t>(c)] != 0) == round; };
    groups.colour_begin.assign(1, 0);
    int place = 0;
    for (std::size_t colour = 0; colour + 1 < begin.size(); ++colour) {
        for (const int c : order.subspan(static_cast<std::size_t>(begin[colour]),
                                         static_cast<std::size_t>(begin[colour + 1] - begin[colour]))) {
            if (is_mine(c)) place_[static_cast<std::size_t>(c)] = place++;
        }
        place = (place + 7) / 8 * 8;
        groups.colour_begin.push_back(place / 8);
    }
    for (const int c : order.subspan(static_cast<std::size_t>(begin.back()))) {
        if (!is_mine(c)) continue;
        place_[static_cast<std::size_t>(c)] = place;
        place += 8;
    }
    groups.all.resize(static_cast<std::size_t>(place / 8));
    groups.clear(static_cast<int>(bodies_.size()) - 1);
    for (std::size_t c = 0; c < pairs_.size(); ++c) {
        if (!is_mine(static_cast<int>(c))) continue;
        const auto lane = static_cast<std::size_t>(place_[c] % 8);
        Group& group = groups.all[static_cast<std::size_t>(place_[c] / 8)];
        const auto [a, b] = pairs_[c];
        group.a[lane] = a;
        group.b[lane] = b;
        if (moves_[static_cast<std::size_t>(a)]) group.a_moves |= static_cast<std::uint8_t>(1U << lane);
        if (moves_[static_cast<std::size_t>(b)]) group.b_moves |= static_cast<std::uint8_t>(1U << lane);
    }
}

void QuickContacts::begin(std::span<const std::array<int, 2>> pairs, std::span<const char> round,
                          std::span<const char> moves)
{
    pairs_.assign(pairs.begin(), pairs.end());
    is_round_.assign(round.begin(), round.end());
    moves_.assign(moves.begin(), moves.end());
    any_rigid_ = std::ranges::find(is_round_, 0) != is_round_.end();
    bodies_.resize(moves.size() + 1);
    bodies_.back() = {};
    tensors_.resize(any_rigid_ ? bodies_.size() : 0);
    if (any_rigid_) tensors_.back() = {};
    colours_.arrange(pairs_, moves_);
    place_.resize(pairs.size());
    place_contacts(true, round_);
    place_contacts(false, rigid_);
}

void QuickContacts::set_body(std::size_t body, const QuickBody& to) noexcept
{
    Lanes& at = bodies_[body].at;
    for (std::size_t k = 0; k < 3; ++k) {
        at[k] = static_cast<float>(to.v[k]);
        at[4 + k] = static_cast<float>(to.w[k]);
    }
    at[3] = static_cast<float>(to.inverse_mass);
    at[7] = static_cast<float>(to.inverse_inertia);
    if (!any_rigid_) return;
    for (std::size_t k = 0; k < 6; ++k) {
        tensors_[body].at[k] = static_cast<float>(to.tensor[k]);
    }
}

/// W_cc of a contact that is not round: what its local solution needs.
struct QuickContacts::Block {
    std::array<float, 3> W_n{};  ///< W_cc n
    float W_nn = 0, trace = 0, largest_t = 0;

    Block(const QuickContact& contact, const Lanes& a, const Lanes& J_a, const Lanes& b, const Lanes& J_b)
    {
        // columns of W_cc: what unit percussions along the axes do
        std::array<std::array<double, 3>, 3> W{};
        add(contact.arm_a, a[3], J_a, W);
        add(contact.arm_b, b[3], J_b, W);
        const auto& n = contact.normal;
        std::array<double, 3> along{};
        double squares = 0, along2 = 0, nn = 0, sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                along[i] += W[i][j] * n[j];
                squares += W[i][j] * W[i][j];
            }
            along2 += along[i] * along[i];
            nn += along[i] * n[i];
            sum += W[i][i];
        }
        // W_TT has this sum of eigenvalues and that of their squares
        const double sum_t = sum - nn, squares_t = squares - 2 * along2 + nn * nn;
        largest_t =
            static_cast<float>(sum_t / 2 + std::sqrt(std::max(0.0, squares_t / 2 - sum_t * sum_t / 4)));
        W_nn = static_cast<float>(nn);
        trace = static_cast<float>(sum);
        for (std::size_t i = 0; i < 3; ++i) {
            W_n[i] = static_cast<float>(along[i]);
        }
    }

private:
    /// W += 1/m - [r] J^-1 [r]: of a body.
    static void add(const std::array<double, 3>& r, double inverse_mass, const Lanes& J,
                    std::array<std::array<double, 3>, 3>& W)
    {
        const double xx = J[0], yy = J[1], zz = J[2], yz = J[3], xz = J[4], xy = J[5];
        const auto [x, y, z] = r;
        for (std::size_t j = 0; j < 3; ++j) {
            // r x e_j, turned by J^-1, and back: (J^-1 (r x e_j)) x r
            const std::array<double, 3> m{j == 0   ? 0.0
                                          : j == 1 ? -z
                                                   : y,
                                          j == 0   ? z
                                          : j == 1 ? 0.0
                                                   : -x,
                                          j == 0   ? -y
                                          : j == 1 ? x
                                                   : 0.0};
            const double p = xx * m[0] + xy * m[1] + xz * m[2], q = xy * m[0] + yy * m[1] + yz * m[2],
                         s = xz * m[0] + yz * m[1] + zz * m[2];
            W[0][j] += q * z - s * y;
            W[1][j] += s * x - p * z;
            W[2][j] += p * y - q * x;
            W[j][j] += inverse_mass;
        }
    }
};

template <class Group>
void QuickContacts::set_common(Group& group, std::size_t lane, const QuickContact& to) noexcept
{
    for (std::size_t k = 0; k < 3; ++k) {
        group.n[k][lane] = static_cast<float>(to.normal[k]);
        group.P[k][lane] = static_cast<float>(to.P[k]);
    }
    group.shift[lane] = static_cast<float>(to.shift_m_s);
    group.mu[lane] = static_cast<float>(to.friction);
}

void QuickContacts::set_contact(std::size_t contact, const QuickContact& to) noexcept
{
    const auto lane = static_cast<std::size_t>(place_[contact] % 8),
               at = static_cast<std::size_t>(place_[contact] / 8);
    const auto first = static_cast<std::size_t>(pairs_[contact][0]),
               second = static_cast<std::size_t>(pairs_[contact][1]);
    const Lanes &a = bodies_[first].at, &b = bodies_[second].at;
    if (is_round_[contact]) {
        RoundGroup& group = round_.all[at];
        set_common(group, lane, to);
        const auto l_a = static_cast<float>(to.arm_a[0]), l_b = static_cast<float>(to.arm_b[0]);
        const float W_n = a[3] + b[3], W_t = W_n + l_a * l_a * a[7] + l_b * l_b * b[7];
        group.arm_a[lane] = l_a;
        group.arm_b[lane] = l_b;
        group.inverse_n[lane] = 1 / W_n;
        group.inverse_t[lane] = 1 / W_t;
        group.rho[lane] = to.friction > 0 ? 3 / (W_n + 2 * W_t) : 1 / W_n;
        return;
    }
    RigidGroup& group = rigid_.all[at];
    set_common(group, lane, to);
    const Block W(to, a, tensors_[first].at, b, tensors_[second].at);
    for (std::size_t k = 0; k < 3; ++k) {
        group.arm_a[k][lane] = static_cast<float>(to.arm_a[k]);
        group.arm_b[k][lane] = static_cast<float>(to.arm_b[k]);
        group.coupling[k][lane] = W.W_n[k] - W.W_nn * group.n[k][lane];
    }
    group.inverse_n[lane] = 1 / W.W_nn;
    group.inverse_t[lane] = 1 / W.largest_t;
    group.rho[lane] = to.friction > 0 ? 3 / W.trace : 1 / W.W_nn;
}

/// f(groups, block) colour by colour, blocks of a colour side by side, round contacts and others; `block`
/// counts from 0 on.
template <class F>
void QuickContacts::for_colours(F f)
{
    const auto colours = colours_.begin().size() - 1;
    std::size_t first = 0;
    const auto blocks_of = [](std::size_t count) { return (count + groups_in_block - 1) / groups_in_block; };
    const auto part_of = [&](auto& groups, std::size_t colour) {
        const auto from = static_cast<std::size_t>(groups.colour_begin[colour]),
                   to = static_cast<std::size_t>(groups.colour_begin[colour + 1]);
        return std::span(groups.all).subspan(from, to - from);
    };
    for (std::size_t colour = 0; colour < colours; ++colour) {
        const auto round = part_of(round_, colour);
        const auto rigid = part_of(rigid_, colour);
        const std::size_t of_round = blocks_of(round.size());
        const auto block_of = [](auto groups, std::size_t k) {
            const std::size_t begin = k * groups_in_block;
            return groups.subspan(begin, std::min(groups.size() - begin, groups_in_block));
        };
        for_each_index(of_round + blocks_of(rigid.size()), 1, [&](std::size_t k) {
            if (k < of_round) {
                f(block_of(round, k), first + k);
            } else {
                f(block_of(rigid, k - of_round), first + k);
            }
        });
        first += of_round + blocks_of(rigid.size());
    }
    f(std::span(round_.all).subspan(static_cast<std::size_t>(round_.colour_begin.back())), first);
    f(std::span(rigid_.all).subspan(static_cast<std::size_t>(rigid_.colour_begin.back())), first + 1);
}

QuickContacts::Sums QuickContacts::measured() noexcept
{
    const auto sums_of = [&](const auto& groups) {
        using Group = typename std::decay_t<decltype(groups)>::value_type;
        return sum_of_blocks<Sums>(
            groups.size(), 2 * groups_in_block, [&](std::size_t begin, std::size_t end) {
                const auto some = std::span<const Group>(groups).subspan(begin, end - begin);
                return detail::has_wide_registers() ? Kernel::measure_wide<Group>(some, bodies_.data())
                                                    : Kernel::measure<Group>(some, bodies_.data());
            });
    };
    Sums sums = sums_of(round_.all);
    sums += sums_of(rigid_.all);
    return sums;
}

void QuickContacts::start()
{
    free_size_ = std::sqrt(measured().U);
    for_colours([&](auto groups, std::size_t) {
        using Group = typename decltype(groups)::value_type;
        if (detail::has_wide_registers()) {
            Kernel::warm_wide<Group>(groups, bodies_.data(), tensors_.data());
        } else {
            Kernel::warm<Group>(groups, bodies_.data(), tensors_.data());
        }
    });
}

double QuickContacts::sweep(double beta) noexcept
{
    const std::size_t blocks = round_.all.size() / groups_in_block + rigid_.all.size() / groups_in_block;
    changes_.assign(blocks + 2 * round_.colour_begin.size() + 2, 0.0);
    const auto by = static_cast<float>(beta);
    for_colours([&](auto groups, std::size_t block) {
        using Group = typename decltype(groups)::value_type;
        changes_[block] = detail::has_wide_registers()
                              ? Kernel::sweep_wide<Group>(groups, bodies_.data(), tensors_.data(), by)
                              : Kernel::sweep<Group>(groups, bodies_.data(), tensors_.data(), by);
    });
    return std::accumulate(changes_.begin(), changes_.end(), 0.0);
}

QuickContacts::Errors QuickContacts::error() noexcept
{
    const Sums sums = measured();
    const double F = std::sqrt(sums.F);
    if (F == 0) return {};
    const double size = std::max({free_size_, std::sqrt(sums.U), std::sqrt(sums.P)});
    return {F / size, free_size_ > 0 ? F / free_size_ : 0.0};
}

void QuickContacts::step_bodies(double beta) noexcept
{
    const auto by = static_cast<float>(beta);
    for_blocks(bodies_.size(), bodies_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto bodies = std::span(bodies_).subspan(begin, end - begin);
        if (detail::has_wide_registers()) {
            Kernel::step_wide(bodies, before_.data() + begin, direction_.data() + begin, by);
        } else {
            Kernel::step(bodies, before_.data() + begin, direction_.data() + begin, by);
        }
    });
}

int QuickContacts::run(const Budget& budget)
{
    before_ = bodies_;
    direction_.assign(bodies_.size(), Moving{});
    int sweeps = 0, looked = 0;
    double beta = 0, last2 = 0, promise = 0;
    while (sweeps < budget.max_iterations) {
        const double now2 = sweep(beta);
        ++sweeps;
        // errors are taken to be in proportion to the changes since the last look
        const double change = std::sqrt(now2);
        if (sweeps == 1 || promise * change <= budget.tolerance || sweeps - looked >= longest_interval ||
            sweeps == budget.max_iterations) {
            const Errors errors = error();
            const double now = solved_to(errors.unit_free, errors.velocity);
            if (now <= budget.tolerance || budget.expired() || !std::isfinite(now)) break;
            promise = change > 0 ? now / change : 0;
            looked = sweeps;
        }
        beta = last2 > 0 && now2 <= last2 ? now2 / last2 : 0.0;
        last2 = now2;
        if (sweeps < budget.max_iterations) step_bodies(beta);
    }
    return sweeps;
}

std::array<double, 3> QuickContacts::percussion(std::size_t contact) const noexcept
{
    const auto lane = static_cast<std::size_t>(place_[contact] % 8),
               at = static_cast<std::size_t>(place_[contact] / 8);
    const auto& P = is_round_[contact] ? round_.all[at].P : rigid_.all[at].P;
    return {P[0][lane], P[1][lane], P[2][lane]};
}

std::array<double, 3> QuickContacts::velocity(std::size_t body) const noexcept
{
    const Lanes& at = bodies_[body].at;
    return {at[0], at[1], at[2]};
}

std::array<double, 3> QuickContacts::angular_velocity(std::size_t body) const noexcept
{
    const Lanes& at = bodies_[body].at;
    return {at[4], at[5], at[6]};
}

}  // namespace carom
