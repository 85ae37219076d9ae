#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "one_step.hpp"
#include "search.hpp"
#include "stepping/body_contact.hpp"

#include <cmath>

namespace carom::reference {
namespace {

constexpr double static_step_s = 1e-3;

/// One step from rest. Contacts are closed to rounding, and gaps that are meant count as such.
BodyWalk step_from_rest(BodySetup setup)
{
    BodyWalk walk(std::move(setup),
                  {.time_step_s = static_step_s, .tolerance = 1e-13, .activation_length = 1e-13});
    walk.step();
    return walk;
}

/// Whether nothing begins to move, up to rounding, under a gravity of the order of one.
bool stays(const BodyWalk& walk)
{
    return walk.fastest() < 1e-10 * static_step_s;
}

/// Discs of unit radius and mass under a gravity of one: 1 and 2 on the floor, 0, and 3 on top of them. A
/// hair's breadth is left between 1 and 2, so that no force acts there.
BodySetup pile_of_discs()
{
    constexpr double hair = 1e-10;
    BodySetup setup{.bodies = {flat_floor()}, .materials = {{.friction = rough}}, .gravity_m_s2 = {0, -1, 0}};
    const double x = 1 + hair / 2, y = 1 + std::sqrt(4 - x * x);
    for (const auto& centre : {Vec3(-x, 1, 0), Vec3(x, 1, 0), Vec3(0, y, 0)}) {
        setup.bodies.push_back({.shape = DiscShape{1}, .pose = {.position_m = centre}, .mass_kg = 1});
    }
    return setup;
}

/// Two cards of unit length and mass that lean on each other at x = 0, thin and uniform: 1 from the left, 2
/// from the right. The left one ends in an upright edge and the right one in a point, so that they press
/// level; their tops are smooth, their feet rough.
BodySetup two_leaning_cards(double theta)
{
    const double s = std::sin(theta), c = std::cos(theta), end = 0.05 * c;
    const auto card = [&](std::vector<Eigen::Vector2d> corners, double middle_x) {
        return Body{.shape = PolygonShape{std::move(corners)},
                    .mass_kg = 1,
                    .centre_m = Vec3(middle_x, c / 2, 0),
                    .inertia_kg_m2 = flat_inertia(1.0 / 12),
                    .material = 1};
    };
    return {.bodies = {flat_floor(), card({{-s, 0}, {0, c + end}, {0, c - end}}, -s / 2),
                       card({{s, 0}, {0, c}, {s / 2, c / 2 + end}}, s / 2)},
            .materials = {{.friction = rough}, {.friction = 0}},
            .pairs = {{.first = 0, .second = 1, .friction = rough}},
            .gravity_m_s2 = {0, -1, 0}};
}

/// A block b wide and h high on a plane that slopes down to the right, under a gravity of one.
BodySetup block_on_slope(double b, double h, double friction, double slope)
{
    return {
        .bodies = {{.shape = PolygonShape{{{-b / 2, 0}, {b / 2, 0}, {b / 2, h}, {-b / 2, h}}}, .mass_kg = 1},
                   flat_floor()},
        .materials = {{.friction = friction}},
        .gravity_m_s2 = {std::sin(slope), -std::cos(slope), 0}};
}

/// The greatest slope on which a block stays; degrees.
double greatest_slope_deg(double b, double h, double friction)
{
    return limit_of(0, 89.9, [&](double slope_deg) {
        return stays(step_from_rest(block_on_slope(b, h, friction, radians(slope_deg))));
    });
}

constexpr double block_height_m = 0.2;

/// Blocks of unit length over the edge of a table at x = 0; `offsets` from the top: how far the right end of
/// a block is beyond that of what it lies on. Body 0 is the table, body 1 the lowest block.
BodySetup overhanging_blocks(const std::vector<double>& offsets, double friction)
{
    const double table = 1 + static_cast<double>(offsets.size());
    BodySetup setup{.bodies = {{.shape = PolygonShape{{{-table, -1}, {0, -1}, {0, 0}, {-table, 0}}},
                                .motion = BodyMotion::Fixed}},
                    .materials = {{.friction = friction}},
                    .gravity_m_s2 = {0, -1, 0}};
    const PolygonShape block{{{-1, 0}, {0, 0}, {0, block_height_m}, {-1, block_height_m}}};
    double right = 0;
    for (std::size_t k = offsets.size(); k-- > 0;) {
        right += offsets[k];
        const double level = block_height_m * static_cast<double>(offsets.size() - 1 - k);
        setup.bodies.push_back({.shape = block, .pose = {.position_m = {right, level, 0}}, .mass_kg = 1});
    }
    return setup;
}

/// What the left end of the lowest block carries: nothing when everything on the table is about to topple.
/// Smooth blocks press as rough ones do.
double force_at_left_end(const std::vector<double>& offsets)
{
    const BodyWalk walk = step_from_rest(overhanging_blocks(offsets, 0));
    double force = 0;
    for (const BodyContact& contact : walk.contacts()) {
        if (contact.first == 0 && contact.at.point_m.x() < -1e-9) force += contact.P[0];
    }
    return force / static_step_s;
}

/// The offset of the next block below for which the left end carries nothing. The force times the length that
/// lies on the support is linear in the offset: a secant finds it, a second one removes its rounding.
double limit_below(std::vector<double> above)
{
    above.push_back(0);
    const auto moment = [&](double offset) {
        above.back() = offset;
        return force_at_left_end(above) * (1 - offset);
    };
    double low = 1e-3, high = 2e-3, root = 0;
    for (int k = 0; k < 3; ++k) {
        const double at_low = moment(low), at_high = moment(high);
        root = high - at_high * (high - low) / (at_high - at_low);
        low = 0.5 * root;
        high = 0.999 * root;
    }
    return root;
}

bool blocks_stand(std::vector<double> offsets, double factor)
{
    for (double& offset : offsets) {
        offset *= factor;
    }
    BodyWalk walk(overhanging_blocks(offsets, 1), {.time_step_s = 1e-3, .tolerance = 1e-10});
    walk.advance(1);
    return walk.drift_m() < 1e-6;
}

}  // namespace

/// C-COLUMN: balls on each other on a floor, for a second. They must stay at rest; the forces are those of
/// the last step.
void body_ball_column(const Task& task, Answers& answers)
{
    const int n = static_cast<int>(task.number("n"));
    BodySetup setup{.bodies = {solid_floor()}, .gravity_m_s2 = {0, 0, -task.number("g")}};
    for (int k = 0; k < n; ++k) {
        setup.bodies.push_back(
            {.shape = SphereShape{0.5}, .pose = {.position_m = {0, 0, 0.5 + k}}, .mass_kg = 1});
    }
    BodyWalk column(setup, {.time_step_s = task.step_s(1e-3)});
    double fastest = 0;
    while (column.state().t_s < 1) {
        column.step();
        fastest = std::max(fastest, column.fastest());
    }
    if (!(fastest < 1e-8 && column.drift_m() < 1e-8)) throw DriverFailure("the column moves");

    // body 0 is the floor, body n the ball on top
    answers.give("force under ball #", Means::TimeStepping, [&](const Pieces& p) {
        const int ball = n + 1 - static_cast<int>(count_in(p[0]));
        return Json(column.normal_force_N(ball, ball - 1));
    });
    answers.give("floor force", Means::TimeStepping, [&] { return Json(column.normal_force_N(1, 0)); });
}

/// C-3CYL: the reactions of the pile by one step from rest with rough contacts; the friction that they make
/// use of is the least with which the pile stands.
void body_three_cylinders(const Task&, Answers& answers)
{
    const BodyWalk pile = step_from_rest(pile_of_discs());
    if (!stays(pile)) throw DriverFailure("the pile does not stand with rough contacts");
    const BodyContact &floor = pile.pressing(0, 1), &above = pile.pressing(1, 3);
    answers.give("mu_cc_min", Means::Exact,
                 [&] { return Json(std::max(friction_used(above), friction_used(pile.pressing(2, 3)))); });
    answers.give("mu_floor_min", Means::Exact,
                 [&] { return Json(std::max(friction_used(floor), friction_used(pile.pressing(0, 2)))); });
    answers.give("N/W", Means::Exact, [&] { return Json(above.P[0] / pile.h_s()); });
    answers.give("T/W", Means::Exact, [&] { return Json(std::abs(above.P[1]) / pile.h_s()); });
    answers.give("floor normal per bottom cylinder /W", Means::Exact,
                 [&] { return Json(floor.P[0] / pile.h_s()); });
}

/// C-CARDS: the reactions of two cards by one step from rest on a rough floor, under a weight of 1; the
/// friction that their feet make use of is the least with which they stand.
void body_cards(const Task& task, Answers& answers)
{
    const BodyWalk cards = step_from_rest(two_leaning_cards(radians(task.number("theta_deg"))));
    if (!stays(cards)) throw DriverFailure("the cards do not stand on a rough floor");
    const BodyContact &left = cards.pressing(0, 1), &right = cards.pressing(0, 2);
    answers.give("mu_min", Means::Exact,
                 [&] { return Json(std::max(friction_used(left), friction_used(right))); });
    answers.give("thrust/W", Means::Exact, [&] { return Json(cards.normal_force_N(1, 2)); });
    answers.give("floor normal/W", Means::Exact, [&] { return Json(cards.normal_force_N(0, 1)); });
}

/// C-TOPPLE: a block on a plane that is tilted slowly. By one step from rest at each slope: as it is, so low
/// that it cannot topple, and on a rough plane.
void body_tilted_block(const Task& task, Answers& answers)
{
    const double b = task.number("b"), h = task.number("h"), mu = task.number("mu");
    const double critical_deg = greatest_slope_deg(b, h, mu);
    const BodyWalk beyond = step_from_rest(block_on_slope(b, h, mu, radians(critical_deg + 1e-4)));
    const bool topples = beyond.state().W[0].norm() > 1e-9 * static_step_s;

    answers.give("critical_angle_deg", Means::Exact, [&] { return Json(critical_deg); });
    answers.give("mode", Means::Exact, [&] { return Json(topples ? "topple" : "slide"); });
    answers.give("other_threshold_deg", Means::Exact, [&] {
        return Json(topples ? greatest_slope_deg(b, std::min(h, 0.1 * b / (1 + mu)), mu)
                            : greatest_slope_deg(b, h, rough * (1 + b / h)));
    });
}

/// C-STACK-OVER: the limit of every block by the forces of one step, from the top down; standing and toppling
/// by a second of motion.
void body_overhang(const Task& task, Answers& answers)
{
    const Eigen::VectorXd counts = task.vector("n");
    std::vector<double> limits;
    for (int k = 0; k < static_cast<int>(counts.maxCoeff()); ++k) {
        limits.push_back(limit_below(limits));
    }
    answers.give("max_overhang n=*", Means::Exact, [&](const Pieces& p) {
        Json list = Json::array();
        for (const double n : numbers_in(p[0])) {
            double sum = 0;
            for (int k = 0; k < static_cast<int>(n); ++k) {
                sum += limits.at(static_cast<std::size_t>(k));
            }
            list.push_back(sum);
        }
        return list;
    });
    answers.give("stands at #", Means::Exact,
                 [&](const Pieces& p) { return Json(blocks_stand(limits, number_in(p[0]))); });
}

}  // namespace carom::reference
