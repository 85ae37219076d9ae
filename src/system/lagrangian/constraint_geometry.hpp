#pragma once

#include "carom/system/lagrangian/model.hpp"

#include <memory>
#include <span>
#include <vector>

namespace carom {

/// Where the rows of a constraint come from, when it is not from formulas: joints of bodies, for example.
/// Constant during a run.
class ConstraintGeometry {
public:
    virtual ~ConstraintGeometry() = default;

    /// The coordinates that it names, sorted.
    [[nodiscard]] virtual std::span<const int> support() const noexcept = 0;

    /// Rows phi whose position is held, and rows of velocities after them.
    [[nodiscard]] virtual int positions() const noexcept = 0;
    [[nodiscard]] virtual int velocities() const noexcept = 0;
    [[nodiscard]] int size() const noexcept { return positions() + velocities(); }

    /// phi(q,t), one entry per held position.
    virtual void violations(const Point& at, std::span<double> phi, Workspace& work) const = 0;

    /// U = H u + b: H row by row, each in the order of support(), and one b per row.
    virtual void rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const = 0;
};

/// The rows of the formulas of a constraint, by differentiation.
[[nodiscard]] std::shared_ptr<const ConstraintGeometry> geometry_of(const Constraint& constraint);

/// The parts of a constraint in the order of its rows. Firm rows are parts of their own, so that any number
/// of them is a problem of numbers; a sum of sets is one part per summand, all with the same rows: a
/// reaction of the sum is a sum of reactions (CO-7).
[[nodiscard]] std::vector<ConstraintPart> parts_of(const Constraint& constraint, int number, int positions,
                                                   int velocities);

}  // namespace carom
