// Any bytes as the file of a [[table]] of a scene, or as the table of a study: points or rows, or an error
// with a message. A table that is read gives finite values.

#include "carom/scene/scene.hpp"
#include "carom/trace/table.hpp"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto file = fuzz::scratch_folder() / "force.csv";
    std::ofstream(file, std::ios::binary) << bytes;
    if (data[0] % 2 == 1) {
        const auto text = read_csv(file.string());
        if (!text) {
            if (text.error().message.empty()) __builtin_trap();
            return 0;
        }
        (void)typed(*text);
        return 0;
    }
    const auto scene = read_scene_text(scene_with_table, "fuzz.toml", {}, fuzz::scratch_folder());
    if (!scene) {
        if (scene.error().empty() || scene.error()[0].message.empty()) __builtin_trap();
        return 0;
    }
    State state = scene->start;
    (void)simulate(scene->model, scene->integrator, scene->solver, scene->plan, state);
    if (!state.q.allFinite() && bytes.find_first_of("0123456789") == std::string_view::npos) __builtin_trap();
    return 0;
}
