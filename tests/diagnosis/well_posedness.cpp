#include "carom/diagnosis/well_posedness.hpp"

#include "support/near.hpp"
#include "support/systems.hpp"

#include <algorithm>
#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

WellPosedness diagnosis_of(const Sketch& sketch, std::initializer_list<double> q,
                           std::initializer_list<double> u)
{
    const Model model = model_of(sketch);
    return diagnose_well_posedness(model, make_state(model, vector(q), vector(u)), {});
}

const Hypothesis* find(const WellPosedness& result, std::string_view code)
{
    const auto found = std::ranges::find(result.hypotheses, code, &Hypothesis::code);
    return found == result.hypotheses.end() ? nullptr : &*found;
}

bool says(const WellPosedness& result, std::string_view code, std::string_view piece = "")
{
    const Hypothesis* hypothesis = find(result, code);
    if (hypothesis == nullptr) return false;
    return (hypothesis->message + hypothesis->theory).find(piece) != std::string::npos;
}

const Sketch free_particle{.coordinates = {"x"}, .kinetic = "x'^2/2"};
const Sketch plane{.coordinates = {"x", "y"}, .kinetic = "x'^2/2 + y'^2/2"};

Sketch with_force(const std::string& force)
{
    Sketch sketch = free_particle;
    sketch.forces = {force};
    return sketch;
}

Sketch with_gaps(Sketch sketch, std::vector<ContactText> gaps)
{
    sketch.contacts = std::move(gaps);
    return sketch;
}

}  // namespace

TEST_CASE("gradients at right angles are independent, and the diagonal is furthest inside")
{
    const auto cone = diagnose_cone(Metric::euclidean(), Eigen::Matrix2d::Identity());
    CHECK(cone.rank == 2);
    CHECK(cone.independent());
    // the diagonal makes 45 degrees with both walls
    CHECK(cone.margin == near(std::sqrt(0.5), 1e-12));
    REQUIRE(cone.inside.size() == 2);
    CHECK(cone.inside[0] == near(cone.inside[1], 1e-12));
}

TEST_CASE("the largest margin is measured in the kinetic metric")
{
    // masses 1 and 3: gradients (1, 0) and (1, 1) have whitened forms (1, 0) and (1, 1/sqrt 3), 30 degrees
    // apart, so that their bisector is 15 degrees from both
    Eigen::MatrixXd A = Eigen::Vector2d(1, 3).asDiagonal();
    Eigen::Matrix2d H;
    H << 1, 0, 1, 1;
    const auto metric = Metric::from_matrix(A);
    REQUIRE(metric.has_value());
    const auto cone = diagnose_cone(*metric, H);
    CHECK(cone.margin == near(std::cos(std::acos(-1.0) / 12), 1e-12));
    CHECK(metric->norm(cone.inside) == near(1, 1e-12));
}

TEST_CASE("three walls through one point of a plane depend on each other, though there is a way out")
{
    Eigen::MatrixXd H(3, 2);
    H << 1, 0, 0, 1, 1, 1;
    const auto cone = diagnose_cone(Metric::euclidean(), H);
    CHECK(cone.rank == 2);
    REQUIRE(cone.dependence.size() == 3);
    // rows of length one: the third is (1, 1) / sqrt 2
    const Eigen::Vector2d sum = cone.dependence[0] * H.row(0) + cone.dependence[1] * H.row(1) +
                                cone.dependence[2] * H.row(2) / std::sqrt(2.0);
    CHECK(sum.norm() < 1e-12);
    CHECK(cone.has_interior());
}

TEST_CASE("between two opposite walls there is no way out, and the weights prove it")
{
    Eigen::MatrixXd H(3, 2);
    H << 1, 0, -2, 0, 0, 1;
    const auto cone = diagnose_cone(Metric::euclidean(), H);
    CHECK_FALSE(cone.has_interior());
    REQUIRE(cone.pinch.size() == 3);
    CHECK(cone.pinch[0] == near(0.5, 1e-12));
    CHECK(cone.pinch[1] == near(0.5, 1e-12));
    CHECK(std::abs(cone.pinch[2]) < 1e-12);
}

TEST_CASE("a pendulum against a wall is promised one motion for all time")
{
    const auto result = diagnosis_of({.coordinates = {"th"},
                                      .kinetic = "th'^2/2",
                                      .potential = "-9.81*cos(th)",
                                      .forces = {"-0.1*th'"},
                                      .contacts = {{"wall", "sin(th)", "0.8"}}},
                                     {1}, {0});
    CHECK(result.promise == Promise::OneSolution);
    CHECK(result.for_all_time);
    CHECK(result.well_posed());
    CHECK(says(result, "analytic", "corollary 16"));
    CHECK(says(result, "linear_growth", "theorems 3 and 17"));
    CHECK(result.impacts.highest_e == 0.8);
    CHECK(result.search.found > 0);
}

TEST_CASE("counter-example 1: the cube root of a distance may have several motions")
{
    const auto result = diagnosis_of(with_force("6*abs(x)^(1/3)"), {0}, {0});
    CHECK(result.promise == Promise::PossiblySeveral);
    CHECK_FALSE(result.well_posed());
    CHECK(says(result, "force_not_lipschitz", "counter-example 1"));
    CHECK(says(result, "force_not_lipschitz", "the start lies on it"));
    // |q|^(1/3) is its own closed form; two sampled distances give its exponent to rounding
    REQUIRE_FALSE(result.singularities.empty());
    REQUIRE(result.singularities[0].exponent.has_value());
    CHECK(*result.singularities[0].exponent == near(1.0 / 3, 1e-6));
}

TEST_CASE("the same force met away from its zero is promised nothing beyond it")
{
    const auto result = diagnosis_of(with_force("6*abs(x)^(1/3)"), {1}, {-1});
    CHECK(result.promise == Promise::PossiblySeveral);
    CHECK(says(result, "force_not_lipschitz", "until it is reached"));
}

TEST_CASE("counter-example 2: a force like the square of the speed is named, with the blow-up")
{
    const auto result = diagnosis_of(with_force("x'^2"), {0}, {1});
    CHECK(result.promise == Promise::OneSolution);
    CHECK_FALSE(result.for_all_time);
    CHECK(says(result, "superlinear_force", "blow-up"));
    CHECK(says(result, "superlinear_force", "counter-example 2"));
    CHECK(says(result, "superlinear_force", "lagrangian.forces.x"));
    CHECK(result.growth.by_velocity == near(2, 1e-3));
}

TEST_CASE("what only brakes, and what climbs a wall of potential, does not blow up")
{
    // quadratic drag takes energy; x^4 is bounded below; both grow faster than linearly
    for (const auto& sketch :
         {with_force("-x'*abs(x')"), Sketch{.coordinates = {"x"}, .kinetic = "x'^2/2", .potential = "x^4"}}) {
        const auto result = diagnosis_of(sketch, {0.5}, {1});
        CHECK_FALSE(result.growth.linear());
        CHECK(says(result, "energy_bound", "WP-7"));
        CHECK(result.for_all_time);
    }
    // and -x^4, falling faster than quadratically, reaches infinity in finite time
    const auto fall =
        diagnosis_of({.coordinates = {"x"}, .kinetic = "x'^2/2", .potential = "-x^4"}, {0.5}, {1});
    CHECK(says(fall, "superlinear_force", "lagrangian.potential"));
    CHECK_FALSE(fall.for_all_time);
}

TEST_CASE("a force that is linear in place and in speed apart but not jointly is not linear")
{
    CHECK_FALSE(diagnosis_of(with_force("x*x'"), {0}, {1}).growth.linear());
    CHECK(diagnosis_of(with_force("x - x'"), {0}, {1}).growth.linear());
    CHECK(diagnosis_of(with_force("exp(x)"), {0}, {1}).growth.by_position ==
          std::numeric_limits<double>::infinity());
}

TEST_CASE("a force that jumps promises nothing, unless the time alone decides")
{
    CHECK(diagnosis_of(with_force("-sign(x')"), {0}, {1}).promise == Promise::NonePromised);
    CHECK(says(diagnosis_of(with_force("if(x > 0.5, 1, 0)"), {0}, {1}), "force_jumps"));
    const auto in_time = diagnosis_of(with_force("sign(t - 0.5)"), {0}, {1});
    CHECK(in_time.promise == Promise::OneSolution);
    CHECK(says(in_time, "pieces_in_time"));
}

TEST_CASE("a kink with a Lipschitz bound costs uniqueness only where there are contacts")
{
    const Sketch kinked = with_force("-abs(x)");
    const auto free = diagnosis_of(kinked, {0}, {1});
    CHECK(free.promise == Promise::NoObstacleFound);  // the Lipschitz bound is measured, not shown
    CHECK(says(free, "force_has_kink"));
    const auto bounded = diagnosis_of(with_gaps(kinked, {{"wall", "x + 2"}}), {0}, {1});
    CHECK(bounded.promise == Promise::PossiblySeveral);
    CHECK(says(bounded, "not_analytic", "counter-example 7"));
}

TEST_CASE("functions whose arguments cannot vanish have a power series everywhere")
{
    CHECK(find_singularities(
              model_of(with_force("abs(2 + cos(x)) + sqrt(1 + x^2) + 1/(3 + x'^2) + log(exp(x))")),
              make_state(model_of(free_particle), vector({0}), vector({0})), {})
              .empty());
    const auto edges = find_singularities(model_of(with_force("1/x")),
                                          make_state(model_of(free_particle), vector({1}), vector({0})), {});
    REQUIRE(edges.size() == 1);
    CHECK(edges[0].kind == Singularity::Kind::Edge);
    CHECK(edges[0].reach == Singularity::Reach::NotSeen);
}

TEST_CASE("an edge that states lie around is judged like the kink that it is, however it is written")
{
    // (q^2)^(1/6) is |q|^(1/3), and so on; starts lie on one side, and motions pass to the other
    const auto judged = [](const char* force) { return diagnosis_of(with_force(force), {0.5}, {-1}); };
    for (const char* force : {"(x^2)^(1/6)", "hypot(x, 0)^(1/3)", "(1 - cos(x))^(1/6)", "(x'^2)^(1/4)"}) {
        CAPTURE(force);
        const auto result = judged(force);
        CHECK(result.promise == Promise::PossiblySeveral);
        CHECK(says(result, "force_not_lipschitz"));
    }
    for (const char* force : {"sqrt(x^2)", "x^2/sqrt(x^2)", "hypot(x, 0)"}) {
        CAPTURE(force);
        CHECK(judged(force).promise == Promise::NoObstacleFound);
        CHECK(says(judged(force), "force_has_kink"));
        auto walled = with_force(force);
        walled.contacts.push_back({"wall", "x + 2"});
        CHECK(diagnosis_of(walled, {0.5}, {-1}).promise == Promise::PossiblySeveral);
    }
    CHECK(says(judged("atan2(x, -1)"), "force_jumps"));
    // its exponent is lost in the rounding of the cosine, the kink is not
    CHECK(judged("acos(cos(x))").promise != Promise::OneSolution);

    // what states do not lie around, and what has no bound, stay conditions
    CHECK(judged("1/x").promise == Promise::OneSolution);
    CHECK(judged("log(x^2)").promise == Promise::OneSolution);
    CHECK(judged("atan2(x, 1)").promise == Promise::OneSolution);
    CHECK(says(judged("log(x^2)"), "edge_of_domain"));
    auto spring = plane;
    spring.potential = "(hypot(x, y) - 1)^2";
    const auto hung = diagnosis_of(spring, {1, 0}, {0, 1});
    CHECK(hung.promise == Promise::OneSolution);
    CHECK(says(hung, "edge_of_domain"));
}

TEST_CASE("three walls through a corner are named where the start is in the corner, and where it is not")
{
    const auto walls = with_gaps(plane, {{"left", "x"}, {"floor", "y"}, {"slope", "x + y"}});
    const auto inside = diagnosis_of(walls, {0, 0}, {0, 0});
    CHECK(inside.promise == Promise::NonePromised);
    CHECK(inside.start.contacts == std::vector{0, 1, 2});
    CHECK(says(inside, "dependent_gradients", "at the start"));
    CHECK(says(inside, "dependent_gradients", "left"));
    CHECK_FALSE(says(inside, "no_interior"));
    const auto away = diagnosis_of(walls, {1, 1}, {0, 0});
    CHECK(away.start.contacts.empty());
    CHECK(says(away, "dependent_gradients", "x = 0, y = 0"));
}

TEST_CASE(
    "Moreau's region with a tangent cone that is no cone of velocities has no interior point (M83-CONE-1)")
{
    // gaps q1, q2 q3 - q1, q2 + q3: the first two have opposite gradients at the origin
    const auto result = diagnosis_of({.coordinates = {"a", "b", "c"},
                                      .kinetic = "(a'^2 + b'^2 + c'^2)/2",
                                      .contacts = {{"one", "a"}, {"two", "b*c - a"}, {"three", "b + c"}}},
                                     {0, 0, 0}, {0, 2, -1});
    CHECK(result.start.contacts == std::vector{0, 1, 2});
    CHECK(says(result, "no_interior", "(2.10)"));
    CHECK(says(result, "no_interior", "0.5 one + 0.5 two"));
    CHECK(result.promise == Promise::NonePromised);
    // the velocity of the case is in V
    CHECK(std::ranges::all_of(result.start_velocity_m_s, [](double U) { return U >= 0; }));
}

TEST_CASE("a gap whose gradient vanishes where it closes is found away from the start")
{
    const auto result = diagnosis_of(with_gaps(free_particle, {{"square", "x^2"}}), {1}, {0});
    CHECK(says(result, "gradient_vanishes", "square"));
}

TEST_CASE("a start that runs into a closed contact is named with its speed")
{
    const auto result = diagnosis_of(with_gaps(free_particle, {{"wall", "x"}}), {0}, {-2});
    CHECK(says(result, "start_velocity_outside", "2 m/s"));
    CHECK(result.promise == Promise::NonePromised);
    CHECK(diagnosis_of(with_gaps(free_particle, {{"wall", "x"}}), {0}, {2}).well_posed());
}

TEST_CASE("contacts with restitutions of their own take energy and never give it (WP-4)")
{
    // P.(U- + U+) / 2 has the terms P (1 - e) U- / 2 <= 0, however the walls lean
    for (const char* wall : {"x*sin(0.1) - y*cos(0.1)", "x*sin(1.2) - y*cos(1.2)", "x*sin(3) - y*cos(3)"}) {
        const auto result =
            diagnosis_of(with_gaps(plane, {{"one", "y", "1"}, {"two", wall, "0"}}), {0, 0}, {0, 0});
        CHECK_FALSE(result.impacts.canonical);
        CHECK(result.impacts.lowest_e == 0);
        CHECK(result.impacts.highest_e == 1);
        CHECK(result.impacts.impacts > 40);
        // velocities have length 1; the narrowest wedge has a condition of 1 / 0.1^2
        CHECK(result.impacts.worst.energy_gained_J < 1e-13);
        CHECK(result.well_posed());
    }
    CHECK(diagnosis_of(with_gaps(plane, {{"one", "y", "0.5"}, {"two", "x", "0.5"}}), {0, 0}, {0, 0})
              .impacts.canonical);
}

TEST_CASE("an impact map that creates energy costs uniqueness, one that lets bodies pass costs the motion")
{
    const auto with_map = [](double factor) {
        LagrangianSystem system = system_of(with_gaps(free_particle, {{"wall", "x"}}));
        system.impact_map = [factor](const ImpactSite&, const Eigen::VectorXd& u) {
            return Eigen::VectorXd(factor * u);
        };
        const auto model = make_model(std::move(system));
        REQUIRE(model.has_value());
        return diagnose_well_posedness(*model, make_state(*model, vector({1}), vector({0})), {});
    };
    CHECK(with_map(-0.5).promise == Promise::NoObstacleFound);  // maps are sampled
    CHECK(says(with_map(-2), "impact_creates_energy", "counter-example 6"));
    CHECK(with_map(-2).promise == Promise::PossiblySeveral);
    CHECK(says(with_map(0.5), "impact_not_admissible", "(1.11)"));
}

TEST_CASE("an obstacle that moves without turning rests in a moving frame; one that grows does not")
{
    CHECK(says(diagnosis_of(with_gaps(free_particle, {{"table", "x - sin(t)"}}), {1}, {0}),
               "obstacles_translate"));
    const auto growing = diagnosis_of(with_gaps(plane, {{"disc", "x^2 + y^2 - (1 + t)^2"}}), {2, 0}, {0, 0});
    CHECK(says(growing, "moving_obstacles"));
    CHECK(growing.promise == Promise::NonePromised);
}

TEST_CASE("the same start gives the same diagnosis")
{
    const auto once = diagnosis_of(with_force("x*x' - abs(x)"), {0.3}, {1});
    const auto again = diagnosis_of(with_force("x*x' - abs(x)"), {0.3}, {1});
    REQUIRE(once.hypotheses.size() == again.hypotheses.size());
    for (std::size_t k = 0; k < once.hypotheses.size(); ++k)
        CHECK(once.hypotheses[k].message == again.hypotheses[k].message);
}

TEST_CASE("one solution is said where it is shown, for corners, discs and bars as well as for planes")
{
    // a disc outside, a disc inside, a parabola, the walls of a triangle, a pendulum between two walls
    for (const auto& gaps :
         std::vector<std::vector<ContactText>>{{{"outside", "hypot(x, y) - 0.2"}},
                                               {{"inside", "4 - x^2 - y^2"}},
                                               {{"parabola", "y - x^2"}, {"side", "x + 3"}},
                                               {{"a", "y"}, {"b", "x - y + 1"}, {"c", "2 - x - 2*y"}}}) {
        const auto result = diagnosis_of(with_gaps(plane, gaps), {0.5, 0.3}, {0, 0});
        CAPTURE(gaps.front().gap);
        CHECK(says(result, "independent_gradients", "intervals"));
        CHECK(result.promise == Promise::OneSolution);
    }
    CHECK(diagnosis_of({.coordinates = {"th"},
                        .kinetic = "th'^2/2",
                        .potential = "-cos(th)",
                        .contacts = {{"left", "sin(th) + 0.5"}, {"right", "0.5 - sin(th)"}}},
                       {0}, {0})
              .promise == Promise::OneSolution);
    // three lines through one point are not independent there, whatever the search does
    const auto through =
        diagnosis_of(with_gaps(plane, {{"a", "y"}, {"b", "x - y"}, {"c", "2*x - y"}}), {1, 0.2}, {0, 0});
    CHECK(through.promise == Promise::NonePromised);
}

TEST_CASE("example 8: equal bars lose the gradient of the tip where they fold up, however long they are")
{
    const auto pendulum = [](const std::string& l1, const std::string& l2) {
        return Sketch{
            .coordinates = {"q1", "q2"},
            .kinetic = "(1/3 + 0.7)*" + l1 + "^2/2*q1'^2 + 0.7*" + l2 + "^2/6*q2'^2 + 0.35*" + l1 + "*" + l2 +
                       "*cos(q1 - q2)*q1'*q2'",
            .potential = "q1^2 + (q2 - q1)^2/2",
            .contacts = {{"joint", l1 + "*sin(q1)"}, {"tip", l1 + "*sin(q1) + " + l2 + "*sin(q2)"}}};
    };
    for (const char* length : {"0.5", "1", "2", "3.3"}) {
        const auto equal = diagnosis_of(pendulum(length, length), {0.5, 0.4}, {-1, 0.3});
        CAPTURE(length);
        CHECK(says(equal, "gradient_vanishes", "tip"));
        CHECK(equal.promise == Promise::NonePromised);
    }
    const auto unequal = diagnosis_of(pendulum("1", "0.8"), {0.5, 0.4}, {-1, 0.3});
    CHECK(unequal.promise == Promise::OneSolution);
    CHECK(unequal.growth.shown);  // springs are linear, the metric is bounded
}

TEST_CASE("twenty thousand equal floors are told as dependent, of the rank of one, by two of them")
{
    // what depends on each other needs one gradient more than there are dimensions; a matrix of the gradients
    // with each other would have 4e8 entries
    constexpr int copies = 20000;
    Sketch sketch = plane;
    for (int k = 0; k < copies; ++k)
        sketch.contacts.push_back({.name = "c" + std::to_string(k), .gap = "y", .restitution = "0.5"});
    const WellPosedness many = diagnosis_of(sketch, {0, 0}, {1, 0});
    CHECK(many.promise == Promise::NonePromised);
    CHECK(many.start.cone.rank == 1);
    REQUIRE(many.start.cone.dependence.size() == copies);
    CHECK(many.start.cone.dependence.sum() == near(0, 1e-12));  // of gradients that are all the same
    CHECK(many.start.cone.dependence.cwiseAbs().maxCoeff() == near(1, 1e-12));
    CHECK((many.start.cone.dependence.array() != 0).count() <= 3);
    CHECK(many.start.cone.has_interior());
    CHECK(says(many, "dependent_gradients", "rank 1 of 20000"));

    // the impact law is that of one floor
    sketch.contacts.resize(1);
    const WellPosedness one = diagnosis_of(sketch, {0, 0}, {1, 0});
    CHECK(many.impacts.canonical == one.impacts.canonical);
    CHECK(many.impacts.highest_e == one.impacts.highest_e);
    CHECK(many.impacts.worst.leaves_V_m_s == near(one.impacts.worst.leaves_V_m_s, 1e-12));
    CHECK(many.growth.rays == one.growth.rays);
}

TEST_CASE("a bounded oscillation is no growth")
{
    // the coefficient differs, the bound does not
    for (const char* force : {"sin(x)", "2*sin(x)", "1e3*sin(37*x)*cos(x')", "sin(x)/(2 + cos(x'))"}) {
        const auto result = diagnosis_of(with_force(force), {0.3}, {0});
        CAPTURE(force);
        CHECK(result.growth.force() < 0.02);
        CHECK(result.growth.shown);
        CHECK(result.for_all_time_shown);
    }
}

TEST_CASE("the corner of a path, a limit without a Lipschitz bound and contradictory drives are named")
{
    Sketch path = plane;
    path.constraints = {{.name = "path", .zero = {"y - abs(x)"}}};
    CHECK(says(diagnosis_of(path, {1, 1}, {-1, -1}), "constraint_has_corner", "abs"));
    path.constraints = {{.name = "path", .zero = {"y - x*abs(x)"}}};
    CHECK(says(diagnosis_of(path, {1, 1}, {-1, -2}), "constraint_not_smooth", "abs"));
    path.constraints = {{.name = "path", .zero = {"y - x^2"}}};
    CHECK(diagnosis_of(path, {1, 1}, {-1, -2}).promise == Promise::OneSolution);

    Sketch brake = with_force("2");
    brake.constraints = {{.name = "brake",
                          .velocity = {"x'"},
                          .limits = {{.set = interval(-1, 1), .size = "max(0, 2 - 3*abs(x')^(1/3))"}}}};
    CHECK(says(diagnosis_of(brake, {0}, {0}), "limit_not_lipschitz", "hypothesis III"));
    brake.constraints[0].limits[0].size = "max(0, 2 - 3*abs(x'))";
    CHECK(says(diagnosis_of(brake, {0}, {0}), "limit_has_kink"));

    Sketch drives = free_particle;
    drives.constraints = {{.name = "first", .velocity = {"2*x' - 2"}},
                          {.name = "second", .velocity = {"x' - 1 - t^2"}}};
    CHECK(says(diagnosis_of(drives, {0}, {1}), "constraints_contradict", "first, second"));
    drives.constraints[1].velocity = {"3*x' - 3"};
    CHECK_FALSE(says(diagnosis_of(drives, {0}, {1}), "constraints_contradict"));
}

TEST_CASE(
    "particles with friction are promised one motion, chains too; a damper between two in contact is not")
{
    Sketch chain{.coordinates = {"x1", "y1", "x2", "y2"},
                 .kinetic = "(x1'^2 + y1'^2)/2 + 3*(x2'^2 + y2'^2)/2",
                 .potential = "9.81*(y1 + 3*y2) + 20*(x2 - x1 - 1)^2",
                 .forces = {"-x1'", "0", "-x2'", "0"},
                 .contacts = {{.name = "one", .gap = "y1", .friction = "0.3", .sliding = {"x1'"}},
                              {.name = "two", .gap = "y2", .friction = "0.2", .sliding = {"x2'"}}}};
    const auto apart = diagnosis_of(chain, {0, 0, 1.2, 0}, {0, 0, 0, 0});
    CHECK(says(apart, "friction_of_particles", "theorem 2.1"));
    CHECK(apart.promise == Promise::OneSolution);
    chain.forces = {"2*(x2' - x1')", "0", "2*(x1' - x2')", "0"};
    const auto damped = diagnosis_of(chain, {0, 0, 1.2, 0}, {0, 0, 0, 0});
    CHECK(says(damped, "velocity_coupling", "(iii)"));
    CHECK(damped.promise == Promise::PossiblySeveral);
    // one mass along the floor, another across it: no particle
    chain.forces = {};
    chain.kinetic = "(2*x1'^2 + y1'^2)/2 + 3*(x2'^2 + y2'^2)/2";
    CHECK(says(diagnosis_of(chain, {0, 0, 1.2, 0}, {0, 0, 0, 0}), "friction", "inertia"));
}

TEST_CASE("Painleve's rod: no continuation where its tip would close, several where it would open")
{
    // tip at (x - l cos th, y - l sin th) for a rod that leans into its sliding; W_NN - mu W_NT < 0 from mu =
    // 4/3
    const auto rod = [](double mu, double turn) {
        const Sketch sketch{.coordinates = {"x", "y", "th"},
                            .kinetic = "(x'^2 + y'^2)/2 + th'^2/6",
                            .potential = "9.81*y",
                            .contacts = {{.name = "tip",
                                          .gap = "y - sin(th)",
                                          .friction = std::to_string(mu),
                                          .sliding = {"x' + sin(th)*th'"}}}};
        const double th = std::atan(2.0);
        // U_N = 0: y' = cos(th) th'
        return diagnosis_of(sketch, {0, std::sin(th), th},
                            {-20 - std::sin(th) * turn, std::cos(th) * turn, turn});
    };
    CHECK(says(rod(1.0, 0.0), "friction"));
    CHECK_FALSE(says(rod(1.0, 0.0), "no_continuation"));
    // at rest in its turning gravity closes the gap; a fast turning lifts the tip: gap'' = y'' + sin(th)
    // th'^2
    CHECK(says(rod(1.8, 0.0), "no_continuation"));
    CHECK(says(rod(1.8, 8.0), "several_continuations"));
}

TEST_CASE(
    "a bump of the floor that no sample meets is seen in the formula of the gap: nothing is shown there")
{
    // 50 lengths away from the start; at its sides the sliding velocity x' is not along the floor
    const auto floor = [](const std::string& gap) {
        Sketch sketch = plane;
        sketch.potential = "y";
        sketch.contacts = {{.name = "floor", .gap = gap, .friction = "0.1", .sliding = {"x'"}}};
        return diagnosis_of(sketch, {0, 0}, {10, 0});
    };
    CHECK(floor("2*y - y").promise == Promise::OneSolution);
    CHECK(floor("y - 0.3*exp(-(x - 50)^2)").promise == Promise::NoObstacleFound);

    // the same of obstacles that move: no frame moves with a bump
    const auto table = [](const std::string& gap) {
        return diagnosis_of(with_gaps(plane, {{.name = "table", .gap = gap}}), {0, 1}, {10, 0});
    };
    CHECK(says(table("y - 0.1*sin(5*t)"), "obstacles_translate"));
    CHECK(says(table("y - 0.1*sin(5*t) - 0.3*exp(-(x - 50)^2)"), "moving_obstacles"));
}

TEST_CASE("Painleve's rod on a hinge of a cart: what the hinge holds takes part in the condition")
{
    // the foot of the cart touches the floor, W_NN - mu sigma W_NT of the cart alone is positive
    const auto cart = [](double mu, double speed) {
        const Sketch sketch{
            .coordinates = {"X", "Y", "x", "y", "th"},
            .kinetic = "(x'^2 + y'^2)/2 + th'^2/6 + (X'^2 + Y'^2)/4",
            .potential = "9.81*y + 4.905*Y",
            .contacts = {{.name = "foot", .gap = "Y", .friction = std::to_string(mu), .sliding = {"X'"}}},
            .constraints = {{.name = "hinge", .zero = {"x - X - cos(th)", "y - Y - sin(th)"}}}};
        return diagnosis_of(sketch, {0, 0, std::cos(1.0), std::sin(1.0), 1}, {speed, 0, speed, 0, 0});
    };
    CHECK(says(cart(3, -5), "no_continuation", "foot"));
    // it drags the rod behind it, or friction is too small
    CHECK_FALSE(says(cart(3, 5), "no_continuation"));
    CHECK_FALSE(says(cart(0.3, -5), "no_continuation"));
    // at rest it stays
    CHECK_FALSE(says(cart(3, 0), "no_continuation"));
}

TEST_CASE("two rough contacts that press each other have three motions although each alone has one")
{
    // accelerations of the gaps are F_1 + mu F_2 - load and mu F_1 + F_2 - load: no P-matrix from mu = 1 on.
    // Both press with F = load/(1 + mu), or one of them with F = load while the other one opens
    const auto pair = [](const std::string& mu, double slip, const std::string& potential) {
        const Sketch sketch{
            .coordinates = {"x", "y", "z"},
            .kinetic = "(x'^2 + y'^2 + z'^2)/2",
            .potential = potential,
            .contacts = {{.name = "one", .gap = "x", .friction = mu, .sliding = {"z' - y'"}},
                         {.name = "two", .gap = "y", .friction = mu, .sliding = {"z' - x'"}}}};
        return diagnosis_of(sketch, {0, 0, 0}, {0, 0, slip});
    };
    CHECK(says(pair("2", 1, "x + y"), "several_continuations", "one, two are closed at the start: 3 "));
    CHECK_FALSE(says(pair("0.5", 1, "x + y"), "several_continuations"));
    // in the other direction of slip friction opens both: one motion
    CHECK_FALSE(says(pair("0.5", -1, "x + y"), "no_continuation"));
    CHECK(says(pair("2", -1, "x + y"), "no_continuation"));
}

TEST_CASE("nothing is proved of forces that a program computes")
{
    LagrangianSystem system = system_of(free_particle);
    system.force_function = [](const Point& at, std::span<double> F) { F[0] += std::cbrt(at.q[0] - 30); };
    const auto model = make_model(system);
    REQUIRE(model.has_value());
    const auto computed = diagnose_well_posedness(*model, make_state(*model, vector({0}), vector({0})), {});
    CHECK(says(computed, "forces_of_program"));
    CHECK(computed.promise == Promise::NoObstacleFound);
    CHECK_FALSE(computed.for_all_time_shown);
    CHECK(diagnosis_of(free_particle, {0}, {0}).promise == Promise::OneSolution);
}

TEST_CASE("a particle on a belt or on a lift has one motion: in a frame that moves along its obstacle rests")
{
    const auto on = [](const std::string& gap, const std::string& sliding) {
        Sketch sketch = plane;
        sketch.potential = "9.81*y + 5*x^2";
        sketch.contacts = {{.name = "belt", .gap = gap, .friction = "0.5", .sliding = {sliding}}};
        return diagnosis_of(sketch, {0, 1}, {0, 0});
    };
    for (const char* sliding : {"x'", "x' - 1", "x' - 2*sin(t)"}) {
        CAPTURE(sliding);
        CHECK(on("y", sliding).promise == Promise::OneSolution);
        CHECK(on("y - sin(t)/10", sliding).promise == Promise::OneSolution);
        CHECK(says(on("y - sin(t)/10", sliding), "friction_of_particles", "moves with it"));
    }
    // a belt whose velocity depends on the place, and a wheel that turns, rest in no frame
    for (const auto& moving : {on("y", "x' - x"), on("hypot(x, y) - 0.5", "x*y' - y*x' - 1")}) {
        CHECK(says(moving, "friction", "the obstacle of belt moves"));
        CHECK(moving.promise == Promise::NonePromised);
    }
    CHECK(on("hypot(x, y) - 0.5", "(x*y' - y*x')/hypot(x, y)").promise == Promise::NoObstacleFound);
}

TEST_CASE(
    "obstacles may change their motion at instants, but a jump has no motion and a bump in time several")
{
    const auto wall = [](const std::string& gap) {
        return diagnosis_of(with_gaps(free_particle, {{"wall", gap}}), {1}, {0});
    };
    for (const char* gap :
         {"x - max(0, t - 0.5)", "x - abs(t - 0.5)", "x - max(0, t)", "x - if(t < 0, 1, t)"}) {
        CAPTURE(gap);
        CHECK(says(wall(gap), "pieces_in_time"));
        CHECK(wall(gap).promise == Promise::OneSolution);
    }
    for (const char* gap : {"x - if(t < 0.5, 0, 1)", "x - if(t > 0, 1, 0)", "x + sign(t - 0.5)/2"}) {
        CAPTURE(gap);
        CHECK(says(wall(gap), "obstacle_jumps"));
        CHECK(wall(gap).promise == Promise::NonePromised);
    }
    const auto bump = wall("x - if(t > 0.5, exp(-1/(t - 0.5)^2), 0)");
    CHECK(says(bump, "not_analytic_in_time", "t = 0.5"));
    CHECK(bump.promise == Promise::PossiblySeveral);

    // drives and forces in the same way, from the start on
    const auto drive = [](const std::string& velocity) {
        Sketch sketch = free_particle;
        sketch.constraints = {{.name = "drive", .velocity = {velocity}}};
        return diagnosis_of(sketch, {0}, {0});
    };
    CHECK(says(drive("x' - if(t > 0, 1, 0)"), "prescribed_motion_jumps"));
    CHECK(drive("x' - max(0, t)").promise == Promise::OneSolution);
    Sketch held = free_particle;
    held.constraints = {{.name = "drive", .zero = {"x - if(t < 0.5, 0, 1)"}}};
    CHECK(says(diagnosis_of(held, {0}, {0}), "prescribed_motion_jumps", "t = 0.5"));
    CHECK(drive("x' - abs(t - 0.5) + 0.5").promise == Promise::OneSolution);
    Sketch pushed = with_gaps(free_particle, {{"wall", "x"}});
    pushed.forces = {"max(0, t) - if(t > 0, 1, 0)"};
    CHECK(diagnosis_of(pushed, {1}, {0}).promise == Promise::OneSolution);
}

TEST_CASE("whole powers are power series however large they are, and negative below zero where they are odd")
{
    Sketch pushed = with_gaps(free_particle, {{"wall", "x"}});
    for (const char* force : {"1 + t^16", "1 + t^17", "1 + t^23", "1 - (t - 0.5)^40"}) {
        CAPTURE(force);
        pushed.forces = {force};
        CHECK(diagnosis_of(pushed, {1}, {0}).promise == Promise::OneSolution);
    }
    pushed.forces = {"1 + t^17.5"};
    CHECK(diagnosis_of(pushed, {1}, {0}).promise == Promise::PossiblySeveral);

    // the line 18 x + y + 17 = 0 touches y = x^18 at x = -1: both are closed there, with equal gradients
    const auto tangent =
        diagnosis_of(with_gaps(plane, {{"valley", "y - x^18"}, {"line", "y + 18*x + 17"}}), {0, 1}, {0, 0});
    CHECK_FALSE(says(tangent, "independent_gradients", "intervals"));
    CHECK(tangent.promise != Promise::OneSolution);
}

TEST_CASE("what the tip of a rod does where its acceleration vanishes is decided by higher orders")
{
    // gap'' = y'' + sin(th) th'^2 = 0 without forces of contact
    const double th = 1, turn = 20;
    const auto rod = [&](double part) {
        const Sketch sketch{
            .coordinates = {"x", "y", "th"},
            .kinetic = "(x'^2 + y'^2)/2 + th'^2/6",
            .potential = std::to_string(part * std::sin(th) * turn * turn) + "*y",
            .contacts = {
                {.name = "tip", .gap = "y - sin(th)", .friction = "3", .sliding = {"x' + sin(th)*th'"}}}};
        return diagnosis_of(sketch, {0, std::sin(th), th},
                            {-50 - std::sin(th) * turn, std::cos(th) * turn, turn});
    };
    CHECK(says(rod(1.01), "no_continuation"));
    CHECK(says(rod(0.99), "several_continuations"));
    CHECK_FALSE(says(rod(1), "no_continuation"));
    CHECK_FALSE(says(rod(1), "several_continuations"));
    CHECK(says(rod(1), "painleve"));
}

TEST_CASE("impacts on an obstacle that moves are judged by the velocity against it")
{
    const auto lift = [](const std::string& friction) {
        Sketch sketch = plane;
        sketch.contacts = {
            {.name = "lift", .gap = "y - t", .restitution = "0.5", .friction = friction, .sliding = {"x'"}}};
        return diagnosis_of(sketch, {0, 0}, {0, 1});
    };
    for (const char* friction : {"0", "0.5"}) {
        CHECK(says(lift(friction), "impact_law"));
        CHECK_FALSE(says(lift(friction), "impact_not_admissible"));
        CHECK_FALSE(says(lift(friction), "impact_creates_energy"));
    }
    // what is not admissible is not called admissible beside it
    LagrangianSystem system = system_of(with_gaps(free_particle, {{"wall", "x - t"}}));
    system.impact_map = [](const ImpactSite&, const Eigen::VectorXd& u) { return Eigen::VectorXd(u); };
    const auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    const auto passes = diagnose_well_posedness(*model, make_state(*model, vector({1}), vector({0})), {});
    CHECK(says(passes, "impact_not_admissible"));
    CHECK_FALSE(says(passes, "impact_law"));
}
