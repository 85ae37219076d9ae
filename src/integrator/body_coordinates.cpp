#include "carom/core/palette.hpp"
#include "carom/expression/parse.hpp"
#include "carom/integrator/body_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {
namespace {

/// Of prescribed bodies: no energy, and still a metric.
constexpr double weightless_kg = 1e-30;

bool has_coordinates(const BodyModel& bodies, int i)
{
    return bodies.setup().bodies[static_cast<std::size_t>(i)].motion != BodyMotion::Fixed;
}

/// Writes what recordings hold of bodies: coordinates, energies, drawings.
class Writer {
public:
    Writer(const BodyModel& bodies, std::span<const std::string> colours)
        : bodies_(bodies), colours_(colours), start_(make_body_state(bodies))
    {
    }

    Expected<LagrangianSystem, Errors> run()
    {
        for (int i = 0; i < bodies_.bodies(); ++i) {
            if (has_coordinates(bodies_, i)) add_coordinates(i);
        }
        if (!errors_.empty()) return errors_;
        std::vector<Term> kinetic, potential;
        for (int i = 0; i < bodies_.bodies(); ++i) {
            if (has_coordinates(bodies_, i)) {
                append(kinetic, kinetic_of(i));
                append(potential, potential_of(i));
            }
            draw(i);
        }
        for (const BodySpring& spring : bodies_.setup().springs) {
            add_spring(spring, potential);
        }
        system_.kinetic = Formula(std::move(kinetic), {});
        system_.potential = Formula(std::move(potential), {});
        if (!errors_.empty()) return errors_;
        return std::move(system_);
    }

private:
    [[nodiscard]] const Body& body(int i) const
    {
        return bodies_.setup().bodies[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] bool flat() const { return bodies_.is_flat(); }

    void add_coordinates(int i)
    {
        const auto add = [&](const char* suffix, const char* unit) {
            const std::string name = body(i).name + "_" + suffix;
            system_.coordinates.push_back({.name = name, .unit = unit});
            if (auto added = vocabulary_.add_coordinate(name); !added) errors_.push_back(added.error());
        };
        add("x", "m");
        add("y", "m");
        if (flat()) {
            add("angle", "rad");
            return;
        }
        add("z", "m");
        for (const char* part : {"w", "i", "j", "k"}) {
            add(part, "");
        }
    }

    Formula parsed(const std::string& text)
    {
        auto formula = parse_formula(text, vocabulary_);
        if (formula) return *formula;
        throw InternalError("a formula of bodies cannot be read: " + formula.error().message);
    }
    static void append(std::vector<Term>& terms, const Formula& formula)
    {
        terms.insert(terms.end(), formula.terms().begin(), formula.terms().end());
    }

    /// m v^2 / 2 + W.J W / 2 with W = 2 (w v' - w' v - v x v') of the quaternion (w, v). Its length takes
    /// part as well, with no energy while it is one.
    Formula kinetic_of(int i)
    {
        const bool moves = bodies_.inverse_mass[i] > 0;
        const double m = moves ? bodies_.mass[i] : weightless_kg;
        const Mat3 J = moves ? bodies_.inertia[i] : Mat3(Mat3::Identity() * weightless_kg);
        const std::string n = body(i).name;
        if (flat()) {
            return parsed(fmt::format("{0}/2*({2}_x'^2 + {2}_y'^2) + {1}/2*{2}_angle'^2", m, J(2, 2), n));
        }
        std::string text = fmt::format("{0}/2*({1}_x'^2 + {1}_y'^2 + {1}_z'^2)", m, n);
        const double mean = J.trace() / 3;
        if (bodies_.isotropic[i] || !moves) {
            text += fmt::format(" + {0}*({1}_w'^2 + {1}_i'^2 + {1}_j'^2 + {1}_k'^2)",
                                2 * std::max(mean, weightless_kg), n);
            return parsed(text);
        }
        const std::array<std::string, 3> W{
            fmt::format("({0}_w*{0}_i' - {0}_w'*{0}_i - {0}_j*{0}_k' + {0}_k*{0}_j')", n),
            fmt::format("({0}_w*{0}_j' - {0}_w'*{0}_j - {0}_k*{0}_i' + {0}_i*{0}_k')", n),
            fmt::format("({0}_w*{0}_k' - {0}_w'*{0}_k - {0}_i*{0}_j' + {0}_j*{0}_i')", n)};
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b <= a; ++b) {
                const double factor = (a == b ? 2 : 4) * J(a, b);
                if (factor != 0) text += fmt::format(" + {}*{}*{}", factor, W[a], W[b]);
            }
        }
        text += fmt::format(" + {0}*({1}_w*{1}_w' + {1}_i*{1}_i' + {1}_j*{1}_j' + {1}_k*{1}_k')^2", mean, n);
        return parsed(text);
    }

    Formula potential_of(int i)
    {
        const Vec3& g = bodies_.setup().gravity_m_s2;
        const double m = bodies_.mass[i];
        if (m == 0) return {};
        std::string text =
            fmt::format("{}*{}_x + {}*{}_y", -m * g.x(), body(i).name, -m * g.y(), body(i).name);
        if (!flat()) text += fmt::format(" + {}*{}_z", -m * g.z(), body(i).name);
        return parsed(text);
    }

    /// Where the point X of the body is: three formulas, or two in the plane. X is from the centre of mass.
    std::vector<std::string> place_of(int i, const Vec3& X) const
    {
        if (!has_coordinates(bodies_, i)) {
            const Vec3 x = start_.x[i] + start_.R[i] * X;
            std::vector<std::string> fixed{fmt::format("{}", x.x()), fmt::format("{}", x.y())};
            if (!flat()) fixed.push_back(fmt::format("{}", x.z()));
            return fixed;
        }
        const std::string& n = body(i).name;
        if (flat()) {
            return {fmt::format("{0}_x + {1}*cos({0}_angle) - {2}*sin({0}_angle)", n, X.x(), X.y()),
                    fmt::format("{0}_y + {1}*sin({0}_angle) + {2}*cos({0}_angle)", n, X.x(), X.y())};
        }
        if (X == Vec3::Zero()) return {n + "_x", n + "_y", n + "_z"};
        // x = c + X + 2 v x (v x X + w X): by components
        return {fmt::format("{0}_x + {1}*(1 - 2*({0}_j^2 + {0}_k^2)) + {2}*2*({0}_i*{0}_j - {0}_w*{0}_k) + "
                            "{3}*2*({0}_i*{0}_k + {0}_w*{0}_j)",
                            n, X.x(), X.y(), X.z()),
                fmt::format("{0}_y + {1}*2*({0}_i*{0}_j + {0}_w*{0}_k) + {2}*(1 - 2*({0}_i^2 + {0}_k^2)) + "
                            "{3}*2*({0}_j*{0}_k - {0}_w*{0}_i)",
                            n, X.x(), X.y(), X.z()),
                fmt::format("{0}_z + {1}*2*({0}_i*{0}_k - {0}_w*{0}_j) + {2}*2*({0}_j*{0}_k + {0}_w*{0}_i) + "
                            "{3}*(1 - 2*({0}_i^2 + {0}_j^2))",
                            n, X.x(), X.y(), X.z())};
    }

    void add_spring(const BodySpring& spring, std::vector<Term>& potential)
    {
        const auto end = [&](int i, const Vec3& point) {
            if (i >= 0) return place_of(i, point - bodies_.centre[i]);
            return std::vector<std::string>{fmt::format("{}", point.x()), fmt::format("{}", point.y()),
                                            fmt::format("{}", point.z())};
        };
        const auto from = end(spring.first, spring.first_point_m),
                   to = end(spring.second, spring.second_point_m);
        std::string square;
        Drawing drawing = start_drawing(DrawingKind::Segment, grey.name);
        for (int k = 0; k < drawing.dimension; ++k) {
            square += fmt::format("{}({} - ({}))^2", k == 0 ? "" : " + ", from[k], to[k]);
        }
        append(potential, parsed(fmt::format("{}/2*(sqrt({}) - {})^2", spring.stiffness_N_m, square,
                                             spring.rest_length_m)));
        for (const auto& place : {from, to}) {
            for (int k = 0; k < drawing.dimension; ++k) {
                drawing.points.push_back(parsed(place[static_cast<std::size_t>(k)]));
            }
        }
        system_.drawings.push_back(std::move(drawing));
    }

    [[nodiscard]] Drawing start_drawing(DrawingKind kind, std::string_view colour) const
    {
        Drawing drawing;
        drawing.kind = kind;
        drawing.dimension = flat() ? 2 : 3;
        drawing.colour = colour;
        return drawing;
    }

    void add_points(int i, std::span<const Vec3> points, DrawingKind kind, bool closed)
    {
        Drawing drawing = start_drawing(kind, colours_[static_cast<std::size_t>(i)]);
        drawing.closed = closed;
        for (const Vec3& X : points) {
            for (const std::string& text : place_of(i, X)) {
                drawing.points.push_back(parsed(text));
            }
        }
        system_.drawings.push_back(std::move(drawing));
    }

    void add_ball(int i, const Vec3& X, double radius)
    {
        add_points(i, std::span(&X, 1), DrawingKind::Circle, false);
        system_.drawings.back().radius_m = Formula::constant(radius);
    }

    /// A ring of points in the plane z = height of the body.
    [[nodiscard]] static std::vector<Vec3> ring(double radius, double height)
    {
        std::vector<Vec3> points;
        for (int k = 0; k < 24; ++k) {
            const double angle = 2 * std::numbers::pi * k / 24;
            points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), height);
        }
        return points;
    }

    void draw(int i)
    {
        if (!bodies_.collides[i]) return;
        const Collider& collider = bodies_.colliders[i];
        const Hull& hull = collider.hull;
        if (const auto* plane = std::get_if<PlaneShape>(&collider.shape)) return draw_plane(i, *plane);
        if (const auto* cylinder = std::get_if<CylinderShape>(&collider.shape)) {
            const double half = cylinder->length_m / 2;
            add_points(i, ring(cylinder->radius_m, -half), DrawingKind::Polyline, true);
            if (half > 0) add_points(i, ring(cylinder->radius_m, half), DrawingKind::Polyline, true);
            for (int k = 0; k < 4; ++k) {
                const Vec3 arm = cylinder->radius_m * Vec3(k == 0   ? 1
                                                           : k == 2 ? -1
                                                                    : 0,
                                                           k == 1   ? 1
                                                           : k == 3 ? -1
                                                                    : 0,
                                                           0);
                const std::array<Vec3, 2> ends{arm - half * Vec3::UnitZ(), arm + half * Vec3::UnitZ()};
                if (half > 0)
                    add_points(i, ends, DrawingKind::Segment, false);
                else if (k == 0)
                    add_points(i, std::array{Vec3(-arm), arm}, DrawingKind::Segment, false);
            }
            return;
        }
        if (hull.radius_m > 0) {
            for (const Vec3& vertex : hull.vertices) {
                add_ball(i, vertex, hull.radius_m);
            }
            if (flat() || hull.edges.empty()) draw_mark(i, hull);
            return draw_sides(i, hull);
        }
        if (hull.flat) return add_points(i, hull.vertices, DrawingKind::Polyline, true);
        // every second face shows all edges of a box; others by their faces
        for (const Hull::Face& face : hull.faces) {
            std::vector<Vec3> loop;
            for (const int v : face.loop) {
                loop.push_back(hull.vertices[v]);
            }
            add_points(i, loop, DrawingKind::Polyline, true);
        }
    }

    /// A radius of a disc, so that its turning shows.
    void draw_mark(int i, const Hull& hull)
    {
        if (!flat()) return;
        const std::array<Vec3, 2> ends{hull.vertices.front(),
                                       hull.vertices.front() + hull.radius_m * Vec3::UnitX()};
        add_points(i, ends, DrawingKind::Segment, false);
    }

    void draw_sides(int i, const Hull& hull)
    {
        if (hull.vertices.size() < 2) return;
        for (const Vec3& side : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)}) {
            const std::array<Vec3, 2> ends{hull.vertices[0] + hull.radius_m * side,
                                           hull.vertices[1] + hull.radius_m * side};
            add_points(i, ends, DrawingKind::Segment, false);
        }
    }

    /// As much of a plane as the bodies at the start need.
    void draw_plane(int i, const PlaneShape& plane)
    {
        Vec3 t1, t2;
        tangents(plane.normal, t1, t2);
        const Pose pose{.position_m = start_.x[i], .rotation = start_.R[i]};
        double low1 = 0, high1 = 0, low2 = 0, high2 = 0;
        bool first = true;
        for (int k = 0; k < bodies_.bodies(); ++k) {
            if (bodies_.inverse_mass[k] == 0) continue;
            const double r = bodies_.collides[k] ? bodies_.colliders[k].radius_m : 0;
            const Vec3 X = pose.to_body(start_.x[k]);
            const double a = t1.dot(X), b = t2.dot(X);
            low1 = first ? a - 3 * r : std::min(low1, a - 3 * r);
            high1 = first ? a + 3 * r : std::max(high1, a + 3 * r);
            low2 = first ? b - 3 * r : std::min(low2, b - 3 * r);
            high2 = first ? b + 3 * r : std::max(high2, b + 3 * r);
            first = false;
        }
        const Vec3 origin = plane.offset_m * plane.normal - bodies_.centre[i];
        if (flat()) {
            const std::array<Vec3, 2> ends{origin + low1 * t1, origin + high1 * t1};
            return add_points(i, ends, DrawingKind::Segment, false);
        }
        const std::array<Vec3, 4> corners{origin + low1 * t1 + low2 * t2, origin + high1 * t1 + low2 * t2,
                                          origin + high1 * t1 + high2 * t2, origin + low1 * t1 + high2 * t2};
        add_points(i, corners, DrawingKind::Polyline, true);
    }

    const BodyModel& bodies_;
    std::span<const std::string> colours_;
    BodyState start_;
    Vocabulary vocabulary_;
    LagrangianSystem system_;
    Errors errors_;
};

}  // namespace

Expected<Model, Errors> coordinates_of(const BodyModel& bodies, std::span<const std::string> colours)
{
    auto system = Writer(bodies, colours).run();
    if (!system) return system.error();
    return make_model(std::move(*system));
}

State coordinate_state(const BodyModel& bodies, const BodyState& state)
{
    std::vector<double> q, u;
    const auto add = [&](double value, double rate) {
        q.push_back(value);
        u.push_back(rate);
    };
    for (int i = 0; i < bodies.bodies(); ++i) {
        if (!has_coordinates(bodies, i)) continue;
        const Vec3 &x = state.x[i], &v = state.v[i], &W = state.W[i];
        const Rotation& R = state.R[i];
        add(x.x(), v.x());
        add(x.y(), v.y());
        if (bodies.is_flat()) {
            add(2 * std::atan2(R.z(), R.w()), W.z());
            continue;
        }
        // q' = q (0, W) / 2
        const Rotation rate = R * Rotation(0, W.x() / 2, W.y() / 2, W.z() / 2);
        add(x.z(), v.z());
        add(R.w(), rate.w());
        add(R.x(), rate.x());
        add(R.y(), rate.y());
        add(R.z(), rate.z());
    }
    State result;
    result.t_s = state.t_s;
    result.q = Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
    result.u = Eigen::Map<const Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size()));
    return result;
}

}  // namespace carom
