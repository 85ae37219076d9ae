#pragma once

#include "carom/core/expected.hpp"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

namespace carom {

/// The moving picture of a page of a run, drawn by Chromium where it is installed.

struct FilmSize {
    int width = 0, height = 0;  ///< px, even
};

struct FilmPlan {
    std::string format;  ///< png, gif, webm or mp4
    FilmSize size;
    double speed = 1;  ///< seconds of the run per second
    double frames_per_s = 30;
    std::optional<double> at_s, from_s, to_s;
    std::string camera;  ///< front, iso, ... or degrees; empty: that of the page
    bool dark = false;
};

/// A browser that can draw; empty: there is none.
[[nodiscard]] std::string find_browser();

/// Serves the page to the browser, which sends the film back. Errors: FileUnwritable, `where` "film" when the
/// browser failed.
[[nodiscard]] Expected<void> draw_film(const std::string& page, const FilmPlan& plan,
                                       const std::string& browser, const std::filesystem::path& target,
                                       const std::atomic<bool>* stop = nullptr);

}  // namespace carom
