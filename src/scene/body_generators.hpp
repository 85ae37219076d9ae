#pragma once

#include "carom/system/bodies/body.hpp"
#include "names.hpp"

#include <array>
#include <cstdint>

namespace carom::detail {

/// Numbers that differ from copy to copy of a body: those of the lattice and those that are drawn at random.
/// All depend on the seed and the number of the copy alone: the same scene gives the same bodies everywhere,
/// to the rounding of log and cos.

/// One [[body.random]]: a number with a name that the formulas of a copy may use.
struct RandomNumber {
    enum class Kind { Uniform, Normal, Lognormal, Listed };
    std::string name;
    Kind kind{};
    double low = 0, high = 0;             ///< bounds; what lies outside is drawn again
    double mean = 0, deviation = 0;       ///< of a normal number
    double median = 1, spread = 0;        ///< of a lognormal one: spread is the deviation of its logarithm
    std::vector<double> values, weights;  ///< of a listed one
    bool drawable = true;                 ///< false after a mistake: there is nothing to draw from

    /// The number of a copy; nothing where the bounds leave hardly any of the distribution. After a mistake
    /// it is 1, so that formulas which name it make no second one.
    [[nodiscard]] std::optional<double> draw(std::uint64_t seed, std::uint64_t copy,
                                             std::uint64_t stream) const;
};

/// Reads the list `random` of a body or group.
[[nodiscard]] std::vector<RandomNumber> random_numbers(const Node& item, const Names& names,
                                                       Mistakes& mistakes);

/// A turn drawn evenly from all turns; in the plane about z.
[[nodiscard]] Rotation random_turn(std::uint64_t seed, std::uint64_t copy, bool flat);

/// Puts bodies at random places of a box so that the balls around them do not meet, nor those of bodies that
/// were put before.
class RandomPlaces {
public:
    /// The number of the first body for which no room was found; nothing when all have their place.
    [[nodiscard]] std::optional<std::size_t> put(std::span<Body> bodies, const Vec3& low, const Vec3& high,
                                                 std::uint64_t seed);

private:
    struct Ball {
        Vec3 centre;
        double radius_m;
    };
    std::vector<Ball> balls_;
};

}  // namespace carom::detail
