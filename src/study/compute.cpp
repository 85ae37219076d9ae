#include "carom/study/study.hpp"
#include "door/scene_steps.hpp"
#include "samples.hpp"
#include "scene/scene_bodies.hpp"
#include "strobe.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace carom {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// What one run gave.
struct Motion {
    std::string status = "refused";
    std::string end = {};
    double end_s = nothing;
    std::vector<double> final_values;  ///< as detail::values_at; empty when refused
    std::vector<detail::Sample> at, strobe;
    double energy_J = nothing;
    std::vector<double> forces;  ///< two per force probe: in the last step, and the mean of the run
    std::vector<Event> events;
    Certificate certificate;
    bool ran = false;
};

/// The start of the run, moved as the plan says.
State moved_start(const Scene& scene, const StudyPlan& plan, const StudyRun& run)
{
    State state = scene.start;
    const BodyModel* bodies = scene.model.bodies();
    const auto& coordinates = scene.model.system().coordinates;
    const auto shift = [&](int i, bool rate, double by) {
        if (bodies != nullptr)
            shift_coordinate(*bodies, i, rate, by, state);
        else
            (rate ? state.u : state.q)[i] += by;
    };
    for (std::size_t k = 0; k < plan.perturbations.size(); ++k) {
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const std::string& name = coordinates[i].name;
            if (plan.perturbations[k].name == name) shift(static_cast<int>(i), false, run.shifts[k]);
            if (plan.perturbations[k].name == name + "'") shift(static_cast<int>(i), true, run.shifts[k]);
        }
    }
    return state;
}

/// Runs the scene from `state`, which then is its end.
RunReport run_from(const Scene& scene, State& state, const StepListener& listener)
{
    RunSoFar so_far = start_run(scene.model, state);
    RunReport report = detail::resume_run(scene, scene.solver, so_far, listener);
    state = std::move(so_far.state);
    return report;
}

/// Forces that probes of bodies ask for.
class ForceMeans {
public:
    explicit ForceMeans(const Scene& scene)
    {
        if (scene.bodies) probes_ = scene.bodies->probes;
        sums_Ns_.assign(probes_.size(), Vec3::Zero());
        last_N_.assign(probes_.size(), nothing);
    }
    void after_step(const StepView& view)
    {
        if (probes_.empty()) return;
        time_s_ += view.report.h_s;
        for (std::size_t k = 0; k < probes_.size(); ++k) {
            const Vec3 P = percussion_Ns(probes_[k], view);
            sums_Ns_[k] += P;
            last_N_[k] = shown_by(probes_[k], P / view.report.h_s);
        }
    }
    [[nodiscard]] std::vector<double> values() const
    {
        std::vector<double> values;
        for (std::size_t k = 0; k < probes_.size(); ++k) {
            values.push_back(last_N_[k]);
            values.push_back(time_s_ > 0 ? shown_by(probes_[k], sums_Ns_[k] / time_s_) : nothing);
        }
        return values;
    }

private:
    std::vector<ContactForceProbe> probes_;
    std::vector<Vec3> sums_Ns_;
    std::vector<double> last_N_;
    double time_s_ = 0;
};

Motion refused(const Error& error)
{
    Motion motion;
    motion.end = name_of(error.code);
    return motion;
}

/// Simulates; nothing when it was stopped.
std::optional<Motion> simulate_run(const Scene& scene, const StudyPlan& plan, const StudyRun& run,
                                   const StopRequest& stop)
{
    State state = moved_start(scene, plan, run);
    if (!plan.perturbations.empty()) {
        const Errors errors = check_start(scene.model, state, 1e-9 * scene.length_m);
        if (!errors.empty()) return refused(errors.front());
    }
    std::vector<double> strobe_times;
    std::optional<detail::SectionSampler> section;
    if (plan.strobe && !plan.strobe->section.empty()) {
        auto formula = detail::section_of(*plan.strobe, scene);
        if (!formula) return refused(formula.error());
        section.emplace(std::move(*formula), plan.strobe->skip);
    } else if (plan.strobe) {
        auto times = detail::strobe_times(*plan.strobe, scene);
        if (!times) return refused(times.error());
        strobe_times = std::move(*times);
    }
    detail::Sampler at(plan.at_s, scene.model, state), strobe(strobe_times, scene.model, state);
    ForceMeans forces(scene);
    const RunReport report = run_from(scene, state, [&](const StepView& view) {
        forces.after_step(view);
        at.after_step(view);
        strobe.after_step(view);
        if (section) section->after_step(view);
        return !stop || !stop();
    });
    if (report.end == RunEnd::Listener) return std::nullopt;
    const double tolerance_s = 1e-9 * time_step_s(scene.integrator);
    at.at_end(scene.model, state, tolerance_s);
    strobe.at_end(scene.model, state, tolerance_s);

    Workspace work;
    return Motion{.status = std::string(name_of(report.status)),
                  .end = std::string(name_of(report.end)),
                  .end_s = state.t_s,
                  .final_values = detail::values_at(scene.model, point_of(state), work),
                  .at = at.samples(),
                  .strobe = section ? section->samples() : strobe.samples(),
                  // a swept point has none
                  .energy_J = scene.sweeping ? nothing
                                             : scene.model.kinetic_energy(point_of(state), work) +
                                                   scene.model.potential_energy(point_of(state), work),
                  .forces = forces.values(),
                  .events = report.events,
                  .certificate = report.certificate,
                  .ran = true};
}

void append(const std::vector<double>& values, std::size_t width, Row& row)
{
    for (std::size_t i = 0; i < width; ++i)
        row.emplace_back(i < values.size() ? values[i] : nothing);
}

/// The columns that all rows of a run begin with.
Row beginning_of(const Study& study, const StudyRun& run, const Motion& motion)
{
    const StudyPlan& plan = study.plan();
    Row row{static_cast<double>(run.index), study.id()};
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
        if (plan.axes[i].numbers)
            row.emplace_back(number_of(run.values[i]).value_or(nothing));
        else
            row.emplace_back(run.values[i]);
    }
    if (plan.levels > 0) row.emplace_back(static_cast<double>(run.level));
    if (plan.repeat > 1) row.emplace_back(static_cast<double>(run.repetition));
    row.emplace_back(run.time_step_s);
    for (const double shift : run.shifts)
        row.emplace_back(shift);
    row.emplace_back(motion.status);
    row.emplace_back(motion.end);
    row.emplace_back(motion.end_s);
    row.emplace_back(motion.ran ? static_cast<double>(motion.certificate.steps) : nothing);
    return row;
}

/// And those that they end with.
void finish_row(const Scene& scene, const StudyPlan& plan, const Motion& motion, std::size_t width, Row& row)
{
    for (std::size_t i = 0; i < plan.at_s.size(); ++i)
        append(motion.ran ? motion.at[i].values : std::vector<double>{}, width, row);
    row.emplace_back(motion.energy_J);
    if (scene.bodies) append(motion.forces, 2 * scene.bodies->probes.size(), row);

    std::vector<double> instants;
    double made = 0, lost = 0, sticks = 0, slips = 0;
    for (const Event& event : motion.events) {
        if (event.kind == EventKind::Impact) instants.push_back(event.time_s);
        if (event.kind == EventKind::ContactMade) ++made;
        if (event.kind == EventKind::ContactLost) ++lost;
        if (event.kind == EventKind::Stick) ++sticks;
        if (event.kind == EventKind::Slip) ++slips;
    }
    append(instants, static_cast<std::size_t>(plan.impacts), row);
    for (const double count : {static_cast<double>(instants.size()), made, lost, sticks, slips})
        row.emplace_back(motion.ran && scene.plan.keep_events ? count : nothing);
    row.emplace_back(motion.events.empty() ? nothing : motion.events.back().time_s);

    const Certificate& c = motion.certificate;
    for (const double value :
         {c.max_residual, c.max_penetration_m, c.energy_balance_J, static_cast<double>(c.unsolved_steps)})
        row.emplace_back(motion.ran ? value : nothing);
}

}  // namespace

Expected<Scene, Errors> Study::scene_at(long index) const
{
    const StudyRun one = run(index);
    auto scene = scene_of(one);
    if (!scene) return scene;
    if (plan_.perturbations.empty()) return scene;
    scene->start = moved_start(*scene, plan_, one);
    if (Errors errors = check_start(scene->model, scene->start, 1e-9 * scene->length_m); !errors.empty())
        return errors;
    return scene;
}

std::vector<Row> Study::compute(long index, const StopRequest& stop) const
{
    const StudyRun one = run(index);
    const auto scene = scene_of(one);
    const auto motion = scene ? simulate_run(*scene, plan_, one, stop)
                              : std::optional<Motion>(refused(scene.error().front()));
    if (!motion) return {};

    const Row beginning = beginning_of(*this, one, *motion);
    const std::size_t width = 2 * scene_.start.q.size() + scene_.model.system().probes.size();
    std::vector<Row> rows;
    const auto add = [&](const std::vector<double>& head, const std::vector<double>& values) {
        Row row = beginning;
        append(head, head.size(), row);
        append(values, width, row);
        finish_row(scene_, plan_, *motion, width, row);
        rows.push_back(std::move(row));
    };
    if (!plan_.strobe) {
        add({}, motion->final_values);
        return rows;
    }

    // samples that were reached; a run that reached none still has its row
    double reached = 0;
    for (const detail::Sample& sample : motion->strobe)
        reached += sample.values.empty() ? 0 : 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(reached); ++k) {
        const detail::Sample& sample = motion->strobe[k];
        add({static_cast<double>(plan_.strobe->skip) + static_cast<double>(k), reached, sample.time_s},
            sample.values);
    }
    if (rows.empty()) add({nothing, 1, nothing}, {});
    return rows;
}

}  // namespace carom
