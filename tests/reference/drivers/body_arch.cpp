#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "search.hpp"

#include "carom/solver/solve.hpp"
#include "stepping/body_contact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

/// With this friction no joint of an arch that stands slides, and no more helps.
constexpr double firm_joint = 1;

/// One voussoir between two radial joints of an arch of mean radius 1, its weight that of the sector of a
/// ring.
Body voussoir(double from, double to, double thickness)
{
    const double in = 1 - thickness / 2, out = 1 + thickness / 2, half = (to - from) / 2;
    const auto at = [](double r, double angle) {
        return Eigen::Vector2d(r * std::cos(angle), r * std::sin(angle));
    };
    const double centre =
        2.0 / 3 * (out * out * out - in * in * in) / (out * out - in * in) * std::sin(half) / half;
    return {.shape = PolygonShape{{at(in, from), at(out, from), at(out, to), at(in, to)}},
            .mass_kg = half * (out * out - in * in),
            .centre_m = Vec3(centre * std::cos((from + to) / 2), centre * std::sin((from + to) / 2), 0)};
}

/// Two fixed springings and voussoirs between the given joints, from 0 to pi.
BodySetup arch(const std::vector<double>& joints, double thickness, double friction)
{
    BodySetup setup{.materials = {{.friction = friction}}, .gravity_m_s2 = {0, -1, 0}};
    for (const double side : {1.0, -1.0}) {
        const double in = side * (1 - thickness), out = side * (1 + thickness);
        setup.bodies.push_back({.shape = PolygonShape{{{in, 0}, {out, 0}, {out, -0.2}, {in, -0.2}}},
                                .motion = BodyMotion::Fixed});
    }
    for (std::size_t k = 0; k + 1 < joints.size(); ++k) {
        setup.bodies.push_back(voussoir(joints[k], joints[k + 1], thickness));
    }
    return setup;
}

BodySetup arch_of(int n, double thickness, double friction)
{
    std::vector<double> joints;
    for (int k = 0; k <= n; ++k) {
        joints.push_back(std::numbers::pi * k / n);
    }
    return arch(joints, thickness, friction);
}

/// A side of the friction cone of a contact: the force d on the first body, -d on the second.
struct ConeSide {
    int first, second;
    Vec3 d, torque_first, torque_second;

    [[nodiscard]] bool acts_on(int body) const { return body == first || body == second; }
    [[nodiscard]] Vec3 force(int body) const { return body == first ? d : Vec3(-d); }
    [[nodiscard]] double torque(int body) const
    {
        return body == first ? torque_first.z() : -torque_second.z();
    }
};

std::vector<ConeSide> cone_sides(const BodyModel& model)
{
    std::vector<ConeSide> sides;
    for (const BodyContact& contact : body_contacts(model, make_body_state(model), 1e-9)) {
        const double mu = model.surface(contact.first, contact.second).friction;
        for (const double sign : {1.0, -1.0}) {
            const Vec3 d = contact.axes[0] + sign * mu * contact.axes[1];
            sides.push_back(
                {contact.first, contact.second, d, contact.arm_first.cross(d), contact.arm_second.cross(d)});
            if (mu == 0) break;
        }
    }
    return sides;
}

/// The percussions of one second from rest that leave the least kinetic energy, as multiples >= 0 of the
/// sides of the friction cones: U = W P + U_free with unilateral laws. Nothing moves then just where forces
/// exist that are in the cones and carry the weights (limit analysis).
OneStepProblem min_motion(const BodyModel& model, const std::vector<ConeSide>& sides)
{
    OneStepProblem problem;
    const int n = static_cast<int>(sides.size());
    problem.laws.assign(sides.size(), Unilateral{});
    problem.U_minus.assign(sides.size(), 0.0);
    std::vector<std::vector<int>> sides_of(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < n; ++i) {
        problem.offsets.push_back(i + 1);
        double U = 0;
        for (const int body : {sides[i].first, sides[i].second}) {
            if (!(model.inverse_mass[body] > 0)) continue;
            U += sides[i].force(body).dot(model.setup().gravity_m_s2);
            sides_of[body].push_back(i);
        }
        problem.U_free.push_back(U);
    }
    problem.W.begin(problem.offsets);
    for (int i = 0; i < n; ++i) {
        const ConeSide& side = sides[i];
        std::vector<int> met = sides_of[side.first];
        met.insert(met.end(), sides_of[side.second].begin(), sides_of[side.second].end());
        std::sort(met.begin(), met.end());
        met.erase(std::unique(met.begin(), met.end()), met.end());
        for (const int j : met) {
            double& W = problem.W.append(i, j)[0];
            for (const int body : {side.first, side.second}) {
                if (!(model.inverse_mass[body] > 0) || !sides[j].acts_on(body)) continue;
                W += model.inverse_mass[body] * side.force(body).dot(sides[j].force(body)) +
                     model.inverse_inertia[body](2, 2) * side.torque(body) * sides[j].torque(body);
            }
        }
    }
    problem.W.finish();
    return problem;
}

/// Speed of the fastest voussoir after that second; its weight alone would give 1.
double unavoidable_speed(const BodySetup& setup)
{
    const auto model = make_body_model(setup);
    if (!model) throw DriverFailure(model.error().front().message);
    const std::vector<ConeSide> sides = cone_sides(*model);
    std::vector<double> P(sides.size(), 0.0);
    // next to the limit the last digits are hard to get, and not needed
    const OneStepProblem problem = min_motion(*model, sides);
    double error = 1;
    for (const SolverKind kind : {SolverKind::InteriorPoint, SolverKind::ProximalNewton}) {
        if (!(error < 1e-8)) error = solve(problem, {.kind = kind, .tolerance = 1e-10}, P).residual.unit_free;
    }
    if (!(error < 1e-8)) throw DriverFailure("the forces of an arch were not found");
    std::vector<Vec3> v(static_cast<std::size_t>(model->bodies()), Vec3::Zero());
    for (std::size_t b = 0; b < v.size(); ++b) {
        if (model->inverse_mass[b] > 0) v[b] = setup.gravity_m_s2;
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
        for (const int body : {sides[i].first, sides[i].second}) {
            v[body] += model->inverse_mass[body] * P[i] * sides[i].force(body);
        }
    }
    double fastest = 0;
    for (const Vec3& one : v) {
        fastest = std::max(fastest, one.norm());
    }
    return fastest;
}

bool can_stand(const BodySetup& setup)
{
    return unavoidable_speed(setup) < 1e-5;
}

/// Where a property stops to hold, by bisection to 1e-6.
double limit_to_1e6(double holds, double fails, const std::function<bool(double)>& property)
{
    while (std::abs(holds - fails) > 1e-6) {
        const double middle = (holds + fails) / 2;
        (property(middle) ? holds : fails) = middle;
    }
    return (holds + fails) / 2;
}

double min_thickness(int n)
{
    return limit_to_1e6(0.5, 0.01, [&](double t) { return can_stand(arch_of(n, t, firm_joint)); });
}

/// The same arch moved by the engine for a while: how far it comes.
double drift_of_arch(int n, double thickness)
{
    BodyWalk walk(arch_of(n, thickness, firm_joint), {.time_step_s = 5e-3, .tolerance = 1e-10});
    walk.advance(0.25);
    return walk.drift_m();
}

/// The least thickness by statics; moved, the arch must stand above it and fall below.
double checked_thickness(int n)
{
    const double limit = min_thickness(n);
    if (n <= 50) {
        if (drift_of_arch(n, 1.03 * limit) > 1e-6) throw DriverFailure("an arch falls that should stand");
        if (drift_of_arch(n, 0.97 * limit) < 1e-4) throw DriverFailure("an arch stands that should fall");
    }
    return limit;
}

/// Heyman's arch: joints at springings, crown and haunches only, and at the haunches the thrust touches the
/// intrados along its tangent, as at a smooth joint; haunches where that takes the least thickness.
double heyman_thickness()
{
    const auto with_haunch = [](double beta) {
        return limit_to_1e6(0.5, 0.01, [&](double t) {
            constexpr double pi = std::numbers::pi;
            BodySetup setup = arch({0, pi / 2 - beta, pi / 2, pi / 2 + beta, pi}, t, firm_joint);
            setup.materials.push_back({.friction = firm_joint});
            setup.pairs.push_back({.first = 0, .second = 1, .friction = 0});
            setup.pairs.push_back({.first = 1, .second = 1, .friction = firm_joint});
            for (const std::size_t upper : {3u, 4u}) {
                setup.bodies[upper].material = 1;
            }
            return can_stand(setup);
        });
    };
    const double beta = place_of_least(0.8, 1.3, with_haunch);
    return with_haunch(beta);
}

}  // namespace

/// C-ARCH: thinnest arches of voussoirs that stand. By limit analysis: whether forces in the cones of the
/// contact points of the bodies carry their weights; and by moving arches a little thicker and thinner.
void body_arch(const Task&, Answers& answers)
{
    answers.give("t/R N=# (LP)", Means::Exact,
                 [](const Pieces& p) { return Json(checked_thickness(static_cast<int>(count_in(p[0])))); });
    // more joints than voussoirs of any arch: the thickness grows with them, by less and less
    answers.give("t/R continuous", Means::Exact, [] { return Json(min_thickness(400)); });
    answers.give("t/R Heyman approx", Means::Exact, [] { return Json(heyman_thickness()); });
    answers.give("mu_min(t/R=#,N=#) static admissibility", Means::Exact, [](const Pieces& p) {
        const double t = number_in(p[0]);
        const int n = static_cast<int>(count_in(p[1]));
        return Json(limit_to_1e6(2, 0, [&](double mu) { return can_stand(arch_of(n, t, mu)); }));
    });
}

}  // namespace carom::reference
