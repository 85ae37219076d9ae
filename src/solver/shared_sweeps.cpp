#include "solver/shared_sweeps.hpp"

#include <algorithm>

namespace carom {
namespace {

/// Lines of the spread have tags behind those of all phases.
constexpr int spread_tag = 1024;

}  // namespace

/// The blocks of a phase go to the ranks in the order of ids, in parts of equal cost (MA-1).
void SharedSweeps::begin(Messages& ranks, std::span<const int> phase_of_block, std::span<const double> cost,
                         std::size_t bodies, std::size_t body_bytes)
{
    ranks_ = &ranks;
    body_bytes_ = body_bytes;
    phase_of_block_.assign(phase_of_block.begin(), phase_of_block.end());
    phases_ = phase_of_block.empty() ? 0 : phase_of_block.back() + 1;
    owner_.assign(phase_of_block.size(), 0);
    mine_.clear();
    for (std::size_t begin = 0, end = 0; begin < owner_.size(); begin = end) {
        double total = 0, before = 0;
        for (end = begin; end < owner_.size() && phase_of_block[end] == phase_of_block[begin]; ++end) {
            total += cost[end];
        }
        for (std::size_t block = begin; block < end; ++block) {
            const double middle = (before + cost[block] / 2) / total;
            owner_[block] = std::min(static_cast<int>(middle * ranks.ranks()), ranks.ranks() - 1);
            if (owner_[block] == ranks.rank()) mine_.push_back(block);
            before += cost[block];
        }
    }
    route_.assign(bodies, {});
    touched_.clear();
    for (Parcels* parcels : {&out_, &in_, &spread_out_, &spread_in_}) {
        parcels->clear();
    }
}

SharedSweeps::Parcel& SharedSweeps::parcel(Parcels& all, int partner, int phase, int due)
{
    const auto found = std::ranges::find_if(
        all, [&](const Parcel& one) { return one.partner == partner && one.phase == phase; });
    if (found == all.end()) return all.emplace_back(Parcel{partner, phase, due, {}, {}, nullptr});
    found->due = std::min(found->due, due);
    return *found;
}

void SharedSweeps::send(int body, int from, int to, int phase, int due)
{
    if (from == rank()) parcel(out_, to, phase, due).bodies.push_back(body);
    if (to == rank()) parcel(in_, from, phase, due).bodies.push_back(body);
}

void SharedSweeps::visit(int body, std::size_t block)
{
    Route& route = route_[static_cast<std::size_t>(body)];
    const int owner = owner_[block], phase = phase_of_block_[block];
    if (route.home < 0) route.home = owner;
    if (route.last >= 0 && route.last != owner) {
        send(body, route.last, owner, route.phase, phase);
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
        send(static_cast<int>(k), route.last, route.home, route.phase, last_due());
        touched_.emplace_back(static_cast<int>(k), route.home);
    }
    open(out_, in_, 0);

    // whoever touches a body and is not the last to do so
    std::ranges::sort(touched_);
    const auto repeated = std::ranges::unique(touched_);
    touched_.erase(repeated.begin(), repeated.end());
    for (const auto& [body, to] : touched_) {
        const int from = route_[static_cast<std::size_t>(body)].last;
        if (from == to) continue;
        if (from == rank()) parcel(spread_out_, to, 0, 0).bodies.push_back(body);
        if (to == rank()) parcel(spread_in_, from, 0, 0).bodies.push_back(body);
    }
    open(spread_out_, spread_in_, spread_tag);
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

void SharedSweeps::gather_blocks(std::byte* records, std::size_t record_bytes)
{
    gather_parts([=](std::size_t) { return record_bytes; },
                 [=](std::size_t block, std::byte* to) {
                     std::copy_n(records + block * record_bytes, record_bytes, to);
                 },
                 [=](std::size_t block, const std::byte* from) {
                     std::copy_n(from, record_bytes, records + block * record_bytes);
                 });
}

void SharedSweeps::gather_bodies(std::byte* bodies)
{
    gather(
        route_.size(), [&](std::size_t body) { return route_[body].home; },
        [&](std::size_t) { return body_bytes_; },
        [&](std::size_t body, std::byte* to) { std::copy_n(bodies + body * body_bytes_, body_bytes_, to); },
        [&](std::size_t body, const std::byte* from) {
            std::copy_n(from, body_bytes_, bodies + body * body_bytes_);
        });
}

}  // namespace carom
