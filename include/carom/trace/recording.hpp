#pragma once

#include "carom/integrator/run.hpp"

#include <Eigen/Dense>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// A run as it was recorded, in memory. docs/reference/recording.md describes the file that it comes from.

/// One row per frame, as the file has it.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One number per frame.
struct RecordedSeries {
    std::string name;
    std::string unit;
    Eigen::VectorXd values;
};

/// One row per step with an impact: what frames are too far apart to show.
struct RecordedJumps {
    Eigen::VectorXd time_s;     ///< middle of the step, where Moreau's scheme lets the velocity jump
    RowMatrix q;                ///< then
    RowMatrix u_minus, u_plus;  ///< velocity before and after the step
};

/// Where a run can go on: the state after `step` steps, and what the recorder had added up since its last
/// frame.
struct Checkpoint {
    long step = 0;
    State state;
    long next_frame = 1;         ///< number k of the frame that comes next, at start + k every_s
    bool frame_at_state = true;  ///< the last frame shows this very state
    double residual_since_frame = 0;
    std::vector<double> percussion_since_frame_Ns;  ///< per contact
    EnergyLines energy_sums, energy_compensation;   ///< of the cumulative lines, compensated sums
};

/// Quantities that were not recorded (RecordSettings) have no rows.
struct Recording {
    std::string title, scene_text, carom_version;
    double start_s = 0, duration_s = 0;  ///< what was asked for
    double time_step_s = 0, every_s = 0;
    RecordSettings settings;

    std::vector<Coordinate> coordinates;
    std::vector<std::string> contacts;

    Eigen::VectorXd time_s;    ///< of the frames
    RowMatrix q, u;            ///< per coordinate; u is the right limit
    RowMatrix gap_m;           ///< per contact
    RowMatrix percussion_Ns;   ///< per contact, sum since the frame before
    Eigen::VectorXd residual;  ///< worst since the frame before, unit-free

    /// kinetic_J and potential_J are values, the other lines of the ledger are sums since the start.
    std::vector<RecordedSeries> energies;
    std::vector<RecordedSeries> probes;

    std::vector<Event> events;
    RecordedJumps jumps;
    Checkpoint checkpoint;

    /// How the run ended; empty when it was killed or is still running.
    std::optional<RunReport> report;

    [[nodiscard]] Eigen::Index frames() const noexcept { return time_s.size(); }

    /// The line of that name, e.g. "kinetic_J"; nullptr when it was not recorded.
    [[nodiscard]] const Eigen::VectorXd* energy(std::string_view name) const noexcept;
};

/// Reads a recording that carom wrote, finished or not. Errors: FileUnreadable when there is no such file or
/// it may not be read, FileMalformed when it is damaged, of another kind, or its parts do not fit together.
[[nodiscard]] Expected<Recording> read_recording(const std::string& path);

}  // namespace carom
