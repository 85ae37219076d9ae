#include "support.hpp"

#include "carom/scene/fields.hpp"
#include "expression/workspace.hpp"

#include <filesystem>
#include <set>

using namespace carom;
using namespace carom::test;

TEST_CASE("a scene says what it says")
{
    const Scene scene = good(pendulum);
    CHECK(scene.title == "Pendulum against a wall");
    CHECK(scene.text == pendulum);
    CHECK(scene.plan.duration_s == 5.0);
    CHECK_FALSE(scene.plan.until.rest);
    CHECK(scene.start.t_s == 0);
    CHECK(scene.start.q[0] == 1.0);
    CHECK(scene.start.u[0] == 0.0);
    CHECK(moreau_of(scene).time_step_s == 1e-3);
    CHECK(scene.record.every_s == 0.01);
    CHECK(scene.model.system().coordinates[0].unit == "rad");
    CHECK(scene.model.system().contacts[0].name == "wall");

    Workspace work;
    CHECK(scene.model.restitution(0, point_of(scene.start), work) == 0.8);
    CHECK(scene.model.potential_energy(point_of(scene.start), work) == -9.81 * std::cos(1.0));

    // the angle is no length, so the gap at the start is the typical length
    CHECK(scene.length_m == std::sin(1.0));
    CHECK(moreau_of(scene).activation_gap_m == 1e-9 * std::sin(1.0));
}

TEST_CASE("every setting of a scene reaches its field")
{
    const Scene scene = good(
        pendulum, {"start_s=-1", "until=theta - 3", "length_m=2", "integrator.activation_gap_m=1e-6",
                   "integrator.force_passes=1", "integrator.correction=false", "integrator.cone_point=end",
                   "integrator.on_unsolved=stop", "solver.kind=gauss_seidel", "solver.tolerance=1e-6",
                   "solver.max_sweeps=7", "solver.relaxation=0.5", "record.fields=[\"gaps\"]"});
    CHECK(scene.start.t_s == -1);
    CHECK(scene.plan.until.formula.has_value());
    CHECK(scene.length_m == 2);
    CHECK(moreau_of(scene).activation_gap_m == 1e-6);
    CHECK(moreau_of(scene).force_passes == 1);
    CHECK_FALSE(moreau_of(scene).correction);
    CHECK(moreau_of(scene).cone_point == ConePoint::End);
    CHECK(scene.plan.on_unsolved == OnUnsolved::Stop);
    CHECK(scene.solver.kind == SolverKind::GaussSeidel);
    CHECK(scene.solver.tolerance == 1e-6);
    CHECK(scene.solver.max_sweeps == 7);
    CHECK(scene.solver.relaxation == 0.5);
    CHECK(scene.record.gaps);
    CHECK_FALSE(scene.record.velocities);
    CHECK_FALSE(scene.record.energies);
    CHECK(good(pendulum, {"until=rest"}).plan.until.rest);
}

TEST_CASE("what the list of fields calls a default is the default of the struct")
{
    const std::string smallest = R"(duration_s = 1
coordinate = [{ name = "x", start = 1 }]
lagrangian = { kinetic = "x'^2/2" }
)";
    const Scene scene = good(smallest);
    const MoreauSettings moreau;
    const SolverSettings solver;
    CHECK(scene.title == "s");
    CHECK(moreau_of(scene).time_step_s == moreau.time_step_s);
    CHECK(moreau_of(scene).force_passes == moreau.force_passes);
    CHECK(moreau_of(scene).correction == moreau.correction);
    CHECK(scene.solver.tolerance == solver.tolerance);

    // and setting a field to the default that is written down changes nothing
    const Scene same = good(
        smallest, {"integrator.time_step_s=" + std::string(find_field("integrator.time_step_s")->fallback),
                   "integrator.force_passes=" + std::string(find_field("integrator.force_passes")->fallback),
                   "integrator.correction=" + std::string(find_field("integrator.correction")->fallback),
                   "integrator.cone_point=" + std::string(find_field("integrator.cone_point")->fallback),
                   "integrator.on_unsolved=" + std::string(find_field("integrator.on_unsolved")->fallback),
                   "solver.kind=" + std::string(find_field("solver.kind")->fallback),
                   "solver.tolerance=" + std::string(find_field("solver.tolerance")->fallback),
                   "solver.max_sweeps=" + std::string(find_field("solver.max_sweeps")->fallback),
                   "solver.relaxation=" + std::string(find_field("solver.relaxation")->fallback)});
    CHECK(moreau_of(same).time_step_s == moreau.time_step_s);
    CHECK(moreau_of(same).force_passes == moreau.force_passes);
    CHECK(moreau_of(same).correction == moreau.correction);
    CHECK(moreau_of(same).cone_point == moreau.cone_point);
    CHECK(same.plan.on_unsolved == RunPlan{}.on_unsolved);
    CHECK(same.solver.kind == solver.kind);
    CHECK(same.solver.tolerance == solver.tolerance);
    CHECK(same.solver.max_sweeps == solver.max_sweeps);
    CHECK(same.solver.relaxation == solver.relaxation);
}

TEST_CASE("the list of fields names every key once, with help, and its group before")
{
    std::set<std::string_view> seen;
    for (const Field& field : scene_fields()) {
        CAPTURE(field.path);
        CHECK(seen.insert(field.path).second);
        CHECK_FALSE(field.help.empty());
        const auto dot = field.path.rfind('.');
        if (dot == std::string_view::npos) continue;
        std::string_view group = field.path.substr(0, dot);
        if (group.ends_with("[]")) group.remove_suffix(2);
        CHECK(seen.contains(group));
    }
    CHECK(find_field("contact[].law.restitution")->key() == "restitution");
    CHECK(find_field("parameters.anything") != nullptr);
    CHECK(find_field("nothing.anything") == nullptr);
}

TEST_CASE("parameters may be formulas of each other, in any order")
{
    const Scene scene = good(with(pendulum, "e = 0.8", "e = \"b/2\"\nb = \"a + 1e-1\"\na = \"sqrt(l)/2\""));
    Workspace work;
    CHECK(scene.model.restitution(0, point_of(scene.start), work) == doctest::Approx(0.3).epsilon(1e-15));
}

TEST_CASE("the dissipation index is another name for a restitution")
{
    Workspace work;
    for (const char* index : {"0.25", "\"e/3.2\""}) {
        const Scene scene =
            good(with(pendulum, "restitution = \"e\"", std::string("dissipation_index = ") + index));
        // e = (1 - 1/4) / (1 + 1/4)
        CHECK(scene.model.restitution(0, point_of(scene.start), work) == doctest::Approx(0.6).epsilon(1e-15));
    }
}

TEST_CASE("the mass matrix gives the kinetic energy u.A u / 2, by its lower triangle or in full")
{
    const std::string two = R"(duration_s = 1
[parameters]
m = 3
[[coordinate]]
name = "x"
start = 0
start_velocity = 2
[[coordinate]]
name = "a"
start = 0.5
start_velocity = -1
[lagrangian]
mass = MATRIX
)";
    // T = (3*4 + 2*(0.5*cos(0.5))*2*(-1) + 2*1) / 2
    const double exact = (3 * 4.0 - 4 * 0.5 * std::cos(0.5) + 2) / 2;
    for (const char* matrix : {R"([["m"], ["cos(a)/2", 2]])", R"([["m", "cos(a)/2"], ["cos(a)/2", 2.0]])"}) {
        const Scene scene = good(with(two, "MATRIX", matrix));
        Workspace work;
        CHECK(scene.model.kinetic_energy(point_of(scene.start), work) ==
              doctest::Approx(exact).epsilon(1e-15));
    }
    CHECK(contains(only_error(with(two, "MATRIX", "[[1], [2]]"), ErrorCode::WrongSize, "s.toml:13:8").message,
                   "lengths 1, 1"));
    CHECK(contains(
        only_error(with(two, "MATRIX", "[[1, 2], [3, 4]]"), ErrorCode::WrongSize, "s.toml:13:13").message,
        "not symmetric"));
    CHECK(contains(only_error(with(two, "MATRIX", R"x([["m"], ["coss(a)", 2]])x"), ErrorCode::UnknownName,
                              "s.toml:13:17")
                       .hint,
                   "cos"));
    // singular: x and a only move together
    CHECK(only_error(with(two, "MATRIX", "[[1], [1, 1]]"), ErrorCode::MetricNotPositive, "s.toml:13:8")
              .message != "");
}

TEST_CASE("the theta scheme is read with its settings, and each scheme refuses those of the other")
{
    const Scene scene = good(pendulum, {"integrator.kind=moreau_jean", "integrator.theta=0.75",
                                        "integrator.force_tolerance=1e-9", "integrator.max_iterations=7"});
    const auto& jean = std::get<MoreauJeanSettings>(scene.integrator);
    CHECK(jean.time_step_s == 1e-3);
    CHECK(jean.theta == 0.75);
    CHECK(jean.force_tolerance == 1e-9);
    CHECK(jean.max_iterations == 7);
    CHECK(jean.activation_gap_m == 1e-9 * std::sin(1.0));

    const auto refused = [](std::vector<std::string> overrides, std::string_view words) {
        return contains(all_text(errors_of(pendulum, overrides)), words);
    };
    CHECK(refused({"integrator.theta=0.6"}, "integrator.theta is a setting of the integrator moreau_jean"));
    CHECK(refused({"integrator.kind=moreau_jean", "integrator.cone_point=end"},
                  "integrator.cone_point is a setting of the integrator moreau"));
    CHECK(refused({"integrator.kind=moreau_jean", "integrator.theta=0.4"}, "theta"));
}

TEST_CASE("the series integrator and its settings")
{
    const Scene scene = good(pendulum, {"integrator.kind=series", "integrator.order=16",
                                        "integrator.tolerance=1e-15", "integrator.time_step_s=0.1"});
    const auto& series = std::get<SeriesSettings>(scene.integrator);
    CHECK(series.order == 16);
    CHECK(series.tolerance == 1e-15);
    CHECK(series.time_step_s == 0.1);
    CHECK(name_of(scene.integrator) == "series");

    const auto refused = [](std::vector<std::string> overrides, std::string_view words) {
        return contains(all_text(errors_of(pendulum, overrides)), words);
    };
    CHECK(refused({"integrator.order=16"}, "integrator.order is a setting of the integrator series"));
    CHECK(refused({"integrator.kind=series", "integrator.order=3"}, "order"));
    CHECK(refused({"integrator.kind=series", "integrator.correction=false"},
                  "integrator.correction is a setting of the integrator moreau"));
}

TEST_CASE("the typical length is the largest gap or length at the start")
{
    const std::string scene = R"(duration_s = 1
coordinate = [{ name = "x", start = -7 }, { name = "angle", start = 100, unit = "rad" }]
lagrangian = { kinetic = "x'^2/2 + angle'^2/2" }
contact = [{ name = "wall", gap = "GAP" }]
)";
    CHECK(good(with(scene, "GAP", "x + 8")).length_m == 7);
    CHECK(good(with(scene, "GAP", "x + 16")).length_m == 9);
    CHECK(good(with(with(scene, "GAP", "x"), "-7", "0")).length_m == 1);
    CHECK(moreau_of(good(with(scene, "GAP", "x + 8"), {"length_m=3"})).activation_gap_m == 1e-9 * 3);
}

TEST_CASE("a byte order mark and Greek letters in strings and comments are no mistake")
{
    const Scene scene = good("\xEF\xBB\xBF# μ, \"θ\n" + with(pendulum, "Pendulum", "Pendel für Θ"));
    CHECK(contains(scene.title, "für Θ"));
}
