#include "body_groups.hpp"

#include "motion_groups.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace carom::detail {
namespace {

/// Steps after which bodies that nothing has joined any more are told apart: the window of (LE-5).
constexpr long window_steps = 100;

}  // namespace

BodyGroups::BodyGroups(const Model& model, const GroupRules& rules)
    : model_(model), bodies_(*model.bodies()), rules_(rules)
{
    const auto moving = std::ranges::count_if(
        std::span(bodies_.inverse_mass).first(static_cast<std::size_t>(bodies_.bodies())),
        [](double inverse_mass) { return inverse_mass > 0; });
    if (moving > max_bodies_in_groups || bodies_.setup().impact_map) return;
    tied_ = tied_bodies(model);
    int groups = 0;
    for (std::size_t i = 0; i < nodes(); ++i)
        if (moves(static_cast<int>(i)) && tied_[i] == static_cast<int>(i)) ++groups;
    follows_ = groups > 1;
}

/// Coordinates beside bodies always do.
bool BodyGroups::moves(int node) const
{
    return node >= bodies_.bodies() || bodies_.inverse_mass[static_cast<std::size_t>(node)] > 0;
}

void BodyGroups::begin(const State& state, RunProgress& progress)
{
    if (!follows_) return;
    const auto velocities = static_cast<std::size_t>(6 * bodies_.bodies() + bodies_.setup().coordinates);
    // not of an older recording, or of a damaged one
    const auto are_lowest = [&](const std::vector<int>& lowest) {
        const auto is_one = [&](std::size_t i) {
            return lowest[i] >= 0 && lowest[i] <= static_cast<int>(i) &&
                   lowest[static_cast<std::size_t>(lowest[i])] == lowest[i];
        };
        return lowest.size() == nodes() &&
               std::ranges::all_of(std::views::iota(std::size_t{0}, nodes()), is_one);
    };
    const bool fits = progress.groups.size() == nodes() && are_lowest(progress.in_group) &&
                      are_lowest(progress.met) && progress.group_change.size() == velocities;
    if (!fits) {
        progress.groups.assign(nodes(), {});
        progress.in_group = progress.met = tied_;
        progress.group_change.assign(velocities, 0.0);
    }
    end_s_ = state.t_s;
    number_groups(progress);
}

/// progress.in_group has the lowest member of the group of each.
void BodyGroups::number_groups(const RunProgress& progress)
{
    const auto bodies = static_cast<std::size_t>(bodies_.bodies());
    groups_.of_body.assign(bodies, -1);
    groups_.of_coordinate.assign(nodes() - bodies, -1);
    root_.clear();
    std::vector<int> number(nodes(), -1);
    for (std::size_t i = 0; i < nodes(); ++i) {
        if (!moves(static_cast<int>(i))) continue;
        int& here = number[static_cast<std::size_t>(progress.in_group[i])];
        if (here < 0) {
            here = static_cast<int>(root_.size());
            root_.push_back(progress.in_group[i]);
        }
        (i < bodies ? groups_.of_body[i] : groups_.of_coordinate[i - bodies]) = here;
    }
    end_is_known_ = false;
}

/// Those that nothing has joined in the last steps go on by themselves, from their energies of now on. What was
/// wrong before stays so.
void BodyGroups::part(double time_s, RunProgress& progress)
{
    if (progress.met != progress.in_group) {
        std::vector<int> size(nodes(), 0), left(nodes(), 0);
        for (std::size_t i = 0; i < nodes(); ++i) {
            ++size[static_cast<std::size_t>(progress.in_group[i])];
            ++left[static_cast<std::size_t>(progress.met[i])];
        }
        std::vector<Finding> findings;
        for (std::size_t g = 0; g < root_.size(); ++g) {
            const auto root = static_cast<std::size_t>(root_[g]);
            if (left[root] != size[root]) tell(g, time_s, progress, findings);
        }
        for (const Finding& finding : findings)
            progress.certifier.add_finding(finding);
        for (std::size_t i = 0; i < nodes(); ++i)
            if (left[i] > 0 && left[i] != size[i]) progress.groups[i] = {};
        progress.in_group = progress.met;
        number_groups(progress);
    }
    progress.met = tied_;
}

/// What costs the certificate whatever the group does later.
void BodyGroups::tell(std::size_t group, double time_s, const RunProgress& progress,
                      std::vector<Finding>& findings) const
{
    GroupSums sums = progress.groups[static_cast<std::size_t>(root_[group])];
    sums.energy.beyond = 0;  // that might still have passed
    look_at_group(sums, name_of(group), rules_, {.time_s = time_s, .h_s = h_s_}, findings);
}

namespace {

/// Two sets become one, with the lowest member of both.
void join(int first, int second, std::vector<int>& lowest)
{
    const int a = lowest[static_cast<std::size_t>(first)], b = lowest[static_cast<std::size_t>(second)];
    if (a != b) std::ranges::replace(lowest, std::max(a, b), std::min(a, b));
}

}  // namespace

void BodyGroups::meet(int first, int second, RunProgress& progress)
{
    if (first < 0 || second < 0 || !moves(first) || !moves(second)) return;
    join(first, second, progress.met);
    const int a = progress.in_group[static_cast<std::size_t>(first)],
              b = progress.in_group[static_cast<std::size_t>(second)];
    if (a == b) return;
    progress.groups[static_cast<std::size_t>(std::min(a, b))] +=
        progress.groups[static_cast<std::size_t>(std::max(a, b))];
    join(first, second, progress.in_group);
    root_.clear();
}

void BodyGroups::meet(const FinishedBodyStep& step, RunProgress& progress)
{
    for (const BodyContact& contact : step.contacts())
        if (FinishedBodyStep::acted(contact)) meet(contact.first, contact.second, progress);
    if (root_.empty()) number_groups(progress);
}

/// The lines of each group: what nothing else explains is the scheme's, or the correction's (LE-28).
void BodyGroups::find_lines(const State& before, const State& after, const StepReport& report,
                            FinishedBodyStep& step)
{
    const std::size_t groups = root_.size();
    step_.assign(groups, {});
    if (groups == 1) {
        // for the time being all are one: their lines are those of the step
        step_.front() = {.lines = report.energy, .accuracy = report.accuracy, .end = report.at_end};
        end_is_known_ = false;
        return;
    }
    if (end_is_known_ && end_s_ == before.t_s) {
        for (std::size_t g = 0; g < groups; ++g)
            step_[g].start = end_[g];
    } else {
        step.add_energies(before, groups_, &GroupStep::start, step_);
    }
    step.add_energies(after, groups_, &GroupStep::end, step_);
    step.add_works(report.h_s, before, after, groups_, step_);
    end_.resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
        step_[g].close();
        end_[g] = step_[g].end;
    }
    end_s_ = after.t_s;
    end_is_known_ = true;
}

void BodyGroups::after_step(const State& before, const State& after, const StepReport& report,
                            FinishedBodyStep& step, RunProgress& progress)
{
    meet(step, progress);
    find_lines(before, after, report, step);
    for (std::size_t g = 0; g < root_.size(); ++g)
        note_energies(step_[g], rules_, after.t_s, progress.steps,
                      progress.groups[static_cast<std::size_t>(root_[g])]);
    note_speeds(after, progress);
    if (rules_.keeps_energy) note_turns(before, after, step, progress);
    h_s_ = report.h_s;
    if (progress.steps % window_steps == 0) part(after.t_s, progress);
}

/// (LE-24)
void BodyGroups::note_turns(const State& before, const State& after, FinishedBodyStep& step,
                            RunProgress& progress)
{
    const std::size_t groups = root_.size();
    smooth_.assign(groups, 1);
    for (const Event& event : step.events()) {
        bool known = false;
        for (const int body : {event.first, event.second}) {
            if (body < 0 || !moves(body)) continue;
            smooth_[static_cast<std::size_t>(groups_.of_body[static_cast<std::size_t>(body)])] = 0;
            known = true;
        }
        // of a joint, or of formulas
        if (!known) std::ranges::fill(smooth_, 0);
    }
    // velocities that change within two steps have a kinetic energy too
    turned_ = after;
    auto& change = progress.group_change;
    for (std::size_t i = 0; i < groups_.of_body.size(); ++i) {
        const Vec3 dv = after.v[i] - before.v[i], dW = after.W[i] - before.W[i];
        Eigen::Map<Vec3> last_dv(change.data() + 6 * i), last_dW(change.data() + 6 * i + 3);
        turned_.v[i] = dv - last_dv;
        turned_.W[i] = dW - last_dW;
        last_dv = dv;
        last_dW = dW;
    }
    const auto beside = static_cast<Eigen::Index>(groups_.of_coordinate.size());
    if (beside > 0) {
        const Eigen::VectorXd du = after.u.tail(beside) - before.u.tail(beside);
        Eigen::Map<Eigen::VectorXd> last_du(change.data() + 6 * groups_.of_body.size(), beside);
        turned_.u.tail(beside) = du - last_du;
        last_du = du;
    }
    step_.assign(groups, {});
    step.add_energies(turned_, groups_, &GroupStep::end, step_);
    for (std::size_t g = 0; g < groups; ++g) {
        GroupSums& sums = progress.groups[static_cast<std::size_t>(root_[g])];
        if (sums.follows != 0 && smooth_[g] != 0) note_turn(step_[g].end.kinetic_J, rules_, after.t_s, sums);
        sums.follows = smooth_[g];
    }
}

void BodyGroups::note_speeds(const State& after, RunProgress& progress)
{
    fastest_.assign(root_.size(), 0.0);
    for (std::size_t i = 0; i < groups_.of_body.size(); ++i) {
        if (groups_.of_body[i] < 0) continue;
        double& fastest = fastest_[static_cast<std::size_t>(groups_.of_body[i])];
        fastest = std::max({fastest, after.v[i].cwiseAbs().maxCoeff(), after.W[i].cwiseAbs().maxCoeff()});
    }
    for (std::size_t g = 0; g < root_.size(); ++g)
        progress.groups[static_cast<std::size_t>(root_[g])].rest.note(fastest_[g]);
}

double BodyGroups::fastest_m_s(int body, const RunProgress& progress) const
{
    if (!follows_ || body < 0 || !moves(body)) return progress.rest.fastest;
    const auto root = static_cast<std::size_t>(progress.in_group[static_cast<std::size_t>(body)]);
    return progress.groups[root].rest.fastest;
}

double BodyGroups::kinetic_J(int body, const RunProgress& progress, double of_all_J) const
{
    if (!follows_ || body < 0 || !moves(body)) return of_all_J;
    const auto root = static_cast<std::size_t>(progress.in_group[static_cast<std::size_t>(body)]);
    return progress.groups[root].energy.kinetic_J;
}

void BodyGroups::look_at_end(const RunSoFar& run, double h_s, std::vector<Finding>& findings) const
{
    if (!follows_) return;
    const auto is_told = [](const Finding& one) { return one.code == "step_too_long" && one.uncertifies; };
    const GroupEnd end{.time_s = run.state.t_s,
                       .h_s = h_s,
                       .told = std::ranges::any_of(run.progress.certifier.findings_at_end(), is_told)};
    for (std::size_t g = 0; g < root_.size(); ++g)
        look_at_group(run.progress.groups[static_cast<std::size_t>(root_[g])], name_of(g), rules_, end,
                      findings);
}

/// Its bodies and coordinates, some of them.
std::string BodyGroups::name_of(std::size_t group) const
{
    constexpr int few = 4;
    std::string name;
    int named = 0;
    const auto bodies = static_cast<std::size_t>(bodies_.bodies());
    for (std::size_t i = 0; i < nodes(); ++i) {
        const int of = i < bodies ? groups_.of_body[i] : groups_.of_coordinate[i - bodies];
        if (of != static_cast<int>(group)) continue;
        if (named == few) return name + ", ...";
        const auto own = static_cast<std::size_t>(model_.body_coordinates()) + i - bodies;
        name += (named++ > 0 ? ", " : "") +
                (i < bodies ? bodies_.setup().bodies[i].name : model_.system().coordinates[own].name);
    }
    return name;
}

}  // namespace carom::detail
