#include "analytic/series_log.hpp"

#include "series_engine.hpp"

namespace carom {

void keep_series_log(const Model& model, int order, Scratch& scratch)
{
    SeriesMemory& memory = detail::series_memory(model, order, scratch);
    if (!memory.log) memory.log = std::make_unique<SeriesLog>();
}

const SeriesLog* series_log(const Scratch& scratch) noexcept
{
    return scratch.series ? scratch.series->log.get() : nullptr;
}

}  // namespace carom

namespace carom::detail {
namespace {

SeriesCause::Kind kind_of(Watch what)
{
    switch (what) {
    case Watch::Gap: return SeriesCause::Kind::Gap;
    case Watch::Reaction: return SeriesCause::Kind::Reaction;
    case Watch::SlipEnd: return SeriesCause::Kind::SlipEnd;
    case Watch::Threshold: return SeriesCause::Kind::Threshold;
    case Watch::Switch: return SeriesCause::Kind::Switch;
    case Watch::Until: break;
    }
    return SeriesCause::Kind::Until;
}

}  // namespace

/// The instant now, between the last piece and the next.
SeriesInstant& SeriesEngine::logged_instant()
{
    auto& instants = memory_.log->instants;
    if (instants.empty() || instants.back().pieces != memory_.piece_count || instants.back().t_s != t_s_) {
        instants.push_back({.t_s = t_s_, .pieces = memory_.piece_count, .causes = {}, .jumps = {}});
    }
    return instants.back();
}

void SeriesEngine::log_causes()
{
    SeriesInstant& now = logged_instant();
    for (const Occurrence& one : w_.happening) {
        now.causes.push_back(
            {.kind = kind_of(one.what), .contact = one.contact, .side = one.side, .touches = one.touches});
    }
}

void SeriesEngine::log_cause(SeriesCause::Kind kind, const std::vector<int>& contacts)
{
    SeriesInstant& now = logged_instant();
    for (const int contact : contacts) {
        now.causes.push_back({.kind = kind, .contact = contact});
    }
}

/// What the contacts of the piece that was just begun do.
void SeriesEngine::log_statuses()
{
    std::vector<SeriesStatus>& now = memory_.log->statuses.emplace_back();
    for (const Player& one : x_->players()) {
        if (!one.may_act()) continue;
        const bool slides = one.programs->friction && one.friction == FrictionStatus::Slip;
        now.push_back({.contact = one.known.contact,
                       .dimension = one.dimension,
                       .frame = one.frame,
                       .slides = slides,
                       .sticks = one.programs->friction && !slides,
                       .side = one.side,
                       .begins = slides && one.known.at_rest});
    }
}

}  // namespace carom::detail
