#include "statics.hpp"

#include "core/dense.hpp"
#include "law_rows.hpp"

#include <algorithm>
#include <array>

namespace carom::detail {

Statics::Statics(const Scene& scene, const SceneSymbols& symbols, std::vector<int> closed,
                 std::vector<int> sides)
    : system_(symbols, scene.model),
      closed_(std::move(closed)),
      sides_(std::move(sides)),
      t_s_(scene.start.t_s)
{
}

VariationalSystem::Place Statics::place(const Eigen::VectorXd& x)
{
    const int n = system_.coordinates();
    const std::array value{x[x.size() - 1]};
    system_.set_parameters(value);
    return system_.place(t_s_, x.head(n), Eigen::VectorXd::Zero(n));
}

void Statics::evaluate(const Eigen::VectorXd& x)
{
    const int n = system_.coordinates();
    const auto m = static_cast<Eigen::Index>(closed_.size());
    residual.setZero(n + m);
    J.setZero(n + m, n + m + 1);
    system_.balances.at(place(x).point(), work_);
    residual.head(n) = system_.balances.value;
    J.topLeftCorner(n, n) = system_.balances.slope.leftCols(n);
    J.topRightCorner(n, 1) = system_.balances.slope.col(2 * n);
    damping_ = system_.balances.slope.middleCols(n, n);
    std::size_t rough = 0;
    for (std::size_t k = 0; k < closed_.size(); ++k) {
        const bool rubs = system_.contacts[static_cast<std::size_t>(closed_[k])].friction;
        add_contact(k, rubs ? sides_[rough++] : 0, x);
    }
}

/// Its force (1, s mu_s) r_N, and its gap.
void Statics::add_contact(std::size_t k, double side, const Eigen::VectorXd& x)
{
    const int n = system_.coordinates();
    const auto row = n + static_cast<Eigen::Index>(k);
    auto& contact = system_.contacts[static_cast<std::size_t>(closed_[k])];
    auto at = place(x);
    const double r_N = x[row];
    contact.coefficients.at(at.point(), work_);
    const double bound = side * contact.coefficients.value[1];
    at.q[static_cast<std::size_t>(system_.reaction_at(contact.offset))] = r_N;
    if (side != 0) at.q[static_cast<std::size_t>(system_.reaction_at(contact.offset + 1))] = bound * r_N;
    contact.HT_r[0].at(at.point(), work_);
    contact.U[0].at(at.point(), work_);
    contact.gap.at(at.point(), work_);
    const Eigen::MatrixXd H = contact.U[0].slope.middleCols(n, n);
    residual.head(n) += contact.HT_r[0].value;
    residual[row] = contact.gap.value[0];
    J.col(row).head(n) = H.row(0).transpose();
    // by q, then by the parameter
    const auto add_slopes = [&](Eigen::Index to, Eigen::Index from, Eigen::Index count) {
        J.block(0, to, n, count) += contact.HT_r[0].slope.middleCols(from, count);
        J.row(row).segment(to, count) = contact.gap.slope.row(0).segment(from, count);
        if (side == 0) return;
        J.block(0, to, n, count) +=
            side * r_N * H.row(1).transpose() * contact.coefficients.slope.row(1).segment(from, count);
    };
    add_slopes(0, 0, n);
    add_slopes(J.cols() - 1, 2 * n, 1);
    if (side != 0) J.col(row).head(n) += bound * H.row(1).transpose();
}

std::vector<std::complex<double>> Statics::eigenvalues(const Eigen::VectorXd& x)
{
    evaluate(x);
    const int n = system_.coordinates();
    Eigen::MatrixXd B = Eigen::MatrixXd::Identity(n, n);
    if (!closed_.empty()) {
        const Svd svd(J.bottomLeftCorner(static_cast<Eigen::Index>(closed_.size()), n), Eigen::ComputeFullV);
        B = svd.V().rightCols(n - svd.rank());
    }
    const auto d = B.cols();
    if (d == 0) return {};
    auto at = place(x);
    const Eigen::MatrixXd M = B.transpose() * kinetic_matrix(system_, at, work_) * B;
    const Eigen::MatrixXd S = B.transpose() * J.topLeftCorner(n, n) * B, D = B.transpose() * damping_ * B;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * d, 2 * d);
    A.topRightCorner(d, d).setIdentity();
    const Ldlt inertia(M);
    A.bottomLeftCorner(d, d) = inertia.solve(S);
    A.bottomRightCorner(d, d) = inertia.solve(D);
    const Eigen::VectorXcd found = eigenvalues_of(A);
    std::vector<std::complex<double>> values(found.begin(), found.end());
    std::ranges::stable_sort(values, [](const auto& a, const auto& b) { return a.real() > b.real(); });
    return values;
}

std::vector<double> Statics::gaps(const Eigen::VectorXd& x)
{
    std::vector<double> result;
    for (auto& contact : system_.contacts) {
        contact.gap.at(place(x).point(), work_);
        result.push_back(contact.gap.value[0]);
    }
    return result;
}

}  // namespace carom::detail
