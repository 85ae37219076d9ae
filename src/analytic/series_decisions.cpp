#include "series_engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace carom::detail {
namespace {

constexpr int shortest_order = 6;

}  // namespace

/// One expansion of that order, with the sides of switches as they are held now.
ExpansionStatus SeriesEngine::expand_to(int order)
{
    Expansion& next = memory_.of_order(model_, order);
    if (&next != x_) {
        if (!x_->system().analytic) next.hold_sides_of(*x_);
        x_ = &next;
    }
    return x_->compute(t_s_, q_, u_, w_.closed);
}

/// Longer series where statuses are open at the last order or were decided near it (PS-14), shorter ones
/// where coefficients leave the range of numbers.
ExpansionStatus SeriesEngine::expand_as_far_as_needed()
{
    const int usual = memory_.order(), longest = longest_order();
    const auto is_enough = [&] {
        if (x_->open() && !vanishes_identically()) return false;
        // coefficients of the last orders alone say nothing about lengths
        return x_->trusted_length_s(settings_.tolerance) > 0;
    };
    ExpansionStatus status = expand_to(usual);
    for (int order = usual; status == ExpansionStatus::NotFinite && order > shortest_order;) {
        order = std::max(shortest_order, order / 2);
        status = expand_to(order);
        if (status == ExpansionStatus::Good) return status;
    }
    for (int order = usual; status == ExpansionStatus::Good && !is_enough();) {
        if (order == longest) {
            if (!x_->open()) break;
            if (reaches_painleve()) return ExpansionStatus::Told;
            finding("undecided",
                    fmt::format(
                        "at {:.9g} s nothing up to order {} of the series decides {}: it is assumed to stick "
                        "or to stay closed, without proof; a larger integrator.max_order may decide it",
                        t_s_, x_->deciding_order(), who_is_open()));
            report_.findings.back().uncertifies = true;
            break;
        }
        const int before = order;
        order = std::min(2 * order, longest);
        status = expand_to(order);
        if (status != ExpansionStatus::NotFinite) continue;
        status = expand_to(before);  // no further
        order = longest;
    }
    return status;
}

/// Which contacts are closed, and what they do: as far as the question whether open statuses stay open goes.
bool SeriesEngine::is_known_identity()
{
    std::vector<int>& key = w_.statuses;
    key.clear();
    for (const Player& one : x_->players()) {
        for (const int part :
             {one.known.contact, static_cast<int>(one.normal), static_cast<int>(one.friction), one.side,
              one.known.at_rest ? 1 : 0, one.known.begins_slip ? 1 : 0}) {
            key.push_back(part);
        }
    }
    const auto add_sides = [&](const SeriesTape& tape) {
        for (const SeriesSwitch& it : tape.switches()) {
            key.push_back(it.side);
        }
    };
    add_sides(x_->system().dynamics.tape);
    for (const Player& one : x_->players()) {
        add_sides(one.rows->tape);
    }
    return std::ranges::find(memory_.identical, key) != memory_.identical.end();
}

bool SeriesEngine::vanishes_identically()
{
    if (is_known_identity()) return true;
    if (!memory_.of_order(model_, shortest_order - 1).vanishes_identically(*x_)) return false;
    memory_.identical.push_back(w_.statuses);
    return true;
}

/// Names of the contacts whose statuses are open.
std::string SeriesEngine::who_is_open() const
{
    std::vector<std::string> names;
    for (const Player& one : x_->players()) {
        const std::string& name = model_.system().contacts[static_cast<std::size_t>(one.known.contact)].name;
        if (one.normal == NormalStatus::Undecided) {
            names.push_back("whether " + name + " stays in contact");
        } else if (one.may_act() && one.friction == FrictionStatus::Undecided) {
            names.push_back("whether " + name + " slips");
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

bool SeriesEngine::expand()
{
    std::vector<Known>& closed = w_.closed;
    closed.clear();
    for (const ContactNow& contact : contacts_) {
        if (!contact.closed) continue;
        closed.push_back(contact.known);
        closed.back().stuck = contact.stuck;
    }
    const ExpansionStatus status = expand_as_far_as_needed();
    const auto named = [&] {
        const int c = x_->trouble_contact();
        return c < 0 ? std::string("a contact") : model_.system().contacts[static_cast<std::size_t>(c)].name;
    };
    switch (status) {
    case ExpansionStatus::Good: break;
    case ExpansionStatus::Told: return false;
    case ExpansionStatus::NotFinite: return fail_without_series(t_s_);
    case ExpansionStatus::MetricSingular:
        return fail(StepStatus::MetricSingular,
                    "the kinetic matrix lost its positivity: some velocity has no kinetic energy");
    case ExpansionStatus::NoSolution:
    case ExpansionStatus::SeveralSolutions:
    case ExpansionStatus::NotPMatrix: return fail_at_paradox(status, named());
    case ExpansionStatus::Loads:
        finding(
            "undecided",
            fmt::format("at {:.9g} s the loads of {} and of the contacts that it meets are not determined "
                        "by the motion, and friction depends on them: what holds or slips was not "
                        "decided. integrator.kind = \"moreau\" finds loads that hold, if there are any",
                        t_s_, named()));
        report_.findings.back().uncertifies = true;
        report_.status = StepStatus::Undetermined;
        return false;
    case ExpansionStatus::Onset:
        return fail(StepStatus::Undetermined,
                    fmt::format("at {} slip begins in space at several contacts together, and directions "
                                "that satisfy all laws were not found",
                                named()));
    case ExpansionStatus::TooMany:
        return fail(StepStatus::Undetermined,
                    fmt::format("at {} too many contacts are undecided at once to try all combinations of "
                                "sticking and sliding",
                                named()));
    }
    x_->compute_gaps();
    look_at_loads();
    if (tell_statuses()) look_for_other_motions();
    tell_untested();
    return true;
}

/// What the statuses rest on without proof.
void SeriesEngine::tell_untested()
{
    if (const int c = x_->several_at(); c >= 0) {
        finding("several_continuations",
                fmt::format("{} has W_NN <= mu |W_NT|, and its forces lift it: it may leave, or stay pressed "
                            "by its own friction; here it stays, which is one of two motions",
                            model_.system().contacts[static_cast<std::size_t>(c)].name));
        report_.findings.back().uncertifies = true;
    }
    if (x_->untested_matrix()) {
        finding("p_matrix_not_tested",
                "more than 20 contacts slide together and W_NN - mu W_NT has no positive symmetric part: "
                "whether it is a P-matrix, which implies uniqueness, was not tested");
    }
    if (x_->untested_directions()) {
        finding("directions_not_enumerated",
                "several contacts that meet are at rest in space: directions in which they might begin to "
                "slip together were searched for by Newton's method, others were not excluded");
    }
}

/// Of slip at the start of this expansion, from t1 towards t2; in the plane 0 or pi.
double SeriesEngine::slip_direction(const Player& one) const
{
    if (one.dimension == 2) return one.side > 0 ? 0 : std::numbers::pi;
    if (!one.known.at_rest) return std::atan2(x_->series(one.U, 2)[0], x_->series(one.U, 1)[0]);
    const auto d = one.polar ? one.onset.direction(0) : std::array{one.d[0], one.d[x_->stride()]};
    return std::atan2(d[1], d[0]);
}

/// Slip that has stopped for an instant and goes on the other way. Direction and frame of the tangents are
/// those with which the last expansion came to its end.
bool SeriesEngine::turns_round(const ContactNow& contact, const Player& one, double direction)
{
    if (one.dimension == 2) return contact.told_side != 0 && contact.told_side != one.side;
    return one.known.at_rest && contact.slip_frame == one.frame && std::cos(direction - contact.slip_rad) < 0;
}

/// Statuses that changed, as events; whether some did.
bool SeriesEngine::tell_statuses()
{
    bool changed = false;
    for (const Player& one : x_->players()) {
        const int c = one.known.contact;
        ContactNow& contact = contacts_[static_cast<std::size_t>(c)];
        if (!one.may_act()) {
            if (contact.told_closed) tell(EventKind::ContactLost, c, 0, 0, 0, 0);
            changed = true;
            contact.closed = contact.told_closed = contact.slid = contact.stuck = false;
            contact.told_side = 0;
            contact.gap_is_zero = true;
            contact.gap_valuation = one.normal_order + 2;
            continue;
        }
        if (!contact.told_closed) tell(EventKind::ContactMade, c, 0, 0, 0, 0);
        changed = changed || !contact.told_closed;
        contact.told_closed = contact.acted = true;
        if (!one.programs->friction) continue;
        const bool slides = one.friction == FrictionStatus::Slip;
        const double direction = slides ? slip_direction(one) : 0;
        const bool turned = slides && contact.slid && turns_round(contact, one, direction);
        const double speed = one.dimension == 2
                                 ? x_->series(one.U, 1)[0]
                                 : std::hypot(x_->series(one.U, 1)[0], x_->series(one.U, 2)[0]);
        if (slides && (!contact.slid || turned)) {
            tell(EventKind::Slip, c, 0, speed, speed, 0);
            scratch_.events.back().slip_rad = direction;
        }
        if (!slides && !contact.stuck) tell(EventKind::Stick, c, 0, 0, 0, 0);
        changed = changed || slides != contact.slid || turned;
        contact.slid = slides;
        contact.stuck = !slides;
        contact.told_side = slides ? one.side : 0;
    }
    return changed;
}

}  // namespace carom::detail
