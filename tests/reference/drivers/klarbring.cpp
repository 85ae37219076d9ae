#include "drivers.hpp"
#include "shared_systems.hpp"
#include "status_walk.hpp"

#include <fmt/format.h>

#include <map>

namespace carom::reference {
namespace {

constexpr double h_s = 1e-4;

/// A walk through all statuses, with the states at the instants asked for.
struct Walk {
    std::map<double, Eigen::VectorXd> states;
    Doing first{};
    std::vector<Switch> switches;
};

Walk walk(const Model& model, const Task& task, const Answers& answers, double step_s)
{
    const State start = make_state(model, task.vector("u0"), task.vector("v0"));
    StatusWalk walk(model, start, step_s);
    Walk result;
    for (const Pieces& pieces : answers.asked("state(t=#)")) {
        result.states[number_in(pieces[0])] = {};
    }
    for (auto& [t_s, state] : result.states) {
        walk.until_s(t_s);
        state.resize(4);
        state << walk.state().q, walk.state().u;
    }
    walk.until_s(task.number("T"));
    result.switches = walk.switches();
    result.first = result.switches.empty() ? walk.doing()[0] : result.switches.front().from;
    return result;
}

/// Instants at which a status begins, the first at the start; of two walks, with the error of second order
/// removed.
std::vector<double> instants(const Walk& coarse, const Walk& fine)
{
    if (coarse.switches.size() != fine.switches.size()) {
        throw DriverFailure("the statuses depend on the step");
    }
    std::vector<double> result{0};
    for (std::size_t k = 0; k < fine.switches.size(); ++k) {
        result.push_back((4 * fine.switches[k].t_s - coarse.switches[k].t_s) / 3);
    }
    return result;
}

}  // namespace

/// CB-KLAR: Klarbring's particle on coupled springs, with a frictional obstacle u_n <= 0 (Charles & Ballard
/// 2014, 1-2). By moreau_step with located changes of status; two steps and extrapolation.
void drive_klarbring(const Task& task, Answers& answers)
{
    const Model model = klarbring_particle(task);
    const Walk coarse = walk(model, task, answers, h_s), fine = walk(model, task, answers, h_s / 2);

    answers.give("state(t=#)", Means::Exact, [&](const Pieces& p) {
        const double t_s = number_in(p[0]);
        return list_of((4 * fine.states.at(t_s) - coarse.states.at(t_s)) / 3);
    });
    answers.give("status_instants", Means::Exact, [&] { return Json(instants(coarse, fine)); });
    answers.give("status_sequence", Means::Exact, [&] {
        const std::vector<double> begins = instants(coarse, fine);
        std::string text = fmt::format("{}@{:.6f}", name_of(fine.first), begins[0]);
        for (std::size_t k = 0; k < fine.switches.size(); ++k) {
            text += fmt::format(" -> {}@{:.6f}", name_of(fine.switches[k].to), begins[k + 1]);
        }
        return Json(text);
    });
}

}  // namespace carom::reference
