#include "series_engine.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace carom::detail {

/// Painleve's margin (FR-6) of a contact in the direction of its slip, as part of W_NN; 1 where it does not
/// slide.
double SeriesEngine::painleve_margin(int contact, double t_s, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& u) const
{
    const auto A = metric_at(model_, q);
    if (!A) return 1;
    const ImpactContacts at = impact_contacts_at(model_, q, u, std::array{contact}, t_s);
    const auto* law = std::get_if<Coulomb>(&at.laws.front());
    if (law == nullptr || std::holds_alternative<FrictionRough>(law->shape)) return 1;
    const Eigen::VectorXd W = at.rows * A->solve(at.rows.row(0).transpose()), U = at.rows * u + at.b;
    const ContactPrograms& shape = x_->system().contacts[static_cast<std::size_t>(contact)];
    if (U.size() == 2) {
        const double f = law->friction * (U[1] > 0 ? shape.low : shape.high);
        return 1 + W[1] * f / W[0];
    }
    const double speed = std::hypot(U[1], U[2]);
    return speed > 0 ? 1 - law->friction * (W[1] * U[1] + W[2] * U[2]) / (speed * W[0]) : 1;
}

/// Power alpha of r_N = r_0 + C (T - t)^-alpha on the way to this instant: increments of r_N between instants
/// whose distances from T form a geometric progression do so too. Not positive where r_N stays bounded.
double SeriesEngine::growth_of_reaction(int contact) const
{
    constexpr double rounding_part = 1e-9;
    const std::span<const SeriesPiece> pieces(memory_.pieces.data(), memory_.piece_count);
    if (pieces.empty()) return 0;
    const double far = 0.1 * (t_s_ - pieces.front().t_s), near = 1e-4 * far, between = std::sqrt(far * near);
    if (!(near > 1e-15 * std::abs(t_s_))) return 0;
    const auto piece_at = [&](double t_s) -> const SeriesPiece& {
        return *(std::ranges::find_if(pieces, [&](const SeriesPiece& piece) { return piece.t_s > t_s; }) - 1);
    };
    // expansions end some way before T: where the margin, linear in time, would vanish
    Eigen::VectorXd q, u;
    const auto margin_before = [&](double left_s) {
        const double t_s = t_s_ - left_s;
        const SeriesPiece& piece = piece_at(t_s);
        piece.at(t_s - piece.t_s, q, u);
        return painleve_margin(contact, t_s, q, u);
    };
    const double here = margin_before(near), there = margin_before(10 * near);
    const double T = t_s_ - near + 9 * near * here / (there - here);
    const auto reaction_before = [&](double left_s) {
        const double t_s = T - left_s;
        const SeriesPiece& piece = piece_at(t_s);
        return piece.reaction_N(contact, t_s - piece.t_s)[0];
    };
    const double last = reaction_before(near), middle = reaction_before(between);
    const double before = middle - reaction_before(far), now = last - middle;
    if (!(now > rounding_part * last)) return 0;
    return before > 0 ? std::log(now / before) / std::log(far / between) : 1;
}

/// The end of a motion at Painleve's singular point (PS-16).
void SeriesEngine::fail_at_singular_point(int contact, double t_s, double alpha)
{
    constexpr double min_alpha = 1e-3;
    const std::string& name = model_.system().contacts[static_cast<std::size_t>(contact)].name;
    t_s_ = t_s;
    if (alpha > min_alpha) {
        finding("frictional_catastrophe",
                fmt::format("at {:.9g} s {} slides into W_NN = mu |W_NT|, and its reaction grows like (T - "
                            "t)^-{:.3f}: a frictional catastrophe: the sliding velocity jumps without a "
                            "collision, and the size of the jump is not determined",
                            t_s, name, alpha));
    } else {
        finding("painleve_singular_point",
                fmt::format("at {:.9g} s {} slides into W_NN = mu |W_NT| with a reaction that stays bounded: "
                            "Painleve's singular point, beyond it the motion is not determined",
                            t_s, name));
    }
    report_.findings.back().uncertifies = true;
    static_cast<void>(
        fail(StepStatus::Undetermined,
             fmt::format("at {:.9g} s the motion of {} ends at Painleve's singular point", t_s, name)));
}

/// Slip that comes to where W_NN - mu W_NT vanishes: Painleve's singular point; where the reaction grows
/// without bound on the way there, a frictional catastrophe (PS-16).
bool SeriesEngine::reaches_painleve()
{
    constexpr double near = 1e-6;
    for (const Player& one : x_->players()) {
        const bool slides = one.friction == FrictionStatus::Slip && !one.known.at_rest;
        if (!slides || !one.may_act()) continue;
        const int contact = one.known.contact;
        const double margin = painleve_margin(contact, t_s_, q_, u_);
        if (std::abs(margin) < near) {
            fail_at_singular_point(contact, t_s_, growth_of_reaction(contact));
            return true;
        }
        if (margin < 0 && passed_painleve(contact)) return true;
    }
    return false;
}

/// A reaction that is analytic where the margin vanishes carries its series beyond: the instant is looked for
/// in the last expansion.
bool SeriesEngine::passed_painleve(int contact)
{
    if (memory_.piece_count == 0) return false;
    const SeriesPiece& last = memory_.pieces[memory_.piece_count - 1];
    Eigen::VectorXd &q = w_.q_inside, &u = w_.u_inside;
    const auto margin_at = [&](double s) {
        last.at(s, q, u);
        return painleve_margin(contact, last.t_s + s, q, u);
    };
    const bool slid = last.reaction_N(contact, 0)[0] > 0 && margin_at(0) > 0;
    if (!slid || !(margin_at(last.h_s) < 0)) return false;
    double low = 0, high = last.h_s;
    for (int n = 0; n < 60; ++n) {
        const double middle = (low + high) / 2;
        (margin_at(middle) > 0 ? low : high) = middle;
    }
    fail_at_singular_point(contact, last.t_s + high, 0);
    return true;
}

/// No motion goes on from here, or several do (PS-5): which, as far as the accelerations tell.
bool SeriesEngine::fail_at_paradox(ExpansionStatus status, const std::string& name)
{
    if (reaches_painleve()) return false;
    const char* paradox = "(Painleve's paradox)";
    switch (status) {
    case ExpansionStatus::NoSolution:
        finding("no_continuation",
                fmt::format("at {:.9g} s no reaction of {} and of those it meets continues the motion: it "
                            "continues only with a velocity jump without a collision {}",
                            t_s_, name, paradox));
        break;
    case ExpansionStatus::SeveralSolutions:
        finding("several_continuations",
                fmt::format("at {:.9g} s several motions satisfy all laws at {} {}", t_s_, name, paradox));
        break;
    default:
        finding("painleve", fmt::format("at {:.9g} s {} slides where W_NN - mu W_NT is not a P-matrix: the "
                                        "motion may have no continuation or several {}",
                                        t_s_, name, paradox));
    }
    report_.findings.back().uncertifies = true;
    const char* end = status == ExpansionStatus::NoSolution ? "has no continuation" : "is not determined";
    return fail(StepStatus::Undetermined,
                fmt::format("beyond {:.9g} s the motion of {} {}", t_s_, name, end));
}

/// No series at this instant: says what has none, as far as that can be seen.
bool SeriesEngine::fail_without_series(double trouble_s)
{
    if (reaches_painleve()) return false;
    const std::string what = x_->where_not_finite(model_.system());
    return fail(StepStatus::NotFinite,
                fmt::format("the motion has no power series at {:.9g} s: {} is not analytic there, or leaves "
                            "its domain",
                            trouble_s, what.empty() ? "a formula" : what));
}

}  // namespace carom::detail
