#include "carom/trace/recording.hpp"

#include "body_columns.hpp"
#include "checkpoint_file.hpp"
#include "draw_json.hpp"
#include "energy_names.hpp"
#include "friction_json.hpp"
#include "mechanics_json.hpp"
#include "recorded_contacts.hpp"
#include "recording_file.hpp"
#include "report_json.hpp"
#include "run_head.hpp"
#include "solids_json.hpp"
#include "storage/hdf5_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

using detail::Hdf5Reader;

/// Reads the parts of a recording one after the other; after the first error nothing more is read.
class RecordingReader {
public:
    RecordingReader(const Hdf5Reader& file, const ReadSettings& settings) : file_(file), read_(settings) {}

    Expected<Recording> read();

    /// Some tables are still in the file.
    [[nodiscard]] bool left_tables() const noexcept { return leaves_motion_ || leaves_contacts_; }

private:
    void weigh();
    void read_head();
    void read_names();
    void read_frames();
    void read_energies();
    void read_probes();
    void read_events();
    void read_event_pairs();
    void read_jumps();
    void read_constraints();
    void read_friction();
    void read_bodies();
    void read_contacts();
    void read_drawings();
    void read_snapshots();
    void read_checkpoint();
    void read_report();

    /// The value, or a default one and the error kept.
    template <class T>
    T take(Expected<T> value)
    {
        if (value) return std::move(*value);
        if (!error_) error_ = value.error();
        return T{};
    }
    void refuse(const std::string& what)
    {
        if (!error_) error_ = file_.malformed(what);
    }

    /// As many rows as there are frames.
    void expect_frames(const std::string& path, Eigen::Index rows)
    {
        if (rows != result_.frames()) refuse(path + " has another number of rows than /time_s");
    }
    RowMatrix frames(const std::string& path, Eigen::Index columns);
    RowMatrix motion(const std::string& path, Eigen::Index columns);
    Eigen::VectorXd frames(const std::string& path);

    const Hdf5Reader& file_;
    ReadSettings read_;
    bool leaves_motion_ = false, leaves_contacts_ = false;  ///< large tables stay in the file
    Recording result_;
    std::size_t event_contacts_ = 0, places_ = 0;  ///< of result_.event_names; names that the file has
    std::optional<Error> error_;
};

Expected<Recording> RecordingReader::read()
{
    using Part = void (RecordingReader::*)();
    constexpr Part parts[] = {&RecordingReader::read_head,        &RecordingReader::read_names,
                              &RecordingReader::read_frames,      &RecordingReader::read_energies,
                              &RecordingReader::read_probes,      &RecordingReader::read_events,
                              &RecordingReader::read_jumps,       &RecordingReader::read_snapshots,
                              &RecordingReader::read_drawings,    &RecordingReader::read_friction,
                              &RecordingReader::read_constraints, &RecordingReader::read_bodies,
                              &RecordingReader::read_checkpoint,  &RecordingReader::read_report};
    for (const Part part : parts) {
        (this->*part)();
        if (error_) return *error_;
    }
    return std::move(result_);
}

void RecordingReader::read_head()
{
    const std::string format = take(file_.text_attribute("/", "format"));
    if (format == detail::part_format)
        return refuse("this is a part of a recording: give the file of that name without .part and number");
    if (format != detail::run_format) return refuse("this is not a recording of carom");
    const auto format_version = take(file_.integer_attribute("/", "format_version"));
    if (format_version != 1) {
        return refuse("the recording has format version " + std::to_string(format_version) +
                      ", this carom reads version 1");
    }
    result_.carom_version = take(file_.text_attribute("/", "carom_version"));
    result_.title = take(file_.text_attribute("/", "title"));
    result_.start_s = take(file_.real_attribute("/", "start_s"));
    result_.duration_s = take(file_.real_attribute("/", "duration_s"));
    result_.time_step_s = take(file_.real_attribute("/", "time_step_s"));
    result_.every_s = take(file_.real_attribute("/", "every_s"));
    result_.scene_text = take(file_.text("/scene"));
    if (!(result_.time_step_s > 0 && result_.every_s > 0))
        refuse("time_step_s and every_s must be greater than zero");
}

void RecordingReader::read_names()
{
    const auto names = take(file_.texts("/coordinates/name"));
    const auto units = take(file_.texts("/coordinates/unit"));
    if (names.size() != units.size()) return refuse("/coordinates has more names than units, or fewer");
    for (std::size_t i = 0; i < names.size(); ++i) {
        result_.coordinates.push_back({.name = names[i], .unit = units[i]});
    }
    result_.contacts = take(file_.texts("/contacts/name"));
}

RowMatrix RecordingReader::frames(const std::string& path, Eigen::Index columns)
{
    RowMatrix values = take(file_.table(path, columns));
    expect_frames(path, values.rows());
    return values;
}

Eigen::VectorXd RecordingReader::frames(const std::string& path)
{
    Eigen::VectorXd values = take(file_.column(path));
    expect_frames(path, values.size());
    return values;
}

RowMatrix RecordingReader::motion(const std::string& path, Eigen::Index columns)
{
    if (!leaves_motion_) return frames(path, columns);
    expect_frames(path, static_cast<Eigen::Index>(
                            take(file_.rows_of({.path = path, .width = static_cast<int>(columns)}))));
    return RowMatrix(0, columns);
}

/// Whether large tables stay in the file. A file that still grows changes while it is read: of such a run all
/// is taken at once.
void RecordingReader::weigh()
{
    if (read_.max_table_bytes == ReadSettings{}.max_table_bytes) return;
    if (error_ || !file_.has("/certificate") || !file_.has("/bodies")) return;
    const RecordedBodies bodies = take(detail::read_recorded_bodies(file_, result_.frames()));
    const std::size_t columns = result_.coordinates.size() * (result_.settings.velocities ? 2 : 1);
    const std::size_t frames = static_cast<std::size_t>(result_.frames()) * columns * sizeof(double);
    leaves_motion_ = frames > read_.max_table_bytes;
    leaves_contacts_ = detail::contact_bytes(bodies) > read_.max_table_bytes;
}

void RecordingReader::read_frames()
{
    const auto n = static_cast<Eigen::Index>(result_.coordinates.size());
    const auto m = static_cast<Eigen::Index>(result_.contacts.size());
    RecordSettings& settings = result_.settings;
    settings.every_s = result_.every_s;
    settings.velocities = file_.has("/u");
    settings.gaps = file_.has("/gap_m");
    settings.percussions = file_.has("/percussion_Ns");
    settings.energies = file_.has("/energy");
    settings.probes = file_.has("/probes");
    const auto precision = file_.text_attribute("/", "precision");  // not in files of older versions
    settings.precision =
        precision && *precision == "single" ? RecordPrecision::Single : RecordPrecision::Double;
    settings.parts = static_cast<int>(file_.parts().size());
    const auto steps = file_.integer_attribute("/", "checkpoint_steps");  // where the scene has it
    if (steps && *steps > 0)
        settings.checkpoint_steps =
            static_cast<int>(std::min<std::int64_t>(*steps, std::numeric_limits<int>::max()));

    result_.time_s = take(file_.column("/time_s"));
    weigh();
    result_.q = motion("/q", n);
    if (settings.velocities) result_.u = motion("/u", n);
    if (settings.gaps) result_.gap_m = frames("/gap_m", m);
    if (settings.percussions) result_.percussion_Ns = frames("/percussion_Ns", m);
    result_.residual = frames("/residual");
}

void RecordingReader::read_energies()
{
    if (!result_.settings.energies) return;
    for (const auto& energy : detail::energy_names) {
        result_.energies.push_back(
            {.name = energy.name, .unit = "J", .values = frames(std::string("/energy/") + energy.name)});
    }
}

void RecordingReader::read_probes()
{
    if (!result_.settings.probes) return;
    const auto probes = detail::probes_from_json(take(file_.text_attribute("/probes", "probes")));
    if (!probes) return refuse("the list of probes is damaged");
    for (const detail::ProbeName& probe : *probes) {
        if (probe.dataset.empty() || probe.dataset == "." || probe.dataset.find('/') != std::string::npos) {
            return refuse("a probe is kept outside /probes");
        }
        result_.probes.push_back(
            {.name = probe.name, .unit = probe.unit, .values = frames("/probes/" + probe.dataset)});
        if (error_) return;
    }
}

void RecordingReader::read_events()
{
    const auto time_s = take(file_.column("/events/time_s"));
    const auto step = take(file_.integers("/events/step"));
    const auto kind = take(file_.integers("/events/kind"));
    const auto contact = take(file_.integers("/events/contact"));
    const auto percussion_Ns = take(file_.column("/events/percussion_Ns"));
    const auto before_m_s = take(file_.column("/events/velocity_before_m_s"));
    const auto after_m_s = take(file_.column("/events/velocity_after_m_s"));
    const auto energy_J = take(file_.column("/events/energy_J"));
    const bool directed = file_.has("/events/slip_rad");  // not in files of older versions
    const auto slip_rad =
        directed ? take(file_.column("/events/slip_rad")) : Eigen::VectorXd::Zero(time_s.size()).eval();
    if (error_) return;
    const auto count = static_cast<std::size_t>(time_s.size());
    for (const std::size_t size :
         {step.size(), kind.size(), contact.size(), static_cast<std::size_t>(percussion_Ns.size()),
          static_cast<std::size_t>(before_m_s.size()), static_cast<std::size_t>(after_m_s.size()),
          static_cast<std::size_t>(energy_J.size()), static_cast<std::size_t>(slip_rad.size())}) {
        if (size != count) return refuse("the columns of /events have different lengths");
    }

    std::vector<std::string>& names = result_.event_names;
    if (file_.has("/events/name")) {
        names = take(file_.texts("/events/name"));
    } else {  // of an older version: constraints follow contacts in their numbers
        names = result_.contacts;
        if (file_.has("/constraints")) {
            const auto constraints = take(file_.texts("/constraints/name"));
            names.insert(names.end(), constraints.begin(), constraints.end());
        }
    }
    if (error_) return;
    const bool pairs = file_.has("/events/first");  // of bodies
    for (std::size_t i = 0; i < count; ++i) {
        const bool known_kind = kind[i] >= 0 && kind[i] < 256 &&
                                name_of(static_cast<EventKind>(kind[i])) != std::string_view("unknown");
        const bool known_contact =
            pairs || (contact[i] >= 0 && contact[i] < static_cast<std::int64_t>(names.size()));
        if (!known_kind || !known_contact)
            return refuse("an event names a kind or contact that does not exist");
        const auto row = static_cast<Eigen::Index>(i);
        result_.events.push_back({.time_s = time_s[row],
                                  .step = step[i],
                                  .kind = static_cast<EventKind>(kind[i]),
                                  .contact = static_cast<int>(contact[i]),
                                  .percussion_Ns = percussion_Ns[row],
                                  .velocity_before_m_s = before_m_s[row],
                                  .velocity_after_m_s = after_m_s[row],
                                  .energy_J = energy_J[row],
                                  .slip_rad = slip_rad[row]});
    }
    // not in files of older versions
    const auto counted = file_.integer_attribute("/events", "contacts");
    event_contacts_ = counted && *counted >= 0 && *counted <= static_cast<std::int64_t>(names.size())
                          ? static_cast<std::size_t>(*counted)
                          : result_.contacts.size();
    places_ = names.size();
    if (pairs) read_event_pairs();
}

/// Which bodies met, and where on them.
void RecordingReader::read_event_pairs()
{
    const auto first = take(file_.integers("/events/first")), second = take(file_.integers("/events/second")),
               high = take(file_.integers("/events/feature_high")),
               low = take(file_.integers("/events/feature_low"));
    const auto names = take(file_.texts("/bodies/name"));
    if (error_) return;
    EventPlaces places{.names = std::move(result_.event_names)};  // none in files of older versions
    places.contacts = std::min(event_contacts_, places.names.size());
    for (const auto* column : {&first, &second, &high, &low}) {
        if (column->size() != result_.events.size())
            return refuse("the columns of /events have different lengths");
    }
    const auto bodies = static_cast<std::int64_t>(names.size());
    const auto is_half = [](std::int64_t bits) { return bits >= 0 && bits <= 0xffffffffLL; };
    for (std::size_t i = 0; i < result_.events.size(); ++i) {
        Event& event = result_.events[i];
        event.first = static_cast<int>(first[i]);
        event.second = static_cast<int>(second[i]);
        event.feature = static_cast<std::uint64_t>(high[i]) << 32U | static_cast<std::uint64_t>(low[i]);
        const bool of_place = first[i] == -1 && second[i] == -1 && event.feature < places.names.size();
        const bool of_pair = std::min(first[i], second[i]) >= 0 && std::max(first[i], second[i]) < bodies;
        if (!(of_place || of_pair) || !is_half(high[i]) || !is_half(low[i]))
            return refuse("an event names a body or joint that does not exist");
    }
    places = number_contacts(names, places, result_.events);
    result_.event_names = std::move(places.names);
    event_contacts_ = places.contacts;
}

void RecordingReader::read_jumps()
{
    const auto n = static_cast<Eigen::Index>(result_.coordinates.size());
    RecordedJumps& jumps = result_.jumps;
    jumps.time_s = take(file_.column("/jumps/time_s"));
    jumps.q = take(file_.table("/jumps/q", n));
    jumps.u_minus = take(file_.table("/jumps/u_minus", n));
    jumps.u_plus = take(file_.table("/jumps/u_plus", n));
    const Eigen::Index rows = jumps.time_s.size();
    if (jumps.q.rows() != rows || jumps.u_minus.rows() != rows || jumps.u_plus.rows() != rows) {
        refuse("the columns of /jumps have different lengths");
    }
}

void RecordingReader::read_drawings()
{
    if (!file_.has("/draw")) return;
    const auto contacts = static_cast<int>(result_.contacts.size());
    auto drawings = detail::drawings_from_json(take(file_.text("/draw/drawings")), contacts);
    if (!drawings) return refuse("the list of drawings is damaged");
    result_.drawings = std::move(*drawings);
    const Eigen::Index width = detail::column_count(result_.drawings);
    result_.draw = frames("/draw/value", width);
    result_.jumps.draw = take(file_.table("/jumps/draw", width));
    if (result_.jumps.draw.rows() != result_.jumps.time_s.size()) {
        refuse("the columns of /jumps have different lengths");
    }
}

void RecordingReader::read_friction()
{
    if (!file_.has("/friction")) return;
    RecordedFriction& friction = result_.friction;
    const auto contacts = static_cast<int>(result_.contacts.size());
    auto cones = detail::cones_from_json(take(file_.text("/friction/cones")), contacts);
    if (!cones) return refuse("the list of friction cones is damaged");
    friction.cones = std::move(*cones);
    const Eigen::Index width = detail::column_count(friction.cones);
    friction.percussion_Ns = frames("/friction/percussion_Ns", width);
    friction.coefficient = frames("/friction/coefficient", static_cast<Eigen::Index>(friction.cones.size()));
    friction.jump_percussion_Ns = take(file_.table("/friction/jump_percussion_Ns", width));
    if (friction.jump_percussion_Ns.rows() != result_.jumps.time_s.size()) {
        refuse("/friction/jump_percussion_Ns has another number of rows than /jumps");
    }
}

void RecordingReader::read_constraints()
{
    if (!file_.has("/constraints")) return;
    RecordedConstraints& constraints = result_.constraints;
    constraints.names = take(file_.texts("/constraints/name"));
    constraints.reactions = take(file_.texts("/constraints/reaction"));
    constraints.percussion_Ns =
        frames("/constraints/percussion_Ns", static_cast<Eigen::Index>(constraints.reactions.size()));
    constraints.energy_J =
        frames("/constraints/energy_J", static_cast<Eigen::Index>(constraints.names.size()));
}

void RecordingReader::read_contacts()
{
    RecordedBodies head = take(detail::read_recorded_bodies(file_, result_.frames()));
    if (error_) return;
    if (leaves_contacts_ || head.first_row.empty()) {
        result_.bodies = std::move(head);
        return;
    }
    std::vector<Eigen::Index> all(static_cast<std::size_t>(result_.frames()));
    std::iota(all.begin(), all.end(), Eigen::Index{0});
    result_.bodies = take(detail::read_contacts(file_, head, all));
    result_.bodies.names = std::move(head.names);
}

void RecordingReader::read_bodies()
{
    if (!file_.has("/bodies")) return;
    read_contacts();
    auto solids = detail::solids_from_json(take(file_.text("/bodies/solids")), result_.bodies.names.size(),
                                           result_.coordinates.size());
    if (!solids) return refuse("the list of solids is damaged");
    result_.solids = std::move(*solids);
    if (file_.has("/bodies/mechanics")) {
        auto mechanics =
            detail::mechanics_from_json(take(file_.text("/bodies/mechanics")), result_.bodies.names.size());
        if (!mechanics) return refuse("the list of masses and joints is damaged");
        result_.mechanics = std::move(*mechanics);
    }
    if (auto read = detail::read_forces(file_, result_.frames(), result_.solids,
                                        result_.mechanics.joints.size(), result_.bodies);
        !read)
        return refuse(read.error().message);
}

void RecordingReader::read_snapshots()
{
    if (!file_.has("/snapshots")) return;
    const auto n = static_cast<Eigen::Index>(result_.coordinates.size());
    RecordedSnapshots& snapshots = result_.snapshots;
    const auto asked = take(file_.column("/snapshots/asked_s"));
    snapshots.asked_s.assign(asked.begin(), asked.end());
    snapshots.time_s = take(file_.column("/snapshots/time_s"));
    snapshots.q = take(file_.table("/snapshots/q", n));
    snapshots.u = take(file_.table("/snapshots/u", n));
    const Eigen::Index rows = snapshots.time_s.size();
    if (rows > asked.size() || snapshots.q.rows() != rows || snapshots.u.rows() != rows) {
        refuse("the columns of /snapshots have different lengths");
    }
}

void RecordingReader::read_checkpoint()
{
    const auto& cones = result_.friction.cones;
    auto checkpoint = std::make_shared<Checkpoint>(take(
        detail::read_checkpoint(file_, {.coordinates = result_.coordinates.size(),
                                        .contacts = result_.contacts.size(),
                                        .tangential = static_cast<std::size_t>(detail::column_count(cones)),
                                        .cones = cones.size(),
                                        .constraints = result_.constraints.names.size(),
                                        .reactions = result_.constraints.reactions.size(),
                                        .reaches = result_.contacts.size() + (file_.has("/bodies") ? 1 : 0),
                                        .bodies = result_.bodies.names.size()})));
    if (file_.has("/bodies"))
        checkpoint->bodies =
            take(detail::read_bodies(file_, result_.bodies.names.size(), places_, checkpoint->state));
    const auto& first_row = result_.bodies.first_row;
    if (checkpoint->bodies && checkpoint->bodies->contacts > (first_row.empty() ? 0 : first_row.back()))
        refuse("the checkpoint counts contacts that are not there");
    if (checkpoint->next_frame > result_.frames() ||
        checkpoint->events > static_cast<long>(result_.events.size()) ||
        checkpoint->jumps > result_.jumps.time_s.size() ||
        checkpoint->snapshots > result_.snapshots.time_s.size()) {
        refuse("the checkpoint counts rows that are not there");
    }
    result_.checkpoint = std::move(checkpoint);
}

void RecordingReader::read_report()
{
    if (!file_.has("/certificate")) return;
    result_.report = detail::report_from_json(take(file_.text("/certificate")));
    if (!result_.report) return refuse("the certificate is damaged");
    result_.report->events = result_.events;
    result_.report->event_names = result_.event_names;
    result_.report->event_contacts = event_contacts_;
}

}  // namespace

const Eigen::VectorXd* Recording::energy(std::string_view name) const noexcept
{
    const auto found = std::find_if(energies.begin(), energies.end(),
                                    [&](const RecordedSeries& series) { return series.name == name; });
    return found == energies.end() ? nullptr : &found->values;
}

std::shared_ptr<const Checkpoint> no_checkpoint()
{
    static const auto none = std::make_shared<const Checkpoint>();
    return none;
}

Expected<Recording> read_recording(const std::string& path, const ReadSettings& settings)
{
    const detail::Hdf5Session session;
    auto file = Hdf5Reader::open(path);
    if (!file) return file.error();
    if (auto opened = file->open_parts(); !opened) return opened.error();
    RecordingReader reader(*file, settings);
    auto recording = reader.read();
    if (recording && reader.left_tables())
        recording->file = std::make_shared<const detail::RecordingFile>(*std::move(file));
    return recording;
}

bool is_finished(const Recording& recording) noexcept
{
    return recording.report && recording.report->end != RunEnd::Listener;
}

bool fits(const State& state, const Model& model)
{
    const State like = make_state(model, state.q, state.u, state.t_s);
    return state.q.size() == model.coordinates() && state.u.size() == model.coordinates() &&
           state.slides.size() == like.slides.size() &&
           state.percussion_Ns.size() == like.percussion_Ns.size() &&
           state.closed.size() == like.closed.size();
}

Expected<RunSoFar> run_at_checkpoint(const Recording& recording, const Model& model)
{
    const auto refuse = [](ErrorCode code, std::string message) {
        return Error{.code = code,
                     .where = "recording",
                     .message = std::move(message),
                     .hint = "resume with the scene that the recording holds",
                     .excerpt = {}};
    };

    // names, and the lengths of the state; the other ones of the file fit together
    const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
    const auto named = [](const Contact& contact, const std::string& name) { return contact.name == name; };
    const auto &coordinates = model.system().coordinates, &other = recording.coordinates;
    const auto& contacts = model.system().contacts;
    const auto cones = detail::cones_of(contacts);
    const auto same_cone = [](const RecordedCone& a, const RecordedCone& b) {
        return a.contact == b.contact && a.first == b.first;
    };
    const auto& recorded_cones = recording.friction.cones;
    if (!std::equal(coordinates.begin(), coordinates.end(), other.begin(), other.end(), same) ||
        !std::equal(contacts.begin(), contacts.end(), recording.contacts.begin(), recording.contacts.end(),
                    named) ||
        !(recorded_cones.empty() ||
          std::equal(cones.begin(), cones.end(), recorded_cones.begin(), recorded_cones.end(), same_cone)) ||
        !fits(recording.checkpoint->state, model)) {
        return refuse(ErrorCode::WrongSize, "the recording belongs to another model");
    }

    // the instant: after so many steps, which in a sweep have their own lengths, and before the next frame; a
    // few roundings are allowed
    const Checkpoint& checkpoint = *recording.checkpoint;
    const double h = recording.time_step_s, close = 1e-6 * h;
    const double t_s = recording.start_s + static_cast<double>(checkpoint.progress.steps) * h;
    const double next_s = recording.start_s + static_cast<double>(checkpoint.next_frame) * recording.every_s;
    const double now_s = checkpoint.state.t_s;
    const bool at_step =
        checkpoint.progress.sweep
            ? now_s >= recording.start_s && now_s <= recording.start_s + recording.duration_s + close
            : std::abs(now_s - t_s) <= close;
    if (!at_step || !(next_s >= now_s - close)) {
        return refuse(ErrorCode::FileMalformed, "the checkpoint is at another instant than its step");
    }
    const auto events = static_cast<std::size_t>(checkpoint.events);
    return RunSoFar{
        .state = checkpoint.state,
        .progress = checkpoint.progress,
        .events = {recording.events.begin(), recording.events.begin() + static_cast<std::ptrdiff_t>(events)}};
}

}  // namespace carom
