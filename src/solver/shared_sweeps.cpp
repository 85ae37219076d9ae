#include "solver/shared_sweeps.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace carom {
namespace {

/// Lines of the spread have tags behind those of all phases.
constexpr int spread_tag = 1024;

/// Of every so many of the numbers, the first included, one after the other.
double sum_of(std::span<const double> numbers, std::size_t apart) noexcept
{
    double sum = 0;
    for (std::size_t k = 0; k < numbers.size(); k += apart) {
        sum += numbers[k];
    }
    return sum;
}

}  // namespace

/// The blocks of all phases go to the ranks in the order of their places, in parts of equal cost (MA-1).
void SharedSweeps::begin(Messages& ranks, std::span<const Block> blocks, std::size_t bodies,
                         std::size_t body_bytes)
{
    ranks_ = &ranks;
    body_bytes_ = body_bytes;
    phases_ = blocks.empty() ? 0 : blocks.back().phase + 1;
    cost_before_.assign(bodies + 1, 0.0);
    for (const Block& block : blocks) {
        cost_before_[static_cast<std::size_t>(block.place) + 1] += block.cost;
    }
    std::partial_sum(cost_before_.begin(), cost_before_.end(), cost_before_.begin());
    phase_of_block_.clear();
    owner_.clear();
    mine_.clear();
    for (const Block& block : blocks) {
        const auto place = static_cast<std::size_t>(block.place);
        const double middle = (cost_before_[place] + cost_before_[place + 1]) / (2 * cost_before_.back());
        const int owner = std::min(static_cast<int>(middle * ranks.ranks()), ranks.ranks() - 1);
        if (owner == ranks.rank()) mine_.push_back(owner_.size());
        phase_of_block_.push_back(block.phase);
        owner_.push_back(owner);
    }
    cut_parts();
    route_.assign(bodies, {});
    touched_.clear();
    leave_.clear();
    arrive_.clear();
    for (Parcels* parcels : {&out_, &in_, &spread_out_, &spread_in_}) {
        parcels->clear();
    }
}

void SharedSweeps::send(int body, int from, int to, int phase, int due, Transfers& out, Transfers& in) const
{
    if (from == rank()) out.push_back({.partner = to, .body = body, .phase = phase, .due = due});
    if (to == rank()) in.push_back({.partner = from, .body = body, .phase = phase, .due = due});
}

/// Intervals of phases behind which a body may leave are met by as few phases as can be: always the last one
/// that the most urgent of the rest allows. The message leaves when the last of its bodies is ready.
SharedSweeps::Parcels SharedSweeps::parcels_of(Transfers& transfers) const
{
    std::ranges::stable_sort(transfers, [](const Transfer& a, const Transfer& b) {
        return a.partner != b.partner ? a.partner < b.partner : a.due < b.due;
    });
    Parcels parcels;
    std::vector<char> is_taken(transfers.size(), 0);
    for (std::size_t first = 0; first < transfers.size(); ++first) {
        if (is_taken[first]) continue;
        const int partner = transfers[first].partner, due = transfers[first].due;
        Parcel& one = parcels.emplace_back();
        one.partner = partner;
        one.due = due;
        for (std::size_t k = first; k < transfers.size() && transfers[k].partner == partner; ++k) {
            if (is_taken[k] || transfers[k].phase >= due) continue;
            is_taken[k] = 1;
            one.phase = std::max(one.phase, transfers[k].phase);
            one.bodies.push_back(transfers[k].body);
        }
    }
    transfers.clear();
    return parcels;
}

void SharedSweeps::visit(int body, std::size_t block)
{
    Route& route = route_[static_cast<std::size_t>(body)];
    const int owner = owner_[block], phase = phase_of_block_[block];
    if (route.home < 0) route.home = owner;
    if (route.last >= 0 && route.last != owner) {
        send(body, route.last, owner, route.phase, phase, leave_, arrive_);
        touched_.emplace_back(body, owner);
    }
    route.last = owner;
    route.phase = phase;
}

void SharedSweeps::plan()
{
    for (std::size_t k = 0; k < route_.size(); ++k) {
        const Route& route = route_[k];
        if (route.last == route.home) continue;
        send(static_cast<int>(k), route.last, route.home, route.phase, last_due(), leave_, arrive_);
        touched_.emplace_back(static_cast<int>(k), route.home);
    }
    out_ = parcels_of(leave_);
    in_ = parcels_of(arrive_);
    open(out_, in_, 0);

    find_homes();

    // whoever touches a body and is not the last to do so
    std::ranges::sort(touched_);
    const auto repeated = std::ranges::unique(touched_);
    touched_.erase(repeated.begin(), repeated.end());
    for (const auto& [body, to] : touched_) {
        const int from = route_[static_cast<std::size_t>(body)].last;
        if (from == to) continue;
        send(body, from, to, 0, last_due(), leave_, arrive_);
    }
    spread_out_ = parcels_of(leave_);
    spread_in_ = parcels_of(arrive_);
    open(spread_out_, spread_in_, spread_tag);
}

void SharedSweeps::find_homes()
{
    homes_.clear();
    for (std::size_t body = 0; body < route_.size(); ++body) {
        const int home = route_[body].home;
        if (homes_.empty() || homes_.back().home != home)
            homes_.push_back({.home = home, .begin = body, .end = body});
        homes_.back().end = body + 1;
    }
}

void SharedSweeps::open(Parcels& out, Parcels& in, int first_tag)
{
    for (Parcel& one : out) {
        one.data.resize(one.bodies.size() * body_bytes_);
        one.line = ranks_->line_to(one.partner, first_tag + one.phase, one.data);
    }
    for (Parcel& one : in) {
        one.data.resize(one.bodies.size() * body_bytes_);
        one.line = ranks_->line_from(one.partner, first_tag + one.phase, one.data);
    }
}

void SharedSweeps::pack(Parcel& parcel, const std::byte* bodies) const
{
    std::byte* to = parcel.data.data();
    for (const int body : parcel.bodies) {
        to = std::copy_n(bodies + static_cast<std::size_t>(body) * body_bytes_, body_bytes_, to);
    }
}

void SharedSweeps::unpack(const Parcel& parcel, std::byte* bodies) const
{
    const std::byte* from = parcel.data.data();
    for (const int body : parcel.bodies) {
        std::copy_n(from, body_bytes_, bodies + static_cast<std::size_t>(body) * body_bytes_);
        from += body_bytes_;
    }
}

void SharedSweeps::begin_pass()
{
    for (Parcel& one : in_) {
        one.line->start();
    }
}

void SharedSweeps::before_phase(int phase, std::byte* bodies)
{
    for (Parcel& one : in_) {
        if (one.due != phase) continue;
        one.line->wait();
        unpack(one, bodies);
    }
}

void SharedSweeps::after_phase(int phase, const std::byte* bodies)
{
    for (Parcel& one : out_) {
        if (one.phase != phase) continue;
        pack(one, bodies);
        one.line->start();
    }
}

void SharedSweeps::end_pass(std::byte* bodies)
{
    before_phase(last_due(), bodies);
    for (Parcel& one : out_) {
        one.line->wait();
    }
}

void SharedSweeps::spread(std::byte* bodies)
{
    for (Parcel& one : spread_in_) {
        one.line->start();
    }
    for (Parcel& one : spread_out_) {
        pack(one, bodies);
        one.line->start();
    }
    for (Parcel& one : spread_in_) {
        one.line->wait();
        unpack(one, bodies);
    }
    for (Parcel& one : spread_out_) {
        one.line->wait();
    }
}

void SharedSweeps::add_up(std::span<const double> records, std::span<double> total) noexcept
{
    const std::size_t width = total.size(), part_size = blocks_in_part * width;
    std::ranges::fill(total, 0.0);
    for (std::size_t begin = 0; begin < records.size(); begin += part_size) {
        const auto part = records.subspan(begin, std::min(part_size, records.size() - begin));
        for (std::size_t i = 0; i < width; ++i) {
            total[i] += sum_of(part.subspan(i), width);
        }
    }
}

/// A part that one rank has is one record on the way; others are put together here, in the same order.
void SharedSweeps::add_up_shared(std::span<const double> records, std::span<double> total)
{
    const std::size_t width = total.size(), bytes = width * sizeof(double);
    of_pieces_.resize(pieces_.size() * width);
    gather(
        pieces_.size(), [&](std::size_t k) { return pieces_[k].owner; }, [&](std::size_t) { return bytes; },
        [&](std::size_t k, std::byte* to) {
            const Piece& piece = pieces_[k];
            const auto blocks = records.subspan(piece.begin * width, (piece.end - piece.begin) * width);
            for (std::size_t i = 0; i < width; ++i) {
                of_pieces_[k * width + i] = sum_of(blocks.subspan(i), width);
            }
            std::memcpy(to, &of_pieces_[k * width], bytes);
        },
        [&](std::size_t k, const std::byte* from) { std::memcpy(&of_pieces_[k * width], from, bytes); });
    std::ranges::fill(total, 0.0);
    for (std::size_t begin = 0, end = 0; begin < pieces_.size(); begin = end) {
        while (end < pieces_.size() && pieces_[end].part == pieces_[begin].part) {
            ++end;
        }
        const auto part = std::span<const double>(of_pieces_).subspan(begin * width, (end - begin) * width);
        for (std::size_t i = 0; i < width; ++i) {
            total[i] += sum_of(part.subspan(i), width);
        }
    }
}

void SharedSweeps::cut_parts()
{
    pieces_.clear();
    for (std::size_t begin = 0; begin < owner_.size(); begin += blocks_in_part) {
        const std::size_t end = std::min(begin + blocks_in_part, owner_.size());
        const auto owners = std::span(owner_).subspan(begin, end - begin);
        const bool is_whole = std::ranges::all_of(owners, [&](int owner) { return owner == owners.front(); });
        const std::size_t part = begin / blocks_in_part;
        if (is_whole) pieces_.push_back({.owner = owners.front(), .part = part, .begin = begin, .end = end});
        for (std::size_t block = begin; !is_whole && block < end; ++block) {
            pieces_.push_back({.owner = owner_[block], .part = part, .begin = block, .end = block + 1});
        }
    }
}

void SharedSweeps::gather_bodies(std::byte* bodies)
{
    const auto bytes = [&](std::size_t k) { return (homes_[k].end - homes_[k].begin) * body_bytes_; };
    const auto place = [&](std::size_t k) { return bodies + homes_[k].begin * body_bytes_; };
    gather(
        homes_.size(), [&](std::size_t k) { return homes_[k].home; }, bytes,
        [&](std::size_t k, std::byte* to) { std::copy_n(place(k), bytes(k), to); },
        [&](std::size_t k, const std::byte* from) { std::copy_n(from, bytes(k), place(k)); });
}

}  // namespace carom
