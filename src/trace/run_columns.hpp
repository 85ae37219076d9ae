#pragma once

#include "body_columns.hpp"
#include "columns.hpp"
#include "draw_json.hpp"
#include "friction_json.hpp"
#include "report_json.hpp"

#include <optional>

namespace carom::detail {

/// Names of the reactions of all constraints, in the order of their percussions in a State.
[[nodiscard]] std::vector<std::string> reaction_names(const Model& model);

/// The columns of a run: which datasets there are, and rows for them. docs/reference/recording.md is their
/// description.
class RunColumns {
public:
    /// `friction`: all components of the percussions of contacts that rub; older files have the normal ones.
    RunColumns(const Model& model, const RecordSettings& settings, bool snapshots, bool friction,
               const std::optional<BodiesToRecord>& bodies = {}, Columns::Parts parts = {});

    /// What a frame shows beside what the model says at its point.
    struct FrameSums {
        const EnergyLines& energy_since_start;  ///< its first two lines are not used
        std::span<const double> percussion_Ns;
        std::span<const double> friction_Ns, coefficient;        ///< in the columns of cones()
        std::span<const double> reaction_Ns, reaction_energy_J;  ///< of constraints
        double residual;
    };
    void add_frame(const Point& at, const FrameSums& sums, Workspace& work);
    void add_event(const Event& event);
    /// `friction_Ns`: tangential percussions of the step, in the columns of cones().
    void add_jump(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u_minus,
                  const Eigen::VectorXd& u_plus, std::span<const double> friction_Ns, Workspace& work);

    void add_snapshot(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u);

    /// Groups, names and empty datasets.
    Expected<void> create_in(Hdf5Writer& file) const;

    /// Begins where the checkpoint of a file is; true when the file has later rows.
    Expected<bool> continue_from(const Hdf5Reader& file, const Checkpoint& checkpoint);

    /// All rows as a recording has them, where no file has taken them over; the events are not among them.
    void put_into(Recording& recording) const;

    /// The other way round: takes the rows of a recording of this model, events as well. Before any other
    /// row.
    void take_from(const Recording& recording);

    /// Frames are packed.
    [[nodiscard]] bool in_single() const noexcept { return single_; }

    /// The contacts whose friction is recorded.
    [[nodiscard]] const std::vector<RecordedCone>& cones() const noexcept { return cones_; }

    /// Of a run of bodies.
    [[nodiscard]] std::optional<BodyColumns>& bodies() noexcept { return bodies_; }

    [[nodiscard]] Columns& columns() noexcept { return columns_; }
    [[nodiscard]] const Columns& columns() const noexcept { return columns_; }

private:
    void declare_frames(const RecordSettings& settings);
    void declare_probes();
    void declare_friction();
    void declare_constraints();
    void declare_bodies(const BodiesToRecord& bodies, const RecordSettings& settings);
    void declare_drawings();
    void declare_events(bool of_pairs);  ///< of bodies, which meet in pairs
    void declare_snapshots();

    /// So many bits where frames are packed.
    [[nodiscard]] int bits(int single) const noexcept { return single_ ? single : 0; }

    const Model* model_;
    bool single_ = false;
    Columns columns_;
    std::size_t time_ = 0, q_ = 0, residual_ = 0;
    std::optional<std::size_t> u_, gap_, percussion_;
    std::vector<std::size_t> energies_, probes_, events_, jumps_, snapshots_;
    std::vector<ProbeName> probe_names_;
    std::optional<std::size_t> friction_, coefficient_, jump_friction_;
    std::vector<RecordedCone> cones_;
    std::optional<std::size_t> reactions_, reaction_energies_;
    std::optional<std::size_t> draw_;
    std::vector<RecordedDrawing> drawings_;
    std::optional<BodyColumns> bodies_;
    std::vector<double> row_;
};

}  // namespace carom::detail
