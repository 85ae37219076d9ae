#include "impact_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Velocities that differ by less than this part of those that there are count as the same.
constexpr double same_velocity = 0.01;

/// More contacts at once are not looked at.
constexpr std::size_t max_contacts = 40;

/// Contacts that close within this part of a step close together: then the law decides.
constexpr double together = 1e-6;

/// A contact of the step: its place among the interactions, and how long before the middle it closed.
struct Closing {
    int k = 0;
    double since_s = std::numeric_limits<double>::infinity();  ///< it touched before the step
    double U_minus_m_s = 0, restitution = 0;
    bool fresh = false;    ///< it closed in this step, or collides again while it is inside
    bool entered = false;  ///< where it closed is known
    bool recent = false;   ///< an impact of the step before closed it, without restitution
};

/// Normal percussions only, over the contacts of a step.
class NormalImpacts {
public:
    NormalImpacts(const OneStepProblem& problem, std::vector<Closing> closings)
        : closings_(std::move(closings)), W_(closings_.size() * closings_.size(), 0.0)
    {
        const std::size_t n = closings_.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (const auto& entry : problem.W.row(closings_[i].k)) {
                const auto at = std::ranges::find(closings_, entry.column, &Closing::k);
                if (at != closings_.end())
                    W_[i * n + static_cast<std::size_t>(at - closings_.begin())] =
                        problem.W.block(closings_[i].k, entry)[0];
            }
        }
    }

    /// All at once: 0 <= U + e U^- perp P >= 0, by sweeps.
    [[nodiscard]] std::vector<double> at_once() const
    {
        const std::size_t n = closings_.size();
        std::vector<double> P(n, 0.0);
        for (int sweep = 0; sweep < 1000; ++sweep) {
            double moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const Closing& c = closings_[i];
                const double U = velocity(P, i) + c.restitution * std::min(0.0, c.U_minus_m_s);
                const double next = std::max(0.0, P[i] - U / W(i, i));
                moved = std::max(moved, std::abs(next - P[i]) * W(i, i));
                P[i] = next;
            }
            if (moved <= 1e-12 * fastest()) break;
        }
        return P;
    }

    /// One after the other as they close; what is closed already and approaches again collides again.
    [[nodiscard]] std::vector<double> in_order() const
    {
        const std::size_t n = closings_.size();
        std::vector<double> P(n, 0.0);
        for (std::size_t last = 0; last < n; ++last) {
            for (int pass = 0; pass < 1000; ++pass) {
                std::size_t worst = n;
                double U_worst = -1e-9 * fastest();
                for (std::size_t i = 0; i <= last; ++i) {
                    const double U = velocity(P, i);
                    if (U >= U_worst) continue;
                    worst = i;
                    U_worst = U;
                }
                if (worst == n) break;
                P[worst] -= (1 + closings_[worst].restitution) * U_worst / W(worst, worst);
            }
        }
        return P;
    }

    /// Kinetic energy of the velocity that two answers differ by.
    [[nodiscard]] double energy_between(const std::vector<double>& P, const std::vector<double>& Q) const
    {
        const std::size_t n = closings_.size();
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j)
                sum += 0.5 * (P[i] - Q[i]) * W(i, j) * (P[j] - Q[j]);
        }
        return sum;
    }

private:
    [[nodiscard]] double W(std::size_t i, std::size_t j) const { return W_[i * closings_.size() + j]; }
    [[nodiscard]] double velocity(const std::vector<double>& P, std::size_t i) const
    {
        double U = closings_[i].U_minus_m_s;
        for (std::size_t j = 0; j < P.size(); ++j)
            U += W(i, j) * P[j];
        return U;
    }
    [[nodiscard]] double fastest() const
    {
        double speed = 0;
        for (const Closing& c : closings_)
            speed = std::max(speed, std::abs(c.U_minus_m_s));
        return speed;
    }

    std::vector<Closing> closings_;
    std::vector<double> W_;
};

/// Where the step took its contacts, and so much earlier on the way there.
struct Way {
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
std::optional<double> closed_since_s(const Model& model, int c, const Way& way, double h_s, Workspace& work)
{
    double inside = 0, outside = h_s;
    if (!(model.gap_m(c, way.back(outside), work) > 0)) outside = 2 * h_s;
    if (!(model.gap_m(c, way.back(outside), work) > 0)) return std::nullopt;
    for (int k = 0; k < 40; ++k) {
        const double middle = (inside + outside) / 2;
        (model.gap_m(c, way.back(middle), work) > 0 ? outside : inside) = middle;
    }
    return inside;
}

/// Contacts of the last step in the order in which they closed; those that touched before come first.
std::vector<Closing> closings_of(const Model& model, const State& before, double h_s, const Way& way,
                                 Scratch& s)
{
    std::vector<Closing> closings;
    for (const ContactStep& contact : s.contacts) {
        Closing closing{.k = s.rows.index_of[contact.contact],
                        .U_minus_m_s = contact.U_minus[0],
                        .restitution = contact.persists ? 0.0 : contact.restitution};
        if (!contact.persists && !before.closed[contact.contact] && contact.U_minus[0] < 0 &&
            contact.P[0] > 0) {
            const auto since_s = closed_since_s(model, contact.contact, way, h_s, s.work);
            closing.fresh = true;
            closing.entered = since_s.has_value();
            closing.since_s = since_s.value_or(0);
        }
        if (before.closed[contact.contact] == 1 &&
            restitution(model.law(contact.contact, way.back(0), true, s.work)) == 0) {
            closing.recent = true;
            closing.since_s = 2 * h_s;
        }
        closings.push_back(closing);
    }
    std::ranges::stable_sort(closings, std::greater<>{}, &Closing::since_s);
    return closings;
}

/// The angle by which the normal of a contact turned between two places, in the kinetic metric.
double turned_rad(const Model& model, int c, const Closing& closing, const Way& way, Scratch& s)
{
    const auto support = model.support(c);
    auto& entry = s.correction_rows.H;
    entry.resize(support.size());
    model.gap_gradient(c, way.back(closing.since_s), entry, s.work);
    const auto row = s.rows.row(closing.k, 0);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(way.q.size()), y = x;
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
                  const Way& way, Scratch& s, Certifier& certifier)
{
    const int c = s.rows.contacts[closing.k];
    const double angle = turned_rad(model, c, closing, way, s);
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

/// (IM-11)
void look_at_order(const Model& model, const std::vector<Closing>& closings, double h_s, double time_s,
                   double kinetic_J, const Scratch& s, Certifier& certifier)
{
    const auto first = std::ranges::find_if(closings, [](const Closing& c) { return c.fresh || c.recent; });
    if (closings.end() - first < 2 || !closings.back().fresh) return;
    const double between_s = std::min(h_s, first->since_s - closings.back().since_s);
    if (!(between_s > together * h_s)) return;
    const NormalImpacts impacts(s.problem, closings);
    const double other_J = impacts.energy_between(impacts.at_once(), impacts.in_order());
    if (!(other_J > same_velocity * same_velocity * kinetic_J)) return;
    std::string names;
    for (auto it = first; it != closings.end(); ++it) {
        const int c = s.rows.contacts[it->k];
        names += (names.empty() ? "" : ", ") + model.system().contacts[static_cast<std::size_t>(c)].name;
    }
    certifier.add_finding(
        {.code = "impact_order",
         .time_s = time_s,
         .message = fmt::format(
             "{} close within {}, {:.1e} s apart, and are solved together: one after the other "
             "they leave another velocity, with {:.2g} of the kinetic energy between the two. Take "
             "a step below {:.1e} s",
             names, first->recent ? "two steps" : "one step", between_s, other_J / kinetic_J, between_s),
         .count = 1,
         .uncertifies = true,
         .about = names});
}

double max_overlap_of(const IntegratorSettings& settings)
{
    if (const auto* moreau = std::get_if<MoreauSettings>(&settings)) return moreau->max_overlap;
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&settings)) return jean->max_overlap;
    return std::numeric_limits<double>::infinity();
}

}  // namespace

void look_at_impacts(const Model& model, const IntegratorSettings& settings, const State& before,
                     const StepReport& report, Scratch& s, Certifier& certifier)
{
    const bool any =
        std::ranges::any_of(s.events, [](const Event& event) { return event.kind == EventKind::Impact; });
    if (!any || s.series || s.contacts.size() > max_contacts) return;
    const Way way{s.q_cone, s.u_start, before.t_s + report.h_s / 2, s.q_moved};
    const auto closings = closings_of(model, before, report.h_s, way, s);
    for (const Closing& closing : closings) {
        if (closing.entered)
            look_at_turn(model, closing, max_overlap_of(settings), report.h_s, way.t_s, way, s, certifier);
    }
    if (model.constraints() == 0 && !report.map_acted)
        look_at_order(model, closings, report.h_s, way.t_s, certifier.sums().watch.kinetic_J, s, certifier);
}

}  // namespace carom
