#pragma once

#include "answers.hpp"
#include "run/step_view.hpp"
#include "simulation.hpp"

#include <map>
#include <vector>

namespace carom::reference {

/// Keeps the states of a smooth motion at given instants: configuration and velocity linear within the step,
/// for motions without jumps, where the error of that is of the order of the scheme.
class InstantWatch {
public:
    /// The instants that names of outputs hold. What cannot be read is not waited for, and fails later the
    /// output that holds it.
    void wait_for(const std::vector<Pieces>& asked)
    {
        for (const Pieces& pieces : asked) {
            try {
                waiting_.emplace(number_in(pieces[0]), State{});
            } catch (const DriverFailure&) {
                continue;
            }
        }
    }

    void see(const StepView& view) { see(view.before, view.after); }

    void see(const State& before, const State& after)
    {
        for (auto entry = waiting_.lower_bound(before.t_s); entry != waiting_.end(); ++entry) {
            const double t_s = entry->first;
            if (t_s > after.t_s) return;
            const double part = (t_s - before.t_s) / (after.t_s - before.t_s);
            entry->second = after;
            entry->second.t_s = t_s;
            entry->second.q = before.q + part * (after.q - before.q);
            entry->second.u = before.u + part * (after.u - before.u);
        }
    }

    /// DriverFailure when the run has not passed it.
    [[nodiscard]] const State& at(double t_s) const
    {
        const auto found = waiting_.find(t_s);
        if (found == waiting_.end() || found->second.q.size() == 0) {
            throw DriverFailure("an instant is outside the run");
        }
        return found->second;
    }

private:
    std::map<double, State> waiting_;
};

}  // namespace carom::reference
