#include "step_derivative.hpp"

#include "core/dense.hpp"
#include "stepping/step_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

constexpr double step_rounding = 1e-6;  ///< of percussions: steps are solved to the tolerance of the solver

}  // namespace

StepDerivative::StepDerivative(VariationalSystem& system, const Model& model, const MoreauSettings& settings)
    : system_(system), model_(model), settings_(settings), curvatures_(system.contacts.size())
{
}

bool StepDerivative::lose(std::string kind, int contact, std::string words)
{
    loss = Loss{.kind = std::move(kind), .contact = contact, .words = std::move(words)};
    return false;
}

Differentiated& StepDerivative::curvature(int contact)
{
    auto& known = curvatures_[static_cast<std::size_t>(contact)];
    if (!known) known = system_.curvature_of(contact);
    return *known;
}

Rows StepDerivative::data(const Rows& dq, const Rows& du, const Rows& X) const
{
    const int n = system_.coordinates();
    Rows D = Rows::Zero(system_.columns() + 1, X.cols());
    D.topRows(n) = dq;
    D.middleRows(n, n) = du;
    D.middleRows(2 * n, system_.parameters()) = X.bottomRows(system_.parameters());
    return D;
}

bool StepDerivative::pass(const State& before, const State& after, double h_s, const Scratch& s, Rows& X)
{
    const int n = system_.coordinates();
    const double t_mid = before.t_s + h_s / 2;
    percussions.clear();
    strikes = false;
    loss.reset();
    if (std::ranges::any_of(s.map_P, [](double P) { return P != 0; }))
        return lose("map", -1, "an impact map acts in this step, which is not differentiated in steps");

    // contacts are taken half-way, or at the end of a free step (MS-1)
    const bool at_end = settings_.cone_point == ConePoint::End;
    t_cone_s_ = at_end ? before.t_s + h_s : t_mid;
    const Rows dq = X.topRows(n), du = X.middleRows(n, n);
    dq_cone_ = dq + (at_end ? h_s : h_s / 2) * du;

    if (is_at_switch(before, t_mid, s, data(dq + h_s / 2 * du, du, X)))
        return lose("formula", -1, "the step is where a formula changes from one piece to the other");

    // free velocity (MS-2), one-step problem (MS-3), second half of the way (MS-4)
    const Rows Du_free = free_velocity(before, t_mid, h_s, s, X);
    if (!Du_free.allFinite()) return lose("formula", -1, "a formula has no finite derivative here");
    Rows Du_end = Du_free;
    if (!s.contacts.empty() && !solve(before, t_mid, h_s, s, X, Du_free, Du_end)) return false;
    X.topRows(n) = dq + h_s / 2 * (du + Du_end);
    X.middleRows(n, n) = Du_end;

    // correction (MS-5)
    Eigen::VectorXd moved;
    carom::move(s.q_mid, after.u, h_s / 2, moved);
    correct(moved, after, s, X);
    return true;
}

/// A function that chooses pieces of formulas vanishes half-way, and other data move it.
bool StepDerivative::is_at_switch(const State& before, double t_mid, const Scratch& s, const Rows& D)
{
    Differentiated& switches = system_.switches;
    if (switches.value.size() == 0) return false;
    switches.at(system_.place(t_mid, s.q_mid, before.u).point(), work_);
    const double nothing = VariationalSystem::switch_rounding *
                           std::max(s.q_mid.cwiseAbs().maxCoeff(), before.u.cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < switches.value.size(); ++i) {
        if (std::abs(switches.value[i]) > nothing) continue;
        if ((switches.slope.row(i).cwiseAbs() * D.cwiseAbs()).maxCoeff() > 0) return true;
    }
    return false;
}

/// A (u_free - u) = h K(q_mid, u), and a second time at the mean velocity.
Rows StepDerivative::free_velocity(const State& before, double t_mid, double h_s, const Scratch& s,
                                   const Rows& X)
{
    const int n = system_.coordinates();
    const Rows du = X.middleRows(n, n), dq_mid = X.topRows(n) + h_s / 2 * du;
    Eigen::VectorXd u_at = before.u;
    Rows du_at = du, da;
    for (int k = 0; k < settings_.force_passes; ++k) {
        auto place = system_.place(t_mid, s.q_mid, u_at);
        const Ldlt A(kinetic_matrix(system_, place, work_));
        system_.balances.at(place.point(), work_);
        const Eigen::VectorXd a = A.solve(system_.balances.value);
        for (int i = 0; i < n; ++i) {
            place.q[static_cast<std::size_t>(system_.acceleration_at(i))] = a[i];
        }
        system_.balances.at(place.point(), work_);
        da = A.solve(system_.balances.slope * data(dq_mid, du_at, X));
        u_at = before.u + h_s / 2 * a;
        du_at = du + h_s / 2 * da;
    }
    return du + h_s * da;
}

/// A (u_end - u_free) = H^T P with the laws, on the branch of the solution.
bool StepDerivative::solve(const State& before, double t_mid, double h_s, const Scratch& s, const Rows& X,
                           const Rows& Du_free, Rows& Du_end)
{
    const int n = system_.coordinates();
    const auto size = static_cast<int>(s.P.size());
    const Rows dq_mid = X.topRows(n) + h_s / 2 * X.middleRows(n, n);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + size, n + size);
    Rows right = Rows::Zero(n + size, X.cols());
    auto place = system_.place(t_mid, s.q_mid, before.u);
    M.topLeftCorner(n, n) = kinetic_matrix(system_, place, work_);
    for (int i = 0; i < n; ++i) {
        place.q[static_cast<std::size_t>(system_.acceleration_at(i))] = s.u_end[i] - s.u_free[i];
    }
    system_.kinetic.at(place.point(), work_);
    right.topRows(n) =
        M.topLeftCorner(n, n) * Du_free - system_.kinetic.slope * data(dq_mid, Rows::Zero(n, X.cols()), X);
    const double largest = std::abs(*std::ranges::max_element(s.P, {}, [](double P) { return std::abs(P); }));
    std::vector<LawRows> all;
    for (std::size_t k = 0; k < s.contacts.size(); ++k) {
        auto rows = rows_of(before, h_s, s, k, X);
        if (!rows) return false;
        loss = add_law_rows(*rows, largest, n, M, right);
        if (loss) return false;
        strikes = strikes || (s.persists[k] == 0 && rows->P[0] > 0 && rows->U_minus[0] < 0);
        all.push_back(std::move(*rows));
    }
    const Rows solution = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(M).solve(right);
    Du_end = solution.topRows(n);
    for (const LawRows& rows : all) {
        percussions.push_back({.contact = rows.index,
                               .dP = solution.row(rows.first),
                               .dU_minus = rows.DU_minus.topRows(1),
                               .dU_plus = Rows(rows.DU_rest.topRows(1) + rows.H.topRows(1) * Du_end)});
    }
    return true;
}

/// What one contact did in the step. Nothing: its law is not differentiated.
std::optional<LawRows> StepDerivative::rows_of(const State& before, double h_s, const Scratch& s,
                                               std::size_t k, const Rows& X)
{
    const int n = system_.coordinates(), c = s.contacts[k].contact, at = s.problem.offsets[k],
              d = s.problem.offsets[k + 1] - at;
    auto& contact = system_.contacts[static_cast<std::size_t>(c)];
    const auto part = [&](const std::vector<double>& of) {
        return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(of.data() + at, d));
    };
    LawRows rows{.contact = &contact, .index = c, .first = n + at};
    rows.P = part(s.P);
    rows.U_minus = part(s.problem.U_minus);
    rows.U_plus = part(s.U_plus);
    rows.rounding = step_rounding;

    auto place = system_.place(t_cone_s_, s.q_cone, s.u_end);
    const std::size_t frame = d == 3 ? frame_of(model_, c, contact, place, work_) : 0;
    const Rows still = data(dq_cone_, Rows::Zero(n, X.cols()), X);
    const Rows moving = data(dq_cone_, X.middleRows(n, n), X);
    contact.U[frame].at(place.point(), work_);
    rows.H = contact.U[frame].slope.middleCols(n, n);
    rows.DU_rest = contact.U[frame].slope * still;
    for (int i = 0; i < d; ++i) {
        place.q[static_cast<std::size_t>(system_.reaction_at(contact.offset + i))] = rows.P[i];
    }
    contact.HT_r[frame].at(place.point(), work_);
    rows.HT_P = contact.HT_r[frame].slope * still;
    const auto start = system_.place(t_cone_s_, s.q_cone, s.u_start);
    contact.U[frame].at(start.point(), work_);
    rows.DU_minus = contact.U[frame].slope * moving;

    // the law as the step chose it: numbers of the law, their changes of the formulas
    contact.coefficients.at(start.point(), work_);
    const Rows changes = contact.coefficients.slope * moving;
    rows.De = rows.De_T = rows.Dmu = Rows::Zero(1, X.cols());
    const Law& law = s.problem.laws[k];
    rows.e = restitution(law);
    if (rows.e > 0) rows.De = changes.row(2);
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) {
        const bool is_known = std::holds_alternative<FrictionDisc>(coulomb->shape) ||
                              std::holds_alternative<FrictionInterval>(coulomb->shape) || contact.rough;
        if (!is_known) {
            lose("law", c, "friction of this shape is not differentiated in steps");
            return std::nullopt;
        }
        const std::span<const double> U_start(s.U_start.data() + at, static_cast<std::size_t>(d));
        rows.mu = coulomb->friction;
        rows.Dmu = changes.row(sticks_before(before, c, U_start) ? 1 : 0);
        rows.e_T = coulomb->tangential_restitution;
        if (rows.e_T > 0) rows.De_T = changes.row(3);
    } else if (!std::holds_alternative<Unilateral>(law)) {
        lose("law", c, "this law is not differentiated in steps");
        return std::nullopt;
    }
    if (s.persists[k] != 0 && !shift_of(h_s, s, k, moving, rows)) return std::nullopt;
    return rows;
}

/// The shift of a contact that persists (MS-9), differentiated: rows holds what it meets.
bool StepDerivative::shift_of(double h_s, const Scratch& s, std::size_t k, const Rows& moving, LawRows& rows)
{
    const int c = rows.index;
    const bool at_end = settings_.cone_point == ConePoint::End;
    const PersistentStep step{h_s, 0.5, at_end, settings_.activation_gap_m};
    auto place = system_.place(t_cone_s_, s.q_cone, s.u_start);
    Differentiated &gap = system_.contacts[static_cast<std::size_t>(c)].gap, &kappa = curvature(c);
    gap.at(place.point(), work_);
    kappa.at(place.point(), work_);
    const double bend = h_s * kappa.value[0];
    // a shift that is held back depends on reactions of the step before
    PersistentContact free{.gap_m = gap.value[0], .U_minus_m_s = rows.U_minus[0], .bend_m_s = bend};
    free.reach_m_s = 1e300;
    rows.shift = s.shift_m_s[k];
    const double wanted = persistent_shift_m_s(free, step);
    const double size = std::abs(wanted) + std::abs(rows.shift) + std::abs(rows.U_minus[0]) + std::abs(bend);
    if (std::abs(wanted - rows.shift) > 1e-9 * size)
        return lose("shift", c, "the scheme limits the correction of an overlap: the step is too long");

    // numbers of (MS-9) for theta = 1/2, contacts half-way or at the end
    const double gap_part = at_end ? h_s / 2 : h_s / 8;
    const bool beyond = std::abs(gap.value[0] - gap_part * bend) > settings_.activation_gap_m;
    const Rows dgap = gap.slope * moving, dbend = h_s * (kappa.slope * moving);
    Rows off = Rows::Zero(1, dgap.cols());
    if (beyond) off = dgap - gap_part * dbend;
    if (at_end) {
        off -= h_s / 2 * (rows.DU_minus.row(0) - dbend);
        rows.Dshift = off / (1.5 * h_s);
    } else {
        rows.Dshift = off / h_s + dbend / 2;
    }
    return true;
}

/// The correction, pass by pass: each begins where the one before has ended.
void StepDerivative::correct(const Eigen::VectorXd& q_moved, const State& after, const Scratch& s, Rows& X)
{
    if ((after.q - q_moved).cwiseAbs().maxCoeff() <= 4e-16 * q_moved.cwiseAbs().maxCoeff()) return;
    Eigen::VectorXd q = q_moved;
    std::vector<char> lifted(s.contacts.size(), 0);
    for (int pass = 0; pass < s.correction_passes; ++pass) {
        lift(after.t_s, s, lifted, q, X);
    }
}

/// The least displacement that makes linearised gaps zero again, of contacts that this pass or one before it has
/// `lifted`, and its derivative.
void StepDerivative::lift(double t_s, const Scratch& s, std::vector<char>& lifted, Eigen::VectorXd& q,
                          Rows& X)
{
    const int n = system_.coordinates();
    auto place = system_.place(t_s, q, Eigen::VectorXd::Zero(n));
    const Eigen::MatrixXd A = kinetic_matrix(system_, place, work_);
    const Ldlt factor(A);

    // A x = H^T P with g + H x = 0 for those that are pressed, or were in a pass before
    std::vector<std::size_t> active;
    for (std::size_t k = 0; k < s.contacts.size(); ++k) {
        if (s.lifted[static_cast<std::size_t>(s.contacts[k].contact)] != 0) active.push_back(k);
    }
    Eigen::MatrixXd H;
    Eigen::VectorXd P;
    for (bool settled = false; !settled;) {
        H.resize(static_cast<Eigen::Index>(active.size()), n);
        Eigen::VectorXd gaps(H.rows());
        for (Eigen::Index i = 0; i < H.rows(); ++i) {
            auto& contact = system_.contacts[static_cast<std::size_t>(
                s.contacts[active[static_cast<std::size_t>(i)]].contact)];
            contact.U[0].at(place.point(), work_);
            H.row(i) = contact.U[0].slope.row(0).segment(n, n);
            contact.gap.at(place.point(), work_);
            gaps[i] = contact.gap.value[0];
        }
        P = LeastSquares(H * factor.solve(H.transpose())).solve(-gaps);
        std::vector<std::size_t> pressed;
        for (std::size_t i = 0; i < active.size(); ++i) {
            if (lifted[active[i]] != 0 || P[static_cast<Eigen::Index>(i)] > 0) pressed.push_back(active[i]);
        }
        settled = pressed.size() == active.size();
        active = std::move(pressed);
    }
    if (active.empty()) return;
    const Eigen::VectorXd x = factor.solve(H.transpose() * P);

    const auto size = static_cast<Eigen::Index>(active.size());
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + size, n + size);
    Rows right = Rows::Zero(n + size, X.cols());
    const Rows D = data(X.topRows(n), Rows::Zero(n, X.cols()), X);
    M.topLeftCorner(n, n) = A;
    auto turned = place;
    for (int i = 0; i < n; ++i) {
        turned.q[static_cast<std::size_t>(system_.acceleration_at(i))] = x[i];
    }
    system_.kinetic.at(turned.point(), work_);
    right.topRows(n) = -system_.kinetic.slope * D;
    for (Eigen::Index i = 0; i < size; ++i) {
        const std::size_t k = active[static_cast<std::size_t>(i)];
        lifted[k] = 1;
        auto& contact = system_.contacts[static_cast<std::size_t>(s.contacts[k].contact)];
        M.block(0, n + i, n, 1) = -H.row(i).transpose();
        M.block(n + i, 0, 1, n) = H.row(i);
        auto pushed = place;
        pushed.q[static_cast<std::size_t>(system_.reaction_at(contact.offset))] = P[i];
        contact.HT_r[0].at(pushed.point(), work_);
        right.topRows(n) += contact.HT_r[0].slope * D;
        // g + H x = 0, and H x = U(x) - U(0)
        contact.gap.at(place.point(), work_);
        right.row(n + i) = -contact.gap.slope.row(0) * D;
        contact.U[0].at(system_.place(t_s, q, x).point(), work_);
        right.row(n + i) -= contact.U[0].slope.row(0) * D;
        contact.U[0].at(place.point(), work_);
        right.row(n + i) += contact.U[0].slope.row(0) * D;
    }
    const Rows solution = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(M).solve(right);
    X.topRows(n) += solution.topRows(n);
    q += x;
}

}  // namespace carom::detail
