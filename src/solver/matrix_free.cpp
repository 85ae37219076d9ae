#include "solver/matrix_free.hpp"

#include "carom/onestep/residual.hpp"
#include "core/four_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace carom {
namespace {

using detail::cross;
using detail::dot;
using detail::Four;
using detail::load_four;
using detail::store_four;
using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vector cross(const Vector& a, const Vector& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector local_velocity(const SphereBody& a, const SphereBody& b, const Vector& n)
{
    const Vector spin = cross({a.w[0] + b.w[0], a.w[1] + b.w[1], a.w[2] + b.w[2]}, n);
    return {a.v[0] - b.v[0] - spin[0], a.v[1] - b.v[1] - spin[1], a.v[2] - b.v[2] - spin[2]};
}

/// What a percussion P on a does to both bodies.
void apply(const Vector& n, const Vector& P, SphereBody& a, SphereBody& b)
{
    const Vector turn = cross(n, P);
    for (std::size_t k = 0; k < 3; ++k) {
        a.v[k] += a.inverse_mass * P[k];
        b.v[k] -= b.inverse_mass * P[k];
        a.w[k] -= a.inverse_spin * turn[k];
        b.w[k] -= b.inverse_spin * turn[k];
    }
}

/// Any unit vector across n, and the third one.
std::array<Vector, 2> tangents(const Vector& n)
{
    const Vector along = std::abs(n[0]) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0};
    Vector t = cross(n, along);
    const double size = std::sqrt(dot(t, t));
    t = {t[0] / size, t[1] / size, t[2] / size};
    return {t, cross(n, t)};
}

Error refused(ErrorCode code, std::size_t contact, const std::string& message, const char* hint)
{
    return {.code = code,
            .where = fmt::format("SphereContacts::make, contact {}", contact),
            .message = message,
            .hint = hint,
            .excerpt = {}};
}

using Mask = long long __attribute__((vector_size(32)));

/// The vector of space alone.
[[gnu::always_inline]] inline Four in_space(Four a)
{
    constexpr Mask space{-1, -1, -1, 0};
    return reinterpret_cast<Four>(reinterpret_cast<Mask>(a) & space);
}

/// Exact local solutions, one contact after the other.
[[gnu::always_inline]] inline void sweep_over(std::span<SphereContact> contacts,
                                              std::span<const std::array<double, 2>> inverse_W,
                                              SphereBody* bodies)
{
    const std::array<double, 2>* inverse = inverse_W.data();
    for (SphereContact& contact : contacts) {
        SphereBody &a = bodies[contact.a], &b = bodies[contact.b];
        const Four n = in_space(load_four(contact.normal.data())), P_and_mu = load_four(contact.P.data());
        const Four P = in_space(P_and_mu);
        Four v_a = load_four(a.v.data()), w_a = load_four(a.w.data()), v_b = load_four(b.v.data()),
             w_b = load_four(b.w.data());
        const Four U = in_space(v_a - v_b - cross(w_a + w_b, n));
        const double U_n = dot(U, n), P_n = dot(P, n);
        const auto [inverse_n, inverse_t] = *inverse++;

        // normal part, then the tangential one within its disc
        const double next_n = std::max(0.0, P_n - (U_n + contact.shift_m_s) * inverse_n);
        const Four t = P - P_n * n - (U - U_n * n) * inverse_t;
        const double radius = contact.friction * next_n, size2 = dot(t, t);
        const double part = size2 > radius * radius ? radius / std::sqrt(size2) : 1.0;
        const Four next = next_n * n + part * t, change = next - P, turn = cross(n, change);
        store_four(next, contact.P.data());  // and zero for the friction
        contact.friction = P_and_mu[3];

        // the numbers beside the vectors change by zero
        store_four(v_a + a.inverse_mass * change, a.v.data());
        store_four(v_b - b.inverse_mass * change, b.v.data());
        store_four(w_a - a.inverse_spin * turn, a.w.data());
        store_four(w_b - b.inverse_spin * turn, b.w.data());
    }
}

CAROM_WIDE void sweep_wide(std::span<SphereContact> contacts,
                           std::span<const std::array<double, 2>> inverse_W, SphereBody* bodies)
{
    sweep_over(contacts, inverse_W, bodies);
}

}  // namespace

Expected<SphereContacts> SphereContacts::make(std::vector<SphereBody> bodies,
                                              std::vector<SphereContact> contacts)
{
    SphereContacts result;
    const int count = static_cast<int>(bodies.size());
    for (const SphereBody& body : bodies) {
        if (!(body.inverse_mass >= 0 && body.inverse_spin >= 0)) {
            return Error{.code = ErrorCode::SettingOutOfRange,
                         .where = "SphereContacts::make",
                         .message = "an inverse mass or inertia is negative",
                         .hint = "give numbers >= 0",
                         .excerpt = {}};
        }
    }
    bodies.emplace_back();
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        SphereContact& contact = contacts[c];
        if (contact.a < 0 || contact.a >= count || contact.b < -1 || contact.b >= count ||
            contact.a == contact.b) {
            return refused(ErrorCode::WrongSize, c,
                           fmt::format("bodies {} and {} of {}", contact.a, contact.b, count),
                           "name two bodies, or -1 for an obstacle as the second");
        }
        if (!(std::abs(dot(contact.normal, contact.normal) - 1) < 1e-9) || !(contact.friction >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, c, "the normal is not a unit vector, or mu < 0",
                           "normalise n, and give a friction >= 0");
        }
        if (contact.b < 0) contact.b = count;
        const SphereBody &a = bodies[contact.a], &b = bodies[contact.b];
        const double W_n = a.inverse_mass + b.inverse_mass, W_t = W_n + a.inverse_spin + b.inverse_spin;
        if (!(W_n > 0)) {
            return refused(ErrorCode::SettingOutOfRange, c, "neither body moves", "leave this contact out");
        }
        result.inverse_W_.push_back({1 / W_n, 1 / W_t});
    }

    // sizes before percussions act, then the warm start
    double size2 = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const SphereContact& contact = contacts[c];
        const Vector U = local_velocity(bodies[contact.a], bodies[contact.b], contact.normal);
        const double U_n = dot(U, contact.normal) + contact.shift_m_s;
        const auto [n, t] = result.inverse_W_[c];
        size2 += 3 / (1 / n + 2 / t) * (dot(U, U) - std::pow(dot(U, contact.normal), 2) + U_n * U_n);
    }
    result.size_ = std::sqrt(size2);
    for (const SphereContact& contact : contacts) {
        apply(contact.normal, contact.P, bodies[contact.a], bodies[contact.b]);
    }
    result.bodies_ = std::move(bodies);
    result.contacts_ = std::move(contacts);
    return result;
}

std::vector<SphereContact> SphereContacts::spread(std::vector<SphereContact> contacts)
{
    constexpr std::size_t window = 64, apart = 6;
    std::vector<SphereContact> result;
    result.reserve(contacts.size());
    const auto shares = [](const SphereContact& x, const SphereContact& y) {
        return x.a == y.a || x.a == y.b || (x.b >= 0 && (x.b == y.a || x.b == y.b));
    };
    // the first of those in the window that shares nothing with the last few taken
    std::size_t next = std::min(window, contacts.size());
    std::vector<SphereContact> waiting(contacts.begin(),
                                       contacts.begin() + static_cast<std::ptrdiff_t>(next));
    while (!waiting.empty()) {
        const std::size_t last = std::min(apart, result.size());
        const auto free = [&](const SphereContact& candidate) {
            return std::none_of(result.end() - static_cast<std::ptrdiff_t>(last), result.end(),
                                [&](const SphereContact& taken) { return shares(candidate, taken); });
        };
        auto chosen = std::find_if(waiting.begin(), waiting.end(), free);
        if (chosen == waiting.end()) chosen = waiting.begin();
        result.push_back(*chosen);
        waiting.erase(chosen);
        if (next < contacts.size()) waiting.push_back(contacts[next++]);
    }
    return result;
}

void SphereContacts::sweep() noexcept
{
    if (detail::has_wide_registers()) {
        sweep_wide(contacts_, inverse_W_, bodies_.data());
    } else {
        sweep_over(contacts_, inverse_W_, bodies_.data());
    }
}

SphereContacts::Errors SphereContacts::errors() const noexcept
{
    double F2 = 0, P2 = 0, U2 = 0;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        const SphereContact& contact = contacts_[c];
        const Vector& n = contact.normal;
        const Vector U = local_velocity(bodies_[contact.a], bodies_[contact.b], n);
        const auto [inverse_n, inverse_t] = inverse_W_[c];
        const double rho = 3 / (1 / inverse_n + 2 / inverse_t), mu = contact.friction;  // d^2 of (OS-5)
        const double U_n = dot(U, n), P_n = dot(contact.P, n);
        Vector t, U_t;
        for (std::size_t k = 0; k < 3; ++k) {
            U_t[k] = U[k] - U_n * n[k];
            t[k] = contact.P[k] - P_n * n[k] - rho * U_t[k];
        }
        // projection of P - rho (U + s) on the cone
        const double slip2 = dot(U_t, U_t), t_size = std::sqrt(dot(t, t));
        double y_n = P_n - rho * (U_n + contact.shift_m_s + mu * std::sqrt(slip2)), part = 1;
        if (t_size > mu * y_n) {
            const bool apex = mu * t_size <= -y_n;
            y_n = apex ? 0.0 : (y_n + mu * t_size) / (1 + mu * mu);
            part = apex ? 0.0 : mu * y_n / t_size;
        }
        double sum = (P_n - y_n) * (P_n - y_n);
        for (std::size_t k = 0; k < 3; ++k) {
            const double P_t = contact.P[k] - P_n * n[k];
            sum += (P_t - part * t[k]) * (P_t - part * t[k]);
        }
        F2 += sum / rho;
        P2 += dot(contact.P, contact.P) / rho;
        U2 += rho * (slip2 + (U_n + contact.shift_m_s) * (U_n + contact.shift_m_s));
    }
    if (!(F2 > 0)) return {};
    const double F = std::sqrt(F2);
    return {F / std::max({size_, std::sqrt(U2), std::sqrt(P2)}), size_ > 0 ? F / size_ : 0.0};
}

int SphereContacts::run(const Budget& budget)
{
    constexpr int longest_interval = 16;
    int sweeps = 0, next = 1;
    while (sweeps < budget.max_iterations) {
        sweep();
        if (++sweeps < next && sweeps < budget.max_iterations) continue;
        next += std::min(next, longest_interval);
        const Errors now = errors();
        if (solved_to(now.unit_free, now.velocity) <= budget.tolerance || budget.expired()) break;
    }
    return sweeps;
}

OneStepProblem SphereContacts::assembled(std::vector<double>& P) const
{
    const std::size_t m = contacts_.size();
    OneStepProblem problem;
    std::vector<std::array<Vector, 3>> frames;
    std::vector<std::vector<int>> touching(bodies_.size());
    auto free_bodies = bodies_;
    P.clear();
    for (std::size_t c = 0; c < m; ++c) {
        const SphereContact& contact = contacts_[c];
        const auto [t1, t2] = tangents(contact.normal);
        frames.push_back({contact.normal, t1, t2});
        problem.laws.emplace_back(Coulomb{.shape = FrictionDisc{}, .friction = contact.friction});
        problem.offsets.push_back(3 * static_cast<int>(c + 1));
        touching[contact.a].push_back(static_cast<int>(c));
        if (bodies_[contact.b].inverse_mass > 0) touching[contact.b].push_back(static_cast<int>(c));
        for (const Vector& axis : frames[c]) {
            P.push_back(dot(contact.P, axis));
        }
        const Vector back{-contact.P[0], -contact.P[1], -contact.P[2]};
        apply(contact.normal, back, free_bodies[contact.a], free_bodies[contact.b]);
    }
    problem.U_minus.assign(3 * m, 0.0);
    for (std::size_t c = 0; c < m; ++c) {
        const SphereContact& contact = contacts_[c];
        const Vector U = local_velocity(free_bodies[contact.a], free_bodies[contact.b], contact.normal);
        for (std::size_t k = 0; k < 3; ++k) {
            problem.U_free.push_back(dot(U, frames[c][k]) + (k == 0 ? contact.shift_m_s : 0.0));
        }
    }

    // column by column: what a unit percussion at one contact does at those that share a body
    std::vector<std::map<int, std::array<double, 9>>> rows(m);
    for (std::size_t c = 0; c < m; ++c) {
        const SphereContact& contact = contacts_[c];
        std::vector<int> near = touching[contact.a];
        near.insert(near.end(), touching[contact.b].begin(), touching[contact.b].end());
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        for (std::size_t k = 0; k < 3; ++k) {
            SphereBody &a_moves = free_bodies[contact.a], &b_moves = free_bodies[contact.b];
            for (SphereBody* body : {&a_moves, &b_moves}) {
                body->v = {};
                body->w = {};
            }
            apply(contact.normal, frames[c][k], a_moves, b_moves);
            for (const int i : near) {
                const SphereContact& other = contacts_[i];
                const bool first = other.a == contact.a || other.a == contact.b;
                const bool second = other.b == contact.a || other.b == contact.b;
                const SphereBody still{};
                const Vector U = local_velocity(first ? free_bodies[other.a] : still,
                                                second ? free_bodies[other.b] : still, other.normal);
                for (std::size_t r = 0; r < 3; ++r) {
                    rows[i][static_cast<int>(c)][3 * r + k] = dot(U, frames[i][r]);
                }
            }
        }
    }
    problem.W.begin(problem.offsets);
    for (std::size_t i = 0; i < m; ++i) {
        for (const auto& [column, block] : rows[i]) {
            auto target = problem.W.append(static_cast<int>(i), column);
            std::copy(block.begin(), block.end(), target.begin());
        }
    }
    problem.W.finish();
    return problem;
}

}  // namespace carom
