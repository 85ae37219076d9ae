#include "friction_watch.hpp"

#include "core/dense.hpp"
#include "solver/one_contact.hpp"
#include "statuses.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

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
bool can_keep_sticking(const Coulomb& law, std::span<const double> W, const ContactStep& contact,
                       double P_before)
{
    const int d = contact.dimension;
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> block(
        W.data(), d, d);
    Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(contact.U_free.data(), d);
    b[0] += contact.shift_m_s;
    const Eigen::VectorXd P = -FullLu(block).solve(b);
    return is_in_cone(law, P) && P_before <= 2 * P[0];
}

/// Friction with a bound: Coulomb's law, not that of a rough surface.
const Coulomb* bounded_friction(const FrictionStep& step, const ContactStep& contact)
{
    const auto k = static_cast<std::size_t>(step.interaction(contact));
    const auto* law = std::get_if<Coulomb>(&step.problem->laws[k]);
    return law == nullptr || std::holds_alternative<FrictionRough>(law->shape) ? nullptr : law;
}

std::array<double, 3> normal_row(const FrictionStep& step, const ContactStep& contact)
{
    std::array<double, 3> W_N{};
    std::copy_n(step.problem->W.diagonal(step.interaction(contact)).begin(), contact.dimension, W_N.begin());
    return W_N;
}

/// A contact while firm constraints and joints hold (FR-9): the normal row of W, and the normal velocity that
/// forces alone leave.
struct HeldContact {
    std::array<double, 3> W_N{};
    double U_free_N = 0;
};

/// Firm interactions of a problem. More rows than these are not looked at.
constexpr int max_firm_rows = 120;

std::vector<int> firm_interactions(const OneStepProblem& problem)
{
    std::vector<int> firm;
    for (std::size_t k = 0; k < problem.laws.size(); ++k) {
        if (std::holds_alternative<Bilateral>(problem.laws[k])) firm.push_back(static_cast<int>(k));
    }
    return firm;
}

/// W - W_F W_FF^+ W_F^T and U_free - W_F W_FF^+ U_free,F, of the normal row. Nothing where W has not been
/// assembled, or firm rows are too many.
std::optional<HeldContact> hold(const OneStepProblem& problem, const std::vector<int>& firm, int contact)
{
    std::vector<int> first(problem.laws.size(), -1);
    int rows = 0;
    for (const int k : firm) {
        first[static_cast<std::size_t>(k)] = rows;
        rows += problem.offsets[k + 1] - problem.offsets[k];
    }
    if (rows > max_firm_rows) return std::nullopt;
    const int d = problem.offsets[contact + 1] - problem.offsets[contact];
    Eigen::MatrixXd W_FF = Eigen::MatrixXd::Zero(rows, rows), W_cF = Eigen::MatrixXd::Zero(d, rows);
    Eigen::VectorXd b_F(rows);
    const auto copy = [&](int from, int height, auto&& to) {
        for (const auto& entry : problem.W.row(from)) {
            const int at = first[static_cast<std::size_t>(entry.column)];
            if (at < 0) continue;
            const int width = problem.offsets[entry.column + 1] - problem.offsets[entry.column];
            const auto block = problem.W.block(from, entry);
            for (int i = 0; i < height; ++i) {
                for (int j = 0; j < width; ++j)
                    to(i, at + j) = block[static_cast<std::size_t>(i * width + j)];
            }
        }
    };
    for (const int k : firm) {
        const int at = first[static_cast<std::size_t>(k)],
                  height = problem.offsets[k + 1] - problem.offsets[k];
        copy(k, height, W_FF.middleRows(at, height));
        for (int i = 0; i < height; ++i)
            b_F[at + i] = problem.U_free[static_cast<std::size_t>(problem.offsets[k] + i)];
    }
    copy(contact, d, W_cF);
    // the rows of W_cF are combinations of those of W_FF, whatever its rank
    const Eigen::VectorXd x = FullLu(W_FF).solve(W_cF.row(0).transpose());
    HeldContact held;
    const auto W_cc = problem.W.diagonal(contact);
    for (int i = 0; i < std::min(d, 3); ++i)
        held.W_N[static_cast<std::size_t>(i)] = W_cc[static_cast<std::size_t>(i)] - W_cF.row(i).dot(x);
    held.U_free_N = problem.U_free[static_cast<std::size_t>(problem.offsets[contact])] - x.dot(b_F);
    return held;
}

/// The margin against slip in the direction of the contact is positive. `in_any`: that against slip in any
/// direction, as a part of W_NN, which is mostly enough to know.
bool keeps_sliding(const Coulomb& law, const std::array<double, 3>& W_N, double in_any,
                   const ContactStep& contact)
{
    constexpr double differences = 1e-6;  // what margin_of_sliding() may lose to them
    return (in_any > differences && W_N[0] > 0) || margin_of_sliding(law, W_N, contact) > 0;
}

/// Tells of a contact, and that it has been told.
void tell(const FrictionStep& step, const char* code, bool uncertifies, const char* words,
          ContactStep& contact, std::vector<Finding>& findings)
{
    findings.push_back({.code = code,
                        .time_s = step.ended_s,
                        .message = step.name(contact) + words,
                        .count = 1,
                        .uncertifies = uncertifies});
    contact.sliding_margin = 1;
}

void tell_several(const FrictionStep& step, ContactStep& contact, std::vector<Finding>& findings)
{
    tell(step, "several_continuations", true,
         " has W_NN <= mu |W_NT|, and its forces lift it: it may leave, or stay pressed by its own friction, "
         "and this is one of the two motions",
         contact, findings);
}

}  // namespace

void look_for_catastrophes(FrictionStep& step, std::vector<Finding>& findings)
{
    std::optional<std::vector<int>> firm;
    for (std::size_t k = 0; k < step.contacts.size(); ++k) {
        ContactStep& contact = step.contacts[k];
        if (!may_be_singular(contact, step.before[k])) continue;
        if ((step.recognised && !contact.persists) || step.before[k].collision) continue;
        const Coulomb* law = bounded_friction(step, contact);
        if (law == nullptr) continue;
        if (!firm) firm = firm_interactions(*step.problem);
        const auto held =
            firm->empty() ? std::nullopt : hold(*step.problem, *firm, step.interaction(contact));
        std::array<double, 3> W_N = held ? held->W_N : normal_row(step, contact);
        if (keeps_sliding(*law, W_N, held ? sliding_margin(*law, W_N) : contact.sliding_margin, contact)) {
            if (!firm->empty() || !step.normal_row_ahead(contact, W_N)) continue;
            if (keeps_sliding(*law, W_N, sliding_margin(*law, W_N), contact)) continue;
        }
        contact.singular = true;
        findings.push_back(
            {.code = "frictional_catastrophe",
             .time_s = step.ended_s,
             .message = fmt::format(
                 "the sliding velocity of {} jumps without a collision, a frictional catastrophe: the size "
                 "of the jump is not determined; carom study --repeat N --perturb-step shows the outcomes",
                 step.name(contact)),
             .uncertifies = true});
    }
}

void look_for_paradoxes(FrictionStep& step, std::vector<Finding>& findings)
{
    std::optional<std::vector<int>> firm;
    for (std::size_t k = 0; k < step.contacts.size(); ++k) {
        ContactStep& contact = step.contacts[k];
        const ContactMemory& before = step.before[k];
        if (contact.dimension == 1) continue;
        // where it slides, constraints and joints count
        std::optional<HeldContact> held;
        if (before.slides != 0 || before.closed == 0) {
            if (!firm) firm = firm_interactions(*step.problem);
            if (!firm->empty()) held = hold(*step.problem, *firm, step.interaction(contact));
        }
        if (!held && contact.sliding_margin > 0) continue;
        const Coulomb* law = bounded_friction(step, contact);
        if (law == nullptr) continue;
        if (held && !(margin_of_sliding(*law, held->W_N, contact) <= 0)) {
            contact.sliding_margin = 1;
            continue;
        }
        const bool touched = contact.persists || before.closed != 0;
        const bool collides = contact.U_minus[0] < -contact.rounding_m_s && !contact.persists;
        const double opens = held ? held->U_free_N : contact.U_free[0] + contact.shift_m_s;
        // where it stuck the step begins with what curvature makes of a velocity that was zero
        const bool slipped = before.closed != 0 ? before.slides != 0 : slid(contact);
        if (!slipped) {
            const bool lifts = touched && !collides && opens > contact.rounding_m_s;
            const auto W = step.problem->W.diagonal(step.interaction(contact));
            if (lifts && can_keep_sticking(*law, W, contact, before.percussion_Ns))
                tell_several(step, contact, findings);
            continue;
        }

        // the margin in the direction of slip decides, and where nothing else acts the forces tell how
        const std::array<double, 3> W_N = held ? held->W_N : normal_row(step, contact);
        contact.sliding_margin = margin_of_sliding(*law, W_N, contact) / W_N[0];
        if (contact.sliding_margin > 0 || !touched || collides || !step.acts_alone(contact)) continue;
        if (opens > contact.rounding_m_s) {
            tell_several(step, contact, findings);
        } else if (contact.singular || before.slides != 0) {
            contact.sliding_margin = 1;  // a catastrophe, named once in a slide (FR-6)
        } else {
            tell(step, "no_continuation", false,
                 " slides where W_NN <= mu |W_NT|, and its forces press it: no motion continues without a "
                 "velocity jump, and the size of the jump is not determined",
                 contact, findings);
        }
    }
}

}  // namespace carom
