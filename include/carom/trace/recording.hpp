#pragma once

#include "carom/geometry/surface.hpp"
#include "carom/run/run.hpp"

#include <Eigen/Dense>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {
class RecordingFile;
}

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

/// A drawn item; its numbers are columns of `Recording::draw`.
struct RecordedDrawing {
    DrawingKind kind{};
    std::string label, colour;
    int contact = -1;  ///< -1: none
    bool closed = false;
    int dimension = 2;
    int points = 1;    ///< how many, `dimension` columns each
    int first = 0;     ///< column of the first point
    int radius = -1;   ///< column; -1: none
    int normal = -1;   ///< first column; -1: none
    int tangent = -1;  ///< first column; -1: none, by the rule (CF-3)
};

/// A contact with friction; its numbers are columns of `RecordedFriction`.
struct RecordedCone {
    int contact = 0;
    FrictionShape shape = FrictionInterval{};  ///< at mu = 1
    int first = 0;  ///< column of its first tangential percussion; it has tangential_dimension(shape) of them
};

/// Friction of the contacts that have some. With the normal percussions of the frames these are all
/// components: since the cone is convex, the sum of a frame is in the cone of `coefficient`.
struct RecordedFriction {
    std::vector<RecordedCone> cones;
    RowMatrix percussion_Ns;  ///< tangential components, sum since the previous frame
    RowMatrix coefficient;    ///< per cone: largest mu of a step since the previous frame; 0: did not act
    RowMatrix jump_percussion_Ns;  ///< tangential components, of the steps of RecordedJumps
};

/// Reactions of constraints.
struct RecordedConstraints {
    std::vector<std::string> names;      ///< of the constraints
    std::vector<std::string> reactions;  ///< of the columns: "rod", or "hinge.1", "hinge.2" for several
    RowMatrix percussion_Ns;             ///< per reaction, sum since the previous frame
    RowMatrix energy_J;  ///< per constraint: what it did to the kinetic energy, sum since the start
};

/// One row per step with an impact, which frames are too far apart to show.
struct RecordedJumps {
    Eigen::VectorXd time_s;     ///< middle of the step, where Moreau's scheme lets the velocity jump
    RowMatrix q;                ///< then
    RowMatrix u_minus, u_plus;  ///< velocity before and after the step
    RowMatrix draw;             ///< what drawings show then
};

/// The system at the requested instants that the run has passed.
struct RecordedSnapshots {
    std::vector<double> asked_s;  ///< in the order requested
    Eigen::VectorXd time_s;       ///< of those passed, in the order of time
    RowMatrix q, u;               ///< q linear within the step, u the right limit
};

/// The contacts of bodies, which come and go: every frame has its own, those that acted in its step.
struct RecordedBodies {
    std::vector<std::string> names;       ///< of all bodies; empty in a run of coordinates
    std::vector<Eigen::Index> first_row;  ///< of every frame, and one more: the end; empty: not recorded
    std::vector<int> first, second;       ///< bodies, one row per contact
    RowMatrix point_m, normal;  ///< at the midpoint of the step; the normal is towards the first body
    RowMatrix percussion_Ns;    ///< of the step on the first body, world axes
    Eigen::VectorXd gap_m;      ///< at the midpoint of the step
    Eigen::VectorXd step_s;     ///< length of the step, per frame: force = percussion / step

    // files of older versions have none of these
    Eigen::VectorXd friction;     ///< per contact: |P_T| is at most this times P_N; 0: no friction
    Eigen::VectorXd sliding_m_s;  ///< per contact: how fast it slides after the step
    Eigen::VectorXd residual;     ///< per contact: its share in the unit-free error of the step
    RowMatrix moment_Nms;         ///< per contact: of rolling and spinning, on the first body

    // free-body diagrams (BO-25), per frame: of the step, x, y, z of every body that moves
    RowMatrix velocity_change_m_s, spin_change_Nms;
    RowMatrix half_way_m;              ///< centre of mass in the middle of the step, where forces act
    RowMatrix load_N, load_torque_Nm;  ///< springs, dampers, given forces, without weight; may be missing
    RowMatrix constraint_Ns, constraint_moment_Nms;  ///< gears and formulas; may be missing
    RowMatrix joint_percussion_Ns;  ///< on the first body of every joint, with what holds the velocities
    RowMatrix joint_moment_Nms;     ///< the same, about the joint's point
};

/// A joint of two bodies, for pictures. Points are from centres of mass, in the body axes.
struct RecordedJoint {
    std::string name, kind;      ///< the kind as scenes write it
    int first = 0, second = -1;  ///< bodies; -1: the world, whose point and axis are its own
    Vec3 first_point_m{0, 0, 0}, second_point_m{0, 0, 0};
    Vec3 axis{0, 0, 1};                            ///< axes of the first body
    bool turn_motor = false, slide_motor = false;  ///< a motor acts on its rotation, on its sliding
};

/// A spring, damper or both between two points, for pictures: bodies and points as of a joint.
struct RecordedSpring {
    int first = 0, second = -1;
    Vec3 first_point_m{0, 0, 0}, second_point_m{0, 0, 0};
};

/// What the free-body diagram of a body needs besides its contacts.
struct RecordedMechanics {
    Vec3 gravity_m_s2{0, 0, 0};
    std::vector<double> mass_kg;         ///< per body; 0: forces do not move it. Empty: an older file
    std::vector<Mat3> inertia_kg_m2;     ///< per body, its axes; may be missing
    std::vector<std::string> materials;  ///< per body
    std::vector<RecordedJoint> joints;
    std::vector<RecordedSpring> springs;  ///< none in older files
};

/// A surface of a body, for pictures.
struct RecordedSolid {
    int body = 0;
    PlacedSurface placed;
    std::string colour;  ///< one of core/palette.hpp
};

/// What bodies look like. Recordings hold how they move as coordinates.
struct RecordedSolids {
    bool flat = false;         ///< in the plane
    std::vector<int> columns;  ///< per body: first of its columns of q; -1: it does not move
    std::vector<Pose> fixed;   ///< per body: centre of mass and orientation at the start
    std::vector<Surface> surfaces;
    std::vector<RecordedSolid> solids;

    /// Centre of mass and orientation of a body, from a row of q.
    [[nodiscard]] Pose pose(std::size_t body, const RowMatrix& q, Eigen::Index frame) const;
};

struct Checkpoint;                                                // trace/checkpoint.hpp, inside
[[nodiscard]] std::shared_ptr<const Checkpoint> no_checkpoint();  ///< of a run before its first step

/// Quantities that were not recorded (RecordSettings) have no rows.
struct Recording {
    std::string title, scene_text, carom_version;
    double start_s = 0, duration_s = 0;  ///< as requested
    double time_step_s = 0, every_s = 0;
    RecordSettings settings;

    std::vector<Coordinate> coordinates;
    std::vector<std::string> contacts;

    Eigen::VectorXd time_s;           ///< of the frames
    RowMatrix q, u;                   ///< per coordinate; u is the right limit
    RowMatrix gap_m;                  ///< per contact
    RowMatrix percussion_Ns;          ///< per contact, normal, sum since the previous frame
    RecordedFriction friction;        ///< no cones where there is no friction, and in files of older versions
    RecordedConstraints constraints;  ///< without names where there are none
    RecordedBodies bodies;            ///< without names where there are none
    RecordedMechanics mechanics;      ///< of bodies
    RecordedSolids solids;            ///< without surfaces where there are none
    Eigen::VectorXd residual;         ///< worst since the previous frame, unit-free

    /// kinetic_J and potential_J are values, the other lines of the ledger are sums since the start.
    std::vector<RecordedSeries> energies;
    std::vector<RecordedSeries> probes;

    std::vector<RecordedDrawing> drawings;
    RowMatrix draw;  ///< one row per frame

    std::vector<Event> events;
    std::vector<std::string> event_names;  ///< names by Event::contact
    RecordedJumps jumps;
    RecordedSnapshots snapshots;
    std::shared_ptr<const Checkpoint> checkpoint = no_checkpoint();  ///< where the run can be resumed

    /// How the run ended; empty when it was killed or is still running.
    std::optional<RunReport> report;

    /// Holds the tables that were left out of memory (ReadSettings); null: all are here.
    std::shared_ptr<const detail::RecordingFile> file;

    [[nodiscard]] Eigen::Index frames() const noexcept { return time_s.size(); }

    /// The line of that name, e.g. "kinetic_J"; nullptr when it was not recorded.
    [[nodiscard]] const Eigen::VectorXd* energy(std::string_view name) const noexcept;
};

/// Reads a recording that carom wrote, finished or not. Errors: FileUnreadable when there is no such file or
/// it may not be read, FileMalformed when it is damaged, of another kind, or its parts do not fit together.
struct ReadSettings {
    /// Where q and u of a finished run of bodies are larger than this, they stay in the file and have no
    /// rows; so do its contacts. Pages read them part by part.
    std::size_t max_table_bytes = std::numeric_limits<std::size_t>::max();
};
[[nodiscard]] Expected<Recording> read_recording(const std::string& path, const ReadSettings& settings = {});

/// The run finished: it was neither killed nor interrupted.
[[nodiscard]] bool is_finished(const Recording& recording) noexcept;

}  // namespace carom
