#include "struck_groups.hpp"

#include "motion_groups.hpp"
#include "stepping/body_islands.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace carom::detail {
namespace {

/// Two bodies that have struck each other. The points of a pair strike together: of a step the hardest
/// counts.
struct StruckPair {
    double jumps2_m2_s2 = 0, last_m2_s2 = 0;
    long last_step = 0;
    int impacts = 0;

    void add(long step, double jump2_m2_s2)
    {
        if (step != last_step) {
            last_step = step;
            last_m2_s2 = 0;
            ++impacts;
        }
        const double more_m2_s2 = std::max(0.0, jump2_m2_s2 - last_m2_s2);
        jumps2_m2_s2 += more_m2_s2;
        last_m2_s2 += more_m2_s2;
    }
};

using StruckPairs = std::map<std::pair<int, int>, StruckPair>;

class Together {
public:
    explicit Together(const BodyModel& model) : model_(model)
    {
        islands_.clear(model.bodies());
        visit_ties(model, [this](int first, int second) { join(first, second); });
    }

    /// An obstacle is what it is whatever strikes it: it ties nothing together.
    void join(int first, int second)
    {
        if (moves(first) && moves(second)) islands_.join(first, second);
    }

    [[nodiscard]] bool moves(int body) const
    {
        return body >= 0 && model_.inverse_mass[static_cast<std::size_t>(body)] > 0;
    }

    [[nodiscard]] int root(int body) { return islands_.root(body); }
    [[nodiscard]] int root(int first, int second) { return root(moves(first) ? first : second); }

private:
    const BodyModel& model_;
    BodyIslands islands_;
};

double jump2_of(const Event& event, bool corrects)
{
    constexpr double none = 1e-9;  // of the approach: what roundings leave without restitution
    const bool stays = event.velocity_after_m_s <= none * std::abs(event.velocity_before_m_s);
    const double jump_m_s = event.velocity_after_m_s - event.velocity_before_m_s;
    return stays && corrects ? 0.0 : jump_m_s * jump_m_s;
}

/// Not of a joint, nor of a damaged recording.
bool is_of_bodies(const Event& event, const BodyModel& model)
{
    return std::min(event.first, event.second) >= 0 && std::max(event.first, event.second) < model.bodies();
}

Together met_in(const RunSoFar& run, const BodyModel& model)
{
    Together together(model);
    for (const Event& event : run.events)
        if (is_of_bodies(event, model)) together.join(event.first, event.second);
    return together;
}

}  // namespace

std::vector<double> moved_by_groups(const BodyModel& model, const RunSoFar& run)
{
    Together together = met_in(run, model);
    std::vector<double> of_root(run.progress.moved_m.size()), of_body(run.progress.moved_m.size());
    const auto root = [&](std::size_t i) {
        return static_cast<std::size_t>(together.root(static_cast<int>(i)));
    };
    for (std::size_t i = 0; i < of_body.size(); ++i)
        of_root[root(i)] = std::max(of_root[root(i)], run.progress.moved_m[i]);
    for (std::size_t i = 0; i < of_body.size(); ++i)
        of_body[i] = of_root[root(i)];
    return of_body;
}

std::vector<StruckGroup> struck_groups(const BodyModel& model, const RunSoFar& run, bool corrects)
{
    Together together = met_in(run, model);
    StruckPairs pairs;
    for (const Event& event : run.events) {
        if (event.kind == EventKind::Impact && is_of_bodies(event, model))
            pairs[{event.first, event.second}].add(event.step, jump2_of(event, corrects));
    }

    std::map<int, StruckGroup> of_root;
    for (const auto& [bodies, pair] : pairs) {
        StruckGroup& group = of_root[together.root(bodies.first, bodies.second)];
        group.jumps2_m2_s2 += pair.jumps2_m2_s2;
        group.impacts += pair.impacts;
    }
    for (const PairDelays& pair : run.progress.pairs)
        of_root[together.root(pair.first, pair.second)].jumps2_m2_s2 += pair.delays.drags2_m2_s2;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto group = together.moves(i) ? of_root.find(together.root(i)) : of_root.end();
        if (group == of_root.end()) continue;
        group->second.bodies.push_back(i);
        group->second.moved_m =
            std::max(group->second.moved_m, run.progress.moved_m[static_cast<std::size_t>(i)]);
    }
    std::vector<StruckGroup> groups;
    for (auto& [root, group] : of_root)
        groups.push_back(std::move(group));
    return groups;
}

}  // namespace carom::detail
