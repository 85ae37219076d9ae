#include "path_watch.hpp"

#include "gap_search.hpp"
#include "pole_search.hpp"
#include "rate_box.hpp"
#include "safe_box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace path_parts {

/// A crossing counts when at least this part of the speed was normal to the obstacle: chords of a grazing
/// motion, whose normal part is of the order of the step, do not (LE-9).
constexpr double min_approach = 0.05;

/// So many steps in a row inside an obstacle, with nothing that acts, are not the end of an impact (LE-8).
constexpr double max_still_steps = 5;

/// One step of one run, looked at.
class StepLook {
public:
    StepLook(const Model& model, const State& before, const State& after, double visible_m, Scratch& scratch,
             RunProgress& progress)
        : model_(model),
          before_(before),
          after_(after),
          visible_m_(visible_m),
          scratch_(scratch),
          progress_(progress)
    {
        const double t_mid_s = (before.t_s + after.t_s) / 2;
        const bool straight = scratch.J.has_value();  // moreau_jean moves with one velocity
        if (straight) {
            path_ = {{{{&before.q, &after.q, &scratch.u_end, before.t_s, after.t_s}, {}}}, 1};
        } else {
            path_ = {{{{&before.q, &scratch.q_mid, &scratch.u_start, before.t_s, t_mid_s},
                       {&scratch.q_mid, &after.q, &scratch.u_end, t_mid_s, after.t_s}}},
                     2};
        }
    }

    [[nodiscard]] const Path& path() const noexcept { return path_; }
    [[nodiscard]] bool acts(int c) const { return after_.percussion_Ns[model_.offset(c)] > 0; }

    /// A contact that is outside at the end: was it inside on the way, or for the last steps? `near`: not
    /// long ago no box could be made.
    void look_outside(int c, const GapFormula& formula, GapSearch& search, bool near, Eigen::VectorXd& x,
                      Eigen::VectorXd& u, Ranges& ranges)
    {
        ObstacleVisit& visit = visit_of(c);
        if (visit.inside != 0) {
            if (visit.acted == 0 && !acts(c) && visit.approach > min_approach)
                tell_crossing(c, visit.entered_s, visit.deepest_m,
                              -visit.allowed_m / (2 * (after_.t_s - before_.t_s)));
            visit = {};
            return;
        }
        if (acts(c) || (!near && search.is_clear(path_)) || search.stays_out(path_, gaps_at_ends(c))) return;
        for (int k = 0; k < path_.pieces; ++k) {
            const Piece& piece = path_.piece[static_cast<std::size_t>(k)];
            const auto inside = search.negative(piece);
            if (!inside) continue;
            const double s = search.gap_m(piece, 0) > 0 ? search.entry(piece, 0, *inside) : 0.0;
            const Entry entry = entry_at(formula, search, piece, s, scratch_, x, u, ranges);
            const double depth_m = search.depth(piece, *inside);
            if (entry.approach > min_approach && depth_m > below_motion_m(c))
                tell_crossing(c, entry.t_s, depth_m, entry.U_n);
            return;
        }
    }

    /// A contact that is inside at the end of the step.
    void look_inside(int c, const GapFormula& formula, GapSearch& search, Eigen::VectorXd& x,
                     Eigen::VectorXd& u, Ranges& ranges)
    {
        ObstacleVisit& visit = visit_of(c);
        const double depth_m = -scratch_.gap_m[static_cast<std::size_t>(c)];
        if (visit.inside == 0) {
            visit = {};
            visit.inside = 1;
            const Entry entry = find_entry(formula, search, x, u, ranges);
            visit.approach = entry.approach;
            visit.entered_s = entry.t_s;
            // as deep as a step at this speed leads, and the step in which it is seen
            visit.allowed_m = 2 * (after_.t_s - before_.t_s) * std::abs(entry.U_n);
        }
        visit.deepest_m = std::max(visit.deepest_m, depth_m);
        if (acts(c)) {
            visit.acted = 1;
            visit.still_steps = 0;
            return;
        }
        visit.still_steps = depth_m > visit.allowed_m + visible_m_ ? visit.still_steps + 1 : 0;
        if (visit.still_steps == max_still_steps) tell_stay(c, visit, depth_m);
    }

private:
    /// By how much the chord of a smooth step runs nearer to the obstacle than the motion: with the
    /// acceleration a towards it by up to a h^2/8 (LE-9). Pieces with the velocities of both ends do not.
    [[nodiscard]] double below_motion_m(int c)
    {
        if (path_.pieces > 1 || !scratch_.events.empty()) return 0;
        const auto support = model_.support(c);
        std::vector<double> H(support.size());
        static_cast<void>(model_.gap_gradient(c, point_of(before_), H, scratch_.work));
        double gained = 0;
        for (std::size_t i = 0; i < support.size(); ++i) {
            gained += H[i] * (after_.u[support[i]] - before_.u[support[i]]);
        }
        return std::max(0.0, -gained) * (after_.t_s - before_.t_s) / 8;
    }

    /// Where the pieces begin and end.
    [[nodiscard]] std::array<double, 3> gaps_at_ends(int c)
    {
        const double last = scratch_.gap_m[static_cast<std::size_t>(c)];
        const auto gap_where_begins = [&](const Piece& piece) {
            return model_.gap_m(c, {view(*piece.from), view(*piece.u), piece.t_from_s}, scratch_.work);
        };
        const double first = gap_where_begins(path_.piece[0]);
        return {first, path_.pieces > 1 ? gap_where_begins(path_.piece[1]) : last, last};
    }

    ObstacleVisit& visit_of(int c) { return progress_.visits[static_cast<std::size_t>(c)]; }

    /// Where the path enters; where it never was outside, it entered at its beginning.
    Entry find_entry(const GapFormula& formula, GapSearch& search, Eigen::VectorXd& x, Eigen::VectorXd& u,
                     Ranges& ranges)
    {
        for (int k = path_.pieces - 1; k >= 0; --k) {
            const Piece& piece = path_.piece[static_cast<std::size_t>(k)];
            if (!(search.gap_m(piece, 0) > 0)) continue;
            return entry_at(formula, search, piece, search.entry(piece, 0, 1), scratch_, x, u, ranges);
        }
        return entry_at(formula, search, path_.piece[0], 0, scratch_, x, u, ranges);
    }

    void tell_crossing(int c, double t_s, double depth_m, double U_n)
    {
        const std::string& name = model_.system().contacts[static_cast<std::size_t>(c)].name;
        // at this speed the motion is on the near side of the obstacle for depth / speed, or longer
        const std::string hint = U_n < 0 ? fmt::format("; a step below {:.1e} s sees it", depth_m / -U_n)
                                         : std::string("; a shorter step sees it");
        progress_.certifier.add_finding(
            "tunnelling", t_s,
            fmt::format("{} was crossed in step {}: the motion was {:.3e} m inside the obstacle between the "
                        "instants at which gaps are evaluated, and nothing acted{}",
                        name, progress_.steps, depth_m, hint),
            true);
    }

    void tell_stay(int c, const ObstacleVisit& visit, double depth_m)
    {
        const std::string& name = model_.system().contacts[static_cast<std::size_t>(c)].name;
        progress_.certifier.add_finding(
            "inside_obstacle", visit.entered_s,
            fmt::format("{} is {:.3e} m inside its obstacle and nothing acts: the gap stays negative since "
                        "then. An obstacle that jumps, or a step that is too long, can do this",
                        name, depth_m),
            true);
    }

    const Model& model_;
    const State &before_, &after_;
    double visible_m_;
    Scratch& scratch_;
    RunProgress& progress_;
    Path path_{};
};

}  // namespace path_parts

struct PathWatch::Formulas {
    std::vector<path_parts::GapFormula> gaps;
    std::vector<path_parts::GuardedFormula> guarded;
};

struct PathWatch::Memory {
    std::vector<path_parts::SafeBox> gap_boxes, guard_boxes;
    std::vector<path_parts::RateBox> rate_boxes;  ///< of gaps that have no box
    path_parts::CommonBox common;
    std::vector<int> pressed;  ///< contacts that acted, outside: they have no box and need none
    path_parts::Ranges ranges;
    std::vector<std::pair<double, double>> stack;
    Eigen::VectorXd x, u;
};

PathWatch::PathWatch(const Model& model)
    : formulas_(std::make_unique<Formulas>()), memory_(std::make_unique<Memory>()), model_(model)
{
    using namespace path_parts;
    for (int c = 0; c < model.contacts(); ++c) {
        formulas_->gaps.push_back(gap_formula(model, c));
    }
    const LagrangianSystem& system = model.system();
    add_guarded("lagrangian.kinetic", system.kinetic, formulas_->guarded);
    add_guarded("lagrangian.potential", system.potential, formulas_->guarded);
    for (std::size_t i = 0; i < system.forces.size(); ++i) {
        add_guarded("lagrangian.forces." + system.coordinates[i].name, system.forces[i], formulas_->guarded);
    }
    memory_->gap_boxes.resize(formulas_->gaps.size());
    memory_->rate_boxes.resize(formulas_->gaps.size());
    memory_->guard_boxes.resize(formulas_->guarded.size());

    std::vector<Variable>& variables = memory_->common.variables;
    const auto add = [&](std::span<const Variable> names) {
        variables.insert(variables.end(), names.begin(), names.end());
    };
    for (const GapFormula& formula : formulas_->gaps) {
        add(formula.gap.variables());
    }
    for (const GuardedFormula& formula : formulas_->guarded) {
        add(formula.program.variables());
    }
    std::ranges::sort(variables);
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
}

PathWatch::~PathWatch() = default;

double visible_depth_m(double activation_gap_m) noexcept
{
    // some ten roundings of coordinates a thousand million activation gaps from the origin
    const double roundings_m = 1e-5 * activation_gap_m;
    return activation_gap_m > 0 ? std::min(1e3 * activation_gap_m, std::max(roundings_m, 1e-6)) : 1e-6;
}

void PathWatch::after_step(const State& before, const State& after, double activation_gap_m, Scratch& scratch,
                           RunProgress& progress)
{
    using namespace path_parts;
    Memory& m = *memory_;
    if (formulas_->gaps.empty() && formulas_->guarded.empty()) return;
    const Eigen::VectorXd& q_mid = scratch.J ? after.q : scratch.q_mid;  // moreau_jean has one piece
    const Corners corners{q_mid.data(), after.q.data(), scratch.u_start.data(), scratch.u_end.data(),
                          after.t_s};

    const double visible_m = visible_depth_m(activation_gap_m);

    // mostly every contact is in its box, or goes on acting
    const auto keeps_acting = [&](int c) {
        return after.percussion_Ns[model_.offset(c)] > 0 &&
               !(scratch.gap_m[static_cast<std::size_t>(c)] < -visible_m);
    };
    if (m.common.holds(corners) && std::ranges::all_of(m.pressed, keeps_acting)) return;
    if (progress.visits.size() != formulas_->gaps.size()) progress.visits.resize(formulas_->gaps.size());
    StepLook look(model_, before, after, visible_m, scratch, progress);

    for (std::size_t k = 0; k < formulas_->gaps.size(); ++k) {
        const GapFormula& formula = formulas_->gaps[k];
        SafeBox& box = m.gap_boxes[k];
        if (corners.in(box, formula.gap.variables())) continue;
        const int c = static_cast<int>(k);
        RateBox& rates = m.rate_boxes[k];
        if (rates.valid && !look.acts(c) && progress.visits[k].inside == 0) {
            const bool holds = rates.holds(formula, corners, look.path());
            if (holds && rates.shows(scratch.gap_m[k], after.t_s - before.t_s, visible_m)) {
                rates.gap_m = scratch.gap_m[k];
                continue;
            }
            rates.steps = holds ? std::max(RateBox::min_steps, rates.steps / 2)
                                : std::min(RateBox::max_steps, rates.steps * 2);
        }
        rates.valid = false;
        GapSearch search(formula, visible_m, m.ranges, m.stack);
        if (scratch.gap_m[k] < -visible_m) {
            look.look_inside(c, formula, search, m.x, m.u, m.ranges);
            box.valid = false;
            continue;
        }
        look.look_outside(c, formula, search, box.pause > 0, m.x, m.u, m.ranges);
        box.valid = false;
        if (look.acts(c)) continue;
        make_box(formula.gap, before, after, m.ranges, box,
                 [&] { return m.ranges[formula.gap.results()[0]].low > -visible_m; });
        if (box.valid || !formula.analytic) continue;
        rates.make(formula, before, after, m.ranges);
        rates.gap_m = scratch.gap_m[k];
    }

    for (std::size_t k = 0; k < formulas_->guarded.size(); ++k) {
        const GuardedFormula& formula = formulas_->guarded[k];
        SafeBox& box = m.guard_boxes[k];
        if (corners.in(box, formula.program.variables())) continue;
        for (int p = 0; p < look.path().pieces; ++p) {
            const Piece& piece = look.path().piece[static_cast<std::size_t>(p)];
            for (const Guard& guard : formula.guards) {
                const auto pole = find_pole(formula, guard, piece, m.ranges, m.stack);
                if (!pole) continue;
                progress.certifier.add_finding(
                    "pole_crossed", piece.t_s(*pole),
                    fmt::format("{} is infinite within step {}: the motion does not continue through a pole, "
                                "and the scheme jumped over it; end the run before it",
                                formula.name, progress.steps),
                    true);
            }
        }
        make_box(formula.program, before, after, m.ranges, box, [&] {
            return std::ranges::all_of(formula.guards, [&](const Guard& guard) {
                return keeps_away(formula.program, guard, m.ranges);
            });
        });
    }

    m.common.begin();
    m.pressed.clear();
    for (std::size_t k = 0; k < formulas_->gaps.size(); ++k) {
        if (const int c = static_cast<int>(k); keeps_acting(c)) {
            m.pressed.push_back(c);
            continue;
        }
        m.common.meet(m.gap_boxes[k], formulas_->gaps[k].gap.variables());
    }
    for (std::size_t k = 0; k < formulas_->guarded.size(); ++k) {
        m.common.meet(m.guard_boxes[k], formulas_->guarded[k].program.variables());
    }
    m.common.finish();
}

}  // namespace carom
