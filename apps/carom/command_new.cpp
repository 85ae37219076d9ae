#include "commands.hpp"

#include "core/text.hpp"
#include "input.hpp"
#include "scene/templates.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace carom::app {
namespace {

ExitStatus refuse_template(const std::string& kind)
{
    std::vector<std::string> known;
    for (const Template& one : templates())
        known.emplace_back(one.name);
    const std::string nearest = nearest_name(kind, known);
    return refuse({mistake(ErrorCode::UnknownName, "--template",
                           fmt::format("carom has no template {}", carom::quoted(kind)),
                           nearest.empty() ? fmt::format("known templates: {}", fmt::join(known, ", "))
                                           : fmt::format("did you mean {}?", nearest))});
}

}  // namespace

ExitStatus run_new(const NewOptions& options)
{
    const auto chosen = std::ranges::find(templates(), options.kind, &Template::name);
    if (chosen == templates().end()) return refuse_template(options.kind);

    // "x" makes the system refuse a file that is there, so that nothing is lost between looking and writing
    const bool ends = options.name.ends_with(".toml");
    const std::string file = ends ? options.name : options.name + ".toml";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wx"), &std::fclose);
    if (!out) {
        const bool exists = errno == EEXIST;
        return refuse(
            {mistake(ErrorCode::FileUnwritable, printable(file),
                     exists ? "this file already exists and was not changed" : "the file cannot be written",
                     exists ? "give another name" : "check the folder and its permissions")});
    }
    const std::string_view text = chosen->text;
    const bool written = std::fwrite(text.data(), 1, text.size(), out.get()) == text.size();
    if (!written || std::fflush(out.get()) != 0) {
        return refuse({mistake(ErrorCode::FileUnwritable, printable(file), "the file could not be written",
                               "is the disk full?")});
    }
    const std::string message =
        fmt::format("{} written; run it with\n  carom run {}\n", printable(file), printable(file));
    return print_result(message) ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
