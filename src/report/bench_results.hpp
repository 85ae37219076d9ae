#pragma once

#include "carom/report/json.hpp"
#include "report/sphere_packing.hpp"
#include "report/text.hpp"

#include <string>
#include <vector>

namespace carom {

/// What `carom bench` measured: sweeps over heaps of spheres, and problem files solved to several tolerances.
struct BenchResults {
    struct Solved {
        double tolerance = 0;
        std::vector<SolvedFile> files;
    };
    std::vector<SphereFigures> spheres;
    std::vector<Solved> solved;

    [[nodiscard]] bool all_solved() const;
};

[[nodiscard]] std::string to_json(const BenchResults& results);
[[nodiscard]] std::string to_text(const BenchResults& results, Paint paint = plain);

}  // namespace carom
