#include "carom/core/expected.hpp"
#include "core/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace carom {
namespace {

thread_local Messages* current_ranks = nullptr;
thread_local bool work_is_shared = false;

}  // namespace

Ranks::Ranks(Messages& messages) noexcept : before_(std::exchange(current_ranks, &messages)) {}

Ranks::~Ranks()
{
    current_ranks = before_;
}

Messages* Ranks::all() noexcept
{
    return current_ranks != nullptr && current_ranks->ranks() > 1 ? current_ranks : nullptr;
}

Messages* Ranks::shared() noexcept
{
    return work_is_shared ? all() : nullptr;
}

SharedWork::SharedWork() noexcept : before_(std::exchange(work_is_shared, true)) {}

SharedWork::~SharedWork()
{
    work_is_shared = before_;
}

OwnWork::OwnWork() noexcept : before_(std::exchange(work_is_shared, false)) {}

OwnWork::~OwnWork()
{
    work_is_shared = before_;
}

std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t before) noexcept
{
    constexpr std::uint64_t odd = 0xbf58476d1ce4e5b9U;
    const auto word_at = [&](std::size_t at) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        return word;
    };
    const auto mixed = [](std::uint64_t digest, std::uint64_t word) {
        digest = (digest ^ word) * odd;
        return digest ^ (digest >> 31U);
    };
    std::uint64_t digest = before + 0x9e3779b97f4a7c15U + bytes.size();
    std::size_t at = 0;
    // four at a time, which do not wait for each other: (digest + word) * odd tells any one word that differs
    if (bytes.size() >= 32) {
        std::array<std::uint64_t, 4> part{digest, digest + 1, digest + 2, digest + 3};
        for (; at + 32 <= bytes.size(); at += 32) {
            for (std::size_t k = 0; k < part.size(); ++k) {
                part[k] = (part[k] + word_at(at + 8 * k)) * odd;
                part[k] ^= part[k] >> 29U;
            }
        }
        for (const std::uint64_t one : part) {
            digest = mixed(digest, one);
        }
    }
    for (; at + 8 <= bytes.size(); at += 8) {
        digest = mixed(digest, word_at(at));
    }
    for (; at < bytes.size(); ++at) {
        digest = mixed(digest, std::to_integer<std::uint64_t>(bytes[at]));
    }
    return digest;
}

bool all_continue(bool wanted, std::uint64_t digest, long step)
{
    Messages* ranks = Ranks::all();
    if (ranks == nullptr) return wanted;
    struct Word {
        std::uint64_t wanted, digest;
    };
    const auto count = static_cast<std::size_t>(ranks->ranks());
    std::vector<Word> words(count);
    words[static_cast<std::size_t>(ranks->rank())] = {wanted ? 1U : 0U, digest};
    const std::vector<std::size_t> sizes(count, sizeof(Word));
    ranks->gather(std::as_writable_bytes(std::span(words)), sizes);
    for (std::size_t k = 1; k < count; ++k) {
        if (words[k].digest == words[0].digest) continue;
        throw InternalError(fmt::format("ranks 0 and {} have computed different motions in step {}; the last "
                                        "checkpoint is before it",
                                        k, step));
    }
    return std::ranges::all_of(words, [](const Word& word) { return word.wanted != 0; });
}

Expected<void> all_done(const Expected<void>& mine)
{
    Messages* ranks = Ranks::all();
    if (ranks == nullptr) return mine;
    struct Word {
        bool done = true;
        ErrorCode code{};
        std::array<char, 200> where{};
        std::array<char, 400> message{};
        std::array<char, 200> hint{};
    };
    const auto count = static_cast<std::size_t>(ranks->ranks());
    std::vector<Word> words(count);
    const auto put = [](const std::string& text, std::span<char> room) {
        std::copy_n(text.begin(), std::min(text.size(), room.size() - 1), room.begin());
    };
    if (!mine) {
        Word& word = words[static_cast<std::size_t>(ranks->rank())];
        word.done = false;
        word.code = mine.error().code;
        put(mine.error().where, word.where);
        put(mine.error().message, word.message);
        put(mine.error().hint, word.hint);
    }
    const std::vector<std::size_t> sizes(count, sizeof(Word));
    ranks->gather(std::as_writable_bytes(std::span(words)), sizes);
    if (!mine) return mine;
    for (std::size_t k = 0; k < count; ++k) {
        const Word& word = words[k];
        if (word.done) continue;
        return Error{.code = word.code,
                     .where = word.where.data(),
                     .message = fmt::format("rank {}: {}", k, word.message.data()),
                     .hint = word.hint.data(),
                     .excerpt = {}};
    }
    return {};
}

namespace detail {

Share share_of(std::size_t count, int rank, int ranks) noexcept
{
    const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
    return {count * r / n, count * (r + 1) / n};
}

void gather_shares(Messages& ranks, std::span<std::byte> records, std::size_t count)
{
    std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks.ranks()));
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const Share share = share_of(count, static_cast<int>(k), ranks.ranks());
        sizes[k] = (share.end - share.begin) * (records.size() / count);
    }
    ranks.gather(records, sizes);
}

void gather_sizes(Messages& ranks, std::size_t mine, std::span<std::size_t> sizes)
{
    const std::vector<std::size_t> each(sizes.size(), sizeof(std::size_t));
    sizes[static_cast<std::size_t>(ranks.rank())] = mine;
    ranks.gather(std::as_writable_bytes(sizes), each);
}

}  // namespace detail
}  // namespace carom
