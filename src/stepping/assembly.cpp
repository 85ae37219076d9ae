#include "stepping/assembly.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include "step_parts.hpp"
#include "system/lagrangian/constraint_geometry.hpp"

#include <algorithm>

namespace carom {

void find_closed(const Model& model, const Point& at, double activation_gap_m, Workspace& work,
                 std::vector<int>& contacts)
{
    contacts.clear();
    for (int c = 0; c < model.contacts(); ++c) {
        if (!(model.gap_m(c, at, work) > activation_gap_m)) contacts.push_back(c);
    }
}

void find_active(const Model& model, const Point& at, double activation_gap_m, Workspace& work,
                 std::vector<int>& interactions, std::span<const char> touching)
{
    interactions.clear();
    for (int c = 0; c < model.contacts(); ++c) {
        const bool touches = !touching.empty() && touching[static_cast<std::size_t>(c)];
        if (touches || !(model.gap_m(c, at, work) > activation_gap_m)) interactions.push_back(c);
    }
    const auto closed = interactions.size();
    for (int j = 0; j < model.constraints(); ++j) {
        const int contact = model.only_while(j);
        const auto end = interactions.begin() + static_cast<std::ptrdiff_t>(closed);
        if (contact >= 0 && !std::binary_search(interactions.begin(), end, contact)) continue;
        for (int i = model.first_part(j); i < model.first_part(j + 1); ++i) {
            interactions.push_back(i);
        }
    }
}

namespace {

/// All rows of a constraint into rows.whole: H, then b. Returns where b begins.
std::size_t evaluate_constraint(const Model& model, int constraint, const Point& at, Workspace& work,
                                ContactRows& rows)
{
    const ConstraintGeometry& geometry = model.constraint(constraint);
    const auto count = static_cast<std::size_t>(geometry.size());
    const std::size_t size = geometry.support().size() * count;
    rows.whole.resize(size + count);
    const std::span<double> whole(rows.whole);
    model.constraint_rows(constraint, at, whole.first(size), whole.subspan(size), work);
    return size;
}

}  // namespace

void evaluate_rows(const Model& model, const Point& at, Workspace& work, ContactRows& rows, RowsOf which)
{
    const auto interactions = static_cast<std::size_t>(model.interactions());
    const bool was_empty = rows.offsets.size() == 1 && rows.index_of.size() == interactions;
    if (was_empty && rows.size() == 0) return;
    set_all(interactions, -1, rows.index_of);
    set_all<std::size_t>(1, 0, rows.begin);
    set_all(1, 0, rows.offsets);
    rows.H.clear();
    rows.b.clear();
    int evaluated = -1;  // the constraint whose rows are in `whole`
    std::size_t b_begin = 0;
    for (int k = 0; k < rows.size(); ++k) {
        const int c = rows.contacts[k];
        const int d = which == RowsOf::Normal ? 1 : model.dimension(c);
        const std::size_t length = model.support(c).size(), size = length * static_cast<std::size_t>(d);
        rows.index_of[c] = k;
        rows.H.resize(rows.H.size() + size);
        rows.b.resize(rows.b.size() + static_cast<std::size_t>(d));
        double* const H = rows.H.data() + rows.begin.back();
        double* const b = rows.b.data() + rows.offsets.back();
        if (model.is_contact(c)) {
            model.contact_rows(c, at, {H, size}, {b, static_cast<std::size_t>(d)}, work);
        } else {
            // the rows of a constraint are evaluated together, whichever of them are wanted
            const ConstraintPart& part = model.part(c);
            if (part.constraint != evaluated)
                b_begin = evaluate_constraint(model, part.constraint, at, work, rows);
            evaluated = part.constraint;
            const auto first = static_cast<std::size_t>(part.row);
            std::copy_n(rows.whole.data() + first * length, size, H);
            std::copy_n(rows.whole.data() + b_begin + first, d, b);
        }
        rows.begin.push_back(rows.H.size());
        rows.offsets.push_back(rows.offsets.back() + d);
    }
}

namespace {

/// A row of H times u; most rows name one, two or three coordinates. The order of sums is that of the loop.
inline double row_product(std::span<const int> support, const double* row, const double* u)
{
    const int* const at = support.data();
    switch (support.size()) {
    case 1: return 0.0 + row[0] * u[at[0]];
    case 2: return 0.0 + row[0] * u[at[0]] + row[1] * u[at[1]];
    case 3: return 0.0 + row[0] * u[at[0]] + row[1] * u[at[1]] + row[2] * u[at[2]];
    default: break;
    }
    double sum = 0;
    for (std::size_t i = 0; i < support.size(); ++i) {
        sum += row[i] * u[at[i]];
    }
    return sum;
}

}  // namespace

void local_velocities(const Model& model, const ContactRows& rows, std::span<const double> u,
                      std::vector<double>& U)
{
    if (U.size() != rows.b.size()) U.resize(rows.b.size());
    const double* H = rows.H.data();
    const double* const b = rows.b.data();
    double* const out = U.data();
    for (int k = 0; k < rows.size(); ++k) {
        const auto support = model.support(rows.contacts[k]);
        for (int row = rows.offsets[k]; row < rows.offsets[k + 1]; ++row, H += support.size()) {
            out[row] = b[row] + row_product(support, H, u.data());
        }
    }
}

void assemble_delassus(const Model& model, const ContactCoupling& coupling, const ContactRows& rows,
                       MassMatrix& A, std::span<double> work_n, OneStepProblem& problem)
{
    const MassPattern& pattern = A.pattern();
    const bool diagonal = pattern.islands() == pattern.coordinates();  // A couples no two coordinates
    problem.W.begin(problem.offsets);
    std::fill(work_n.begin(), work_n.end(), 0.0);
    for (int k = 0; k < rows.size(); ++k) {
        const int c = rows.contacts[k], d_c = rows.dimension(k);
        for (const int other : coupling.neighbours(c)) {
            if (rows.index_of[other] >= 0) problem.W.append(k, rows.index_of[other]);
        }
        const auto islands = coupling.islands(c);
        const auto support = model.support(c);
        const auto entries = problem.W.appended(k);
        const double* H = rows.H.data() + rows.begin[k];
        for (int i = 0; i < d_c; ++i, H += support.size()) {
            // y = A^-1 (row i of H_c)^T, zero outside the islands that the contact touches
            for (std::size_t p = 0; p < support.size(); ++p) {
                work_n[support[p]] = H[p];
            }
            A.solve_on(islands, work_n);

            // row i of W_cd = (H_d y)^T for the contacts d that share an island
            for (const auto& entry : entries) {
                const int j = entry.column, d_d = rows.dimension(j);
                const auto support_d = model.support(rows.contacts[j]);
                const double* row = rows.H.data() + rows.begin[j];
                double* const block = problem.W.values_of(k, entry).data() + std::ptrdiff_t{i} * d_d;
                for (int l = 0; l < d_d; ++l, row += support_d.size()) {
                    block[l] = row_product(support_d, row, work_n.data());
                }
            }
            if (diagonal) {
                for (const int coordinate : support) {
                    work_n[coordinate] = 0;
                }
                continue;
            }
            for (const int island : islands) {
                for (const int coordinate : pattern.members(island)) {
                    work_n[coordinate] = 0;
                }
            }
        }
    }
    problem.W.finish();
}

void apply_percussions(const Model& model, const ContactRows& rows, std::span<const double> P, MassMatrix& A,
                       std::span<double> x) noexcept
{
    std::fill(x.begin(), x.end(), 0.0);
    for (int k = 0; k < rows.size(); ++k) {
        const auto support = model.support(rows.contacts[k]);
        for (int i = 0; i < rows.dimension(k); ++i) {
            const auto H = rows.row(k, i);
            const double P_i = P[rows.offsets[k] + i];
            for (std::size_t p = 0; p < H.size(); ++p) {
                x[support[p]] += H[p] * P_i;
            }
        }
    }
    A.solve(x);
}

}  // namespace carom
