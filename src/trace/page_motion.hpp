#pragma once

#include "carom/trace/recording.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace carom::detail {

/// How bodies move, for pages of many of them: blocks of frames that are unpacked one after the other, so
/// that the first picture does not wait for the last. viewer/src/motion.ts reads them.
///
/// A block has its columns one after the other: x, y, z and a turn, in the plane x, y and the angle. Places
/// are whole multiples of `step` above `low`; a turn is its unit quaternion without the largest component,
/// whose number is a column of its own, the others in units of 1 / (32767 sqrt 2). Each column is the list of
/// its bodies, each body the list of its frames, as differences to the frame before; first the low bytes of
/// all, then the next ones.
struct PageMotion {
    int frames_per_block = 1;
    int first_frames = 1;    ///< of the first block, which is short: the first picture waits for it
    std::vector<int> first;  ///< per body that moves: first of its columns of q
    std::array<double, 3> low{}, high{}, step{};
    std::array<int, 3> bytes{2, 2, 2};  ///< of the first three columns, 2 or 4
    std::vector<std::string> blocks;    ///< compressed, base64
};

/// What all frames of a page have to say about the motion of bodies.
struct MotionSummary {
    std::array<double, 3> low{}, high{};  ///< of the first three columns of all bodies that move
    int fastest = -1;  ///< the body that is fastest in one of the frames, the one that a reader looks for
                       ///< first; -1: none moves
    std::array<Eigen::VectorXd, 4> speeds;  ///< per frame: the largest, and those that 90, 50 and 10 in a
                                            ///< hundred are below; empty where velocities were not recorded
};

/// `kept`: the frames that the page shows. Errors: FileMalformed, of a recording that is still in its file.
[[nodiscard]] Expected<MotionSummary> summarise_motion(const Recording& recording,
                                                       std::span<const Eigen::Index> kept);

/// Places are within 5e-4 of the size of the smallest body. Errors: the same.
[[nodiscard]] Expected<PageMotion> pack_motion(const Recording& recording, const MotionSummary& summary,
                                               std::span<const Eigen::Index> kept);

}  // namespace carom::detail
