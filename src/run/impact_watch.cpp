#include "impact_watch.hpp"

#include "impact_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

/// Where the step took its contacts, and so much earlier on the path there.
struct Path {
    const Eigen::VectorXd& q;
    const Eigen::VectorXd& u;
    double t_s;
    Eigen::VectorXd& earlier;

    [[nodiscard]] Point back(double s) const
    {
        earlier = q - s * u;
        return {view(earlier), view(u), t_s - s};
    }
};

/// How long before the middle the gap was zero; nothing where it was not positive for two steps.
std::optional<double> closed_since_s(const Model& model, int c, const Path& path, double h_s, Workspace& work)
{
    double inside = 0, outside = h_s;
    if (!(model.gap_m(c, path.back(outside), work) > 0)) outside = 2 * h_s;
    if (!(model.gap_m(c, path.back(outside), work) > 0)) return std::nullopt;
    for (int k = 0; k < 40; ++k) {
        const double middle = (inside + outside) / 2;
        (model.gap_m(c, path.back(middle), work) > 0 ? outside : inside) = middle;
    }
    return inside;
}

/// Contacts of the last step in the order in which they closed; those that touched before come first.
std::vector<Closing> closings_of(const Model& model, const State& before, double h_s, const Path& path,
                                 Scratch& s)
{
    std::vector<Closing> closings;
    for (const ContactStep& contact : s.contacts) {
        Closing closing{.k = s.rows.index_of[contact.contact],
                        .U_minus_m_s = contact.U_minus[0],
                        .restitution = contact.persists ? 0.0 : contact.restitution};
        if (!contact.persists && !before.closed[contact.contact] && contact.U_minus[0] < 0 &&
            contact.P[0] > 0) {
            const auto since_s = closed_since_s(model, contact.contact, path, h_s, s.work);
            closing.fresh = true;
            closing.entered = since_s.has_value();
            closing.since_s = since_s.value_or(0);
        }
        if (before.closed[contact.contact] == 1 &&
            restitution(model.law(contact.contact, path.back(0), true, s.work)) == 0) {
            closing.recent = true;
            closing.since_s = 2 * h_s;
        }
        // one that was thrown back and still moves away touches by its overlap alone: it has left, and is
        // struck again after the others
        if (!contact.persists && contact.restitution > 0 && contact.P[0] > 0 &&
            contact.U_minus[0] > std::max(contact.rounding_m_s, contact.left_m_s)) {
            closing.recent = true;
            closing.since_s = 2 * h_s;
        }
        closings.push_back(closing);
    }
    std::ranges::stable_sort(closings, std::greater<>{}, &Closing::since_s);
    return closings;
}

/// The angle by which the normal of a contact turned between two places, in the kinetic metric.
double turned_rad(const Model& model, int c, const Closing& closing, const Path& path, Scratch& s)
{
    const auto support = model.support(c);
    auto& entry = s.correction_rows.H;
    entry.resize(support.size());
    model.gap_gradient(c, path.back(closing.since_s), entry, s.work);
    const auto row = s.rows.row(closing.k, 0);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(path.q.size()), y = x;
    for (std::size_t i = 0; i < support.size(); ++i) {
        x[support[i]] = entry[i];
        y[support[i]] = row[i];
    }
    const Eigen::VectorXd H_entry = x, H = y;
    s.A.solve(view(x));
    s.A.solve(view(y));
    const double cosine = H_entry.dot(y) / std::sqrt(H_entry.dot(x) * H.dot(y));
    return std::isfinite(cosine) ? std::acos(std::clamp(cosine, -1.0, 1.0)) : 0.0;
}

/// (LE-13)
void look_at_turn(const Model& model, const Closing& closing, double max_overlap, double h_s, double time_s,
                  const Path& path, Scratch& s, Certifier& certifier)
{
    const int c = s.rows.contacts[closing.k];
    const double angle = turned_rad(model, c, closing, path, s);
    if (!(angle > max_overlap)) return;
    const std::string& name = model.system().contacts[static_cast<std::size_t>(c)].name;
    certifier.add_finding(
        {.code = "overlap",
         .time_s = time_s,
         .message = fmt::format("{} was met where its surface has turned by {:.2g} rad since the "
                                "motion entered it, so that the impact has another direction; "
                                "max_overlap is {:.2g}: take a step below {:.1e} s",
                                name, angle, max_overlap, h_s * max_overlap / angle),
         .count = 1,
         .uncertifies = true,
         .about = name});
}

/// (LE-13) of contacts that were open and are met inside their obstacle while they move out of it: its
/// surface has turned since they approached.
void look_at_unseen_approaches(const Model& model, const State& before, double max_overlap, double h_s,
                               const Path& path, Scratch& s, Certifier& certifier)
{
    for (const ContactStep& contact : s.contacts) {
        if (contact.persists || before.closed[contact.contact] || contact.U_minus[0] < 0 ||
            !(contact.P[0] > 0))
            continue;
        const auto since_s = closed_since_s(model, contact.contact, path, h_s, s.work);
        if (!since_s) continue;
        const Closing met{.k = s.rows.index_of[contact.contact], .since_s = *since_s};
        look_at_turn(model, met, max_overlap, h_s, path.t_s, path, s, certifier);
    }
}

double max_overlap_of(const IntegratorSettings& settings)
{
    if (const auto* moreau = std::get_if<MoreauSettings>(&settings)) return moreau->max_overlap;
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&settings)) return jean->max_overlap;
    return std::numeric_limits<double>::infinity();
}

}  // namespace

void look_at_impacts(const Model& model, const IntegratorSettings& settings, const State& before,
                     const StepReport& report, const std::function<double(int)>& kinetic_J, Scratch& s,
                     Certifier& certifier)
{
    const bool any = std::ranges::any_of(s.events, [](const Event& event) {
        return event.kind == EventKind::Impact || event.kind == EventKind::ContactMade;
    });
    if (!any || s.series || s.contacts.size() > max_contacts_in_order) return;
    const Path path{s.q_cone, s.u_start, before.t_s + report.h_s / 2, s.q_moved};
    const auto closings = closings_of(model, before, report.h_s, path, s);
    for (const Closing& closing : closings) {
        if (closing.entered)
            look_at_turn(model, closing, max_overlap_of(settings), report.h_s, path.t_s, path, s, certifier);
    }
    look_at_unseen_approaches(model, before, max_overlap_of(settings), report.h_s, path, s, certifier);
    if (!report.map_acted)
        look_at_order(
            {.problem = s.problem,
             .closings = closings,
             .h_s = report.h_s,
             .time_s = path.t_s,
             .kinetic_J = std::transform_reduce(
                 closings.begin(), closings.end(), 0.0, [](double a, double b) { return std::max(a, b); },
                 [&](const Closing& one) { return kinetic_J(s.rows.contacts[one.k]); }),
             .name =
                 [&](int k) {
                     return model.system().contacts[static_cast<std::size_t>(s.rows.contacts[k])].name;
                 }},
            certifier);
}

}  // namespace carom
