#pragma once

#include "carom/core/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace carom {

/// Messages between the ranks of one run: processes, mostly on several machines, that take the same steps
/// together. Every rank calls the same functions in the same order.
///
/// Theory     docs/theory/machines.md
class Messages {
public:
    virtual ~Messages() = default;

    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int ranks() const noexcept = 0;

    /// `all` has a part for every rank, in their order, of `sizes` bytes: that of this rank goes to all
    /// others, theirs arrive. Every rank knows the sizes.
    virtual void gather(std::span<std::byte> all, std::span<const std::size_t> sizes) = 0;

    /// A message that is sent, or received, again and again from the same place. Between start() and wait()
    /// nobody touches that place.
    class Line {
    public:
        virtual ~Line() = default;
        virtual void start() = 0;
        /// Returns at once where nothing was started.
        virtual void wait() = 0;
    };

    /// `tag`: tells the lines between two ranks apart.
    [[nodiscard]] virtual std::unique_ptr<Line> line_to(int rank, int tag,
                                                        std::span<const std::byte> from) = 0;
    [[nodiscard]] virtual std::unique_ptr<Line> line_from(int rank, int tag, std::span<std::byte> to) = 0;
};

/// While it lives, runs of the thread that made it are those of one rank among several.
class Ranks {
public:
    explicit Ranks(Messages& messages) noexcept;
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    /// Of the run; null: it is alone.
    [[nodiscard]] static Messages* all() noexcept;

    /// The same where work may be shared: all ranks are there, with the same data. Null within blocks of
    /// loops, between steps, and in a run that is alone.
    [[nodiscard]] static Messages* shared() noexcept;

private:
    Messages* before_;
};

/// While it lives, the ranks share the work of the loops that say so (core/parallel.hpp).
class SharedWork {
public:
    SharedWork() noexcept;
    ~SharedWork();
    SharedWork(const SharedWork&) = delete;
    SharedWork& operator=(const SharedWork&) = delete;

private:
    bool before_;
};

/// While it lives, this rank works for itself.
class OwnWork {
public:
    OwnWork() noexcept;
    ~OwnWork();
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;

private:
    bool before_;
};

/// Whether all ranks want to go on after a step. Each also says what it computed, as a digest: ranks that
/// differ would go different ways, and wait for each other for ever. Throws InternalError where they do.
[[nodiscard]] bool all_continue(bool wanted, std::uint64_t digest, long step);

/// Whether all ranks did what they had to; else why not: what this one says, or the first that says
/// something.
[[nodiscard]] Expected<void> all_done(const Expected<void>& mine);

/// A number that other bytes hardly ever have.
[[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t before = 0) noexcept;

namespace detail {

/// Blocks [begin, end) of `count` that a rank takes.
struct Share {
    std::size_t begin = 0, end = 0;
};
[[nodiscard]] Share share_of(std::size_t count, int rank, int ranks) noexcept;

/// Every rank has filled its share of `count` records: afterwards all have all of them.
void gather_shares(Messages& ranks, std::span<std::byte> records, std::size_t count);

/// What every rank has, in the order of ranks; `sizes` are those of the parts.
void gather_sizes(Messages& ranks, std::size_t mine, std::span<std::size_t> sizes);

}  // namespace detail
}  // namespace carom
