#include "solver/round_contacts.hpp"

#include "carom/onestep/residual.hpp"
#include "core/parallel.hpp"
#include "four_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom {
namespace {

using detail::Four;
using detail::load_four;
using detail::store_four;

/// Of groups of four contacts, contacts and bodies that one thread takes at once.
constexpr std::size_t groups_in_block = 64, contacts_in_block = 1024, bodies_in_block = 1024;

/// Sweeps without a look at the error.
constexpr int longest_interval = 32;

/// Rows become columns.
[[gnu::always_inline]] inline void transpose(Four& a, Four& b, Four& c, Four& d)
{
    const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Four ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Four cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Four cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

[[gnu::always_inline]] inline Four root(Four a)
{
    return Four{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}

[[gnu::always_inline]] inline Four positive_part(Four a)
{
    return a > 0.0 ? a : Four{};
}

[[gnu::always_inline]] inline double sum(Four a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

double sum(const std::array<double, 4>& a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

/// A vector of space of four contacts.
struct Space {
    Four x, y, z;
};

[[gnu::always_inline]] inline Space operator+(const Space& a, const Space& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline Space operator-(const Space& a, const Space& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline Space operator*(Four s, const Space& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Four dot(const Space& a, const Space& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline Space cross(const Space& a, const Space& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

[[gnu::always_inline]] inline Space load_space(const std::array<std::array<double, 4>, 3>& a)
{
    return {load_four(a[0].data()), load_four(a[1].data()), load_four(a[2].data())};
}

[[gnu::always_inline]] inline void store_space(const Space& a, std::array<std::array<double, 4>, 3>& to)
{
    store_four(a.x, to[0].data());
    store_four(a.y, to[1].data());
    store_four(a.z, to[2].data());
}

/// Four bodies: what is beside the vectors in a RoundBody comes with them.
struct FourBodies {
    Space v, w;
    Four inverse_mass, inverse_inertia;

    [[gnu::always_inline]] void load(const RoundBody* bodies, const std::array<int, 4>& index)
    {
        Four line[4];
        for (int k = 0; k < 4; ++k) {
            line[k] = load_four(bodies[index[k]].v.data());
        }
        transpose(line[0], line[1], line[2], line[3]);
        v = {line[0], line[1], line[2]};
        inverse_mass = line[3];
        for (int k = 0; k < 4; ++k) {
            line[k] = load_four(bodies[index[k]].w.data());
        }
        transpose(line[0], line[1], line[2], line[3]);
        w = {line[0], line[1], line[2]};
        inverse_inertia = line[3];
    }

    /// `all`: none of them stands still.
    [[gnu::always_inline]] void store(RoundBody* bodies, const std::array<int, 4>& index, bool all) const
    {
        Four line[4] = {v.x, v.y, v.z, inverse_mass};
        transpose(line[0], line[1], line[2], line[3]);
        Four turn[4] = {w.x, w.y, w.z, inverse_inertia};
        transpose(turn[0], turn[1], turn[2], turn[3]);
        for (int k = 0; k < 4; ++k) {
            if (!all && !(line[k][3] > 0 || turn[k][3] > 0)) continue;
            store_four(line[k], bodies[index[k]].v.data());
            store_four(turn[k], bodies[index[k]].w.data());
        }
    }
};

Error refused(ErrorCode code, const std::string& where, const std::string& message, const char* hint)
{
    return {.code = code,
            .where = "RoundContacts::load" + where,
            .message = message,
            .hint = hint,
            .excerpt = {}};
}

}  // namespace

struct RoundContacts::Kernel {
    [[gnu::always_inline]] static inline Space velocity(const Group& group, const Space& n,
                                                        const FourBodies& a, const FourBodies& b)
    {
        return a.v - b.v -
               cross(load_four(group.arm_a.data()) * a.w + load_four(group.arm_b.data()) * b.w, n);
    }

    /// What a change of the percussions does to the bodies.
    [[gnu::always_inline]] static inline void push(const Group& group, const Space& n, const Space& change,
                                                   FourBodies& a, FourBodies& b)
    {
        const Space turn = cross(n, change);
        a.v = a.v + a.inverse_mass * change;
        b.v = b.v - b.inverse_mass * change;
        a.w = a.w - (load_four(group.arm_a.data()) * a.inverse_inertia) * turn;
        b.w = b.w - (load_four(group.arm_b.data()) * b.inverse_inertia) * turn;
    }

    /// From x + beta d on, exact local solutions, group after group; returns the sum of W_NN |change|^2.
    [[gnu::always_inline]] static inline double sweep(std::span<Group> groups, RoundBody* bodies, double beta)
    {
        Four changes{};
        const Four along = Four{} + beta;
        for (Group& group : groups) {
            const Space n = load_space(group.n), last = load_space(group.direction);
            const Space P = load_space(group.P) + along * last;
            store_space(along * last + load_space(group.change), group.direction);
            FourBodies a, b;
            a.load(bodies, group.a);
            b.load(bodies, group.b);
            const Space U = velocity(group, n, a, b);
            const Four U_n = dot(U, n), P_n = dot(P, n);

            // normal part, then the tangential one within its disc
            const Four shift = load_four(group.shift.data());
            const Four next_n = positive_part(P_n - (U_n + shift) * load_four(group.inverse_n.data()));
            const Space t = P - P_n * n - load_four(group.inverse_t.data()) * (U - U_n * n);
            const Four radius = load_four(group.mu.data()) * next_n, size2 = dot(t, t);
            const Four part = size2 > radius * radius ? radius / root(size2) : Four{} + 1.0;
            const Space next = next_n * n + part * t, change = next - P;
            push(group, n, change, a, b);
            a.store(bodies, group.a, group.all_move);
            b.store(bodies, group.b, group.all_move);

            // a sweep is the map from the point with beta d in it
            store_space(next, group.P);
            store_space(change, group.change);
            changes += dot(change, change) * (a.inverse_mass + b.inverse_mass);
        }
        return sum(changes);
    }

    /// |F|^2, |P|^2 and |U|^2, scaled (OS-5); F = P - proj_K(P - rho (U + s)).
    [[gnu::always_inline]] static inline void measure(std::span<const Group> groups, const RoundBody* bodies,
                                                      Sums& result)
    {
        struct {
            Four F{}, P{}, U{};
        } sums;
        for (const Group& group : groups) {
            const Space n = load_space(group.n), P = load_space(group.P);
            FourBodies a, b;
            a.load(bodies, group.a);
            b.load(bodies, group.b);
            const Four rho = load_four(group.rho.data()), mu = load_four(group.mu.data());
            const Space U = velocity(group, n, a, b);
            const Four U_n = dot(U, n), P_n = dot(P, n);
            // without friction the tangential velocity counts for nothing
            const Space U_t = (mu > 0.0 ? Four{} + 1.0 : Four{}) * (U - U_n * n), P_t = P - P_n * n;
            const Space t = P_t - rho * U_t;
            const Four slip2 = dot(U_t, U_t), t_size = root(dot(t, t));
            const Four normal = U_n + load_four(group.shift.data());

            // inside the cone, at its apex, or on its surface; t_size > 0 there
            const Four y = P_n - rho * (normal + mu * root(slip2));
            const Four on = (y + mu * t_size) / (1.0 + mu * mu);
            const Four safe = t_size > 0.0 ? t_size : Four{} + 1.0;
            const Four y_n = positive_part(t_size <= mu * y ? y : on);
            const Four part = t_size <= mu * y ? Four{} + 1.0 : mu * y_n / safe;
            const Space rest = P_t - part * t;
            sums.F += ((P_n - y_n) * (P_n - y_n) + dot(rest, rest)) / rho;
            sums.P += dot(P, P) / rho;
            sums.U += rho * (slip2 + normal * normal);
        }
        store_four(sums.F, result.F.data());
        store_four(sums.P, result.P.data());
        store_four(sums.U, result.U.data());
    }

    /// The percussions act on the bodies.
    [[gnu::always_inline]] static inline void warm(std::span<const Group> groups, RoundBody* bodies)
    {
        for (const Group& group : groups) {
            FourBodies a, b;
            a.load(bodies, group.a);
            b.load(bodies, group.b);
            push(group, load_space(group.n), load_space(group.P), a, b);
            a.store(bodies, group.a, group.all_move);
            b.store(bodies, group.b, group.all_move);
        }
    }

    /// (SO-15): from the swept point along the direction, velocities with the coefficients of percussions.
    [[gnu::always_inline]] static inline void step(std::span<RoundBody> bodies, RoundBody* before,
                                                   RoundBody* direction, double beta)
    {
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            for (auto part : {&RoundBody::v, &RoundBody::w}) {
                double* now = (bodies[k].*part).data();
                double* last = (before[k].*part).data();
                double* along = (direction[k].*part).data();
                const Four swept = load_four(now), f = swept - load_four(last), d = beta * load_four(along);
                store_four(swept + d, now);  // what is beside the vectors does not change
                store_four(swept + d, last);
                store_four(d + f, along);
            }
        }
    }

    CAROM_WIDE static void warm_wide(std::span<const Group> groups, RoundBody* bodies)
    {
        warm(groups, bodies);
    }

    CAROM_WIDE static void step_wide(std::span<RoundBody> bodies, RoundBody* before, RoundBody* direction,
                                     double beta)
    {
        step(bodies, before, direction, beta);
    }

    CAROM_WIDE static double sweep_wide(std::span<Group> groups, RoundBody* bodies, double beta)
    {
        return sweep(groups, bodies, beta);
    }

    CAROM_WIDE static void measure_wide(std::span<const Group> groups, const RoundBody* bodies, Sums& sums)
    {
        measure(groups, bodies, sums);
    }
};

Expected<void> RoundContacts::check(std::span<const RoundBody> bodies,
                                    std::span<const RoundContact> contacts) const
{
    const int count = static_cast<int>(bodies.size());
    for (const RoundBody& body : bodies) {
        if (!(body.inverse_mass >= 0 && body.inverse_inertia >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, "", "an inverse mass or inertia is negative",
                           "give numbers >= 0");
        }
    }
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const RoundContact& contact = contacts[c];
        const auto where = [c] { return fmt::format(", contact {}", c); };
        if (contact.a < 0 || contact.a >= count || contact.b < 0 || contact.b >= count ||
            contact.a == contact.b) {
            return refused(ErrorCode::WrongSize, where(),
                           fmt::format("bodies {} and {} of {}", contact.a, contact.b, count),
                           "name two bodies");
        }
        const auto& n = contact.normal;
        if (!(std::abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9) || !(contact.friction >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, where(), "the normal is no unit vector, or mu < 0",
                           "normalise n, and give a friction >= 0");
        }
        if (!(bodies[static_cast<std::size_t>(contact.a)].inverse_mass > 0 ||
              bodies[static_cast<std::size_t>(contact.b)].inverse_mass > 0)) {
            return refused(ErrorCode::SettingOutOfRange, where(), "neither body moves",
                           "leave this contact out");
        }
    }
    return {};
}

Expected<void> RoundContacts::load(std::span<const RoundBody> bodies, std::span<const RoundContact> contacts)
{
    if (auto fine = check(bodies, contacts); !fine) return fine;
    bodies_.assign(bodies.begin(), bodies.end());
    bodies_.emplace_back();
    arrange(contacts);
    fill(contacts);
    start();
    return {};
}

/// Places by colours: four contacts in a row are a group; behind the colours each has a group of its own.
void RoundContacts::arrange(std::span<const RoundContact> contacts)
{
    moves_.resize(bodies_.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        moves_[k] = bodies_[k].inverse_mass > 0 || bodies_[k].inverse_inertia > 0 ? 1 : 0;
    }
    pairs_.resize(contacts.size());
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        pairs_[c] = {contacts[c].a, contacts[c].b};
    }
    colours_.arrange(pairs_, moves_);
    place_.resize(contacts.size());
    colour_begin_.assign(1, 0);
    const auto order = colours_.order();
    const auto begin = colours_.begin();
    int place = 0;
    for (std::size_t colour = 0; colour + 1 < begin.size(); ++colour) {
        for (int k = begin[colour]; k < begin[colour + 1]; ++k) {
            place_[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = place++;
        }
        place = (place + 3) / 4 * 4;
        colour_begin_.push_back(place / 4);
    }
    for (auto k = static_cast<std::size_t>(begin.back()); k < order.size(); ++k, place += 4) {
        place_[static_cast<std::size_t>(order[k])] = place;
    }
    groups_.resize(static_cast<std::size_t>(place / 4));
}

void RoundContacts::fill(std::span<const RoundContact> contacts)
{
    const int still = static_cast<int>(bodies_.size()) - 1;
    for_each_index(groups_.size(), groups_in_block, [&](std::size_t k) {
        Group& group = groups_[k];
        group = {};
        group.n[0].fill(1);
        group.inverse_n.fill(1);
        group.inverse_t.fill(1);
        group.rho.fill(1);
        group.a.fill(still);
        group.b.fill(still);
    });
    for_each_index(contacts.size(), contacts_in_block, [&](std::size_t c) {
        const RoundContact& contact = contacts[c];
        const auto lane = static_cast<std::size_t>(place_[c] % 4);
        Group& group = groups_[static_cast<std::size_t>(place_[c] / 4)];
        const RoundBody &a = bodies_[static_cast<std::size_t>(contact.a)],
                        &b = bodies_[static_cast<std::size_t>(contact.b)];
        for (std::size_t k = 0; k < 3; ++k) {
            group.n[k][lane] = contact.normal[k];
            group.P[k][lane] = contact.P[k];
        }
        group.arm_a[lane] = contact.arm_a;
        group.arm_b[lane] = contact.arm_b;
        group.shift[lane] = contact.shift_m_s;
        group.mu[lane] = contact.friction;
        const double W_n = a.inverse_mass + b.inverse_mass;
        const double W_t = W_n + contact.arm_a * contact.arm_a * a.inverse_inertia +
                           contact.arm_b * contact.arm_b * b.inverse_inertia;
        group.inverse_n[lane] = 1 / W_n;
        group.inverse_t[lane] = 1 / W_t;
        group.rho[lane] = contact.friction > 0 ? 3 / (W_n + 2 * W_t) : 1 / W_n;
        group.a[lane] = contact.a;
        group.b[lane] = contact.b;
    });
    for_each_index(groups_.size(), groups_in_block, [&](std::size_t k) {
        const auto moves = [&](int body) { return moves_[static_cast<std::size_t>(body)] != 0; };
        groups_[k].all_move =
            std::ranges::all_of(groups_[k].a, moves) && std::ranges::all_of(groups_[k].b, moves);
    });
}

/// f(groups, block) colour by colour, blocks of a colour side by side; `block` counts from 0 on.
template <class F>
void RoundContacts::for_colours(F f)
{
    const std::span<Group> groups(groups_);
    std::size_t first = 0;
    for (std::size_t colour = 0; colour + 1 < colour_begin_.size(); ++colour) {
        const auto from = static_cast<std::size_t>(colour_begin_[colour]),
                   count = static_cast<std::size_t>(colour_begin_[colour + 1]) - from;
        for_blocks(count, groups_in_block, [&](std::size_t begin, std::size_t end, std::size_t block) {
            f(groups.subspan(from + begin, end - begin), first + block);
        });
        first += (count + groups_in_block - 1) / groups_in_block;
    }
    f(groups.subspan(static_cast<std::size_t>(colour_begin_.back())), first);
}

RoundContacts::Sums& RoundContacts::Sums::operator+=(const Sums& other) noexcept
{
    for (std::size_t k = 0; k < F.size(); ++k) {
        F[k] += other.F[k];
        P[k] += other.P[k];
        U[k] += other.U[k];
    }
    return *this;
}

RoundContacts::Sums RoundContacts::measured() noexcept
{
    return sum_of_blocks<Sums>(groups_.size(), 4 * groups_in_block, [&](std::size_t begin, std::size_t end) {
        Sums sums;
        const auto groups = std::span<const Group>(groups_).subspan(begin, end - begin);
        if (detail::has_wide_registers()) {
            Kernel::measure_wide(groups, bodies_.data(), sums);
        } else {
            Kernel::measure(groups, bodies_.data(), sums);
        }
        return sums;
    });
}

/// The size of the free velocities, then the warm start.
void RoundContacts::start()
{
    free_size_ = std::sqrt(sum(measured().U));
    for_colours([&](std::span<Group> groups, std::size_t) {
        if (detail::has_wide_registers()) {
            Kernel::warm_wide(groups, bodies_.data());
        } else {
            Kernel::warm(groups, bodies_.data());
        }
    });
}

double RoundContacts::sweep(double beta) noexcept
{
    changes_.assign(groups_.size() / groups_in_block + colour_begin_.size() + 1, 0.0);
    for_colours([&](std::span<Group> groups, std::size_t block) {
        changes_[block] = detail::has_wide_registers() ? Kernel::sweep_wide(groups, bodies_.data(), beta)
                                                       : Kernel::sweep(groups, bodies_.data(), beta);
    });
    return std::accumulate(changes_.begin(), changes_.end(), 0.0);
}

RoundContacts::Errors RoundContacts::error() noexcept
{
    const Sums sums = measured();
    const double F = std::sqrt(sum(sums.F));
    if (F == 0) return {};
    const double size = std::max({free_size_, std::sqrt(sum(sums.U)), std::sqrt(sum(sums.P))});
    return {F / size, free_size_ > 0 ? F / free_size_ : 0.0};
}

void RoundContacts::step_bodies(double beta) noexcept
{
    for_blocks(bodies_.size(), bodies_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto bodies = std::span(bodies_).subspan(begin, end - begin);
        if (detail::has_wide_registers()) {
            Kernel::step_wide(bodies, before_.data() + begin, direction_.data() + begin, beta);
        } else {
            Kernel::step(bodies, before_.data() + begin, direction_.data() + begin, beta);
        }
    });
}

int RoundContacts::run(const Budget& budget)
{
    before_ = bodies_;
    direction_.assign(bodies_.size(), RoundBody{});
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

std::array<double, 3> RoundContacts::percussion(int contact) const noexcept
{
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(contact)]);
    const Group& group = groups_[place / 4];
    return {group.P[0][place % 4], group.P[1][place % 4], group.P[2][place % 4]};
}

}  // namespace carom
