#include "check_constraints.hpp"

#include "core/mistake.hpp"
#include "expression/homogeneity.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "system/lagrangian/constraint_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace carom::detail {
namespace {

/// A start velocity may miss a firm constraint by this part of what meets there: the first step takes it out.
constexpr double velocity_tolerance = 1e-6;

/// Everything that can be wrong with one constraint, before numbers.
class ConstraintCheck {
public:
    ConstraintCheck(const LagrangianSystem& system, const Constraint& constraint, Errors& errors)
        : system_(system), constraint_(constraint), key_("constraint." + constraint.name), errors_(errors)
    {
        const auto* geometry = constraint.geometry.get();
        positions_ =
            geometry != nullptr ? static_cast<std::size_t>(geometry->positions()) : constraint.zero.size();
        velocities_ = geometry != nullptr ? static_cast<std::size_t>(geometry->velocities())
                                          : constraint.velocity.size();
    }

    void run()
    {
        if (positions_ + velocities_ == 0) {
            add(ErrorCode::MissingKey, "", "the constraint holds nothing",
                "give zero = [...], positions that stay zero, or velocity = [...]");
        }
        check_formulas();
        check_limits();
        check_map();
        check_condition();
    }

private:
    void add(ErrorCode code, const char* field, std::string message, std::string hint)
    {
        errors_.push_back(mistake(code, key_ + field, std::move(message), std::move(hint)));
    }

    void check_formulas()
    {
        for (const Formula& phi : constraint_.zero) {
            if (phi.depends_on(Variable::Kind::Velocity)) {
                add(ErrorCode::NotAllowedHere, ".zero", "a position that stays zero names a velocity",
                    "write conditions on velocities as velocity = [...]");
            } else if (!phi.depends_on(Variable::Kind::Coordinate)) {
                add(ErrorCode::GradientVanishes, ".zero", "a position that stays zero names no coordinate",
                    "a constraint needs coordinates that it can hold");
            }
        }
        for (const Formula& velocity : constraint_.velocity) {
            const bool affine = std::ranges::all_of(velocity.terms(), [](const Term& term) {
                return homogeneous_in_velocities(term, 0) || homogeneous_in_velocities(term, 1);
            });
            if (!affine) {
                add(ErrorCode::NotAllowedHere, ".velocity", "the velocity is not linear in the velocities",
                    "write it as a sum of velocities times functions of q and t");
            } else if (!velocity.depends_on(Variable::Kind::Velocity)) {
                add(ErrorCode::GradientVanishes, ".velocity", "the velocity names no velocity",
                    "write for example x' - r*phi'; positions go to zero = [...]");
            }
        }
    }

    void check_limits()
    {
        if (constraint_.is_firm()) return;
        if (velocities_ == 0) {
            add(ErrorCode::MissingKey, ".velocity", "reactions are limited, but there is no velocity",
                "give velocity = [...], the velocity that the limited reaction opposes");
        }
        if (velocities_ > static_cast<std::size_t>(max_components)) {
            add(ErrorCode::WrongSize, ".velocity",
                fmt::format("{} velocities share a set of reactions", velocities_),
                fmt::format("give at most {}", max_components));
        }
        for (const ReactionLimit& limit : constraint_.limits) {
            check_set(limit);
            if (!limit.pressed_by.empty()) check_pressing(limit);
            if (limit.real_world && velocities_ != 1) {
                add(ErrorCode::WrongSize, ".law",
                    "Coulomb's law on the actual reactions has one tangential direction here",
                    "give one velocity, or write kind = \"friction\"");
            }
        }
    }

    void check_set(const ReactionLimit& limit)
    {
        if (!limit.set || static_cast<std::size_t>(limit.set->dimension()) != velocities_) {
            add(ErrorCode::WrongSize, ".law",
                fmt::format("the set of reactions has {} components for {} velocities",
                            limit.set ? limit.set->dimension() : 0, velocities_),
                "give a set with one component per velocity");
            return;
        }
        const std::vector<double> none(velocities_, 0.0);
        if (!limit.set->contains(std::span<const double>(none), 1e-12)) {
            add(ErrorCode::SettingOutOfRange, ".law", "the set of reactions does not contain zero",
                "no reaction at all must be allowed: otherwise the constraint would drive the system");
        }
    }

    void check_pressing(const ReactionLimit& limit)
    {
        const auto pressing = std::ranges::find_if(
            system_.constraints, [&](const Constraint& other) { return other.name == limit.pressed_by; });
        if (pressing == system_.constraints.end()) {
            add(ErrorCode::UnknownName, ".law.normal",
                fmt::format("there is no constraint {} to supply the normal reaction", limit.pressed_by),
                "name a constraint that holds positions");
            return;
        }
        const std::size_t rows = pressing->geometry
                                     ? static_cast<std::size_t>(pressing->geometry->positions())
                                     : pressing->zero.size();
        if (rows == 0 || (limit.real_world && rows != 1)) {
            add(ErrorCode::WrongSize, ".law.normal",
                fmt::format("{} holds {} positions", limit.pressed_by, rows),
                limit.real_world ? "Coulomb's law on the actual reactions needs exactly one"
                                 : "name a constraint that holds positions");
        }
    }

    void check_map()
    {
        if (constraint_.map.empty()) return;
        const bool square =
            constraint_.map.size() == velocities_ &&
            std::ranges::all_of(constraint_.map, [&](const auto& row) { return row.size() == velocities_; });
        if (!square || constraint_.is_firm()) {
            add(ErrorCode::WrongSize, ".map",
                square ? "a firm constraint has no set to map"
                       : "the map is not a square matrix of the velocities",
                "give one row and one column per velocity, with a limited reaction");
        }
        for (const auto& row : constraint_.map) {
            for (const Formula& entry : row) {
                if (!entry.depends_on(Variable::Kind::Velocity)) continue;
                add(ErrorCode::NotAllowedHere, ".map", "the map names a velocity",
                    "it may depend on coordinates, parameters and t");
            }
        }
    }

    void check_condition()
    {
        if (constraint_.only_while.empty()) return;
        if (std::ranges::none_of(system_.contacts,
                                 [&](const Contact& c) { return c.name == constraint_.only_while; })) {
            add(ErrorCode::UnknownName, ".only_while",
                fmt::format("there is no contact {}", constraint_.only_while),
                "name a contact of the system");
        } else if (positions_ > 0) {
            add(ErrorCode::NotAllowedHere, ".only_while",
                "a constraint on positions cannot depend on a contact",
                "use only_while for velocities, as in rolling; positions are always held");
        }
    }

    const LagrangianSystem& system_;
    const Constraint& constraint_;
    std::string key_;
    Errors& errors_;
    std::size_t positions_ = 0, velocities_ = 0;
};

std::string field_of(const Model& model, int constraint, int row)
{
    return row < model.constraint(constraint).positions() ? ".zero" : ".velocity";
}

/// Numbers at the start: finite, held, and moving as the firm rows ask. False when ranks mean nothing.
bool check_rows(const Model& model, const State& state, double tolerance_m, int j, Errors& errors)
{
    Workspace work;
    const ConstraintGeometry& geometry = model.constraint(j);
    const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
    const std::string key = "constraint." + constraint.name;
    const auto rows = static_cast<std::size_t>(geometry.size());
    const auto support = geometry.support();
    std::vector<double> phi(static_cast<std::size_t>(geometry.positions())), H(rows * support.size()),
        b(rows);
    geometry.violations(point_of(state), phi, work);
    model.constraint_rows(j, point_of(state), H, b, work);
    bool good = true;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::string field = key + field_of(model, j, static_cast<int>(row));
        double U = b[row], met = std::abs(b[row]), length = 0;
        for (std::size_t p = 0; p < support.size(); ++p) {
            const double entry = H[row * support.size() + p];
            U += entry * state.u[support[p]];
            met += std::abs(entry * state.u[support[p]]);
            length = std::max(length, std::abs(entry));
        }
        const double position = row < phi.size() ? phi[row] : 0;
        if (!std::isfinite(position + U + length)) {
            errors.push_back(
                mistake(ErrorCode::NotFinite, field,
                        "the constraint or its gradient is infinite or not a number at the start",
                        "look for a division by zero or a root at the start values"));
            good = false;
            continue;
        }
        if (length == 0) {
            errors.push_back(mistake(ErrorCode::GradientVanishes, field,
                                     "the gradient of the constraint vanishes at the start",
                                     "write it so that it crosses zero with a slope, e.g. x instead of x^2"));
            good = false;
        }
        if (std::abs(position) > tolerance_m) {
            errors.push_back(
                mistake(ErrorCode::ConstraintViolated, field,
                        fmt::format("{} is {} at the start, not zero", constraint.name, position),
                        "start where the constraint is satisfied"));
            good = false;
        }
        const bool firm = row < phi.size() || (constraint.is_firm() && constraint.only_while.empty());
        if (firm && std::abs(U) > velocity_tolerance * met) {
            errors.push_back(
                mistake(ErrorCode::ConstraintViolated, field,
                        fmt::format("the start velocity violates {} by {:.6g}", constraint.name, U),
                        "start with velocities that the constraint allows"));
        }
    }
    return good;
}

/// Sizes of limits at the start; a finite h only scales them.
void check_limit_sizes(const Model& model, const State& state, int j, Errors& errors)
{
    Workspace work;
    const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
    for (const ReactionLimit& limit : constraint.limits) {
        const double size = limit.size.value(point_of(state), work);
        if (size >= 0 && std::isfinite(size)) continue;
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "constraint." + constraint.name + ".law",
                                 fmt::format("a limit of the reaction is {} at the start", size),
                                 "give numbers with low <= 0 <= high, friction and limits from 0 on"));
    }
}

void check_rank(const Model& model, const State& state, Errors& errors)
{
    const ConstraintRank found = diagnose_constraints(model, state);
    if (!found.singular) return;
    errors.push_back(mistake(
        ErrorCode::ConstraintsDependent, "constraint." + found.names.front(),
        fmt::format("the gradients of {} depend on each other at the start, rank {} of {}, and the positions "
                    "do not allow every velocity that the gradients allow: {}",
                    fmt::join(found.names, ", "), found.rank, found.rows,
                    found.has_solution
                        ? "a motion need not exist (B02 hypothesis I)"
                        : "the forces drive the system where it cannot go, there is no solution "
                          "(B02 counter-example 3)"),
        "write independent constraints for the same positions, or start elsewhere"));
}

}  // namespace

void check_constraints(const LagrangianSystem& system, Errors& errors)
{
    std::set<std::string> seen;
    for (const Constraint& constraint : system.constraints) {
        if (!seen.insert(constraint.name).second) {
            errors.push_back(
                mistake(ErrorCode::DuplicateName, fmt::format("constraint.{}.name", constraint.name),
                        fmt::format("two things are called {}", constraint.name), "give each its own name"));
        }
        ConstraintCheck(system, constraint, errors).run();
    }
    if (system.impact_map && !system.constraints.empty()) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "impact",
                                 "an impact map supports contacts, not constraints",
                                 "leave [impact] out and give the contacts restitutions"));
    }
}

void check_constraints_start(const Model& model, const State& state, double tolerance_m, Errors& errors)
{
    bool good = true;
    for (int j = 0; j < model.constraints(); ++j) {
        good = check_rows(model, state, tolerance_m, j, errors) && good;
        check_limit_sizes(model, state, j, errors);
    }
    if (good && model.constraints() > 0) check_rank(model, state, errors);
}

}  // namespace carom::detail
