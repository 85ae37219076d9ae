#include "settings.hpp"

#include "carom/scene/fields.hpp"
#include "run/visit_settings.hpp"

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

void read(const Node& root, std::string_view path, std::optional<double>& value)
{
    if (const Node* node = value_at(root, path, Kind::Number)) value = node->number;
}

/// Reads the values of settings by their paths; what a scene leaves out keeps its default.
class SettingsReader {
public:
    SettingsReader(const Node& root, const Names& names, Mistakes& mistakes)
        : root_(root), names_(names), mistakes_(mistakes)
    {
    }

    template <class Settings>
    void read(Settings& settings) const
    {
        visit_settings(settings, [this](const Setting& setting, auto& value) { this->take(setting, value); });
    }

private:
    void take(const Setting& setting, double& value) const
    {
        if (const Node* node = value_at(root_, setting.path, Kind::Number)) value = node->number;
        if (setting.formula) take_formula(setting, value);
    }

    void take(const Setting& setting, int& value) const
    {
        const Node* node = value_at(root_, setting.path, Kind::Number);
        if (node != nullptr && setting.range.contains(node->number)) value = static_cast<int>(node->number);
    }

    /// A boolean, or whether a list has an entry.
    void take(const Setting& setting, bool& value) const
    {
        const std::size_t bracket = setting.path.find('[');
        if (bracket == std::string_view::npos) {
            if (const Node* node = value_at(root_, setting.path, Kind::Boolean)) value = node->boolean;
            return;
        }
        const Node* list = value_at(root_, setting.path.substr(0, bracket), Kind::Array);
        if (list != nullptr)
            value = std::ranges::any_of(list->items,
                                        [&](const Node& item) { return item.text == setting.name(); });
    }

    template <class Value>
        requires std::is_enum_v<Value>
    void take(const Setting& setting, Value& value) const
    {
        const Node* node = value_at(root_, setting.path, Kind::Text);
        if (node == nullptr) return;
        for (const auto& word : words_of(value)) {
            if (word.text == node->text) value = word.value;
        }
    }

    /// A formula of parameters, whose value must be in the range of the setting too.
    void take_formula(const Setting& setting, double& value) const
    {
        const Node* node = value_at(root_, setting.path, Kind::Text);
        if (node == nullptr) return;
        const auto number = constant_of(*node, names_, mistakes_);
        if (!number) return;
        if (setting.range.contains(*number)) {
            value = *number;
            return;
        }
        mistakes_.add(node->place, ErrorCode::SettingOutOfRange,
                      fmt::format("{} is {} {}", setting.path, *number, setting.unit),
                      fmt::format("give a formula whose value is a number {}", setting.range.text()));
    }

    const Node& root_;
    const Names& names_;
    Mistakes& mistakes_;
};

/// A setting and an integrator that knows it.
struct KeyOfKind {
    std::string_view kind, path;
};

/// Of all integrators, in the order of their kinds.
const std::vector<KeyOfKind>& keys_of_kinds()
{
    static const std::vector<KeyOfKind> keys = [] {
        std::vector<KeyOfKind> all;
        visit_integrators([&all](const auto& settings) {
            const std::string_view kind = name_of(IntegratorSettings(settings));
            visit_settings(settings,
                           [&](const Setting& setting, const auto&) { all.push_back({kind, setting.path}); });
        });
        return all;
    }();
    return keys;
}

/// The first kind that knows a setting, where the one that was chosen does not; empty if it does, or all do.
std::string_view kind_that_knows(std::string_view path, std::string_view chosen)
{
    std::string_view other;
    for (const KeyOfKind& one : keys_of_kinds()) {
        if (one.path != path) continue;
        if (one.kind == chosen) return {};
        if (other.empty()) other = one.kind;
    }
    return other;
}

void refuse_keys_of_other_kinds(const Node& root, std::string_view chosen, Mistakes& mistakes)
{
    for (const KeyOfKind& one : keys_of_kinds()) {
        if (kind_that_knows(one.path, chosen) != one.kind || find_path(root, one.path) == nullptr) continue;
        mistakes.add(place_of(root, one.path), ErrorCode::UnknownKey,
                     fmt::format("{} is a setting of the integrator {}", one.path, one.kind),
                     fmt::format("write integrator.kind = \"{}\", or leave it out", one.kind));
    }
}

void read_integrator(const Node& root, const SettingsReader& reader, Settings& s, Mistakes& mistakes)
{
    read(root, "integrator.activation_gap_m", s.activation_gap_m);
    const Node* kind = value_at(root, "integrator.kind", Kind::Text);
    s.integrator = IntegratorSettings{};
    if (kind != nullptr) {
        visit_integrators([&](const IntegratorSettings& settings) {
            if (name_of(settings) == kind->text) s.integrator = settings;
        });
    }
    std::visit([&](auto& scheme) { reader.read(scheme); }, s.integrator);
    refuse_keys_of_other_kinds(root, name_of(s.integrator), mistakes);
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
    const SettingsReader reader(root, names, mistakes);
    if (const Node* start = value_at(root, "start_s", Kind::Number)) s.start_s = start->number;
    read(root, "length_m", s.length_m);
    reader.read(s.plan);
    read_until(root, names, s.plan.until, mistakes);
    read_integrator(root, reader, s, mistakes);
    reader.read(s.solver);
    reader.read(s.record);
    check_grid(root, s, mistakes);
    return s;
}

}  // namespace carom::detail
