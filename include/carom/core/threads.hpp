#pragma once

#include "carom/core/expected.hpp"

#include <memory>

namespace carom {

/// How many threads the loops over many bodies and contacts use. What is computed does not depend on it: work
/// is cut into blocks of fixed size, and sums are formed block by block in a fixed order.
///
/// Decision   docs/decisions/onetbb.md

/// Largest number of threads.
inline constexpr int max_threads = 1024;

/// Cores that this process may use: affinity mask, and the quota of its control group where there is one.
/// >= 1.
[[nodiscard]] int usable_cores();

/// 1 .. max_threads, else SettingOutOfRange with the given `where`.
[[nodiscard]] Expected<int> checked_threads(long count, const char* where);

/// While it lives, what the thread that made it calls runs on up to `count` threads. Without one everything
/// runs on the thread that calls, as it does within the runs of a study.
class Threads {
public:
    explicit Threads(int count);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// How many the calling thread may use now.
    [[nodiscard]] static int now() noexcept;

    struct Arena;

private:
    std::unique_ptr<Arena> arena_;  ///< null: one thread
    Arena* before_ = nullptr;
};

}  // namespace carom
