#include "jumping_obstacles.hpp"

#include "stepping/jump_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

JumpingObstacles::JumpingObstacles(const Model& model) : model_(model)
{
    for (const Contact& contact : model.system().contacts) {
        in_time_.push_back(contact.gap.depends_on(Variable::Kind::Time) ? 1 : 0);
        any_ = any_ || in_time_.back() != 0;
    }
}

void JumpingObstacles::after_step(const State& before, const State& after, double activation_gap_m,
                                  Scratch& scratch, Certifier& certifier) const
{
    if (!any_) return;
    Eigen::VectorXd q;
    for (const ContactStep& contact : scratch.contacts) {
        const int c = contact.contact;
        if (in_time_[static_cast<std::size_t>(c)] == 0 || !(contact.P[0] > 0)) continue;
        // what time alone does, half-way
        q = (before.q + after.q) / 2;
        const auto gap_m = [&](double time_s) {
            return model_.gap_m(c, {view(q), view(after.u), time_s}, scratch.work);
        };
        // one that recedes throws nothing
        const auto nearer_m = [](double from_m, double to_m) { return std::max(0.0, from_m - to_m); };
        const auto jump = detail::jump_of(gap_m, nearer_m, before.t_s, after.t_s - before.t_s);
        if (!jump || !(jump->by_m > activation_gap_m)) continue;
        const std::string& name = model_.system().contacts[static_cast<std::size_t>(c)].name;
        certifier.add_finding(
            {.code = "path_jumps",
             .time_s = jump->time_s,
             .message =
                 fmt::format("the obstacle of {} jumps by {:.3g} and strikes, with a velocity that grows "
                             "as the step shrinks: the steps do not converge to a motion. Let it move "
                             "there in a finite time",
                             name, jump->by_m),
             .count = 1,
             .uncertifies = true,
             .about = name});
    }
}

}  // namespace carom
