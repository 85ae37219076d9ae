#include "commands.hpp"

#include "carom/trace/page.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "report/page_server.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace carom::app {
namespace {

/// Changes whenever the recording does, and is known without reading it.
std::string version_of(const std::string& recording)
{
    std::error_code problem;
    const auto time = std::filesystem::last_write_time(recording, problem).time_since_epoch().count();
    const auto size = std::filesystem::file_size(recording, problem);
    return fmt::format("{}-{}", time, size);
}

constexpr std::string_view more = "/more?";

/// The page, and what has come since: a page asks with what it has, "/more?VERSION/...".
Answer answer_to(const std::string& path, const std::string& file)
{
    const bool asks_more = path.starts_with(more);
    if (!asks_more && path != "/") return {.status = 404, .body = "there is one page here: /\n"};
    const std::string version = version_of(file);
    const std::string_view has = asks_more ? std::string_view(path).substr(more.size()) : std::string_view{};
    if (asks_more && has.substr(0, has.find('/')) == version) return {.status = 204, .body = {}};
    const auto recording = read_recording(file);
    if (!recording) return {.status = 500, .body = to_text(recording.error())};
    const PageSettings settings{.follow = is_finished(*recording) ? "" : version};
    auto part = asks_more ? to_page_part(*recording, has, settings) : std::nullopt;
    return {.type = "text/html; charset=utf-8",
            .body = part ? std::move(*part) : to_page(*recording, settings)};
}

}  // namespace

ExitStatus run_view(const ViewOptions& options)
{
    // what is no recording is told here and not in the browser
    if (const auto recording = read_recording(options.recording); !recording)
        return refuse({recording.error()});
    auto server = PageServer::listen(options.port);
    if (!server) return refuse({server.error()});
    note_interrupts();
    if (!print_result(fmt::format("http://127.0.0.1:{}/\n", server->port()))) return ExitStatus::BadInput;
    std::fputs("open this address in a browser; Ctrl-C ends\n", stderr);
    server->serve([&](const Request& request) { return answer_to(request.path, options.recording); },
                  interrupted);
    return ExitStatus::Certified;
}

}  // namespace carom::app
