#pragma once

#include "storage/hdf5_reader.hpp"
#include "trace/checkpoint.hpp"

namespace carom::detail {

/// The group /checkpoint of a recording; docs/reference/recording.md is its description.

/// Into a file that has the group; an older checkpoint is replaced.
Expected<void> write_checkpoint(Hdf5Writer& file, const Checkpoint& checkpoint);

/// How much of everything a recording has.
struct CheckpointSizes {
    std::size_t coordinates = 0, contacts = 0;
    std::size_t tangential = 0, cones = 0;  ///< of recorded friction
    std::size_t constraints = 0, reactions = 0;
    std::size_t reaches = 0;  ///< contacts, and one for the motion of bodies
    std::size_t bodies = 0;
};

/// Of a recording of these sizes. Errors: FileMalformed.
[[nodiscard]] Expected<Checkpoint> read_checkpoint(const Hdf5Reader& file, const CheckpointSizes& sizes);

}  // namespace carom::detail
