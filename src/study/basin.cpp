#include "carom/study/run_study.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

/// The state columns of a table with the size that differences are compared with.
struct StateColumns {
    std::vector<const TableColumn*> columns;
    std::vector<double> near;  ///< differences below count as none

    [[nodiscard]] std::vector<double> at(std::size_t row) const
    {
        std::vector<double> state;
        for (const TableColumn* column : columns) {
            state.push_back(column->numbers[row]);
        }
        return state;
    }
    [[nodiscard]] bool same(const std::vector<double>& a, const std::vector<double>& b) const
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!(std::abs(a[i] - b[i]) <= near[i])) return false;
        }
        return true;
    }
};

/// The largest modulus in a column.
double size_of(const TableColumn& column)
{
    double size = 0;
    for (const double x : column.numbers) {
        if (std::isfinite(x)) size = std::max(size, std::abs(x));
    }
    return size;
}

/// Coordinates are compared in the size of the largest of them, velocities in theirs, or in what makes such a
/// way in a period: attractors may be at rest.
StateColumns state_columns(const Study& study, const ResultTable& table, double tolerance)
{
    StateColumns state;
    double q_size = 0, u_size = 0;
    for (const Coordinate& coordinate : study.scene().model.system().coordinates) {
        const TableColumn *q = table.find(coordinate.name), *u = table.find(coordinate.name + "'");
        if (q == nullptr || u == nullptr) continue;
        state.columns.insert(state.columns.end(), {q, u});
        q_size = std::max(q_size, size_of(*q));
        u_size = std::max(u_size, size_of(*u));
    }
    const TableColumn* time = table.find("time_s");
    const double period_s =
        time != nullptr && time->numbers.size() > 1 ? time->numbers[1] - time->numbers[0] : 0;
    if (period_s > 0) u_size = std::max(u_size, q_size / period_s);
    for (std::size_t i = 0; i < state.columns.size(); ++i) {
        state.near.push_back(tolerance * (i % 2 == 0 ? q_size : u_size));
    }
    return state;
}

/// The smallest number of samples after which all repeat, up to half of them; 0: none.
int repeat_of(const std::vector<std::vector<double>>& samples, const StateColumns& state)
{
    const std::size_t largest = samples.size() / 2;
    for (std::size_t p = 1; p <= largest; ++p) {
        bool repeats = true;
        for (std::size_t i = p; repeats && i < samples.size(); ++i) {
            repeats = state.same(samples[i], samples[i - p]);
        }
        if (repeats) return static_cast<int>(p);
    }
    return 0;
}

/// Two orbits of one period: the same points, wherever they begin.
bool same_orbit(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                const StateColumns& state)
{
    const std::size_t p = a.size();
    if (b.size() != p) return false;
    for (std::size_t shift = 0; shift < p; ++shift) {
        bool fits = true;
        for (std::size_t i = 0; fits && i < p; ++i) {
            fits = state.same(a[i], b[(i + shift) % p]);
        }
        if (fits) return true;
    }
    return false;
}

}  // namespace

Expected<Basins> basins_of(const Study& study, const ResultTable& table, double tolerance)
{
    const auto refuse = [](std::string message, std::string hint) {
        return Error{.code = ErrorCode::NotAllowedHere,
                     .where = "--basin",
                     .message = std::move(message),
                     .hint = std::move(hint),
                     .excerpt = {}};
    };
    if (!study.plan().strobe) {
        return refuse("attractors are distinguished by one sample per period, and there is no period",
                      "add --strobe PERIOD or --section FORMULA, and --skip N for what comes before");
    }
    const StateColumns state = state_columns(study, table, tolerance);
    const TableColumn* status = table.find("status");
    Basins basins;
    for (const PointRows& rows : points_of(study, table)) {
        const bool good =
            status != nullptr && rows.end > rows.first &&
            (status->texts[rows.first] == "certified" || status->texts[rows.first] == "uncertified");
        if (!good) {
            basins.of.push_back(Basins::failed);
            continue;
        }
        if (rows.end - rows.first < 2)
            return refuse("a run has fewer than two samples", "make duration_s longer, or skip less");
        std::vector<std::vector<double>> samples;
        for (std::size_t row = rows.first; row < rows.end; ++row) {
            samples.push_back(state.at(row));
        }
        const int period = repeat_of(samples, state);
        if (period == 0) {
            basins.of.push_back(Basins::irregular);
            continue;
        }
        samples.erase(samples.begin(), samples.end() - period);
        auto known = std::ranges::find_if(
            basins.attractors, [&](const Attractor& one) { return same_orbit(one.points, samples, state); });
        if (known == basins.attractors.end()) {
            basins.attractors.push_back({.period = period, .points = std::move(samples)});
            known = basins.attractors.end() - 1;
        }
        ++known->runs;
        basins.of.push_back(static_cast<int>(known - basins.attractors.begin()));
    }
    return basins;
}

}  // namespace carom
