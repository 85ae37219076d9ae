#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::twins {

namespace {

Run run_of(const std::string& file, const std::vector<Override>& overrides, Way& way)
{
    const auto scene = read_scene(file, overrides);
    if (!scene) {
        way.mistake = to_text(scene.error().front());
        return {};
    }
    way.probes.clear();
    for (const Probe& probe : scene->model.system().probes)
        way.probes.push_back(probe.name);
    way.step_s = std::max(way.step_s, time_step_s(scene->integrator));
    const double T = scene->plan.duration_s;
    auto done = run(*scene, {.at_s = {T / 4, T / 2, 3 * T / 4, T}, .columns = false});
    if (!done) {
        way.mistake = to_text(done.error().front());
        return {};
    }
    return *std::move(done);
}

/// The same number of all runs of a way.
struct Known {
    double value = 0, low = 0, high = 0;

    template <class F>
    Known(const Way& way, F number) : value(number(way.coarse)), low(value), high(value)
    {
        for (const Run& run : way.finer) {
            low = std::min(low, number(run));
            high = std::max(high, number(run));
        }
    }
};

/// Two numbers of two ways, each known as well as the steps agree: the schemes differ in where within a step
/// they see a contact, so that both are wrong by an amount of the order of the step.
bool agree(const Known& a, const Known& b, double scale)
{
    return std::abs(a.value - b.value) <= 10 * (a.high - a.low + b.high - b.low) + 1e-6 * scale;
}

/// A run that `until` ends has seen fewer of them.
std::size_t shots_of(const Run& run)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(run.snapshots, [](const auto& shot) { return !shot.probes.empty(); }));
}

/// Kinds and statuses in the order of time; places have other names in the two ways.
std::vector<std::pair<std::string, double>> events_of(const Run& run)
{
    std::vector<std::pair<std::string, double>> list;
    for (const RunEvent& event : run.events) {
        list.emplace_back(
            fmt::format("{} {} {}", name_of(event.kind), event.status_before, event.status_after),
            event.time_s);
    }
    std::ranges::sort(list);
    return list;
}

/// Instants agree to some steps.
bool same_events(const Run& a, const Run& b, double apart_s, std::vector<std::string>& seen)
{
    const auto x = events_of(a), y = events_of(b);
    if (x.size() != y.size()) {
        seen.push_back(fmt::format("{} and {} events", x.size(), y.size()));
        return false;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i].first == y[i].first && std::abs(x[i].second - y[i].second) <= apart_s) continue;
        seen.push_back(
            fmt::format("{} at {} s, {} at {} s", x[i].first, x[i].second, y[i].first, y[i].second));
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

bool same_status(const Run& a, const Run& b)
{
    return a.status == b.status && a.end == b.end;
}

}  // namespace

Way way_of(const std::string& file, const std::vector<Override>& scheme, const std::vector<double>& parts)
{
    Way way;
    way.coarse = run_of(file, scheme, way);
    for (const double part : parts) {
        std::vector<Override> shorter = scheme;
        shorter.push_back({.path = "integrator.time_step_s", .value = fmt::format("{}", part * way.step_s)});
        if (way.mistake.empty()) way.finer.push_back(run_of(file, shorter, way));
    }
    return way;
}

bool same_motion(const Way& a, const Way& b, std::vector<std::string>& seen)
{
    const std::size_t shots = shots_of(a.coarse);
    bool same = shots_of(b.coarse) == shots;
    for (const Way* way : {&a, &b}) {
        for (const Run& run : way->finer)
            same = same && shots_of(run) == shots;
    }
    if (!same) return false;
    for (std::size_t k = 0; k < shots; ++k) {
        double scale = 0;
        for (const double x : a.coarse.snapshots[k].probes)
            scale = std::max(scale, std::abs(x));
        for (std::size_t i = 0; i < a.probes.size(); ++i) {
            const auto number = [&](const Run& run) { return run.snapshots[k].probes[i]; };
            const Known x(a, number), y(b, number);
            if (agree(x, y, scale)) continue;
            seen.push_back(fmt::format("{}: {} and {}", a.probes[i], x.value, y.value));
            same = false;
        }
    }
    return same;
}

bool same_ledger(const Way& a, const Way& b, std::vector<std::string>& seen)
{
    const auto lines = lines_of(a.coarse.certificate.energy);
    // beside the energies that were exchanged
    double scale = 1e-9;
    for (const auto& [name, value] : lines)
        scale = std::max(scale, std::abs(value));
    bool same = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto number = [&](const Run& run) { return lines_of(run.certificate.energy)[i].second; };
        const Known x(a, number), y(b, number);
        if (agree(x, y, scale)) continue;
        seen.push_back(fmt::format("{}: {} and {}", lines[i].first, x.value, y.value));
        same = false;
    }
    return same;
}

Differences differences(const Way& a, const Way& b, double instants)
{
    Differences found;
    const auto look = [&](const char* aspect, bool same) {
        if (!same) found.aspects.insert(aspect);
    };
    look("status", same_status(a.coarse, b.coarse));
    look("motion", same_motion(a, b, found.seen));
    look("ledger", same_ledger(a, b, found.seen));
    look("findings", codes_of(a.coarse) == codes_of(b.coarse));
    if (found.aspects.contains("findings") || found.aspects.contains("status")) {
        for (const Way* way : {&a, &b}) {
            found.seen.push_back(
                fmt::format("{}, {}", name_of(way->coarse.status), name_of(way->coarse.end)));
            for (const Finding& finding : way->coarse.findings)
                found.seen.back() +=
                    fmt::format("; {} at {} s: {}", finding.code, finding.time_s, finding.message);
        }
    }
    look("events", same_events(a.coarse, b.coarse, instants * a.step_s, found.seen));
    return found;
}

bool is_settled(const Way& way, double instants)
{
    std::vector<std::string> nobody;
    return std::ranges::all_of(way.finer, [&](const Run& run) {
        return same_status(way.coarse, run) && codes_of(way.coarse) == codes_of(run) &&
               same_events(way.coarse, run, instants * way.step_s, nobody);
    });
}

}  // namespace carom::twins
