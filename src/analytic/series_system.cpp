#include "series_system.hpp"

#include "expression/derivative.hpp"
#include "expression/term.hpp"
#include "system/lagrangian/contact_expressions.hpp"

#include <algorithm>
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
    int by(int node, Kind kind, int index = 0) { return derivatives_.of(node, {kind, index}); }

    void dynamics(SeriesSystem& system, int order)
    {
        const LagrangianSystem& text = model_.system();
        const int T = add_formula(graph_, text.kinetic), V = add_formula(graph_, text.potential);
        std::vector<int> K, F, A;
        for (int i = 0; i < n_; ++i) {
            F.push_back(text.forces.empty() ? graph_.constant(0)
                                            : add_formula(graph_, text.forces[static_cast<std::size_t>(i)]));
            K.push_back(graph_.subtract(F.back(), by(V, Kind::Coordinate, i)));
            const int momentum = by(T, Kind::Velocity, i);
            for (int j = i; j < n_; ++j) {
                const int entry = by(momentum, Kind::Velocity, j);
                if (graph_.is_constant(entry, 0)) continue;
                A.push_back(entry);
                system.entries.push_back({.i = i, .j = j, .constant = graph_.is_constant(entry)});
            }
        }
        add_velocity_terms(system.entries, A, K);
        std::vector<int> outputs = K;
        outputs.insert(outputs.end(), F.begin(), F.end());
        outputs.push_back(by(V, Kind::Time));
        outputs.insert(outputs.end(), A.begin(), A.end());
        system.dynamics = SeriesProgram(graph_, outputs, n_, order);
    }

    /// K_i += sum (1/2 dA_jk/dq_i - dA_ij/dq_k) u_j u_k, collected by products of velocities, so that equal
    /// derivatives of A cancel before they are computed.
    void add_velocity_terms(const std::vector<SeriesSystem::Entry>& entries, const std::vector<int>& A,
                            std::vector<int>& K)
    {
        std::map<std::array<int, 3>, std::map<int, double>> parts;  // (i, j <= k): node and its factor
        const auto add = [&](int i, int j, int k, int node, double factor) {
            parts[{i, std::min(j, k), std::max(j, k)}][node] += factor;
        };
        for (std::size_t entry = 0; entry < entries.size(); ++entry) {
            const auto [j, k, constant] = entries[entry];
            for (int l = 0; l < n_ && !constant; ++l) {
                const int slope = by(A[entry], Kind::Coordinate, l);
                if (graph_.is_constant(slope, 0)) continue;
                add(l, j, k, slope, j == k ? 0.5 : 1);
                add(j, k, l, slope, -1);
                if (j != k) add(k, j, l, slope, -1);
            }
        }
        for (const auto& [place, slopes] : parts) {
            const auto [i, j, k] = place;
            int sum = graph_.constant(0);
            for (const auto& [node, factor] : slopes) {
                if (factor != 0) sum = graph_.add(sum, graph_.multiply(graph_.constant(factor), node));
            }
            if (graph_.is_constant(sum, 0)) continue;
            const int product = graph_.multiply(variable({Kind::Velocity, j}), variable({Kind::Velocity, k}));
            int& K_i = K[static_cast<std::size_t>(i)];
            K_i = graph_.add(K_i, graph_.multiply(sum, product));
        }
    }

    ContactPrograms contact(int c, int order)
    {
        const Contact& text = model_.system().contacts[static_cast<std::size_t>(c)];
        ContactPrograms result;
        result.dimension = model_.dimension(c);
        result.support.assign(model_.support(c).begin(), model_.support(c).end());
        if (text.friction) friction(*text.friction, result);

        // in space tangents follow the x axis, and the y axis where the normal is nearly along x (CF-3)
        std::vector<TangentAxis> frames{TangentAxis::X};
        if (result.dimension == 3 && text.particle && text.particle->tangent.empty()) {
            frames.push_back(TangentAxis::Y);
        }
        for (const TangentAxis axis : frames) {
            const ContactExpressions expressions(graph_, text, result.support, axis);
            if (result.rows.empty()) {
                result.gap = SeriesProgram(graph_, std::array{expressions.gap}, n_, order);
            }
            add_rows(expressions, text, order, result);
        }
        return result;
    }

private:
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
    void add_rows(const ContactExpressions& expressions, const Contact& text, int order,
                  ContactPrograms& result)
    {
        std::vector<int> outputs, gamma, b;
        for (int row = 0; row < result.dimension; ++row) {
            const auto index = static_cast<std::size_t>(row);
            int rate = derivatives_.along_motion(expressions.b[index]);
            for (std::size_t k = 0; k < result.support.size(); ++k) {
                const int entry = expressions.H[index][k];
                outputs.push_back(entry);
                const int turning = derivatives_.along_motion(entry);
                const int velocity = variable({Kind::Velocity, result.support[k]});
                rate = graph_.add(rate, graph_.multiply(turning, velocity));
            }
            gamma.push_back(rate);
            b.push_back(expressions.b[index]);
        }
        outputs.insert(outputs.end(), gamma.begin(), gamma.end());
        outputs.insert(outputs.end(), b.begin(), b.end());
        if (text.friction) {
            const Formula& moving = text.friction->coefficient;
            outputs.push_back(add_formula(graph_, moving));
            outputs.push_back(add_formula(graph_, text.friction->static_coefficient.value_or(moving)));
        }
        result.normal_x = static_cast<int>(outputs.size());
        outputs.push_back(expressions.normal_x);
        result.rows.emplace_back(graph_, outputs, n_, order);
    }

    const Model& model_;
    int n_;
    Graph graph_;
    Derivatives derivatives_;
};

/// Whether, in a system with friction, a force on a coordinate of one contact names a velocity that only
/// another one has (CB14, hypothesis (iii): over all particles in contact, with friction or without).
bool couples_velocities(const Model& model)
{
    bool rubs = false;
    std::vector<int> owner(static_cast<std::size_t>(model.coordinates()), -1);
    for (int c = 0; c < model.contacts(); ++c) {
        rubs = rubs || model.dimension(c) > 1;
        for (const int i : model.support(c)) {
            owner[static_cast<std::size_t>(i)] = c;
        }
    }
    if (!rubs) return false;
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
