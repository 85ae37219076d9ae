#include "carom/trace/export.hpp"
#include "core/text.hpp"
#include "core/write_file.hpp"
#include "exports.hpp"
#include "input.hpp"

#include <filesystem>

namespace carom::app {

namespace fs = std::filesystem;

ExitStatus refuse_export(const std::string& where, std::string message, std::string hint)
{
    return refuse(
        {mistake(ErrorCode::FileUnwritable, printable(where), std::move(message), std::move(hint))});
}

ExitStatus refuse_without_drawings(const std::string& recording)
{
    return refuse_export(recording, "the scene draws nothing, so there is nothing to export",
                         "add [[draw]] entries and run it again; docs/how-to/pictures.md shows how");
}

ExitStatus export_vtk(const Recording& recording, const ExportOptions& options)
{
    if (options.output == "-")
        return refuse_export("-o -", "there are many files, standard output is one",
                             "give the name of a .pvd file");
    if (recording.drawings.empty() && recording.solids.solids.empty())
        return refuse_without_drawings(options.recording);

    // RUN.pvd, and the frames in RUN_frames beside it
    const fs::path collection = options.output.empty() ? fs::path(options.recording).replace_extension(".pvd")
                                                       : fs::path(options.output);
    std::error_code problem;
    if (fs::equivalent(collection, options.recording, problem))
        return refuse_export(collection.string(), "this is the recording itself",
                             "give another name with -o");
    const std::string folder = collection.stem().string() + "_frames";
    const fs::path frames = collection.parent_path() / folder;
    fs::create_directories(frames, problem);
    for (Eigen::Index i = 0; i < recording.frames(); ++i) {
        if (auto written = write_file(frames / vtp_name(i), to_vtp(recording, i)); !written)
            return refuse({written.error()});
    }
    if (auto written = write_file(collection, to_pvd(recording, folder)); !written)
        return refuse({written.error()});
    return print_result(printable(collection.string()) + "\n") ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
