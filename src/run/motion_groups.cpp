#include "motion_groups.hpp"

#include "expression/term.hpp"
#include "stepping/body_islands.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <optional>

namespace carom {
namespace {

class Joined {
public:
    explicit Joined(int coordinates) { islands_.clear(coordinates); }

    void join(std::span<const int> coordinates)
    {
        for (const int i : coordinates)
            islands_.join(coordinates.front(), i);
    }

    /// The coordinates that a term names, and `also`.
    void join(const Term& term, std::optional<int> also = {})
    {
        std::vector<int> named;
        if (also) named.push_back(*also);
        for (const Variable& one : term.variables())
            if (one.kind != Variable::Kind::Time) named.push_back(one.index);
        join(named);
    }

    [[nodiscard]] int root(int coordinate) { return islands_.root(coordinate); }

private:
    detail::BodyIslands islands_;
};

}  // namespace

MotionGroups motion_groups(const Model& model)
{
    const LagrangianSystem& system = model.system();
    const int n = model.coordinates();
    MotionGroups groups{.count = n > 0 ? 1 : 0,
                        .of_coordinate = std::vector<int>(static_cast<std::size_t>(n), 0),
                        .of_contact = std::vector<int>(static_cast<std::size_t>(model.contacts()), 0)};
    if (model.bodies() != nullptr || system.impact_map || system.force_function) return groups;
    Joined joined(n);
    for (const Formula* energy : {&system.kinetic, &system.potential})
        for (const Term& term : energy->terms())
            joined.join(term);
    for (std::size_t i = 0; i < system.forces.size(); ++i)
        for (const Term& term : system.forces[i].terms())
            joined.join(term, static_cast<int>(i));
    for (int k = 0; k < model.interactions(); ++k)
        joined.join(model.support(k));
    std::vector<int> number(static_cast<std::size_t>(n), -1);
    groups.count = 0;
    for (int i = 0; i < n; ++i) {
        int& here = number[static_cast<std::size_t>(joined.root(i))];
        if (here < 0) here = groups.count++;
        groups.of_coordinate[static_cast<std::size_t>(i)] = here;
    }
    for (int c = 0; c < model.contacts(); ++c)
        if (const auto support = model.support(c); !support.empty())
            groups.of_contact[static_cast<std::size_t>(c)] =
                groups.of_coordinate[static_cast<std::size_t>(support.front())];
    return groups;
}

void visit_ties(const BodyModel& bodies, const std::function<void(int, int)>& visit)
{
    const auto& joints = bodies.setup().joints;
    for (const Joint& joint : joints) {
        if (joint.kind != JointKind::Gear) {
            visit(joint.first, joint.second);
            continue;
        }
        // a gear couples what two joints let turn or slide
        const Joint& one = joints[static_cast<std::size_t>(joint.first_joint)];
        const Joint& other = joints[static_cast<std::size_t>(joint.second_joint)];
        for (const int a : {one.first, one.second})
            for (const int b : {other.first, other.second})
                visit(a, b);
    }
    for (const BodySpring& spring : bodies.setup().springs)
        visit(spring.first, spring.second);
}

std::vector<int> tied_bodies(const Model& model)
{
    const BodyModel& bodies = *model.bodies();
    const int count = bodies.bodies(), beside = bodies.setup().coordinates;
    detail::BodyIslands islands;
    islands.clear(count + beside);
    const auto moves = [&](int node) {
        return node >= count || (node >= 0 && bodies.inverse_mass[static_cast<std::size_t>(node)] > 0);
    };
    const auto join = [&](int a, int b) {
        if (moves(a) && moves(b)) islands.join(a, b);
    };
    visit_ties(bodies, join);

    // formulas name coordinates: those of bodies come first
    std::vector<int> node_of;
    for (int i = 0; i < count; ++i)
        if (has_coordinates(bodies, i)) node_of.insert(node_of.end(), coordinates_per_body(bodies), i);
    for (int i = 0; i < beside; ++i)
        node_of.push_back(count + i);
    const auto join_all = [&](const std::vector<int>& coordinates) {
        int first = -1;
        for (const int i : coordinates) {
            const int node = node_of[static_cast<std::size_t>(i)];
            if (first < 0 && moves(node)) first = node;
            join(first, node);
        }
    };
    const auto join_terms = [&](const Formula& formula, std::vector<int> also) {
        for (const Term& term : formula.terms()) {
            std::vector<int> named = also;
            for (const Variable& one : term.variables())
                if (one.kind != Variable::Kind::Time) named.push_back(one.index);
            join_all(named);
        }
    };
    const LagrangianSystem& system = model.system();
    join_terms(system.kinetic, {});
    join_terms(system.potential, {});
    for (std::size_t i = 0; i < system.forces.size(); ++i)
        join_terms(system.forces[i], {static_cast<int>(i)});
    for (int k = 0; k < model.interactions(); ++k) {
        const auto support = model.support(k);
        join_all({support.begin(), support.end()});
    }
    std::vector<int> lowest;
    for (int node = 0; node < count + beside; ++node)
        lowest.push_back(islands.root(node));
    return lowest;
}

std::vector<ContactScale> contact_scales(const MotionGroups& groups, const RunSoFar& run, double small_m)
{
    constexpr double small_part = 1e-3;
    const RunProgress& progress = run.progress;
    const std::size_t contacts = groups.of_contact.size();
    std::vector<ContactScale> of_group(static_cast<std::size_t>(groups.count)), of_contact(contacts);
    for (std::size_t k = 0; k < progress.reaches.size(); ++k) {
        // the last one may be that of bodies, which are one group
        const int group = k < contacts ? groups.of_contact[k] : 0;
        ContactScale& scale = of_group[static_cast<std::size_t>(group)];
        scale.largest_gap_m = std::max(scale.largest_gap_m, progress.reaches[k].largest_gap_m);
        if (k < progress.delays.size()) scale.impacts += static_cast<int>(progress.delays[k].count);
    }
    for (std::size_t g = 0; g < of_group.size(); ++g) {
        const bool apart = of_group.size() > 1 && progress.groups.size() == of_group.size();
        const RestWatch& rest = apart ? progress.groups[g].rest : progress.rest;
        const double gone_m = rest.fastest * (run.state.t_s - progress.start_s);
        of_group[g].small_m = std::min(small_m, small_part * std::max(of_group[g].largest_gap_m, gone_m));
        of_group[g].fastest_m_s = rest.fastest;
        of_group[g].moves = !rest.at_rest();
    }
    for (std::size_t c = 0; c < contacts; ++c)
        of_contact[c] = of_group[static_cast<std::size_t>(groups.of_contact[c])];
    return of_contact;
}

}  // namespace carom
