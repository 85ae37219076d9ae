#include "located_walk.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr long max_steps = 1'000'000;
constexpr int halvings = 60;                   // a step down to the roundoff of its length
constexpr double impact_part = 1e-12;          // of a step: too short for anything to move
constexpr double shortest_flight_part = 1e-7;  // of a step: below it impacts accumulate

}  // namespace

void LocatedWalk::until_impact(std::size_t count)
{
    while (impacts_.size() < count) {
        advance(h_s_);
    }
}

void LocatedWalk::until_s(double t_s)
{
    while (state_.t_s < t_s) {
        const double left_s = t_s - state_.t_s;
        // a rest that the instants cannot hold any more is no step
        if (!(state_.t_s + left_s / 2 > state_.t_s)) break;
        advance(std::min(h_s_, left_s));
    }
}

/// Moves on by h, or to the impact before and through it.
void LocatedWalk::advance(double h_s)
{
    if (++steps_ > max_steps) throw DriverFailure("what the outputs ask for needs more than a million steps");
    if (accumulated_) return step(h_s, MoreauSettings{}.activation_gap_m);
    const State before = state_;
    if (!meets(h_s)) return;

    // the shortest step that meets a contact
    double free_s = 0, meeting_s = h_s;
    for (int i = 0; i < halvings; ++i) {
        const double middle_s = (free_s + meeting_s) / 2;
        state_ = before;
        (meets(middle_s) ? meeting_s : free_s) = middle_s;
    }
    state_ = before;

    // flights that shrink to nothing: the scheme goes over them
    if (!impacts_.empty()) {
        const double flight_s = before.t_s + meeting_s - impacts_.back().event.time_s;
        accumulated_ = flight_s < shortest_flight_part * h_s_;
        if (accumulated_) return;
    }

    // to the contact, and the impact
    const std::size_t seen = impacts_.size();
    step(meeting_s, 0);
    keep_impacts();
    if (impacts_.size() == seen) {
        step(impact_part * h_s_, 0);
        keep_impacts();
    }
    if (impacts_.size() == seen) throw DriverFailure("a contact was met without an impact");
}

void LocatedWalk::step(double h_s, double activation_gap_m)
{
    const MoreauSettings settings{.time_step_s = h_s, .activation_gap_m = activation_gap_m};
    const StepReport report = moreau_step(model_, settings, {}, state_, scratch_);
    if (report.status != StepStatus::Solved) throw DriverFailure("a step was not solved");
}

/// Steps, and says whether a contact acts on the way or overlaps at the end.
bool LocatedWalk::meets(double h_s)
{
    step(h_s, 0);
    return std::any_of(state_.percussion_Ns.begin(), state_.percussion_Ns.end(),
                       [](double P) { return P > 0; }) ||
           std::any_of(scratch_.gap_m.begin(), scratch_.gap_m.end(), [](double gap) { return gap < 0; });
}

void LocatedWalk::keep_impacts()
{
    for (const Event& event : scratch_.events) {
        if (event.kind == EventKind::Impact) impacts_.push_back({event, state_});
    }
}

}  // namespace carom::reference
