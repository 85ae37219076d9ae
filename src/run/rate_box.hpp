#pragma once

#include "gap_search.hpp"
#include "safe_box.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace carom::path_parts {

/// A box of inputs and velocities in which the rate of a gap is bounded: where the gap itself is smaller than
/// the obstacle moves, as that of a particle that hops on a table, its ends and its rate tell as much.
struct RateBox {
    std::vector<Range> inputs;  ///< of the rows, in the order of their variables
    std::vector<Range> u;       ///< of the coordinates of the support
    double max_rate_m_s = 0;
    double gap_m = 0;  ///< at the end of the last step
    double steps = first_steps;
    bool valid = false;

    static constexpr double first_steps = 8, min_steps = 2, max_steps = 64;

    [[nodiscard]] bool holds(const GapFormula& formula, const Corners& corners, const Path& path) const
    {
        const auto variables = formula.rows.variables();
        for (std::size_t k = 0; k < variables.size(); ++k) {
            if (!corners.in(inputs[k], variables[k])) return false;
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(path.pieces); ++k) {
            const Piece& piece = path.piece[k];
            const double dt = piece.t_to_s - piece.t_from_s;
            for (std::size_t i = 0; i < u.size(); ++i) {
                const int c = formula.support[i];
                if (!u[i].contains(((*piece.to)[c] - (*piece.from)[c]) / dt)) return false;
            }
        }
        return true;
    }

    /// The gap stays above -visible in a step that ends with `end_m`: g >= g_0 - r s and g >= g_1 - r (h -
    /// s).
    [[nodiscard]] bool shows(double end_m, double h_s, double visible_m) const
    {
        return (gap_m + end_m - max_rate_m_s * h_s) / 2 > -visible_m;
    }

    /// Around the end of a step.
    void make(const GapFormula& formula, const State& before, const State& after, Ranges& ranges)
    {
        reach(formula.rows, before, after, steps, ranges);
        inputs = ranges.inputs;
        const auto results = formula.rows.results();
        Range rate = ranges[results.back()];
        u.resize(formula.support.size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            const int c = formula.support[i];
            const double speed = std::max(std::abs(after.u[c]), std::abs(before.u[c]));
            const double far = steps * std::abs(after.u[c] - before.u[c]) + 1e-6 * speed;
            u[i] = {after.u[c] - far, after.u[c] + far};
            rate = rate + ranges[results[i + 1]] * u[i];
        }
        max_rate_m_s = std::max(std::abs(rate.low), std::abs(rate.high));
        valid = std::isfinite(max_rate_m_s);
    }
};

}  // namespace carom::path_parts
