#include "answers.hpp"
#include "orbit_drivers.hpp"
#include "orbit_scenes.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

/// A motion of a scene with derivatives by its starts and by parameters.
class Sensitive {
public:
    Sensitive(const OrbitScene& scene, std::vector<std::string> parameters, std::vector<double> at_s)
        : names_(scene.state), parameters_(std::move(parameters))
    {
        const Scene read = scene.read(at_s.back());
        n_ = static_cast<Eigen::Index>(names_.size());
        SensitivityOptions options;
        for (const char* key : {".start", ".start_velocity"}) {
            for (const std::string& name : names_) {
                options.by.push_back("coordinate." + name + key);
            }
        }
        for (const std::string& name : parameters_) {
            options.by.push_back("parameters." + name);
        }
        at_s.pop_back();
        options.at_s = at_s;
        auto result = sensitivities(read, options);
        if (!result) throw DriverFailure(result.error().front().message);
        if (!result->reached_end) throw DriverFailure("the motion ends before");
        if (result->lost) throw DriverFailure(result->lost->kind + ": " + result->lost->words);
        result_ = std::move(*result);
        for (const std::string& name : names_) {
            const auto& all = read.model.system().coordinates;
            const auto found = std::ranges::find(all, name, &Coordinate::name);
            places_.push_back(found - all.begin());
        }
    }

    [[nodiscard]] const SensitiveState& at(double t_s) const
    {
        const auto found =
            std::ranges::find_if(result_.states, [&](const SensitiveState& s) { return s.time_s == t_s; });
        if (found == result_.states.end()) throw DriverFailure("no such instant");
        return *found;
    }
    [[nodiscard]] Eigen::VectorXd z(double t_s) const
    {
        const SensitiveState& s = at(t_s);
        Eigen::VectorXd z(2 * n_);
        for (Eigen::Index i = 0; i < n_; ++i) {
            z[i] = s.q[place(i)];
            z[n_ + i] = s.u[place(i)];
        }
        return z;
    }
    /// Derivatives of z by all columns.
    [[nodiscard]] Eigen::MatrixXd dz(double t_s) const
    {
        const SensitiveState& s = at(t_s);
        Eigen::MatrixXd d(2 * n_, s.dq.cols());
        for (Eigen::Index i = 0; i < n_; ++i) {
            d.row(i) = s.dq.row(place(i));
            d.row(n_ + i) = s.du.row(place(i));
        }
        return d;
    }
    [[nodiscard]] Eigen::MatrixXd jacobian(double t_s) const { return dz(t_s).leftCols(2 * n_); }
    [[nodiscard]] Eigen::Index column(const std::string& parameter) const
    {
        const auto found = std::ranges::find(parameters_, parameter);
        if (found == parameters_.end()) throw DriverFailure("no column " + parameter);
        return 2 * n_ + (found - parameters_.begin());
    }
    [[nodiscard]] Eigen::VectorXd by(double t_s, const std::string& parameter) const
    {
        return dz(t_s).col(column(parameter));
    }
    [[nodiscard]] std::vector<SensitiveEvent> events(EventKind kind) const
    {
        std::vector<SensitiveEvent> found;
        std::ranges::copy_if(result_.events, std::back_inserter(found),
                             [&](const SensitiveEvent& e) { return e.event.kind == kind; });
        return found;
    }
    [[nodiscard]] const Sensitivities& result() const { return result_; }
    [[nodiscard]] Eigen::Index n() const { return n_; }

private:
    [[nodiscard]] Eigen::Index place(Eigen::Index i) const { return places_[static_cast<std::size_t>(i)]; }

    std::vector<std::string> names_, parameters_;
    std::vector<std::ptrdiff_t> places_;
    Eigen::Index n_ = 0;
    Sensitivities result_;
};

Json times_of(const std::vector<SensitiveEvent>& events)
{
    Json list = Json::array();
    for (const SensitiveEvent& one : events) {
        list.push_back(one.event.time_s);
    }
    return list;
}

Json by_column(const std::vector<SensitiveEvent>& events, Eigen::Index column)
{
    Json list = Json::array();
    for (const SensitiveEvent& one : events) {
        list.push_back(one.dtime_s[column]);
    }
    return list;
}

Json by_starts(const std::vector<SensitiveEvent>& events, Eigen::Index columns)
{
    Json rows = Json::array();
    for (const SensitiveEvent& one : events) {
        rows.push_back(list_of(one.dtime_s.head(columns)));
    }
    return rows;
}

/// What parameters the outputs ask for: names behind "/d" that the scene has.
std::vector<std::string> asked_parameters(const Task& task, const OrbitScene& scene)
{
    std::vector<std::string> names;
    for (const std::string& output : task.outputs) {
        const std::size_t at = output.find("/d");
        const std::string name = at == std::string::npos ? "" : output.substr(at + 2);
        for (const std::string& candidate : {name, name + "1", name + "2", name + "3"}) {
            const bool known = scene.parameters.contains(candidate);
            if (known && std::ranges::find(names, candidate) == names.end()) names.push_back(candidate);
        }
    }
    return names;
}

constexpr Means exact = Means::Exact;

/// What all families ask for: the state at T and its derivatives.
void give_state(const Task& task, const OrbitScene& scene, const Sensitive& motion, Answers& answers)
{
    const double T = task.number("T");
    answers.give("state_T", exact, [&] { return list_of(motion.z(T)); });
    answers.give("dz_T/dz_0", exact, [&] { return matrix_of(motion.jacobian(T)); });
    answers.give("det", exact, [&] { return Json(motion.jacobian(T).determinant()); });
    for (const std::string& output : task.outputs) {
        if (!output.starts_with("dz_T/d") || output == "dz_T/dz_0") continue;
        const std::string name = output.substr(6);
        answers.give(output, exact, [&] {
            if (scene.parameters.contains(name)) return list_of(motion.by(T, name));
            Json list = Json::array();
            for (int i = 1; scene.parameters.contains(name + std::to_string(i)); ++i) {
                list.push_back(list_of(motion.by(T, name + std::to_string(i))));
            }
            return list;
        });
    }
}

/// Instants of impacts and their derivatives.
void give_impacts(const Task& task, const OrbitScene& scene, const Sensitive& motion, Answers& answers)
{
    const auto impacts = motion.events(EventKind::Impact);
    const Eigen::Index z = 2 * motion.n();
    answers.give("n_impacts", exact, [&] { return Json(impacts.size()); });
    answers.give("impact_times", exact, [&] { return times_of(impacts); });
    answers.give("dt_k/dz_0", exact, [&] { return by_starts(impacts, z); });
    answers.give("t_impact", exact, [&] { return Json(impacts.at(0).event.time_s); });
    answers.give("dt_impact/dz_0", exact, [&] { return list_of(impacts.at(0).dtime_s.head(z)); });
    answers.give("contacts", exact, [&] {
        Json list = Json::array();
        for (const SensitiveEvent& one : impacts) {
            list.push_back(one.event.contact + 1);
        }
        return list;
    });
    for (const std::string& output : task.outputs) {
        if (!output.starts_with("dt_k/d") || output == "dt_k/dz_0") continue;
        const std::string name = output.substr(6);
        if (!scene.parameters.contains(name)) continue;
        answers.give(output, exact, [&] { return by_column(impacts, motion.column(name)); });
    }
}

void give_all(const Task& task, const OrbitScene& scene, Answers& answers)
{
    const Sensitive motion(scene, asked_parameters(task, scene), {task.number("T")});
    give_state(task, scene, motion, answers);
    give_impacts(task, scene, motion, answers);
}

/// max |M^T J M - J| with positions first.
double symplectic_defect(const Eigen::MatrixXd& M)
{
    const Eigen::Index n = M.rows() / 2;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    J.topRightCorner(n, n).setIdentity();
    J.bottomLeftCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
    return (M.transpose() * J * M - J).cwiseAbs().maxCoeff();
}

/// Derivatives of positions and of the momenta that the probes show.
Eigen::MatrixXd with_momenta(const Sensitive& motion, double t_s)
{
    const SensitiveState& s = motion.at(t_s);
    Eigen::MatrixXd d(2 * motion.n(), s.dq.cols());
    d.topRows(motion.n()) = s.dq;
    d.bottomRows(motion.n()) = s.dprobes;
    return d;
}

}  // namespace

void sens_free(const Task& task, Answers& answers)
{
    give_all(task, pendulum_scene(task, false), answers);
}
void sens_wall(const Task& task, Answers& answers)
{
    give_all(task, pendulum_scene(task, true), answers);
}
void sens_table(const Task& task, Answers& answers)
{
    give_all(task, table_scene(task), answers);
}
void sens_oscillator(const Task& task, Answers& answers)
{
    give_all(task, oscillator_scene(task), answers);
}
void sens_chain(const Task& task, Answers& answers)
{
    give_all(task, chain_scene(task), answers);
}

void sens_ball(const Task& task, Answers& answers)
{
    const OrbitScene scene = ball_scene(task);
    const double T = task.number("T"), T2 = task.number("T2");
    const Sensitive motion(scene, {"h0", "v0", "g", "e"}, {T, T2});
    give_state(task, scene, motion, answers);
    auto impacts = motion.events(EventKind::Impact);
    std::erase_if(impacts, [&](const SensitiveEvent& one) { return one.event.time_s > T; });
    answers.give("impact_times", exact, [&] { return times_of(impacts); });
    for (const char* name : {"h0", "v0", "g", "e"}) {
        answers.give(std::string("dt_k/d") + name, exact,
                     [&] { return by_column(impacts, motion.column(name)); });
    }
    const auto rest = motion.events(EventKind::Accumulation);
    answers.give("t_acc", exact, [&] { return Json(rest.at(0).event.time_s); });
    answers.give("grad_t_acc", exact, [&] { return list_of(rest.at(0).dtime_s.tail(4)); });
    answers.give("state_T2", exact, [&] { return list_of(motion.z(T2)); });
    answers.give("dz_T2/dz_0", exact, [&] { return matrix_of(motion.jacobian(T2)); });
}

void sens_two_balls(const Task& task, Answers& answers)
{
    const OrbitScene scene = two_ball_scene(task);
    const double T = task.number("T");
    const Sensitive motion(scene, asked_parameters(task, scene), {T});
    give_state(task, scene, motion, answers);
    give_impacts(task, scene, motion, answers);
    answers.give("grad_x2_T", exact, [&] { return list_of(motion.jacobian(T).row(1).transpose()); });
}

void sens_oblique(const Task& task, Answers& answers)
{
    const OrbitScene scene = oblique_scene(task);
    const Sensitive motion(scene, asked_parameters(task, scene), {task.number("T")});
    give_state(task, scene, motion, answers);
    give_impacts(task, scene, motion, answers);
    const auto impacts = motion.events(EventKind::Impact);
    answers.give("velocity_after", exact, [&] { return list_of(impacts.at(0).u_after); });
    answers.give("branch", exact, [&] {
        const Eigen::VectorXd& u = impacts.at(0).u_after;
        const double slip = u[0] + task.number("R") * u[2];
        return Json(std::abs(slip) > 1e-9 * u.norm() ? "slip" : "stick");
    });
}

void sens_stick_slip(const Task& task, Answers& answers)
{
    const OrbitScene scene = belt_scene(task);
    const Sensitive motion(scene, asked_parameters(task, scene), {task.number("T")});
    give_state(task, scene, motion, answers);
    // what begins: sticking, slipping out of it, or slipping the other way
    std::vector<SensitiveEvent> events;
    Json kinds = Json::array();
    bool stuck = false;
    for (const SensitiveEvent& one : motion.result().events) {
        const bool stick = one.event.kind == EventKind::Stick;
        if (!stick && one.event.kind != EventKind::Slip) continue;
        if (one.event.time_s > 0) {
            kinds.push_back(stick ? "stick_start" : stuck ? "slip_start" : "reversal");
            events.push_back(one);
        }
        stuck = stick;
    }
    answers.give("event_kinds", exact, [&] { return kinds; });
    answers.give("event_times", exact, [&] { return times_of(events); });
    answers.give("dt_k/dz_0", exact, [&] { return by_starts(events, 2); });
    for (const std::string& output : task.outputs) {
        if (!output.starts_with("dt_k/d") || output == "dt_k/dz_0") continue;
        answers.give(output, exact, [&] { return by_column(events, motion.column(output.substr(6))); });
    }
}

void sens_parabola(const Task& task, Answers& answers)
{
    const OrbitScene scene = parabola_scene(task);
    const double T = task.number("T"), m = task.number("m");
    const Sensitive motion(scene, asked_parameters(task, scene), {T});
    const auto impacts = motion.events(EventKind::Impact);
    // columns of velocities become those of momenta
    const auto by_momenta = [&](Eigen::MatrixXd d) {
        d.middleCols(2, 2) /= m;
        return d;
    };
    answers.give("dt_k/dz_0", exact, [&] {
        Json rows = Json::array();
        for (const SensitiveEvent& one : impacts) {
            rows.push_back(list_of(by_momenta(one.dtime_s.head(4).transpose()).transpose()));
        }
        return rows;
    });
    give_impacts(task, scene, motion, answers);
    const Eigen::MatrixXd d = by_momenta(with_momenta(motion, T)), M = d.leftCols(4);
    answers.give("state_T", exact, [&] {
        Eigen::VectorXd z(4);
        z << motion.at(T).q, motion.at(T).probes[0], motion.at(T).probes[1];
        return list_of(z);
    });
    answers.give("dz_T/dz_0", exact, [&] { return matrix_of(M); });
    answers.give("det", exact, [&] { return Json(M.determinant()); });
    answers.give("symplectic_defect", exact, [&] { return Json(symplectic_defect(M)); });
    for (const char* name : {"a", "e", "m", "g"}) {
        answers.give(std::string("dz_T/d") + name, exact,
                     [&] { return list_of(d.col(motion.column(name))); });
    }
}

void sens_slide(const Task& task, Answers& answers)
{
    const OrbitScene scene = slide_scene(task);
    const double T1 = task.number("T1"), T2 = task.number("T2");
    const Sensitive motion(scene, {"v0", "mu", "alpha", "g"}, {T1, T2});
    const auto stops = motion.events(EventKind::Stick);
    answers.give("t_stop", exact, [&] { return Json(stops.at(0).event.time_s); });
    answers.give("grad_t_stop (v0,mu,alpha,g)", exact, [&] { return list_of(stops.at(0).dtime_s.tail(4)); });
    answers.give("state_T1", exact, [&] { return list_of(motion.z(T1)); });
    answers.give("dz_T1/dz_0", exact, [&] { return matrix_of(motion.jacobian(T1)); });
    answers.give("state_T2", exact, [&] { return list_of(motion.z(T2)); });
    answers.give("dz_T2/dz_0", exact, [&] { return matrix_of(motion.jacobian(T2)); });
    for (const char* name : {"mu", "alpha", "g"}) {
        answers.give(std::string("dz_T2/d") + name, exact, [&] { return list_of(motion.by(T2, name)); });
    }
}

void sens_double_pendulum(const Task& task, Answers& answers)
{
    const OrbitScene scene = double_pendulum_scene(task);
    const double T = task.number("T");
    const Sensitive motion(scene, asked_parameters(task, scene), {0, T});
    give_state(task, scene, motion, answers);
    give_impacts(task, scene, motion, answers);
    answers.give("symplectic_defect", exact, [&] {
        const Eigen::MatrixXd start = with_momenta(motion, 0).leftCols(4);
        const Eigen::MatrixXd M = with_momenta(motion, T).leftCols(4) * start.inverse();
        return Json(symplectic_defect(M));
    });
}

}  // namespace carom::reference
