#include "onestep/disc_errors.hpp"

#include "core/four_numbers.hpp"

#include <cmath>

namespace carom::detail {
namespace {

/// A vector of space of four contacts.
struct Space {
    Four n, t1, t2;
};

/// Three components each of contacts that lie one behind the other.
[[gnu::always_inline]] inline Space load_space(const double* x)
{
    return {Four{x[0], x[3], x[6], x[9]}, Four{x[1], x[4], x[7], x[10]}, Four{x[2], x[5], x[8], x[11]}};
}

[[gnu::always_inline]] inline Four root(Four a)
{
    return Four{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}

[[gnu::always_inline]] inline Four all(double value)
{
    return Four{} + value;
}

[[gnu::always_inline]] inline Four squared(const Space& a)
{
    return a.n * a.n + a.t1 * a.t1 + a.t2 * a.t2;
}

/// The nearest point of the cone (CC-3).
[[gnu::always_inline]] inline Space projected(Four mu, const Space& y)
{
    const Four length = root(y.t1 * y.t1 + y.t2 * y.t2), zero{};
    const Four normal = (y.n + mu * length) / (1 + mu * mu);
    const Four factor = mu * normal / (length > 0.0 ? length : all(1));
    const auto inside = length <= mu * y.n, apex = mu * length <= -y.n;
    return {inside ? y.n
            : apex ? zero
                   : normal,
            inside ? y.t1
            : apex ? zero
                   : y.t1 * factor,
            inside ? y.t2
            : apex ? zero
                   : y.t2 * factor};
}

/// |F|^2 for U scaled by d, and P by `by`; w = U + s.
[[gnu::always_inline]] inline Four natural_map2(Four mu, const Space& P, const Space& w, Four d, Four by)
{
    const Space y = projected(mu, {by * P.n - d * w.n, by * P.t1 - d * w.t1, by * P.t2 - d * w.t2});
    return squared({by * P.n - y.n, by * P.t1 - y.t1, by * P.t2 - y.t2});
}

/// mu, e and e_T of four laws.
struct Coefficients {
    Four mu, restitution, tangential;

    [[gnu::always_inline]] Coefficients(const OneStepProblem& problem, int c)
    {
        for (int k = 0; k < 4; ++k) {
            const auto& law = *std::get_if<Coulomb>(&problem.laws[static_cast<std::size_t>(c + k)]);
            mu[k] = law.friction;
            restitution[k] = law.restitution;
            tangential[k] = law.tangential_restitution;
        }
    }
};

/// d_c = (trace W_cc / 3)^(-1/2); a block without inertia is left as it is.
[[gnu::always_inline]] inline Four scaling(const OneStepProblem& problem, int c)
{
    Four trace{};
    for (int k = 0; k < 4; ++k) {
        const auto W = problem.W.diagonal(c + k);
        trace[k] = W[0] + W[4] + W[8];
    }
    const auto has_inertia = trace > 0.0;
    return has_inertia ? 1 / root((has_inertia ? trace : all(3)) / 3) : all(1);
}

[[gnu::always_inline]] inline void measure(const OneStepProblem& problem, int c, const double* all_P,
                                           const double* all_U, DiscErrors& result)
{
    const auto row = static_cast<std::size_t>(problem.offsets[static_cast<std::size_t>(c)]);
    const Space P = load_space(all_P + row), U = load_space(all_U + row),
                U_minus = load_space(problem.U_minus.data() + row),
                U_free = load_space(problem.U_free.data() + row);
    const auto [mu, restitution, tangential] = Coefficients(problem, c);
    const Four d = scaling(problem, c), dd = d * d;
    const Four s_e = restitution * (U_minus.n < 0.0 ? U_minus.n : Four{});
    const Space s_t{Four{}, tangential * U_minus.t1, tangential * U_minus.t2};
    const Four w1 = U.t1 + s_t.t1, w2 = U.t2 + s_t.t2;
    const Four s_n = s_e + mu * root(w1 * w1 + w2 * w2);
    const Space w{U.n + s_n, w1, w2};
    const auto keep = [](Four value, DiscErrors::Lanes& to) { store_four(value, to.data()); };
    keep(s_n, result.s[0]);
    keep(s_t.t1, result.s[1]);
    keep(s_t.t2, result.s[2]);
    keep(d, result.d);
    const Four U_free2 = squared(U_free), P2 = squared(P), U2 = squared(U);
    const Four s2 = s_e * s_e + tangential * tangential * (U_minus.t1 * U_minus.t1 + U_minus.t2 * U_minus.t2);
    keep(U_free2, result.U_free2);
    keep(P2, result.P2);
    keep(U2, result.U2);
    keep(dd * U_free2, result.scaled_U_free2);
    keep(P2 / dd, result.scaled_P2);
    keep(dd * U2, result.scaled_U2);
    keep(dd * s2, result.scaled_s2);
    keep(natural_map2(mu, P, w, all(1), all(1)), result.raw);
    keep(natural_map2(mu, P, w, d, 1 / d), result.scaled);
    const Space nearest = projected(mu, P);
    keep(root(squared({P.n - nearest.n, P.t1 - nearest.t1, P.t2 - nearest.t2})), result.outside);
    keep(-(U.n + s_e), result.approach);
}

[[gnu::always_inline]] inline Four velocity(const OneStepProblem& problem, int c, const double* all_P,
                                            const double* all_U, const double* all_s, const double* all_d,
                                            double velocities)
{
    const auto row = static_cast<std::size_t>(problem.offsets[static_cast<std::size_t>(c)]);
    const Space P = load_space(all_P + row), U = load_space(all_U + row), s = load_space(all_s + row);
    const Four d = load_four(all_d + c), size = root(squared(P)) / d;
    const auto large = size > velocities;
    const Four lambda = large ? velocities / (large ? size : all(1)) : all(1);
    return natural_map2(Coefficients(problem, c).mu, P, {U.n + s.n, U.t1 + s.t1, U.t2 + s.t2}, d, lambda / d);
}

CAROM_WIDE void measure_wide(const OneStepProblem& problem, int c, const double* P, const double* U,
                             DiscErrors& result)
{
    measure(problem, c, P, U, result);
}

CAROM_WIDE void velocity_wide(const OneStepProblem& problem, int c, const double* P, const double* U,
                              const double* s, const double* d, double velocities, double* result)
{
    store_four(velocity(problem, c, P, U, s, d, velocities), result);
}

}  // namespace

bool are_discs(const OneStepProblem& problem, int c)
{
    for (int k = c; k < c + 4; ++k) {
        const auto* law = std::get_if<Coulomb>(&problem.laws[static_cast<std::size_t>(k)]);
        if (law == nullptr || !std::holds_alternative<FrictionDisc>(law->shape)) return false;
    }
    return true;
}

void measure_discs(const OneStepProblem& problem, int c, std::span<const double> P, std::span<const double> U,
                   DiscErrors& result)
{
    if (has_wide_registers())
        measure_wide(problem, c, P.data(), U.data(), result);
    else
        measure(problem, c, P.data(), U.data(), result);
}

std::array<double, 4> velocity_errors2(const OneStepProblem& problem, int c, std::span<const double> P,
                                       std::span<const double> U, std::span<const double> s,
                                       std::span<const double> d, double velocities)
{
    std::array<double, 4> result{};
    if (has_wide_registers())
        velocity_wide(problem, c, P.data(), U.data(), s.data(), d.data(), velocities, result.data());
    else
        store_four(velocity(problem, c, P.data(), U.data(), s.data(), d.data(), velocities), result.data());
    return result;
}

}  // namespace carom::detail
