#pragma once

#include "carom/door/step_record.hpp"
#include "carom/orbit/sensitivity.hpp"
#include "carom/scene/scene.hpp"
#include "carom/trace/recording.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Runs of scenes of any kind, from a scene or resumed from a recording, with results in memory and in files.

/// Which one-step problems of a run are kept, as FCLIB files FOLDER/step_N.hdf5 with the percussions that the
/// run used as their solution (`carom solve` and solve_problem take them). All and failed ones are written as
/// they occur, the worst (largest unit-free error) at the end.
struct KeepProblems {
    enum class Which { None, All, Failed, Worst };
    Which which = Which::None;
    std::size_t count = 0;  ///< of `Worst`
    std::string folder;     ///< problems of an earlier run in it are removed
};

/// What became of them.
struct KeptProblemCounts {
    std::size_t written = 0;
    std::size_t left_out = 0;         ///< FCLIB cannot express their law
    std::string why;                  ///< of the first left out
    std::size_t without_problem = 0;  ///< steps by power series, which solve none
};

/// What a run should produce besides its final state.
struct RunOptions {
    std::string recording = {};     ///< file to which the run is recorded while it runs; empty: none
    std::vector<double> at_s = {};  ///< instants to show; they do not change the motion
    KeepProblems problems = {};
    SensitivityOptions sensitivity = {};      ///< what the run is differentiated by; by nothing: not at all
    bool columns = true;                      ///< frames in memory: Run::record
    RunListener listener = {};                ///< sees every step; false ends the run after it
    const std::atomic<bool>* stop = nullptr;  ///< once true, ends the run after the step, or within its solve
};

/// The system at one requested instant.
struct Snapshot {
    double time_s = 0;
    bool reached = false;        ///< false: the run ended before
    Eigen::VectorXd q, u;        ///< q linear within the step, u the right limit
    std::vector<double> probes;  ///< one per [[probe]] of the scene
};

/// An event with its names.
struct RunEvent : Event {
    std::string place;  ///< the contact or constraint
    bool of_constraint = false;
    std::string_view status_before,
        status_after;  ///< open, closed, stick, slip; of constraints hold, slip, free
};

/// Results of a run.
struct Run {
    RunStatus status = RunStatus::Failed;
    RunEnd end = RunEnd::Duration;
    Certificate certificate;
    std::vector<Finding> findings;
    std::vector<RunEvent> events;

    State at_end;                     ///< of the last good step
    std::vector<double> probes;       ///< there, one per [[probe]] of the scene
    std::vector<Snapshot> snapshots;  ///< in the order requested

    /// Columns: coordinates, velocities, gaps, percussions, probes, ledger, contacts of bodies at every frame
    /// of `[record]`. The same as read_recording gives, so that pages, pictures and tables are made from
    /// either. Empty where RunOptions::columns was false.
    Recording record;
    KeptProblemCounts problems;

    /// Derivatives of the motion by series, or of the steps, whatever the integrator of the run: where
    /// RunOptions::sensitivity names something.
    std::optional<Sensitivities> sensitivity;

    bool stopped = false;   ///< RunOptions::stop ended it
    double wall_s = 0;      ///< time that the steps took
    long steps_now = 0;     ///< taken in that time; a run that was resumed has more
    std::string recording;  ///< the file; empty: none, or it could not be finished
    Errors not_written;     ///< files that could not be written: the run then counts as failed
    std::string note;       ///< of resume: why there was nothing to add to the recording
};

/// Runs a scene from its start to its end. Errors, before the first step and all at once: instants outside
/// the run (SettingOutOfRange, RunOptions::at_s), files that cannot be written (FileUnwritable), and those of
/// sensitivities() for RunOptions::sensitivity. The status says how the run itself ended.
[[nodiscard]] Expected<Run, Errors> run(const Scene& scene, const RunOptions& options = {});

/// How a recorded run is resumed.
struct ResumeOptions {
    std::vector<Override> overrides = {};  ///< only duration_s may change
    bool columns = true;
    RunListener listener = {};
    const std::atomic<bool>* stop = nullptr;
};

/// A recorded run that can be resumed: its scene, and the run at its last checkpoint.
///
///     auto resumed = Resumption::open("run.h5");
///     const auto run = resumed->run();
///
/// It ends bit for bit as if it had never been interrupted; a run that is complete is judged again. Sweeping
/// processes can be resumed but not extended: their step lengths are fitted to the duration.
class Resumption {
public:
    /// Locks and reads the recording. Errors: those of read_recording and read_scene; NotAllowedHere for
    /// overrides other than duration_s; SettingOutOfRange for a duration shorter than what was run;
    /// FileMalformed where scene and recording contradict each other; FileUnwritable while another run writes
    /// it.
    [[nodiscard]] static Expected<Resumption, Errors> open(const std::string& recording,
                                                           ResumeOptions options = {});
    Resumption(Resumption&&) noexcept;
    Resumption& operator=(Resumption&&) noexcept;
    ~Resumption();

    [[nodiscard]] const Scene& scene() const noexcept;
    [[nodiscard]] const std::string& note() const noexcept;  ///< why nothing will be added to the recording

    /// May be called once. Errors: FileUnwritable.
    [[nodiscard]] Expected<Run, Errors> run();

private:
    struct Impl;
    explicit Resumption(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Resumes a recorded run and takes it to its end.
[[nodiscard]] Expected<Run, Errors> resume(const std::string& recording, ResumeOptions options = {});

/// The lines of a ledger with their names, in the order of (LE-1).
[[nodiscard]] std::vector<std::pair<std::string_view, double>> lines_of(const EnergyLines& energy);

/// A run from a file, as if it had just been made.
struct RecordedRun {
    Run run;                  ///< without times and kept problems; its probes are those of the last frame
    std::string_view status;  ///< certified, uncertified, failed, interrupted or unfinished
};

/// The run of a recording, finished or not; where it was killed, what its last checkpoint knew. Errors: those
/// of read_recording.
[[nodiscard]] Expected<RecordedRun, Errors> open_recorded(const std::string& recording);

/// Writes a run that has its columns to a file, the one that RunOptions::recording would have made. Errors:
/// FileUnwritable; NotAllowedHere for a run without columns.
[[nodiscard]] Expected<void, Errors> save(const Run& run, const Scene& scene, const std::string& path);

}  // namespace carom
