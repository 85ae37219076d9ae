// One mechanical system, written in coordinates and as bodies: the same motion, events, statuses, findings
// and ledger. What does not agree yet is listed with its reason; the list can only shrink.

#include "carom/carom.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace {

using namespace carom;

/// What two ways of writing agree in.
enum class Aspect { Status, Motion, Ledger, Findings, Events };

const char* name_of_aspect(Aspect aspect)
{
    constexpr const char* names[] = {"status", "motion", "ledger", "findings", "events"};
    return names[static_cast<int>(aspect)];
}

struct KnownFailure {
    const char* system;
    Aspect aspect;
    const char* reason;
};

const std::vector<KnownFailure> known_failures{
    {"wedged_rod", Aspect::Ledger,
     "no motion goes on (FR-6), and both say so: the one step that they show solves nothing, and where its "
     "overlap is corrected, which moves the weight, depends on where the gap is measured"},
};

/// A system written one way, at its step and at half of it.
struct Way {
    Run coarse, fine;
    std::vector<std::string> probes;
    double step_s = 0;
};

Run run_of(const std::string& file, const std::vector<Override>& overrides, Way& way)
{
    const auto scene = read_scene(file, overrides);
    if (!scene) FAIL(to_text(scene.error().front()));
    way.probes.clear();
    for (const Probe& probe : scene->model.system().probes)
        way.probes.push_back(probe.name);
    way.step_s = std::max(way.step_s, time_step_s(scene->integrator));
    const double T = scene->plan.duration_s;
    auto done = run(*scene, {.at_s = {T / 4, T / 2, 3 * T / 4, T}, .columns = false});
    REQUIRE(done);
    return *std::move(done);
}

/// `scheme`: what both ways have instead of Moreau's scheme.
Way way_of(const std::string& system, const char* kind, const std::vector<Override>& scheme = {})
{
    const std::string file = fmt::format("{}/twins/{}_{}.toml", CAROM_TEST_DATA, system, kind);
    CAPTURE(file);
    Way way;
    way.coarse = run_of(file, scheme, way);
    std::vector<Override> half = scheme;
    half.push_back({.path = "integrator.time_step_s", .value = fmt::format("{}", way.step_s / 2)});
    way.fine = run_of(file, half, way);
    return way;
}

/// Two numbers of two ways, each known as well as halving the step changes it: the schemes differ in where
/// within a step they see a contact, so that both are wrong by an amount of the order of the step.
bool agree(double a, double a_fine, double b, double b_fine, double scale)
{
    return std::abs(a - b) <= 10 * (std::abs(a - a_fine) + std::abs(b - b_fine)) + 1e-6 * scale;
}

bool same_motion(const Way& a, const Way& b)
{
    bool same = true;
    // a run that `until` ends has seen fewer of them
    const auto seen_of = [](const Run& run) {
        return static_cast<std::size_t>(
            std::ranges::count_if(run.snapshots, [](const auto& shot) { return !shot.probes.empty(); }));
    };
    const std::size_t seen = seen_of(a.coarse);
    for (const Run* run : {&a.fine, &b.coarse, &b.fine})
        same = same && seen_of(*run) == seen;
    for (std::size_t k = 0; same && k < seen; ++k) {
        double scale = 0;
        for (const double x : a.coarse.snapshots[k].probes)
            scale = std::max(scale, std::abs(x));
        for (std::size_t i = 0; i < a.probes.size(); ++i) {
            const double x = a.coarse.snapshots[k].probes[i], y = b.coarse.snapshots[k].probes[i];
            const bool good =
                agree(x, a.fine.snapshots[k].probes[i], y, b.fine.snapshots[k].probes[i], scale);
            if (!good) MESSAGE(a.probes[i] << ": " << x << " and " << y);
            same = same && good;
        }
    }
    return same;
}

bool same_ledger(const Way& a, const Way& b)
{
    const auto lines = [](const Run& run) { return lines_of(run.certificate.energy); };
    const auto x = lines(a.coarse), x_fine = lines(a.fine), y = lines(b.coarse), y_fine = lines(b.fine);
    // beside the energies that were exchanged
    double scale = 1e-9;
    for (const auto& [name, value] : x)
        scale = std::max(scale, std::abs(value));
    bool same = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool good = agree(x[i].second, x_fine[i].second, y[i].second, y_fine[i].second, scale);
        if (!good) MESSAGE(x[i].first << ": " << x[i].second << " and " << y[i].second);
        same = same && good;
    }
    return same;
}

/// Kinds and statuses in the order of time; places have other names in the two ways. Instants agree to some
/// steps.
bool same_events(const Way& a, const Way& b)
{
    const auto sorted = [](const Run& run) {
        std::vector<std::pair<std::string, double>> list;
        for (const RunEvent& event : run.events) {
            list.emplace_back(
                fmt::format("{} {} {}", name_of(event.kind), event.status_before, event.status_after),
                event.time_s);
        }
        std::ranges::sort(list);
        return list;
    };
    const auto x = sorted(a.coarse), y = sorted(b.coarse);
    if (x.size() != y.size()) {
        MESSAGE(x.size() << " and " << y.size() << " events");
        return false;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i].first == y[i].first && std::abs(x[i].second - y[i].second) <= 3 * a.step_s) continue;
        MESSAGE(x[i].first << " at " << x[i].second << " s, " << y[i].first << " at " << y[i].second << " s");
        return false;
    }
    return true;
}

std::multiset<std::string> codes_of(const Run& run)
{
    std::multiset<std::string> codes;
    for (const Finding& finding : run.findings)
        codes.insert(finding.code);
    return codes;
}

std::set<std::string> differences(const std::string& system, const std::vector<Override>& scheme = {})
{
    const Way a = way_of(system, "coordinates", scheme), b = way_of(system, "bodies", scheme);
    REQUIRE(a.probes == b.probes);
    std::set<std::string> different;
    const auto look = [&](Aspect aspect, bool same) {
        if (!same) different.insert(name_of_aspect(aspect));
    };
    look(Aspect::Status, a.coarse.status == b.coarse.status && a.coarse.end == b.coarse.end);
    look(Aspect::Motion, same_motion(a, b));
    look(Aspect::Ledger, same_ledger(a, b));
    look(Aspect::Findings, codes_of(a.coarse) == codes_of(b.coarse));
    look(Aspect::Events, same_events(a, b));
    return different;
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
          "jammed_rod", "wedged_rod"}) {
        CAPTURE(system);
        std::set<std::string> expected;
        for (const KnownFailure& known : known_failures) {
            if (std::string_view(known.system) == system) expected.insert(name_of_aspect(known.aspect));
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
                                   "jammed_rod"}) {
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
    for (const char* system : {"rod",     "ladder",       "block",        "disc_on_incline",
                               "rolling", "cradle",       "slider_crank", "three_cylinders",
                               "cards",   "arch",         "stops",        "soft_stops",
                               "winch",   "ring",         "skate",        "waves",
                               "circuit", "hanging",      "catastrophe",  "instants",
                               "until",   "driven_spring"}) {
        CAPTURE(std::string(system));
        CHECK(fmt::format("{}", fmt::join(differences(system, scheme), ", ")).empty());
    }
}

TEST_CASE("two different systems are told apart")
{
    Way block = way_of("block", "coordinates"), disc = way_of("rolling", "bodies");
    CHECK_FALSE(same_motion(block, disc));
    CHECK_FALSE(same_ledger(block, disc));
}
