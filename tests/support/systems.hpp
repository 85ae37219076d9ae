#pragma once

#include "support/constraint_text.hpp"
#include "support/contact_text.hpp"

#include "carom/system/lagrangian/model.hpp"
#include "expression/parse.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace carom::test {

/// A Lagrangian system as tests write it: formulas as text, contacts as (name, gap, restitution) and, with
/// friction, either sliding velocities or the particle that touches a surface.
struct Sketch {
    std::vector<std::string> coordinates;
    std::string kinetic;
    std::string potential = "0";
    std::vector<std::string> forces = {};
    std::vector<ContactText> contacts = {};
    std::vector<ConstraintText> constraints = {};
};

/// The system of a sketch; a formula that cannot be read fails the test.
inline LagrangianSystem system_of(const Sketch& sketch)
{
    Vocabulary names;
    LagrangianSystem system;
    for (const auto& name : sketch.coordinates) {
        REQUIRE(names.add_coordinate(name).has_value());
        system.coordinates.push_back({.name = name});
    }
    const auto formula = [&](const std::string& text) {
        const auto parsed = parse_formula(text, names);
        INFO(text);
        REQUIRE(parsed.has_value());
        return *parsed;
    };
    system.kinetic = formula(sketch.kinetic);
    system.potential = formula(sketch.potential);
    for (const auto& force : sketch.forces) {
        system.forces.push_back(formula(force));
    }
    Vocabulary point;
    for (const char* axis : {"x", "y", "z"}) {
        REQUIRE(point.add_coordinate(axis).has_value());
    }
    const auto over_point = [&](const std::string& text) {
        const auto parsed = parse_formula(text, point);
        INFO(text);
        REQUIRE(parsed.has_value());
        return *parsed;
    };
    for (const ContactText& contact : sketch.contacts) {
        system.contacts.push_back(contact_of(contact, formula, over_point));
    }
    for (const ConstraintText& constraint : sketch.constraints) {
        system.constraints.push_back(constraint_of(constraint, formula));
    }
    return system;
}

inline Model model_of(const Sketch& sketch)
{
    auto model = make_model(system_of(sketch));
    if (!model) {
        for (const Error& error : model.error()) {
            MESSAGE(to_text(error));
        }
    }
    REQUIRE(model.has_value());
    return *std::move(model);
}

inline Eigen::VectorXd vector(std::initializer_list<double> values)
{
    Eigen::VectorXd x(static_cast<Eigen::Index>(values.size()));
    std::copy(values.begin(), values.end(), x.begin());
    return x;
}

}  // namespace carom::test
