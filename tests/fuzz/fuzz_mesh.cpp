// Any bytes as a mesh file: triangles that pass the check, or an error with a message.

#include "mesh/mesh_file.hpp"

#include <array>
#include <cstdint>

using namespace carom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    constexpr std::array<const char*, 3> formats{"stl", "obj", "off"};
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto mesh = read_mesh(bytes, formats[data[0] % formats.size()]);
    if (mesh ? !check(*mesh, "mesh").has_value() : mesh.error().message.empty()) __builtin_trap();
    return 0;
}
