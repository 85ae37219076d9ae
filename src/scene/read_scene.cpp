#include "carom/scene/scene.hpp"

#include "ascii_filter.hpp"
#include "bodies.hpp"
#include "carom/scene/fields.hpp"
#include "core/text.hpp"
#include "expression/workspace.hpp"
#include "figures.hpp"
#include "overrides.hpp"
#include "scene/scene_bodies.hpp"
#include "scene_parts.hpp"
#include "settings.hpp"
#include "sweeping.hpp"
#include "validate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace carom {
namespace {

using namespace detail;

/// The key that a model means by its name for it: scenes have two ways to say some things.
std::string key_in_scene(const Node& root, const std::string& key)
{
    if (key == "lagrangian.kinetic" && find_path(root, "lagrangian.mass") != nullptr)
        return "lagrangian.mass";
    constexpr std::string_view suffix = ".law.restitution";
    if (key.ends_with(suffix)) {
        const std::string other = key.substr(0, key.size() - suffix.size()) + ".law.dissipation_index";
        if (find_path(root, other) != nullptr) return other;
    }

    // a string is a contact of the model
    constexpr std::string_view contact = "contact.";
    if (key.starts_with(contact) && find_path(root, key) == nullptr) {
        const std::string name = key.substr(contact.size(), key.find('.', contact.size()) - contact.size());
        const std::string string = "string." + name + (key.ends_with(suffix) ? ".restitution" : ".points");
        if (find_path(root, string) != nullptr) return string;
    }
    return key;
}

/// Errors of the model get the places of their keys. What is known to be wrong already is not said again, and
/// names that occur twice have been reported by the reader.
void add_model_errors(const Node& root, const Errors& errors, Mistakes& mistakes)
{
    std::vector<std::pair<Place, Error>> fresh;
    for (const Error& error : errors) {
        const std::string key = key_in_scene(root, error.where);
        const Place place = place_of(root, key);
        if (error.code == ErrorCode::DuplicateName || mistakes.known_at(place)) continue;
        fresh.emplace_back(place, error);
        if (key.ends_with(".dissipation_index"))
            fresh.back().second.hint = "give a dissipation_index from 0 to 1";
    }
    for (auto& [place, error] : fresh)
        mistakes.add(place, std::move(error));
}

Eigen::VectorXd vector_of(const std::vector<double>& values)
{
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::string title_of(const Node& root, std::string_view name)
{
    const Node* title = find(root, "title");
    if (title != nullptr && title->kind == Node::Kind::Text) return title->text;
    return std::filesystem::path(name).stem().string();
}

/// The TOML as run, which needs no other file. Overrides are named on top; by them, and by points that come
/// from a file, comments are lost.
std::string text_as_run(std::string_view text, const Node& root, std::span<const Override> overrides,
                        const std::filesystem::path& folder)
{
    const bool files = has_files(root);
    if (overrides.empty() && !files) return std::string(text);
    std::string out;
    for (const Override& set : overrides)
        out += fmt::format("# --set {}={}\n", printable(set.path), printable(set.value));
    return out + to_toml(files ? with_points(root, folder) : root);
}

/// The tree of the text with the overrides in it, looked through by the list of fields.
std::optional<Node> read_tree(std::string_view text, std::span<const Override> overrides, Mistakes& mistakes)
{
    look_for_what_toml_refuses(text, mistakes);
    if (!mistakes.empty()) return std::nullopt;
    auto root = parse_toml(text, mistakes);
    if (!root) return std::nullopt;
    if (root->entries.empty() && overrides.empty()) {
        mistakes.add(Place{}, ErrorCode::SceneEmpty, "the scene is empty",
                     "carom new NAME writes a commented scene to start from");
        return std::nullopt;
    }
    apply_overrides(overrides, *root, mistakes);
    drop_keys_of_the_kind_left(overrides, *root, mistakes);
    validate(*root, mistakes);
    return root;
}

/// What holds at the start, and the lengths that follow from it.
std::optional<State> check_start_of(const Node& root, const Model& model, const Draft& draft,
                                    Settings& settings, const Names& names, Mistakes& mistakes)
{
    if (!draft.start_known || !names.unvalued.empty()) return std::nullopt;
    State start = make_state(model, vector_of(draft.q), vector_of(draft.u), settings.start_s);
    if (!settings.length_m) settings.length_m = typical_length(model, start);
    settings.integrator = with_activation_gap(
        settings.integrator, settings.activation_gap_m.value_or(gap_tolerance * *settings.length_m));
    add_model_errors(root, check_start(model, start, gap_tolerance * *settings.length_m), mistakes);
    if (std::holds_alternative<SeriesSettings>(settings.integrator)) {
        add_model_errors(root, check_for_series(model), mistakes);
    }
    return start;
}

Errors file_error(const std::filesystem::path& file, std::string message, std::string hint)
{
    return {Error{.code = ErrorCode::FileUnreadable,
                  .where = printable(file.string()),
                  .message = std::move(message),
                  .hint = std::move(hint),
                  .excerpt = {}}};
}

/// The scene beside `file` that was probably meant: endings are all alike and say nothing.
std::string hint_for_missing(const std::filesystem::path& file)
{
    std::error_code problem;
    auto folder = file.parent_path();
    if (folder.empty()) folder = ".";
    std::vector<std::string> scenes;
    for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
        if (entry.path().extension() == ".toml") scenes.push_back(entry.path().stem().string());
    }
    std::ranges::sort(scenes);
    const std::string whole = file.filename().string(), name = file.stem().string();
    if (std::ranges::find(scenes, whole) != scenes.end()) return fmt::format("did you mean {}.toml?", whole);
    const std::string nearest = nearest_name(name, scenes);
    return nearest.empty() ? "carom new NAME writes a scene to start from"
                           : fmt::format("did you mean {}.toml?", nearest);
}

/// Bodies or groups of them: no scene of coordinates.
bool has_bodies(const Node& root)
{
    return std::ranges::any_of(std::array{"body", "group"}, [&](const char* key) {
        const Node* list = find(root, key);
        return list != nullptr && list->kind == Node::Kind::Array;
    });
}

/// All words of the formulas and texts of a scene.
void collect_words(const Node& node, std::set<std::string_view>& words)
{
    if (node.kind == Node::Kind::Text) {
        for (const std::string_view word : words_in(node.text))
            words.insert(word);
    }
    for (const Node& item : node.items)
        collect_words(item, words);
    for (const Entry& entry : node.entries)
        collect_words(entry.value, words);
}

/// A key of the scene that is written below [parameters] becomes a parameter, and is not obeyed.
void warn_of_lost_keys(const Node& root, Mistakes& mistakes)
{
    const Node* parameters = find(root, "parameters");
    if (parameters == nullptr) return;
    std::set<std::string_view> words;
    bool collected = false;
    for (const Entry& entry : parameters->entries) {
        const bool is_key =
            entry.key.find_first_of(".[]*") == std::string::npos && find_field(entry.key) != nullptr;
        if (!is_key || find(root, entry.key) != nullptr) continue;
        if (!std::exchange(collected, true)) collect_words(root, words);
        if (words.contains(entry.key)) continue;  // a formula uses it
        mistakes.warn(
            entry.value.key_place,
            fmt::format(
                "{} is below [parameters], where it is a number that no formula uses; the run ignores it",
                carom::quoted(entry.key)),
            fmt::format("write {} above [parameters]", printable(entry.key)));
    }
}

/// A scene is of mechanics, with energies, or of a sweeping process.
void check_kind(const Node& root, Mistakes& mistakes)
{
    if (find(root, "lagrangian") != nullptr || find(root, "sweeping") != nullptr) return;
    mistakes.add(Place{}, ErrorCode::MissingKey, "the scene has no lagrangian",
                 "add [lagrangian]: energies and forces; or [sweeping] for a sweeping process");
}

/// What figures of a system in coordinates may name.
FigureNames figure_names(const LagrangianSystem& system)
{
    FigureNames known;
    for (const Probe& probe : system.probes)
        known.probes.push_back(probe.name);
    for (const Contact& contact : system.contacts)
        known.contacts.push_back(contact.name);
    return known;
}

Expected<Scene, Errors> read_text(std::string_view text, std::string_view name,
                                  std::span<const Override> overrides, const std::filesystem::path& folder)
{
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark says nothing in UTF-8
    Mistakes mistakes(name, text, overrides);
    const auto root = read_tree(text, overrides, mistakes);
    if (!root) return mistakes.sorted();

    // names first: formulas of the system and of the settings use them
    warn_of_lost_keys(*root, mistakes);
    Names names = collect_names(*root, folder, mistakes);
    if (has_bodies(*root)) {
        names.complete = true;  // there are no coordinates to miss
        auto scene = scene_of_bodies(*root, names, mistakes);
        if (!mistakes.empty() || !scene) return mistakes.sorted();
        scene->title = title_of(*root, name);
        scene->text = text_as_run(text, *root, overrides, folder);
        scene->warnings = mistakes.warnings();
        return *std::move(scene);
    }
    check_kind(*root, mistakes);
    Draft draft = draft_system(*root, names, mistakes);
    Settings settings = read_settings(*root, names, mistakes);
    auto sweeping = sweeping_of(*root, names, draft, settings, mistakes);
    auto figures = read_figures(*root, names, figure_names(draft.system), mistakes);

    // the model and the start have mistakes of their own; look at them as far as what was read allows
    if (draft.system.coordinates.empty() && !mistakes.empty()) return mistakes.sorted();
    auto model = make_model(draft.system);
    if (!model) {
        add_model_errors(*root, model.error(), mistakes);
        if (mistakes.empty())
            throw InternalError("a model was refused without a reason: " + model.error()[0].message);
        return mistakes.sorted();
    }
    auto start = check_start_of(*root, *model, draft, settings, names, mistakes);
    if (!mistakes.empty()) return mistakes.sorted();
    if (!start) throw InternalError("a scene without mistakes has no start");

    Scene scene{.title = title_of(*root, name),
                .text = text_as_run(text, *root, overrides, folder),
                .model = std::move(*model),
                .start = std::move(*start),
                .integrator = settings.integrator,
                .solver = settings.solver,
                .plan = settings.plan,
                .record = settings.record,
                .length_m = *settings.length_m};
    scene.warnings = mistakes.warnings();
    scene.figures = std::move(figures);
    if (sweeping) scene.sweeping = std::make_shared<const SweepingPlan>(std::move(*sweeping));
    return scene;
}

/// The text of a scene file.
Expected<std::string, Errors> text_of_file(const std::filesystem::path& file)
{
    std::error_code problem;
    if (std::filesystem::is_directory(file, problem)) {
        return file_error(file, "this is a folder, not a scene", "give the name of a .toml file");
    }
    if (!std::filesystem::exists(file, problem))
        return file_error(file, "there is no such file", hint_for_missing(file));
    std::ifstream in(file, std::ios::binary);
    if (!in) return file_error(file, "the file cannot be opened", "check its permissions");

    // one byte more than allowed tells that there are too many, also of files that do not know their size
    std::string text;
    std::vector<char> buffer(1 << 16);
    while (in && text.size() <= max_scene_bytes) {
        in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (text.size() > max_scene_bytes) {
        return file_error(file, fmt::format("the file has more than {} bytes", max_scene_bytes),
                          "put long lists of numbers into a file of a [[table]]");
    }
    return text;
}

}  // namespace

double detail::typical_length(const Model& model, const State& start)
{
    Workspace work;
    double length = 0;
    const auto enlarge = [&](double x) {
        if (std::isfinite(x)) length = std::max(length, std::abs(x));
    };
    for (int c = 0; c < model.contacts(); ++c)
        enlarge(model.gap_m(c, point_of(start), work));
    for (int i = 0; i < model.coordinates(); ++i) {
        if (model.system().coordinates[static_cast<std::size_t>(i)].unit == "m") enlarge(start.q[i]);
    }
    return length > 0 ? length : 1;
}

SceneKind kind_of(const Scene& scene) noexcept
{
    if (scene.sweeping) return SceneKind::Sweeping;
    return scene.bodies ? SceneKind::Bodies : SceneKind::Coordinates;
}

std::vector<std::string> body_names(const Scene& scene)
{
    std::vector<std::string> names;
    if (!scene.bodies) return names;
    for (const Body& body : scene.model.bodies()->setup().bodies)
        names.push_back(body.name);
    return names;
}

std::string_view name_of(SceneKind kind) noexcept
{
    switch (kind) {
    case SceneKind::Coordinates: return "coordinates";
    case SceneKind::Bodies: return "bodies";
    case SceneKind::Sweeping: return "sweeping";
    }
    return "unknown";
}

Expected<Scene, Errors> read_scene_text(std::string_view text, std::string_view name,
                                        std::span<const Override> overrides,
                                        const std::filesystem::path& folder)
{
    return read_text(text, name, overrides, folder);
}

Expected<Scene, Errors> read_scene(const std::filesystem::path& file, std::span<const Override> overrides)
{
    const auto text = text_of_file(file);
    if (!text) return text.error();
    const auto folder = file.parent_path();
    return read_text(*text, file.string(), overrides, folder.empty() ? "." : folder);
}

}  // namespace carom
