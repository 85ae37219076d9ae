#include "solver/rigid_contacts.hpp"

#include "core/four_numbers.hpp"
#include "core/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::Four;
using detail::load_four;
using detail::store_four;
using Vector = std::array<double, 3>;

/// Contacts that one thread sweeps at once, and numbers of them and bodies that it only goes through.
constexpr std::size_t swept_in_block = 128, contacts_in_block = 1024, bodies_in_block = 1024;

[[gnu::always_inline]] inline Four in_four(const Vector& a, double beside = 0)
{
    return Four{a[0], a[1], a[2], beside};
}

/// Any unit vector across n.
[[gnu::always_inline]] inline Four tangent(const Vector& n)
{
    const Four axis = std::abs(n[0]) < 0.6 ? Four{1, 0, 0, 0} : Four{0, 1, 0, 0};
    const Four t = detail::cross(in_four(n), axis);
    return t / std::sqrt(detail::dot(t, t));
}

bool moves(const RigidBody& body)
{
    return body.inverse_mass > 0 || std::any_of(body.inverse_inertia.begin(), body.inverse_inertia.end(),
                                                [](double value) { return value != 0; });
}

Error refused(ErrorCode code, const std::string& where, const std::string& message, const char* hint)
{
    return {.code = code,
            .where = "RigidContacts::load" + where,
            .message = message,
            .hint = hint,
            .excerpt = {}};
}

}  // namespace

struct RigidContacts::Kernel {
    /// Scaled local velocity of a contact, shifts in it.
    [[gnu::always_inline]] static inline void velocity(const RigidContacts& all, int c, double* u)
    {
        const Rows& rows = all.rows_[static_cast<std::size_t>(c)];
        const Moving &a = all.bodies_[rows.a], &b = all.bodies_[rows.b];
        const Four there = load_four(a.v.data()) - load_four(b.v.data()) +
                           detail::cross(load_four(a.w.data()), load_four(rows.arm_a.data())) -
                           detail::cross(load_four(b.w.data()), load_four(rows.arm_b.data()));
        const int used = all.diagonal_.kind[c] == FlatKind::Friction ? 3 : 1;
        u[1] = u[2] = 0;
        for (int k = 0; k < used; ++k) {
            u[k] = detail::dot(load_four(rows.D[static_cast<std::size_t>(k)].data()), there);
        }
        u[0] += all.diagonal_.scale[c] * all.shift_[c];
    }

    [[gnu::always_inline]] static inline void push(Moving& body, Four arm, Four P, double sign)
    {
        const Four turn = sign * detail::cross(arm, P);
        store_four(load_four(body.v.data()) + sign * body.v[3] * P, body.v.data());
        store_four(load_four(body.w.data()) + turn[0] * load_four(body.inverse_J[0].data()) +
                       turn[1] * load_four(body.inverse_J[1].data()) +
                       turn[2] * load_four(body.inverse_J[2].data()),
                   body.w.data());
    }

    /// What a change of the scaled percussion does to both bodies.
    [[gnu::always_inline]] static inline void apply(const Rows& rows, const double* dx, Moving* bodies)
    {
        const Four P = dx[0] * load_four(rows.D[0].data()) + dx[1] * load_four(rows.D[1].data()) +
                       dx[2] * load_four(rows.D[2].data());
        if (rows.a_moves) push(bodies[rows.a], load_four(rows.arm_a.data()), P, 1);
        if (rows.b_moves) push(bodies[rows.b], load_four(rows.arm_b.data()), P, -1);
    }

    /// W_cc for rows of length one.
    [[gnu::always_inline]] static inline void own_block(const Moving* bodies, const Rows& rows, double* W)
    {
        std::fill_n(W, 9, 0.0);
        for (const bool first : {true, false}) {
            const Moving& body = bodies[first ? rows.a : rows.b];
            const Four arm = load_four((first ? rows.arm_a : rows.arm_b).data());
            const Four x = load_four(body.inverse_J[0].data()), y = load_four(body.inverse_J[1].data()),
                       z = load_four(body.inverse_J[2].data());
            Four turn[3], moved[3];
            for (int k = 0; k < 3; ++k) {
                turn[k] = detail::cross(arm, load_four(rows.D[k].data()));
                moved[k] = turn[k][0] * x + turn[k][1] * y + turn[k][2] * z;
                W[4 * k] += body.v[3];
            }
            for (int r = 0; r < 3; ++r) {
                for (int k = 0; k < 3; ++k) {
                    W[3 * r + k] += detail::dot(turn[r], moved[k]);
                }
            }
        }
    }

    /// Rows, W_cc and warm start of some contacts in the units of (SO-6). In their own order: what is written
    /// then lies in one row per colour.
    [[gnu::always_inline]] static inline void fill(RigidContacts& all, std::span<const RigidContact> contacts,
                                                   std::size_t begin, std::size_t end)
    {
        FlatProblem& flat = all.diagonal_;
        for (std::size_t given = begin; given < end; ++given) {
            const RigidContact& contact = contacts[given];
            const auto c = static_cast<std::size_t>(all.place_[given]);
            Rows& rows = all.rows_[c];
            rows.a = contact.a;
            rows.b = contact.b < 0 ? static_cast<int>(all.free_.size()) - 1 : contact.b;
            rows.a_moves = all.couples_[static_cast<std::size_t>(rows.a)] != 0;
            rows.b_moves = all.couples_[static_cast<std::size_t>(rows.b)] != 0;
            store_four(in_four(contact.arm_a), rows.arm_a.data());
            store_four(in_four(contact.arm_b), rows.arm_b.data());
            const Four n = in_four(contact.normal), t = tangent(contact.normal);
            store_four(n, rows.D[0].data());
            store_four(t, rows.D[1].data());
            store_four(detail::cross(n, t), rows.D[2].data());
            flat.kind[c] = contact.friction > 0 ? FlatKind::Friction : FlatKind::Unilateral;
            flat.mu[c] = contact.friction;
            all.shift_[c] = contact.shift_m_s;

            // rows that a contact without friction does not have are one on the diagonal
            double full[9];
            own_block(all.free_.data(), rows, full);
            const double s = flat.scale[c] = 1 / std::sqrt((full[0] + full[4] + full[8]) / 3);
            const int used = flat.kind[c] == FlatKind::Friction ? 3 : 1;
            double* W = flat.W_cc.data() + 9 * c;
            for (int r = 0; r < 3; ++r) {
                for (int k = 0; k < 3; ++k) {
                    W[3 * r + k] = r < used && k < used ? s * s * full[3 * r + k] : r == k ? 1.0 : 0.0;
                }
            }
            for (int k = 0; k < 3; ++k) {
                const Four row = load_four(rows.D[k].data());
                if (k < used) all.x_[3 * c + k] = detail::dot(row, in_four(contact.P)) / s;
                store_four(s * row, rows.D[k].data());
            }
        }
    }

    [[gnu::always_inline]] static inline void restore(RigidContacts& all, std::size_t begin, std::size_t end)
    {
        for (std::size_t c = begin; c < end; ++c) {
            apply(all.rows_[c], all.x_.data() + 3 * c, all.bodies_.data());
        }
    }

    [[gnu::always_inline]] static inline void measure(const RigidContacts& all, double* u, std::size_t begin,
                                                      std::size_t end)
    {
        for (std::size_t c = begin; c < end; ++c) {
            velocity(all, static_cast<int>(c), u + 3 * c);
        }
    }

    [[gnu::always_inline]] static inline void sweep(RigidContacts& all, Sweep kind, std::size_t begin,
                                                    std::size_t end)
    {
        const FlatProblem& problem = all.diagonal_;
        for (int c = static_cast<int>(begin); c < static_cast<int>(end); ++c) {
            double u[3], before[3], dx[3];
            velocity(all, c, u);
            double* x = all.x_.data() + 3 * static_cast<std::size_t>(c);
            const double* W = problem.W_cc.data() + 9 * static_cast<std::size_t>(c);
            std::copy_n(x, 3, before);
            if (kind == Sweep::GaussSeidel) {
                // what the others do, then the exact local solution
                for (int k = 0; k < 3; ++k) {
                    u[k] -= W[3 * k] * x[0] + W[3 * k + 1] * x[1] + W[3 * k + 2] * x[2];
                }
                all.relaxation_.solve_contact(problem, c, u, x);
            } else {
                all.relaxation_.project_step(problem, c, u, x);
            }
            for (int k = 0; k < 3; ++k) {
                dx[k] = x[k] - before[k];
            }
            apply(all.rows_[static_cast<std::size_t>(c)], dx, all.bodies_.data());
        }
    }

    CAROM_WIDE static void fill_wide(RigidContacts& all, std::span<const RigidContact> contacts,
                                     std::size_t begin, std::size_t end)
    {
        fill(all, contacts, begin, end);
    }
    CAROM_WIDE static void restore_wide(RigidContacts& all, std::size_t begin, std::size_t end)
    {
        restore(all, begin, end);
    }
    CAROM_WIDE static void measure_wide(const RigidContacts& all, double* u, std::size_t begin,
                                        std::size_t end)
    {
        measure(all, u, begin, end);
    }
    CAROM_WIDE static void sweep_wide(RigidContacts& all, Sweep kind, std::size_t begin, std::size_t end)
    {
        sweep(all, kind, begin, end);
    }
};

/// f(begin, end) on the places of one colour after the other, blocks of a colour side by side.
template <class F>
void RigidContacts::for_colours(F f) const
{
    const auto begin = colours_.begin();
    for (std::size_t colour = 0; colour + 1 < begin.size(); ++colour) {
        const auto from = static_cast<std::size_t>(begin[colour]),
                   to = static_cast<std::size_t>(begin[colour + 1]);
        for_blocks(to - from, swept_in_block,
                   [&](std::size_t first, std::size_t last, std::size_t) { f(from + first, from + last); });
    }
    f(static_cast<std::size_t>(begin.back()), rows_.size());
}

Expected<void> RigidContacts::load(std::span<const RigidBody> bodies, std::span<const RigidContact> contacts)
{
    const int count = static_cast<int>(bodies.size());
    free_.assign(bodies.size() + 1, Moving{});
    couples_.assign(bodies.size() + 1, 0);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const RigidBody& body = bodies[k];
        couples_[k] = moves(body) ? 1 : 0;
        if (!(body.inverse_mass >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, fmt::format(", body {}", k),
                           "an inverse mass is negative", "give a number >= 0");
        }
        Moving& moving = free_[k];
        store_four(in_four(body.v, body.inverse_mass), moving.v.data());
        store_four(in_four(body.w), moving.w.data());
        for (std::size_t j = 0; j < 3; ++j) {
            const double* column = body.inverse_inertia.data() + 3 * j;
            store_four(Four{column[0], column[1], column[2], 0}, moving.inverse_J[j].data());
        }
    }
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const RigidContact& contact = contacts[c];
        const auto where = [c] { return fmt::format(", contact {}", c); };
        if (contact.a < 0 || contact.a >= count || contact.b < -1 || contact.b >= count ||
            contact.a == contact.b) {
            return refused(ErrorCode::WrongSize, where(),
                           fmt::format("bodies {} and {} of {}", contact.a, contact.b, count),
                           "name two bodies, or -1 for an obstacle as the second");
        }
        const Four n = in_four(contact.normal);
        if (!(std::abs(detail::dot(n, n) - 1) < 1e-9) || !(contact.friction >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, where(),
                           "the normal is not a unit vector, or mu < 0",
                           "normalise n, and give a friction >= 0");
        }
        if (!moves(bodies[static_cast<std::size_t>(contact.a)]) &&
            (contact.b < 0 || !moves(bodies[static_cast<std::size_t>(contact.b)]))) {
            return refused(ErrorCode::SettingOutOfRange, where(), "neither body moves",
                           "leave this contact out");
        }
    }
    pairs_.resize(contacts.size());
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        pairs_[c] = {contacts[c].a, contacts[c].b < 0 ? count : contacts[c].b};
    }
    colours_.arrange(pairs_, couples_);
    prepare(contacts);
    return {};
}

void RigidContacts::prepare(std::span<const RigidContact> contacts)
{
    const std::size_t m = contacts.size();
    FlatProblem& flat = diagonal_;
    flat.d = 3;
    flat.kind.resize(m);
    flat.mu.resize(m);
    flat.scale.resize(m);
    flat.q.assign(3 * m, 0.0);
    flat.W_cc.resize(9 * m);
    flat.row_begin.assign(m + 1, 0);
    rows_.resize(m);
    shift_.resize(m);
    x_.assign(3 * m, 0.0);
    u_.resize(3 * m);
    place_.resize(m);
    for (std::size_t k = 0; k < m; ++k) {
        place_[static_cast<std::size_t>(colours_.order()[k])] = static_cast<int>(k);
    }
    for_blocks(m, contacts_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
        if (detail::has_wide_registers()) {
            Kernel::fill_wide(*this, contacts, begin, end);
        } else {
            Kernel::fill(*this, contacts, begin, end);
        }
    });
    relaxation_.load(flat);
    flat.project(x_);

    // the size of the free velocities is one of those that errors are measured by
    bodies_ = free_;
    measure(flat.q);
    restore_velocities();
}

/// Velocity along a row of one contact that a unit percussion along a row of another brings about.
double RigidContacts::coupling(const Rows& here, int row, const Rows& there, int column) const noexcept
{
    const Four D_i = load_four(here.D[row].data()), D_j = load_four(there.D[column].data());
    double sum = 0;
    const auto add = [&](int body, const auto& arm_i, const auto& arm_j, double sign) {
        const Moving& moving = free_[body];
        const Four turn_i = detail::cross(load_four(arm_i.data()), D_i),
                   turn_j = detail::cross(load_four(arm_j.data()), D_j);
        sum += sign * moving.v[3] * detail::dot(D_i, D_j);
        for (std::size_t k = 0; k < 3; ++k) {
            sum += sign * turn_j[k] * detail::dot(load_four(moving.inverse_J[k].data()), turn_i);
        }
    };
    if (here.a == there.a) add(here.a, here.arm_a, there.arm_a, 1);
    if (here.a == there.b) add(here.a, here.arm_a, there.arm_b, -1);
    if (here.b == there.a) add(here.b, here.arm_b, there.arm_a, -1);
    if (here.b == there.b) add(here.b, here.arm_b, there.arm_b, 1);
    return sum;
}

void RigidContacts::restore_velocities()
{
    bodies_ = free_;
    for_colours([&](std::size_t begin, std::size_t end) {
        if (detail::has_wide_registers()) {
            Kernel::restore_wide(*this, begin, end);
        } else {
            Kernel::restore(*this, begin, end);
        }
    });
    if (beside_ != nullptr) beside_->restore(*this);
}

/// Scaled local velocities of all contacts.
void RigidContacts::measure(std::vector<double>& u) const noexcept
{
    for_blocks(rows_.size(), contacts_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
        if (detail::has_wide_registers()) {
            Kernel::measure_wide(*this, u.data(), begin, end);
        } else {
            Kernel::measure(*this, u.data(), begin, end);
        }
    });
}

void RigidContacts::sweep(Sweep kind) noexcept
{
    for_colours([&](std::size_t begin, std::size_t end) {
        if (detail::has_wide_registers()) {
            Kernel::sweep_wide(*this, kind, begin, end);
        } else {
            Kernel::sweep(*this, kind, begin, end);
        }
    });
}

FlatError RigidContacts::error() noexcept
{
    measure(u_);
    return diagonal_.error_at(x_, u_);
}

/// (SO-15): from the swept point along the direction, velocities with the same coefficients as percussions.
void RigidContacts::step_on(double beta) noexcept
{
    for_each_index(x_.size(), 3 * contacts_in_block, [&](std::size_t k) {
        const double f = x_[k] - x_before_[k];
        x_[k] += beta * direction_x_[k];
        direction_x_[k] = beta * direction_x_[k] + f;
    });
    for_each_index(bodies_.size(), bodies_in_block, [&](std::size_t k) {
        for (auto part : {&Moving::v, &Moving::w}) {
            double* now = (bodies_[k].*part).data();
            double* direction = (direction_v_[k].*part).data();
            const Four swept = load_four(now), f = swept - load_four((before_[k].*part).data());
            const Four along = load_four(direction);
            store_four(swept + beta * along,
                       now);  // the inverse mass beside v does not change: f is zero there
            store_four(beta * along + f, direction);
        }
    });
}

/// |x - x_before|^2.
double RigidContacts::changes_squared() const noexcept
{
    return sum_of_blocks<double>(x_.size(), 3 * contacts_in_block, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t k = begin; k < end; ++k) {
            sum += (x_[k] - x_before_[k]) * (x_[k] - x_before_[k]);
        }
        return sum;
    });
}

bool RigidContacts::is_over(const Budget& budget)
{
    const FlatError now = error();
    const double change = beside_ != nullptr ? beside_->change() : 0.0;
    return std::max(solved_to(now.unit_free, now.velocity), change) <= budget.tolerance || budget.expired();
}

int RigidContacts::run(const Budget& budget, BesideContacts* beside)
{
    beside_ = beside;
    if (beside != nullptr) restore_velocities();
    constexpr int longest_interval = 16;
    direction_x_.assign(x_.size(), 0.0);
    direction_v_.assign(bodies_.size(), Moving{});
    int sweeps = 0, next = 1;
    double last2 = 0;
    while (sweeps < budget.max_iterations) {
        x_before_ = x_;
        before_ = bodies_;
        sweep();
        if (beside != nullptr) beside->sweep(*this);
        if (++sweeps == next || sweeps == budget.max_iterations) {
            next += std::min(next, longest_interval);
            if (is_over(budget)) {
                restore_velocities();
                if (is_over(budget)) break;
            }
        }
        if (sweeps == budget.max_iterations) break;
        const double now2 = changes_squared();
        const double beta = last2 > 0 && now2 <= last2 ? now2 / last2 : 0.0;
        step_on(beta);
        if (beside != nullptr) beside->step_on(beta);
        last2 = now2;
    }
    restore_velocities();
    beside_ = nullptr;
    return sweeps;
}

std::array<double, 3> RigidContacts::percussion(int contact) const noexcept
{
    const auto c = static_cast<std::size_t>(place_[static_cast<std::size_t>(contact)]);
    std::array<double, 3> P{};
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < 3; ++i) {
            P[i] += x_[3 * c + k] * rows_[c].D[k][i];
        }
    }
    return P;
}

std::array<double, 3> RigidContacts::velocity(int body) const noexcept
{
    const auto& v = bodies_[static_cast<std::size_t>(body)].v;
    return {v[0], v[1], v[2]};
}

std::array<double, 3> RigidContacts::angular_velocity(int body) const noexcept
{
    const auto& w = bodies_[static_cast<std::size_t>(body)].w;
    return {w[0], w[1], w[2]};
}

void RigidContacts::set_velocity(int body, const std::array<double, 3>& v,
                                 const std::array<double, 3>& w) noexcept
{
    Moving& moving = bodies_[static_cast<std::size_t>(body)];
    std::copy_n(v.begin(), 3, moving.v.begin());
    std::copy_n(w.begin(), 3, moving.w.begin());
}

OneStepProblem RigidContacts::assembled(std::vector<double>& P) const
{
    const std::size_t m = rows_.size();
    OneStepProblem problem;
    std::vector<std::vector<int>> touching(free_.size());
    P.resize(3 * m);
    problem.U_minus.assign(3 * m, 0.0);
    RigidContacts before = *this;
    before.bodies_ = before.free_;
    before.diagonal_.kind.assign(m, FlatKind::Friction);  // all rows
    for (std::size_t contact = 0; contact < m; ++contact) {
        const auto c = static_cast<std::size_t>(place_[contact]);
        const double s = diagonal_.scale[c];
        problem.laws.emplace_back(Coulomb{.shape = FrictionDisc{}, .friction = diagonal_.mu[c]});
        problem.offsets.push_back(3 * static_cast<int>(contact + 1));
        for (const int body : {rows_[c].a, rows_[c].b}) {
            if (couples_[static_cast<std::size_t>(body)]) touching[body].push_back(static_cast<int>(contact));
        }
        double u[3];
        Kernel::velocity(before, static_cast<int>(c), u);
        for (std::size_t k = 0; k < 3; ++k) {
            P[3 * contact + k] = s * x_[3 * c + k];
            problem.U_free.push_back(u[k] / s);
        }
    }

    // row by row: contacts that share a body
    problem.W.begin(problem.offsets);
    std::vector<int> near;
    for (std::size_t contact = 0; contact < m; ++contact) {
        const auto i = static_cast<std::size_t>(place_[contact]);
        near = touching[rows_[i].a];
        near.insert(near.end(), touching[rows_[i].b].begin(), touching[rows_[i].b].end());
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        for (const int other : near) {
            const auto j = static_cast<std::size_t>(place_[static_cast<std::size_t>(other)]);
            const double s = diagonal_.scale[i] * diagonal_.scale[j];
            auto block = problem.W.append(static_cast<int>(contact), other);
            for (int r = 0; r < 3; ++r) {
                for (int k = 0; k < 3; ++k) {
                    block[static_cast<std::size_t>(3 * r + k)] = coupling(rows_[i], r, rows_[j], k) / s;
                }
            }
        }
    }
    problem.W.finish();
    return problem;
}

void RigidContacts::take_percussions(std::span<const double> P)
{
    for (std::size_t contact = 0; contact < place_.size(); ++contact) {
        const auto c = static_cast<std::size_t>(place_[contact]);
        for (std::size_t k = 0; k < 3; ++k) {
            x_[3 * c + k] = P[3 * contact + k] / diagonal_.scale[c];
        }
    }
    diagonal_.project(x_);
    restore_velocities();
}

}  // namespace carom
