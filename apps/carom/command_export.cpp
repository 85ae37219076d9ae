#include "commands.hpp"

#include "carom/core/text.hpp"
#include "carom/trace/csv.hpp"
#include "carom/trace/svg.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace carom::app {

ExitStatus run_export(const ExportOptions& options)
{
    const auto recording = read_recording(options.recording);
    if (!recording) {
        print_errors({recording.error()});
        return ExitStatus::BadInput;
    }
    const std::string text = options.format == "svg" ? to_svg(*recording) : to_csv(*recording);
    if (options.output == "-") return print_result(text) ? ExitStatus::Certified : ExitStatus::BadInput;

    // beside the recording unless told otherwise, and never over the recording itself
    namespace fs = std::filesystem;
    const std::string file =
        !options.output.empty()
            ? options.output
            : fs::path(options.recording).replace_extension("." + options.format).string();
    std::error_code problem;
    const bool onto_itself = fs::equivalent(file, options.recording, problem);
    std::ofstream out;
    if (!onto_itself) out.open(file, std::ios::binary);
    if (out) out << text << std::flush;
    if (onto_itself || !out) {
        print_errors({{.code = ErrorCode::FileUnwritable,
                       .where = printable(file),
                       .message = onto_itself ? "this is the recording itself" : "the file cannot be written",
                       .hint = onto_itself ? "give another name with -o"
                                           : "look at the folder, its rights and the disk",
                       .excerpt = {}}});
        return ExitStatus::BadInput;
    }
    return print_result(printable(file) + "\n") ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
