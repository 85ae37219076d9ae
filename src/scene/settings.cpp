#include "settings.hpp"

#include "carom/scene/fields.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// A run of more steps than this would not end in a lifetime, and steps could no longer be counted exactly.
constexpr double max_steps = 1e15;

/// The value at a path of the list of fields, if it is there and of this kind.
const Node* value_at(const Node& root, std::string_view path, Kind kind)
{
    if (find_field(path) == nullptr)
        throw InternalError(fmt::format("no field of a scene is called {}", path));
    const Node* node = find_path(root, path);
    return node != nullptr && node->kind == kind ? node : nullptr;
}

void read(const Node& root, std::string_view path, double& value)
{
    if (const Node* node = value_at(root, path, Kind::Number)) value = node->number;
}

void read(const Node& root, std::string_view path, std::optional<double>& value)
{
    if (const Node* node = value_at(root, path, Kind::Number)) value = node->number;
}

void read(const Node& root, std::string_view path, int& value)
{
    const Node* node = value_at(root, path, Kind::Number);
    if (node != nullptr && find_field(path)->range.contains(node->number))
        value = static_cast<int>(node->number);
}

void read(const Node& root, std::string_view path, bool& value)
{
    if (const Node* node = value_at(root, path, Kind::Boolean)) value = node->boolean;
}

/// A number, or a formula of parameters, whose value must be in the range of the field too.
void read(const Node& root, std::string_view path, const Names& names, Mistakes& mistakes, double& value)
{
    read(root, path, value);
    const Node* node = value_at(root, path, Kind::Text);
    if (node == nullptr) return;
    const auto number = constant_of(*node, names, mistakes);
    if (!number) return;
    const Field& field = *find_field(path);
    if (field.range.contains(*number)) {
        value = *number;
        return;
    }
    mistakes.add(node->place, ErrorCode::SettingOutOfRange,
                 fmt::format("{} is {} {}", path, *number, field.unit),
                 fmt::format("give a formula whose value is a number {}", field.range.text()));
}

/// The enumerator of that name.
template <class Enum, class... Names>
void read_choice(const Node& root, std::string_view path, Enum& value, Enum candidate, std::string_view name,
                 Names... others)
{
    const Node* node = value_at(root, path, Kind::Text);
    if (node == nullptr) return;
    if (node->text == name)
        value = candidate;
    else if constexpr (sizeof...(others) > 0)
        read_choice(root, path, value, others...);
}

void read_record(const Node& root, const Names& names, Mistakes& mistakes, RecordSettings& record)
{
    read(root, "record.every_s", names, mistakes, record.every_s);
    const Node* fields = value_at(root, "record.fields", Kind::Array);
    if (fields == nullptr) return;
    const auto asked = [&](std::string_view name) {
        return std::ranges::any_of(fields->items, [&](const Node& item) { return item.text == name; });
    };
    record.velocities = asked("velocities");
    record.gaps = asked("gaps");
    record.percussions = asked("percussions");
    record.energies = asked("energies");
    record.probes = asked("probes");
}

/// A setting of one integrator that others do not know.
struct KeyOfKind {
    std::string_view kind, path;
};

constexpr KeyOfKind keys_of_kinds[] = {
    {"moreau", "integrator.force_passes"},
    {"moreau", "integrator.cone_point"},
    {"moreau", "integrator.correction"},
    {"moreau", "integrator.max_overlap"},
    {"moreau_jean", "integrator.theta"},
    {"moreau_jean", "integrator.force_tolerance"},
    {"moreau_jean", "integrator.max_iterations"},
    {"moreau_jean", "integrator.correction"},
    {"moreau_jean", "integrator.max_overlap"},
    {"series", "integrator.order"},
    {"series", "integrator.max_order"},
    {"series", "integrator.tolerance"},
    {"series", "integrator.accumulation_speed_m_s"},
    {"series", "integrator.max_events"},
};

/// The first kind that knows a setting, where the one that was chosen does not; empty if it does, or all do.
std::string_view kind_that_knows(std::string_view path, std::string_view chosen)
{
    std::string_view other;
    for (const KeyOfKind& one : keys_of_kinds) {
        if (one.path != path) continue;
        if (one.kind == chosen) return {};
        if (other.empty()) other = one.kind;
    }
    return other;
}

void refuse_keys_of_other_kinds(const Node& root, std::string_view chosen, Mistakes& mistakes)
{
    for (const KeyOfKind& one : keys_of_kinds) {
        if (kind_that_knows(one.path, chosen) != one.kind || find_path(root, one.path) == nullptr) continue;
        mistakes.add(place_of(root, one.path), ErrorCode::UnknownKey,
                     fmt::format("{} is a setting of the integrator {}", one.path, one.kind),
                     fmt::format("write integrator.kind = \"{}\", or leave it out", one.kind));
    }
}

void read_moreau(const Node& root, MoreauSettings& moreau, Mistakes& mistakes)
{
    read(root, "integrator.time_step_s", moreau.time_step_s);
    read(root, "integrator.force_passes", moreau.force_passes);
    read(root, "integrator.correction", moreau.correction);
    read(root, "integrator.max_overlap", moreau.max_overlap);
    read_choice(root, "integrator.cone_point", moreau.cone_point, ConePoint::Midpoint, "midpoint",
                ConePoint::End, "end");
    refuse_keys_of_other_kinds(root, "moreau", mistakes);
}

void read_moreau_jean(const Node& root, MoreauJeanSettings& jean, Mistakes& mistakes)
{
    read(root, "integrator.time_step_s", jean.time_step_s);
    read(root, "integrator.theta", jean.theta);
    read(root, "integrator.correction", jean.correction);
    read(root, "integrator.max_overlap", jean.max_overlap);
    read(root, "integrator.force_tolerance", jean.force_tolerance);
    read(root, "integrator.max_iterations", jean.max_iterations);
    refuse_keys_of_other_kinds(root, "moreau_jean", mistakes);
}

void read_series(const Node& root, SeriesSettings& series, Mistakes& mistakes)
{
    read(root, "integrator.time_step_s", series.time_step_s);
    read(root, "integrator.order", series.order);
    read(root, "integrator.max_order", series.max_order);
    read(root, "integrator.tolerance", series.tolerance);
    read(root, "integrator.accumulation_speed_m_s", series.accumulation_speed_m_s);
    read(root, "integrator.max_events", series.max_events);
    refuse_keys_of_other_kinds(root, "series", mistakes);
}

void read_integrator(const Node& root, Settings& s, Mistakes& mistakes)
{
    read(root, "integrator.activation_gap_m", s.activation_gap_m);
    const Node* kind = value_at(root, "integrator.kind", Kind::Text);
    if (kind != nullptr && kind->text == "moreau_jean") {
        read_moreau_jean(root, s.integrator.emplace<MoreauJeanSettings>(), mistakes);
    } else if (kind != nullptr && kind->text == "series") {
        read_series(root, s.integrator.emplace<SeriesSettings>(), mistakes);
    } else {
        read_moreau(root, s.integrator.emplace<MoreauSettings>(), mistakes);
    }
}

void read_until(const Node& root, const Names& names, Until& until, Mistakes& mistakes)
{
    const Node* node = find(root, "until");
    if (node == nullptr) return;
    until.rest = node->kind == Kind::Text && node->text == "rest";
    if (!until.rest) until.formula = formula_of(node, names, mistakes);
}

/// Steps and frames must be countable, and time must advance.
void check_grid(const Node& root, const Settings& settings, Mistakes& mistakes)
{
    const double h = time_step_s(settings.integrator), duration = settings.plan.duration_s;
    const double end = std::abs(settings.start_s) + duration;
    if (!(h > 0) || !(duration > 0) || !std::isfinite(h) || !std::isfinite(end)) return;
    const Node* step = find_path(root, "integrator.time_step_s");
    const Place place = step != nullptr ? step->place : place_of(root, "duration_s");
    if (duration / h > max_steps || end + h / 2 == end) {
        mistakes.add(place, ErrorCode::SettingOutOfRange,
                     fmt::format("{} s in steps of {} s has too many steps to count", duration, h),
                     "take a longer step or a shorter duration");
    }
    // the last step is shortened to the end; of so little of a step rounding would leave nothing
    if (duration < 1e-6 * h) {
        mistakes.add(place, ErrorCode::SettingOutOfRange,
                     fmt::format("{} s is negligible compared with a step of {} s", duration, h),
                     "take a shorter step or a longer duration");
    }
    const double every = settings.record.every_s;
    if (every > 0 && duration / every > max_steps) {
        mistakes.add(place_of(root, "record.every_s"), ErrorCode::SettingOutOfRange,
                     fmt::format("{} s recorded every {} s has too many frames to count", duration, every),
                     "record less often");
    }
}

}  // namespace

void drop_keys_of_the_kind_left(std::span<const Override> overrides, Node& root, Mistakes& mistakes)
{
    const bool chosen_outside =
        std::ranges::any_of(overrides, [](const Override& set) { return set.path == "integrator.kind"; });
    Node* table = find(root, "integrator");
    const Node* kind = table != nullptr ? find(*table, "kind") : nullptr;
    if (!chosen_outside || kind == nullptr || kind->kind != Kind::Text) return;
    const std::string chosen = kind->text;
    std::erase_if(table->entries, [&](const Entry& entry) {
        const std::string_view other = kind_that_knows("integrator." + entry.key, chosen);
        if (other.empty() || entry.value.place.override_index >= 0) return false;
        mistakes.warn(entry.value.key_place,
                      fmt::format("integrator.{} is ignored: it is a setting of {}, and --set selected {}",
                                  entry.key, other, chosen),
                      {});
        return true;
    });
}

Settings read_settings(const Node& root, const Names& names, Mistakes& mistakes)
{
    Settings s;
    read(root, "start_s", s.start_s);
    read(root, "duration_s", names, mistakes, s.plan.duration_s);
    read(root, "length_m", s.length_m);
    read_until(root, names, s.plan.until, mistakes);

    read_integrator(root, s, mistakes);
    read_choice(root, "integrator.on_unsolved", s.plan.on_unsolved, OnUnsolved::Accept, "accept",
                OnUnsolved::Stop, "stop");
    read(root, "integrator.energy_tolerance", s.plan.energy_tolerance);

    read_choice(root, "solver.kind", s.solver.kind, SolverKind::Auto, "auto", SolverKind::Exact, "exact",
                SolverKind::GaussSeidel, "gauss_seidel", SolverKind::Psor, "psor", SolverKind::Anderson,
                "anderson", SolverKind::NonlinearCg, "nonlinear_cg", SolverKind::AcceleratedGradients,
                "accelerated_gradients", SolverKind::Admm, "admm", SolverKind::ProximalNewton,
                "proximal_newton", SolverKind::InteriorPoint, "interior_point");
    read(root, "solver.tolerance", s.solver.tolerance);
    read(root, "solver.max_sweeps", s.solver.max_sweeps);
    read(root, "solver.relaxation", s.solver.relaxation);

    read_record(root, names, mistakes, s.record);
    read(root, "record.events", s.plan.keep_events);
    check_grid(root, s, mistakes);
    return s;
}

}  // namespace carom::detail
