#include "support.hpp"

using namespace carom::test;

TEST_CASE("a pendulum against a wall is certified, without any finding")
{
    const auto run = run_of(shipped_scene("pendulum_wall"));
    CHECK(run["status"] == "certified");
    CHECK(run["diagnosis"].empty());
}

TEST_CASE("a house of cards that stands has no impacts whose order matters, however long its steps are")
{
    // it rests to rounding: parts of that motion are no finding
    for (const char* step : {"2e-3", "4e-3", "8e-3"}) {
        CAPTURE(step);
        const auto run =
            run_of(shipped_scene("card_house"), {"--set", std::string("integrator.time_step_s=") + step});
        CHECK(run["status"] == "certified");
        CHECK(run["diagnosis"].empty());
    }
}
