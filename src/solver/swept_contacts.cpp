#include "solver/swept_contacts.hpp"

#include "carom/onestep/residual.hpp"
#include "core/parallel.hpp"
#include "wide_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace carom {
namespace {

using detail::load;
using detail::root;
using detail::store;

template <class Number>
using KindOf = std::conditional_t<std::is_same_v<Number, float>, detail::EightFloats, detail::FourDoubles>;

/// Groups of a block: few, so that a block is a small part of the scene, and ranks meet in few bodies. Blocks,
/// and bodies, that one thread takes at once; groups for each of two shares of a rank, below which sharing does
/// not pay.
constexpr std::size_t groups_in_block = 8, blocks_at_once = 4, bodies_in_block = 2048, groups_to_share = 32;

/// Sweeps without a look at the error.
constexpr int longest_interval = 32;

}  // namespace

/// The bodies of a group: what is beside the vectors comes with them.
template <class Number>
struct SweptContacts<Number>::Bodies {
    using K = KindOf<Number>;
    using Wide = typename K::Wide;

    detail::Vectors<K> v, w;
    Wide inverse_mass, inverse_inertia;

    /// Numbers first .. first + 4 (of eight: all) of the bodies as columns.
    template <int Count>
    [[gnu::always_inline]] static void columns(const Moving* bodies, const Places& places, std::size_t first,
                                               Wide (&row)[Count])
    {
        const auto* numbers = reinterpret_cast<const Number*>(bodies) + first;
        for (int k = 0; k < Count; ++k) {
            row[k] = load<K>(numbers + places[static_cast<std::size_t>(k)]);
        }
        detail::transpose(row);
    }

    [[gnu::always_inline]] void load_from(const Moving* bodies, const Places& places)
    {
        Wide row[width];
        columns(bodies, places, 0, row);
        v = {row[0], row[1], row[2]};
        inverse_mass = row[3];
        if constexpr (width == 8) {
            w = {row[4], row[5], row[6]};
            inverse_inertia = row[7];
        } else {
            columns(bodies, places, 4, row);
            w = {row[0], row[1], row[2]};
            inverse_inertia = row[3];
        }
    }

    [[gnu::always_inline]] void store_to(Moving* bodies, const Places& places, std::uint8_t moves) const
    {
        if constexpr (width == 8) {
            Wide row[8] = {v.x, v.y, v.z, inverse_mass, w.x, w.y, w.z, inverse_inertia};
            detail::transpose(row);
            write(bodies, places, moves, 0, row);
        } else {
            Wide row[4] = {v.x, v.y, v.z, inverse_mass}, turn[4] = {w.x, w.y, w.z, inverse_inertia};
            detail::transpose(row);
            detail::transpose(turn);
            write(bodies, places, moves, 0, row);
            write(bodies, places, moves, 4, turn);
        }
    }

private:
    template <int Count>
    [[gnu::always_inline]] static void write(Moving* bodies, const Places& places, std::uint8_t moves,
                                             std::size_t first, const Wide (&row)[Count])
    {
        auto* numbers = reinterpret_cast<Number*>(bodies) + first;
        constexpr std::uint8_t all_move = (1U << width) - 1;
        if (moves == all_move) {
            for (std::size_t k = 0; k < Count; ++k) {
                store<K>(row[k], numbers + places[k]);
            }
            return;
        }
        for (std::size_t k = 0; k < Count; ++k) {
            if ((moves >> k & 1) != 0) store<K>(row[k], numbers + places[k]);
        }
    }
};

/// Velocities and masses of the bodies of a group, where nothing turns.
template <class Number>
struct SweptContacts<Number>::Centres {
    using K = KindOf<Number>;
    using Wide = typename K::Wide;

    detail::Vectors<K> v;
    Wide inverse_mass;

    [[gnu::always_inline]] void load_from(const Moving* bodies, const Places& places)
    {
        Wide row[4];
        if constexpr (width == 8) {
            // those of the first four contacts are lower halves, the others upper ones
            const auto* numbers = reinterpret_cast<const Number*>(bodies);
            for (std::size_t k = 0; k < 4; ++k) {
                row[k] = detail::load_halves(numbers + places[k], numbers + places[k + 4]);
            }
            detail::transpose_halves(row);
        } else {
            Bodies::columns(bodies, places, 0, row);
        }
        v = {row[0], row[1], row[2]};
        inverse_mass = row[3];
    }

    [[gnu::always_inline]] void store_to(Moving* bodies, const Places& places, std::uint8_t moves) const
    {
        Wide row[4] = {v.x, v.y, v.z, inverse_mass};
        auto* numbers = reinterpret_cast<Number*>(bodies);
        if constexpr (width == 8) {
            detail::transpose_halves(row);
            for (std::size_t k = 0; k < 4; ++k) {
                if ((moves >> k & 1) != 0) detail::store_half<0>(row[k], numbers + places[k]);
                if ((moves >> (k + 4) & 1) != 0) detail::store_half<1>(row[k], numbers + places[k + 4]);
            }
        } else {
            detail::transpose(row);
            for (std::size_t k = 0; k < 4; ++k) {
                if ((moves >> k & 1) != 0) store<K>(row[k], numbers + places[k]);
            }
        }
    }
};

/// J^-1 of the bodies of a group.
template <class Number>
struct SweptContacts<Number>::Tensors {
    using K = KindOf<Number>;

    typename K::Wide xx, yy, zz, yz, xz, xy;

    [[gnu::always_inline]] Tensors(const Moving* tensors, const Places& places)
    {
        typename K::Wide row[width];
        Bodies::columns(tensors, places, 0, row);
        xx = row[0];
        yy = row[1];
        zz = row[2];
        yz = row[3];
        if constexpr (width == 8) {
            xz = row[4];
            xy = row[5];
        } else {
            Bodies::columns(tensors, places, 4, row);
            xz = row[0];
            xy = row[1];
        }
    }

    [[gnu::always_inline]] detail::Vectors<K> operator*(const detail::Vectors<K>& a) const
    {
        return {xx * a.x + xy * a.y + xz * a.z, xy * a.x + yy * a.y + yz * a.z,
                xz * a.x + yz * a.y + zz * a.z};
    }
};

template <class Number>
struct SweptContacts<Number>::Kernel {
    using K = KindOf<Number>;
    using Wide = typename K::Wide;
    using Space = detail::Vectors<K>;

    [[gnu::always_inline]] static inline Wide one() { return detail::all_of<K>(1); }
    [[gnu::always_inline]] static inline Wide positive_part(Wide a) { return a > Number{0} ? a : Wide{}; }

    [[gnu::always_inline]] static inline Space velocity(const RoundGroup& group, const Space& n,
                                                        const Bodies& a, const Bodies& b)
    {
        return a.v - b.v - cross(load<K>(group.arm_a) * a.w + load<K>(group.arm_b) * b.w, n);
    }
    [[gnu::always_inline]] static inline Space velocity(const RigidGroup& group, const Space&,
                                                        const Bodies& a, const Bodies& b)
    {
        return a.v - b.v + cross(a.w, load<K>(group.arm_a)) - cross(b.w, load<K>(group.arm_b));
    }

    /// What a change of the percussions does to the bodies.
    [[gnu::always_inline]] static inline void push(const RoundGroup& group, const Space& n,
                                                   const Space& change, const Moving*, Bodies& a, Bodies& b)
    {
        const Space turn = cross(n, change);
        a.v = a.v + a.inverse_mass * change;
        b.v = b.v - b.inverse_mass * change;
        a.w = a.w - (load<K>(group.arm_a) * a.inverse_inertia) * turn;
        b.w = b.w - (load<K>(group.arm_b) * b.inverse_inertia) * turn;
    }
    [[gnu::always_inline]] static inline void push(const RigidGroup& group, const Space&, const Space& change,
                                                   const Moving* tensors, Bodies& a, Bodies& b)
    {
        a.v = a.v + a.inverse_mass * change;
        b.v = b.v - b.inverse_mass * change;
        a.w = a.w + Tensors(tensors, group.a) * cross(load<K>(group.arm_a), change);
        b.w = b.w - Tensors(tensors, group.b) * cross(load<K>(group.arm_b), change);
    }

    /// U_T after the normal percussion has changed.
    [[gnu::always_inline]] static inline Space coupled(const RoundGroup&, const Space& U_t, Wide)
    {
        return U_t;
    }
    [[gnu::always_inline]] static inline Space coupled(const RigidGroup& group, const Space& U_t, Wide change)
    {
        return U_t + change * load<K>(group.coupling);
    }

    /// From x + beta d on, local solutions, group after group; returns the sum of |change|^2 (1/m_a + 1/m_b).
    template <class Group>
    [[gnu::always_inline]] static inline double sweep(std::span<Group> groups, Moving* bodies,
                                                      const Moving* tensors, Number beta)
    {
        Wide changes{};
        const Wide along = detail::all_of<K>(beta);
        for (Group& group : groups) {
            const Space n = load<K>(group.n), last = along * load<K>(group.direction);
            const Space P = load<K>(group.P) + last;
            store<K>(last + load<K>(group.change), group.direction);
            Bodies a, b;
            a.load_from(bodies, group.a);
            b.load_from(bodies, group.b);
            const Space U = velocity(group, n, a, b);
            const Wide U_n = dot(U, n), P_n = dot(P, n);

            // normal part, then the tangential one within its disc
            const Wide next_n = positive_part(P_n - (U_n + load<K>(group.shift)) * load<K>(group.inverse_n));
            const Space U_t = coupled(group, U - U_n * n, next_n - P_n);
            const Space t = P - P_n * n - load<K>(group.inverse_t) * U_t;
            const Wide radius = load<K>(group.mu) * next_n, size2 = dot(t, t);
            const Wide part = size2 > radius * radius ? radius / root(size2) : one();
            const Space next = next_n * n + part * t, change = next - P;
            push(group, n, change, tensors, a, b);
            a.store_to(bodies, group.a, group.a_moves);
            b.store_to(bodies, group.b, group.b_moves);

            // a sweep is the map from the point with beta d in it
            store<K>(next, group.P);
            store<K>(change, group.change);
            changes += dot(change, change) * (a.inverse_mass + b.inverse_mass);
        }
        return detail::sum(changes);
    }

    /// The same without friction, where nothing turns (SO-43).
    [[gnu::always_inline]] static inline double press(std::span<RoundGroup> groups, Moving* bodies,
                                                      Number beta)
    {
        Wide changes{};
        const Wide along = detail::all_of<K>(beta);
        for (RoundGroup& group : groups) {
            const Space n = load<K>(group.n);
            const Wide last = along * load<K>(group.direction[0]), P = load<K>(group.P[0]) + last;
            store<K>(last + load<K>(group.change[0]), group.direction[0].data());
            Centres a, b;
            a.load_from(bodies, group.a);
            b.load_from(bodies, group.b);
            const Wide U_n = dot(a.v - b.v, n) + load<K>(group.shift);
            const Wide next = positive_part(P - U_n * load<K>(group.inverse_n)), change = next - P;
            a.v = a.v + (a.inverse_mass * change) * n;
            b.v = b.v - (b.inverse_mass * change) * n;
            a.store_to(bodies, group.a, group.a_moves);
            b.store_to(bodies, group.b, group.b_moves);
            store<K>(next, group.P[0].data());
            store<K>(change, group.change[0].data());
            changes += change * change * (a.inverse_mass + b.inverse_mass);
        }
        return detail::sum(changes);
    }

    /// Its errors, as measure() has them.
    [[gnu::always_inline]] static inline Sums measure_pressed(std::span<const RoundGroup> groups,
                                                              const Moving* bodies)
    {
        Wide sum_F{}, sum_P{}, sum_U{};
        for (const RoundGroup& group : groups) {
            Centres a, b;
            a.load_from(bodies, group.a);
            b.load_from(bodies, group.b);
            const Wide rho = load<K>(group.rho), P = load<K>(group.P[0]), inverse_rho = 1 / rho;
            const Wide U_n = dot(a.v - b.v, load<K>(group.n)) + load<K>(group.shift);
            const Wide F = P - positive_part(P - rho * U_n);
            sum_F += F * F * inverse_rho;
            sum_P += P * P * inverse_rho;
            sum_U += rho * (U_n * U_n);
        }
        return {detail::sum(sum_F), detail::sum(sum_P), detail::sum(sum_U)};
    }

    /// |F|^2, |P|^2 and |U|^2, scaled (OS-5); F = P - proj_K(P - rho (U + s)).
    template <class Group>
    [[gnu::always_inline]] static inline Sums measure(std::span<const Group> groups, const Moving* bodies)
    {
        Wide sum_F{}, sum_P{}, sum_U{};
        for (const Group& group : groups) {
            const Space n = load<K>(group.n), P = load<K>(group.P);
            Bodies a, b;
            a.load_from(bodies, group.a);
            b.load_from(bodies, group.b);
            const Wide rho = load<K>(group.rho), mu = load<K>(group.mu);
            const Space U = velocity(group, n, a, b);
            const Wide U_n = dot(U, n), P_n = dot(P, n);
            // without friction the tangential velocity counts for nothing
            const Space U_t = (mu > Number{0} ? one() : Wide{}) * (U - U_n * n), P_t = P - P_n * n;
            const Space t = P_t - rho * U_t;
            const Wide slip2 = dot(U_t, U_t), t_size = root(dot(t, t));
            const Wide normal = U_n + load<K>(group.shift);

            // inside the cone, at its apex, or on its surface; t_size > 0 there
            const Wide y = P_n - rho * (normal + mu * root(slip2));
            const Wide on = (y + mu * t_size) / (1 + mu * mu);
            const Wide safe = t_size > Number{0} ? t_size : one();
            const Wide y_n = positive_part(t_size <= mu * y ? y : on);
            const Wide part = t_size <= mu * y ? one() : mu * y_n / safe;
            const Space rest = P_t - part * t;
            const Wide inverse_rho = 1 / rho;
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
            Bodies a, b;
            a.load_from(bodies, group.a);
            b.load_from(bodies, group.b);
            push(group, load<K>(group.n), load<K>(group.P), tensors, a, b);
            a.store_to(bodies, group.a, group.a_moves);
            b.store_to(bodies, group.b, group.b_moves);
        }
    }

    /// (SO-15): from the swept point along the direction, velocities with the coefficients of percussions.
    [[gnu::always_inline]] static inline void step(std::span<Moving> bodies, Moving* before,
                                                   Moving* direction, Number beta)
    {
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            for (std::size_t i = 0; i < 8; i += width) {
                Number *now = bodies[k].at.data() + i, *last = before[k].at.data() + i,
                       *along = direction[k].at.data() + i;
                const Wide swept = load<K>(now), f = swept - load<K>(last), d = beta * load<K>(along);
                store<K>(swept + d, now);  // what is beside the vectors does not change
                store<K>(swept + d, last);
                store<K>(d + f, along);
            }
        }
    }

    template <class Group>
    CAROM_WIDE static void warm_wide(std::span<const Group> groups, Moving* bodies, const Moving* tensors)
    {
        warm(groups, bodies, tensors);
    }
    CAROM_WIDE static void step_wide(std::span<Moving> bodies, Moving* before, Moving* direction, Number beta)
    {
        step(bodies, before, direction, beta);
    }
    template <class Group>
    CAROM_WIDE static double sweep_wide(std::span<Group> groups, Moving* bodies, const Moving* tensors,
                                        Number beta)
    {
        return sweep(groups, bodies, tensors, beta);
    }
    CAROM_WIDE static double press_wide(std::span<RoundGroup> groups, Moving* bodies, Number beta)
    {
        return press(groups, bodies, beta);
    }
    CAROM_WIDE static Sums measure_pressed_wide(std::span<const RoundGroup> groups, const Moving* bodies)
    {
        return measure_pressed(groups, bodies);
    }

    /// The sweep of the groups, and the errors, in wide registers where there are some.
    template <class Group>
    static double swept(std::span<Group> groups, SweptContacts& all, Number beta)
    {
        const bool wide = detail::has_wide_registers();
        Moving* const bodies = all.bodies_.data();
        if constexpr (std::is_same_v<Group, RoundGroup>) {
            if (all.pressing_) return wide ? press_wide(groups, bodies, beta) : press(groups, bodies, beta);
        }
        return wide ? sweep_wide<Group>(groups, bodies, all.tensors_.data(), beta)
                    : sweep<Group>(groups, bodies, all.tensors_.data(), beta);
    }
    template <class Group>
    static Sums errors(std::span<const Group> groups, const SweptContacts& all)
    {
        const bool wide = detail::has_wide_registers();
        const Moving* const bodies = all.bodies_.data();
        if constexpr (std::is_same_v<Group, RoundGroup>) {
            if (all.pressing_)
                return wide ? measure_pressed_wide(groups, bodies) : measure_pressed(groups, bodies);
        }
        return wide ? measure_wide<Group>(groups, bodies) : measure<Group>(groups, bodies);
    }

    template <class Group>
    CAROM_WIDE static Sums measure_wide(std::span<const Group> groups, const Moving* bodies)
    {
        return measure(groups, bodies);
    }
};

/// Places that are left over.
template <class Number>
template <class Group>
void SweptContacts<Number>::Groups<Group>::clear(int still)
{
    Group empty{};
    empty.n[0].fill(1);
    empty.inverse_n.fill(1);
    empty.inverse_t.fill(1);
    empty.rho.fill(1);
    empty.a.fill(in_body * static_cast<std::uint32_t>(still));
    empty.b.fill(in_body * static_cast<std::uint32_t>(still));
    std::ranges::fill(all, empty);
}

/// Places by colours: contacts in a row are a group; behind the colours each has a group of its own.
template <class Number>
template <class Group>
void SweptContacts<Number>::place_contacts(bool round, Groups<Group>& groups)
{
    constexpr int in_group = static_cast<int>(width);
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
        place = (place + in_group - 1) / in_group * in_group;
        groups.colour_begin.push_back(place / in_group);
    }
    for (const int c : order.subspan(static_cast<std::size_t>(begin.back()))) {
        if (!is_mine(c)) continue;
        place_[static_cast<std::size_t>(c)] = place;
        place += in_group;
    }
    groups.all.resize(static_cast<std::size_t>(place / in_group));
    groups.clear(static_cast<int>(bodies_.size()) - 1);
    for (std::size_t c = 0; c < pairs_.size(); ++c) {
        if (!is_mine(static_cast<int>(c))) continue;
        const auto lane = static_cast<std::size_t>(place_[c]) % width;
        Group& group = groups.all[static_cast<std::size_t>(place_[c]) / width];
        const auto [a, b] = pairs_[c];
        group.a[lane] = in_body * static_cast<std::uint32_t>(a);
        group.b[lane] = in_body * static_cast<std::uint32_t>(b);
        if (moves_[static_cast<std::size_t>(a)]) group.a_moves |= static_cast<std::uint8_t>(1U << lane);
        if (moves_[static_cast<std::size_t>(b)]) group.b_moves |= static_cast<std::uint8_t>(1U << lane);
    }
}

template <class Number>
void SweptContacts<Number>::begin(std::span<const std::array<int, 2>> pairs, std::span<const char> round,
                                  std::span<const char> moves, std::span<const int> places)
{
    if (bodies_.size() == moves.size() + 1 && std::ranges::equal(pairs, pairs_) &&
        std::ranges::equal(round, is_round_) && std::ranges::equal(moves, moves_) &&
        std::ranges::equal(places, colours_.places())) {
        if (Ranks::shared() != asked_) share_blocks();
        return;
    }
    pairs_.assign(pairs.begin(), pairs.end());
    is_round_.assign(round.begin(), round.end());
    moves_.assign(moves.begin(), moves.end());
    any_rigid_ = std::ranges::find(is_round_, 0) != is_round_.end();
    bodies_.resize(moves.size() + 1);
    bodies_.back() = {};
    tensors_.resize(any_rigid_ ? bodies_.size() : 0);
    if (any_rigid_) tensors_.back() = {};
    colours_.arrange(pairs_, moves_, places);
    place_.resize(pairs.size());
    place_contacts(true, round_);
    place_contacts(false, rigid_);
    arrange_blocks();
    share_blocks();
}

/// Colour by colour, round contacts and others; behind the colours what is taken in turn.
template <class Number>
void SweptContacts<Number>::arrange_blocks()
{
    blocks_.clear();
    phase_of_.clear();
    const int colours = colours_.colours();
    const auto add = [&](bool round, int begin, int end, int phase) {
        blocks_.push_back({.round = round, .begin = begin, .end = end});
        phase_of_.push_back(phase);
    };
    for (int colour = 0; colour < colours; ++colour) {
        const auto add_colour = [&](bool round, const auto& groups) {
            const auto k = static_cast<std::size_t>(colour);
            const int end = groups.colour_begin[k + 1];
            for (int from = groups.colour_begin[k]; from < end; from += static_cast<int>(groups_in_block)) {
                add(round, from, std::min(end, from + static_cast<int>(groups_in_block)), colour);
            }
        };
        add_colour(true, round_);
        add_colour(false, rigid_);
    }
    const auto add_rest = [&](bool round, const auto& groups, int phase) {
        const int from = groups.colour_begin.back(), end = static_cast<int>(groups.all.size());
        if (from < end) add(round, from, end, phase);
    };
    add_rest(true, round_, colours);
    add_rest(false, rigid_, colours + 1);
}

/// Among the ranks of a run, where there is enough to share.
template <class Number>
void SweptContacts<Number>::share_blocks()
{
    asked_ = Ranks::shared();
    Messages* ranks = detail::ranks_for((round_.all.size() + rigid_.all.size()) / groups_to_share);
    own_.resize(blocks_.size());
    std::iota(own_.begin(), own_.end(), std::size_t{0});
    at_home_.clear();
    round_.is_here.clear();
    rigid_.is_here.clear();
    shared_.leave();
    if (ranks == nullptr) return;

    std::vector<SharedSweeps::Block> blocks;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        with_block(block, [&](auto groups) {
            const auto& middle = groups[groups.size() / 2];
            // counted, not measured: a group that is not round takes about three times as long
            blocks.push_back(
                {.phase = phase_of_[block],
                 .cost = (blocks_[block].round ? 1.0 : 3.0) * static_cast<double>(groups.size()),
                 .place = colours_.place(middle.a.front() / in_body, middle.b.front() / in_body)});
        });
    }
    shared_.begin(*ranks, blocks, bodies_.size(), sizeof(Moving));
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        with_block(block, [&](auto groups) {
            for (const auto& group : groups) {
                for (std::size_t lane = 0; lane < width; ++lane) {
                    if ((group.a_moves >> lane & 1) != 0) shared_.visit(group.a[lane] / in_body, block);
                    if ((group.b_moves >> lane & 1) != 0) shared_.visit(group.b[lane] / in_body, block);
                }
            }
        });
    }
    shared_.plan();
    own_.assign(shared_.mine().begin(), shared_.mine().end());
    round_.is_here.assign(round_.all.size(), 0);
    rigid_.is_here.assign(rigid_.all.size(), 0);
    for (const std::size_t block : own_) {
        const auto [round, begin, end] = blocks_[block];
        std::fill_n((round ? round_.is_here : rigid_.is_here).begin() + begin, end - begin, 1);
    }
    for (int body = 0; body < static_cast<int>(bodies_.size()); ++body) {
        // what nobody touches, everybody has
        const int home = shared_.home(static_cast<std::size_t>(body));
        if (home >= 0 && home != ranks->rank()) continue;
        const bool continues = !at_home_.empty() && at_home_.back()[1] == body &&
                               body - at_home_.back()[0] < static_cast<int>(bodies_in_block);
        if (continues)
            at_home_.back()[1] = body + 1;
        else
            at_home_.push_back({body, body + 1});
    }
}

/// Percussions and velocities of all ranks, once the sweeps are over.
template <class Number>
void SweptContacts<Number>::share_results(SweptResults wanted)
{
    if (!shared_.is_shared()) return;
    if (wanted != SweptResults::Percussions)
        shared_.gather_bodies(reinterpret_cast<std::byte*>(bodies_.data()));
    if (wanted == SweptResults::Velocities) return;
    const auto bytes = [&](std::size_t block) {
        return static_cast<std::size_t>(blocks_[block].end - blocks_[block].begin) * sizeof(Vectors);
    };
    shared_.gather_parts(
        bytes,
        [&](std::size_t block, std::byte* to) {
            with_block(block, [&](auto groups) {
                for (const auto& group : groups) {
                    std::memcpy(to, &group.P, sizeof group.P);
                    to += sizeof group.P;
                }
            });
        },
        [&](std::size_t block, const std::byte* from) {
            with_block(block, [&](auto groups) {
                for (auto& group : groups) {
                    std::memcpy(&group.P, from, sizeof group.P);
                    from += sizeof group.P;
                }
            });
        });
}

template <class Number>
bool SweptContacts<Number>::is_here(std::size_t contact) const noexcept
{
    const std::vector<char>& here = is_round_[contact] ? round_.is_here : rigid_.is_here;
    return here.empty() || here[static_cast<std::size_t>(place_[contact]) / width] != 0;
}

template <class Number>
void SweptContacts<Number>::set_body(std::size_t body, const SweptBody& to) noexcept
{
    auto& at = bodies_[body].at;
    for (std::size_t k = 0; k < 3; ++k) {
        at[k] = static_cast<Number>(to.v[k]);
        at[4 + k] = static_cast<Number>(to.w[k]);
    }
    at[3] = static_cast<Number>(to.inverse_mass);
    at[7] = static_cast<Number>(to.inverse_inertia);
    if (!any_rigid_) return;
    for (std::size_t k = 0; k < 6; ++k) {
        tensors_[body].at[k] = static_cast<Number>(to.tensor[k]);
    }
}

/// W_cc of a contact that is not round: what its local solution needs.
template <class Number>
struct SweptContacts<Number>::Block {
    std::array<Number, 3> W_n{};  ///< W_cc n
    Number W_nn = 0, trace = 0, largest_t = 0;

    Block(const SweptContact& contact, const Moving& a, const Moving& J_a, const Moving& b, const Moving& J_b)
    {
        // columns of W_cc: what unit percussions along the axes do
        std::array<std::array<double, 3>, 3> W{};
        add(contact.arm_a, a.at[3], J_a, W);
        add(contact.arm_b, b.at[3], J_b, W);
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
            static_cast<Number>(sum_t / 2 + std::sqrt(std::max(0.0, squares_t / 2 - sum_t * sum_t / 4)));
        W_nn = static_cast<Number>(nn);
        trace = static_cast<Number>(sum);
        for (std::size_t i = 0; i < 3; ++i) {
            W_n[i] = static_cast<Number>(along[i]);
        }
    }

private:
    /// W += 1/m - [r] J^-1 [r]: of a body.
    static void add(const std::array<double, 3>& r, double inverse_mass, const Moving& tensor,
                    std::array<std::array<double, 3>, 3>& W)
    {
        const auto& J = tensor.at;
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

template <class Number>
template <class Group>
void SweptContacts<Number>::set_common(Group& group, std::size_t lane, const SweptContact& to) noexcept
{
    for (std::size_t k = 0; k < 3; ++k) {
        group.n[k][lane] = static_cast<Number>(to.normal[k]);
        group.P[k][lane] = static_cast<Number>(to.P[k]);
        group.direction[k][lane] = group.change[k][lane] = 0;
    }
    group.shift[lane] = static_cast<Number>(to.shift_m_s);
    group.mu[lane] = static_cast<Number>(to.friction);
}

template <class Number>
void SweptContacts<Number>::set_contact(std::size_t contact, const SweptContact& to) noexcept
{
    const auto place = static_cast<std::size_t>(place_[contact]), lane = place % width;
    const auto first = static_cast<std::size_t>(pairs_[contact][0]),
               second = static_cast<std::size_t>(pairs_[contact][1]);
    const Moving &a = bodies_[first], &b = bodies_[second];
    if (is_round_[contact]) {
        RoundGroup& group = round_.all[place / width];
        set_common(group, lane, to);
        const auto l_a = static_cast<Number>(to.arm_a[0]), l_b = static_cast<Number>(to.arm_b[0]);
        const Number W_n = a.at[3] + b.at[3], W_t = W_n + l_a * l_a * a.at[7] + l_b * l_b * b.at[7];
        group.arm_a[lane] = l_a;
        group.arm_b[lane] = l_b;
        group.inverse_n[lane] = 1 / W_n;
        group.inverse_t[lane] = 1 / W_t;
        group.rho[lane] = to.friction > 0 ? 3 / (W_n + 2 * W_t) : 1 / W_n;
        return;
    }
    RigidGroup& group = rigid_.all[place / width];
    set_common(group, lane, to);
    const Block W(to, a, tensors_[first], b, tensors_[second]);
    for (std::size_t k = 0; k < 3; ++k) {
        group.arm_a[k][lane] = static_cast<Number>(to.arm_a[k]);
        group.arm_b[k][lane] = static_cast<Number>(to.arm_b[k]);
        group.coupling[k][lane] = W.W_n[k] - W.W_nn * group.n[k][lane];
    }
    group.inverse_n[lane] = 1 / W.W_nn;
    group.inverse_t[lane] = 1 / W.largest_t;
    group.rho[lane] = to.friction > 0 ? 3 / W.trace : 1 / W.W_nn;
}

/// f(groups) of a block.
template <class Number>
template <class F>
void SweptContacts<Number>::with_block(std::size_t block, F f)
{
    const auto [round, begin, end] = blocks_[block];
    const auto from = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(end - begin);
    if (round)
        f(std::span(round_.all).subspan(from, count));
    else
        f(std::span(rigid_.all).subspan(from, count));
}

/// f(groups, block) phase by phase: blocks of a colour side by side, those behind the colours in turn.
template <class Number>
template <class F>
void SweptContacts<Number>::for_colours(F f)
{
    auto* bodies = reinterpret_cast<std::byte*>(bodies_.data());
    const bool shared = shared_.is_shared();
    if (shared) shared_.begin_pass();
    const int phases = phase_of_.empty() ? 0 : phase_of_.back() + 1;
    std::size_t next = 0;
    for (int phase = 0; phase < phases; ++phase) {
        std::size_t end = next;
        while (end < own_.size() && phase_of_[own_[end]] == phase) {
            ++end;
        }
        if (shared) shared_.before_phase(phase, bodies);
        for_each_index(end - next, blocks_at_once, [&](std::size_t k) {
            with_block(own_[next + k], [&](auto groups) { f(groups, own_[next + k]); });
        });
        if (shared) shared_.after_phase(phase, bodies);
        next = end;
    }
    if (shared) shared_.end_pass(bodies);
}

/// Sums over blocks of records that whoever swept them has filled.
template <class Number>
void SweptContacts<Number>::add_up(std::span<const double> records, std::span<double> total)
{
    if (shared_.is_shared())
        shared_.add_up_shared(records, total);
    else
        SharedSweeps::add_up(records, total);
}

template <class Number>
typename SweptContacts<Number>::Sums SweptContacts<Number>::measured() noexcept
{
    sums_.assign(blocks_.size(), {});
    for_each_index(own_.size(), 2 * blocks_at_once, [&](std::size_t k) {
        with_block(own_[k], [&](auto groups) {
            using Group = typename decltype(groups)::value_type;
            sums_[own_[k]] = Kernel::template errors<Group>(groups, *this);
        });
    });
    static_assert(sizeof(Sums) == 3 * sizeof(double));
    const std::span records(reinterpret_cast<const double*>(sums_.data()), 3 * sums_.size());
    std::array<double, 3> total{};
    add_up(records, total);
    return {.F = total[0], .P = total[1], .U = total[2]};
}

template <class Number>
void SweptContacts<Number>::start()
{
    pressing_ = false;
    free_size_ = std::sqrt(measured().U);
    for_colours([&](auto groups, std::size_t) {
        using Group = typename decltype(groups)::value_type;
        if (detail::has_wide_registers()) {
            Kernel::template warm_wide<Group>(groups, bodies_.data(), tensors_.data());
        } else {
            Kernel::template warm<Group>(groups, bodies_.data(), tensors_.data());
        }
    });
}

template <class Number>
void SweptContacts<Number>::start_pressing()
{
    pressing_ = true;
    free_size_ = std::sqrt(measured().U);
}

template <class Number>
double SweptContacts<Number>::sweep(double beta) noexcept
{
    changes_.assign(blocks_.size(), 0.0);
    const auto by = static_cast<Number>(beta);
    for_colours([&](auto groups, std::size_t block) {
        using Group = typename decltype(groups)::value_type;
        changes_[block] = Kernel::template swept<Group>(groups, *this, by);
    });
    std::array<double, 1> total{};
    add_up(changes_, total);
    return total[0];
}

template <class Number>
typename SweptContacts<Number>::Errors SweptContacts<Number>::error() noexcept
{
    if (shared_.is_shared()) shared_.spread(reinterpret_cast<std::byte*>(bodies_.data()));
    const Sums sums = measured();
    const double F = std::sqrt(sums.F);
    if (F == 0) return {};
    const double size = std::max({free_size_, std::sqrt(sums.U), std::sqrt(sums.P)});
    return {F / size, free_size_ > 0 ? F / free_size_ : 0.0};
}

template <class Number>
void SweptContacts<Number>::step_bodies(double beta) noexcept
{
    const auto by = static_cast<Number>(beta);
    const auto step = [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto bodies = std::span(bodies_).subspan(begin, end - begin);
        if (detail::has_wide_registers()) {
            Kernel::step_wide(bodies, before_.data() + begin, direction_.data() + begin, by);
        } else {
            Kernel::step(bodies, before_.data() + begin, direction_.data() + begin, by);
        }
    };
    if (!shared_.is_shared()) return for_blocks(bodies_.size(), bodies_in_block, step);
    for_each_index(at_home_.size(), 16, [&](std::size_t k) {
        step(static_cast<std::size_t>(at_home_[k][0]), static_cast<std::size_t>(at_home_[k][1]), k);
    });
}

template <class Number>
int SweptContacts<Number>::run(const Budget& budget, SweptResults wanted)
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
    share_results(wanted);
    return sweeps;
}

template <class Number>
std::array<double, 3> SweptContacts<Number>::percussion(std::size_t contact) const noexcept
{
    const auto place = static_cast<std::size_t>(place_[contact]), lane = place % width;
    if (pressing_) {
        const RoundGroup& group = round_.all[place / width];
        const double P = group.P[0][lane];
        return {P * group.n[0][lane], P * group.n[1][lane], P * group.n[2][lane]};
    }
    const auto& P = is_round_[contact] ? round_.all[place / width].P : rigid_.all[place / width].P;
    return {P[0][lane], P[1][lane], P[2][lane]};
}

template <class Number>
std::array<double, 3> SweptContacts<Number>::velocity(std::size_t body) const noexcept
{
    const auto& at = bodies_[body].at;
    return {at[0], at[1], at[2]};
}

template <class Number>
std::array<double, 3> SweptContacts<Number>::angular_velocity(std::size_t body) const noexcept
{
    const auto& at = bodies_[body].at;
    return {at[4], at[5], at[6]};
}

template class SweptContacts<float>;
template class SweptContacts<double>;

}  // namespace carom
