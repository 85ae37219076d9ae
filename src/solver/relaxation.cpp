#include "solver/relaxation.hpp"

#include "solver/one_contact.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// S counts as positive where its determinant is this part of its trace squared.
constexpr double singular = 1e-10;

/// Sliding is solved to this part of alpha; Newton's last step squares it.
constexpr double last_step = 1e-8;
constexpr int max_newton_steps = 20;

/// x <- projection of x - rho (u + mu |u_T| e_N)
template <int D>
inline void projection_step(const FlatProblem& problem, int c, const double* u, double rho, double* x)
{
    if (D == 1 || problem.kind[c] != FlatKind::Friction) {
        x[0] -= rho * u[0];
        if (problem.kind[c] == FlatKind::Unilateral) x[0] = std::max(x[0], 0.0);
        return;
    }
    double slip2 = 0, t2 = 0;
    for (int k = 1; k < D; ++k) {
        slip2 += u[k] * u[k];
        x[k] -= rho * u[k];
        t2 += x[k] * x[k];
    }
    const double mu = problem.mu[c];
    const double n = x[0] - rho * (u[0] + mu * std::sqrt(slip2)), t = std::sqrt(t2);
    x[0] = n;
    if (t <= mu * n) return;
    if (mu * t <= -n) {
        std::fill(x, x + D, 0.0);
        return;
    }
    const double on = (n + mu * t) / (1 + mu * mu), part = mu * on / t;
    x[0] = on;
    for (int k = 1; k < D; ++k) {
        x[k] *= part;
    }
}

}  // namespace

void Relaxation::load(const FlatProblem& problem)
{
    const auto m = static_cast<std::size_t>(problem.contacts());
    const int d = problem.d;
    reduced_.assign(m, {});
    step_.resize(m);
    for (std::size_t c = 0; c < m; ++c) {
        const double* W = problem.W_cc.data() + c * static_cast<std::size_t>(d * d);
        Reduced& r = reduced_[c];
        double trace = 0;
        const int rows = problem.kind[c] == FlatKind::Friction ? d : 1;
        for (int k = 0; k < rows; ++k) {
            trace += W[k * d + k];
        }
        step_[c] = trace > 0 ? rows / trace : 0.0;
        r.inverse_nn = W[0] > 0 ? 1 / W[0] : 0.0;
        if (problem.kind[c] != FlatKind::Friction || d != 3 || !(W[0] > 0)) continue;
        r.a1 = W[1] / W[0];
        r.a2 = W[2] / W[0];
        r.c1 = W[3] / W[0];
        r.c2 = W[6] / W[0];
        r.S11 = W[4] - W[3] * r.a1;
        r.S12 = W[5] - W[3] * r.a2;
        r.S21 = W[7] - W[6] * r.a1;
        r.S22 = W[8] - W[6] * r.a2;
        const double S_trace = r.S11 + r.S22, det = r.S11 * r.S22 - r.S12 * r.S21;
        r.regular = S_trace > singular * std::max(W[4], W[8]) && det > singular * S_trace * S_trace;
    }
}

void Relaxation::gauss_seidel(const FlatProblem& problem, std::span<double> x, double relaxation)
{
    const int d = problem.d;
    double b[3], before[3];
    for (int c = 0; c < problem.contacts(); ++c) {
        double* x_c = x.data() + static_cast<std::size_t>(c) * d;
        problem.drive(c, x.data(), b);
        if (relaxation == 1) {
            solve_contact(problem, c, b, x_c);
            continue;
        }
        std::copy(x_c, x_c + d, before);
        solve_contact(problem, c, b, x_c);
        for (int k = 0; k < d; ++k) {
            x_c[k] = before[k] + relaxation * (x_c[k] - before[k]);
        }
        problem.project(c, x_c);
    }
}

void Relaxation::psor(const FlatProblem& problem, std::span<double> x, double relaxation)
{
    if (problem.d == 3) return psor_sweep<3>(problem, x.data(), relaxation);
    if (problem.d == 2) return psor_sweep<2>(problem, x.data(), relaxation);
    psor_sweep<1>(problem, x.data(), relaxation);
}

/// All that a contact needs in registers: this sweep runs millions of times on hard problems.
template <int D>
void Relaxation::psor_sweep(const FlatProblem& problem, double* x, double relaxation)
{
    const double* block = problem.W_off.data();
    const int* column = problem.column.data();
    const int m = problem.contacts();
    for (int c = 0; c < m; ++c) {
        double* x_c = x + c * D;
        double u[D];
        for (int r = 0; r < D; ++r) {
            u[r] = problem.q[static_cast<std::size_t>(c * D + r)];
        }
        const double* W = problem.W_cc.data() + c * D * D;
        for (int r = 0; r < D; ++r) {
            for (int k = 0; k < D; ++k) {
                u[r] += W[r * D + k] * x_c[k];
            }
        }
        for (const int* const end = problem.column.data() + problem.row_begin[c + 1]; column != end;
             ++column, block += D * D) {
            const double* x_j = x + *column * D;
            for (int r = 0; r < D; ++r) {
                double sum = 0;
                for (int k = 0; k < D; ++k) {
                    sum += block[r * D + k] * x_j[k];
                }
                u[r] += sum;
            }
        }
        projection_step<D>(problem, c, u, relaxation * step_[c], x_c);
    }
}

void Relaxation::project_step(const FlatProblem& problem, int c, const double* u, double* x) const
{
    if (problem.d == 3) return projection_step<3>(problem, c, u, step_[c], x);
    if (problem.d == 2) return projection_step<2>(problem, c, u, step_[c], x);
    projection_step<1>(problem, c, u, step_[c], x);
}

void Relaxation::solve_contact(const FlatProblem& problem, int c, const double* b, double* x)
{
    switch (problem.kind[c]) {
    case FlatKind::Unilateral: x[0] = std::max(0.0, -b[0] * reduced_[c].inverse_nn); return;
    case FlatKind::Bilateral: x[0] = -b[0] * reduced_[c].inverse_nn; return;
    case FlatKind::Friction: break;
    }
    // separates by itself
    if (b[0] >= 0) {
        std::fill(x, x + problem.d, 0.0);
        return;
    }
    if (problem.d == 2) return solve_in_plane(problem, c, b, x);
    if (reduced_[c].regular) return solve_in_space(problem, c, b, x);
    solve_generally(problem, c, b, x);
}

/// (OC-2): the sticking point, or the edge of the cone on its side.
void Relaxation::solve_in_plane(const FlatProblem& problem, int c, const double* b, double* x)
{
    const double* W = problem.W_cc.data() + static_cast<std::size_t>(c) * 4;
    const double mu = problem.mu[c], P_n0 = -b[0] * reduced_[c].inverse_nn;
    const double drive = b[1] + W[2] * P_n0, S = W[3] - W[2] * W[1] * reduced_[c].inverse_nn;
    if (!(S > singular * W[3]) || !(W[0] > 0)) return solve_generally(problem, c, b, x);
    const double P_t = -drive / S, P_n = P_n0 - W[1] * P_t * reduced_[c].inverse_nn;
    if (std::abs(P_t) <= mu * P_n) {
        x[0] = P_n;
        x[1] = P_t;
        return;
    }
    const double edge = drive > 0 ? -mu : mu, denominator = W[0] + W[1] * edge;
    if (!(denominator > 0)) return solve_generally(problem, c, b, x);
    x[0] = -b[0] / denominator;
    x[1] = edge * x[0];
}

/// (OC-3) in its quick form: S is regular, Newton begins at the last solution and falls back on the bracketed
/// one where it leaves the positive axis or does not settle.
void Relaxation::solve_in_space(const FlatProblem& problem, int c, const double* b, double* x)
{
    Reduced& r = reduced_[c];
    const double mu = problem.mu[c], P_n0 = -b[0] * r.inverse_nn;
    const double g1 = r.c1 * b[0] - b[1], g2 = r.c2 * b[0] - b[2];  // minus the drive

    // sticking
    const double det = r.S11 * r.S22 - r.S12 * r.S21;
    double t1 = (r.S22 * g1 - r.S12 * g2) / det, t2 = (r.S11 * g2 - r.S21 * g1) / det;
    double n = P_n0 - (r.a1 * t1 + r.a2 * t2);
    if (n >= 0 && t1 * t1 + t2 * t2 <= mu * mu * n * n) {
        x[0] = n;
        x[1] = t1;
        x[2] = t2;
        return;
    }

    // sliding: |P_T(alpha)| = mu P_N(alpha), alpha > 0
    double alpha = r.alpha;
    if (!(alpha > 0)) {
        alpha = std::sqrt(g1 * g1 + g2 * g2) / (mu * P_n0) - (r.S11 + r.S22) / 2;
        if (!(alpha > 0)) alpha = (r.S11 + r.S22) / 2;
    }
    for (int k = 0; k < max_newton_steps; ++k) {
        const double d11 = r.S11 + alpha, d22 = r.S22 + alpha, inverse = 1 / (d11 * d22 - r.S12 * r.S21);
        t1 = (d22 * g1 - r.S12 * g2) * inverse;
        t2 = (d11 * g2 - r.S21 * g1) * inverse;
        n = P_n0 - (r.a1 * t1 + r.a2 * t2);
        const double e1 = (d22 * t1 - r.S12 * t2) * inverse, e2 = (d11 * t2 - r.S21 * t1) * inverse;
        const double size2 = t1 * t1 + t2 * t2, size = std::sqrt(size2);
        const double step =
            size2 * (size - mu * n) / (mu * ((r.a1 * e1 + r.a2 * e2) * size2 + n * (t1 * e1 + t2 * e2)));
        if (!(alpha + step > 0)) break;
        alpha += step;
        if (std::abs(step) > last_step * alpha) continue;

        // the last step moved P_T by -e step
        t1 -= e1 * step;
        t2 -= e2 * step;
        n = P_n0 - (r.a1 * t1 + r.a2 * t2);
        if (!(n >= 0)) break;
        const double onto = mu * n / std::sqrt(t1 * t1 + t2 * t2);
        r.alpha = alpha;
        x[0] = n;
        x[1] = onto * t1;
        x[2] = onto * t2;
        return;
    }
    r.alpha = 0;
    solve_generally(problem, c, b, x);
}

/// The careful solver, for blocks that are singular or wedged; a contact without a solution keeps a
/// projection step.
void Relaxation::solve_generally(const FlatProblem& problem, int c, const double* b, double* x) const
{
    const int d = problem.d;
    const auto block = static_cast<std::size_t>(d * d), rows = static_cast<std::size_t>(d);
    const double* W = problem.W_cc.data() + static_cast<std::size_t>(c) * block;
    Coulomb law{.shape = FrictionInterval{}, .friction = problem.mu[c]};
    if (d == 3) law.shape = FrictionDisc{};
    double solution[3] = {0, 0, 0};
    const auto status = solve_one_contact(law, {W, block}, {b, rows}, {solution, rows});
    if (status != ContactStatus::None) {
        std::copy(solution, solution + d, x);
        return;
    }
    double u[3];
    for (int r = 0; r < d; ++r) {
        u[r] = b[r];
        for (int k = 0; k < d; ++k) {
            u[r] += W[r * d + k] * x[k];
        }
    }
    u[0] += problem.mu[c] * (d == 3 ? std::sqrt(u[1] * u[1] + u[2] * u[2]) : std::abs(u[1]));
    for (int k = 0; k < d; ++k) {
        x[k] -= step_[c] * u[k];
    }
    problem.project(c, x);
}

}  // namespace carom
