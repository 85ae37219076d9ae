#include "reversing_slip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

/// Friction works that are wrong by less than this part of the energies in the run do not matter.
constexpr double small_part = 1e-6;

double tangential_size(const std::array<double, 3>& a)
{
    return std::sqrt(a[1] * a[1] + a[2] * a[2]);
}

}  // namespace

void note_friction(const ContactStep& contact, SlipWork& sum) noexcept
{
    // friction of an impact has no path that steps could miss
    if (contact.dimension == 1 || !contact.persists) return;
    const double at_mean_J = std::abs(contact.friction_J);
    sum.work_J += at_mean_J;
    const double turned = contact.U_minus[1] * contact.U_plus[1] + contact.U_minus[2] * contact.U_plus[2];
    if (!(turned < 0)) return;
    const double there_m_s = tangential_size(contact.U_minus), back_m_s = tangential_size(contact.U_plus);
    // a contact that sticks has the velocities that the tolerance of the solver leaves
    if (there_m_s <= contact.left_m_s && back_m_s <= contact.left_m_s) return;
    const double P_Ns = tangential_size(contact.P);
    sum.missed_J += std::max(0.0, P_Ns * (there_m_s + back_m_s) / 2 - at_mean_J);
}

void note_dissipation(std::span<const ContactStep> contacts, const StepReport& report, SlipWork& sum) noexcept
{
    sum.work_J += std::abs(report.energy.given_forces_J);
    sum.missed_J += std::abs(report.accuracy.forces_defect_J);
    for (const ContactStep& contact : contacts)
        note_friction(contact, sum);
}

std::optional<Finding> look_at_work(const SlipWork& sum, double energy_J, double end_s, double h_s,
                                    double tolerance, const std::string& of)
{
    const double part = sum.missed_J / (sum.missed_J + sum.work_J);
    if (!(sum.missed_J > small_part * energy_J) || !(part > tolerance)) return std::nullopt;
    return Finding{
        .code = "step_too_long",
        .time_s = end_s,
        .message = fmt::format(
            "velocities reverse within steps, so that {:.2g} of the work of friction and forces{}, "
            "{:.2e} J, is missing: the step does not resolve the motion that they act on; take one "
            "well below {:.1e} s",
            part, of.empty() ? "" : " on " + of, sum.missed_J, h_s),
        .count = 1,
        .uncertifies = true,
        .about = "friction"};
}

void look_at_slip_work(const RunSoFar& run, double h_s, double tolerance, std::vector<Finding>& findings)
{
    const Certifier& certifier = run.progress.certifier;
    const auto too_long = [](const Finding& one) { return one.code == "step_too_long" && one.uncertifies; };
    if (std::ranges::any_of(certifier.findings_at_end(), too_long)) return;
    if (auto missed = look_at_work(run.progress.slip, certifier.sums().watch.run_scale_J, run.state.t_s, h_s,
                                   tolerance))
        findings.push_back(std::move(*missed));
}

}  // namespace carom
