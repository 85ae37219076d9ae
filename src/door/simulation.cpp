#include "carom/door/simulation.hpp"

#include "core/mistake.hpp"
#include "run/run_loop.hpp"
#include "scene/scene_bodies.hpp"
#include "scene_steps.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace carom {

/// What the caller applies; the model of the simulation looks at it in every step.
struct Applied {
    std::vector<double> force;                  ///< per coordinate
    std::vector<Wrench> wrenches;               ///< per body
    std::vector<std::optional<double>> motors;  ///< per joint
};

namespace {

/// The scene with the caller's forces in its system.
Expected<Scene, Errors> with_forces(Scene scene, const std::shared_ptr<Applied>& applied)
{
    const bool by_series = std::holds_alternative<SeriesSettings>(scene.integrator);
    if (scene.sweeping || scene.bodies || by_series) return scene;
    applied->force.assign(static_cast<std::size_t>(scene.model.coordinates()), 0.0);
    LagrangianSystem system = scene.model.system();
    system.force_function = [applied, before = system.force_function](const Point& at, std::span<double> F) {
        if (before) before(at, F);
        for (std::size_t i = 0; i < F.size(); ++i) {
            F[i] += applied->force[i];
        }
    };
    auto model = make_model(std::move(system));
    if (!model) return model.error();
    scene.model = std::move(*model);
    return scene;
}

/// Motors that the caller may drive: those that have a rate.
void let_drive(JointFreedom& freedom, std::size_t joint, const std::shared_ptr<Applied>& applied)
{
    if (!freedom.motor_rate) return;
    freedom.motor_rate = [applied, joint, before = freedom.motor_rate](double t_s) {
        const auto& rate = applied->motors[joint];
        return rate ? *rate : before(t_s);
    };
}

Expected<Scene, Errors> with_wrenches(Scene scene, const std::shared_ptr<Applied>& applied)
{
    if (!scene.bodies) return scene;
    BodySetup setup = scene.model.bodies()->setup();
    applied->wrenches.assign(setup.bodies.size(), Wrench{});
    applied->motors.assign(setup.joints.size(), std::nullopt);
    setup.forces = [applied, before = setup.forces](const State& state, std::span<Wrench> wrenches) {
        if (before) before(state, wrenches);
        for (std::size_t i = 0; i < wrenches.size(); ++i) {
            wrenches[i].force_N += applied->wrenches[i].force_N;
            wrenches[i].torque_Nm += applied->wrenches[i].torque_Nm;
        }
    };
    for (std::size_t i = 0; i < setup.joints.size(); ++i) {
        let_drive(setup.joints[i].turn, i, applied);
        let_drive(setup.joints[i].slide, i, applied);
    }
    auto bodies = make_body_model(std::move(setup));
    if (!bodies) return bodies.error();
    auto model = make_model(std::make_shared<const BodyModel>(std::move(*bodies)), scene.model.system());
    if (!model) return model.error();
    scene.model = std::move(*model);
    return scene;
}

/// Bodies where these coordinates are, their joints with the turns that they have made.
Expected<State, Errors> bodies_at(const Model& model, const State& old, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& u)
{
    const BodyModel& bodies = *model.bodies();
    if (!bodies.is_flat()) {
        Eigen::Index first = 0;
        for (int i = 0; i < bodies.bodies(); ++i) {
            if (!has_coordinates(bodies, i)) continue;
            if (!(q.segment<4>(first + 3).norm() > 1e-6))
                return Errors{mistake(ErrorCode::SettingOutOfRange, "Simulation::set_state",
                                      "the quaternion of " +
                                          bodies.setup().bodies[static_cast<std::size_t>(i)].name +
                                          " is zero",
                                      "a rotation is a unit quaternion; 1, 0, 0, 0 is no rotation")};
            first += coordinates_per_body(bodies);
        }
    }
    State state = make_state(model, q, u, old.t_s);
    state.turns = old.turns;
    write_coordinates(bodies, state);
    return state;
}

}  // namespace

class Simulation::Snapshot {
public:
    Snapshot(RunSoFar run_so_far, Applied what, std::size_t scene_text)
        : run(std::move(run_so_far)), applied(std::move(what)), text_hash(scene_text)
    {
    }
    RunSoFar run;
    Applied applied;
    std::size_t text_hash;  ///< of the scene
};

struct Simulation::Impl {
    Impl(Scene of, std::shared_ptr<Applied> what)
        : scene(std::move(of)), applied(std::move(what)), run(start_run(scene.model, scene.start))
    {
        begin();
    }

    /// Steps from `run` on, with memory of their own.
    void begin()
    {
        loop.reset();
        steps = detail::steps_of(scene, scene.solver, run);
        loop.emplace(*steps, order, run);
        loop->begin();
        stepped = false;
        contacts_of = -1;
    }

    Scene scene;
    std::shared_ptr<Applied> applied;
    RunSoFar run;
    std::size_t text_hash = std::hash<std::string>{}(scene.text);
    std::unique_ptr<Steps> steps;
    const StepListener none = {};
    RunOrder order{scene.model, scene.solver, scene.plan, none};
    std::optional<RunLoop> loop;
    bool stepped = false;  ///< the loop has a last step
    mutable std::vector<StepContact> contacts;
    mutable long contacts_of = -1;  ///< the step that they are those of
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Expected<Simulation, Errors> Simulation::of(const Scene& scene)
{
    auto applied = std::make_shared<Applied>();
    auto forced = with_forces(scene, applied);
    if (!forced) return forced.error();
    auto driven = with_wrenches(std::move(*forced), applied);
    if (!driven) return driven.error();
    return Simulation(std::make_unique<Impl>(std::move(*driven), std::move(applied)));
}

long Simulation::step(long count)
{
    long taken = 0;
    while (taken < count && impl_->loop->step()) {
        ++taken;
    }
    impl_->stepped = impl_->stepped || taken > 0;
    return taken;
}

const Scene& Simulation::scene() const noexcept
{
    return impl_->scene;
}

const State& Simulation::state() const noexcept
{
    return impl_->run.state;
}

long Simulation::steps() const noexcept
{
    return impl_->run.progress.steps;
}

std::optional<RunEnd> Simulation::end() const noexcept
{
    return impl_->loop->end();
}

std::span<const StepContact> Simulation::contacts() const
{
    if (impl_->contacts_of != steps()) {
        impl_->contacts.clear();
        if (impl_->stepped) impl_->contacts = StepRecord(impl_->loop->last_step()).contacts();
        impl_->contacts_of = steps();
    }
    return impl_->contacts;
}

EnergyLines Simulation::energy() const
{
    return impl_->stepped ? impl_->loop->last_step().report.energy : EnergyLines{};
}

RunReport Simulation::report() const
{
    return impl_->loop->report();
}

Expected<void, Errors> Simulation::set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    const Model& model = impl_->scene.model;
    if (q.size() != model.coordinates() || u.size() != model.coordinates())
        return Errors{mistake(ErrorCode::WrongSize, "Simulation::set_state",
                              "the scene has " + std::to_string(model.coordinates()) + " coordinates",
                              "give one number for each")};
    if (!q.allFinite() || !u.allFinite())
        return Errors{mistake(ErrorCode::NotFinite, "Simulation::set_state", "a number is infinite or NaN",
                              "give finite numbers")};
    if (impl_->scene.sweeping)
        return Errors{mistake(ErrorCode::NotAllowedHere, "Simulation::set_state",
                              "the point of a sweeping process is where its set has left it",
                              "begin another simulation")};
    State state;
    if (impl_->scene.bodies) {
        auto bodies = bodies_at(model, impl_->run.state, q, u);
        if (!bodies) return bodies.error();
        state = std::move(*bodies);
    } else {
        state = make_state(model, q, u, impl_->run.state.t_s);
        if (const Errors errors = check_start(model, state, 1e-9 * impl_->scene.length_m); !errors.empty())
            return errors;
    }
    impl_->run = start_run(model, std::move(state));
    impl_->begin();
    return {};
}

Expected<void> Simulation::set_force(std::span<const double> force)
{
    std::vector<double>& applied = impl_->applied->force;
    if (applied.empty())
        return mistake(ErrorCode::NotAllowedHere, "Simulation::set_force",
                       "forces by coordinate are for systems in coordinates and schemes with steps",
                       "bodies take wrenches; power series take formulas");
    if (force.size() != applied.size())
        return mistake(ErrorCode::WrongSize, "Simulation::set_force",
                       "there are " + std::to_string(applied.size()) + " coordinates",
                       "give one force for each");
    if (!std::ranges::all_of(force, [](double x) { return std::isfinite(x); }))
        return mistake(ErrorCode::NotFinite, "Simulation::set_force", "a force is infinite or NaN",
                       "give finite numbers");
    std::ranges::copy(force, applied.begin());
    return {};
}

Expected<void> Simulation::set_wrench(std::string_view body, const Wrench& wrench)
{
    if (!impl_->scene.bodies)
        return mistake(ErrorCode::NotAllowedHere, "Simulation::set_wrench", "the scene has no bodies",
                       "coordinates take forces");
    if (!wrench.force_N.allFinite() || !wrench.torque_Nm.allFinite())
        return mistake(ErrorCode::NotFinite, "Simulation::set_wrench", "a component is infinite or NaN",
                       "give finite numbers");
    const auto& bodies = impl_->scene.model.bodies()->setup().bodies;
    const auto found = std::ranges::find(bodies, body, &Body::name);
    if (found == bodies.end())
        return mistake(ErrorCode::UnknownName, "Simulation::set_wrench",
                       "there is no body named " + std::string(body), "names are those of the scene");
    impl_->applied->wrenches[static_cast<std::size_t>(found - bodies.begin())] = wrench;
    return {};
}

Expected<void> Simulation::set_motor(std::string_view joint, double rate)
{
    if (!std::isfinite(rate))
        return mistake(ErrorCode::NotFinite, "Simulation::set_motor", "the rate is infinite or NaN",
                       "give a finite number");
    if (impl_->scene.bodies) {
        const auto& joints = impl_->scene.model.bodies()->setup().joints;
        const auto found = std::ranges::find(joints, joint, &Joint::name);
        if (found != joints.end() && (found->turn.motor_rate || found->slide.motor_rate)) {
            impl_->applied->motors[static_cast<std::size_t>(found - joints.begin())] = rate;
            return {};
        }
    }
    return mistake(ErrorCode::UnknownName, "Simulation::set_motor",
                   "there is no joint with a motor named " + std::string(joint),
                   "give the joint motor_rad_s or motor_m_s, and a limit, in the scene");
}

std::shared_ptr<const Simulation::Snapshot> Simulation::snapshot() const
{
    return std::make_shared<const Snapshot>(impl_->run, *impl_->applied, impl_->text_hash);
}

Expected<void> Simulation::restore(const Snapshot& snapshot)
{
    // sizes as well: scenes that a program makes may have no text
    const bool same = snapshot.text_hash == impl_->text_hash &&
                      snapshot.run.state.q.size() == impl_->run.state.q.size() &&
                      snapshot.run.state.bodies() == impl_->run.state.bodies() &&
                      snapshot.applied.motors.size() == impl_->applied->motors.size();
    if (!same)
        return mistake(ErrorCode::WrongSize, "Simulation::restore", "the snapshot belongs to another scene",
                       "restore a snapshot of this simulation");
    impl_->run = snapshot.run;
    *impl_->applied = snapshot.applied;
    impl_->begin();
    return {};
}

}  // namespace carom
