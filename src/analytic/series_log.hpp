#pragma once

#include "analytic/series_step.hpp"

#include <Eigen/Dense>

#include <cstddef>
#include <vector>

namespace carom {

/// What the series integrator decided on its way, beside the motion itself: statuses of contacts on each
/// piece, and what ended it. Derivatives of the motion (carom/orbit) are made from it.

/// What a contact that acts does on a piece.
struct SeriesStatus {
    int contact = 0;
    int dimension = 1;
    int frame = 0;  ///< in space: 0 tangents along the x axis, 1 along the y axis (CF-3)
    bool slides = false;
    bool sticks = false;  ///< with friction, and at rest
    int side = 0;         ///< of slip in the plane
    bool begins = false;  ///< slip that begins where the piece does
};

/// The function whose root ends a piece.
struct SeriesCause {
    enum class Kind {
        Gap,           ///< a contact closes
        Reaction,      ///< its reaction vanishes
        SlipEnd,       ///< its sliding velocity vanishes
        Threshold,     ///< friction reaches its bound
        Switch,        ///< a formula goes over to another piece
        Until,         ///< the until formula becomes >= 0
        Accumulation,  ///< infinitely many impacts of one contact (PS-9)
        Collapse,      ///< of several contacts
        SlipCollapse,  ///< slip in space that ends (PS-11)
    };
    Kind kind{};
    int contact = -1;
    int side = 0;          ///< of a threshold in the plane
    bool touches = false;  ///< a gap that comes down to zero and does not cross it
};

/// A velocity jump (PS-8).
struct SeriesJump {
    std::vector<int> contacts;  ///< struck, and those that touched and met them through A
    std::vector<char> touched;  ///< per contact: it was closed before
    std::vector<int> offsets;   ///< of their rows, one more at the end
    Eigen::VectorXd u_minus, u_plus, P, U_minus, U_plus;
    bool soft = false;  ///< without restitution: it stands for an accumulation
};

/// What happened at one instant, between two pieces.
struct SeriesInstant {
    double t_s = 0;
    std::size_t pieces = 0;  ///< how many pieces of the report come before it
    std::vector<SeriesCause> causes;
    std::vector<SeriesJump> jumps;
};

struct SeriesLog {
    std::vector<std::vector<SeriesStatus>> statuses;  ///< per piece of the last report
    std::vector<SeriesInstant> instants;              ///< of the last report, in the order of time
};

/// From now on the scratch keeps the log of its last report.
void keep_series_log(const Model& model, int order, Scratch& scratch);

/// The log of the last report; nothing where none is kept.
[[nodiscard]] const SeriesLog* series_log(const Scratch& scratch) noexcept;

}  // namespace carom
