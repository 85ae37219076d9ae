#include "interval_proofs.hpp"

#include "core/dense.hpp"
#include "expression/derivative.hpp"
#include "expression/range_tape.hpp"
#include "expression/term.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "system/lagrangian/contact_expressions.hpp"
#include "tape_degrees.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

namespace carom::detail {
namespace {

using Of = Variable::Kind;

constexpr double no_end = std::numeric_limits<double>::infinity();

/// Instructions that a proof may evaluate: a fraction of a second.
constexpr long proof_budget = 4'000'000;

/// Boxes are not halved below this part of the typical length.
constexpr double smallest_box = 1e-7;

/// Rows and coordinates beyond which nothing is tried.
constexpr int max_interactions_of_a_proof = 600;
constexpr std::size_t max_rows_of_a_proof = 60, max_coordinates_of_a_proof = 60;

/// A row of H with the function whose zero makes it act.
struct ProofRow {
    int value = -1;              ///< node of the gap or of phi; -1: acts everywhere
    bool is_gap = false;         ///< acts where the value is zero, and is never negative
    std::map<int, int> columns;  ///< coordinate -> node
};

/// Several rows with the coordinates that they name, evaluated on boxes.
class BoxFunction {
public:
    BoxFunction(const Graph& graph, std::vector<int> roots)
    {
        std::ranges::sort(roots);
        roots.erase(std::ranges::unique(roots).begin(), roots.end());
        const std::vector<int> nodes = needed_by(graph, roots);
        std::set<Variable> named;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            place_[nodes[k]] = k;
            if (graph[nodes[k]].op == Op::Variable) named.insert(variable_of(graph[nodes[k]]));
        }
        variables_.assign(named.begin(), named.end());
        tape_.emplace(compile(graph, nodes, variables_));
        ranges_.resize(static_cast<std::size_t>(tape_->size()));
        for (const int root : roots)
            outputs_.push_back(place_.at(root));
    }

    [[nodiscard]] const std::vector<Variable>& variables() const noexcept { return variables_; }
    [[nodiscard]] const Tape& tape() const noexcept { return *tape_; }
    void run(std::span<const Range> box) { run_on_ranges(*tape_, box, ranges_); }
    [[nodiscard]] Range operator[](int node) const { return ranges_[place_.at(node)]; }

    /// The variable occurs only below sin and cos, with a whole number as factor.
    [[nodiscard]] bool is_periodic(std::size_t variable) const
    {
        std::vector<double> factor;  // of the variable where it enters linearly
        const auto of = [&](int a) { return factor[static_cast<std::size_t>(a)]; };
        for (const Instruction& it : tape_->instructions()) {
            double here = 0;
            const int count = operand_count(it.op);
            switch (it.op) {
            case Op::Variable: here = static_cast<std::size_t>(it.a) == variable ? 1 : 0; break;
            case Op::Constant: break;
            case Op::Add: here = of(it.a) + of(it.b); break;
            case Op::Subtract: here = of(it.a) - of(it.b); break;
            case Op::Negate: here = -of(it.a); break;
            case Op::Scale: here = it.number * of(it.a); break;
            case Op::DivideBy: here = of(it.a) / it.number; break;
            case Op::Shift: here = of(it.a); break;
            case Op::Sin:
            case Op::Cos: here = of(it.a) == std::round(of(it.a)) ? 0 : std::nan(""); break;
            default: {
                const bool none = (count < 1 || of(it.a) == 0) && (count < 2 || of(it.b) == 0) &&
                                  (count < 3 || of(it.c) == 0);
                here = none ? 0 : std::nan("");
            }
            }
            factor.push_back(here);
        }
        return std::ranges::all_of(outputs_, [&](std::size_t output) { return factor[output] == 0; });
    }

private:
    std::map<int, std::size_t> place_;
    std::vector<Variable> variables_;
    std::vector<std::size_t> outputs_;
    std::optional<Tape> tape_;
    std::vector<Range> ranges_;
};

using Box = std::vector<Range>;

/// Halves boxes until `holds` is true of each; false when the budget ends first.
template <class Holds>
bool holds_on(BoxFunction& function, Box whole, double length, Holds&& holds)
{
    std::vector<Box> left{std::move(whole)};
    long spent = 0;
    while (!left.empty()) {
        Box box = std::move(left.back());
        left.pop_back();
        function.run(box);
        if (holds(function)) continue;
        spent += function.tape().size();
        if (spent > proof_budget) return false;

        // the widest side, unbounded ones first
        std::size_t side = 0;
        double widest = -1;
        for (std::size_t k = 0; k < box.size(); ++k) {
            const double width = box[k].high - box[k].low;
            if (width > widest) widest = width, side = k;
        }
        if (!(widest > smallest_box * length)) return false;
        const Range all = box[side];
        double cut = (all.low + all.high) / 2;
        if (all.low == -no_end && all.high == no_end) {
            cut = 0;
        } else if (all.high == no_end) {
            if (all.low > 1e12 * length) return false;
            cut = std::max(2 * all.low, all.low + length);
        } else if (all.low == -no_end) {
            if (all.high < -1e12 * length) return false;
            cut = std::min(2 * all.high, all.high - length);
        }
        Box other = box;
        box[side].high = other[side].low = cut;
        left.push_back(std::move(other));
        left.push_back(std::move(box));
    }
    return true;
}

/// Interval of every variable: one turn, the time of the run, or everything.
Box whole_box(const BoxFunction& function, const State& start, const WellPosednessSettings& settings)
{
    Box box;
    for (std::size_t k = 0; k < function.variables().size(); ++k) {
        const Variable variable = function.variables()[k];
        Range range;
        if (variable.kind == Of::Time)
            range = {start.t_s, start.t_s + settings.duration_s};
        else if (function.is_periodic(k))
            range = {-std::numbers::pi, std::numbers::pi};
        box.push_back(range);
    }
    return box;
}

bool excludes_zero(Range x)
{
    return x.low > 0 || x.high < 0;
}

double smallest_magnitude(Range x)
{
    return x.low > 0 ? x.low : x.high < 0 ? -x.high : 0;
}

/// Elimination: in every round some row has an entry that is nowhere zero, and is subtracted from the others.
bool rows_are_independent(std::vector<std::vector<Range>> rows)
{
    while (!rows.empty()) {
        const std::size_t columns = rows.front().size();
        std::size_t best_row = rows.size(), best_column = 0;
        double best = -1;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                if (!excludes_zero(rows[r][c])) continue;
                // entries alone in their column first: nothing has to be subtracted
                bool alone = true;
                for (std::size_t other = 0; other < rows.size(); ++other)
                    alone = alone && (other == r || (rows[other][c].low == 0 && rows[other][c].high == 0));
                const double high = std::max(std::abs(rows[r][c].low), std::abs(rows[r][c].high));
                const double quality = (alone ? 2 : 0) + smallest_magnitude(rows[r][c]) / (1 + high);
                if (quality > best) best = quality, best_row = r, best_column = c;
            }
        }
        if (best_row == rows.size()) return false;
        const std::vector<Range> pivot = rows[best_row];
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(best_row));
        for (auto& row : rows) {
            const Range factor = row[best_column] / pivot[best_column];
            if (factor.low == 0 && factor.high == 0) continue;
            for (std::size_t c = 0; c < columns; ++c) {
                row[c] = c == best_column ? Range{0, 0} : row[c] - factor * pivot[c];
                if (std::isnan(row[c].low) || std::isnan(row[c].high)) row[c] = {};
            }
        }
    }
    return true;
}

/// The surface of a particle as a function of the coordinates: closed where the gap is, with a gradient along
/// that of the gap there.
int surface_of(Graph& g, const ContactParticle& particle)
{
    std::vector<int> position;
    for (const Formula& component : particle.position)
        position.push_back(add_formula(g, component));
    return add_formula(g, particle.surface, [&](const Variable& variable) {
        return variable.kind == Of::Coordinate ? position[static_cast<std::size_t>(variable.index)]
                                               : g.variable(variable);
    });
}

/// Rows of contacts, held positions and firm velocities; false for rows that are no formulas.
bool collect_rows(const Model& model, Graph& g, std::vector<ProofRow>& rows)
{
    for (const Contact& contact : model.system().contacts) {
        const std::vector<int> support = support_of(contact);
        std::vector<Variable> q;
        for (const int i : support)
            q.push_back({Of::Coordinate, i});
        ProofRow row{.value =
                         contact.particle ? surface_of(g, *contact.particle) : add_formula(g, contact.gap),
                     .is_gap = true,
                     .columns = {}};
        const auto derivatives = gradient(g, row.value, q);
        for (std::size_t p = 0; p < support.size(); ++p)
            row.columns[support[p]] = derivatives[p];
        rows.push_back(std::move(row));
    }
    for (int j = 0; j < model.constraints(); ++j) {
        const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
        if (constraint.geometry || !constraint.map.empty()) return false;
        const auto support = model.constraint(j).support();
        std::vector<Variable> q, u;
        for (const int i : support) {
            q.push_back({Of::Coordinate, i});
            u.push_back({Of::Velocity, i});
        }
        for (const Formula& phi : constraint.zero) {
            ProofRow row{.value = add_formula(g, phi), .is_gap = false, .columns = {}};
            const auto derivatives = gradient(g, row.value, q);
            for (std::size_t p = 0; p < support.size(); ++p)
                row.columns[support[p]] = derivatives[p];
            rows.push_back(std::move(row));
        }
        if (!constraint.is_firm()) continue;
        for (const Formula& velocity : constraint.velocity) {
            ProofRow row;
            const auto derivatives = gradient(g, add_formula(g, velocity), u);
            for (std::size_t p = 0; p < support.size(); ++p)
                row.columns[support[p]] = derivatives[p];
            rows.push_back(std::move(row));
        }
    }
    return true;
}

/// Rows that share coordinates, directly or through others.
std::vector<std::vector<ProofRow>> in_groups(std::vector<ProofRow> rows)
{
    std::vector<std::size_t> group(rows.size());
    std::iota(group.begin(), group.end(), 0U);
    for (std::size_t a = 0; a < rows.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const bool meet = std::ranges::any_of(
                rows[a].columns, [&](const auto& column) { return rows[b].columns.contains(column.first); });
            if (!meet || group[a] == group[b]) continue;
            const std::size_t from = group[a], to = group[b];
            std::ranges::replace(group, from, to);
        }
    }
    std::map<std::size_t, std::vector<ProofRow>> sorted;
    for (std::size_t a = 0; a < rows.size(); ++a)
        sorted[group[a]].push_back(std::move(rows[a]));
    std::vector<std::vector<ProofRow>> groups;
    for (auto& [number, members] : sorted)
        groups.push_back(std::move(members));
    return groups;
}

/// All rows are gaps or positions with constant gradients that do not depend on time.
bool are_planes(BoxFunction& function, const std::vector<ProofRow>& rows, const Box& whole)
{
    const bool steady =
        std::ranges::none_of(function.variables(), [](const Variable& v) { return v.kind == Of::Time; });
    if (!steady) return false;
    function.run(whole);
    return std::ranges::all_of(rows, [&](const ProofRow& row) {
        return row.value >= 0 && std::ranges::all_of(row.columns, [&](const auto& column) {
                   return function[column.second].low == function[column.second].high;
               });
    });
}

/// Walls that are planes at rest: rows that depend on each other cannot be closed together unless their
/// values depend on each other in the same way. Tries all small sets; false where that does not decide.
bool planes_are_independent(const Eigen::MatrixXd& H, const Eigen::VectorXd& values)
{
    constexpr long max_sets = 20000;
    const Eigen::Index m = H.rows();
    const int rank = static_cast<int>(FullLu(H).rank());
    long sets = 0;
    std::vector<int> set;
    // sets of rank + 1 rows and fewer: each dependence has one among them
    const std::function<bool(int)> look = [&](int first) {
        if (!set.empty()) {
            if (++sets > max_sets) return false;
            const Eigen::MatrixXd G = H(set, Eigen::all);
            Eigen::MatrixXd with_values(G.rows(), G.cols() + 1);
            with_values << G, values(set);
            const auto lines = static_cast<int>(set.size());
            if (FullLu(G).rank() < lines)
                // contradictory: never closed together, nor any larger set
                return FullLu(with_values).rank() == lines;
            if (lines > rank) return true;
        }
        for (int next = first; next < m; ++next) {
            set.push_back(next);
            const bool good = look(next + 1);
            set.pop_back();
            if (!good) return false;
        }
        return true;
    };
    return look(0);
}

bool group_is_independent(const Graph& g, const std::vector<ProofRow>& rows, const State& start,
                          const WellPosednessSettings& settings)
{
    std::vector<int> roots;
    std::set<int> coordinates;
    for (const ProofRow& row : rows) {
        if (row.value >= 0) roots.push_back(row.value);
        for (const auto& [coordinate, node] : row.columns) {
            coordinates.insert(coordinate);
            roots.push_back(node);
        }
    }
    BoxFunction function(g, roots);
    // gaps and velocities take part in the box only as far as formulas name them
    const bool of_velocity =
        std::ranges::any_of(function.variables(), [](const Variable& v) { return v.kind == Of::Velocity; });
    if (of_velocity) return false;
    const Box whole = whole_box(function, start, settings);
    if (are_planes(function, rows, whole)) {
        Box origin(whole.size(), Range{0, 0});
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                                  static_cast<Eigen::Index>(coordinates.size()));
        Eigen::VectorXd at_origin(H.rows());
        function.run(origin);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            Eigen::Index column = 0;
            for (const int coordinate : coordinates) {
                const auto entry = rows[r].columns.find(coordinate);
                if (entry != rows[r].columns.end())
                    H(static_cast<Eigen::Index>(r), column) = function[entry->second].low;
                ++column;
            }
            at_origin[static_cast<Eigen::Index>(r)] = function[rows[r].value].low;
        }
        if (planes_are_independent(H, at_origin)) return true;
    }
    const auto holds = [&](const BoxFunction& at) {
        std::vector<std::vector<Range>> active;
        for (const ProofRow& row : rows) {
            if (row.value >= 0) {
                const Range value = at[row.value];
                if (row.is_gap ? value.high < 0 : excludes_zero(value)) return true;
                if (row.is_gap && value.low > 0) continue;
            }
            auto& entries = active.emplace_back();
            for (const int coordinate : coordinates) {
                const auto entry = row.columns.find(coordinate);
                entries.push_back(entry == row.columns.end() ? Range{0, 0} : at[entry->second]);
            }
        }
        return rows_are_independent(std::move(active));
    };
    return holds_on(function, whole, settings.length_m, holds);
}

bool gradients_are_independent(const Model& model, const State& start, const WellPosednessSettings& settings)
{
    if (model.interactions() > max_interactions_of_a_proof) return false;
    Graph g;
    std::vector<ProofRow> rows;
    if (!collect_rows(model, g, rows)) return false;
    const auto groups = in_groups(std::move(rows));
    return std::ranges::all_of(groups, [&](const std::vector<ProofRow>& group) {
        return group.size() <= max_rows_of_a_proof && group_is_independent(g, group, start, settings);
    });
}

/// Elimination of a symmetric matrix of intervals: all pivots positive.
bool is_positive(std::vector<std::vector<Range>> A)
{
    for (std::size_t k = 0; k < A.size(); ++k) {
        if (!(A[k][k].low > 0)) return false;
        for (std::size_t i = k + 1; i < A.size(); ++i) {
            for (std::size_t j = k + 1; j < A.size(); ++j) {
                Range square = A[i][k] * A[k][j];
                if (i == j) {  // a square, which the product of intervals does not know
                    const double high = std::max(A[i][k].low * A[i][k].low, A[i][k].high * A[i][k].high);
                    square = {excludes_zero(A[i][k]) ? std::pow(smallest_magnitude(A[i][k]), 2) : 0.0, high};
                }
                A[i][j] = A[i][j] - square / A[k][k];
                if (std::isnan(A[i][j].low) || std::isnan(A[i][j].high)) A[i][j] = {};
            }
        }
    }
    return true;
}

void look_at_metric(const Model& model, const State& start, const WellPosednessSettings& settings,
                    Proofs& proofs)
{
    const auto n = static_cast<std::size_t>(model.coordinates());
    if (model.has_constant_mass()) {
        proofs.metric_positive = proofs.metric_bounded = metric_at(model, start.q).has_value();
        return;
    }
    if (n > max_coordinates_of_a_proof) return;
    Graph g;
    std::vector<Variable> velocities;
    for (std::size_t i = 0; i < n; ++i)
        velocities.push_back({Of::Velocity, static_cast<int>(i)});
    const auto momenta = gradient(g, add_formula(g, model.system().kinetic), velocities);
    std::vector<int> roots;
    for (const int momentum : momenta) {
        const auto row = gradient(g, momentum, velocities);
        roots.insert(roots.end(), row.begin(), row.end());
    }
    BoxFunction function(g, roots);
    const bool of_velocity =
        std::ranges::any_of(function.variables(), [](const Variable& v) { return v.kind == Of::Velocity; });
    if (of_velocity) return;
    const Box whole = whole_box(function, start, settings);
    function.run(whole);
    const bool bounded =
        std::ranges::all_of(whole,
                            [](Range side) { return std::isfinite(side.low) && std::isfinite(side.high); }) &&
        std::ranges::all_of(roots, [&](int root) {
            return std::isfinite(function[root].low) && std::isfinite(function[root].high);
        });
    proofs.metric_positive = holds_on(function, whole, settings.length_m, [&](const BoxFunction& at) {
        std::vector<std::vector<Range>> A(n, std::vector<Range>(n));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j)
                A[i][j] = at[roots[i * n + j]];
        }
        return is_positive(std::move(A));
    });
    // positive and continuous on a compact set: the smallest eigenvalue has a positive bound
    proofs.metric_bounded = proofs.metric_positive && bounded;
}

}  // namespace

Proofs prove_hypotheses(const Model& model, const State& start, const WellPosednessSettings& settings)
{
    Proofs proofs;
    proofs.gradients_independent = gradients_are_independent(model, start, settings);
    look_at_metric(model, start, settings, proofs);
    return proofs;
}

bool has_constant_gradient(const Formula& formula, std::initializer_list<Variable::Kind> kinds)
{
    std::set<Variable> named;
    for (const Term& term : formula.terms()) {
        for (const Variable& variable : term.variables()) {
            if (std::ranges::find(kinds, variable.kind) != kinds.end()) named.insert(variable);
        }
    }
    Graph g;
    const std::vector<Variable> in(named.begin(), named.end());
    const RangeProgram program(g, gradient(g, add_formula(g, formula), in));
    const auto ranges = ranges_everywhere(program.tape());
    return std::ranges::all_of(program.results(), [&](int result) {
        const Range range = ranges[static_cast<std::size_t>(result)];
        return range.low == range.high;
    });
}

double degree_of_forces(const Model& model)
{
    const LagrangianSystem& system = model.system();
    if (system.force_function) return no_end;
    double degree = 0;
    const auto look = [&](const Tape& tape, std::span<const Variable> variables) {
        degree = std::max(degree, register_degrees(tape, variables).back());
    };
    for (const Formula& force : system.forces) {
        for (const Term& term : force.terms())
            look(term.tape(), term.variables());
    }
    for (const Term& term : system.potential.terms()) {
        Graph g;
        std::vector<Variable> q;
        for (const Variable& variable : term.variables()) {
            if (variable.kind == Of::Coordinate) q.push_back(variable);
        }
        for (const int derivative : gradient(g, add_formula(g, Formula({term}, {})), q)) {
            if (g.is_constant(derivative)) continue;
            BoxFunction function(g, {derivative});
            look(function.tape(), function.variables());
        }
    }
    return degree;
}

}  // namespace carom::detail
