#include "carom/ledger/certificate.hpp"

#include "ledger/certifier.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace carom;
using test::near;

namespace {

/// Position Verlet for x'' = -w^2 x, which is Moreau's scheme, with its ledger; V has any zero.
struct WatchedOscillator {
    double h_s, w, zero_J;
    double x = 1, u = 0;

    [[nodiscard]] double potential_J() const { return w * w * x * x / 2 + zero_J; }

    void step(double t_s, Certifier& certifier)
    {
        const double V = potential_J(), T = u * u / 2;
        const double x_mid = x + h_s / 2 * u, u_plus = u - h_s * w * w * x_mid;
        const double mean = (u + u_plus) / 2;
        x = x_mid + h_s / 2 * u_plus;
        u = u_plus;
        EnergyLines lines;
        lines.kinetic_J = u * u / 2 - T;
        lines.potential_J = potential_J() - V;
        lines.scheme_J = lines.potential_J - h_s * mean * w * w * x_mid;
        certifier.add_step(t_s, {}, true, 0, lines, {.kinetic_J = u * u / 2, .potential_J = potential_J()});
    }
};

Certifier watched(double h_s, double w, double zero_J, int steps)
{
    WatchedOscillator oscillator{.h_s = h_s, .w = w, .zero_J = zero_J};
    Certifier certifier(Energies{.kinetic_J = 0, .potential_J = oscillator.potential_J()});
    for (int n = 1; n <= steps; ++n) {
        oscillator.step(n * h_s, certifier);
    }
    return certifier;
}

}  // namespace

TEST_CASE("the energy of an oscillation swings by (h w)^2 / 4 in Moreau's scheme, whatever its length")
{
    for (const int steps : {1000, 100'000}) {
        const Certifier certifier = watched(1e-2, 10, 0, steps);  // h w = 0.1
        CHECK(certifier.certified());
        // D swings by (h w)^2 / 4 of E; S is between E and 2 E
        CHECK(certifier.certificate().energy_error <= 0.0025 * 1.01);
        CHECK(certifier.certificate().energy_error >= 0.0025 / 2 * 0.99);
    }
}

TEST_CASE("a constant in the potential energy does not change how steps are judged")
{
    const double plain = watched(1e-2, 10, 0, 2000).certificate().energy_error;
    CHECK(watched(1e-2, 10, 1e6, 2000).certificate().energy_error == near(plain, 1e-6));
    CHECK(watched(1e-2, 10, -1e6, 2000).certificate().energy_error == near(plain, 1e-6));
    CHECK_FALSE(watched(1e-2, 100, 1e9, 50).certified());
}

TEST_CASE("beyond the tolerance the run is uncertified, also where it ends after a step or two")
{
    for (const int steps : {1, 2, 5, 20}) {
        const Certifier certifier = watched(1e-2, 250, 0, steps);
        CHECK_FALSE(certifier.certified());
        REQUIRE(certifier.findings_at_end().size() == 1);
        CHECK(certifier.findings_at_end()[0].code == "step_too_long");
        CHECK(certifier.findings_at_end()[0].time_s == 1e-2);
    }
}

TEST_CASE("a drift is forgotten as far as dissipation has replaced the energy")
{
    // a drive brings in a joule with every step, a brake takes it out, and the scheme makes a thousandth
    Certifier driven(Energies{.kinetic_J = 1});
    for (int n = 1; n <= 10'000; ++n) {
        EnergyLines lines;
        lines.given_forces_J = 1;
        lines.friction_J = -1.001;
        lines.scheme_J = 0.001;
        driven.add_step(n, {}, true, 0, lines, {.kinetic_J = 1});
    }
    CHECK(driven.certified());

    // nothing but the scheme: ten joules of one
    Certifier made(Energies{.kinetic_J = 1});
    for (int n = 1; n <= 10'000; ++n) {
        EnergyLines lines;
        lines.scheme_J = 0.001;
        lines.potential_J = 0.001;
        made.add_step(n, {}, true, 0, lines, {.kinetic_J = 1, .potential_J = 0.001 * n});
    }
    CHECK_FALSE(made.certified());
}

TEST_CASE("energies that are no numbers are never certified")
{
    Certifier certifier(Energies{});
    EnergyLines lines;
    lines.scheme_J = lines.kinetic_J = std::nan("");
    certifier.add_step(1, {}, true, 0, lines, {.kinetic_J = std::nan("")});
    CHECK_FALSE(certifier.certified());
}
