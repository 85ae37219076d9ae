// Contacts that are written more than once (SO-36): one acts for all, each takes an equal part.

#include "carom/run/run.hpp"

#include "run/step_view.hpp"
#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace carom;
using test::model_of;
using test::near;
using test::vector;

namespace {

constexpr double gravity_m_s2 = 9.81;

test::Sketch with_copies(test::Sketch sketch, const test::ContactText& contact, int copies)
{
    for (int k = 0; k < copies; ++k) {
        sketch.contacts.push_back(contact);
        sketch.contacts.back().name += std::to_string(k);
    }
    return sketch;
}

/// A mass of 2 kg that falls.
const test::Sketch falling{.coordinates = {"z"}, .kinetic = "z'^2", .potential = "2*9.81*z"};
const test::ContactText ground{.name = "floor", .gap = "z"};
const test::ContactText bouncy{.name = "floor", .gap = "z", .restitution = "0.5"};

/// A mass of 1 kg on a floor, in the plane.
const test::Sketch sliding{
    .coordinates = {"x", "z"}, .kinetic = "(x'^2 + z'^2)/2", .potential = "9.81*z", .forces = {"2*t", "0"}};
const test::ContactText rough{.name = "floor", .gap = "z", .friction = "0.3", .sliding = {"x'"}};

struct Seen {
    State end;
    RunStatus status{};
    std::size_t events = 0;
    int max_interactions = 0;  ///< of a one-step problem
    double percussion_Ns = 0;  ///< of the last step, least and largest of all contacts
    double largest_Ns = 0;
    double friction_Ns = 0;  ///< of the last step, all contacts
};

Seen run(const test::Sketch& sketch, const IntegratorSettings& integrator, std::initializer_list<double> q,
         std::initializer_list<double> u, double duration_s)
{
    const Model model = model_of(sketch);
    Seen seen{.end = make_state(model, vector(q), vector(u))};
    const auto report =
        simulate(model, integrator, {}, {.duration_s = duration_s}, seen.end, [&](const StepView& view) {
            if (const auto problem = view.problem())
                seen.max_interactions = std::max(seen.max_interactions, problem->problem.interactions());
            seen.percussion_Ns = 1e300;
            seen.largest_Ns = seen.friction_Ns = 0;
            if (view.pieces.empty()) CHECK(view.laws.size() == view.contacts.size());
            for (const ContactStep& contact : view.contacts) {
                seen.percussion_Ns = std::min(seen.percussion_Ns, contact.P[0]);
                seen.largest_Ns = std::max(seen.largest_Ns, contact.P[0]);
                seen.friction_Ns += contact.P[1];
            }
            return true;
        });
    seen.status = report.status;
    seen.events = report.events.size();
    return seen;
}

}  // namespace

TEST_CASE("twenty thousand equal floors carry a mass in equal parts, and cost one")
{
    constexpr int copies = 20000;
    constexpr double h = 1e-3;
    const Seen seen =
        run(with_copies(falling, ground, copies), MoreauSettings{.time_step_s = h}, {0}, {0}, 0.01);
    CHECK(seen.status == RunStatus::Certified);
    CHECK(seen.max_interactions == 1);
    CHECK(seen.events == copies);  // each was made
    // m g h in equal parts; roundings of a few operations
    CHECK(seen.percussion_Ns == near(2 * gravity_m_s2 * h / copies, 1e-12 * gravity_m_s2 * h / copies));
    CHECK(seen.largest_Ns == seen.percussion_Ns);
    CHECK(seen.end.q[0] == near(0, 1e-15));
}

TEST_CASE("a mass on many equal floors moves as on one of them, by every scheme")
{
    // the equations are those of one floor to the last digit
    for (const IntegratorSettings& integrator : {IntegratorSettings(MoreauSettings{.time_step_s = 1e-3}),
                                                 IntegratorSettings(MoreauJeanSettings{.time_step_s = 1e-3}),
                                                 IntegratorSettings(SeriesSettings{.time_step_s = 1e-2})}) {
        const Seen one = run(with_copies(falling, bouncy, 1), integrator, {0.2}, {0}, 1.2);
        const Seen many = run(with_copies(falling, bouncy, 100), integrator, {0.2}, {0}, 1.2);
        // power series pose no one-step problem
        CHECK(many.max_interactions == (std::holds_alternative<SeriesSettings>(integrator) ? 0 : 1));
        CHECK(many.status == one.status);
        CHECK(many.end.q == one.end.q);
        CHECK(many.end.u == one.end.u);
        CHECK(many.events == 100 * one.events);

        // pushed along by a force that grows: it sticks until 2 t = 0.3 g, and slides
        const Seen slides = run(with_copies(sliding, rough, 1), integrator, {0, 0}, {0, 0}, 2.0);
        const Seen shares = run(with_copies(sliding, rough, 100), integrator, {0, 0}, {0, 0}, 2.0);
        CHECK(shares.status == RunStatus::Certified);
        CHECK(shares.end.q == slides.end.q);
        CHECK(shares.end.u == slides.end.u);
        CHECK(shares.friction_Ns == near(slides.friction_Ns, 1e-12 * std::abs(slides.friction_Ns)));
    }
}

TEST_CASE("by power series twenty thousand equal floors carry a mass in equal parts")
{
    constexpr int copies = 20000;
    constexpr double h = 1e-2;
    const Seen seen =
        run(with_copies(falling, ground, copies), SeriesSettings{.time_step_s = h}, {0}, {0}, 0.05);
    CHECK(seen.status == RunStatus::Certified);
    CHECK(seen.percussion_Ns == near(2 * gravity_m_s2 * h / copies, 1e-12 * gravity_m_s2 * h / copies));
    CHECK(seen.largest_Ns == seen.percussion_Ns);
    CHECK(seen.end.q[0] == near(0, 1e-15));
}

TEST_CASE("by power series joined floors do what as many that are not joined do")
{
    // fewer than five floors are not joined: the rule for indeterminate loads finds their equal parts
    const auto dropped = [](int copies) {
        return run(with_copies(falling, bouncy, copies), SeriesSettings{.time_step_s = 1e-2}, {0.2}, {0},
                   1.2);
    };
    const Seen apart = dropped(4), joined = dropped(80);
    CHECK(joined.status == apart.status);
    // it bounces ever lower and rests after 3 sqrt(2 h/g) = 0.61 s; heights are exact to rounding
    CHECK(joined.end.q[0] == near(apart.end.q[0], 1e-12));
    CHECK(80 * joined.largest_Ns == near(4 * apart.largest_Ns, 1e-9 * 4 * apart.largest_Ns));
}

TEST_CASE("by power series a mass that slides on eight equal rough floors stops where it does on one")
{
    const test::Sketch thrown{.coordinates = {"x", "z"}, .kinetic = "(x'^2 + z'^2)/2", .potential = "9.81*z"};
    for (const int copies : {1, 4, 5, 8, 20}) {
        CAPTURE(copies);
        const Seen seen =
            run(with_copies(thrown, rough, copies), SeriesSettings{.time_step_s = 1e-2}, {0, 0}, {1, 0}, 1.0);
        CHECK(seen.status == RunStatus::Certified);
        // v^2 / (2 mu g)
        CHECK(seen.end.q[0] == near(1 / (2 * 0.3 * gravity_m_s2), 1e-12));
        CHECK(seen.end.u[0] == 0);
    }
}

TEST_CASE("a bar on two groups of equal feet loads each group by its lever, and those of a group alike")
{
    // centre of mass 1/4 of the way: feet at x = -1 take three quarters of the weight, those at 3 a quarter
    const test::Sketch bar{
        .coordinates = {"z", "a"}, .kinetic = "(z'^2 + 0.5*a'^2)/2", .potential = "9.81*z"};
    constexpr int left = 70, right = 130;
    constexpr double h = 1e-3;
    const auto feet = with_copies(with_copies(bar, {.name = "left", .gap = "z - a"}, left),
                                  {.name = "right", .gap = "z + 3*a"}, right);
    const Seen seen = run(feet, MoreauSettings{.time_step_s = h}, {0, 0}, {0, 0}, 0.05);
    CHECK(seen.status == RunStatus::Certified);
    CHECK(seen.max_interactions == 2);
    const double P_left = 0.75 * gravity_m_s2 * h / left, P_right = 0.25 * gravity_m_s2 * h / right;
    CHECK(seen.largest_Ns == near(P_left, 1e-9 * P_left));
    CHECK(seen.percussion_Ns == near(P_right, 1e-9 * P_right));
}

TEST_CASE("floors that differ in anything are not taken for equal")
{
    // 99 floors that take all of the velocity and one that throws back: Newton's law of that one decides
    auto mixed = with_copies(falling, ground, 99);
    mixed.contacts.push_back(bouncy);
    const Seen one =
        run(with_copies(falling, bouncy, 1), MoreauSettings{.time_step_s = 1e-3}, {0.2}, {0}, 0.3);
    const Seen seen = run(mixed, MoreauSettings{.time_step_s = 1e-3}, {0.2}, {0}, 0.3);
    CHECK(seen.max_interactions == 2);
    CHECK(seen.end.u[0] == near(one.end.u[0], 1e-9));
    CHECK(seen.end.u[0] > 0);  // thrown back at 0.2 s, it still rises
}
