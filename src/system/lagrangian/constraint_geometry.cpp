#include "system/lagrangian/constraint_geometry.hpp"
#include "carom/system/lagrangian/lagrangian_system.hpp"
#include "expression/derivative.hpp"
#include "expression/program.hpp"
#include "expression/term.hpp"

#include <set>

namespace carom {
namespace {

using Kind = Variable::Kind;

std::vector<int> coordinates_named(const Constraint& constraint)
{
    std::set<int> named;
    for (const auto* formulas : {&constraint.zero, &constraint.velocity}) {
        for (const Formula& formula : *formulas) {
            for (const Term& term : formula.terms()) {
                for (const Variable& variable : term.variables()) {
                    if (variable.kind != Kind::Time) named.insert(variable.index);
                }
            }
        }
    }
    return {named.begin(), named.end()};
}

/// Rows of formulas. Everything that rows share is evaluated once.
class FormulaGeometry final : public ConstraintGeometry {
public:
    explicit FormulaGeometry(const Constraint& constraint)
        : support_(coordinates_named(constraint)),
          positions_(static_cast<int>(constraint.zero.size())),
          velocities_(static_cast<int>(constraint.velocity.size()))
    {
        for (const int coordinate : support_) {
            q_.push_back({Kind::Coordinate, coordinate});
            u_.push_back({Kind::Velocity, coordinate});
        }
        Graph g;
        std::vector<int> phi, H, b;
        constexpr Variable time{Kind::Time, 0};
        for (const Formula& formula : constraint.zero) {
            phi.push_back(add_formula(g, formula));
            const auto row = gradient(g, phi.back(), q_);
            H.insert(H.end(), row.begin(), row.end());
            b.push_back(gradient(g, phi.back(), {&time, 1}).front());
        }
        for (const Formula& formula : constraint.velocity) {
            add_velocity(g, formula, H, b);
        }
        violations_ = {g, phi};
        H.insert(H.end(), b.begin(), b.end());
        rows_ = {g, H};
    }

    [[nodiscard]] std::span<const int> support() const noexcept override { return support_; }
    [[nodiscard]] int positions() const noexcept override { return positions_; }
    [[nodiscard]] int velocities() const noexcept override { return velocities_; }

    void violations(const Point& at, std::span<double> phi, Workspace& work) const override
    {
        violations_.run(at, work, phi);
    }
    void rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const override
    {
        rows_.run(at, work, H, b);
    }

private:
    /// An affine function of the velocities: its derivatives, and its value at rest.
    void add_velocity(Graph& g, const Formula& velocity, std::vector<int>& H, std::vector<int>& b) const
    {
        Graph own;
        const int value = add_formula(own, velocity);
        const int zero = g.constant(0);
        const NodeOfVariable at_rest = [&](const Variable& v) {
            return v.kind == Kind::Velocity ? zero : g.variable(v);
        };
        for (const int derivative : gradient(own, value, u_)) {
            H.push_back(copy_node(own, derivative, g, at_rest));
        }
        b.push_back(copy_node(own, value, g, at_rest));
    }

    std::vector<int> support_;
    int positions_, velocities_;
    std::vector<Variable> q_, u_;
    Program violations_, rows_;  ///< of rows: H row by row, then b
};

}  // namespace

std::shared_ptr<const ConstraintGeometry> geometry_of(const Constraint& constraint)
{
    return constraint.geometry ? constraint.geometry : std::make_shared<FormulaGeometry>(constraint);
}

std::vector<ConstraintPart> parts_of(const Constraint& constraint, int number, int positions, int velocities)
{
    std::vector<ConstraintPart> parts;
    for (int i = 0; i < positions; ++i) {
        parts.push_back({.constraint = number, .row = i, .held = true});
    }
    if (constraint.is_firm()) {
        for (int i = 0; i < velocities; ++i) {
            parts.push_back({.constraint = number, .row = positions + i});
        }
        return parts;
    }
    // the sum of intervals is an interval; other sums are split
    const int summands = velocities == 1 ? 1 : static_cast<int>(constraint.limits.size());
    for (int k = 0; k < summands; ++k) {
        parts.push_back({.constraint = number, .row = positions, .dimension = velocities, .limit = k});
    }
    return parts;
}

}  // namespace carom
