#include "output_files.hpp"

#include "carom/trace/export.hpp"
#include "carom/trace/recording.hpp"
#include "core/text.hpp"
#include "core/write_file.hpp"
#include "input.hpp"
#include "trace/write_lock.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

std::string picture_of(const std::string& recording)
{
    return fs::path(recording).replace_extension(".svg").string();
}

Error unwritable(const std::string& file, std::string message, std::string hint)
{
    return mistake(ErrorCode::FileUnwritable, printable(file), std::move(message), std::move(hint));
}

/// Whether a file can be written there: tries it, and leaves no trace.
bool can_write(const std::string& file)
{
    std::error_code problem;
    const bool was_there = fs::exists(file, problem);
    const bool opened = std::ofstream(file, std::ios::app).is_open();
    if (opened && !was_there) fs::remove(target_of(file), problem);  // of a link, what it leads to
    return opened;
}

/// Nothing, or a picture that carom drew: what may be replaced without regret.
bool is_empty_or_picture(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::string head(400, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(in.gcount()));
    return head.empty() ||
           (head.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=") &&
            head.find("font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=") !=
                std::string::npos);
}

}  // namespace

Expected<void> check_output(const RunOptions& options)
{
    std::error_code problem;
    const std::string picture = picture_of(options.output);
    for (const std::string& file : {options.output, picture}) {
        if (fs::equivalent(file, options.scene, problem)) {
            return unwritable(file, "this is the scene itself, and would be lost",
                              "give another name after -o");
        }
    }
    if (picture == options.output) {
        return unwritable(options.output, "this is the name of the picture",
                          "give the name of the recording, RUN.h5; the picture RUN.svg is put beside it");
    }
    // of the folder the recorder speaks
    const fs::path folder = fs::path(options.output).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, problem)) return {};
    return options.svg ? check_picture(options.output) : Expected<void>{};
}

Expected<void> check_picture(const std::string& recording)
{
    const std::string picture = picture_of(recording);
    std::error_code problem;
    const auto status = fs::status(picture, problem);
    constexpr const char* leave_out = "give another name, or leave the picture out with --no-svg";
    if (fs::exists(status) && !fs::is_regular_file(status))
        return unwritable(picture, "the picture goes there, and this is not a plain file", leave_out);
    if (fs::exists(status) && !is_empty_or_picture(picture))
        return unwritable(picture,
                          "the picture goes there, and this was not drawn by carom: it is not replaced",
                          leave_out);
    if (can_write(picture)) return {};
    return unwritable(picture, "the picture cannot be written there",
                      "check the folder and its permissions, or leave the picture out with --no-svg");
}

Expected<std::string> draw_picture(const std::string& recording)
{
    const auto read = read_recording(recording);
    if (!read) return read.error();
    if (auto usable = check_picture(recording); !usable) return usable.error();
    const std::string picture = picture_of(recording);
    if (auto written = write_file(picture, to_svg(*read)); !written) return written.error();
    return picture;
}

}  // namespace carom::app
