#include "carom/integrator/assembly.hpp"

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

void evaluate_rows(const Model& model, const Point& at, Workspace& work, ContactRows& rows)
{
    rows.index_of.assign(static_cast<std::size_t>(model.contacts()), -1);
    rows.begin.assign(1, 0);
    rows.H.clear();
    rows.b.clear();
    for (int k = 0; k < rows.size(); ++k) {
        const int c = rows.contacts[k];
        const std::size_t size = model.support(c).size();
        rows.index_of[c] = k;
        rows.H.resize(rows.H.size() + size);
        rows.b.push_back(model.gap_gradient(c, at, {rows.H.data() + rows.begin.back(), size}, work));
        rows.begin.push_back(rows.H.size());
    }
}

double row_product(const Model& model, const ContactRows& rows, int k, std::span<const double> u) noexcept
{
    const auto H = rows.row(k);
    const auto support = model.support(rows.contacts[k]);
    double sum = 0;
    for (std::size_t i = 0; i < H.size(); ++i) {
        sum += H[i] * u[support[i]];
    }
    return sum;
}

void assemble_delassus(const Model& model, const ContactRows& rows, MassMatrix& A, std::span<double> work_n,
                       OneStepProblem& problem)
{
    problem.W.begin(problem.offsets);
    for (int k = 0; k < rows.size(); ++k) {
        const int c = rows.contacts[k];

        // y = A^-1 H_c^T, zero outside the islands that the contact touches
        const auto islands = model.islands(c);
        for (const int island : islands) {
            for (const int place : model.mass_pattern().members(island)) {
                work_n[model.mass_pattern().coordinate_at(place)] = 0;
            }
        }
        const auto H = rows.row(k);
        const auto support = model.support(c);
        for (std::size_t i = 0; i < H.size(); ++i) {
            work_n[support[i]] = H[i];
        }
        A.solve_on(islands, work_n);

        // W_cd = H_d y for the contacts d that share an island
        for (const int d : model.neighbours(c)) {
            const int j = rows.index_of[d];
            if (j < 0) continue;
            const auto H_d = rows.row(j);
            const auto support_d = model.support(d);
            double sum = 0;
            for (std::size_t i = 0; i < H_d.size(); ++i) {
                const int island = model.mass_pattern().island(support_d[i]);
                const bool touched = std::binary_search(islands.begin(), islands.end(), island);
                if (touched) sum += H_d[i] * work_n[support_d[i]];
            }
            problem.W.append(k, j)[0] = sum;
        }
    }
    problem.W.finish();
}

void apply_percussions(const Model& model, const ContactRows& rows, std::span<const double> P, MassMatrix& A,
                       std::span<double> x) noexcept
{
    std::fill(x.begin(), x.end(), 0.0);
    for (int k = 0; k < rows.size(); ++k) {
        const auto H = rows.row(k);
        const auto support = model.support(rows.contacts[k]);
        for (std::size_t i = 0; i < H.size(); ++i) {
            x[support[i]] += H[i] * P[k];
        }
    }
    A.solve(x);
}

}  // namespace carom
