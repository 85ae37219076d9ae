#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"
#include "carom/scene/fields.hpp"
#include "core/text.hpp"
#include "expression/term.hpp"
#include "sweeping.hpp"
#include "validate.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// The keys of a kind of set.
struct KindOfSet {
    std::string_view name;
    std::vector<std::string> needed;
    std::vector<std::string> optional;
};

const std::vector<KindOfSet>& kinds_of_sets()
{
    static const std::vector<KindOfSet> kinds = {
        {"point", {"point"}, {}},
        {"half_line", {"point", "direction"}, {}},
        {"interval", {}, {"lower", "upper"}},
        {"box", {"lower", "upper"}, {}},
        {"ball", {"centre", "radius"}, {}},
        {"ellipsoid", {"centre", "shape"}, {}},
        {"half_space", {"normal", "bound"}, {}},
        {"polyhedron", {"normals", "bounds"}, {}},
        {"polytope", {"vertices"}, {}},
        {"second_order_cone", {"slope"}, {}},
        {"polyhedral_cone", {"generators"}, {}},
        {"subspace", {"directions"}, {}},
        {"gaps", {"gaps"}, {}},
        {"moved", {"of"}, {"scale", "shift"}},
        {"image", {"of", "map"}, {}},
        {"intersection", {"of"}, {}},
        {"sum", {"of"}, {}},
    };
    return kinds;
}

bool is_among(const std::vector<std::string>& words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

/// Reads one [[set]].
class SetReader {
public:
    SetReader(const Node& list, const Node& item, const std::vector<SetDraft>& before, const Names& names,
              Mistakes& mistakes)
        : list_(list), item_(item), before_(before), names_(names), mistakes_(mistakes)
    {
    }

    std::optional<SetDraft> read()
    {
        const Node* name = find(item_, "name");
        const Node* kind = find(item_, "kind");
        if (name == nullptr || name->kind != Kind::Text || kind == nullptr) return std::nullopt;
        const auto known = std::ranges::find(kinds_of_sets(), kind->text, &KindOfSet::name);
        if (known == kinds_of_sets().end()) return std::nullopt;  // told with the choices
        set_.name = name->text;
        set_.kind = kind->text;
        set_.place = item_.place;
        const bool is_taken =
            std::ranges::any_of(before_, [&](const SetDraft& s) { return s.name == name->text; });
        if (is_taken)
            refuse(name->place, ErrorCode::DuplicateName,
                   fmt::format("two sets are called {}", carom::quoted(name->text)),
                   "give each its own name");
        read_keys(*known);
        return good_ ? std::optional(std::move(set_)) : std::nullopt;
    }

private:
    void refuse(const Place& place, ErrorCode code, std::string message, std::string hint)
    {
        mistakes_.add(place, code, std::move(message), std::move(hint));
        good_ = false;
    }

    void read_keys(const KindOfSet& kind)
    {
        for (const std::string& key : kind.needed) {
            if (find(item_, key) != nullptr) continue;
            refuse(item_.place, ErrorCode::MissingKey,
                   fmt::format("the {} {} has no {}", kind.name, carom::quoted(set_.name), key),
                   fmt::format("add {} = ...", key));
        }
        for (const Entry& entry : item_.entries) {
            if (entry.key == "name" || entry.key == "kind") continue;
            if (!is_among(kind.needed, entry.key) && !is_among(kind.optional, entry.key)) {
                const Field* field = find_field("set[]." + entry.key);
                if (field == nullptr) continue;  // told with the unknown keys
                refuse(entry.value.key_place, ErrorCode::NotAllowedHere,
                       fmt::format("a set of kind {} has no {}", kind.name, entry.key),
                       kind.optional.empty() ? fmt::format("it has {}", fmt::join(kind.needed, " and "))
                                             : "leave it out");
            } else if (entry.key == "of") {
                read_parts(entry.value);
            } else {
                read_formulas(entry);
            }
        }
    }

    void read_formulas(const Entry& entry)
    {
        FormulaGrid grid;
        const Node& value = entry.value;
        const bool is_matrix =
            value.kind == Kind::Array && !value.items.empty() && value.items[0].kind == Kind::Array;
        if (value.kind != Kind::Array) {
            grid.rows = grid.columns = 1;
            add_formula(value, grid);
        } else if (!is_matrix) {
            grid.rows = 1;
            grid.columns = static_cast<Eigen::Index>(value.items.size());
            for (const Node& item : value.items)
                add_formula(item, grid);
        } else {
            grid.rows = static_cast<Eigen::Index>(value.items.size());
            grid.columns = static_cast<Eigen::Index>(value.items[0].items.size());
            for (const Node& row : value.items) {
                if (static_cast<Eigen::Index>(row.items.size()) != grid.columns) {
                    refuse(row.place, ErrorCode::WrongSize,
                           fmt::format("the rows of {} differ in length", entry.key),
                           "give rows of one length");
                    return;
                }
                for (const Node& item : row.items)
                    add_formula(item, grid);
            }
        }
        set_.keys[entry.key] = std::move(grid);
    }

    void add_formula(const Node& node, FormulaGrid& grid)
    {
        auto formula = formula_of(&node, names_, mistakes_);
        if (formula && formula->depends_on(Variable::Kind::Velocity)) {
            refuse(node.place, ErrorCode::NotAllowedHere, "a set depends on a velocity",
                   "a swept point has none: use coordinates and t");
        }
        good_ = good_ && formula.has_value();
        grid.entries.push_back(formula.value_or(Formula()));
    }

    void read_parts(const Node& list)
    {
        for (const Node& item : list.items) {
            const auto found = std::ranges::find(before_, item.text, &SetDraft::name);
            if (found != before_.end()) {
                set_.parts.push_back(static_cast<std::size_t>(found - before_.begin()));
                continue;
            }

            // one that was lost by a mistake of its own has been reported
            const Node* lost = find_named(list_, item.text);
            good_ = false;
            if (lost != nullptr && lost->place < item_.place) continue;
            std::vector<std::string> known;
            for (const SetDraft& set : before_)
                known.push_back(set.name);
            refuse(item.place, ErrorCode::UnknownName,
                   fmt::format("no set before this one is called {}", carom::quoted(item.text)),
                   nearest_or_all(item.text, known));
        }
        const bool takes_one = set_.kind == "moved" || set_.kind == "image";
        if (takes_one && list.items.size() != 1) {
            refuse(list.place, ErrorCode::WrongSize,
                   fmt::format("a set of kind {} is built from one set, not from {}", set_.kind,
                               list.items.size()),
                   "write of = [\"name\"]");
        }
    }

    const Node& list_;
    const Node& item_;
    const std::vector<SetDraft>& before_;
    const Names& names_;
    Mistakes& mistakes_;
    SetDraft set_;
    bool good_ = true;
};

template <class Set>
Expected<SetPointer> pointer_to(const Expected<Set>& set)
{
    if (!set) return set.error();
    return shared(*set);
}

/// One set at an instant: its formulas become numbers.
class SetBuilder {
public:
    SetBuilder(const std::vector<SetDraft>& sets, double t_s, const Eigen::VectorXd& at)
        : sets_(sets), at_(at), zero_(Eigen::VectorXd::Zero(at.size()))
    {
        point_ = {{at_.data(), static_cast<std::size_t>(at_.size())},
                  {zero_.data(), static_cast<std::size_t>(zero_.size())},
                  t_s};
    }

    Expected<SetPointer> build(std::size_t index)
    {
        auto set = made(sets_[index]);
        if (set) return set;
        Error error = set.error();
        error.where = "set." + sets_[index].name;
        return error;
    }

private:
    [[nodiscard]] Eigen::MatrixXd matrix(const SetDraft& set, std::string_view key)
    {
        return set.keys.find(key)->second.values(point_, work_);
    }
    [[nodiscard]] Eigen::VectorXd vector(const SetDraft& set, std::string_view key)
    {
        return matrix(set, key).transpose();
    }
    [[nodiscard]] double number(const SetDraft& set, std::string_view key, double fallback)
    {
        return set.keys.contains(key) ? matrix(set, key)(0, 0) : fallback;
    }

    Expected<SetPointer> made(const SetDraft& set)
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const std::string& kind = set.kind;
        if (kind == "point") return pointer_to(Singleton::make(vector(set, "point")));
        if (kind == "half_line") return half_line(set);
        if (kind == "interval") {
            return pointer_to(
                Interval::make(number(set, "lower", -infinity), number(set, "upper", infinity)));
        }
        if (kind == "box") return pointer_to(Box::make(vector(set, "lower"), vector(set, "upper")));
        if (kind == "ball") return pointer_to(Ball::make(vector(set, "centre"), number(set, "radius", 0)));
        if (kind == "ellipsoid") {
            return pointer_to(Ellipsoid::make(vector(set, "centre"), matrix(set, "shape")));
        }
        if (kind == "half_space") {
            return pointer_to(HalfSpace::make(vector(set, "normal"), number(set, "bound", 0)));
        }
        if (kind == "polyhedron") {
            return pointer_to(Polyhedron::make(matrix(set, "normals"), vector(set, "bounds")));
        }
        if (kind == "polytope") return pointer_to(Polytope::from_vertices(matrix(set, "vertices")));
        if (kind == "second_order_cone") {
            return pointer_to(SecondOrderCone::make(static_cast<int>(at_.size()), number(set, "slope", 0)));
        }
        if (kind == "polyhedral_cone") {
            return pointer_to(PolyhedralCone::from_generators(matrix(set, "generators")));
        }
        if (kind == "subspace") {
            return pointer_to(Subspace::spanned_by(matrix(set, "directions").transpose()));
        }
        if (kind == "gaps") return linearised_gaps(set);
        return combination(set);
    }

    Expected<SetPointer> half_line(const SetDraft& set)
    {
        auto ray = pointer_to(PolyhedralCone::from_generators(matrix(set, "direction")));
        if (!ray) return ray;
        return pointer_to(Moved::translated(*ray, vector(set, "point")));
    }

    Expected<SetPointer> combination(const SetDraft& set)
    {
        std::vector<SetPointer> parts;
        for (const std::size_t part : set.parts) {
            auto built = build(part);
            if (!built) return built;
            parts.push_back(*built);
        }
        if (set.kind == "intersection") return pointer_to(Intersection::make(std::move(parts)));
        if (set.kind == "sum") return pointer_to(MinkowskiSum::make(std::move(parts)));
        if (set.kind == "image") return pointer_to(LinearImage::make(parts[0], matrix(set, "map")));
        const Eigen::VectorXd shift = set.keys.contains("shift")
                                          ? vector(set, "shift")
                                          : Eigen::VectorXd(Eigen::VectorXd::Zero(parts[0]->dimension()));
        return pointer_to(Moved::make(parts[0], number(set, "scale", 1), shift));
    }

    /// { v : g(u) + dg(u).(v - u) >= 0 for every gap g } (SW-9).
    Expected<SetPointer> linearised_gaps(const SetDraft& set)
    {
        const auto& gaps = set.keys.find("gaps")->second.entries;
        const auto m = static_cast<Eigen::Index>(gaps.size());
        Eigen::MatrixXd normals = Eigen::MatrixXd::Zero(m, at_.size());
        Eigen::VectorXd bounds(m);
        for (Eigen::Index i = 0; i < m; ++i) {
            double gap = 0;
            for (const Term& term : gaps[static_cast<std::size_t>(i)].terms()) {
                work_.make_room(term.variables().size());
                std::span<double> first(work_.first.data(), term.variables().size());
                gap += term.gradient(point_, work_, first);
                for (std::size_t k = 0; k < first.size(); ++k) {
                    const Variable& variable = term.variables()[k];
                    if (variable.kind == Variable::Kind::Coordinate) normals(i, variable.index) -= first[k];
                }
            }
            bounds[i] = gap + normals.row(i).dot(at_);
        }
        return pointer_to(Polyhedron::make(normals, bounds));
    }

    const std::vector<SetDraft>& sets_;
    const Eigen::VectorXd& at_;
    Eigen::VectorXd zero_;
    Point point_;
    Workspace work_;
};

}  // namespace

Eigen::MatrixXd FormulaGrid::values(const Point& at, Workspace& work) const
{
    Eigen::MatrixXd result(rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i) {
        for (Eigen::Index j = 0; j < columns; ++j)
            result(i, j) = entries[static_cast<std::size_t>(i * columns + j)].value(at, work);
    }
    return result;
}

std::vector<SetDraft> draft_sets(const Node& root, const Names& names, Mistakes& mistakes)
{
    std::vector<SetDraft> sets;
    const Node* list = find(root, "set");
    if (list == nullptr || list->kind != Kind::Array) return sets;
    for (const Node& item : list->items) {
        if (auto set = SetReader(*list, item, sets, names, mistakes).read()) sets.push_back(std::move(*set));
    }
    return sets;
}

Expected<SetPointer> set_at(const std::vector<SetDraft>& sets, std::size_t index, double t_s,
                            const Eigen::VectorXd& at)
{
    return SetBuilder(sets, t_s, at).build(index);
}

}  // namespace carom::detail
