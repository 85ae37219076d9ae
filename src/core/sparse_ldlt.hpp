#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

namespace carom {

/// A = L D L^T of a symmetric sparse matrix given by its upper triangle, in the order of its rows. Eigen's
/// simplicial factorisation, opened so that a new factor of a known pattern allocates nothing and D and L are
/// read in place.
class SparseLdlt
    : private Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::NaturalOrdering<int>> {
    using Base =
        Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::NaturalOrdering<int>>;

public:
    void analyse(const Eigen::SparseMatrix<double>& upper) { Base::analyzePattern(upper); }

    /// False unless A is positive definite. `upper` has the pattern that was analysed.
    [[nodiscard]] bool factorise(const Eigen::SparseMatrix<double>& upper)
    {
        Base::factorize_preordered<true>(upper);
        return Base::m_info == Eigen::Success && (Base::m_diag.array() > 0).all();
    }

    [[nodiscard]] const Eigen::VectorXd& diagonal() const noexcept { return Base::m_diag; }

    /// L without its diagonal of ones.
    [[nodiscard]] const Eigen::SparseMatrix<double>& lower() const noexcept { return Base::m_matrix; }

    /// x <- A^-1 x
    void solve(Eigen::VectorXd& x) const
    {
        const auto unit_lower = Base::m_matrix.triangularView<Eigen::UnitLower>();
        unit_lower.solveInPlace(x);
        x.array() /= Base::m_diag.array();
        Base::m_matrix.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(x);
    }
};

}  // namespace carom
