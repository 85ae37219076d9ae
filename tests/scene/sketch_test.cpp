#include "carom/scene/sketch.hpp"
#include "run/visit_settings.hpp"
#include "scene/symbols.hpp"

#include "scene/support.hpp"

namespace carom::test {
namespace {

/// A block thrown along a floor with a spring, all formulas as texts.
SystemSketch block_as_text()
{
    return {
        .title = "block",
        .coordinates = {{.name = "x", .start_velocity = 2}, {.name = "y", .start = 0.3}},
        .kinetic = "m/2*(x'^2 + y'^2)",
        .potential = "m*9.81*y + k/2*x^2",
        .forces = {{"x", "-0.1*x'"}},
        .contacts = {{.name = "floor", .gap = "y", .restitution = 0.3, .friction = "mu", .sliding = {"x'"}}},
        .probes = {{.name = "height", .value = "y", .unit = "m"}},
        .parameters = {{"m", 2}, {"k", 5}, {"mu", 0.4}},
        .integrator = MoreauSettings{.time_step_s = 2e-3},
        .duration_s = 1.5};
}

State end_of(const Scene& scene)
{
    State state = scene.start;
    const RunReport report = simulate(scene.model, scene.integrator, scene.solver, scene.plan, state);
    CHECK(report.status == RunStatus::Certified);
    return state;
}

}  // namespace

TEST_CASE("a system written in C++ as texts is the scene of its TOML, and moves the same, bit for bit")
{
    const SystemSketch sketch = block_as_text();
    const auto text = to_toml(sketch);
    REQUIRE(text);
    const auto made = make_scene(sketch);
    if (!made) FAIL(all_text(made.error()));
    const auto read = read_scene_text(*text, "block");
    REQUIRE(read);
    CHECK(made->text == *text);
    const State a = end_of(*made), b = end_of(*read);
    CHECK(a.q == b.q);
    CHECK(a.u == b.u);
    CHECK(made->length_m == read->length_m);
    CHECK(time_step_s(made->integrator) == 2e-3);
}

TEST_CASE("callables and texts describe the same system")
{
    SystemSketch sketch = block_as_text();
    const State text = end_of(*make_scene(sketch));
    sketch.potential = [](const auto& q, const auto&, const auto&) {
        return 2 * 9.81 * q[1] + 5.0 / 2 * q[0] * q[0];
    };
    sketch.contacts[0].gap = [](const auto& q, const auto&, const auto&) { return q[1]; };
    const auto scene = make_scene(sketch);
    if (!scene) FAIL(all_text(scene.error()));
    // what they do is written as text, so that commands that need one work
    CHECK(scene->text.find("potential = \"") != std::string::npos);
    CHECK(scene->text == *to_toml(sketch));
    const State callable = end_of(*scene);
    // the same operations in another order: rounding, enlarged by the motion
    CHECK((callable.q - text.q).norm() < 1e-12);
}

TEST_CASE("callables with tables have no text, and are run without one")
{
    SystemSketch sketch = block_as_text();
    const auto weight = std::make_shared<const Table>(*Table::from_points({-10, 10}, {-98.1, 98.1}));
    sketch.potential = [weight](const auto& q, const auto&, const auto&) {
        return 2 * q[1].lookup(weight) + 5.0 / 2 * q[0] * q[0];
    };
    const auto scene = make_scene(sketch);
    if (!scene) FAIL(all_text(scene.error()));
    CHECK(scene->text.empty());
    const auto written = to_toml(sketch);
    REQUIRE_FALSE(written);
    REQUIRE(written.error().size() == 1);
    CHECK(written.error()[0].code == ErrorCode::NotAllowedHere);
    CHECK(written.error()[0].where == "lagrangian.potential");
    // derivatives need formulas, and say so
    const auto derivatives = read_symbols(*scene, {});
    REQUIRE_FALSE(derivatives);
    CHECK(derivatives.error()[0].code == ErrorCode::NotAllowedHere);
}

TEST_CASE("a particle on a surface, a constraint and another integrator go through the text as well")
{
    const SystemSketch bead{
        .title = "a \"bead\" on a slope",
        .coordinates = {{.name = "x"}, {.name = "y", .start = 1}},
        .kinetic = "(x'^2 + y'^2)/2",
        .potential = "9.81*y",
        .contacts = {{.name = "slope", .friction = 0.2, .position = {"x", "y"}, .surface = "y + x/2 - 0.5"}},
        .constraints = {{.name = "guide", .velocity = {"x' - 0.1*y'"}}},
        .integrator = MoreauJeanSettings{.time_step_s = 1e-3, .theta = 0.75},
        .duration_s = 0.5,
        .until = "t - 0.4",
        .every_s = 0.1};
    const auto scene = make_scene(bead);
    if (!scene) FAIL(all_text(scene.error()));
    CHECK(scene->title == "a \"bead\" on a slope");
    CHECK(std::get<MoreauJeanSettings>(scene->integrator).theta == 0.75);
    CHECK(scene->record.every_s == 0.1);
    CHECK(scene->model.contacts() == 1);
    CHECK(scene->model.constraints() == 1);
    CHECK(scene->plan.until.formula.has_value());

    // the same without a text
    SystemSketch other = bead;
    other.potential = [](const auto& q, const auto&, const auto&) { return 9.81 * q[1]; };
    const auto direct = make_scene(other);
    if (!direct) FAIL(all_text(direct.error()));
    const State a = end_of(*scene), b = end_of(*direct);
    CHECK((a.q - b.q).norm() < 1e-12);
    CHECK(a.t_s == b.t_s);
}

TEST_CASE("every setting of a sketch is in its text")
{
    SystemSketch sketch = block_as_text();
    const auto same = [&sketch](const auto& settings) {
        sketch.integrator = settings;
        const auto scene = make_scene(sketch);
        if (!scene) FAIL(all_text(scene.error()));
        CHECK_FALSE(scene->text.empty());
        const auto* read = std::get_if<std::remove_cvref_t<decltype(settings)>>(&scene->integrator);
        REQUIRE(read != nullptr);
        // values in the order of the visitor
        std::vector<double> asked, found;
        const auto into = [](std::vector<double>& list) {
            return [&list](const Setting&, const auto& value) { list.push_back(static_cast<double>(value)); };
        };
        visit_settings(settings, into(asked));
        visit_settings(*read, into(found));
        CHECK(asked == found);
    };
    same(MoreauSettings{.time_step_s = 2e-3,
                        .activation_gap_m = 0,
                        .force_passes = 1,
                        .correction = false,
                        .cone_point = ConePoint::End,
                        .max_overlap = 0.25});
    same(MoreauJeanSettings{.time_step_s = 2e-3,
                            .theta = 0.75,
                            .activation_gap_m = 1e-5,
                            .correction = false,
                            .force_tolerance = 1e-9,
                            .max_iterations = 7,
                            .max_overlap = 0.5});
    same(SeriesSettings{.time_step_s = 2e-3,
                        .activation_gap_m = 1e-6,
                        .order = 12,
                        .max_order = 20,
                        .tolerance = 1e-12,
                        .accumulation_speed_m_s = 1e-3,
                        .max_events = 99});
    sketch.integrator = MoreauSettings{};
    sketch.solver = {.kind = SolverKind::Psor, .tolerance = 1e-6, .max_sweeps = 77, .relaxation = 1.25};
    const auto scene = make_scene(sketch);
    REQUIRE(scene);
    CHECK(scene->solver.kind == SolverKind::Psor);
    CHECK(scene->solver.tolerance == 1e-6);
    CHECK(scene->solver.max_sweeps == 77);
    CHECK(scene->solver.relaxation == 1.25);
}

TEST_CASE("mistakes of a sketch are told all at once, with their places")
{
    SystemSketch sketch = block_as_text();
    sketch.kinetic = [](const auto&, const auto& u, const auto&) { return u[0] * u[0] + u[1] * u[1]; };
    sketch.potential = "m*9.81*hight";
    sketch.contacts[0].friction = "nu";
    sketch.forces["z"] = 1.0;
    const auto scene = make_scene(sketch);
    REQUIRE_FALSE(scene);
    REQUIRE(scene.error().size() == 3);
    for (const Error& error : scene.error())
        CHECK(error.code == ErrorCode::UnknownName);

    // settings and the start are looked at as well
    SystemSketch below = block_as_text();
    below.potential = [](const auto& q, const auto&, const auto&) { return q[1]; };
    below.coordinates[1].start = -1;
    REQUIRE_FALSE(make_scene(below));
    CHECK(make_scene(below).error()[0].code == ErrorCode::GapViolated);
    below.coordinates[1].start = 1;
    below.duration_s = -1;
    REQUIRE_FALSE(make_scene(below));
    CHECK(make_scene(below).error()[0].code == ErrorCode::SettingOutOfRange);
}

}  // namespace carom::test
