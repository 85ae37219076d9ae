#include "page_data.hpp"

#include "draw_json.hpp"
#include "friction_json.hpp"
#include "mechanics_json.hpp"
#include "page_bodies.hpp"
#include "page_shell.hpp"
#include "report_json.hpp"
#include "solids_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

/// Tables and playback of more than these would be of no use to anybody, and heavy.
constexpr Eigen::Index max_events = 100'000;
constexpr Eigen::Index max_jump_entries = 10'000'000;

/// Reactions of constraints as lines to plot: the mean force, or torque, since the frame before.
std::vector<RecordedSeries> mean_reactions(const Recording& run)
{
    std::vector<RecordedSeries> result;
    for (std::size_t k = 0; k < run.constraints.reactions.size(); ++k) {
        Eigen::VectorXd mean = run.constraints.percussion_Ns.col(static_cast<Eigen::Index>(k));
        for (Eigen::Index i = 0; i < mean.size(); ++i) {
            const double since_s = i > 0 ? run.time_s[i] - run.time_s[i - 1] : 0.0;
            mean[i] = since_s > 0 ? mean[i] / since_s : 0.0;
        }
        if (mean.size() > 1) mean[0] = mean[1];
        result.push_back(
            {.name = "reaction of " + run.constraints.reactions[k], .unit = "N or N m", .values = mean});
    }
    return result;
}

Json tracks_json(const PageTracks& tracks)
{
    constexpr const char* codes[] = {"f64", "f32", "u16"};
    Json list = Json::array();
    for (const detail::TrackHead& track : tracks.heads()) {
        list.push_back({{"name", track.name},
                        {"rows", track.rows},
                        {"as", codes[static_cast<int>(track.code)]},
                        {"min", track.min},
                        {"max", track.max}});
    }
    return list;
}

/// Which contacts rub, and the section of each cone at P_N = 1 and mu = 1.
Json friction_json(const RecordedFriction& friction)
{
    Json list = Json::array();
    for (const RecordedCone& cone : friction.cones) {
        list.push_back({{"contact", cone.contact},
                        {"first", cone.first},
                        {"dimension", tangential_dimension(cone.shape)},
                        {"outline", detail::outline_of(cone.shape)}});
    }
    return list;
}

}  // namespace

PageData::PageData(const Recording& recording, const PageSettings& settings)
    : recording_(recording), settings_(settings), probes_(recording.probes)
{
    const auto reactions = mean_reactions(recording);
    probes_.insert(probes_.end(), reactions.begin(), reactions.end());
}

Expected<PageData> PageData::make(const Recording& recording, const PageSettings& settings)
{
    PageData data(recording, settings);
    data.choose();
    if (auto filled = data.fill(); !filled) return filled.error();
    return data;
}

std::optional<PageData> PageData::make_part(const Recording& recording, const PageProgress& has,
                                            const PageSettings& settings)
{
    // the mean reaction at the start is known from the second frame on
    if (has.frames < 2 || !continues(recording, has)) return std::nullopt;
    PageData data(recording, settings);
    data.has_ = has;
    data.is_part_ = true;
    if (!data.choose_part() || !data.fill()) return std::nullopt;
    return data;
}

Expected<void> PageData::fill()
{
    if (!recording_.solids.columns.empty()) {
        auto summary = summarise_motion(recording_, kept_);
        if (!summary) return summary.error();
        summary_ = std::move(*summary);
    }
    if (blocks_) {
        if (auto packed = pack(); !packed) return packed;
    }
    tell_rounding();
    add_frames();
    add_series();
    add_events();
    add_jumps();
    return add_bodies();
}

void PageData::keep_one_in(Eigen::Index stride)
{
    const Eigen::Index frames = recording_.frames();
    has_.stride = stride;
    kept_.clear();
    for (Eigen::Index i = (has_.frames + stride - 1) / stride * stride; i < frames; i += stride)
        kept_.push_back(i);
    // the last frame belongs to every run that has one, those that go on get it when they end
    const bool ends = !is_part_ || is_finished(recording_);
    if (ends && frames > has_.frames && (kept_.empty() || kept_.back() != frames - 1))
        kept_.push_back(frames - 1);
}

double PageData::bytes_of(double frames, bool blocks) const
{
    const Recording& run = recording_;
    const auto others =
        static_cast<double>(run.gap_m.cols() + run.percussion_Ns.cols() + run.friction.percussion_Ns.cols() +
                            run.friction.coefficient.cols() + run.draw.cols()) +
        static_cast<double>(run.energies.size() + probes_.size()) + 6;
    const double columns = blocks ? others : others + static_cast<double>(run.q.cols() + run.u.cols());
    // base64 writes 3 bytes as 4; what compression saves is not counted on
    return columns * frames * (code_ == TrackCode::Fixed ? 2 : 4) * 4 / 3;
}

void PageData::choose()
{
    const Recording& run = recording_;
    const auto motion = static_cast<double>(run.q.cols() + run.u.cols());
    const auto frames = static_cast<double>(run.frames());
    const auto fine = static_cast<double>(settings_.max_fine_bytes);
    const bool in_file = run.file && run.q.rows() == 0;
    blocks_ = !run.solids.columns.empty() && (motion * frames * 4 > fine || in_file);

    // 4 bytes a number while that is little, else 2
    if (bytes_of(frames, blocks_) * 3 / 4 > fine) code_ = TrackCode::Fixed;
    const double limit = std::max(1.0, static_cast<double>(settings_.max_data_bytes));
    keep_one_in(static_cast<Eigen::Index>(std::max(1.0, std::ceil(bytes_of(frames, blocks_) / limit))));
}

/// As the page has chosen. False: it would get twice as large as pages may be, or its numbers are better kept
/// in another way now.
bool PageData::choose_part()
{
    const Recording& run = recording_;
    blocks_ = has_.blocks;
    const Eigen::Index shown = run.frames() / has_.stride;
    const auto frames = static_cast<double>(shown);
    const auto motion = static_cast<double>(run.q.cols() + run.u.cols());
    const bool bodies = !run.solids.columns.empty();
    if (bytes_of(frames, blocks_) > 2 * static_cast<double>(settings_.max_data_bytes)) return false;
    if (bodies && !blocks_ && motion * frames * 4 > 4 * static_cast<double>(settings_.max_fine_bytes))
        return false;
    // a coordinate in a block takes about a byte
    if (bodies && blocks_ &&
        static_cast<double>(run.q.cols()) * frames > 2 * static_cast<double>(settings_.max_motion_bytes))
        return false;
    keep_one_in(has_.stride);
    std::vector<Eigen::Index> all;
    for (Eigen::Index i = 0; i < run.frames(); i += has_.stride)
        all.push_back(i);
    return contact_stride(run.bodies, all) <= 2 * static_cast<std::size_t>(has_.contacts_every);
}

/// Blocks are as small as they turn out to be: where that is too much, fewer frames are taken.
Expected<void> PageData::pack()
{
    auto motion = pack_motion(recording_, summary_, kept_);
    if (!motion) return motion.error();
    double bytes = 0;
    for (const std::string& block : motion->blocks)
        bytes += static_cast<double>(block.size());
    const double limit = std::max(1.0, static_cast<double>(settings_.max_motion_bytes));
    if (!is_part_ && bytes > limit) {
        const auto stride = static_cast<double>(recording_.frames()) / static_cast<double>(kept_.size());
        keep_one_in(static_cast<Eigen::Index>(std::ceil(stride * bytes / limit)));
        auto summary = summarise_motion(recording_, kept_);
        if (!summary) return summary.error();
        summary_ = std::move(*summary);
        motion = pack_motion(recording_, summary_, kept_);
        if (!motion) return motion.error();
    }
    motion_ = std::move(*motion);
    return {};
}

void PageData::tell_rounding()
{
    if (code_ == TrackCode::Fixed)
        notes_.emplace_back("Numbers on this page are rounded to 1/65534 of the range of their line.");
    if (has_.stride > 1) {
        notes_.push_back(fmt::format("There are many frames: this page shows one in {}. Percussions are "
                                     "summed over the omitted frames, residuals are their maxima.",
                                     has_.stride));
    }
    if (blocks_)
        notes_.emplace_back("Positions of bodies on this page are within 1/1000 of the smallest body's size; "
                            "plotted velocities of one body are differences of its positions.");
}

Eigen::VectorXd PageData::thinned(const Eigen::VectorXd& values, Thinned how) const
{
    Eigen::VectorXd result(static_cast<Eigen::Index>(kept_.size()));
    Eigen::Index from = has_.frames;
    for (Eigen::Index k = 0; k < result.size(); ++k) {
        const Eigen::Index last = kept_[static_cast<std::size_t>(k)];
        const auto part = values.segment(from, last - from + 1);
        from = last + 1;
        // a residual that is no number is the worst there is
        result[k] = how == Thinned::Last  ? part[part.size() - 1]
                    : how == Thinned::Sum ? part.sum()
                                          : part.maxCoeff<Eigen::PropagateNaN>();
    }
    return result;
}

void PageData::add(const std::string& name, const Eigen::VectorXd& values, Thinned how)
{
    tracks_.add(name, code_, thinned(values, how));
}

void PageData::add_columns(const std::string& name, const RowMatrix& table, Thinned how)
{
    for (Eigen::Index i = 0; i < table.cols(); ++i)
        add(fmt::format("{}.{}", name, i), table.col(i), how);
}

void PageData::add_frames()
{
    const Recording& run = recording_;
    tracks_.add("time_s", TrackCode::Double, thinned(run.time_s, Thinned::Last));
    if (!blocks_) {
        add_columns("q", run.q);
        add_columns("u", run.u);
    }
    add_columns("gap_m", run.gap_m);
    add_columns("percussion_Ns", run.percussion_Ns, Thinned::Sum);
    add_columns("friction.percussion_Ns", run.friction.percussion_Ns, Thinned::Sum);
    add_columns("friction.mu", run.friction.coefficient, Thinned::Worst);
    add_columns("draw", run.draw);

    // residuals live on many scales: sixteen bits of the largest would not do
    tracks_.add("residual", TrackCode::Single, thinned(run.residual, Thinned::Worst));
}

void PageData::add_series()
{
    for (const RecordedSeries& energy : recording_.energies)
        add("energy." + energy.name, energy.values);
    for (std::size_t i = 0; i < probes_.size(); ++i)
        add(fmt::format("probe.{}", i), probes_[i].values);
}

void PageData::add_events()
{
    const auto all = static_cast<Eigen::Index>(recording_.events.size());
    events_ = std::min(all, max_events);
    if (events_ < all)
        notes_.push_back(fmt::format("This page has the first {} events; there are more.", events_));
    const auto column = [&](const char* name, TrackCode code, auto value) {
        Eigen::VectorXd values(events_ - has_.events);
        for (Eigen::Index i = 0; i < values.size(); ++i)
            values[i] =
                static_cast<double>(value(recording_.events[static_cast<std::size_t>(has_.events + i)]));
        tracks_.add(fmt::format("events.{}", name), code, values);
    };
    column("time_s", TrackCode::Double, [](const Event& e) { return e.time_s; });
    column("kind", TrackCode::Single, [](const Event& e) { return static_cast<int>(e.kind); });
    column("contact", TrackCode::Single, [](const Event& e) { return e.contact; });
    column("percussion_Ns", TrackCode::Single, [](const Event& e) { return e.percussion_Ns; });
    column("velocity_before_m_s", TrackCode::Single, [](const Event& e) { return e.velocity_before_m_s; });
    column("velocity_after_m_s", TrackCode::Single, [](const Event& e) { return e.velocity_after_m_s; });
    column("energy_J", TrackCode::Single, [](const Event& e) { return e.energy_J; });
    column("slip_rad", TrackCode::Double, [](const Event& e) { return e.slip_rad; });
}

void PageData::add_jump_columns(const std::string& name, const RowMatrix& table)
{
    const Eigen::Index rows = jumps_ - has_.jumps;
    if (rows == 0) return;
    for (Eigen::Index i = 0; i < table.cols(); ++i)
        tracks_.add(fmt::format("jumps.{}.{}", name, i), code_, table.col(i).segment(has_.jumps, rows));
}

void PageData::add_jumps()
{
    const RecordedJumps& jumps = recording_.jumps;
    const RowMatrix& friction = recording_.friction.jump_percussion_Ns;
    const Eigen::Index width = 3 * jumps.q.cols() + jumps.draw.cols() + friction.cols() + 4;
    const Eigen::Index all = jumps.time_s.size();
    jumps_ = std::max(has_.jumps, std::min(all, max_jump_entries / width));
    if (jumps_ < all) {
        notes_.push_back(fmt::format(
            "This page draws the first {} jumps of velocities as jumps; there are more.", jumps_));
    }
    tracks_.add("jumps.time_s", TrackCode::Double, jumps.time_s.segment(has_.jumps, jumps_ - has_.jumps));
    add_jump_columns("q", jumps.q);
    add_jump_columns("u_minus", jumps.u_minus);
    add_jump_columns("u_plus", jumps.u_plus);
    add_jump_columns("draw", jumps.draw);
    add_jump_columns("friction_Ns", friction);
}

Expected<void> PageData::add_bodies()
{
    PageTracks& tracks = blocks_ && !is_part_ ? late_ : tracks_;
    if (recording_.bodies.first_row.size() > 1) {
        const ContactFrames frames{.stride = is_part_ ? static_cast<std::size_t>(has_.contacts_every)
                                                      : contact_stride(recording_.bodies, kept_),
                                   .before = static_cast<std::size_t>(has_.shown)};
        has_.contacts_every = static_cast<Eigen::Index>(frames.stride);
        if (auto added = add_contacts(recording_, kept_, frames, tracks, notes_); !added) return added;
    }
    add_body_forces(recording_, kept_, tracks);
    if (!blocks_) return {};
    for (std::size_t k = 0; k < summary_.speeds.size() && summary_.speeds[k].size() > 0; ++k)
        tracks_.add(fmt::format("speeds.{}", k), TrackCode::Single, summary_.speeds[k]);
    return {};
}

std::string PageData::progress(const std::string& follow) const
{
    if (follow.empty()) return {};
    PageProgress now = has_;
    if (!kept_.empty()) now.frames = kept_.back() + 1;
    now.shown += static_cast<Eigen::Index>(kept_.size());
    now.events = events_;
    now.jumps = jumps_;
    now.blocks = blocks_;
    now.scene = scene_number(recording_);
    now.last_s = now.frames > 0 ? recording_.time_s[now.frames - 1] : 0;
    return to_text(follow, now);
}

Json PageData::head(const std::string& follow) const
{
    const Recording& run = recording_;
    Json coordinates = Json::array(), probes = Json::array(), energies = Json::array();
    for (const Coordinate& coordinate : blocks_ ? std::vector<Coordinate>{} : run.coordinates)
        coordinates.push_back({{"name", coordinate.name}, {"unit", coordinate.unit}});
    for (const RecordedSeries& probe : probes_)
        probes.push_back({{"name", probe.name}, {"unit", probe.unit}});
    for (const RecordedSeries& energy : run.energies)
        energies.push_back(energy.name);
    const Json report = run.report ? Json::parse(to_json(*run.report)) : Json();
    Json head = {{"format", "carom-page"},
                 {"version", 1},
                 {"title", run.title},
                 {"carom_version", run.carom_version},
                 {"scene", run.scene_text},
                 {"start_s", run.start_s},
                 {"duration_s", run.duration_s},
                 {"time_step_s", run.time_step_s},
                 {"every_s", run.every_s},
                 {"coordinates", coordinates},
                 {"contacts", run.contacts},
                 {"probes", probes},
                 {"energies", energies},
                 {"event_kinds", Json::parse(event_kind_names())},
                 {"event_names", run.event_names},
                 {"friction", friction_json(run.friction)},
                 {"draw", Json::parse(to_json(run.drawings))},
                 {"report", report},
                 {"palette", palette_json()},
                 {"notes", notes_},
                 {"follow", progress(follow)},
                 {"tracks", tracks_json(tracks_)}};
    if (!run.solids.surfaces.empty()) {
        head["solids"] = Json::parse(to_json(run.solids));
        head["solids"]["names"] = run.bodies.names;
        head["solids"]["fastest"] = summary_.fastest;
    }
    if (!run.mechanics.mass_kg.empty()) head["mechanics"] = Json::parse(to_json(run.mechanics));
    if (!late_.heads().empty()) head["late"] = tracks_json(late_);
    if (blocks_) head["motion"] = motion_json();
    return head;
}

Json PageData::motion_json() const
{
    return {{"frames_per_block", motion_.frames_per_block},
            {"first_frames", motion_.first_frames},
            {"blocks", motion_.blocks.size()},
            {"low", motion_.low},
            {"high", motion_.high},
            {"step", motion_.step},
            {"bytes", motion_.bytes}};
}

/// What may have changed since the page was made.
Json PageData::part_head(const std::string& follow) const
{
    const Recording& run = recording_;
    Json head = {{"part", true},
                 {"event_names", run.event_names},
                 {"report", run.report ? Json::parse(to_json(*run.report)) : Json()},
                 {"notes", notes_},
                 {"follow", progress(follow)},
                 {"tracks", tracks_json(tracks_)}};
    if (!motion_.blocks.empty()) head["motion"] = motion_json();
    return head;
}

}  // namespace carom::detail
