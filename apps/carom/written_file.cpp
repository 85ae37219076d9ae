#include "written_file.hpp"

#include "core/text.hpp"
#include "core/write_file.hpp"
#include "input.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

/// What carom writes begins like this many bytes of any other of its kind.
std::size_t common_beginning(const std::string& extension)
{
    if (extension == ".csv") return std::string_view("time_s,").size();
    if (extension == ".html") return 150;
    if (extension == ".gltf")
        return std::string_view(R"({"asset":{"version":"2.0","generator":"carom)").size();
    return std::string_view(R"(<svg xmlns="http://www.w3.org/2000/svg" width=)").size();
}

/// A file that the user has not named is replaced only where carom wrote it: nothing, or an earlier one.
bool is_ours(const std::string& file, std::string_view text, const std::string& extension)
{
    std::error_code problem;
    const auto status = fs::status(file, problem);
    if (!fs::exists(status)) return true;
    if (!fs::is_regular_file(status)) return false;
    std::ifstream in(file, std::ios::binary);
    std::string head(std::min(common_beginning(extension), text.size()), '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return in.gcount() == 0 || text.starts_with(head);
}

ExitStatus refuse_file(const std::string& file, std::string message, std::string hint)
{
    return refuse({mistake(ErrorCode::FileUnwritable, printable(file), std::move(message), std::move(hint))});
}

}  // namespace

ExitStatus write_made(std::string_view text, const std::string& recording, const std::string& output,
                      const std::string& extension)
{
    const std::string whole(text);
    return write_made(std::span(&whole, 1), recording, output, extension);
}

ExitStatus write_made(std::span<const std::string> pieces, const std::string& recording,
                      const std::string& output, const std::string& extension)
{
    if (output == "-") {
        const bool printed =
            std::ranges::all_of(pieces, [](const auto& piece) { return print_result(piece); });
        return printed ? ExitStatus::Certified : ExitStatus::BadInput;
    }

    // beside the recording unless told otherwise, and never over the recording itself
    const std::string file =
        !output.empty() ? output : fs::path(recording).replace_extension(extension).string();
    std::error_code problem;
    if (fs::equivalent(file, recording, problem))
        return refuse_file(file, "this is the recording itself", "give another name with -o");
    if (output.empty() && !is_ours(file, pieces.front(), extension))
        return refuse_file(file, "this was not written by carom: it is not replaced",
                           "give another name with -o, or remove the file");
    if (auto written = write_file(file, pieces); !written) return refuse({written.error()});
    return print_result(printable(file) + "\n") ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
