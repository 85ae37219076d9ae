#include "system/bodies/body_rows.hpp"

namespace carom {

void BodyRows::clear()
{
    begin_.clear();
    terms_.clear();
}

void BodyRows::begin_row()
{
    begin_.push_back(terms_.size());
}

void BodyRows::add(int body, const Vec3& v, const Vec3& w)
{
    if (body >= 0) terms_.push_back({.body = body, .v = v, .w = w});
}

void BodyRows::set_inertia(std::span<const Mat3> inverse_inertia)
{
    for (Term& term : terms_) {
        term.turned = inverse_inertia[static_cast<std::size_t>(term.body)] * term.w;
    }
}

double BodyRows::velocity(int i, std::span<const Vec3> v, std::span<const Vec3> w) const noexcept
{
    double U = 0;
    for (const Term& term : row(i)) {
        const auto k = static_cast<std::size_t>(term.body);
        U += term.v.dot(v[k]) + term.w.dot(w[k]);
    }
    return U;
}

void BodyRows::apply(std::span<const double> inverse_mass, int i, double P, std::span<Vec3> v,
                     std::span<Vec3> w) const noexcept
{
    if (P == 0) return;
    for (const Term& term : row(i)) {
        const auto k = static_cast<std::size_t>(term.body);
        v[k] += inverse_mass[k] * P * term.v;
        w[k] += P * term.turned;
    }
}

}  // namespace carom
