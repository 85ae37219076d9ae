#include "carom/ledger/certificate.hpp"

#include "ledger/certifier.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

using namespace carom;
using test::near;

namespace {

/// A step in which a given force did one joule of work, all of it kept as kinetic energy.
EnergyLines pushed()
{
    EnergyLines lines;
    lines.kinetic_J = lines.given_forces_J = 1.0;
    return lines;
}

}  // namespace

TEST_CASE("a joule that no line explains leaves the run uncertified")
{
    Certifier honest(Energies{});
    honest.add_step(0.1, {}, true, 0, pushed(), {.kinetic_J = 1});
    CHECK(honest.certified());
    CHECK(honest.findings().empty());

    EnergyLines lost = pushed();
    lost.kinetic_J -= 1e-6;
    Certifier dishonest(Energies{});
    dishonest.add_step(0.1, {}, true, 0, lost, {.kinetic_J = 1});
    CHECK_FALSE(dishonest.certified());
    REQUIRE(dishonest.findings().size() == 1);
    CHECK(dishonest.findings()[0].code == "open_ledger");
    CHECK(dishonest.certificate().energy_balance_J == near(-1e-6, 1e-15));
}

TEST_CASE("an unsolved step leaves the run uncertified, and is counted")
{
    Certifier certifier(Energies{});
    certifier.add_step(0.1, {}, true, 0, {}, {});
    certifier.add_step(0.2, {.unit_free = 0.3}, false, 0, {}, {});
    certifier.add_step(0.3, {.unit_free = 0.1}, false, 0, {}, {});
    CHECK_FALSE(certifier.certified());
    CHECK(certifier.certificate().unsolved_steps == 2);
    CHECK(certifier.certificate().max_residual == 0.3);
    CHECK(certifier.certificate().max_residual_time_s == 0.2);
}

TEST_CASE("the worst of every step is kept")
{
    Certifier certifier(Energies{});
    certifier.add_step(0.1, {.cone_violation_Ns = 2e-3}, true, 1e-4, {}, {});
    certifier.add_step(0.2, {.cone_violation_Ns = 1e-3}, true, 3e-4, {}, {});
    CHECK(certifier.certificate().max_penetration_m == 3e-4);
    CHECK(certifier.certificate().max_cone_violation_Ns == 2e-3);
    CHECK(certifier.certificate().steps == 2);
}

TEST_CASE("a million small amounts add up as exactly as one large one")
{
    EnergyLedger ledger;
    EnergyLines step;
    step.impact_J = 0.1;  // not a binary fraction: plain sums of a million drift by 1e-6
    for (int i = 0; i < 1'000'000; ++i) {
        ledger.add(step);
    }
    CHECK(ledger.totals().impact_J == near(1e5, 2e-11));
}
