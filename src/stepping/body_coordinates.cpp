#include "stepping/body_coordinates.hpp"

#include "body_parts.hpp"
#include "carom/expression/record.hpp"
#include "carom/expression/vocabulary.hpp"
#include "core/palette.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
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
        kinetic.shrink_to_fit();
        potential.shrink_to_fit();
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

    /// Coordinates of a body in the formula of a spring and its two bodies: equal springs then have equal
    /// formulas, which are made once.
    [[nodiscard]] std::span<const Symbol> in_formula(const std::array<int, 2>& pair, int i) const
    {
        const std::size_t count = parts().size(), from = i == std::min(pair[0], pair[1]) ? 0 : count;
        return std::span(two_bodies_.q).subspan(from, count);
    }

    /// The formula that `make` gives for these numbers, with the coordinates numbered among all. None where a
    /// number is too large for one: up to four times it is in them.
    enum class Kind { Kinetic, Potential, Spring, Place };
    template <class Make>
    std::vector<Term> made(Kind kind, std::vector<double> numbers, const std::array<int, 2>& pair,
                           const std::string& where, const Make& make)
    {
        if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(4 * number); })) {
            const auto [known, is_new] = formulas_.try_emplace({kind, std::move(numbers)});
            if (is_new) {
                two_bodies_ = symbols(2 * static_cast<int>(parts().size()));
                known->second = formula_of(make());
            }
            return numbered(known->second, pair);
        }
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
        const bool isotropic = bodies_.isotropic[i] || !moves;
        std::vector<double> numbers(J.data(), J.data() + J.size());
        numbers.push_back(m);
        numbers.push_back(isotropic ? 1 : 0);
        return made(Kind::Kinetic, std::move(numbers), {i, i}, "body." + body(i).name,
                    [&] { return flat() ? flat_kinetic(m, J(2, 2)) : kinetic(m, J, isotropic); });
    }

    [[nodiscard]] Symbol flat_kinetic(double m, double J) const
    {
        const auto& u = two_bodies_.u;
        return m / 2 * (pow(u[0], 2) + pow(u[1], 2)) + J / 2 * pow(u[2], 2);
    }

    [[nodiscard]] Symbol kinetic(double m, const Mat3& J, bool isotropic) const
    {
        const auto &q = two_bodies_.q, &u = two_bodies_.u;
        const double mean = J.trace() / 3;
        Symbol T = m / 2 * (pow(u[0], 2) + pow(u[1], 2) + pow(u[2], 2));
        if (isotropic) {
            return T + 2 * std::max(mean, weightless_kg) *
                           (pow(u[3], 2) + pow(u[4], 2) + pow(u[5], 2) + pow(u[6], 2));
        }
        const std::array<Symbol, 3> W{q[3] * u[4] - u[3] * q[4] - q[5] * u[6] + q[6] * u[5],
                                      q[3] * u[5] - u[3] * q[5] - q[6] * u[4] + q[4] * u[6],
                                      q[3] * u[6] - u[3] * q[6] - q[4] * u[5] + q[5] * u[4]};
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b <= a; ++b) {
                const double factor = (a == b ? 2 : 4) * J(a, b);
                if (factor != 0) T += factor * W[a] * W[b];
            }
        }
        return T + mean * pow(q[3] * u[3] + q[4] * u[4] + q[5] * u[5] + q[6] * u[6], 2);
    }

    std::vector<Term> potential_of(int i)
    {
        const double m = bodies_.mass[i];
        if (m == 0) return {};
        const Vec3 weight = -m * bodies_.setup().gravity_m_s2;
        return made(Kind::Potential, {weight.x(), weight.y(), weight.z()}, {i, i}, "body." + body(i).name,
                    [&] {
                        const auto& q = two_bodies_.q;
                        const Symbol V = weight.x() * q[0] + weight.y() * q[1];
                        return flat() ? V : V + weight.z() * q[2];
                    });
    }

    /// An end of a spring: on a body, or a place of the world where `body` is -1.
    struct End {
        int body = -1;
        Vec3 point{0, 0, 0};  ///< from the centre of mass

        [[nodiscard]] std::array<double, 3> numbers() const { return {point.x(), point.y(), point.z()}; }
    };
    [[nodiscard]] End end_of(int i, const Vec3& point) const
    {
        if (i < 0) return {.point = point};
        const Vec3 X = point - bodies_.centre[i];
        if (has_coordinates(bodies_, i)) return {.body = i, .point = X};
        return {.point = start_.x[i] + start_.R[i] * X};
    }

    /// Where an end is: three formulas, or two in the plane.
    [[nodiscard]] std::vector<Symbol> place_of(const std::array<int, 2>& pair, const End& end) const
    {
        const Vec3& X = end.point;
        if (end.body < 0) return {X.x(), X.y(), X.z()};
        const auto q = in_formula(pair, end.body);
        if (flat()) {
            return {q[0] + X.x() * cos(q[2]) - X.y() * sin(q[2]),
                    q[1] + X.x() * sin(q[2]) + X.y() * cos(q[2])};
        }
        if (X == Vec3::Zero()) return {q[0], q[1], q[2]};
        // x = c + X + 2 v x (v x X + w X): by components
        const Symbol &w = q[3], &a = q[4], &b = q[5], &c = q[6];
        return {q[0] + X.x() * (1 - 2 * (pow(b, 2) + pow(c, 2))) + X.y() * 2 * (a * b - w * c) +
                    X.z() * 2 * (a * c + w * b),
                q[1] + X.x() * 2 * (a * b + w * c) + X.y() * (1 - 2 * (pow(a, 2) + pow(c, 2))) +
                    X.z() * 2 * (b * c - w * a),
                q[2] + X.x() * 2 * (a * c - w * b) + X.y() * 2 * (b * c + w * a) +
                    X.z() * (1 - 2 * (pow(a, 2) + pow(b, 2)))};
    }

    void add_spring(const BodySpring& spring, std::vector<Term>& potential)
    {
        // the world counts as the same body
        const std::array<int, 2> pair{spring.first, spring.second < 0 ? spring.first : spring.second};
        const std::array<End, 2> ends{end_of(spring.first, spring.first_point_m),
                                      end_of(spring.second, spring.second_point_m)};
        Drawing drawing = start_drawing(DrawingKind::Segment, grey.name);
        const auto dimension = static_cast<std::size_t>(drawing.dimension);
        std::vector<double> numbers{spring.stiffness_N_m, spring.rest_length_m};
        for (const End& end : ends)
            add_numbers(pair, end, numbers);
        append(potential, made(Kind::Spring, std::move(numbers), pair, "spring", [&] {
                   const auto from = place_of(pair, ends[0]), to = place_of(pair, ends[1]);
                   Symbol square = pow(from[0] - to[0], 2);
                   for (std::size_t k = 1; k < dimension; ++k)
                       square += pow(from[k] - to[k], 2);
                   return spring.stiffness_N_m / 2 * pow(sqrt(square) - spring.rest_length_m, 2);
               }));
        for (const End& end : ends) {
            for (std::size_t k = 0; k < dimension; ++k) {
                std::vector<double> of_place{static_cast<double>(k)};
                add_numbers(pair, end, of_place);
                drawing.points.emplace_back(made(Kind::Place, std::move(of_place), pair, "spring",
                                                 [&] { return place_of(pair, end)[k]; }),
                                            std::string());
            }
        }
        system_.drawings.push_back(std::move(drawing));
    }

    /// What tells an end from others: its numbers, and which of the two bodies it is on.
    static void add_numbers(const std::array<int, 2>& pair, const End& end, std::vector<double>& numbers)
    {
        for (const double number : end.numbers())
            numbers.push_back(number);
        numbers.push_back(end.body < 0 ? 0.0 : end.body == std::min(pair[0], pair[1]) ? 1.0 : 2.0);
    }

    [[nodiscard]] Drawing start_drawing(DrawingKind kind, std::string_view colour) const
    {
        Drawing drawing;
        drawing.kind = kind;
        drawing.dimension = flat() ? 2 : 3;
        drawing.colour = colour;
        return drawing;
    }

    const BodyModel& bodies_;
    BodyState start_;
    std::vector<int> first_;  ///< coordinate of each body
    Symbols two_bodies_;      ///< of the formula that is being made
    std::map<std::pair<Kind, std::vector<double>>, Formula> formulas_;
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
    coordinates.reserve(setup.bodies.size() * coordinate_parts(flat).size());
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
