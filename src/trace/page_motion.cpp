#include "page_motion.hpp"

#include "page_tracks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace carom::detail {
namespace {

constexpr double block_bytes = 4e6;
constexpr double place_accuracy = 5e-4;  ///< of the size of the smallest body
constexpr double angle_step_rad = 1e-4;
constexpr double turn_units =
    32767 * 1.4142135623730951;  ///< the three smaller components are below 1/sqrt 2

/// Radius of the smallest body that is drawn and moves.
double smallest_size_m(const RecordedSolids& solids)
{
    double smallest = std::numeric_limits<double>::infinity();
    for (const RecordedSolid& solid : solids.solids) {
        if (solids.columns[static_cast<std::size_t>(solid.body)] < 0) continue;
        double reach = 0;
        for (const Vec3& vertex : solids.surfaces[static_cast<std::size_t>(solid.placed.surface)].vertices)
            reach = std::max(reach, solid.placed.scale.cwiseProduct(vertex).norm());
        if (reach > 0) smallest = std::min(smallest, reach);
    }
    return std::isfinite(smallest) ? smallest : 1;
}

/// Writes numbers as differences along the frames of each body, byte by byte.
class BlockWriter {
public:
    BlockWriter(std::size_t bodies, std::size_t frames) : bodies_(bodies), frames_(frames) {}

    /// `code(body, frame)` gives a whole number, of which so many bytes are kept.
    template <class Code>
    void add(int bytes, const Code& code)
    {
        const std::size_t count = bodies_ * frames_, start = bytes_.size();
        bytes_.resize(start + count * static_cast<std::size_t>(bytes));
        std::size_t at = start;
        for (std::size_t body = 0; body < bodies_; ++body) {
            std::uint32_t before = 0;
            for (std::size_t frame = 0; frame < frames_; ++frame, ++at) {
                const std::uint32_t now = code(body, frame), difference = now - before;
                before = now;
                for (int k = 0; k < bytes; ++k)
                    bytes_[at + static_cast<std::size_t>(k) * count] =
                        static_cast<char>(difference >> (8 * k) & 0xff);
            }
        }
    }

    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    std::size_t bodies_, frames_;
    std::string bytes_;
};

/// A turn without its largest component, in whole units.
struct TurnCode {
    std::uint8_t largest = 0;
    std::array<std::uint16_t, 3> others{};
};

TurnCode turn_code(const double* wxyz)
{
    std::array<double, 4> q{wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    TurnCode code;
    if (!(length > 0) || !std::isfinite(length)) q = {1, 0, 0, 0};
    for (std::uint8_t k = 1; k < 4; ++k) {
        if (std::abs(q[k]) > std::abs(q[code.largest])) code.largest = k;
    }
    const double scale = (q[code.largest] < 0 ? -1 : 1) / (length > 0 && std::isfinite(length) ? length : 1);
    std::size_t next = 0;
    for (std::uint8_t k = 0; k < 4; ++k) {
        if (k == code.largest) continue;
        const auto units = static_cast<std::int32_t>(std::lround(q[k] * scale * turn_units));
        code.others[next++] = static_cast<std::uint16_t>(units + 32768);
    }
    return code;
}

/// Chooses the units of the first three columns.
void measure(const Recording& run, std::span<const Eigen::Index> kept, PageMotion& motion)
{
    const double wanted = 2 * place_accuracy * smallest_size_m(run.solids);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const Eigen::Index frame : kept) {
            const double* row = run.q.row(frame).data();
            for (const int first : motion.first) {
                const double x = row[first + static_cast<int>(axis)];
                if (!std::isfinite(x)) continue;
                low = std::min(low, x);
                high = std::max(high, x);
            }
        }
        if (!(low <= high)) low = high = 0;
        const bool angle = run.solids.flat && axis == 2;
        const double fine = angle ? angle_step_rad : wanted, range = high - low;
        motion.low[axis] = low;
        motion.high[axis] = high;
        motion.bytes[axis] = range / fine <= 65535 ? 2 : 4;
        // no finer than four bytes reach, and as fine as two do
        motion.step[axis] =
            motion.bytes[axis] == 2 ? std::max(range / 65535, 1e-300) : std::max(fine, range / 4e9);
    }
}

std::string packed_block(const Recording& run, const PageMotion& motion, std::span<const Eigen::Index> frames)
{
    BlockWriter writer(motion.first.size(), frames.size());
    for (int axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        writer.add(motion.bytes[at], [&](std::size_t body, std::size_t frame) {
            const double x = run.q(frames[frame], motion.first[body] + axis);
            const double units = std::isfinite(x) ? std::round((x - motion.low[at]) / motion.step[at]) : 0;
            return static_cast<std::uint32_t>(units);
        });
    }
    if (!run.solids.flat) {
        std::vector<TurnCode> turns;
        turns.reserve(motion.first.size() * frames.size());
        for (const int first : motion.first) {
            for (const Eigen::Index frame : frames)
                turns.push_back(turn_code(run.q.row(frame).data() + first + 3));
        }
        const auto turn = [&](std::size_t body, std::size_t frame) -> const TurnCode& {
            return turns[body * frames.size() + frame];
        };
        for (std::size_t k = 0; k < 3; ++k)
            writer.add(2, [&](std::size_t b, std::size_t f) { return std::uint32_t{turn(b, f).others[k]}; });
        writer.add(1, [&](std::size_t b, std::size_t f) { return std::uint32_t{turn(b, f).largest}; });
    }
    return to_base64(compressed(writer.bytes()));
}

}  // namespace

PageMotion pack_motion(const Recording& recording, std::span<const Eigen::Index> kept)
{
    PageMotion motion;
    for (const int column : recording.solids.columns) {
        if (column >= 0) motion.first.push_back(column);
    }
    measure(recording, kept, motion);
    const double per_frame = 13.0 * static_cast<double>(std::max<std::size_t>(1, motion.first.size()));
    motion.frames_per_block = static_cast<int>(std::clamp(block_bytes / per_frame, 16.0, 512.0));
    for (std::size_t from = 0; from < kept.size();
         from += static_cast<std::size_t>(motion.frames_per_block)) {
        const std::size_t size =
            std::min(static_cast<std::size_t>(motion.frames_per_block), kept.size() - from);
        motion.blocks.push_back(packed_block(recording, motion, kept.subspan(from, size)));
    }
    return motion;
}

}  // namespace carom::detail
