#pragma once

#include <cstdint>
#include <initializer_list>

namespace carom {

/// A number in [0, 1) that depends on nothing but its three arguments: run `run` of a study draws the same
/// numbers in whatever order, part or thread it is computed. The arguments go one after the other through the
/// finishing mix of SplitMix64, whose output has the 53 bits of a double to spare.
[[nodiscard]] constexpr double uniform_of(std::uint64_t seed, std::uint64_t run,
                                          std::uint64_t stream) noexcept
{
    std::uint64_t x = 0;
    for (const std::uint64_t word : {seed, run, stream}) {
        x = (x ^ word) + 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        x ^= x >> 31U;
    }
    return static_cast<double>(x >> 11U) * 0x1p-53;
}

}  // namespace carom
