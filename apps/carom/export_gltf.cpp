#include "carom/trace/export.hpp"
#include "exports.hpp"
#include "written_file.hpp"

namespace carom::app {

ExitStatus export_gltf(const Recording& recording, const ExportOptions& options)
{
    if (recording.drawings.empty() && recording.solids.solids.empty())
        return refuse_without_drawings(options.recording);
    const bool binary = options.output.ends_with(".glb");
    const std::string asset = to_gltf(recording, binary ? GltfForm::Binary : GltfForm::Text);
    return write_made(asset, options.recording, options.output, ".gltf");
}

}  // namespace carom::app
