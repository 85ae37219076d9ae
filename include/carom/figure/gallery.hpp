#pragma once

#include "carom/figure/figure.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace carom {

/// The figures of many scenes on one page, each with its statement, its source, our number beside the
/// reference, and the scene to copy.

/// One figure of the gallery.
struct GalleryEntry {
    std::string scene;  ///< its file, without folder and ending
    std::string text;   ///< of the scene
    FigurePlan plan;
    Figure figure;
    std::string refusal;  ///< carom's messages for a scene that has no motion; empty: it has a figure
};

/// The scenes of a folder that have a figure with a `source`, in the order of the papers and their
/// figures; also the scenes of its folder `refused`, which have no motion, with carom's messages (their first
/// lines are `# title:`, `# source:` and `# statement:`). Errors: those of reading and drawing, all at once;
/// FileUnreadable where the folder has no such scene. Ends early when `stop` becomes true.
[[nodiscard]] Expected<std::vector<GalleryEntry>, Errors>
draw_gallery(const std::filesystem::path& scenes, const std::atomic<bool>* stop = nullptr);

/// The page, index.html, which shows NAME.svg for every entry; needs no network.
[[nodiscard]] std::string gallery_page(const std::vector<GalleryEntry>& entries);

/// The name of the picture of an entry: SCENE_FIGURE.svg.
[[nodiscard]] std::string picture_name(const GalleryEntry& entry);

}  // namespace carom
