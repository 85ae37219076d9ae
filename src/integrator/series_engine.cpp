#include "series_engine.hpp"

#include "step_parts.hpp"

#include "carom/model/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double rounding = 1e-12;  ///< of a velocity, against what it is the difference of
constexpr int most_flips = 6;       ///< changes of sides at one instant

}  // namespace

SeriesMemory& series_memory(const Model& model, int order, Scratch& scratch)
{
    if (!scratch.series || scratch.series->expansion.order() != order) {
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
      x_(memory.expansion),
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
    if (!x_.system().analytic) {
        finding("not_analytic",
                "a formula has pieces (abs, min, max, sign, if): the motion is followed piece "
                "by piece, but that it is the only one is proved for analytic data alone");
    }
    if (x_.system().velocity_coupling) {
        finding("velocity_coupling",
                "a force on one particle in contact depends on the velocity of another: the "
                "series are computed, but that the motion is the only one is not proved "
                "(Charles and Ballard 2014, hypothesis (iii))");
    }
    const Energies before = energies(model_, q_, u_, t_s_, scratch_.work);
    look_at_start();
    while (left_s() > 0) {
        if (++events_ > settings_.max_events) {
            fail(StepStatus::NotFinite, "too many events between two reports");
            return report_;
        }

        // the series of the motion and the statuses of its contacts (PS-4), (PS-5)
        if (!expand()) return report_;

        // impacts that accumulate, and slip in space that ends, are passed at once (PS-9), (PS-11)
        const double h = next_length();
        if (pass_accumulation(h) || pass_collapse() || pass_slip_end(h)) {
            if (report_.status != StepStatus::Solved) return report_;
            continue;
        }
        if (!(h > 4e-16 * std::abs(t_s_)) && h < left_s() && w_.happening.empty()) {
            fail(StepStatus::NotFinite, fmt::format("the series converge nowhere beyond {:.9g} s: the motion "
                                                    "ends there or leaves every bound",
                                                    t_s_));
            return report_;
        }

        // to the first event, and what happens there (PS-7), (PS-8)
        advance(h, h);
        if (!treat()) return report_;
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
        if (contact.closed) continue;

        const double gap = model_.gap_m(c, {view(q_), view(u_), t_s_}, scratch_.work);
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

bool SeriesEngine::expand()
{
    std::vector<Known>& closed = w_.closed;
    closed.clear();
    for (const ContactNow& contact : contacts_) {
        if (contact.closed) closed.push_back(contact.known);
    }
    ExpansionStatus status = x_.compute(t_s_, q_, u_, closed, memory_.radius_s);
    if (status == ExpansionStatus::Good && memory_.radius_s == 0 && !closed.empty()) {
        // the first one has to find its own radius
        memory_.radius_s = x_.radius_s(settings_.tolerance);
        if (memory_.radius_s > 0) status = x_.compute(t_s_, q_, u_, closed, memory_.radius_s);
    }
    const auto named = [&] {
        const int c = x_.trouble_contact();
        return c < 0 ? std::string("a contact") : model_.system().contacts[static_cast<std::size_t>(c)].name;
    };
    switch (status) {
    case ExpansionStatus::Good: break;
    case ExpansionStatus::NotFinite:
        return fail(
            StepStatus::NotFinite,
            fmt::format("the motion has no power series at {:.9g} s: a formula is not analytic there, "
                        "or leaves its domain",
                        t_s_));
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
    memory_.radius_s = x_.radius_s(settings_.tolerance);
    x_.compute_gaps();
    tell_statuses();
    tell_untested();
    return true;
}

/// What the statuses rest on without proof.
void SeriesEngine::tell_untested()
{
    if (x_.untested_matrix()) {
        finding("p_matrix_not_tested",
                "more than 20 contacts slide together and W_NN - mu W_NT has no positive symmetric part: "
                "whether it is a P-matrix, so that the motion is the only one, was not tested");
    }
    if (x_.untested_directions()) {
        finding("directions_not_enumerated",
                "several contacts that meet are at rest in space: directions in which they might begin to "
                "slip together were looked for by Newton's method, others were not excluded");
    }
}

/// Statuses that changed, as events.
void SeriesEngine::tell_statuses()
{
    for (const Player& one : x_.players()) {
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
            std::hypot(x_.series(one.U, 1)[0], one.dimension == 3 ? x_.series(one.U, 2)[0] : 0.0);
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
    for (const Player& one : x_.players()) {
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
        const int n = model_.coordinates(), K = x_.order();
        account(s);
        SeriesPiece& piece = new_piece();
        piece.t_s = t_s_;
        piece.h_s = s;
        piece.order = K;
        piece.q.assign(x_.q(0), x_.q(0) + static_cast<std::size_t>(n) * x_.stride());
        piece.u.assign(x_.u(0), x_.u(0) + static_cast<std::size_t>(n) * x_.stride());
        keep_reactions(piece);
        measure_defect(std::min(s, trusted_s));
        for (int i = 0; i < n; ++i) {
            q_[i] = series_value(x_.q(i), K, s);
            u_[i] = series_value(x_.u(i), K, s);
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
    for (const Player& one : x_.players()) {
        if (one.friction == FrictionStatus::Slip) {
            contacts_[static_cast<std::size_t>(one.known.contact)].known.at_rest = false;
        }
    }
    bounced_.clear();
    SeriesSystem& system = x_.system();
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
        case Watch::Switch: break;
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
    return hit.empty() || strike(std::move(hit), false, EventKind::Impact);
}

}  // namespace carom::detail
