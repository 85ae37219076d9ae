#pragma once

#include <Eigen/Dense>

#include <array>
#include <vector>

namespace carom {

/// The Delassus operator as its factors,  W = H A^-1 H^T: rows of local velocities and a metric in blocks.
/// Memory is linear in blocks and interactions, whatever couples them.
///
///     U_c = D_c (v_a + w_a x r_a - v_b - w_b x r_b) + b_c n                                      (OS-14)
///     v_a += P / m_a,   w_a += J_a^-1 (r_a x P);      v_b -= P / m_b,   w_b -= J_b^-1 (r_b x P)
///
/// Symbols    (v, w)  velocities of a block, m/s, rad/s;  m, J  its metric, kg, kg m^2, axes of the world
///            D       rows n, t1, t2 of an interaction, orthonormal, as many as its law has components
///            r       arms to the point where it acts, m;  b  given normal velocity, m/s
/// Theory     docs/theory/one_step_problem.md, (OS-14)
struct Factors {
    struct Block {
        std::array<double, 3> v{};  ///< m/s, if no percussion acted
        std::array<double, 3> w{};  ///< rad/s, the same
        double inverse_mass = 0;    ///< 1/kg; 0: does not move
        std::array<double, 9>
            inverse_inertia{};  ///< 1/(kg m^2), symmetric; may be singular, as that of a bar
    };

    /// Of one interaction.
    struct Rows {
        std::array<Eigen::Vector3d, 3> axes{Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                            Eigen::Vector3d::UnitY()};
        Eigen::Vector3d arm_a{0, 0, 0}, arm_b{0, 0, 0};
        double b_m_s = 0;   ///< added to the normal velocity, as in U_free
        int a = 0, b = -1;  ///< blocks; b = -1: what does not move
    };

    std::vector<Block> blocks;
    std::vector<Rows> rows;
    int freedoms = 0;    ///< velocities that percussions can change
    bool round = false;  ///< isotropic inertias, arms along normals: W_cc are diagonal, and no tangent counts
    bool calm = false;   ///< kinetic energy is no more than the forces of the step would give from rest

    [[nodiscard]] bool empty() const noexcept { return blocks.empty(); }
    void clear();

    /// Far more components than velocities that they could change, as in walls: what sweeps have spread over
    /// them is no help to methods that factorise.
    [[nodiscard]] bool is_redundant(std::size_t components) const noexcept
    {
        return components > 2 * static_cast<std::size_t>(freedoms);
    }
};

}  // namespace carom
