#pragma once

#include "carom/convex/operations.hpp"
#include "carom/scene/sweeping_scene.hpp"
#include "settings.hpp"

#include <map>

namespace carom::detail {

/// Rows of formulas: a number is 1 x 1, a list one row.
struct FormulaGrid {
    Eigen::Index rows = 0, columns = 0;
    std::vector<Formula> entries;  ///< row by row

    [[nodiscard]] Eigen::MatrixXd values(const Point& at, Workspace& work) const;
};

/// One [[set]]: what it is made of, and the formulas of its keys.
struct SetDraft {
    std::string name, kind;
    Place place;
    std::map<std::string, FormulaGrid, std::less<>> keys;
    std::vector<std::size_t> parts;  ///< places in the list of all sets, before its own
};

/// The sets of a scene; those with a mistake are left out.
[[nodiscard]] std::vector<SetDraft> draft_sets(const Node& root, const Names& names, Mistakes& mistakes);

/// Set `index` at an instant, seen from a point.
[[nodiscard]] Expected<SetPointer> set_at(const std::vector<SetDraft>& sets, std::size_t index, double t_s,
                                          const Eigen::VectorXd& at);

/// Outlines of set `index` in the plane and the way of the point, where the scene draws nothing itself.
[[nodiscard]] std::vector<Drawing> drawings_of(const std::vector<SetDraft>& sets, std::size_t index,
                                               const std::vector<Coordinate>& coordinates,
                                               const Names& names);

/// What [sweeping] says; nothing after a mistake. Adds drawings to the draft.
[[nodiscard]] std::optional<SweepingPlan> sweeping_of(const Node& root, const Names& names, Draft& draft,
                                                      Settings& settings, Mistakes& mistakes);

}  // namespace carom::detail
