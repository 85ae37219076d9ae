#pragma once

#include "carom/core/expected.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace carom::detail {

/// Numbers of 32 bits as the filters of HDF5 have them, shuffle and then deflate, so that every HDF5 library
/// reads them. The bytes of equal significance lie together (planes). Planes without order, the low digits of
/// a motion, are only stored; the others are packed each by its own code, which takes half the time of
/// packing all and less room.
class ChunkPacker {
public:
    ChunkPacker();
    ~ChunkPacker();
    ChunkPacker(const ChunkPacker&) = delete;
    ChunkPacker& operator=(const ChunkPacker&) = delete;

    [[nodiscard]] std::vector<unsigned char> pack(std::span<const std::uint32_t> words);

private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
    std::vector<unsigned char> planes_, packed_;
};

/// The words of a chunk, as many as `words` has room for. False when the bytes are not such a chunk; no more
/// memory is taken than that of the words, whatever the bytes say.
[[nodiscard]] bool unpack_chunk(std::span<const unsigned char> packed, std::span<std::uint32_t> words);

/// The bits of the 32-bit float that is next to x among those with so many significant bits, 1 <= bits <= 24.
[[nodiscard]] std::uint32_t rounded_float(double x, int bits) noexcept;

}  // namespace carom::detail
