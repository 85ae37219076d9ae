#include "series_loads.hpp"
#include "series_order.hpp"

#include <cmath>
#include <limits>

/// Contacts at rest that hold each other: loads inside of their cones (PS-20).
namespace carom::detail {
namespace {

bool is_zero(const SeriesProgram& rows, std::size_t place)
{
    return rows.is_constant(place) && rows.output(place)[0] == 0;
}

}  // namespace

/// A contact at rest whose coefficient of friction is the number zero carries nothing along its surface.
bool OrderProblem::take_frictionless()
{
    bool any = false;
    for (int k = 0; k < count(); ++k) {
        Player& one = player(k);
        if (one.friction != FrictionStatus::Undecided || one.polar || !one.known.at_rest) continue;
        const ContactPrograms& c = *one.programs;
        if (!is_zero(*one.rows, c.mu_at()) || !is_zero(*one.rows, c.mu_static_at())) continue;
        one.friction = FrictionStatus::None;
        any = true;
    }
    return any;
}

/// Order 0 of an island at rest with loads strictly inside all cones: then it stays at rest, whatever higher
/// orders do.
bool OrderProblem::hold_by_inner_loads()
{
    if (p_ != 0) return false;
    std::vector<LoadCone> cones;
    std::vector<int> rows;
    work_.choices.clear();
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        const bool rubs = one.friction == FrictionStatus::Undecided || one.friction == FrictionStatus::Stick;
        if (!one.may_act() || one.polar) return false;
        if (one.friction != FrictionStatus::None && (!rubs || !one.known.at_rest)) return false;
        LoadCone cone{.offset = static_cast<int>(rows.size()), .dimension = rubs ? one.dimension : 1};
        cone.low = one.programs->low;
        cone.high = one.programs->high;
        cone.bound = !rubs                 ? 0
                     : one.programs->rough ? std::numeric_limits<double>::infinity()
                                           : one.rows->output(one.programs->mu_static_at())[0];
        cones.push_back(cone);
        for (int i = 0; i < cone.dimension; ++i) {
            rows.push_back(one.offset + i);
        }
        work_.choices.push_back({rubs ? Mode::Stick : Mode::Frictionless, 0});
    }
    const auto size = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd W(size, size);
    Eigen::VectorXd e(size);
    for (Eigen::Index i = 0; i < size; ++i) {
        e[i] = x_.e_[rows[static_cast<std::size_t>(i)]];
        for (Eigen::Index j = 0; j < size; ++j) {
            W(i, j) = x_.W_(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
        }
    }
    const auto loads = loads_inside(W, e, cones);
    if (!loads) return false;

    // as if the equations had selected them: dU = 0 in every row, errors those of the equations
    list_unknowns();
    for (Unknown& unknown : work_.unknowns) {
        unknown.complementary = false;
    }
    if (!solve_equations()) return false;
    for (Eigen::Index i = 0; i < size; ++i) {
        x_.r_[rows[static_cast<std::size_t>(i)]] = (*loads)[i];
    }
    // an edge that other loads have reached says nothing of these
    for (int k = 0; k < count(); ++k) {
        player(k).known.at_threshold = player(k).known.no_reaction = false;
        player(k).side = 0;
    }
    x_.selected_ = true;
    commit();
    return true;
}

}  // namespace carom::detail
