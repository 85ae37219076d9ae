#pragma once

#include <Eigen/Core>
#include <Eigen/Jacobi>

#include <vector>

namespace carom::detail {

/// Upper triangular R with R^T R = W_PP for a passive set P that grows and shrinks by one column.
class TriangularFactor {
public:
    explicit TriangularFactor(Eigen::Index capacity) : R_(capacity, capacity) {}

    [[nodiscard]] const std::vector<int>& passive() const { return passive_; }
    [[nodiscard]] Eigen::Index rank() const { return static_cast<Eigen::Index>(passive_.size()); }

    /// R^-T b and R^-1 b.
    [[nodiscard]] Eigen::VectorXd solve_transposed(const Eigen::VectorXd& b) const
    {
        if (rank() == 0) return b;
        return R_.topLeftCorner(rank(), rank()).transpose().triangularView<Eigen::Lower>().solve(b);
    }
    [[nodiscard]] Eigen::VectorXd solve_upper(const Eigen::VectorXd& b) const
    {
        if (rank() == 0) return b;
        return R_.topLeftCorner(rank(), rank()).triangularView<Eigen::Upper>().solve(b);
    }

    /// New last column (r, rho).
    void append(int index, const Eigen::VectorXd& r, double rho)
    {
        const Eigen::Index p = rank();
        R_.col(p).head(p) = r;
        R_(p, p) = rho;
        passive_.push_back(index);
    }

    /// Remove the column at `position`; plane rotations make R triangular again. Each rotation is passed to
    /// `rotated(i, rotation)` so that a basis of the columns can follow.
    template <class Rotated>
    void drop(int position, Rotated&& rotated)
    {
        const Eigen::Index p = rank();
        for (Eigen::Index k = position + 1; k < p; ++k) {
            R_.col(k - 1).head(k + 1) = R_.col(k).head(k + 1);
        }
        passive_.erase(passive_.begin() + position);
        for (Eigen::Index i = position; i < p - 1; ++i) {
            Eigen::JacobiRotation<double> rotation;
            rotation.makeGivens(R_(i, i), R_(i + 1, i));
            R_.block(i, i, 2, p - 1 - i).applyOnTheLeft(0, 1, rotation.adjoint());
            R_(i + 1, i) = 0;
            rotated(i, rotation);
        }
    }

private:
    Eigen::MatrixXd R_;
    std::vector<int> passive_;
};

/// Power of two next to 1 / length: multiplying by it is exact. 1 for zero.
[[nodiscard]] double power_of_two_scale(double length);

}  // namespace carom::detail
