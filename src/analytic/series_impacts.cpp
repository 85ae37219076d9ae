#include "series_engine.hpp"

#include "stepping/step_parts.hpp"

#include "carom/convex/polyhedra.hpp"
#include "carom/system/lagrangian/geometry.hpp"
#include "core/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

/// Flights this much lower than the rounding of their gap are no longer followed (PS-9).
constexpr double lost_part = 1e-2;

constexpr double impact_rounding = 1e-12;  ///< of a velocity, against what it is the difference of
constexpr double impact_tolerance = 1e-13;

void make_soft(Law& law)
{
    if (auto* unilateral = std::get_if<Unilateral>(&law)) unilateral->restitution = 0;
    if (auto* coulomb = std::get_if<Coulomb>(&law)) coulomb->restitution = 0;
}

}  // namespace

/// The contacts of an impact: those hit, and those that touch and meet them through A.
std::vector<int> SeriesEngine::struck_with(const std::vector<int>& hit, const Metric& A)
{
    std::vector<int> all = hit;
    for (const ContactNow& contact : contacts_) {
        const int c = contact.known.contact;
        if (contact.closed && std::ranges::find(hit, c) == hit.end()) all.push_back(c);
    }
    std::ranges::sort(all);
    const ImpactContacts rows = impact_contacts_at(model_, q_, u_, all, t_s_);
    Eigen::MatrixXd W(rows.rows.rows(), rows.rows.rows());
    for (Eigen::Index i = 0; i < W.cols(); ++i) {
        W.col(i) = rows.rows * A.solve(rows.rows.row(i).transpose());
    }
    std::vector<char> reached(all.size(), 0);
    for (std::size_t k = 0; k < all.size(); ++k) {
        reached[k] = std::ranges::find(hit, all[k]) != hit.end() ? 1 : 0;
    }
    const auto meet = [&](std::size_t k, std::size_t l) {
        const int a = rows.offsets[k], b = rows.offsets[l];
        const auto block = W.block(a, b, rows.offsets[k + 1] - a, rows.offsets[l + 1] - b);
        return block.cwiseAbs().maxCoeff() > 1e-13 * std::sqrt(W(a, a) * W(b, b));
    };
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t k = 0; k < all.size(); ++k) {
            for (std::size_t l = 0; l < all.size() && reached[k] == 0; ++l) {
                if (reached[l] == 0 || !meet(k, l)) continue;
                reached[k] = 1;
                grown = true;
            }
        }
    }
    std::vector<int> result;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (reached[k] != 0) result.push_back(all[k]);
    }
    return result;
}

/// A velocity jump at this instant (PS-8): by the map of the model, or by the laws of its contacts; `soft`:
/// without restitution.
bool SeriesEngine::strike(const std::vector<int>& hit, bool soft, EventKind kind)
{
    const auto A = metric_at(model_, q_);
    if (!A) return fail(StepStatus::MetricSingular, A.error().message);
    const std::vector<int> contacts = struck_with(hit, *A);
    // a formula that has just changed its piece is in the next one some roundings later
    const bool flipped = flip_s_ == t_s_ && flips_ > 0;
    const double later_s = flipped ? 1e-14 * std::abs(t_s_) : 0;
    ImpactContacts closed = impact_contacts_at(model_, flipped ? Eigen::VectorXd(q_ + later_s * u_) : q_, u_,
                                               contacts, t_s_ + later_s);
    for (Law& law : closed.laws) {
        if (auto checked = check(law); !checked)
            return fail(StepStatus::LawOutOfRange, checked.error().message);
        if (soft) make_soft(law);
    }
    const Eigen::Index size = closed.rows.rows();
    Eigen::MatrixXd AiHt(u_.size(), size);
    for (Eigen::Index i = 0; i < size; ++i) {
        AiHt.col(i) = A->solve(closed.rows.row(i).transpose());
    }
    const Eigen::MatrixXd W = closed.rows * AiHt;
    Eigen::VectorXd U_minus = closed.rows * u_ + closed.b;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const ContactNow& contact = contacts_[static_cast<std::size_t>(contacts[k])];
        if (contact.closed) U_minus[closed.offsets[k]] = 0;  // it touched: zero by status
        if (contact.closed && contact.known.at_rest) {
            U_minus.segment(closed.offsets[k], closed.dimension(static_cast<int>(k))).setZero();
        }
    }

    SeriesJump jump;
    if (memory_.log) {
        for (const int c : contacts) {
            jump.touched.push_back(contacts_[static_cast<std::size_t>(c)].closed ? 1 : 0);
        }
        jump.u_minus = u_;
    }
    Eigen::VectorXd P = Eigen::VectorXd::Zero(size);
    if (model_.system().impact_map && !soft) {
        const Eigen::MatrixXd H = gap_gradients_at(model_, q_, contacts, t_s_);
        const ImpactSite site{.A = *A, .H = H, .closed = closed, .contacts = contacts, .q = q_, .t_s = t_s_};
        const Impact impact = model_.system().impact_map(site, u_);
        if (impact.u_plus.size() != u_.size() || !impact.u_plus.allFinite())
            return fail(StepStatus::LawOutOfRange, "the impact map gave no velocity");
        report_.map_acted = true;
        report_.map = admissibility(*A, closed, u_, impact);
        P = impact.percussions_Ns.size() == size ? impact.percussions_Ns
                                                 : percussions_of_jump(*A, closed, impact.u_plus - u_);
        u_ = impact.u_plus;
    } else {
        const auto problem = make_problem(W, U_minus, U_minus, closed.laws);
        if (!problem) return fail(StepStatus::NotFinite, problem.error().message);
        SolverSettings settings = solver_;
        settings.tolerance = impact_tolerance;
        const SolveReport solved =
            solve_selected(*problem, settings, {P.data(), static_cast<std::size_t>(size)}, scratch_.solver);
        if (solved.status == SolveStatus::NotFinite)
            return fail(StepStatus::NotFinite, "an impact is not finite");
        tell_other_motions(contacts, "m/s");
        if (solved.proof) {
            std::vector<std::string> names;
            for (const int k : solved.proof->interactions) {
                const int contact = contacts[static_cast<std::size_t>(k)];
                names.push_back(model_.system().contacts[static_cast<std::size_t>(contact)].name);
            }
            report_.status = StepStatus::NotSolved;
            finding("no_solution", in_words(*solved.proof, names));
        } else {
            if (solved_to(solved.residual) > solved_to(report_.solve.residual)) report_.solve = solved;
            if (!is_solved(report_.solve.residual, solver_.tolerance)) report_.status = StepStatus::NotSolved;
        }
        u_ += AiHt * P;
    }
    if (memory_.log) {
        jump.contacts = contacts;
        jump.offsets = closed.offsets;
        jump.u_plus = u_;
        jump.P = P;
        jump.U_minus = U_minus;
        jump.U_plus = U_minus + W * P;
        jump.soft = soft;
        logged_instant().jumps.push_back(std::move(jump));
    }
    double fastest = 0;
    for (const int at : closed.offsets) {
        if (at < size) fastest = std::max(fastest, -U_minus[at]);
    }
    memory_.strikes.push_back({t_s_, contacts, fastest});
    if (memory_.strikes.size() > 12) memory_.strikes.pop_front();
    after_impact(contacts, closed, U_minus, P, W, kind);
    project_configuration();
    return true;
}

/// What is closed now, what rests, what left; events and books of the impact.
void SeriesEngine::after_impact(const std::vector<int>& contacts, const ImpactContacts& closed,
                                const Eigen::VectorXd& U_minus, const Eigen::VectorXd& P,
                                const Eigen::MatrixXd& W, EventKind kind)
{
    const Eigen::VectorXd U_plus = U_minus + W * P;
    report_.accuracy.held_back_J += P.dot(W * P) / 2;
    const Eigen::VectorXd met = U_minus.cwiseAbs() + W.cwiseAbs() * P.cwiseAbs();
    bounced_.clear();
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        ContactNow& contact = contacts_[static_cast<std::size_t>(contacts[k])];
        const int at = closed.offsets[k], d = closed.dimension(static_cast<int>(k));
        const bool touched = contact.closed;
        const double mean = (U_minus[at] + U_plus[at]) / 2, energy = P[at] * mean;
        const double friction =
            P.segment(at + 1, d - 1).dot(U_minus.segment(at + 1, d - 1) + U_plus.segment(at + 1, d - 1)) / 2;
        report_.energy.impact_J += energy;
        report_.energy.friction_J += friction;
        report_.energy.prescribed_motions_J -= P.segment(at, d).dot(closed.b.segment(at, d));
        contact.energy_J += energy;
        contact.friction_J += friction;
        for (int i = 0; i < d; ++i) {
            const auto component = static_cast<std::size_t>(i);
            contact.P[component] += P[at + i];
            if (!contact.acted) contact.U_minus[component] = U_minus[at + i];
            contact.U_plus[component] = U_plus[at + i];
        }
        contact.acted = true;
        if (P[at] * W(at, at) > impact_rounding * met[at] || !touched) {
            tell(kind, contacts[k], P[at], U_minus[at], U_plus[at], energy + friction);
        }

        const bool stays = U_plus[at] <= impact_rounding * met[at];
        contact.closed = stays;
        if (stays) {
            contact.known.at_rest = d > 1 && U_plus.segment(at + 1, d - 1).norm() <=
                                                 impact_rounding * met.segment(at + 1, d - 1).sum();
        } else {
            if (contact.told_closed) tell(EventKind::ContactLost, contacts[k], 0, 0, U_plus[at], 0);
            contact.told_closed = contact.slid = contact.stuck = false;
            contact.gap_is_zero = true;
            contact.gap_valuation = 1;
            if (U_minus[at] < 0) bounced_.push_back({contacts[k], U_minus[at], U_plus[at]});
        }
    }
}

/// What a gap changes by its obstacle's own motion.
double SeriesEngine::obstacle_m_s(int c)
{
    w_.H.resize(model_.support(c).size());
    return model_.gap_gradient(c, {view(q_), view(u_), t_s_}, w_.H, scratch_.work);
}

/// What roundings of configuration and time make of a gap (PS-9).
double SeriesEngine::gap_rounding_m(int c)
{
    const auto support = model_.support(c);
    double moved = std::abs(obstacle_m_s(c) * t_s_);
    for (std::size_t i = 0; i < support.size(); ++i) {
        moved += std::abs(w_.H[i] * q_[support[i]]);
    }
    return std::numeric_limits<double>::epsilon() * moved;
}

/// Impacts of one contact that follow each other ever faster (PS-9): the motion goes on for the time that all
/// of them take, then one soft impact brings what is left of the velocity to rest.
bool SeriesEngine::pass_accumulation(double h)
{
    if (bounced_.size() != 1) return false;
    const Bounce bounce = bounced_.front();
    const double* gap = x_->gap(bounce.contact);
    const double v = gap[1], a = -2 * gap[2], e = -bounce.after_m_s / bounce.before_m_s;
    if (!(a > 0) || !(e < 1) || !(v > 0)) return false;
    const double slow = settings_.accumulation_speed_m_s > 0
                            ? settings_.accumulation_speed_m_s
                            : std::max(1e-8 * std::sqrt(length_m() * a) * (1 - e),
                                       std::sqrt(2 * a * lost_part * gap_rounding_m(bounce.contact)));
    // one that ends where the report does, to rounding, ends there
    constexpr double roundings = 64 * std::numeric_limits<double>::epsilon();
    const double whole_s = 2 * v / (a * (1 - e)), rest_s = std::min(whole_s, left_s());
    if (!(v < slow) || whole_s - rest_s > roundings * std::abs(t_s_ + rest_s)) return false;
    // nothing else may happen meanwhile: its own next impact is what ends this expansion
    if (h < 0.999 * 2 * v / a) return false;
    w_.found.clear();
    if (scratch_.until != nullptr) watch_until(rest_s);
    if (!w_.found.empty()) return false;
    // (1 - e^2) v^2 / (2 W) of the next impact, e^2 of it of the one after
    const auto A = metric_at(model_, q_);
    if (!A) return false;
    const std::vector<int> who{bounce.contact};
    const Eigen::VectorXd n = gap_gradients_at(model_, q_, who, t_s_).row(0).transpose();
    const double W = n.dot(A->solve(n));
    const double before_m_s = obstacle_m_s(bounce.contact);
    accumulate(rest_s, who, {-v * v / (2 * W)});
    // the percussions act along the way, while the obstacle changes its velocity: sum P_i (rest_s - s_i) is
    // v e rest_s/((1 - e) W)
    report_.energy.prescribed_motions_J +=
        (obstacle_m_s(bounce.contact) - before_m_s) * v * e / ((1 - e) * W);
    return true;
}

/// Contacts that strike together with others that touch, without a force: their instants form a geometric
/// series.
bool SeriesEngine::pass_joint_collapse()
{
    const auto& strikes = memory_.strikes;
    if (bounced_.empty() || strikes.size() < 9 || strikes.back().t_s != t_s_) return false;
    const auto at = [&](std::size_t back) { return strikes[strikes.size() - 1 - back].t_s; };
    for (std::size_t period = 1; period <= 2; ++period) {
        const double last = at(0) - at(period), before = at(period) - at(2 * period);
        const double earlier = at(2 * period) - at(3 * period);
        const double ratio = last / before, ratio_before = before / earlier;
        if (!(ratio < 0.9) || !(std::abs(ratio - ratio_before) < 1e-2 * ratio)) continue;
        const double rest_s = last * ratio / (1 - ratio);
        if (rest_s * u_.cwiseAbs().maxCoeff() > 1e-10 * length_m() || rest_s > left_s()) continue;
        if (!(std::abs(ratio - ratio_before) < 1e-4 * ratio) && rest_s > 1e-14 * std::abs(t_s_)) continue;
        // forces must not matter any more: where they do, one contact bounces on its own
        const double* gap = x_->gap(bounced_.front().contact);
        if (!(std::abs(2 * gap[2]) * rest_s < 0.1 * gap[1])) continue;
        std::vector<int> hit;
        for (std::size_t k = 0; k < 2 * period; ++k) {
            const auto& struck = strikes[strikes.size() - 1 - k].contacts;
            hit.insert(hit.end(), struck.begin(), struck.end());
        }
        std::ranges::sort(hit);
        hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
        advance(rest_s, rest_s);
        if (memory_.log) log_cause(SeriesCause::Kind::Collapse, hit);
        return strike(hit, true, EventKind::Accumulation) || true;
    }
    return false;
}

/// Gaps that are zero by status are made so: the configuration moves by rounding, in the kinetic metric.
void SeriesEngine::project_configuration()
{
    std::vector<int>& closed = w_.closed_contacts;
    std::vector<double>& gaps = w_.gaps;
    closed.clear();
    gaps.clear();
    double largest = 0;
    for (const ContactNow& contact : contacts_) {
        if (!contact.closed) continue;
        const int c = contact.known.contact;
        closed.push_back(c);
        gaps.push_back(model_.gap_m(c, {view(q_), view(u_), t_s_}, scratch_.work));
        largest = std::max(largest, std::abs(gaps.back()));
    }
    if (closed.empty() || largest <= 4e-16 * std::max(q_.cwiseAbs().maxCoeff(), 1e-300)) return;
    const auto A = metric_at(model_, q_);
    if (!A) return;
    const Eigen::MatrixXd H = gap_gradients_at(model_, q_, closed, t_s_);
    Eigen::MatrixXd AiHt(u_.size(), H.rows());
    for (Eigen::Index i = 0; i < H.rows(); ++i) {
        AiHt.col(i) = A->solve(H.row(i).transpose());
    }
    const Eigen::Map<const Eigen::VectorXd> g(gaps.data(), H.rows());
    const Eigen::MatrixXd W = H * AiHt;
    q_ -= AiHt * LeastSquares(W).solve(g);
}

}  // namespace carom::detail
