#pragma once

#include "carom/model/contact.hpp"

#include <span>
#include <vector>

namespace carom {

/// Where a contact is and how it moves: gap, normal and tangential rows of U = H u + b, from the formulas of
/// a `Contact` by differentiation. Constant during a run.
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

private:
    /// A formula with the place in the support of everything its terms name.
    struct Placed {
        Formula formula;
        std::vector<std::vector<int>> places;  ///< per term and variable; -1 for time
    };

    [[nodiscard]] Placed placed(const Formula& formula) const;
    [[nodiscard]] double gradient(const Placed& placed, const Point& at, Variable::Kind kind,
                                  std::span<double> row, double& rate, Workspace& work) const;
    void particle_rows(const Point& at, std::span<double> H, std::span<double> b, Workspace& work) const;
    void sliding_row(const Placed& sliding, const Point& at, std::span<double> row, double& b,
                     Workspace& work) const;

    std::vector<int> support_;
    Placed gap_;
    std::vector<Placed> position_, sliding_;
    std::optional<ContactParticle> particle_;
    std::vector<double> at_rest_;  ///< velocities of zero, one per coordinate up to the last of the support
};

}  // namespace carom
