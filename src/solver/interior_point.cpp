#include "solver/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

constexpr int max_without_gain = 8;
constexpr double to_the_boundary = 0.99;

/// A step aims at no less than this part of the complementarity there is: off the central path directions of
/// percussion and slip differ by the root of it.
constexpr double min_target = 0.1;
constexpr double bilateral_softness = 1e-10;

/// Part of the typical size of q at which a contact begins that no warm start presses.
constexpr double first_pressure = 1.0;

double dot(const double* a, const double* b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

double tail(const double* a, int n)
{
    return n == 1 ? 0.0 : std::sqrt(dot(a + 1, a + 1, n - 1));
}

/// x_0^2 - |x_1|^2 without cancellation.
double det(const double* a, int n)
{
    const double t = tail(a, n);
    return (a[0] - t) * (a[0] + t);
}

void multiply(const double* A, const double* x, int n, double* y)
{
    for (int r = 0; r < n; ++r) {
        y[r] = dot(A + r * n, x, n);
    }
}

/// a o b of the Jordan algebra of L.
void jordan(const double* a, const double* b, int n, double* out)
{
    out[0] = dot(a, b, n);
    for (int k = 1; k < n; ++k) {
        out[k] = a[0] * b[k] + b[0] * a[k];
    }
}

/// The solution y of  a o y = b.
void jordan_divide(const double* a, const double* b, int n, double* y)
{
    const double inner = n == 1 ? 0.0 : dot(a + 1, b + 1, n - 1);
    y[0] = n == 1 ? b[0] / a[0] : (a[0] * b[0] - inner) / det(a, n);
    for (int k = 1; k < n; ++k) {
        y[k] = (b[k] - y[0] * a[k]) / a[0];
    }
}

/// Largest step with a + step da in L.
double longest(const double* a, const double* da, int n)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (n == 1) return da[0] < 0 ? -a[0] / da[0] : infinity;
    // (a + s da)_0^2 = |(a + s da)_1|^2:  A s^2 + 2 B s + C = 0 with C > 0
    const double A = da[0] * da[0] - dot(da + 1, da + 1, n - 1);
    const double B = a[0] * da[0] - dot(a + 1, da + 1, n - 1);
    const double C = det(a, n);
    const double root2 = B * B - A * C;
    double step = infinity;
    if (root2 >= 0 && (A < 0 || B < 0)) {
        const double root = std::sqrt(root2);
        step = B < 0 ? C / (-B + root) : (-B - root) / A;
        if (!(step > 0)) step = infinity;
    }
    return da[0] < 0 ? std::min(step, -a[0] / da[0]) : step;
}

}  // namespace

int InteriorPoint::cone_size(const FlatProblem& problem, int c) const noexcept
{
    switch (problem.kind[c]) {
    case FlatKind::Friction: return problem.d;
    case FlatKind::Unilateral: return 1;
    case FlatKind::Bilateral: break;
    }
    return 0;
}

void InteriorPoint::load(const FlatProblem& problem, BlockLu& lu)
{
    lu_ = &lu;
    const auto n = static_cast<std::size_t>(problem.size());
    cones_.resize(problem.kind.size());
    for (auto* vector : {&r_, &v_, &p_, &dr_, &dv_, &trial_, &u_}) {
        vector->assign(n, 0.0);
    }
    shift_.assign(problem.W_cc.size(), 0.0);
}

/// Inside both cones, near the warm start where that presses.
void InteriorPoint::start(const FlatProblem& problem, std::span<const double> x)
{
    const int d = problem.d;
    std::copy(x.begin(), x.end(), r_.begin());
    problem.velocity(x, u_);
    double size2 = 0;
    for (const double value : problem.q) {
        size2 += value * value;
    }
    const double size =
        first_pressure * std::sqrt(size2 / std::max(1.0, static_cast<double>(problem.contacts())));
    std::fill(v_.begin(), v_.end(), 0.0);
    for (int c = 0; c < problem.contacts(); ++c) {
        const int n = cone_size(problem, c);
        if (n == 0) continue;
        double* r = r_.data() + c * d;
        double* v = v_.data() + c * d;
        const double mu = n == 1 ? 1.0 : problem.mu[c];
        r[0] = std::max(r[0], size);
        const double t = tail(r, n), largest = 0.9 * mu * r[0];
        for (int k = 1; k < n; ++k) {
            r[k] = t > largest ? r[k] * largest / t : r[k];
            v[k] = u_[c * d + k];
        }
        v[0] = std::max(u_[c * d] + mu * tail(v, n), 1.2 * mu * tail(v, n) + size);
    }
}

/// Nesterov-Todd point of one contact (SO-12): T x = T^-1 z = lambda.
void InteriorPoint::scale(const FlatProblem& problem, int c)
{
    const int n = cone_size(problem, c), d = problem.d;
    Cone& cone = cones_[c];
    const double mu = n == 1 ? 1.0 : problem.mu[c];
    for (int k = 0; k < n; ++k) {
        cone.x[k] = r_[c * d + k] * (k == 0 ? mu : 1.0);
        cone.z[k] = v_[c * d + k] * (k == 0 ? 1.0 : mu);
    }
    const double det_x = det(cone.x, n), det_z = det(cone.z, n);
    const double root_x = std::sqrt(det_x), root_z = std::sqrt(det_z);
    double w[3];
    double inner = 0;
    for (int k = 0; k < n; ++k) {
        inner += cone.x[k] * cone.z[k];
    }
    const double gamma = std::sqrt((1 + inner / (root_x * root_z)) / 2);
    for (int k = 0; k < n; ++k) {
        w[k] = (cone.z[k] / root_z + (k == 0 ? 1 : -1) * cone.x[k] / root_x) / (2 * gamma);
    }
    const double theta = n == 1 ? std::sqrt(cone.z[0] / cone.x[0]) : std::sqrt(root_z / root_x);
    for (int r = 0; r < n; ++r) {
        for (int k = 0; k < n; ++k) {
            double value = r == 0 ? w[k] : w[r];
            if (r > 0 && k > 0) value = (r == k ? 1.0 : 0.0) + w[r] * w[k] / (1 + w[0]);
            if (n == 1) value = 1;
            cone.T[r * n + k] = theta * value;
            cone.T_inverse[r * n + k] = ((r == 0) != (k == 0) ? -value : value) / theta;
        }
    }
    for (int r = 0; r < n; ++r) {
        for (int k = 0; k < n; ++k) {
            double sum = 0;
            for (int j = 0; j < n; ++j) {
                sum += cone.T[r * n + j] * cone.T[j * n + k];
            }
            cone.T2[r * n + k] = sum;
        }
    }
    multiply(cone.T, cone.x, n, cone.lambda);
}

/// W + (I - N) S_z^-1 T^2 S_x, factorised; p = W r + q + s(v) - v.
void InteriorPoint::assemble(const FlatProblem& problem)
{
    const int d = problem.d, block = d * d;
    problem.velocity(r_, p_);
    std::copy(problem.W_cc.begin(), problem.W_cc.end(), lu_->diagonal().begin());
    std::copy(problem.W_off.begin(), problem.W_off.end(), lu_->off().begin());
    for (int c = 0; c < problem.contacts(); ++c) {
        const int n = cone_size(problem, c);
        double* A = lu_->diagonal().data() + c * block;
        if (n == 0) {
            A[0] += bilateral_softness;
            continue;
        }
        const double mu = n == 1 ? 1.0 : problem.mu[c];
        const double* v = v_.data() + c * d;
        const double slip = tail(v, n);
        double* M = shift_.data() + c * block;  // (I - N) S_z^-1
        std::fill(M, M + block, 0.0);
        for (int k = 0; k < n; ++k) {
            M[k * n + k] = k == 0 ? 1.0 : 1 / mu;
            if (k > 0 && slip > 0) M[k] = -v[k] / slip;
            p_[c * d + k] -= v[k];
        }
        if (n > 1) p_[c * d] += mu * slip;
        for (int r = 0; r < n; ++r) {
            for (int k = 0; k < n; ++k) {
                double sum = 0;
                for (int j = 0; j < n; ++j) {
                    sum += M[r * n + j] * cones_[c].T2[j * n + k];
                }
                A[r * d + k] += sum * (k == 0 ? mu : 1.0);
            }
        }
    }
}

/// Direction towards complementarity `target` (SO-13); the corrector uses the step found before.
void InteriorPoint::solve_step(const FlatProblem& problem, double target, bool corrector)
{
    const int d = problem.d, block = d * d;
    double right[3], quotient[3], pushed[3];
    for (int c = 0; c < problem.contacts(); ++c) {
        const int n = cone_size(problem, c);
        for (int k = 0; k < d; ++k) {
            dr_[c * d + k] = k < std::max(n, 1) ? -p_[c * d + k] : 0.0;
        }
        if (n == 0) continue;
        Cone& cone = cones_[c];
        jordan(cone.lambda, cone.lambda, n, right);
        for (int k = 0; k < n; ++k) {
            right[k] = -right[k] + (k == 0 ? target : 0.0);
        }
        if (corrector) {
            double Tdx[3], Tdz[3], product[3];
            multiply(cone.T, cone.dx, n, Tdx);
            multiply(cone.T_inverse, cone.dz, n, Tdz);
            jordan(Tdx, Tdz, n, product);
            for (int k = 0; k < n; ++k) {
                right[k] -= product[k];
            }
        }
        jordan_divide(cone.lambda, right, n, quotient);
        multiply(cone.T, quotient, n, cone.dz);  // T (lambda \ r_c), completed below
        multiply(shift_.data() + c * block, cone.dz, n, pushed);
        for (int k = 0; k < n; ++k) {
            dr_[c * d + k] += pushed[k];
        }
    }
    lu_->solve(dr_);

    // dv by the equation of motion, so that this one holds to roundoff however large T is
    problem.velocity(dr_, dv_);
    for (int c = 0; c < problem.contacts(); ++c) {
        const int n = cone_size(problem, c);
        if (n == 0) continue;
        Cone& cone = cones_[c];
        const double mu = n == 1 ? 1.0 : problem.mu[c];
        double* dv = dv_.data() + c * d;
        for (int k = 0; k < n; ++k) {
            dv[k] += p_[c * d + k] - problem.q[c * d + k];
        }
        for (int k = 1; k < n; ++k) {
            dv[0] -= mu * shift_[c * block + k] * dv[k];
        }
        for (int k = 0; k < n; ++k) {
            cone.dx[k] = dr_[c * d + k] * (k == 0 ? mu : 1.0);
            cone.dz[k] = dv[k] * (k == 0 ? 1.0 : mu);
        }
    }
}

double InteriorPoint::step_length(const FlatProblem& problem) const
{
    double step = std::numeric_limits<double>::infinity();
    for (int c = 0; c < problem.contacts(); ++c) {
        const int n = cone_size(problem, c);
        if (n == 0) continue;
        const Cone& cone = cones_[c];
        step = std::min({step, longest(cone.x, cone.dx, n), longest(cone.z, cone.dz, n)});
    }
    return step;
}

/// Mean of x.z after a step.
double InteriorPoint::complementarity(const FlatProblem& problem, double step) const
{
    double sum = 0;
    int count = 0;
    for (int c = 0; c < problem.contacts(); ++c) {
        const int n = cone_size(problem, c);
        if (n == 0) continue;
        ++count;
        for (int k = 0; k < n; ++k) {
            sum += (cones_[c].x[k] + step * cones_[c].dx[k]) * (cones_[c].z[k] + step * cones_[c].dz[k]);
        }
    }
    return count > 0 ? sum / count : 0.0;
}

int InteriorPoint::run(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    start(problem, x);
    double best = problem.error(x, u_).worst();
    int iteration = 0, without_gain = 0;
    while (iteration < budget.max_iterations && best > budget.tolerance && without_gain < max_without_gain &&
           !budget.expired()) {
        ++iteration;
        for (int c = 0; c < problem.contacts(); ++c) {
            if (cone_size(problem, c) > 0) scale(problem, c);
        }
        assemble(problem);
        if (lu_->factorise(problem) < 0) break;

        // predictor: as far as complementarity allows; corrector: back towards the centre
        solve_step(problem, 0.0, false);
        const double affine = std::min(1.0, to_the_boundary * step_length(problem));
        const double now = complementarity(problem, 0.0);
        const double ratio = now > 0 ? complementarity(problem, affine) / now : 0.0;
        solve_step(problem, std::clamp(ratio * ratio * ratio, min_target, 1.0) * now, true);
        const double step = std::min(1.0, to_the_boundary * step_length(problem));
        for (std::size_t k = 0; k < r_.size(); ++k) {
            r_[k] += step * dr_[k];
            v_[k] += step * dv_[k];
        }

        // what counts is the error of the projected percussions
        std::copy(r_.begin(), r_.end(), trial_.begin());
        problem.project(trial_);
        const double error = problem.error(trial_, u_).worst();
        if (!std::isfinite(error)) break;
        ++without_gain;
        if (error < best) {
            if (error < 0.9 * best) without_gain = 0;
            best = error;
            std::copy(trial_.begin(), trial_.end(), x.begin());
        }
        if (step < 1e-10) break;
    }
    return iteration;
}

}  // namespace carom
