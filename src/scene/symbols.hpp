#pragma once

#include "carom/expression/vocabulary.hpp"
#include "carom/scene/scene.hpp"

#include <string>
#include <vector>

namespace carom {

/// A scene whose formulas keep some parameters as symbols, so that they can be differentiated in them.
///
/// Parameter k of the list is the variable {Coordinate, first_symbol + k}: a coordinate behind all others
/// that never moves. Parameters that are formulas of these are replaced by their formulas.
/// Theory     docs/theory/orbits.md, (OR-1)
struct SceneSymbols {
    std::vector<std::string> parameters;
    std::vector<double> values;  ///< of the parameters
    int first_symbol = 3;
    Vocabulary vocabulary;           ///< of the formulas of the scene, with symbols
    Vocabulary numbers;              ///< the same with values
    LagrangianSystem system;         ///< formulas with symbols; not for make_model
    std::vector<Formula> q0, u0;     ///< starts, formulas of the symbols alone
    std::string impact_map;          ///< its kind; empty: the laws of the contacts
    double map_restitution = 1;      ///< of a canonical map
    std::vector<Formula> map_after;  ///< of a map of formulas: velocities after the impact
};

/// Reads the scene again. Errors: UnknownName for a parameter that the scene does not have, NotAllowedHere
/// for scenes that are not of coordinates.
[[nodiscard]] Expected<SceneSymbols, Errors> read_symbols(const Scene& scene,
                                                          std::span<const std::string> parameters);

/// The same system with other values of parameters. Start, lengths, integrator and plan stay those of the
/// scene: its start need not be possible any more. Errors: those of reading, and of the model.
[[nodiscard]] Expected<Scene, Errors> scene_with_parameters(const Scene& scene,
                                                            std::span<const std::string> parameters,
                                                            std::span<const double> values);

}  // namespace carom
