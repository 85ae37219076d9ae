#pragma once

#include "reference_case.hpp"

#include "carom/orbit/sensitivity.hpp"

#include <map>
#include <string>
#include <vector>

namespace carom::reference {

/// Scenes of the families of derivatives, orbits and bifurcations: text with the numbers of a task.
struct OrbitScene {
    std::map<std::string, double> parameters;
    std::string body;                ///< everything but [parameters]
    std::vector<std::string> state;  ///< coordinates of z, in their order

    /// The TOML, with other values of some parameters.
    [[nodiscard]] std::string text(const std::map<std::string, double>& others = {}) const;
    /// The scene; DriverFailure with the first mistake.
    [[nodiscard]] Scene read(double duration_s, double start_s = 0,
                             const std::map<std::string, double>& others = {}) const;
};

[[nodiscard]] OrbitScene pendulum_scene(const Task& task, bool wall);
[[nodiscard]] OrbitScene ball_scene(const Task& task);
[[nodiscard]] OrbitScene table_scene(const Task& task);
[[nodiscard]] OrbitScene two_ball_scene(const Task& task);
[[nodiscard]] OrbitScene chain_scene(const Task& task);
[[nodiscard]] OrbitScene oblique_scene(const Task& task);
[[nodiscard]] OrbitScene belt_scene(const Task& task);
[[nodiscard]] OrbitScene oscillator_scene(const Task& task);
[[nodiscard]] OrbitScene parabola_scene(const Task& task);
[[nodiscard]] OrbitScene slide_scene(const Task& task);
[[nodiscard]] OrbitScene double_pendulum_scene(const Task& task);
[[nodiscard]] OrbitScene rimless_scene(const Task& task);
[[nodiscard]] OrbitScene rocking_scene(const Task& task);
[[nodiscard]] OrbitScene elastic_scene(const Task& task);
[[nodiscard]] OrbitScene coulomb_scene(const Task& task);
[[nodiscard]] OrbitScene wedge_scene(const Task& task);

/// The numbers of `task` that are called so, as parameters.
void take(const Task& task, std::initializer_list<const char*> names, OrbitScene& scene);

/// Multipliers as [re, im]; the others of a list of lists.
[[nodiscard]] Json matrix_of(const Eigen::MatrixXd& M);

}  // namespace carom::reference
