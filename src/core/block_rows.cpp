#include "core/block_rows.hpp"

namespace carom {

void BlockRows::clear()
{
    begin_.clear();
    terms_.clear();
}

void BlockRows::begin_row()
{
    begin_.push_back(terms_.size());
}

void BlockRows::drop_row()
{
    terms_.resize(begin_.back());
    begin_.pop_back();
}

void BlockRows::add(int block, const Vec3& v, const Vec3& w)
{
    if (block >= 0) terms_.push_back({.block = block, .v = v, .w = w});
}

void BlockRows::add_point(std::span<const Vec3> axes, int a, const Vec3& arm_a, int b, const Vec3& arm_b)
{
    for (const Vec3& axis : axes) {
        begin_row();
        add(a, axis, arm_a.cross(axis));
        add(b, -axis, -arm_b.cross(axis));
    }
}

void BlockRows::set_inertia(std::span<const Mat3> inverse_inertia)
{
    for (Term& term : terms_) {
        term.turned = inverse_inertia[static_cast<std::size_t>(term.block)] * term.w;
    }
}

double BlockRows::velocity(int i, std::span<const Vec3> v, std::span<const Vec3> w) const noexcept
{
    double U = 0;
    for (const Term& term : row(i)) {
        const auto k = static_cast<std::size_t>(term.block);
        U += term.v.dot(v[k]) + term.w.dot(w[k]);
    }
    return U;
}

void BlockRows::apply(std::span<const double> inverse_mass, int i, double P, std::span<Vec3> v,
                      std::span<Vec3> w) const noexcept
{
    if (P == 0) return;
    for (const Term& term : row(i)) {
        const auto k = static_cast<std::size_t>(term.block);
        v[k] += inverse_mass[k] * P * term.v;
        w[k] += P * term.turned;
    }
}

}  // namespace carom
