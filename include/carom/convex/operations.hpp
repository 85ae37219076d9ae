#pragma once

#include "carom/convex/convex_set.hpp"

#include <vector>

namespace carom {

namespace detail {
struct ConicForm;
}

/// Sets built from sets: translation, scaling, linear image, intersection, sum.
///
/// Theory     docs/theory/convex_sets.md, (CS-18) moved and mapped, (CS-19) common form of images, sums and
///            intersections, (CS-21) conic programme, (CS-22) what its gap proves
///
/// Translated, scaled and injectively mapped sets project onto the original set once. Other images, sums and
/// intersections are written as one programme over the points of their sets. Where all sets are polyhedral it
/// is solved by active sets, exactly; otherwise by an interior point method whose duality gap proves how near
/// the point is: `Converged` guarantees 2e-6 of |z| + size(), in practice about 1e-10 is reached. Sets
/// without a common interior point can end `NotConverged`.
using SetPointer = std::shared_ptr<const ConvexSet>;

/// A set on the heap, to build operations from.
template <class Set>
[[nodiscard]] SetPointer shared(Set set)
{
    return std::make_shared<const Set>(std::move(set));
}

/// scale C + shift, scale != 0; a negative scale mirrors. Projects onto C once.
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
    [[nodiscard]] const ConvexSet& original() const noexcept { return *set_; }
    [[nodiscard]] double scale() const noexcept { return scale_; }
    [[nodiscard]] const Eigen::VectorXd& shift() const noexcept { return shift_; }
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

/// What images, sums and intersections have in common: the form of their programme. They are made of sets of
/// the catalogue, of which the form is known.
class Composite : public ConvexSet {
public:
    [[nodiscard]] int dimension() const noexcept override { return dimension_; }
    [[nodiscard]] double size() const noexcept override { return size_; }
    [[nodiscard]] const detail::ConicForm& form() const noexcept { return *form_; }

protected:
    Composite(const detail::ConicForm& form, double size);

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;

private:
    std::shared_ptr<const detail::ConicForm> form_;
    int dimension_;
    double size_;
};

/// { M y : y in C }, M of any shape and rank. Where M is not one-to-one, M C has to be closed, which it is
/// for bounded and for polyhedral C.
class LinearImage final : public Composite {
public:
    /// Errors: WrongSize (no row, columns not the dimension of C), NotFinite, SettingOutOfRange (C is not of
    /// the catalogue).
    [[nodiscard]] static Expected<LinearImage> make(SetPointer set, Eigen::MatrixXd M);

private:
    LinearImage(SetPointer set, Eigen::MatrixXd M, const detail::ConicForm& form);

    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    SetPointer set_;
    Eigen::MatrixXd M_;
};

/// { v : v in every C_i }.
class Intersection final : public Composite {
public:
    /// Errors: WrongSize (no set, different dimensions), SettingOutOfRange (a set is not of the catalogue; no
    /// common point was found).
    [[nodiscard]] static Expected<Intersection> make(std::vector<SetPointer> sets);

private:
    Intersection(std::vector<SetPointer> sets, const detail::ConicForm& form);

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    std::vector<SetPointer> sets_;
};

/// { v_1 + ... + v_m : v_i in C_i }. Has to be closed, which it is if all sets but one are bounded, or all
/// are polyhedral.
class MinkowskiSum final : public Composite {
public:
    /// Errors: WrongSize (no set, different dimensions), SettingOutOfRange (a set is not of the catalogue).
    [[nodiscard]] static Expected<MinkowskiSum> make(std::vector<SetPointer> sets);

private:
    MinkowskiSum(std::vector<SetPointer> sets, const detail::ConicForm& form);

    [[nodiscard]] double support_at(ConstPoint p) const override;

    std::vector<SetPointer> sets_;
};

}  // namespace carom
