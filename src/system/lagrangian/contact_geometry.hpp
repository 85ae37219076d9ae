#pragma once

#include "carom/system/lagrangian/lagrangian_system.hpp"
#include "expression/program.hpp"

#include <span>
#include <vector>

namespace carom {

/// Where a contact is and how it moves: gap, normal and tangential rows of U = H u + b, from the formulas of
/// a `Contact` by differentiation. Constant during a run. Everything that rows share is evaluated once.
///
/// Theory     docs/theory/friction.md, (CF-2) local velocity, (CF-3) frame
class ContactGeometry {
public:
    explicit ContactGeometry(const Contact& contact);

    /// The coordinates that the contact names, sorted.
    [[nodiscard]] std::span<const int> support() const noexcept { return support_; }

    [[nodiscard]] double gap_m(const Point& at, Workspace& work) const;

    /// The first b.size() rows of H, each in the order of support(), normal first, and their b.
    void rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const;

    /// The rate of U_N = H_N u + b_N along a motion of constant u, in m/s^2: u.g_qq u + 2 g_qt.u + g_tt.
    [[nodiscard]] double curvature(const Point& at, Workspace& work) const;

private:
    std::vector<int> support_;
    Program gap_, normal_row_, rows_;  ///< of rows: H row by row, then b
    Program curvature_;
};

}  // namespace carom
