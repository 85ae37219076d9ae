#pragma once

#include "carom/core/threads.hpp"
#include "core/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace carom {

/// Loops over blocks of fixed size. Blocks may run side by side (carom/core/threads.hpp), in any order; what
/// they write must not overlap. The size of a block is part of what is computed where sums are formed, the
/// number of threads never is. A loop of one block costs a call.

namespace detail {

using BlockCall = void (*)(void* what, std::size_t block);

/// call(what, k) for k < blocks.
void run_blocks(std::size_t blocks, BlockCall call, void* what);

}  // namespace detail

/// f(begin, end, block) for consecutive parts of 0 .. count.
template <class F>
void for_blocks(std::size_t count, std::size_t size, F&& f)
{
    if (count == 0) return;
    if (count <= size) {
        f(std::size_t{0}, count, std::size_t{0});
        return;
    }
    auto run = [&](std::size_t block) { f(block * size, std::min(count, (block + 1) * size), block); };
    detail::run_blocks((count + size - 1) / size,
                       [](void* what, std::size_t block) { (*static_cast<decltype(run)*>(what))(block); },
                       std::addressof(run));
}

/// f(i) for i < count.
template <class F>
void for_each_index(std::size_t count, std::size_t size, F&& f)
{
    for_blocks(count, size, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            f(i);
        }
    });
}

/// The sum of f(begin, end) over blocks, added in the order of the blocks; Sum is zero when made, and has +=.
template <class Sum, class F>
[[nodiscard]] Sum sum_of_blocks(std::size_t count, std::size_t size, F&& f)
{
    if (count <= size) return count == 0 ? Sum{} : f(std::size_t{0}, count);
    std::vector<Sum> parts((count + size - 1) / size);
    for_blocks(count, size,
               [&](std::size_t begin, std::size_t end, std::size_t block) { parts[block] = f(begin, end); });
    Sum sum{};
    for (const Sum& part : parts) {
        sum += part;
    }
    return sum;
}

/// Appends to `out` what f(begin, end, list) appends to `list`, in the order of the blocks.
template <class T, class F>
void append_blocks(std::size_t count, std::size_t size, std::vector<T>& out, F&& f)
{
    if (count <= size || Threads::now() == 1) {
        f(std::size_t{0}, count, out);
        return;
    }
    std::vector<std::vector<T>> parts((count + size - 1) / size);
    for_blocks(count, size,
               [&](std::size_t begin, std::size_t end, std::size_t block) { f(begin, end, parts[block]); });
    for (const std::vector<T>& part : parts) {
        out.insert(out.end(), part.begin(), part.end());
    }
}

namespace detail {

/// The ranks that share a loop of so many blocks: few blocks are not worth a message. Null: this one does it.
[[nodiscard]] inline Messages* ranks_for(std::size_t blocks) noexcept
{
    Messages* ranks = Ranks::shared();
    return ranks != nullptr && blocks >= 2 * static_cast<std::size_t>(ranks->ranks()) ? ranks : nullptr;
}

/// The indices whose blocks a rank takes.
[[nodiscard]] inline Share part_of(std::size_t count, std::size_t size, int rank, int ranks) noexcept
{
    const Share blocks = share_of((count + size - 1) / size, rank, ranks);
    return {std::min(count, blocks.begin * size), std::min(count, blocks.end * size)};
}

/// f(begin, end, block) for the blocks of this rank.
template <class F>
void for_own_blocks(const Messages& ranks, std::size_t count, std::size_t size, F&& f)
{
    const OwnWork own;
    const auto [from, to] = part_of(count, size, ranks.rank(), ranks.ranks());
    for_blocks(to - from, size, [&](std::size_t begin, std::size_t end, std::size_t block) {
        f(from + begin, from + end, from / size + block);
    });
}

}  // namespace detail

/// The indices whose blocks this rank takes in a shared loop: all of them where it is not shared.
[[nodiscard]] inline detail::Share own_part(std::size_t count, std::size_t size) noexcept
{
    const Messages* ranks = detail::ranks_for((count + size - 1) / size);
    return ranks == nullptr ? detail::Share{0, count}
                            : detail::part_of(count, size, ranks->rank(), ranks->ranks());
}

/// Every index has a record, written by the rank that took its block in a shared loop: now all have them all.
template <class T>
void gather_records(std::size_t count, std::size_t size, std::span<T> records)
{
    static_assert(std::is_trivially_copyable_v<T>);
    Messages* ranks = detail::ranks_for((count + size - 1) / size);
    if (ranks == nullptr) return;
    std::vector<std::size_t> sizes;
    for (int k = 0; k < ranks->ranks(); ++k) {
        const detail::Share part = detail::part_of(count, size, k, ranks->ranks());
        sizes.push_back((part.end - part.begin) * sizeof(T));
    }
    ranks->gather(std::as_writable_bytes(records.first(count)), sizes);
}

/// The same as sum_of_blocks, with the blocks shared among the ranks: every rank has the sum. f writes
/// nothing that another block, or a later loop with other blocks, reads; Sum is sent as it lies in memory.
template <class Sum, class F>
[[nodiscard]] Sum sum_of_shared_blocks(std::size_t count, std::size_t size, F&& f)
{
    static_assert(std::is_trivially_copyable_v<Sum>);
    Messages* ranks = detail::ranks_for((count + size - 1) / size);
    if (ranks == nullptr) return sum_of_blocks<Sum>(count, size, f);
    std::vector<Sum> parts((count + size - 1) / size);
    detail::for_own_blocks(*ranks, count, size, [&](std::size_t begin, std::size_t end, std::size_t block) {
        parts[block] = f(begin, end);
    });
    detail::gather_shares(*ranks, std::as_writable_bytes(std::span(parts)), parts.size());
    Sum sum{};
    for (const Sum& part : parts) {
        sum += part;
    }
    return sum;
}

/// The same as append_blocks, with the blocks shared among the ranks: every rank has the whole list. T has no
/// pointers and is sent as it lies in memory.
template <class T, class F>
void append_shared_blocks(std::size_t count, std::size_t size, std::vector<T>& out, F&& f)
{
    static_assert(std::is_trivially_destructible_v<T>);
    const std::size_t blocks = (count + size - 1) / size;
    Messages* ranks = detail::ranks_for(blocks);
    if (ranks == nullptr) return append_blocks(count, size, out, f);
    std::vector<std::vector<T>> parts(blocks);
    detail::for_own_blocks(*ranks, count, size, [&](std::size_t begin, std::size_t end, std::size_t block) {
        f(begin, end, parts[block]);
    });
    std::size_t mine = 0;
    for (const std::vector<T>& part : parts) {
        mine += part.size();
    }
    std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks->ranks()));
    detail::gather_sizes(*ranks, mine, sizes);
    const std::size_t before = out.size();
    std::size_t at = before, all = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (k < static_cast<std::size_t>(ranks->rank())) at += sizes[k];
        all += sizes[k];
        sizes[k] *= sizeof(T);
    }
    out.resize(before + all);
    for (const std::vector<T>& part : parts) {
        std::copy(part.begin(), part.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
        at += part.size();
    }
    ranks->gather(std::as_writable_bytes(std::span(out).subspan(before)), sizes);
}

}  // namespace carom
