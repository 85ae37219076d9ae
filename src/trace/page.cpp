#include "carom/trace/page.hpp"

#include "carom/core/error.hpp"
#include "carom/core/version.hpp"
#include "draw_json.hpp"
#include "friction_json.hpp"
#include "mechanics_json.hpp"
#include "page_bodies.hpp"
#include "page_motion.hpp"
#include "page_shell.hpp"
#include "page_tracks.hpp"
#include "report_json.hpp"
#include "solids_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::page_with;
using detail::PageTracks;
using detail::palette_json;
using detail::script_safe;
using detail::TrackCode;
using Json = nlohmann::ordered_json;

/// Tables and playback of more than these would be of no use to anybody, and heavy.
constexpr Eigen::Index max_events = 100'000;
constexpr Eigen::Index max_jump_entries = 10'000'000;

/// What a kept frame shows of those left out before it.
enum class Thinned { Last, Sum, Worst };

/// Chooses the frames and the width of numbers, and fills the tracks of a page.
class PageData {
public:
    PageData(const Recording& recording, const PageSettings& settings);

    [[nodiscard]] Json head(const std::string& follow) const;
    [[nodiscard]] std::string tracks() const { return tracks_.packed(); }
    [[nodiscard]] const std::vector<std::string>& motion() const { return motion_.blocks; }

private:
    void choose(const PageSettings& settings);
    void add_frames();
    void add_series();
    void add_events();
    void add_jumps();
    void add_bodies();
    void pack(const PageSettings& settings);
    void keep_one_in(Eigen::Index stride);
    void add(const std::string& name, const Eigen::VectorXd& values, Thinned thinned = Thinned::Last);
    void add_columns(const std::string& name, const RowMatrix& table, Thinned thinned = Thinned::Last);
    void add_jump_columns(const std::string& name, const RowMatrix& table, Eigen::Index rows);
    [[nodiscard]] Eigen::VectorXd thinned(const Eigen::VectorXd& values, Thinned how) const;

    const Recording& recording_;
    std::vector<RecordedSeries> probes_;  ///< of the scene, and the reactions of its constraints
    PageTracks tracks_;
    std::vector<Eigen::Index> kept_;  ///< frames, the first and the last among them
    TrackCode code_ = TrackCode::Single;
    detail::PageMotion motion_;  ///< of many bodies, instead of tracks of their coordinates
    std::vector<std::string> notes_;
};

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

PageData::PageData(const Recording& recording, const PageSettings& settings)
    : recording_(recording), probes_(recording.probes)
{
    const auto reactions = mean_reactions(recording);
    probes_.insert(probes_.end(), reactions.begin(), reactions.end());
    choose(settings);
    add_frames();
    add_series();
    add_events();
    add_jumps();
    add_bodies();
}

void PageData::keep_one_in(Eigen::Index stride)
{
    const Eigen::Index frames = recording_.frames();
    kept_.clear();
    for (Eigen::Index i = 0; i < frames; i += stride)
        kept_.push_back(i);
    if (frames > 0 && kept_.back() != frames - 1) kept_.push_back(frames - 1);
    if (stride > 1) {
        notes_.push_back(fmt::format(
            "The recording has {} frames; this page shows one in {}, to stay small. Percussions are "
            "summed over those left out, residuals are their worst.",
            frames, stride));
    }
}

void PageData::choose(const PageSettings& settings)
{
    const Recording& run = recording_;
    const auto motion = static_cast<double>(run.q.cols() + run.u.cols());
    const auto others =
        static_cast<double>(run.gap_m.cols() + run.percussion_Ns.cols() + run.friction.percussion_Ns.cols() +
                            run.friction.coefficient.cols() + run.draw.cols()) +
        static_cast<double>(run.energies.size() + probes_.size()) + 6;
    const auto frames = static_cast<double>(run.frames());
    const auto fine = static_cast<double>(settings.max_fine_bytes);

    // many bodies have their motion in blocks, without velocities
    const bool blocks = !run.solids.columns.empty() && motion * frames * 4 > fine;
    const double columns = blocks ? others : motion + others;

    // 4 bytes a number while that is little, else 2
    if (columns * frames * 4 > fine) {
        code_ = TrackCode::Fixed;
        notes_.emplace_back("Numbers on this page are rounded to 1/65534 of the range of their line.");
    }

    // base64 writes 3 bytes as 4; what compression saves is not counted on
    const double bytes = columns * frames * (code_ == TrackCode::Fixed ? 2 : 4) * 4 / 3;
    const double limit = std::max(1.0, static_cast<double>(settings.max_data_bytes));
    const auto stride = static_cast<Eigen::Index>(std::max(1.0, std::ceil(bytes / limit)));
    keep_one_in(stride);
    if (blocks) pack(settings);
}

/// Blocks are as small as they turn out to be: where that is too much, fewer frames are taken.
void PageData::pack(const PageSettings& settings)
{
    const auto size_of = [](const detail::PageMotion& motion) {
        double bytes = 0;
        for (const std::string& block : motion.blocks)
            bytes += static_cast<double>(block.size());
        return bytes;
    };
    motion_ = detail::pack_motion(recording_, kept_);
    const double limit = std::max(1.0, static_cast<double>(settings.max_motion_bytes));
    if (const double bytes = size_of(motion_); bytes > limit) {
        const auto stride = static_cast<double>(recording_.frames()) / static_cast<double>(kept_.size());
        keep_one_in(static_cast<Eigen::Index>(std::ceil(stride * bytes / limit)));
        motion_ = detail::pack_motion(recording_, kept_);
    }
    notes_.emplace_back(
        "Places of bodies on this page are within 1/1000 of the smallest body's size; plotted "
        "velocities of one body are differences of its places.");
}

Eigen::VectorXd PageData::thinned(const Eigen::VectorXd& values, Thinned how) const
{
    Eigen::VectorXd result(static_cast<Eigen::Index>(kept_.size()));
    Eigen::Index from = 0;
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
    if (motion_.blocks.empty()) {
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
    const Eigen::Index rows = std::min(all, max_events);
    if (rows < all) notes_.push_back(fmt::format("Of {} events this page has the first {}.", all, rows));
    const auto column = [&](const char* name, TrackCode code, auto value) {
        Eigen::VectorXd values(rows);
        for (Eigen::Index i = 0; i < rows; ++i)
            values[i] = static_cast<double>(value(recording_.events[static_cast<std::size_t>(i)]));
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

void PageData::add_jump_columns(const std::string& name, const RowMatrix& table, Eigen::Index rows)
{
    if (rows == 0) return;
    for (Eigen::Index i = 0; i < table.cols(); ++i)
        tracks_.add(fmt::format("jumps.{}.{}", name, i), code_, table.col(i).head(rows));
}

void PageData::add_jumps()
{
    const RecordedJumps& jumps = recording_.jumps;
    const RowMatrix& friction = recording_.friction.jump_percussion_Ns;
    const Eigen::Index width = 3 * jumps.q.cols() + jumps.draw.cols() + friction.cols() + 4;
    const Eigen::Index all = jumps.time_s.size();
    const Eigen::Index rows = std::min(all, max_jump_entries / width);
    if (rows < all) {
        notes_.push_back(
            fmt::format("Of {} jumps of velocities this page draws the first {} as jumps.", all, rows));
    }
    tracks_.add("jumps.time_s", TrackCode::Double, jumps.time_s.head(rows));
    add_jump_columns("q", jumps.q, rows);
    add_jump_columns("u_minus", jumps.u_minus, rows);
    add_jump_columns("u_plus", jumps.u_plus, rows);
    add_jump_columns("draw", jumps.draw, rows);
    add_jump_columns("friction_Ns", friction, rows);
}

void PageData::add_bodies()
{
    if (recording_.bodies.first_row.size() > 1) detail::add_contacts(recording_, kept_, tracks_, notes_);
    detail::add_body_forces(recording_, kept_, tracks_);
    if (!motion_.blocks.empty()) detail::add_speeds(recording_, kept_, tracks_);
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

Json PageData::head(const std::string& follow) const
{
    const Recording& run = recording_;
    Json coordinates = Json::array(), probes = Json::array(), energies = Json::array();
    for (const Coordinate& coordinate : motion_.blocks.empty() ? run.coordinates : std::vector<Coordinate>{})
        coordinates.push_back({{"name", coordinate.name}, {"unit", coordinate.unit}});
    for (const RecordedSeries& probe : probes_)
        probes.push_back({{"name", probe.name}, {"unit", probe.unit}});
    for (const RecordedSeries& energy : run.energies)
        energies.push_back(energy.name);
    const Json report = run.report ? Json::parse(detail::to_json(*run.report)) : Json();
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
                 {"event_kinds", Json::parse(detail::event_kind_names())},
                 {"event_names", run.event_names},
                 {"friction", friction_json(run.friction)},
                 {"draw", Json::parse(detail::to_json(run.drawings))},
                 {"report", report},
                 {"palette", palette_json()},
                 {"notes", notes_},
                 {"follow", follow},
                 {"tracks", tracks_json(tracks_)}};
    if (!run.solids.surfaces.empty()) {
        head["solids"] = Json::parse(detail::to_json(run.solids));
        head["solids"]["names"] = run.bodies.names;
        head["solids"]["fastest"] = detail::fastest_body(run, kept_);
    }
    if (!run.mechanics.mass_kg.empty()) head["mechanics"] = Json::parse(detail::to_json(run.mechanics));
    if (!motion_.blocks.empty()) {
        head["motion"] = {{"frames_per_block", motion_.frames_per_block},
                          {"blocks", motion_.blocks.size()},
                          {"low", motion_.low},
                          {"high", motion_.high},
                          {"step", motion_.step},
                          {"bytes", motion_.bytes}};
    }
    return head;
}

/// Measured data: columns of numbers, `time_s` among them.
Json tables_json(const std::vector<PageTable>& tables)
{
    Json list = Json::array();
    for (const PageTable& table : tables) {
        Json columns = Json::array();
        for (const TableColumn& column : table.table->columns) {
            if (column.kind == CellKind::Number)
                columns.push_back({{"name", column.name}, {"values", column.numbers}});
        }
        list.push_back({{"name", table.name}, {"columns", columns}});
    }
    return list;
}

}  // namespace

std::string to_page(const Recording& recording, const PageSettings& settings)
{
    return to_page(PageOfRuns{.runs = {{.name = {}, .recording = &recording}}, .tables = {}}, settings);
}

std::string to_page(const PageOfRuns& shown, const PageSettings& settings)
{
    std::string result;
    for (std::size_t i = 0; i < shown.runs.size(); ++i) {
        const PageData data(*shown.runs[i].recording, settings);
        Json head = data.head(settings.follow);
        head["name"] = shown.runs[i].name;
        if (i == 0 && !shown.tables.empty()) head["tables"] = tables_json(shown.tables);
        // the first run is the page's own, the others are compared with it
        const std::string tag = i == 0 ? "" : fmt::format("-{}", i);
        result += fmt::format("<script type=\"application/json\" id=\"carom-head{}\">{}</script>\n", tag,
                              script_safe(head));
        result += fmt::format("<script type=\"text/plain\" id=\"carom-tracks{}\">", tag);
        result += data.tracks() + "</script>";
        for (const std::string& block : data.motion())
            result += fmt::format("\n<script type=\"text/plain\" class=\"carom-motion{}\">", tag) + block +
                      "</script>";
    }
    return page_with(result);
}

}  // namespace carom
