#include "carom/trace/page.hpp"
#include "core/text.hpp"
#include "exports.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "report/film.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <regex>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

std::optional<FilmSize> size_in(const std::string& text)
{
    std::smatch parts;
    if (!std::regex_match(text, parts, std::regex("([0-9]{2,4})x([0-9]{2,4})"))) return std::nullopt;
    const FilmSize size{std::stoi(parts[1]), std::stoi(parts[2])};
    // films have pictures of even width and height
    if (size.width < 64 || size.height < 64 || size.width % 2 != 0 || size.height % 2 != 0)
        return std::nullopt;
    return size;
}

bool is_camera(const std::string& text)
{
    static const std::regex camera("(front|back|left|right|top|bottom|iso)"
                                   "|-?[0-9.]+,-?[0-9.]+(,[0-9.]+)?");
    return text.empty() || std::regex_match(text, camera);
}

ExitStatus refuse_option(const std::string& where, std::string message, std::string hint)
{
    return refuse(
        {mistake(ErrorCode::SettingOutOfRange, printable(where), std::move(message), std::move(hint))});
}

}  // namespace

bool is_film(std::string_view format) noexcept
{
    return format == "png" || format == "gif" || format == "webm" || format == "mp4";
}

ExitStatus export_film(const Recording& recording, const ExportOptions& options)
{
    const std::string where = "--to " + options.format;
    const auto size = size_in(options.size);
    if (!size)
        return refuse_option(
            "--size " + options.size, "this is not the size of a picture",
            "give width and height in pixels, even numbers from 64 to 9998, for example 1280x720");
    if (!is_camera(options.camera))
        return refuse_option("--camera " + options.camera, "this is not a view",
                             "give front, back, left, right, top, bottom, iso, or degrees such as 30,20");
    const double start_s = recording.frames() > 0 ? recording.time_s[0] : 0;
    const double end_s = recording.frames() > 0 ? recording.time_s[recording.frames() - 1] : 0;
    for (const auto& [name, t_s] : {std::pair{"--at", options.at_s}, std::pair{"--from", options.from_s},
                                    std::pair{"--until", options.to_s}}) {
        if (t_s && !(*t_s >= start_s && *t_s <= end_s))
            return refuse_option(fmt::format("{} {}", name, *t_s), "the run does not contain this instant",
                                 fmt::format("it was recorded from {} s to {} s", start_s, end_s));
    }
    if (options.from_s.value_or(start_s) > options.to_s.value_or(end_s))
        return refuse_option("--from", "the film would end before it begins", "exchange --from and --until");
    if (recording.drawings.empty() && recording.solids.solids.empty())
        return refuse_without_drawings(options.recording);
    const std::string program = find_browser();
    if (program.empty())
        return refuse_export(where, "there is no Chromium to draw the picture",
                             "install it, Debian: apt-get install chromium; or use --to svg or carom report");
    if (options.output == "-")
        return refuse_export("-o -", "pictures and films go to a file",
                             "give the name of a ." + options.format + " file");
    const fs::path target = options.output.empty()
                                ? fs::path(options.recording).replace_extension("." + options.format)
                                : fs::path(options.output);
    std::error_code problem;
    if (fs::equivalent(target, options.recording, problem))
        return refuse_export(target.string(), "this is the recording itself", "give another name with -o");

    note_interrupts();
    const FilmPlan plan{.format = options.format,
                        .size = *size,
                        .speed = options.speed,
                        .frames_per_s = options.frames_per_s,
                        .at_s = options.at_s,
                        .from_s = options.from_s,
                        .to_s = options.to_s,
                        .camera = options.camera,
                        .dark = options.dark};
    if (const auto made = draw_film(to_page(recording), plan, program, target, &interrupt_flag()); !made)
        return refuse_export(made.error().where == "film" ? where : made.error().where, made.error().message,
                             made.error().hint);
    return print_result(printable(target.string()) + "\n") ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
