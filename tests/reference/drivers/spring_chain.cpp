#include "drivers.hpp"
#include "shared_systems.hpp"
#include "status_walk.hpp"

#include <fmt/format.h>

#include <map>

namespace carom::reference {
namespace {

/// What a switch begins: 0 stick, +1 and -1 slip.
int code_of(Doing doing)
{
    if (doing == Doing::Free) throw DriverFailure("a mass left the floor");
    return doing == Doing::Stick ? 0 : doing == Doing::SlipPlus ? 1 : -1;
}

}  // namespace

/// CB-CHAIN: a row of masses pulled over a rough floor by springs (Charles & Ballard 2014, problem P_u). By
/// moreau_step with located changes of status, until T.
void drive_spring_chain(const Task& task, Answers& answers)
{
    const double wanted = task.number("n");
    if (!(wanted >= 1 && wanted <= 50)) throw DriverFailure("n is not from 1 to 50");
    const int n = static_cast<int>(wanted);
    const Model model = row_of_masses(task, n);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2 * n);
    StatusWalk walk(model, make_state(model, zero, zero), task.step_s(1e-4) * 5);

    std::map<double, State> at;
    for (const char* pattern : {"u(t=#)", "v(t=#)"}) {
        for (const Pieces& pieces : answers.asked(pattern)) {
            at[number_in(pieces[0])] = {};
        }
    }
    for (auto& [t_s, state] : at) {
        walk.until_s(t_s);
        state = walk.state();
    }
    walk.until_s(task.number("T"));

    answers.give("u(t=#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(at.at(number_in(p[0])).q.head(n)); });
    answers.give("v(t=#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(at.at(number_in(p[0])).u.head(n)); });
    answers.give("first_switches", Means::Exact, [&] {
        Json list = Json::array();
        for (const Switch& change : walk.switches()) {
            list.push_back({change.t_s, change.contact + 1, code_of(change.to)});
        }
        return list;
    });
}

}  // namespace carom::reference
