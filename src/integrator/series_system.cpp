#include "series_system.hpp"

#include "carom/expression/derivative.hpp"

#include <array>
#include <map>

namespace carom::detail {
namespace {

using Kind = Variable::Kind;

/// Derivatives of nodes in all coordinates, velocities and the time, each node differentiated once.
class Derivatives {
public:
    Derivatives(Graph& graph, int coordinates) : graph_(graph), n_(coordinates)
    {
        for (const Kind kind : {Kind::Coordinate, Kind::Velocity}) {
            for (int i = 0; i < n_; ++i) {
                variables_.push_back({kind, i});
            }
        }
        variables_.push_back({Kind::Time, 0});
    }

    [[nodiscard]] int of(int node, Variable variable)
    {
        const auto known = known_.try_emplace(node);
        if (known.second) known.first->second = gradient(graph_, node, variables_);
        const int first = variable.kind == Kind::Coordinate ? 0
                          : variable.kind == Kind::Velocity ? n_
                                                            : 2 * n_;
        return known.first->second[static_cast<std::size_t>(first + variable.index)];
    }

    /// The derivative along the motion of a node without velocities: sum_i d/dq_i u_i + d/dt (PS-3).
    [[nodiscard]] int along_motion(int node)
    {
        int sum = of(node, {Kind::Time, 0});
        for (int i = 0; i < n_; ++i) {
            const int slope = of(node, {Kind::Coordinate, i});
            if (graph_.is_constant(slope, 0)) continue;
            sum = graph_.add(sum, graph_.multiply(slope, graph_.variable({Kind::Velocity, i})));
        }
        return sum;
    }

private:
    Graph& graph_;
    int n_;
    std::vector<Variable> variables_;
    std::map<int, std::vector<int>> known_;
};

/// Makes the expressions of a model in one graph.
class Symbolic {
public:
    explicit Symbolic(const Model& model) : model_(model), n_(model.coordinates()), derivatives_(graph_, n_)
    {
    }

    int variable(Variable v) { return graph_.variable(v); }
    int inserted(const Formula& formula) { return add_formula(graph_, formula); }
    int inserted_at_rest(const Formula& formula)
    {
        return add_formula(graph_, formula, [&](const Variable& v) {
            return v.kind == Kind::Velocity ? graph_.constant(0) : graph_.variable(v);
        });
    }
    int by(int node, Kind kind, int index = 0) { return derivatives_.of(node, {kind, index}); }

    void dynamics(SeriesSystem& system, int order)
    {
        const LagrangianSystem& text = model_.system();
        const int T = inserted(text.kinetic), V = inserted(text.potential);
        std::vector<int> K, F, A;
        for (int i = 0; i < n_; ++i) {
            F.push_back(text.forces.empty() ? graph_.constant(0)
                                            : inserted(text.forces[static_cast<std::size_t>(i)]));
            const int momentum = by(T, Kind::Velocity, i);
            int k =
                graph_.add(graph_.subtract(F.back(), by(V, Kind::Coordinate, i)), by(T, Kind::Coordinate, i));
            for (int j = 0; j < n_; ++j) {
                const int turning = by(momentum, Kind::Coordinate, j);
                if (graph_.is_constant(turning, 0)) continue;
                k = graph_.subtract(k, graph_.multiply(turning, variable({Kind::Velocity, j})));
            }
            K.push_back(k);
            for (int j = i; j < n_; ++j) {
                const int entry = by(momentum, Kind::Velocity, j);
                if (graph_.is_constant(entry, 0)) continue;
                A.push_back(entry);
                system.entries.push_back({.i = i, .j = j, .constant = graph_.is_constant(entry)});
            }
        }
        std::vector<int> outputs = K;
        outputs.insert(outputs.end(), F.begin(), F.end());
        outputs.push_back(by(V, Kind::Time));
        outputs.insert(outputs.end(), A.begin(), A.end());
        system.dynamics = SeriesProgram(graph_, outputs, n_, order);
    }

    ContactPrograms contact(int c, int order)
    {
        const Contact& text = model_.system().contacts[static_cast<std::size_t>(c)];
        ContactPrograms result;
        result.dimension = model_.dimension(c);
        result.support.assign(model_.support(c).begin(), model_.support(c).end());
        if (text.friction) friction(*text.friction, result);
        if (text.particle) {
            particle(*text.particle, text, order, result);
        } else {
            // the gap's own derivatives, and the sliding velocities, affine in u
            const int gap = inserted(text.gap);
            std::vector<Row> rows{gap_row(gap)};
            for (int k = 1; k < result.dimension; ++k) {
                const Formula& sliding = text.sliding[static_cast<std::size_t>(k) - 1];
                Row row;
                const int U = inserted(sliding);
                for (int i = 0; i < n_; ++i) {
                    row.H.push_back(by(U, Kind::Velocity, i));
                }
                row.b = inserted_at_rest(sliding);
                rows.push_back(row);
            }
            result.gap = SeriesProgram(graph_, std::array{gap}, n_, order);
            add_rows(rows, text, order, graph_.constant(0), result);
        }
        return result;
    }

private:
    struct Row {
        std::vector<int> H;  ///< by coordinate
        int b = 0;
    };
    using Space = std::vector<int>;  ///< nodes of a vector

    Row gap_row(int gap)
    {
        Row row;
        for (int i = 0; i < n_; ++i) {
            row.H.push_back(by(gap, Kind::Coordinate, i));
        }
        row.b = by(gap, Kind::Time);
        return row;
    }

    static void friction(const ContactFriction& text, ContactPrograms& result)
    {
        result.friction = true;
        result.distinct_static = text.static_coefficient.has_value();
        result.rough = std::holds_alternative<FrictionRough>(text.shape);
        if (const auto* interval = std::get_if<FrictionInterval>(&text.shape)) {
            result.low = interval->low;
            result.high = interval->high;
        }
    }

    /// H, gamma, b, mu and the static mu of all rows as one program (PS-3).
    void add_rows(const std::vector<Row>& rows, const Contact& text, int order, int normal_x,
                  ContactPrograms& result)
    {
        std::vector<int> H, gamma, b;
        for (const Row& row : rows) {
            int rate = derivatives_.along_motion(row.b);
            for (const int i : result.support) {
                const int entry = row.H[static_cast<std::size_t>(i)];
                H.push_back(entry);
                const int turning = derivatives_.along_motion(entry);
                rate = graph_.add(rate, graph_.multiply(turning, variable({Kind::Velocity, i})));
            }
            gamma.push_back(rate);
            b.push_back(row.b);
        }
        std::vector<int> outputs = H;
        outputs.insert(outputs.end(), gamma.begin(), gamma.end());
        outputs.insert(outputs.end(), b.begin(), b.end());
        if (text.friction) {
            const Formula& moving = text.friction->coefficient;
            outputs.push_back(inserted(moving));
            outputs.push_back(inserted(text.friction->static_coefficient.value_or(moving)));
        }
        result.normal_x = static_cast<int>(outputs.size());
        outputs.push_back(normal_x);
        result.rows.emplace_back(graph_, outputs, n_, order);
    }

    int dot(const Space& a, const Space& b)
    {
        int sum = graph_.constant(0);
        for (std::size_t k = 0; k < a.size(); ++k) {
            sum = graph_.add(sum, graph_.multiply(a[k], b[k]));
        }
        return sum;
    }

    /// Formulas of a point of space, and their derivatives there, at the position of the particle.
    struct Surface {
        int value = 0, rate = 0;
        Space gradient;
    };
    Surface surface(const Formula& text, const Space& x)
    {
        Graph point;
        Derivatives derivatives(point, static_cast<int>(x.size()));
        const int f = add_formula(point, text);
        Surface result;
        result.value = transplanted(point, f, x);
        result.rate = transplanted(point, derivatives.of(f, {Kind::Time, 0}), x);
        for (int k = 0; k < static_cast<int>(x.size()); ++k) {
            result.gradient.push_back(transplanted(point, derivatives.of(f, {Kind::Coordinate, k}), x));
        }
        return result;
    }
    int transplanted(const Graph& point, int node, const Space& x)
    {
        return copy_node(point, node, graph_, [&](const Variable& v) { return at_point(v, x); });
    }
    int at_point(Variable v, const Space& x)
    {
        return v.kind == Kind::Coordinate ? x[static_cast<std::size_t>(v.index)] : graph_.variable(v);
    }
    Space at_point(const std::vector<Formula>& formulas, const Space& x)
    {
        Space result;
        for (const Formula& formula : formulas) {
            result.push_back(add_formula(graph_, formula, [&](const Variable& v) { return at_point(v, x); }));
        }
        return result;
    }

    /// (CF-2): rows along the normal and the tangents, gap f / |grad f|.
    void particle(const ContactParticle& text, const Contact& contact, int order, ContactPrograms& result)
    {
        Space x;
        for (const Formula& position : text.position) {
            x.push_back(inserted(position));
        }
        const Surface at = surface(text.surface, x);
        const int size = graph_.function(Op::Sqrt, dot(at.gradient, at.gradient));
        Space n;
        for (const int slope : at.gradient) {
            n.push_back(graph_.divide(slope, size));
        }
        result.gap = SeriesProgram(graph_, std::array{graph_.divide(at.value, size)}, n_, order);

        Row normal = row_along(n, x);
        normal.b = graph_.add(normal.b, graph_.divide(at.rate, size));
        const Space w = at_point(text.obstacle_velocity, x);
        const bool free_frame = x.size() == 3 && text.tangent.empty() && result.dimension > 1;
        for (int frame = 0; frame < (free_frame ? 2 : 1); ++frame) {
            std::vector<Row> rows{normal};
            for (const Space& t : tangents(n, x, text.tangent, frame)) {
                if (static_cast<int>(rows.size()) == result.dimension) break;
                Row row = row_along(t, x);
                if (!w.empty()) row.b = graph_.subtract(row.b, dot(t, w));
                rows.push_back(row);
            }
            add_rows(rows, contact, order, n[0], result);
        }
    }

    /// e.x' as a row: e.dx/dq and e.dx/dt.
    Row row_along(const Space& e, const Space& x)
    {
        Row row;
        for (int i = 0; i < n_; ++i) {
            int sum = graph_.constant(0);
            for (std::size_t k = 0; k < x.size(); ++k) {
                sum = graph_.add(sum, graph_.multiply(e[k], by(x[k], Kind::Coordinate, i)));
            }
            row.H.push_back(sum);
        }
        row.b = graph_.constant(0);
        for (std::size_t k = 0; k < x.size(); ++k) {
            row.b = graph_.add(row.b, graph_.multiply(e[k], by(x[k], Kind::Time)));
        }
        return row;
    }

    /// (CF-3); without a direction asked for, frame 0 follows the x axis and frame 1 the y axis.
    std::vector<Space> tangents(const Space& n, const Space& x, const std::vector<Formula>& asked, int frame)
    {
        Graph& g = graph_;
        if (x.size() == 2) return {{n[1], g.negate(n[0])}};
        Space along = asked.empty() ? Space{g.constant(frame == 0 ? 1 : 0), g.constant(frame), g.constant(0)}
                                    : at_point(asked, x);
        const int normal = dot(along, n);
        for (std::size_t k = 0; k < 3; ++k) {
            along[k] = g.subtract(along[k], g.multiply(normal, n[k]));
        }
        const int size = g.function(Op::Sqrt, dot(along, along));
        Space t1;
        for (const int component : along) {
            t1.push_back(g.divide(component, size));
        }
        const auto cross = [&](std::size_t a, std::size_t b) {
            return g.subtract(g.multiply(n[a], t1[b]), g.multiply(n[b], t1[a]));
        };
        return {t1, {cross(1, 2), cross(2, 0), cross(0, 1)}};
    }

    const Model& model_;
    int n_;
    Graph graph_;
    Derivatives derivatives_;
};

/// Whether a force on a coordinate of one frictional contact names a velocity that only another one has
/// (CB14, hypothesis (iii)).
bool couples_velocities(const Model& model)
{
    std::vector<int> owner(static_cast<std::size_t>(model.coordinates()), -1);
    for (int c = 0; c < model.contacts(); ++c) {
        if (model.dimension(c) == 1) continue;
        for (const int i : model.support(c)) {
            owner[static_cast<std::size_t>(i)] = c;
        }
    }
    const auto& forces = model.system().forces;
    for (std::size_t i = 0; i < forces.size(); ++i) {
        for (const Term& term : forces[i].terms()) {
            for (const Variable& variable : term.variables()) {
                if (variable.kind != Kind::Velocity || owner[i] < 0) continue;
                const int other = owner[static_cast<std::size_t>(variable.index)];
                if (other >= 0 && other != owner[i]) return true;
            }
        }
    }
    return false;
}

}  // namespace

SeriesSystem::SeriesSystem(const Model& model, int with_order)
    : coordinates(model.coordinates()), order(with_order)
{
    velocity_coupling = couples_velocities(model);
    Symbolic symbolic(model);
    symbolic.dynamics(*this, order);
    analytic = dynamics.tape.switches().empty();
    for (int c = 0; c < model.contacts(); ++c) {
        contacts.push_back(symbolic.contact(c, order));
        analytic = analytic && contacts.back().gap.tape.switches().empty();
        for (const SeriesProgram& rows : contacts.back().rows) {
            analytic = analytic && rows.tape.switches().empty();
        }
    }
}

}  // namespace carom::detail
