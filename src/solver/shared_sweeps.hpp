#pragma once

#include "core/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace carom {

/// Sweeps that several ranks share. Contacts are in blocks, blocks in phases (a colour each, SO-38), and each
/// block belongs to one rank by a rule of ids and counts. In a pass over the phases the velocity of a body
/// goes from contact to contact, and a message is sent only where the next contact belongs to another rank:
///
///     owner(k) != owner(k + 1)   for the contacts k, k + 1 that touch the body one after the other (MA-2)
///
/// The last one sends it to the first, where the next pass begins: the home of the body. All that a rank
/// reads is what one process alone would read, so that the results are the same bits. Between two ranks what
/// may wait for each other is one message (MA-8).
///
/// Theory     docs/theory/machines.md, (MA-1) who owns a block, (MA-2) what is sent, (MA-8) when, (MA-10) sums
class SharedSweeps {
public:
    /// A block of contacts.
    struct Block {
        int phase = 0;
        double cost = 0;
        int place = 0;  ///< of the contact in its middle (ContactColours)
    };

    /// For these blocks, phase by phase: (MA-1). All ranks call it with the same numbers.
    void begin(Messages& ranks, std::span<const Block> blocks, std::size_t bodies, std::size_t body_bytes);

    /// A moving body in a block: in the order of blocks.
    void visit(int body, std::size_t block);

    /// After the last visit.
    void plan();

    /// One process does it all.
    void leave() noexcept { ranks_ = nullptr; }

    [[nodiscard]] bool is_shared() const noexcept { return ranks_ != nullptr; }
    [[nodiscard]] int owner(std::size_t block) const noexcept { return owner_[block]; }
    [[nodiscard]] int home(std::size_t body) const noexcept { return route_[body].home; }
    [[nodiscard]] int rank() const noexcept { return ranks_->rank(); }

    /// Blocks of this rank, in order.
    [[nodiscard]] std::span<const std::size_t> mine() const noexcept { return mine_; }

    // A pass. `bodies`: one record of `body_bytes` each.
    void begin_pass();
    void before_phase(int phase, std::byte* bodies);
    void after_phase(int phase, const std::byte* bodies);
    void end_pass(std::byte* bodies);

    /// After a pass: the velocities of all bodies that a rank touches.
    void spread(std::byte* bodies);

    /// Sums of records, one per block, each as long as `total`: part by part of so many blocks (MA-10). In one
    /// process, and where every rank has filled the records of its blocks.
    static constexpr std::size_t blocks_in_part = 32;
    static void add_up(std::span<const double> records, std::span<double> total) noexcept;
    void add_up_shared(std::span<const double> records, std::span<double> total);

    /// After a pass: the records of all bodies.
    void gather_bodies(std::byte* bodies);

    /// The same of what pack(block, to) writes of each block, `bytes(block)` of them, by unpack(block, from).
    template <class Bytes, class Pack, class Unpack>
    void gather_parts(Bytes bytes, Pack pack, Unpack unpack)
    {
        gather(owner_.size(), [&](std::size_t block) { return owner_[block]; }, bytes, pack, unpack);
    }

private:
    /// Bodies between two ranks, sent behind one phase and read before another.
    struct Parcel {
        int partner = 0, phase = 0, due = 0;
        std::vector<int> bodies;
        std::vector<std::byte> data;
        std::unique_ptr<Messages::Line> line;
    };
    using Parcels = std::vector<Parcel>;

    /// Of a body: ranks and phases of its first and of its last contact so far.
    struct Route {
        int home = -1, last = -1, phase = 0;
    };

    /// Blocks of a part: all of them, where they belong to one rank; otherwise one.
    struct Piece {
        int owner = 0;
        std::size_t part = 0, begin = 0, end = 0;
    };
    void cut_parts();

    /// Bodies in a row with one home.
    struct Homes {
        int home = -1;
        std::size_t begin = 0, end = 0;
    };
    void find_homes();

    /// Of things that belong to a rank each, -1: to nobody.
    template <class Owner, class Bytes, class Pack, class Unpack>
    void gather(std::size_t count, Owner owner, Bytes bytes, Pack pack, Unpack unpack);

    /// A body that may leave behind `phase`, or behind any later one before `due`.
    struct Transfer {
        int partner = 0, body = 0, phase = 0, due = 0;
    };
    using Transfers = std::vector<Transfer>;

    /// From one rank to another, where this is one of them.
    void send(int body, int from, int to, int phase, int due, Transfers& out, Transfers& in) const;

    /// As few messages as there can be (MA-8); both ranks have the same transfers in the same order.
    [[nodiscard]] Parcels parcels_of(Transfers& transfers) const;
    void open(Parcels& out, Parcels& in, int first_tag);
    void pack(Parcel& parcel, const std::byte* bodies) const;
    void unpack(const Parcel& parcel, std::byte* bodies) const;
    [[nodiscard]] int last_due() const noexcept { return phases_ + 1; }

    Messages* ranks_ = nullptr;
    std::size_t body_bytes_ = 0;
    int phases_ = 0;
    std::vector<int> phase_of_block_, owner_;
    std::vector<double> cost_before_;  ///< per place: of the blocks of lower ones
    std::vector<std::size_t> mine_;
    std::vector<Piece> pieces_;
    std::vector<double> of_pieces_;
    std::vector<Route> route_;  ///< per body
    std::vector<Homes> homes_;
    std::vector<std::pair<int, int>> touched_;  ///< body and rank, of ranks other than its home
    Transfers leave_, arrive_;
    Parcels out_, in_, spread_out_, spread_in_;
    std::vector<std::size_t> sizes_;
    std::vector<std::byte> gathered_;
};

template <class Owner, class Bytes, class Pack, class Unpack>
void SharedSweeps::gather(std::size_t count, Owner owner, Bytes bytes, Pack pack, Unpack unpack)
{
    sizes_.assign(static_cast<std::size_t>(ranks_->ranks()), 0);
    for (std::size_t k = 0; k < count; ++k) {
        if (owner(k) >= 0) sizes_[static_cast<std::size_t>(owner(k))] += bytes(k);
    }
    std::vector<std::size_t> begin(sizes_.size() + 1, 0);
    std::partial_sum(sizes_.begin(), sizes_.end(), begin.begin() + 1);
    gathered_.resize(begin.back());
    // the same walk writes what this rank has and, when all has come, reads what the others had
    const auto walk = [&](bool mine, auto visit) {
        std::vector<std::size_t> next = begin;
        for (std::size_t k = 0; k < count; ++k) {
            if (owner(k) < 0) continue;
            std::size_t& at = next[static_cast<std::size_t>(owner(k))];
            if ((owner(k) == rank()) == mine) visit(k, gathered_.data() + at);
            at += bytes(k);
        }
    };
    walk(true, pack);
    ranks_->gather(gathered_, sizes_);
    walk(false, unpack);
}

}  // namespace carom
