// Derivatives of random small scenes against differences of their runs.
//
//     random_derivatives [--scenes N] [--seed S] [--family NAME] [--show]
//
// A scene is made from its seed: one of the families below with random numbers, all of them parameters.
// Derivatives of states, probes, instants and percussions that are told without a warning are compared with
// differences of runs with other numbers, in two steps and to both sides. A scene is wrong if these
// differences agree with each other and not with what is told, or if both sides differ. Exit status 1 if a
// scene is wrong. `--show` prints the scenes that are.

#include <carom/carom.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <string>

namespace {

using namespace carom;

/// A scene that is written number by number.
class Draft {
public:
    explicit Draft(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] double between(double low, double high)
    {
        return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
    }
    [[nodiscard]] bool chance(double p) { return between(0, 1) < p; }
    [[nodiscard]] int upto(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    [[nodiscard]] std::string one_of(const std::vector<std::string>& words)
    {
        return words[static_cast<std::size_t>(upto(static_cast<int>(words.size())))];
    }

    /// A parameter; its name.
    std::string number(const std::string& name, double value)
    {
        parameters += fmt::format("{} = {:.17g}\n", name, value);
        names.push_back("parameters." + name);
        values[names.back()] = value;
        return name;
    }
    std::string number(const std::string& name, double low, double high)
    {
        return number(name, between(low, high));
    }
    /// A restitution: inelastic, elastic and between.
    std::string restitution(const std::string& name)
    {
        const double draw = between(0, 1);
        if (draw < 0.15) return "0";
        if (draw < 0.25) return "1";
        return number(name, 0.2, 0.95);
    }
    void coordinate(const std::string& name, double start, double velocity, bool by_start = true)
    {
        body += fmt::format("[[coordinate]]\nname = \"{}\"\nstart = {:.17g}\nstart_velocity = {:.17g}\n",
                            name, start, velocity);
        if (!by_start) return;
        names.push_back("coordinate." + name + ".start");
        values[names.back()] = start;
        names.push_back("coordinate." + name + ".start_velocity");
        values[names.back()] = velocity;
    }
    [[nodiscard]] std::string text() const
    {
        return head + "[parameters]\n" + parameters + body + "[integrator]\nkind = \"series\"\n";
    }

    std::string head, parameters, body;
    std::vector<std::string> names;
    std::map<std::string, double> values;
    double duration_s = 3;

private:
    std::mt19937_64 random_;
};

/// Friction with its coefficients, for a contact in the plane or in space.
std::string friction(Draft& draft, bool smooth_too = true)
{
    const std::string e = draft.restitution("e");
    if (smooth_too && draft.chance(0.15)) return fmt::format("law = {{ restitution = \"{}\" }}\n", e);
    const double mu = draft.between(0.05, 0.7);
    draft.number("mu", mu);
    std::string law = fmt::format("law = {{ kind = \"coulomb\", friction = \"mu\", restitution = \"{}\"", e);
    if (draft.chance(0.3))
        law += ", static_friction = \"" + draft.number("mu_s", mu * draft.between(1.05, 1.5)) + "\"";
    if (draft.chance(0.2)) law += ", tangential_restitution = \"" + draft.number("e_t", 0, 0.6) + "\"";
    return law + " }\n";
}

/// Masses in a row with springs, drives and stops; laws and maps.
void masses(Draft& draft)
{
    const int n = 1 + draft.upto(3);
    std::string kinetic, potential, forces;
    double at = 0;
    std::vector<double> places;
    for (int i = 1; i <= n; ++i) {
        const std::string x = fmt::format("x{}", i);
        at += i == 1 ? draft.between(-0.3, 0.3) : draft.between(0.3, 0.8);
        places.push_back(at);
        draft.coordinate(x, at, draft.between(-1.5, 1.5));
        kinetic +=
            fmt::format("{}{}/2*{}'^2", i > 1 ? " + " : "", draft.number(fmt::format("m{}", i), 0.5, 2), x);
        potential +=
            fmt::format("{}{}/2*({} - {:.6f})^2", i > 1 ? " + " : "",
                        draft.number(fmt::format("k{}", i), 0.5, 6), x, draft.between(-0.2, 0.2) + at);
        if (draft.chance(0.3))
            potential += fmt::format(" + {}/4*({})^4", draft.number(fmt::format("b{}", i), 0.1, 2), x);
        if (i > 1 && draft.chance(0.5))
            potential += fmt::format(" + {}/2*(x{} - x{} - 0.5)^2",
                                     draft.number(fmt::format("s{}", i), 0.5, 5), i, i - 1);
        std::string force = fmt::format("-{}*{}'", draft.number(fmt::format("c{}", i), 0, 0.4), x);
        if (draft.chance(0.6))
            force += fmt::format(" + {}*cos({}*t + {})", draft.number(fmt::format("F{}", i), 0.2, 2),
                                 draft.number(fmt::format("w{}", i), 0.5, 4),
                                 draft.number(fmt::format("ph{}", i), 0, 6));
        if (draft.chance(0.15))
            force += fmt::format(" - {}*{}'*abs({}')", draft.number(fmt::format("d{}", i), 0.05, 0.5), x, x);
        if (draft.chance(0.15))
            force += fmt::format(" - {}*max({} - {}, 0)", draft.number(fmt::format("h{}", i), 1, 10), x,
                                 draft.number(fmt::format("g{}", i), -0.2, 0.4));
        if (draft.chance(0.1))
            force += fmt::format(" + if(t > {}, 0.5, 0)", draft.number(fmt::format("on{}", i), 0.3, 2));
        forces += fmt::format("{}{} = \"{}\"", i > 1 ? ", " : "", x, force);
    }
    draft.body += fmt::format("[lagrangian]\nkinetic = \"{}\"\npotential = \"{}\"\nforces = {{ {} }}\n",
                              kinetic, potential, forces);
    const auto contact = [&](const std::string& name, const std::string& gap) {
        draft.body +=
            fmt::format("[[contact]]\nname = \"{}\"\ngap = \"{}\"\nlaw = {{ restitution = \"{}\" }}\n", name,
                        gap, draft.restitution("e_" + name));
    };
    for (int i = 1; i < n; ++i) {
        contact(fmt::format("between{}", i),
                fmt::format("x{} - x{} - {}", i + 1, i, draft.number(fmt::format("r{}", i), 0, 0.25)));
    }
    if (n == 1 || draft.chance(0.7)) {
        std::string stop = draft.number("wall", places.back() + draft.between(0.05, 0.6));
        if (draft.chance(0.4))
            stop += " + " + draft.number("A", 0.01, 0.04) + "*sin(" + draft.number("wo", 1, 8) + "*t)";
        contact("right", fmt::format("{} - x{}", stop, n));
    }
    if (draft.chance(0.5))
        contact("left", "x1 + " + draft.number("low", 0.05 - places.front(), 0.6 - places.front()));
    if (draft.chance(0.35)) {
        const std::string map = draft.one_of({"canonical", "sequential", "poisson", "energetic", "lzb"});
        draft.body += fmt::format("[impact]\nkind = \"{}\"\n", map);
        if (map == "canonical" || map == "sequential")
            draft.body +=
                fmt::format("restitution = {:.6f}\n", draft.chance(0.3) ? 1.0 : draft.between(0.2, 0.9));
    }
    draft.duration_s = draft.between(1, 6);
}

/// A particle above or on a line, with friction.
void particle(Draft& draft)
{
    const std::string surface =
        draft.one_of({"y", "y - a*x^2", "y - a*sin(b*x)", "y - A*sin(w*t)", "y + s*x"});
    if (surface.find("a*") != std::string::npos) draft.number("a", 0.1, 0.6);
    if (surface.find("b*") != std::string::npos) draft.number("b", 0.5, 3);
    if (surface.find("A*") != std::string::npos) draft.number("A", 0.01, 0.1);
    if (surface.find("s*") != std::string::npos) draft.number("s", -0.5, 0.5);
    draft.number("w", 1, 8);
    const bool rests = surface == "y" && draft.chance(0.5);
    draft.coordinate("x", draft.between(-0.5, 0.5), rests && draft.chance(0.3) ? 0 : draft.between(-2, 2),
                     !rests);
    draft.coordinate("y", rests ? 0 : draft.between(0.6, 1.2), rests ? 0 : draft.between(-1, 1), !rests);
    draft.number("m", 0.5, 2);
    draft.number("g", 3, 10);
    draft.number("k", 0, 5);
    draft.number("F", 0, 8);
    draft.number("c", 0, 0.3);
    draft.body += "[lagrangian]\nkinetic = \"m/2*(x'^2 + y'^2)\"\npotential = \"m*g*y + k/2*x^2\"\n";
    draft.body += draft.chance(0.8) ? "forces = { x = \"F*sin(w*t) - c*x'\" }\n"
                                    : "forces = { x = \"F*sin(w*t) - c*x'\", y = \"F/4*cos(w*t) - c*y'\" }\n";
    draft.body += "[[contact]]\nname = \"floor\"\nposition = [\"x\", \"y\"]\nsurface = \"" + surface + "\"\n";
    if (draft.chance(0.3))
        draft.body += "obstacle_velocity = [\"" + draft.number("belt", -0.5, 0.5) + "\", \"0\"]\n";
    draft.body += friction(draft);
    draft.duration_s = draft.between(0.8, 4);
}

/// A disc that falls, bounces, slides and rolls.
void disc(Draft& draft)
{
    draft.number("m", 0.5, 2);
    draft.number("R", 0.1, 0.3);
    draft.number("J", 0.005, 0.03);
    draft.number("g", 5, 10);
    draft.number("F", 0, 4);
    draft.number("w", 1, 6);
    draft.coordinate("x", 0, draft.between(-2, 2));
    draft.coordinate("y", draft.between(0.4, 1), draft.between(-1, 1));
    draft.coordinate("th", 0, draft.between(-6, 6));
    draft.body += "[lagrangian]\nkinetic = \"m/2*(x'^2 + y'^2) + J/2*th'^2\"\npotential = \"m*g*y\"\nforces "
                  "= { x = \"F*cos(w*t)\" }\n";
    draft.body +=
        "[[contact]]\nname = \"floor\"\ngap = \"y - R\"\nsliding = [\"x' + R*th'\"]\n" + friction(draft);
    if (draft.chance(0.5)) {
        draft.body += "[[contact]]\nname = \"wall\"\ngap = \"" + draft.number("wall", 0.5, 1.5) +
                      " - x - R\"\nsliding = [\"y' + R*th'\"]\nlaw = { kind = \"coulomb\", friction = \"" +
                      draft.number("mu_w", 0.05, 0.4) + "\", restitution = \"" + draft.restitution("e_w") +
                      "\" }\n";
    }
    draft.duration_s = draft.between(0.8, 3);
}

/// A double pendulum beside an obstacle: A depends on q.
void pendulums(Draft& draft)
{
    for (const char* name : {"l1", "l2", "m1", "m2"}) {
        draft.number(name, 0.5, 1.2);
    }
    draft.number("k1", 0.5, 3);
    draft.number("k2", 0.5, 3);
    draft.number("lam", 0, 1);
    draft.coordinate("a", draft.between(0.2, 0.6), draft.between(-1.5, 0.5));
    draft.coordinate("b", draft.between(0.2, 0.6), draft.between(-1, 1));
    draft.body +=
        "[lagrangian]\nmass = [[\"(m1/3 + m2)*l1^2\"], [\"m2/2*l1*l2*cos(a - b)\", \"m2*l2^2/3\"]]\n"
        "potential = \"k1/2*a^2 + k2/2*(b - a)^2\"\nforces = { a = \"lam*l1*sin(a - b)\" }\n";
    const std::string first = draft.restitution("e1"), second = draft.restitution("e2");
    draft.body +=
        "[[contact]]\nname = \"first\"\ngap = \"l1*sin(a)\"\nlaw = { restitution = \"" + first + "\" }\n";
    draft.body +=
        "[[contact]]\nname = \"second\"\ngap = \"l1*sin(a) + l2*sin(b)\"\nlaw = { restitution = \"" + second +
        "\" }\n";
    if (draft.chance(0.3))
        draft.body += "[impact]\nkind = \"" + draft.one_of({"poisson", "energetic", "lzb"}) + "\"\n";
    draft.duration_s = draft.between(1, 5);
}

/// A rod that falls on both ends.
void rod(Draft& draft)
{
    draft.number("l", 0.3, 0.6);
    draft.number("J", 0.02, 0.1);
    draft.number("g", 5, 10);
    draft.coordinate("x", 0, draft.between(-1, 1));
    draft.coordinate("y", draft.between(0.5, 0.9), draft.between(-1, 0.5));
    draft.coordinate("th", draft.between(-0.6, 0.6), draft.between(-2, 2));
    draft.body += "[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2 + J/2*th'^2\"\npotential = \"g*y\"\n";
    const std::string law = friction(draft);
    for (const char* sign : {"+", "-"}) {
        draft.body += fmt::format("[[contact]]\nname = \"{}\"\nposition = [\"x {} l*cos(th)\", \"y {} "
                                  "l*sin(th)\"]\nsurface = \"y\"\n{}",
                                  *sign == '+' ? "right" : "left", sign, sign, law);
    }
    draft.duration_s = draft.between(0.5, 1.5);
}

/// A mass on a belt: stick and slip.
void belt(Draft& draft)
{
    draft.number("m", 0.5, 2);
    draft.number("k", 2, 12);
    draft.number("c", 0, 0.5);
    draft.number("N", 3, 12);
    const double mu = draft.between(0.1, 0.4);
    draft.number("mu_d", mu);
    draft.number("mu_s", mu * draft.between(1, 1.8));
    draft.number("vb", 0.1, 0.6);
    draft.number("w", 0.7, 4);
    draft.number("F", draft.chance(0.5) ? 0 : draft.between(0.5, 4));
    draft.number("x0", -0.5, 0.5);
    draft.number("v0", -0.6, 0.6);
    draft.body += "[[coordinate]]\nname = \"x\"\nstart = \"x0\"\nstart_velocity = "
                  "\"v0\"\n[[coordinate]]\nname = \"y\"\nstart = 0\n"
                  "[lagrangian]\nkinetic = \"m/2*(x'^2 + y'^2)\"\npotential = \"k/2*x^2 + N*y\"\nforces = { "
                  "x = \"F*cos(w*t) - c*x'\" }\n"
                  "[[contact]]\nname = \"belt\"\nposition = [\"x\", \"y\"]\nsurface = \"y\"\n";
    const std::string speed = draft.chance(0.3) ? "vb*(1 + 0.2*sin(w*t))" : "vb";
    const std::string less = draft.chance(0.3) ? "mu_d*(1 + 0.1*sin(t))" : "mu_d";
    draft.body += fmt::format(
        "obstacle_velocity = [\"{}\", \"0\"]\nlaw = {{ kind = \"coulomb\", friction = \"{}\"{} }}\n", speed,
        less, less == "mu_d" ? ", static_friction = \"mu_s\"" : "");
    draft.duration_s = draft.between(2, 8);
}

/// A particle over or on a surface in space.
void space(Draft& draft)
{
    const std::string surface = draft.one_of({"z", "z - a*x^2 - b*y^2", "z - A*sin(w*t)", "z - a*x"});
    if (surface.find("a*") != std::string::npos) draft.number("a", 0.1, 0.5);
    if (surface.find("b*") != std::string::npos) draft.number("b", 0.1, 0.5);
    if (surface.find("A*") != std::string::npos) draft.number("A", 0.01, 0.05);
    draft.number("w", 1, 6);
    const bool rests = surface == "z" && draft.chance(0.6);
    draft.coordinate("x", draft.between(-0.5, 0.5), rests && draft.chance(0.5) ? 0 : draft.between(-2, 2),
                     !rests);
    draft.coordinate("y", draft.between(-0.5, 0.5), rests && draft.chance(0.5) ? 0 : draft.between(-2, 2),
                     !rests);
    draft.coordinate("z", rests ? 0 : draft.between(0.6, 1.2), rests ? 0 : draft.between(-1, 1), !rests);
    draft.number("m", 0.5, 2);
    draft.number("g", 5, 10);
    draft.number("k", 0, 5);
    draft.number("F", 0, 8);
    draft.number("G", 0, 8);
    draft.body +=
        "[lagrangian]\nkinetic = \"m/2*(x'^2 + y'^2 + z'^2)\"\npotential = \"m*g*z + k/2*(x^2 + y^2)\"\n"
        "forces = { x = \"F*sin(w*t)\", y = \"G*sin(0.7*w*t + 0.3)\" }\n"
        "[[contact]]\nname = \"floor\"\nposition = [\"x\", \"y\", \"z\"]\nsurface = \"" +
        surface + "\"\n";
    if (draft.chance(0.3))
        draft.body += "obstacle_velocity = [\"" + draft.number("belt", -0.5, 0.5) + "\", \"0.1\", \"0\"]\n";
    draft.body += friction(draft);
    draft.duration_s = draft.between(0.8, 3);
}

/// A ball on a table with small restitution: impacts accumulate, contact is made and lost.
void chatter(Draft& draft)
{
    draft.number("e", 0.2, 0.7);
    draft.number("g", 3, 10);
    draft.number("A", 0.05, 0.3);
    draft.number("w", 2, 8);
    draft.number("c", 0, 0.4);
    draft.number("r", 0.5, 2);
    draft.parameters += "ratio = \"c/r\"\n";
    draft.coordinate("z", draft.between(0.4, 0.8), draft.between(-1, 1));
    draft.body += "[lagrangian]\nkinetic = \"z'^2/2\"\npotential = \"g*z\"\nforces = { z = \"-ratio*z'\" }\n"
                  "[[contact]]\nname = \"plate\"\ngap = \"z - A*sin(w*t)\"\nlaw = { restitution = \"e\" }\n";
    draft.duration_s = draft.between(1, 5);
}

/// A mass on a string that goes slack and taut.
void string_pendulum(Draft& draft)
{
    draft.number("l", 0.8, 1.2);
    draft.number("g", 5, 10);
    draft.coordinate("x", draft.between(-0.5, 0.5), draft.between(-3, 3));
    draft.coordinate("y", draft.between(-0.5, 0.4), draft.between(-1, 2));
    draft.body += "[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"g*y\"\n"
                  "[[string]]\nname = \"rope\"\nlength_m = \"l + " +
                  draft.number("A", 0, 0.05) + "*sin(" + draft.number("w", 1, 5) +
                  "*t)\"\npoints = [[0, 0], [\"x\", \"y\"]]\nrestitution = \"" + draft.restitution("e") +
                  "\"\n";
    draft.duration_s = draft.between(1, 3);
}

const std::vector<std::pair<std::string, void (*)(Draft&)>> families{
    {"masses", masses},       {"particle", particle}, {"disc", disc},
    {"pendulums", pendulums}, {"rod", rod},           {"belt", belt},
    {"space", space},         {"chatter", chatter},   {"string", string_pendulum},
};

/// Everything that has a derivative, in one row, and what happened.
struct Motion {
    bool good = false;
    std::vector<double> value;
    std::vector<std::vector<double>> slope;  ///< per column
    std::vector<double> rounded;             ///< of slopes, as a part of the largest: that of slow impacts
    std::vector<std::pair<EventKind, int>> events;
    std::optional<NotDifferentiable> lost;
    bool one_sided = false;
    std::vector<std::string> what;
};

Motion motion_of(const Scene& scene, const std::vector<std::string>& by, const std::vector<double>& at_s)
{
    Motion result;
    const auto found = sensitivities(scene, {.by = by, .at_s = at_s});
    if (!found || !found->reached_end) return result;
    result.good = true;
    result.lost = found->lost;
    result.one_sided = !found->one_sided.empty();
    result.slope.resize(by.size());
    const auto add = [&](const std::string& what, double value, const auto& slope, double rounded = 0) {
        result.what.push_back(what);
        result.value.push_back(value);
        result.rounded.push_back(rounded);
        for (std::size_t j = 0; j < by.size(); ++j) {
            result.slope[j].push_back(slope.size() > 0 ? slope(static_cast<Eigen::Index>(j)) : NAN);
        }
    };
    const auto row = [](const Eigen::MatrixXd& M, Eigen::Index i) {
        return M.size() > 0 ? Eigen::VectorXd(M.row(i).transpose()) : Eigen::VectorXd();
    };
    std::size_t shown = 0;
    for (const SensitiveState& state : found->states) {
        for (Eigen::Index i = 0; i < state.q.size(); ++i) {
            add(fmt::format("q{}({:.6g})", i, state.time_s), state.q[i], row(state.dq, i));
            add(fmt::format("u{}({:.6g})", i, state.time_s), state.u[i], row(state.du, i));
        }
    }
    for (const SensitiveEvent& one : found->events) {
        const Event& event = one.event;
        // instants that are shown stand between the same events
        while (shown < at_s.size() && at_s[shown] <= event.time_s) {
            result.events.emplace_back(EventKind::Impact, -1 - static_cast<int>(shown++));
        }
        result.events.emplace_back(event.kind, event.contact);
        const bool strikes = event.kind == EventKind::Impact;
        const double rounded = strikes ? 1e-13 / std::max(1e-12, -event.velocity_before_m_s) : 0;
        add(fmt::format("instant of {} {} at {:.6g}", name_of(event.kind), one.place, event.time_s),
            event.time_s, one.dtime_s, rounded);
        if (strikes)
            add(fmt::format("percussion of {} at {:.6g}", one.place, event.time_s), event.percussion_Ns,
                one.dpercussion_Ns, rounded);
    }
    if (found->ended_by_until) add("until", found->states.back().time_s, found->dend_s);
    return result;
}

struct Verdict {
    std::string word;  ///< right, wrong, unjudged, lost KIND, refused
    std::string why;
};

/// One column against differences. Empty: right; "?": cannot be judged.
std::string judged(const std::string& text, const Motion& base, const std::string& name, double value,
                   std::size_t column, const std::vector<double>& at_s)
{
    const auto moved = [&](double by) -> std::optional<Motion> {
        const std::vector<Override> others{{name, fmt::format("{:.17g}", value + by)}};
        auto scene = read_scene_text(text, "random", others);
        if (!scene) return std::nullopt;
        Motion motion = motion_of(*scene, {name}, at_s);
        if (!motion.good || motion.events != base.events || motion.value.size() != base.value.size())
            return std::nullopt;
        return motion;
    };
    // what looks wrong is looked at more closely: a status may change beside the point, not at it
    std::string suspect = "?";
    double apart = INFINITY;
    std::size_t where = 0;
    for (double h = 1e-4 * std::max(std::abs(value), 0.1); h > 1e-8; h /= 30) {
        const auto a = moved(h), b = moved(-h), c = moved(h / 2), d = moved(-h / 2);
        if (!a || !b || !c || !d) continue;
        double largest = 1e-3;
        for (const double slope : base.slope[column]) {
            if (std::isfinite(slope)) largest = std::max(largest, std::abs(slope));
        }
        double size = 0;
        for (const double one : base.value) {
            size = std::max(size, std::abs(one));
        }
        bool unsure = false;
        std::string wrong;
        for (std::size_t i = 0; i < base.value.size(); ++i) {
            const double told = base.slope[column][i];
            if (!std::isfinite(told)) continue;
            const double wide = (a->value[i] - b->value[i]) / (2 * h),
                         narrow = (c->value[i] - d->value[i]) / h;
            const double best = (4 * narrow - wide) / 3;
            const double kink_wide = (a->value[i] - 2 * base.value[i] + b->value[i]) / h,
                         kink = (c->value[i] - 2 * base.value[i] + d->value[i]) / (h / 2);
            const double rounding = 1e-13 * size / h * 100, error = 3 * std::abs(narrow - wide) + rounding;
            const double tolerance = (1e-6 + base.rounded[i]) * largest + error;
            if (i == where && !(error < apart / 10)) unsure = true;
            const auto suspects = [&](double by, const std::string& words) {
                wrong = words;
                apart = std::min(apart, std::abs(by));
                where = i;
            };
            if (std::abs(best - told) > tolerance) {
                if (std::abs(best - told) > 20 * error) {
                    suspects(best - told,
                             fmt::format(
                                 "{} by {}: {:.9g} told, {:.9g} by differences (h = {:.1e}, largest {:.3g})",
                                 base.what[i], name, told, best, h, largest));
                    break;
                }
                unsure = true;
            }
            if (std::abs(kink) > (1e-4 + base.rounded[i]) * largest + 20 * rounding &&
                std::abs(kink) > 0.8 * std::abs(kink_wide)) {
                suspects(kink, fmt::format("{} by {}: {:.9g} told, sides differ by {:.3g}", base.what[i],
                                           name, told, 2 * kink));
                break;
            }
        }
        if (!wrong.empty())
            suspect = wrong;
        else if (!unsure)
            return {};
    }
    return suspect;
}

Verdict verdict_of(const std::string& text, Draft& draft)
{
    const auto scene = read_scene_text(text, "random");
    if (!scene) return {"refused", scene.error().front().message};
    std::vector<std::string> by;
    for (int k = 0; k < 4; ++k) {
        const std::string name = draft.one_of(draft.names);
        if (std::ranges::find(by, name) == by.end()) by.push_back(name);
    }
    std::vector<double> at_s;
    for (const double part : {0.31, 0.62}) {
        at_s.push_back(part * draft.duration_s);
    }
    const Motion base = motion_of(*scene, by, at_s);
    if (!base.good) return {"failed", ""};
    if (base.one_sided) return {"one-sided", ""};
    int judged_columns = 0;
    for (std::size_t j = 0; j < by.size(); ++j) {
        const std::string answer = judged(text, base, by[j], draft.values[by[j]], j, at_s);
        if (answer == "?") continue;
        if (!answer.empty()) return {"wrong", answer};
        ++judged_columns;
    }
    if (base.lost) return {"lost " + base.lost->kind, base.lost->words};
    if (judged_columns == 0) return {"unjudged", ""};
    return {"right", ""};
}

}  // namespace

int main(int count, char** words)
{
    std::uint64_t seed = 1;
    int scenes = 200;
    bool show = false;
    std::string family;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--show") show = true;
        if (i + 1 >= count) continue;
        if (word == "--seed") seed = std::stoull(words[i + 1]);
        if (word == "--scenes") scenes = std::stoi(words[i + 1]);
        if (word == "--family") family = words[i + 1];
    }
    std::map<std::string, int> counts;
    for (int k = 0; k < scenes; ++k, ++seed) {
        Draft draft(seed);
        const auto& [name, make] =
            families[static_cast<std::size_t>(draft.upto(static_cast<int>(families.size())))];
        if (!family.empty() && name != family) continue;
        draft.number("unused", 1);
        draft.names.clear();
        make(draft);
        draft.head = fmt::format("title = \"random {}\"\nduration_s = {:.17g}\n", seed, draft.duration_s);
        if (draft.chance(0.1)) draft.head += fmt::format("until = \"t - {:.17g}\"\n", draft.duration_s * 0.8);
        const std::string text = draft.text();
        const Verdict verdict = verdict_of(text, draft);
        ++counts[verdict.word];
        if (verdict.word == "wrong" || verdict.word == "refused")
            std::cout << fmt::format("seed {} ({}): {}: {}\n", seed, name, verdict.word, verdict.why)
                      << std::flush;
        if (show && verdict.word != "right")
            std::cout << verdict.word << " " << verdict.why << "\n" << text << "\n";
    }
    for (const auto& [word, number] : counts) {
        std::cout << fmt::format("{:6} {}\n", number, word);
    }
    return counts["wrong"] > 0 || counts["refused"] > 0 ? 1 : 0;
}
