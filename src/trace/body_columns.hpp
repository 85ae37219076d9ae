#pragma once

#include "carom/trace/recording.hpp"
#include "columns.hpp"
#include "onestep/residual_shares.hpp"
#include "trace/checkpoint.hpp"
#include "trace/recorder.hpp"

#include <optional>
#include <vector>

namespace carom::detail {

/// The columns of a run of bodies: its contacts, of which every frame has as many as it has, and the forces
/// that probes ask for. docs/reference/recording.md describes them.
class BodyColumns {
public:
    /// Declares the columns; `probes` are those of the contact forces, declared by the caller.
    BodyColumns(const BodiesToRecord& bodies, const Model& coordinates, const RecordSettings& settings,
                std::vector<std::size_t> probes, Columns& columns, bool single);

    /// Takes a step of bodies in. Sums go to `sums`.
    void take(const StepView& view, BodyCheckpoint& sums);

    /// Before a frame within the step: how its contacts share the error of the step.
    void take_residuals(const StepView& view);

    /// A row of the frame, with the contacts of the step that it lies in. Sums begin again.
    void add_frame(BodyCheckpoint& sums, Columns& columns);

    Expected<void> create_in(Hdf5Writer& file) const;

    /// Names, contacts and looks as a recording has them.
    void put_into(Recording& recording, const Columns& columns) const;

    /// The contacts of a recording, as rows.
    void take_from(const RecordedBodies& bodies, Columns& columns) const;
    /// Of whom events speak beside pairs of bodies.
    [[nodiscard]] const EventPlaces& places() const noexcept { return places_; }

    /// Columns of the contact forces that probes ask for.
    [[nodiscard]] const std::vector<std::size_t>& probes() const noexcept { return probes_; }

    /// Columns whose rows are contacts, not frames.
    [[nodiscard]] const std::vector<std::size_t>& ragged() const noexcept { return ragged_; }

    /// A recording of an older version goes on without the columns that it has not.
    void leave_out_missing(const Hdf5Reader& file, Columns& columns) const;

private:
    struct Shown {
        int first = 0, second = 0;
        std::size_t contact = 0;  ///< of the step
        Vec3 point_m, normal, percussion_Ns, moment_Nms;
        double gap_m = 0, friction = 0, sliding_m_s = 0, residual = 0;
    };

    /// Vectors of bodies or joints, one row per frame: what free-body diagrams need.
    struct ForceTable {
        std::size_t column = 0;
        const char* path = "";
        RowMatrix RecordedBodies::* values = nullptr;
        std::vector<double> row;

        void put(std::size_t vector, const Vec3& x);
    };

    void declare_forces(const BodyModel& model, Columns& columns, bool single);
    void take_contacts(const StepView& view);
    void take_forces(const StepView& view);
    void take_joints(const StepView& view);

    /// The table of these values; null: there is none.
    [[nodiscard]] ForceTable* table_of(RowMatrix RecordedBodies::* values);

    std::vector<std::string> names_;
    EventPlaces places_;
    RecordedSolids solids_;  ///< what they look like
    RecordedMechanics mechanics_;
    std::vector<ContactForceProbe> forces_;
    std::vector<std::size_t> probes_, ragged_;
    std::optional<std::size_t> count_, step_;
    bool rolls_ = false;  ///< some contacts resist rolling
    std::vector<ForceTable> tables_;
    std::vector<Shown> shown_;
    ResidualScratch residual_;
    std::vector<double> U_, shares_;
    double h_s_ = 0;
};

/// The part of a checkpoint that bodies have; in `state` the factors that they are.
Expected<void> write_bodies(Hdf5Writer& file, const State& state, const BodyCheckpoint& bodies);
[[nodiscard]] Expected<BodyCheckpoint> read_bodies(const Hdf5Reader& file, std::size_t bodies,
                                                   std::size_t actors, State& state);

}  // namespace carom::detail
