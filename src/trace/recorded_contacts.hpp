#pragma once

#include "carom/trace/recording.hpp"
#include "storage/hdf5_reader.hpp"

#include <span>

namespace carom::detail {

/// Names of bodies, and how many contacts each frame has: their rows are read by `read_contacts`. Errors:
/// FileMalformed.
[[nodiscard]] Expected<RecordedBodies> read_recorded_bodies(const Hdf5Reader& file, Eigen::Index frames);

/// The contacts of these frames, rising, one after the other: `first_row` of the result is theirs. What older
/// versions did not write stays empty. `bodies` is what read_recorded_bodies gave. Errors: FileMalformed.
[[nodiscard]] Expected<RecordedBodies> read_contacts(const Hdf5Reader& file, const RecordedBodies& bodies,
                                                     std::span<const Eigen::Index> frames);

/// The same of a recording in memory.
[[nodiscard]] RecordedBodies contacts_of(const RecordedBodies& bodies, std::span<const Eigen::Index> frames);

/// Bytes that the contacts of all frames take in memory.
[[nodiscard]] std::size_t contact_bytes(const RecordedBodies& bodies) noexcept;

/// What free-body diagrams need. Missing parts stay empty. Errors: FileMalformed.
Expected<void> read_forces(const Hdf5Reader& file, Eigen::Index frames, const RecordedSolids& solids,
                           std::size_t joints, RecordedBodies& bodies);

}  // namespace carom::detail
