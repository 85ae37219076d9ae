#include "series_order.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double zero_part = 1e-11;  ///< coefficients below this part of what they are made of are zero
constexpr int most_combinations = 4096;
constexpr int most_pivots = 500;

/// The friction of the interval at slip towards `side`: r_T = -side * factor * mu r_N.
double factor_of(const ContactPrograms& programs, int side)
{
    return side > 0 ? -programs.low : programs.high;
}

}  // namespace

OrderProblem::OrderProblem(Expansion& expansion, Island& island, int p)
    : x_(expansion), island_(island), p_(p)
{
}

/// mu r_N of order p, with the static mu where the contact is at rest.
double OrderProblem::threshold(const Player& one, bool at_rest, double r_n) const
{
    const ContactPrograms& c = *one.programs;
    const double* mu = one.rows->output(at_rest ? c.mu_static_at() : c.mu_at());
    const double* r = x_.series(one.r, 0);
    double sum = mu[0] * r_n;
    for (int i = 1; i <= p_; ++i) {
        sum += mu[i] * r[p_ - i];
    }
    return sum;
}

double OrderProblem::zero_acceleration(const Player& one) const
{
    return zero_part * std::max(one.scale_n, one.scale_t);
}

double OrderProblem::zero_reaction(const Player& one) const
{
    return zero_acceleration(one) / x_.W_(one.offset, one.offset);
}

/// What rounding is measured against: this order, and the lower ones carried on by the radius.
void OrderProblem::scales()
{
    for (int k = 0; k < count(); ++k) {
        Player& one = player(k);
        double normal = x_.scale_[one.offset], tangential = 0;
        for (int i = 1; i < one.dimension; ++i) {
            tangential = std::max(tangential, x_.scale_[one.offset + i]);
        }
        const double carried = x_.radius_ > 0 ? 1 / x_.radius_ : 0;
        one.scale_n = std::max(one.scale_n * carried, normal);
        one.scale_t = std::max(one.scale_t * carried, tangential);
    }
}

bool OrderProblem::all_decided() const
{
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        if (one.normal == NormalStatus::Undecided) return false;
        if (one.may_act() && one.friction == FrictionStatus::Undecided && !one.polar) return false;
    }
    return true;
}

std::vector<OrderProblem::Choice> OrderProblem::options(const Player& one) const
{
    if (!one.may_act()) return {{Mode::Off, 0}};
    if (p_ == 0 && one.known.no_reaction) return {{Mode::Hold, 0}};
    if (one.friction == FrictionStatus::None || one.polar) return {{Mode::Frictionless, 0}};
    if (one.friction == FrictionStatus::Slip) return {{Mode::Slide, one.side}};
    if (one.friction == FrictionStatus::Stick) return {{Mode::Stick, 0}};
    if (p_ == 0 && one.known.at_threshold) return {{Mode::Stick, 0}};
    std::vector<Choice> result{{Mode::Stick, 0}};
    if (one.dimension == 2) {
        if (one.side >= 0) result.push_back({Mode::Slide, 1});
        if (one.side <= 0) result.push_back({Mode::Slide, -1});
    }
    if (one.normal == NormalStatus::Undecided) result.push_back({Mode::Off, 0});
    return result;
}

ExpansionStatus OrderProblem::solve()
{
    scales();
    if (island_.factor) {
        // everything is decided: the matrix is that of the order before
        std::vector<Choice> choices;
        for (int k = 0; k < count(); ++k) {
            choices.push_back(options(player(k)).front());
        }
        list_unknowns(choices);
        if (!unknowns_.empty()) {
            right_.resize(static_cast<Eigen::Index>(unknowns_.size()));
            matrix(choices);
            z_ = island_.factor->solve(right_);
        }
        reactions(choices);
        return commit(choices);
    }

    // all combinations of what the undecided contacts may do; the first that holds counts
    std::vector<std::vector<Choice>> all;
    double combinations = 1;
    for (int k = 0; k < count(); ++k) {
        all.push_back(options(player(k)));
        combinations *= static_cast<double>(all.back().size());
    }
    if (combinations > most_combinations) {
        x_.words_ = "too many contacts are undecided at once";
        return ExpansionStatus::NoSolution;
    }
    std::vector<std::size_t> index(all.size(), 0);
    std::vector<Choice> found;
    Eigen::VectorXd found_dU;
    for (long n = 0; n < static_cast<long>(combinations); ++n) {
        std::vector<Choice> choices;
        for (std::size_t k = 0; k < all.size(); ++k) {
            choices.push_back(all[k][index[k]]);
        }
        for (std::size_t k = 0; k < all.size() && ++index[k] == all[k].size(); ++k) {
            index[k] = 0;
        }
        if (slides_coupled(choices) && p_ == 0) {
            list_unknowns(choices);
            matrix(choices);
            if (!is_p_matrix() && combinations == 1) {
                x_.trouble_ = player(0).known.contact;
                return ExpansionStatus::NotPMatrix;
            }
        }
        if (!try_choices(choices)) continue;
        const bool second_answer = !found.empty();
        if (second_answer) {
            x_.trouble_ = player(0).known.contact;
            const bool by_law = std::ranges::any_of(island_.players, [&](int k) {
                return x_.players_[static_cast<std::size_t>(k)].programs->distinct_static;
            });
            if (!by_law) return ExpansionStatus::SeveralSolutions;
            break;  // between both coefficients of friction it goes on as it was: the first, sticking
        }
        found = choices;
    }
    if (found.empty()) {
        x_.trouble_ = player(0).known.contact;
        const bool space = count() > 0 && player(0).dimension == 3;
        return space ? ExpansionStatus::Onset : ExpansionStatus::NoSolution;
    }
    if (!try_choices(found)) return ExpansionStatus::NoSolution;
    return commit(found);
}

bool OrderProblem::try_choices(const std::vector<Choice>& choices)
{
    list_unknowns(choices);
    if (!unknowns_.empty()) {
        matrix(choices);
        if (!pivot()) return false;
    }
    reactions(choices);
    for (int k = 0; k < count(); ++k) {
        if (!holds(k, choices[static_cast<std::size_t>(k)])) return false;
    }
    return true;
}

void OrderProblem::list_unknowns(const std::vector<Choice>& choices)
{
    unknowns_.clear();
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        const Mode mode = choices[static_cast<std::size_t>(k)].mode;
        if (mode == Mode::Off || mode == Mode::Hold) continue;
        const bool undecided = one.normal == NormalStatus::Undecided;
        const bool chosen = one.friction == FrictionStatus::Undecided && !one.polar;
        unknowns_.push_back({k, 0, undecided && !chosen, true});
        for (int i = 1; mode == Mode::Stick && i < one.dimension; ++i) {
            unknowns_.push_back({k, i, false, true});
        }
    }
}

/// mu d at order 0: r_T = -(mu d)_0 r_N + known.
double OrderProblem::mu_d0(const Player& one, const Choice& choice, int component) const
{
    if (choice.mode != Mode::Slide) return 0;
    if (one.dimension == 3) return x_.series(one.mu_d, component - 1)[0];
    return choice.side * factor_of(*one.programs, choice.side) * one.rows->output(one.programs->mu_at())[0];
}

/// The part of r_T at order p that lower orders of r_N give.
double OrderProblem::friction_rest(const Player& one, const Choice& choice, int component) const
{
    if (choice.mode != Mode::Slide) return 0;
    const double* r = x_.series(one.r, 0);
    double sum = 0;
    if (one.dimension == 3) {
        const double* mu_d = x_.series(one.mu_d, component - 1);
        for (int i = 1; i <= p_; ++i) {
            sum -= mu_d[i] * r[p_ - i];
        }
        return sum;
    }
    const double* mu = one.rows->output(one.programs->mu_at());
    for (int i = 1; i <= p_; ++i) {
        sum -= mu[i] * r[p_ - i];
    }
    return choice.side * factor_of(*one.programs, choice.side) * sum;
}

/// M z = right: equations dU = 0 of the unknowns, friction of sliding contacts eliminated.
void OrderProblem::matrix(const std::vector<Choice>& choices)
{
    const auto size = static_cast<Eigen::Index>(unknowns_.size());
    const bool known = island_.factor.has_value();
    if (!known) M_.resize(size, size);
    right_.resize(size);
    for (Eigen::Index a = 0; a < size; ++a) {
        const Unknown& row = unknowns_[static_cast<std::size_t>(a)];
        const int at = player(row.player).offset + row.component;
        double right = -x_.e_[at];
        for (int k = 0; k < count(); ++k) {
            const Choice& choice = choices[static_cast<std::size_t>(k)];
            if (choice.mode != Mode::Slide) continue;
            const Player& one = player(k);
            for (int i = 1; i < one.dimension; ++i) {
                right -= x_.W_(at, one.offset + i) * friction_rest(one, choice, i);
            }
        }
        right_[a] = right;
        for (Eigen::Index b = 0; b < size && !known; ++b) {
            const Unknown& column = unknowns_[static_cast<std::size_t>(b)];
            const Player& one = player(column.player);
            const Choice& choice = choices[static_cast<std::size_t>(column.player)];
            double entry = x_.W_(at, one.offset + column.component);
            for (int i = 1; choice.mode == Mode::Slide && i < one.dimension; ++i) {
                entry -= mu_d0(one, choice, i) * x_.W_(at, one.offset + i);
            }
            M_(a, b) = entry;
        }
    }
}

/// Murty's least-index pivoting: finite where M is a P-matrix.
bool OrderProblem::pivot()
{
    const auto size = static_cast<Eigen::Index>(unknowns_.size());
    for (int n = 0; n < most_pivots; ++n) {
        std::vector<Eigen::Index> in;
        for (Eigen::Index a = 0; a < size; ++a) {
            if (unknowns_[static_cast<std::size_t>(a)].in) in.push_back(a);
        }
        z_ = Eigen::VectorXd::Zero(size);
        if (!in.empty()) {
            const Eigen::MatrixXd M = M_(in, in);
            const Eigen::VectorXd right = right_(in);
            // dependent contacts: the motion is unique, the reactions are the shortest ones
            const Eigen::VectorXd z = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(M).solve(right);
            z_(in) = z;
        }
        const Eigen::VectorXd dU = M_ * z_ - right_;
        bool changed = false;
        for (Eigen::Index a = 0; a < size && !changed; ++a) {
            Unknown& one = unknowns_[static_cast<std::size_t>(a)];
            if (!one.complementary) continue;
            const Player& who = player(one.player);
            const bool pulls = one.in && z_[a] < -zero_reaction(who);
            const bool sinks = !one.in && dU[a] < -zero_acceleration(who);
            if (!pulls && !sinks) continue;
            one.in = !one.in;
            changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

/// r and dU = W r + e of the island; what equations ask for is exactly zero.
void OrderProblem::reactions(const std::vector<Choice>& choices)
{
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int i = 0; i < one.dimension; ++i) {
            x_.r_[one.offset + i] = i == 0 ? 0 : friction_rest(one, choices[static_cast<std::size_t>(k)], i);
        }
    }
    for (std::size_t a = 0; a < unknowns_.size(); ++a) {
        const Unknown& unknown = unknowns_[a];
        if (!unknown.in) continue;
        const Player& one = player(unknown.player);
        const Choice& choice = choices[static_cast<std::size_t>(unknown.player)];
        const double z = z_[static_cast<Eigen::Index>(a)];
        x_.r_[one.offset + unknown.component] += z;
        for (int i = 1; choice.mode == Mode::Slide && i < one.dimension; ++i) {
            x_.r_[one.offset + i] -= mu_d0(one, choice, i) * z;
        }
    }
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int i = 0; i < one.dimension; ++i) {
            double sum = x_.e_[one.offset + i];
            for (int l = 0; l < count(); ++l) {
                const Player& other = player(l);
                for (int j = 0; j < other.dimension; ++j) {
                    sum += x_.W_(one.offset + i, other.offset + j) * x_.r_[other.offset + j];
                }
            }
            x_.dU_[one.offset + i] = sum;
        }
        if (choices[static_cast<std::size_t>(k)].mode == Mode::Hold) x_.dU_[one.offset] = 0;
    }
    for (const Unknown& unknown : unknowns_) {
        if (unknown.in) x_.dU_[player(unknown.player).offset + unknown.component] = 0;
    }
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

    // sticks: within the threshold
    const double bound = threshold(one, true, r_n);
    if (one.dimension == 3)
        return std::hypot(x_.r_[one.offset + 1], x_.r_[one.offset + 2]) <= bound + small_r;
    const double r_t = x_.r_[one.offset + 1];
    const bool lower = r_t >= one.programs->low * bound - small_r;
    const bool upper = r_t <= one.programs->high * bound + small_r;
    return (one.side < 0 || lower) && (one.side > 0 || upper);
}

bool OrderProblem::slides_coupled(const std::vector<Choice>& choices) const
{
    for (int k = 0; k < count(); ++k) {
        if (choices[static_cast<std::size_t>(k)].mode != Mode::Slide) continue;
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

/// All principal minors positive: every order then has one solution.
bool OrderProblem::is_p_matrix() const
{
    const auto size = M_.rows();
    if (size > 12) return true;  // not tested: pivoting says when it fails
    for (long subset = 1; subset < (1L << size); ++subset) {
        std::vector<Eigen::Index> in;
        for (Eigen::Index a = 0; a < size; ++a) {
            if ((subset & (1L << a)) != 0) in.push_back(a);
        }
        const Eigen::MatrixXd minor = M_(in, in);
        if (!(minor.determinant() > 0)) return false;
    }
    return true;
}

ExpansionStatus OrderProblem::commit(const std::vector<Choice>& choices)
{
    for (int k = 0; k < count(); ++k) {
        Player& one = player(k);
        if (one.polar) onset(one);
        if (one.normal == NormalStatus::Undecided) commit_normal(one);
        if (one.friction == FrictionStatus::Undecided && one.may_act() && !one.polar) {
            commit_friction(one, choices[static_cast<std::size_t>(k)]);
        }
    }
    if (!island_.factor && all_decided()) {
        std::vector<Choice> decided;
        for (int k = 0; k < count(); ++k) {
            decided.push_back(options(player(k)).front());
        }
        list_unknowns(decided);
        matrix(decided);
        if (!unknowns_.empty() && p_ > 0) {
            Eigen::PartialPivLU<Eigen::MatrixXd> factor(M_);
            if (factor.rcond() > 1e-12) island_.factor = std::move(factor);
        }
    }
    return ExpansionStatus::Good;
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
    double margin = 0;
    if (one.dimension == 3) {
        margin = bound - std::hypot(x_.r_[one.offset + 1], x_.r_[one.offset + 2]);
    } else {
        const double lower = x_.r_[one.offset + 1] - one.programs->low * bound;
        const double upper = one.programs->high * bound - x_.r_[one.offset + 1];
        const bool at_lower = lower <= small_r, at_upper = upper <= small_r;
        if (one.side == 0 && at_lower != at_upper) one.side = at_lower ? 1 : -1;
        margin = one.side > 0 ? lower : one.side < 0 ? upper : std::min(lower, upper);
    }
    if (margin <= small_r) return;
    one.friction = FrictionStatus::Stick;
    one.friction_order = p_;
    one.friction_leading = margin;
}

/// The tangential part of a particle in space that was at rest (PS-6).
void OrderProblem::onset(Player& one)
{
    if (!one.may_act()) return;
    const int t = one.offset + 1;
    const double w = x_.W_(t, t);
    const bool acts = one.normal == NormalStatus::Active || x_.r_[one.offset] > 0;
    const double R = w * (acts ? threshold(one, !one.known.begins_slip, x_.r_[one.offset]) : 0);
    const std::array<double, 2> F{x_.e_[t], x_.e_[t + 1]};
    one.scale_t = std::max(one.scale_t, std::abs(R));
    const bool held = p_ == 0 && (one.known.at_threshold || one.known.no_reaction);
    one.onset.add(p_, F, R, zero_part, one.scale_t, held);
    const auto acceleration = one.onset.acceleration(p_);
    for (int i = 0; i < 2; ++i) {
        x_.dU_[t + i] = acceleration[static_cast<std::size_t>(i)];
        x_.r_[t + i] = (x_.dU_[t + i] - F[static_cast<std::size_t>(i)]) / w;
    }
    if (one.friction != FrictionStatus::Undecided || one.onset.answer() == SlipOnset::Answer::Undecided)
        return;
    one.friction =
        one.onset.answer() == SlipOnset::Answer::Slip ? FrictionStatus::Slip : FrictionStatus::Stick;
    one.friction_order = one.onset.decided_order();
    one.friction_leading = one.onset.leading();
}

}  // namespace carom::detail
