#pragma once

#include "carom/model/model.hpp"
#include "carom/onestep/problem.hpp"

#include <span>
#include <vector>

namespace carom {

/// Rows of H, and the obstacle speeds b, of some contacts at one point:  U = H u + b.
struct ContactRows {
    std::vector<int> contacts;       ///< of the model, sorted
    std::vector<std::size_t> begin;  ///< where row k begins in H; one more than contacts
    std::vector<double> H;           ///< in the order of model.support(contact)
    std::vector<double> b;           ///< m/s
    std::vector<int> index_of;       ///< contact -> its place here, -1 for the others

    [[nodiscard]] int size() const noexcept { return static_cast<int>(contacts.size()); }
    [[nodiscard]] std::span<const double> row(int k) const noexcept
    {
        return {H.data() + begin[k], begin[k + 1] - begin[k]};
    }
};

/// Contacts whose gap is not above `activation_gap_m`. A gap that is NaN counts: it must not be lost.
void find_closed(const Model& model, const Point& at, double activation_gap_m, Workspace& work,
                 std::vector<int>& contacts);

/// Evaluates the rows of `rows.contacts`.
void evaluate_rows(const Model& model, const Point& at, Workspace& work, ContactRows& rows);

/// H_k u
[[nodiscard]] double row_product(const Model& model, const ContactRows& rows, int k,
                                 std::span<const double> u) noexcept;

/// W = H A^-1 H^T into problem.W, after offsets have been set. `work_n` has one entry per coordinate.
void assemble_delassus(const Model& model, const ContactRows& rows, MassMatrix& A, std::span<double> work_n,
                       OneStepProblem& problem);

/// x = A^-1 H^T P
void apply_percussions(const Model& model, const ContactRows& rows, std::span<const double> P, MassMatrix& A,
                       std::span<double> x) noexcept;

}  // namespace carom
