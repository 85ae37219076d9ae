#include "carom/stepping/settings.hpp"

#include "coordinate_system.hpp"
#include "step_parts.hpp"
#include "visit_settings.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// One pass of (MS-2): u_free = u + h A^-1 K with K evaluated at the velocity u_at. The first one factorises
/// A, which is the same in all; false when A is not positive.
bool free_velocity_pass(const Model& model, double t_mid, double h, int pass, const Eigen::VectorXd& u_at,
                        Scratch& s)
{
    const Point at{view(s.q_mid), view(u_at), t_mid};
    if (!s.A_is_constant_and_factored) {
        model.kinetic_terms(at, s.A, view(s.velocity_terms), s.work);
        if (pass == 0 && !s.A.factorise()) return false;
        s.A_is_constant_and_factored = model.has_constant_mass();
    }
    if (pass == 0 || model.has_forces_of_velocity()) model.given_forces(at, view(s.given_forces), s.work);
    for (Eigen::Index i = 0; i < s.x.size(); ++i) {
        s.x[i] = s.given_forces[i] - s.potential_gradient[i] - s.velocity_terms[i];
    }
    s.A.solve(view(s.x));
    move(s.u_minus, s.x, h, s.u_free);
    return true;
}

/// (MS-2): velocity at the end of the step if no contact acted.
bool free_velocity(const Model& model, const MoreauSettings& settings, double t_mid, Scratch& s)
{
    const double h = settings.time_step_s;
    const Point at{view(s.q_mid), view(s.u_minus), t_mid};
    s.potential_rate_W = model.potential_gradient(at, view(s.potential_gradient), s.work);
    if (!free_velocity_pass(model, t_mid, h, 0, s.u_minus, s)) return false;
    const bool again = model.has_velocity_forces() && model.constraints() == 0;
    for (int pass = 1; pass < settings.force_passes && again; ++pass) {
        s.u_mean = 0.5 * (s.u_minus + s.u_free);
        if (!free_velocity_pass(model, t_mid, h, pass, s.u_mean, s)) return false;
    }
    return true;
}

/// Moreau's midpoint scheme in coordinates.
class MoreauStep final : public CoordinateSystem {
public:
    MoreauStep(const Model& model, const MoreauSettings& settings, State& state, Scratch& s)
        : CoordinateSystem(model,
                           {.h_s = settings.time_step_s,
                            .theta = 0.5,
                            .activation_gap_m = settings.activation_gap_m,
                            .correction = settings.correction,
                            .recognise = settings.force_passes > 1 || settings.correction,
                            .at_end = settings.cone_point == ConePoint::End},
                           state, s),
          settings_(settings)
    {
    }

    [[nodiscard]] bool predict() override
    {
        set_places();
        return true;
    }

    void drift(StepReport& report) override
    {
        passes_ = 1;
        if (!free_velocity(model_, settings_, mid_s(), s_))
            report.status = StepStatus::MetricSingular;
        else if (!s_.u_free.allFinite())
            report.status = StepStatus::NotFinite;
        else
            choose_laws_into(report);
    }

    /// Constraints turn the velocity: forces a second time at the mean of what they allow, not of the free
    /// one.
    [[nodiscard]] bool drift_again(StepReport&) override
    {
        if (model_.constraints() == 0 || passes_ >= settings_.force_passes || !model_.has_velocity_forces())
            return false;
        s_.u_mean = 0.5 * (s_.u_minus + s_.u_end);
        return free_velocity_pass(model_, mid_s(), scheme_.h_s, passes_++, s_.u_mean, s_);
    }

    /// The second half-step uses the new velocity (MS-4).
    [[nodiscard]] bool advance() override
    {
        move(s_.q_mid, s_.u_end, scheme_.h_s / 2, s_.q_end);
        return true;
    }

private:
    const MoreauSettings& settings_;
    int passes_ = 0;
};

}  // namespace

StepReport moreau_step(const Model& model, const MoreauSettings& settings, const SolverSettings& solver,
                       State& state, Scratch& s)
{
    StepReport report;
    report.h_s = settings.time_step_s;
    MoreauStep step(model, settings, state, s);
    take_step(step, state.t_s, solver, report);
    return report;
}

std::string_view name_of(ConePoint point) noexcept
{
    return word_of(point);
}

Expected<void> check(const MoreauSettings& settings)
{
    return check_settings("MoreauSettings", settings);
}

}  // namespace carom
