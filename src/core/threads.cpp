#include "carom/core/threads.hpp"

#include "core/cpu_quota.hpp"
#include "core/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif

namespace carom {

struct Threads::Arena {
    explicit Arena(int threads)
        : count(threads),
          allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
          arena(threads)
    {
    }

    int count;
    tbb::global_control allowed;  ///< more than there are cores, if that is what was asked for
    tbb::task_arena arena;
};

namespace {

thread_local Threads::Arena* current = nullptr;

int cores_of_mask()
{
#ifdef __linux__
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
#endif
    return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int usable_cores()
{
    const int cores = std::clamp(cores_of_mask(), 1, max_threads);
    const auto quota = detail::cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota ? std::max(1, static_cast<int>(std::lround(std::min(*quota, double(cores))))) : cores;
}

Expected<int> checked_threads(long count, const char* where)
{
    if (count >= 1 && count <= max_threads) return static_cast<int>(count);
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = where,
                 .message = fmt::format("{} threads cannot be started", count),
                 .hint = fmt::format("give a number from 1 to {}; this process may use {} {}", max_threads,
                                     usable_cores(), usable_cores() == 1 ? "core" : "cores"),
                 .excerpt = {}};
}

Threads::Threads(int count) : before_(current)
{
    if (count > 1) arena_ = std::make_unique<Arena>(std::min(count, max_threads));
    current = arena_.get();
}

Threads::~Threads()
{
    current = before_;
}

int Threads::now() noexcept
{
    return current != nullptr ? current->count : 1;
}

void detail::run_blocks(std::size_t blocks, BlockCall call, void* what)
{
    const OwnWork own;  // a rank takes blocks as they come
    if (current == nullptr || blocks < 2) {
        for (std::size_t block = 0; block < blocks; ++block) {
            call(what, block);
        }
        return;
    }
    // loops within a block stay on its thread
    struct Alone {
        Threads::Arena* outside = std::exchange(current, nullptr);
        ~Alone() { current = outside; }
    } alone;
    // what was written before the loop is seen by all blocks, and what they write behind it: a promise that
    // the scheduler makes as well, but in a library that thread sanitizers do not see into
    std::atomic<std::size_t> done{0};
    done.store(0, std::memory_order_release);
    alone.outside->arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
            (void)done.load(std::memory_order_acquire);
            call(what, block);
            done.fetch_add(1, std::memory_order_acq_rel);
        });
    });
    (void)done.load(std::memory_order_acquire);
}

}  // namespace carom
