#include "report/text_parts.hpp"

#include "core/text.hpp"
#include "report/body_words.hpp"
#include "scene/scene_bodies.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace carom {
namespace {

std::string listed(const std::map<std::string, long>& counts)
{
    std::string text;
    for (const auto& [name, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    return text;
}

/// The first few of many lines, the rest as a number.
std::string some_rows(const char* title, const std::vector<std::string>& lines, const char* what)
{
    constexpr std::size_t largest = 12;
    std::string out;
    for (std::size_t k = 0; k < std::min(lines.size(), largest); ++k)
        out += row(k == 0 ? title : "", lines[k]);
    if (lines.size() > largest) out += row("", fmt::format("and {} more {}", lines.size() - largest, what));
    return out;
}

}  // namespace

std::string to_text(const Scene& scene, const BodyInspection& inspection, Paint paint)
{
    const BodyModel& model = *scene.model.bodies();
    const BodySetup& setup = model.setup();
    const auto name = [&](int i) { return printable(setup.bodies[static_cast<std::size_t>(i)].name); };
    const bool good = !inspection.overlaps;
    std::string out =
        paint(printable(scene.title), Tone::Title) + "\n" +
        paint(good ? "no initial overlap" : "bodies overlap initially", good ? Tone::Good : Tone::Doubtful) +
        "\n\n";
    out += row("bodies", fmt::format("{}; {}; in {}", listed(inspection.motions), listed(inspection.shapes),
                                     model.is_flat() ? "the plane" : "space"));
    out += row("mass", fmt::format("{:.6g} kg in total, {:.4g} to {:.4g} kg each", inspection.mass_kg,
                                   inspection.lightest_kg, inspection.heaviest_kg));
    out += row("length", fmt::format("{:.4g} m, reference length of the moving bodies", scene.length_m));
    out += some_rows("surfaces", laws_of(model), "pairs");
    out += some_rows("joints", joints_of(setup), "joints");
    if (inspection.held > 0) {
        out += row("freedom",
                   fmt::format("joints leave {} of {} degrees of freedom{}",
                               inspection.degrees_of_freedom - inspection.rank, inspection.degrees_of_freedom,
                               inspection.held == inspection.rank
                                   ? std::string()
                                   : fmt::format("; {} conditions are redundant, so reactions are "
                                                 "not unique",
                                                 inspection.held - inspection.rank)));
    }
    out += some_rows("coordinates", coordinates_beside(scene), "coordinates");
    out += some_rows("formulas", formulas_beside(scene), "contacts and constraints");
    if (!setup.springs.empty()) out += row("springs", fmt::format("{}", setup.springs.size()));
    if (setup.forces) out += row("loads", "forces by formulas");
    out +=
        row("start",
            inspection.closed == 0
                ? std::string("no contact is closed")
                : fmt::format("{} contact points closed, of {} pairs of bodies; {} unknowns for {} degrees "
                              "of freedom",
                              inspection.closed, inspection.pairs, inspection.unknowns,
                              inspection.degrees_of_freedom));
    if (!good) {
        out += row("overlap", fmt::format("up to {:.3g} m, {} and {}; the first steps push them apart",
                                          inspection.deepest_m, name(inspection.deepest_first),
                                          name(inspection.deepest_second)));
    }
    out += row("energy", fmt::format("kinetic {:.6g} J, potential {:.6g} J", inspection.kinetic_J,
                                     inspection.potential_J));
    return out + row("theory", theory_in_words);
}

}  // namespace carom
