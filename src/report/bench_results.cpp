#include "report/bench_results.hpp"

#include "report/json_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom {
namespace {

using detail::Json;

Json json_of_spheres(const SphereFigures& figures)
{
    return {{"contacts", figures.contacts},
            {"bodies", figures.bodies},
            {"sweep_ns", figures.sweep_ns},
            {"floor_ns", figures.floor_ns},
            {"own_floor_ns", figures.own_floor_ns},
            {"bandwidth_GB_s", figures.bandwidth_GB_s},
            {"bytes_per_contact", figures.memory_is_known ? Json(figures.bytes_per_contact) : Json(nullptr)},
            {"error_after_100_sweeps", figures.error_after_100}};
}

std::string words_of_spheres(const SphereFigures& figures)
{
    std::string text = fmt::format(
        "{} contacts of {} spheres: {:.1f} ns per contact and sweep; floor {:.1f} ns (232 B at {:.1f} GB/s), "
        "{:.2f} times that; with our records {:.1f} ns, {:.2f} times",
        figures.contacts, figures.bodies, figures.sweep_ns, figures.floor_ns, figures.bandwidth_GB_s,
        figures.sweep_ns / figures.floor_ns, figures.own_floor_ns, figures.sweep_ns / figures.own_floor_ns);
    if (figures.memory_is_known) text += fmt::format("; {:.0f} B per contact", figures.bytes_per_contact);
    return text + "\n";
}

}  // namespace

bool BenchResults::all_solved() const
{
    return std::ranges::all_of(solved, [](const Solved& some) {
        return std::ranges::all_of(some.files, [](const SolvedFile& file) { return file.solved.solved(); });
    });
}

std::string to_json(const BenchResults& results)
{
    Json spheres = Json::array(), problems = Json::array();
    for (const SphereFigures& figures : results.spheres)
        spheres.push_back(json_of_spheres(figures));
    for (const auto& [tolerance, files] : results.solved) {
        for (const auto& [file, solved] : files) {
            problems.push_back({{"file", file.path},
                                {"tolerance", tolerance},
                                {"status", solved.status},
                                {"solver", name_of(solved.report.solver)},
                                {"time_s", solved.time_s},
                                {"unit_free_error", solved.check.unit_free},
                                {"siconos_error", solved.check.siconos}});
        }
    }
    return detail::one_line({{"status", results.all_solved() ? "solved" : "not_solved"},
                             {"spheres", std::move(spheres)},
                             {"problems", std::move(problems)}});
}

std::string to_text(const BenchResults& results, Paint paint)
{
    std::string text;
    for (const SphereFigures& figures : results.spheres)
        text += words_of_spheres(figures);
    for (const auto& [tolerance, files] : results.solved) {
        if (!files.empty()) text += fmt::format("\nto {:.0e}\n{}", tolerance, to_text(files, paint));
    }
    return text;
}

}  // namespace carom
