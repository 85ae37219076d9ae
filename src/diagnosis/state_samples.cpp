#include "state_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {

double Dice::uniform() noexcept
{
    // Vigna's splitmix64: one addition and two multiplications, full period
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return std::ldexp(static_cast<double>(z >> 11U), -52) - 1;
}

Eigen::VectorXd Dice::vector(Eigen::Index size)
{
    Eigen::VectorXd x(size);
    for (double& entry : x)
        entry = uniform();
    return x;
}

int Dice::below(int end) noexcept
{
    return std::min(end - 1, static_cast<int>((uniform() + 1) / 2 * end));
}

bool AdmissibleSet::contains(const Eigen::VectorXd& q, double t_s, double tolerance_m) const
{
    Workspace work;
    return std::ranges::all_of(different_, [&](int contact) {
        return model_.gap_m(contact, {view(q), {}, t_s}, work) >= -tolerance_m;
    });
}

std::vector<State> sampled_states(const Model& model, const State& start,
                                  const WellPosednessSettings& settings)
{
    const Eigen::Index n = start.q.size();
    const double reach_m = 2 * settings.length_m;
    const double speed = 10 * std::max(settings.length_m, start.u.cwiseAbs().maxCoeff());
    const AdmissibleSet admissible(model);
    Dice dice(1);
    std::vector<State> states;
    for (int k = 0; k < settings.samples; ++k) {
        // every second one anywhere in the box, the others at radii from a ten-thousandth to one, evenly in
        // their logarithm: near the start they stay admissible among many obstacles
        const double radius = k % 2 == 0 ? 1.0 : std::pow(10.0, 2 * dice.uniform() - 2);
        State state = start;
        state.q += reach_m * radius * dice.vector(n);
        state.u += speed * radius * dice.vector(n);
        state.t_s += settings.duration_s * (dice.uniform() + 1) / 2;
        if (admissible.contains(state.q, state.t_s, settings.gap_tolerance_m))
            states.push_back(std::move(state));
    }
    return states;
}

Dynamics::Dynamics(const Model& model)
    : model_(model),
      A_(model.mass_pattern()),
      given_(model.coordinates()),
      gradient_(model.coordinates()),
      velocity_terms_(model.coordinates())
{
}

const Eigen::VectorXd& Dynamics::given_forces(const State& at)
{
    model_.given_forces(point_of(at), view(given_), work_);
    return given_;
}

const Eigen::VectorXd& Dynamics::potential_gradient(const State& at)
{
    model_.potential_gradient(point_of(at), view(gradient_), work_);
    return gradient_;
}

bool Dynamics::factorise(const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    model_.kinetic_terms({view(q), view(u), 0}, A_, view(velocity_terms_), work_);
    const auto values = A_.values();
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); }) && A_.factorise();
}

Eigen::VectorXd Dynamics::acceleration(const State& at)
{
    Eigen::VectorXd x = given_forces(at) - potential_gradient(at);
    if (!factorise(at.q, at.u)) return Eigen::VectorXd::Constant(x.size(), std::nan(""));
    x -= velocity_terms_;
    A_.solve(view(x));
    return x;
}

double Dynamics::length(const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    return factorise(q, u) ? std::sqrt(std::max(0.0, A_.squared_norm(view(u)))) : std::nan("");
}

double Dynamics::dual_length(const Eigen::VectorXd& q, const Eigen::VectorXd& p)
{
    if (!p.allFinite()) return std::numeric_limits<double>::infinity();
    if (!factorise(q, Eigen::VectorXd::Zero(q.size()))) return std::nan("");
    Eigen::VectorXd x = p;
    A_.solve(view(x));
    return std::sqrt(std::max(0.0, p.dot(x)));
}

}  // namespace carom::detail
