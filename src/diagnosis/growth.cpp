#include "state_samples.hpp"
#include "well_posedness_words.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace carom {
namespace {

using detail::Dynamics;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Rays reach 10^8 kinetic lengths; growth is measured over the last three decades that stay admissible.
constexpr int decades = 8;
constexpr int points_per_decade = 16;
constexpr double measured_decades = 3;

/// Slopes of the sampled rays may lie this far above the power that they stand for.
constexpr double slack = 0.02;

/// States on a ray, with x = 1 + d(q, q0) + |u|.
struct Ray {
    std::vector<State> states;
    std::vector<double> x;
};

/// Length of the segment from q0 to q in the kinetic metric: not below the distance.
double segment_length(Dynamics& dynamics, const Model& model, const Eigen::VectorXd& q0,
                      const Eigen::VectorXd& q)
{
    const int pieces = model.has_constant_mass() ? 1 : 16;
    double length = 0;
    for (int k = 0; k < pieces; ++k) {
        const Eigen::VectorXd at = q0 + (k + 0.5) / pieces * (q - q0);
        length += dynamics.length(at, (q - q0) / pieces);
    }
    return length;
}

Ray ray_along(const Model& model, const detail::AdmissibleSet& admissible, const State& start,
              const Eigen::VectorXd& to_q, const Eigen::VectorXd& to_u, double tolerance_m,
              Dynamics& dynamics)
{
    Ray ray;
    for (int k = 0; k <= decades * points_per_decade; ++k) {
        const double scale = std::pow(10.0, static_cast<double>(k) / points_per_decade);
        State state = start;
        state.q += scale * to_q;
        if (to_u.squaredNorm() > 0) state.u = scale * to_u;
        if (!admissible.contains(state.q, state.t_s, tolerance_m)) continue;
        const double x =
            1 + segment_length(dynamics, model, start.q, state.q) + dynamics.length(state.q, state.u);
        if (!std::isfinite(x)) continue;
        ray.states.push_back(std::move(state));
        ray.x.push_back(x);
    }
    return ray;
}

/// The power p in y ~ x^p at the far end of a ray; 0 where y does not grow.
double exponent_along(const Ray& ray, const std::function<double(const State&)>& y)
{
    std::vector<double> highest;
    for (const State& state : ray.states) {
        const double value = y(state);
        if (!std::isfinite(value)) return infinite;
        highest.push_back(std::max(highest.empty() ? 0.0 : highest.back(), value));
    }
    const double far = ray.x.back();
    std::size_t k = ray.x.size() - 1;
    while (k > 0 && ray.x[k] > far * std::pow(10.0, -measured_decades))
        --k;
    if (!(highest.back() > 0) || !(far > 10 * ray.x[k])) return 0;
    // what was zero until now and is not at the end grows faster than can be told
    if (!(highest[k] > 0)) return std::log10(highest.back()) > 0 ? infinite : 0;
    return std::log10(highest.back() / highest[k]) / std::log10(far / ray.x[k]);
}

/// The formula with the largest share of f at a state.
std::string fastest_formula(const Model& model, Dynamics& dynamics, const State& at)
{
    const Eigen::VectorXd F = dynamics.given_forces(at), gradient = dynamics.potential_gradient(at);
    const auto size = [](double x) { return std::isfinite(x) ? std::abs(x) : infinite; };
    Eigen::Index largest = 0;
    double given = 0, potential = 0;
    for (Eigen::Index i = 0; i < F.size(); ++i) {
        potential = std::max(potential, size(gradient[i]));
        if (size(F[i]) > given) given = size(F[i]), largest = i;
    }
    if (potential >= given) return "lagrangian.potential";
    return "lagrangian.forces." + model.system().coordinates[static_cast<std::size_t>(largest)].name;
}

/// Directions of kinetic length 1 at the start: along the axes, and some at random.
std::vector<Eigen::VectorXd> directions_at(const Model& model, const State& start, Dynamics& dynamics)
{
    constexpr int axes = 12, random = 12;
    const Eigen::Index n = model.coordinates();
    detail::Dice dice(4);
    std::vector<Eigen::VectorXd> directions;
    for (Eigen::Index i = 0; i < std::min<Eigen::Index>(n, axes); ++i) {
        directions.emplace_back(Eigen::VectorXd::Unit(n, i));
        directions.emplace_back(-Eigen::VectorXd::Unit(n, i));
    }
    for (int k = 0; k < random; ++k)
        directions.push_back(dice.vector(n));
    for (Eigen::VectorXd& direction : directions)
        direction /= dynamics.length(start.q, direction);
    return directions;
}

}  // namespace

double Growth::force() const noexcept
{
    return std::max({by_position, by_velocity, jointly});
}

bool Growth::linear() const noexcept
{
    return force() <= 1 + slack;
}

bool Growth::bounded_by_energy() const noexcept
{
    return steady_potential && power <= 2 + 2 * slack && potential_drop <= 2 + 2 * slack;
}

Growth estimate_growth(const Model& model, const State& start, const WellPosednessSettings& settings)
{
    Growth growth;
    growth.steady_potential = !model.system().potential.depends_on(Variable::Kind::Time);
    Dynamics dynamics(model);
    const detail::AdmissibleSet admissible(model);
    Workspace work;
    const auto force = [&](const State& at) {
        const Eigen::VectorXd f = dynamics.given_forces(at) - dynamics.potential_gradient(at);
        return dynamics.dual_length(at.q, f);
    };
    const auto power = [&](const State& at) { return std::max(0.0, dynamics.given_forces(at).dot(at.u)); };
    const double potential_at_start = model.potential_energy(point_of(start), work);
    const auto drop = [&](const State& at) {
        return std::max(0.0, potential_at_start - model.potential_energy(point_of(at), work));
    };

    double most = 0;
    const auto look = [&](const Eigen::VectorXd& to_q, const Eigen::VectorXd& to_u, double& exponent) {
        const Ray ray = ray_along(model, admissible, start, to_q, to_u, settings.gap_tolerance_m, dynamics);
        if (ray.x.empty() || !(ray.x.back() > 100)) return;
        ++growth.rays;
        const double here = exponent_along(ray, force);
        exponent = std::max(exponent, here);
        growth.power = std::max(growth.power, exponent_along(ray, power));
        growth.potential_drop = std::max(growth.potential_drop, exponent_along(ray, drop));
        if (here > most) most = here, growth.fastest = fastest_formula(model, dynamics, ray.states.back());
    };
    const auto directions = directions_at(model, start, dynamics);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(start.q.size());
    for (std::size_t k = 0; k < directions.size(); ++k) {
        look(directions[k], none, growth.by_position);
        look(none, directions[k], growth.by_velocity);
        look(directions[k], directions[k], growth.jointly);
        look(directions[k], directions[(k + 1) % directions.size()], growth.jointly);
    }
    return growth;
}

void detail::bound_growth(double degree, Growth& growth)
{
    for (double* exponent : {&growth.by_position, &growth.by_velocity, &growth.jointly})
        *exponent = std::min(*exponent, degree);
    growth.shown = degree <= 1;
}

}  // namespace carom
