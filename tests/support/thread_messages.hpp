#pragma once

#include "core/messages.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

namespace carom {

/// Ranks as threads of one process: what ranks compute is tested without MPI. One that waits longer than
/// `patience` for a message fails.
class ThreadRanks {
public:
    explicit ThreadRanks(int count) : count_(count), barrier_(count), parts_(static_cast<std::size_t>(count))
    {
    }

    /// f(rank) on all of them at once, as a run of ranks; the first exception is thrown again.
    template <class F>
    void run(F f)
    {
        std::vector<std::thread> threads;
        std::exception_ptr failed;
        for (int rank = 0; rank < count_; ++rank) {
            threads.emplace_back([&, rank] {
                Here here(*this, rank);
                const Ranks scope(here);
                try {
                    f(rank);
                } catch (...) {
                    const std::lock_guard lock(mutex_);
                    if (!failed) failed = std::current_exception();
                    barrier_.arrive_and_drop();
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (failed) std::rethrow_exception(failed);
    }

    [[nodiscard]] long sent() const noexcept { return sent_; }

private:
    static constexpr std::chrono::seconds patience{60};
    using Key = std::tuple<int, int, int>;  ///< from, to, tag

    class Here final : public Messages {
    public:
        Here(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
        [[nodiscard]] int rank() const noexcept override { return rank_; }
        [[nodiscard]] int ranks() const noexcept override { return all_.count_; }

        void gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override
        {
            std::size_t at = 0;
            for (int k = 0; k < rank_; ++k) {
                at += sizes[static_cast<std::size_t>(k)];
            }
            const auto mine = all.subspan(at, sizes[static_cast<std::size_t>(rank_)]);
            all_.parts_[static_cast<std::size_t>(rank_)].assign(mine.begin(), mine.end());
            all_.barrier_.arrive_and_wait();
            at = 0;
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                if (all_.parts_[k].size() != sizes[k]) throw std::logic_error("ranks expect other sizes");
                std::ranges::copy(all_.parts_[k], all.begin() + static_cast<std::ptrdiff_t>(at));
                at += sizes[k];
            }
            all_.barrier_.arrive_and_wait();
        }

        [[nodiscard]] std::unique_ptr<Line> line_to(int rank, int tag,
                                                    std::span<const std::byte> from) override
        {
            return std::make_unique<Out>(all_, Key{rank_, rank, tag}, from);
        }
        [[nodiscard]] std::unique_ptr<Line> line_from(int rank, int tag, std::span<std::byte> to) override
        {
            return std::make_unique<In>(all_, Key{rank, rank_, tag}, to);
        }

    private:
        ThreadRanks& all_;
        int rank_;
    };

    struct Out final : Messages::Line {
        Out(ThreadRanks& ranks, Key to, std::span<const std::byte> data) : all(ranks), key(to), from(data) {}
        void start() override
        {
            const std::lock_guard lock(all.mutex_);
            all.mail_[key].emplace_back(from.begin(), from.end());
            ++all.sent_;
            all.arrived_.notify_all();
        }
        void wait() override {}
        ThreadRanks& all;
        Key key;
        std::span<const std::byte> from;
    };

    struct In final : Messages::Line {
        In(ThreadRanks& ranks, Key of, std::span<std::byte> data) : all(ranks), key(of), to(data) {}
        void start() override { started = true; }
        void wait() override
        {
            if (!started) return;
            started = false;
            std::unique_lock lock(all.mutex_);
            if (!all.arrived_.wait_for(lock, patience, [&] { return !all.mail_[key].empty(); }))
                throw std::logic_error("a message did not come");
            const auto& first = all.mail_[key].front();
            if (first.size() != to.size()) throw std::logic_error("a message of another size");
            std::ranges::copy(first, to.begin());
            all.mail_[key].pop_front();
        }
        ThreadRanks& all;
        Key key;
        std::span<std::byte> to;
        bool started = false;
    };

    int count_;
    std::barrier<> barrier_;
    std::vector<std::vector<std::byte>> parts_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<Key, std::deque<std::vector<std::byte>>> mail_;
    long sent_ = 0;
};

}  // namespace carom
