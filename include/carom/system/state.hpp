#pragma once

#include "carom/geometry/shape.hpp"

#include <Eigen/Dense>

#include <cstdint>
#include <span>
#include <vector>

namespace carom {

/// A contact of two bodies that acted or touched in the last step, so that the next one knows where to begin;
/// or a stop, a motor or the friction of a joint: these have -1 - actor in place of the first body, and no
/// second one.
struct KeptContact {
    int first = 0, second = 0;
    std::uint64_t feature = 0;
    Vec3 percussion_Ns{0, 0, 0};  ///< on the first body, world axes
    Vec3 moment_Nms{0, 0, 0};     ///< of rolling and spinning
    bool closed = false;          ///< acted and stayed
    bool sticks = false;          ///< did not slide
    bool acted = true;            ///< false: it touches without pressing

    // for events: statuses as in State, of motors and friction as of constraints, and the feature by which
    // they tell of it
    char status = 0, slides = 0;
    std::uint64_t named = 0;
    double away_m_s = 0;  ///< normal velocity after the step

    /// The first part of an impact that the next step ends; without percussion: none.
    struct Closing {
        double percussion_Ns = 0, velocity_m_s = 0, left_m_s = 0, energy_J = 0;
    } closing{};
};

/// The complete state of a run of any system: a run resumed from a State continues bit for bit.
///
/// The configuration is a product of factors: rigid bodies, then numbers. Bodies move as rotations and
/// velocities in their own axes; their coordinates in q and u, which come first, show the same (BO-40).
struct State {
    double t_s = 0;
    Eigen::VectorXd q;  ///< configuration: a coordinate each
    Eigen::VectorXd u;  ///< velocity, right limit

    // of contacts and constraints that formulas describe
    std::vector<double>
        percussion_Ns;         ///< of the last step, the warm start of the next solve; at Model::offset(c)
    std::vector<char> closed;  ///< per contact: 0 open; 1 an impact of the last step closed it; 2 it persists
    std::vector<char>
        slides;  ///< per contact, in the last step: 0 not; 1 slid; 2 slid, in the plane backwards;
                 ///< + 4: its catastrophe has been named
    std::vector<char> constraint_status{};  ///< per part of a constraint: ConstraintStatus; empty: not known

    // factors that are rigid bodies
    std::vector<Vec3> x{};            ///< centres of mass, m
    std::vector<Rotation> R{};        ///< orientations
    std::vector<Vec3> v{};            ///< m/s, right limit
    std::vector<Vec3> W{};            ///< rad/s, body axes
    std::vector<double> turns{};      ///< theta of every joint that turns, full turns counted; 0 of others
    std::vector<KeptContact> kept{};  ///< contacts of bodies and parts of joints, sorted

    [[nodiscard]] int bodies() const noexcept { return static_cast<int>(x.size()); }
};

inline std::span<const double> view(const Eigen::VectorXd& x)
{
    return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> view(Eigen::VectorXd& x)
{
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace carom
