#include "body_impacts.hpp"

#include "stepping/body_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

Finding not_resolved(const BodyModel& model, int first, int second, double time_s, const std::string& why)
{
    const std::string name = name_of_pair(model, first, second);
    return {.code = "impact_not_resolved",
            .time_s = time_s,
            .message = fmt::format("an impact of {} {}", name, why),
            .count = 1,
            .uncertifies = true,
            .about = name};
}

/// (BO-35). The gap of a contact that was met on its way is that of the touch.
void look_at_normals(const BodyModel& model, double max_overlap, double kinetic_J, const TakenStep& step,
                     FinishedBodyStep& bodies, Certifier& certifier)
{
    for (const ApproachedContact& met : bodies.approached()) {
        const BodyContact& contact = bodies.contacts()[static_cast<std::size_t>(met.k)];
        if (met.persists || touched(met.before) || !(met.P_Ns > 0) || !(met.U_minus_m_s < 0) ||
            !(contact.at.gap_m < 0) || is_fast_contact(contact))
            continue;
        // as long as it is inside, and how far that takes it: the normal of what is no smaller than the pair
        // turns by no more
        const double inside_s = contact.at.gap_m / met.U_minus_m_s;
        const double path_m = inside_s * (std::abs(contact.U_minus[1]) + std::abs(contact.U_minus[2]) +
                                          std::abs(met.U_minus_m_s));
        const double size_m = model.size_of_pair_m(contact.first, contact.second);
        const auto turns_m = [&](int body) {
            const auto i = static_cast<std::size_t>(body);
            return inside_s * bodies.w_before()[i].norm() * size_m;
        };
        if (!(path_m + turns_m(contact.first) + turns_m(contact.second) > max_overlap * size_m / 2)) continue;
        if (!(lost_J(model, bodies.contact_places(), contact, met.U_minus_m_s) > max_overlap * kinetic_J))
            continue;
        const auto entered = bodies.carried_on(contact, bodies.contact_places(), -inside_s);
        const double cosine = entered ? entered->at.normal.dot(contact.at.normal) : 0.0;
        if (!(cosine < std::cos(max_overlap))) continue;
        const double angle = std::acos(std::clamp(cosine, -1.0, 1.0));
        certifier.add_finding(not_resolved(
            model, contact.first, contact.second, step.began_s + step.report.h_s / 2,
            fmt::format("is seen where its normal has turned by {:.2g} rad since the bodies touched, so that "
                        "it has another direction; max_overlap is {:.2g}: take a step below {:.1e} s",
                        angle, max_overlap, step.report.h_s * max_overlap / angle)));
    }
}

double moving_kg(const BodyModel& model)
{
    double mass_kg = 0;
    for (const double inverse : model.inverse_mass)
        mass_kg += inverse > 0 ? 1 / inverse : 0;
    return mass_kg;
}

/// (BO-36): impacts that the step before has begun.
void look_at_ends(const BodyModel& model, double max_overlap, double kinetic_J, const TakenStep& step,
                  const FinishedBodyStep& bodies, Certifier& certifier)
{
    const auto kept = bodies.kept_before();
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const KeptContact::Closing& begun = kept[k].closing;
        if (!(begun.percussion_Ns > 0) || kept[k].first < 0 || kept[k].status != 0) continue;
        // bodies that are not found near each other any more have nothing left to stop
        const double met_m_s = bodies.approach_of_kept_m_s(k);
        const double off_m_s = std::abs(met_m_s - begun.left_m_s);
        if (!(off_m_s > max_overlap * std::abs(begun.velocity_m_s))) continue;
        // others that push at the same time may leave no jump: no contact stops more than all bodies
        const double inertia_kg =
            std::min(begun.percussion_Ns / std::abs(begun.left_m_s - begun.velocity_m_s), moving_kg(model));
        // no more than all of the impact
        const double lost_m_s = std::min(off_m_s, std::abs(begun.velocity_m_s));
        if (!(inertia_kg * lost_m_s * lost_m_s / 2 > max_overlap * kinetic_J)) continue;
        const double part = off_m_s / std::abs(begun.velocity_m_s);
        certifier.add_finding(not_resolved(
            model, kept[k].first, kept[k].second, step.began_s,
            fmt::format("of {:.3g} m/s is not finished: the step that begins it leaves {:.3g} m/s, and the "
                        "next one meets {:.3g} m/s, because the bodies have turned or passed; max_overlap is "
                        "{:.2g}: take a step below {:.1e} s",
                        begun.velocity_m_s, begun.left_m_s, met_m_s, max_overlap,
                        step.report.h_s * max_overlap / part)));
    }
}

}  // namespace

std::string name_of_pair(const BodyModel& model, int first, int second)
{
    const auto& bodies = model.setup().bodies;
    return bodies[static_cast<std::size_t>(first)].name + "-" + bodies[static_cast<std::size_t>(second)].name;
}

double lost_J(const BodyModel& model, const State& at, const BodyContact& contact, double U)
{
    double W = 0;
    for (const int body : {contact.first, contact.second}) {
        const auto i = static_cast<std::size_t>(body);
        if (model.inverse_mass[i] == 0) continue;
        const Vec3& arm = body == contact.first ? contact.arm_first : contact.arm_second;
        const Vec3 turn = at.R[i].conjugate() * arm.cross(contact.axes[0]);
        W += model.inverse_mass[i] + turn.dot(model.inverse_inertia[i] * turn);
    }
    const double jump = (1 + contact.restitution) * U;
    return W > 0 ? jump * jump / (2 * W) : 0;
}

void look_at_resolution(const BodyModel& model, double max_overlap, const TakenStep& step,
                        FinishedBodyStep& bodies, Certifier& certifier)
{
    const double kinetic_J = certifier.sums().watch.kinetic_J;
    if (!bodies.kept_before().empty()) look_at_ends(model, max_overlap, kinetic_J, step, bodies, certifier);
    const bool any = std::ranges::any_of(
        step.events, [](const Event& event) { return event.kind == EventKind::Impact && event.first >= 0; });
    if (any) look_at_normals(model, max_overlap, kinetic_J, step, bodies, certifier);
}

}  // namespace carom::detail
