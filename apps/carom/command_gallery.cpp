#include "commands.hpp"

#include "carom/figure/gallery.hpp"
#include "core/text.hpp"
#include "core/write_file.hpp"
#include "input.hpp"
#include "interrupt.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

bool write(const fs::path& file, const std::string& text)
{
    const auto written = write_file(file, text);
    if (!written) print_errors({written.error()});
    return written.has_value();
}

/// The folder asked for; where none was and there is no folder `scenes` here, the scenes that were installed
/// with the program: PREFIX/share/carom/scenes for PREFIX/bin/carom.
fs::path scenes_of(const GalleryOptions& options)
{
    std::error_code problem;
    if (!options.scenes.empty()) return options.scenes;
    if (fs::is_directory("scenes", problem)) return "scenes";
    const fs::path program = fs::read_symlink("/proc/self/exe", problem);
    const fs::path installed = program.parent_path().parent_path() / "share/carom/scenes";
    return !problem && fs::is_directory(installed, problem) ? installed : fs::path("scenes");
}

}  // namespace

ExitStatus run_gallery(const GalleryOptions& options)
{
    const fs::path folder = options.output;
    std::error_code problem;
    fs::create_directories(folder, problem);
    note_interrupts();
    const auto entries = draw_gallery(scenes_of(options), &interrupt_flag());
    if (!entries) return refuse(entries.error());
    if (interrupted()) return ExitStatus::Interrupted;
    ExitStatus status = ExitStatus::Certified;
    for (const GalleryEntry& entry : *entries) {
        if (entry.refusal.empty() && !write(folder / picture_name(entry), entry.figure.file))
            return ExitStatus::BadInput;
        for (const FigureResult& result : entry.figure.results) {
            fmt::print(stderr, "{:24} {:36} {:14.9g} reference {:14.9g} error {:.1e}\n", entry.scene,
                       result.label, result.value, result.reference, result.error());
        }
        for (const FigureRun& one : entry.figure.runs) {
            if (one.run.status == RunStatus::Failed) status = ExitStatus::Failed;
        }
    }
    if (!write(folder / "index.html", gallery_page(*entries))) return ExitStatus::BadInput;
    if (!print_result(printable((folder / "index.html").string()) + "\n")) return ExitStatus::BadInput;
    return status;
}

}  // namespace carom::app
