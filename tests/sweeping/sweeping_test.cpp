#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"
#include "carom/sweeping/catching_up.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <random>

using namespace carom;
using carom::test::near;

namespace {

/// A disc of radius R whose centre moves along x with speed 1.
CarriedSet moving_disc(double R)
{
    return *CarriedSet::make(shared(*Ball::make(Eigen::Vector2d::Zero(), R)),
                             [](double t) { return Eigen::VectorXd(Eigen::Vector2d(t, 0)); });
}

/// Swept from (0, R), perpendicular to the motion of the disc: u = (t - R tanh(t/R), R sech(t/R)).
Eigen::Vector2d tractrix(double R, double t)
{
    return {t - R * std::tanh(t / R), R / std::cosh(t / R)};
}

/// A square that turns about a corner outside the origin and breathes: nothing about it is smooth.
SetOfTime turning_square()
{
    return *SetOfTime::make(2, [](double t) -> Expected<SetPointer> {
        const Eigen::Rotation2Dd turn(t);
        Eigen::MatrixXd corners(4, 2);
        for (int k = 0; k < 4; ++k) {
            const double size = 1 + 0.3 * std::sin(3 * t);
            corners.row(k) = turn * Eigen::Vector2d(k % 2 == 0 ? 0.2 : size, k < 2 ? -0.4 : size);
        }
        const auto square = Polytope::from_vertices(corners);
        if (!square) return square.error();
        return shared(*square);
    });
}

double error_at_2(double h, double lambda)
{
    const auto disc = moving_disc(1);
    Eigen::VectorXd u = Eigen::Vector2d(0, 1);
    const SweepingProblem problem{.set = disc};
    const auto report = lambda > 0 ? yosida(problem, lambda, {.time_step_s = h}, 0, 2, u)
                                   : catching_up(problem, {.time_step_s = h}, 0, 2, u);
    REQUIRE(report->end == SweepEnd::Finished);
    return (u - tractrix(1, 2)).norm();
}

}  // namespace

TEST_CASE("play operator: an interval that moves up and down carries the point by its ends, exactly")
{
    const auto interval = *MovingInterval::make(
        [](double t) -> MovingInterval::Ends { return {std::sin(3 * t) - 0.5, std::sin(3 * t) + 0.5}; });
    Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
    double clipped = 0, worst = 0;
    const auto report =
        catching_up({.set = interval}, {.time_step_s = 1e-3}, 0, 4, u, [&](const SweepStep& step) {
            clipped = std::clamp(clipped, std::sin(3 * step.t_s) - 0.5, std::sin(3 * step.t_s) + 0.5);
            worst = std::max(worst, std::abs(step.u[0] - clipped));
            return true;
        });
    REQUIRE(report->end == SweepEnd::Finished);
    CHECK(report->steps == 4000);
    CHECK(worst < 1e-15);
    CHECK(report->largest_outside < 1e-15);

    // carried from 0 to 1/2, -1/2, 1/2, -1/2, where it rests at the end; the extremes of the sine are missed
    // by at most (3 h)^2 / 8
    CHECK(u[0] == near(-0.5, 9e-6 / 8));
    CHECK(report->variation == near(3.5, 7 * 9e-6 / 8));
}

TEST_CASE("a moving disc drags a point along the tractrix, with first order")
{
    double last = error_at_2(0.02, 0);
    CHECK(last < 0.02);
    for (const double h : {0.01, 0.005, 0.0025}) {
        const double error = error_at_2(h, 0);
        CHECK(last / error == near(2, 0.05));  // the next term of the error is of order h
        last = error;
    }
}

TEST_CASE("the regularised disc approaches the tractrix with first order in lambda, and lambda to zero is "
          "catching-up")
{
    double last = error_at_2(1e-4, 0.08);
    for (const double lambda : {0.04, 0.02, 0.01}) {
        const double error = error_at_2(1e-4, lambda);
        CHECK(last / error == near(2, 0.1));  // the next term of lambda, and the step's own error of 1 %
        last = error;
    }
    CHECK(error_at_2(0.01, 1e-14) == near(error_at_2(0.01, 0), 1e-11));
}

TEST_CASE("the regularised point lags behind a wall of speed c by lambda c, for every step")
{
    const auto wall =
        *CarriedSet::make(shared(*Interval::make(0, std::numeric_limits<double>::infinity())),
                          [](double t) { return Eigen::VectorXd(Eigen::VectorXd::Constant(1, 2 * t)); });
    for (const double h : {1e-3, 0.5}) {  // implicit: also for steps of ten times lambda
        Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
        const auto report = yosida({.set = wall}, 0.05, {.time_step_s = h}, 0, 20, u);
        REQUIRE(report->end == SweepEnd::Finished);
        CHECK(u[0] == near(40 - 0.05 * 2, 1e-12));
        CHECK(report->largest_outside == near(0.1, 1e-12));
    }
}

TEST_CASE("two points swept by one set never move apart, in either method")
{
    const auto square = turning_square();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> coordinate(-2, 2);
    for (int pair = 0; pair < 20; ++pair) {
        for (const double lambda : {0.0, 0.05}) {
            std::vector<Eigen::VectorXd> first;
            Eigen::VectorXd u = Eigen::Vector2d(coordinate(random), coordinate(random));
            Eigen::VectorXd other = Eigen::Vector2d(coordinate(random), coordinate(random));
            double distance = (u - other).norm();
            std::size_t k = 0;
            bool contracts = true;
            const auto remember = [&](const SweepStep& step) {
                first.push_back(step.u);
                return true;
            };
            const auto compare = [&](const SweepStep& step) {
                const double now = (step.u - first[k++]).norm();
                contracts = contracts && now <= distance + 1e-13;
                distance = now;
                return true;
            };
            const SweepingProblem problem{.set = square};
            const SweepingSettings settings{.time_step_s = 0.01};
            const auto run = [&](Eigen::VectorXd& point, const SweepListener& listener) {
                return lambda > 0 ? yosida(problem, lambda, settings, 0, 3, point, listener)
                                  : catching_up(problem, settings, 0, 3, point, listener);
            };
            REQUIRE(run(u, remember)->end == SweepEnd::Finished);
            REQUIRE(run(other, compare)->end == SweepEnd::Finished);
            CHECK(contracts);
        }
    }
}

TEST_CASE("controlled steps keep the error below tolerance times duration, and grow where nothing moves")
{
    // the disc rests, moves from t = 1 to 3, and rests again
    const auto disc = *CarriedSet::make(shared(*Ball::make(Eigen::Vector2d::Zero(), 1)), [](double t) {
        return Eigen::VectorXd(Eigen::Vector2d(std::clamp(t, 1.0, 3.0) - 1, 0));
    });
    for (const double tolerance : {1e-3, 1e-4}) {
        Eigen::VectorXd u = Eigen::Vector2d(0, 1);
        const auto report =
            catching_up({.set = disc}, {.time_step_s = 0.01, .tolerance_per_s = tolerance}, 0, 10, u);
        REQUIRE(report->end == SweepEnd::Finished);
        CHECK((u - tractrix(1, 2)).norm() < 2 * tolerance);
        CHECK(report->error_estimate <=
              2.5 * tolerance);  // the motion lasts 2 s, and steps reach over its ends
        CHECK(report->at_smallest_step == 0);
        CHECK(report->steps < 1.5 / tolerance);  // equal steps of that accuracy in 10 s: several times more
    }
}

TEST_CASE("a jump of the set: the point first reaches the set before it, then jumps to the set after it")
{
    // [t, t + 1] until t = 2, then [0, 1/2]: from 2 the point jumps to 1/2; the step does not divide 2
    const auto interval = *SetOfTime::make(1, [](double t) -> Expected<SetPointer> {
        const auto set = t < 2 ? Interval::make(t, t + 1) : Interval::make(0, 0.5);
        if (!set) return set.error();
        return shared(*set);
    });
    Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
    double before = 0;
    int jumps = 0;
    const auto listen = [&](const SweepStep& step) {
        if (step.is_jump) {
            ++jumps;
        } else if (step.t_s <= 2) {
            before = step.u[0];
        }
        return true;
    };
    const auto report = catching_up({.set = interval, .jumps_s = {2}}, {.time_step_s = 0.3}, 0, 3, u, listen);
    REQUIRE(report->end == SweepEnd::Finished);
    CHECK(jumps == 2);  // the start, where nothing moves, and the jump
    CHECK(before == near(2, 1e-15));
    CHECK(u[0] == 0.5);
    CHECK(report->variation == near(2 + 1.5, 1e-14));
}

TEST_CASE("perturbed: a point that falls on a rising floor rests on it, and leaves it when it sinks too fast")
{
    // floor at t - t^2 / 2, F = -1/2: the floor sinks faster than the point falls from t = 3/2 on
    const auto floor =
        *CarriedSet::make(shared(*Interval::make(0, std::numeric_limits<double>::infinity())), [](double t) {
            return Eigen::VectorXd(Eigen::VectorXd::Constant(1, t - t * t / 2));
        });
    Eigen::VectorXd u = Eigen::VectorXd::Constant(1, 0.1);
    const SweepingProblem problem{.set = floor, .F = [](double, const Eigen::VectorXd&) {
                                      return Eigen::VectorXd(Eigen::VectorXd::Constant(1, -0.5));
                                  }};
    const double h = 1e-3;
    REQUIRE(catching_up(problem, {.time_step_s = h}, 0, 3, u)->end == SweepEnd::Finished);

    // leaves at 3/2 - 9/8 = 3/8 and falls for 3/2 s; it may leave one step late
    CHECK(u[0] == near(0.375 - 0.75, h));
}

TEST_CASE("in a metric the wall pushes along its conjugate normal")
{
    // wall x <= -t, metric A: u moves along A^-1 (1, 0)
    const auto wall = *CarriedSet::make(shared(*HalfSpace::make(Eigen::Vector2d(1, 0), 0)),
                                        [](double t) { return Eigen::VectorXd(Eigen::Vector2d(-t, 0)); });
    const auto metric = *Metric::from_matrix((Eigen::Matrix2d() << 2, 1, 1, 3).finished());
    Eigen::VectorXd u = Eigen::Vector2d(0, 0);
    REQUIRE(catching_up({.set = wall, .metric = metric}, {.time_step_s = 0.1}, 0, 2, u)->end ==
            SweepEnd::Finished);
    CHECK(u[0] == near(-2, 1e-14));
    CHECK(u[1] == near(2.0 / 3, 1e-14));  // A^-1 (1, 0) is along (3, -1)
}

TEST_CASE("a sweep that cannot go on says why, with the last point that is certain")
{
    const auto vanishing = *CarriedSet::make(
        shared(*Ball::make(Eigen::Vector2d::Zero(), 1)),
        [](double) { return Eigen::VectorXd(Eigen::Vector2d(0, 0)); },
        [](double t) { return std::max(0.0, 1 - t); });
    Eigen::VectorXd u = Eigen::Vector2d(1, 0);
    const auto report = catching_up({.set = vanishing}, {.time_step_s = 0.25}, 0, 2, u);
    CHECK(report->end == SweepEnd::NoSet);
    CHECK(report->t_s == 0.75);
    CHECK(u[0] == 0.25);
    REQUIRE(report->error);
    CHECK(report->error->code == ErrorCode::SettingOutOfRange);

    // two discs that move apart have nothing in common after t = 1
    const auto lens = *SetOfTime::make(2, [](double t) -> Expected<SetPointer> {
        const auto set = Intersection::make(
            {shared(*Ball::make(Eigen::Vector2d(t, 0), 1)), shared(*Ball::make(Eigen::Vector2d(-t, 0), 1))});
        if (!set) return set.error();
        return shared(*set);
    });
    u = Eigen::Vector2d(0, 1);
    const auto torn = catching_up({.set = lens}, {.time_step_s = 0.3}, 0, 2, u);
    CHECK(torn->end == SweepEnd::NoSet);
    CHECK(torn->t_s == near(2 * 3 / 7.0, 1e-12));  // seven equal steps
    CHECK(u[1] == near(std::sqrt(1 - torn->t_s * torn->t_s), 1e-9));

    const auto disc = moving_disc(1);
    const SweepingProblem bad{.set = disc, .F = [](double t, const Eigen::VectorXd& at) {
                                  return Eigen::VectorXd(at / (t < 0.5 ? 1.0 : 0.0));
                              }};
    u = Eigen::Vector2d(0, 1);
    CHECK(catching_up(bad, {.time_step_s = 0.1}, 0, 1, u)->end == SweepEnd::NotFinite);
    CHECK(u.allFinite());
    const auto stopped =
        catching_up({.set = disc}, {}, 0, 1, u, [](const SweepStep& step) { return step.t_s < 0.5; });
    CHECK(stopped->end == SweepEnd::Listener);
    CHECK(stopped->t_s == near(0.5, 1e-12));
}

TEST_CASE("a set that depends on the point: discs that keep their distance push each other, linearised at "
          "the start of a step")
{
    // two discs of radius 1/2 on a line, the left one drifts to the right: it pushes the other, each moves
    // with half the speed from the touch on
    const auto apart = *SetOfTime::of_point(2, [](double, const Eigen::VectorXd& at) -> Expected<SetPointer> {
        const double gap = at[1] - at[0] - 1;
        const auto set = HalfSpace::make(Eigen::Vector2d(1, -1), gap + at[0] - at[1]);
        if (!set) return set.error();
        return shared(*set);
    });
    Eigen::VectorXd u = Eigen::Vector2d(0, 2);
    const SweepingProblem problem{.set = apart, .F = [](double, const Eigen::VectorXd&) {
                                      return Eigen::VectorXd(Eigen::Vector2d(1, 0));
                                  }};
    const auto report = catching_up(problem, {.time_step_s = 0.01}, 0, 3, u);
    REQUIRE(report->end == SweepEnd::Finished);
    CHECK(u[0] == near(1 + 0.5 * 2, 1e-12));
    CHECK(u[1] == near(2 + 0.5 * 2, 1e-12));
    CHECK(report->largest_outside < 1e-14);
}

TEST_CASE("bad settings are refused with their name")
{
    const auto disc = moving_disc(1);
    Eigen::VectorXd u = Eigen::Vector2d(0, 1);
    const SweepingProblem problem{.set = disc};
    const double nan = std::nan("");
    CHECK(catching_up(problem, {.time_step_s = 0}, 0, 1, u).error().where == "SweepingSettings::time_step_s");
    CHECK(catching_up(problem, {.time_step_s = nan}, 0, 1, u).error().code == ErrorCode::SettingOutOfRange);
    CHECK(catching_up(problem, {.tolerance_per_s = nan}, 0, 1, u).error().code ==
          ErrorCode::SettingOutOfRange);
    CHECK(catching_up(problem, {.smallest_step_s = -1}, 0, 1, u).error().code ==
          ErrorCode::SettingOutOfRange);
    CHECK(catching_up(problem, {}, 1, 0, u).error().code == ErrorCode::SettingOutOfRange);
    CHECK(catching_up({.set = disc, .jumps_s = {1, 1}}, {}, 0, 1, u).error().where ==
          "SweepingProblem::jumps_s");
    CHECK(yosida(problem, 0, {}, 0, 1, u).error().where == "yosida");
    Eigen::VectorXd longer = Eigen::Vector3d(0, 0, 0), infinite = Eigen::Vector2d(nan, 0);
    CHECK(catching_up(problem, {}, 0, 1, longer).error().code == ErrorCode::WrongSize);
    CHECK(catching_up(problem, {}, 0, 1, infinite).error().code == ErrorCode::NotFinite);
    CHECK(SetOfTime::make(0, {}).error().code == ErrorCode::WrongSize);
    CHECK(CarriedSet::make(nullptr, {}).error().code == ErrorCode::WrongSize);
    CHECK(MovingInterval::make({}).error().code == ErrorCode::WrongSize);
    const auto crossed = *MovingInterval::make([](double t) -> MovingInterval::Ends { return {t, 1 - t}; });
    Eigen::VectorXd point = Eigen::VectorXd::Zero(1);
    const auto closed = catching_up({.set = crossed}, {.time_step_s = 0.25}, 0, 1, point);
    CHECK(closed->end == SweepEnd::NoSet);
    CHECK(closed->t_s == 0.5);
}
