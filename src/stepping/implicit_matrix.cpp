#include "stepping/implicit_matrix.hpp"
#include "expression/term.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <algorithm>

namespace carom {
namespace {

using Kind = Variable::Kind;

/// Every pair (i, j) of coordinates that one term of energy, potential or force couples.
std::vector<std::pair<int, int>> coupled_pairs(const Model& model)
{
    std::vector<std::pair<int, int>> pairs;
    const auto join = [&](std::span<const Variable> variables, auto&& counts) {
        for (const Variable& a : variables) {
            for (const Variable& b : variables) {
                if (counts(a) && counts(b) && a.index < b.index) pairs.emplace_back(a.index, b.index);
            }
        }
    };
    for (const Term& term : model.system().kinetic.terms()) {
        join(term.variables(), [](const Variable& v) { return v.kind == Kind::Velocity; });
    }
    for (const Term& term : model.system().potential.terms()) {
        join(term.variables(), [](const Variable& v) { return v.kind == Kind::Coordinate; });
    }
    for (std::size_t i = 0; i < model.system().forces.size(); ++i) {
        for (const Term& term : model.system().forces[i].terms()) {
            for (const Variable& variable : term.variables()) {
                const int row = static_cast<int>(i);
                if (variable.kind != Kind::Time && variable.index != row) {
                    pairs.emplace_back(std::minmax(row, variable.index));
                }
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

}  // namespace

ImplicitMatrix::ImplicitMatrix(const Model& model)
    : pattern_(std::make_unique<MassPattern>(model.coordinates(), coupled_pairs(model))),
      coupling_(model.coupling_through(*pattern_)),
      J_(*pattern_)
{
    const MassPattern& mass = model.mass_pattern();
    for (const auto& [i, j] : mass.entries()) {
        slot_of_mass_.push_back(pattern_->slot(i, j));
    }
}

bool ImplicitMatrix::evaluate(const Model& model, MassMatrix& A, const Point& at, double h_theta,
                              Workspace& work)
{
    const auto put_mass = [&] {
        std::fill(J_.values().begin(), J_.values().end(), 0.0);
        for (std::size_t slot = 0; slot < slot_of_mass_.size(); ++slot) {
            J_.values()[slot_of_mass_[slot]] = A.values()[slot];
        }
    };
    put_mass();
    add_potential(model, at, h_theta * h_theta, work);
    add_forces(model, at, h_theta, work);
    if (J_.factorise()) return true;

    // the derivatives made it indefinite: iterate with A alone
    put_mass();
    return J_.factorise();
}

void ImplicitMatrix::add_potential(const Model& model, const Point& at, double scale, Workspace& work)
{
    for (const Term& term : model.system().potential.terms()) {
        const auto variables = term.variables();
        work.make_room(variables.size());
        term.hessian(at, work, work.first, work.second);
        std::size_t place = 0;
        for (std::size_t a = 0; a < variables.size(); ++a) {
            for (std::size_t b = 0; b <= a; ++b, ++place) {
                if (variables[a].kind != Kind::Coordinate || variables[b].kind != Kind::Coordinate) continue;
                J_.values()[pattern_->slot(variables[a].index, variables[b].index)] +=
                    scale * work.second[place];
            }
        }
    }
}

void ImplicitMatrix::add_forces(const Model& model, const Point& at, double h_theta, Workspace& work)
{
    for (std::size_t i = 0; i < model.system().forces.size(); ++i) {
        const int row = static_cast<int>(i);
        for (const Term& term : model.system().forces[i].terms()) {
            const auto variables = term.variables();
            work.make_room(variables.size());
            term.gradient(at, work, work.first);
            for (std::size_t k = 0; k < variables.size(); ++k) {
                if (variables[k].kind == Kind::Time) continue;
                const double scale = variables[k].kind == Kind::Velocity ? h_theta : h_theta * h_theta;
                const double share = variables[k].index == row ? 1 : 0.5;  // symmetric part
                J_.values()[pattern_->slot(row, variables[k].index)] -= share * scale * work.first[k];
            }
        }
    }
}

}  // namespace carom
