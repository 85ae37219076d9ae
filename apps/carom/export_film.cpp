#include "carom/trace/page.hpp"
#include "chromium.hpp"
#include "core/text.hpp"
#include "exports.hpp"
#include "interrupt.hpp"
#include "page_server.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

namespace carom::app {
namespace {

namespace fs = std::filesystem;
using FilmClock = std::chrono::steady_clock;

/// So long may the browser be silent: a picture of very many bodies takes its time.
constexpr std::chrono::seconds patience{180};

struct Size {
    int width = 0, height = 0;
};

std::optional<Size> size_in(const std::string& text)
{
    std::smatch parts;
    if (!std::regex_match(text, parts, std::regex("([0-9]{2,4})x([0-9]{2,4})"))) return std::nullopt;
    const Size size{std::stoi(parts[1]), std::stoi(parts[2])};
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

/// A word that nobody guesses: only the browser that was started knows the address.
std::string secret()
{
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

/// What the page is told behind the # of its address.
std::string film_words(const ExportOptions& options, const Size& size)
{
    std::string words = fmt::format("film={}&size={}x{}&speed={}&fps={}", options.format, size.width,
                                    size.height, options.speed, options.frames_per_s);
    if (options.at_s) words += fmt::format("&at={}", *options.at_s);
    if (options.from_s) words += fmt::format("&from={}", *options.from_s);
    if (options.to_s) words += fmt::format("&until={}", *options.to_s);
    if (!options.camera.empty()) words += "&camera=" + options.camera;
    if (options.dark) words += "&dark=1";
    return words;
}

/// What comes back from the page, piece by piece.
struct Film {
    std::ofstream file;
    FilmClock::time_point heard = FilmClock::now();
    bool complete = false;
    std::string problem;

    Answer take(const std::string& what, const Request& request)
    {
        heard = FilmClock::now();
        if (what == "part")
            file << request.body;
        else if (what == "end")
            complete = true;
        else if (what == "problem")
            problem = printable(request.body.substr(0, 500));
        else if (what != "progress")
            return {.status = 404, .body = "no such place\n"};
        return {.body = "ok\n"};
    }
};

ExitStatus refuse_option(const std::string& where, std::string message, std::string hint)
{
    print_errors({{.code = ErrorCode::SettingOutOfRange,
                   .where = printable(where),
                   .message = std::move(message),
                   .hint = std::move(hint),
                   .excerpt = {}}});
    return ExitStatus::BadInput;
}

/// Serves the page to the browser and takes the film from it; empty when all went well, else what went wrong.
std::string draw(const std::string& page, const std::string& words, const std::string& program,
                 const Size& size, Film& film)
{
    auto server = PageServer::listen(0);
    if (!server) return server.error().message;
    const std::string place = "/" + secret() + "/";
    Chromium browser(program, fmt::format("http://127.0.0.1:{}{}#{}", server->port(), place, words),
                     size.width, size.height);
    note_interrupts();
    const auto answer = [&](const Request& request) -> Answer {
        if (!request.path.starts_with(place)) return {.status = 404, .body = "no such place\n"};
        const std::string what = request.path.substr(place.size());
        if (request.posts) return film.take(what, request);
        film.heard = FilmClock::now();
        return what.empty() ? Answer{.type = "text/html; charset=utf-8", .body = page}
                            : Answer{.status = 404, .body = "no such place\n"};
    };
    const auto ended = [&] {
        return film.complete || !film.problem.empty() || interrupted() || !browser.is_running() ||
               FilmClock::now() - film.heard > patience;
    };
    server->serve(answer, ended, /*posts=*/true);
    if (film.complete) return {};
    if (!film.problem.empty()) return film.problem;
    if (interrupted()) return "interrupted";
    return browser.is_running() ? "the browser did not answer any more"
                                : "the browser ended before the film did";
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
            "--size " + options.size, "this is no size of a picture",
            "give width and height in pixels, even numbers from 64 to 9998, for example 1280x720");
    if (!is_camera(options.camera))
        return refuse_option("--camera " + options.camera, "this is no view",
                             "give front, back, left, right, top, bottom, iso, or degrees such as 30,20");
    const double start_s = recording.frames() > 0 ? recording.time_s[0] : 0;
    const double end_s = recording.frames() > 0 ? recording.time_s[recording.frames() - 1] : 0;
    for (const auto& [name, t_s] : {std::pair{"--at", options.at_s}, std::pair{"--from", options.from_s},
                                    std::pair{"--until", options.to_s}}) {
        if (t_s && !(*t_s >= start_s && *t_s <= end_s))
            return refuse_option(fmt::format("{} {}", name, *t_s), "the run has no such instant",
                                 fmt::format("it was recorded from {} s to {} s", start_s, end_s));
    }
    if (options.from_s.value_or(start_s) > options.to_s.value_or(end_s))
        return refuse_option("--from", "the film would end before it begins", "exchange --from and --until");
    if (recording.drawings.empty() && recording.solids.solids.empty())
        return refuse_without_drawings(options.recording);
    const std::string program = Chromium::find();
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

    // the film gets its name when it is whole
    const fs::path part = target.string() + ".part";
    Film film;
    film.file.open(part, std::ios::binary);
    if (!film.file)
        return refuse_export(target.string(), "the file cannot be written",
                             "check the folder, its permissions and the disk");
    const std::string wrong = draw(to_page(recording), film_words(options, *size), program, *size, film);
    film.file.close();
    if (!wrong.empty() || !film.file) {
        fs::remove(part, problem);
        return refuse_export(where, wrong.empty() ? "the file cannot be written" : wrong,
                             "try carom report and open the page by hand");
    }
    fs::rename(part, target, problem);
    if (problem)
        return refuse_export(target.string(), problem.message(),
                             "check the folder, its permissions and the disk");
    return print_result(printable(target.string()) + "\n") ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
