#include "carom/law/law.hpp"

#include "circular_cone.hpp"
#include "same_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

using Vector = std::array<double, 2>;

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

double cross(const Vector& a, const Vector& b)
{
    return a[0] * b[1] - a[1] * b[0];
}

Vector minus(const Vector& a, const Vector& b)
{
    return {a[0] - b[0], a[1] - b[1]};
}

double dot(const Vector& a, const Vector& b)
{
    return a[0] * b[0] + a[1] * b[1];
}

/// Components along the half-axes of an ellipse, and back.
Vector turned(const Vector& x, double angle)
{
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * x[0] + s * x[1], -s * x[0] + c * x[1]};
}

Error refused(const char* where, std::string message, const char* hint)
{
    return {.code = ErrorCode::SettingOutOfRange,
            .where = where,
            .message = std::move(message),
            .hint = hint,
            .excerpt = {}};
}

/// Nearest point of { y : (y_1/a)^2 + (y_2/b)^2 <= 1 } to x: y_i = a_i^2 x_i / (a_i^2 + lambda). The equation
/// for lambda is convex and falling from lambda = 0 on, so Newton's iteration climbs to its root from the
/// left.
Vector nearest_in_ellipse(const Vector& half_axes, const Vector& x)
{
    const double a2 = half_axes[0] * half_axes[0], b2 = half_axes[1] * half_axes[1];
    const auto outside = [&](double lambda) {
        const double u = half_axes[0] * x[0] / (a2 + lambda), v = half_axes[1] * x[1] / (b2 + lambda);
        return u * u + v * v - 1;
    };
    if (!(a2 > 0) || !(b2 > 0)) {  // a segment or a point
        return {std::clamp(x[0], -half_axes[0], half_axes[0]), std::clamp(x[1], -half_axes[1], half_axes[1])};
    }
    if (outside(0) <= 0) return x;
    double lambda = 0;
    for (int k = 0; k < 100; ++k) {
        const double u = half_axes[0] * x[0] / (a2 + lambda), v = half_axes[1] * x[1] / (b2 + lambda);
        const double slope = -2 * (u * u / (a2 + lambda) + v * v / (b2 + lambda));
        const double next = lambda - outside(lambda) / slope;
        if (!(next > lambda * (1 + 1e-16))) break;
        lambda = next;
    }
    return {a2 * x[0] / (a2 + lambda), b2 * x[1] / (b2 + lambda)};
}

Vector nearest_on_polygon(const std::vector<Vector>& vertices, double scale, const Vector& x)
{
    if (scale == 0) return {0, 0};
    bool inside = true;
    double best = std::numeric_limits<double>::infinity();
    Vector nearest = x;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vector a{scale * vertices[i][0], scale * vertices[i][1]};
        const Vector& next = vertices[(i + 1) % vertices.size()];
        const Vector edge = minus({scale * next[0], scale * next[1]}, a), to_x = minus(x, a);
        inside = inside && cross(edge, to_x) >= 0;
        const double length2 = dot(edge, edge);
        const double part = length2 > 0 ? std::clamp(dot(edge, to_x) / length2, 0.0, 1.0) : 0.0;
        const Vector point{a[0] + part * edge[0], a[1] + part * edge[1]};
        const Vector distance = minus(x, point);
        if (dot(distance, distance) < best) {
            best = dot(distance, distance);
            nearest = point;
        }
    }
    return inside ? x : nearest;
}

/// The cone between two half-lines of a plane: closed form.
void project_on_plane_cone(double low, double high, std::span<double> P)
{
    if (P[0] >= 0 && P[1] >= low * P[0] && P[1] <= high * P[0]) return;
    const double edge = P[1] > 0 ? high : low;
    const double along = std::max(0.0, (P[0] + edge * P[1]) / (1 + edge * edge));
    P[0] = along;
    P[1] = along * edge;
}

/// Any other cone: the normal part r minimises |r - x_n|^2 + dist(x_t, r D)^2, a convex function of r >= 0
/// whose derivative is found by one projection on r D.
void project_on_general_cone(const FrictionShape& shape, double mu, std::span<double> P)
{
    const double x_n = P[0];
    const std::array<double, 2> x_t{P[1], P[2]};
    if (x_n + mu * support(shape, x_t) <= 0) {
        std::fill(P.begin(), P.end(), 0.0);
        return;
    }
    const auto slope = [&](double r) {
        auto p = x_t;
        project_on_shape(shape, r * mu, p);
        return r - x_n - ((x_t[0] - p[0]) * p[0] + (x_t[1] - p[1]) * p[1]) / r;
    };
    double high = std::max(std::abs(x_n), std::hypot(x_t[0], x_t[1]));
    while (slope(high) < 0) {
        high *= 2;
    }
    double low = 0;
    for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
        (slope(middle) < 0 ? low : high) = middle;
    }
    P[0] = high;
    project_on_shape(shape, high * mu, P.subspan(1));
}

}  // namespace

Expected<FrictionPolygon> make_polygon(std::vector<std::array<double, 2>> vertices)
{
    const char* where = "FrictionPolygon::vertices";
    for (const auto& v : vertices) {
        if (!std::isfinite(v[0]) || !std::isfinite(v[1])) {
            return refused(where, "a vertex is not finite: friction must be bounded", "give numbers");
        }
    }
    if (vertices.size() < 3) {
        return refused(where, fmt::format("the friction polygon has {} vertices", vertices.size()),
                       "give at least three");
    }
    double area = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        area += cross(vertices[i], vertices[(i + 1) % vertices.size()]);
    }
    if (area < 0) std::reverse(vertices.begin(), vertices.end());
    double turns = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vector& a = vertices[i];
        const Vector& b = vertices[(i + 1) % vertices.size()];
        const Vector& c = vertices[(i + 2) % vertices.size()];
        const double turn = cross(minus(b, a), minus(c, b));
        if (!(turn > 0)) {
            return refused(where, fmt::format("the friction polygon is not convex at vertex {}", i + 2),
                           "list the vertices of a convex polygon in order around it");
        }
        if (cross(minus(b, a), {-a[0], -a[1]}) < 0) {
            return refused(
                where, "the friction polygon does not contain the origin",
                "a contact without sliding must be able to carry no friction: put the origin inside");
        }
        turns += std::atan2(turn, dot(minus(b, a), minus(c, b)));
    }
    if (turns > 7) {  // a star goes round more than once
        return refused(where, "the friction polygon winds more than once around the origin",
                       "list the vertices of a convex polygon in order around it");
    }
    return FrictionPolygon{std::make_shared<const std::vector<Vector>>(std::move(vertices))};
}

Expected<void> check(const FrictionShape& shape)
{
    if (const auto* interval = std::get_if<FrictionInterval>(&shape)) {
        if (!(interval->low <= 0 && interval->high >= 0 && std::isfinite(interval->high - interval->low))) {
            return refused("FrictionInterval",
                           fmt::format("friction between {} and {}", interval->low, interval->high),
                           "give low <= 0 <= high: the interval must contain the origin");
        }
    }
    if (const auto* ellipse = std::get_if<FrictionEllipse>(&shape)) {
        const auto& [a, b] = ellipse->half_axes;
        if (!(a > 0 && b > 0 && std::isfinite(a + b + ellipse->angle_rad))) {
            return refused("FrictionEllipse::half_axes", fmt::format("half-axes {} and {}", a, b),
                           "give two numbers greater than zero");
        }
        const Vector c = turned(ellipse->centre, ellipse->angle_rad);
        if (!((c[0] / a) * (c[0] / a) + (c[1] / b) * (c[1] / b) <= 1)) {
            return refused("FrictionEllipse::centre", "the friction ellipse does not contain the origin",
                           "move the centre nearer to the origin");
        }
    }
    if (const auto* polygon = std::get_if<FrictionPolygon>(&shape);
        polygon != nullptr && !polygon->vertices) {
        return refused("FrictionPolygon::vertices", "the friction polygon has no vertices",
                       "use make_polygon");
    }
    if (const auto* rough = std::get_if<FrictionRough>(&shape);
        rough != nullptr && rough->dimension != 1 && rough->dimension != 2) {
        return refused("FrictionRough::dimension", fmt::format("dimension {}", rough->dimension),
                       "give 1 in the plane, 2 in space");
    }
    return {};
}

int tangential_dimension(const FrictionShape& shape) noexcept
{
    if (const auto* rough = std::get_if<FrictionRough>(&shape)) return rough->dimension;
    return std::holds_alternative<FrictionInterval>(shape) ? 1 : 2;
}

double support(const FrictionShape& shape, std::span<const double> y) noexcept
{
    return std::visit(
        Overloaded{[&](const FrictionInterval& s) { return std::max(s.low * y[0], s.high * y[0]); },
                   [&](const FrictionDisc&) { return std::sqrt(y[0] * y[0] + y[1] * y[1]); },
                   [&](const FrictionEllipse& s) {
                       const Vector z = turned({y[0], y[1]}, s.angle_rad);
                       return s.centre[0] * y[0] + s.centre[1] * y[1] +
                              std::hypot(s.half_axes[0] * z[0], s.half_axes[1] * z[1]);
                   },
                   [&](const FrictionPolygon& s) {
                       double largest = -std::numeric_limits<double>::infinity();
                       for (const Vector& v : *s.vertices) {
                           largest = std::max(largest, v[0] * y[0] + v[1] * y[1]);
                       }
                       return largest;
                   },
                   [&](const FrictionRough&) {
                       const bool zero = std::all_of(y.begin(), y.end(), [](double v) { return v == 0; });
                       return zero ? 0.0 : std::numeric_limits<double>::infinity();
                   }},
        shape);
}

void project_on_shape(const FrictionShape& shape, double scale, std::span<double> x) noexcept
{
    std::visit(
        Overloaded{[&](const FrictionInterval& s) { x[0] = std::clamp(x[0], scale * s.low, scale * s.high); },
                   [&](const FrictionDisc&) {
                       const double length = std::sqrt(x[0] * x[0] + x[1] * x[1]);
                       if (length <= scale) return;
                       x[0] *= scale / length;
                       x[1] *= scale / length;
                   },
                   [&](const FrictionEllipse& s) {
                       const Vector centre{scale * s.centre[0], scale * s.centre[1]};
                       const Vector local = turned(minus({x[0], x[1]}, centre), s.angle_rad);
                       const Vector nearest =
                           turned(nearest_in_ellipse({scale * s.half_axes[0], scale * s.half_axes[1]}, local),
                                  -s.angle_rad);
                       x[0] = centre[0] + nearest[0];
                       x[1] = centre[1] + nearest[1];
                   },
                   [&](const FrictionPolygon& s) {
                       const Vector nearest = nearest_on_polygon(*s.vertices, scale, {x[0], x[1]});
                       x[0] = nearest[0];
                       x[1] = nearest[1];
                   },
                   [](const FrictionRough&) {}},
        shape);
}

void project_on_friction_cone(const FrictionShape& shape, double mu, std::span<double> P) noexcept
{
    if (const auto* interval = std::get_if<FrictionInterval>(&shape)) {
        project_on_plane_cone(mu * interval->low, mu * interval->high, P);
    } else if (std::holds_alternative<FrictionDisc>(shape)) {
        detail::project_on_circular_cone(mu, P.first<3>());
    } else if (std::holds_alternative<FrictionRough>(shape)) {
        P[0] = std::max(P[0], 0.0);
    } else {
        project_on_general_cone(shape, mu, P);
    }
}

bool same_shape(const FrictionShape& a, const FrictionShape& b)
{
    if (std::holds_alternative<FrictionDisc>(a)) return std::holds_alternative<FrictionDisc>(b);
    const auto *of_a = std::get_if<FrictionInterval>(&a), *of_b = std::get_if<FrictionInterval>(&b);
    return of_a != nullptr && of_b != nullptr && of_a->low == of_b->low && of_a->high == of_b->high;
}

}  // namespace carom
