#include "series_order.hpp"

#include "core/dense.hpp"
#include "expression/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom::detail {
namespace {

constexpr int max_combinations = 4096;
constexpr long max_leads = 2;  ///< directions that begin together and are searched for uniqueness

}  // namespace

/// mu r_N of order p, with the static mu where the contact is at rest.
double OrderProblem::threshold(const Player& one, bool at_rest, double r_n) const
{
    const ContactPrograms& c = *one.programs;
    const std::size_t place = at_rest ? c.mu_static_at() : c.mu_at();
    const double* mu = one.rows->output(place);
    const double rest = one.rows->is_constant(place) ? 0 : convolution(mu, x_.series(one.r, 0), p_, 1, p_);
    return mu[0] * r_n + rest;
}

/// What directions of slip are found against.
void OrderProblem::scales()
{
    for (int k = 0; k < count(); ++k) {
        Player& one = player(k);
        one.scale = x_.scale_.segment(one.offset, one.dimension).maxCoeff();
    }
}

bool OrderProblem::all_decided() const
{
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        if (one.normal == NormalStatus::Undecided || one.begins_in_space()) return false;
        if (one.may_act() && one.friction == FrictionStatus::Undecided && !one.polar) return false;
    }
    return true;
}

/// What every contact may do at this order.
void OrderProblem::list_options()
{
    work_.options.clear();
    work_.first_option.clear();
    const auto add = [&](Mode mode, int side = 0) { work_.options.push_back({mode, side}); };
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        work_.first_option.push_back(static_cast<int>(work_.options.size()));
        if (!one.may_act()) {
            add(Mode::Off);
        } else if (p_ == 0 && one.known.no_reaction) {
            add(Mode::Hold);
        } else if (one.friction == FrictionStatus::None || one.polar) {
            add(Mode::Frictionless);
        } else if (one.friction == FrictionStatus::Slip) {
            add(one.begins_in_space() ? Mode::Onset : Mode::Slide, one.side);
        } else if (one.friction == FrictionStatus::Stick || (p_ == 0 && one.known.at_threshold)) {
            add(Mode::Stick);
        } else {
            add(Mode::Stick);
            if (one.dimension == 3) add(one.lead < 0 ? Mode::Lead : Mode::Onset);
            if (one.dimension == 2 && one.side >= 0) add(Mode::Slide, 1);
            if (one.dimension == 2 && one.side <= 0) add(Mode::Slide, -1);
            if (one.normal == NormalStatus::Undecided) add(Mode::Off);
        }
    }
    work_.first_option.push_back(static_cast<int>(work_.options.size()));
}

ExpansionStatus OrderProblem::solve()
{
    scales();
    if (island_.decided) {
        proceed();
        return ExpansionStatus::Good;
    }
    if (p_ == 0 && presses_by_its_friction()) return take_frictionless() ? solve() : ExpansionStatus::Loads;
    // loads that are not determined have come to the edge of a cone: others may be inside of all (PS-20)
    if (p_ == 0 && is_at_edge() && loads_may_differ() && hold_by_inner_loads()) return ExpansionStatus::Good;
    list_options();
    return enumerate();
}

/// Whether a contact at rest in space has reactions that change nothing and press it: its body cannot move in
/// all directions (M88 17). Static friction is greater than dynamic friction there, and which pressure was
/// chosen would decide when it slips.
bool OrderProblem::presses_by_its_friction()
{
    constexpr double nothing = 1e-12;
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        if (!one.may_act() || !one.known.at_rest || one.polar || one.dimension != 3) continue;
        if (one.friction == FrictionStatus::None) continue;
        // what is left of W_NN when the surface holds the contact: nothing, if friction alone can press it
        const auto W = [&](int i, int j) { return x_.W_(one.offset + i, one.offset + j); };
        const int first = W(1, 1) >= W(2, 2) ? 1 : 2, second = 3 - first;
        if (!(W(first, first) > 0)) continue;
        const auto rest = [&](int i, int j) { return W(i, j) - W(i, first) * W(first, j) / W(first, first); };
        double normal = rest(0, 0);
        if (rest(second, second) > nothing * W(first, first))
            normal -= rest(0, second) * rest(0, second) / rest(second, second);
        if (normal > nothing * W(0, 0)) continue;
        x_.trouble_ = one.known.contact;
        return true;
    }
    return false;
}

/// Whether the event where the expansion begins is that a load has come to the edge of its cone, of several.
bool OrderProblem::is_at_edge() const
{
    if (count() < 2) return false;
    for (int k = 0; k < count(); ++k) {
        if (player(k).known.no_reaction || player(k).known.at_threshold) return true;
    }
    return false;
}

/// Everything is decided: equations and matrix are those of the order before.
void OrderProblem::proceed()
{
    work_.choices.swap(island_.choices);
    work_.unknowns.swap(island_.unknowns);
    base();
    right_hand_side();
    work_.z.resize(work_.unknowns.size());
    if (!work_.unknowns.empty()) island_.factor.solve(work_.right, work_.z);
    reactions();
    if (x_.bounding_) {
        work_.in.resize(work_.unknowns.size());
        std::iota(work_.in.begin(), work_.in.end(), 0);
        bound_solution(island_.factor);
        work_.bounded = true;
    }
    for (int k = 0; k < count(); ++k) {
        if (player(k).polar) particle_onset(player(k));
    }
    work_.choices.swap(island_.choices);
    work_.unknowns.swap(island_.unknowns);
}

/// The next combination of options; false after the last one.
bool OrderProblem::next_choices()
{
    for (std::size_t k = 0; k < work_.index.size(); ++k) {
        const bool last = ++work_.index[k] == work_.first_option[k + 1];
        if (last) work_.index[k] = work_.first_option[k];
        work_.choices[k] = work_.options[static_cast<std::size_t>(work_.index[k])];
        if (!last) return true;
    }
    return false;
}

/// One contact whose normal reaction wins over what friction does to U_N: what was found is all there is.
bool OrderProblem::unique_where_found() const
{
    if (count() > 1) return false;
    const Player& one = player(0);
    double coupling = 0;
    for (int i = 1; i < one.dimension; ++i) {
        coupling = std::hypot(coupling, x_.W_(one.offset, one.offset + i));
    }
    const double mu = one.programs->friction ? one.rows->output(one.programs->mu_static_at())[0] : 0;
    const double side = std::max(-one.programs->low, one.programs->high);
    return x_.W_(one.offset, one.offset) > mu * side * coupling;
}

/// All combinations of what the undecided contacts may do: exactly one must hold.
ExpansionStatus OrderProblem::enumerate()
{
    work_.index.assign(work_.first_option.begin(), work_.first_option.end() - 1);
    work_.choices.clear();
    double combinations = 1;
    for (std::size_t k = 0; k < work_.index.size(); ++k) {
        combinations *= work_.first_option[k + 1] - work_.first_option[k];
        work_.choices.push_back(work_.options[static_cast<std::size_t>(work_.index[k])]);
    }
    x_.trouble_ = player(0).known.contact;
    if (combinations > max_combinations) return ExpansionStatus::TooMany;
    if (combinations == 1 && p_ == 0 && slides_coupled()) {
        const auto status = test_matrix();
        if (status == ExpansionStatus::NotPMatrix) return try_all_sets();
        if (status != ExpansionStatus::Good) return status;
    }
    const int answers = count_answers(false);
    return answer(answers > 0 ? answers : count_answers(true));
}

/// Combinations that hold, those with few or those with many directions of slip that begin together.
int OrderProblem::count_answers(bool many_leads)
{
    int answers = 0;
    do {
        const long leads = std::ranges::count(work_.choices, Mode::Lead, &Choice::mode);
        if (leads > 1) x_.untested_directions_ = true;
        if ((leads > max_leads) != many_leads) continue;
        const int more = try_choices();
        if (more > 0 && answers == 0) {
            work_.found = work_.choices;
            work_.found_directions = work_.directions;
        }
        answers += more;
        if (answers > 1 || (answers == 1 && unique_where_found())) break;
    } while (next_choices());
    return answers;
}

/// Whether contacts at rest hold each other so that their loads are not determined: W of them is singular.
bool OrderProblem::loads_may_differ() const
{
    std::vector<int> rows;
    int resting = 0;
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        if (!one.may_act() || !one.known.at_rest || one.dimension < 2) continue;
        ++resting;
        for (int i = 0; i < one.dimension; ++i) {
            rows.push_back(one.offset + i);
        }
    }
    if (resting == 0) return false;
    const auto size = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd W(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index j = 0; j < size; ++j) {
            W(i, j) = x_.W_(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
        }
    }
    return FullLu(W, 1e-12).rank() < size;
}

/// Takes the one combination that holds, or says what is wrong.
ExpansionStatus OrderProblem::answer(int answers)
{
    if (answers == 0) {
        // of loads that are not determined one choice was tried; others may hold (PS-20)
        if (loads_may_differ()) {
            if (take_frictionless()) return solve();
            return hold_by_inner_loads() ? ExpansionStatus::Good : ExpansionStatus::Loads;
        }
        return x_.untested_directions_ ? ExpansionStatus::Onset : ExpansionStatus::NoSolution;
    }
    if (answers > 1) {
        // between both coefficients of friction it goes on as it was: the first, sticking
        bool by_law = false, stuck = p_ == 0;
        for (int k = 0; k < count(); ++k) {
            const Player& one = player(k);
            by_law = by_law || one.programs->distinct_static;
            const bool was_open = one.friction == FrictionStatus::Undecided && !one.polar;
            const bool sticks = work_.found[static_cast<std::size_t>(k)].mode == Mode::Stick;
            stuck = stuck && (!was_open || (sticks && one.known.stuck));
        }
        if (!by_law && !stuck) return ExpansionStatus::SeveralSolutions;
        if (!by_law) x_.several_at_ = x_.trouble_;
    }
    work_.choices = work_.found;
    std::size_t j = 0;
    for (int k = 0; k < count(); ++k) {
        if (work_.choices[static_cast<std::size_t>(k)].mode != Mode::Lead) continue;
        player(k).d[0] = work_.found_directions[j][0];
        player(k).d[x_.stride_] = work_.found_directions[j++][1];
    }
    list_unknowns();
    if (!solve_equations()) return ExpansionStatus::NoSolution;
    const bool pressed = std::ranges::any_of(work_.z_in, [](double z) { return z != 0; });
    if (!work_.in.empty() && work_.system.dependent() && pressed) x_.selected_ = true;
    commit();
    return ExpansionStatus::Good;
}

/// Contacts that slide must leave one answer whatever the forces are (PS-5).
ExpansionStatus OrderProblem::test_matrix()
{
    list_unknowns();
    matrix();
    switch (normal_matrix_is_p()) {
    case PMatrix::Yes: break;
    case PMatrix::No: return ExpansionStatus::NotPMatrix;
    case PMatrix::NotTested: x_.untested_matrix_ = true; break;
    }
    return ExpansionStatus::Good;
}

bool OrderProblem::slides_coupled() const
{
    for (int k = 0; k < count(); ++k) {
        if (work_.choices[static_cast<std::size_t>(k)].mode != Mode::Slide) continue;
        const Player& one = player(k);
        for (int l = 0; l < count(); ++l) {
            for (int i = 1; i < one.dimension; ++i) {
                if (std::abs(x_.W_(player(l).offset, one.offset + i)) > 1e-12 * x_.W_(one.offset, one.offset))
                    return true;
            }
        }
    }
    return false;
}

bool OrderProblem::all_hold() const
{
    for (int k = 0; k < count(); ++k) {
        if (!holds(k, work_.choices[static_cast<std::size_t>(k)])) return false;
    }
    return true;
}

/// Whether what an undecided contact was supposed to do is what it does.
bool OrderProblem::holds(int k, const Choice& choice) const
{
    const Player& one = player(k);
    if (one.friction != FrictionStatus::Undecided || one.polar || !one.may_act()) return true;
    if (p_ == 0 && (one.known.no_reaction || one.known.at_threshold)) return true;
    const double r_n = x_.r_[one.offset], small_a = zero_acceleration(one), small_r = zero_reaction(one);
    if (choice.mode == Mode::Off) return x_.dU_[one.offset] > small_a;
    if (one.normal == NormalStatus::Undecided && r_n < -small_r) return false;
    if (choice.mode == Mode::Slide) return choice.side * x_.dU_[one.offset + 1] > small_a;
    if (choice.mode == Mode::Lead || choice.mode == Mode::Onset) {
        const auto at = static_cast<std::size_t>(choice.mode == Mode::Lead ? 0 : p_ - one.lead);
        return (p_ + 1) * one.sigma[at] > small_a;
    }

    // sticks: within the threshold
    if (one.dimension == 3) return onset_margin(one) >= -zero_margin(one);
    const double bound = threshold(one, true, r_n), r_t = x_.r_[one.offset + 1];
    const bool lower = r_t >= one.programs->low * bound - small_r;
    const bool upper = r_t <= one.programs->high * bound + small_r;
    return (one.side < 0 || lower) && (one.side > 0 || upper);
}

void OrderProblem::commit()
{
    need_bounds();
    for (int k = 0; k < count(); ++k) {
        Player& one = player(k);
        const Choice& choice = work_.choices[static_cast<std::size_t>(k)];
        if (one.polar) particle_onset(one);
        if (one.normal == NormalStatus::Undecided) commit_normal(one);
        if (one.dimension == 3 && one.known.at_rest && !one.polar && one.may_act()) commit_onset(one, choice);
        if (one.friction == FrictionStatus::Undecided && one.may_act() && one.dimension == 2) {
            commit_friction(one, choice);
        }
    }
    if (p_ > 0 && all_decided()) decide();
}

/// From here on every order has the same equations.
void OrderProblem::decide()
{
    list_options();
    work_.choices.clear();
    for (std::size_t k = 0; k + 1 < work_.first_option.size(); ++k) {
        work_.choices.push_back(work_.options[static_cast<std::size_t>(work_.first_option[k])]);
    }
    list_unknowns();
    matrix();
    if (!work_.unknowns.empty()) {
        island_.factor.factor(work_.M, static_cast<int>(work_.unknowns.size()));
        if (island_.factor.dependent()) return;
    }
    island_.choices = work_.choices;
    island_.unknowns = work_.unknowns;
    island_.decided = true;
}

void OrderProblem::commit_normal(Player& one)
{
    if (p_ == 0 && one.known.no_reaction) return;
    double& r_n = x_.r_[one.offset];
    double& dU_n = x_.dU_[one.offset];
    if (dU_n > zero_acceleration(one)) {
        one.normal = NormalStatus::Inactive;
        one.normal_leading = dU_n;
        r_n = 0;
    } else if (r_n > zero_reaction(one)) {
        one.normal = NormalStatus::Active;
        one.normal_leading = r_n;
        dU_n = 0;
    } else {
        r_n = dU_n = 0;
        return;
    }
    one.normal_order = p_;
}

/// In the plane.
void OrderProblem::commit_friction(Player& one, const Choice& choice)
{
    if (p_ == 0 && (one.known.no_reaction || one.known.at_threshold)) return;
    if (choice.mode == Mode::Slide) {
        one.friction = FrictionStatus::Slip;
        one.side = choice.side;
        one.friction_order = p_;
        one.friction_leading = x_.dU_[one.offset + 1];
        return;
    }
    if (choice.mode != Mode::Stick) return;
    const double small_r = zero_reaction(one);
    const double bound = threshold(one, true, x_.r_[one.offset]);
    const double lower = x_.r_[one.offset + 1] - one.programs->low * bound;
    const double upper = one.programs->high * bound - x_.r_[one.offset + 1];
    const bool at_lower = lower <= small_r, at_upper = upper <= small_r;
    if (one.side == 0 && at_lower != at_upper) one.side = at_lower ? 1 : -1;
    const double margin = one.side > 0 ? lower : one.side < 0 ? upper : std::min(lower, upper);
    if (margin <= small_r) return;
    one.friction = FrictionStatus::Stick;
    one.friction_order = p_;
    one.friction_leading = margin;
}

}  // namespace carom::detail
