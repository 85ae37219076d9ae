#pragma once

#include "analytic/series_piece.hpp"
#include "simulation.hpp"
#include "stepping/scratch.hpp"

#include <array>
#include <functional>
#include <vector>

namespace carom::reference {

/// Order of the series of all runs: --order.
[[nodiscard]] int series_order() noexcept;
void set_series_order(int order) noexcept;

/// A motion by the series integrator, kept whole: states at every instant, right limits where it jumps.
class SeriesMotion {
public:
    /// Reports come every `report_s`; the motion does not depend on it.
    SeriesMotion(const Model& model, const State& start, double report_s);

    void until_s(double t_s);
    /// Until it is so; DriverFailure after a hundred thousand reports.
    void until(const std::function<bool()>& finished);

    [[nodiscard]] const State& state() const noexcept { return state_; }
    /// The right limit: velocities after an impact at t, also where its instant is a rounding away.
    [[nodiscard]] State at(double t_s) const;
    [[nodiscard]] std::array<double, 3> reaction_N(int contact, double t_s) const;

    /// Events of a kind in the order of time, of one contact or (contact < 0) of all; and their instants.
    [[nodiscard]] std::vector<Event> events(EventKind kind, int contact = -1) const;
    [[nodiscard]] const std::vector<Event>& all_events() const noexcept { return events_; }
    [[nodiscard]] const EnergyLines& energy() const noexcept { return energy_; }

    /// The first instant after from_s at which a function of the state falls through zero.
    [[nodiscard]] double first_fall_s(double from_s, const std::function<double(const State&)>& value) const;

    /// The step that failed, where the motion ended before it was finished.
    [[nodiscard]] const StepReport& failure() const;
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    void may_fail() noexcept { may_fail_ = true; }

private:
    void report(double h_s);
    [[nodiscard]] const SeriesPiece& piece_at(double t_s) const;

    const Model& model_;
    State state_;
    Scratch scratch_;
    double report_s_;
    std::vector<SeriesPiece> pieces_;
    std::vector<Event> events_;
    EnergyLines energy_;
    StepReport last_;
    bool failed_ = false, may_fail_ = false;
};

}  // namespace carom::reference
