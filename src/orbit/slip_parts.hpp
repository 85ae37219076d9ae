#pragma once

#include "variational_system.hpp"

#include "analytic/series_log.hpp"

#include <optional>

namespace carom::detail {

/// A piece in parts on which series of its derivatives converge: where a contact slides in space,
/// U_T / |U_T| is singular where U_T vanishes, however straight the slip is (OR-26).
struct SlipParts {
    std::vector<SeriesPiece> parts;   ///< empty: the piece is good as it is
    std::optional<SeriesPiece> rest;  ///< behind them: so short that only its beginning counts
    std::optional<int> passes_zero;   ///< a contact whose slip vanishes inside
};

[[nodiscard]] SlipParts slip_parts(VariationalSystem& system, const SeriesPiece& piece,
                                   const std::vector<SeriesStatus>& statuses);

}  // namespace carom::detail
