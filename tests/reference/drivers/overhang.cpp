#include "bodies.hpp"
#include "drivers.hpp"

#include <cmath>

namespace carom::reference {
namespace {

constexpr double height_m = 0.2, g = 9.81;

/// Blocks of unit length in the plane, over the edge of a table at x = 0; `offsets` from the top: how far the
/// right end of a block is beyond that of what it lies on. Body 0 is the table, body 1 the lowest block.
BodySetup stack(const std::vector<double>& offsets)
{
    BodySetup setup{.bodies = {{.shape = PolygonShape{{{-4, -1}, {0, -1}, {0, 0}, {-4, 0}}},
                                .motion = BodyMotion::Fixed}},
                    .materials = {{.friction = 1}},
                    .gravity_m_s2 = {0, -g, 0}};
    const PolygonShape block{{{-1, 0}, {0, 0}, {0, height_m}, {-1, height_m}}};
    double right = 0;
    for (std::size_t k = offsets.size(); k-- > 0;) {
        right += offsets[k];
        const double level = height_m * static_cast<double>(offsets.size() - 1 - k);
        setup.bodies.push_back({.shape = block, .pose = {.position_m = {right, level, 0}}, .mass_kg = 1});
    }
    return setup;
}

/// What the left end of the lowest block carries: nothing when the stack is about to topple.
double force_at_left_end(const std::vector<double>& offsets)
{
    BodyMotionRun run(stack(offsets), 1e-3, 1e-13);
    run.step();
    double force = 0;
    for (const BodyContact& contact : run.contacts()) {
        if (contact.first == 0 && contact.at.point_m.x() < -0.01) force += contact.P[0];
    }
    return force;
}

/// The offset of the next block below for which the left end carries nothing. The force times the length that
/// lies on the support is linear in the offset, so that one secant does it; a second one removes its
/// rounding.
double limit_below(std::vector<double> above)
{
    above.push_back(0);
    const auto moment = [&](double offset) {
        above.back() = offset;
        return force_at_left_end(above) * (1 - offset);
    };
    double low = 0.01, high = 0.02;
    double at_low = moment(low), at_high = moment(high);
    for (int k = 0; k < 2; ++k) {
        const double root = high - at_high * (high - low) / (at_high - at_low);
        low = 0.5 * root;
        high = 0.999 * root;
        at_low = moment(low);
        at_high = moment(high);
    }
    return high - at_high * (high - low) / (at_high - at_low);
}

bool stands(const std::vector<double>& offsets, double factor)
{
    std::vector<double> scaled = offsets;
    for (double& offset : scaled) {
        offset *= factor;
    }
    BodyMotionRun run(stack(scaled), 1e-3);
    run.run(0.3);
    return run.drift_m() < 1e-6;
}

}  // namespace

/// C-STACK-OVER: the limit of every block by the forces of one step, from the top down; standing and toppling
/// by running.
void drive_overhang(const Task& task, Answers& answers)
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
                 [&](const Pieces& p) { return Json(stands(limits, number_in(p[0]))); });
}

}  // namespace carom::reference
