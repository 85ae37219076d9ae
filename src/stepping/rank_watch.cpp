#include "rank_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// More rows or coordinates are not watched: the determinants would cost more than the step.
constexpr std::size_t max_watched_rows = 40;
constexpr int max_watched_coordinates = 200;

/// Rows that are longer than this beside those before them, all of unit length, count as independent.
constexpr double independent_above = 1e-6;

/// Rows that turn by more than 60 degrees in a step have a corner there.
constexpr double turns_below = 0.5;

}  // namespace

RankWatch::RankWatch(std::vector<std::vector<int>> support, int columns, std::span<const double> entries)
    : columns_(columns)
{
    if (support.size() > max_watched_rows || columns > max_watched_coordinates) {
        unwatched_ = support.size();
        return;
    }
    // of rows that depend on each other some that do not
    Eigen::MatrixXd basis(0, columns);
    std::size_t at = 0;
    for (std::size_t k = 0; k < support.size(); ++k) {
        Eigen::VectorXd row = Eigen::VectorXd::Zero(columns);
        for (const int column : support[k])
            row[column] = entries[at++];
        const double length = row.norm();
        if (length > 0) row /= length;
        Eigen::VectorXd left = row;
        for (int pass = 0; pass < 2; ++pass)
            left -= basis.transpose() * (basis * left);
        if (!(left.norm() > independent_above)) {
            redundant_ = true;
            continue;
        }
        basis.conservativeResize(basis.rows() + 1, Eigen::NoChange);
        basis.row(basis.rows() - 1) = left.transpose() / left.norm();
        for (const int column : support[k])
            last_.push_back(row[column]);
        rows_.push_back(static_cast<int>(k));
        support_.push_back(std::move(support[k]));
    }
    if (rows_.empty()) return;
    now_ = last_;
    expand(last_, before_);
    begin_at(last_, std::sqrt(determinant(before_, before_)));
}

void RankWatch::at_start(double time_s, Certifier& certifier) const
{
    if (unwatched_ == 0) return;
    certifier.add_finding(
        "rank_not_watched", time_s,
        fmt::format("{} firm rows of constraints on {} coordinates: above {} rows or {} coordinates a run "
                    "does not monitor whether their gradients become dependent (CO-14), nor whether "
                    "right-hand sides contradict each other (CO-13)",
                    unwatched_, columns_, max_watched_rows, max_watched_coordinates));
}

/// (CO-15): how far from these rows the next ones may be before they are looked at.
void RankWatch::begin_at(const std::vector<double>& unit_rows, double size)
{
    constexpr double min_size = 1e-6;
    origin_ = unit_rows;
    near2_ = -1;
    if (!(size > min_size)) return;
    const auto n = static_cast<double>(rows_.size());
    const double smallest = size * std::pow(1 - 1 / n, (n - 1) / 2);
    const double near = smallest / (2 * std::sqrt(2 * n) + 1);
    near2_ = near * near;
}

/// det(a b^T), by elimination in place.
double RankWatch::determinant(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    product_.noalias() = a.lazyProduct(b.transpose());
    double result = 1;
    const Eigen::Index n = product_.rows();
    for (Eigen::Index k = 0; k < n; ++k) {
        Eigen::Index pivot = k;
        for (Eigen::Index i = k + 1; i < n; ++i) {
            if (std::abs(product_(i, k)) > std::abs(product_(pivot, k))) pivot = i;
        }
        if (product_(pivot, k) == 0) return 0;
        if (pivot != k) {
            product_.row(pivot).swap(product_.row(k));
            result = -result;
        }
        result *= product_(k, k);
        for (Eigen::Index i = k + 1; i < n; ++i) {
            const double factor = product_(i, k) / product_(k, k);
            for (Eigen::Index j = k + 1; j < n; ++j)
                product_(i, j) -= factor * product_(k, j);
        }
    }
    return result;
}

void RankWatch::expand(const std::vector<double>& unit_rows, Eigen::MatrixXd& rows) const
{
    rows.setZero(static_cast<Eigen::Index>(support_.size()), columns_);
    auto entry = unit_rows.begin();
    for (std::size_t k = 0; k < support_.size(); ++k) {
        for (const int column : support_[k])
            rows(static_cast<Eigen::Index>(k), column) = *entry++;
    }
}

void RankWatch::begin_step()
{
    last_.swap(now_);
    place_ = 0;
    distance2_ = 0;
}

void RankWatch::add_row(std::span<const double> entries)
{
    double squares = 0;
    for (const double entry : entries)
        squares += entry * entry;
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0.0;
    double* unit = now_.data() + place_;
    const double* origin = origin_.data() + place_;
    for (const double entry : entries) {
        const double change = scale * entry - *origin++;
        *unit++ = scale * entry;
        distance2_ += change * change;
    }
    place_ += entries.size();
}

void RankWatch::end_step(double time_s, Certifier& certifier)
{
    if (distance2_ <= near2_) return;
    expand(last_, before_);
    expand(now_, after_);
    const double size_before = std::sqrt(determinant(before_, before_));
    const double size_after = std::sqrt(determinant(after_, after_));
    const double D = determinant(after_, before_) / (size_before * size_after);
    if (!(size_after > 1e-9) || (size_before > 1e-9 && D < -turns_below)) {
        certifier.add_finding(
            "singular_configuration", time_s,
            "the run passes a configuration where the gradients of firm constraints depend on each "
            "other: the motion can branch there, and this is one of several continuations, or none",
            true);
    } else if (size_before > 1e-9 && D < turns_below) {
        certifier.add_finding(
            "constraint_turns", time_s,
            fmt::format(
                "the gradients of firm constraints turn by {:.3g} degrees within a step: a corner, which no "
                "motion with a bounded acceleration passes, or a step that is too long",
                std::acos(std::clamp(D, -1.0, 1.0)) * 180 / 3.14159265358979),
            true);
    }
    begin_at(now_, size_after);
}

void tell_rank(const ConstraintRank& found, double time_s, Certifier& certifier)
{
    if (found.independent()) return;
    const std::string names = fmt::format("{}", fmt::join(found.names, ", "));
    if (!found.singular) {
        certifier.add_finding("constraints_redundant", time_s,
                              fmt::format("{} depend on each other, rank {} of {}: how they share their "
                                          "reactions is not determined, the motion is, unless friction "
                                          "depends on the shares",
                                          names, found.rank, found.rows));
        return;
    }
    certifier.add_finding(
        "constraints_dependent", time_s,
        fmt::format("the gradients of {} depend on each other, rank {} of {}, but the positions do not: {}",
                    names, found.rank, found.rows,
                    found.has_solution ? "a motion need not exist" : "there is no solution"));
}

void tell_conflict(const ConstraintConflict& conflict, double time_s, Certifier& certifier)
{
    if (!conflict.found()) return;
    certifier.add_finding(
        "constraints_contradict", time_s,
        fmt::format("no velocity satisfies {} together: their rows depend on each other, their right-hand "
                    "sides differ by {:.3g}",
                    fmt::join(conflict.names, ", "), conflict.difference),
        true);
}

}  // namespace carom
