#include "step_parts.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

bool correct_violations(const Model& model, std::span<const int> contacts, double t_s, Eigen::VectorXd& q,
                        Scratch& s)
{
    s.correction_rows.contacts.assign(contacts.begin(), contacts.end());
    const Point at{view(q), view(s.u_start), t_s};
    s.correction_problem.U_free.clear();
    for (const int contact : contacts) {
        s.correction_problem.U_free.push_back(model.gap_m(contact, at, s.work));
    }
    begin_correction(model, s);
    return project_out(model, t_s, q, s);
}

void begin_correction(const Model& model, Scratch& s)
{
    s.lifted.assign(static_cast<std::size_t>(model.contacts()), 0);
    s.correction_passes = 0;
}

double left_to_correct(double gap_m, int contact, const Scratch& s)
{
    return s.lifted[static_cast<std::size_t>(contact)] != 0 ? std::abs(gap_m) : -gap_m;
}

bool project_out(const Model& model, double t_s, Eigen::VectorXd& q, Scratch& s)
{
    ContactRows& rows = s.correction_rows;
    const Point at{view(q), view(s.u_start), t_s};

    // metric and gradients at q
    if (!s.A_is_constant_and_factored) {
        model.kinetic_terms(at, s.correction_A, view(s.correction_x), s.work);
        if (!s.correction_A.factorise()) return false;
    }
    MassMatrix& A = s.A_is_constant_and_factored ? s.A : s.correction_A;
    evaluate_rows(model, at, s.work, rows, RowsOf::Normal);

    // least displacement dq with  g + H dq >= 0:  0 <= P perp W P + g >= 0,  dq = A^-1 H^T P; positions that
    // constraints hold become zero, and so do gaps that an earlier pass has lifted: a contact that stays is
    // closed, not left a little open by the curvature of what moved it
    OneStepProblem& problem = s.correction_problem;
    problem.laws.assign(rows.contacts.size(), Unilateral{});
    for (std::size_t k = 0; k < rows.contacts.size(); ++k) {
        const int i = rows.contacts[k];
        if (!model.is_contact(i) || s.lifted[static_cast<std::size_t>(i)] != 0) problem.laws[k] = Bilateral{};
    }
    problem.offsets = rows.offsets;
    problem.U_minus.assign(rows.contacts.size(), 0.0);
    assemble_delassus(model, model.coupling(), rows, A, view(s.correction_x), problem);
    s.correction_P.assign(rows.contacts.size(), 0.0);
    s.solver.pivoting.solve(problem, s.correction_P);

    const bool moves =
        std::any_of(s.correction_P.begin(), s.correction_P.end(), [](double P) { return P != 0; });
    if (!moves) return false;
    apply_percussions(model, rows, s.correction_P, A, view(s.correction_x));
    if (!s.correction_x.allFinite()) return false;
    q += s.correction_x;
    ++s.correction_passes;
    for (std::size_t k = 0; k < rows.contacts.size(); ++k) {
        const int i = rows.contacts[k];
        if (model.is_contact(i) && s.correction_P[k] > 0) s.lifted[static_cast<std::size_t>(i)] = 1;
    }
    return true;
}

}  // namespace carom
