#include "carom/expression/record.hpp"
#include "core/palette.hpp"
#include "expression/term.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <array>
#include <map>

namespace carom {
namespace {

/// An end of a spring: a point of a body, from its centre of mass, or a place of the world where `first`,
/// the first coordinate of the body, is -1.
struct End {
    int first = -1;
    Vec3 point{0, 0, 0};
};

/// One component of the place of a point X of a body, as a formula of its coordinates.
Formula place_of(const Vec3& X, bool flat, std::size_t component)
{
    const Symbols body = symbols(flat ? 3 : 7);
    const auto& q = body.q;
    if (flat) {
        const Symbol place = component == 0 ? q[0] + X.x() * cos(q[2]) - X.y() * sin(q[2])
                                            : q[1] + X.x() * sin(q[2]) + X.y() * cos(q[2]);
        return formula_of(place);
    }
    if (X == Vec3::Zero()) return formula_of(q[component]);
    // x = c + X + 2 v x (v x X + w X): by components
    const Symbol &w = q[3], &a = q[4], &b = q[5], &c = q[6];
    const std::array<Symbol, 3> turned{
        X.x() * (1 - 2 * (pow(b, 2) + pow(c, 2))) + X.y() * 2 * (a * b - w * c) + X.z() * 2 * (a * c + w * b),
        X.x() * 2 * (a * b + w * c) + X.y() * (1 - 2 * (pow(a, 2) + pow(c, 2))) + X.z() * 2 * (b * c - w * a),
        X.x() * 2 * (a * c - w * b) + X.y() * 2 * (b * c + w * a) +
            X.z() * (1 - 2 * (pow(a, 2) + pow(b, 2)))};
    return formula_of(q[component] + turned[component]);
}

/// The formula for a body whose first coordinate is `first`.
Formula numbered(const Formula& formula, int first)
{
    std::vector<Term> terms;
    for (const Term& term : formula.terms()) {
        std::vector<Variable> variables(term.variables().begin(), term.variables().end());
        for (Variable& variable : variables)
            variable.index += first;
        terms.emplace_back(term.tape(), std::move(variables));
    }
    return {std::move(terms), {}};
}

}  // namespace

std::vector<Drawing> spring_drawings(const BodyModel& bodies)
{
    if (bodies.setup().springs.empty()) return {};
    const bool flat = bodies.is_flat();
    const State start = make_body_state(bodies);
    std::vector<int> first;
    int next = 0;
    for (int i = 0; i < bodies.bodies(); ++i) {
        first.push_back(has_coordinates(bodies, i) ? next : -1);
        if (has_coordinates(bodies, i)) next += coordinates_per_body(bodies);
    }
    const auto end_of = [&](int i, const Vec3& point) -> End {
        if (i < 0) return {.point = point};
        const auto k = static_cast<std::size_t>(i);
        const Vec3 X = point - bodies.centre[k];
        if (first[k] >= 0) return {.first = first[k], .point = X};
        return {.point = start.x[k] + start.R[k] * X};
    };

    // springs of many bodies have few different ends
    std::map<std::array<double, 4>, Formula> known;
    std::vector<Drawing> drawings;
    for (const BodySpring& spring : bodies.setup().springs) {
        Drawing drawing;
        drawing.kind = DrawingKind::Segment;
        drawing.dimension = flat ? 2 : 3;
        drawing.colour = grey.name;
        for (const End& end :
             {end_of(spring.first, spring.first_point_m), end_of(spring.second, spring.second_point_m)}) {
            const Vec3& X = end.point;
            for (std::size_t k = 0; k < static_cast<std::size_t>(drawing.dimension); ++k) {
                if (end.first < 0) {
                    drawing.points.push_back(Formula::constant(X[static_cast<Eigen::Index>(k)]));
                    continue;
                }
                const auto [entry, is_new] = known.try_emplace({X.x(), X.y(), X.z(), static_cast<double>(k)});
                if (is_new) entry->second = place_of(X, flat, k);
                drawing.points.push_back(numbered(entry->second, end.first));
            }
        }
        drawings.push_back(std::move(drawing));
    }
    return drawings;
}

}  // namespace carom
