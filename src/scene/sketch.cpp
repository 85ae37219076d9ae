#include "carom/scene/sketch.hpp"

#include "expression/parse.hpp"
#include "expression/print.hpp"
#include "run/run_parts.hpp"
#include "run/visit_settings.hpp"
#include "scene_parts.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace carom {
namespace {

/// A text between quotation marks, as TOML wants it.
std::string quoted_toml(std::string_view text)
{
    std::string out = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') out += '\\';
        if (letter == '\n')
            out += "\\n";
        else
            out += letter;
    }
    return out + "\"";
}

/// Builds the system; formulas that cannot be read are told, all of them.
class SystemBuilder {
public:
    explicit SystemBuilder(const SystemSketch& sketch) : sketch_(sketch)
    {
        for (const CoordinateSketch& coordinate : sketch.coordinates) {
            keep(names_.add_coordinate(coordinate.name), "coordinate." + coordinate.name);
        }
        for (const char* axis : {"x", "y", "z"}) {
            static_cast<void>(over_point_.add_coordinate(axis));
        }
        for (const auto& [name, value] : sketch.parameters) {
            keep(names_.add_parameter(name, value), "parameters." + name);
            static_cast<void>(over_point_.add_parameter(name, value));
        }
    }

    Expected<LagrangianSystem, Errors> build()
    {
        LagrangianSystem system;
        for (const CoordinateSketch& coordinate : sketch_.coordinates)
            system.coordinates.push_back({.name = coordinate.name, .unit = coordinate.unit});
        system.kinetic = formula(sketch_.kinetic, "lagrangian.kinetic");
        system.potential = formula(sketch_.potential, "lagrangian.potential");
        if (!sketch_.forces.empty()) system.forces = forces();
        for (const ContactSketch& contact : sketch_.contacts)
            system.contacts.push_back(contact_of(contact));
        for (const ConstraintSketch& constraint : sketch_.constraints)
            system.constraints.push_back(constraint_of(constraint));
        for (const ProbeSketch& probe : sketch_.probes)
            system.probes.push_back({.name = probe.name,
                                     .value = formula(probe.value, "probe." + probe.name),
                                     .unit = probe.unit});
        system.impact_map = sketch_.impact_map;
        if (!errors_.empty()) return errors_;
        return system;
    }

    Formula formula(const FormulaSketch& from, const std::string& where)
    {
        return take(from.formula(static_cast<int>(sketch_.coordinates.size()), names_, where), where);
    }

    [[nodiscard]] const Errors& errors() const noexcept { return errors_; }

private:
    template <class T>
    void keep(const Expected<T>& done, const std::string& where)
    {
        if (done) return;
        Error error = done.error();
        if (error.where.empty()) error.where = where;
        errors_.push_back(std::move(error));
    }

    Formula take(const Expected<Formula>& formula, const std::string& where)
    {
        keep(formula, where);
        return formula ? *formula : Formula();
    }

    std::vector<Formula> list(const std::vector<FormulaSketch>& from, const std::string& where)
    {
        std::vector<Formula> formulas;
        for (const FormulaSketch& one : from)
            formulas.push_back(formula(one, where));
        return formulas;
    }

    std::vector<Formula> forces()
    {
        std::vector<Formula> forces;
        for (const CoordinateSketch& coordinate : sketch_.coordinates) {
            const auto given = sketch_.forces.find(coordinate.name);
            forces.push_back(given == sketch_.forces.end()
                                 ? Formula()
                                 : formula(given->second, "lagrangian.forces." + coordinate.name));
        }
        for (const auto& [name, force] : sketch_.forces) {
            const bool known = std::ranges::any_of(
                sketch_.coordinates, [&](const CoordinateSketch& one) { return one.name == name; });
            if (known) continue;
            errors_.push_back({.code = ErrorCode::UnknownName,
                               .where = "lagrangian.forces." + name,
                               .message = "there is no coordinate of this name",
                               .hint = "forces are given by coordinate",
                               .excerpt = {}});
        }
        return forces;
    }

    Contact contact_of(const ContactSketch& from)
    {
        const std::string where = "contact." + from.name;
        Contact contact{.name = from.name,
                        .gap = formula(from.gap, where + ".gap"),
                        .restitution = formula(from.restitution, where + ".law.restitution")};
        const int space = static_cast<int>(from.position.size());
        const auto over_point = [&](const FormulaSketch& one, const std::string& key) {
            return take(one.formula(space, over_point_, where + key), where + key);
        };
        if (space > 0) {
            ContactParticle particle{.position = list(from.position, where + ".position"),
                                     .surface = over_point(from.surface, ".surface")};
            for (const FormulaSketch& one : from.obstacle_velocity)
                particle.obstacle_velocity.push_back(over_point(one, ".obstacle_velocity"));
            contact.particle = std::move(particle);
        }
        contact.sliding = list(from.sliding, where + ".sliding");
        if (from.friction.is_left_out()) return contact;
        const std::size_t tangential = space > 0 ? from.position.size() - 1 : from.sliding.size();
        contact.friction = ContactFriction{
            .shape = tangential == 1 ? FrictionShape(FrictionInterval{}) : FrictionShape(FrictionDisc{}),
            .coefficient = formula(from.friction, where + ".law.friction"),
            .static_coefficient = {},
            .tangential_restitution =
                formula(from.tangential_restitution, where + ".law.tangential_restitution")};
        if (!from.static_friction.is_left_out())
            contact.friction->static_coefficient =
                formula(from.static_friction, where + ".law.static_friction");
        return contact;
    }

    Constraint constraint_of(const ConstraintSketch& from)
    {
        const std::string where = "constraint." + from.name;
        Constraint constraint{.name = from.name};
        constraint.zero = list(from.zero, where + ".zero");
        constraint.velocity = list(from.velocity, where + ".velocity");
        constraint.only_while = from.only_while;
        return constraint;
    }

    const SystemSketch& sketch_;
    Vocabulary names_, over_point_;
    Errors errors_;
};

/// Writes the scene; formulas that no text can say are told, all of them.
class SketchWriter {
public:
    explicit SketchWriter(const SystemSketch& sketch) : sketch_(sketch)
    {
        for (const CoordinateSketch& coordinate : sketch.coordinates)
            coordinates_.push_back(coordinate.name);
    }

    Expected<std::string, Errors> write()
    {
        line("title = {}", quoted_toml(sketch_.title));
        line("start_s = {}", sketch_.start_s);
        line("duration_s = {}", sketch_.duration_s);
        if (sketch_.until_rest) line("until = \"rest\"");
        formula("until", sketch_.until, "until");
        write_names();
        write_system();
        for (const ContactSketch& contact : sketch_.contacts)
            write_contact(contact);
        for (const ConstraintSketch& constraint : sketch_.constraints)
            write_constraint(constraint);
        for (const ProbeSketch& probe : sketch_.probes) {
            line("[[probe]]\nname = {}", quoted_toml(probe.name));
            formula("value", probe.value, "probe." + probe.name);
            if (!probe.unit.empty()) line("unit = {}", quoted_toml(probe.unit));
        }
        write_settings();
        if (sketch_.impact_map) no_text("impact_map");
        if (!errors_.empty()) return errors_;
        return text_;
    }

private:
    template <class... Arguments>
    void line(fmt::format_string<Arguments...> form, Arguments&&... arguments)
    {
        text_ += fmt::format(form, std::forward<Arguments>(arguments)...) + "\n";
    }

    std::string toml_of(const FormulaSketch& from, std::span<const std::string> names,
                        const std::string& where)
    {
        if (auto text = from.toml(names)) return *text;
        no_text(where);
        return "0";
    }

    void no_text(const std::string& where)
    {
        errors_.push_back({.code = ErrorCode::NotAllowedHere,
                           .where = where,
                           .message = "this callable cannot be written as text",
                           .hint = "write it as text; tables are named in scenes",
                           .excerpt = {}});
    }

    void formula(std::string_view key, const FormulaSketch& from, const std::string& where)
    {
        if (!from.is_left_out()) line("{} = {}", key, toml_of(from, coordinates_, where));
    }

    void list(std::string_view key, const std::vector<FormulaSketch>& from,
              std::span<const std::string> names, const std::string& where)
    {
        if (from.empty()) return;
        std::vector<std::string> texts;
        for (const FormulaSketch& one : from)
            texts.push_back(toml_of(one, names, where));
        line("{} = [{}]", key, fmt::join(texts, ", "));
    }

    void write_names()
    {
        if (sketch_.parameters.empty()) return;
        line("[parameters]");
        for (const auto& [name, value] : sketch_.parameters)
            line("{} = {}", name, value);
    }

    void write_system()
    {
        for (const CoordinateSketch& coordinate : sketch_.coordinates) {
            line("[[coordinate]]\nname = {}\nstart = {}\nstart_velocity = {}\nunit = {}",
                 quoted_toml(coordinate.name), coordinate.start, coordinate.start_velocity,
                 quoted_toml(coordinate.unit));
        }
        line("[lagrangian]");
        formula("kinetic", sketch_.kinetic, "lagrangian.kinetic");
        formula("potential", sketch_.potential, "lagrangian.potential");
        if (sketch_.forces.empty()) return;
        line("[lagrangian.forces]");
        for (const auto& [name, force] : sketch_.forces)
            formula(name, force, "lagrangian.forces." + name);
    }

    void write_contact(const ContactSketch& contact)
    {
        const std::string where = "contact." + contact.name;
        line("[[contact]]\nname = {}", quoted_toml(contact.name));
        formula("gap", contact.gap, where);
        list("sliding", contact.sliding, coordinates_, where);
        list("position", contact.position, coordinates_, where);
        const std::span<const std::string> axes(axes_.data(),
                                                std::min(axes_.size(), contact.position.size()));
        if (!contact.surface.is_left_out()) line("surface = {}", toml_of(contact.surface, axes, where));
        list("obstacle_velocity", contact.obstacle_velocity, axes, where);
        line("[contact.law]\nkind = \"{}\"", contact.friction.is_left_out() ? "unilateral" : "coulomb");
        formula("restitution", contact.restitution, where);
        formula("friction", contact.friction, where);
        formula("static_friction", contact.static_friction, where);
        formula("tangential_restitution", contact.tangential_restitution, where);
    }

    void write_constraint(const ConstraintSketch& constraint)
    {
        const std::string where = "constraint." + constraint.name;
        line("[[constraint]]\nname = {}", quoted_toml(constraint.name));
        list("zero", constraint.zero, coordinates_, where);
        list("velocity", constraint.velocity, coordinates_, where);
        if (!constraint.only_while.empty()) line("only_while = {}", quoted_toml(constraint.only_while));
    }

    void write_settings()
    {
        line("[integrator]\nkind = \"{}\"", name_of(sketch_.integrator));
        std::visit([&](const auto& settings) { this->write_values(settings); }, sketch_.integrator);
        line("[solver]");
        write_values(sketch_.solver);
        if (sketch_.every_s) line("[record]\nevery_s = {}", *sketch_.every_s);
    }

    /// What is not the default.
    template <class Settings>
    void write_values(const Settings& settings)
    {
        const Settings standard{};
        std::map<std::string_view, std::string> defaults;
        visit_settings(standard, [&](const Setting& setting, const auto& value) {
            defaults[setting.path] = toml_of_value(value);
        });
        visit_settings(settings, [&](const Setting& setting, const auto& value) {
            const std::string text = toml_of_value(value);
            if (text != defaults[setting.path]) line("{} = {}", setting.name(), text);
        });
    }

    template <class Value>
    static std::string toml_of_value(const Value& value)
    {
        if constexpr (std::is_enum_v<Value>)
            return fmt::format("\"{}\"", word_of(value));
        else
            return fmt::format("{}", value);
    }

    const SystemSketch& sketch_;
    std::vector<std::string> coordinates_;
    const std::array<std::string, 3> axes_{"x", "y", "z"};  ///< of particles
    std::string text_;
    Errors errors_;
};

/// What the settings of a scene that was not read say, checked.
Errors check_settings(const SystemSketch& sketch, const RunPlan& plan, const RecordSettings& settings)
{
    Errors errors;
    for (const Expected<void>& good :
         {check(sketch.integrator), check(sketch.solver), check(plan), check(settings)}) {
        if (!good) errors.push_back(good.error());
    }
    return errors;
}

/// The activation gap that was asked for, or that of the length of the scene.
IntegratorSettings integrator_of(const SystemSketch& sketch, double length_m)
{
    if (activation_gap_m(sketch.integrator) != MoreauSettings{}.activation_gap_m) return sketch.integrator;
    return with_activation_gap(sketch.integrator, detail::gap_tolerance * length_m);
}

/// A scene with callables that no text can say.
Expected<Scene, Errors> scene_without_text(const SystemSketch& sketch)
{
    auto system = system_of(sketch);
    if (!system) return system.error();
    SystemBuilder builder(sketch);
    RunPlan plan{.duration_s = sketch.duration_s, .until = {.rest = sketch.until_rest}};
    if (!sketch.until.is_left_out()) plan.until.formula = builder.formula(sketch.until, "until");
    const RecordSettings settings{.every_s = sketch.every_s.value_or(0)};
    Errors errors = check_settings(sketch, plan, settings);
    errors.insert(errors.end(), builder.errors().begin(), builder.errors().end());
    auto model = make_model(std::move(*system));
    if (!model) errors.insert(errors.end(), model.error().begin(), model.error().end());
    if (!errors.empty()) return errors;

    Eigen::VectorXd q(model->coordinates()), u(model->coordinates());
    for (int i = 0; i < model->coordinates(); ++i) {
        q[i] = sketch.coordinates[static_cast<std::size_t>(i)].start;
        u[i] = sketch.coordinates[static_cast<std::size_t>(i)].start_velocity;
    }
    State start = make_state(*model, q, u, sketch.start_s);
    const double length_m = detail::typical_length(*model, start);
    errors = check_start(*model, start, detail::gap_tolerance * length_m);
    if (std::holds_alternative<SeriesSettings>(sketch.integrator)) {
        const Errors refused = check_for_series(*model);
        errors.insert(errors.end(), refused.begin(), refused.end());
    }
    if (!errors.empty()) return errors;
    return Scene{.title = sketch.title,
                 .text = {},
                 .model = std::move(*model),
                 .start = std::move(start),
                 .integrator = integrator_of(sketch, length_m),
                 .solver = sketch.solver,
                 .plan = std::move(plan),
                 .record = settings,
                 .length_m = length_m};
}

}  // namespace

std::optional<std::string> FormulaSketch::toml(std::span<const std::string> coordinates) const
{
    if (const auto* text = std::get_if<std::string>(&content_)) return quoted_toml(*text);
    if (const auto* number = std::get_if<double>(&content_)) return fmt::format("{}", *number);
    const auto* recorded = std::get_if<Recorded>(&content_);
    if (recorded == nullptr) return std::nullopt;
    const auto text = text_of((*recorded)(static_cast<int>(coordinates.size())), coordinates);
    return text ? std::optional(quoted_toml(*text)) : std::nullopt;
}

Expected<Formula> FormulaSketch::formula(int coordinates, const Vocabulary& names,
                                         std::string_view where) const
{
    if (const auto* text = std::get_if<std::string>(&content_)) return parse_formula(*text, names, where);
    if (const auto* number = std::get_if<double>(&content_)) return Formula::constant(*number);
    if (const auto* recorded = std::get_if<Recorded>(&content_)) return (*recorded)(coordinates);
    return Formula();
}

Expected<LagrangianSystem, Errors> system_of(const SystemSketch& sketch)
{
    return SystemBuilder(sketch).build();
}

Expected<Scene, Errors> make_scene(const SystemSketch& sketch)
{
    const auto text = to_toml(sketch);
    return text ? read_scene_text(*text, sketch.title) : scene_without_text(sketch);
}

Expected<std::string, Errors> to_toml(const SystemSketch& sketch)
{
    return SketchWriter(sketch).write();
}

}  // namespace carom
