#pragma once

#include "carom/core/expected.hpp"
#include "carom/run/run.hpp"
#include "carom/scene/figure_plan.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Scenes: a system, its start and how to run it, in one TOML file. docs/reference/scene_format.md lists the
/// keys, scene/fields.hpp is that list in code.

/// A scene file may have this many bytes, and so may each file of a table.
inline constexpr std::size_t max_scene_bytes = 64'000'000;

struct SceneBodies;   // scene/scene_bodies.hpp, inside
struct SweepingPlan;  // carom/scene/sweeping_scene.hpp

/// A complete, checked scene, ready to run (carom/door/run.hpp).
struct Scene {
    std::string title;
    std::string text;  ///< the TOML as run; with overrides, rewritten without its comments
    Model model;
    State start;
    IntegratorSettings integrator;
    SolverSettings solver;
    RunPlan plan;
    RecordSettings record;
    double length_m = 1;                             ///< typical length: the scale for small gaps
    std::shared_ptr<const SceneBodies> bodies = {};  ///< nothing: a scene of coordinates
    Errors warnings = {};                            ///< what is probably not intended, with its place
    std::vector<FigurePlan> figures = {};            ///< for carom/figure/figure.hpp

    /// Of a sweeping process (carom/scene/sweeping_scene.hpp), whose coordinates are the components of the
    /// point; nothing: a scene of mechanics.
    std::shared_ptr<const SweepingPlan> sweeping = {};
};

/// What a scene describes: a system in coordinates, bodies with shapes, or a sweeping process.
enum class SceneKind { Coordinates, Bodies, Sweeping };

[[nodiscard]] SceneKind kind_of(const Scene& scene) noexcept;

/// The bodies of a scene by name, in their order; none in a scene without.
[[nodiscard]] std::vector<std::string> body_names(const Scene& scene);

/// "coordinates", "bodies" or "sweeping".
[[nodiscard]] std::string_view name_of(SceneKind kind) noexcept;

/// One value of a scene, overridden: `--set integrator.time_step_s=2e-4`.
struct Override {
    std::string path;   ///< keys joined by dots; entries of a list by their name: coordinate.x.start
    std::string value;  ///< a TOML value; anything else is taken as text
};

/// Splits "path=value" at the first `=`. Errors: SceneSyntax.
[[nodiscard]] Expected<Override> parse_override(std::string_view text);

/// Reads and checks a scene of any kind. All its mistakes are reported together, in the order of the text,
/// each with file:line:column, the value seen and a hint; mistakes of overrides come first. A path that names
/// no key is a mistake, a known key that the file omits is added; of two overrides of one key the last wins.
[[nodiscard]] Expected<Scene, Errors> read_scene(const std::filesystem::path& file,
                                                 std::span<const Override> overrides = {});

/// The same for a text; `name` stands for the file in messages. Table files are searched below `folder`;
/// without a folder they are refused.
[[nodiscard]] Expected<Scene, Errors> read_scene_text(std::string_view text, std::string_view name,
                                                      std::span<const Override> overrides = {},
                                                      const std::filesystem::path& folder = {});

/// How a robot becomes a scene.
struct UrdfSettings {
    bool floating = false;  ///< the root link moves; else it is fixed
    bool hold = false;      ///< motors hold all joints, limited by their effort
};

/// The scene of a robot in URDF, as text that is valid and can be run: links joined by fixed joints are one
/// body; revolute, continuous, prismatic and planar joints with limits, friction and damping; mimic joints as
/// gears. Masses, centres and inertias as given. Collision shapes are shapes, several of one link a compound,
/// meshes their convex hulls; a link without one touches nothing. The joints start at zero, or as close to
/// zero as their limits allow.
///
/// Errors: FileUnreadable; FileMalformed for a file that is not URDF, for XML with a document type or
/// entities, for numbers that are not finite; NotAllowedHere for what scenes cannot express.
[[nodiscard]] Expected<std::string, Errors> import_urdf(const std::filesystem::path& file,
                                                        const UrdfSettings& settings = {});

}  // namespace carom
