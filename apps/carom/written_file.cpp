#include "written_file.hpp"

#include "carom/core/text.hpp"

#include <filesystem>
#include <fstream>

namespace carom::app {

ExitStatus write_made(std::string_view text, const std::string& recording, const std::string& output,
                      const std::string& extension)
{
    if (output == "-") return print_result(std::string(text)) ? ExitStatus::Certified : ExitStatus::BadInput;

    // beside the recording unless told otherwise, and never over the recording itself
    namespace fs = std::filesystem;
    const std::string file =
        !output.empty() ? output : fs::path(recording).replace_extension(extension).string();
    std::error_code problem;
    const bool onto_itself = fs::equivalent(file, recording, problem);
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
