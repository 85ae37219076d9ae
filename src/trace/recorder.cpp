#include "trace/recorder.hpp"

#include "carom/core/threads.hpp"
#include "carom/core/version.hpp"
#include "carom/trace/recording.hpp"
#include "checkpoint_file.hpp"
#include "core/messages.hpp"
#include "core/mistake.hpp"
#include "expression/workspace.hpp"
#include "run_columns.hpp"
#include "run_file.hpp"
#include "run_head.hpp"
#include "trace/instants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <future>

namespace carom {

using detail::Hdf5Session;
using detail::Hdf5Writer;

namespace {

/// More frames than any disk holds: a slip of the pen in every_s.
constexpr double max_frames = 1e9;

/// Frames this close to the end of a step, in steps, show its end exactly.
constexpr double same_instant = 1e-9;

Expected<void> check_frames(double duration_s, double every_s)
{
    if (duration_s / every_s <= max_frames) return {};
    return mistake(ErrorCode::SettingOutOfRange, "RecordSettings::every_s",
                   fmt::format("every_s is {}: there would be {:.1e} frames", every_s, duration_s / every_s),
                   "give a longer time between frames, or leave it out");
}

/// The recording has a checkpoint for these bodies and their probes, or there are none.
bool same_bodies(const Recording& recording, const std::optional<BodiesToRecord>& bodies)
{
    const auto& kept = recording.checkpoint->bodies;
    if (!kept || !bodies) return kept.has_value() == bodies.has_value();
    const std::size_t probes = recording.settings.probes ? bodies->probes.size() : 0;
    const auto named = [](const Body& body, const std::string& name) { return body.name == name; };
    const auto& all = bodies->model.setup().bodies;
    const auto& names = recording.bodies.names;
    return std::equal(all.begin(), all.end(), names.begin(), names.end(), named) &&
           kept->force_N.size() == probes &&
           recording.checkpoint->state.turns.size() == bodies->start.turns.size();
}

}  // namespace

/// `now_` is all that the recorder remembers from step to step, and what a checkpoint holds.
class Recorder::Impl {
public:
    /// What stays the same during a recording.
    struct Plan {
        RecordSettings settings;
        double start_s, every_s, time_step_s;
        std::vector<double> snapshots_at_s;
        CheckpointSettings checkpoints;
        bool friction;  ///< recorded with all components of percussions
        std::optional<BodiesToRecord> bodies;
        bool in_memory = false;
    };
    Impl(const std::string& path, const Model& model, Plan plan, Checkpoint now)
        : model_(&model),
          columns_(model, plan.settings, !plan.snapshots_at_s.empty(), plan.friction, plan.bodies,
                   parts_of(path, plan)),
          file_(path),
          plan_(std::move(plan)),
          now_(std::move(now)),
          snapshots_(plan_.snapshots_at_s, static_cast<std::size_t>(now_.snapshots)),
          cone_of_(static_cast<std::size_t>(model.contacts()), -1)
    {
        const std::vector<RecordedCone>& cones = columns_.cones();
        for (std::size_t k = 0; k < cones.size(); ++k)
            cone_of_[static_cast<std::size_t>(cones[k].contact)] = static_cast<int>(k);
        const detail::Columns::Parts& parts = columns_.columns().parts();
        for (int part = 0; part < parts.count; ++part) {
            const std::string name = detail::name_of_part(file_.path(), static_cast<std::uint64_t>(part));
            if (parts.has(part)) parts_.push_back({part, detail::RunFile(name)});
        }
        friction_Ns_.assign(static_cast<std::size_t>(detail::column_count(cones)), 0.0);
        now_.friction_since_frame_Ns.resize(friction_Ns_.size());
        now_.coefficient_since_frame.resize(cones.size());
        now_.reaction_since_frame_Ns.resize(model.constraints() > 0 ? detail::reaction_names(model).size()
                                                                    : 0);
        now_.reaction_energy_J.resize(static_cast<std::size_t>(model.constraints()));
    }

    Expected<void> create(const std::string& title, const RunText& text);
    Expected<void> prepare_to_resume(std::optional<WriteLock> lock);
    Expected<void> resume(const std::optional<RunText>& prolonged);
    bool take(const StepView& view);
    Expected<void> finish(const RunReport& report);
    void abandon() noexcept;
    void remove_spares() noexcept;
    [[nodiscard]] Recording recording() const;

private:
    /// A part of the recording that this rank writes.
    struct Part {
        int number;
        detail::RunFile file;
        bool created = false;
    };
    using Change = detail::RunFile::Change;
    using ChangePart = std::function<Expected<void>(Hdf5Writer&, int part)>;

    [[nodiscard]] static detail::Columns::Parts parts_of(const std::string& path, const Plan& plan);
    [[nodiscard]] bool in_memory() const noexcept { return plan_.in_memory; }
    [[nodiscard]] bool has_parts() const noexcept { return columns_.columns().parts().count > 0; }
    [[nodiscard]] Expected<void> with_others(const Expected<void>& done) const;
    Expected<void> create_file(const detail::RunHead& head);
    Expected<void> create_parts(const detail::RunHead& head);
    Expected<void> change_file(const Change& change);
    Expected<void> change_parts(const ChangePart& change);
    Expected<void> commit(const RunReport* report);
    Expected<void> write(const Checkpoint& checkpoint, const RunReport* report);
    [[nodiscard]] bool in_background() const;
    [[nodiscard]] bool written_before();
    [[nodiscard]] bool checkpoint_is_due() const;
    void account(const StepView& view);
    void account_friction(const StepView& view);
    void account_constraints(const StepView& view);
    void add_frames(const StepView& view);
    void add_frame(const Point& at);
    void add_jumps(const StepView& view);
    void add_snapshots(const StepView& view);

    const Model* model_;
    detail::RunColumns columns_;
    detail::RunFile file_;
    std::vector<Part> parts_;
    Plan plan_;
    Checkpoint now_;
    std::optional<Checkpoint> last_;  ///< what the file keeps when `now_` is no place to go on from
    Instants snapshots_;

    std::vector<int> cone_of_;         ///< contact -> its cone, -1: none
    std::vector<double> friction_Ns_;  ///< tangential percussions of this step, in columns

    Eigen::VectorXd q_, u_;
    Workspace work_;
    long steps_waiting_ = 0, frames_waiting_ = 0;
    std::optional<Error> error_;
    std::future<Expected<void>> writing_;  ///< the last commit, on another thread
    bool finished_ = false;
    bool loses_rows_ = false;  ///< a file that is resumed has more than its checkpoint

    // what a recording in memory says of itself
    std::string title_;
    RunText text_;
    std::optional<RunReport> report_;
};

/// Of a recording in memory there are none.
detail::Columns::Parts Recorder::Impl::parts_of(const std::string& path, const Plan& plan)
{
    if (plan.in_memory || plan.settings.parts == 0) return {};
    const Messages* ranks = Ranks::all();
    return {.count = plan.settings.parts,
            .rank = ranks != nullptr ? ranks->rank() : 0,
            .ranks = ranks != nullptr ? ranks->ranks() : 1,
            .name = std::filesystem::path(target_of(path)).filename().string()};
}

/// Ranks that record together see the same error.
Expected<void> Recorder::Impl::with_others(const Expected<void>& done) const
{
    return has_parts() ? all_done(done) : done;
}

Expected<void> Recorder::Impl::create(const std::string& title, const RunText& text)
{
    add_frame(point_of(now_.state));
    snapshots_.pass(now_.state.t_s, [&](std::size_t, double t_s) {
        columns_.add_snapshot(t_s, now_.state.q, now_.state.u);
        ++now_.snapshots;
    });
    if (in_memory()) {
        title_ = title;
        text_ = text;
        return {};
    }
    const detail::RunHead head{title,
                               text.scene,
                               plan_.start_s,
                               text.duration_s,
                               plan_.time_step_s,
                               plan_.every_s,
                               columns_.in_single(),
                               plan_.settings.parts,
                               plan_.settings.checkpoint_steps};
    columns_.columns().hand_over();
    auto created = with_others(create_parts(head));
    if (created) created = with_others(create_file(head));
    if (!created) {
        finished_ = true;  // there is nothing to close
        std::error_code none;
        for (const Part& part : parts_) {
            if (part.created) std::filesystem::remove(part.file.path(), none);
        }
        return created;
    }
    frames_waiting_ = 0;
    return {};
}

Expected<void> Recorder::Impl::create_parts(const detail::RunHead& head)
{
    const Hdf5Session session;
    for (Part& part : parts_) {
        auto created = part.file.create([&](Hdf5Writer& file) -> Expected<void> {
            if (auto written = detail::write_part_head(file, head, part.number); !written) return written;
            for (const std::string& group : columns_.columns().groups_of_part()) {
                if (auto added = file.add_group(group); !added) return added;
            }
            if (auto made = columns_.columns().create_in(file, part.number); !made) return made;
            return columns_.columns().append_to(file, part.number);
        });
        if (!created) return created;
        part.created = true;
        columns_.columns().committed(part.number);
    }
    return {};
}

Expected<void> Recorder::Impl::create_file(const detail::RunHead& head)
{
    if (!columns_.columns().parts().has(-1)) return {};
    const Hdf5Session session;
    auto created = file_.create([&](Hdf5Writer& file) -> Expected<void> {
        if (auto written = write_head(file, head); !written) return written;
        if (auto made = columns_.create_in(file); !made) return made;
        if (auto added = columns_.columns().append_to(file); !added) return added;
        if (!plan_.snapshots_at_s.empty()) {
            if (auto put = file.put("/snapshots/asked_s", plan_.snapshots_at_s); !put) return put;
        }
        return detail::write_checkpoint(file, now_);
    });
    if (!created) return created;
    columns_.columns().committed();
    detail::remove_parts_from(file_.path(), plan_.settings.parts);
    return {};
}

/// One change to every part of this rank.
Expected<void> Recorder::Impl::change_parts(const ChangePart& change)
{
    const Hdf5Session session;
    for (Part& part : parts_) {
        auto changed = part.file.commit([&](Hdf5Writer& file) { return change(file, part.number); });
        if (!changed) return changed;
    }
    return {};
}

/// The recording itself, by the rank that has it.
Expected<void> Recorder::Impl::change_file(const Change& change)
{
    if (!columns_.columns().parts().has(-1)) return {};
    const Hdf5Session session;
    return file_.commit(change);
}

/// Locks, and what the files have at the checkpoint.
Expected<void> Recorder::Impl::prepare_to_resume(std::optional<WriteLock> lock)
{
    finished_ = true;  // until the file is ready to be written on
    const Hdf5Session session;
    if (lock) {
        if (auto locked = file_.lock(std::move(lock)); !locked) return locked;
    }
    for (Part& part : parts_) {
        if (auto locked = part.file.lock(); !locked) return locked;
    }
    auto file = detail::Hdf5Reader::open(file_.path());
    if (!file) return file.error();
    if (auto opened = file->open_parts(); !opened) return opened;
    auto later = columns_.continue_from(*file, now_);
    if (!later) return later.error();
    loses_rows_ = *later || file->has("/certificate");
    return {};
}

Expected<void> Recorder::Impl::resume(const std::optional<RunText>& prolonged)
{
    // what came after the checkpoint is computed again; a place that cannot be written is found here. The
    // recording goes first: it never shows rows that a part has not
    auto cut = with_others(change_file([&](Hdf5Writer& file) -> Expected<void> {
        if (auto done = columns_.columns().cut(file); !done) return done;
        if (auto removed = file.remove("/certificate"); !removed) return removed;
        if (!prolonged) return {};
        if (auto set = file.set_attribute("/", "duration_s", prolonged->duration_s); !set) return set;
        if (auto removed = file.remove("/scene"); !removed) return removed;
        return file.add_text("/scene", prolonged->scene);
    }));
    if (!cut) return cut;
    auto parts_cut = with_others(
        change_parts([&](Hdf5Writer& file, int part) { return columns_.columns().cut(file, part); }));
    if (!parts_cut) return parts_cut;
    if (loses_rows_ || prolonged) file_.remove_spare();  // the other file has what was cut
    for (Part& part : parts_) {
        part.file.remove_spare();
    }
    finished_ = false;
    return {};
}

bool Recorder::Impl::take(const StepView& view)
{
    if (error_ || finished_) return false;

    // a run goes on, or longer, from full steps only; the steps of a sweep are as long as they are
    if (view.report.h_s != plan_.time_step_s && !view.progress.sweep && !last_) last_ = now_;

    // what the step did goes to all frames in it: their velocity is the one after it
    now_.state = view.after;
    now_.progress = view.progress;
    account(view);
    if (columns_.bodies()) columns_.bodies()->take(view, *now_.bodies);
    add_jumps(view);
    add_snapshots(view);
    add_frames(view);
    ++steps_waiting_;
    if (checkpoint_is_due()) {
        if (auto written = commit(nullptr); !written) error_ = written.error();
    }
    return !error_;
}

void Recorder::Impl::account(const StepView& view)
{
    for (const ContactStep& contact : view.contacts) {
        now_.percussion_since_frame_Ns[static_cast<std::size_t>(contact.contact)] += contact.P[0];
    }
    if (!columns_.cones().empty()) account_friction(view);
    if (model_->constraints() > 0) account_constraints(view);

    // written this way so that NaN is not lost
    const double residual = solved_to(view.report.solve.residual);
    if (!(residual <= now_.residual_since_frame)) now_.residual_since_frame = residual;
}

void Recorder::Impl::account_constraints(const StepView& view)
{
    const auto first = static_cast<std::size_t>(model_->offset(model_->contacts()));
    for (std::size_t k = 0; k < now_.reaction_since_frame_Ns.size(); ++k) {
        now_.reaction_since_frame_Ns[k] += view.after.percussion_Ns[first + k];
    }
    for (std::size_t j = 0; j < now_.reaction_energy_J.size(); ++j) {
        now_.reaction_energy_J[j] += view.reaction_J[j];
    }
}

void Recorder::Impl::account_friction(const StepView& view)
{
    std::fill(friction_Ns_.begin(), friction_Ns_.end(), 0.0);
    for (std::size_t k = 0; k < view.contacts.size(); ++k) {
        const ContactStep& contact = view.contacts[k];
        const int number = cone_of_[static_cast<std::size_t>(contact.contact)];
        if (number < 0) continue;
        // series solve no one-step problem: there the law is that of the end of the step
        const auto& laws = view.laws;
        const Law acting =
            k < laws.size() ? laws[k] : model_->law(contact.contact, point_of(view.after), false, work_);
        const auto* law = std::get_if<Coulomb>(&acting);
        if (law == nullptr) continue;
        const auto cone = static_cast<std::size_t>(number);
        const auto first = static_cast<std::size_t>(columns_.cones()[cone].first);
        for (int i = 1; i < contact.dimension; ++i) {
            const std::size_t column = first + static_cast<std::size_t>(i) - 1;
            friction_Ns_[column] = contact.P[static_cast<std::size_t>(i)];
            now_.friction_since_frame_Ns[column] += friction_Ns_[column];
        }
        // a formula may have changed mu between two frames: all percussions are in the widest cone
        double& widest = now_.coefficient_since_frame[cone];
        widest = std::max(widest, law->friction);
    }
}

void Recorder::Impl::add_jumps(const StepView& view)
{
    bool impact = false;
    for (const Event& event : view.events) {
        if (!in_memory()) columns_.add_event(event);  // the report has them all
        ++now_.events;
        impact = impact || event.kind == EventKind::Impact;
    }
    // all coordinates of many bodies at every impact of two of them would be most of the file
    if (!impact || view.model.bodies() != nullptr) return;
    const double t_mid = view.events.front().time_s;
    interpolate(view, t_mid, q_, u_);
    columns_.add_jump(t_mid, q_, view.before.u, view.after.u, friction_Ns_, work_);
    ++now_.jumps;
}

void Recorder::Impl::add_snapshots(const StepView& view)
{
    snapshots_.pass(view.after.t_s, [&](std::size_t, double t_s) {
        interpolate(view, t_s, q_, u_);
        columns_.add_snapshot(t_s, q_, u_);
        ++now_.snapshots;
    });
}

void Recorder::Impl::add_frames(const StepView& view)
{
    now_.frame_at_state = false;
    const double close = same_instant * view.report.h_s;
    for (;; ++now_.next_frame) {
        const double t_s = plan_.start_s + static_cast<double>(now_.next_frame) * plan_.every_s;
        if (t_s > view.after.t_s + close) return;
        if (columns_.bodies()) columns_.bodies()->take_residuals(view);
        now_.frame_at_state = t_s >= view.after.t_s - close;
        if (now_.frame_at_state) {
            add_frame({carom::view(view.after.q), carom::view(view.after.u), t_s});
        } else {
            interpolate(view, t_s, q_, u_);
            add_frame({carom::view(q_), carom::view(u_), t_s});
        }
    }
}

void Recorder::Impl::add_frame(const Point& at)
{
    columns_.add_frame(at,
                       {.energy_since_start = now_.progress.certifier.sums().ledger.totals(),
                        .percussion_Ns = now_.percussion_since_frame_Ns,
                        .friction_Ns = now_.friction_since_frame_Ns,
                        .coefficient = now_.coefficient_since_frame,
                        .reaction_Ns = now_.reaction_since_frame_Ns,
                        .reaction_energy_J = now_.reaction_energy_J,
                        .residual = now_.residual_since_frame},
                       work_);
    if (columns_.bodies()) columns_.bodies()->add_frame(*now_.bodies, columns_.columns());
    for (auto* sums : {&now_.percussion_since_frame_Ns, &now_.friction_since_frame_Ns,
                       &now_.coefficient_since_frame, &now_.reaction_since_frame_Ns}) {
        std::fill(sums->begin(), sums->end(), 0.0);
    }
    now_.residual_since_frame = 0;
    ++frames_waiting_;
}

bool Recorder::Impl::checkpoint_is_due() const
{
    if (in_memory()) return false;
    const CheckpointSettings& limits = plan_.checkpoints;
    if (const int steps = plan_.settings.checkpoint_steps; steps > 0) {
        return steps_waiting_ >= steps || columns_.columns().waiting_bytes() >=
                                              static_cast<std::size_t>(std::max(0L, limits.asked_bytes));
    }
    const long rows = std::max(1, model_->coordinates() + model_->contacts());
    // a checkpoint of many bodies is long: some steps, and what packs to about as many bytes
    const long steps = columns_.in_single() ? limits.packed_steps : 1;
    const long bytes = columns_.in_single() ? 4 * limits.bytes : limits.bytes;
    return steps_waiting_ >= limits.step_rows / rows + steps ||
           frames_waiting_ >= std::max(limits.frames, now_.next_frame / 20) ||
           columns_.columns().waiting_bytes() >= static_cast<std::size_t>(std::max(0L, bytes));
}

Expected<void> Recorder::Impl::commit(const RunReport* report)
{
    if (in_memory()) {
        if (report != nullptr) report_ = *report;
        return {};
    }
    if (!written_before()) return *error_;
    columns_.columns().hand_over();
    steps_waiting_ = frames_waiting_ = 0;
    const Checkpoint& now = last_ ? *last_ : now_;
    if (report != nullptr || !in_background()) return write(now, report);
    writing_ = std::async(std::launch::async, [this, copy = now] { return write(copy, nullptr); });
    return {};
}

/// Packing and writing large frames takes long enough to be worth a thread; counts decide when, not it.
bool Recorder::Impl::in_background() const
{
    return columns_.in_single() && Threads::now() > 1 && !has_parts();
}

/// Waits for the commit before. False when it failed, with its error.
bool Recorder::Impl::written_before()
{
    if (!writing_.valid()) return !error_;
    if (auto written = writing_.get(); !written) error_ = written.error();
    return !error_;
}

/// Rows that were handed over and the checkpoint go to the file. Touches nothing that a step does.
Expected<void> Recorder::Impl::write(const Checkpoint& checkpoint, const RunReport* report)
{
    auto parts = with_others(
        change_parts([&](Hdf5Writer& file, int part) { return columns_.columns().append_to(file, part); }));
    if (!parts) return parts;
    auto written = with_others(change_file([&](Hdf5Writer& file) -> Expected<void> {
        if (auto added = columns_.columns().append_to(file); !added) return added;
        if (auto saved = detail::write_checkpoint(file, checkpoint); !saved) return saved;
        return report != nullptr ? file.add_text("/certificate", detail::to_json(*report)) : Expected<void>{};
    }));
    if (!written) return written;
    columns_.columns().committed();
    for (const Part& part : parts_) {
        columns_.columns().committed(part.number);
    }
    return {};
}

Expected<void> Recorder::Impl::finish(const RunReport& report)
{
    if (error_) return *error_;
    if (finished_) return {};

    // the end has a frame and its instants; a run that goes on from the checkpoint does without
    if (!last_) last_ = now_;
    const double close = same_instant * plan_.time_step_s;
    snapshots_.pass(now_.state.t_s + close,
                    [&](std::size_t, double t_s) { columns_.add_snapshot(t_s, now_.state.q, now_.state.u); });
    if (!now_.frame_at_state) {
        add_frame(point_of(now_.state));
        now_.frame_at_state = true;
    }
    if (auto written = commit(&report); !written) {
        error_ = written.error();
        return written;
    }
    finished_ = true;
    if (in_memory()) return {};
    remove_spares();
    file_.unlock();
    for (Part& part : parts_) {
        part.file.unlock();
    }
    return {};
}

Recording Recorder::Impl::recording() const
{
    if (!in_memory()) throw InternalError("a recording in a file is asked for as one in memory");
    Recording result;
    result.title = title_;
    result.scene_text = text_.scene;
    result.carom_version = version;
    result.start_s = plan_.start_s;
    result.duration_s = text_.duration_s;
    result.time_step_s = plan_.time_step_s;
    result.every_s = plan_.every_s;
    result.settings = plan_.settings;
    result.settings.every_s = plan_.every_s;
    columns_.put_into(result);
    result.settings.probes = !result.probes.empty();
    result.snapshots.asked_s = plan_.snapshots_at_s;
    result.checkpoint = std::make_shared<const Checkpoint>(last_ ? *last_ : now_);
    result.report = report_;
    if (result.report) {
        result.events = result.report->events;
        result.event_names = result.report->event_names;
    }
    return result;
}

/// The second files, those of this rank.
void Recorder::Impl::remove_spares() noexcept
{
    if (columns_.columns().parts().has(-1)) file_.remove_spare();
    for (Part& part : parts_) {
        part.file.remove_spare();
    }
}

void Recorder::Impl::abandon() noexcept
try {
    if (finished_ || in_memory()) return;
    // other ranks may be elsewhere, and are not waited for
    const bool alone = !has_parts() || Ranks::all() == nullptr;
    if (!error_ && steps_waiting_ > 0 && alone) static_cast<void>(commit(nullptr));
    static_cast<void>(written_before());
    remove_spares();
} catch (...) {
    // the file itself is complete; only what waited is lost
    return;
}

/// How a recording begins: what `create` and `in_memory` are given.
struct Recorder::Beginning {
    std::string path;  ///< not read in memory
    const Model& model;
    std::string title, scene_text;
    const RecordSettings& settings;
    const State& start;
    double duration_s, time_step_s;
    CheckpointSettings checkpoints;
    std::vector<double> snapshots_at_s;
    const std::optional<BodiesToRecord>& bodies;
    bool in_memory;
};

Expected<Recorder> Recorder::create(const std::string& path, const Model& model, std::string title,
                                    std::string scene_text, const RecordSettings& settings,
                                    const State& start, double duration_s, double time_step_s,
                                    const CheckpointSettings& checkpoints, std::vector<double> snapshots_at_s,
                                    const std::optional<BodiesToRecord>& bodies)
{
    return begin({path, model, std::move(title), std::move(scene_text), settings, start, duration_s,
                  time_step_s, checkpoints, std::move(snapshots_at_s), bodies, false});
}

Expected<Recorder> Recorder::in_memory(const Model& model, std::string title, std::string scene_text,
                                       const RecordSettings& settings, const State& start, double duration_s,
                                       double time_step_s, std::vector<double> snapshots_at_s,
                                       const std::optional<BodiesToRecord>& bodies)
{
    return begin({{},
                  model,
                  std::move(title),
                  std::move(scene_text),
                  settings,
                  start,
                  duration_s,
                  time_step_s,
                  {},
                  std::move(snapshots_at_s),
                  bodies,
                  true});
}

Expected<Recorder> Recorder::begin(Beginning beginning)
{
    auto& [path, model, title, scene_text, settings, start, duration_s, time_step_s, checkpoints,
           snapshots_at_s, bodies, in_memory] = beginning;

    // the numbers
    if (auto good = check(settings); !good) return good.error();
    if (auto good = check(RunPlan{.duration_s = duration_s, .until = {}}); !good) return good.error();
    if (auto good = check(MoreauSettings{.time_step_s = time_step_s}); !good) return good.error();
    const double every_s = settings.every_s > 0 ? settings.every_s : std::max(time_step_s, duration_s / 1000);
    if (auto good = check_frames(duration_s, every_s); !good) return good.error();
    const auto m = static_cast<std::size_t>(model.contacts());
    if (!fits(start, model)) {
        return mistake(ErrorCode::WrongSize, "Recorder::create",
                       "the state at the start does not fit the model", "make it with make_state");
    }

    // the file
    Checkpoint now;
    RunSoFar run = start_run(model, start);
    now.state = std::move(run.state);
    now.progress = std::move(run.progress);
    now.percussion_since_frame_Ns.assign(m, 0.0);
    if (bodies) {
        const std::size_t probes = settings.probes ? bodies->probes.size() : 0;
        now.bodies = BodyCheckpoint{.percussion_since_frame_Ns = std::vector<Vec3>(probes, Vec3::Zero()),
                                    .force_N = std::vector<double>(probes, 0.0)};
    }
    auto impl = std::make_unique<Impl>(path, model,
                                       Impl::Plan{settings, start.t_s, every_s, time_step_s,
                                                  std::move(snapshots_at_s), checkpoints,
                                                  /*friction=*/true, bodies, in_memory},
                                       std::move(now));
    if (auto created = impl->create(title, {std::move(scene_text), duration_s}); !created) {
        return created.error();
    }
    return Recorder(std::move(impl));
}

Expected<Recorder> Recorder::resume(const std::string& path, const Model& model,
                                    const std::optional<RunText>& prolonged,
                                    const CheckpointSettings& checkpoints,
                                    const std::optional<BodiesToRecord>& bodies,
                                    std::optional<WriteLock> lock, bool together)
{
    // all ranks have read what is there before one of them changes it
    auto prepared = prepare(path, model, prolonged, checkpoints, bodies, std::move(lock));
    const Expected<void> mine = prepared ? Expected<void>{} : Expected<void>(prepared.error());
    if (auto all = together ? all_done(mine) : mine; !all) return all.error();
    if (auto resumed = (*prepared)->resume(prolonged); !resumed) return resumed.error();
    return Recorder(std::move(*prepared));
}

Expected<std::unique_ptr<Recorder::Impl>> Recorder::prepare(const std::string& path, const Model& model,
                                                            const std::optional<RunText>& prolonged,
                                                            const CheckpointSettings& checkpoints,
                                                            const std::optional<BodiesToRecord>& bodies,
                                                            std::optional<WriteLock> lock)
{
    // nobody else writes from here on
    const Messages* ranks = Ranks::all();
    const bool first = ranks == nullptr || ranks->rank() == 0;
    if (!lock && !std::filesystem::exists(path)) return read_recording(path).error();
    if (!lock && first) {
        auto taken = WriteLock::take(path);
        if (!taken) return taken.error();
        lock.emplace(std::move(*taken));
    }

    // a run of the same model that has not ended, or goes on for longer
    auto recording = read_recording(path);
    if (!recording) return recording.error();
    if (is_finished(*recording) && !prolonged) {
        return mistake(ErrorCode::FileUnwritable, path, "the recorded run is finished",
                       "give an unfinished recording");
    }
    if (auto run = run_at_checkpoint(*recording, model); !run) return run.error();
    if (!same_bodies(*recording, bodies)) {
        return mistake(ErrorCode::WrongSize, path, "the recording belongs to other bodies",
                       "resume with the scene that the recording holds");
    }
    const double duration_s = prolonged ? prolonged->duration_s : recording->duration_s;
    if (auto good = check_frames(duration_s, recording->every_s); !good) return good.error();

    auto impl =
        std::make_unique<Impl>(path, model,
                               Impl::Plan{recording->settings, recording->start_s, recording->every_s,
                                          recording->time_step_s, std::move(recording->snapshots.asked_s),
                                          checkpoints, !recording->friction.cones.empty(), bodies},
                               Checkpoint(*recording->checkpoint));
    if (auto ready = impl->prepare_to_resume(std::move(lock)); !ready) return ready.error();
    return impl;
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::Recorder(Recorder&&) noexcept = default;

Recorder& Recorder::operator=(Recorder&& other) noexcept
{
    std::swap(impl_, other.impl_);
    return *this;
}

Recorder::~Recorder()
{
    if (impl_) impl_->abandon();
}

bool Recorder::operator()(const StepView& view)
{
    return impl_->take(view);
}

Expected<void> Recorder::finish(const RunReport& report)
{
    return impl_->finish(report);
}

Recording Recorder::recording()
{
    return impl_->recording();
}

}  // namespace carom
