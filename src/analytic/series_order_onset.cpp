#include "series_order.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

/// Slip that begins in space: of a particle alone (PS-6), and of contacts that others or their own bodies
/// couple (PS-10).
namespace carom::detail {
namespace {

constexpr double onset_safety = 32;  ///< of bounds of rounding, as in series_rounding.cpp
constexpr double root_part = 1e-8;   ///< of the acceleration: a defect that is larger is that of a pole
constexpr double newton_part = 1e-14;
constexpr double pi = std::numbers::pi;
constexpr int scanned_angles = 96;
constexpr int starts = 6;  ///< of Newton's method, all directions turned from start to start
constexpr int max_newton_steps = 40;

double plane_dot(const std::array<double, 2>& x, const std::array<double, 2>& y)
{
    return x[0] * y[0] + x[1] * y[1];
}

}  // namespace

/// The tangential part of a particle in space that was at rest (PS-6).
void OrderProblem::particle_onset(Player& one)
{
    if (!one.may_act()) return;
    const int t = one.offset + 1;
    const double w = x_.W_(t, t);
    const bool acts = one.normal == NormalStatus::Active || x_.r_[one.offset] > 0;
    const double R = w * (acts ? threshold(one, !one.known.begins_slip, x_.r_[one.offset]) : 0);
    const Plane F{x_.e_[t], x_.e_[t + 1]};
    const double F_error = std::max(x_.e_error_[t], x_.e_error_[t + 1]);
    const double R_error = w * (acts ? threshold_error(one, !one.known.begins_slip) : 0);
    const bool held = p_ == 0 && (one.known.at_threshold || one.known.no_reaction);
    const double F_zero = onset_safety * F_error, R_zero = onset_safety * R_error;
    const bool late = p_ > x_.deciding_order();
    const double infinity = std::numeric_limits<double>::infinity();
    one.onset.add(p_, F, R, late ? infinity : F_zero, late ? infinity : R_zero, held);
    const auto acceleration = one.onset.acceleration(p_);
    for (int i = 0; i < 2; ++i) {
        x_.dU_[t + i] = acceleration[static_cast<std::size_t>(i)];
        x_.r_[t + i] = (x_.dU_[t + i] - F[static_cast<std::size_t>(i)]) / w;
        x_.r_error_[t + i] = (F_error + R_error) / w;
    }
    if (one.friction != FrictionStatus::Undecided || one.onset.answer() == SlipOnset::Answer::Undecided)
        return;
    one.friction =
        one.onset.answer() == SlipOnset::Answer::Slip ? FrictionStatus::Slip : FrictionStatus::Stick;
    one.friction_order = one.onset.decided_order();
    one.friction_leading = one.onset.leading();
}

/// How many motions the chosen modes allow: 0, 1, or 2 for several.
int OrderProblem::try_choices()
{
    work_.leads.clear();
    work_.directions.clear();
    for (int k = 0; k < count(); ++k) {
        if (work_.choices[static_cast<std::size_t>(k)].mode == Mode::Lead) work_.leads.push_back(k);
    }
    if (!work_.leads.empty() && leads_are_held()) return 0;
    if (work_.leads.size() == 1) return try_one_direction();
    if (work_.leads.size() > 1) return try_directions();
    list_unknowns();
    return solve_equations() && all_hold() ? 1 : 0;
}

/// Whether contacts that hold leave one of those that begin to slip no acceleration: its rows are combinations of
/// theirs, as those of a foot of a plate of which two others stick (PS-22). Where one of them opens instead, that is
/// another combination.
bool OrderProblem::leads_are_held() const
{
    constexpr double nothing = 1e-12;
    std::vector<int> held;
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        const Mode mode = work_.choices[static_cast<std::size_t>(k)].mode;
        if (mode == Mode::Off) continue;
        const int rows = mode == Mode::Stick ? one.dimension : 1;
        for (int i = 0; i < rows; ++i)
            held.push_back(one.offset + i);
    }
    const auto size = static_cast<Eigen::Index>(held.size());
    Eigen::MatrixXd W(size, size), of_lead(size, 2);
    Eigen::VectorXd e(size);
    for (Eigen::Index i = 0; i < size; ++i) {
        const int row = held[static_cast<std::size_t>(i)];
        e[i] = x_.e_[row];
        for (Eigen::Index j = 0; j < size; ++j)
            W(i, j) = x_.W_(row, held[static_cast<std::size_t>(j)]);
    }
    const LeastSquares factor(W, nothing);
    return std::ranges::any_of(work_.leads, [&](int k) {
        const Player& one = player(k);
        for (Eigen::Index i = 0; i < size; ++i) {
            for (int j = 0; j < 2; ++j)
                of_lead(i, j) = x_.W_(held[static_cast<std::size_t>(i)], one.offset + 1 + j);
        }
        const Eigen::MatrixXd combination = factor.solve(of_lead);
        for (int j = 0; j < 2; ++j) {
            const int row = one.offset + 1 + j;
            if (x_.W_(row, row) - combination.col(j).dot(of_lead.col(j)) > nothing * x_.W_(row, row))
                return false;
            if (std::abs(x_.e_[row] - combination.col(j).dot(e)) > nothing * one.scale) return false;
        }
        return true;
    });
}

/// Solves for given directions of the slips that begin; what is left across them.
bool OrderProblem::turn_to(std::span<const double> angles, std::vector<double>& defects)
{
    for (std::size_t j = 0; j < angles.size(); ++j) {
        Player& one = player(work_.leads[j]);
        one.d[0] = std::cos(angles[j]);
        one.d[x_.stride_] = std::sin(angles[j]);
    }
    list_unknowns();
    if (!solve_equations()) return false;
    defects.resize(angles.size());
    for (std::size_t j = 0; j < angles.size(); ++j) {
        const Player& one = player(work_.leads[j]);
        const Plane d = direction(one, 0);
        defects[j] = -d[1] * x_.dU_[one.offset + 1] + d[0] * x_.dU_[one.offset + 2];
        if (!std::isfinite(defects[j])) return false;
    }
    return true;
}

void OrderProblem::keep_directions(std::span<const double> angles)
{
    work_.directions.clear();
    for (const double angle : angles) {
        work_.directions.push_back({std::cos(angle), std::sin(angle)});
    }
}

/// One slip begins: every sign change of the defect around the circle is followed to its root.
int OrderProblem::try_one_direction()
{
    int answers = 0;
    const Player& one = player(work_.leads[0]);
    std::vector<double>& defect = work_.defects;
    const auto defect_at = [&](double angle) {
        const std::array<double, 1> angles{angle};
        return turn_to(angles, defect) ? defect[0] : std::numeric_limits<double>::quiet_NaN();
    };
    const double first = 0.1;  // not along an axis: roots of simple systems lie there
    double low = first, at_low = defect_at(low);
    for (int n = 1; n <= scanned_angles; ++n) {
        const double high = first + 2 * pi * n / scanned_angles;
        const double at_high = defect_at(high);
        if (at_low * at_high <= 0 && at_low != 0) {
            double a = low, b = high;
            for (int i = 0; i < 60 && b - a > 4e-16 * b; ++i) {
                const double middle = (a + b) / 2;
                (defect_at(middle) * at_low > 0 ? a : b) = middle;
            }
            // a pole changes sign too, and what slides backwards is no slip
            const std::array<double, 1> root{b};
            if (turn_to(root, defect) && std::abs(defect[0]) <= root_part * one.scale && all_hold()) {
                if (answers++ == 0) keep_directions(root);
            }
        }
        low = high;
        at_low = at_high;
    }
    return std::min(answers, 2);
}

/// Newton's method on all angles, from work_.angles.
bool OrderProblem::newton()
{
    const std::size_t m = work_.angles.size();
    for (int n = 0; n < max_newton_steps; ++n) {
        if (!turn_to(work_.angles, work_.defects)) return false;
        bool done = true;
        for (std::size_t j = 0; j < m; ++j) {
            done = done && std::abs(work_.defects[j]) <= newton_part * player(work_.leads[j]).scale;
        }
        if (done) return true;
        constexpr double part = 1e-7;
        work_.slopes.resize(m * m);
        std::vector<double> turned;
        for (std::size_t j = 0; j < m; ++j) {
            work_.trial = work_.angles;
            work_.trial[j] += part;
            if (!turn_to(work_.trial, turned)) return false;
            for (std::size_t i = 0; i < m; ++i) {
                work_.slopes[i * m + j] = (turned[i] - work_.defects[i]) / part;
            }
        }
        work_.step.resize(m);
        work_.turning.factor(work_.slopes, static_cast<int>(m));
        work_.turning.solve(work_.defects, work_.step);
        const double longest =
            std::abs(*std::ranges::max_element(work_.step, {}, [](double step) { return std::abs(step); }));
        const double damping = longest > 0.5 ? 0.5 / longest : 1;
        for (std::size_t j = 0; j < m; ++j) {
            work_.angles[j] -= damping * work_.step[j];
        }
        if (longest <= 1e-15) return true;
    }
    return false;
}

/// Several slips begin together: Newton's method from directions around those of the forces.
int OrderProblem::try_directions()
{
    int answers = 0;
    for (int start = 0; start < starts && answers < 2; ++start) {
        work_.angles.clear();
        for (const int k : work_.leads) {
            const Player& one = player(k);
            const double force = std::atan2(x_.e_[one.offset + 2], x_.e_[one.offset + 1]);
            work_.angles.push_back(force + 2 * pi * start / starts);
        }
        if (!newton() || !all_hold()) continue;
        bool known = answers > 0;
        for (std::size_t j = 0; known && j < work_.angles.size(); ++j) {
            const Plane d{std::cos(work_.angles[j]), std::sin(work_.angles[j])};
            known = plane_dot(d, work_.directions[j]) > 1 - 1e-8;
        }
        if (known) continue;
        if (answers++ == 0) keep_directions(work_.angles);
    }
    return answers;
}

/// Component of d_k along d_0, from |d| = 1.
double OrderProblem::along(const Player& one, int k) const
{
    double sum = k == 0 ? 1 : 0;
    for (int a = 1; a < k; ++a) {
        sum -= plane_dot(direction(one, a), direction(one, k - a)) / 2;
    }
    return sum;
}

/// r_T = -mu r_N d at order p > lead without r_N and d of that order (PS-10).
OrderProblem::Plane OrderProblem::onset_rest(const Player& one) const
{
    const int k = p_ - one.lead;
    const double lead_bound = one.bound[static_cast<std::size_t>(one.lead)];
    const double by_d0 = threshold(one, false, 0) + lead_bound * along(one, k);
    const Plane d = direction(one, 0);
    Plane rest{-by_d0 * d[0], -by_d0 * d[1]};
    for (int m = one.lead + 1; m < p_; ++m) {
        const Plane turned = direction(one, p_ - m);
        rest[0] -= one.bound[static_cast<std::size_t>(m)] * turned[0];
        rest[1] -= one.bound[static_cast<std::size_t>(m)] * turned[1];
    }
    return rest;
}

/// U_T' = (S d)' at order p > lead without sigma and the turning of that order (PS-10).
OrderProblem::Plane OrderProblem::onset_known(const Player& one) const
{
    const int k = p_ - one.lead;
    const Plane d = direction(one, 0);
    const double by_d0 = one.sigma[0] * along(one, k);
    Plane sum{by_d0 * d[0], by_d0 * d[1]};
    for (int a = 1; a < k; ++a) {
        const Plane turned = direction(one, k - a);
        sum[0] += one.sigma[static_cast<std::size_t>(a)] * turned[0];
        sum[1] += one.sigma[static_cast<std::size_t>(a)] * turned[1];
    }
    return {(p_ + 1) * sum[0], (p_ + 1) * sum[1]};
}

/// Coefficient p of mu r_N - |r_T| of one that sticks; the lower ones vanish.
double OrderProblem::onset_margin(const Player& one) const
{
    const double bound = threshold(one, !one.known.begins_slip, x_.r_[one.offset]);
    const Plane r{x_.r_[one.offset + 1], x_.r_[one.offset + 2]};
    if (one.lead < 0) return bound - std::hypot(r[0], r[1]);
    const int k = p_ - one.lead;
    double margin = bound + plane_dot(r, direction(one, 0)) -
                    one.bound[static_cast<std::size_t>(one.lead)] * along(one, k);
    for (int a = 1; a < k; ++a) {
        const auto at = static_cast<std::size_t>(one.lead + a);
        margin += plane_dot({x_.series(one.r, 1)[at], x_.series(one.r, 2)[at]}, direction(one, k - a));
    }
    return margin;
}

/// A margin that is not above is zero.
double OrderProblem::zero_margin(const Player& one) const
{
    double sum = zero_reaction(one);
    for (int k = 1; one.lead >= 0 && k <= p_ - one.lead; ++k) {
        const Plane d = direction(one, k);
        const auto at = static_cast<std::size_t>(p_ - k);
        const double bound = std::abs(one.bound[at]);
        sum += onset_safety * std::hypot(d[0], d[1]) * (one.r_error[at] + 1e-15 * bound);
    }
    return sum;
}

/// What order p says about a contact in space that was at rest, and the coefficients it gives to d and mu
/// r_N.
void OrderProblem::commit_onset(Player& one, const Choice& choice)
{
    if (choice.mode == Mode::Off || choice.mode == Mode::Hold) return;
    if (choice.mode == Mode::Lead || choice.mode == Mode::Onset) {
        commit_slip(one, choice);
        return;
    }
    if (one.friction != FrictionStatus::Undecided) return;
    const Plane r{x_.r_[one.offset + 1], x_.r_[one.offset + 2]};
    const double small_r = zero_reaction(one), r_size = std::hypot(r[0], r[1]);
    const double margin = onset_margin(one);
    one.bound[static_cast<std::size_t>(p_)] = threshold(one, !one.known.begins_slip, x_.r_[one.offset]);
    if (margin > zero_margin(one) && !(p_ == 0 && one.known.at_threshold)) {
        one.friction = FrictionStatus::Stick;
        one.friction_order = p_;
        one.friction_leading = margin;
    } else if (one.lead >= 0) {
        one.sigma[static_cast<std::size_t>(p_ - one.lead)] = 0;
        turn_with_reaction(one, r);
    } else if (r_size > small_r) {
        // at the threshold: slip would begin against the reaction
        one.lead = p_;
        one.sigma[0] = 0;
        one.bound[static_cast<std::size_t>(p_)] = r_size;
        one.d[0] = -r[0] / r_size;
        one.d[x_.stride_] = -r[1] / r_size;
    }
}

/// Slip that begins or has begun: d_k, sigma_k and the acceleration (S d)' they give.
void OrderProblem::commit_slip(Player& one, const Choice& choice)
{
    if (choice.mode == Mode::Lead) one.lead = p_;
    const int k = p_ - one.lead;
    const auto at = static_cast<std::size_t>(k);
    one.bound[static_cast<std::size_t>(p_)] = threshold(one, false, x_.r_[one.offset]);
    if (k > 0) {
        const Plane d = direction(one, 0);
        const double c = along(one, k);
        one.d[at] = c * d[0] - one.turn * d[1];
        one.d[x_.stride_ + at] = c * d[1] + one.turn * d[0];
    }
    if (one.friction == FrictionStatus::Undecided) {
        one.friction = FrictionStatus::Slip;
        one.friction_order = p_;
        one.friction_leading = (p_ + 1) * one.sigma[at];
    }
    Plane sum{};
    for (int a = 0; a <= k; ++a) {
        const Plane d = direction(one, k - a);
        sum[0] += one.sigma[static_cast<std::size_t>(a)] * d[0];
        sum[1] += one.sigma[static_cast<std::size_t>(a)] * d[1];
    }
    x_.dU_[one.offset + 1] = (p_ + 1) * sum[0];
    x_.dU_[one.offset + 2] = (p_ + 1) * sum[1];
}

/// d_k of one that sticks at its threshold, from r_T = -mu r_N d.
void OrderProblem::turn_with_reaction(Player& one, const Plane& r)
{
    const int k = p_ - one.lead;
    const Plane d = direction(one, 0), e{-d[1], d[0]};
    double sum = plane_dot(e, r);
    for (int m = one.lead + 1; m < p_; ++m) {
        sum += one.bound[static_cast<std::size_t>(m)] * plane_dot(e, direction(one, p_ - m));
    }
    const double turn = -sum / one.bound[static_cast<std::size_t>(one.lead)], c = along(one, k);
    one.d[static_cast<std::size_t>(k)] = c * d[0] + turn * e[0];
    one.d[x_.stride_ + static_cast<std::size_t>(k)] = c * d[1] + turn * e[1];
}

}  // namespace carom::detail
