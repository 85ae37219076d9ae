#pragma once

#include "carom/convex/convex_set.hpp"
#include "carom/expression/formula.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// Constraints that act in both directions, as the user describes them.
///
///     phi_i(q,t) = 0                    positions that stay zero (holonomic)
///     U_j = <alpha_j(q), u> + b_j(q,t)  velocities: zero where the constraint is firm (rolling, skates);
///     where
///                                       it is not, their reactions lambda are limited to a convex set
///     lambda in L(q) [ C_0 + sum mu_i(q,u,t) C_i + sum kappa_i(q,u,t) |R_N| C_i ]
///
/// and the reaction dissipates as much as the set allows (B02, constitutive hypothesis II).
///
/// Symbols    lambda  reaction per row, N where the row is a length, N m where it is an angle
///            R_N     reaction of the constraint that provides the normal force: the friction of a joint
/// Theory     docs/theory/constraints.md, (CO-1) holonomic, (CO-2) non-holonomic, (CO-6) non-firm, (CO-8)
///            friction
/// Papers     [Ballard 2002] 2, 4, 5, 6, 7

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

/// One summand of the set of reactions: size(q,u,t) times a set, and where another constraint provides the
/// normal force, times the magnitude of its reaction.
struct ReactionLimit {
    std::shared_ptr<const ConvexSet> set;  ///< contains the origin; bounded, or a cone
    Formula size = Formula::constant(1);   ///< mu_i or kappa_i, >= 0; not read for a cone
    std::string pressed_by = {};  ///< name of the constraint that provides the normal force; empty: none

    /// Coulomb's cone of the reactions as they are, |R_T| <= kappa |R_N|, instead of Ballard's generalised
    /// normal reaction (CO-9). Not every system has a convex set then; one tangential row only.
    bool real_world = false;
};

struct Constraint {
    std::string name;
    std::vector<Formula> zero = {};      ///< phi(q,t)
    std::vector<Formula> velocity = {};  ///< U, linear or affine in the velocities

    std::shared_ptr<const ConstraintGeometry> geometry = nullptr;  ///< instead of the formulas

    std::vector<ReactionLimit> limits = {};      ///< of the velocity rows; empty: firm
    std::vector<std::vector<Formula>> map = {};  ///< L(q) of the velocity rows; empty: the identity
    std::string only_while = {};                 ///< name of a contact: acts only where that one acts

    [[nodiscard]] bool is_firm() const noexcept { return limits.empty(); }
};

/// The rows of the formulas of a constraint, by differentiation.
[[nodiscard]] std::shared_ptr<const ConstraintGeometry> geometry_of(const Constraint& constraint);

/// An unknown reaction: one firm row of a constraint, or one summand of its set.
struct ConstraintPart {
    int constraint = 0;
    int row = 0;        ///< first of its rows among those of the constraint
    int dimension = 1;  ///< rows
    int limit = -1;     ///< which summand; all of them together where there is one row; -1: firm
    bool held = false;  ///< a position is held
};

/// The parts of a constraint in the order of its rows. Firm rows are parts of their own, so that any number
/// of them is a problem of numbers; a sum of sets is one part per summand, all with the same rows: a
/// reaction of the sum is a sum of reactions (CO-7).
[[nodiscard]] std::vector<ConstraintPart> parts_of(const Constraint& constraint, int number, int positions,
                                                   int velocities);

}  // namespace carom
