#include "packed_chunk.hpp"

#include <zlib.h>

#include <array>
#include <bit>
#include <cmath>

namespace carom::detail {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint32_t);

/// Byte p of every word, one plane after the other.
void shuffle(std::span<const std::uint32_t> words, std::span<unsigned char> planes)
{
    const std::size_t n = words.size();
    for (std::size_t p = 0; p < word_bytes; ++p) {
        unsigned char* const plane = planes.data() + p * n;
        const auto shift = static_cast<unsigned>(8 * p);
        for (std::size_t i = 0; i < n; ++i)
            plane[i] = static_cast<unsigned char>(words[i] >> shift);
    }
}

void unshuffle(std::span<const unsigned char> planes, std::span<std::uint32_t> words)
{
    const std::size_t n = words.size();
    for (std::size_t i = 0; i < n; ++i)
        words[i] = std::uint32_t{planes[i]} | std::uint32_t{planes[n + i]} << 8U |
                   std::uint32_t{planes[2 * n + i]} << 16U | std::uint32_t{planes[3 * n + i]} << 24U;
}

/// A code cannot make these bytes shorter by a sixteenth: their entropy is above 7.5 bits.
bool without_order(std::span<const unsigned char> bytes)
{
    std::array<std::uint32_t, 256> count{};
    for (const unsigned char byte : bytes)
        ++count[byte];
    const auto n = static_cast<double>(bytes.size());
    double entropy_bits = 0;
    for (const std::uint32_t c : count)
        if (c > 0) entropy_bits -= c / n * std::log2(c / n);
    return entropy_bits > 7.5;
}

}  // namespace

struct ChunkPacker::Stream {
    z_stream z{};
};

ChunkPacker::ChunkPacker() : stream_(std::make_unique<Stream>())
{
    if (deflateInit(&stream_->z, Z_BEST_SPEED) != Z_OK) throw std::bad_alloc();
}

ChunkPacker::~ChunkPacker()
{
    deflateEnd(&stream_->z);
}

std::vector<unsigned char> ChunkPacker::pack(std::span<const std::uint32_t> words)
{
    const std::size_t n = words.size();
    planes_.resize(word_bytes * n);
    shuffle(words, planes_);

    // each change of level ends a block of the stream, whose code is then that of its plane alone
    z_stream& z = stream_->z;
    deflateReset(&z);
    packed_.resize(deflateBound(&z, planes_.size()) + 1024);
    z.next_out = packed_.data();
    z.avail_out = static_cast<uInt>(packed_.size());
    bool good = true;
    for (std::size_t p = 0; p < word_bytes; ++p) {
        const std::span<unsigned char> plane(planes_.data() + p * n, n);
        good =
            good && deflateParams(&z, without_order(plane) ? Z_NO_COMPRESSION : Z_BEST_SPEED, Z_RLE) == Z_OK;
        z.next_in = plane.data();
        z.avail_in = static_cast<uInt>(n);
        const bool last = p + 1 == word_bytes;
        const int result = deflate(&z, last ? Z_FINISH : Z_BLOCK);
        good = good && (last ? result == Z_STREAM_END : result == Z_OK) && z.avail_in == 0;
    }
    if (!good) throw InternalError("a chunk of a recording could not be packed");
    return {packed_.begin(), packed_.begin() + static_cast<std::ptrdiff_t>(z.total_out)};
}

bool unpack_chunk(std::span<const unsigned char> packed, std::span<std::uint32_t> words)
{
    std::vector<unsigned char> planes(word_bytes * words.size());
    uLongf size = planes.size();
    if (uncompress(planes.data(), &size, packed.data(), packed.size()) != Z_OK || size != planes.size())
        return false;
    unshuffle(planes, words);
    return true;
}

std::uint32_t rounded_float(double x, int bits) noexcept
{
    constexpr std::uint32_t exponent = 0x7f800000U;
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    const auto cut = static_cast<unsigned>(24 - bits);
    if (cut == 0 || (word & exponent) == exponent) return word;  // not finite: as it is
    const std::uint32_t rounded = (word + (1U << (cut - 1U))) & ~((1U << cut) - 1U);
    return (rounded & exponent) == exponent ? word : rounded;  // the largest numbers stay finite
}

}  // namespace carom::detail
