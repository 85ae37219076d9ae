// Any bytes as a robot in URDF: a scene that can be read, or errors with messages; never a crash, never a
// wait.

#include "carom/scene/scene.hpp"
#include "scratch_folder.hpp"

#include <cstdint>
#include <fstream>
#include <string>

using namespace carom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto file = fuzz::scratch_folder() / "robot.urdf";
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<long>(size));
    for (const bool floating : {false, true}) {
        const auto text = import_urdf(file, {.floating = floating, .hold = floating});
        if (text) continue;
        // meshes are not there, so some scenes are refused; what was written is TOML at least
        for (const Error& error : text.error()) {
            if (error.message.empty() || error.code == ErrorCode::SceneSyntax) __builtin_trap();
        }
        if (text.error().empty()) __builtin_trap();
    }
    return 0;
}
