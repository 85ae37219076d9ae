#include "sweeping.hpp"

#include "core/palette.hpp"
#include "core/text.hpp"
#include "expression/parse.hpp"
#include "expression/workspace.hpp"
#include "sweeping/visit_settings.hpp"
#include "validate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// A system of mechanics beside the sweep: two different things in one scene.
void refuse_mechanics(const Node& root, Mistakes& mistakes)
{
    for (const auto* key :
         {"lagrangian", "contact", "string", "constraint", "impact", "integrator", "solver"}) {
        const Node* node = find(root, key);
        if (node == nullptr) continue;
        mistakes.add(node->key_place, ErrorCode::NotAllowedHere,
                     fmt::format("a scene with sweeping has no {}", key),
                     "leave it out, or leave out sweeping: its steps are sweeping.time_step_s");
    }
}

/// F by one formula per coordinate.
std::function<Eigen::VectorXd(double, const Eigen::VectorXd&)>
drift_of(const Node& table, const std::vector<Coordinate>& coordinates, const Names& names,
         Mistakes& mistakes)
{
    std::vector<Formula> formulas;
    for (const auto& formula : formulas_by_coordinate(table, coordinates, names, "drift", mistakes))
        formulas.push_back(formula.value_or(Formula()));
    for (const Entry& entry : table.entries) {
        const auto formula = formula_of(&entry.value, names, mistakes);
        if (formula && formula->depends_on(Variable::Kind::Velocity)) {
            mistakes.add(entry.value.place, ErrorCode::NotAllowedHere, "a drift depends on a velocity",
                         "a swept point has none: use coordinates and t");
        }
    }
    const auto work = std::make_shared<Workspace>();
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(formulas.size()));
    return [formulas, zero, work](double t_s, const Eigen::VectorXd& u) {
        const Point at{{u.data(), static_cast<std::size_t>(u.size())},
                       {zero.data(), static_cast<std::size_t>(zero.size())},
                       t_s};
        Eigen::VectorXd F(u.size());
        for (Eigen::Index i = 0; i < u.size(); ++i)
            F[i] = formulas[static_cast<std::size_t>(i)].value(at, *work);
        return F;
    };
}

/// Reads [sweeping].
class SweepingReader {
public:
    SweepingReader(const Node& root, const Names& names, Draft& draft, Settings& settings, Mistakes& mistakes)
        : root_(root),
          group_(*find(root, "sweeping")),
          names_(names),
          draft_(draft),
          settings_(settings),
          mistakes_(mistakes)
    {
    }

    std::optional<SweepingPlan> read()
    {
        refuse_mechanics(root_, mistakes_);
        const auto sets = std::make_shared<const std::vector<SetDraft>>(draft_sets(root_, names_, mistakes_));
        read_settings();
        read_jumps();
        read_metric();
        if (const Node* drift = find(group_, "drift"); drift != nullptr && drift->kind == Kind::Table) {
            plan_.F = drift_of(*drift, draft_.system.coordinates, names_, mistakes_);
        }
        const auto index = swept_by(*sets);
        if (!index || !mistakes_.empty()) return std::nullopt;
        take_set(sets, *index);
        if (!mistakes_.empty()) return std::nullopt;
        if (draft_.system.drawings.empty()) {
            draft_.system.drawings = drawings_of(*sets, *index, draft_.system.coordinates, names_);
        }
        return std::move(plan_);
    }

private:
    void read(std::string_view key, double& value)
    {
        const Node* node = find(group_, key);
        if (node != nullptr && node->kind == Kind::Number) value = node->number;
    }

    void read_settings()
    {
        visit_settings(plan_.settings,
                       [this](const Setting& setting, double& value) { read(setting.name(), value); });
        const Node* method = find(group_, "method");
        const Node* relaxation = find(group_, "relaxation_s");
        const bool is_yosida = method != nullptr && method->text == "yosida";
        if (is_yosida != (relaxation != nullptr)) {
            mistakes_.add(is_yosida ? method->place : relaxation->key_place,
                          is_yosida ? ErrorCode::MissingKey : ErrorCode::NotAllowedHere,
                          is_yosida ? "the method yosida has no relaxation_s"
                                    : "relaxation_s is a setting of the method yosida",
                          "yosida needs a relaxation time in seconds, catching_up has none");
        } else if (is_yosida && relaxation->kind == Kind::Number) {
            plan_.lambda_s = relaxation->number;
        }

        // what recordings and pictures call the step
        settings_.integrator = MoreauSettings{.time_step_s = plan_.settings.time_step_s};
        settings_.record.energies = settings_.record.percussions = settings_.record.gaps = false;
    }

    void read_jumps()
    {
        const Node* jumps = find(group_, "jumps_s");
        if (jumps == nullptr) return;
        for (const Node& item : jumps->items) {
            const auto jump = constant_of(item, names_, mistakes_);
            if (!jump) continue;
            if (!plan_.jumps_s.empty() && !(*jump > plan_.jumps_s.back())) {
                mistakes_.add(item.place, ErrorCode::SettingOutOfRange,
                              fmt::format("the jump at {} s is not after the previous one", *jump),
                              "give every instant once, in increasing order");
            }
            plan_.jumps_s.push_back(*jump);
        }
    }

    void read_metric()
    {
        const Node* node = find(group_, "metric");
        const auto n = static_cast<Eigen::Index>(draft_.system.coordinates.size());
        if (node == nullptr || mistakes_.known_at(node->place)) return;
        Eigen::MatrixXd A(n, n);
        for (std::size_t i = 0; i < node->items.size(); ++i) {
            const auto& row = node->items[i].items;
            if (static_cast<Eigen::Index>(node->items.size()) != n ||
                static_cast<Eigen::Index>(row.size()) != n) {
                mistakes_.add(node->place, ErrorCode::WrongSize,
                              fmt::format("the metric of {} coordinates is not {} x {}", n, n, n),
                              "give one row and one column per coordinate");
                return;
            }
            for (std::size_t j = 0; j < row.size(); ++j) {
                A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                    constant_of(row[j], names_, mistakes_).value_or(i == j ? 1 : 0);
            }
        }
        auto metric = Metric::from_matrix(A);
        if (metric)
            plan_.metric = std::move(*metric);
        else
            mistakes_.add(node->place, metric.error());
    }

    /// Which of the sets sweeps.
    std::optional<std::size_t> swept_by(const std::vector<SetDraft>& sets)
    {
        const Node* name = find(group_, "set");
        if (name == nullptr || name->kind != Kind::Text) return std::nullopt;
        const auto found = std::ranges::find(sets, name->text, &SetDraft::name);
        if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());

        // one that was lost by a mistake of its own has been reported
        const Node* list = find(root_, "set");
        if (list == nullptr || find_named(*list, name->text) == nullptr) {
            std::vector<std::string> known;
            for (const SetDraft& set : sets)
                known.push_back(set.name);
            mistakes_.add(name->place, ErrorCode::UnknownName,
                          fmt::format("there is no set {}", carom::quoted(name->text)),
                          known.empty() ? "add a [[set]] of that name" : nearest_or_all(name->text, known));
        }
        return std::nullopt;
    }

    /// The moving set; it must exist at the start, in the space of the coordinates.
    void take_set(const std::shared_ptr<const std::vector<SetDraft>>& sets, std::size_t index)
    {
        const SetDraft& draft = (*sets)[index];
        const auto n = static_cast<int>(draft_.q.size());
        const Eigen::VectorXd start = Eigen::Map<const Eigen::VectorXd>(draft_.q.data(), n);
        const auto first = set_at(*sets, index, settings_.start_s, start);
        if (!first) {
            mistakes_.add(place_of(root_, first.error().where), first.error());
            return;
        }
        if ((*first)->dimension() != n) {
            mistakes_.add(draft.place, ErrorCode::WrongSize,
                          fmt::format("the set {} has {} dimensions, and the scene {} coordinates",
                                      carom::quoted(draft.name), (*first)->dimension(), n),
                          "give numbers for every coordinate, in their order");
            return;
        }
        draft_.system.swept_by = draft.name;
        plan_.depends_on_point = depends_on_point(*sets, index);
        if (draft.kind == "interval" && !plan_.depends_on_point) {
            plan_.set = moving_interval(draft);
        } else {
            plan_.set = std::make_shared<SetOfTime>(
                *SetOfTime::of_point(n, [sets, index](double t_s, const Eigen::VectorXd& at) {
                    return set_at(*sets, index, t_s, at);
                }));
        }
        plan_.in_words = fmt::format("{} in steps of {} s; set {}: {}",
                                     plan_.lambda_s ? fmt::format("yosida with {} s", *plan_.lambda_s)
                                                    : std::string("catching_up"),
                                     plan_.settings.time_step_s, draft.name, words_of(*sets, index));
    }

    /// An interval of time alone needs no set to be made at every instant.
    static std::shared_ptr<const MovingSet> moving_interval(const SetDraft& draft)
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const auto end = [&](std::string_view key, double fallback) {
            const auto found = draft.keys.find(key);
            return found != draft.keys.end() ? found->second.entries[0] : Formula::constant(fallback);
        };
        const auto work = std::make_shared<Workspace>();
        return std::make_shared<MovingInterval>(*MovingInterval::make(
            [lower = end("lower", -infinity), upper = end("upper", infinity), work](double t_s) {
                const Point at{{}, {}, t_s};
                return MovingInterval::Ends{lower.value(at, *work), upper.value(at, *work)};
            }));
    }

    static bool depends_on_point(const std::vector<SetDraft>& sets, std::size_t index)
    {
        const auto names_coordinate = [](const Formula& f) {
            return f.depends_on(Variable::Kind::Coordinate);
        };
        const SetDraft& set = sets[index];
        return std::ranges::any_of(set.keys,
                                   [&](const auto& key) {
                                       return std::ranges::any_of(key.second.entries, names_coordinate);
                                   }) ||
               std::ranges::any_of(set.parts, [&](std::size_t part) { return depends_on_point(sets, part); });
    }

    static std::string words_of(const std::vector<SetDraft>& sets, std::size_t index)
    {
        std::string words = sets[index].kind;
        std::vector<std::string> parts;
        for (const std::size_t part : sets[index].parts)
            parts.push_back(words_of(sets, part));
        if (!parts.empty()) words += fmt::format(" of ({})", fmt::join(parts, ", "));
        return words;
    }

    const Node& root_;
    const Node& group_;
    const Names& names_;
    Draft& draft_;
    Settings& settings_;
    Mistakes& mistakes_;
    SweepingPlan plan_;
};

/// The outline of one set by formulas; nothing for kinds whose outline is not one.
std::optional<Drawing> outline_of(const SetDraft& set)
{
    Drawing drawing;
    drawing.colour = grey.name;
    const auto entries = [&](std::string_view key) { return set.keys.find(key)->second.entries; };
    if (set.kind == "ball") {
        drawing.kind = DrawingKind::Circle;
        drawing.points = entries("centre");
        drawing.radius_m = entries("radius")[0];
        return drawing;
    }
    drawing.kind = DrawingKind::Polyline;
    drawing.closed = true;
    if (set.kind == "polytope") {
        drawing.points = entries("vertices");
        return drawing;
    }
    if (set.kind == "box") {
        const auto low = entries("lower"), high = entries("upper");
        drawing.points = {low[0], low[1], high[0], low[1], high[0], high[1], low[0], high[1]};
        return drawing;
    }
    return std::nullopt;
}

void add_outlines(const std::vector<SetDraft>& sets, std::size_t index, std::vector<Drawing>& drawings)
{
    if (auto outline = outline_of(sets[index])) drawings.push_back(std::move(*outline));
    if (sets[index].kind != "intersection") return;
    for (const std::size_t part : sets[index].parts)
        add_outlines(sets, part, drawings);
}

}  // namespace

std::vector<Drawing> drawings_of(const std::vector<SetDraft>& sets, std::size_t index,
                                 const std::vector<Coordinate>& coordinates, const Names& names)
{
    std::vector<Drawing> drawings;
    if (coordinates.size() != 2) return drawings;
    add_outlines(sets, index, drawings);
    std::vector<Formula> point;
    for (const Coordinate& coordinate : coordinates) {
        if (const auto formula = parse_formula(coordinate.name, names.vocabulary)) point.push_back(*formula);
    }
    for (const DrawingKind kind : {DrawingKind::Trace, DrawingKind::Point}) {
        Drawing drawing;
        drawing.kind = kind;
        drawing.points = point;
        drawing.colour = palette[0].name;
        drawings.push_back(std::move(drawing));
    }
    return drawings;
}

std::optional<SweepingPlan> sweeping_of(const Node& root, const Names& names, Draft& draft,
                                        Settings& settings, Mistakes& mistakes)
{
    const Node* group = find(root, "sweeping");
    if (group == nullptr || group->kind != Kind::Table) return std::nullopt;
    return SweepingReader(root, names, draft, settings, mistakes).read();
}

}  // namespace carom::detail
