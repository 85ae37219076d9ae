#include "carom/stepping/body_coordinates.hpp"
#include "body_parts.hpp"
#include "core/palette.hpp"
#include "expression/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace carom {
namespace {

/// Of prescribed bodies: no energy, and still a metric.
constexpr double weightless_kg = 1e-30;

/// How the name of a coordinate of a body ends.
struct CoordinatePart {
    const char *suffix, *unit;
};

std::span<const CoordinatePart> coordinate_parts(bool flat)
{
    static constexpr CoordinatePart plane[] = {{"_x", "m"}, {"_y", "m"}, {"_angle", "rad"}};
    static constexpr CoordinatePart space[] = {{"_x", "m"}, {"_y", "m"}, {"_z", "m"}, {"_w", ""},
                                               {"_i", ""},  {"_j", ""},  {"_k", ""}};
    if (flat) return plane;
    return space;
}

bool has_coordinates(const BodyModel& bodies, int i)
{
    return bodies.setup().bodies[static_cast<std::size_t>(i)].motion != BodyMotion::Fixed;
}

/// Writes what recordings hold of bodies: coordinates, energies, and springs to draw.
class Writer {
public:
    explicit Writer(const BodyModel& bodies) : bodies_(bodies), start_(make_body_state(bodies))
    {
        int next = 0;
        for (int i = 0; i < bodies.bodies(); ++i) {
            first_.push_back(next);
            if (has_coordinates(bodies, i)) next += static_cast<int>(parts().size());
        }
    }

    Expected<LagrangianSystem, Errors> run()
    {
        system_.coordinates = coordinate_names(bodies_.setup());
        check_names();
        if (!errors_.empty()) return errors_;
        std::vector<Term> kinetic, potential;
        for (int i = 0; i < bodies_.bodies(); ++i) {
            if (!has_coordinates(bodies_, i)) continue;
            append(kinetic, kinetic_of(i));
            append(potential, potential_of(i));
        }
        for (const BodySpring& spring : bodies_.setup().springs) {
            add_spring(spring, potential);
        }
        system_.kinetic = Formula(std::move(kinetic), {});
        system_.potential = Formula(std::move(potential), {});
        if (!errors_.empty()) return errors_;
        return std::move(system_);
    }

private:
    [[nodiscard]] const Body& body(int i) const
    {
        return bodies_.setup().bodies[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] bool flat() const { return bodies_.is_flat(); }

    [[nodiscard]] std::span<const CoordinatePart> parts() const { return coordinate_parts(flat()); }

    /// Formulas must be able to use the names, and tell the bodies apart.
    void check_names()
    {
        std::unordered_set<std::string_view> seen;
        for (int i = 0; i < bodies_.bodies(); ++i) {
            if (!has_coordinates(bodies_, i)) continue;
            Vocabulary alone;
            auto added = alone.add_coordinate(body(i).name + parts().front().suffix);
            if (added && !seen.insert(body(i).name).second)
                added = alone.add_coordinate(body(i).name + parts().front().suffix);
            if (!added) errors_.push_back(added.error());
        }
    }

    /// How a body is called in the formula of itself, or of a spring and its two bodies: equal bodies then
    /// have equal formulas, which are read once.
    [[nodiscard]] static std::string name_in(const std::array<int, 2>& pair, int i)
    {
        return i == std::min(pair[0], pair[1]) ? "a" : "b";
    }

    /// A formula of a body or spring, with the coordinates numbered among all. One that cannot be read has a
    /// number in it that is too large for one.
    std::vector<Term> parsed(const std::string& text, const std::array<int, 2>& pair,
                             const std::string& where)
    {
        const auto [known, is_new] = formulas_.try_emplace(text);
        if (is_new) {
            if (auto formula = parse_formula(text, vocabulary_))
                known->second = *formula;
            else
                known->second = std::nullopt;
        }
        if (const std::optional<Formula>& formula = known->second) return numbered(*formula, pair);
        const bool told = !errors_.empty() && errors_.back().where == where;
        if (!told) {
            errors_.push_back({.code = ErrorCode::NotFinite,
                               .where = where,
                               .message = "an energy is beyond all numbers: mass times gravity, inertia, "
                                          "place or stiffness is too large",
                               .hint = "give smaller numbers, in kg, m and s",
                               .excerpt = {}});
        }
        return {};
    }

    [[nodiscard]] std::vector<Term> numbered(const Formula& formula, const std::array<int, 2>& pair) const
    {
        const auto count = static_cast<int>(parts().size());
        std::vector<Term> terms;
        for (const Term& term : formula.terms()) {
            std::vector<Variable> variables(term.variables().begin(), term.variables().end());
            for (Variable& variable : variables) {
                const int of =
                    variable.index < count ? std::min(pair[0], pair[1]) : std::max(pair[0], pair[1]);
                variable.index = first_[static_cast<std::size_t>(of)] + variable.index % count;
            }
            terms.emplace_back(term.tape(), std::move(variables));
        }
        return terms;
    }
    static void append(std::vector<Term>& terms, std::vector<Term> more)
    {
        std::ranges::move(more, std::back_inserter(terms));
    }

    /// m v^2 / 2 + W.J W / 2 with W = 2 (w v' - w' v - v x v') of the quaternion (w, v). Its length takes
    /// part as well, with no energy while it is one.
    std::vector<Term> kinetic_of(int i)
    {
        const bool moves = bodies_.inverse_mass[i] > 0;
        const double m = moves ? bodies_.mass[i] : weightless_kg;
        const Mat3 J = moves ? bodies_.inertia[i] : Mat3(Mat3::Identity() * weightless_kg);
        const std::string n = name_in({i, i}, i), where = "body." + body(i).name;
        if (flat()) {
            return parsed(fmt::format("{0}/2*({2}_x'^2 + {2}_y'^2) + {1}/2*{2}_angle'^2", m, J(2, 2), n),
                          {i, i}, where);
        }
        std::string text = fmt::format("{0}/2*({1}_x'^2 + {1}_y'^2 + {1}_z'^2)", m, n);
        const double mean = J.trace() / 3;
        if (bodies_.isotropic[i] || !moves) {
            text += fmt::format(" + {0}*({1}_w'^2 + {1}_i'^2 + {1}_j'^2 + {1}_k'^2)",
                                2 * std::max(mean, weightless_kg), n);
            return parsed(text, {i, i}, where);
        }
        const std::array<std::string, 3> W{
            fmt::format("({0}_w*{0}_i' - {0}_w'*{0}_i - {0}_j*{0}_k' + {0}_k*{0}_j')", n),
            fmt::format("({0}_w*{0}_j' - {0}_w'*{0}_j - {0}_k*{0}_i' + {0}_i*{0}_k')", n),
            fmt::format("({0}_w*{0}_k' - {0}_w'*{0}_k - {0}_i*{0}_j' + {0}_j*{0}_i')", n)};
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b <= a; ++b) {
                const double factor = (a == b ? 2 : 4) * J(a, b);
                if (factor != 0) text += fmt::format(" + {}*{}*{}", factor, W[a], W[b]);
            }
        }
        text += fmt::format(" + {0}*({1}_w*{1}_w' + {1}_i*{1}_i' + {1}_j*{1}_j' + {1}_k*{1}_k')^2", mean, n);
        return parsed(text, {i, i}, where);
    }

    std::vector<Term> potential_of(int i)
    {
        const Vec3& g = bodies_.setup().gravity_m_s2;
        const double m = bodies_.mass[i];
        if (m == 0) return {};
        const std::string n = name_in({i, i}, i);
        std::string text = fmt::format("{}*{}_x + {}*{}_y", -m * g.x(), n, -m * g.y(), n);
        if (!flat()) text += fmt::format(" + {}*{}_z", -m * g.z(), n);
        return parsed(text, {i, i}, "body." + body(i).name);
    }

    /// Where the point X of the body is: three formulas, or two in the plane. X is from the centre of mass.
    std::vector<std::string> place_of(const std::array<int, 2>& pair, int i, const Vec3& X) const
    {
        if (!has_coordinates(bodies_, i)) {
            const Vec3 x = start_.x[i] + start_.R[i] * X;
            std::vector<std::string> fixed{fmt::format("{}", x.x()), fmt::format("{}", x.y())};
            if (!flat()) fixed.push_back(fmt::format("{}", x.z()));
            return fixed;
        }
        const std::string n = name_in(pair, i);
        if (flat()) {
            return {fmt::format("{0}_x + {1}*cos({0}_angle) - {2}*sin({0}_angle)", n, X.x(), X.y()),
                    fmt::format("{0}_y + {1}*sin({0}_angle) + {2}*cos({0}_angle)", n, X.x(), X.y())};
        }
        if (X == Vec3::Zero()) return {n + "_x", n + "_y", n + "_z"};
        // x = c + X + 2 v x (v x X + w X): by components
        return {fmt::format("{0}_x + {1}*(1 - 2*({0}_j^2 + {0}_k^2)) + {2}*2*({0}_i*{0}_j - {0}_w*{0}_k) + "
                            "{3}*2*({0}_i*{0}_k + {0}_w*{0}_j)",
                            n, X.x(), X.y(), X.z()),
                fmt::format("{0}_y + {1}*2*({0}_i*{0}_j + {0}_w*{0}_k) + {2}*(1 - 2*({0}_i^2 + {0}_k^2)) + "
                            "{3}*2*({0}_j*{0}_k - {0}_w*{0}_i)",
                            n, X.x(), X.y(), X.z()),
                fmt::format("{0}_z + {1}*2*({0}_i*{0}_k - {0}_w*{0}_j) + {2}*2*({0}_j*{0}_k + {0}_w*{0}_i) + "
                            "{3}*(1 - 2*({0}_i^2 + {0}_j^2))",
                            n, X.x(), X.y(), X.z())};
    }

    void add_spring(const BodySpring& spring, std::vector<Term>& potential)
    {
        // the world counts as the same body
        const std::array<int, 2> pair{spring.first, spring.second < 0 ? spring.first : spring.second};
        const auto end = [&](int i, const Vec3& point) {
            if (i >= 0) return place_of(pair, i, point - bodies_.centre[i]);
            return std::vector<std::string>{fmt::format("{}", point.x()), fmt::format("{}", point.y()),
                                            fmt::format("{}", point.z())};
        };
        const auto from = end(spring.first, spring.first_point_m),
                   to = end(spring.second, spring.second_point_m);
        std::string square;
        Drawing drawing = start_drawing(DrawingKind::Segment, grey.name);
        for (int k = 0; k < drawing.dimension; ++k) {
            square += fmt::format("{}({} - ({}))^2", k == 0 ? "" : " + ", from[k], to[k]);
        }
        append(potential, parsed(fmt::format("{}/2*(sqrt({}) - {})^2", spring.stiffness_N_m, square,
                                             spring.rest_length_m),
                                 pair, "spring"));
        for (const auto& place : {from, to}) {
            for (int k = 0; k < drawing.dimension; ++k) {
                drawing.points.emplace_back(parsed(place[static_cast<std::size_t>(k)], pair, "spring"),
                                            std::string());
            }
        }
        system_.drawings.push_back(std::move(drawing));
    }

    [[nodiscard]] Drawing start_drawing(DrawingKind kind, std::string_view colour) const
    {
        Drawing drawing;
        drawing.kind = kind;
        drawing.dimension = flat() ? 2 : 3;
        drawing.colour = colour;
        return drawing;
    }

    /// The coordinates of the bodies of a formula.
    [[nodiscard]] Vocabulary of_two_bodies() const
    {
        Vocabulary vocabulary;
        for (const char* name : {"a", "b"}) {
            for (const CoordinatePart& part : parts()) {
                if (!vocabulary.add_coordinate(std::string(name) + part.suffix))
                    throw InternalError("a coordinate of two");
            }
        }
        return vocabulary;
    }

    const BodyModel& bodies_;
    BodyState start_;
    std::vector<int> first_;  ///< coordinate of each body
    Vocabulary vocabulary_ = of_two_bodies();
    std::unordered_map<std::string, std::optional<Formula>> formulas_;  ///< nothing: cannot be read
    LagrangianSystem system_;
    Errors errors_;
};

}  // namespace

std::vector<Coordinate> coordinate_names(const BodySetup& setup)
{
    const bool flat =
        setup.flat || std::any_of(setup.bodies.begin(), setup.bodies.end(),
                                  [](const Body& body) { return body.shape && is_flat(*body.shape); });
    std::vector<Coordinate> coordinates;
    for (const Body& body : setup.bodies) {
        if (body.motion == BodyMotion::Fixed) continue;
        for (const CoordinatePart& part : coordinate_parts(flat)) {
            coordinates.push_back({.name = body.name + part.suffix, .unit = part.unit});
        }
    }
    return coordinates;
}

std::array<std::size_t, 2> detail::terms_of_bodies(const BodyModel& bodies)
{
    const auto system = Writer(bodies).run();
    if (!system) throw InternalError("bodies without energies");
    return {system->kinetic.terms().size(), system->potential.terms().size()};
}

Expected<Model, Errors> coordinates_of(const BodyModel& bodies, std::vector<Probe> probes,
                                       std::vector<Drawing> drawings, LagrangianSystem beside)
{
    auto system = Writer(bodies).run();
    if (!system) return system.error();
    if (bodies.setup().with_formulas) {
        const auto sum = [](const Formula& of_bodies, const Formula& more) {
            std::vector<Term> terms(of_bodies.terms().begin(), of_bodies.terms().end());
            terms.insert(terms.end(), more.terms().begin(), more.terms().end());
            return Formula(std::move(terms), {});
        };
        system->coordinates = std::move(beside.coordinates);
        system->kinetic = sum(system->kinetic, beside.kinetic);
        system->potential = sum(system->potential, beside.potential);
        system->forces = std::move(beside.forces);
        system->contacts = std::move(beside.contacts);
        system->constraints = std::move(beside.constraints);
    }
    system->probes = std::move(probes);
    std::move(drawings.begin(), drawings.end(), std::back_inserter(system->drawings));
    return make_model(std::move(*system));
}

bool shift_coordinate(const BodyModel& bodies, int index, bool rate, double amount, BodyState& state)
{
    const int per_body = bodies.is_flat() ? 3 : 7, places = bodies.is_flat() ? 2 : 3;
    int before = index / per_body;
    const int part = index % per_body;
    for (int i = 0; i < bodies.bodies(); ++i) {
        if (!has_coordinates(bodies, i) || before-- > 0) continue;
        if (part < places) {
            (rate ? state.v[i] : state.x[i])[part] += amount;
            return true;
        }
        if (!bodies.is_flat()) return false;
        if (rate)
            state.W[i].z() += amount;
        else
            state.R[i] = turned(state.R[i], Vec3(0, 0, amount));
        return true;
    }
    // one beside the bodies
    const auto others = static_cast<int>(coordinate_names(bodies.setup()).size());
    auto& list = rate ? state.u : state.q;
    if (index < others || index - others >= static_cast<int>(list.size())) return false;
    list[static_cast<std::size_t>(index - others)] += amount;
    return true;
}

State coordinate_state(const BodyModel& bodies, const BodyState& state)
{
    Eigen::Index moving = 0;
    for (int i = 0; i < bodies.bodies(); ++i) {
        moving += has_coordinates(bodies, i) ? 1 : 0;
    }
    State result;
    result.t_s = state.t_s;
    result.q.resize(moving * (bodies.is_flat() ? 3 : 7) + static_cast<Eigen::Index>(state.q.size()));
    result.u.resize(result.q.size());
    double *q = result.q.data(), *u = result.u.data();
    const auto add = [&](double value, double rate) {
        *q++ = value;
        *u++ = rate;
    };
    for (int i = 0; i < bodies.bodies(); ++i) {
        if (!has_coordinates(bodies, i)) continue;
        const Vec3 &x = state.x[i], &v = state.v[i], &W = state.W[i];
        const Rotation& R = state.R[i];
        add(x.x(), v.x());
        add(x.y(), v.y());
        if (bodies.is_flat()) {
            const double angle = 2 * std::atan2(R.z(), R.w());
            const auto body = static_cast<std::size_t>(i);
            add(state.angles.empty() ? angle : with_turns(state.angles[body], angle), W.z());
            continue;
        }
        // q' = q (0, W) / 2
        const Rotation rate = R * Rotation(0, W.x() / 2, W.y() / 2, W.z() / 2);
        add(x.z(), v.z());
        add(R.w(), rate.w());
        add(R.x(), rate.x());
        add(R.y(), rate.y());
        add(R.z(), rate.z());
    }
    for (std::size_t i = 0; i < state.q.size(); ++i)
        add(state.q[i], state.u[i]);
    return result;
}

}  // namespace carom
