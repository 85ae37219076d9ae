#include "figures.hpp"

#include "body_values.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "system.hpp"
#include "validate.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// Reads one [[figure]].
class FigureReader {
public:
    FigureReader(const Names& names, const FigureNames& known, Mistakes& mistakes)
        : names_(names), known_(known), mistakes_(mistakes)
    {
    }

    FigurePlan read(const Node& item)
    {
        const BodyValues values(item, names_, mistakes_);
        FigurePlan plan{.name = word_of(item, "name"),
                        .title = word_of(item, "title"),
                        .statement = word_of(item, "statement"),
                        .source = word_of(item, "source"),
                        .numbers = {},
                        .sets = sets_of(item),
                        .width_mm = values.number("width_mm", 120),
                        .height_mm = values.number("height_mm", 80),
                        .columns = static_cast<int>(values.integer("columns", 1)),
                        .over = word_of(item, "over"),
                        .values = values_of(item),
                        .orbit = orbit_of(item),
                        .panels = {}};
        if (plan.over.empty() != plan.values.empty()) {
            refuse(item.place, ErrorCode::MissingKey, "over and values belong together",
                   "for example over = \"parameters.e\", values = [0.2, 0.5, 0.8], or between = [0, 1]");
        }
        for (const Node& number : things_of(item, "number")) {
            plan.numbers.push_back(read_number(number));
        }
        for (const Node& panel : things_of(item, "panel")) {
            plan.panels.push_back(read_panel(panel, plan));
        }
        if (plan.panels.empty() && find(item, "panel") != nullptr)
            refuse(item.place, ErrorCode::MissingKey, "a figure has no panel", "add [[figure.panel]]");
        return plan;
    }

private:
    void refuse(const Place& place, ErrorCode code, std::string message, std::string hint)
    {
        mistakes_.add(place, code, std::move(message), std::move(hint));
    }

    [[nodiscard]] static bool flag(const Node& item, std::string_view key, bool fallback)
    {
        const Node* node = find(item, key);
        return node != nullptr && node->kind == Kind::Boolean ? node->boolean : fallback;
    }

    /// The values of the runs: a list, or equally spaced or random ones between two.
    std::vector<double> values_of(const Node& item)
    {
        const BodyValues numbers(item, names_, mistakes_);
        const auto ends = range_of(item, "between");
        const Node* list = find(item, "values");
        if (!ends) return numbers.list("values");
        if (list != nullptr)
            refuse(list->key_place, ErrorCode::NotAllowedHere, "values and between exclude each other",
                   "leave one out");
        const auto runs = static_cast<std::size_t>(numbers.integer("runs", 11));
        const bool at_random = find(item, "seed") != nullptr;
        const auto seed = static_cast<std::uint64_t>(numbers.integer("seed", 0));
        std::vector<double> values;
        for (std::size_t k = 0; k < runs; ++k) {
            const double part =
                at_random ? uniform_of(seed, k, 0) : static_cast<double>(k) / static_cast<double>(runs - 1);
            values.push_back((1 - part) * (*ends)[0] + part * (*ends)[1]);
        }
        return values;
    }

    std::vector<std::pair<std::string, double>> sets_of(const Node& item)
    {
        std::vector<std::pair<std::string, double>> sets;
        for (const Node& set : things_of(item, "set")) {
            sets.emplace_back(word_of(set, "key"), BodyValues(set, names_, mistakes_).number("value", 0));
        }
        return sets;
    }

    std::optional<FigureOrbit> orbit_of(const Node& item)
    {
        const Node* node = find(item, "orbit");
        if (node == nullptr || node->kind != Kind::Table) return std::nullopt;
        const BodyValues values(*node, names_, mistakes_);
        FigureOrbit orbit{.period = word_of(*node, "period"),
                          .section = word_of(*node, "section"),
                          .returns = static_cast<int>(values.integer("returns", 1)),
                          .settle = static_cast<int>(values.integer("settle", 0)),
                          .along = word_of(*node, "along")};
        if (orbit.period.empty() == orbit.section.empty())
            refuse(node->place, ErrorCode::MissingKey, "an orbit needs a period or a section",
                   "give period = \"2*pi/w\" where the system is driven, section = \"x'\" where it is not");
        const auto ends = range_of(*node, "range");
        if (ends.has_value() == orbit.along.empty())
            refuse(node->place, ErrorCode::MissingKey, "along and range belong together",
                   "for example along = \"w\", range = [1, 3]");
        if (ends) {
            orbit.low = (*ends)[0];
            orbit.high = (*ends)[1];
        }
        return orbit;
    }

    FigureNumber read_number(const Node& item)
    {
        const BodyValues values(item, names_, mistakes_);
        FigureNumber number{.label = word_of(item, "label"),
                            .unit = word_of(item, "unit"),
                            .value = {},
                            .at_s = values.number("at_s"),
                            .event = word_of(item, "event"),
                            .place = word_of(item, "place"),
                            .which = static_cast<int>(values.integer("which", 1)),
                            .energy = word_of(item, "energy"),
                            .special = word_of(item, "special"),
                            .of_value = values.number("of_value"),
                            .mean = flag(item, "mean", false),
                            .reference = values.number("reference", 0)};
        int given = 0;
        for (const char* key : {"value", "event", "energy", "special"}) {
            given += find(item, key) != nullptr ? 1 : 0;
        }
        if (given != 1)
            refuse(item.place, given == 0 ? ErrorCode::MissingKey : ErrorCode::NotAllowedHere,
                   "a number is one thing", "give one of value, event, energy, special");
        if (const Node* value = find(item, "value"))
            number.value = formula_of(value, names_, mistakes_).value_or(Formula());
        return number;
    }

    FigurePanel read_panel(const Node& item, const FigurePlan& plan)
    {
        const BodyValues values(item, names_, mistakes_);
        FigurePanel panel;
        const std::string kind = word_of(item, "kind", "curves");
        panel.kind = kind == "exposure" ? FigurePanelKind::Exposure
                     : kind == "cone"   ? FigurePanelKind::Cone
                     : kind == "branch" ? FigurePanelKind::Branch
                                        : FigurePanelKind::Curves;
        panel.title = word_of(item, "title");
        panel.x_label = word_of(item, "x_label");
        panel.y_label = word_of(item, "y_label");
        panel.x_range = range_of(item, "x_range");
        panel.y_range = range_of(item, "y_range");
        panel.equal_scales = flag(item, "equal_scales", panel.kind == FigurePanelKind::Exposure);
        panel.events = flag(item, "events", false);
        panel.from_s = values.number("from_s", 0);
        panel.strobe_s = values.number("strobe_s", 0);
        panel.against_value = flag(item, "against_value", false);
        panel.every = static_cast<int>(values.integer("every", 10));
        panel.numbers = flag(item, "numbers", true);
        if (panel.against_value && plan.over.empty())
            refuse(item.place, ErrorCode::MissingKey, "against_value without over has no value",
                   "give the figure over and values");
        if (panel.kind == FigurePanelKind::Branch && (!plan.orbit || plan.orbit->along.empty()))
            refuse(item.place, ErrorCode::MissingKey, "a branch has no orbit to follow",
                   "give [figure.orbit] with along and range");
        if (panel.kind == FigurePanelKind::Curves || panel.kind == FigurePanelKind::Branch)
            read_curves(item, panel);
        else
            refuse_curves(item, kind);
        if (panel.kind == FigurePanelKind::Cone) read_cone(item, panel);
        return panel;
    }

    std::optional<std::array<double, 2>> range_of(const Node& item, const char* key)
    {
        const Node* node = find(item, key);
        if (node == nullptr || node->kind != Kind::Array) return std::nullopt;
        const auto ends = BodyValues(item, names_, mistakes_).list(*node);
        const bool rises = ends.size() == 2 && ends[0] < ends[1];
        if (rises && std::isfinite(ends[1] - ends[0])) return std::array{ends[0], ends[1]};
        refuse(node->place, ErrorCode::WrongSize, fmt::format("{} is not a range", key),
               rises ? "give numbers whose difference is a number, below 1.8e308"
                     : fmt::format("give two numbers, the smaller one first: {} = [0, 1]", key));
        return std::nullopt;
    }

    void refuse_curves(const Node& item, const std::string& kind)
    {
        for (const char* key : {"x", "y", "curve", "strobe_s"}) {
            if (const Node* node = find(item, key))
                refuse(node->key_place, ErrorCode::NotAllowedHere,
                       fmt::format("a panel of kind {} has no {}", carom::quoted(kind), key),
                       "only curves have it");
        }
    }

    void read_curves(const Node& item, FigurePanel& panel)
    {
        const Node* x = find(item, "x");
        Node time;
        time.kind = Kind::Text;
        time.text = "t";
        panel.x = formula_of(x != nullptr ? x : &time, names_, mistakes_).value_or(Formula());
        if (const Node* y = find(item, "y")) {
            for (const Node& entry : y->items) {
                panel.curves.push_back(
                    {.formula = formula_of(&entry, names_, mistakes_).value_or(Formula())});
            }
        }
        for (const Node& curve : things_of(item, "curve")) {
            panel.curves.push_back(read_curve(curve));
        }
        if (panel.curves.empty())
            refuse(item.place, ErrorCode::MissingKey, "a panel has no curves",
                   "give y, for example y = [\"x\", \"x'\"], or [[figure.panel.curve]]");
    }

    FigureCurve read_curve(const Node& item)
    {
        FigureCurve curve{.label = word_of(item, "label"),
                          .colour = word_of(item, "colour"),
                          .points = flag(item, "points", false),
                          .dashed = flag(item, "dashed", false)};
        static constexpr std::pair<const char*, FigureSource> sources[] = {
            {"y", FigureSource::Formula},
            {"probe", FigureSource::Probe},
            {"gap", FigureSource::Gap},
            {"percussion", FigureSource::Percussion},
            {"energy", FigureSource::Energy}};
        int given = 0;
        for (const auto& [key, source] : sources) {
            const Node* node = find(item, key);
            if (node == nullptr) continue;
            ++given;
            curve.source = source;
            if (source == FigureSource::Formula)
                curve.formula = formula_of(node, names_, mistakes_).value_or(Formula());
            else
                curve.name = named(*node, source);
        }
        if (given != 1)
            refuse(item.place, given == 0 ? ErrorCode::MissingKey : ErrorCode::NotAllowedHere,
                   "a curve shows one thing", "give one of y, probe, gap, percussion, energy");
        return curve;
    }

    std::string named(const Node& node, FigureSource source)
    {
        const bool probe = source == FigureSource::Probe;
        if (source == FigureSource::Energy || node.kind != Kind::Text) return node.text;
        const auto& known = probe ? known_.probes : known_.contacts;
        if (std::ranges::find(known, node.text) == known.end())
            refuse(node.place, ErrorCode::UnknownName,
                   fmt::format("there is no {} {}", probe ? "probe" : "contact", carom::quoted(node.text)),
                   nearest_or_all(node.text, known));
        return node.text;
    }

    void read_cone(const Node& item, FigurePanel& panel)
    {
        panel.contact = contact_of_cone(item);
        const std::string view = word_of(item, "view", "side");
        panel.view = view == "top"          ? ConeView::Top
                     : view == "projection" ? ConeView::Projection
                                            : ConeView::Side;
        panel.plane_rad = BodyValues(item, names_, mistakes_).number("plane_rad", 0);
    }

    std::string contact_of_cone(const Node& item)
    {
        const Node* contact = find(item, "contact");
        if (contact == nullptr) {
            refuse(item.place, ErrorCode::MissingKey, "a cone has no contact",
                   "name one: contact = \"floor\"");
            return {};
        }
        return named(*contact, FigureSource::Gap);
    }

    const Names& names_;
    const FigureNames& known_;
    Mistakes& mistakes_;
};

}  // namespace

std::vector<FigurePlan> read_figures(const Node& root, const Names& names, const FigureNames& known,
                                     Mistakes& mistakes)
{
    std::vector<FigurePlan> figures;
    Vocabulary taken;
    for (const Node& item : things_of(root, "figure")) {
        figures.push_back(FigureReader(names, known, mistakes).read(item));
        const Node* name = find(item, "name");
        if (name == nullptr || name->kind != Kind::Text) continue;
        if (auto added = taken.add_coordinate(name->text); !added) mistakes.add(name->place, added.error());
    }
    return figures;
}

}  // namespace carom::detail
