#include "series_engine.hpp"

#include "step_parts.hpp"

#include "carom/model/geometry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace carom {

detail::Expansion& SeriesMemory::of_order(const Model& model, int order)
{
    for (const auto& one : expansions) {
        if (one->order() == order) return *one;
    }
    return *expansions.emplace_back(std::make_unique<detail::Expansion>(model, order));
}

}  // namespace carom

namespace carom::detail {
namespace {

constexpr double rounding = 1e-12;  ///< of a velocity, against what it is the difference of
constexpr int most_flips = 6;       ///< changes of sides at one instant

}  // namespace

namespace {

constexpr int shortest_order = 6;

}  // namespace

SeriesMemory& series_memory(const Model& model, int order, Scratch& scratch)
{
    if (!scratch.series || scratch.series->order() != order) {
        scratch.series = std::make_shared<SeriesMemory>(model, order);
    }
    return *scratch.series;
}

SeriesEngine::SeriesEngine(const Model& model, const SeriesSettings& settings, const SolverSettings& solver,
                           State& state, Scratch& scratch, SeriesMemory& memory)
    : model_(model),
      settings_(settings),
      solver_(solver),
      state_(state),
      scratch_(scratch),
      memory_(memory),
      x_(&memory.of_order(model, memory.order())),
      start_s_(state.t_s),
      t_s_(state.t_s),
      w_(memory.buffers),
      q_(w_.q),
      u_(w_.u),
      contacts_(w_.contacts),
      bounced_(w_.bounced),
      work_(w_.work)
{
    q_ = state.q;
    u_ = state.u;
    contacts_.assign(static_cast<std::size_t>(model.contacts()), {});
    bounced_.clear();
    report_.h_s = settings.time_step_s;
    report_.solve.status = SolveStatus::Converged;
    memory_.piece_count = 0;
    memory_.strikes.clear();
    scratch_.events.clear();
}

bool SeriesEngine::fail(StepStatus status, std::string words)
{
    report_.status = status;
    finding(std::string(name_of(status)), std::move(words));
    return false;
}

void SeriesEngine::finding(std::string code, std::string message)
{
    report_.findings.push_back(
        {.code = std::move(code), .time_s = t_s_, .message = std::move(message), .count = 1});
}

void SeriesEngine::tell(EventKind kind, int contact, double P, double before, double after, double energy)
{
    scratch_.events.push_back({.time_s = t_s_,
                               .step = 0,
                               .kind = kind,
                               .contact = contact,
                               .percussion_Ns = P,
                               .velocity_before_m_s = before,
                               .velocity_after_m_s = after,
                               .energy_J = energy});
}

StepReport SeriesEngine::run()
{
    if (!x_->system().analytic) {
        finding("not_analytic",
                "a formula has pieces (abs, min, max, sign, if): the motion is followed piece "
                "by piece, but that it is the only one is proved for analytic data alone");
    }
    if (x_->system().velocity_coupling) {
        finding("velocity_coupling",
                "a force on one particle in contact depends on the velocity of another: the "
                "series are computed, but that the motion is the only one is not proved "
                "(Charles and Ballard 2014, hypothesis (iii))");
    }
    const Energies before = energies(model_, q_, u_, t_s_, scratch_.work);
    look_at_start();
    if (report_.status != StepStatus::Solved && report_.status != StepStatus::NotSolved) return report_;
    // an impact at the start may have done it; a formula that is zero there has yet to come back
    ended_ = until_value() > 0;
    while (left_s() > 0 && !ended_) {
        if (++events_ > settings_.max_events) {
            fail(StepStatus::NotFinite, "too many events between two reports");
            return report_;
        }

        // the series of the motion and the statuses of its contacts (PS-4), (PS-5)
        if (!expand()) return report_;

        // impacts that accumulate, and slip in space that ends, are passed at once (PS-9), (PS-11)
        double h = next_length();
        if (pass_accumulation(h) || pass_collapse() || pass_joint_collapse() || pass_slip_end(h)) {
            if (report_.status != StepStatus::Solved) return report_;
            ended_ = until_reached();
            continue;
        }
        if (h < 1e-6 * left_s() && w_.happening.empty() && rest_what_rounding_moves()) continue;
        h = settle_length(h);
        if (!(h > 4e-16 * std::abs(t_s_)) && h < left_s() && w_.happening.empty()) {
            if (reaches_painleve()) return report_;
            fail(StepStatus::NotFinite, fmt::format("the series converge nowhere beyond {:.9g} s: the motion "
                                                    "ends there or leaves every bound",
                                                    t_s_));
            return report_;
        }

        // to the first event, and what happens there (PS-7), (PS-8)
        advance(h, h);
        if (!treat()) return report_;
        ended_ = ended_ || until_reached();
    }
    report_.at_end = energies(model_, q_, u_, t_s_, scratch_.work);
    report_.energy.kinetic_J = report_.at_end.kinetic_J - before.kinetic_J;
    report_.energy.potential_J = report_.at_end.potential_J - before.potential_J;
    finish();
    return report_;
}

SeriesEngine::LocalVelocity SeriesEngine::local_velocity(int c)
{
    const auto support = model_.support(c);
    const auto rows = static_cast<std::size_t>(model_.dimension(c));
    std::vector<double>&H = w_.H, &b = w_.b;
    H.resize(rows * support.size());
    b.resize(rows);
    model_.contact_rows(c, {view(q_), view(u_), t_s_}, H, b, scratch_.work);
    LocalVelocity result;
    for (std::size_t i = 0; i < rows; ++i) {
        double U = b[i], scale = std::abs(b[i]);
        for (std::size_t s = 0; s < support.size(); ++s) {
            const double part = H[i * support.size() + s] * u_[support[s]];
            U += part;
            scale += std::abs(part);
        }
        if (i == 0) {
            result.normal = U;
            result.normal_scale = scale;
        } else {
            result.sliding = std::hypot(result.sliding, U);
            result.sliding_scale += scale;
        }
    }
    return result;
}

/// Slip in space that is slower than what rounding of its forces makes of it has no direction: it is rest,
/// and the series decide anew.
bool SeriesEngine::rest_what_rounding_moves()
{
    bool changed = false;
    for (const Player& one : x_->players()) {
        const bool slips = one.dimension == 3 && one.friction == FrictionStatus::Slip;
        if (!slips || one.known.at_rest || one.normal != NormalStatus::Active) continue;
        if (!(one.speed[0] <= 1e-14 * x_->acceleration_scale(one) * left_s())) continue;
        contacts_[static_cast<std::size_t>(one.known.contact)].known.at_rest = changed = true;
    }
    return changed;
}

/// What is closed, what rests: from the state, and where it says nothing from gaps and velocities.
void SeriesEngine::look_at_start()
{
    std::vector<int> hit;
    for (int c = 0; c < model_.contacts(); ++c) {
        const auto index = static_cast<std::size_t>(c);
        ContactNow& contact = contacts_[index];
        contact.known.contact = c;
        contact.closed = contact.told_closed = state_.closed[index] != 0;
        contact.slid = contact.closed && state_.slides[index] != 0;
        contact.stuck = contact.closed && model_.dimension(c) > 1 && !contact.slid;
        contact.known.at_rest = contact.stuck;

        const double gap = model_.gap_m(c, {view(q_), view(u_), t_s_}, scratch_.work);
        const double small = std::max(activation_gap_m(), 1e-12 * q_.cwiseAbs().maxCoeff());
        if (gap < -small) {
            fail_outside(c, gap);
            return;
        }
        if (contact.closed && gap <= small) continue;
        contact.closed = contact.told_closed = contact.slid = contact.stuck = false;
        if (!(gap <= settings_.activation_gap_m)) continue;
        const LocalVelocity U = local_velocity(c);
        contact.known.at_rest = model_.dimension(c) > 1 && U.sliding <= rounding * U.sliding_scale;
        if (std::abs(U.normal) <= rounding * U.normal_scale) {
            contact.closed = true;
        } else if (U.normal > 0) {
            contact.gap_is_zero = gap <= 0;
            contact.gap_valuation = 1;
        } else if (gap <= 0) {
            hit.push_back(c);
        }
    }
    project_configuration();
    if (!hit.empty()) static_cast<void>(strike(std::move(hit), false, EventKind::Impact));
}

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
                    fmt::format("at {:.9g} s nothing up to order {} of the series decides {}: it is "
                                "taken as sticking or touching, which nothing proves; a larger "
                                "integrator.max_order may decide",
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
        if (contact.closed) closed.push_back(contact.known);
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
        return fail(StepStatus::Undetermined,
                    fmt::format("at {} no reaction continues the motion: a velocity jump without a collision "
                                "would be needed (Painleve's paradox)",
                                named()));
    case ExpansionStatus::SeveralSolutions:
        return fail(StepStatus::Undetermined,
                    fmt::format("at {} several motions satisfy all laws (Painleve's paradox)", named()));
    case ExpansionStatus::NotPMatrix:
        if (reaches_painleve()) return false;
        return fail(StepStatus::Undetermined,
                    fmt::format("{} slides where W_NN - mu W_NT is not a P-matrix: the motion may have no "
                                "continuation or several (Painleve's paradox)",
                                named()));
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
    tell_statuses();
    tell_untested();
    return true;
}

/// 1 - mu W_NT / W_NN of a contact that slides, in the direction of its slip.
double SeriesEngine::painleve_margin(const Player& one) const
{
    const double W_NN = x_->W(one.offset, one.offset), mu = one.rows->output(one.programs->mu_at())[0];
    double coupling = 0;
    if (one.dimension == 2) {
        const double factor = one.side > 0 ? -one.programs->low : one.programs->high;
        coupling = one.side * factor * x_->W(one.offset, one.offset + 1);
    } else {
        const double U_1 = x_->series(one.U, 1)[0], U_2 = x_->series(one.U, 2)[0];
        coupling = (U_1 * x_->W(one.offset, one.offset + 1) + U_2 * x_->W(one.offset, one.offset + 2)) /
                   std::hypot(U_1, U_2);
    }
    return 1 - mu * coupling / W_NN;
}

/// Power of the distance to this instant with which the reaction of a contact has grown of late: alpha of
/// r_N ~ (T - t)^-alpha.
double SeriesEngine::growth_of_reaction(int contact) const
{
    double first = 0, first_left = 0, last = 0, last_left = 0;
    for (std::size_t k = 0; k < memory_.piece_count; ++k) {
        const SeriesPiece& piece = memory_.pieces[k];
        const double r = piece.reaction_N(contact, 0)[0], left = t_s_ - piece.t_s;
        if (!(r > 0) || !(left > 1e-13 * std::abs(t_s_))) continue;
        if (first == 0) {
            first = r;
            first_left = left;
        }
        last = r;
        last_left = left;
    }
    return last > 0 && last_left < first_left ? std::log(last / first) / std::log(first_left / last_left) : 0;
}

/// Slip that comes to where W_NN - mu W_NT vanishes: Painleve's singular point; where the reaction grows
/// without bound on the way there, a frictional catastrophe (PS-16).
bool SeriesEngine::reaches_painleve()
{
    constexpr double near = 1e-6, grows = 0.02;
    for (const Player& one : x_->players()) {
        const bool slides = one.friction == FrictionStatus::Slip && !one.known.at_rest;
        if (!slides || !one.may_act() || !(std::abs(painleve_margin(one)) < near)) continue;
        const std::string& name = model_.system().contacts[static_cast<std::size_t>(one.known.contact)].name;
        const bool unbounded = growth_of_reaction(one.known.contact) > grows;
        if (unbounded) {
            finding("frictional_catastrophe",
                    fmt::format(
                        "at {:.9g} s {} slides into W_NN = mu |W_NT|, and its reaction grows without "
                        "bound: a frictional catastrophe, the sliding velocity jumps without a collision, "
                        "how far is not determined",
                        t_s_, name));
        } else {
            finding(
                "painleve_singular_point",
                fmt::format("at {:.9g} s {} slides into W_NN = mu |W_NT| with a reaction that stays bounded: "
                            "Painleve's singular point, beyond it the motion is not determined",
                            t_s_, name));
        }
        report_.findings.back().uncertifies = true;
        static_cast<void>(
            fail(StepStatus::Undetermined,
                 fmt::format("at {:.9g} s the motion of {} ends at Painleve's singular point", t_s_, name)));
        return true;
    }
    return false;
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

/// What the statuses rest on without proof.
void SeriesEngine::tell_untested()
{
    if (x_->untested_matrix()) {
        finding("p_matrix_not_tested",
                "more than 20 contacts slide together and W_NN - mu W_NT has no positive symmetric part: "
                "whether it is a P-matrix, so that the motion is the only one, was not tested");
    }
    if (x_->untested_directions()) {
        finding("directions_not_enumerated",
                "several contacts that meet are at rest in space: directions in which they might begin to "
                "slip together were looked for by Newton's method, others were not excluded");
    }
}

/// Statuses that changed, as events.
void SeriesEngine::tell_statuses()
{
    for (const Player& one : x_->players()) {
        const int c = one.known.contact;
        ContactNow& contact = contacts_[static_cast<std::size_t>(c)];
        if (!one.may_act()) {
            if (contact.told_closed) tell(EventKind::ContactLost, c, 0, 0, 0, 0);
            contact.closed = contact.told_closed = contact.slid = contact.stuck = false;
            contact.told_side = 0;
            contact.gap_is_zero = true;
            contact.gap_valuation = one.normal_order + 2;
            continue;
        }
        if (!contact.told_closed) tell(EventKind::ContactMade, c, 0, 0, 0, 0);
        contact.told_closed = contact.acted = true;
        if (!one.programs->friction) continue;
        const bool slides = one.friction == FrictionStatus::Slip;
        const bool turned = slides && contact.slid && one.dimension == 2 && contact.told_side != 0 &&
                            contact.told_side != one.side;
        const double speed =
            std::hypot(x_->series(one.U, 1)[0], one.dimension == 3 ? x_->series(one.U, 2)[0] : 0.0);
        if (slides && (!contact.slid || turned)) tell(EventKind::Slip, c, 0, speed, speed, 0);
        if (!slides && !contact.stuck) tell(EventKind::Stick, c, 0, 0, 0, 0);
        contact.slid = slides;
        contact.stuck = !slides;
        contact.told_side = slides ? one.side : 0;
    }
}

/// The next piece of this report, with the memory of an earlier one.
SeriesPiece& SeriesEngine::new_piece()
{
    if (memory_.pieces.size() == memory_.piece_count) memory_.pieces.emplace_back();
    return memory_.pieces[memory_.piece_count++];
}

/// The reactions of contacts that act; entries that are too many are spared for later pieces.
void SeriesEngine::keep_reactions(SeriesPiece& piece)
{
    std::size_t count = 0;
    for (const Player& one : x_->players()) {
        if (!one.may_act()) continue;
        if (piece.reactions.size() == count) {
            piece.reactions.emplace_back();
            if (!memory_.spare.empty()) {
                piece.reactions.back() = std::move(memory_.spare.back());
                memory_.spare.pop_back();
            }
        }
        SeriesPiece::Reaction& reaction = piece.reactions[count++];
        reaction.contact = one.known.contact;
        reaction.dimension = one.dimension;
        reaction.r = one.r;
    }
    while (piece.reactions.size() > count) {
        memory_.spare.push_back(std::move(piece.reactions.back()));
        piece.reactions.pop_back();
    }
}

/// On by s; the defect is measured where the series are trusted.
void SeriesEngine::advance(double s, double trusted_s)
{
    if (s > 0) {
        const int n = model_.coordinates(), K = x_->order();
        account(s);
        SeriesPiece& piece = new_piece();
        piece.t_s = t_s_;
        piece.h_s = s;
        piece.order = K;
        piece.q.assign(x_->q(0), x_->q(0) + static_cast<std::size_t>(n) * x_->stride());
        piece.u.assign(x_->u(0), x_->u(0) + static_cast<std::size_t>(n) * x_->stride());
        keep_reactions(piece);
        if (trusted_s != s || defect_ < 0) {
            const double motion = defect(inside_part * std::min(s, trusted_s));
            judged_ = negligible_ ? 0 : motion;
        }
        if (judged_ >= 0) judge(judged_);
        defect_ = -1;
        for (int i = 0; i < n; ++i) {
            q_[i] = series_value(x_->q(i), K, s);
            u_[i] = series_value(x_->u(i), K, s);
        }
        done_s_ = s >= left_s() ? settings_.time_step_s : done_s_ + s;
        t_s_ = start_s_ + done_s_;
    }
    forget_instant();
}

/// Exact zeros hold at one instant only.
void SeriesEngine::forget_instant()
{
    for (ContactNow& contact : contacts_) {
        contact.gap_is_zero = false;
        contact.known.begins_slip = contact.known.no_reaction = contact.known.at_threshold = false;
        contact.known.side = 0;
    }
    for (const Player& one : x_->players()) {
        if (one.friction == FrictionStatus::Slip) {
            contacts_[static_cast<std::size_t>(one.known.contact)].known.at_rest = false;
        }
    }
    bounced_.clear();
    SeriesSystem& system = x_->system();
    if (system.analytic) return;
    const auto free_sides = [](SeriesTape& tape) {
        for (SeriesSwitch& it : tape.switches()) {
            it.held = 0;
        }
    };
    free_sides(system.dynamics.tape);
    for (ContactPrograms& contact : system.contacts) {
        free_sides(contact.gap.tape);
        for (SeriesProgram& rows : contact.rows) {
            free_sides(rows.tape);
        }
    }
}

bool SeriesEngine::treat()
{
    std::vector<int> hit;
    bool flipped = false;
    for (const Occurrence& one : w_.happening) {
        if (one.what == Watch::Until) {
            ended_ = true;
            continue;
        }
        if (one.what == Watch::Switch) {
            SeriesSwitch& it = one.tape->switches()[one.index];
            it.held = -it.side;
            flipped = true;
            continue;
        }
        ContactNow& contact = contacts_[static_cast<std::size_t>(one.contact)];
        switch (one.what) {
        case Watch::Gap:
            if (one.touches) {
                // grazes: no velocity jump, the series decide what follows
                const LocalVelocity U = local_velocity(one.contact);
                contact.closed = true;
                contact.known.at_rest =
                    model_.dimension(one.contact) > 1 && U.sliding <= rounding * U.sliding_scale;
            } else {
                hit.push_back(one.contact);
            }
            break;
        case Watch::Reaction: contact.known.no_reaction = true; break;
        case Watch::SlipEnd: contact.known.at_rest = true; break;
        case Watch::Threshold:
            contact.known.at_threshold = true;
            contact.known.side = one.side;
            break;
        case Watch::Switch:
        case Watch::Until: break;
        }
    }
    if (flipped) {
        flips_ = t_s_ == flip_s_ ? flips_ + 1 : 1;
        flip_s_ = t_s_;
        if (flips_ > most_flips) {
            return fail(
                StepStatus::Undetermined,
                fmt::format("at {:.9g} s a formula changes its piece back and forth: the motion would "
                            "have to stay between two pieces",
                            t_s_));
        }
    }
    if (flipped && !look_behind_switches(hit)) return false;
    return hit.empty() || strike(std::move(hit), false, EventKind::Impact);
}

/// A state outside of what contacts allow: there is no motion.
bool SeriesEngine::fail_outside(int contact, double gap_m)
{
    const std::string& name = model_.system().contacts[static_cast<std::size_t>(contact)].name;
    finding("gap_jumped",
            fmt::format("the gap of {} is {:.3e} m at {:.9g} s without having closed: its formula "
                        "jumps, or the run begins inside the obstacle",
                        name, gap_m, t_s_));
    report_.findings.back().uncertifies = true;
    return fail(
        StepStatus::Undetermined,
        fmt::format("at {:.9g} s no motion of finite velocity keeps the gap of {} from being negative", t_s_,
                    name));
}

/// A formula has changed its piece: gaps and velocities of obstacles may have jumped. A contact that is hit
/// by the jump of a velocity is struck, one that its obstacle leaves opens.
bool SeriesEngine::look_behind_switches(std::vector<int>& hit)
{
    const int n = model_.coordinates();
    std::vector<double>& inputs = w_.work;
    inputs.assign(q_.data(), q_.data() + n);
    inputs.insert(inputs.end(), u_.data(), u_.data() + n);
    inputs.push_back(t_s_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        ContactNow& contact = contacts_[c];
        ContactPrograms& programs = x_->system().contacts[c];
        SeriesProgram& rows = programs.rows.front();
        if (programs.gap.tape.switches().empty() && rows.tape.switches().empty()) continue;
        programs.gap.tape.start_with_sides(inputs.data(), 1);
        const double gap = programs.gap.output(0)[0];
        const auto opens = [&](double speed) {
            tell(EventKind::ContactLost, static_cast<int>(c), 0, 0, speed, 0);
            contact.closed = contact.told_closed = contact.slid = contact.stuck = false;
        };
        const double small = std::max(activation_gap_m(), 1e-12 * q_.cwiseAbs().maxCoeff());
        if (gap < -small) return fail_outside(static_cast<int>(c), gap);
        if (!contact.closed) continue;
        if (gap > small) {
            opens(0);
            continue;
        }
        rows.tape.start_with_sides(inputs.data(), 1);
        double U = rows.output(programs.b_at(0))[0], scale = std::abs(U);
        for (std::size_t s = 0; s < programs.support.size(); ++s) {
            const double part = rows.output(programs.H_at(0, s))[0] * u_[programs.support[s]];
            U += part;
            scale += std::abs(part);
        }
        if (std::abs(U) <= 1e-9 * scale) continue;
        contact.closed = false;
        if (U < 0) {
            hit.push_back(static_cast<int>(c));
        } else {
            opens(U);
            contact.gap_is_zero = true;
            contact.gap_valuation = 1;
        }
    }
    return true;
}

}  // namespace carom::detail
