#pragma once

#include "simulation.hpp"
#include "stepping/scratch.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace carom::reference {

/// What a contact in the plane does between two switches.
enum class Doing : char { Free, Stick, SlipPlus, SlipMinus };

/// "free", "stick", "slip+", "slip-".
[[nodiscard]] std::string_view name_of(Doing doing) noexcept;

/// A contact that began to do something else, and the state near that instant.
struct Switch {
    double t_s = 0;
    int contact = 0;
    Doing from{}, to{};
    State state;  ///< after the step in which it happened
};

/// A motion by moreau_step in which every change of a contact's status gets a step of its own, the shortest
/// in which it happens. The scheme looks for contacts and takes forces half-way, so a contact is made, is
/// lost or begins to slip in the middle of that step; sliding ends at its end. Steps and instants are then of
/// second order, where those of a run are of first. Impacts that bounce off are left to the scheme.
class StatusWalk {
public:
    using Listener = std::function<void(const State& before, const State& after, const Scratch&)>;

    /// `listener` hears every step in the order of time; now and then one that is taken back for a longer
    /// one.
    StatusWalk(const Model& model, const State& start, double h_s, Listener listener = {});

    /// Goes on to an instant.
    void until_s(double t_s);

    /// Goes on until there are so many switches; DriverFailure when that needs more than a million steps.
    void until_switches(std::size_t count);

    [[nodiscard]] const State& state() const noexcept { return state_; }
    [[nodiscard]] const std::vector<Doing>& doing() const noexcept { return doing_; }
    [[nodiscard]] const std::vector<Switch>& switches() const noexcept { return switches_; }

private:
    void advance(double h_s);
    bool changes(const State& from, double h_s);
    std::vector<Doing> try_step(double h_s);
    void accept(const State& before, const std::vector<Doing>& now, double h_s);
    bool continues(const Switch& change);
    void settle(const std::vector<Doing>& now);

    const Model& model_;
    double h_s_;
    State state_;
    Scratch scratch_;
    Listener listener_;
    std::vector<Doing> doing_;
    std::vector<Switch>
        open_;  ///< contacts at rest at the end of the last step: the next one says what they do
    std::vector<Switch> switches_;
    State last_;          ///< before the last step
    double quiet_s_ = 0;  ///< length of the last step; 0 when something happened in it
    bool begun_ = false;
    long steps_ = 0;
};

}  // namespace carom::reference
