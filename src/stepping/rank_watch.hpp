#pragma once

#include "carom/ledger/certificate.hpp"
#include "ledger/certifier.hpp"
#include "system/lagrangian/constraint_rank.hpp"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace carom {

/// Firm rows keep their rank: between the rows J of two steps, of unit length and independent,
///
///     D = det(J_1 J_0^T) / sqrt(det(J_0 J_0^T) det(J_1 J_1^T))                                  (CO-14)
///
/// is the product of the cosines between them, and goes from 1 to -1 where the rows have depended on each
/// other in between: a singular configuration was passed. Between -1/2 and 1/2 they turn by more than 60
/// degrees: a corner. The rows are those that the steps have used. While they stay near those of an earlier
/// step (CO-15) there is nothing to compute.
///
/// Theory     docs/theory/constraints.md
/// Papers     [Ballard 2002] 2, hypothesis I
class RankWatch {
public:
    /// Watches nothing.
    RankWatch() = default;

    /// `support`: the columns that each row names; `entries`: the rows one after the other, in the order of
    /// their supports, where the watch begins. Too many rows are not watched.
    RankWatch(std::vector<std::vector<int>> support, int columns, std::span<const double> entries);

    /// The rows that are watched, independent of each other: numbers in `support`.
    [[nodiscard]] const std::vector<int>& rows() const noexcept { return rows_; }
    [[nodiscard]] bool redundant() const noexcept { return redundant_; }

    /// What is too much to be watched, as a finding where a run begins.
    void at_start(double time_s, Certifier& certifier) const;

    /// The rows of a step, in the order of rows().
    void begin_step();
    void add_row(std::span<const double> entries);
    void end_step(double time_s, Certifier& certifier);

private:
    void expand(const std::vector<double>& unit_rows, Eigen::MatrixXd& rows) const;
    void begin_at(const std::vector<double>& unit_rows, double size);
    [[nodiscard]] double determinant(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

    std::vector<int> rows_;
    std::vector<std::vector<int>> support_;  ///< of rows()
    int columns_ = 0;
    bool redundant_ = false;
    std::size_t unwatched_ = 0;
    Eigen::MatrixXd before_, after_, product_;
    std::vector<double> last_, now_;  ///< unit rows of the last two steps, each in the order of its support
    std::vector<double> origin_;      ///< those that the last ones are near
    double near2_ = -1;               ///< square of how near (CO-15); below zero: never
    std::size_t place_ = 0;           ///< inside a step
    double distance2_ = 0;
};

/// Firm rows that depend on each other where the run begins (CO-10), (CO-11).
void tell_rank(const ConstraintRank& found, double time_s, Certifier& certifier);

/// Firm rows whose right-hand sides contradict each other (CO-13).
void tell_conflict(const ConstraintConflict& conflict, double time_s, Certifier& certifier);

}  // namespace carom
