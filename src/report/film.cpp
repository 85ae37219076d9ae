#include "report/film.hpp"

#include "core/text.hpp"
#include "report/chromium.hpp"
#include "report/page_server.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <random>

namespace carom {
namespace {

namespace fs = std::filesystem;
using FilmClock = std::chrono::steady_clock;

/// So long may the browser be silent: a picture of very many bodies takes its time.
constexpr std::chrono::seconds patience{180};

/// A word that nobody guesses: only the browser that was started knows the address.
std::string secret()
{
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

/// What the page is told behind the # of its address.
std::string film_words(const FilmPlan& plan)
{
    std::string words = fmt::format("film={}&size={}x{}&speed={}&fps={}", plan.format, plan.size.width,
                                    plan.size.height, plan.speed, plan.frames_per_s);
    if (plan.at_s) words += fmt::format("&at={}", *plan.at_s);
    if (plan.from_s) words += fmt::format("&from={}", *plan.from_s);
    if (plan.to_s) words += fmt::format("&until={}", *plan.to_s);
    if (!plan.camera.empty()) words += "&camera=" + plan.camera;
    if (plan.dark) words += "&dark=1";
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

/// Serves the page to the browser and takes the film from it; empty when all went well, else what went wrong.
std::string draw(const std::string& page, const std::string& words, const std::string& program,
                 const FilmSize& size, Film& film, const std::atomic<bool>* stop)
{
    auto server = PageServer::listen(0);
    if (!server) return server.error().message;
    const std::string place = "/" + secret() + "/";
    Chromium browser(program, fmt::format("http://127.0.0.1:{}{}#{}", server->port(), place, words),
                     size.width, size.height);
    const auto interrupted = [&] { return stop != nullptr && stop->load(); };
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
    return browser.is_running() ? "the browser no longer answers" : "the browser ended before the film did";
}

}  // namespace

std::string find_browser()
{
    return Chromium::find();
}

Expected<void> draw_film(const std::string& page, const FilmPlan& plan, const std::string& browser,
                         const std::filesystem::path& target, const std::atomic<bool>* stop)
{
    const auto refuse = [](std::string where, std::string message, std::string hint) {
        return Error{.code = ErrorCode::FileUnwritable,
                     .where = std::move(where),
                     .message = std::move(message),
                     .hint = std::move(hint),
                     .excerpt = {}};
    };
    constexpr const char* check_folder = "check the folder, its permissions and the disk";

    // the film gets its name when it is whole
    const fs::path part = target.string() + ".part";
    Film film;
    film.file.open(part, std::ios::binary);
    if (!film.file) return refuse(target.string(), "the file cannot be written", check_folder);
    const std::string wrong = draw(page, film_words(plan), browser, plan.size, film, stop);
    film.file.close();
    std::error_code problem;
    if (!wrong.empty() || !film.file) {
        fs::remove(part, problem);
        return refuse("film", wrong.empty() ? "the file cannot be written" : wrong,
                      "try carom report and open the page by hand");
    }
    fs::rename(part, target, problem);
    if (problem) return refuse(target.string(), problem.message(), check_folder);
    return {};
}

}  // namespace carom
