#include "carom/study/results.hpp"
#include "support.hpp"

#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

/// Values v(h) = 1 + error(h) at h = 1, 1/2, 1/4, ...
OrderTable order_of_error(double (*error)(double), std::optional<double> exact = {}, int levels = 6)
{
    std::vector<double> h, value;
    for (int k = 0; k < levels; ++k) {
        h.push_back(std::ldexp(1.0, -k));
        value.push_back(1 + error(h.back()));
    }
    return order_of("v", h, value, exact);
}

const OrderTable& find(const std::vector<OrdersAt>& orders, const std::string& quantity)
{
    for (const OrderTable& table : orders.at(0).tables) {
        if (table.quantity == quantity) return table;
    }
    throw InternalError("no such quantity");
}

/// The orders of one scene.
std::vector<OrdersAt> orders_in(const Folder& folder, const std::string& scene, StudyPlan plan,
                                const std::map<std::string, double>& exact = {})
{
    const Study study = study_of(folder, scene, std::move(plan));
    return orders_of(study, table_of(study), exact);
}

}  // namespace

TEST_CASE("the order of a known error is found, with and without the exact value")
{
    for (const std::optional<double> exact : {std::optional<double>(), std::optional(1.0)}) {
        const auto second = order_of_error([](double h) { return 3 * h * h; }, exact);
        CHECK(second.verdict == OrderVerdict::Seen);
        CHECK(second.fitted == near(2, 1e-9));
        CHECK(second.ratio.back() == near(2, 1e-9));
        CHECK(second.error.size() == (exact ? 6 : 5));
        // Richardson's extrapolation of a pure power is exact up to roundoff
        CHECK(second.limit == near(1, 1e-12));
        const auto first = order_of_error([](double h) { return -0.1 * h; }, exact);
        CHECK(first.verdict == OrderVerdict::Seen);
        CHECK(first.fitted == near(1, 1e-9));
    }
}

TEST_CASE("where no order can be seen, that is said")
{
    const auto exact = order_of_error([](double h) { return 1e-15 * h; }, 1.0);
    CHECK(exact.verdict == OrderVerdict::Roundoff);
    CHECK(std::isnan(exact.fitted));
    CHECK(std::isnan(exact.limit));

    // an error that shrinks on the average only, as that of an instant lost in a step
    const auto uneven = order_of_error([](double h) { return h * (1.1 + std::sin(20 / h)); }, 1.0, 8);
    CHECK(uneven.verdict == OrderVerdict::Irregular);
    CHECK(uneven.fitted > 0.5);
    CHECK(std::isnan(uneven.limit));

    CHECK(order_of_error([](double h) { return 0.1 * std::sin(20 / h); }).verdict == OrderVerdict::None);
    CHECK(order_of_error([](double h) { return h; }, {}, 2).verdict == OrderVerdict::TooFew);
    const std::vector<double> steps{1, 0.5, 0.25, 0.125}, failed{1, std::nan(""), 2, 3};
    CHECK(order_of("v", steps, failed).verdict == OrderVerdict::TooFew);

    // values that go to and fro between two outcomes have no order, whatever slope a line through them has
    for (const auto& values :
         {std::vector<double>{1, 2, 1.9, 2.9, 2.75}, std::vector<double>{0, 1, 0.8, 1.9, 1.75},
          std::vector<double>{1, -1, 1, -1, 1}, std::vector<double>{0, 1, 0.9, -0.2, -0.25}}) {
        const std::vector<double> halved{1, 0.5, 0.25, 0.125, 0.0625};
        CHECK(order_of("v", halved, values).verdict == OrderVerdict::None);
    }
    // differences that shrink evenly but change their sign do not come from an error in powers of the step
    const std::vector<double> halved{1, 0.5, 0.25, 0.125, 0.0625};
    const std::vector<double> to_and_fro{1, 2, 1.5, 1.75, 1.625};
    CHECK(order_of("v", halved, to_and_fro).verdict == OrderVerdict::Irregular);

    // second order until roundoff is reached counts as seen
    const auto deep = order_of_error([](double h) { return 1e-6 * h * h; }, 1.0, 16);
    CHECK(deep.verdict == OrderVerdict::Seen);
    CHECK(deep.fitted == near(2, 0.1));
}

TEST_CASE("the midpoint scheme is of second order for a free pendulum")
{
    const Folder folder;
    const auto orders = orders_in(folder, pendulum, {.levels = 6, .at_s = {1.0}});
    // h = 0.02 s to 0.6 ms: what is left of higher order is (w h)^2 = 1 % of the leading term at most
    for (const char* name : {"theta", "theta'", "theta@1", "theta'@1"}) {
        CAPTURE(name);
        const OrderTable& table = find(orders, name);
        CHECK(table.verdict == OrderVerdict::Seen);
        CHECK(table.fitted == near(2, 0.05));
    }
    // the limits at two depths agree better than the finest value by the next power of the step
    const auto finer = orders_in(folder, pendulum, {.levels = 8, .at_s = {1.0}});
    const OrderTable& coarse = find(orders, "theta");
    CHECK(coarse.limit == near(find(finer, "theta").limit, 1e-2 * coarse.error.back()));
}

TEST_CASE("a bouncing ball is of first order after its impacts")
{
    const Folder folder;
    const double fall_s = std::sqrt(2 / 9.81), speed = 0.8 * 9.81 * fall_s, t = 1 - fall_s;
    auto scene = ball;
    scene.replace(scene.find("e = 0.5"), 7, "e = 0.8");
    const std::map<std::string, double> exact{{"z", speed * t - 9.81 * t * t / 2}, {"impact1_s", fall_s}};
    const auto orders = orders_in(folder, scene, {.levels = 10, .at_s = {0.2}, .impacts = 1}, exact);

    // the instant falls anywhere into its step, so errors scatter within a band in proportion to the step:
    // over 10 halvings a scatter of one binary digit at each level moves the fit by less than 0.4
    for (const char* name : {"z", "impact1_s"}) {
        const OrderTable& table = find(orders, name);
        CAPTURE(name);
        CHECK(table.fitted == near(1, 0.4));
        for (std::size_t k = 0; k < table.error.size(); ++k)
            CHECK(table.error[k] < 2 * 4.43 * table.h_s[k]);
    }
    // before the impact the scheme is exact: gravity is constant
    CHECK(find(orders, "z@0.2").verdict == OrderVerdict::Roundoff);
}

TEST_CASE("orders come for every combination of varied values")
{
    const Folder folder;
    const Study study =
        study_of(folder, pendulum, {.axes = {axis("coordinate.theta.start=0.5,1")}, .levels = 4});
    const ResultTable table = table_of(study);
    const auto orders = orders_of(study, table, {});
    REQUIRE(orders.size() == 2);
    CHECK(orders[1].values == std::vector<std::string>{"1"});
    CHECK(orders[0].tables[0].h_s == std::vector<double>{0.02, 0.01, 0.005, 0.0025});
    CHECK(orders[0].tables[0].value[0] == table.find("theta")->numbers[0]);
    CHECK(orders[1].tables[0].value[3] == table.find("theta")->numbers[7]);
}

TEST_CASE("outcomes are counted by where they end")
{
    const Folder folder;
    // thrown from the top of a hill to one side or the other: two valleys, a viscous ground
    const std::string hill = R"toml(duration_s = 40.0
[[coordinate]]
name = "x"
start = 0.0
[lagrangian]
kinetic = "x'^2/2"
potential = "(x^2 - 1)^2"
forces = { x = "-2*x'" }
[integrator]
time_step_s = 0.02
)toml";
    const Study study = study_of(folder, hill, {.repeat = 60, .perturbations = {{"x'", 0.5}}});
    const ResultTable table = table_of(study, {}, {}, 2);
    const Outcomes outcomes = outcomes_of(study, table, 0, table.rows());
    REQUIRE(outcomes.groups.size() == 2);
    CHECK(outcomes.groups[0].count + outcomes.groups[1].count == 60);
    CHECK(outcomes.groups[0].count >= outcomes.groups[1].count);
    // the valleys are at -1 and 1; after 40 s what is left of the motion is below exp(-30)
    CHECK(std::abs(outcomes.groups[0].state[0]) == near(1, 1e-6));
    CHECK(outcomes.groups[0].state[0] == near(-outcomes.groups[1].state[0], 1e-6));
    const Distribution& x = outcomes.distributions[0];
    CHECK(x.count == 60);
    CHECK(x.low == near(-1, 1e-6));
    CHECK(x.high == near(1, 1e-6));
    CHECK(x.histogram.front() + x.histogram.back() == 60);
    // of n values of size 1: deviation^2 = (1 - mean^2) n / (n - 1)
    CHECK(x.deviation * x.deviation == near((1 - x.mean * x.mean) * 60 / 59, 1e-5));
}
