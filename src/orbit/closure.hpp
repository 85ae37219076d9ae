#pragma once

#include "member.hpp"

namespace carom::detail {

/// Where orbits without forcing begin: a formula of the state that vanishes there, and its slopes.
struct SectionRow {
    double value = 0;
    Eigen::RowVectorXd by_state, by_parameters;
};

/// A plane across an orbit, through one of its states: it takes the place of the given section where an event
/// comes to that.
struct Plane {
    Eigen::RowVectorXd normal;
    Eigen::VectorXd through;
};

/// The closure of an orbit, z(T) = z(0) + shift, and its derivatives (OR-9): unknowns are the steps xi along
/// what closed contacts leave free, and the period where it is not given.
class Closure {
public:
    Closure(Member& member, const State& guess, double period_s);

    /// Runs one period from here. False: the motion or its derivatives end.
    [[nodiscard]] bool evaluate();

    /// Of the residual, in these units of q and u.
    [[nodiscard]] double size_in(const Eigen::VectorXd& units) const;

    /// Closed to this tolerance, or to what rounding of the start becomes in a period.
    [[nodiscard]] bool closes(double tolerance) const;

    /// A Newton step of this length; the parameters stay.
    void step(const Eigen::VectorXd& by, double length);

    [[nodiscard]] bool has_free_period() const noexcept { return !member_->period; }
    [[nodiscard]] Eigen::Index unknowns() const noexcept { return B.cols() + (has_free_period() ? 1 : 0); }

    /// At the start: the given section, or the plane that takes its place. Only where there is one.
    [[nodiscard]] SectionRow section_row();

    /// Takes another member of the family, and the parameters' share of the period.
    void move_to(Member& member);
    [[nodiscard]] Member& member() noexcept { return *member_; }

    State start;
    double period_s = 0;
    Held held;
    std::optional<Plane> plane;
    Shot shot;
    Eigen::MatrixXd B;        ///< columns: directions of the start
    Eigen::MatrixXd start_p;  ///< what parameters do to the start through closed contacts, 2n x P
    Eigen::MatrixXd J;        ///< derivatives of `residual` by the unknowns
    Eigen::MatrixXd J_p;      ///< and by the parameters
    Eigen::VectorXd residual;
    Eigen::VectorXd dperiod;  ///< of a given period, by the parameters
    double size = 0;          ///< of the residual, by `scale`
    Eigen::VectorXd scale;    ///< of q and u, in this period

private:
    void find_tangent();
    [[nodiscard]] double min_length() const;  ///< what counts as no length at all

    Member* member_;
};

/// Newton's method with halved steps, and runs of the motion itself where it does not get on.
struct NewtonReport {
    bool converged = false;
    int iterations = 0;
    std::string trouble;
};
[[nodiscard]] NewtonReport solve_closure(Closure& closure, const OrbitOptions& options);

/// Moves the closure towards an orbit by segments, each with a start of its own; false: they cannot be run.
bool solve_in_segments(Closure& closure, const OrbitOptions& options);

/// The orbit at a solved closure: multipliers, derivatives, events.
[[nodiscard]] Orbit orbit_of(Closure& closure, const OrbitOptions& options);

/// Where an orbit is looked for: the start of the scene, moved on to the section, and the period.
struct FirstGuess {
    State state;
    double period_s = 0;
};
inline constexpr std::string_view equilibrium_words =
    "this is an equilibrium, not an orbit: start further away from it, with --set coordinate.NAME.start=..., "
    "or "
    "leave out --settle; where no obstacle moves, carom branch --equilibrium follows it";

[[nodiscard]] Expected<FirstGuess, Errors> first_guess(Member& member, const OrbitOptions& options);

/// Whether a motion comes back to its section, or only impacts lead over it.
enum class SectionReturn { Met, JumpsOver, NotMet };

/// The member's flow goes on to where the section's formula rises through zero: first off the section and
/// below zero. Where an impact makes it jump no orbit can begin.
[[nodiscard]] SectionReturn run_to_section(Member& member, double duration_s);

/// The period of a driven system at the values of the member, and its slopes by the parameters.
struct Period {
    double value_s = 0;
    Eigen::VectorXd slope;
};
[[nodiscard]] Period given_period(Member& member);

}  // namespace carom::detail
