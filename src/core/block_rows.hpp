#pragma once

#include <Eigen/Dense>

#include <cstddef>
#include <span>
#include <vector>

namespace carom {

/// Rows H of local velocities over blocks of six velocities (v_k, w_k): of contacts, of joints and of their
/// corrections alike.
///
///     U_i = sum over blocks k of   v_ik . v_k + w_ik . w_k,       axes of the world             (BO-11)
///
/// Theory     docs/theory/bodies.md
class BlockRows {
public:
    using Vec3 = Eigen::Vector3d;
    using Mat3 = Eigen::Matrix3d;

    struct Term {
        int block = 0;
        Vec3 v{0, 0, 0}, w{0, 0, 0};
        Vec3 turned{0, 0, 0};  ///< J^-1 w
    };

    void clear();

    /// Begins a row; its terms follow. What does not move, block -1, is left out.
    void begin_row();
    void add(int block, const Vec3& v, const Vec3& w);

    /// Appends the rows along axes of the velocity of a point of block a against one of block b.
    void add_point(std::span<const Vec3> axes, int a, const Vec3& arm_a, int b, const Vec3& arm_b);

    /// Takes the last row back.
    void drop_row();

    [[nodiscard]] int size() const noexcept { return static_cast<int>(begin_.size()); }
    [[nodiscard]] std::span<const Term> row(int i) const noexcept
    {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t end = k + 1 < begin_.size() ? begin_[k + 1] : terms_.size();
        return {terms_.data() + begin_[k], end - begin_[k]};
    }

    /// Fills J^-1 w with these inverse inertias, axes of the world.
    void set_inertia(std::span<const Mat3> inverse_inertia);

    [[nodiscard]] double velocity(int row, std::span<const Vec3> v, std::span<const Vec3> w) const noexcept;

    /// Adds what a percussion does to velocities; set_inertia() comes before.
    void apply(std::span<const double> inverse_mass, int row, double P, std::span<Vec3> v,
               std::span<Vec3> w) const noexcept;

private:
    std::vector<std::size_t> begin_;
    std::vector<Term> terms_;
};

}  // namespace carom
