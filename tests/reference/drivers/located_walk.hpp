#pragma once

#include "simulation.hpp"
#include "stepping/scratch.hpp"

#include <vector>

namespace carom::reference {

/// An impact whose instant was located, and the state right after it.
struct LocatedImpact {
    Event event;
    State after;
};

/// A motion by moreau_step in which every impact gets a step of its own. A step that would end in overlap, or
/// in which a contact acts, is taken back; the length of the step that ends where the gap is zero is found by
/// bisection, and the next step, too short for anything to move, makes the impact. Under constant forces the
/// midpoint scheme moves without error, so what is left is roundoff. For impacts that bounce off; when they
/// accumulate, the walk goes on with the steps of the scheme.
class LocatedWalk {
public:
    LocatedWalk(const Model& model, const State& start, double h_s)
        : model_(model), h_s_(h_s), state_(start), scratch_(model)
    {
    }

    /// Goes on until there are `count` impacts; DriverFailure when that needs more than a million steps.
    void until_impact(std::size_t count);

    /// Goes on to an instant.
    void until_s(double t_s);

    [[nodiscard]] const State& state() const noexcept { return state_; }
    [[nodiscard]] const std::vector<LocatedImpact>& impacts() const noexcept { return impacts_; }

private:
    void advance(double h_s);
    void step(double h_s, double activation_gap_m);
    bool meets(double h_s);
    void keep_impacts();

    const Model& model_;
    double h_s_;
    State state_;
    Scratch scratch_;
    std::vector<LocatedImpact> impacts_;
    bool accumulated_ = false;
    long steps_ = 0;
};

}  // namespace carom::reference
