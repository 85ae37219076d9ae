#pragma once

#include "carom/orbit/branch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

/// Scenes and closed forms that the tests of this folder share.
namespace carom::test {

inline constexpr double turn = 2 * std::numbers::pi;

inline Scene read(const std::string& text, const std::vector<Override>& overrides = {})
{
    auto scene = read_scene_text(text, "test", overrides);
    REQUIRE_MESSAGE(scene, (scene ? "" : scene.error().front().message));
    return std::move(*scene);
}

inline std::string digits(double x)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.17g", x);
    return text.data();
}

/// Text with other numbers: {"w = 2.2", "w = 2.8"}.
inline std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& others)
{
    for (const auto& [from, to] : others) {
        const auto at = text.find(from);
        REQUIRE_MESSAGE(at != std::string::npos, from);
        text.replace(at, from.size(), to);
    }
    return text;
}

inline BranchOptions over(const std::string& name, double low, double high)
{
    BranchOptions options;
    options.orbit.period = "2*pi/w";
    options.over = name;
    options.low = low;
    options.high = high;
    return options;
}

inline const SpecialPoint& first_of(const Branch& branch, const std::string& kind)
{
    const auto found = std::ranges::find(branch.special, kind, &SpecialPoint::kind);
    REQUIRE_MESSAGE(found != branch.special.end(), kind << " is missing; the branch ends: " << branch.end);
    return *found;
}

inline const std::string oscillator = R"toml(
title = "oscillator"
duration_s = 10
[parameters]
w = 2.2
F = 1.0
c = 0.05
sigma = 0.5
e = 0.8
[[coordinate]]
name = "x"
start = -0.2
start_velocity = 0.3
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
forces = { x = "F*cos(w*t) - c*x'" }
[[contact]]
name = "stop"
gap = "sigma - x"
law = { restitution = "e" }
[[draw]]
kind = "point"
at = ["x", 0]
contact = "stop"
normal = [-1, 0]
)toml";

/// A ball on a table that goes up and down; its start lies on the table's way, so that other amplitudes
/// would begin inside it.
inline const std::string table = R"toml(
title = "table"
duration_s = 10
start_s = 0.65
[parameters]
A = 1.287
w = 1
e = 0.5
g = 1
[[coordinate]]
name = "z"
start = 0.80
start_velocity = 3.1
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "plate"
gap = "z - A*sin(w*t)"
law = { restitution = "e" }
)toml";

/// A mass on a rough floor, pulled by a spring and by F cos(w t).
inline const std::string rough_floor = R"toml(
title = "rough"
duration_s = 10
[parameters]
w = 0.6
mu = 0.3
F = 1.0
[[coordinate]]
name = "x"
start = 0.5
[[coordinate]]
name = "h"
start = 0
[lagrangian]
kinetic = "(x'^2 + h'^2)/2"
potential = "x^2/2 + h"
forces = { x = "F*cos(w*t)" }
[[contact]]
name = "floor"
gap = "h"
sliding = ["x'"]
law = { kind = "coulomb", friction = "mu" }
)toml";

/// The motion of x'' + c x' + x = F cos(w t), x <= sigma, that strikes once a period with the speed v: what
/// the free flight of a period makes of the state behind the impact is linear, so that the force and the
/// phase of the impact follow from v.
struct OneImpact {
    double force = 0, phase = 0;

    OneImpact(double w, double c, double sigma, double e, double v)
    {
        const double T = turn / w, d = std::sqrt(1 - c * c / 4), decay = std::exp(-c * T / 2);
        const double C = std::cos(d * T), S = std::sin(d * T) / d;
        // homogeneous part: (h, h') -> E (h, h')
        const double E11 = decay * (C + c / 2 * S), E12 = decay * S, E21 = -decay * S,
                     E22 = decay * (C - c / 2 * S);
        // h(T) = h(0), h'(T) - h'(0) = (1 + e) v, h'(0) = -e v - p': unknown h and p'
        const double jump = (1 + e) * v;
        // (E11 - 1) h + E12 h' = 0,  E21 h + (E22 - 1) h' = jump
        const double det = (E11 - 1) * (E22 - 1) - E12 * E21;
        const double h = -E12 * jump / det, h_rate = (E11 - 1) * jump / det;
        const double p = sigma - h, p_rate = -e * v - h_rate;
        const double B = std::hypot(p, p_rate / w);
        force = B * std::hypot(1 - w * w, c * w);
        // p = B cos(w t - lag)
        const double lag = std::atan2(c * w, 1 - w * w);
        phase = std::remainder(std::atan2(-p_rate / w, p) + lag, turn);
    }
};

/// The speed of the only impact of an orbit.
inline double impact_speed(const Orbit& orbit)
{
    double speed = 0;
    int impacts = 0;
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.kind != EventKind::Impact || !(one.event.time_s > orbit.start.t_s)) continue;
        speed = -one.event.velocity_before_m_s;
        ++impacts;
    }
    CHECK(impacts == 1);
    return speed;
}

}  // namespace carom::test
