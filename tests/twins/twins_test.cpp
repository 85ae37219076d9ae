// One mechanical system, written in coordinates and as bodies: the same motion, events, statuses, findings
// and ledger. What does not agree yet is listed with its reason; the list can only shrink.

#include "compare.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

namespace {

using namespace carom;
using namespace carom::twins;

struct KnownFailure {
    const char* system;
    const char* aspect;
    const char* reason;
};

const std::vector<KnownFailure> known_failures{
    {"wedged_rod", "ledger",
     "no motion goes on (FR-6), and both say so: the one step that they show solves nothing, and where its "
     "overlap is corrected, which moves the weight, depends on where the gap is measured"},
};

/// Written in coordinates or as bodies. `scheme`: what both ways have instead of Moreau's scheme.
Way way_of(const std::string& system, const char* kind, const std::vector<Override>& scheme = {})
{
    Way way = twins::way_of(fmt::format("{}/twins/{}_{}.toml", CAROM_TEST_DATA, system, kind), scheme);
    if (!way.mistake.empty()) FAIL(way.mistake);
    return way;
}

std::set<std::string> differences(const std::string& system, const std::vector<Override>& scheme = {})
{
    const Way a = way_of(system, "coordinates", scheme), b = way_of(system, "bodies", scheme);
    REQUIRE(a.probes == b.probes);
    const Differences found = twins::differences(a, b);
    for (const std::string& line : found.seen)
        MESSAGE(line);
    return found.aspects;
}

}  // namespace

TEST_CASE("a system in coordinates and as bodies: the same motion, ledger, findings, statuses and events")
{
    for (const char* system :
         {"rod",        "ladder",        "block",        "disc_on_incline", "rolling",   "oblique_impact",
          "cradle",     "rocking_block", "slider_crank", "three_cylinders", "cards",     "arch",
          "stops",      "soft_stops",    "winch",        "tether",          "ring",      "skate",
          "waves",      "circuit",       "hanging",      "catastrophe",     "unseen",    "instants",
          "until",      "until_bounce",  "first_slip",   "bouncing_groove", "fast_load", "driven_spring",
          "jammed_rod", "wedged_rod",    "link_stop"}) {
        CAPTURE(system);
        std::set<std::string> expected;
        for (const KnownFailure& known : known_failures) {
            if (std::string_view(known.system) == system) expected.insert(known.aspect);
        }
        // a known failure that begins to pass leaves the list
        CHECK(fmt::format("{}", fmt::join(differences(system), ", ")) ==
              fmt::format("{}", fmt::join(expected, ", ")));
    }
}

TEST_CASE("the same with other restitution")
{
    // impacts that take two steps of bodies, runs that end within an impact, strings that bounce to rest
    const Override inelastic{.path = "parameters.e", .value = "0"};
    const Override bounces{.path = "parameters.e", .value = "0.5"};
    CHECK(fmt::format("{}", fmt::join(differences("cradle", {inelastic}), ", ")).empty());
    // within the impact the velocity is not known, and both say so
    CHECK(fmt::format("{}", fmt::join(differences("unseen", {inelastic}), ", ")) == "ledger, motion");
    CHECK(fmt::format("{}", fmt::join(differences("tether", {bounces}), ", ")).empty());
    // the correction of one plane opens the contact with the other by 0.3 mm
    CHECK(fmt::format("{}", fmt::join(differences("bouncing_groove", {inelastic}), ", ")).empty());
    for (const char* theta : {"0.5", "0.8"}) {
        CAPTURE(std::string(theta));
        const std::vector<Override> scheme{{.path = "integrator.kind", .value = "moreau_jean"},
                                           {.path = "integrator.theta", .value = theta},
                                           bounces};
        CHECK(fmt::format("{}", fmt::join(differences("tether", scheme), ", ")).empty());
    }
}

TEST_CASE("the same by the theta scheme")
{
    for (const char* theta : {"0.5", "0.8"}) {
        const std::vector<Override> scheme{{.path = "integrator.kind", .value = "moreau_jean"},
                                           {.path = "integrator.theta", .value = theta}};
        for (const char* system : {"rod",
                                   "ladder",
                                   "block",
                                   "disc_on_incline",
                                   "rolling",
                                   "oblique_impact",
                                   "cradle",
                                   "slider_crank",
                                   "three_cylinders",
                                   "cards",
                                   "arch",
                                   "stops",
                                   "soft_stops",
                                   "winch",
                                   "tether",
                                   "ring",
                                   "skate",
                                   "waves",
                                   "circuit",
                                   "hanging",
                                   "catastrophe",
                                   "unseen",
                                   "instants",
                                   "until",
                                   "until_bounce",
                                   "first_slip",
                                   "bouncing_groove",
                                   "fast_load",
                                   "driven_spring",
                                   "jammed_rod",
                                   "link_stop"}) {
            // without rocking_block: impacts in which a block stops rocking accumulate: how many of them a
            // step of finite length sees is no property of the motion once theta > 1/2 damps what is between
            // them (18 and 14 events at this step, 18 and 19 at a quarter of it)
            CAPTURE(std::string(theta));
            CAPTURE(std::string(system));
            CHECK(fmt::format("{}", fmt::join(differences(system, scheme), ", ")).empty());
        }
    }
}

TEST_CASE(
    "potentials of formulas far too stiff for the step: percussions go through them to what they couple")
{
    // without their derivatives in J, turns of quaternions included, the iteration of forces has no end
    // (BO-33)
    for (const char* theta : {"0.8", "1"}) {
        CAPTURE(std::string(theta));
        const std::vector<Override> scheme{{.path = "integrator.theta", .value = theta}};
        CHECK(fmt::format("{}", fmt::join(differences("stiff_formulas", scheme), ", ")).empty());
        CHECK(way_of("stiff_formulas", "bodies", scheme).coarse.status == RunStatus::Certified);
    }
}

TEST_CASE("the same with contacts at the end of the step")
{
    // what (BO-32) says of bodies, and the remark of M88 11.1 of coordinates. Without tether: in coordinates
    // a soft contact acts before it has closed, and a string that is not taut yet is lost and met again (5
    // and 2 events). Without oblique_impact: friction acts half-way into the overlap of two shapes, which
    // differs from step to step; its work tends to that of coordinates, -4.1667 J, by -4.1719, -4.1683,
    // -4.1674 J at 1, 0.25 and 0.125 ms
    const std::vector<Override> scheme{{.path = "integrator.cone_point", .value = "end"}};
    for (const char* system : {"rod",     "ladder",        "block",        "disc_on_incline",
                               "rolling", "cradle",        "slider_crank", "three_cylinders",
                               "cards",   "arch",          "stops",        "soft_stops",
                               "winch",   "ring",          "skate",        "waves",
                               "circuit", "hanging",       "catastrophe",  "instants",
                               "until",   "driven_spring", "link_stop"}) {
        CAPTURE(std::string(system));
        CHECK(fmt::format("{}", fmt::join(differences(system, scheme), ", ")).empty());
    }
}

TEST_CASE("two different systems are told apart")
{
    Way block = way_of("block", "coordinates"), disc = way_of("rolling", "bodies");
    std::vector<std::string> seen;
    CHECK_FALSE(same_motion(block, disc, seen));
    CHECK_FALSE(same_ledger(block, disc, seen));
}
