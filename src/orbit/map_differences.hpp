#pragma once

#include "carom/law/impact.hpp"

#include <Eigen/Dense>

#include <optional>
#include <vector>

namespace carom::detail {

/// All that an impact map reads, as numbers that can be moved.
struct MapData {
    Eigen::MatrixXd A, rows;
    Eigen::VectorXd b, u;   ///< speeds of the obstacles, velocity before the impact
    Eigen::VectorXd e, mu;  ///< per contact

    [[nodiscard]] MapData moved(const MapData& direction, double by) const;
};

/// Derivatives of an impact map that is known by its values only (OR-24): differences to both sides in steps
/// that are halved, extrapolated, and compared with each other.
class MapDifferences {
public:
    /// `like` gives shapes of friction and offsets. Contacts that touched before keep U_N = 0 however the
    /// data are moved.
    MapDifferences(const ImpactMap& map, ImpactContacts like, std::vector<int> contacts,
                   std::vector<char> touched, Eigen::VectorXd q, double t_s);

    /// Percussions of all rows, with a velocity that keeps those `at_rest` at zero; nothing: the map refuses
    /// these data.
    [[nodiscard]] std::optional<Eigen::VectorXd> percussions(const MapData& data,
                                                             const std::vector<int>& at_rest = {}) const;

    struct Slope {
        Eigen::VectorXd value;  ///< of the percussions, along the direction
        double error = 0;       ///< of `value`, by what the last extrapolation has changed
        double kink = 0;        ///< by how much both sides differ
    };
    /// Nothing: no differences settle, or the map refuses data on both sides.
    [[nodiscard]] std::optional<Slope> along(const MapData& at, const MapData& direction) const;

private:
    [[nodiscard]] std::vector<int> still(const MapData& at, const MapData& direction) const;
    [[nodiscard]] std::optional<Slope> both_sides(const MapData& at, const MapData& direction,
                                                  double step) const;
    [[nodiscard]] std::optional<Slope> one_side(const MapData& at, const MapData& direction,
                                                double step) const;
    [[nodiscard]] std::optional<Slope> settled(const MapData& at, const MapData& direction) const;

    const ImpactMap& map_;
    ImpactContacts like_;
    std::vector<int> contacts_;
    std::vector<char> touched_;
    Eigen::VectorXd q_;
    double t_s_;
};

}  // namespace carom::detail
