#pragma once

#include "carom/trace/recording.hpp"
#include "run/force_probe.hpp"
#include "trace/write_lock.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carom {

/// When what is in memory goes to the file. The first count that is full decides; the clock never does.
struct CheckpointSettings {
    long step_rows =
        200'000;        ///< steps times (coordinates + contacts), a measure of the work since the last one
    long frames = 100;  ///< or a twentieth of the frames there are, when that is more
    long bytes = 4L << 20;          ///< of data that wait; four times as many where they are packed
    long packed_steps = 10;         ///< steps beyond step_rows where frames are packed
    long asked_bytes = 256L << 20;  ///< of data that wait, where RecordSettings::checkpoint_steps decides
};

/// What a recording says about the run that was asked for.
struct RunText {
    std::string scene;  ///< TOML
    double duration_s = 0;
};

/// The bodies of a run that has them; they must live as long as the recorder.
struct BodiesToRecord {
    const BodyModel& model;
    const State& start;
    std::span<const ContactForceProbe> probes = {};
    std::span<const std::string> colours = {};  ///< one per body, of core/palette.hpp; none: grey
};

/// Writes a run to an HDF5 file while it runs; a listener for `simulate`:
///
///     auto recorder = Recorder::create("run.h5", model, title, scene_text, record, state, duration_s,
///     time_step_s); const RunReport report = simulate(model, settings, solver, plan, state,
///     std::ref(*recorder)); const auto written = recorder->finish(report);
///
/// Frames are taken at the start, at start + k every_s, and where the run ends. Inside a step they are
/// interpolated (MS-6), which never changes the motion. `snapshots_at_s`: other instants to keep.
///
/// At every instant the file of that name is complete and closed: a checkpoint goes to a second file,
/// RUN.h5.next, which then takes the name in one indivisible exchange. A process killed at any moment loses
/// what it computed since the last checkpoint and nothing else. A recorder holds the lock of its file:
/// another that would write it is refused. docs/reference/recording.md describes the file.
///
/// With RecordSettings::parts the large tables go to so many files beside it. Every rank of a run then has a
/// recorder, which writes part p where p is its number modulo the number of ranks; the first rank also writes
/// the recording itself, behind the parts: it never shows rows that a part has not. Ranks that record
/// together see the same error.
class Recorder {
public:
    /// Replaces a recording of that name. Errors: FileUnwritable when the folder does not exist or may not be
    /// written, when the path is a folder, a file that is no recording, or one that is being written;
    /// SettingOutOfRange; WrongSize. The model must live as long as the recorder.
    [[nodiscard]] static Expected<Recorder>
    create(const std::string& path, const Model& model, std::string title, std::string scene_text,
           const RecordSettings& settings, const State& start, double duration_s, double time_step_s,
           const CheckpointSettings& checkpoints = {}, std::vector<double> snapshots_at_s = {},
           const std::optional<BodiesToRecord>& bodies = {});

    /// Records in memory instead; `recording` hands it out. Errors: SettingOutOfRange; WrongSize.
    [[nodiscard]] static Expected<Recorder>
    in_memory(const Model& model, std::string title, std::string scene_text, const RecordSettings& settings,
              const State& start, double duration_s, double time_step_s,
              std::vector<double> snapshots_at_s = {}, const std::optional<BodiesToRecord>& bodies = {});

    /// Goes on with a recording of the same model, from its checkpoint; the caller goes on with the run from
    /// `run_at_checkpoint`. The file then becomes the one of an uninterrupted run. A run that has ended is
    /// refused with FileUnwritable, unless it is prolonged, and so is one that is being written. `lock` is
    /// that of the file, of a caller who took it before reading the recording. `together`: the recording
    /// has parts and all ranks call this. Other errors: those of read_recording and run_at_checkpoint.
    [[nodiscard]] static Expected<Recorder> resume(const std::string& path, const Model& model,
                                                   const std::optional<RunText>& prolonged = {},
                                                   const CheckpointSettings& checkpoints = {},
                                                   const std::optional<BodiesToRecord>& bodies = {},
                                                   std::optional<WriteLock> lock = {}, bool together = false);

    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) noexcept;

    /// Without finish() the file keeps every frame and stays unfinished.
    ~Recorder();

    /// Takes one step in. False when the file could not be written; finish() says why.
    bool operator()(const StepView& view);

    /// Adds the frame at the end and the certificate, and closes the recording.
    Expected<void> finish(const RunReport& report);

    /// What was recorded in memory, as read_recording would give it from a file. Once, after finish().
    [[nodiscard]] Recording recording();

private:
    class Impl;
    struct Beginning;
    [[nodiscard]] static Expected<Recorder> begin(Beginning beginning);
    [[nodiscard]] static Expected<std::unique_ptr<Impl>> prepare(const std::string& path, const Model& model,
                                                                 const std::optional<RunText>& prolonged,
                                                                 const CheckpointSettings& checkpoints,
                                                                 const std::optional<BodiesToRecord>& bodies,
                                                                 std::optional<WriteLock> lock);
    explicit Recorder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace carom
