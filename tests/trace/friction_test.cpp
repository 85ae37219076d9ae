#include "support.hpp"
#include "support/near.hpp"

#include "carom/trace/export.hpp"
#include "carom/trace/page.hpp"

#include <hdf5.h>

using namespace carom;
using namespace carom::test;

namespace {

constexpr double mass_kg = 2, mu = 0.3;

/// A block of 2 kg above a rough floor: x to the right, z up.
Model block(FrictionShape shape = FrictionInterval{}, double push_N = 0)
{
    LagrangianSystem system;
    system.coordinates = {{.name = "x"}, {.name = "z"}};
    system.kinetic = record(
        2, [](const auto&, const auto& u, const auto&) { return mass_kg / 2 * (u[0] * u[0] + u[1] * u[1]); });
    system.potential = record(
        2, [push_N](const auto& q, const auto&, const auto&) { return mass_kg * g * q[1] - push_N * q[0]; });
    Contact floor{.name = "floor",
                  .gap = record(2, [](const auto& q, const auto&, const auto&) { return q[1] + 0.0; }),
                  .restitution = Formula::constant(0)};
    floor.sliding = {record(2, [](const auto&, const auto& u, const auto&) { return u[0] + 0.0; })};
    floor.friction = ContactFriction{.shape = std::move(shape),
                                     .coefficient = Formula::constant(mu),
                                     .static_coefficient = {},
                                     .tangential_restitution = Formula::constant(0)};
    system.contacts = {std::move(floor)};
    auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    return std::move(*model);
}

State thrown(const Model& model, double height_m, double speed_m_s)
{
    return make_state(model, Eigen::Vector2d(0, height_m), Eigen::Vector2d(speed_m_s, 0), 0);
}

void remove_friction(const std::string& path)
{
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    for (const char* name :
         {"/friction", "/checkpoint/friction_since_frame_Ns", "/checkpoint/coefficient_since_frame"}) {
        REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    }
    REQUIRE(H5Fclose(file) >= 0);
}

}  // namespace

TEST_CASE("recorded friction is the momentum that the floor took, and lies in the cone")
{
    const Folder folder;
    const Model model = block();
    const RecordSettings settings{.every_s = 0.0137};  // frames between the ends of steps
    const auto run = run_and_record(model, thrown(model, 0, 1.5), folder / "run.h5", 1.0, 1e-3, settings);
    const RecordedFriction& friction = run.recording.friction;
    REQUIRE(friction.cones.size() == 1);
    CHECK(friction.cones[0].contact == 0);
    REQUIRE(friction.percussion_Ns.rows() == run.recording.frames());

    // it slides to rest: all of m v is gone; a thousand roundings of numbers below 3 N s
    CHECK(friction.percussion_Ns.sum() == near(-mass_kg * 1.5, 1e-12));
    for (Eigen::Index i = 0; i < run.recording.frames(); ++i) {
        const double P_n = run.recording.percussion_Ns(i, 0), P_t = friction.percussion_Ns(i, 0);
        CAPTURE(i);
        CHECK(std::abs(P_t) <= mu * P_n + 1e-14);
        if (P_n > 0) CHECK(friction.coefficient(i, 0) == mu);
        // on the edge of the cone while it slides, that is until v / (mu g) = 0.5097 s
        if (i > 0 && run.recording.time_s[i] < 0.5) CHECK(P_t == near(-mu * P_n, 1e-13));
    }
}

TEST_CASE("an impact has its friction on its own: mu times the normal percussion while it slides")
{
    const Folder folder;
    const Model model = block();
    const auto run = run_and_record(model, thrown(model, 0.2, 3), folder / "run.h5", 0.5, 1e-3);
    REQUIRE(run.recording.jumps.time_s.size() == 1);
    REQUIRE(run.recording.friction.jump_percussion_Ns.rows() == 1);
    const Event& impact = run.recording.events.front();
    REQUIRE(impact.kind == EventKind::Impact);
    CHECK(run.recording.friction.jump_percussion_Ns(0, 0) == near(-mu * impact.percussion_Ns, 1e-12));
}

TEST_CASE("where nothing was touched there is no percussion and no coefficient")
{
    const Folder folder;
    const Model model = block();
    const auto run = run_and_record(model, thrown(model, 100, 1), folder / "run.h5", 0.1, 1e-3);
    CHECK(run.recording.friction.percussion_Ns.isZero(0));
    CHECK(run.recording.friction.coefficient.isZero(0));
}

TEST_CASE("every shape of friction is read back")
{
    const Folder folder;
    const FrictionShape shapes[] = {FrictionInterval{.low = -0.5, .high = 2}, FrictionRough{.dimension = 1}};
    for (const FrictionShape& shape : shapes) {
        const Model model = block(shape);
        const auto run = run_and_record(model, thrown(model, 0, 1), folder / "run.h5", 0.01, 1e-3);
        REQUIRE(run.recording.friction.cones.size() == 1);
        const FrictionShape& back = run.recording.friction.cones[0].shape;
        REQUIRE(back.index() == shape.index());
        if (const auto* interval = std::get_if<FrictionInterval>(&back)) {
            CHECK(interval->low == -0.5);
            CHECK(interval->high == 2);
        }
    }
}

TEST_CASE("a dropped recording goes on with its friction as an uninterrupted one")
{
    const Folder folder;
    const Model model = block();
    const RecordSettings settings{.every_s = 0.0137};
    const double h = 1e-3, duration = 0.8;
    const auto whole =
        run_and_record(model, thrown(model, 0, 1.5), folder / "whole.h5", duration, h, settings);
    const auto plan = RunPlan{.duration_s = duration, .until = {}};
    const auto record_half = [&](const std::string& path) {
        State state = thrown(model, 0, 1.5);
        auto recorder = Recorder::create(path, model, "a ball", "scene text", settings, state, duration, h);
        REQUIRE(recorder.has_value());
        static_cast<void>(simulate(model, {.time_step_s = h}, {}, plan, state, [&](const StepView& view) {
            return (*recorder)(view) && view.step < 333;
        }));
    };
    const auto finish = [&](const std::string& path) {
        auto recorder = Recorder::resume(path, model);
        REQUIRE(recorder.has_value());
        auto run = run_at_checkpoint(read(path), model);
        REQUIRE(run.has_value());
        const MoreauSettings moreau{.time_step_s = h};
        const RunReport report = resume_run(model, moreau, {}, plan, *run, std::ref(*recorder));
        REQUIRE(recorder->finish(report).has_value());
    };

    record_half(folder / "run.h5");
    CHECK(read(folder / "run.h5").checkpoint->friction_since_frame_Ns[0] < 0);
    finish(folder / "run.h5");
    check_same_rows(whole.recording, read(folder / "run.h5"));

    // a file of an older version has normal percussions only: it is read, shown, and goes on as it began
    record_half(folder / "old.h5");
    remove_friction(folder / "old.h5");
    CHECK(read(folder / "old.h5").friction.cones.empty());
    finish(folder / "old.h5");
    const Recording old = read(folder / "old.h5");
    CHECK(old.friction.cones.empty());
    CHECK(same_bits(old.percussion_Ns, whole.recording.percussion_Ns));
    CHECK(to_page(old).size() > 1000);
    CHECK(to_csv(old).find("percussion_t1_Ns") == std::string::npos);
    CHECK(to_csv(whole.recording).find("percussion_t1_Ns.floor") != std::string::npos);
}

TEST_CASE("cones that cannot be are refused")
{
    const Folder folder;
    const Model model = block();
    for (const std::string text : {"[]", "no list", R"([{"contact":1,"shape":{"kind":"disc"}}])",
                                   R"([{"contact":0,"shape":{"kind":"interval","low":1,"high":2}}])",
                                   R"([{"contact":0,"shape":{"kind":"rough","dimension":7}}])",
                                   R"([{"contact":0,"shape":{"kind":"disc"}}])"}) {
        static_cast<void>(run_and_record(model, thrown(model, 0, 1), folder / "run.h5", 0.01, 1e-3));
        const hid_t file = H5Fopen((folder / "run.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        REQUIRE(H5Ldelete(file, "/friction/cones", H5P_DEFAULT) >= 0);
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, text.size());
        H5Tset_strpad(type, H5T_STR_NULLPAD);
        H5Tset_cset(type, H5T_CSET_UTF8);
        const hid_t set =
            H5Dcreate2(file, "/friction/cones", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0);
        H5Dclose(set), H5Sclose(space), H5Tclose(type), H5Fclose(file);
        CAPTURE(text);
        const auto recording = read_recording(folder / "run.h5");
        REQUIRE_FALSE(recording.has_value());
        CHECK(recording.error().code == ErrorCode::FileMalformed);
    }
}
