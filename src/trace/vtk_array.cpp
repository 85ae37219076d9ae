#include "vtk_array.hpp"

#include "page_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace carom::detail {
namespace {

void put_word(std::uint32_t word, std::string& bytes)
{
    for (int k = 0; k < 4; ++k)
        bytes.push_back(static_cast<char>(word >> (8 * k) & 0xff));
}

/// Blocks of so many bytes are compressed by themselves, as VTK does.
constexpr std::size_t vtk_block_bytes = 1 << 20;

/// Head with the sizes of the blocks, then the blocks; the two are base64 of their own.
std::string packed_blocks(const std::string& bytes)
{
    const std::size_t blocks = (bytes.size() + vtk_block_bytes - 1) / vtk_block_bytes;
    std::string head, data;
    put_word(static_cast<std::uint32_t>(blocks), head);
    put_word(static_cast<std::uint32_t>(vtk_block_bytes), head);
    put_word(static_cast<std::uint32_t>(bytes.size() % vtk_block_bytes), head);
    for (std::size_t at = 0; at < bytes.size(); at += vtk_block_bytes) {
        const std::string block = compressed(bytes.substr(at, vtk_block_bytes));
        put_word(static_cast<std::uint32_t>(block.size()), head);
        data += block;
    }
    return to_base64(head) + to_base64(data);
}

std::string tagged(std::string_view type, std::string_view name, int components, const std::string& bytes)
{
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}</DataArray>\n",
        type, name, components, packed_blocks(bytes));
}

}  // namespace

std::string vtk_array(std::string_view name, int components, const std::vector<float>& numbers)
{
    std::string bytes;
    bytes.reserve(4 * numbers.size());
    for (const float x : numbers)
        put_word(std::bit_cast<std::uint32_t>(x), bytes);
    return tagged("Float32", name, components, bytes);
}

std::string vtk_array(std::string_view name, const std::vector<std::int32_t>& numbers)
{
    std::string bytes;
    bytes.reserve(4 * numbers.size());
    for (const std::int32_t x : numbers)
        put_word(static_cast<std::uint32_t>(x), bytes);
    return tagged("Int32", name, 1, bytes);
}

}  // namespace carom::detail
