#pragma once

#include "carom/trace/recording.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carom::detail {

/// What a page that follows a run has of it.
struct PageProgress {
    Eigen::Index frames = 0, events = 0, jumps = 0;  ///< of the recording
    Eigen::Index shown = 0;                          ///< frames of the page
    Eigen::Index stride = 1;                         ///< the page shows one in so many frames
    Eigen::Index contacts_every = 1;                 ///< and contacts for one in so many of these
    bool blocks = false;                             ///< the motion of bodies is in blocks
    std::uint64_t scene = 0;                         ///< tells runs apart
    double last_s = 0;                               ///< time of the last frame that the page has
};

/// "VERSION/..." as the page sends it back.
[[nodiscard]] std::string to_text(const std::string& version, const PageProgress& progress);
[[nodiscard]] std::optional<PageProgress> progress_from(std::string_view text);

/// A number that other scenes do not share.
[[nodiscard]] std::uint64_t scene_number(const Recording& recording);

/// The recording begins with what the page has.
[[nodiscard]] bool continues(const Recording& recording, const PageProgress& has);

}  // namespace carom::detail
