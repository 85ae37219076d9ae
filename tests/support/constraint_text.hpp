#pragma once

#include "carom/convex/sets.hpp"
#include "carom/system/lagrangian/lagrangian_system.hpp"

#include <memory>
#include <string>
#include <vector>

namespace carom::test {

/// A limit of reactions as text.
struct LimitText {
    std::shared_ptr<const ConvexSet> set;
    std::string size = "1";
    std::string pressed_by = "";
    bool real_world = false;
};

/// A constraint as texts.
struct ConstraintText {
    std::string name;
    std::vector<std::string> zero = {}, velocity = {};
    std::vector<LimitText> limits = {};
    std::string only_while = "";
    std::vector<std::vector<std::string>> map = {};
};

/// [low, high] as a set of reactions; the ends may be infinite.
inline std::shared_ptr<const ConvexSet> interval(double low, double high)
{
    return std::make_shared<const Interval>(*Interval::make(low, high));
}

/// The unit ball of R^n.
inline std::shared_ptr<const ConvexSet> unit_ball(int n)
{
    return std::make_shared<const Ball>(*Ball::make(Eigen::VectorXd::Zero(n), 1.0));
}

/// The constraint; `formula` reads a text.
template <class Read>
Constraint constraint_of(const ConstraintText& text, Read&& formula)
{
    Constraint constraint{.name = text.name};
    for (const std::string& one : text.zero) {
        constraint.zero.push_back(formula(one));
    }
    for (const std::string& one : text.velocity) {
        constraint.velocity.push_back(formula(one));
    }
    for (const LimitText& limit : text.limits) {
        constraint.limits.push_back({.set = limit.set,
                                     .size = formula(limit.size),
                                     .pressed_by = limit.pressed_by,
                                     .real_world = limit.real_world});
    }
    for (const auto& row : text.map) {
        auto& entries = constraint.map.emplace_back();
        for (const std::string& entry : row) {
            entries.push_back(formula(entry));
        }
    }
    constraint.only_while = text.only_while;
    return constraint;
}

}  // namespace carom::test
