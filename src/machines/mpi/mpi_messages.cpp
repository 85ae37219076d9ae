#include "carom/core/version.hpp"
#include "machines/job_messages.hpp"

#include <mpi.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <vector>

namespace carom {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// A number from the environment; 0 where there is none.
double setting(const char* variable)
{
    const char* text = std::getenv(variable);
    return text == nullptr ? 0.0 : std::strtod(text, nullptr);
}

/// Of this thread.
double processor_s()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Messages by MPI's functions of C. All waiting is in finish().
class MpiMessages final : public JobMessages {
public:
    MpiMessages()
        : delay_(setting("CAROM_MESSAGE_DELAY_US") * 1e-6), patience_(setting("CAROM_MESSAGE_PATIENCE_S"))
    {
        // the end has messages of its own: a rank may come to it while others are in a step
        MPI_Comm_dup(MPI_COMM_WORLD, &all_);
        MPI_Comm_dup(MPI_COMM_WORLD, &ending_);
        MPI_Comm_rank(all_, &rank_);
        MPI_Comm_size(all_, &ranks_);
        MPI_Comm here = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
        MPI_Comm_size(here, &ranks_here_);
        MPI_Comm_free(&here);
        counts_.resize(static_cast<std::size_t>(ranks_));
        places_.resize(counts_.size());
    }

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return ranks_; }
    [[nodiscard]] int ranks_here() const noexcept override { return ranks_here_; }
    [[nodiscard]] const Traffic& traffic() const noexcept override { return traffic_; }

    [[nodiscard]] std::string library() const override
    {
        std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name{};
        int length = 0;
        MPI_Get_library_version(name.data(), &length);
        const std::string text(name.data(), static_cast<std::size_t>(length));
        return text.substr(0, text.find(','));
    }

    void gather(std::span<std::byte> all, std::span<const std::size_t> sizes) override
    {
        // counts of MPI are ints: what is longer goes in pieces of eight bytes, which all records have
        std::size_t at = 0, unit = all.size() <= largest ? 1 : 8;
        for (std::size_t k = 0; k < counts_.size(); ++k) {
            if (unit > 1 && sizes[k] % unit != 0)
                fail("a message of gigabytes that is not a list of numbers");
            counts_[k] = static_cast<int>(sizes[k] / unit);
            places_[k] = static_cast<int>(at / unit);
            at += sizes[k];
        }
        if (at / unit > largest) fail("a message of more than 16 GB");
        ++traffic_.gathers;
        traffic_.gathered_bytes += static_cast<long>(sizes[static_cast<std::size_t>(rank_)]);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Datatype type = unit == 1 ? MPI_BYTE : MPI_DOUBLE;
        MPI_Iallgatherv(MPI_IN_PLACE, 0, type, all.data(), counts_.data(), places_.data(), type, all_,
                        &request);
        finish(request, true);
    }

    [[nodiscard]] std::unique_ptr<Line> line_to(int rank, int tag, std::span<const std::byte> from) override
    {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Send_init(from.data(), size_of(from), MPI_BYTE, rank, tag, all_, &request);
        return std::make_unique<MpiLine>(*this, request, false, from.size());
    }

    [[nodiscard]] std::unique_ptr<Line> line_from(int rank, int tag, std::span<std::byte> to) override
    {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Recv_init(to.data(), size_of(to), MPI_BYTE, rank, tag, all_, &request);
        return std::make_unique<MpiLine>(*this, request, true, to.size());
    }

    [[nodiscard]] Ended end(int status) override
    {
        // one that failed alone cannot be waited for
        constexpr Seconds moment(3);
        std::vector<int> statuses(static_cast<std::size_t>(ranks_), 0);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallgather(&status, 1, MPI_INT, statuses.data(), 1, MPI_INT, ending_, &request);
        const auto begin = Clock::now();
        for (int done = 0; done == 0;) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done == 0 && status != 0 && Clock::now() - begin > moment) return {Ending::Alone, status};
            if (done == 0) sched_yield();
        }
        MPI_Finalize();
        for (const int one : statuses) {
            if (one != 0) return {Ending::Together, one};
        }
        return {};
    }

    [[noreturn]] void abandon(int status) override
    {
        MPI_Abort(MPI_COMM_WORLD, status);
        std::_Exit(status);
    }

private:
    static constexpr std::size_t largest = std::numeric_limits<int>::max();

    class MpiLine final : public Line {
    public:
        MpiLine(MpiMessages& messages, MPI_Request request, bool receives, std::size_t bytes)
            : messages_(messages), request_(request), receives_(receives), bytes_(bytes)
        {
        }
        ~MpiLine() override
        {
            int is_over = 0;
            MPI_Finalized(&is_over);
            if (is_over == 0) MPI_Request_free(&request_);
        }
        MpiLine(const MpiLine&) = delete;
        MpiLine& operator=(const MpiLine&) = delete;

        void start() override
        {
            if (!receives_) {
                ++messages_.traffic_.messages;
                messages_.traffic_.bytes += static_cast<long>(bytes_);
            }
            MPI_Start(&request_);
        }
        void wait() override { messages_.finish(request_, receives_); }

    private:
        MpiMessages& messages_;
        MPI_Request request_;
        bool receives_;
        std::size_t bytes_;
    };

    static int size_of(std::span<const std::byte> data)
    {
        if (data.size() > largest) fail("a message of more than 2 GB");
        return static_cast<int>(data.size());
    }

    [[noreturn]] static void fail(const char* what)
    {
        std::fprintf(stderr, "carom: %s cannot be sent\n", what);
        MPI_Abort(MPI_COMM_WORLD, 3);
        std::_Exit(3);
    }

    /// Waits for a message: the one place where a slower network can be played, by a delay behind whatever
    /// arrives, and where patience can end.
    void finish(MPI_Request& request, bool arrives)
    {
        // whoever looks without end takes the core from the rank that is waited for, where cores are few: it is
        // offered to others between looks, and left for good where that takes long. A nap is much longer than
        // the way of a message
        constexpr int looks = 64, looks_awake = 200 * looks;
        constexpr timespec nap{0, 50'000};
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0 && (!arrives || delay_ == 0)) return;
        const auto begin = Clock::now();
        const double used_s = processor_s();
        for (int look = 1; done == 0; ++look) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done != 0 || look % looks != 0) continue;
            if (look < looks_awake)
                sched_yield();
            else
                nanosleep(&nap, nullptr);
            if (patience_ > 0 && Seconds(Clock::now() - begin).count() > patience_) {
                std::fprintf(stderr, "carom: rank %d has waited %g s for a message, and gives up\n", rank_,
                             patience_);
                abandon(3);
            }
        }
        const auto arrived = Clock::now();
        while (arrives && Seconds(Clock::now() - arrived).count() < delay_) {
        }
        traffic_.waited_s += Seconds(Clock::now() - begin).count();
        traffic_.waiting_processor_s += processor_s() - used_s;
    }

    MPI_Comm all_ = MPI_COMM_NULL, ending_ = MPI_COMM_NULL;
    int rank_ = 0, ranks_ = 1, ranks_here_ = 1;
    double delay_ = 0, patience_ = 0;  ///< s; 0: none, and without end
    std::vector<int> counts_, places_;
    Traffic traffic_;
};

}  // namespace
}  // namespace carom

extern "C" __attribute__((visibility("default"))) carom::JobMessages* carom_open_messages(const char* version)
{
    if (carom::version != version) return nullptr;
    int given = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return nullptr;
    if (given < MPI_THREAD_FUNNELED) return nullptr;
    return new carom::MpiMessages;
}
