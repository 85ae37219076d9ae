#pragma once

#include "carom/trace/recording.hpp"
#include "storage/hdf5_reader.hpp"

namespace carom::detail {

/// The group /checkpoint of a recording; docs/reference/recording.md is its description.

/// Into a file that has the group; an older checkpoint is replaced.
Expected<void> write_checkpoint(Hdf5Writer& file, const Checkpoint& checkpoint);

/// Of a recording with so many coordinates and contacts. Errors: FileMalformed.
[[nodiscard]] Expected<Checkpoint> read_checkpoint(const Hdf5Reader& file, std::size_t coordinates,
                                                   std::size_t contacts);

}  // namespace carom::detail
