#include "carom/law/law.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

}  // namespace

int dimension(const Law& law) noexcept
{
    return std::visit(Overloaded{[](const Unilateral&) { return 1; }, [](const Bilateral&) { return 1; }},
                      law);
}

Expected<void> check(const Law& law)
{
    const auto* unilateral = std::get_if<Unilateral>(&law);
    if (unilateral == nullptr) return {};

    const double e = unilateral->restitution;
    if (!(e >= 0 && e <= 1)) {  // written this way so that NaN is refused too
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "Unilateral::restitution",
                     .message = fmt::format("the restitution is {}", e),
                     .hint =
                         "give a number from 0 (soft) to 1 (elastic): above 1 an impact would create energy",
                     .excerpt = {}};
    }
    return {};
}

void project_on_set(const Law& law, std::span<double> P) noexcept
{
    // a percussion that pulls is not in C; its nearest point is none at all
    if (std::holds_alternative<Unilateral>(law)) P[0] = P[0] > 0 ? P[0] : 0.0;
}

void velocity_shift(const Law& law, std::span<const double> U_minus, std::span<const double> /*U*/,
                    std::span<double> s) noexcept
{
    const auto* unilateral = std::get_if<Unilateral>(&law);
    s[0] = unilateral != nullptr ? unilateral->restitution * std::min(U_minus[0], 0.0) : 0.0;
}

Expected<double> restitution_of_dissipation_index(double delta)
{
    if (!(delta >= 0 && delta <= 1)) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "dissipation_index",
                     .message = fmt::format("the dissipation index is {}", delta),
                     .hint =
                         "give a number from 0 (elastic) to 1 (soft): below 0 an impact would create energy, "
                         "above 1 no velocity after the impact would be admissible",
                     .excerpt = {}};
    }
    return (1 - delta) / (1 + delta);
}

}  // namespace carom
