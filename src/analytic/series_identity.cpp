#include "series_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

/// Statuses that no order decides: whether what would decide them vanishes identically (PS-14).
namespace carom::detail {
namespace {

constexpr int samples = 36;
constexpr int fewest = 8;  ///< samples where all formulas are defined
constexpr double nearest = 1e-3,
                 farthest = 1e4;  ///< distance of samples, in seconds and in units of the state
constexpr double resting =
    1e-13;  ///< part of the fastest velocity, or of 1: what is slower stays where it is

/// Numbers from [0.4, 1] with either sign, always the same ones.
class Scatter {
public:
    double next()
    {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        const double part = static_cast<double>(state_ >> 12U) / static_cast<double>(1ULL << 52U);
        return part < 0.5 ? -0.4 - 1.2 * part : 0.4 + 1.2 * (part - 0.5);
    }

private:
    std::uint64_t state_ = 1;
};

}  // namespace

bool OrderProblem::stays_open()
{
    work_.choices.clear();
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        const bool slips = one.friction == FrictionStatus::Slip;
        if (slips && one.dimension == 3 && one.known.at_rest)
            return false;  // where to, is not known elsewhere
        work_.choices.push_back(!one.may_act()                         ? Choice{Mode::Off, 0}
                                : one.friction == FrictionStatus::None ? Choice{Mode::Frictionless, 0}
                                : slips                                ? Choice{Mode::Slide, one.side}
                                                                       : Choice{Mode::Stick, 0});
    }
    list_unknowns();
    for (Unknown& unknown : work_.unknowns) {
        unknown.complementary = false;  // nothing opens
    }
    if (!solve_equations()) return false;
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        if (!one.may_act()) continue;
        const double r_n = x_.r_[one.offset], zero = zero_reaction(one);
        if (one.normal == NormalStatus::Undecided && !(std::abs(r_n) <= zero)) return false;
        if (one.friction != FrictionStatus::Undecided) continue;
        const double bound = threshold(one, !one.known.begins_slip, r_n);
        if (one.dimension == 3) {
            const double margin = bound - std::hypot(x_.r_[one.offset + 1], x_.r_[one.offset + 2]);
            if (!(std::abs(margin) <= zero)) return false;
            continue;
        }
        const double r_t = x_.r_[one.offset + 1];
        const double lower = r_t - one.programs->low * bound, upper = one.programs->high * bound - r_t;
        if (one.side >= 0 && !(std::abs(lower) <= zero)) return false;
        if (one.side <= 0 && !(std::abs(upper) <= zero)) return false;
    }
    return true;
}

/// One sample; `finite` is false where formulas are not defined.
bool Expansion::holds_at(const Expansion& other, double t_s, const Eigen::VectorXd& q,
                         const Eigen::VectorXd& u, bool& finite)
{
    finite = false;
    set_up(t_s, q, u);
    if (first_order_data() != ExpansionStatus::Good) return true;
    for (std::size_t k = 0; k < count_; ++k) {
        const Player& from = other.players_[k];
        Player& one = players_[k];
        one.normal = from.normal;
        one.friction = from.friction;
        one.side = from.side;
        one.polar = one.alone = false;
    }
    bounding_ = true;
    bound_tapes(0);
    right_hand_side(0);
    slip_directions(0);
    if (!e_.allFinite() || !e_error_.allFinite()) return true;
    finite = true;
    for (std::size_t k = 0; k < island_count_; ++k) {
        if (!OrderProblem(*this, islands_[k], 0).stays_open()) return false;
    }
    finite = r_.allFinite();
    return true;
}

bool Expansion::vanishes_identically(const Expansion& other)
{
    // every formula stays in its piece
    const auto freeze = [](SeriesTape& tape, const SeriesTape& from) {
        for (std::size_t i = 0; i < tape.switches().size(); ++i) {
            tape.switches()[i].held = from.switches()[i].side;
        }
    };
    freeze(system_.dynamics.tape, other.system_.dynamics.tape);
    for (std::size_t c = 0; c < system_.contacts.size(); ++c) {
        for (std::size_t k = 0; k < system_.contacts[c].rows.size(); ++k) {
            freeze(system_.contacts[c].rows[k].tape, other.system_.contacts[c].rows[k].tape);
        }
    }
    known_.clear();
    for (const Player& one : other.players()) {
        known_.push_back(one.known);
    }

    // what does not move in the motion found stays; all else, and the time, goes somewhere
    double fastest = 1;
    for (int i = 0; i < n_; ++i) {
        fastest = std::max(fastest, std::abs(other.u(i)[0]));
    }
    const auto moves = [&](int i) {
        const double* error = other.x_error_.data() + static_cast<std::size_t>(n_ + i) * other.stride_;
        for (int k = 0; k <= other.K_; ++k) {
            if (std::abs(other.u(i)[k]) > std::max(resting * fastest, 32 * error[k])) return true;
        }
        return false;
    };
    const double t_s = other.x_[static_cast<std::size_t>(2 * n_) * other.stride_];
    Eigen::VectorXd q(n_), u(n_);
    Scatter scatter;
    int defined = 0;
    for (int n = 0; n < samples; ++n) {
        const double far = nearest * std::pow(farthest / nearest, static_cast<double>(n) / (samples - 1));
        for (int i = 0; i < n_; ++i) {
            q[i] = other.q(i)[0];
            u[i] = other.u(i)[0];
            if (!moves(i)) continue;
            q[i] += far * scatter.next();
            u[i] += far * scatter.next();
        }
        bool finite = false;
        if (!holds_at(other, t_s + far * scatter.next(), q, u, finite)) return false;
        defined += finite ? 1 : 0;
    }
    return defined >= fewest;
}

}  // namespace carom::detail
