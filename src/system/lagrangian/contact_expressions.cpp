#include "system/lagrangian/contact_expressions.hpp"
#include "expression/term.hpp"

#include <algorithm>
#include <set>

namespace carom {
namespace {

using Kind = Variable::Kind;

constexpr Variable time{Kind::Time, 0};

}  // namespace

ContactExpressions::ContactExpressions(Graph& graph, const Contact& contact, std::span<const int> support,
                                       TangentAxis axis)
    : g_(graph), contact_(contact), axis_(axis), zero_(graph.constant(0))
{
    normal_x = zero_;
    for (const int coordinate : support) {
        coordinates_.push_back({Kind::Coordinate, coordinate});
        velocities_.push_back({Kind::Velocity, coordinate});
    }
    if (contact.particle) {
        add_particle(*contact.particle);
    } else {
        add_gap_and_sliding();
    }
}

void ContactExpressions::add_gap_and_sliding()
{
    gap = add_formula(g_, contact_.gap);
    H.push_back(gradient(g_, gap, coordinates_));
    b.push_back(gradient(g_, gap, {&time, 1}).front());
    for (int k = 1; k < contact_.dimension(); ++k) {
        add_sliding(contact_.sliding[k - 1]);
    }
}

/// An affine function of the velocities: its derivatives, and its value at rest.
void ContactExpressions::add_sliding(const Formula& sliding)
{
    Graph own;
    const int value = add_formula(own, sliding);
    const NodeOfVariable at_rest = [&](const Variable& v) {
        return v.kind == Kind::Velocity ? zero_ : g_.variable(v);
    };
    auto& row = H.emplace_back();
    for (const int derivative : gradient(own, value, velocities_)) {
        row.push_back(copy_node(own, derivative, g_, at_rest));
    }
    b.push_back(copy_node(own, value, g_, at_rest));
}

/// (CF-2): U_N = n.x' + (df/dt) / |grad f|,  U_T = t.(x' - w)  with  x' = dx/dq u + dx/dt.
void ContactExpressions::add_particle(const ContactParticle& particle)
{
    // position and its derivatives
    const auto d = particle.position.size();
    Space x{zero_, zero_, zero_}, x_t{zero_, zero_, zero_};
    std::vector<std::vector<int>> x_q;
    for (std::size_t k = 0; k < d; ++k) {
        x[k] = add_formula(g_, particle.position[k]);
        x_q.push_back(gradient(g_, x[k], coordinates_));
        x_t[k] = gradient(g_, x[k], {&time, 1}).front();
    }

    // the surface there, differentiated in the place and in time
    Graph own;
    const int f = add_formula(own, particle.surface);
    const std::array<Variable, 4> places{Variable{Kind::Coordinate, 0}, Variable{Kind::Coordinate, 1},
                                         Variable{Kind::Coordinate, 2}, time};
    const auto f_x = gradient(own, f, places);
    // what is no place is a parameter that is kept as a symbol (scene/symbols.hpp)
    const NodeOfVariable at_x = [&](const Variable& v) {
        const bool is_place = v.kind == Kind::Coordinate && v.index < 3;
        return is_place ? x[static_cast<std::size_t>(v.index)] : g_.variable(v);
    };
    Space n{};
    for (std::size_t k = 0; k < 3; ++k) {
        n[k] = copy_node(own, f_x[k], g_, at_x);
    }
    const int size = g_.function(Op::Sqrt, dot(n, n));
    for (int& component : n) {
        component = g_.divide(component, size);
    }
    normal_x = n[0];
    gap = g_.divide(copy_node(own, f, g_, at_x), size);

    // frame and velocity of the obstacle
    const Space w = values(particle.obstacle_velocity, at_x);
    std::vector<Space> frame{n};
    if (contact_.friction) add_tangents(n, d, values(particle.tangent, at_x), frame);
    for (std::size_t i = 0; i < frame.size(); ++i) {
        const int drift = dot(frame[i], x_t);
        const int own_speed =
            i == 0 ? g_.divide(copy_node(own, f_x[3], g_, at_x), size) : g_.negate(dot(frame[i], w));
        b.push_back(g_.add(own_speed, drift));
        auto& row = H.emplace_back();
        for (std::size_t j = 0; j < coordinates_.size(); ++j) {
            Space column{zero_, zero_, zero_};
            for (std::size_t k = 0; k < d; ++k) {
                column[k] = x_q[k][j];
            }
            row.push_back(dot(frame[i], column));
        }
    }
}

/// (CF-3): in the plane t is n turned clockwise, so that above a floor it points to the right. In space
/// t1 is the tangential part of the direction asked for, or else of the x axis, or of the y axis where n
/// is nearly along x; t2 = n x t1.
void ContactExpressions::add_tangents(const Space& n, std::size_t d, const Space& asked,
                                      std::vector<Space>& frame)
{
    if (d == 2) {
        frame.push_back({n[1], g_.negate(n[0]), zero_});
        return;
    }
    Space along = contact_.particle->tangent.empty() ? direction_of_t1(n) : asked;
    const int normal = dot(along, n);
    for (std::size_t k = 0; k < 3; ++k) {
        along[k] = g_.subtract(along[k], g_.multiply(normal, n[k]));
    }
    const int length = g_.function(Op::Sqrt, dot(along, along));
    for (int& component : along) {
        component = g_.divide(component, length);
    }
    frame.push_back(along);
    frame.push_back(cross(n, along));
}

ContactExpressions::Space ContactExpressions::direction_of_t1(const Space& n)
{
    const int one = g_.constant(1);
    if (axis_ == TangentAxis::X) return {one, zero_, zero_};
    if (axis_ == TangentAxis::Y) return {zero_, one, zero_};
    const int leans = g_.function(Op::Less, g_.function(Op::Abs, n[0]), g_.constant(0.9));
    return {g_.function(Op::Select, leans, one, zero_), g_.function(Op::Select, leans, zero_, one), zero_};
}

int ContactExpressions::dot(const Space& x, const Space& y)
{
    return g_.add(g_.add(g_.multiply(x[0], y[0]), g_.multiply(x[1], y[1])), g_.multiply(x[2], y[2]));
}

ContactExpressions::Space ContactExpressions::cross(const Space& x, const Space& y)
{
    const auto component = [&](int i, int j) {
        return g_.subtract(g_.multiply(x[i], y[j]), g_.multiply(x[j], y[i]));
    };
    return {component(1, 2), component(2, 0), component(0, 1)};
}

ContactExpressions::Space ContactExpressions::values(std::span<const Formula> formulas,
                                                     const NodeOfVariable& at_x)
{
    Space result{zero_, zero_, zero_};
    for (std::size_t k = 0; k < formulas.size(); ++k) {
        result[k] = add_formula(g_, formulas[k], at_x);
    }
    return result;
}

std::vector<int> support_of(const Contact& contact)
{
    std::set<int> named;
    const auto add = [&](const Formula& formula) {
        for (const Term& term : formula.terms()) {
            for (const Variable& variable : term.variables()) {
                if (variable.kind != Kind::Time) named.insert(variable.index);
            }
        }
    };
    if (contact.particle) {
        std::ranges::for_each(contact.particle->position, add);
    } else {
        add(contact.gap);
        if (contact.friction) std::ranges::for_each(contact.sliding, add);
    }
    return {named.begin(), named.end()};
}

}  // namespace carom
