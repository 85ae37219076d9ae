#pragma once

#include "carom/scene/fields.hpp"
#include "core/setting.hpp"

namespace carom::detail {

/// The list of scene/fields.hpp, concept by concept; each part has its groups before what is in them.
[[nodiscard]] std::vector<Field> run_fields();      ///< title, times, end
[[nodiscard]] std::vector<Field> name_fields();     ///< parameters and tables
[[nodiscard]] std::vector<Field> system_fields();   ///< coordinates, energies and forces
[[nodiscard]] std::vector<Field> contact_fields();  ///< contacts with their laws and friction
[[nodiscard]] std::vector<Field> constraint_fields();
[[nodiscard]] std::vector<Field> impact_fields();    ///< strings and impact maps
[[nodiscard]] std::vector<Field> sweeping_fields();  ///< the sweeping process
[[nodiscard]] std::vector<Field> set_fields();       ///< its convex sets
[[nodiscard]] std::vector<Field> body_fields();      ///< bodies, materials, springs, gravity
[[nodiscard]] std::vector<Field> joint_fields();
[[nodiscard]] std::vector<Field> generator_fields();  ///< bodies at random
[[nodiscard]] std::vector<Field> group_fields();      ///< bodies that stand together
[[nodiscard]] std::vector<Field> probe_fields();
[[nodiscard]] std::vector<Field> draw_fields();
[[nodiscard]] std::vector<Field> figure_fields();
[[nodiscard]] std::vector<Field> method_fields();  ///< integrator, solver, recording

/// What a material, or a pair of them, has beside friction and restitution.
[[nodiscard]] std::vector<Field> surface_fields(std::string_view path);

inline constexpr Range zero_to_one{.low = 0, .high = 1};

}  // namespace carom::detail
