#include "body_runs.hpp"

#include <Eigen/Dense>

#include <numbers>

namespace carom {
namespace {

using namespace test;
using std::numbers::pi;

// Mechanisms by the graph of their joints: chains, trees, loops, redundant loops (BO-30).

/// A homogeneous bar of mass 1 along x, without a shape.
Body bar(const Vec3& middle, double length)
{
    const double J = length * length / 12;
    return {
        .pose = {.position_m = middle}, .mass_kg = 1, .inertia_kg_m2 = Mat3(Vec3(1e-3, J, J).asDiagonal())};
}

/// Bars in a row from the origin along x, hinged about `axes` in turn.
BodySetup chain(int bars, double length, std::vector<Vec3> axes)
{
    BodySetup setup;
    for (int i = 0; i < bars; ++i) {
        setup.bodies.push_back(bar({(i + 0.5) * length, 0, 0}, length));
        setup.joints.push_back({.first = i,
                                .second = i - 1,
                                .point_m = {i * length, 0, 0},
                                .axis = axes[static_cast<std::size_t>(i) % axes.size()]});
    }
    return setup;
}

/// Angles of hinged bars from the vertical by Lagrange's equations and the method of Runge and Kutta.
Eigen::VectorXd angles_of_chain(int n, double length, double t_s, int steps)
{
    const auto rate = [&](const Eigen::VectorXd& y) {
        Eigen::MatrixXd M(n, n);
        Eigen::VectorXd f(n), out(2 * n);
        for (int i = 0; i < n; ++i) {
            f[i] = -g * length * (n - i - 0.5) * std::sin(y[i]);
            for (int j = 0; j < n; ++j) {
                const double part = i == j ? n - i - 1 + 1.0 / 3 : n - std::max(i, j) - 0.5;
                M(i, j) = length * length * part * std::cos(y[i] - y[j]);
                f[i] -= length * length * part * std::sin(y[i] - y[j]) * y[n + j] * y[n + j];
            }
        }
        out.head(n) = y.tail(n);
        out.tail(n) = M.llt().solve(f);
        return out;
    };
    Eigen::VectorXd y = Eigen::VectorXd::Zero(2 * n);
    y.head(n).setConstant(pi / 2);
    const double h = t_s / steps;
    for (int k = 0; k < steps; ++k) {
        const Eigen::VectorXd a = rate(y), b = rate(y + h / 2 * a), c = rate(y + h / 2 * b),
                              d = rate(y + h * c);
        y += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return y.head(n);
}

double energy_of(const Run& run)
{
    return run.model.potential_energy_J(run.state.x, run.state.R) + run.model.kinetic_energy_J(run.state);
}

TEST_CASE("a chain of six bars falls as Lagrange's equations say, to second order")
{
    const int n = 6;
    const double length = 0.2, t = 0.4;
    const Eigen::VectorXd exact = angles_of_chain(n, length, t, 4000);
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
        Run run{model_of(chain(n, length, {Vec3::UnitY()}))};
        run.settings.time_step_s = k == 0 ? 1e-3 : 5e-4;
        run.until(t);
        for (int i = 0; i < n; ++i) {
            const Vec3 along = run.state.R[i] * Vec3::UnitX();
            const double theta = std::atan2(along.x(), -along.z());
            error[k] = std::max(error[k], std::abs(std::remainder(theta - exact[i], 2 * pi)));
        }
        CHECK(run.worst_violation <= 1e-3 * run.settings.activation_gap_m);
    }
    CHECK(error[0] < 2e-3);
    CHECK(error[0] / error[1] == near(4, 0.6));
}

TEST_CASE("a hundred bars on crossed hinges keep their joints, their velocities and their energy")
{
    Run run{model_of(chain(100, 0.1, {Vec3::UnitY(), Vec3::UnitZ()}))};
    run.settings.time_step_s = 1e-3;
    const double energy = energy_of(run);
    run.until(0.3);

    // what is left of the velocities along held rows is rounding beside those of some m/s
    BodyRows rows;
    std::vector<JointPart> parts;
    add_joint_rows(run.model, {.x = run.state.x, .R = run.state.R, .turns = run.state.turns, .drives = false},
                   rows, parts);
    std::vector<Vec3> w;
    for (int i = 0; i < run.model.bodies(); ++i) {
        w.emplace_back(run.state.R[i] * run.state.W[i]);
    }
    double fastest = 0, against = 0;
    for (int row = 0; row < rows.size(); ++row) {
        against = std::max(against, std::abs(rows.velocity(row, run.state.v, w)));
    }
    for (const Vec3& v : run.state.v) {
        fastest = std::max(fastest, v.norm());
    }
    REQUIRE(fastest > 1);
    CHECK(against <= 1e-12 * fastest);
    CHECK(run.worst_violation <= 1e-3 * run.settings.activation_gap_m);
    CHECK(energy_of(run) == near(energy, 1e-4));

    // the first hinge gives the chain what its momentum gains beside the weight, and no other does
    const std::vector<Vec3> before = run.state.v;
    run.step();
    Vec3 gained = Vec3(0, 0, 100 * g * run.settings.time_step_s);
    for (int i = 0; i < 100; ++i) {
        gained += run.state.v[i] - before[i];
    }
    const JointReaction& hinge = run.scratch->reactions[0];
    CHECK((hinge.percussion_Ns + hinge.held_Ns - gained).norm() <= 1e-11 * gained.norm());
}

TEST_CASE("a tree of bars in free flight keeps its momentum, and its energy to second order")
{
    // a hub with three arms of two bars each: nothing holds it
    BodySetup setup{.gravity_m_s2 = Vec3::Zero()};
    setup.bodies.push_back({.mass_kg = 2, .inertia_kg_m2 = Mat3(Vec3(0.02, 0.03, 0.04).asDiagonal())});
    for (int arm = 0; arm < 3; ++arm) {
        const Vec3 out(std::cos(2 * pi * arm / 3), std::sin(2 * pi * arm / 3), 0),
            across(-out.y(), out.x(), 0);
        for (int k = 0; k < 2; ++k) {
            Body one = bar((0.3 + 0.4 * k) * out, 0.4);
            one.pose.rotation = rotation_by({0, 0, 2 * pi * arm / 3});
            setup.bodies.push_back(one);
            const int body = static_cast<int>(setup.bodies.size()) - 1;
            setup.joints.push_back({.kind = k == 0 ? JointKind::Revolute : JointKind::Spherical,
                                    .first = body,
                                    .second = k == 0 ? 0 : body - 1,
                                    .point_m = (0.1 + 0.4 * k) * out,
                                    .axis = across});
        }
    }
    double lost[2] = {};
    for (int k = 0; k < 2; ++k) {
        Run run{model_of(setup)};
        run.settings.time_step_s = k == 0 ? 2e-3 : 1e-3;
        // the hub is pushed by the hand: velocities that joints allow
        for (int i = 0; i < run.model.bodies(); ++i) {
            const Vec3 w(0.3, 0.2, 3);
            run.state.v[i] = w.cross(run.state.x[i]) + Vec3(0.1, 0, 0);
            run.state.W[i] = run.state.R[i].conjugate() * w;
        }
        const auto momentum = [&] {
            Vec3 p = Vec3::Zero();
            for (int i = 0; i < run.model.bodies(); ++i) {
                p += run.model.mass[i] * run.state.v[i];
            }
            return p;
        };
        const Vec3 p = momentum();
        const double energy = energy_of(run);
        run.until(1);
        CHECK((momentum() - p).norm() <= 1e-12 * p.norm());
        CHECK(run.worst_violation <= 1e-3 * run.settings.activation_gap_m);
        lost[k] = std::abs(energy_of(run) - energy) / energy;
    }
    CHECK(lost[0] < 1e-3);
    CHECK(lost[1] < 0.3 * lost[0]);
}

/// Two equal cranks and a coupler in space: twenty rows on eighteen freedoms, and still one motion.
BodySetup parallelogram(double length)
{
    const auto crank = [&](double x) {
        Body one = bar({x, 0, -length / 2}, length);
        one.pose.rotation = rotation_by({0, pi / 2, 0});
        return one;
    };
    BodySetup setup{.bodies = {crank(0), crank(1), bar({0.5, 0, -length}, 1)}};
    const auto pin = [&](int first, int second, double x, double z) {
        setup.joints.push_back({.first = first, .second = second, .point_m = {x, 0, z}, .axis = {0, 1, 0}});
    };
    pin(0, -1, 0, 0);
    pin(1, -1, 1, 0);
    pin(2, 0, 0, -length);
    pin(2, 1, 1, -length);
    return setup;
}

TEST_CASE("a parallelogram of redundant hinges swings as one pendulum, and shares its load")
{
    const double length = 0.5, t = 1.5;
    // (2/3 + 1) l^2 theta'' = -2 g l sin(theta), from rest in the middle with a push
    const double rate0 = 2;
    double theta = 0, rate = rate0;
    const auto acceleration = [&](double angle) { return -2 * g / length * std::sin(angle) / (2.0 / 3 + 1); };
    const double fine = 1e-5;
    for (int k = 0; k < std::lround(t / fine); ++k) {
        rate += fine / 2 * acceleration(theta);
        theta += fine * rate;
        rate += fine / 2 * acceleration(theta);
    }
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
        Run run{model_of(parallelogram(length))};
        run.settings.time_step_s = k == 0 ? 2e-3 : 1e-3;
        for (int i = 0; i < 2; ++i) {
            run.state.v[i] = {-rate0 * length / 2, 0, 0};
            run.state.W[i] = run.state.R[i].conjugate() * Vec3(0, rate0, 0);
        }
        run.state.v[2] = {-rate0 * length, 0, 0};
        run.until(t);
        const double swung = std::atan2(-(run.state.x[2].x() - 0.5), -run.state.x[2].z());
        error[k] = std::abs(swung - theta);
        CHECK(std::abs(run.state.W[2].norm()) < 1e-9);
        CHECK(run.worst_violation <= 1e-3 * run.settings.activation_gap_m + 1e-15);

        // of all percussions those of least size: nothing pulls across the plane
        for (const JointReaction& reaction : run.scratch->reactions) {
            CHECK(std::abs(reaction.percussion_Ns.y()) < 1e-6);
        }
    }
    CHECK(error[0] < 1e-4);
    CHECK(error[0] / error[1] == near(4, 0.5));
}

TEST_CASE("with a method that was asked for by name a chain moves as by its own factor")
{
    // a motor that its limit stalls, friction, and a stop that is met
    BodySetup with_drives = chain(5, 0.2, {Vec3::UnitY()});
    with_drives.joints[0].turn = {.motor_rate = [](double) { return 1.0; }, .motor_limit = 2};
    with_drives.joints[1].turn = {.friction = 0.05};
    with_drives.joints[3].turn = {.low = -0.2, .high = 0.2};
    for (const BodySetup& setup : {chain(5, 0.2, {Vec3::UnitY()}), with_drives}) {
        Run own{model_of(setup)}, other{model_of(setup)};
        own.settings.time_step_s = other.settings.time_step_s = 1e-3;
        other.solver.kind = SolverKind::ProximalNewton;
        other.solver.tolerance = 1e-12;
        double farthest = 0;
        for (int n = 0; n < 300; ++n) {
            own.step();
            farthest = std::max(farthest, std::abs(own.state.turns[3]));
        }
        other.until(0.3);
        for (int i = 0; i < 5; ++i) {
            // 300 steps with residuals up to 1e-12
            CHECK((own.state.x[i] - other.state.x[i]).norm() < 1e-9);
        }
        if (!setup.joints[3].turn.high) continue;
        CHECK(farthest == near(0.2, 1e-9));
    }
}

}  // namespace
}  // namespace carom
