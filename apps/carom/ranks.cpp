#include "ranks.hpp"

#include "carom/core/threads.hpp"
#include "carom/core/version.hpp"
#include "input.hpp"
#include "machines/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

namespace carom::app {
namespace {

/// What a rank says that nobody listens to: told if it ends all others.
struct Silence {
    std::FILE* said = nullptr;
    int before = -1;

    void begin()
    {
        std::fflush(stdout);
        std::fflush(stderr);
        if (std::freopen("/dev/null", "w", stdout) == nullptr) return;
        said = std::tmpfile();
        if (said == nullptr) return;
        before = dup(STDERR_FILENO);
        dup2(fileno(said), STDERR_FILENO);
    }

    void end(int rank)
    {
        if (said == nullptr || before < 0) return;
        std::fflush(stderr);
        dup2(before, STDERR_FILENO);
        std::rewind(said);
        std::string text;
        for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said)) {
            text.push_back(static_cast<char>(c));
        }
        if (!text.empty()) fmt::print(stderr, "rank {}: {}", rank, text);
    }
};

std::unique_ptr<JobMessages> messages;
Silence silence;

/// The first word that is no option.
std::string_view command_of(std::span<char* const> words)
{
    const auto found = std::find_if(words.begin() + (words.empty() ? 0 : 1), words.end(),
                                    [](const char* word) { return word[0] != '-'; });
    return found == words.end() ? std::string_view() : std::string_view(*found);
}

std::uint64_t digest_of_scene(const Scene& scene)
{
    const auto digest = [](const auto& list, std::uint64_t before) {
        return digest_of(std::as_bytes(std::span(list.data(), static_cast<std::size_t>(list.size()))),
                         before);
    };
    return digest(scene.start.u, digest(scene.start.q, digest(scene.text, 0)));
}

/// What several ranks do not do.
Errors refused_scene(const Scene& scene)
{
    Errors errors;
    if (!scene.bodies) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "ranks",
                                 "only scenes of bodies are shared among ranks",
                                 "run this scene by one process; many runs at once: carom study --shard"));
    }
    return errors;
}

}  // namespace

bool join_ranks(std::span<char* const> words)
{
    const std::string_view command = command_of(words);
    if (launched().ranks < 2 || (command != "run" && command != "resume")) return true;
    auto opened = open_messages();
    if (!opened) {
        if (launched().rank == 0) print_errors({opened.error()});
        return false;
    }
    messages = std::move(*opened);
    if (!is_first_rank()) silence.begin();
    return true;
}

int leave_ranks(int status)
{
    if (!messages) return status;
    const int rank = messages->rank();
    const Traffic& sent = messages->traffic();
    if (std::getenv("CAROM_MESSAGE_COUNTS") != nullptr) {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        fmt::print(stderr,
                   "rank {}: {} messages of {} bytes, {} gathers of {} bytes, waited {:.6f} s, "
                   "{:.3f} s of processor and {:.3f} s of it waiting, {:.1f} MB at most\n",
                   rank, sent.messages, sent.bytes, sent.gathers, sent.gathered_bytes, sent.waited_s,
                   seconds(used.ru_utime) + seconds(used.ru_stime), sent.waiting_processor_s,
                   static_cast<double>(used.ru_maxrss) / 1024);
    }
    std::fflush(stdout);
    const auto [how, all] = messages->end(status);
    if (how == JobMessages::Ending::Together) return rank == 0 ? all : 0;
    silence.end(rank);
    std::fflush(stderr);
    messages->abandon(status);
    return status;  // not reached: gcc does not know of virtual functions that they never return
}

JobMessages* ranks() noexcept
{
    return messages.get();
}

bool is_first_rank() noexcept
{
    return !messages || messages->rank() == 0;
}

int cores_for_threads()
{
    const int cores = usable_cores();
    return messages ? std::max(1, cores / messages->ranks_here()) : cores;
}

Expected<void, Errors> meet_ranks(const Errors& errors, const Scene* scene)
{
    if (!messages) return errors.empty() ? Expected<void, Errors>() : Expected<void, Errors>(errors);
    Errors mine = errors;
    if (scene != nullptr) {
        const Errors refused = refused_scene(*scene);
        mine.insert(mine.end(), refused.begin(), refused.end());
    }
    Identity identity = identity_here();
    if (scene != nullptr) identity.input = digest_of_scene(*scene);
    auto met = meet(*messages, mine.empty(), identity);
    if (!mine.empty()) return mine;
    if (!met) return Errors{met.error()};
    return {};
}

RunOfRanks::RunOfRanks()
{
    if (messages) scope_.emplace(*messages);
}

std::string with_messages()
{
    return fmt::format("carom {}{}", version, message_library().empty() ? "" : ", with MPI");
}

}  // namespace carom::app
