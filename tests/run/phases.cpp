// Phases of smooth motions (LE-25), and impacts that only one of two runs has.
#include "run/impact_partners.hpp"
#include "run/phase_error.hpp"

#include "body_runs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace carom;
using namespace carom::test;

namespace {

/// Velocities of an oscillation of 1 kg, step by step, by a scheme that turns it by `angle_rad` in each.
double phase_of_oscillation(double angle_rad, int steps, int event_every = 0)
{
    const MassPattern one(1, {});
    MassMatrix A(one);
    A.values()[0] = 1;
    PhaseError phase;
    Eigen::VectorXd before(1), after(1);
    for (int n = 0; n < steps; ++n) {
        before[0] = std::cos(n * angle_rad);
        after[0] = std::cos((n + 1) * angle_rad);
        const bool smooth = event_every == 0 || n % event_every != 0;
        note_phase(before, after, smooth, A, {.kinetic_J = 0.5, .run_J = 0.5}, phase);
    }
    return phase.sum_rad;
}

Event impact(int contact, double time_s, double speed_m_s = 1, double percussion_Ns = 1)
{
    Event event;
    event.kind = EventKind::Impact;
    event.contact = contact;
    event.time_s = time_s;
    event.percussion_Ns = percussion_Ns;
    event.velocity_before_m_s = -speed_m_s;
    event.velocity_after_m_s = speed_m_s;
    return event;
}

constexpr ImpactMatch match{.end_s = 10, .shortest_s = 0.01, .off_m = 0.1, .energy_J = 1e-3};

}  // namespace

TEST_CASE("the phase of an oscillation is lost as the schemes lose it")
{
    // the theta scheme turns by 2 arctan(h w / 2) instead of h w; the estimate has 0.55 of that, the mean of
    // |cos|^(3/2), and 1.1 of what Moreau's scheme gains
    for (const double hw : {0.05, 0.1, 0.2, 0.4}) {
        CAPTURE(hw);
        const int steps = static_cast<int>(200 * 2 * std::numbers::pi / hw);
        const double theta_rad = 2 * std::atan(hw / 2), moreau_rad = 2 * std::asin(hw / 2);
        const double behind_rad = steps * (hw - theta_rad), ahead_rad = steps * (moreau_rad - hw);
        CHECK(phase_of_oscillation(theta_rad, steps) == near(0.556 * behind_rad, 0.03 * behind_rad));
        CHECK(phase_of_oscillation(moreau_rad, steps) == near(1.112 * ahead_rad, 0.06 * ahead_rad));
    }
    // uniform motion has no phase
    CHECK(phase_of_oscillation(0, 1000) == 0);
}

TEST_CASE("an event breaks a smooth motion, and two steps later it is one again")
{
    // every fourth step has an event: it and the one after it are not compared with the step before
    const double all = phase_of_oscillation(0.1, 4000), broken = phase_of_oscillation(0.1, 4000, 4);
    CHECK(broken == near(all / 2, 0.02 * all));
}

TEST_CASE("what is next to rest has no phase")
{
    CHECK(phase_of_step(1e-12, {.kinetic_J = 1e-12, .run_J = 1}) == 0);
    CHECK(phase_of_step(1e-4, {.kinetic_J = 1, .run_J = 1}) == near(1e-3 / 12, 1e-12));
}

TEST_CASE("bodies have the phase of their own velocity and spin")
{
    // one oscillates along x, one about its axis, one flies by with much more energy
    BodySetup setup;
    setup.bodies = {ball(0.1, {0, 0, 0}), ball(0.1, {5, 0, 0}), ball(0.1, {0, 0, 50}, 1e6)};
    const BodyModel model = model_of(setup);
    State before = make_body_state(model), after = before;
    std::vector<BodyPhase> phases(3);
    const double angle_rad = 0.1;
    const int steps = 6283;
    const auto set = [&](int n, State& at) {
        at.v[0] = {std::cos(n * angle_rad), 0, 0};
        at.W[1] = {0, 0, std::cos(n * angle_rad)};
        at.v[2] = {0, 1e3, 0};
    };
    for (int n = 0; n < steps; ++n) {
        set(n, before);
        set(n + 1, after);
        note_phases(model, before, after, {}, 1e12, phases);
    }
    // next to nothing beside the energy of the run is rest
    CHECK(phases[0].sum_rad == 0);
    phases.assign(3, {});
    for (int n = 0; n < steps; ++n) {
        set(n, before);
        set(n + 1, after);
        note_phases(model, before, after, {}, 1, phases);
    }
    const double expected_rad = steps * 0.556 / 12 * std::pow(angle_rad, 3);
    CHECK(phases[0].sum_rad == near(expected_rad, 0.1 * expected_rad));
    CHECK(phases[1].sum_rad == near(expected_rad, 0.1 * expected_rad));
    CHECK(phases[2].sum_rad == 0);
}

TEST_CASE("an impact has a partner if the same contact is struck nearly then")
{
    const std::vector<Event> mine{impact(0, 1), impact(1, 2)};
    // by the time in which the jump, here 2 m/s, moves a tenth of a metre: 0.05 s
    CHECK(!impact_without_partner(mine, std::vector{impact(1, 2.04), impact(0, 0.96)}, match));
    // too late, too early, another contact, none
    const auto lost = [&](std::vector<Event> others) {
        const auto alone = impact_without_partner(mine, others, match);
        return alone ? alone->contact : -1;
    };
    CHECK(lost({impact(0, 1), impact(1, 2.06)}) == 1);
    CHECK(lost({impact(0, 1), impact(1, 1.94)}) == 1);
    CHECK(lost({impact(0, 1), impact(2, 2)}) == 1);
    CHECK(lost({impact(0, 1)}) == 1);
    CHECK(lost({impact(1, 2)}) == 0);
    CHECK(lost({}) == 0);
}

TEST_CASE("a fast impact may be off by four steps, a slow one by the time in which it moves something")
{
    const std::vector<Event> fast{impact(0, 1, 1e3)}, slow{impact(0, 1, 0.1)};
    CHECK(!impact_without_partner(fast, std::vector{impact(0, 1.009)}, match));
    CHECK(impact_without_partner(fast, std::vector{impact(0, 1.011)}, match));
    CHECK(!impact_without_partner(slow, std::vector{impact(0, 1.4)}, match));
    CHECK(impact_without_partner(slow, std::vector{impact(0, 1.6)}, match));
}

TEST_CASE("impacts that change little, and those next to the end, need no partner")
{
    const std::vector<Event> others;
    // P (U+ - U-)/2 = P: below 1e-3 J it does not count
    CHECK(!impact_without_partner(std::vector{impact(0, 1, 1, 0.9e-3)}, others, match));
    CHECK(impact_without_partner(std::vector{impact(0, 1, 1, 1.1e-3)}, others, match));
    CHECK(!impact_without_partner(std::vector{impact(0, 9.96)}, others, match));
    CHECK(impact_without_partner(std::vector{impact(0, 9.94)}, others, match));
    // contacts made without an impact are none
    Event made = impact(0, 1);
    made.kind = EventKind::ContactMade;
    CHECK(!impact_without_partner(std::vector{made}, others, match));
    CHECK(impact_without_partner(std::vector{impact(0, 1)}, std::vector{made}, match));
}
