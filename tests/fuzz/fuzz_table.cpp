// Any bytes as the file of a [[table]] of a scene, or as the table of a study: points or rows, or an error
// with a message. A table that is read gives finite values. The first byte says as which; points of
// some lengths are read by a whole scene, which is run.

#include "carom/scene/scene.hpp"
#include "carom/trace/table.hpp"
#include "scene/document.hpp"
#include "scene/names.hpp"
#include "scratch_folder.hpp"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>

using namespace carom;

namespace {

constexpr const char* scene_with_table = R"toml(duration_s = 0.003
[[table]]
name = "F"
file = "force.csv"
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "table(F, t)" }
)toml";

/// The entry of a scene that names the file.
detail::Node table_entry()
{
    detail::Node file;
    file.kind = detail::Node::Kind::Text;
    file.text = "force.csv";
    detail::Node table;
    detail::put(table, "file", std::move(file));
    return table;
}

void read_points(const std::filesystem::path& folder)
{
    static const detail::Node entry = table_entry();
    detail::Mistakes mistakes("fuzz.toml", "", {});
    const auto table = detail::table_of(entry, folder, mistakes);
    if (!table) {
        if (mistakes.empty() || mistakes.sorted()[0].message.empty()) __builtin_trap();
        return;
    }
    for (const double x : {-1e300, -1.0, 0.0, 1e-3, 0.7, 1.0, 1.5, 3e5, 1e300}) {
        const Table::Value at = table->at(x);
        if (!std::isfinite(at.value) || !std::isfinite(at.slope)) __builtin_trap();
    }
}

void read_rows(const std::string& file)
{
    const auto text = read_csv(file);
    if (text)
        (void)typed(*text);
    else if (text.error().message.empty())
        __builtin_trap();
}

void run_scene(const std::filesystem::path& folder)
{
    const auto scene = read_scene_text(scene_with_table, "fuzz.toml", {}, folder);
    if (!scene) {
        if (scene.error().empty() || scene.error()[0].message.empty()) __builtin_trap();
        return;
    }
    State state = scene->start;
    (void)simulate(scene->model, scene->integrator, scene->solver, scene->plan, state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    static const std::filesystem::path folder = fuzz::scratch_folder(), file = folder / "force.csv";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data) + 1, static_cast<long>(size) - 1);
    if (data[0] % 2 == 1)
        read_rows(file.string());
    else if (size % 16 == 0)
        run_scene(folder);
    else
        read_points(folder);
    return 0;
}
