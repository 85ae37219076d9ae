#include "core/dense.hpp"
#include "saltation.hpp"

#include <algorithm>
#include <cmath>

/// Slip in space that ends (OR-26). With U_T = S d, d at the angle phi and e across it,
///
///     S' = d.U_T'(phi),   S phi' = e.U_T'(phi),   time that is left  T = S f(phi),   f S' + f' (e.U_T') = -1
///
/// while forces stay as they are. The instant moves by the gradient of T, and U_T ends with both its
/// components.
namespace carom::detail {

/// A contact that stops: what its slip and its rate are, and what reactions do to its rate.
struct Saltation::Stop {
    Eigen::Vector2d U, rate;
    Rows slope;                           ///< of U_T, in all columns
    Eigen::MatrixXd W;                    ///< of all rows of contacts that act
    Eigen::VectorXd r;                    ///< their reactions
    std::vector<char> holds;              ///< per row: its velocity stays zero whatever reactions do
    std::vector<Eigen::Index> normal_of;  ///< per row: the normal row of its contact
    Eigen::Index first = 0;               ///< of the rows of the contact itself

    [[nodiscard]] bool is_alone() const;
    [[nodiscard]] Eigen::Vector2d rate_at(double phi) const;
};

namespace {

Eigen::Vector2d direction(double phi)
{
    return {std::cos(phi), std::sin(phi)};
}

Eigen::Vector2d across(double phi)
{
    return {-std::sin(phi), std::cos(phi)};
}

bool has(const std::vector<int>& contacts, int contact)
{
    return std::ranges::find(contacts, contact) != contacts.end();
}

}  // namespace

/// W_NT = 0, W_TT = w 1, and no other contact meets it.
bool Saltation::Stop::is_alone() const
{
    const double small = 1e-12 * W(first, first);
    for (Eigen::Index i = 0; i < W.rows(); ++i) {
        for (Eigen::Index j = first; j < first + 3; ++j) {
            if (i != j && std::abs(W(i, j)) > small) return false;
        }
    }
    return std::abs(W(first + 1, first + 1) - W(first + 2, first + 2)) <= small;
}

/// U_T' if slip had another direction: friction turns with it, rows that hold go on holding, and other
/// contacts that slide keep their directions.
Eigen::Vector2d Saltation::Stop::rate_at(double phi) const
{
    const Eigen::Index size = W.rows();
    const double mu = r.segment(first + 1, 2).norm() / r[first];
    const Eigen::Vector2d d = direction(phi);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    for (Eigen::Index i = 0; i < size; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (holds[k] != 0) {
            M.row(i) = W.row(i);
            continue;
        }
        const Eigen::Index normal = normal_of[k];
        const bool own = normal == first;
        const double part = own ? mu * d[i - first - 1] : r[normal] > 0 ? -r[i] / r[normal] : 0;
        M(i, i) = 1;
        M(i, normal) = part;
        right[i] = -r[i] - part * r[normal];
    }
    const Eigen::VectorXd change = LeastSquares(M).solve(right);
    return rate + W.middleRows(first + 1, 2) * change;
}

Saltation::Stop Saltation::stop_of(int contact, const VariationalPiece& before)
{
    const int n = system_.coordinates();
    Stop stop;
    auto place = system_.place(t_s_, before.q, before.u);
    Eigen::Index size = 0;
    for (const VariationalPiece::Reaction& one : before.reactions) {
        size += one.dimension;
    }
    Eigen::MatrixXd H(size, n);
    stop.r.resize(size);
    Eigen::VectorXd along_motion = Eigen::VectorXd::Zero(system_.columns() + 1);
    along_motion.head(n) = before.u;
    along_motion.segment(n, n) = before.a;
    along_motion[along_motion.size() - 1] = 1;
    Eigen::Index at = 0;
    for (const VariationalPiece::Reaction& one : before.reactions) {
        Differentiated& U =
            system_.contacts[static_cast<std::size_t>(one.contact)].U[static_cast<std::size_t>(one.frame)];
        U.at(place.point(), work_);
        H.middleRows(at, one.dimension) = U.slope.block(0, n, one.dimension, n);
        stop.r.segment(at, one.dimension) = one.r;
        for (int row = 0; row < one.dimension; ++row) {
            stop.holds.push_back(row == 0 || !one.slides ? 1 : 0);
            stop.normal_of.push_back(at);
        }
        if (one.contact == contact) {
            stop.first = at;
            stop.U = U.value.tail(2);
            stop.slope = U.slope.bottomRows(2);
            stop.rate = U.slope.bottomRows(2) * along_motion;
        }
        at += one.dimension;
    }
    stop.W = H * Ldlt(kinetic_matrix(system_, place, work_)).solve(Eigen::MatrixXd(H.transpose()));
    return stop;
}

bool Saltation::stop_moves(const SeriesCause& cause, const VariationalPiece& before, const Rows& X, Rows& out)
{
    constexpr double slow = 1e-10;    // of sqrt(L |S'|): what is left of slip is the error
    constexpr double settled = 3e-5;  // the error is the square of this angle
    constexpr double step = 1e-4;     // of differences, whose error counts only times that angle
    const bool slides = std::ranges::any_of(before.reactions, [&](const VariationalPiece::Reaction& one) {
        return one.contact == cause.contact && one.dimension == 3 && one.slides && one.r[0] > 0;
    });
    if (!slides) return lose("onset", cause.contact, "slip in space ends where nothing presses");
    const Stop stop = stop_of(cause.contact, before);
    const double S = stop.U.norm();
    if (!(S > 0) || !(S <= slow * std::sqrt(length_m_ * stop.rate.norm())))
        return lose("onset", cause.contact,
                    "slip in space ends too early for its derivatives: the order of the series is too high");
    stopped_.push_back(cause.contact);
    const Eigen::Vector2d d = stop.U / S;
    Eigen::Vector2d gradient;  // of the time that is left
    if (stop.is_alone()) {
        // constant F and R (PS-11): T = (R S + F.U_T) / (R^2 - F^2)
        const double R = stop.W(stop.first + 1, stop.first + 1) * stop.r.segment(stop.first + 1, 2).norm();
        const Eigen::Vector2d F = stop.rate + R * d;
        const double turn = std::abs(d[0] * F[1] - d[1] * F[0]);
        // straight against F: T = S / (R + |F|)
        if (d.dot(F) < 0 && turn <= settled * F.norm()) {
            opposed_.push_back(cause.contact);
            gradient = -d / d.dot(stop.rate);
        } else {
            gradient = (R * d + F) / (R * R - F.squaredNorm());
        }
    } else {
        if (stopped_.size() > 1)
            return lose("onset", cause.contact, "slip of several contacts in space ends together");
        // the direction that slip takes in the end
        const auto turns = [&](double phi) { return across(phi).dot(stop.rate_at(phi)); };
        const double now = std::atan2(stop.U[1], stop.U[0]);
        double phi = now;
        for (int k = 0; k < 20; ++k) {
            const double slope = (turns(phi + step) - turns(phi - step)) / (2 * step);
            const double change = turns(phi) / slope;
            if (!std::isfinite(change)) break;
            phi -= change;
            if (std::abs(change) <= 1e-14) break;
        }
        if (!(std::abs(phi - now) <= settled))
            return lose("onset", cause.contact, "slip in space ends while its direction still turns");
        const auto speed_rate = [&](double angle) { return direction(angle).dot(stop.rate_at(angle)); };
        const double f = -1 / speed_rate(phi);
        const double dS = (speed_rate(phi + step) - speed_rate(phi - step)) / (2 * step);
        const double dturns = (turns(phi + step) - turns(phi - step)) / (2 * step);
        if (dturns > 0) opposed_.push_back(cause.contact);
        gradient = f * direction(phi) - f * dS / (speed_rate(phi) + dturns) * across(phi);
    }
    out = gradient.transpose() * (stop.slope.leftCols(X.rows()) * X);
    return true;
}

/// U_T of a contact that has come to rest has no derivatives: what rounding and the last speed leave goes, by
/// a percussion along the rows that hold from now on. Across slip that beside it turns away, a change goes
/// like a power of the time that is left, however small (OR-27): there it tells nothing.
bool Saltation::take_out_slip(const VariationalPiece& before)
{
    constexpr double much = 1e-6;
    const int n = system_.coordinates();
    auto place = system_.place(t_s_, before.q, before.u);
    std::vector<Eigen::VectorXd> rows;
    std::vector<Rows> left;
    for (const VariationalPiece::Reaction& one : before.reactions) {
        const bool stops = has(stopped_, one.contact);
        Differentiated& U =
            system_.contacts[static_cast<std::size_t>(one.contact)].U[static_cast<std::size_t>(one.frame)];
        U.at(place.point(), work_);
        const Rows DU = along(U);
        const Rows size = U.slope.cwiseAbs() * D_.cwiseAbs();
        if (stops && !has(opposed_, one.contact) &&
            (DU.bottomRows(2).cwiseAbs() - much * size.bottomRows(2)).maxCoeff() > much * length_m_)
            return lose("onset", one.contact, "slip in space ends while its direction still turns");
        for (int row = 0; row < one.dimension; ++row) {
            if (row > 0 && one.slides && !stops) continue;
            rows.emplace_back(U.slope.row(row).segment(n, n).transpose());
            left.emplace_back(DU.row(row));
        }
    }
    Eigen::MatrixXd H(rows.size(), n);
    Rows DU(rows.size(), D_.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        H.row(static_cast<Eigen::Index>(i)) = rows[i].transpose();
        DU.row(static_cast<Eigen::Index>(i)) = left[i];
    }
    const Eigen::MatrixXd AiHt =
        Ldlt(kinetic_matrix(system_, place, work_)).solve(Eigen::MatrixXd(H.transpose()));
    D_.middleRows(n, n) -= AiHt * LeastSquares(H * AiHt).solve(DU);
    return true;
}

bool Saltation::rests_as_told(const std::vector<SeriesStatus>& after)
{
    for (const int contact : slid_) {
        const auto status = std::ranges::find(after, contact, &SeriesStatus::contact);
        if (status == after.end()) continue;
        const bool stopped = has(stopped_, contact);
        if (stopped && !status->sticks && !(has(opposed_, contact) && status->begins))
            return lose("onset", contact,
                        "slip in space comes to zero and goes on: its direction turns at once");
        if (!stopped && status->sticks)
            return lose("onset", contact, "slip of several contacts in space ends together");
    }
    return true;
}

}  // namespace carom::detail
