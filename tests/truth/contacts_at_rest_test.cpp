#include "support.hpp"

using namespace carom::test;

TEST_CASE("a pendulum against a wall is certified, without any finding")
{
    const auto run = run_of(shipped_scene("pendulum_wall"));
    CHECK(run["status"] == "certified");
    CHECK(run["diagnosis"].empty());
}
