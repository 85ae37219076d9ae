#include "slip_parts.hpp"

#include "core/dense.hpp"
#include "law_rows.hpp"

#include "expression/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

constexpr double part = 0.25;  ///< of the radius of convergence: 4^-24 is left at order 24
constexpr double turns = 4;    ///< 4^24 / 24! is nothing, and what cancels costs two digits

/// sum_k c_k (s + x)^k as a series of x.
void shift(double* c, int order, double s)
{
    for (int k = 0; k < order; ++k) {
        for (int j = order - 1; j >= k; --j) {
            c[j] += s * c[j + 1];
        }
    }
}

SeriesPiece part_of(const SeriesPiece& piece, double s, double length)
{
    SeriesPiece shifted = piece;
    shifted.t_s += s;
    shifted.h_s = length;
    const auto stride = static_cast<std::size_t>(piece.order) + 1;
    const auto shift_all = [&](std::vector<double>& series) {
        for (std::size_t at = 0; at + stride <= series.size(); at += stride) {
            shift(series.data() + at, piece.order, s);
        }
    };
    shift_all(shifted.q);
    shift_all(shifted.u);
    for (SeriesPiece::Reaction& reaction : shifted.reactions) {
        shift_all(reaction.r);
    }
    return shifted;
}

/// U_T of a contact that slides in space, and its rate.
struct Slip {
    int contact = -1;
    bool begins = false;  ///< where the piece does
    Eigen::Vector2d U, rate;
    double turn_s = 0;  ///< in which a change of its direction decays: S over the friction along it
};

class SlipsOfPiece {
public:
    SlipsOfPiece(VariationalSystem& system, const SeriesPiece& piece,
                 const std::vector<SeriesStatus>& statuses)
        : system_(system), piece_(piece), statuses_(statuses)
    {
    }

    [[nodiscard]] std::vector<Slip> at(double s)
    {
        const int n = system_.coordinates();
        std::vector<Slip> slips;
        Eigen::VectorXd q, u, direction = Eigen::VectorXd::Zero(system_.columns() + 1);
        piece_.at(s, q, u);
        const auto place = system_.place(piece_.t_s + s, q, u);
        const auto stride = static_cast<std::size_t>(piece_.order) + 1;
        direction.head(n) = u;
        for (int i = 0; i < n; ++i) {
            const double* c = piece_.u.data() + static_cast<std::size_t>(i) * stride;
            for (int k = piece_.order; k >= 1; --k) {
                direction[n + i] = direction[n + i] * s + k * c[k];
            }
        }
        direction[direction.size() - 1] = 1;
        for (const SeriesStatus& status : statuses_) {
            if (status.dimension != 3 || !status.slides) continue;
            auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
            contact.coefficients.at(place.point(), work_);
            if (!(contact.coefficients.value[0] > 0)) continue;
            Differentiated& U = contact.U[static_cast<std::size_t>(status.frame)];
            const double mu = contact.coefficients.value[0];
            U.at(place.point(), work_);
            Slip& slip = slips.emplace_back(Slip{.contact = status.contact,
                                                 .begins = status.begins,
                                                 .U = U.value.tail(2),
                                                 .rate = U.slope.bottomRows(2) * direction});
            const Eigen::MatrixXd H = U.slope.block(1, n, 2, n);
            const double friction = mu * normal_reaction(status.contact, s) * inverse_mass(H, place);
            slip.turn_s = friction > 0 ? slip.U.norm() / friction : std::numeric_limits<double>::infinity();
        }
        return slips;
    }

private:
    [[nodiscard]] double normal_reaction(int contact, double s) const
    {
        const auto found = std::ranges::find(piece_.reactions, contact, &SeriesPiece::Reaction::contact);
        return found == piece_.reactions.end() ? 0 : series_value(found->r.data(), piece_.order - 1, s);
    }

    /// The largest of W_TT = H A^-1 H^T, or a bound of it.
    [[nodiscard]] double inverse_mass(const Eigen::MatrixXd& H, VariationalSystem::Place place)
    {
        return (H * Ldlt(kinetic_matrix(system_, place, work_)).solve(Eigen::MatrixXd(H.transpose())))
            .trace();
    }

    VariationalSystem& system_;
    const SeriesPiece& piece_;
    const std::vector<SeriesStatus>& statuses_;
    Workspace work_;
};

struct Nearest {
    double s = std::numeric_limits<double>::infinity();
    int contact = -1;
};

/// |U_T| / |U_T'| of the contact for which it is smallest: the distance to a zero of U_T, real or complex.
Nearest time_to_zero(const std::vector<Slip>& slips)
{
    Nearest nearest;
    for (const Slip& slip : slips) {
        const double rate = slip.rate.norm(), time = slip.U.norm() / rate;
        if (rate > 0 && time < nearest.s) nearest = {.s = time, .contact = slip.contact};
    }
    return nearest;
}

/// Slip that begins with t^v: the other zeros, from S'/S - v/t. How long a first part may be.
double first_length(SlipsOfPiece& slips, double h)
{
    constexpr double early = 1e-3;
    constexpr int halvings = 40;
    const auto log_rate = [](const Slip& slip) { return slip.U.dot(slip.rate) / slip.U.squaredNorm(); };
    const std::vector<Slip> first = slips.at(early * h);
    double length = h;
    for (int k = 0; k < halvings; ++k, length /= 2) {
        const std::vector<Slip> now = slips.at(length);
        bool good = true;
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (!now[i].begins) {
                good = good && length <= part * now[i].U.norm() / now[i].rate.norm();
                continue;
            }
            const double v = std::round(early * h * log_rate(first[i]));
            const double other = 1 / std::abs(log_rate(now[i]) - v / length);
            good = good && length <= part * (length + other);
        }
        if (good) break;
    }
    return length;
}

}  // namespace

SlipParts slip_parts(VariationalSystem& system, const SeriesPiece& piece,
                     const std::vector<SeriesStatus>& statuses)
{
    constexpr double nothing = 1e-12;  // of the piece
    SlipParts result;
    SlipsOfPiece slips(system, piece, statuses);
    const std::vector<Slip> at_start = slips.at(0);
    if (at_start.empty()) return result;
    double s = 0;
    if (std::ranges::any_of(at_start, &Slip::begins)) {
        s = first_length(slips, piece.h_s);
        if (s == piece.h_s) return result;
        result.parts.push_back(part_of(piece, 0, s));
    }
    while (piece.h_s - s > nothing * piece.h_s) {
        const std::vector<Slip> now = slips.at(s);
        const Nearest nearest = time_to_zero(now);
        const double turn_s = std::ranges::min(now, {}, &Slip::turn_s).turn_s;
        const double length = std::min({part * nearest.s, turns * turn_s, piece.h_s - s});
        if (s == 0 && length == piece.h_s) return result;
        if (!(length > nothing * nothing * piece.h_s) ||
            (nearest.s < nothing * piece.h_s && piece.h_s - s > 8 * nearest.s)) {
            result.passes_zero = nearest.contact;
            return result;
        }
        result.parts.push_back(part_of(piece, s, length));
        s += length;
    }
    if (s < piece.h_s) result.rest = part_of(piece, s, piece.h_s - s);
    return result;
}

}  // namespace carom::detail
