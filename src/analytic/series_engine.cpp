#include "series_engine.hpp"

#include "stepping/step_parts.hpp"

#include <fmt/format.h>

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
SeriesMemory& series_memory(const Model& model, int order, Scratch& scratch)
{
    if (!scratch.series || scratch.series->order() != order || scratch.series->repeated)
        scratch.series = std::make_shared<SeriesMemory>(model, order);
    return *scratch.series;
}

SeriesMemory& series_memory(const Model& model, int order, const State& state, Scratch& scratch)
{
    if (!scratch.series || scratch.series->order() != order)
        scratch.series = std::make_shared<SeriesMemory>(model, order, RepeatedContacts::of(model));
    if (scratch.series->repeated && !scratch.series->repeated->fits(state))
        scratch.series = std::make_shared<SeriesMemory>(model, order);
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
    continues_ = memory_.end_s == state.t_s && q_ == state.q && u_ == state.u;
    memory_.end_s = std::numeric_limits<double>::quiet_NaN();
    q_ = state.q;
    u_ = state.u;
    contacts_.resize(static_cast<std::size_t>(model.contacts()));
    for (ContactNow& contact : contacts_) {
        contact = continues_ ? contact.as_told() : ContactNow{};
    }
    bounced_.clear();
    report_.h_s = settings.time_step_s;
    report_.solve.status = SolveStatus::Converged;
    memory_.piece_count = 0;
    memory_.strikes.clear();
    scratch_.events.clear();
    if (memory_.log) *memory_.log = {};
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
                "by piece, but uniqueness is proved only for analytic data");
    }
    if (x_->system().velocity_coupling) {
        finding("velocity_coupling", "a force on one particle in contact depends on the velocity of another: "
                                     "the series are computed, but uniqueness is not proved "
                                     "(Charles and Ballard 2014, hypothesis (iii))");
    }
    const Energies before = energies(model_, q_, u_, t_s_, scratch_.work);
    start_until();
    look_at_start();
    if (report_.status != StepStatus::Solved && report_.status != StepStatus::NotSolved) return report_;
    ended_ = until_reached();  // by an impact at the start
    while (left_s() > 0 && !ended_) {
        // somebody stopped the run: the state stays where the report began
        if (solver_.is_stopped()) {
            report_.status = StepStatus::NotSolved;
            return report_;
        }
        if (++events_ > settings_.max_events) {
            fail(StepStatus::NotFinite, "too many events between two reports");
            return report_;
        }

        // the series of the motion and the statuses of its contacts (PS-4), (PS-5)
        if (!expand()) return report_;

        // impacts that accumulate, and slip in space that ends, are passed at once (PS-9), (PS-11)
        double h = next_length();
        if (pass_accumulation(h) || pass_collapse() || pass_joint_collapse() || pass_nested_accumulation() ||
            pass_slip_end()) {
            if (report_.status != StepStatus::Solved) return report_;
            ended_ = until_reached();
            until_at_zero_ = false;
            continue;
        }
        if (h < 1e-6 * left_s() && w_.happening.empty() && rest_what_rounding_moves()) continue;
        h = settle_length(h);
        if (!(h > 4e-16 * std::abs(t_s_)) && h < left_s() && w_.happening.empty()) {
            if (rest_what_rounding_moves()) continue;
            if (reaches_painleve()) return report_;
            fail(
                StepStatus::NotFinite,
                fmt::format(
                    "the series converge nowhere beyond {:.9g} s: the motion ends there or becomes unbounded",
                    t_s_));
            return report_;
        }

        if (goes_too_slowly(h)) return report_;

        // to the first event, and what happens there (PS-7), (PS-8)
        advance(h, h);
        ended_ = until_reached();
        until_below_ = until_value() < 0;  // until the events of this instant
        until_at_zero_ = false;
        if (!treat()) return report_;
        ended_ = ended_ || until_reached();
    }
    report_.at_end = energies(model_, q_, u_, t_s_, scratch_.work);
    report_.energy.kinetic_J = report_.at_end.kinetic_J - before.kinetic_J;
    report_.energy.potential_J = report_.at_end.potential_J - before.potential_J;
    finish();
    return report_;
}

/// Expansions that become ever so slowly longer: slip in space that has hardly begun follows its force within
/// |U_T|/(W r), and a series with it. With lengths that grow like exp(g t) about 1/(g h) of them are left,
/// and never more than time/h; if that is more than max_events leaves for this report, it is said now
/// (PS-19).
bool SeriesEngine::goes_too_slowly(double h)
{
    constexpr int window = 500;
    if (!w_.happening.empty()) quiet_ = 0;
    if (quiet_++ % window != 0) return false;
    const bool measured = quiet_ > 1;
    const double growth = measured ? std::log(h / quiet_h_) / (t_s_ - quiet_s_) : 0.0;
    quiet_s_ = t_s_;
    quiet_h_ = h;
    if (!measured) return false;
    const double needed = growth > 0 ? std::min(left_s(), 1 / growth) / h : left_s() / h;
    if (needed <= 10.0 * settings_.max_events) return false;
    finding(
        "undecided",
        fmt::format("at {:.9g} s expansions are {:.2e} s long, and about {:.1e} of them would lead to the "
                    "next report, more than integrator.max_events allows: slip that has hardly begun follows "
                    "its force too fast for the series. Use a shorter integrator.time_step_s, a larger "
                    "integrator.max_events, or integrator.kind = \"moreau\"",
                    t_s_, h, needed));
    report_.findings.back().uncertifies = true;
    report_.status = StepStatus::Undetermined;
    return true;
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
    if (memory_.log) log_statuses();
}

/// On by s; the defect is measured where the series are trusted.
void SeriesEngine::advance(double s, double trusted_s)
{
    if (s > 0) {
        const int n = model_.coordinates(), K = x_->order();
        account(s, K - 1);
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
        keep_directions(s);
        for (int i = 0; i < n; ++i) {
            q_[i] = series_value(x_->q(i), K, s);
            u_[i] = series_value(x_->u(i), K, s);
        }
        done_s_ = s >= left_s() ? settings_.time_step_s : done_s_ + s;
        t_s_ = start_s_ + done_s_;
    }
    forget_instant();
}

/// On by a time that is too short for forces to change, but longer than the series are trusted: terms beyond
/// the acceleration are left out.
void SeriesEngine::advance_with_constant_forces(double s)
{
    constexpr int order = 2;
    const int n = model_.coordinates();
    account(s, order - 1);
    keep_directions(0);
    SeriesPiece& piece = new_piece();
    piece.t_s = t_s_;
    piece.h_s = s;
    piece.order = order;
    piece.q.clear();
    piece.u.clear();
    for (int i = 0; i < n; ++i) {
        piece.q.insert(piece.q.end(), x_->q(i), x_->q(i) + order + 1);
        piece.u.insert(piece.u.end(), {x_->u(i)[0], x_->u(i)[1], 0.0});
    }
    keep_reactions(piece);
    for (SeriesPiece::Reaction& reaction : piece.reactions) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(reaction.dimension); ++i) {
            double* kept = reaction.r.data() + i * (order + 1);  // before what is still to be read
            kept[0] = reaction.r[i * x_->stride()];
            std::fill_n(kept + 1, order, 0.0);
        }
        reaction.r.resize(static_cast<std::size_t>(reaction.dimension) * (order + 1));
    }
    for (int i = 0; i < n; ++i) {
        q_[i] = series_value(x_->q(i), order, s);
        u_[i] = series_value(x_->u(i), order - 1, s);
    }
    done_s_ = s >= left_s() ? settings_.time_step_s : done_s_ + s;
    t_s_ = start_s_ + done_s_;
    defect_ = -1;
    forget_instant();
}

/// Directions of slip in space at s: where it ends the velocity has none any more.
void SeriesEngine::keep_directions(double s)
{
    const int K = x_->order() - 1;
    for (const Player& one : x_->players()) {
        ContactNow& contact = contacts_[static_cast<std::size_t>(one.known.contact)];
        const bool slides = one.dimension == 3 && one.friction == FrictionStatus::Slip && one.may_act();
        contact.slip_frame = slides ? one.frame : -1;
        if (!slides) continue;
        const std::vector<double>& from = one.known.at_rest ? one.U : one.d;
        const std::size_t first = one.known.at_rest ? 1 : 0;
        const auto at = [&](std::size_t i) { return series_value(from.data() + i * x_->stride(), K, s); };
        contact.slip_rad = std::atan2(at(first + 1), at(first));
    }
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

}  // namespace carom::detail
