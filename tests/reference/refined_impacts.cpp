#include "refined_impacts.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr int pieces_of_a_step = 100;
constexpr int finest_level = 2;
constexpr long most_steps = 10'000'000;

class RefinedWalk {
public:
    RefinedWalk(const Model& model, const State& start) : model_(model), state_(start), scratch_(model) {}

    /// Moves on by h, in smaller steps where an impact falls.
    void advance(double h_s, int level)
    {
        const State before = state_;
        const StepReport report = moreau_step(model_, {.time_step_s = h_s}, {}, state_, scratch_);
        if (report.status != StepStatus::Solved || ++steps_ > most_steps) {
            throw DriverFailure("a refined step was not solved, or there were too many");
        }
        const bool strikes = std::any_of(scratch_.events.begin(), scratch_.events.end(),
                                         [](const Event& event) { return event.kind == EventKind::Impact; });
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
        std::copy_if(scratch_.events.begin(), scratch_.events.end(), std::back_inserter(impacts_),
                     [](const Event& event) { return event.kind == EventKind::Impact; });
    }

    [[nodiscard]] const std::vector<Event>& impacts() const noexcept { return impacts_; }

private:
    const Model& model_;
    State state_;
    Scratch scratch_;
    std::vector<Event> impacts_;
    long steps_ = 0;
};

}  // namespace

std::vector<Event> refined_impacts(const Model& model, const State& start, double h_s, std::size_t count)
{
    RefinedWalk walk(model, start);
    while (walk.impacts().size() < count) {
        walk.advance(h_s, 0);
    }
    return walk.impacts();
}

}  // namespace carom::reference
