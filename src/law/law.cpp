#include "carom/law/law.hpp"

#include "carom/convex/convex_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

Expected<void> check_restitution(const char* where, double e)
{
    if (e >= 0 && e <= 1) return {};  // NaN is refused too
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = where,
                 .message = fmt::format("the restitution is {}", e),
                 .hint =
                     "give a number from 0 (inelastic) to 1 (elastic): above 1 an impact would create energy",
                 .excerpt = {}};
}

Error limit_out_of_range(const char* where, std::string message)
{
    return {.code = ErrorCode::SettingOutOfRange,
            .where = where,
            .message = std::move(message),
            .hint = "no reaction at all must be allowed: low <= 0 <= high, a size from 0 on",
            .excerpt = {}};
}

Expected<void> check_limits(const Limited& limited)
{
    if (limited.low <= 0 && limited.high >= 0) return {};  // NaN is refused too
    return limit_out_of_range("Limited::low",
                              fmt::format("the reaction is limited to [{}, {}]", limited.low, limited.high));
}

Expected<void> check_limits(const NonFirm& law)
{
    if (!law.set || law.set->dimension() > max_components) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "NonFirm::set",
                     .message = law.set ? fmt::format("the set has {} components", law.set->dimension())
                                        : "there is no set of reactions",
                     .hint = fmt::format("give a convex set of 1 to {} components", max_components),
                     .excerpt = {}};
    }
    if (law.size >= 0 && std::isfinite(law.size)) return {};
    return limit_out_of_range("NonFirm::size", fmt::format("the size of the set is {}", law.size));
}

Expected<void> check_resistance(const Resisting& law)
{
    for (const double coefficient : {law.friction, law.rolling, law.spinning}) {
        if (coefficient >= 0 && std::isfinite(coefficient)) continue;
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "Resisting",
                     .message = fmt::format("a coefficient of friction or resistance is {}", coefficient),
                     .hint = "give numbers from 0 on",
                     .excerpt = {}};
    }
    return check_restitution("Resisting::restitution", law.restitution);
}

/// The parts of a resisting contact beside the normal one: where each begins, how many components, its mu.
struct Resistance {
    std::size_t begin, size;
    double coefficient;
};
std::array<Resistance, 3> resistances(const Resisting& law) noexcept
{
    if (law.flat) return {{{1, 1, law.friction}, {2, 1, law.rolling}, {3, 0, 0.0}}};
    return {{{1, 2, law.friction}, {3, 2, law.rolling}, {5, 1, law.spinning}}};
}

double length(std::span<const double> x) noexcept
{
    double sum = 0;
    for (const double value : x) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

/// Nearest point of the cone over a product (FR-5): the normal part p is the root of the rising, piecewise
/// linear  p - x_N - sum_i mu_i max(0, |x_i| - mu_i p),  found by letting parts stick one after the other.
void project_on_product_cone(const Resisting& law, std::span<double> P) noexcept
{
    const auto parts = resistances(law);
    std::array<double, 3> lengths{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        lengths[i] = length(P.subspan(parts[i].begin, parts[i].size));
    }
    // parts that slide at p: without one of them the root is larger, so what stops once has stopped
    std::array<bool, 3> slides{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        slides[i] = lengths[i] > 0;
    }
    double p = 0;
    for (std::size_t pass = 0; pass <= parts.size(); ++pass) {
        double sum = P[0], weight = 1;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!slides[i]) continue;
            sum += parts[i].coefficient * lengths[i];
            weight += parts[i].coefficient * parts[i].coefficient;
        }
        p = std::max(0.0, sum / weight);
        bool stopped = false;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!slides[i] || !(parts[i].coefficient * p > lengths[i])) continue;
            slides[i] = false;
            stopped = true;
        }
        if (!stopped) break;
    }
    P[0] = p;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double largest = parts[i].coefficient * p;
        if (lengths[i] <= largest) continue;
        for (double& value : P.subspan(parts[i].begin, parts[i].size)) {
            value *= largest / lengths[i];
        }
    }
}

/// Nearest point of size * set; a cone has no size.
void project_on_scaled(const NonFirm& law, std::span<double> P) noexcept
{
    const bool cone = law.set->size() == 0;
    if (!cone && law.size == 0) {
        std::fill(P.begin(), P.end(), 0.0);
        return;
    }
    const double size = cone ? 1.0 : law.size;
    for (double& value : P) {
        value /= size;
    }
    static_cast<void>(law.set->prox(std::span<const double>(P), P));
    for (double& value : P) {
        value *= size;
    }
}

}  // namespace

int dimension(const Law& law) noexcept
{
    return std::visit(
        Overloaded{[](const Unilateral&) { return 1; }, [](const Bilateral&) { return 1; },
                   [](const Coulomb& coulomb) { return 1 + tangential_dimension(coulomb.shape); },
                   [](const Limited&) { return 1; },
                   [](const NonFirm& law_of_set) { return law_of_set.set ? law_of_set.set->dimension() : 0; },
                   [](const Resisting& resisting) { return resisting.flat ? 3 : 6; }},
        law);
}

bool is_unilateral(const Law& law) noexcept
{
    return std::holds_alternative<Unilateral>(law) || std::holds_alternative<Coulomb>(law) ||
           std::holds_alternative<Resisting>(law);
}

bool gives_way(const Law& law) noexcept
{
    return std::holds_alternative<Limited>(law) || std::holds_alternative<NonFirm>(law);
}

double restitution(const Law& law) noexcept
{
    return std::visit(Overloaded{[](const Unilateral& unilateral) { return unilateral.restitution; },
                                 [](const Coulomb& coulomb) { return coulomb.restitution; },
                                 [](const Resisting& resisting) { return resisting.restitution; },
                                 [](const auto&) { return 0.0; }},
                      law);
}

Expected<void> check(const Law& law)
{
    if (const auto* unilateral = std::get_if<Unilateral>(&law)) {
        return check_restitution("Unilateral::restitution", unilateral->restitution);
    }
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) {
        if (!(coulomb->friction >= 0 && std::isfinite(coulomb->friction))) {
            return Error{.code = ErrorCode::SettingOutOfRange,
                         .where = "Coulomb::friction",
                         .message = fmt::format("the friction coefficient is {}", coulomb->friction),
                         .hint =
                             "give a number from 0 on: a negative one would push what slides; for no bound "
                             "at all use a rough contact",
                         .excerpt = {}};
        }
        if (auto e = check_restitution("Coulomb::restitution", coulomb->restitution); !e) return e.error();
        if (auto e = check_restitution("Coulomb::tangential_restitution", coulomb->tangential_restitution);
            !e) {
            return e.error();
        }
        return check(coulomb->shape);
    }
    if (const auto* resisting = std::get_if<Resisting>(&law)) return check_resistance(*resisting);
    if (const auto* limited = std::get_if<Limited>(&law)) return check_limits(*limited);
    if (const auto* non_firm = std::get_if<NonFirm>(&law)) return check_limits(*non_firm);
    return {};
}

void project_on_set(const Law& law, std::span<double> P) noexcept
{
    // a percussion that pulls is not in C; its nearest point is none at all
    if (std::holds_alternative<Unilateral>(law)) P[0] = P[0] > 0 ? P[0] : 0.0;
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) {
        project_on_friction_cone(coulomb->shape, coulomb->friction, P);
    }
    if (const auto* resisting = std::get_if<Resisting>(&law)) project_on_product_cone(*resisting, P);
    if (const auto* limited = std::get_if<Limited>(&law))
        P[0] = std::clamp(P[0], limited->low, limited->high);
    if (const auto* non_firm = std::get_if<NonFirm>(&law)) project_on_scaled(*non_firm, P);
}

void velocity_shift(const Law& law, std::span<const double> U_minus, std::span<const double> U,
                    std::span<double> s) noexcept
{
    std::fill(s.begin(), s.end(), 0.0);
    if (const auto* unilateral = std::get_if<Unilateral>(&law)) {
        s[0] = unilateral->restitution * std::min(U_minus[0], 0.0);
    }
    if (const auto* resisting = std::get_if<Resisting>(&law)) {
        s[0] = resisting->restitution * std::min(U_minus[0], 0.0);
        for (const Resistance& part : resistances(*resisting)) {
            if (part.size > 0) s[0] += part.coefficient * length(U.subspan(part.begin, part.size));
        }
    }
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb == nullptr) return;
    s[0] = coulomb->restitution * std::min(U_minus[0], 0.0);
    std::array<double, 2> sliding{};  // against the sliding velocity
    for (std::size_t k = 1; k < s.size(); ++k) {
        s[k] = coulomb->tangential_restitution * U_minus[k];
        sliding[k - 1] = -(U[k] + s[k]);
    }
    if (std::holds_alternative<FrictionRough>(coulomb->shape)) return;
    s[0] += coulomb->friction * support(coulomb->shape, std::span(sliding).first(s.size() - 1));
}

Expected<double> restitution_of_dissipation_index(double delta)
{
    if (!(delta >= 0 && delta <= 1)) {
        return Error{
            .code = ErrorCode::SettingOutOfRange,
            .where = "dissipation_index",
            .message = fmt::format("the dissipation index is {}", delta),
            .hint = "give a number from 0 (elastic) to 1 (inelastic): below 0 an impact would create energy, "
                    "above 1 no velocity after the impact would be admissible",
            .excerpt = {}};
    }
    return (1 - delta) / (1 + delta);
}

}  // namespace carom
