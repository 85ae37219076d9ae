#pragma once

#include "carom/system/lagrangian/lagrangian_system.hpp"
#include "names.hpp"

namespace carom::detail {

/// The system and start that a scene describes. Where a formula could not be read, one that is harmless
/// stands in, so that the rest can be looked at as well: nothing of it is ever run.
struct Draft {
    LagrangianSystem system;
    std::vector<double> q, u;
    bool start_known = true;  ///< every start value could be read
};

[[nodiscard]] Draft draft_system(const Node& root, const Names& names, Mistakes& mistakes);

/// The same beside bodies, whose coordinates come first: coordinates, energies, forces, contacts and
/// constraints. Probes, drawings and the impact map are those of the bodies.
[[nodiscard]] Draft draft_beside_bodies(const Node& root, std::vector<Coordinate> of_bodies,
                                        const Names& names, Mistakes& mistakes);

/// A number or formula; nothing where there is none or after a mistake.
[[nodiscard]] std::optional<Formula> formula_of(const Node* node, const Names& names, Mistakes& mistakes);

/// T = u.A u / 2 of a matrix of numbers and formulas, in full or its lower triangle; nothing after a mistake.
[[nodiscard]] std::optional<Formula> kinetic_of_matrix(const Node& matrix,
                                                       const std::vector<Coordinate>& coordinates,
                                                       const Names& names, Mistakes& mistakes);

/// A [[contact]] without its name. `stand_in` is the gap of one that could not be read.
[[nodiscard]] Contact contact_of(const Node& item, const Names& names, const Formula& stand_in,
                                 Mistakes& mistakes);

/// A [[constraint]]; nothing after a mistake.
[[nodiscard]] std::optional<Constraint> constraint_of(const Node& item, std::string name, const Names& names,
                                                      Mistakes& mistakes);

/// Gap of an inextensible string, its length less the way through its points; nothing after a mistake.
[[nodiscard]] std::optional<Formula> gap_of_string(const Node& item, const Names& names, Mistakes& mistakes);

/// The impact map of [impact]; nothing after a mistake.
[[nodiscard]] ImpactMap impact_map_of(const Node& impact, const LagrangianSystem& system, const Names& names,
                                      Mistakes& mistakes);

/// The same of a scene of bodies, whose contacts have no names.
[[nodiscard]] ImpactMap impact_map_of_bodies(const Node& impact, Mistakes& mistakes);

/// What a [[draw]] shows; nothing after a mistake. `number` counts them, for the colours in turn.
[[nodiscard]] std::optional<Drawing> drawing_of(const Node& item, std::size_t number,
                                                const std::vector<Contact>& contacts, const Names& names,
                                                Mistakes& mistakes);

/// Velocities are known by their coordinate: formulas for the coordinates of a table, in the order of the
/// coordinates; a key that names none is a mistake.
[[nodiscard]] std::vector<std::optional<Formula>>
formulas_by_coordinate(const Node& table, const std::vector<Coordinate>& coordinates, const Names& names,
                       std::string_view what, Mistakes& mistakes);

}  // namespace carom::detail
