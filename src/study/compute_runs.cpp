#include "carom/study/study.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace carom {
namespace {

/// Hands out runs to threads and their rows, in the order of runs, to the sink.
class Dispatch {
public:
    Dispatch(const Study& study, const Shard& shard, long done, int threads, const RunSink& sink,
             const StopRequest& stop)
        : study_(study),
          shard_(shard),
          runs_(runs_in(shard, study.runs())),
          next_(done),
          written_(done),
          window_(16L * threads),
          sink_(sink),
          stop_(stop)
    {
    }

    /// What a thread does: runs, one after the other, until there are none.
    void work()
    {
        try {
            while (const auto number = take()) {
                const long index = *number * shard_.parts + shard_.part;
                const auto stop = [this] { return stopped_ || (stop_ && stop_()); };
                auto rows = study_.compute(index, stop);
                if (rows.empty()) return end();
                give(*number, std::move(rows));
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stopped_ = true;
            moved_.notify_all();
        }
    }

    [[nodiscard]] StudyProgress progress() const
    {
        if (failure_) std::rethrow_exception(failure_);
        return {.done = written_, .runs = runs_, .stopped = written_ < runs_};
    }

private:
    /// Threads wait when they are far ahead of a run that takes long: its successors wait in memory.
    std::optional<long> take()
    {
        std::unique_lock lock(mutex_);
        moved_.wait(lock, [this] { return stopped_ || next_ >= runs_ || next_ < written_ + window_; });
        if (stopped_ || next_ >= runs_ || (stop_ && stop_())) return std::nullopt;
        return next_++;
    }

    void give(long number, std::vector<Row> rows)
    {
        const std::lock_guard lock(mutex_);
        waiting_.emplace(number, std::move(rows));
        while (!stopped_ && !waiting_.empty() && waiting_.begin()->first == written_) {
            const long index = written_ * shard_.parts + shard_.part;
            if (!sink_(index, waiting_.begin()->second)) {
                stopped_ = true;
                break;
            }
            waiting_.erase(waiting_.begin());
            ++written_;
        }
        moved_.notify_all();
    }

    void end()
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        moved_.notify_all();
    }

    const Study& study_;
    Shard shard_;
    long runs_, next_, written_, window_;  ///< counted within the shard
    const RunSink& sink_;
    const StopRequest& stop_;
    std::mutex mutex_;
    std::condition_variable moved_;
    std::map<long, std::vector<Row>> waiting_;
    std::atomic<bool> stopped_ = false;
    std::exception_ptr failure_;
};

}  // namespace

long runs_in(const Shard& shard, long runs) noexcept
{
    return shard.part < runs ? (runs - shard.part - 1) / shard.parts + 1 : 0;
}

StudyProgress compute_runs(const Study& study, const Shard& shard, long done, int threads,
                           const RunSink& sink, const StopRequest& stop)
{
    const long left = runs_in(shard, study.runs()) - done;
    const auto workers = static_cast<int>(std::clamp<long>(threads, 1, std::max(left, 1L)));
    Dispatch dispatch(study, shard, done, workers, sink, stop);
    {
        std::vector<std::jthread> others;
        for (int i = 1; i < workers; ++i)
            others.emplace_back([&] { dispatch.work(); });
        dispatch.work();
    }
    return dispatch.progress();
}

}  // namespace carom
