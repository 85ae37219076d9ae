#pragma once

#include "carom/trace/recording.hpp"
#include "page_tracks.hpp"

#include <span>
#include <string>
#include <vector>

namespace carom::detail {

/// Contacts are shown for one in so many of the frames that a page shows.
struct ContactFrames {
    std::size_t stride = 1;
    std::size_t before = 0;  ///< frames that the page has already
};
[[nodiscard]] std::size_t contact_stride(const RecordedBodies& bodies, std::span<const Eigen::Index> kept);

/// What a page of bodies shows beside their motion: contacts with forces, gaps and friction, and what
/// free-body diagrams need. Notes say what was left out. Errors: FileMalformed, of a recording that is still
/// in its file.
Expected<void> add_contacts(const Recording& recording, std::span<const Eigen::Index> kept,
                            const ContactFrames& shown, PageTracks& tracks, std::vector<std::string>& notes);
void add_body_forces(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks);

}  // namespace carom::detail
