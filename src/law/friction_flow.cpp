#include "friction_flow.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace carom::detail {

using Eigen::Matrix2d;
using Eigen::Vector2d;

LocalMatrix::LocalMatrix(std::span<const double> W) : W_NN(W[0])
{
    const std::size_t d = W.size() == 9 ? 3 : W.size() == 4 ? 2 : 1;
    for (std::size_t i = 1; i < d; ++i) {
        W_NT[static_cast<int>(i) - 1] = W[i];
        for (std::size_t j = 1; j < d; ++j) {
            W_TT(static_cast<int>(i) - 1, static_cast<int>(j) - 1) = W[i * d + j];
        }
    }
}

namespace {

double cross(const Vector2d& a, const Vector2d& b)
{
    return a[0] * b[1] - a[1] * b[0];
}

}  // namespace

bool CorneredFriction::contains(const Vector2d& f) const
{
    if (corners_.size() < 3) return false;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
        const Vector2d& from = corners_[i];
        if (!(cross(corners_[(i + 1) % corners_.size()] - from, f - from) >= 0)) return false;
    }
    return true;
}

Vector2d CorneredFriction::slow_force(const LocalMatrix& local, std::span<const char> allowed,
                                      Vector2d& rate) const
{
    // all corners allowed: friction that holds the contact may be inside
    const bool all = std::all_of(allowed.begin(), allowed.end(), [](char a) { return a != 0; });
    if (all && corners_.size() > 2) {
        const Vector2d holding = -local.W_TT.completeOrthogonalDecomposition().solve(local.W_NT);
        const double left = local.tangential_rate(holding).norm();
        if (left <= 1e-13 * local.W_NT.norm() && contains(holding)) {
            rate.setZero();
            return holding;
        }
    }

    // otherwise it is on an edge, or a corner
    double best = std::numeric_limits<double>::infinity();
    Vector2d f = Vector2d::Zero();
    for (std::size_t i = 0; i < corners_.size(); ++i) {
        if (allowed[i] == 0) continue;
        const std::size_t next = (i + 1) % corners_.size();
        const Vector2d edge = allowed[next] != 0 ? corners_[next] - corners_[i] : Vector2d(0, 0);
        const double curvature = edge.dot(local.W_TT * edge);
        const double slope = edge.dot(local.tangential_rate(corners_[i]));
        const double part = curvature > 0 ? std::clamp(-slope / curvature, 0.0, 1.0) : slope < 0 ? 1.0 : 0.0;
        const Vector2d candidate = corners_[i] + part * edge;
        const double value = candidate.dot(local.W_TT * candidate) / 2 + local.W_NT.dot(candidate);
        if (!(value < best)) continue;
        best = value;
        f = candidate;
        rate = local.tangential_rate(f);
        // inside an edge nothing moves along it
        if (part > 0 && part < 1) rate -= rate.dot(edge) / edge.squaredNorm() * edge;
    }
    return f;
}

StraightPiece CorneredFriction::piece(const LocalMatrix& local, const Vector2d& U_T) const
{
    // the corners that oppose U_T most
    double smallest = std::numeric_limits<double>::infinity(), size = 0;
    for (const Vector2d& corner : corners_) {
        smallest = std::min(smallest, U_T.dot(corner));
        size = std::max(size, corner.norm());
    }
    std::vector<char> allowed;
    for (const Vector2d& corner : corners_) {
        allowed.push_back(U_T.dot(corner) - smallest <= 1e-12 * size * U_T.norm() ? 1 : 0);
    }
    StraightPiece piece;
    piece.f = slow_force(local, allowed, piece.rate);

    // of those the ones that still do so a little later, and when another corner takes over
    double stays = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < corners_.size(); ++i) {
        if (allowed[i] != 0) stays = std::min(stays, piece.rate.dot(corners_[i]));
    }
    for (std::size_t i = 0; i < corners_.size(); ++i) {
        const double closing = stays - piece.rate.dot(corners_[i]);
        if (allowed[i] != 0 || !(closing > 0)) continue;
        piece.length = std::min(piece.length, (U_T.dot(corners_[i]) - smallest) / closing);
    }
    return piece;
}

Vector2d OvalFriction::force(const Vector2d& U_T) const
{
    const Vector2d turned = L.transpose() * U_T;
    return centre - L * turned / turned.norm();
}

StraightPiece OvalFriction::piece_from_rest(const LocalMatrix& local) const
{
    // minimise  y.Q y / 2 + g.y  over |y| <= 1
    const Matrix2d Q = L.transpose() * local.W_TT * L;
    const Vector2d g = L.transpose() * local.tangential_rate(centre);
    const Eigen::SelfAdjointEigenSolver<Matrix2d> eigen(Q);
    const Vector2d turned = eigen.eigenvectors().transpose() * g;
    const auto solution = [&](double alpha) {
        Vector2d y;
        for (int i = 0; i < 2; ++i) {
            const double stiffness = std::max(0.0, eigen.eigenvalues()[i]) + alpha;
            y[i] = turned[i] == 0 ? 0.0 : -turned[i] / stiffness;
        }
        return y;
    };
    StraightPiece piece;
    Vector2d y = solution(0);
    if (y.norm() <= 1) {  // friction holds the contact
        piece.f = centre + L * (eigen.eigenvectors() * y);
        return piece;
    }
    double low = 0, high = g.norm();
    for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
        (solution(middle).norm() > 1 ? low : high) = middle;
    }
    y = solution(high).normalized();
    piece.f = centre + L * (eigen.eigenvectors() * y);
    piece.rate = local.tangential_rate(piece.f);
    return piece;
}

std::optional<CorneredFriction> cornered(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb == nullptr) return CorneredFriction({Vector2d::Zero()});
    const double mu = coulomb->friction;
    if (std::holds_alternative<FrictionRough>(coulomb->shape)) return std::nullopt;
    if (mu == 0) return CorneredFriction({Vector2d::Zero()});
    if (const auto* interval = std::get_if<FrictionInterval>(&coulomb->shape)) {
        return CorneredFriction({{mu * interval->low, 0}, {mu * interval->high, 0}});
    }
    if (const auto* polygon = std::get_if<FrictionPolygon>(&coulomb->shape)) {
        std::vector<Vector2d> corners;
        for (const auto& vertex : *polygon->vertices) {
            corners.emplace_back(mu * vertex[0], mu * vertex[1]);
        }
        return CorneredFriction(std::move(corners));
    }
    return std::nullopt;
}

std::optional<OvalFriction> oval(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb == nullptr) return std::nullopt;
    const double mu = coulomb->friction;
    if (std::holds_alternative<FrictionDisc>(coulomb->shape))
        return OvalFriction{.L = mu * Matrix2d::Identity()};
    if (const auto* ellipse = std::get_if<FrictionEllipse>(&coulomb->shape)) {
        const Eigen::Rotation2Dd turn(ellipse->angle_rad);
        return OvalFriction{
            .centre = mu * Vector2d(ellipse->centre[0], ellipse->centre[1]),
            .L = turn.toRotationMatrix() *
                 Vector2d(mu * ellipse->half_axes[0], mu * ellipse->half_axes[1]).asDiagonal()};
    }
    return std::nullopt;
}

}  // namespace carom::detail
