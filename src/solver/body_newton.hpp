#pragma once

#include "solver/body_factor.hpp"
#include "solver/rigid_contacts.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Newton's method for the contacts of rigid bodies in the space of the bodies. With y a centre of
/// percussions and sigma > 0 percussions are a function of the velocities, and the balance of momentum is the
/// only equation (SO-37):
///
///     tau = y - (G w + q) / sigma,   x_N = max(0, tau_N),   x_T = proj of tau_T on the disc of radius mu x_N
///     w = G^T x(w)
///
/// so that its matrix I + G^T B G / sigma has a block per body and not per contact: redundant contacts, as
/// those of walls, cost nothing. The centre then moves to what was found, and sigma becomes smaller.
///
/// Symbols    w  change of the velocities of the bodies by percussions, scaled with the roots of mass and
///               inertia;  x  percussions and q  free velocities of contacts in the units of (SO-6)
/// Theory     docs/theory/solvers.md, (SO-37)
class BodyNewton {
public:
    /// Bodies and contacts that RigidContacts::load has accepted; percussions of the contacts are the start.
    void load(std::span<const RigidBody> bodies, std::span<const RigidContact> contacts);

    /// Products of blocks that a factorisation takes, known before.
    [[nodiscard]] double products() const noexcept { return factor_.products(); }

    /// What stands is solved beyond the tolerance as long as a factorisation brings a digit: no later step
    /// has to solve for these. What moves is solved to the tolerance, from a larger sigma that falls more
    /// slowly: many contacts change their status on the way, and errors may stand still for many centres.
    enum class Of { Structure, Heap };

    /// Until the error is below the tolerance, or so many factorisations. Returns the factorisations.
    int run(const Budget& budget, Of what = Of::Structure);

    /// FlatError::worst of the percussions.
    [[nodiscard]] double error() const noexcept { return error_; }

    /// Percussion of a contact on its body a, axes of the world, N s.
    [[nodiscard]] std::array<double, 3> percussion(int contact) const noexcept;

private:
    using Vector = BodyFactor::Vector;
    using Local = Eigen::Vector3d;
    using Rows = Eigen::Matrix<double, 3, 6>;
    enum class Place : char { Open, Sticks, Slides };

    struct Contact {
        Rows G_a = Rows::Zero(), G_b = Rows::Zero();         ///< scaled
        Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< rows n, t1, t2
        int a = -1, b = -1;                                  ///< among the bodies that move; -1: does not
    };

    void load_contact(std::span<const RigidBody> bodies, const RigidContact& contact, int c);
    void prepare_bodies(std::span<const RigidBody> bodies);
    [[nodiscard]] Local local_velocity(std::size_t c, const std::vector<Vector>& w) const;
    void percussions_at(const std::vector<Vector>& w);
    double imbalance(const std::vector<Vector>& w, std::vector<Vector>& R);
    void move_bodies(std::span<const double> x, std::vector<Vector>& w) const;
    [[nodiscard]] double measure(std::span<const double> x);
    [[nodiscard]] bool factorise();
    [[nodiscard]] double search(double R_norm, double slope);
    void hold_all();
    double solve_inner(double goal, int max_steps);
    void refine();
    void project(std::span<double> x) const;

    std::vector<int> number_;            ///< of a body among those that move
    std::vector<Eigen::Matrix3d> root_;  ///< C with C C^T = J^-1
    std::vector<double> root_mass_;      ///< of 1/m
    std::vector<Contact> contacts_;
    FlatProblem flat_;  ///< laws, scales and free velocities
    BodyFactor factor_;
    Budget budget_;  ///< of the run of now: factorisations look at it too
    std::vector<double> x_, y_, tau_, best_, u_;
    std::vector<Place> places_, factored_places_;
    std::vector<Vector> w_, w_try_, R_, R_try_, step_;
    double sigma_ = 0, factored_sigma_ = 0, error_ = 0;
    int factorisations_ = 0;
};

}  // namespace carom
