#pragma once

#include "carom/study/run_study.hpp"

namespace carom {

/// Which starts lead to which attractor: a study over a grid of starts with a strobe, each run followed past
/// its transient and then compared with the others.
///
/// Theory     docs/theory/orbits.md, (OR-18)

/// An attractor that runs reach.
struct Attractor {
    int period = 1;                           ///< in periods of the strobe
    std::vector<std::vector<double>> points;  ///< coordinates and velocities, `period` of them
    long runs = 0;                            ///< that reach it
};

struct Basins {
    std::vector<Attractor> attractors;    ///< in the order in which runs found them
    std::vector<int> of;                  ///< per combination of values: the attractor, or one of these
    static constexpr int irregular = -1;  ///< no period up to half of the samples: chaotic, or still settling
    static constexpr int failed = -2;     ///< the run did not reach its end
};

/// `tolerance`: of coordinates and velocities, beside the largest of them in the table; > 0. Errors:
/// NotAllowedHere for a study without strobe, or with fewer than two samples of a run.
[[nodiscard]] Expected<Basins> basins_of(const Study& study, const ResultTable& table,
                                         double tolerance = 1e-4);

}  // namespace carom
