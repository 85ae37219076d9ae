#include "statuses.hpp"
#include "step_parts.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {
namespace {

/// In P_N mu S, by its support function.
bool is_in_cone(const Coulomb& law, const Eigen::VectorXd& P)
{
    constexpr int directions = 64;
    if (!(P[0] > 0)) return false;
    const auto within = [&](double y_1, double y_2) {
        const std::array y{y_1, y_2};
        const auto d = static_cast<std::size_t>(P.size() - 1);
        const double along = P[1] * y_1 + (d > 1 ? P[2] * y_2 : 0.0);
        return along <= law.friction * P[0] * support(law.shape, std::span(y).first(d));
    };
    if (P.size() == 2) return within(1, 0) && within(-1, 0);
    for (int k = 0; k < directions; ++k) {
        const double angle = 2 * std::numbers::pi * k / directions;
        if (!within(std::cos(angle), std::sin(angle))) return false;
    }
    return true;
}

/// A percussion holds the contact still. One that was struck in the step before, by more than twice of that,
/// begins anew: what it does then belongs to the impact, or to the catastrophe, and was told with it.
bool can_go_on_sticking(const Coulomb& law, std::span<const double> W, const ContactStep& contact,
                        double P_before)
{
    const int d = contact.dimension;
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> block(
        W.data(), d, d);
    Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(contact.U_free.data(), d);
    b[0] += contact.shift_m_s;
    const Eigen::VectorXd P = -block.fullPivLu().solve(b);
    return is_in_cone(law, P) && P_before <= 2 * P[0];
}

}  // namespace

void look_for_paradoxes(const Model& model, const State& before, double t_end, Scratch& s, StepReport& report)
{
    for (std::size_t k = 0; k < s.contacts.size(); ++k) {
        ContactStep& contact = s.contacts[k];
        if (contact.dimension == 1 || contact.sliding_margin > 0) continue;
        const auto* law = std::get_if<Coulomb>(&s.problem.laws[k]);
        if (law == nullptr || std::holds_alternative<FrictionRough>(law->shape)) continue;
        const auto place = static_cast<std::size_t>(contact.contact);
        const auto tell = [&](const char* code, bool uncertifies, const char* words) {
            report.findings.push_back({.code = code,
                                       .time_s = t_end,
                                       .message = model.system().contacts[place].name + words,
                                       .count = 1,
                                       .uncertifies = uncertifies});
            contact.sliding_margin = 1;  // told
        };
        const auto tell_several = [&] {
            tell("several_continuations", true,
                 " has W_NN <= mu |W_NT|, and its forces lift it: it may leave or stay, pressed by its own "
                 "friction, and this is one of both motions");
        };
        const bool touched = contact.persists || before.closed[place] != 0;
        const bool collides = contact.U_minus[0] < -contact.rounding_m_s && !contact.persists;
        const auto W = s.problem.W.diagonal(static_cast<int>(k));
        const double opens = contact.U_free[0] + contact.shift_m_s;
        // where it stuck the step begins with what curvature makes of a velocity that was zero
        const bool slipped = before.closed[place] != 0 ? before.slides[place] != 0 : slid(contact);
        if (!slipped) {
            const bool lifts = touched && !collides && opens > contact.rounding_m_s;
            const double P_before =
                before.percussion_Ns[static_cast<std::size_t>(model.offset(contact.contact))];
            if (lifts && can_go_on_sticking(*law, W, contact, P_before)) tell_several();
            continue;
        }

        // the margin in the direction of slip decides, and where nothing else acts the forces tell how
        std::array<double, 3> W_N{};
        std::copy_n(W.begin(), contact.dimension, W_N.begin());
        contact.sliding_margin = margin_of_sliding(*law, W_N, contact) / W_N[0];
        if (contact.sliding_margin > 0 || !touched || collides) continue;
        const auto others = std::ranges::count_if(
            s.contacts, [&](const ContactStep& one) { return &one != &contact && one.P[0] > 0; });
        if (others > 0) continue;
        if (opens > contact.rounding_m_s) {
            tell_several();
        } else if (contact.singular || before.slides[place] != 0) {
            contact.sliding_margin = 1;  // a catastrophe, named once in a slide (FR-6)
        } else {
            tell("no_continuation", false,
                 " slides where W_NN <= mu |W_NT|, and its forces press it: no motion goes on without a jump "
                 "of "
                 "the velocity, and how far it jumps is not determined");
        }
    }
}

}  // namespace carom
