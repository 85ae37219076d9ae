#pragma once

#include "simulation.hpp"

namespace carom::reference {

/// Moreau's vibrating table (Moreau 1988, example 16.2): a plane that a crank swings about an axis which
/// slides along OY. The particle has the coordinates (X, Y, Z) of the room, X down the slope; (x, y, z) are
/// fixed to the table, y from the sliding axis O towards the crank pin A, z normal.
class VibratingTable {
public:
    explicit VibratingTable(const Task& task);

    [[nodiscard]] const Model& model() const noexcept { return model_; }

    /// At rest relative to the table at (0, y0, 0), at t = 0.
    [[nodiscard]] State left_at(double y0_cm) const;

    /// (x, y) of the table.
    [[nodiscard]] Eigen::Vector2d on_table(const State& state) const;

private:
    /// Where O is along OY, how the table leans, and how fast.
    struct Pose {
        double along, angle, along_rate, angle_rate;
    };
    [[nodiscard]] Pose pose(double t_s) const;

    double eccentric_, length_, rate_;
    Model model_;
};

}  // namespace carom::reference
