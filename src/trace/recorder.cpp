#include "carom/trace/recorder.hpp"

#include "carom/core/version.hpp"
#include "carom/trace/recording.hpp"
#include "energy_names.hpp"
#include "run_columns.hpp"
#include "run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

using detail::Hdf5Session;
using detail::Hdf5Writer;

namespace {

/// More frames than any disk holds: a slip of the pen in every_s.
constexpr double most_frames = 1e9;

/// Frames this close to the end of a step, in steps, show its end exactly.
constexpr double same_instant = 1e-9;

Error refuse(ErrorCode code, std::string where, std::string message, std::string hint)
{
    return {.code = code,
            .where = std::move(where),
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// sum + compensation is the sum as if it had been added in twice the precision (Neumaier).
void add_compensated(double& sum, double& compensation, double value)
{
    const double next = sum + value;
    compensation += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
}

EnergyLines totals(const Checkpoint& checkpoint)
{
    EnergyLines result;
    for (const auto& energy : detail::energy_names) {
        result.*energy.line =
            checkpoint.energy_sums.*energy.line + checkpoint.energy_compensation.*energy.line;
    }
    return result;
}

std::vector<double> in_order(const EnergyLines& lines)
{
    std::vector<double> result;
    for (const auto& energy : detail::energy_names) {
        result.push_back(lines.*energy.line);
    }
    return result;
}

}  // namespace

/// `now_` is all that the recorder remembers from step to step, and what a checkpoint holds.
class Recorder::Impl {
public:
    Impl(const std::string& path, const Model& model, const RecordSettings& settings, double start_s,
         double every_s, const CheckpointSettings& checkpoints, Checkpoint now)
        : model_(&model),
          columns_(model, settings),
          file_(path),
          start_s_(start_s),
          every_s_(every_s),
          checkpoints_(checkpoints),
          now_(std::move(now))
    {
    }

    struct Head {
        std::string title, scene_text;
        double duration_s, time_step_s;
    };
    Expected<void> create(const Head& head);
    Expected<void> resume();
    bool take(const StepView& view);
    Expected<void> finish(const RunReport& report);
    void abandon() noexcept;

private:
    Expected<void> write_head(Hdf5Writer& file, const Head& head) const;
    Expected<void> write_checkpoint(Hdf5Writer& file) const;
    Expected<void> commit(const RunReport* report);
    [[nodiscard]] bool checkpoint_is_due() const;
    void account(const StepView& view);
    void add_frames(const StepView& view);
    void add_frame(const Point& at);
    void add_jumps(const StepView& view);

    const Model* model_;
    detail::RunColumns columns_;
    detail::RunFile file_;
    double start_s_, every_s_;
    CheckpointSettings checkpoints_;
    Checkpoint now_;

    Eigen::VectorXd q_, u_;
    Workspace work_;
    long steps_waiting_ = 0, frames_waiting_ = 0;
    std::optional<Error> error_;
    bool finished_ = false;
};

Expected<void> Recorder::Impl::create(const Head& head)
{
    add_frame(point_of(now_.state));
    auto created = file_.create([&](Hdf5Writer& file) -> Expected<void> {
        if (auto written = write_head(file, head); !written) return written;
        if (auto made = columns_.create_in(file); !made) return made;
        if (auto added = columns_.columns().append_to(file); !added) return added;
        return write_checkpoint(file);
    });
    if (!created) {
        finished_ = true;  // there is nothing to close
        return created;
    }
    columns_.columns().committed();
    frames_waiting_ = 0;
    return {};
}

Expected<void> Recorder::Impl::resume()
{
    auto file = Hdf5Writer::open(file_.path());
    if (!file) return file.error();
    if (auto found = columns_.columns().continue_from(*file); !found) return found;
    if (auto closed = file->close(); !closed) return closed;
    file_.remove_spare();
    return {};
}

Expected<void> Recorder::Impl::write_head(Hdf5Writer& file, const Head& head) const
{
    const std::pair<const char*, std::string_view> texts[] = {
        {"format", "carom-run"}, {"carom_version", version}, {"title", head.title}};
    for (const auto& [name, text] : texts) {
        if (auto set = file.set_attribute("/", name, text); !set) return set;
    }
    const std::pair<const char*, double> numbers[] = {{"start_s", start_s_},
                                                      {"duration_s", head.duration_s},
                                                      {"time_step_s", head.time_step_s},
                                                      {"every_s", every_s_}};
    for (const auto& [name, number] : numbers) {
        if (auto set = file.set_attribute("/", name, number); !set) return set;
    }
    if (auto set = file.set_attribute("/", "format_version", std::int64_t{1}); !set) return set;
    if (auto added = file.add_text("/scene", head.scene_text); !added) return added;
    return file.add_group("/checkpoint");
}

Expected<void> Recorder::Impl::write_checkpoint(Hdf5Writer& file) const
{
    const std::vector<double> closed(now_.state.closed.begin(), now_.state.closed.end());
    const std::vector<double> sums = in_order(now_.energy_sums),
                              compensation = in_order(now_.energy_compensation);
    const std::pair<const char*, std::span<const double>> columns[] = {
        {"/checkpoint/q", view(now_.state.q)},
        {"/checkpoint/u", view(now_.state.u)},
        {"/checkpoint/percussion_Ns", now_.state.percussion_Ns},
        {"/checkpoint/percussion_since_frame_Ns", now_.percussion_since_frame_Ns},
        {"/checkpoint/energy_sums_J", sums},
        {"/checkpoint/energy_compensation_J", compensation}};
    for (const auto& [path, values] : columns) {
        if (auto put = file.put(path, values); !put) return put;
    }
    if (auto put = file.put("/checkpoint/closed", closed, detail::Entry::Integer); !put) return put;

    const std::pair<const char*, std::int64_t> counts[] = {{"step", now_.step},
                                                           {"next_frame", now_.next_frame},
                                                           {"frame_at_state", now_.frame_at_state ? 1 : 0}};
    for (const auto& [name, count] : counts) {
        if (auto set = file.set_attribute("/checkpoint", name, count); !set) return set;
    }
    if (auto set = file.set_attribute("/checkpoint", "time_s", now_.state.t_s); !set) return set;
    return file.set_attribute("/checkpoint", "residual_since_frame", now_.residual_since_frame);
}

bool Recorder::Impl::take(const StepView& view)
{
    if (error_ || finished_) return false;

    // what the step did goes to all frames in it: their velocity is the one after it
    account(view);
    add_jumps(view);
    add_frames(view);

    now_.step = view.step;
    now_.state = view.after;
    ++steps_waiting_;
    if (checkpoint_is_due()) {
        if (auto written = commit(nullptr); !written) error_ = written.error();
    }
    return !error_;
}

void Recorder::Impl::account(const StepView& view)
{
    for (const ContactStep& contact : view.scratch.contacts) {
        now_.percussion_since_frame_Ns[static_cast<std::size_t>(contact.contact)] += contact.percussion_Ns;
    }
    // written this way so that NaN is not lost
    const double residual = view.report.solve.residual.unit_free;
    if (!(residual <= now_.residual_since_frame)) now_.residual_since_frame = residual;
    for (const auto& energy : detail::energy_names) {
        add_compensated(now_.energy_sums.*energy.line, now_.energy_compensation.*energy.line,
                        view.report.energy.*energy.line);
    }
}

void Recorder::Impl::add_jumps(const StepView& view)
{
    bool impact = false;
    for (const Event& event : view.scratch.events) {
        columns_.add_event(event);
        impact = impact || event.kind == EventKind::Impact;
    }
    if (!impact) return;
    const double t_mid = view.scratch.events.front().time_s;
    interpolate(view, t_mid, q_, u_);
    columns_.add_jump(t_mid, q_, view.before.u, view.after.u);
}

void Recorder::Impl::add_frames(const StepView& view)
{
    now_.frame_at_state = false;
    const double close = same_instant * view.report.h_s;
    for (;; ++now_.next_frame) {
        const double t_s = start_s_ + static_cast<double>(now_.next_frame) * every_s_;
        if (t_s > view.after.t_s + close) return;
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
                       {.energy_since_start = totals(now_),
                        .percussion_Ns = now_.percussion_since_frame_Ns,
                        .residual = now_.residual_since_frame},
                       work_);
    std::fill(now_.percussion_since_frame_Ns.begin(), now_.percussion_since_frame_Ns.end(), 0.0);
    now_.residual_since_frame = 0;
    ++frames_waiting_;
}

bool Recorder::Impl::checkpoint_is_due() const
{
    const long rows = std::max(1, model_->coordinates() + model_->contacts());
    return steps_waiting_ >= checkpoints_.step_rows / rows + 1 ||
           frames_waiting_ >= std::max(checkpoints_.frames, now_.next_frame / 20) ||
           columns_.columns().waiting_bytes() >= static_cast<std::size_t>(std::max(0L, checkpoints_.bytes));
}

Expected<void> Recorder::Impl::commit(const RunReport* report)
{
    const Hdf5Session session;
    auto written = file_.commit([&](Hdf5Writer& file) -> Expected<void> {
        if (auto added = columns_.columns().append_to(file); !added) return added;
        if (auto saved = write_checkpoint(file); !saved) return saved;
        return report != nullptr ? file.add_text("/certificate", detail::to_json(*report)) : Expected<void>{};
    });
    if (!written) return written;
    columns_.columns().committed();
    steps_waiting_ = frames_waiting_ = 0;
    return {};
}

Expected<void> Recorder::Impl::finish(const RunReport& report)
{
    if (error_) return *error_;
    if (finished_) return {};
    if (!now_.frame_at_state) {
        add_frame(point_of(now_.state));
        now_.frame_at_state = true;
    }
    if (auto written = commit(&report); !written) {
        error_ = written.error();
        return written;
    }
    finished_ = true;
    file_.remove_spare();
    return {};
}

void Recorder::Impl::abandon() noexcept
try {
    if (finished_) return;
    if (!error_ && steps_waiting_ > 0) static_cast<void>(commit(nullptr));
    file_.remove_spare();
} catch (...) {
    // the file itself is complete; only what waited is lost
    return;
}

Expected<Recorder> Recorder::create(const std::string& path, const Model& model, std::string title,
                                    std::string scene_text, const RecordSettings& settings,
                                    const State& start, double duration_s, double time_step_s,
                                    const CheckpointSettings& checkpoints)
{
    // the numbers
    if (auto good = check(settings); !good) return good.error();
    if (auto good = check(RunPlan{.duration_s = duration_s, .until = {}}); !good) return good.error();
    if (auto good = check(MoreauSettings{.time_step_s = time_step_s}); !good) return good.error();
    const double every_s = settings.every_s > 0 ? settings.every_s : std::max(time_step_s, duration_s / 1000);
    if (!(duration_s / every_s <= most_frames)) {
        return refuse(
            ErrorCode::SettingOutOfRange, "RecordSettings::every_s",
            fmt::format("every_s is {}: there would be {:.1e} frames", every_s, duration_s / every_s),
            "give a longer time between frames, or leave it out");
    }
    const auto m = static_cast<std::size_t>(model.contacts());
    if (start.q.size() != model.coordinates() || start.u.size() != model.coordinates() ||
        start.percussion_Ns.size() != m || start.closed.size() != m) {
        return refuse(ErrorCode::WrongSize, "Recorder::create",
                      "the state at the start does not fit the model", "make it with make_state");
    }

    // the file
    const Hdf5Session session;
    Checkpoint now;
    now.state = start;
    now.percussion_since_frame_Ns.assign(m, 0.0);
    auto impl =
        std::make_unique<Impl>(path, model, settings, start.t_s, every_s, checkpoints, std::move(now));
    if (auto created = impl->create({std::move(title), std::move(scene_text), duration_s, time_step_s});
        !created) {
        return created.error();
    }
    return Recorder(std::move(impl));
}

Expected<Recorder> Recorder::resume(const std::string& path, const Model& model,
                                    const CheckpointSettings& checkpoints)
{
    const Hdf5Session session;
    auto recording = read_recording(path);
    if (!recording) return recording.error();
    if (recording->report) {
        return refuse(ErrorCode::FileUnwritable, path, "the recorded run is finished",
                      "give an unfinished recording");
    }
    const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
    const auto& coordinates = model.system().coordinates;
    const auto named = [](const Contact& contact, const std::string& name) { return contact.name == name; };
    const auto& contacts = model.system().contacts;
    if (!std::equal(coordinates.begin(), coordinates.end(), recording->coordinates.begin(),
                    recording->coordinates.end(), same) ||
        !std::equal(contacts.begin(), contacts.end(), recording->contacts.begin(), recording->contacts.end(),
                    named)) {
        return refuse(ErrorCode::WrongSize, path, "the recording is one of another model",
                      "resume with the scene that the recording holds");
    }
    auto impl = std::make_unique<Impl>(path, model, recording->settings, recording->start_s,
                                       recording->every_s, checkpoints, std::move(recording->checkpoint));
    if (auto resumed = impl->resume(); !resumed) return resumed.error();
    return Recorder(std::move(impl));
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

}  // namespace carom
