#include "body_parts.hpp"
#include "statuses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace carom::detail {
namespace {

int row_of_part(const BodyStepMemory& s, std::size_t part)
{
    return s.problem.offsets[s.contacts.size() + part];
}

/// Bound of the speeds that the velocity of a row is a difference of.
double speeds_of_row(const BodyRows& rows, int row, std::span<const Vec3> v, std::span<const Vec3> w)
{
    double sum = 0;
    for (const BodyRows::Term& term : rows.row(row)) {
        const auto k = static_cast<std::size_t>(term.block);
        sum +=
            term.v.cwiseAbs().sum() * v[k].cwiseAbs().sum() + term.w.cwiseAbs().sum() * w[k].cwiseAbs().sum();
    }
    return sum;
}

/// The change of a motor or of friction, as an event.
Event event_of_drive(EventKind kind, ConstraintStatus now, double time_s, std::size_t part,
                     const BodyStepMemory& s)
{
    const auto row = static_cast<std::size_t>(row_of_part(s, part));
    const double U_plus = s.joint_U_plus[row] - s.joints[part].rate, U_minus = s.problem.U_minus[row];
    Event event;
    event.time_s = time_s;
    event.kind = kind;
    event.contact = -1;
    event.feature = static_cast<std::uint64_t>(s.joints[part].actor);
    event.percussion_Ns = s.P[row];
    event.velocity_before_m_s = U_minus;
    event.velocity_after_m_s = now == ConstraintStatus::Holds ? 0.0 : U_plus;
    event.energy_J = s.P[row] * (U_minus + U_plus) / 2;
    return event;
}

/// What a motor or friction does in this step.
ConstraintStatus status_of_drive(std::size_t part, const BodyStepMemory& s)
{
    const JointPart& drive = s.joints[part];
    if (drive.arm == 0 && std::isinf(drive.largest)) return ConstraintStatus::Holds;
    const int interaction = static_cast<int>(s.contacts.size() + part);
    std::array<double, 3> U_plus{};
    const auto d = static_cast<std::size_t>(drive.dimension);
    const auto row = static_cast<std::size_t>(row_of_part(s, part));
    for (std::size_t i = 0; i < d; ++i) {
        U_plus[i] = s.joint_U_plus[row + i] - drive.rate;
    }
    return status_of_reaction(s.problem, interaction, std::span<const double>(s.P).subspan(row, d),
                              std::span<const double>(U_plus).first(d));
}

}  // namespace

bool persists_with(const KeptContact& before, const MetAgain& met, double h_s) noexcept
{
    const bool stayed = before.closed || before.status != 0;
    if (!stayed && !(has_bounced(before) && met.U_minus_m_s < 0)) return false;
    const double bend = stayed ? 0 : before.away_m_s - met.U_minus_m_s;
    const double reach =
        reach_of_touch_m_s(met.U_free_m_s, met.U_minus_m_s, met.W_1_kg, stayed ? met.held_Ns : 0) + bend;
    return stays_in_touch(met.U_minus_m_s, met.open_half_way_m, reach, h_s);
}

bool keeps_touching(const ContactStep& step, double held_Ns) noexcept
{
    return -step.U_minus[0] <=
           reach_of_touch_m_s(step.U_free[0], step.U_minus[0], step.W_1_kg, held_Ns) + step.rounding_m_s;
}

int kept_actor(const State& state, int actor) noexcept
{
    const auto wanted = std::tuple(-1 - actor, -1);
    const auto found = std::lower_bound(
        state.kept.begin(), state.kept.end(), wanted,
        [](const KeptContact& kept, const auto& pair) { return std::tuple(kept.first, kept.second) < pair; });
    if (found == state.kept.end() || std::tuple(found->first, found->second) != wanted) return -1;
    return static_cast<int>(found - state.kept.begin());
}

ContactStep report_stop(double left_m_s, std::size_t part, const KeptContact* before, const BodyStepMemory& s)
{
    const JointPart& stop = s.joints[part];
    const int interaction = static_cast<int>(s.contacts.size() + part), row = row_of_part(s, part);
    ContactStep step;
    step.contact = interaction;
    step.restitution = stop.restitution;
    step.shift_m_s = stop.may_close;
    step.left_m_s = left_m_s;
    step.W_1_kg = s.problem.W.diagonal(interaction)[0];
    step.U_minus[0] = s.problem.U_minus[row];
    step.U_free[0] = s.problem.U_free[row] - stop.may_close;
    step.U_plus[0] = s.joint_U_plus[row];
    step.P[0] = s.P[row];
    step.energy_J = step.P[0] * (step.U_minus[0] + step.U_plus[0]) / 2;
    step.from_free_J = step.P[0] * (step.U_free[0] + step.U_plus[0]) / 2;
    step.rounding_m_s =
        left_m_s + velocity_rounding * std::max(speeds_of_row(s.rows, row, s.mid.v, s.w_before),
                                                speeds_of_row(s.rows, row, s.next.v, s.w_after));
    if (before == nullptr) return step;
    step.bend_m_s = step.U_minus[0] - before->away_m_s;
    if (touched(before))
        step.persists = keeps_touching(step, before->percussion_Ns.x());
    else
        step.persists = stop.restitution == 0 && has_bounced(*before);
    return step;
}

KeptContact keep_stop(const JointPart& stop, const ContactStep& step)
{
    const double met = std::abs(step.U_minus[0]) + std::abs(step.U_plus[0]);
    return {.first = -1 - stop.actor,
            .second = -1,
            .percussion_Ns = {step.P[0], 0, 0},
            .closed = step.U_plus[0] <= velocity_at_rest * met || stop.restitution == 0,
            .acted = step.P[0] > 0,
            .away_m_s = step.U_plus[0]};
}

void find_touching_stops(const BodyModel& model, double activation_gap_m, State& state)
{
    if (model.stops == 0) return;
    BodyRows rows;
    std::vector<JointPart> parts;
    add_joint_rows(
        model,
        {.x = state.x, .R = state.R, .turns = state.turns, .closed_gap = activation_gap_m, .drives = false},
        rows, parts);
    for (const JointPart& part : parts) {
        if (part.kind != JointPart::Kind::Stop || part.value > activation_gap_m) continue;
        state.kept.push_back({.first = -1 - part.actor, .second = -1, .closed = true, .acted = false});
    }
}

bool let_stop_persist(const MoreauSettings& settings, const State& state, std::size_t part, BodyStepMemory& s)
{
    JointPart& stop = s.joints[part];
    const int place = stop.restitution > 0 ? kept_actor(state, stop.actor) : -1;
    const double open = stop.value - settings.activation_gap_m;
    if (stop.restitution == 0) return true;
    if (place < 0) return open <= 0;
    const KeptContact& before = state.kept[static_cast<std::size_t>(place)];
    const auto row = static_cast<std::size_t>(row_of_part(s, part));
    const MetAgain met{.U_minus_m_s = s.problem.U_minus[row],
                       .U_free_m_s = s.problem.U_free[row],
                       .W_1_kg = s.problem.W.diagonal(static_cast<int>(s.contacts.size() + part))[0],
                       .held_Ns = before.percussion_Ns.x(),
                       .open_half_way_m = gap_half_way_m(s, open, s.problem.U_minus[row])};
    if (persists_with(before, met, settings.time_step_s)) stop.restitution = 0;
    return stop.restitution == 0 || open <= 0;
}

void tell_drives(double time_s, const State& state, BodyStepMemory& s, EnergyLines& lines)
{
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        JointPart& part = s.joints[k];
        if (part.kind != JointPart::Kind::Motor && part.kind != JointPart::Kind::Friction) continue;
        const int place = kept_actor(state, part.actor);
        const auto before =
            place < 0 ? ConstraintStatus::Unknown
                      : static_cast<ConstraintStatus>(state.kept[static_cast<std::size_t>(place)].status);
        const ConstraintStatus now = status_of_drive(k, s);
        if (before == ConstraintStatus::Holds && now == ConstraintStatus::Holds) {
            part.held_J = work_of_joint_J(k, s);
            line_of_joint(part, lines) -= part.held_J;
            lines.correction_J += part.held_J;
        }
        if (const auto kind = event_of_change(before, now))
            s.events.push_back(event_of_drive(*kind, now, time_s, k, s));
        s.statuses.kept.push_back(
            {.first = -1 - part.actor, .second = -1, .acted = false, .status = static_cast<char>(now)});
    }
}

}  // namespace carom::detail
