#include "conic_form.hpp"
#include "conic_programme.hpp"
#include "inequalities.hpp"

#include <Eigen/QR>

#include <cmath>
#include <limits>

namespace carom::detail {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Gap and residual of a programme of size one below which its solution counts: by (CS-22) points are then
/// certain to (2 * 5e-11)^(1/2) = 1e-5 of that size, and where the polish succeeds, to roundoff.
constexpr double solved_below = 5e-11;

/// The unknowns of a polyhedral form, equations first.
Inequalities unknowns_of(const ConicForm& form)
{
    Inequalities rows;
    rows.normals.resize(form.B.cols(), form.e.size() + form.h.size());
    rows.normals << form.E.transpose(), form.G.transpose();
    rows.bounds.resize(form.e.size() + form.h.size());
    rows.bounds << form.e, form.h;
    rows.equalities = form.e.size();
    return rows;
}

/// Unknown y of the nearest point of a polyhedral form; B and z whitened.
ProxStatus nearest_polyhedral(const ConicForm& form, const Matrix& B, const Vector& z, double scale,
                              Vector& y)
{
    const Inequalities unknowns = unknowns_of(form);
    const Eigen::Index n = B.cols();
    y = Vector::Zero(n);
    if (n == 0) return ProxStatus::Converged;
    Matrix H = B.transpose() * B;

    // one y for every point: nearest in the metric B^T A B to the solution of least squares
    Eigen::ColPivHouseholderQR<Matrix> qr;
    qr.setThreshold(1e-5);
    qr.compute(B);
    if (qr.rank() == n) {
        const auto metric = Metric::from_matrix(H);
        return metric ? nearest(unknowns, *metric, qr.solve(z), y) : ProxStatus::NotConverged;
    }

    // otherwise proximal steps, each exact: eps |y - y_k|^2 / 2 makes them well-posed (CS-18); eps falls as
    // far as the active set method resolves, and the steps contract by eps over the curvature
    const double trace = H.trace() > 0 ? H.trace() : 1;
    const double size = scale + z.norm() / std::sqrt(trace);
    constexpr int max_steps = 400;
    constexpr double first = 1e-3, smallest = 1e-6, at_rest = 1e-12, noise = 1e-8;
    for (int step = 0; step < max_steps; ++step) {
        const double eps = trace * std::max(first * std::pow(0.1, step), smallest);
        const auto metric = Metric::from_matrix(H + eps * Matrix::Identity(n, n));
        if (!metric) return ProxStatus::NotConverged;
        const Vector last = y;
        const ProxStatus status =
            nearest(unknowns, *metric, metric->solve(B.transpose() * z + eps * last), y);
        if (status != ProxStatus::Converged) return status;

        // x rests, and y up to the roundoff of directions that only eps determines
        const bool rests = (B * (y - last)).norm() <= at_rest * std::sqrt(trace) * (size + y.norm()) &&
                           (y - last).norm() <= noise * (size + y.norm());
        if (rests) return ProxStatus::Converged;
    }
    return ProxStatus::NotConverged;
}

/// The constraints of a form for a programme in y / scale.
ConicProgramme programme_of(const ConicForm& form, double scale)
{
    ConicProgramme programme;
    const Eigen::Index n = form.B.cols();
    programme.E = form.E;
    programme.e = form.e / scale;
    programme.G.resize(form.h.size() + form.k.size(), n);
    programme.G << form.G, form.Q;
    programme.h.resize(form.h.size() + form.k.size());
    programme.h << form.h / scale, form.k / scale;
    programme.blocks.assign(static_cast<std::size_t>(form.h.size()), 1);
    programme.blocks.insert(programme.blocks.end(), form.cones.begin(), form.cones.end());
    return programme;
}

bool is_solved(const ConicSolution& solution)
{
    return std::abs(solution.gap) + solution.residual <= solved_below;  // false for NaN
}

/// Whether the set contains a ray d with p.d > 0: the nearest point to p of the cone of its rays (CS-20).
bool has_ray_along(ConicForm form, const Vector& p)
{
    form.c.setZero();
    form.e.setZero();
    form.h.setZero();
    form.k.setZero();
    Vector ray(p.size());
    nearest(form, Metric::euclidean(), p / p.norm(), 0, ray);
    constexpr double clearly = 1e-3;
    return ray.norm() > clearly && p.dot(ray) > clearly * p.norm() * ray.norm();
}

}  // namespace

ProxStatus nearest(const ConicForm& form, const Metric& metric, const Eigen::Ref<const Eigen::VectorXd>& z,
                   double scale, Eigen::VectorXd& x)
{
    const Matrix B = metric.whitened(form.B);
    const Vector from = metric.whitened(z - form.c);
    if (form.is_polyhedral()) {
        Vector y;
        const ProxStatus status = nearest_polyhedral(form, B, from, scale, y);
        x = form.c + form.B * y;
        return status;
    }

    // a set of one point
    if (form.B.isZero(0)) {
        x = form.c;
        return ProxStatus::Converged;
    }

    // lengths relative to the set and to z, the metric relative to its greatest stretch of B
    const double stretch = B.squaredNorm() / form.B.squaredNorm();
    double size = scale + (z - form.c).norm();
    if (size == 0) size = 1;  // the apex of a cone
    ConicProgramme programme = programme_of(form, size);
    programme.P = B.transpose() * B / stretch;
    programme.q = -B.transpose() * from / (stretch * size);
    const ConicSolution solution = polished(programme, solve_conic_programme(programme));
    x = form.c + size * (form.B * solution.y);
    return is_solved(solution) ? ProxStatus::Converged : ProxStatus::NotConverged;
}

double support(const ConicForm& form, const Eigen::Ref<const Eigen::VectorXd>& p, double scale)
{
    const Vector q = form.B.transpose() * p;
    const double length = q.norm();
    if (length <= direction_tolerance * p.norm() * form.B.norm()) return p.dot(form.c);
    if (form.is_polyhedral()) return p.dot(form.c) + support(unknowns_of(form), q);

    // the linear programme; where it has no solution, a ray of the set says why
    const double size = scale > 0 ? scale : 1;
    ConicProgramme programme = programme_of(form, size);
    programme.P = Matrix::Zero(q.size(), q.size());
    programme.q = -q / length;
    const ConicSolution solution = polished(programme, solve_conic_programme(programme));
    const double gained = q.dot(solution.y) / length;
    if (is_solved(solution)) return p.dot(form.c) + size * length * gained;
    return has_ray_along(form, p) ? std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace carom::detail
