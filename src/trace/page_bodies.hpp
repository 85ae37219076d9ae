#pragma once

#include "carom/trace/recording.hpp"
#include "page_tracks.hpp"

#include <span>
#include <string>
#include <vector>

namespace carom::detail {

/// What a page of bodies shows beside their motion: contacts with forces, gaps and friction, what free-body
/// diagrams need, and for many bodies how their speeds are distributed. Notes say what was left out.
void add_contacts(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks,
                  std::vector<std::string>& notes);
void add_body_forces(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks);
void add_speeds(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks);

/// The body that is fastest in one of the frames, the one that a reader looks for first; -1: none moves.
[[nodiscard]] int fastest_body(const Recording& recording, std::span<const Eigen::Index> kept);

}  // namespace carom::detail
