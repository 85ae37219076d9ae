#include "series_engine.hpp"

#include "stepping/step_parts.hpp"

#include "carom/system/lagrangian/geometry.hpp"
#include "core/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double no_motion = 1e-15;  ///< of the scene's length
constexpr int max_flips = 6;         ///< changes of sides at one instant

}  // namespace

SeriesEngine::LocalVelocity SeriesEngine::local_velocity(int c)
{
    const auto support = model_.support(c);
    const auto rows = static_cast<std::size_t>(model_.dimension(c));
    std::vector<double>&H = w_.H, &b = w_.b;
    H.resize(rows * support.size());
    b.resize(rows);
    model_.contact_rows(c, {view(q_), view(u_), t_s_}, H, b, scratch_.work);
    LocalVelocity result;
    for (std::size_t i = 0; i < rows; ++i) {
        double U = b[i], scale = std::abs(b[i]);
        for (std::size_t s = 0; s < support.size(); ++s) {
            const double part = H[i * support.size() + s] * u_[support[s]];
            U += part;
            scale += std::abs(part);
        }
        if (i == 0) {
            result.normal = U;
            result.normal_scale = scale;
        } else {
            result.sliding = std::hypot(result.sliding, U);
            result.sliding_scale += scale;
        }
    }
    return result;
}

/// What is closed, what rests: from the state, and where it says nothing from gaps and velocities.
void SeriesEngine::look_at_start()
{
    std::vector<int> hit;
    for (int c = 0; c < model_.contacts(); ++c) {
        const auto index = static_cast<std::size_t>(c);
        ContactNow& contact = contacts_[index];
        contact.known.contact = c;
        contact.closed = state_.closed[index] != 0;
        contact.told_closed = contact.closed && (!continues_ || contact.told_closed);
        const bool slides = contact.closed && state_.slides[index] != 0;
        contact.known.at_rest = contact.closed && model_.dimension(c) > 1 && !slides;
        if (!continues_ || !contact.closed) {
            contact.slid = slides;
            contact.stuck = contact.known.at_rest;
        }

        const double gap = model_.gap_m(c, {view(q_), view(u_), t_s_}, scratch_.work);
        const double small = touching_m();
        if (gap < -small) {
            fail_outside(c, gap);
            return;
        }
        if (contact.closed && gap <= small) {
            // slip that moves nothing within the report has a direction of rounding, in the plane where that
            // is not the one it had: it begins anew
            if (slides && local_velocity(c).sliding * settings_.time_step_s <= no_motion * length_m()) {
                const auto support = model_.support(c);
                double U = w_.b[1];
                for (std::size_t k = 0; k < support.size(); ++k) {
                    U += w_.H[support.size() + k] * u_[support[k]];
                }
                const bool ended = contact.told_side != 0 && contact.told_side * U <= 0;
                contact.known.at_rest = model_.dimension(c) == 3 || ended;
            }
            continue;
        }
        contact.closed = contact.told_closed = contact.slid = contact.stuck = false;
        if (!(gap <= settings_.activation_gap_m)) continue;
        const LocalVelocity U = local_velocity(c);
        contact.known.at_rest = model_.dimension(c) > 1 && U.sliding <= velocity_rounding * U.sliding_scale;
        if (std::abs(U.normal) <= velocity_rounding * U.normal_scale) {
            contact.closed = true;
        } else if (U.normal > 0) {
            contact.gap_is_zero = gap <= 0;
            contact.gap_valuation = 1;
        } else if (gap <= 0) {
            hit.push_back(c);
        }
    }
    project_configuration();
    if (!hit.empty()) static_cast<void>(strike(hit, false, EventKind::Impact));
}

/// Slip in space that is slower than what rounding of its forces makes of it has no direction: it is rest,
/// and the series decide anew.
bool SeriesEngine::rest_what_rounding_moves()
{
    bool changed = false;
    for (const Player& one : x_->players()) {
        const bool slips = one.dimension == 3 && one.friction == FrictionStatus::Slip;
        if (!slips || one.known.at_rest || one.normal != NormalStatus::Active) continue;
        const double a = x_->acceleration_scale(one);
        if (!(one.speed[0] <= 1e-14 * std::max(a * left_s(), std::sqrt(length_m() * a)))) continue;
        contacts_[static_cast<std::size_t>(one.known.contact)].known.at_rest = changed = true;
    }
    return changed;
}

/// Slip has ended at some contacts: those that they hold still have no velocity either, but that of rounding,
/// in any direction. Feet of one body that stop together are such.
void SeriesEngine::rest_what_others_hold()
{
    constexpr double still = 1e-12;  // of sqrt(L a)
    const auto A = metric_at(model_, q_);
    std::vector<int> contacts;
    for (const ContactNow& contact : contacts_) {
        if (contact.closed) contacts.push_back(contact.known.contact);
    }
    if (!A || contacts.empty()) return;
    const ImpactContacts at = impact_contacts_at(model_, q_, u_, contacts, t_s_);
    for (bool grown = true; grown;) {
        grown = false;
        std::vector<int> held;  // rows
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            const bool at_rest = contacts_[static_cast<std::size_t>(contacts[k])].known.at_rest;
            const int last = at_rest ? at.offsets[k + 1] : at.offsets[k] + 1;
            for (int row = at.offsets[k]; row < last; ++row) {
                held.push_back(row);
            }
        }
        const Eigen::MatrixXd H = at.rows(held, Eigen::all);
        Eigen::MatrixXd AiHt(u_.size(), H.rows());
        for (Eigen::Index i = 0; i < H.rows(); ++i) {
            AiHt.col(i) = A->solve(H.row(i).transpose());
        }
        const Eigen::VectorXd U = H * u_ + at.b(held);
        const Eigen::MatrixXd W = H * AiHt;
        const Eigen::VectorXd u = u_ - AiHt * LeastSquares(W).solve(U);
        const Eigen::VectorXd left = at.rows * u + at.b;
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            ContactNow& contact = contacts_[static_cast<std::size_t>(contacts[k])];
            const int d = at.dimension(static_cast<int>(k));
            if (d == 1 || contact.known.at_rest) continue;
            const Player* one = x_->player_of(contacts[k]);
            if (one == nullptr || one->dimension != 3) continue;
            const double slope = std::abs(one->speed[1]);
            if (left.segment(at.offsets[k] + 1, d - 1).norm() > still * std::sqrt(length_m() * slope))
                continue;
            contact.known.at_rest = grown = true;
        }
    }
}

bool SeriesEngine::treat()
{
    if (memory_.log && !w_.happening.empty()) log_causes();
    std::vector<int> hit;
    bool flipped = false;
    for (const Occurrence& one : w_.happening) {
        if (one.what == Watch::Until) {
            ended_ = true;
            continue;
        }
        if (one.what == Watch::Switch) {
            SeriesSwitch& it = one.tape->switches()[one.index];
            it.held = -it.side;
            flipped = true;
            continue;
        }
        ContactNow& contact = contacts_[static_cast<std::size_t>(one.contact)];
        switch (one.what) {
        case Watch::Gap:
            if (one.touches) {
                // grazes: no velocity jump, the series decide what follows
                const LocalVelocity U = local_velocity(one.contact);
                contact.closed = true;
                contact.known.at_rest =
                    model_.dimension(one.contact) > 1 && U.sliding <= velocity_rounding * U.sliding_scale;
            } else {
                hit.push_back(one.contact);
            }
            break;
        case Watch::Reaction: contact.known.no_reaction = true; break;
        case Watch::SlipEnd: contact.known.at_rest = true; break;
        case Watch::Threshold:
            contact.known.at_threshold = true;
            contact.known.side = one.side;
            break;
        case Watch::Switch:
        case Watch::Until: break;
        }
    }
    if (flipped) {
        flips_ = t_s_ == flip_s_ ? flips_ + 1 : 1;
        flip_s_ = t_s_;
        if (flips_ > max_flips) {
            return fail(StepStatus::Undetermined,
                        fmt::format("at {:.9g} s a formula switches back and forth between two pieces: the "
                                    "motion would have to stay on their boundary",
                                    t_s_));
        }
    }
    if (flipped && !look_behind_switches(hit)) return false;
    return hit.empty() || strike(hit, false, EventKind::Impact);
}

/// A state outside of what contacts allow: there is no motion.
bool SeriesEngine::fail_outside(int contact, double gap_m)
{
    const std::string& name = model_.system().contacts[static_cast<std::size_t>(contact)].name;
    finding("gap_jumped",
            fmt::format("the gap of {} is {:.3e} m at {:.9g} s without having closed: its formula "
                        "jumps, or the run begins inside the obstacle",
                        name, gap_m, t_s_));
    report_.findings.back().uncertifies = true;
    return fail(
        StepStatus::Undetermined,
        fmt::format("at {:.9g} s no motion of finite velocity keeps the gap of {} from being negative", t_s_,
                    name));
}

/// A formula has changed its piece: gaps and velocities of obstacles may have jumped. A contact that is hit
/// by the jump of a velocity is struck, one that its obstacle leaves opens, and one that stuck slips where
/// the velocity of the surface has jumped along it.
bool SeriesEngine::look_behind_switches(std::vector<int>& hit)
{
    const int n = model_.coordinates();
    std::vector<double>& inputs = w_.work;
    inputs.assign(q_.data(), q_.data() + n);
    inputs.insert(inputs.end(), u_.data(), u_.data() + n);
    inputs.push_back(t_s_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        ContactNow& contact = contacts_[c];
        ContactPrograms& programs = x_->system().contacts[c];
        SeriesProgram& rows = programs.rows.front();
        if (programs.gap.tape.switches().empty() && rows.tape.switches().empty()) continue;
        programs.gap.tape.start_with_sides(inputs.data(), 1);
        const double gap = programs.gap.output(0)[0];
        const auto opens = [&](double speed) {
            tell(EventKind::ContactLost, static_cast<int>(c), 0, 0, speed, 0);
            contact.closed = contact.told_closed = contact.slid = contact.stuck = false;
        };
        const double small = touching_m();
        if (gap < -small) return fail_outside(static_cast<int>(c), gap);
        if (!contact.closed) continue;
        if (gap > small) {
            opens(0);
            continue;
        }
        rows.tape.start_with_sides(inputs.data(), 1);
        double scale = 0;
        const auto velocity = [&](int row) {
            double U = rows.output(programs.b_at(row))[0];
            scale = std::abs(U);
            for (std::size_t s = 0; s < programs.support.size(); ++s) {
                const double part = rows.output(programs.H_at(row, s))[0] * u_[programs.support[s]];
                U += part;
                scale += std::abs(part);
            }
            return U;
        };
        const double U = velocity(0);
        if (std::abs(U) <= 1e-9 * scale) {
            // a surface whose velocity jumps along itself takes nothing with it at once
            double slip = 0, slip_scale = 0;
            for (int row = 1; row < model_.dimension(static_cast<int>(c)); ++row) {
                slip = std::hypot(slip, velocity(row));
                slip_scale += scale;
            }
            if (slip > 1e-9 * slip_scale) contact.known.at_rest = false;
            continue;
        }
        contact.closed = false;
        if (U < 0) {
            hit.push_back(static_cast<int>(c));
        } else {
            opens(U);
            contact.gap_is_zero = true;
            contact.gap_valuation = 1;
        }
    }
    return true;
}

}  // namespace carom::detail
