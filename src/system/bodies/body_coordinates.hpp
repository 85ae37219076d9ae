#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "system/bodies/body_model.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace carom {

/// Rigid bodies as factors of the configuration of a system. Each that is not fixed has the coordinates
///
///     NAME_x, NAME_y, NAME_z            centre of mass, m
///     NAME_w, NAME_i, NAME_j, NAME_k    orientation, a unit quaternion p
///     NAME_x, NAME_y, NAME_angle        in the plane
///
/// and a block of the metric: m, and in space 4 E^T J E + (4/3) tr J p p^T with W = 2 E(p) p'. The last
/// term, of the length of p, has no energy while |p| = 1.
///
/// Theory     docs/theory/bodies.md, (BO-40)

/// The coordinates of bodies in their order, for formulas that name them.
[[nodiscard]] std::vector<Coordinate> coordinate_names(const BodySetup& setup);

[[nodiscard]] bool has_coordinates(const BodyModel& bodies, int body);
[[nodiscard]] int coordinates_per_body(const BodyModel& bodies) noexcept;  ///< 7, in the plane 3

/// Writes where bodies are, and their velocities, into q and u of the same state; angles of the plane are
/// those next to the ones that were there, and so count turns. Coordinates beside bodies stay as they are.
void write_coordinates(const BodyModel& bodies, State& state);

/// The same into a state that has nothing but its coordinates and its instant.
[[nodiscard]] State coordinate_state(const BodyModel& bodies, const State& state);

/// The factors that are bodies, with what their contacts and joints keep.
void copy_bodies(const State& from, State& to);

/// Places and velocities of bodies from their coordinates; quaternions are made unit ones. Fixed bodies stay.
void place_bodies(const BodyModel& bodies, std::span<const double> q, std::span<const double> u,
                  State& state);

/// Adds `amount` to the coordinate, or velocity where `rate` is true, at `index`, and moves its body. False
/// where it is part of a quaternion, whose parts do not change alone.
bool shift_coordinate(const BodyModel& bodies, int index, bool rate, double amount, State& state);

/// What bodies bring to a Model: their energies and blocks of its metric.
class BodyFactors {
public:
    explicit BodyFactors(std::shared_ptr<const BodyModel> bodies);

    [[nodiscard]] const BodyModel& bodies() const noexcept { return *bodies_; }
    [[nodiscard]] int coordinates() const noexcept { return coordinates_; }

    /// Formulas stand beside the bodies: only they ask for a metric over all coordinates.
    [[nodiscard]] bool has_formulas() const noexcept;

    /// The metric does not depend on places.
    [[nodiscard]] bool has_constant_metric() const noexcept { return constant_metric_; }

    /// Coordinates that the metric couples, each pair once.
    [[nodiscard]] std::vector<std::pair<int, int>> coupled() const;

    /// Per coordinate: a prescribed body has it, and no force changes it.
    [[nodiscard]] std::vector<char> driven() const;

    [[nodiscard]] double kinetic_energy_J(const Point& at) const;
    [[nodiscard]] double potential_energy_J(const Point& at) const;  ///< weight and springs

    /// Adds the blocks of A, with ones for driven coordinates, and the velocity terms (LS-2).
    void add_kinetic_terms(const Point& at, const MassPattern& pattern, std::span<double> values,
                           std::span<double> c) const;
    void add_potential_gradient(const Point& at, std::span<double> gradient) const;

    /// Names that formulas cannot use, and numbers too large for an energy.
    [[nodiscard]] Errors mistakes() const;

private:
    /// visit(body, its first coordinate) for bodies that have coordinates.
    template <class Visit>
    void for_each(const Visit& visit) const;
    [[nodiscard]] State state_at(const Point& at) const;

    std::shared_ptr<const BodyModel> bodies_;
    int coordinates_ = 0;
    bool constant_metric_ = true;
};

/// A system of bodies. `beside`: what formulas say of their coordinates, and of others that come after
/// them; without coordinates it has probes and drawings only. Errors: names that formulas cannot use,
/// numbers too large, and those of make_model(LagrangianSystem).
[[nodiscard]] Expected<Model, Errors> make_model(std::shared_ptr<const BodyModel> bodies,
                                                 LagrangianSystem beside);

/// The springs as lines between their ends.
[[nodiscard]] std::vector<Drawing> spring_drawings(const BodyModel& bodies);

}  // namespace carom
