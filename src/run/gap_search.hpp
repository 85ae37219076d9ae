#pragma once

#include "path_pieces.hpp"
#include "stepping/scratch.hpp"

#include <optional>
#include <utility>
#include <vector>

/// Gaps of a contact along a step: where they vanish between the instants that the scheme looks at (LE-9).
namespace carom::path_parts {

/// The gap of a contact alone, and with its row and its b.
struct GapFormula {
    RangeProgram gap, rows;
    std::vector<int> support;
    bool analytic;
};

[[nodiscard]] GapFormula gap_formula(const Model& model, int c);

/// Gaps of one contact along one step.
class GapSearch {
public:
    GapSearch(const GapFormula& formula, double visible_m, Ranges& ranges,
              std::vector<std::pair<double, double>>& stack)
        : f_(formula), visible_m_(visible_m), ranges_(ranges), stack_(stack)
    {
    }

    double gap_m(const Piece& piece, double s)
    {
        ranges_.run(f_.gap, piece, s, s);
        return ranges_[f_.gap.results()[0]].low;
    }

    /// dg/ds at a point of the piece.
    double rate(const Piece& piece, double s)
    {
        ranges_.run(f_.rows, piece, s, s);
        return rate_of(piece).low;
    }

    /// The gap is above -visible wherever coordinates and time are within their ranges on the path.
    bool is_clear(const Path& path) { return min_on(path, f_.gap) > -visible_m_; }

    /// The gap is above -visible all along the path: by its rates, whose ranges are narrow where the obstacle
    /// goes along, and by the gaps where the pieces begin and end.
    bool stays_out(const Path& path, const std::array<double, 3>& gaps_m)
    {
        if (!f_.analytic) return is_clear(path);
        if (min_on(path, f_.rows) > -visible_m_) return true;
        for (std::size_t k = 0; k < static_cast<std::size_t>(path.pieces); ++k) {
            const Range rate = rate_of(path.piece[k]);
            const double from = gaps_m[k], to = gaps_m[k + 1];
            const double steepest = std::max(std::abs(rate.low), std::abs(rate.high));
            const bool one_way = rate.low >= 0 || rate.high <= 0;
            // g >= from - steepest s  and  g >= to - steepest (1 - s)
            const double smallest = one_way ? std::min(from, to) : (from + to - steepest) / 2;
            if (!(smallest > -visible_m_)) return false;
        }
        return true;
    }

    /// A place where the gap is below -visible; none if it is shown or believed that there is none.
    std::optional<double> negative(const Piece& piece)
    {
        int left = 400;
        stack_.assign(1, {0.0, 1.0});
        while (!stack_.empty() && left-- > 0) {
            const auto [a, b] = stack_.back();
            stack_.pop_back();
            if (lower_bound(piece, a, b) > -visible_m_) continue;
            const double middle = (a + b) / 2;
            if (gap_m(piece, middle) < -visible_m_) return middle;
            if (b - a < 1e-7) continue;
            stack_.emplace_back(middle, b);
            stack_.emplace_back(a, middle);
        }
        if (stack_.empty()) return std::nullopt;
        // ranges are too wide to decide: look at points
        for (int k = 0; k <= 256; ++k) {
            if (gap_m(piece, k / 256.0) < -visible_m_) return k / 256.0;
        }
        return std::nullopt;
    }

    /// Where the gap passes zero between a place outside and one inside.
    double entry(const Piece& piece, double outside, double inside)
    {
        for (int k = 0; k < 60; ++k) {
            const double middle = (outside + inside) / 2;
            (gap_m(piece, middle) > 0 ? outside : inside) = middle;
        }
        return outside;
    }

    /// The deepest overlap around a place inside.
    double depth(const Piece& piece, double inside)
    {
        double deepest = -gap_m(piece, inside);
        for (int k = 0; k <= 64; ++k) {
            deepest = std::max(deepest, -gap_m(piece, k / 64.0));
        }
        return deepest;
    }

private:
    /// Below every gap while coordinates and time are within their ranges on the path.
    double min_on(const Path& path, const RangeProgram& program)
    {
        ranges_.inputs.clear();
        for (const Variable& variable : program.variables()) {
            Range all = path.piece[0].range(variable, 0, 1);
            if (path.pieces > 1) {
                const Range second = path.piece[1].range(variable, 0, 1);
                all = {std::min(all.low, second.low), std::max(all.high, second.high)};
            }
            ranges_.inputs.push_back(all);
        }
        ranges_.run(program);
        return ranges_[program.results()[0]].low;
    }

    [[nodiscard]] Range rate_of(const Piece& piece) const
    {
        const auto results = f_.rows.results();
        Range sum{0, 0};
        const auto add = [&](const Range& x, double factor) {
            if (factor == 0) return;
            sum.low += factor > 0 ? factor * x.low : factor * x.high;
            sum.high += factor > 0 ? factor * x.high : factor * x.low;
        };
        for (std::size_t i = 0; i < f_.support.size(); ++i) {
            add(ranges_[results[i + 1]], (*piece.to)[f_.support[i]] - (*piece.from)[f_.support[i]]);
        }
        add(ranges_[results.back()], piece.t_to_s - piece.t_from_s);
        return sum;
    }

    /// Below every gap between a and b: by ranges, and for analytic gaps by the mean value theorem.
    double lower_bound(const Piece& piece, double a, double b)
    {
        ranges_.run(f_.analytic ? f_.rows : f_.gap, piece, a, b);
        const double natural = ranges_[(f_.analytic ? f_.rows : f_.gap).results()[0]].low;
        if (natural > -visible_m_ || !f_.analytic) return natural;
        const Range rate = rate_of(piece);
        const double steepest = std::max(std::abs(rate.low), std::abs(rate.high));
        if (!std::isfinite(steepest)) return natural;
        // a gap that only rises or only falls is least at one end
        if (rate.low >= 0) return std::max(natural, gap_m(piece, a));
        if (rate.high <= 0) return std::max(natural, gap_m(piece, b));
        return std::max(natural, gap_m(piece, (a + b) / 2) - steepest * (b - a) / 2);
    }

    const GapFormula& f_;
    double visible_m_;
    Ranges& ranges_;
    std::vector<std::pair<double, double>>& stack_;
};

/// How a contact entered its obstacle.
struct Entry {
    double t_s = 0;
    double U_n = 0;       ///< gap rate there, m/s; <= 0
    double approach = 0;  ///< |U_N| beside the speed that the kinetic metric gives the parts, 0 to 1 (LE-9)
};

/// |U_N| / sqrt(W_NN u.A u), u of the coordinates that the contact names: 1 for a collision straight on, the
/// sine of the angle for a particle and a wall.
[[nodiscard]] Entry entry_at(const GapFormula& formula, GapSearch& search, const Piece& piece, double s,
                             Scratch& scratch, Eigen::VectorXd& x, Eigen::VectorXd& u, Ranges& ranges);

}  // namespace carom::path_parts
