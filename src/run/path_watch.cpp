#include "path_watch.hpp"

#include "system/lagrangian/contact_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace path_parts {

using detail::Range;
using detail::RangeProgram;

/// A crossing counts when at least this part of the speed was normal to the obstacle: chords of a grazing
/// motion, whose normal part is of the order of the step, do not (LE-9).
constexpr double min_approach = 0.05;

/// So many steps in a row inside an obstacle, with nothing that acts, are not the end of an impact (LE-8).
constexpr double max_still_steps = 5;

/// Boxes reach as far as so many steps at the present velocity lead.
constexpr double longest_box = 512, shortest_box = 1, box_growth = 8;

/// A straight piece of the path: q and t linear, u constant.
struct Piece {
    const Eigen::VectorXd* from;
    const Eigen::VectorXd* to;
    const Eigen::VectorXd* u;
    double t_from_s, t_to_s;

    [[nodiscard]] double q(int i, double s) const { return (*from)[i] + s * ((*to)[i] - (*from)[i]); }
    [[nodiscard]] double t_s(double s) const { return t_from_s + s * (t_to_s - t_from_s); }

    /// How a variable moves along the part from s0 to s1.
    [[nodiscard]] Range range(const Variable& variable, double s0, double s1) const
    {
        double a = 0, b = 0;
        switch (variable.kind) {
        case Variable::Kind::Coordinate:
            a = q(variable.index, s0);
            b = q(variable.index, s1);
            break;
        case Variable::Kind::Velocity: a = b = (*u)[variable.index]; break;
        case Variable::Kind::Time:
            a = t_s(s0);
            b = t_s(s1);
            break;
        }
        return a <= b ? Range{a, b} : Range{b, a};
    }
};

/// The pieces of a step: to its middle with the old velocity, from there with the new one; straight through
/// where the scheme moves with one velocity.
struct Path {
    std::array<Piece, 2> piece;
    int pieces;
};

/// Room for the ranges of a program.
struct Ranges {
    std::vector<Range> inputs, registers;

    void run(const RangeProgram& program, const Piece& piece, double s0, double s1)
    {
        inputs.clear();
        for (const Variable& variable : program.variables()) {
            inputs.push_back(piece.range(variable, s0, s1));
        }
        run(program);
    }
    void run(const RangeProgram& program)
    {
        const auto size = static_cast<std::size_t>(program.tape().size());
        if (registers.size() < size) registers.resize(size);
        detail::run_on_ranges(program.tape(), inputs, registers);
    }
    [[nodiscard]] const Range& operator[](int i) const { return registers[static_cast<std::size_t>(i)]; }
};

/// The gap of a contact alone, and with its row and its b.
struct GapFormula {
    RangeProgram gap, rows;
    std::vector<int> support;
    bool analytic;
};

GapFormula gap_formula(const Model& model, int c)
{
    const Contact& contact = model.system().contacts[static_cast<std::size_t>(c)];
    const auto support = model.support(c);
    Graph graph;
    const ContactExpressions expressions(graph, contact, support);
    std::vector<int> results{expressions.gap};
    results.insert(results.end(), expressions.H[0].begin(), expressions.H[0].end());
    results.push_back(expressions.b[0]);
    RangeProgram gap(graph, {&expressions.gap, 1}), rows(graph, results);
    const bool analytic = rows.tape().analytic();
    return {std::move(gap), std::move(rows), {support.begin(), support.end()}, analytic};
}

/// A denominator that may vanish: its register, and that of the quotient.
struct Guard {
    int denominator, result;
};

/// A formula of the system that divides by something which may vanish.
struct GuardedFormula {
    std::string name;
    RangeProgram program;
    std::vector<Guard> guards;
};

/// What an instruction must not meet at zero; -1: nothing.
int guarded_operand(const Instruction& it)
{
    switch (it.op) {
    case Op::Divide: return it.b;
    case Op::Reciprocal: return it.a;
    case Op::IntegerPower: return it.b < 0 ? it.a : -1;
    case Op::RealPower: return it.number < 0 ? it.a : -1;
    case Op::Log:
    case Op::Tan: return it.a;
    default: return -1;
    }
}

void add_guarded(const std::string& name, const Formula& formula, std::vector<GuardedFormula>& list)
{
    Graph graph;
    const int root = add_formula(graph, formula);
    GuardedFormula guarded{name, RangeProgram(graph, {&root, 1}), {}};
    Ranges everywhere;
    everywhere.inputs.assign(guarded.program.variables().size(), Range{});
    everywhere.run(guarded.program);
    int i = 0;
    for (const Instruction& it : guarded.program.tape().instructions()) {
        const int a = guarded_operand(it);
        if (a >= 0 && (it.op == Op::Tan || everywhere[a].contains(0)))
            guarded.guards.push_back({.denominator = a, .result = i});
        ++i;
    }
    if (!guarded.guards.empty()) list.push_back(std::move(guarded));
}

/// A box of inputs in which nothing happens.
struct SafeBox {
    std::vector<Range> inputs;  ///< in the order of the variables
    bool valid = false;
    double steps = shortest_box;  ///< how far it reached when it was made
    int pause = 0;                ///< steps until the next one is tried, after one that was not to be had
};

/// Both ends of the pieces of a path: while they stay in a box so does all between them.
struct Corners {
    const double *q_mid, *q_end, *u_start, *u_end;
    double t_end_s;

    [[nodiscard]] bool in(const Range& range, const Variable& variable) const
    {
        const int i = variable.index;
        switch (variable.kind) {
        case Variable::Kind::Coordinate: return range.contains(q_mid[i]) && range.contains(q_end[i]);
        case Variable::Kind::Velocity: return range.contains(u_start[i]) && range.contains(u_end[i]);
        case Variable::Kind::Time: break;
        }
        return range.contains(t_end_s);
    }
    [[nodiscard]] bool in(const SafeBox& box, std::span<const Variable> variables) const
    {
        if (!box.valid) return false;
        for (std::size_t k = 0; k < variables.size(); ++k) {
            if (!in(box.inputs[k], variables[k])) return false;
        }
        return true;
    }
};

/// What all boxes have in common: mostly a step is in there, and nothing else need be asked.
struct CommonBox {
    struct Side {
        int index;
        double low, high;
    };
    std::vector<Variable> variables;  ///< of all boxes, sorted
    std::vector<Range> ranges;
    std::vector<Side> q, u;  ///< the same by kind
    double t_high_s = 0;     ///< time only goes on
    bool valid = false;

    [[nodiscard]] bool holds(const Corners& corners) const
    {
        const auto outside = [](const Side& side, double x) { return !(side.low <= x && x <= side.high); };
        if (!valid || corners.t_end_s > t_high_s) return false;
        for (const Side& side : q) {
            if (outside(side, corners.q_mid[side.index]) || outside(side, corners.q_end[side.index]))
                return false;
        }
        for (const Side& side : u) {
            if (outside(side, corners.u_start[side.index]) || outside(side, corners.u_end[side.index]))
                return false;
        }
        return true;
    }

    void begin()
    {
        valid = true;
        ranges.assign(variables.size(), Range{});
    }
    void meet(const SafeBox& box, std::span<const Variable> names)
    {
        valid = valid && box.valid;
        if (!valid) return;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const auto at = std::ranges::lower_bound(variables, names[k]) - variables.begin();
            Range& range = ranges[static_cast<std::size_t>(at)];
            range = {std::max(range.low, box.inputs[k].low), std::min(range.high, box.inputs[k].high)};
        }
    }
    void finish()
    {
        q.clear();
        u.clear();
        t_high_s = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; valid && k < variables.size(); ++k) {
            const Side side{variables[k].index, ranges[k].low, ranges[k].high};
            switch (variables[k].kind) {
            case Variable::Kind::Coordinate: q.push_back(side); break;
            case Variable::Kind::Velocity: u.push_back(side); break;
            case Variable::Kind::Time: t_high_s = side.high; break;
            }
        }
    }
};

/// The ranges of a box around the end of a step that reaches so many steps far.
void reach(const RangeProgram& program, const State& before, const State& after, double steps, Ranges& ranges)
{
    const double h = after.t_s - before.t_s;
    ranges.inputs.clear();
    for (const Variable& variable : program.variables()) {
        const int i = variable.index;
        if (variable.kind == Variable::Kind::Time) {
            ranges.inputs.push_back({after.t_s, after.t_s + steps * h});
            continue;
        }
        // velocities may change by what they changed in this step, over and over
        const double change = std::abs(after.u[i] - before.u[i]);
        const double speed = std::max(std::abs(after.u[i]), std::abs(before.u[i]));
        const bool is_q = variable.kind == Variable::Kind::Coordinate;
        const double middle = is_q ? after.q[i] : after.u[i], far = steps * (is_q ? h * speed : change);
        ranges.inputs.push_back({middle - far, middle + far});
    }
    ranges.run(program);
}

/// Makes a box around the end of the step in which `safe` holds for the ranges of the program: larger than
/// the last one, or smaller, or none for some steps.
template <class Safe>
void make_box(const RangeProgram& program, const State& before, const State& after, Ranges& ranges,
              SafeBox& box, Safe safe)
{
    box.valid = false;
    if (box.pause > 0) {
        --box.pause;
        return;
    }
    const double large = std::min(longest_box, box.steps * box_growth);
    for (const double steps : {large, std::max(shortest_box, large / (box_growth * box_growth))}) {
        reach(program, before, after, steps, ranges);
        if (!safe()) continue;
        box.inputs = ranges.inputs;
        box.valid = true;
        box.steps = steps;
        return;
    }
    box.steps = shortest_box;
    box.pause = 4;
}

/// A box of inputs and velocities in which the rate of a gap is bounded: where the gap itself is smaller than
/// the obstacle moves, as that of a particle that hops on a table, its ends and its rate tell as much.
struct RateBox {
    std::vector<Range> inputs;  ///< of the rows, in the order of their variables
    std::vector<Range> u;       ///< of the coordinates of the support
    double max_rate_m_s = 0;
    double gap_m = 0;  ///< at the end of the last step
    double steps = first_steps;
    bool valid = false;

    static constexpr double first_steps = 8, min_steps = 2, max_steps = 64;

    [[nodiscard]] bool holds(const GapFormula& formula, const Corners& corners, const Path& path) const
    {
        const auto variables = formula.rows.variables();
        for (std::size_t k = 0; k < variables.size(); ++k) {
            if (!corners.in(inputs[k], variables[k])) return false;
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(path.pieces); ++k) {
            const Piece& piece = path.piece[k];
            const double dt = piece.t_to_s - piece.t_from_s;
            for (std::size_t i = 0; i < u.size(); ++i) {
                const int c = formula.support[i];
                if (!u[i].contains(((*piece.to)[c] - (*piece.from)[c]) / dt)) return false;
            }
        }
        return true;
    }

    /// The gap stays above -visible in a step that ends with `end_m`: g >= g_0 - r s and g >= g_1 - r (h -
    /// s).
    [[nodiscard]] bool shows(double end_m, double h_s, double visible_m) const
    {
        return (gap_m + end_m - max_rate_m_s * h_s) / 2 > -visible_m;
    }

    /// Around the end of a step.
    void make(const GapFormula& formula, const State& before, const State& after, Ranges& ranges)
    {
        reach(formula.rows, before, after, steps, ranges);
        inputs = ranges.inputs;
        const auto results = formula.rows.results();
        Range rate = ranges[results.back()];
        u.resize(formula.support.size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            const int c = formula.support[i];
            const double speed = std::max(std::abs(after.u[c]), std::abs(before.u[c]));
            const double far = steps * std::abs(after.u[c] - before.u[c]) + 1e-6 * speed;
            u[i] = {after.u[c] - far, after.u[c] + far};
            rate = rate + ranges[results[i + 1]] * u[i];
        }
        max_rate_m_s = std::max(std::abs(rate.low), std::abs(rate.high));
        valid = std::isfinite(max_rate_m_s);
    }
};

/// Gaps of one contact along one step.
class GapSearch {
public:
    GapSearch(const GapFormula& formula, double visible_m, Ranges& ranges,
              std::vector<std::pair<double, double>>& stack)
        : f_(formula), visible_m_(visible_m), ranges_(ranges), stack_(stack)
    {
    }

    double gap_m(const Piece& piece, double s)
    {
        ranges_.run(f_.gap, piece, s, s);
        return ranges_[f_.gap.results()[0]].low;
    }

    /// dg/ds at a point of the piece.
    double rate(const Piece& piece, double s)
    {
        ranges_.run(f_.rows, piece, s, s);
        return rate_of(piece).low;
    }

    /// The gap is above -visible wherever coordinates and time are within their ranges on the path.
    bool is_clear(const Path& path) { return min_on(path, f_.gap) > -visible_m_; }

    /// The gap is above -visible all along the path: by its rates, whose ranges are narrow where the obstacle
    /// goes along, and by the gaps where the pieces begin and end.
    bool stays_out(const Path& path, const std::array<double, 3>& gaps_m)
    {
        if (!f_.analytic) return is_clear(path);
        if (min_on(path, f_.rows) > -visible_m_) return true;
        for (std::size_t k = 0; k < static_cast<std::size_t>(path.pieces); ++k) {
            const Range rate = rate_of(path.piece[k]);
            const double from = gaps_m[k], to = gaps_m[k + 1];
            const double steepest = std::max(std::abs(rate.low), std::abs(rate.high));
            const bool one_way = rate.low >= 0 || rate.high <= 0;
            // g >= from - steepest s  and  g >= to - steepest (1 - s)
            const double least = one_way ? std::min(from, to) : (from + to - steepest) / 2;
            if (!(least > -visible_m_)) return false;
        }
        return true;
    }

    /// A place where the gap is below -visible; none if it is shown or believed that there is none.
    std::optional<double> negative(const Piece& piece)
    {
        int left = 400;
        stack_.assign(1, {0.0, 1.0});
        while (!stack_.empty() && left-- > 0) {
            const auto [a, b] = stack_.back();
            stack_.pop_back();
            if (lower_bound(piece, a, b) > -visible_m_) continue;
            const double middle = (a + b) / 2;
            if (gap_m(piece, middle) < -visible_m_) return middle;
            if (b - a < 1e-7) continue;
            stack_.emplace_back(middle, b);
            stack_.emplace_back(a, middle);
        }
        if (stack_.empty()) return std::nullopt;
        // ranges are too wide to decide: look at points
        for (int k = 0; k <= 256; ++k) {
            if (gap_m(piece, k / 256.0) < -visible_m_) return k / 256.0;
        }
        return std::nullopt;
    }

    /// Where the gap passes zero between a place outside and one inside.
    double entry(const Piece& piece, double outside, double inside)
    {
        for (int k = 0; k < 60; ++k) {
            const double middle = (outside + inside) / 2;
            (gap_m(piece, middle) > 0 ? outside : inside) = middle;
        }
        return outside;
    }

    /// The deepest overlap around a place inside.
    double depth(const Piece& piece, double inside)
    {
        double deepest = -gap_m(piece, inside);
        for (int k = 0; k <= 64; ++k) {
            deepest = std::max(deepest, -gap_m(piece, k / 64.0));
        }
        return deepest;
    }

private:
    /// Below every gap while coordinates and time are within their ranges on the path.
    double min_on(const Path& path, const RangeProgram& program)
    {
        ranges_.inputs.clear();
        for (const Variable& variable : program.variables()) {
            Range all = path.piece[0].range(variable, 0, 1);
            if (path.pieces > 1) {
                const Range second = path.piece[1].range(variable, 0, 1);
                all = {std::min(all.low, second.low), std::max(all.high, second.high)};
            }
            ranges_.inputs.push_back(all);
        }
        ranges_.run(program);
        return ranges_[program.results()[0]].low;
    }

    [[nodiscard]] Range rate_of(const Piece& piece) const
    {
        const auto results = f_.rows.results();
        Range sum{0, 0};
        const auto add = [&](const Range& x, double factor) {
            if (factor == 0) return;
            sum.low += factor > 0 ? factor * x.low : factor * x.high;
            sum.high += factor > 0 ? factor * x.high : factor * x.low;
        };
        for (std::size_t i = 0; i < f_.support.size(); ++i) {
            add(ranges_[results[i + 1]], (*piece.to)[f_.support[i]] - (*piece.from)[f_.support[i]]);
        }
        add(ranges_[results.back()], piece.t_to_s - piece.t_from_s);
        return sum;
    }

    /// Below every gap between a and b: by ranges, and for analytic gaps by the mean value theorem.
    double lower_bound(const Piece& piece, double a, double b)
    {
        ranges_.run(f_.analytic ? f_.rows : f_.gap, piece, a, b);
        const double natural = ranges_[(f_.analytic ? f_.rows : f_.gap).results()[0]].low;
        if (natural > -visible_m_ || !f_.analytic) return natural;
        const Range rate = rate_of(piece);
        const double steepest = std::max(std::abs(rate.low), std::abs(rate.high));
        if (!std::isfinite(steepest)) return natural;
        // a gap that only rises or only falls is least at one end
        if (rate.low >= 0) return std::max(natural, gap_m(piece, a));
        if (rate.high <= 0) return std::max(natural, gap_m(piece, b));
        return std::max(natural, gap_m(piece, (a + b) / 2) - steepest * (b - a) / 2);
    }

    const GapFormula& f_;
    double visible_m_;
    Ranges& ranges_;
    std::vector<std::pair<double, double>>& stack_;
};

/// How a contact entered its obstacle.
struct Entry {
    double t_s = 0;
    double U_n = 0;       ///< gap rate there, m/s; <= 0
    double approach = 0;  ///< |U_N| beside the speed that the kinetic metric gives the parts, 0 to 1 (LE-9)
};

/// |U_N| / sqrt(W_NN u.A u), u of the coordinates that the contact names: 1 for a collision straight on, the
/// sine of the angle for a particle and a wall.
Entry entry_at(const GapFormula& formula, GapSearch& search, const Piece& piece, double s, Scratch& scratch,
               Eigen::VectorXd& x, Eigen::VectorXd& u, Ranges& ranges)
{
    const double length_s = piece.t_to_s - piece.t_from_s;
    Entry entry;
    entry.t_s = piece.t_s(s);
    entry.U_n = search.rate(piece, s) / length_s;
    x.setZero(scratch.u_end.size());
    u.setZero(scratch.u_end.size());
    for (std::size_t i = 0; i < formula.support.size(); ++i) {
        const int k = formula.support[i];
        x[k] = ranges[formula.rows.results()[i + 1]].low;
        u[k] = ((*piece.to)[k] - (*piece.from)[k]) / length_s;
    }
    const double speed2 = scratch.A.squared_norm(view(u));
    const Eigen::VectorXd H = x;
    scratch.A.solve(view(x));
    const double W = H.dot(x), met = std::sqrt(W * speed2);
    const double approach = -entry.U_n;
    entry.approach = !(approach > 0) ? 0.0 : (met > approach ? approach / met : 1.0);
    return entry;
}

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
            if (entry.approach > min_approach)
                tell_crossing(c, entry.t_s, search.depth(piece, *inside), entry.U_n);
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
                        "instants at which it is looked for, and nothing acted{}",
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

/// Whether a denominator keeps away from zero, by the ranges that were just computed.
bool keeps_away(const RangeProgram& program, const Guard& guard, const Ranges& ranges)
{
    const Instruction& it = program.tape().instructions()[static_cast<std::size_t>(guard.result)];
    if (it.op == Op::Tan)
        return std::isfinite(ranges[guard.result].low) && std::isfinite(ranges[guard.result].high);
    return !ranges[guard.denominator].contains(0);
}

/// The formula grows without bound towards s, on one side at least: over distances that shrink by the same
/// factor the values of a pole, and of a logarithm, change as much or more, while those of exp(-1/t^2) or
/// sin(t)/t, whose quotients are harmless, change less and less.
bool grows(const GuardedFormula& formula, const Piece& piece, double s, Ranges& ranges)
{
    const auto value = [&](double at) {
        ranges.run(formula.program, piece, at, at);
        return ranges[formula.program.results()[0]].low;
    };
    for (const double side : {-1.0, 1.0}) {
        if (s + side * 0.1 < 0 || s + side * 0.1 > 1) continue;
        const double near = value(s + side * 1e-3), between = value(s + side * 1e-2);
        const double far_change = std::abs(between - value(s + side * 0.1));
        const double near_change = std::abs(near - between);
        // a change of a hundredth may be cancellation, as in (1 - cos(t))/t^2
        if (!(near_change <= 1e-2 * std::abs(near) || near_change < far_change / 2)) return true;
    }
    return false;
}

/// Where on the piece a denominator vanishes and its quotient is infinite.
std::optional<double> find_pole(const GuardedFormula& formula, const Guard& guard, const Piece& piece,
                                Ranges& ranges, std::vector<std::pair<double, double>>& stack)
{
    int left = 200;
    stack.assign(1, {0.0, 1.0});
    while (!stack.empty() && left-- > 0) {
        const auto [a, b] = stack.back();
        stack.pop_back();
        ranges.run(formula.program, piece, a, b);
        if (keeps_away(formula.program, guard, ranges)) continue;
        const double middle = (a + b) / 2;
        if (b - a < 1e-9) {
            if (grows(formula, piece, middle, ranges)) return middle;
            continue;
        }
        stack.emplace_back(middle, b);
        stack.emplace_back(a, middle);
    }
    return std::nullopt;
}

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
    return activation_gap_m > 0 ? std::min(1e3 * activation_gap_m, std::max(activation_gap_m, 1e-6)) : 1e-6;
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
    const auto goes_on_acting = [&](int c) {
        return after.percussion_Ns[model_.offset(c)] > 0 &&
               !(scratch.gap_m[static_cast<std::size_t>(c)] < -visible_m);
    };
    if (m.common.holds(corners) && std::ranges::all_of(m.pressed, goes_on_acting)) return;
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
                    fmt::format(
                        "{} is infinite within step {}: the motion does not go on through a pole, and "
                        "the scheme jumped over it",
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
        if (const int c = static_cast<int>(k); goes_on_acting(c)) {
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
