#include "drivers.hpp"
#include "stepping/scratch.hpp"
#include "vibrating_table_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace carom::reference {
namespace {

constexpr int starts = 15;  // particles and where they are left, as the statement says
constexpr double first_cm = 5, last_cm = 320;
constexpr double settled_cm = 0.05;  // a line is reached when a second changes the mean of y by less
constexpr double apart_cm = 5;       // lines are some ten times further apart

/// The mean of the last second counts, after transients of up to 14 s. Where hops take several turns of the
/// crank the seconds of a line differ in descent, by up to a fifth, and the statement does not say which is
/// the last: the reference belongs to the eighteenth.
constexpr int seconds = 18;

/// What a particle does in the last second.
struct Line {
    double y_cm = 0;
    double descent_cm_s = 0;
};

void take_step(const Model& model, const MoreauSettings& settings, State& state, Scratch& scratch)
{
    if (moreau_step(model, settings, {}, state, scratch).status != StepStatus::Solved) {
        throw DriverFailure("a step was not solved");
    }
}

/// One second of a particle on the table.
Line next_second(const VibratingTable& table, double h_s, State& state, Scratch& scratch)
{
    const auto steps = static_cast<int>(std::lround(1 / h_s));
    const double x_cm = table.on_table(state)[0];
    double sum_cm = 0;
    for (int n = 0; n < steps; ++n) {
        take_step(table.model(), {.time_step_s = h_s}, state, scratch);
        sum_cm += table.on_table(state)[1];
    }
    return {.y_cm = sum_cm / steps, .descent_cm_s = table.on_table(state)[0] - x_cm};
}

bool is_known(const std::vector<Line>& lines, double y_cm)
{
    return std::any_of(lines.begin(), lines.end(),
                       [&](const Line& line) { return std::abs(line.y_cm - y_cm) < apart_cm; });
}

/// Follows a particle to the last second, and adds its line to those known, in the order of y; one that
/// settles on a line that is known already is not followed further. Returns its last mean of y.
double follow(const VibratingTable& table, double y0_cm, double h_s, std::vector<Line>& lines)
{
    State state = table.left_at(y0_cm);
    Scratch scratch(table.model());
    Line now{.y_cm = std::numeric_limits<double>::infinity()};
    for (int second = 0; second < seconds; ++second) {
        const double before_cm = now.y_cm;
        now = next_second(table, h_s, state, scratch);
        if (std::abs(now.y_cm - before_cm) < settled_cm && is_known(lines, now.y_cm)) return now.y_cm;
    }
    if (!is_known(lines, now.y_cm)) {
        lines.push_back(now);
        std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.y_cm < b.y_cm; });
    }
    return now.y_cm;
}

Json values(const std::vector<Line>& lines, double Line::* member)
{
    Json list = Json::array();
    for (const Line& line : lines) {
        list.push_back(line.*member);
    }
    return list;
}

}  // namespace

/// M88-TABLE-P and -M: particles on Moreau's vibrating table gather on lines (Moreau 1988, example 16.2). By
/// moreau_step for each of the particles that the statement leaves on it.
void drive_vibrating_table(const Task& task, Answers& answers)
{
    const VibratingTable table(task);
    const double h_s = task.step_s(1e-4);
    std::vector<Line> lines;
    const double from_first_cm = follow(table, first_cm, h_s, lines);
    for (int i = 1; i < starts; ++i) {
        follow(table, first_cm + (last_cm - first_cm) * i / (starts - 1), h_s, lines);
    }
    answers.give("attraction_lines_y", Means::TimeStepping, [&] { return values(lines, &Line::y_cm); });
    answers.give("mean_descent_speed_on_lines", Means::TimeStepping,
                 [&] { return values(lines, &Line::descent_cm_s); });
    answers.give("Ox_is", Means::TimeStepping,
                 [&] { return Json(std::abs(from_first_cm) < first_cm ? "attractive" : "repulsive"); });
}

/// M88-TABLE-P5 and -M5: one particle near Ox, which slides without hopping. By moreau_step.
void drive_table_slide(const Task& task, Answers& answers)
{
    const VibratingTable table(task);
    // a quarter of the step: the error of first order grows with the seconds. The particle follows the table
    // half a step late, so a gap of h/2 times the change of the table's velocity counts as touching
    const double h_s = task.step_s(1e-4) / 4, touching_cm = 1e-3 * task.number("eccentric");
    std::map<double, Eigen::Vector2d> at;
    for (const Pieces& pieces : answers.asked("(x,y)(t=#)")) {
        at.emplace(number_in(pieces[0]), Eigen::Vector2d::Zero());
    }
    State state = table.left_at(task.number("y0"));
    Scratch scratch(table.model());
    double smallest = std::numeric_limits<double>::infinity();
    for (auto& [t_s, place] : at) {
        while (state.t_s < t_s - 1e-9 * h_s) {
            const double step_s = std::min(h_s, t_s - state.t_s);
            take_step(table.model(), {.time_step_s = step_s, .activation_gap_m = touching_cm}, state,
                      scratch);
            // the rest of an interval that is hardly a step would say nothing of the force
            if (step_s > h_s / 2) smallest = std::min(smallest, state.percussion_Ns[0] / step_s);
        }
        place = table.on_table(state);
    }
    answers.give("(x,y)(t=#)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(at.at(number_in(p[0]))); });
    answers.give("min_normal_reaction>0", Means::TimeStepping, [&] { return Json(smallest); });
}

}  // namespace carom::reference
