#include "page_tracks.hpp"

#include "carom/core/expected.hpp"
#include "little_endian.hpp"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

constexpr double fixed_steps = 65534;
constexpr std::uint16_t fixed_nan = 65535;

/// Beyond this the range of a track would be infinite; such numbers come from runs that blew up.
constexpr double largest = 1e300;

bool is_drawable(double x)
{
    return std::abs(x) <= largest;  // false for NaN
}

}  // namespace

void PageTracks::add(std::string name, TrackCode code, const Eigen::VectorXd& values)
{
    TrackHead head{.name = std::move(name), .rows = values.size(), .code = code};
    switch (code) {
    case TrackCode::Double:
        for (const double x : values)
            put_little_endian(std::bit_cast<std::uint64_t>(x), bytes_);
        break;
    case TrackCode::Single:
        for (const double x : values) {
            const float single =
                is_drawable(x) ? static_cast<float>(x) : std::numeric_limits<float>::quiet_NaN();
            put_little_endian(std::bit_cast<std::uint32_t>(single), bytes_);
        }
        break;
    case TrackCode::Fixed: put_fixed(head, values); break;
    }
    heads_.push_back(std::move(head));
}

void PageTracks::put_fixed(TrackHead& head, const Eigen::VectorXd& values)
{
    // the range of what can be drawn
    head.min = std::numeric_limits<double>::infinity();
    head.max = -head.min;
    for (const double x : values) {
        if (!is_drawable(x)) continue;
        head.min = std::min(head.min, x);
        head.max = std::max(head.max, x);
    }
    if (!(head.min <= head.max)) head.min = head.max = 0;

    // differences of smooth tracks are small, so their high bytes, kept together, compress to almost nothing
    const double range = head.max - head.min;
    std::string low, high;
    std::uint16_t before = 0;
    for (const double x : values) {
        const double step = range > 0 ? std::round((x - head.min) / range * fixed_steps) : 0;
        const auto code = is_drawable(x) ? static_cast<std::uint16_t>(step) : fixed_nan;
        const auto difference = static_cast<std::uint16_t>(code - before);
        before = code;
        low.push_back(static_cast<char>(difference & 0xff));
        high.push_back(static_cast<char>(difference >> 8));
    }
    bytes_ += low + high;
}

std::string PageTracks::packed() const
{
    return to_base64(compressed(bytes_));
}

std::string compressed(const std::string& bytes)
{
    constexpr int level = 1;
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    const int done =
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), level);
    if (done != Z_OK) throw InternalError("zlib could not compress the data of a page");
    packed.resize(size);
    return packed;
}

std::string to_base64(const std::string& bytes)
{
    constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
        };
        const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
        text += letters[group >> 18];
        text += letters[group >> 12 & 63];
        text += i + 1 < bytes.size() ? letters[group >> 6 & 63] : '=';
        text += i + 2 < bytes.size() ? letters[group & 63] : '=';
    }
    return text;
}

}  // namespace carom::detail
