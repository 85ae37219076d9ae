#pragma once

#include "carom/convex/operations.hpp"

#include <functional>

namespace carom {

/// A closed convex set C(t) that moves and deforms, possibly by jumps: what sweeps in a sweeping process.
///
/// Symbols    t  time, s;  C(t)  right-continuous: at an instant of a jump it is the set after the jump
///            at  the point where a step begins: a set that depends on the point is taken there (SW-9)
/// Theory     docs/theory/sweeping.md, (SW-1), (SW-9)
/// Papers     [M83 Sec. 7]
class MovingSet {
public:
    virtual ~MovingSet() = default;

    [[nodiscard]] virtual int dimension() const noexcept = 0;

    /// Nearest point of C(t) to z in the metric; x must not be z. The error says why there is no set at t.
    [[nodiscard]] virtual Expected<ProxStatus> prox(double t_s, const Eigen::VectorXd& at,
                                                    const Metric& metric, const ConvexSet::ConstVector& z,
                                                    ConvexSet::Vector x) const = 0;

protected:
    MovingSet() = default;
    MovingSet(const MovingSet&) = default;
    MovingSet(MovingSet&&) = default;
    MovingSet& operator=(const MovingSet&) = default;
    MovingSet& operator=(MovingSet&&) = default;
};

/// C(t) as a function of time, any set of the catalogue at every instant; or C(t, u), taken at the beginning
/// of a step.
class SetOfTime final : public MovingSet {
public:
    using Function = std::function<Expected<SetPointer>(double t_s)>;
    using FunctionOfPoint = std::function<Expected<SetPointer>(double t_s, const Eigen::VectorXd& at)>;

    /// Errors: WrongSize (n < 1, no function).
    [[nodiscard]] static Expected<SetOfTime> make(int n, Function set_at);
    [[nodiscard]] static Expected<SetOfTime> of_point(int n, FunctionOfPoint set_at);

    [[nodiscard]] int dimension() const noexcept override { return n_; }

    /// Errors: those of the function; WrongSize if it gives a set of another dimension, or none.
    [[nodiscard]] Expected<ProxStatus> prox(double t_s, const Eigen::VectorXd& at, const Metric& metric,
                                            const ConvexSet::ConstVector& z,
                                            ConvexSet::Vector x) const override;

private:
    SetOfTime(int n, FunctionOfPoint set_at) : n_(n), set_at_(std::move(set_at)) {}

    int n_;
    FunctionOfPoint set_at_;
};

/// C(t) = scale(t) C + shift(t): one set that is carried and grows or shrinks.
class CarriedSet final : public MovingSet {
public:
    using Shift = std::function<Eigen::VectorXd(double t_s)>;
    using Scale = std::function<double(double t_s)>;

    /// Without a scale it is 1. Errors: WrongSize (no set, no shift).
    [[nodiscard]] static Expected<CarriedSet> make(SetPointer set, Shift shift, Scale scale = {});

    [[nodiscard]] int dimension() const noexcept override { return set_->dimension(); }

    /// Errors: WrongSize, NotFinite and SettingOutOfRange (scale = 0) of what the functions give at t.
    [[nodiscard]] Expected<ProxStatus> prox(double t_s, const Eigen::VectorXd& at, const Metric& metric,
                                            const ConvexSet::ConstVector& z,
                                            ConvexSet::Vector x) const override;

private:
    CarriedSet(SetPointer set, Shift shift, Scale scale)
        : set_(std::move(set)), shift_(std::move(shift)), scale_(std::move(scale))
    {
    }

    SetPointer set_;
    Shift shift_;
    Scale scale_;
};

/// [a(t), b(t)] in R: play, stop, walls. Its steps allocate nothing.
class MovingInterval final : public MovingSet {
public:
    struct Ends {
        double lower, upper;  ///< either may be infinite
    };
    using Function = std::function<Ends(double t_s)>;

    /// Errors: WrongSize (no function).
    [[nodiscard]] static Expected<MovingInterval> make(Function ends);

    [[nodiscard]] int dimension() const noexcept override { return 1; }

    /// Errors: SettingOutOfRange where the ends do not form an interval, as for Interval.
    [[nodiscard]] Expected<ProxStatus> prox(double t_s, const Eigen::VectorXd& at, const Metric& metric,
                                            const ConvexSet::ConstVector& z,
                                            ConvexSet::Vector x) const override;

private:
    explicit MovingInterval(Function ends) : ends_(std::move(ends)) {}

    Function ends_;
};

}  // namespace carom
