#include "law/frictional_impact.hpp"

#include "friction_flow.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::LocalMatrix;
using detail::OvalFriction;
using detail::StraightPiece;
using Eigen::Vector2d;

/// U_T, P_T, U_N, p and the work of the normal force so far, in one vector for Runge and Kutta.
using Progress = Eigen::Matrix<double, 7, 1>;

/// One step of Dormand and Prince, order 5; `error` gets the difference to order 4.
template <class Field>
Progress dormand_prince(const Field& field, const Progress& y, double h, Progress& error)
{
    const Progress k1 = field(y);
    const Progress k2 = field(y + h * (k1 / 5));
    const Progress k3 = field(y + h * (3.0 / 40 * k1 + 9.0 / 40 * k2));
    const Progress k4 = field(y + h * (44.0 / 45 * k1 - 56.0 / 15 * k2 + 32.0 / 9 * k3));
    const Progress k5 =
        field(y + h * (19372.0 / 6561 * k1 - 25360.0 / 2187 * k2 + 64448.0 / 6561 * k3 - 212.0 / 729 * k4));
    const Progress k6 = field(y + h * (9017.0 / 3168 * k1 - 355.0 / 33 * k2 + 46732.0 / 5247 * k3 +
                                       49.0 / 176 * k4 - 5103.0 / 18656 * k5));
    Progress next = y + h * (35.0 / 384 * k1 + 500.0 / 1113 * k3 + 125.0 / 192 * k4 - 2187.0 / 6784 * k5 +
                             11.0 / 84 * k6);
    const Progress k7 = field(next);
    error = h * (71.0 / 57600 * k1 - 71.0 / 16695 * k3 + 71.0 / 1920 * k4 - 17253.0 / 339200 * k5 +
                 22.0 / 525 * k6 - k7 / 40);
    return next;
}

/// A contact from the first touch to the end of restitution (IM-8), (IM-9).
class Growth {
public:
    Growth(const LocalMatrix& local, std::span<const double> U, double restitution)
        : local_(local), e2_(restitution * restitution)
    {
        y_.setZero();
        for (std::size_t i = 1; i < U.size(); ++i) {
            y_[static_cast<int>(i) - 1] = U[i];
        }
        y_[4] = U[0];
        speed_ = std::abs(U[0]) + Vector2d(y_.head<2>()).norm();
        const double compliance = local.W_NN + local.W_TT.trace();
        scale_ << speed_, speed_, Eigen::Vector2d::Constant(speed_ / compliance), speed_, speed_ / compliance,
            speed_ * speed_ / compliance;
    }

    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] bool wedged() const noexcept { return wedged_; }
    [[nodiscard]] Vector2d U_T() const { return y_.head<2>(); }

    /// Without a bound on friction the contact stops sliding at once.
    void stop_sliding()
    {
        const Vector2d P_T = -local_.W_TT.completeOrthogonalDecomposition().solve(U_T());
        y_.head<2>().setZero();
        y_.segment<2>(2) += P_T;
        y_[4] += local_.W_NT.dot(P_T);
        ended_ = y_[4] >= 0;
    }

    /// Goes on along a straight piece, to its end or to the next turn of the impact.
    void go(const StraightPiece& piece)
    {
        const double k = local_.normal_rate(piece.f);
        const double turn = compressing_ ? length_of_compression(k) : length_of_restitution(k);
        if (!std::isfinite(std::min(turn, piece.length))) {
            ended_ = wedged_ = true;
            return;
        }
        const bool turns = turn <= piece.length;
        const double s = turns ? turn : piece.length;
        y_[6] += s * (y_[4] + k * s / 2);
        y_[4] += k * s;
        y_[5] += s;
        y_.segment<2>(2) += s * piece.f;
        y_.head<2>() += s * piece.rate;
        forget_rounding();
        if (turns) reach_turn();
    }

    /// Goes on while the direction of sliding changes, until it stops or the impact turns.
    void slide(const OvalFriction& friction)
    {
        // d/dtau = |U_T| d/dp: sliding that stops does so without end, and the field stays smooth
        const auto field = [&](const Progress& y) {
            const Vector2d sliding = y.head<2>();
            const double clock = sliding.norm();
            const Vector2d f = clock > 0 ? friction.force(sliding) : Vector2d(0, 0);
            Progress rate;
            rate << local_.tangential_rate(f), f, local_.normal_rate(f), 1.0, y[4];
            return Progress(clock * rate);
        };
        // |U_T| changes at most by e in a step: also where it is below every tolerance, steps stay stable
        const double fastest =
            (local_.W_NN + local_.W_TT.trace()) * (1 + friction.centre.norm() + friction.L.norm());
        double h = 0.01 / fastest;
        constexpr int max_steps = 100000;
        for (int step = 0; step < max_steps && !U_T().isZero(0); ++step) {
            Progress error;
            Progress next = dormand_prince(field, y_, h, error);
            const double size = error.cwiseQuotient(scale_).cwiseAbs().maxCoeff() / 1e-13;
            if (size <= 1) {
                const bool turns = passes_turn(next);
                if (turns) next = at_turn(field, h);
                y_ = next;
                forget_rounding();
                if (turns) {
                    reach_turn();
                    return;
                }
            }
            h = std::min(1 / fastest, h * std::clamp(0.9 * std::pow(std::max(size, 1e-10), -0.2), 0.2, 4.0));
        }
        if (!U_T().isZero(0)) ended_ = wedged_ = true;
    }

    [[nodiscard]] Collision result() const
    {
        return {.P = {y_[5], y_[2], y_[3]},
                .compression_J = compression_,
                .restitution_J = y_[6] + compression_,
                .ended = !wedged_};
    }

private:
    [[nodiscard]] double length_of_compression(double k) const
    {
        return k > 0 ? -y_[4] / k : std::numeric_limits<double>::infinity();
    }

    /// Where the normal force has given back what it owes: a quadratic equation.
    [[nodiscard]] double length_of_restitution(double k) const
    {
        const double owed = std::max(0.0, target_ - y_[6]);
        const double root = y_[4] * y_[4] + 2 * k * owed;
        if (owed == 0) return 0;
        return root > 0 ? 2 * owed / (y_[4] + std::sqrt(root)) : std::numeric_limits<double>::infinity();
    }

    [[nodiscard]] bool passes_turn(const Progress& y) const
    {
        return compressing_ ? y[4] >= 0 : y[6] >= target_;
    }

    /// The step of at most h that ends at the turn, by bisection.
    template <class Field>
    [[nodiscard]] Progress at_turn(const Field& field, double h) const
    {
        double low = 0, high = h;
        Progress error, result = y_;
        for (double middle = h / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
            const Progress there = dormand_prince(field, y_, middle, error);
            if (passes_turn(there)) {
                high = middle;
                result = there;
            } else {
                low = middle;
            }
            if (high - low <= 1e-16 * h) break;
        }
        return dormand_prince(field, y_, high, error);
    }

    /// Sliding that is only rounding is none.
    void forget_rounding()
    {
        if (U_T().norm() <= 1e-14 * speed_) y_.head<2>().setZero();
    }

    /// Compression ends where U_N = 0, restitution by the energy that is given back.
    void reach_turn()
    {
        if (!compressing_) {
            ended_ = true;
            return;
        }
        compressing_ = false;
        y_[4] = 0;
        compression_ = -y_[6];
        target_ = -(1 - e2_) * compression_;
        ended_ = e2_ == 0;
    }

    const LocalMatrix& local_;
    double e2_, speed_ = 0, compression_ = 0, target_ = 0;
    Progress y_, scale_;
    bool compressing_ = true, ended_ = false, wedged_ = false;
};

}  // namespace

Collision collide(const Law& law, std::span<const double> W, std::span<const double> U, double restitution)
{
    if (!(U[0] < 0)) return {};
    if (!(W[0] > 0)) return {.ended = false};  // nothing moves along the normal, whatever acts
    const LocalMatrix local(W);
    const auto corners = detail::cornered(law);
    const auto smooth = detail::oval(law);
    Growth growth(local, U, restitution);
    StraightPiece sticking;
    if (!corners && !smooth) {
        growth.stop_sliding();
        sticking.f = -local.W_TT.completeOrthogonalDecomposition().solve(local.W_NT);
    }
    constexpr int max_pieces = 10000;
    for (int piece = 0; piece < max_pieces && !growth.ended(); ++piece) {
        if (corners) {
            growth.go(corners->piece(local, growth.U_T()));
        } else if (!smooth) {
            growth.go(sticking);
        } else if (growth.U_T().isZero(0)) {
            growth.go(smooth->piece_from_rest(local));
        } else {
            growth.slide(*smooth);
        }
    }
    Collision result = growth.result();
    result.ended = result.ended && growth.ended();
    return result;
}

}  // namespace carom
