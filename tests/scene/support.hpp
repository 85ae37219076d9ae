#pragma once

#include "carom/scene/scene.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace carom::test {

/// A scene without mistakes; tests change one thing in it.
inline const std::string pendulum = R"toml(title = "Pendulum against a wall"
duration_s = 5.0
[parameters]
l = 1.0
e = 0.8
[[coordinate]]
name = "theta"
start = 1.0
unit = "rad"
[lagrangian]
kinetic = "l^2/2*theta'^2"
potential = "-9.81*l*cos(theta)"
forces = { theta = "-0.1*theta'" }
[[contact]]
name = "wall"
gap = "l*sin(theta)"
law = { kind = "unilateral", restitution = "e" }
[integrator]
kind = "moreau"
time_step_s = 1e-3
[record]
every_s = 0.01
)toml";

/// The text with the first occurrence of one piece replaced by another; the piece must be there.
inline std::string with(std::string text, std::string_view piece, std::string_view other)
{
    const auto at = text.find(piece);
    REQUIRE(at != std::string::npos);
    return text.replace(at, piece.size(), other);
}

inline std::vector<Override> sets(const std::vector<std::string>& texts)
{
    std::vector<Override> overrides;
    for (const std::string& text : texts) {
        auto set = parse_override(text);
        REQUIRE(set.has_value());
        overrides.push_back(*set);
    }
    return overrides;
}

inline Errors errors_of(std::string_view text, const std::vector<std::string>& overrides = {})
{
    const auto scene = read_scene_text(text, "s.toml", sets(overrides));
    return scene ? Errors{} : scene.error();
}

inline std::string all_text(const Errors& errors)
{
    std::string text;
    for (const Error& error : errors)
        text += to_text(error);
    return text;
}

/// The only mistake of a text, which must have this code and place.
inline Error only_error(std::string_view text, ErrorCode code, std::string_view where,
                        const std::vector<std::string>& overrides = {})
{
    const Errors errors = errors_of(text, overrides);
    CAPTURE(all_text(errors));
    REQUIRE(errors.size() == 1);
    CHECK(name_of(errors[0].code) == name_of(code));
    CHECK(errors[0].where == where);
    CHECK_FALSE(errors[0].hint.empty());
    return errors[0];
}

inline Scene good(std::string_view text, const std::vector<std::string>& overrides = {})
{
    auto scene = read_scene_text(text, "s.toml", sets(overrides));
    if (!scene) FAIL(all_text(scene.error()));
    return std::move(*scene);
}

inline const MoreauSettings& moreau_of(const Scene& scene)
{
    return std::get<MoreauSettings>(scene.integrator);
}

inline bool contains(std::string_view text, std::string_view piece)
{
    return text.find(piece) != std::string_view::npos;
}

}  // namespace carom::test
