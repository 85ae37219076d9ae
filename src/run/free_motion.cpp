#include "free_motion.hpp"

#include <cmath>

namespace carom {

bool free_acceleration(const Model& model, const Point& at, Scratch& s)
{
    model.kinetic_terms(at, s.correction_A, view(s.velocity_terms), s.work);
    if (!s.correction_A.factorise()) return false;
    (void)model.potential_gradient(at, view(s.potential_gradient), s.work);
    model.given_forces(at, view(s.given_forces), s.work);
    s.correction_x = s.given_forces - s.potential_gradient - s.velocity_terms;
    s.correction_A.solve(view(s.correction_x));
    return s.correction_x.allFinite();
}

FreeNormalMotion free_normal_motion(const Model& model, int contact, const Point& at, Scratch& s)
{
    const auto support = model.support(contact);
    auto& row = s.correction_rows.H;
    row.resize(support.size());
    FreeNormalMotion motion{.U_m_s = model.gap_gradient(contact, at, row, s.work)};
    for (std::size_t i = 0; i < row.size(); ++i) {
        motion.U_m_s += row[i] * at.u[static_cast<std::size_t>(support[i])];
        motion.by_forces_m_s2 += row[i] * s.correction_x[support[i]];
    }
    const double bend = model.gap_curvature(contact, at, s.work);
    if (std::isfinite(bend)) motion.by_bend_m_s2 = bend;
    return motion;
}

}  // namespace carom
