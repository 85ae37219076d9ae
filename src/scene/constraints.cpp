#include "carom/convex/sets.hpp"
#include "expression/parse.hpp"
#include "system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Reads one [[constraint]]; mistakes go to the list, and nothing is returned then.
class ConstraintReader {
public:
    ConstraintReader(const Node& item, std::string name, const Names& names, Mistakes& mistakes)
        : item_(item), names_(names), mistakes_(mistakes)
    {
        constraint_.name = std::move(name);
    }

    std::optional<Constraint> read()
    {
        constraint_.zero = list("zero");
        constraint_.velocity = list("velocity");
        constraint_.only_while = word_of(item_, "only_while");
        read_map();
        const Node* law = find(item_, "law");
        const Node* sets = find(item_, "set");
        if (law != nullptr && sets != nullptr) {
            refuse(law->place, ErrorCode::NotAllowedHere, "the constraint has both law and set",
                   "give law for the usual limits, [[constraint.set]] for any others");
        } else if (sets != nullptr && sets->kind == Kind::Array) {
            for (const Node& set : sets->items) {
                read_set(set);
            }
        } else if (law != nullptr && law->kind == Kind::Table) {
            read_law(*law);
        }
        return good_ ? std::optional(std::move(constraint_)) : std::nullopt;
    }

private:
    void refuse(const Place& place, ErrorCode code, std::string message, std::string hint)
    {
        mistakes_.add(place, code, std::move(message), std::move(hint));
        good_ = false;
    }

    std::optional<Formula> formula(const Node* node)
    {
        auto read = formula_of(node, names_, mistakes_);
        if (node != nullptr && !read) good_ = false;
        return read;
    }

    /// A number or formula that may not be negative; a number that is has been told already.
    std::optional<Formula> size(const Node* node)
    {
        if (node != nullptr && node->kind == Kind::Number && !(node->number >= 0)) {
            good_ = false;
            return std::nullopt;
        }
        return formula(node);
    }

    std::vector<Formula> list(std::string_view key)
    {
        std::vector<Formula> formulas;
        const Node* node = find(item_, key);
        if (node == nullptr || node->kind != Kind::Array) return formulas;
        for (const Node& entry : node->items) {
            if (auto read = formula(&entry)) formulas.push_back(std::move(*read));
        }
        return formulas;
    }

    void read_map()
    {
        const Node* map = find(item_, "map");
        if (map == nullptr || map->kind != Kind::Array) return;
        for (const Node& row : map->items) {
            auto& entries = constraint_.map.emplace_back();
            for (const Node& entry : row.items) {
                if (auto read = formula(&entry)) entries.push_back(std::move(*read));
            }
        }
    }

    void read_law(const Node& law)
    {
        const Node* kind_node = find(law, "kind");
        const std::string kind = kind_node != nullptr ? word_of(law, "kind") : "firm";
        if (kind == "firm") {
            not_with(law, {"low", "high", "limit", "friction", "preload", "normal"}, "a firm constraint",
                     "write kind = \"limited\" or kind = \"friction\"");
        } else if (kind == "limited") {
            not_with(law, {"friction", "preload", "normal"}, "a limited reaction",
                     "write kind = \"friction\"");
            read_limits(law);
        } else if (kind == "friction" || kind == "coulomb") {
            not_with(law, {"low", "high", "limit"}, "friction", "write kind = \"limited\"");
            read_friction(law, kind == "coulomb");
        } else {
            good_ = false;  // told already
        }
    }

    void not_with(const Node& law, std::initializer_list<const char*> keys, const char* what,
                  const char* hint)
    {
        for (const char* key : keys) {
            if (const Node* node = find(law, key)) {
                refuse(node->key_place, ErrorCode::NotAllowedHere,
                       fmt::format("{} has no meaning for {}", key, what), hint);
            }
        }
    }

    /// high [0, 1] + (-low) [-1, 0], or the cones without a bound.
    void read_limits(const Node& law)
    {
        const Node* limit = find(law, "limit");
        const Node* low = find(law, "low");
        const Node* high = find(law, "high");
        if (limit != nullptr) {
            not_with(law, {"low", "high"}, "a reaction with limit", "give limit, or low and high");
            if (auto largest = size(limit)) add_limit(unit_set(), std::move(*largest));
            return;
        }
        if (low == nullptr && high == nullptr) {
            refuse(law.place, ErrorCode::MissingKey, "the law has no limit of the reaction",
                   "add low, high or limit; without a limit write kind = \"firm\"");
            return;
        }
        if (constraint_.velocity.size() != 1) {
            refuse((low != nullptr ? low : high)->key_place, ErrorCode::WrongSize,
                   fmt::format("low and high are for one velocity, here are {}", constraint_.velocity.size()),
                   "give limit, or [[constraint.set]]");
            return;
        }
        const auto bound = [&](const Node* node, double end) {
            if (node == nullptr) {
                add_limit(end < 0 ? interval(-infinity, 0) : interval(0, infinity), Formula::constant(1));
            } else if (auto read = formula(node)) {
                add_limit(interval(std::min(end, 0.0), std::max(end, 0.0)),
                          end < 0 ? negative(*node) : *read);
            }
        };
        bound(low, -1);
        bound(high, 1);
    }

    Formula negative(const Node& node)
    {
        if (node.kind == Kind::Number) return Formula::constant(-node.number);
        auto negated = parse_formula(fmt::format("-({})", node.text), names_.vocabulary);
        if (negated) return *negated;
        good_ = false;
        mistakes_.add(node.place, negated.error());
        return {};
    }

    void read_friction(const Node& law, bool real_world)
    {
        const Node* friction = find(law, "friction");
        if (friction == nullptr) {
            refuse(law.place, ErrorCode::MissingKey, "the law has no friction",
                   "add friction = ..., the coefficient mu");
            return;
        }
        const std::string normal = word_of(law, "normal");
        if (auto mu = size(friction)) {
            add_limit(unit_set(), std::move(*mu));
            constraint_.limits.back().pressed_by = normal.empty() ? constraint_.name : normal;
            constraint_.limits.back().real_world = real_world;
        }
        if (const Node* preload = find(law, "preload")) {
            if (auto without = size(preload)) add_limit(unit_set(), std::move(*without));
        }
    }

    void read_set(const Node& set)
    {
        const std::string kind = word_of(set, "kind");
        std::shared_ptr<const ConvexSet> read;
        if (kind == "ball") {
            const Node* radius = find(set, "radius");
            read = ball(radius != nullptr && radius->kind == Kind::Number ? radius->number : 1.0);
        } else if (kind == "box" || kind == "interval") {
            read = box(set);
        }
        if (!read) {
            good_ = false;
            return;
        }
        const auto scale = size(find(set, "size"));
        add_limit(std::move(read), scale.value_or(Formula::constant(1)));
        constraint_.limits.back().pressed_by = word_of(set, "normal");
    }

    std::shared_ptr<const ConvexSet> box(const Node& set)
    {
        const auto n = static_cast<Eigen::Index>(constraint_.velocity.size());
        Eigen::VectorXd low = Eigen::VectorXd::Constant(n, -infinity);
        Eigen::VectorXd high = Eigen::VectorXd::Constant(n, infinity);
        const auto fill = [&](const char* key, Eigen::VectorXd& side) {
            const Node* node = find(set, key);
            if (node == nullptr || node->kind != Kind::Array) return;
            if (static_cast<Eigen::Index>(node->items.size()) != n) {
                refuse(node->place, ErrorCode::WrongSize,
                       fmt::format("{} numbers for {} velocities", node->items.size(), n),
                       "give one number per velocity");
                return;
            }
            for (Eigen::Index i = 0; i < n; ++i) {
                side[i] = node->items[static_cast<std::size_t>(i)].number;
            }
        };
        fill("low", low);
        fill("high", high);
        return made<Box>(Box::make(std::move(low), std::move(high)), set.place);
    }

    template <class Set>
    std::shared_ptr<const ConvexSet> made(const Expected<Set>& set, const Place& place)
    {
        if (set) return std::make_shared<const Set>(*set);
        good_ = false;
        mistakes_.add(place, set.error());
        return nullptr;
    }

    std::shared_ptr<const ConvexSet> interval(double low, double high)
    {
        return made<Interval>(Interval::make(low, high), item_.place);
    }
    std::shared_ptr<const ConvexSet> ball(double radius)
    {
        const auto n = static_cast<Eigen::Index>(constraint_.velocity.size());
        return made<Ball>(Ball::make(Eigen::VectorXd::Zero(n), radius), item_.place);
    }

    /// [-1, 1], or the unit ball.
    std::shared_ptr<const ConvexSet> unit_set()
    {
        if (!constraint_.velocity.empty())
            return constraint_.velocity.size() == 1 ? interval(-1, 1) : ball(1);
        refuse(item_.place, ErrorCode::MissingKey, "reactions are limited, but there is no velocity",
               "give velocity = [...], the velocity that the limited reaction opposes");
        return nullptr;
    }

    void add_limit(std::shared_ptr<const ConvexSet> set, Formula size)
    {
        constraint_.limits.push_back({.set = std::move(set), .size = std::move(size)});
    }

    const Node& item_;
    const Names& names_;
    Mistakes& mistakes_;
    Constraint constraint_;
    bool good_ = true;
};

}  // namespace

std::optional<Constraint> constraint_of(const Node& item, std::string name, const Names& names,
                                        Mistakes& mistakes)
{
    return ConstraintReader(item, std::move(name), names, mistakes).read();
}

}  // namespace carom::detail
