#include "body_formulas.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <array>

namespace carom::detail {
namespace {

using Kind = Variable::Kind;

/// Coordinates that variables name, as places or by their velocities, and `also` another one.
std::vector<int> coordinates_of(std::span<const Variable> variables, int also = -1)
{
    std::vector<int> list;
    if (also >= 0) list.push_back(also);
    for (const Variable& variable : variables) {
        if (variable.kind != Kind::Time) list.push_back(variable.index);
    }
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

Eigen::Index place_in(std::span<const int> coordinates, int coordinate)
{
    return std::ranges::lower_bound(coordinates, coordinate) - coordinates.begin();
}

}  // namespace

bool BodyFormulas::has_forces() const noexcept
{
    return !potential_.empty() || std::ranges::any_of(model_.system().forces, [](const Formula& force) {
        return !force.terms().empty();
    });
}

/// Bodies that move with these coordinates; with one of the others all carriers, because A couples them.
std::vector<int> BodyFormulas::blocks_of(std::span<const int> coordinates) const
{
    std::vector<int> blocks;
    bool others = false;
    for (const int coordinate : coordinates) {
        if (coordinate < first_)
            blocks.push_back(body_of_[static_cast<std::size_t>(coordinate)]);
        else
            others = true;
    }
    for (int k = 0; others && k < bodies_.carriers(); ++k)
        blocks.push_back(bodies_.bodies() + k);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
}

std::vector<std::vector<int>> BodyFormulas::coupled_blocks() const
{
    std::vector<std::vector<int>> lists;
    for (const Term& term : potential_)
        lists.push_back(blocks_of(coordinates_of(term.variables())));
    const auto& forces = model_.system().forces;
    for (std::size_t i = 0; i < forces.size(); ++i) {
        for (const Term& term : forces[i].terms())
            lists.push_back(blocks_of(coordinates_of(term.variables(), static_cast<int>(i))));
    }
    return lists;
}

/// d(coordinate')/d(velocity): x' = v, q' = q (0, W) / 2, u = L^-T z.
double BodyFormulas::rate_of(const State& at, int coordinate, const BodyVelocity& velocity) const
{
    if (coordinate >= first_) {
        const int z = 3 * (velocity.block - bodies_.bodies()) + velocity.component;
        return z >= 0 && z < own_ ? L_inverse_(z, coordinate - first_) : 0;
    }
    const int body = body_of_[static_cast<std::size_t>(coordinate)];
    if (velocity.block != body) return 0;
    const int per_body = coordinates_per_body(bodies_), k = coordinate % per_body;
    if (bodies_.is_flat()) return velocity.component == (k < 2 ? k : 5) ? 1 : 0;
    if (k < 3) return velocity.component == k ? 1 : 0;
    if (velocity.component < 3) return 0;
    const Rotation& R = at.R[static_cast<std::size_t>(body)];
    const Vec3 e = k == 3 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(k - 4));
    const Vec3 turns = k == 3 ? Vec3(-R.vec()) : Vec3(R.w() * e + e.cross(R.vec()));
    return 0.5 * (R * turns)[velocity.component - 3];
}

/// G^T S G over the velocities of the blocks that these coordinates belong to, G their rates.
void BodyFormulas::add_derivative(const State& at, std::span<const int> coordinates, const Eigen::MatrixXd& S,
                                  BodyResponse& response) const
{
    std::vector<BodyVelocity> velocities;
    for (const int block : blocks_of(coordinates)) {
        for (int component = 0; component < (block < bodies_.bodies() ? 6 : 3); ++component)
            velocities.push_back({.block = block, .component = component});
    }
    Eigen::MatrixXd G(S.rows(), static_cast<Eigen::Index>(velocities.size()));
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
        for (Eigen::Index j = 0; j < G.cols(); ++j)
            G(i, j) = rate_of(at, coordinates[static_cast<std::size_t>(i)],
                              velocities[static_cast<std::size_t>(j)]);
    }
    response.add(velocities, G.transpose() * S * G);
}

/// Second order of a turn, q exp(d) = q (1 - d.d/8, d/2): a quarter of  - gradient . q  about every axis.
void BodyFormulas::add_turning(std::span<const Variable> variables, std::span<const double> gradient,
                               double factor, BodyResponse& response) const
{
    if (bodies_.is_flat()) return;
    for (std::size_t a = 0; a < variables.size(); ++a) {
        const int i = variables[a].index;
        if (variables[a].kind != Kind::Coordinate || i >= first_ || i % 7 < 3) continue;
        const int body = body_of_[static_cast<std::size_t>(i)];
        const std::array<BodyVelocity, 3> about{{{body, 3}, {body, 4}, {body, 5}}};
        const double part = -0.25 * factor * gradient[a] * q_[static_cast<std::size_t>(i)];
        response.add(about, part * Eigen::Matrix3d::Identity());
    }
}

void BodyFormulas::add_derivatives(const State& at, double h_theta_s, BodyResponse& response)
{
    const double squared = h_theta_s * h_theta_s;
    if (own_ > 0) L_inverse_ = L_.matrixL().solve(Eigen::MatrixXd::Identity(own_, own_));
    for (const Term& term : potential_) {
        const auto variables = term.variables();
        const std::vector<int> coordinates = coordinates_of(variables);
        work_.make_room(variables.size());
        std::vector<double> first(variables.size()), second(variables.size() * (variables.size() + 1) / 2);
        term.hessian(point(), work_, first, second);
        const auto n = static_cast<Eigen::Index>(coordinates.size());
        Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
        std::size_t pair = 0;
        for (std::size_t a = 0; a < variables.size(); ++a) {
            for (std::size_t b = 0; b <= a; ++b, ++pair) {
                if (variables[a].kind != Kind::Coordinate || variables[b].kind != Kind::Coordinate) continue;
                const auto i = place_in(coordinates, variables[a].index),
                           j = place_in(coordinates, variables[b].index);
                S(i, j) = S(j, i) = squared * second[pair];
            }
        }
        add_derivative(at, coordinates, S, response);
        add_turning(variables, first, squared, response);
    }
    const auto& forces = model_.system().forces;
    for (std::size_t row = 0; row < forces.size(); ++row) {
        for (const Term& term : forces[row].terms()) {
            const auto variables = term.variables();
            const std::vector<int> coordinates = coordinates_of(variables, static_cast<int>(row));
            work_.make_room(variables.size());
            std::vector<double> first(variables.size());
            term.gradient(point(), work_, first);
            const auto n = static_cast<Eigen::Index>(coordinates.size());
            Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
            const auto i = place_in(coordinates, static_cast<int>(row));
            for (std::size_t a = 0; a < variables.size(); ++a) {
                if (variables[a].kind == Kind::Time) continue;
                const double scale = variables[a].kind == Kind::Velocity ? h_theta_s : squared;
                const auto j = place_in(coordinates, variables[a].index);
                S(i, j) -= 0.5 * scale * first[a];
                S(j, i) -= 0.5 * scale * first[a];
            }
            add_derivative(at, coordinates, S, response);
        }
    }
}

double BodyFormulas::squared_size(const Eigen::VectorXd& q) const
{
    if (own_ == 0) return 0;
    return (L_.matrixU() * q.tail(own_)).squaredNorm();
}

}  // namespace carom::detail
