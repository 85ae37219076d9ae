#include "system/bodies/body_coordinates.hpp"

#include "carom/expression/vocabulary.hpp"
#include "system/bodies/joint_rows.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace carom {
namespace {

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

/// Where the quaternion begins among the coordinates of a body in space, and how long it is.
constexpr int quaternion = 3, quaternion_parts = 4;

/// E(p) p' = w v' - w' v - v x v' for p = (w, v): half the angular velocity in the axes of the body.
Vec3 half_spin(const Rotation& p, const Rotation& rate)
{
    return p.w() * rate.vec() - rate.w() * p.vec() - p.vec().cross(rate.vec());
}

/// E(p)^T y, by parts w, i, j, k.
std::array<double, quaternion_parts> half_spin_transposed(const Rotation& p, const Vec3& y)
{
    const Vec3 v = p.w() * y + p.vec().cross(y);
    return {-p.vec().dot(y), v.x(), v.y(), v.z()};
}

Rotation quaternion_at(std::span<const double> x, int first)
{
    const auto k = static_cast<std::size_t>(first + quaternion);
    return {x[k], x[k + 1], x[k + 2], x[k + 3]};
}

}  // namespace

bool has_coordinates(const BodyModel& bodies, int body)
{
    return bodies.setup().bodies[static_cast<std::size_t>(body)].motion != BodyMotion::Fixed;
}

int coordinates_per_body(const BodyModel& bodies) noexcept
{
    return static_cast<int>(coordinate_parts(bodies.is_flat()).size());
}

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

bool shift_coordinate(const BodyModel& bodies, int index, bool rate, double amount, State& state)
{
    const int per_body = coordinates_per_body(bodies), places = bodies.is_flat() ? 2 : 3;
    const auto of_bodies = static_cast<int>(state.q.size()) - bodies.setup().coordinates;
    int before = index / per_body;
    const int part = index % per_body;
    for (int i = 0; i < bodies.bodies() && index < of_bodies; ++i) {
        if (!has_coordinates(bodies, i) || before-- > 0) continue;
        if (part < places)
            (rate ? state.v[i] : state.x[i])[part] += amount;
        else if (!bodies.is_flat())
            return false;
        else if (rate)
            state.W[i].z() += amount;
        else
            state.R[i] = turned(state.R[i], Vec3(0, 0, amount));
        break;
    }
    (rate ? state.u : state.q)[index] += amount;
    return true;
}

namespace {

/// The first entries of q and u. Angles of the plane are those next to the ones that q has, if it is `known`.
void write_bodies(const BodyModel& bodies, const State& state, bool known, double* q, double* u)
{
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
            add(known ? with_turns(*q, angle) : angle, W.z());
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
}

/// Coordinates of bodies, without those beside them.
Eigen::Index count_coordinates(const BodyModel& bodies)
{
    int moving = 0;
    for (int i = 0; i < bodies.bodies(); ++i)
        moving += has_coordinates(bodies, i) ? 1 : 0;
    return moving * coordinates_per_body(bodies);
}

}  // namespace

void write_coordinates(const BodyModel& bodies, State& state)
{
    const Eigen::Index size = count_coordinates(bodies) + bodies.setup().coordinates;
    const bool known = state.q.size() == size;
    if (!known) state.q.setZero(size);
    if (state.u.size() != size) state.u.setZero(size);
    write_bodies(bodies, state, known, state.q.data(), state.u.data());
    // once more takes out what the way from the angle before has rounded, where it passes zero
    if (known && bodies.is_flat()) write_bodies(bodies, state, true, state.q.data(), state.u.data());
}

State coordinate_state(const BodyModel& bodies, const State& state)
{
    const Eigen::Index of_bodies = count_coordinates(bodies);
    const bool known = state.q.size() >= std::max<Eigen::Index>(of_bodies, 1);
    State result;
    result.t_s = state.t_s;
    result.q =
        known ? state.q : Eigen::VectorXd(Eigen::VectorXd::Zero(of_bodies + bodies.setup().coordinates));
    result.u =
        state.u.size() == result.q.size() ? state.u : Eigen::VectorXd(Eigen::VectorXd::Zero(result.q.size()));
    write_bodies(bodies, state, known, result.q.data(), result.u.data());
    return result;
}

void copy_bodies(const State& from, State& to)
{
    to.x = from.x;
    to.R = from.R;
    to.v = from.v;
    to.W = from.W;
    to.turns = from.turns;
    to.kept = from.kept;
}

void place_bodies(const BodyModel& bodies, std::span<const double> q, std::span<const double> u, State& state)
{
    const int per_body = coordinates_per_body(bodies);
    int first = 0;
    for (int i = 0; i < bodies.bodies(); ++i) {
        if (!has_coordinates(bodies, i)) continue;
        const auto k = static_cast<std::size_t>(i), c = static_cast<std::size_t>(first);
        first += per_body;
        if (bodies.is_flat()) {
            state.x[k] = {q[c], q[c + 1], 0};
            state.v[k] = {u[c], u[c + 1], 0};
            state.R[k] = Rotation(std::cos(q[c + 2] / 2), 0, 0, std::sin(q[c + 2] / 2));
            state.W[k] = {0, 0, u[c + 2]};
            continue;
        }
        state.x[k] = {q[c], q[c + 1], q[c + 2]};
        state.v[k] = {u[c], u[c + 1], u[c + 2]};
        state.R[k] = quaternion_at(q, static_cast<int>(c)).normalized();
        state.W[k] = 2 * half_spin(state.R[k], quaternion_at(u, static_cast<int>(c)));
    }
}

BodyFactors::BodyFactors(std::shared_ptr<const BodyModel> bodies) : bodies_(std::move(bodies))
{
    for (int i = 0; i < bodies_->bodies(); ++i)
        coordinates_ += has_coordinates(*bodies_, i) ? coordinates_per_body(*bodies_) : 0;
    constant_metric_ =
        bodies_->is_flat() || std::ranges::all_of(bodies_->isotropic, [](char is) { return is != 0; });
}

bool BodyFactors::has_formulas() const noexcept
{
    return bodies_->setup().with_formulas;
}

template <class Visit>
void BodyFactors::for_each(const Visit& visit) const
{
    int first = 0;
    for (int i = 0; i < bodies_->bodies(); ++i) {
        if (!has_coordinates(*bodies_, i)) continue;
        visit(i, first);
        first += coordinates_per_body(*bodies_);
    }
}

std::vector<std::pair<int, int>> BodyFactors::coupled() const
{
    std::vector<std::pair<int, int>> pairs;
    if (bodies_->is_flat()) return pairs;
    for_each([&](int i, int first) {
        if (bodies_->isotropic[static_cast<std::size_t>(i)]) return;
        for (int a = quaternion; a < quaternion + quaternion_parts; ++a) {
            for (int b = quaternion; b < a; ++b)
                pairs.emplace_back(first + b, first + a);
        }
    });
    return pairs;
}

std::vector<char> BodyFactors::driven() const
{
    std::vector<char> result(static_cast<std::size_t>(coordinates_), 0);
    for_each([&](int i, int first) {
        if (bodies_->inverse_mass[static_cast<std::size_t>(i)] > 0) return;
        std::fill_n(result.begin() + first, coordinates_per_body(*bodies_), char{1});
    });
    return result;
}

State BodyFactors::state_at(const Point& at) const
{
    State state = make_body_state(*bodies_);
    place_bodies(*bodies_, at.q, at.u, state);
    return state;
}

double BodyFactors::kinetic_energy_J(const Point& at) const
{
    return bodies_->kinetic_energy_J(state_at(at));
}

double BodyFactors::potential_energy_J(const Point& at) const
{
    const State state = state_at(at);
    return bodies_->potential_energy_J(state.x, state.R);
}

/// With T = 2 (E p').J (E p') + 2 j (p.p')^2, j = tr J / 3, and E(p) p' = -E(p') p:
///     A = 4 E^T J E + 4 j p p^T,      c = 8 E(p')^T J E(p) p' + 4 j |p'|^2 p
void BodyFactors::add_kinetic_terms(const Point& at, const MassPattern& pattern, std::span<double> values,
                                    std::span<double> c) const
{
    for_each([&](int i, int first) {
        const auto k = static_cast<std::size_t>(i);
        const int per_body = coordinates_per_body(*bodies_);
        const auto add = [&](int a, int b, double value) {
            values[pattern.slot(first + a, first + b)] += value;
        };
        if (bodies_->inverse_mass[k] == 0) {
            for (int a = 0; a < per_body; ++a)
                add(a, a, 1);
            return;
        }
        const Mat3& J = bodies_->inertia[k];
        const int places = bodies_->is_flat() ? 2 : 3;
        for (int a = 0; a < places; ++a)
            add(a, a, bodies_->mass[k]);
        if (bodies_->is_flat()) {
            add(2, 2, J(2, 2));
            return;
        }
        const double j = J.trace() / 3;
        if (bodies_->isotropic[k]) {
            for (int a = quaternion; a < per_body; ++a)
                add(a, a, 4 * j);
            return;
        }
        const Rotation p = quaternion_at(at.q, first), rate = quaternion_at(at.u, first);
        const std::array<double, quaternion_parts> parts{p.w(), p.x(), p.y(), p.z()};
        for (int b = 0; b < quaternion_parts; ++b) {
            Rotation unit(0, 0, 0, 0);
            (b == 0 ? unit.w() : unit.vec()[b - 1]) = 1;
            const auto column = half_spin_transposed(p, 4 * (J * half_spin(p, unit)));
            for (int a = b; a < quaternion_parts; ++a) {
                const auto row = static_cast<std::size_t>(a);
                add(quaternion + a, quaternion + b,
                    column[row] + 4 * j * parts[row] * parts[static_cast<std::size_t>(b)]);
            }
        }
        const auto spun = half_spin_transposed(rate, 8 * (J * half_spin(p, rate)));
        for (int a = 0; a < quaternion_parts; ++a) {
            const auto row = static_cast<std::size_t>(a);
            c[static_cast<std::size_t>(first + quaternion + a)] +=
                spun[row] + 4 * j * rate.squaredNorm() * parts[row];
        }
    });
}

void BodyFactors::add_potential_gradient(const Point& at, std::span<double> gradient) const
{
    const State state = state_at(at);
    std::vector<Wrench> wrenches(static_cast<std::size_t>(bodies_->bodies()));
    bodies_->spring_wrenches(BodyModel::SpringPart::Springs, state.x, state.R, {}, {}, wrenches);
    for_each([&](int i, int first) {
        const auto k = static_cast<std::size_t>(i);
        const auto part = gradient.subspan(static_cast<std::size_t>(first));
        const Vec3 force = wrenches[k].force_N + bodies_->mass[k] * bodies_->setup().gravity_m_s2;
        const int places = bodies_->is_flat() ? 2 : 3;
        for (int a = 0; a < places; ++a)
            part[static_cast<std::size_t>(a)] -= force[a];
        if (bodies_->is_flat()) {
            part[2] -= wrenches[k].torque_Nm.z();
            return;
        }
        // tau.w = (R^T tau).W with W = 2 E p'
        const auto g = half_spin_transposed(state.R[k], 2 * (state.R[k].conjugate() * wrenches[k].torque_Nm));
        for (std::size_t a = 0; a < g.size(); ++a)
            part[quaternion + a] -= g[a];
    });
}

/// Formulas must be able to use the names and tell the bodies apart, and energies must be numbers: up to four
/// times what describes a body or spring is in them.
Errors BodyFactors::mistakes() const
{
    Errors errors;
    std::unordered_set<std::string_view> seen;
    const auto check = [&](std::initializer_list<double> numbers, const std::string& where) {
        if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(4 * number); })) return;
        errors.push_back({.code = ErrorCode::NotFinite,
                          .where = where,
                          .message = "an energy is beyond all numbers: mass times gravity, inertia, "
                                     "place or stiffness is too large",
                          .hint = "give smaller numbers, in kg, m and s",
                          .excerpt = {}});
    };
    const auto& setup = bodies_->setup();
    for_each([&](int i, int) {
        const auto k = static_cast<std::size_t>(i);
        const std::string& name = setup.bodies[k].name;
        const std::string first = name + coordinate_parts(bodies_->is_flat()).front().suffix;
        Vocabulary alone;
        auto added = alone.add_coordinate(first);
        if (added && !seen.insert(name).second) added = alone.add_coordinate(first);
        if (!added) errors.push_back(added.error());
        const Vec3 weight = bodies_->mass[k] * setup.gravity_m_s2;
        check({bodies_->mass[k], bodies_->inertia[k].sum(), bodies_->inertia[k].cwiseAbs().maxCoeff(),
               weight.x(), weight.y(), weight.z()},
              "body." + name);
    });
    for (const BodySpring& spring : setup.springs) {
        const Vec3 &a = spring.first_point_m, &b = spring.second_point_m;
        check({spring.stiffness_N_m, spring.rest_length_m, a.x(), a.y(), a.z(), b.x(), b.y(), b.z()},
              "spring");
    }
    return errors;
}

}  // namespace carom
