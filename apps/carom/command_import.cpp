#include "commands.hpp"

#include "carom/scene/scene.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "report/text.hpp"

#include <cerrno>
#include <memory>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Writes the scene; never over a file that is there.
Expected<void> write_scene(const std::string& file, const std::string& text)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wx"), &std::fclose);
    const bool exists = !out && errno == EEXIST;
    if (out && std::fwrite(text.data(), 1, text.size(), out.get()) == text.size() &&
        std::fflush(out.get()) == 0)
        return {};
    return Error{.code = ErrorCode::FileUnwritable,
                 .where = printable(file),
                 .message =
                     exists ? "this file already exists and was not changed" : "the file cannot be written",
                 .hint = exists ? "give another name" : "check the folder and its permissions",
                 .excerpt = {}};
}

}  // namespace

ExitStatus run_import(const ImportOptions& options)
{
    const auto text = import_urdf(options.file, {.floating = options.floating, .hold = options.hold});
    if (!text) return refuse(text.error());

    if (options.output.empty()) return print_result(*text) ? ExitStatus::Certified : ExitStatus::BadInput;
    if (auto written = write_scene(options.output, *text); !written) return refuse({written.error()});
    return ExitStatus::Certified;
}

}  // namespace carom::app
