#include "carom/trace/page.hpp"

#include "carom/core/error.hpp"
#include "draw_json.hpp"
#include "friction_json.hpp"
#include "page_template.hpp"
#include "page_tracks.hpp"
#include "palette.hpp"
#include "report_json.hpp"
#include "sha256.hpp"
#include "solids_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::PageTracks;
using detail::TrackCode;
using Json = nlohmann::ordered_json;

/// Tables and playback of more than these would be of no use to anybody, and heavy.
constexpr Eigen::Index most_events = 100'000;
constexpr Eigen::Index most_jump_entries = 10'000'000;
constexpr Eigen::Index most_contact_rows = 500'000;

/// What a kept frame shows of those left out before it.
enum class Thinned { Last, Sum, Worst };

/// Chooses the frames and the width of numbers, and fills the tracks of a page.
class PageData {
public:
    PageData(const Recording& recording, const PageSettings& settings);

    [[nodiscard]] Json head(const std::string& follow) const;
    [[nodiscard]] std::string tracks() const { return tracks_.packed(); }

private:
    void choose(const PageSettings& settings);
    void add_frames();
    void add_series();
    void add_events();
    void add_jumps();
    void add_contact_forces();
    void add(const std::string& name, const Eigen::VectorXd& values, Thinned thinned = Thinned::Last);
    void add_columns(const std::string& name, const RowMatrix& table, Thinned thinned = Thinned::Last);
    void add_jump_columns(const std::string& name, const RowMatrix& table, Eigen::Index rows);
    [[nodiscard]] Eigen::VectorXd thinned(const Eigen::VectorXd& values, Thinned how) const;

    const Recording& recording_;
    std::vector<RecordedSeries> probes_;  ///< of the scene, and the reactions of its constraints
    PageTracks tracks_;
    std::vector<Eigen::Index> kept_;  ///< frames, the first and the last among them
    TrackCode code_ = TrackCode::Single;
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
    if (recording.bodies.first_row.size() > 1) add_contact_forces();
}

void PageData::choose(const PageSettings& settings)
{
    const Recording& run = recording_;
    const auto columns = static_cast<double>(run.q.cols() + run.u.cols() + run.gap_m.cols() +
                                             run.percussion_Ns.cols() + run.friction.percussion_Ns.cols() +
                                             run.friction.coefficient.cols() + run.draw.cols()) +
                         static_cast<double>(run.energies.size() + probes_.size()) + 6;
    const auto frames = static_cast<double>(run.frames());

    // 4 bytes a number while that is little, else 2
    if (columns * frames * 4 > static_cast<double>(settings.max_fine_bytes)) {
        code_ = TrackCode::Fixed;
        notes_.emplace_back("Numbers on this page are rounded to 1/65534 of the range of their line.");
    }

    // base64 writes 3 bytes as 4; what compression saves is not counted on
    const double bytes = columns * frames * (code_ == TrackCode::Fixed ? 2 : 4) * 4 / 3;
    const double limit = std::max(1.0, static_cast<double>(settings.max_data_bytes));
    const auto stride = static_cast<Eigen::Index>(std::max(1.0, std::ceil(bytes / limit)));
    for (Eigen::Index i = 0; i < run.frames(); i += stride)
        kept_.push_back(i);
    if (run.frames() > 0 && kept_.back() != run.frames() - 1) kept_.push_back(run.frames() - 1);
    if (stride > 1) {
        notes_.push_back(fmt::format(
            "The recording has {} frames; this page shows one in {}, to stay small. Percussions are "
            "summed over those left out, residuals are their worst.",
            run.frames(), stride));
    }
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
    add_columns("q", run.q);
    add_columns("u", run.u);
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
    const Eigen::Index rows = std::min(all, most_events);
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
    for (Eigen::Index i = 0; i < table.cols(); ++i) {
        Eigen::VectorXd values(rows);
        if (rows > 0) values = table.col(i).head(rows);  // a table without rows has no place for columns
        tracks_.add(fmt::format("jumps.{}.{}", name, i), code_, values);
    }
}

void PageData::add_jumps()
{
    const RecordedJumps& jumps = recording_.jumps;
    const RowMatrix& friction = recording_.friction.jump_percussion_Ns;
    const Eigen::Index width = 3 * jumps.q.cols() + jumps.draw.cols() + friction.cols() + 4;
    const Eigen::Index all = jumps.time_s.size();
    const Eigen::Index rows = std::min(all, most_jump_entries / width);
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

/// Where contacts of bodies pushed in the kept frames, and how strongly: the percussion of the step over its
/// length. Of very many the page leaves out later frames.
void PageData::add_contact_forces()
{
    const RecordedBodies& bodies = recording_.bodies;
    Eigen::VectorXd count = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(kept_.size()));
    std::vector<Eigen::Index> rows;
    std::vector<double> step_s;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        const auto frame = static_cast<std::size_t>(kept_[k]);
        const Eigen::Index first = bodies.first_row[frame], end = bodies.first_row[frame + 1];
        if (static_cast<Eigen::Index>(rows.size()) + end - first > most_contact_rows) {
            notes_.push_back(
                fmt::format("Contact forces are drawn up to {:.4g} s.", recording_.time_s[kept_[k]]));
            break;
        }
        count[static_cast<Eigen::Index>(k)] = static_cast<double>(end - first);
        for (Eigen::Index row = first; row < end; ++row) {
            rows.push_back(row);
            step_s.push_back(bodies.step_s[kept_[k]]);
        }
    }
    tracks_.add("contacts.count", TrackCode::Single, count);
    const auto size = static_cast<Eigen::Index>(rows.size());
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
        Eigen::VectorXd point(size), force(size);
        for (Eigen::Index i = 0; i < size; ++i) {
            const auto at = static_cast<std::size_t>(i);
            point[i] = bodies.point_m(rows[at], axis);
            force[i] = step_s[at] > 0 ? bodies.percussion_Ns(rows[at], axis) / step_s[at] : 0;
        }
        tracks_.add(fmt::format("contacts.point.{}", axis), TrackCode::Single, point);
        tracks_.add(fmt::format("contacts.force.{}", axis), TrackCode::Single, force);
    }
    Eigen::VectorXd first(size), second(size), gap(size);
    for (Eigen::Index i = 0; i < size; ++i) {
        const Eigen::Index row = rows[static_cast<std::size_t>(i)];
        first[i] = bodies.first[static_cast<std::size_t>(row)];
        second[i] = bodies.second[static_cast<std::size_t>(row)];
        gap[i] = bodies.gap_m[row];
    }
    tracks_.add("contacts.first", TrackCode::Single, first);
    tracks_.add("contacts.second", TrackCode::Single, second);
    tracks_.add("contacts.gap_m", TrackCode::Single, gap);
}

Json palette_json()
{
    Json colours = Json::array(), status = Json::object();
    for (const Colour& colour : palette)
        colours.push_back({{"name", colour.name}, {"value", colour.value}});
    colours.push_back({{"name", grey.name}, {"value", grey.value}});
    for (const Colour& colour : detail::status_colours)
        status[std::string(colour.name)] = colour.value;
    return {{"colours", colours}, {"lines", palette.size()}, {"status", status}};
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
    for (const Coordinate& coordinate : run.coordinates)
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
    }
    return head;
}

/// JSON that can stand between script tags: without `<` nothing in it can end or begin a tag or a comment.
std::string script_safe(const Json& json)
{
    std::string safe;
    for (const char letter : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (letter == '<')
            safe += "\\u003c";
        else
            safe += letter;
    }
    return safe;
}

/// The head of the page with a policy that lets run the script of the page itself and no other: by its hash.
/// One that got in through a recording would not run.
std::string with_policy(std::string_view head, std::string_view page)
{
    constexpr std::string_view any = "script-src 'unsafe-inline'", begin = "<script type=\"module\">",
                               end = "</script>";
    std::string result(head);
    const auto policy = result.find(any);
    const auto script = page.find(begin);
    const auto stop = page.find(end, script == std::string_view::npos ? script : script + begin.size());
    if (policy == std::string::npos || stop == std::string_view::npos)
        throw InternalError("the page of a run has no policy or no script");
    static const std::string hash =
        detail::sha256_base64(page.substr(script + begin.size(), stop - script - begin.size()));
    return result.replace(policy, any.size(), "script-src 'sha256-" + hash + "'");
}

}  // namespace

std::string to_page(const Recording& recording, const PageSettings& settings)
{
    const std::string_view page = detail::page_template();
    const std::size_t mark = page.find(detail::page_data_mark);
    if (mark == std::string_view::npos) throw InternalError("the page of a run has no place for data");
    const PageData data(recording, settings);
    std::string result = with_policy(page.substr(0, mark), page);
    result += "<script type=\"application/json\" id=\"carom-head\">" +
              script_safe(data.head(settings.follow)) + "</script>\n";
    result += "<script type=\"text/plain\" id=\"carom-tracks\">" + data.tracks() + "</script>";
    result += page.substr(mark + detail::page_data_mark.size());
    return result;
}

}  // namespace carom
