#include "carom/model/contact_geometry.hpp"

#include "carom/expression/derivative.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace carom {
namespace {

using Kind = Variable::Kind;
using Space = std::array<int, 3>;  ///< nodes; in the plane the third one is zero

constexpr Variable time{Kind::Time, 0};

/// What the rows are built from, written into one graph.
class Rows {
public:
    Rows(const Contact& contact, std::span<const int> support) : contact_(contact)
    {
        zero_ = g_.constant(0);
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

    [[nodiscard]] Program gap() const { return {g_, {&gap_, 1}}; }

    /// The first d rows of H, then as many b.
    [[nodiscard]] Program rows(int d) const
    {
        std::vector<int> results;
        for (int i = 0; i < d; ++i) {
            results.insert(results.end(), H_[i].begin(), H_[i].end());
        }
        results.insert(results.end(), b_.begin(), b_.begin() + d);
        return {g_, results};
    }

private:
    void add_gap_and_sliding()
    {
        gap_ = add_formula(g_, contact_.gap);
        H_.push_back(gradient(g_, gap_, coordinates_));
        b_.push_back(gradient(g_, gap_, {&time, 1}).front());
        for (int k = 1; k < contact_.dimension(); ++k) {
            add_sliding(contact_.sliding[k - 1]);
        }
    }

    /// An affine function of the velocities: its derivatives, and its value at rest.
    void add_sliding(const Formula& sliding)
    {
        Graph own;
        const int value = add_formula(own, sliding);
        const NodeOfVariable at_rest = [&](const Variable& v) {
            return v.kind == Kind::Velocity ? zero_ : g_.variable(v);
        };
        auto& row = H_.emplace_back();
        for (const int derivative : gradient(own, value, velocities_)) {
            row.push_back(copy_node(own, derivative, g_, at_rest));
        }
        b_.push_back(copy_node(own, value, g_, at_rest));
    }

    /// (CF-2): U_N = n.x' + (df/dt) / |grad f|,  U_T = t.(x' - w)  with  x' = dx/dq u + dx/dt.
    void add_particle(const ContactParticle& particle)
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
        const NodeOfVariable at_x = [&](const Variable& v) {
            return v.kind == Kind::Coordinate ? x[static_cast<std::size_t>(v.index)] : g_.variable(v);
        };
        Space n{};
        for (std::size_t k = 0; k < 3; ++k) {
            n[k] = copy_node(own, f_x[k], g_, at_x);
        }
        const int size = g_.function(Op::Sqrt, dot(n, n));
        for (int& component : n) {
            component = g_.divide(component, size);
        }
        gap_ = g_.divide(copy_node(own, f, g_, at_x), size);

        // frame and velocity of the obstacle
        const Space w = values(particle.obstacle_velocity, at_x);
        std::vector<Space> frame{n};
        if (contact_.friction) add_tangents(n, d, values(particle.tangent, at_x), frame);
        for (std::size_t i = 0; i < frame.size(); ++i) {
            const int drift = dot(frame[i], x_t);
            const int own_speed =
                i == 0 ? g_.divide(copy_node(own, f_x[3], g_, at_x), size) : g_.negate(dot(frame[i], w));
            b_.push_back(g_.add(own_speed, drift));
            auto& row = H_.emplace_back();
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
    void add_tangents(const Space& n, std::size_t d, const Space& asked, std::vector<Space>& frame)
    {
        if (d == 2) {
            frame.push_back({n[1], g_.negate(n[0]), zero_});
            return;
        }
        Space along = asked;
        if (contact_.particle->tangent.empty()) {
            const int one = g_.constant(1);
            const int steep = g_.function(Op::Less, g_.function(Op::Abs, n[0]), g_.constant(0.9));
            along = {g_.function(Op::Select, steep, one, zero_), g_.function(Op::Select, steep, zero_, one),
                     zero_};
        }
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

    int dot(const Space& a, const Space& b)
    {
        return g_.add(g_.add(g_.multiply(a[0], b[0]), g_.multiply(a[1], b[1])), g_.multiply(a[2], b[2]));
    }

    Space cross(const Space& a, const Space& b)
    {
        const auto component = [&](int i, int j) {
            return g_.subtract(g_.multiply(a[i], b[j]), g_.multiply(a[j], b[i]));
        };
        return {component(1, 2), component(2, 0), component(0, 1)};
    }

    Space values(std::span<const Formula> formulas, const NodeOfVariable& at_x)
    {
        Space result{zero_, zero_, zero_};
        for (std::size_t k = 0; k < formulas.size(); ++k) {
            result[k] = add_formula(g_, formulas[k], at_x);
        }
        return result;
    }

    const Contact& contact_;
    Graph g_;
    int zero_ = 0, gap_ = 0;
    std::vector<Variable> coordinates_, velocities_;
    std::vector<std::vector<int>> H_;
    std::vector<int> b_;
};

/// The coordinates that a contact names, sorted.
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

}  // namespace

ContactGeometry::ContactGeometry(const Contact& contact) : support_(support_of(contact))
{
    const Rows rows(contact, support_);
    gap_ = rows.gap();
    normal_row_ = rows.rows(1);
    rows_ = rows.rows(contact.dimension());
}

double ContactGeometry::gap_m(const Point& at, Workspace& work) const
{
    return gap_.value(at, work);
}

void ContactGeometry::rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const
{
    (b.size() == 1 ? normal_row_ : rows_).run(at, work, H, b);
}

}  // namespace carom
