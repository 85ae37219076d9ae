#pragma once

#include <Eigen/Dense>

#include <cstdint>
#include <string>
#include <vector>

namespace carom::detail {

/// How the numbers of a track are kept.
enum class TrackCode {
    Double,  ///< 64-bit IEEE
    Single,  ///< 32-bit IEEE
    Fixed,   ///< 16 bits from the lowest to the highest value, differences from row to row, low bytes first,
             ///< then high bytes; 65535 is "not a number"
};

/// What the head of a page says about one track.
struct TrackHead {
    std::string name;
    Eigen::Index rows = 0;
    TrackCode code{};
    double min = 0, max = 0;  ///< of Fixed
};

/// The numbers of a page: tracks one after the other, little-endian. viewer/src/data.ts reads them.
class PageTracks {
public:
    void add(std::string name, TrackCode code, const Eigen::VectorXd& values);

    [[nodiscard]] const std::vector<TrackHead>& heads() const noexcept { return heads_; }

    /// All tracks, compressed (zlib) and written as base64.
    [[nodiscard]] std::string packed() const;

private:
    void put_fixed(TrackHead& head, const Eigen::VectorXd& values);

    std::vector<TrackHead> heads_;
    std::string bytes_;
};

/// zlib, quick rather than small: pages wait for it, and on disk they are of little weight.
[[nodiscard]] std::string compressed(const std::string& bytes);

/// Base64 as RFC 4648 has it, with padding.
[[nodiscard]] std::string to_base64(const std::string& bytes);

}  // namespace carom::detail
