#pragma once

#include "variational_piece.hpp"

namespace carom::detail {

/// What a motion is differentiated by: parameters become symbols, starts become columns.
struct Directions {
    std::vector<std::string> by;
    std::vector<std::string> parameters;  ///< symbols, in the order of first use
    struct Column {
        int parameter = -1;  ///< else a start:
        int coordinate = -1;
        bool velocity = false;
    };
    std::vector<Column> columns;

    /// Derivatives of (q, u, p) at the start, starts that are formulas of parameters included.
    [[nodiscard]] Rows start(const SceneSymbols& symbols) const;
};

/// Errors: UnknownName.
[[nodiscard]] Expected<Directions, Errors> read_directions(const Scene& scene,
                                                           const std::vector<std::string>& by);

/// What series cannot run. Empty: they can.
[[nodiscard]] Errors check_for_orbits(const Scene& scene);

}  // namespace carom::detail
