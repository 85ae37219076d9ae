#pragma once

#include "carom/figure/diagram.hpp"
#include "carom/report/json.hpp"
#include "carom/trace/table.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace carom {

/// Files that orbits begin from and are written to.

/// Values of the scene that make it begin where a file says: RUN.h5@TIME, the state of a recording there;
/// RUN.h5, its last one; ORBIT.json, what `carom orbit --json` printed. Errors: FileUnreadable,
/// FileMalformed, SettingOutOfRange for a time outside the recording.
[[nodiscard]] Expected<std::vector<Override>, Errors> start_from(const std::string& text, const char* option);

/// The scene that runs one period of an orbit by power series, with these values of parameters.
[[nodiscard]] Expected<Scene, Errors> scene_of_orbit(const Scene& scene, const Orbit& orbit,
                                                     const std::vector<Override>& parameters = {});

/// Writes one period: a recording (.h5), a table of it (.csv), its portrait (.svg, .pdf), its page (.html),
/// or the numbers of the orbit (.json). Errors: FileUnwritable, NotAllowedHere for another ending.
[[nodiscard]] Errors write_orbit(const Scene& scene, const OrbitOptions& options, const Orbit& orbit,
                                 const std::string& file);

/// One row per orbit: branch, parameter, period, stability, extrema, start, multipliers.
[[nodiscard]] ResultTable table_of(const Scene& scene, const std::vector<FollowedBranch>& branches);

/// The bifurcation diagram of the first coordinate, its largest and smallest value, unstable orbits dashed,
/// special points marked; below it the moduli of the multipliers.
[[nodiscard]] Diagram diagram_of(const Scene& scene, const std::vector<FollowedBranch>& branches);

/// One HTML page: the diagram; every point opens its orbit, special points too.
[[nodiscard]] Expected<std::string> page_of(const Scene& scene, const std::vector<FollowedBranch>& branches,
                                            const std::atomic<bool>* stop = nullptr);

/// Writes branches: a file of write_result.
[[nodiscard]] Errors write_branches(const Scene& scene, const std::vector<FollowedBranch>& branches,
                                    const std::string& file, const std::atomic<bool>* stop = nullptr);

/// One row per equilibrium: branch or edge, parameter, configuration, loads, stability, eigenvalues; then one
/// per special point, with its kind.
[[nodiscard]] ResultTable table_of(const Scene& scene, const EquilibriumOptions& options,
                                   const Equilibria& found);

/// The first coordinate over the parameter, unstable equilibria dashed, special points marked; below it the
/// largest real part of the eigenvalues, where there are any.
[[nodiscard]] Diagram diagram_of(const Scene& scene, const EquilibriumOptions& options,
                                 const Equilibria& found);

/// Writes equilibria, with the endings of branches.
[[nodiscard]] Errors write_equilibria(const Scene& scene, const EquilibriumOptions& options,
                                      const Equilibria& found, const std::string& file);

/// What a file may hold of a result; its ending says which.
struct ResultFile {
    std::function<ResultTable()> table;
    std::function<std::string()> json;
    std::function<Expected<std::string>()> page;
    std::function<Diagram()> diagram;
};

/// A table (.csv, .h5), numbers (.json), a diagram (.svg, .pdf) or a page (.html). Errors: FileUnwritable,
/// NotAllowedHere for another ending.
[[nodiscard]] Errors write_result(const ResultFile& result, const std::string& file);

/// Writes a text. Errors: FileUnwritable.
[[nodiscard]] Errors write_whole_file(const std::string& file, const std::string& text);

}  // namespace carom
