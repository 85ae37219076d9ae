#include "conic_form.hpp"

#include "carom/convex/operations.hpp"
#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"

#include <cmath>

namespace carom::detail {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// All of R^n.
ConicForm whole(Eigen::Index n)
{
    return ConicForm::shadow(Matrix::Identity(n, n), Vector::Zero(n));
}

void append(Matrix& rows, Vector& bounds, const Matrix& more_rows, const Vector& more_bounds)
{
    Matrix joined(rows.rows() + more_rows.rows(), more_rows.cols());
    joined << rows, more_rows;
    Vector joined_bounds(joined.rows());
    joined_bounds << bounds, more_bounds;
    rows = std::move(joined);
    bounds = std::move(joined_bounds);
}

/// { v : g_i.v <= h_i }; pairs of opposite inequalities become equations, which have no interior to look for.
ConicForm by_inequalities(const Matrix& G, const Vector& h)
{
    ConicForm form = whole(G.cols());
    std::vector<char> is_used(static_cast<std::size_t>(G.rows()), 0);
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
        if (is_used[static_cast<std::size_t>(i)] != 0) continue;
        bool is_equation = false;
        for (Eigen::Index j = i + 1; j < G.rows(); ++j) {
            const bool is_opposite = G.row(j) == -G.row(i) && h[j] == -h[i];
            if (!is_opposite) continue;
            is_equation = true;
            is_used[static_cast<std::size_t>(j)] = 1;
        }
        append(is_equation ? form.E : form.G, is_equation ? form.e : form.h, G.row(i), h.segment(i, 1));
    }
    return form;
}

ConicForm box(const Vector& lower, const Vector& upper)
{
    const Eigen::Index n = lower.size();
    ConicForm form = whole(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Matrix row = Matrix(Vector::Unit(n, i).transpose());
        if (lower[i] == upper[i]) {
            append(form.E, form.e, row, Vector::Constant(1, lower[i]));
            continue;
        }
        if (std::isfinite(upper[i])) append(form.G, form.h, row, Vector::Constant(1, upper[i]));
        if (std::isfinite(lower[i])) append(form.G, form.h, -row, Vector::Constant(1, -lower[i]));
    }
    return form;
}

/// { c + F y : |y| <= r }.
ConicForm round(const Vector& centre, const Matrix& F, double radius)
{
    if (radius == 0) return ConicForm::shadow(Matrix(centre.size(), 0), centre);
    const Eigen::Index n = F.cols();
    ConicForm form = ConicForm::shadow(F, centre);
    form.Q = Matrix::Zero(n + 1, n);
    form.Q.bottomRows(n) = -Matrix::Identity(n, n);
    form.k = radius * Vector::Unit(n + 1, 0);
    form.cones = {n + 1};
    return form;
}

/// { sum mu_i g_i : mu >= 0 }, with sum mu_i = 1 for a hull; g_i the columns.
ConicForm generated(const Matrix& columns, bool is_hull)
{
    const Eigen::Index m = columns.cols();
    ConicForm form = ConicForm::shadow(columns, Vector::Zero(columns.rows()));
    append(form.G, form.h, -Matrix::Identity(m, m), Vector::Zero(m));
    if (is_hull) append(form.E, form.e, Matrix::Ones(1, m), Vector::Ones(1));
    return form;
}

ConicForm circular_cone(Eigen::Index n, double mu, double sign)
{
    if (mu == 0 || n == 1) return generated(sign * Matrix::Identity(n, 1), false);
    ConicForm form = whole(n);
    form.Q = -Matrix::Identity(n, n);
    form.Q(0, 0) = -sign * mu;
    form.k = Vector::Zero(n);
    form.cones = {n};
    return form;
}

}  // namespace

ConicForm ConicForm::shadow(Eigen::MatrixXd B, Eigen::VectorXd c)
{
    const Eigen::Index n = B.cols();
    return {std::move(B), std::move(c), Matrix(0, n), Vector(0), Matrix(0, n),
            Vector(0),    Matrix(0, n), Vector(0),    {}};
}

std::optional<ConicForm> conic_form(const ConvexSet& set)
{
    if (const auto* s = dynamic_cast<const Singleton*>(&set)) return round(s->point(), {}, 0);
    if (const auto* s = dynamic_cast<const Subspace*>(&set)) {
        return ConicForm::shadow(s->basis(), Vector::Zero(s->dimension()));
    }
    if (const auto* s = dynamic_cast<const Orthant*>(&set)) {
        const int n = s->dimension();
        return by_inequalities(-s->sign() * Matrix::Identity(n, n), Vector::Zero(n));
    }
    if (const auto* s = dynamic_cast<const HalfSpace*>(&set)) {
        return by_inequalities(s->unit_normal().transpose(), Vector::Constant(1, s->offset()));
    }
    if (const auto* s = dynamic_cast<const Interval*>(&set)) {
        return box(Vector::Constant(1, s->lower()), Vector::Constant(1, s->upper()));
    }
    if (const auto* s = dynamic_cast<const Box*>(&set)) return box(s->lower(), s->upper());
    if (const auto* s = dynamic_cast<const Ball*>(&set)) {
        return round(s->centre(), Matrix::Identity(s->dimension(), s->dimension()), s->radius());
    }
    if (const auto* s = dynamic_cast<const Ellipsoid*>(&set)) return round(s->centre(), s->factor(), 1);
    if (const auto* s = dynamic_cast<const SecondOrderCone*>(&set)) {
        return circular_cone(s->dimension(), s->mu(), s->sign());
    }
    if (const auto* s = dynamic_cast<const PolyhedralCone*>(&set)) {
        return s->is_generated() ? generated(s->rows().transpose(), false)
                                 : by_inequalities(s->rows(), Vector::Zero(s->rows().rows()));
    }
    if (const auto* s = dynamic_cast<const Polyhedron*>(&set)) {
        return by_inequalities(s->unit_normals().transpose(), s->offsets());
    }
    if (const auto* s = dynamic_cast<const Polytope*>(&set)) return generated(s->vertices(), true);
    if (const auto* s = dynamic_cast<const Composite*>(&set)) return s->form();
    if (const auto* s = dynamic_cast<const Moved*>(&set)) {
        auto form = conic_form(s->original());
        if (form) form = moved(s->scale(), s->shift(), std::move(*form));
        return form;
    }
    return std::nullopt;
}

ConicForm image(const Eigen::MatrixXd& M, ConicForm form)
{
    form.B = M * form.B;
    form.c = M * form.c;
    return form;
}

ConicForm moved(double scale, const Eigen::VectorXd& shift, ConicForm form)
{
    form.B *= scale;
    form.c = scale * form.c + shift;
    return form;
}

namespace {

/// Columns of `rows` moved to start at `first` among `all` columns.
Matrix widened(const Matrix& rows, Eigen::Index first, Eigen::Index all)
{
    Matrix wide = Matrix::Zero(rows.rows(), all);
    wide.middleCols(first, rows.cols()) = rows;
    return wide;
}

/// All unknowns side by side, each restricted by its own form; B and c are those of the sum.
ConicForm side_by_side(std::span<const ConicForm> forms)
{
    Eigen::Index all = 0;
    for (const ConicForm& form : forms) {
        all += form.B.cols();
    }
    const Eigen::Index n = forms.front().c.size();
    ConicForm joint = ConicForm::shadow(Matrix::Zero(n, all), Vector::Zero(n));
    Eigen::Index first = 0;
    for (const ConicForm& form : forms) {
        joint.B.middleCols(first, form.B.cols()) = form.B;
        joint.c += form.c;
        append(joint.E, joint.e, widened(form.E, first, all), form.e);
        append(joint.G, joint.h, widened(form.G, first, all), form.h);
        append(joint.Q, joint.k, widened(form.Q, first, all), form.k);
        joint.cones.insert(joint.cones.end(), form.cones.begin(), form.cones.end());
        first += form.B.cols();
    }
    return joint;
}

bool restricts_points(const ConicForm& form)
{
    return form.B.rows() == form.B.cols() && form.B.isIdentity(0) && form.c.isZero(0);
}

}  // namespace

ConicForm sum(std::span<const ConicForm> forms)
{
    return side_by_side(forms);
}

ConicForm intersection(std::span<const ConicForm> forms)
{
    // forms with unknowns of their own first, tied to the first of them by equations
    std::vector<ConicForm> lifted;
    for (const ConicForm& form : forms) {
        if (!restricts_points(form)) lifted.push_back(form);
    }
    const Eigen::Index n = forms.front().c.size();
    if (lifted.empty()) lifted.push_back(whole(n));
    ConicForm joint = side_by_side(lifted);
    const Eigen::Index own = lifted.front().B.cols(), all = joint.B.cols();
    joint.B = widened(lifted.front().B, 0, all);
    joint.c = lifted.front().c;
    Eigen::Index first = own;
    for (std::size_t i = 1; i < lifted.size(); ++i) {
        append(joint.E, joint.e, joint.B - widened(lifted[i].B, first, all), lifted[i].c - joint.c);
        first += lifted[i].B.cols();
    }

    // forms that restrict the point itself add rows, and no unknowns
    for (const ConicForm& form : forms) {
        if (!restricts_points(form)) continue;
        append(joint.E, joint.e, form.E * joint.B, form.e - form.E * joint.c);
        append(joint.G, joint.h, form.G * joint.B, form.h - form.G * joint.c);
        append(joint.Q, joint.k, form.Q * joint.B, form.k - form.Q * joint.c);
        joint.cones.insert(joint.cones.end(), form.cones.begin(), form.cones.end());
    }
    return joint;
}

}  // namespace carom::detail
