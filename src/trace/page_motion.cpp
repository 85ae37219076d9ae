#include "page_motion.hpp"

#include "page_tracks.hpp"
#include "recording_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
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

/// First columns of the bodies that move.
std::vector<int> moving_columns(const RecordedSolids& solids)
{
    std::vector<int> first;
    std::ranges::copy_if(solids.columns, std::back_inserter(first), [](int column) { return column >= 0; });
    return first;
}

/// Chooses the units of the first three columns.
void measure(const Recording& run, const MotionSummary& summary, PageMotion& motion)
{
    const double wanted = 2 * place_accuracy * smallest_size_m(run.solids);
    motion.low = summary.low;
    motion.high = summary.high;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool angle = run.solids.flat && axis == 2;
        const double fine = angle ? angle_step_rad : wanted, range = motion.high[axis] - motion.low[axis];
        motion.bytes[axis] = range / fine <= 65535 ? 2 : 4;
        // no finer than four bytes reach, and as fine as two do
        motion.step[axis] =
            motion.bytes[axis] == 2 ? std::max(range / 65535, 1e-300) : std::max(fine, range / 4e9);
    }
}

/// Adds frames one after the other to a summary.
class Summing {
public:
    Summing(const Recording& run, std::size_t frames) : run_(run), first_(moving_columns(run.solids))
    {
        result_.low.fill(std::numeric_limits<double>::infinity());
        result_.high.fill(-std::numeric_limits<double>::infinity());
        for (std::size_t body = 0; body < run.solids.columns.size(); ++body) {
            if (run.solids.columns[body] >= 0) bodies_.push_back(static_cast<int>(body));
        }
        if ((run.file ? run.settings.velocities : run.u.rows() > 0) && !first_.empty())
            result_.speeds.fill(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(frames)));
    }

    void add_places(const double* q)
    {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const int first : first_) {
                const double x = q[first + static_cast<int>(axis)];
                if (!std::isfinite(x)) continue;
                result_.low[axis] = std::min(result_.low[axis], x);
                result_.high[axis] = std::max(result_.high[axis], x);
            }
        }
    }

    void add_speeds(Eigen::Index frame, const double* u)
    {
        constexpr double shares[] = {1, 0.9, 0.5, 0.1};
        speeds_.clear();
        for (std::size_t k = 0; k < first_.size(); ++k) {
            const double* v = u + first_[k];
            const double speed = run_.solids.flat ? std::hypot(v[0], v[1]) : std::hypot(v[0], v[1], v[2]);
            speeds_.push_back(speed);
            if (speed > largest_) {
                largest_ = speed;
                result_.fastest = bodies_[k];
            }
        }
        for (std::size_t s = 0; s < result_.speeds.size(); ++s) {
            const auto at =
                static_cast<std::ptrdiff_t>(std::lround(shares[s] * static_cast<double>(speeds_.size() - 1)));
            std::nth_element(speeds_.begin(), speeds_.begin() + at, speeds_.end());
            result_.speeds[s][frame] = speeds_[static_cast<std::size_t>(at)];
        }
    }

    [[nodiscard]] MotionSummary finished() &&
    {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!(result_.low[axis] <= result_.high[axis])) result_.low[axis] = result_.high[axis] = 0;
        }
        return std::move(result_);
    }

    [[nodiscard]] bool has_speeds() const noexcept { return result_.speeds[0].size() > 0; }

private:
    const Recording& run_;
    std::vector<int> first_, bodies_;  ///< of the bodies that move: columns and numbers
    std::vector<double> speeds_;
    double largest_ = -1;
    MotionSummary result_;
};

/// `rows`: q of so many frames.
std::string packed_block(bool flat, const PageMotion& motion, const MotionRows& rows, std::size_t frames)
{
    BlockWriter writer(motion.first.size(), frames);
    for (int axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        writer.add(motion.bytes[at], [&](std::size_t body, std::size_t frame) {
            const double x = rows.q(frame)[motion.first[body] + axis];
            const double units = std::isfinite(x) ? std::round((x - motion.low[at]) / motion.step[at]) : 0;
            return static_cast<std::uint32_t>(units);
        });
    }
    if (!flat) {
        std::vector<TurnCode> turns;
        turns.reserve(motion.first.size() * frames);
        for (const int first : motion.first) {
            for (std::size_t frame = 0; frame < frames; ++frame)
                turns.push_back(turn_code(rows.q(frame) + first + 3));
        }
        const auto turn = [&](std::size_t body, std::size_t frame) -> const TurnCode& {
            return turns[body * frames + frame];
        };
        for (std::size_t k = 0; k < 3; ++k)
            writer.add(2, [&](std::size_t b, std::size_t f) { return std::uint32_t{turn(b, f).others[k]}; });
        writer.add(1, [&](std::size_t b, std::size_t f) { return std::uint32_t{turn(b, f).largest}; });
    }
    return to_base64(compressed(writer.bytes()));
}

}  // namespace

Expected<MotionSummary> summarise_motion(const Recording& recording, std::span<const Eigen::Index> kept)
{
    constexpr std::size_t at_a_time = 16;
    Summing sums(recording, kept.size());
    MotionRows rows(recording);
    for (std::size_t from = 0; from < kept.size(); from += at_a_time) {
        const std::size_t size = std::min(at_a_time, kept.size() - from);
        if (auto read = rows.load(kept.subspan(from, size), sums.has_speeds()); !read) return read.error();
        for (std::size_t k = 0; k < size; ++k) {
            sums.add_places(rows.q(k));
            if (sums.has_speeds()) sums.add_speeds(static_cast<Eigen::Index>(from + k), rows.u(k));
        }
    }
    return std::move(sums).finished();
}

Expected<PageMotion> pack_motion(const Recording& recording, const MotionSummary& summary,
                                 std::span<const Eigen::Index> kept)
{
    PageMotion motion;
    motion.first = moving_columns(recording.solids);
    measure(recording, summary, motion);
    const double per_frame = 13.0 * static_cast<double>(std::max<std::size_t>(1, motion.first.size()));
    motion.frames_per_block = static_cast<int>(std::clamp(block_bytes / per_frame, 16.0, 512.0));
    motion.first_frames = 2;
    MotionRows rows(recording);
    for (std::size_t from = 0, size = 0; from < kept.size(); from += size) {
        size = std::min(static_cast<std::size_t>(from == 0 ? motion.first_frames : motion.frames_per_block),
                        kept.size() - from);
        if (auto read = rows.load(kept.subspan(from, size), false); !read) return read.error();
        motion.blocks.push_back(packed_block(recording.solids.flat, motion, rows, size));
    }
    return motion;
}

}  // namespace carom::detail
