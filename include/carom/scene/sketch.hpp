#pragma once

#include "carom/expression/record.hpp"
#include "carom/expression/vocabulary.hpp"
#include "carom/scene/scene.hpp"

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace carom {

/// Systems of coordinates as C++ programs describe them: formulas as text, numbers or callables.
///
///     SystemSketch ball{.coordinates = {{.name = "z", .start = 1}},
///                       .kinetic = "m/2*z'^2",
///                       .potential = [](const auto& q, const auto&, const auto&) { return 9.81 * q[0]; },
///                       .contacts = {{.name = "floor", .gap = "z", .restitution = 0.8}},
///                       .parameters = {{"m", 0.5}}};
///     const Expected<Scene, Errors> scene = make_scene(ball);

/// A formula of the coordinates q, the velocities u and the time t. A callable is called once, with symbols
/// in place of numbers; branches in it are written with select(condition, a, b).
class FormulaSketch {
public:
    FormulaSketch() = default;  ///< omitted
    FormulaSketch(const char* text) : content_(std::string(text)) {}
    FormulaSketch(std::string text) : content_(std::move(text)) {}
    template <class Number>
        requires std::is_arithmetic_v<Number>
    FormulaSketch(Number number) : content_(static_cast<double>(number))
    {
    }
    template <class F>
        requires std::invocable<F, const std::vector<Symbol>&, const std::vector<Symbol>&, const Symbol&>
    FormulaSketch(F f) : content_(Recorded([f](int coordinates) { return record(coordinates, f); }))
    {
    }

    [[nodiscard]] bool is_left_out() const noexcept { return content_.index() == 0; }

    /// As a scene has it, quoted where it is a text; callables as what they do with the coordinates of these
    /// names. Nothing for callables that no text can say: with tables, or too long.
    [[nodiscard]] std::optional<std::string> toml(std::span<const std::string> coordinates) const;

    /// The formula; zero where it was omitted. `coordinates`: how many a callable receives. Errors: those of
    /// parse_formula.
    [[nodiscard]] Expected<Formula> formula(int coordinates, const Vocabulary& names,
                                            std::string_view where) const;

private:
    using Recorded = std::function<Formula(int coordinates)>;
    std::variant<std::monostate, std::string, double, Recorded> content_;
};

struct CoordinateSketch {
    std::string name;
    double start = 0;
    double start_velocity = 0;
    std::string unit = "m";
};

/// A unilateral contact: its gap, and for friction the sliding velocities; or the particle that touches a
/// surface.
struct ContactSketch {
    std::string name;
    FormulaSketch gap = {};
    FormulaSketch restitution = {};  ///< default: 0
    FormulaSketch friction = {};     ///< Coulomb's coefficient; default: no friction
    FormulaSketch static_friction = {}, tangential_restitution = {};
    std::vector<FormulaSketch> sliding = {};
    std::vector<FormulaSketch> position = {};  ///< of the particle, two or three
    FormulaSketch surface = {};                ///< with position: over x, y(, z) and t, positive outside
    std::vector<FormulaSketch> obstacle_velocity = {};  ///< over x, y(, z) and t
};

/// Positions or velocities that stay zero.
struct ConstraintSketch {
    std::string name;
    std::vector<FormulaSketch> zero = {}, velocity = {};
    std::string only_while = {};  ///< name of a contact
};

struct ProbeSketch {
    std::string name;
    FormulaSketch value = {};
    std::string unit = {};
};

/// A scene of coordinates.
struct SystemSketch {
    std::string title = "sketch";
    std::vector<CoordinateSketch> coordinates;
    FormulaSketch kinetic;
    FormulaSketch potential = {};
    std::map<std::string, FormulaSketch> forces = {};  ///< by coordinate
    std::vector<ContactSketch> contacts = {};
    std::vector<ConstraintSketch> constraints = {};
    std::vector<ProbeSketch> probes = {};
    std::map<std::string, double> parameters = {};
    ImpactMap impact_map = {};  ///< instead of the restitutions of the contacts; empty: none

    IntegratorSettings integrator = MoreauSettings{};
    SolverSettings solver = {};
    double start_s = 0;
    double duration_s = 1;
    bool until_rest = false;
    FormulaSketch until = {};            ///< ends the run when it becomes >= 0
    std::optional<double> every_s = {};  ///< interval between frames
};

/// The system alone. Errors: those of the formulas, reported together; their place reads like
/// contact.floor.gap.
[[nodiscard]] Expected<LagrangianSystem, Errors> system_of(const SystemSketch& sketch);

/// The scene, checked like one from a file: that of read_scene_text(to_toml(sketch)), bit for bit. Where a
/// callable cannot be written it has no text, and its recordings cannot be resumed.
[[nodiscard]] Expected<Scene, Errors> make_scene(const SystemSketch& sketch);

/// The scene as text. Errors: NotAllowedHere where a callable cannot be written, and for impact maps.
[[nodiscard]] Expected<std::string, Errors> to_toml(const SystemSketch& sketch);

}  // namespace carom
