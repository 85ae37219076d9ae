#include "refined_impacts.hpp"
#include "stepping/scratch.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr int pieces_of_a_step = 100;
constexpr int finest_level = 2;
constexpr int drift_steps = 100;  // for which a contact that stays may be off
constexpr long max_steps = 10'000'000;

class RefinedWalk {
public:
    RefinedWalk(const Model& model, const State& start) : model_(model), state_(start), scratch_(model) {}

    /// Moves on by h, in smaller steps where an impact falls.
    void advance(double h_s, int level)
    {
        const State before = state_;
        const StepReport report = moreau_step(model_, {.time_step_s = h_s}, {}, state_, scratch_);
        if (report.status != StepStatus::Solved || ++steps_ > max_steps) {
            throw DriverFailure("a refined step was not solved, or there were too many");
        }
        if (level == 0) drift_s_ = drift_steps * h_s;
        const bool strikes = std::any_of(scratch_.events.begin(), scratch_.events.end(),
                                         [&](const Event& event) { return is_impact(event); });
        // the scheme sees at mid-step what is closed: an overlap at the end is an impact that the next step
        // would find late
        const bool overlaps = report.max_penetration_m > 1e-9;
        if ((strikes || overlaps) && level < finest_level) {
            state_ = before;
            for (int i = 0; i < pieces_of_a_step; ++i) {
                advance(h_s / pieces_of_a_step, level + 1);
            }
            return;
        }
        keep_events(before);
    }

    [[nodiscard]] const Strikes& motion() const noexcept { return motion_; }

private:
    /// An impact, and not of a contact that was lost a moment ago.
    [[nodiscard]] bool is_impact(const Event& impact) const
    {
        if (impact.kind != EventKind::Impact) return false;
        for (auto event = motion_.others.rbegin(); event != motion_.others.rend(); ++event) {
            if (event->time_s < impact.time_s - drift_s_) break;
            if (event->kind == EventKind::ContactLost && event->contact == impact.contact) return false;
        }
        return true;
    }

    void keep_events(const State& before)
    {
        Strike strike;
        for (const Event& event : scratch_.events) {
            (is_impact(event) ? strike.events : motion_.others).push_back(event);
        }
        if (strike.events.empty()) return;
        strike.before = before;
        strike.after = state_;
        motion_.strikes.push_back(std::move(strike));
    }

    const Model& model_;
    State state_;
    Scratch scratch_;
    Strikes motion_;
    double drift_s_ = 0;
    long steps_ = 0;
};

}  // namespace

std::vector<Event> refined_impacts(const Model& model, const State& start, double h_s, std::size_t count)
{
    const Strikes motion = refined_strikes(model, start, h_s, [&](const Strikes& so_far) {
        std::size_t impacts = 0;
        for (const Strike& strike : so_far.strikes) {
            impacts += strike.events.size();
        }
        return impacts >= count;
    });
    std::vector<Event> impacts;
    for (const Strike& strike : motion.strikes) {
        impacts.insert(impacts.end(), strike.events.begin(), strike.events.end());
    }
    return impacts;
}

Strikes refined_strikes(const Model& model, const State& start, double h_s,
                        const std::function<bool(const Strikes&)>& finished)
{
    RefinedWalk walk(model, start);
    while (!finished(walk.motion())) {
        walk.advance(h_s, 0);
    }
    return walk.motion();
}

}  // namespace carom::reference
