#include "carom/model/contact_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace carom {
namespace {

using Kind = Variable::Kind;
using Space = std::array<double, 3>;

double dot(const Space& a, const Space& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Space cross(const Space& a, const Space& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Space scaled(const Space& a, double factor)
{
    return {factor * a[0], factor * a[1], factor * a[2]};
}

/// Value and gradient of the surface at a point of the plane or of space, and df/dt.
struct SurfaceAt {
    double value = 0, rate = 0;
    Space gradient{};

    SurfaceAt(const Formula& surface, const Space& x, double t_s, Workspace& work)
    {
        const Point at{x, {}, t_s};
        for (const Term& term : surface.terms()) {
            const auto variables = term.variables();
            work.make_room(variables.size());
            value += term.gradient(at, work, work.first);
            for (std::size_t k = 0; k < variables.size(); ++k) {
                (variables[k].kind == Kind::Time ? rate : gradient[variables[k].index]) += work.first[k];
            }
        }
    }
};

Space values_at(std::span<const Formula> formulas, const Space& x, double t_s, Workspace& work)
{
    Space result{};
    for (std::size_t k = 0; k < formulas.size(); ++k) {
        result[k] = formulas[k].value({x, {}, t_s}, work);
    }
    return result;
}

/// (CF-3): in the plane t is n turned clockwise, so that above a floor it points to the right. In space t1 is
/// the tangential part of the direction asked for, or else of the x axis, or of the y axis where n is nearly
/// along x; t2 = n x t1.
std::array<Space, 2> tangents(const Space& n, std::size_t d, std::span<const Formula> asked, const Space& x,
                              double t_s, Workspace& work)
{
    if (d == 2) return {Space{n[1], -n[0], 0}, Space{}};
    Space along = std::abs(n[0]) < 0.9 ? Space{1, 0, 0} : Space{0, 1, 0};
    if (!asked.empty()) along = values_at(asked, x, t_s, work);
    const double normal = dot(along, n);
    for (std::size_t k = 0; k < 3; ++k) {
        along[k] -= normal * n[k];
    }
    const Space t1 = scaled(along, 1 / std::sqrt(dot(along, along)));
    return {t1, cross(n, t1)};
}

}  // namespace

ContactGeometry::ContactGeometry(const Contact& contact) : particle_(contact.particle)
{
    std::vector<const Formula*> formulas;
    if (contact.particle) {
        for (const Formula& x : contact.particle->position) {
            formulas.push_back(&x);
        }
    } else {
        formulas.push_back(&contact.gap);
        if (contact.friction) {
            for (const Formula& velocity : contact.sliding) {
                formulas.push_back(&velocity);
            }
        }
    }
    std::set<int> named;
    for (const Formula* formula : formulas) {
        for (const Term& term : formula->terms()) {
            for (const Variable& variable : term.variables()) {
                if (variable.kind != Kind::Time) named.insert(variable.index);
            }
        }
    }
    support_.assign(named.begin(), named.end());
    at_rest_.assign(support_.empty() ? 0 : static_cast<std::size_t>(support_.back()) + 1, 0.0);
    for (const Formula* formula : formulas) {
        auto& list = particle_ ? position_ : sliding_;
        if (formula == &contact.gap) {
            gap_ = placed(*formula);
        } else {
            list.push_back(placed(*formula));
        }
    }
}

ContactGeometry::Placed ContactGeometry::placed(const Formula& formula) const
{
    Placed result{formula, {}};
    for (const Term& term : formula.terms()) {
        auto& places = result.places.emplace_back();
        for (const Variable& variable : term.variables()) {
            const auto found = std::lower_bound(support_.begin(), support_.end(), variable.index);
            places.push_back(variable.kind == Kind::Time ? -1 : static_cast<int>(found - support_.begin()));
        }
    }
    return result;
}

/// Adds the derivatives with respect to variables of one kind to `row` and those in time to `rate`; returns
/// the value.
double ContactGeometry::gradient(const Placed& placed, const Point& at, Kind kind, std::span<double> row,
                                 double& rate, Workspace& work) const
{
    double value = 0;
    const auto terms = placed.formula.terms();
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const auto variables = terms[k].variables();
        work.make_room(variables.size());
        value += terms[k].gradient(at, work, work.first);
        for (std::size_t v = 0; v < variables.size(); ++v) {
            if (variables[v].kind == Kind::Time) rate += work.first[v];
            if (variables[v].kind == kind) row[placed.places[k][v]] += work.first[v];
        }
    }
    return value;
}

double ContactGeometry::gap_m(const Point& at, Workspace& work) const
{
    if (!particle_) return gap_.formula.value(at, work);
    Space x{};
    for (std::size_t k = 0; k < position_.size(); ++k) {
        x[k] = position_[k].formula.value(at, work);
    }
    const SurfaceAt surface(particle_->surface, x, at.t_s, work);
    return surface.value / std::sqrt(dot(surface.gradient, surface.gradient));
}

void ContactGeometry::rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const
{
    std::fill(H.begin(), H.end(), 0.0);
    std::fill(b.begin(), b.end(), 0.0);
    if (particle_) {
        particle_rows(at, H, b, work);
        return;
    }
    const std::size_t n = support_.size();
    (void)gradient(gap_, at, Kind::Coordinate, H.first(n), b[0], work);
    for (std::size_t k = 1; k < b.size(); ++k) {
        sliding_row(sliding_[k - 1], at, H.subspan(k * n, n), b[k], work);
    }
}

/// An affine function of the velocities: its derivatives, and its value at rest.
void ContactGeometry::sliding_row(const Placed& sliding, const Point& at, std::span<double> row, double& b,
                                  Workspace& work) const
{
    double rate = 0;
    b = gradient(sliding, {at.q, at_rest_, at.t_s}, Kind::Velocity, row, rate, work);
}

/// (CF-2): U_N = n.x' + (df/dt) / |grad f|,  U_T = t.(x' - w)  with  x' = dx/dq u + dx/dt.
void ContactGeometry::particle_rows(const Point& at, std::span<double> H, std::span<double> b,
                                    Workspace& work) const
{
    const std::size_t n = support_.size(), d = position_.size();

    // position first, then its derivatives by component
    Space x{};
    for (std::size_t k = 0; k < d; ++k) {
        x[k] = position_[k].formula.value(at, work);
    }
    const SurfaceAt surface(particle_->surface, x, at.t_s, work);
    const double size = std::sqrt(dot(surface.gradient, surface.gradient));
    const Space normal = scaled(surface.gradient, 1 / size);
    std::array<Space, 3> frame{normal};
    if (b.size() > 1) {
        const auto t = tangents(normal, d, particle_->tangent, x, at.t_s, work);
        frame[1] = t[0];
        frame[2] = t[1];
    }
    Space w{};
    if (b.size() > 1) w = values_at(particle_->obstacle_velocity, x, at.t_s, work);
    b[0] = surface.rate / size;
    for (std::size_t i = 1; i < b.size(); ++i) {
        b[i] = -dot(frame[i], w);
    }

    // every component of x' adds its share to every row
    for (std::size_t k = 0; k < d; ++k) {
        const auto terms = position_[k].formula.terms();
        for (std::size_t term = 0; term < terms.size(); ++term) {
            const auto variables = terms[term].variables();
            work.make_room(variables.size());
            terms[term].gradient(at, work, work.first);
            for (std::size_t v = 0; v < variables.size(); ++v) {
                const int place = position_[k].places[term][v];
                for (std::size_t i = 0; i < b.size(); ++i) {
                    (place < 0 ? b[i] : H[i * n + static_cast<std::size_t>(place)]) +=
                        frame[i][k] * work.first[v];
                }
            }
        }
    }
}

}  // namespace carom
