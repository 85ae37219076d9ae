#include "commands.hpp"

#include "carom/trace/export.hpp"
#include "exports.hpp"
#include "input.hpp"
#include "written_file.hpp"

namespace carom::app {

ExitStatus run_export(const ExportOptions& options)
{
    const auto recording = read_recording(options.recording);
    if (!recording) return refuse({recording.error()});
    if (options.format == "vtk") return export_vtk(*recording, options);
    if (options.format == "gltf") return export_gltf(*recording, options);
    if (is_film(options.format)) return export_film(*recording, options);
    const std::string text = options.format == "svg" ? to_svg(*recording) : to_csv(*recording);
    return write_made(text, options.recording, options.output, "." + options.format);
}

}  // namespace carom::app
