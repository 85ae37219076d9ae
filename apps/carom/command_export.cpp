#include "commands.hpp"

#include "carom/door/run.hpp"
#include "carom/trace/export.hpp"
#include "core/text.hpp"
#include "exports.hpp"
#include "input.hpp"
#include "written_file.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// The recording again, in one file: what lies in parts is put together.
ExitStatus export_recording(const ExportOptions& options)
{
    std::error_code none;
    const bool named = !options.output.empty() && options.output != "-";
    if (!named || std::filesystem::equivalent(options.recording, options.output, none)) {
        return refuse_export("--to h5", "a recording is not written over itself, nor to standard output",
                             "give another name, for example -o one.h5");
    }
    const auto recorded = open_recorded(options.recording);
    if (!recorded) return refuse(recorded.error());
    const Run& run = recorded->run;
    const auto scene = read_scene_text(run.record.scene_text, options.recording + ":/scene");
    if (!scene) return refuse(scene.error());
    if (auto saved = save(run, *scene, options.output); !saved) return refuse(saved.error());
    fmt::print("{}\n", printable(options.output));
    return ExitStatus::Certified;
}

}  // namespace

ExitStatus run_export(const ExportOptions& options)
{
    if (options.format == "h5") return export_recording(options);
    const auto recording = read_recording(options.recording);
    if (!recording) return refuse({recording.error()});
    if (options.format == "vtk") return export_vtk(*recording, options);
    if (options.format == "gltf") return export_gltf(*recording, options);
    if (is_film(options.format)) return export_film(*recording, options);
    const std::string text = options.format == "svg" ? to_svg(*recording) : to_csv(*recording);
    return write_made(text, options.recording, options.output, "." + options.format);
}

}  // namespace carom::app
