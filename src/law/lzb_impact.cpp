#include "impact_parts.hpp"
#include "law/bounded_percussions.hpp"
#include "law/frictional_impact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

Expected<void> check(const LzbSettings& settings, int contacts)
{
    const auto refused = [](const char* where, double seen, const char* hint) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = where,
                     .message = fmt::format("it is {}", seen),
                     .hint = hint,
                     .excerpt = {}};
    };
    if (!(settings.exponent >= 1 && std::isfinite(settings.exponent)))
        return refused("LzbSettings::exponent", settings.exponent, "1 is a linear spring, 1.5 Hertz");
    if (settings.steps_per_radian < 10)
        return refused("LzbSettings::steps_per_radian", settings.steps_per_radian, "give 10 or more");
    for (const double K : settings.stiffness) {
        if (!(K > 0 && std::isfinite(K)))
            return refused("LzbSettings::stiffness", K, "give numbers greater than zero");
    }
    if (!settings.stiffness.empty() && static_cast<int>(settings.stiffness.size()) != contacts) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "LzbSettings::stiffness",
                     .message =
                         fmt::format("{} numbers for {} contacts", settings.stiffness.size(), contacts),
                     .hint = "give one per contact, or none",
                     .excerpt = {}};
    }
    return {};
}

/// The contacts of an impact as springs that are squeezed and let go (IM-10), in a time of their own.
class Springs {
public:
    Springs(const ImpactContacts& contacts, detail::LocalImpact& local, const LzbSettings& settings)
        : contacts_(contacts),
          local_(local),
          settings_(settings),
          stored_(Eigen::VectorXd::Zero(contacts.size()))
    {
        for (int k = 0; k < contacts.size(); ++k) {
            incoming_ = std::max(incoming_, -U_N(k) * std::abs(U_N(k)) / (2 * W_NN(k)));
        }
        friction_ = Eigen::VectorXd::Zero(local.U.size());
    }

    [[nodiscard]] bool at_rest() const
    {
        for (int k = 0; k < contacts_.size(); ++k) {
            if (acts(k)) return false;
        }
        return true;
    }

    /// One step of the time that the stiffest acting contact resolves; false when friction did not settle.
    [[nodiscard]] bool step()
    {
        double dt = resolved_time();
        constexpr int max_halvings = 60;
        for (int halving = 0; halving < max_halvings; ++halving, dt /= 2) {
            if (!attempt(dt)) return false;
            cut_at_turn(dt);
            // friction that gave energy met a reversal of sliding in the middle of the step
            if (friction_work() <= 1e-15 * incoming_) break;
        }
        accept();
        return true;
    }

private:
    [[nodiscard]] double U_N(int k) const { return local_.U[contacts_.offsets[k]]; }
    [[nodiscard]] double W_NN(int k) const { return local_.W(contacts_.offsets[k], contacts_.offsets[k]); }
    [[nodiscard]] double K(int k) const
    {
        return settings_.stiffness.empty() ? 1.0 : settings_.stiffness[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] bool acts(int k) const { return stored_[k] > 0 || U_N(k) < -local_.nothing_m_s; }

    /// Work per stored energy: 1 while it is squeezed, what restitution leaves of it afterwards.
    [[nodiscard]] double share(int k, double U) const
    {
        const double e = local_.restitution[static_cast<std::size_t>(k)];
        return U < -local_.nothing_m_s ? 1.0 : e * e;
    }

    /// Depth that stores the energy E.
    [[nodiscard]] double depth(int k, double E) const
    {
        return std::pow((settings_.exponent + 1) * E / K(k), 1 / (settings_.exponent + 1));
    }

    [[nodiscard]] double resolved_time() const
    {
        double fastest2 = 0;
        for (int k = 0; k < contacts_.size(); ++k) {
            if (!acts(k)) continue;
            // at the depth that this contact alone can reach
            const double U = U_N(k);
            const double deepest = depth(k, stored_[k] + U * U / (2 * W_NN(k)));
            fastest2 = std::max(fastest2, W_NN(k) * K(k) * settings_.exponent *
                                              std::pow(deepest, settings_.exponent - 1));
        }
        return 1 / (settings_.steps_per_radian * std::sqrt(fastest2));
    }

    /// Normal percussion of a step: by the depth half-way, or all that is left where the spring is let go.
    [[nodiscard]] double predicted(int k, double dt) const
    {
        const double U = U_N(k), part = share(k, U), d = depth(k, stored_[k]);
        if (!acts(k)) return 0;
        if (U >= -local_.nothing_m_s && (part == 0 || d - U / part * dt <= 0)) {
            const double owed = part * stored_[k];
            return owed > 0 ? 2 * owed / (U + std::sqrt(U * U + 2 * W_NN(k) * owed)) : 0.0;
        }
        return K(k) * std::pow(std::max(0.0, d - U / part * dt / 2), settings_.exponent) * dt;
    }

    /// The velocities after the normal percussions of the step, with the friction that they allow.
    [[nodiscard]] bool move()
    {
        P_.setZero(local_.U.size());
        for (int k = 0; k < contacts_.size(); ++k) {
            P_[contacts_.offsets[k]] = normal_[k];
        }
        if (contacts_.has_friction()) {
            for (int k = 0; k < contacts_.size(); ++k) {
                for (int i = contacts_.offsets[k] + 1; i < contacts_.offsets[k + 1]; ++i) {
                    P_[i] = friction_[i];
                }
            }
            // the friction of the step before is a good start; what is missed now is made up in the next step
            (void)solve_bounded(contacts_, local_.W, local_.U, {normal_, normal_}, P_,
                                {.tolerance = 1e-10, .max_sweeps = 50});
            if (!P_.allFinite()) return false;
            friction_ = P_;
        }
        U_after_ = local_.U + local_.W * P_;
        return true;
    }

    [[nodiscard]] double mean_U(int k) const
    {
        const int at = contacts_.offsets[k];
        return (local_.U[at] + U_after_[at]) / 2;
    }

    [[nodiscard]] bool attempt(double dt)
    {
        normal_.resize(contacts_.size());
        for (int k = 0; k < contacts_.size(); ++k) {
            normal_[k] = predicted(k, dt);
        }
        // no contact gives back more than it has: what the others did to its velocity counts as well
        constexpr int max_passes = 30;
        for (int pass = 0; pass < max_passes; ++pass) {
            if (!move()) return false;
            bool exceeded = false;
            for (int k = 0; k < contacts_.size(); ++k) {
                const double U = mean_U(k), owed = share(k, U) * stored_[k];
                if (!(U > 0 && normal_[k] * U > owed * (1 + 1e-15))) continue;
                normal_[k] = pass + 1 < max_passes ? owed / U : 0.0;
                exceeded = true;
            }
            if (!exceeded) return true;
        }
        return move();
    }

    /// Squeezing ends within the step: where restitution is not full the step ends there.
    void cut_at_turn(double dt)
    {
        const auto turns = [&] {
            for (int k = 0; k < contacts_.size(); ++k) {
                const bool full = local_.restitution[static_cast<std::size_t>(k)] == 1;
                const double after = U_after_[contacts_.offsets[k]];
                if (!full && U_N(k) < -local_.nothing_m_s && after > local_.nothing_m_s) return true;
            }
            return false;
        };
        if (!turns()) return;
        double low = 0, high = dt;
        for (int k = 0; k < 60; ++k) {
            const double middle = low + (high - low) / 2;
            if (!attempt(middle)) return;
            (turns() ? high : low) = middle;
        }
        (void)attempt(high);
    }

    [[nodiscard]] double friction_work() const
    {
        double work = 0;
        for (int k = 0; k < contacts_.size(); ++k) {
            for (int i = contacts_.offsets[k] + 1; i < contacts_.offsets[k + 1]; ++i) {
                work += P_[i] * (local_.U[i] + U_after_[i]) / 2;
            }
        }
        return work;
    }

    /// Work at the mean velocity is the exact change of kinetic energy: stored and kinetic energy agree.
    void accept()
    {
        for (int k = 0; k < contacts_.size(); ++k) {
            const double U = mean_U(k), part = share(k, U);
            const double released = normal_[k] * U;
            stored_[k] = part > 0 ? std::max(0.0, stored_[k] - released / part) : 0.0;
            if (stored_[k] <= 1e-16 * incoming_ && U > 0) stored_[k] = 0;
        }
        local_.U = U_after_;
        local_.P += P_;
    }

    const ImpactContacts& contacts_;
    detail::LocalImpact& local_;
    const LzbSettings& settings_;
    double incoming_ = 0;     ///< energy that a single contact could take, J
    Eigen::VectorXd stored_;  ///< potential energy of each contact, J
    Eigen::VectorXd normal_, P_, friction_, U_after_;
};

}  // namespace

Expected<Impact> lzb_impact(const Metric& A, const ImpactContacts& contacts, const Eigen::VectorXd& u_minus,
                            const LzbSettings& settings)
{
    auto local = detail::local_impact(A, contacts, u_minus, settings.restitution);
    if (!local) return local.error();
    if (auto checked = check(settings, contacts.size()); !checked) return checked.error();

    Springs springs(contacts, *local, settings);
    int steps = 0;
    while (!springs.at_rest()) {
        const bool settled = steps < settings.max_steps && springs.step();
        if (settled) {
            ++steps;
            continue;
        }
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "LzbSettings::max_steps",
                     .message = fmt::format("contacts still act on each other after {} steps", steps),
                     .hint = "allow more steps, or bring the stiffnesses nearer to each other",
                     .excerpt = {}};
    }
    return detail::finished(A, contacts, u_minus, local->P, steps > 0 ? 1 : 0);
}

}  // namespace carom
