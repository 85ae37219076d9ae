#include "machines/job.hpp"

#include "carom/core/version.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

namespace carom {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_in(const char* variable)
{
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    const std::string_view word(text);
    int number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
    return number;
}

Error refused(std::string message, std::string hint)
{
    return {.code = ErrorCode::NotAllowedHere,
            .where = "ranks",
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

std::uint64_t digest_of_text(std::string_view text)
{
    return digest_of(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t digest_of_file(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::vector<char> part(1 << 16);
    std::uint64_t digest = 0;
    while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
        digest =
            digest_of(std::as_bytes(std::span(part.data(), static_cast<std::size_t>(in.gcount()))), digest);
    }
    return digest;
}

/// The line of flags: it decides which variants of functions libraries choose.
std::uint64_t digest_of_processor()
{
    std::ifstream in("/proc/cpuinfo");
    std::string line;
    while (std::getline(in, line)) {
        if (line.starts_with("flags") || line.starts_with("Features")) return digest_of_text(line);
    }
    return 0;
}

}  // namespace

Launched launched()
{
    constexpr std::array<std::array<const char*, 2>, 2> names{
        {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}}};
    for (const auto& [rank, ranks] : names) {
        const auto k = number_in(rank), n = number_in(ranks);
        if (k && n && *n >= 1 && *k < *n) return {*k, *n};
    }
    return {};
}

std::string message_library()
{
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
    for (const fs::path& folder : {program, program.parent_path() / "lib" / "carom"}) {
        if (fs::exists(folder / "carom_mpi.so", none)) return (folder / "carom_mpi.so").string();
    }
    return {};
}

Expected<std::unique_ptr<JobMessages>> open_messages()
{
    const std::string library = message_library();
    if (library.empty()) {
        return refused(
            fmt::format("{} processes were started as ranks of one run, and this build of carom has "
                        "no MPI",
                        launched().ranks),
            "configure it with -D CAROM_MPI=ON, or run one process");
    }
    // MPI opens further libraries that look for its names
    void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (opened == nullptr) return refused(dlerror(), "install the MPI that carom was built with");
    const auto open = reinterpret_cast<OpenMessages>(dlsym(opened, "carom_open_messages"));
    if (open == nullptr) return refused(library + " is not of carom", "install carom again");
    std::unique_ptr<JobMessages> messages(open(std::string(version).c_str()));
    if (messages) return messages;
    return refused(library + " is of another version of carom, or MPI could not begin",
                   "install carom again");
}

Identity identity_here()
{
    return {.program = digest_of_file("/proc/self/exe"),
            .processor = digest_of_processor(),
            .libraries = digest_of_text(gnu_get_libc_version()),
            .input = 0};
}

Expected<void> meet(Messages& ranks, bool ready, const Identity& mine)
{
    struct Card {
        std::uint64_t ready = 0;
        Identity identity;
    };
    const auto count = static_cast<std::size_t>(ranks.ranks());
    std::vector<Card> cards(count);
    cards[static_cast<std::size_t>(ranks.rank())] = {ready ? 1U : 0U, mine};
    const std::vector<std::size_t> sizes(count, sizeof(Card));
    ranks.gather(std::as_writable_bytes(std::span(cards)), sizes);
    const Identity& first = cards[0].identity;
    for (std::size_t k = 0; k < count; ++k) {
        const Identity& other = cards[k].identity;
        const auto differs = [&](const char* what, const char* hint) {
            return refused(fmt::format("rank {} has another {} than rank 0", k, what), hint);
        };
        if (other.program != first.program)
            return differs("build of carom", "install the same one on all machines");
        if (other.processor != first.processor)
            return differs("kind of processor",
                           "libraries round differently there: use machines of one kind");
        if (other.libraries != first.libraries)
            return differs("C library", "it rounds differently: use machines of one kind");
        if (cards[k].ready == 0) return refused(fmt::format("rank {} cannot begin", k), "see what it says");
        if (other.input != first.input) return differs("scene", "give all ranks the same file and options");
    }
    return {};
}

}  // namespace carom
