#pragma once

#include "carom/core/threads.hpp"

#include <algorithm>
#include <cstddef>
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

}  // namespace carom
