#pragma once

#include "carom/run/body_run.hpp"
#include "carom/scene/figure_plan.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace carom {

/// Scenes: a system, its start and how to run it, in one TOML file. docs/reference/scene_format.md lists the
/// keys, scene/fields.hpp is that list in code.

/// A scene file may have this many bytes, and so may each file of a table.
inline constexpr std::size_t max_scene_bytes = 64'000'000;

/// The bodies of a scene that has them; its model and start then show them as coordinates (body_run.hpp).
struct SceneBodies {
    BodyModel model;
    BodyState start;
    MoreauSettings integrator;
    std::vector<ContactForceProbe> probes = {};  ///< of contact forces, for recordings
    std::vector<std::string> colours = {};       ///< one per body, of core/palette.hpp, for pictures
};

struct SweepingPlan;

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

}  // namespace carom
