#pragma once

#include "carom/trace/recording.hpp"
#include "commands.hpp"

namespace carom::app {

/// Says why nothing was exported.
ExitStatus refuse_export(const std::string& where, std::string message, std::string hint);

/// The same for a scene without [[draw]].
ExitStatus refuse_without_drawings(const std::string& recording);

/// RUN.pvd with one .vtp per frame in the folder RUN_frames: what the scene draws, for ParaView.
[[nodiscard]] ExitStatus export_vtk(const Recording& recording, const ExportOptions& options);

/// RUN.gltf, or a .glb where -o names one: what the scene draws, moving.
[[nodiscard]] ExitStatus export_gltf(const Recording& recording, const ExportOptions& options);

/// RUN.png, .gif, .webm or .mp4: the moving picture of the page, drawn by Chromium where it is installed.
[[nodiscard]] ExitStatus export_film(const Recording& recording, const ExportOptions& options);

[[nodiscard]] bool is_film(std::string_view format) noexcept;

}  // namespace carom::app
