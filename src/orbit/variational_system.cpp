#include "variational_system.hpp"

#include "system/lagrangian/contact_expressions.hpp"

#include <algorithm>
#include <set>

namespace carom::detail {

using VariableKind = Variable::Kind;

VariationalSystem::VariationalSystem(const SceneSymbols& symbols, const Model& model)
    : n_(model.coordinates()),
      parameters_(static_cast<int>(symbols.parameters.size())),
      first_symbol_(symbols.first_symbol),
      values_(symbols.values)
{
    for (int c = 0; c < model.contacts(); ++c) {
        reactions_ += model.dimension(c);
    }
    extended_ = reaction_at(reactions_);
    for (const VariableKind kind : {VariableKind::Coordinate, VariableKind::Velocity}) {
        for (int i = 0; i < n_; ++i) {
            x_.push_back({kind, i});
        }
    }
    for (int k = 0; k < parameters_; ++k) {
        x_.push_back({VariableKind::Coordinate, first_symbol_ + k});
    }
    x_and_t_ = x_;
    x_and_t_.push_back({VariableKind::Time, 0});

    add_dynamics(symbols.system);
    for (int c = 0; c < model.contacts(); ++c) {
        add_contact(symbols.system.contacts[static_cast<std::size_t>(c)], c, model);
    }
    impact_map = symbols.impact_map;
    map_restitution = symbols.map_restitution;
    has_map_of_formulas = !symbols.map_after.empty();
    if (has_map_of_formulas) map_after = functions_of(symbols.map_after);
    add_switches();
}

VariationalSystem::Place VariationalSystem::place(double t_s, const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& u) const
{
    Place place{.q = std::vector<double>(static_cast<std::size_t>(extended_), 0.0),
                .u = std::vector<double>(static_cast<std::size_t>(extended_), 0.0),
                .t_s = t_s};
    std::copy(q.data(), q.data() + n_, place.q.begin());
    std::copy(u.data(), u.data() + n_, place.u.begin());
    std::ranges::copy(values_, place.q.begin() + first_symbol_);
    return place;
}

Differentiated VariationalSystem::functions_of(const std::vector<Formula>& formulas)
{
    std::vector<int> nodes;
    for (const Formula& formula : formulas) {
        nodes.push_back(add_formula(graph_, formula));
    }
    return {graph_, nodes, x_and_t_};
}

/// The rate of U_N where accelerations are zero.
Differentiated VariationalSystem::curvature_of(int contact)
{
    return {graph_, {contacts[static_cast<std::size_t>(contact)].U_N_rate_node}, x_and_t_};
}

/// The derivative along the motion, accelerations being variables.
int VariationalSystem::along_motion(int node)
{
    const auto slopes = gradient(graph_, node, x_and_t_);
    int sum = slopes.back();
    for (int i = 0; i < n_; ++i) {
        const auto index = static_cast<std::size_t>(i);
        sum = graph_.add(sum, graph_.multiply(slopes[index], variable(VariableKind::Velocity, i)));
        sum = graph_.add(sum, graph_.multiply(slopes[index + static_cast<std::size_t>(n_)], acceleration(i)));
    }
    return sum;
}

void VariationalSystem::add_slopes(Block& block, std::vector<Entry>& entries, int row, int node,
                                   bool with_velocities)
{
    const auto slopes = gradient(graph_, node, x_);
    for (std::size_t column = 0; column < slopes.size(); ++column) {
        const bool velocity = x_[column].kind == VariableKind::Velocity;
        if (graph_.is_constant(slopes[column], 0) || (velocity && !with_velocities)) continue;
        entries.push_back({row, static_cast<int>(column), static_cast<int>(block.nodes.size())});
        block.nodes.push_back(slopes[column]);
    }
}

/// Lagrange's equations as (d/dt dT/du - dT/dq) = forces: A a + velocity terms (LS-1), (LS-2).
void VariationalSystem::add_dynamics(const LagrangianSystem& system)
{
    const int T = add_formula(graph_, system.kinetic), V = add_formula(graph_, system.potential);
    const auto T_x = gradient(graph_, T, x_), V_x = gradient(graph_, V, x_);
    std::vector<int> A_w, balance_rows;
    for (int i = 0; i < n_; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const int momentum = T_x[index + static_cast<std::size_t>(n_)];
        int balance = graph_.subtract(T_x[index], V_x[index]);
        if (!system.forces.empty()) {
            balance = graph_.add(balance, add_formula(graph_, system.forces[index]));
        }
        balance = graph_.subtract(balance, along_motion(momentum));
        add_slopes(dynamics, dynamics.x, i, balance);
        roots_.push_back(balance);
        balance_rows.push_back(balance);

        const auto entries = gradient(graph_, momentum, x_);
        int sum = graph_.constant(0);
        for (int j = 0; j < n_; ++j) {
            const int entry = entries[static_cast<std::size_t>(n_ + j)];
            if (graph_.is_constant(entry, 0)) continue;
            dynamics.A.push_back({i, j, static_cast<int>(dynamics.nodes.size())});
            dynamics.nodes.push_back(entry);
            sum = graph_.add(sum, graph_.multiply(entry, acceleration(j)));
        }
        A_w.push_back(sum);
    }
    kinetic = Differentiated(graph_, A_w, x_and_t_);
    balances = Differentiated(graph_, balance_rows, x_and_t_);
}

void VariationalSystem::add_contact(const Contact& text, int c, const Model& model)
{
    ContactFunctions& contact = contacts.emplace_back();
    contact.dimension = model.dimension(c);
    contact.offset = model.offset(c);
    contact.support.assign(model.support(c).begin(), model.support(c).end());
    contact.friction = text.friction.has_value();
    int mu = graph_.constant(0), mu_static = mu, e_T = mu;
    if (text.friction) {
        contact.rough = std::holds_alternative<FrictionRough>(text.friction->shape);
        if (const auto* interval = std::get_if<FrictionInterval>(&text.friction->shape)) {
            contact.low = interval->low;
            contact.high = interval->high;
        }
        mu = add_formula(graph_, text.friction->coefficient);
        mu_static =
            text.friction->static_coefficient ? add_formula(graph_, *text.friction->static_coefficient) : mu;
        e_T = add_formula(graph_, text.friction->tangential_restitution);
    }
    std::vector<TangentAxis> frames{TangentAxis::X};
    if (contact.dimension == 3 && text.particle && text.particle->tangent.empty()) {
        frames.push_back(TangentAxis::Y);
    }
    for (const TangentAxis axis : frames) {
        add_frame(text, axis, contact);
    }
    const int e = add_formula(graph_, text.restitution);
    contact.coefficients = Differentiated(graph_, {mu, mu_static, e, e_T}, x_and_t_);
}

void VariationalSystem::add_frame(const Contact& text, TangentAxis axis, ContactFunctions& contact)
{
    const ContactExpressions expressions(graph_, text, contact.support, axis);
    if (contact.frames.empty()) {
        contact.gap_node = expressions.gap;
        contact.gap = Differentiated(graph_, {expressions.gap}, x_and_t_);
    }
    Block& block = contact.frames.emplace_back();
    std::vector<int> U, HT_r(static_cast<std::size_t>(n_), graph_.constant(0));
    for (int row = 0; row < contact.dimension; ++row) {
        const auto& H = expressions.H[static_cast<std::size_t>(row)];
        int sum = expressions.b[static_cast<std::size_t>(row)];
        for (std::size_t s = 0; s < contact.support.size(); ++s) {
            if (graph_.is_constant(H[s], 0)) continue;
            const int i = contact.support[s];
            sum = graph_.add(sum, graph_.multiply(H[s], variable(VariableKind::Velocity, i)));
            int& force = HT_r[static_cast<std::size_t>(i)];
            force = graph_.add(force, graph_.multiply(H[s], reaction(contact.offset + row)));
            block.H.push_back({row, i, static_cast<int>(block.nodes.size())});
            block.nodes.push_back(H[s]);
        }
        U.push_back(sum);
        const int rate = along_motion(sum);
        if (row == 0) contact.U_N_rate_node = rate;
        roots_.push_back(rate);
        add_slopes(block, block.c_x, row, rate);
    }
    for (int i = 0; i < n_; ++i) {
        add_slopes(block, block.HT_x, i, HT_r[static_cast<std::size_t>(i)], false);
    }
    contact.U.emplace_back(graph_, U, x_and_t_);
    contact.HT_r.emplace_back(graph_, HT_r, x_and_t_);
    if (!text.friction || contact.rough) {
        if (contact.dimension == 3) {
            contact.sliding.emplace_back();
            contact.onset.emplace_back();
        }
        return;
    }
    const int mu = add_formula(graph_, text.friction->coefficient);
    roots_.push_back(mu);
    if (contact.dimension == 3) {
        add_sliding(U, contact, mu);
        return;
    }
    block.mu.push_back({0, 0, static_cast<int>(block.nodes.size())});
    block.nodes.push_back(mu);
    add_slopes(block, block.bound_x, 0, graph_.multiply(mu, reaction(contact.offset)));
}

/// Slip in space: mu r_N U_T / |U_T|.
void VariationalSystem::add_sliding(const std::vector<int>& U, ContactFunctions& contact, int mu)
{
    Block& block = contact.sliding.emplace_back();
    const int square = graph_.add(graph_.multiply(U[1], U[1]), graph_.multiply(U[2], U[2]));
    const int speed = graph_.function(Op::Sqrt, square);
    for (int i = 0; i < 2; ++i) {
        const int direction = graph_.multiply(mu, graph_.divide(U[static_cast<std::size_t>(i) + 1], speed));
        block.slip_r.push_back({i, 0, static_cast<int>(block.nodes.size())});
        block.nodes.push_back(direction);
        add_slopes(block, block.slip_x, i, graph_.multiply(direction, reaction(contact.offset)));
    }
    // where U_T is zero its direction is that of friction (OR-25)
    Block& onset = contact.onset.emplace_back();
    onset.nodes = {U[1], U[2], mu};
    for (int i = 0; i < 2; ++i) {
        add_slopes(onset, onset.slip_x, i, U[static_cast<std::size_t>(i) + 1]);
    }
    add_slopes(onset, onset.bound_x, 0, graph_.multiply(mu, reaction(contact.offset)));
}

/// What choosing functions compare: x of abs and sign, x - y of the others (PS-2).
void VariationalSystem::add_switches()
{
    std::set<int> found;
    for (const int node : needed_by(graph_, roots_)) {
        const Instruction it = graph_[node];
        switch (it.op) {
        case Op::Abs:
        case Op::Sign: found.insert(it.a); break;
        case Op::Min:
        case Op::Max:
        case Op::Less:
        case Op::LessEqual: found.insert(graph_.subtract(it.a, it.b)); break;
        default: break;
        }
    }
    switches = Differentiated(graph_, {found.begin(), found.end()}, x_and_t_);
}

}  // namespace carom::detail
