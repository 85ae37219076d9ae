#pragma once

#include "carom/geometry/shape.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Which of many balls overlap. As BroadPhase, for scenes of spheres: the pairs it finds are those of the
/// balls themselves, in lists per ball, and nothing is sorted but these short lists. Balls are sorted into
/// classes of sizes, each down to half of its largest one, with a grid whose cells are as wide as that one;
/// a ball looks into the grid of its class and of those above. Memory is linear in the balls.
///
/// Balls that hardly move keep their neighbours: pairs of balls that are larger by a margin are kept, and
/// while no ball has left its larger one only these are looked at.
class BallPairs {
public:
    /// Finds the pairs. A negative radius: no ball. The same balls give the same lists, whatever was asked
    /// before. Positions must be finite.
    void find(std::span<const Vec3> centres, std::span<const double> radii);

    /// The balls j > i that overlap ball i, in increasing order.
    [[nodiscard]] std::span<const int> of(int i) const noexcept
    {
        const auto k = static_cast<std::size_t>(i);
        return {others_.data() + begin_[k], begin_[k + 1] - begin_[k]};
    }

private:
    /// A ball in the order of cells: what a test reads is in one place.
    struct Ball {
        Vec3 centre;
        double radius;
        int index;
    };

    /// The balls of one class.
    class Grid {
    public:
        void fill(std::span<const Vec3> centres, std::span<const double> radii, std::span<const int> members);

        /// Calls visit(j) for the balls j > after that overlap this one.
        template <class Visit>
        void around(const Vec3& centre, double radius, int after, Visit visit) const;

    private:
        void lay(std::span<const Vec3> centres, std::span<const double> radii, std::span<const int> members);
        [[nodiscard]] std::array<int, 3> cell_of(const Vec3& centre) const noexcept;

        Vec3 origin_ = Vec3::Zero();
        double cell_m_ = 1;
        std::array<int, 3> cells_{1, 1, 1};
        std::vector<int> cell_begin_, cell_of_;
        std::vector<Ball> balls_;
    };

    void find_all(std::span<const Vec3> centres, std::span<const double> radii);
    [[nodiscard]] bool still_hold(std::span<const Vec3> centres, std::span<const double> radii) const;
    void enlarge(std::span<const Vec3> centres, std::span<const double> radii);
    template <class F>
    void make_lists(std::size_t balls, F add);
    void take_from_near(std::span<const Vec3> centres, std::span<const double> radii);
    void sort_by_size(std::span<const double> radii);
    void lists_of_one_class(std::span<const Vec3> centres, std::span<const double> radii);
    void lists_of_all_classes(std::span<const Vec3> centres, std::span<const double> radii);

    std::vector<std::vector<int>> classes_;  ///< members, in increasing order; large balls first
    std::size_t used_ = 0;                   ///< classes that have members
    std::vector<Grid> grids_;                ///< one per class
    std::vector<std::array<int, 2>> pairs_;
    std::vector<std::size_t> begin_;
    std::vector<int> others_;

    // neighbours of balls that are larger by a margin, and these balls
    std::vector<Vec3> near_centres_;
    std::vector<double> near_radii_;
    std::vector<std::size_t> near_begin_;
    std::vector<int> near_;
    bool keeps_near_ = false;
    int lost_ = 0;    ///< how many searches in a row found that balls had left theirs
    int waited_ = 0;  ///< searches since neighbours were kept last
};

}  // namespace carom
