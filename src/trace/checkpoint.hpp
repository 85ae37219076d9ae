#pragma once

#include "carom/trace/recording.hpp"
#include "run/progress.hpp"

namespace carom {

/// What a recording of bodies carries besides their state.
struct BodyCheckpoint {
    double since_frame_s = 0;                     ///< steps added up since the last frame
    std::vector<Vec3> percussion_since_frame_Ns;  ///< per probe of a contact force
    std::vector<double> force_N;                  ///< what these probes showed last
    long contacts = 0;                            ///< rows of RecordedBodies
};

/// Where a run can be resumed: its state and progress after a number of full steps, the sums of the recorder
/// since its last frame, and which rows of the file are older. A finished run has one frame more than its
/// checkpoint counts, and the rows of a shortened last step.
struct Checkpoint {
    State state;
    RunProgress progress;
    long next_frame = 1;         ///< number k of the frame that comes next, at start + k every_s
    bool frame_at_state = true;  ///< the last frame shows exactly this state
    double residual_since_frame = 0;
    std::vector<double> percussion_since_frame_Ns;  ///< per contact, normal
    std::vector<double> friction_since_frame_Ns;    ///< tangential, in the columns of RecordedFriction
    std::vector<double> coefficient_since_frame;    ///< per cone
    std::vector<double> reaction_since_frame_Ns;    ///< per reaction of RecordedConstraints
    std::vector<double> reaction_energy_J;          ///< per constraint, since the start
    long events = 0, jumps = 0, snapshots = 0;      ///< rows; those of the frames are next_frame
    std::optional<BodyCheckpoint> bodies;           ///< of a run of bodies
};

/// The state has the sizes of the model.
[[nodiscard]] bool fits(const State& state, const Model& model);

/// The run at the checkpoint, for `resume_run`. Errors: WrongSize when the recording belongs to another
/// model, FileMalformed when its checkpoint contradicts its head.
[[nodiscard]] Expected<RunSoFar> run_at_checkpoint(const Recording& recording, const Model& model);

}  // namespace carom
