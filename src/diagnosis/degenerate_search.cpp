#include "degenerate_search.hpp"

#include "core/dense.hpp"
#include "state_samples.hpp"
#include "system/lagrangian/constraint_geometry.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// 60 steps: where gradients depend on each other a step only halves the distance.
constexpr int max_newton_steps = 60;

/// Larger systems would take longer than a moment.
constexpr int max_pulled_coordinates = 40, max_pulled_rows = 40;

}  // namespace

DegenerateSearch::DegenerateSearch(const Model& model, std::span<const int> contacts, double t_s,
                                   double length_m)
    : model_(model), contacts_(contacts.begin(), contacts.end()), t_s_(t_s), length_m_(length_m)
{
    // held positions first: they have values
    for (const bool held : {true, false}) {
        for (int i = model.contacts(); i < model.interactions(); ++i) {
            const ConstraintPart& part = model.part(i);
            if (part.limit < 0 && part.held == held && model.only_while(part.constraint) < 0)
                firm_.push_back(i);
        }
        if (held) held_ = static_cast<int>(contacts_.size() + firm_.size());
    }
}

int DegenerateSearch::size() const noexcept
{
    return static_cast<int>(contacts_.size() + firm_.size());
}

Eigen::VectorXd DegenerateSearch::values(const Eigen::VectorXd& q) const
{
    Workspace work;
    Eigen::VectorXd result(held_);
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(q.size());
    const Point at{view(q), view(u), t_s_};
    Eigen::Index k = 0;
    for (const int contact : contacts_)
        result[k++] = model_.gap_m(contact, at, work);
    std::vector<double> phi;
    for (; k < held_; ++k) {
        const ConstraintPart& part = model_.part(firm_[static_cast<std::size_t>(k) - contacts_.size()]);
        const ConstraintGeometry& geometry = model_.constraint(part.constraint);
        phi.resize(static_cast<std::size_t>(geometry.positions()));
        geometry.violations(at, phi, work);
        result[k] = phi[static_cast<std::size_t>(part.row)];
    }
    return result;
}

Eigen::MatrixXd DegenerateSearch::rows(const Eigen::VectorXd& q) const
{
    Workspace work;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(size(), q.size());
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(q.size());
    const Point at{view(q), view(u), t_s_};
    Eigen::Index k = 0;
    std::vector<double> entries, b;
    for (const int contact : contacts_) {
        const auto support = model_.support(contact);
        entries.resize(support.size());
        static_cast<void>(model_.gap_gradient(contact, at, entries, work));
        for (std::size_t p = 0; p < support.size(); ++p)
            H(k, support[p]) = entries[p];
        ++k;
    }
    for (const int i : firm_) {
        const ConstraintPart& part = model_.part(i);
        const ConstraintGeometry& geometry = model_.constraint(part.constraint);
        const auto support = geometry.support();
        entries.resize(support.size() * static_cast<std::size_t>(geometry.size()));
        b.resize(static_cast<std::size_t>(geometry.size()));
        model_.constraint_rows(part.constraint, at, entries, b, work);
        for (std::size_t p = 0; p < support.size(); ++p)
            H(k, support[p]) = entries[static_cast<std::size_t>(part.row) * support.size() + p];
        ++k;
    }
    return H;
}

Eigen::VectorXd DegenerateSearch::lengths(const Eigen::VectorXd& q) const
{
    const auto A = metric_at(model_, q);
    const Eigen::MatrixXd H = rows(q);
    if (!A || !H.allFinite()) return {};
    Eigen::VectorXd result(H.rows());
    for (Eigen::Index k = 0; k < H.rows(); ++k)
        result[k] = A->dual_norm(H.row(k).transpose());
    return result;
}

bool DegenerateSearch::close(Eigen::VectorXd& q) const
{
    if (held_ == 0) return true;
    Eigen::VectorXd value = values(q);
    for (int step = 0; step < max_newton_steps; ++step) {
        if (!(value.cwiseAbs().maxCoeff() > 1e-15 * length_m_)) break;
        const auto A = metric_at(model_, q);
        const Eigen::MatrixXd H = rows(q).topRows(held_);
        if (!A || !H.allFinite()) return false;
        const Eigen::MatrixXd G = A->whitened_covectors(H.transpose()).transpose();
        q -= A->unwhitened(LeastSquares(G).solve(value));
        if (!q.allFinite()) return false;
        value = values(q);
    }
    return value.cwiseAbs().maxCoeff() <= 1e-10 * length_m_;
}

Eigen::MatrixXd DegenerateSearch::unit_columns(const Eigen::VectorXd& usual, const Eigen::VectorXd& q) const
{
    const auto A = metric_at(model_, q);
    if (!A) return {};
    Eigen::MatrixXd G = A->whitened_covectors(rows(q).transpose());
    for (Eigen::Index k = 0; k < G.cols(); ++k) {
        if (usual[k] > 0) G.col(k) /= usual[k];
    }
    return G;
}

bool DegenerateSearch::pull(const Eigen::VectorXd& usual, Eigen::VectorXd& q) const
{
    const Eigen::Index n = q.size(), m = size();
    if (n > max_pulled_coordinates || m > max_pulled_rows || m == 0) return false;

    // unknowns: q, and the weights y of the combination that vanishes
    Eigen::MatrixXd G = unit_columns(usual, q);
    if (G.size() == 0 || !G.allFinite()) return false;
    const Svd svd(G, Eigen::ComputeFullV);
    Eigen::VectorXd y = svd.V().col(m - 1), at = q;
    const auto residual = [&](const Eigen::VectorXd& where, const Eigen::VectorXd& weights,
                              const Eigen::MatrixXd& columns) {
        Eigen::VectorXd r(held_ + n + 1);
        r << values(where) / length_m_, columns * weights, (weights.squaredNorm() - 1) / 2;
        return r;
    };
    Eigen::VectorXd r = residual(at, y, G);
    double damping = 1e-3;
    for (int step = 0; step < 40 && r.norm() > 1e-13; ++step) {
        Eigen::MatrixXd J = Eigen::MatrixXd::Zero(r.size(), n + m);
        const double h = 1e-6 * length_m_;
        for (Eigen::Index i = 0; i < n; ++i) {
            Eigen::VectorXd ahead = at, behind = at;
            ahead[i] += h, behind[i] -= h;
            const Eigen::MatrixXd G_ahead = unit_columns(usual, ahead),
                                  G_behind = unit_columns(usual, behind);
            if (G_ahead.size() == 0 || G_behind.size() == 0) return false;
            J.col(i) = (residual(ahead, y, G_ahead) - residual(behind, y, G_behind)) / (2 * h);
        }
        J.block(held_, n, n, m) = G;
        J.block(held_ + n, n, 1, m) = y.transpose();
        if (!J.allFinite()) return false;

        // Levenberg and Marquardt: shorter steps while the residual does not fall
        bool fell = false;
        for (int tries = 0; tries < 8 && !fell; ++tries) {
            Eigen::MatrixXd N = J.transpose() * J;
            N.diagonal().array() += damping * (1e-12 + N.diagonal().mean());
            const Eigen::VectorXd move = -Ldlt(N).solve(J.transpose() * r);
            const Eigen::VectorXd next = at + move.head(n), next_y = y + move.tail(m);
            const Eigen::MatrixXd next_G = next.allFinite() ? unit_columns(usual, next) : Eigen::MatrixXd();
            if (next_G.size() > 0 && next_G.allFinite()) {
                const Eigen::VectorXd next_r = residual(next, next_y, next_G);
                if (next_r.norm() < r.norm()) {
                    at = next, y = next_y, G = next_G, r = next_r;
                    damping = std::max(1e-15, damping / 10);
                    fell = true;
                    continue;
                }
            }
            damping *= 10;
        }
        if (!fell) break;
    }
    if (!(r.norm() < 1e-9)) return false;
    q = at;
    return true;
}

Eigen::MatrixXd free_gap_gradients(const Model& model, const Metric& A, const Eigen::VectorXd& q,
                                   std::span<const int> contacts, double t_s)
{
    const DegenerateSearch all(model, contacts, t_s, 1);
    const Eigen::MatrixXd H = all.rows(q);
    const auto closed = static_cast<Eigen::Index>(contacts.size());
    if (H.rows() == closed || !H.allFinite()) return H.topRows(closed);
    const Eigen::MatrixXd firm = A.whitened_covectors(H.bottomRows(H.rows() - closed).transpose()),
                          gaps = A.whitened_covectors(H.topRows(closed).transpose());
    const Eigen::MatrixXd weights = LeastSquares(firm).solve(gaps);
    return H.topRows(closed) - weights.transpose() * H.bottomRows(H.rows() - closed);
}

std::optional<Eigen::VectorXd> find_singular_configuration(const Model& model, const State& start,
                                                           const WellPosednessSettings& settings)
{
    const DegenerateSearch search(model, {}, start.t_s, settings.length_m);
    if (search.size() == 0 || model.coordinates() > max_pulled_coordinates) return std::nullopt;
    const Eigen::VectorXd usual = search.lengths(start.q);
    if (usual.size() == 0) return std::nullopt;
    const AdmissibleSet admissible(model);
    Dice dice(6);
    for (int k = 0; k < settings.searches / 2; ++k) {
        const double reach_m = 2 * settings.length_m * std::pow(10.0, dice.uniform() - 1);
        Eigen::VectorXd q = start.q + reach_m * dice.vector(start.q.size());
        if (!search.close(q) || !search.pull(usual, q)) continue;
        if (!search.close(q) || !admissible.contains(q, start.t_s, 1e-8 * settings.length_m)) continue;
        const auto A = metric_at(model, q);
        if (!A) continue;
        const Eigen::VectorXd lengths = search.lengths(q);
        Eigen::MatrixXd G = A->whitened_covectors(search.rows(q).transpose());
        for (Eigen::Index c = 0; c < G.cols(); ++c)
            G.col(c) /= std::max(lengths[c], 1e-6 * usual[c]);
        const Svd svd(G);
        if (svd.values().size() < G.cols() || svd.values().minCoeff() < 1e-6) return q;
    }
    return std::nullopt;
}

}  // namespace carom::detail
