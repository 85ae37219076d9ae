#pragma once

#include "carom/convex/convex_set.hpp"

#include <vector>

namespace carom {

/// Sets made of sets: moved, scaled, mapped, cut, added.
///
/// Theory     docs/theory/convex_sets.md, (CS-18) moved and mapped, (CS-19) sums and intersections by
/// splitting Moved, scaled and one-to-one mapped sets ask their set once. Other images, sums and
/// intersections iterate and say `NotConverged` when the iteration does not rest; the point is then the best
/// one found.
using SetPointer = std::shared_ptr<const ConvexSet>;

/// A set on the heap, to build operations from.
template <class Set>
[[nodiscard]] SetPointer shared(Set set)
{
    return std::make_shared<const Set>(std::move(set));
}

/// scale C + shift, scale != 0; a negative scale mirrors. Asks C once.
class Moved final : public ConvexSet {
public:
    /// Errors: WrongSize (shift of another dimension), NotFinite, SettingOutOfRange (scale = 0).
    [[nodiscard]] static Expected<Moved> make(SetPointer set, double scale, Eigen::VectorXd shift);

    [[nodiscard]] static Expected<Moved> translated(SetPointer set, Eigen::VectorXd shift);
    [[nodiscard]] static Expected<Moved> scaled(SetPointer set, double scale);

    [[nodiscard]] int dimension() const noexcept override { return set_->dimension(); }
    [[nodiscard]] double size() const noexcept override
    {
        return std::abs(scale_) * set_->size() + shift_.norm();
    }
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    Moved(SetPointer set, double scale, Eigen::VectorXd shift)
        : set_(std::move(set)), scale_(scale), shift_(std::move(shift))
    {
    }

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    SetPointer set_;
    double scale_;
    Eigen::VectorXd shift_;
};

/// { M y : y in C }, M of any shape and rank. Where M is not one-to-one, M C has to be closed, which it is
/// for bounded and for polyhedral C.
class LinearImage final : public ConvexSet {
public:
    /// Errors: WrongSize (no row, columns not the dimension of C), NotFinite.
    [[nodiscard]] static Expected<LinearImage> make(SetPointer set, Eigen::MatrixXd M);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(M_.rows()); }
    [[nodiscard]] double size() const noexcept override { return M_.norm() * set_->size(); }

private:
    LinearImage(SetPointer set, Eigen::MatrixXd M) : set_(std::move(set)), M_(std::move(M)) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    SetPointer set_;
    Eigen::MatrixXd M_;
};

/// { v : v in every C_i }.
class Intersection final : public ConvexSet {
public:
    /// Errors: WrongSize (no set, different dimensions), SettingOutOfRange (no common point was found).
    [[nodiscard]] static Expected<Intersection> make(std::vector<SetPointer> sets);

    [[nodiscard]] int dimension() const noexcept override { return sets_.front()->dimension(); }
    [[nodiscard]] double size() const noexcept override;

private:
    explicit Intersection(std::vector<SetPointer> sets) : sets_(std::move(sets)) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    std::vector<SetPointer> sets_;
};

/// { v_1 + ... + v_m : v_i in C_i }. Has to be closed, which it is if all sets but one are bounded, or all
/// are polyhedral.
class MinkowskiSum final : public ConvexSet {
public:
    /// Errors: WrongSize (no set, different dimensions).
    [[nodiscard]] static Expected<MinkowskiSum> make(std::vector<SetPointer> sets);

    [[nodiscard]] int dimension() const noexcept override { return sets_.front()->dimension(); }
    [[nodiscard]] double size() const noexcept override;

private:
    explicit MinkowskiSum(std::vector<SetPointer> sets) : sets_(std::move(sets)) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    std::vector<SetPointer> sets_;
};

}  // namespace carom
