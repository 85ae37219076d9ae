#include "support.hpp"

#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"
#include "carom/scene/sweeping_scene.hpp"

#include "scene/sweeping_steps.hpp"
#include "support/near.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace carom;
using namespace carom::test;

namespace {

constexpr double pi = std::numbers::pi;

/// A window that drags a point; tests change one thing in it.
const std::string window = R"toml(duration_s = 2.0
[parameters]
slack = 0.5
[[coordinate]]
name = "u"
start = 0.0
[[set]]
name = "window"
kind = "interval"
lower = ["t - slack"]
upper = ["t + slack"]
[sweeping]
set = "window"
time_step_s = 0.01
)toml";

/// A disc that moves along x, in the plane.
const std::string disc = R"toml(duration_s = 2.0
[[coordinate]]
name = "x"
start = 0.0
[[coordinate]]
name = "y"
start = 1.0
[[set]]
name = "disc"
kind = "ball"
centre = ["t", 0]
radius = 1
[[set]]
name = "strip"
kind = "box"
lower = [-9, -9]
upper = [9, 9]
[[set]]
name = "both"
kind = "intersection"
of = ["disc", "strip"]
[sweeping]
set = "disc"
time_step_s = 0.01
)toml";

Scene good_sweep(const std::string& text, const std::vector<std::string>& overrides = {})
{
    auto any = read_scene_text(text, "s.toml", sets(overrides));
    if (!any) FAIL(all_text(any.error()));
    REQUIRE(any->sweeping);
    return std::move(*any);
}

Scene handed_out(const std::string& name)
{
    auto any = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/" + name);
    if (!any) FAIL(all_text(any.error()));
    REQUIRE(any->sweeping);
    return std::move(*any);
}

/// A run with all its steps.
struct Swept {
    RunReport report;
    State end;
    std::vector<double> t_s;
    std::vector<Eigen::VectorXd> q;
};

Swept swept(const Scene& any)
{
    Swept result;
    RunSoFar run = start_run(any.model, any.start);
    result.report = sweep(any.model, *any.sweeping, any.plan, run, [&](const StepView& step) {
        result.t_s.push_back(step.after.t_s);
        result.q.push_back(step.after.q);
        return true;
    });
    result.end = run.state;
    return result;
}

double probe(const Scene& any, std::size_t index, double t_s, const Eigen::VectorXd& q)
{
    Workspace work;
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(q.size());
    const auto n = static_cast<std::size_t>(q.size());
    return any.model.system().probes[index].value.value({{q.data(), n}, {u.data(), n}, t_s}, work);
}

Error only_sweep_error(const std::string& text, ErrorCode code, std::string_view piece)
{
    const auto any = read_scene_text(text, "s.toml");
    REQUIRE_FALSE(any.has_value());
    CAPTURE(all_text(any.error()));
    REQUIRE(any.error().size() == 1);
    CHECK(name_of(any.error()[0].code) == name_of(code));
    CHECK(contains(any.error()[0].message, piece));
    CHECK_FALSE(any.error()[0].hint.empty());
    return any.error()[0];
}

}  // namespace

TEST_CASE("scene play: the rod follows the clip of its input, and the stop is what is left")
{
    const Scene any = handed_out("play.toml");
    const Swept run = swept(any);
    CHECK(run.report.status == RunStatus::Certified);
    CHECK(run.q.size() == 4000);
    double clipped = 0, worst = 0, largest_stop = 0;
    for (std::size_t k = 0; k < run.q.size(); ++k) {
        const double input = std::sin(pi * run.t_s[k]);
        clipped = std::clamp(clipped, input - 0.4, input + 0.4);
        worst = std::max(worst, std::abs(run.q[k][0] - clipped));
        largest_stop = std::max(largest_stop, std::abs(probe(any, 1, run.t_s[k], run.q[k])));
    }
    CHECK(worst < 1e-15);
    CHECK(largest_stop == near(0.4, 1e-15));
    CHECK(run.end.q[0] == near(-0.4, 1e-15));  // the lower end takes it along again
}

TEST_CASE("scene truss: the middle bar yields at its force, and a cycle dissipates 4 Y (d - Y / k)")
{
    const Scene any = handed_out("elastoplastic_truss.toml");
    const Swept run = swept(any);
    REQUIRE(run.report.status == RunStatus::Certified);
    const double k1 = 1e5, k2 = 2e5, yield2 = 600, load = 1500;

    // work of the load over the second cycle, between the instants t = 3 and t = 7 of the lowest load; on
    // straight pieces the trapezium is exact, and the four corners miss less than a step's load times its way
    double work_J = 0, largest = 0, lowest = 0;
    for (std::size_t k = 1; k < run.q.size(); ++k) {
        if (run.t_s[k] < 3 + 1e-9 || run.t_s[k] > 7 + 1e-9) continue;
        const double way = probe(any, 1, run.t_s[k], run.q[k]) - probe(any, 1, run.t_s[k - 1], run.q[k - 1]);
        work_J +=
            way * (probe(any, 0, run.t_s[k], run.q[k]) + probe(any, 0, run.t_s[k - 1], run.q[k - 1])) / 2;
        largest = std::max(largest, run.q[k][1]);
        lowest = std::min(lowest, run.q[k][1]);
    }
    const double reach = (load - yield2) / k1;  // the inclined bars carry the rest
    CHECK(largest == near(yield2, 1e-9));
    CHECK(lowest == near(-yield2, 1e-9));
    CHECK(work_J == near(4 * yield2 * (reach - yield2 / k2), 4 * 15 * 1.5e-4));

    // at t = 5, highest load
    const auto at_5 = std::ranges::find_if(run.t_s, [](double t) { return t > 5 - 1e-9; });
    const auto& q = run.q[static_cast<std::size_t>(at_5 - run.t_s.begin())];
    CHECK(probe(any, 1, 5, q) == near(reach, 1e-12));
    CHECK(q[0] == near(q[2], 1e-9));
    CHECK(q[1] + (q[0] + q[2]) / std::sqrt(2.0) == near(load, 1e-8));
}

TEST_CASE("scene diode: the capacitor follows the source, then discharges exponentially from where the "
          "current ends")
{
    const Scene any = handed_out("diode_rectifier.toml");
    const Swept run = swept(any);
    REQUIRE(run.report.status == RunStatus::Certified);
    const double omega = 2 * pi * 50, tau_s = 1e3 * 2e-5, h = 1e-5;

    // the current C v' + v / R ends where tan(omega t) = -omega tau
    const double off_s = (pi - std::atan(omega * tau_s)) / omega;
    for (std::size_t k = 0; k < run.q.size(); ++k) {
        const double t = run.t_s[k], source = 10 * std::sin(omega * t);
        const double exact =
            t < off_s ? std::max(source, 0.0)
                      : std::max(source, 10 * std::sin(omega * off_s) * std::exp((off_s - t) / tau_s));
        if (t > 0.02 + off_s) break;

        // explicit drift: first order, at most 10 V h / tau / 2 of it, and one step late at the corner
        CHECK(run.q[k][0] == near(exact, 10 * h / tau_s));
    }
}

TEST_CASE("scene crowd: nobody overlaps, nobody walks through the wall, all leave")
{
    const Scene any = handed_out("crowd.toml");
    const Swept run = swept(any);
    REQUIRE(run.report.status == RunStatus::Certified);
    CHECK(run.report.end == RunEnd::Formula);
    double closest = 1, wall = 1;
    for (const Eigen::VectorXd& q : run.q) {
        for (Eigen::Index i = 0; i < 6; ++i) {
            const double x = q[2 * i], y = q[2 * i + 1];
            wall = std::min(wall, std::hypot(x, std::max(0.5 - std::abs(y), 0.0)) - 0.3);
            for (Eigen::Index j = 0; j < i; ++j)
                closest = std::min(closest, std::hypot(x - q[2 * j], y - q[2 * j + 1]) - 0.6);
        }
    }

    // distances are convex: linearised gaps that are >= 0 leave true ones >= 0; roundoff of one step
    CHECK(closest > -1e-12);
    CHECK(closest < 1e-9);  // they did meet
    CHECK(wall > -1e-12);
    for (Eigen::Index i = 0; i < 6; ++i)
        CHECK(run.end.q[2 * i] > 0.59);
}

TEST_CASE("a disc of a scene drags a point along the tractrix, by every method, and is drawn")
{
    const Eigen::Vector2d exact(2 - std::tanh(2), 1 / std::cosh(2));
    const Scene any = good_sweep(disc);
    CHECK((swept(any).end.q - exact).norm() < 0.01);
    CHECK((swept(good_sweep(disc, {"sweeping.method=yosida", "sweeping.relaxation_s=1e-3"})).end.q - exact)
              .norm() < 0.01);
    CHECK((swept(good_sweep(disc, {"sweeping.tolerance_per_s=1e-4"})).end.q - exact).norm() < 2e-4);
    CHECK((swept(good_sweep(disc, {"sweeping.set=both"})).end.q - swept(any).end.q).norm() < 1e-6);

    // the set, the way and the point
    const auto& drawings = any.model.system().drawings;
    REQUIRE(drawings.size() == 3);
    CHECK(drawings[0].kind == DrawingKind::Circle);
    CHECK(drawings[1].kind == DrawingKind::Trace);
    CHECK(good_sweep(disc, {"sweeping.set=both"}).model.system().drawings.size() == 4);
}

TEST_CASE("jumps, metrics and drifts of a scene reach the process")
{
    // up to t = 1 the window is at the input, then it is 3 higher: u = 0.5, then 3.5 (and on to 4.5 - 0.5...)
    const std::string jumping = with(with(window, "[\"t - slack\"]", "[\"if(t < 1, t, t + 3) - slack\"]"),
                                     "[\"t + slack\"]", "[\"if(t < 1, t, t + 3) + slack\"]");
    const Swept run = swept(good_sweep(jumping, {"sweeping.jumps_s=[1]", "sweeping.time_step_s=0.3"}));
    const auto at_1 = std::ranges::find(run.t_s, 1.0);
    REQUIRE(at_1 != run.t_s.end());
    CHECK(run.q[static_cast<std::size_t>(at_1 - run.t_s.begin())][0] == near(3.5, 1e-15));

    const Scene drifting = good_sweep(window, {"sweeping.drift.u=2"});
    CHECK(swept(drifting).end.q[0] == near(2.5, 1e-12));  // pushes ahead, held by the upper end
    const Scene two = good_sweep(disc, {"sweeping.metric=[[1, 0], [0, 4]]"});
    CHECK(two.sweeping->metric.matrix()(1, 1) == 4);
    CHECK(swept(good_sweep(window, {"until=u - 1"})).report.end == RunEnd::Formula);
}

TEST_CASE("a set that vanishes on the way ends the run with its name and instant")
{
    const Swept run = swept(good_sweep(with(disc, "radius = 1", "radius = \"1 - t\"")));
    CHECK(run.report.status == RunStatus::Failed);
    CHECK(run.report.end == RunEnd::Undetermined);
    REQUIRE(run.report.findings.size() == 1);
    CHECK(contains(run.report.findings[0].message, "set.disc"));
    CHECK(run.end.t_s == near(1, 0.011));
}

TEST_CASE("mistakes of sweeping scenes are told with place and hint")
{
    only_sweep_error(with(window, "set = \"window\"", "set = \"widow\""), ErrorCode::UnknownName, "widow");
    only_sweep_error(with(window, "kind = \"interval\"", "kind = \"intervall\""), ErrorCode::UnknownName,
                     "intervall");
    only_sweep_error(window + "[lagrangian]\nkinetic = \"u'^2/2\"\n", ErrorCode::NotAllowedHere,
                     "lagrangian");
    only_sweep_error(window + "relaxation_s = 1\n", ErrorCode::NotAllowedHere, "relaxation_s");
    only_sweep_error(window + "method = \"yosida\"\n", ErrorCode::MissingKey, "relaxation_s");
    only_sweep_error(window + "jumps_s = [1, 0.5]\n", ErrorCode::SettingOutOfRange, "0.5");
    only_sweep_error(window + "metric = [[1, 0], [0, 1]]\n", ErrorCode::WrongSize, "1 x 1");
    only_sweep_error(window + "metric = [[-1]]\n", ErrorCode::MetricNotPositive, "");
    only_sweep_error(with(window, "time_step_s = 0.01", "time_step_s = 0"), ErrorCode::SettingOutOfRange,
                     "time_step_s");
    only_sweep_error(with(window, "lower = [\"t - slack\"]", "lower = [\"u' - slack\"]"),
                     ErrorCode::NotAllowedHere, "velocity");
    only_sweep_error(with(window, "lower = [\"t - slack\"]", "radius = 1"), ErrorCode::NotAllowedHere,
                     "radius");
    only_sweep_error(with(window, "[\"t + slack\"]", "[\"t - 2*slack\"]"), ErrorCode::SettingOutOfRange,
                     "bounds");
    only_sweep_error(with(disc, "radius = 1\n", ""), ErrorCode::MissingKey, "radius");
    only_sweep_error(with(disc, "radius = 1", "radius = -1"), ErrorCode::SettingOutOfRange, "radius");
    only_sweep_error(with(disc, "centre = [\"t\", 0]", "centre = [\"t\", 0, 0]"), ErrorCode::WrongSize,
                     "3 dimensions");
    only_sweep_error(with(disc, "of = [\"disc\", \"strip\"]", "of = [\"disc\", \"stripe\"]"),
                     ErrorCode::UnknownName, "stripe");
    only_sweep_error(with(with(disc, "name = \"strip\"", "name = \"disc\""), ", \"strip\"]", "]"),
                     ErrorCode::DuplicateName, "disc");
}

TEST_CASE("the set of a play pushes, rests and pushes again where its input turns round")
{
    // input sin(pi t), slack 0.4: u is pushed from sin = 0.4 to the maximum at 1/2, then from sin = 0.2 on
    // the way down to the minimum at 3/2
    const std::string play = with(with(with(window, "[\"t - slack\"]", "[\"sin(pi*t) - 0.4\"]"),
                                       "[\"t + slack\"]", "[\"sin(pi*t) + 0.4\"]"),
                                  "time_step_s = 0.01", "time_step_s = 1e-3");
    const Swept run = swept(good_sweep(play, {"duration_s=1.75"}));
    CHECK(run.report.event_names == std::vector<std::string>{"window"});
    const double pi = std::numbers::pi;
    const std::pair<EventKind, double> expected[] = {
        {EventKind::ContactMade, std::asin(0.4) / pi},
        {EventKind::ContactLost, 0.5},
        {EventKind::ContactMade, 1 - std::asin(0.2) / pi},
        {EventKind::ContactLost, 1.5},
    };
    REQUIRE(run.report.events.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const Event& event = run.report.events[i];
        CHECK(event.kind == expected[i].first);
        CHECK(event.contact == 0);
        // told at the end of the step that it happens in, or of the next one where rounding decides
        CHECK(event.time_s == near(expected[i].second, 2e-3));
        CHECK(run.t_s[static_cast<std::size_t>(event.step - 1)] == event.time_s);
    }

    // regularised the point stays outside, and is pushed, until it has come back: lambda times a logarithm
    const Swept soft =
        swept(good_sweep(play, {"duration_s=1", "sweeping.method=yosida", "sweeping.relaxation_s=1e-3"}));
    REQUIRE(soft.report.events.size() >= 2);
    CHECK(soft.report.events[0].time_s == near(std::asin(0.4) / pi, 2e-3));
}

TEST_CASE("a controlled sweep that cannot make its steps small enough is not certified and says so")
{
    // along the disc a step of h and two of h/2 end h^2/4 apart: per second far more than 1e-9 at h = 0.01 s
    const Swept run =
        swept(good_sweep(disc, {"sweeping.tolerance_per_s=1e-9", "sweeping.smallest_step_s=0.01"}));
    CHECK(run.report.status == RunStatus::Uncertified);
    CHECK(run.report.certificate.unsolved_steps == run.report.certificate.steps);
    REQUIRE(run.report.findings.size() == 1);
    const Finding& finding = run.report.findings[0];
    CHECK(finding.code == "unsolved_step");
    CHECK(finding.uncertifies);
    CHECK(finding.count == run.report.certificate.unsolved_steps);
    CHECK(finding.time_s == near(0.01, 1e-12));
    CHECK(contains(finding.message, "tolerance_per_s"));
}

TEST_CASE("a sweep taken up after any step ends as if it had never been put down")
{
    const std::string jumping = with(with(window, "[\"t - slack\"]", "[\"if(t < 1, t, t + 3) - slack\"]"),
                                     "[\"t + slack\"]", "[\"if(t < 1, t, t + 3) + slack\"]");
    const std::vector<std::vector<std::string>> ways = {
        {"sweeping.jumps_s=[1]", "sweeping.time_step_s=0.07"},
        {"sweeping.jumps_s=[1]", "sweeping.time_step_s=0.07", "sweeping.drift.u=2*cos(5*t) - u"},
        {"sweeping.jumps_s=[1]", "sweeping.tolerance_per_s=1e-2", "sweeping.drift.u=2*cos(5*t) - u"},
        {"sweeping.jumps_s=[1]", "sweeping.time_step_s=0.07", "sweeping.method=yosida",
         "sweeping.relaxation_s=0.05"}};
    for (const auto& way : ways) {
        const Scene any = good_sweep(jumping, way);
        const Swept whole = swept(any);
        const auto steps = static_cast<long>(whole.t_s.size());
        REQUIRE(steps > 20);
        for (const long put_down : {1L, 5L, steps / 2, steps - 1, steps}) {
            RunSoFar run = start_run(any.model, any.start);
            static_cast<void>(sweep(any.model, *any.sweeping, any.plan, run,
                                    [&](const StepView& step) { return step.step < put_down; }));
            CHECK(run.progress.steps == put_down);
            const RunReport rest = sweep(any.model, *any.sweeping, any.plan, run);
            CHECK(run.state.q == whole.end.q);
            CHECK(run.state.u == whole.end.u);
            CHECK(run.state.t_s == whole.end.t_s);
            CHECK(rest.certificate.steps == steps);
            CHECK(rest.certificate.max_penetration_m == whole.report.certificate.max_penetration_m);
            CHECK(rest.events.size() == whole.report.events.size());
            CHECK(rest.status == whole.report.status);
        }
    }
}

TEST_CASE("the dynamics of contacts is a sweeping process of the velocity: catching-up makes Moreau's steps "
          "(M83 8.17)")
{
    // a body with a coupled kinetic matrix falls into a corner, strikes the floor, then the wall, and rests
    const Scene scene = good(R"toml(duration_s = 2.0
[[coordinate]]
name = "x"
start = 0.4
start_velocity = -1.0
[[coordinate]]
name = "y"
start = 0.7
[lagrangian]
kinetic = "x'^2 + x'*y' + 3/2*y'^2"
potential = "9.81*y"
[[contact]]
name = "floor"
gap = "y"
law = { kind = "unilateral" }
[[contact]]
name = "wall"
gap = "x + y/2"
law = { kind = "unilateral" }
[integrator]
time_step_s = 0.005
activation_gap_m = 0           # the paper to the letter
force_passes = 1
correction = false
[solver]
tolerance = 1e-14
)toml");
    const double h = 0.005, activation_m = moreau_of(scene).activation_gap_m;
    const Eigen::Matrix2d A = (Eigen::Matrix2d() << 2, 1, 1, 3).finished();
    const Metric metric = *Metric::from_matrix(A);
    const Eigen::VectorXd fall = A.inverse() * Eigen::Vector2d(0, -9.81);
    const Eigen::Matrix2d gradients = (Eigen::Matrix2d() << 0, 1, 1, 0.5).finished();
    const SetPointer whole = shared(*Subspace::whole(2));

    Eigen::VectorXd q = scene.start.q, u = scene.start.u;
    double worst = 0;
    int touching = 0;
    State state = scene.start;
    const RunReport report =
        simulate(scene.model, scene.integrator, scene.solver, scene.plan, state, [&](const StepView& step) {
            // V(q_M): velocities that do not close the contacts found half-way
            const Eigen::VectorXd q_M = q + h / 2 * u;
            Eigen::MatrixXd rows(0, 2);
            for (Eigen::Index c = 0; c < 2; ++c) {
                if (!(gradients.row(c).dot(q_M) <= activation_m)) continue;
                rows.conservativeResize(rows.rows() + 1, 2);
                rows.bottomRows(1) = -gradients.row(c);
            }
            const SetPointer V = shared(*PolyhedralCone::from_inequalities(rows));
            touching += rows.rows() == 2 ? 1 : 0;

            // before the end of the step nothing restricts the velocity
            const double begin_s = step.before.t_s;
            const auto set = *SetOfTime::make(
                2, [&](double t_s) -> Expected<SetPointer> { return t_s <= begin_s ? whole : V; });
            const SweepingProblem problem{
                .set = set, .metric = metric, .F = [&](double, const Eigen::VectorXd&) { return fall; }};
            const auto done = catching_up(problem, {.time_step_s = 1}, begin_s, begin_s + h, u);
            REQUIRE(done->end == SweepEnd::Finished);
            q = q_M + h / 2 * u;
            worst = std::max({worst, (q - step.after.q).norm(), (u - step.after.u).norm()});
            return true;
        });
    CHECK(report.status == RunStatus::Certified);
    CHECK(touching > 100);  // at rest in the corner
    CHECK(worst < 1e-11);   // 400 steps of roundoff
}
