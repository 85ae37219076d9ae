#pragma once

#include "carom/law/law.hpp"

#include <Eigen/Dense>

#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// How one contact moves while its normal percussion p grows (IM-8):
///
///     dU_N/dp = W_NN + W_NT.f,     dU_T/dp = W_TN + W_TT f,     f in mu S,  -U_T in N_{mu S}(f)
///
/// Where several f are allowed (sticking, sliding along the normal of an edge) the motion takes the one that
/// minimises  f.W_TT f / 2 + W_TN.f. In the plane the second tangential component is zero throughout.
struct LocalMatrix {
    double W_NN = 0;
    Eigen::Vector2d W_NT = Eigen::Vector2d::Zero();
    Eigen::Matrix2d W_TT = Eigen::Matrix2d::Zero();

    explicit LocalMatrix(std::span<const double> W);

    [[nodiscard]] double normal_rate(const Eigen::Vector2d& f) const { return W_NN + W_NT.dot(f); }
    [[nodiscard]] Eigen::Vector2d tangential_rate(const Eigen::Vector2d& f) const { return W_NT + W_TT * f; }
};

/// A stretch of p on which f does not change.
struct StraightPiece {
    Eigen::Vector2d f = Eigen::Vector2d::Zero(), rate = Eigen::Vector2d::Zero();  ///< rate: dU_T/dp
    double length = std::numeric_limits<double>::infinity();                      ///< of p, N s
};

/// mu S with corners: an interval of the plane, a polygon, or the origin alone where there is no friction.
class CorneredFriction {
public:
    explicit CorneredFriction(std::vector<Eigen::Vector2d> corners) : corners_(std::move(corners)) {}

    [[nodiscard]] StraightPiece piece(const LocalMatrix& local, const Eigen::Vector2d& U_T) const;

private:
    [[nodiscard]] Eigen::Vector2d slow_force(const LocalMatrix& local, std::span<const char> allowed,
                                             Eigen::Vector2d& rate) const;
    [[nodiscard]] bool contains(const Eigen::Vector2d& f) const;

    std::vector<Eigen::Vector2d> corners_;
};

/// mu S = { centre + L y : |y| <= 1 }.
struct OvalFriction {
    Eigen::Vector2d centre = Eigen::Vector2d::Zero();
    Eigen::Matrix2d L = Eigen::Matrix2d::Identity();

    /// f while sliding with U_T != 0.
    [[nodiscard]] Eigen::Vector2d force(const Eigen::Vector2d& U_T) const;

    /// From U_T = 0 on: sticking, or sliding in one direction.
    [[nodiscard]] StraightPiece piece_from_rest(const LocalMatrix& local) const;
};

/// mu S of a law that is not rough; without friction the origin.
[[nodiscard]] std::optional<CorneredFriction> cornered(const Law& law);
[[nodiscard]] std::optional<OvalFriction> oval(const Law& law);

}  // namespace carom::detail
