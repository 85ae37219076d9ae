#pragma once

#include "carom/onestep/problem.hpp"
#include "carom/system/lagrangian/model.hpp"
#include "system/lagrangian/contact_coupling.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <span>
#include <vector>

namespace carom {

/// Rows of H, and the obstacle speeds b, of some interactions at one point:  U = H u + b. A contact has one
/// row without friction, two in the plane, three in space; a constraint has parts of any number of rows.
struct ContactRows {
    std::vector<int> contacts;       ///< interactions of the model, sorted: contacts come first
    std::vector<std::size_t> begin;  ///< where the rows of contact k begin in H; one more than contacts
    std::vector<int> offsets;        ///< where its components begin in U, P and b; one more than contacts
    std::vector<double> H;           ///< row by row, each in the order of model.support(contact)
    std::vector<double> b;           ///< m/s
    std::vector<int> index_of;       ///< interaction -> its place here, -1 for the others
    std::vector<double> whole;       ///< memory for all rows of a constraint

    [[nodiscard]] int size() const noexcept { return static_cast<int>(contacts.size()); }
    [[nodiscard]] int dimension(int k) const noexcept { return offsets[k + 1] - offsets[k]; }

    /// Row i of contact k; the normal one is the first.
    [[nodiscard]] std::span<const double> row(int k, int i) const noexcept
    {
        const std::size_t length = (begin[k + 1] - begin[k]) / static_cast<std::size_t>(dimension(k));
        return {H.data() + begin[k] + static_cast<std::size_t>(i) * length, length};
    }
};

/// Contacts whose gap is not above `activation_gap_m`. A gap that is NaN counts: it must not be lost.
void find_closed(const Model& model, const Point& at, double activation_gap_m, Workspace& work,
                 std::vector<int>& contacts);

/// The interactions of a step: closed contacts, then the constraints that act. One that waits for a contact
/// acts where that contact is closed (CO-5). A contact that is `touching`, by its number, counts as closed
/// whatever its gap.
void find_active(const Model& model, const Point& at, double activation_gap_m, Workspace& work,
                 std::vector<int>& interactions, std::span<const char> touching = {});

/// Which rows of a contact are wanted; parts of constraints have all of theirs.
enum class RowsOf { Contact, Normal };

/// Evaluates the rows of `rows.contacts`.
void evaluate_rows(const Model& model, const Point& at, Workspace& work, ContactRows& rows,
                   RowsOf which = RowsOf::Contact);

/// (H u + b) of all contacts, flat.
void local_velocities(const Model& model, const ContactRows& rows, std::span<const double> u,
                      std::vector<double>& U);

/// W = H A^-1 H^T into problem.W, after offsets have been set; `coupling` is that of A's pattern. `work_n`
/// has one entry per coordinate.
void assemble_delassus(const Model& model, const ContactCoupling& coupling, const ContactRows& rows,
                       MassMatrix& A, std::span<double> work_n, OneStepProblem& problem);

/// x = A^-1 H^T P
void apply_percussions(const Model& model, const ContactRows& rows, std::span<const double> P, MassMatrix& A,
                       std::span<double> x) noexcept;

}  // namespace carom
