#include "series_engine.hpp"

#include "stepping/step_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

/// Loads that are not determined, and other motions that satisfy all laws (PS-17).
namespace carom::detail {
namespace {

/// A contact that slides keeps its direction: its velocity, beside the accelerations of an instant.
constexpr double sliding_part = 1e3;

/// Of the accelerations at hand: what differs by less is the same motion. Directions of contacts that slide
/// turn by 1 / sliding_part.
constexpr double same_acceleration = 0.01;

/// Of a load: a larger leap between two expansions is none of rounding.
constexpr double load_leap = 1e-8;

constexpr double exact_accelerations = 1e-12;

}  // namespace

/// The findings of the last solve_selected() about these contacts.
void SeriesEngine::tell_other_motions(const std::vector<int>& contacts, const char* unit)
{
    for (const OtherMotion& other : scratch_.solver.selector.others()) {
        std::vector<std::string> names;
        for (const int k : other.interactions) {
            const int contact = contacts[static_cast<std::size_t>(k)];
            names.push_back(model_.system().contacts[static_cast<std::size_t>(contact)].name);
        }
        add_other_motion(other, t_s_, std::move(names), report_, unit);
    }
}

/// Contacts have begun to do something else: whether they might do otherwise. The problem of the
/// accelerations,
///
///     U' = W r + U'_free,    -(U' + s) in N_C(r)
///
/// is the one-step problem of an instant; the rule and the search for other motions are those of a step.
void SeriesEngine::look_for_other_motions()
{
    const auto players = x_->players();
    const bool rubs = std::ranges::any_of(players, [](const Player& one) { return one.programs->friction; });
    if (!rubs || !x_->is_coupled()) return;
    const int size = x_->local_size();
    Eigen::MatrixXd W(size, size);
    Eigen::VectorXd free(size), P = Eigen::VectorXd::Zero(size);
    for (int i = 0; i < size; ++i) {
        free[i] = x_->free_acceleration(i);
        for (int j = 0; j < size; ++j) {
            W(i, j) = x_->W(i, j);
        }
    }
    const double scale = free.cwiseAbs().maxCoeff();
    if (!(scale > 0)) return;
    std::vector<int> contacts;
    std::vector<Law> laws;
    for (const Player& one : players) {
        contacts.push_back(one.known.contact);
        laws.push_back(
            model_.law(one.known.contact, {view(q_), view(u_), t_s_}, one.known.at_rest, scratch_.work));
        if (auto* coulomb = std::get_if<Coulomb>(&laws.back())) {
            coulomb->restitution = coulomb->tangential_restitution = 0;
        } else if (auto* unilateral = std::get_if<Unilateral>(&laws.back())) {
            unilateral->restitution = 0;
        }
        if (one.dimension == 1 || one.known.at_rest) continue;
        double speed = 0;
        for (int i = 1; i < one.dimension; ++i) {
            speed = std::hypot(speed, x_->series(one.U, i)[0]);
        }
        for (int i = 1; speed > 0 && i < one.dimension; ++i) {
            free[one.offset + i] += sliding_part * scale * x_->series(one.U, i)[0] / speed;
        }
    }
    const auto problem = make_problem(W, free, free, laws);
    if (!problem) return;
    SolverSettings settings = solver_;
    settings.kind = SolverKind::Auto;
    settings.tolerance = exact_accelerations;
    const SolveReport solved =
        solve_selected(*problem, settings, {P.data(), static_cast<std::size_t>(size)}, scratch_.solver);
    SelectionReport& selection = report_.solve.selection;
    selection.unexamined += solved.selection.unexamined;
    if (solved.status != SolveStatus::Converged) return;
    tell_other_motions(contacts, "m/s^2");
    if (solved.selection.several > 0) return;

    // what the rule selects is another motion than the one that the statuses found
    const Eigen::VectorXd found = free + W * P;
    double difference = 0;
    OtherMotion other;
    for (std::size_t k = 0; k < players.size(); ++k) {
        const Player& one = players[k];
        double own = 0;
        for (int i = 0; i < (one.known.at_rest ? one.dimension : 1); ++i) {
            own = std::max(own, std::abs(found[one.offset + i] - x_->acceleration(one.offset + i)));
        }
        if (own > same_acceleration * scale) other.interactions.push_back(static_cast<int>(k));
        difference = std::max(difference, own);
    }
    if (other.interactions.empty()) return;
    other.difference_m_s = difference;
    std::vector<std::string> names;
    for (const int k : other.interactions) {
        names.push_back(
            model_.system().contacts[static_cast<std::size_t>(contacts[static_cast<std::size_t>(k)])].name);
    }
    add_other_motion(other, t_s_, std::move(names), report_, "m/s^2");
}

/// Loads that the rule has chosen: they must go on where the last expansion has left them. Where the
/// self-stress of the contacts turns, the rule held where that expansion began and nowhere else.
void SeriesEngine::look_at_loads()
{
    if (!x_->selected()) return;
    report_.solve.selection.selected = 1;
    if (memory_.piece_count == 0) return;
    const SeriesPiece& last = memory_.pieces[memory_.piece_count - 1];
    const auto players = x_->players();
    // while all of them stick the motion does not depend on their loads
    const auto slides = [](const Player& one) {
        return one.may_act() && one.friction == FrictionStatus::Slip;
    };
    if (std::ranges::none_of(players, slides)) return;
    double size = 0, leap = 0;
    for (const Player& one : players) {
        const ContactNow& contact = contacts_[static_cast<std::size_t>(one.known.contact)];
        const bool continues = one.may_act() && contact.told_closed && one.programs->friction &&
                               contact.slid == slides(one) && !contact.known.no_reaction;
        if (!continues && one.programs->friction) return;  // something begins here
        const double before = last.reaction_N(one.known.contact, last.h_s)[0];
        const double now = one.may_act() ? x_->series(one.r, 0)[0] : 0;
        size = std::max({size, std::abs(before), std::abs(now)});
        if (one.programs->friction) leap = std::max(leap, std::abs(now - before));
    }
    if (leap <= load_leap * size) return;
    finding(
        "loads_not_followed",
        fmt::format("at {:.9g} s loads that are not determined leap by {:.2g} of themselves: the rule that "
                    "selects them was followed at the instants where series begin, not in between; "
                    "friction depends on them. Use integrator.kind = \"moreau\"",
                    t_s_, leap / size));
    report_.findings.back().uncertifies = true;
}

}  // namespace carom::detail
