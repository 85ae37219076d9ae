#include "carom/model/model.hpp"

#include <algorithm>
#include <set>

namespace carom {
namespace {

/// Place of the second derivative (a, b), a >= b, in a lower triangle by rows.
int triangle(int a, int b)
{
    return a * (a + 1) / 2 + b;
}

/// Room for the derivatives of a term; it grows to the largest term once.
Workspace& with_room(Workspace& work, std::size_t variables)
{
    if (work.first.size() < variables) {
        work.first.resize(variables);
        work.second.resize(variables * (variables + 1) / 2);
    }
    return work;
}

}  // namespace

Model::Model(LagrangianSystem system) : system_(std::move(system))
{
    prepare_kinetic();
    prepare_rows();
    for (const Formula& force : system_.forces) {
        forces_name_velocity_ = forces_name_velocity_ || force.depends_on(Variable::Kind::Velocity);
    }
    for (const Contact& contact : system_.contacts) {
        Workspace work;
        const bool constant =
            std::all_of(contact.restitution.terms().begin(), contact.restitution.terms().end(),
                        [](const Term& term) { return term.variables().empty(); });
        constant_restitution_.push_back(constant ? std::optional(contact.restitution.value({}, work))
                                                 : std::nullopt);
    }
}

void Model::prepare_kinetic()
{
    std::vector<std::pair<int, int>> coupled;
    for (const Term& term : system_.kinetic.terms()) {
        const auto variables = term.variables();
        for (const Variable& a : variables) {
            for (const Variable& b : variables) {
                if (a.kind == Variable::Kind::Velocity && b.kind == Variable::Kind::Velocity &&
                    a.index < b.index) {
                    coupled.emplace_back(a.index, b.index);
                }
            }
        }
    }
    mass_pattern_ = MassPattern(coordinates(), coupled);
    constant_mass_ = !system_.kinetic.depends_on(Variable::Kind::Coordinate);

    for (const Term& term : system_.kinetic.terms()) {
        KineticScatter scatter;
        const auto variables = term.variables();
        for (int a = 0; a < static_cast<int>(variables.size()); ++a) {
            const Variable& first = variables[a];
            if (first.kind == Variable::Kind::Coordinate) scatter.coordinate.emplace_back(a, first.index);
            if (first.kind != Variable::Kind::Velocity) continue;
            for (int b = 0; b <= a; ++b) {
                const Variable& second = variables[b];  // coordinates come before velocities
                if (second.kind == Variable::Kind::Velocity) {
                    scatter.velocity_velocity.push_back({triangle(a, b), first.index, second.index,
                                                         mass_pattern_.slot(first.index, second.index)});
                } else {
                    scatter.velocity_coordinate.push_back({triangle(a, b), first.index, second.index, -1});
                }
            }
        }
        kinetic_scatter_.push_back(std::move(scatter));
    }
}

void Model::prepare_rows()
{
    std::vector<std::vector<int>> contacts_on_island(mass_pattern_.islands());
    for (int c = 0; c < contacts(); ++c) {
        std::set<int> named, islands;
        for (const Term& term : system_.contacts[c].gap.terms()) {
            for (const Variable& variable : term.variables()) {
                if (variable.kind == Variable::Kind::Coordinate) named.insert(variable.index);
            }
        }
        Row row;
        row.coordinates.assign(named.begin(), named.end());
        for (const int i : row.coordinates) {
            islands.insert(mass_pattern_.island(i));
        }
        row.islands.assign(islands.begin(), islands.end());
        for (const int island : row.islands) {
            contacts_on_island[island].push_back(c);
        }
        for (const Term& term : system_.contacts[c].gap.terms()) {
            auto& places = row.scatter.emplace_back();
            for (const Variable& variable : term.variables()) {
                const auto found =
                    std::lower_bound(row.coordinates.begin(), row.coordinates.end(), variable.index);
                places.push_back(variable.kind == Variable::Kind::Time
                                     ? -1
                                     : static_cast<int>(found - row.coordinates.begin()));
            }
        }
        rows_.push_back(std::move(row));
    }
    for (Row& row : rows_) {
        std::set<int> neighbours;
        for (const int island : row.islands) {
            neighbours.insert(contacts_on_island[island].begin(), contacts_on_island[island].end());
        }
        row.neighbours.assign(neighbours.begin(), neighbours.end());
    }
}

double Model::kinetic_energy(const Point& at, Workspace& work) const
{
    return system_.kinetic.value(at, work);
}

double Model::potential_energy(const Point& at, Workspace& work) const
{
    return system_.potential.value(at, work);
}

void Model::kinetic_terms(const Point& at, MassMatrix& A, std::span<double> c, Workspace& work) const
{
    const auto values = A.values();
    std::fill(values.begin(), values.end(), 0.0);
    std::fill(c.begin(), c.end(), 0.0);
    const auto terms = system_.kinetic.terms();
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const auto& d = with_room(work, terms[k].variables().size());
        terms[k].hessian(at, work, work.first, work.second);
        const KineticScatter& scatter = kinetic_scatter_[k];
        for (const auto& pair : scatter.velocity_velocity) {
            values[pair.slot] += d.second[pair.second];
        }
        for (const auto& pair : scatter.velocity_coordinate) {
            c[pair.i] += d.second[pair.second] * at.u[pair.j];
        }
        for (const auto& [place, i] : scatter.coordinate) {
            c[i] -= d.first[place];
        }
    }
}

double Model::potential_gradient(const Point& at, std::span<double> gradient, Workspace& work) const
{
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double rate = 0;
    for (const Term& term : system_.potential.terms()) {
        const auto variables = term.variables();
        if (variables.empty()) continue;
        const auto& d = with_room(work, variables.size());
        term.gradient(at, work, work.first);
        for (std::size_t k = 0; k < variables.size(); ++k) {
            (variables[k].kind == Variable::Kind::Time ? rate : gradient[variables[k].index]) += d.first[k];
        }
    }
    return rate;
}

void Model::given_forces(const Point& at, std::span<double> F, Workspace& work) const
{
    std::fill(F.begin(), F.end(), 0.0);
    for (std::size_t i = 0; i < system_.forces.size(); ++i) {
        F[i] = system_.forces[i].value(at, work);
    }
}

double Model::gap_m(int contact, const Point& at, Workspace& work) const
{
    return system_.contacts[contact].gap.value(at, work);
}

double Model::gap_gradient(int contact, const Point& at, std::span<double> H, Workspace& work) const
{
    std::fill(H.begin(), H.end(), 0.0);
    double rate = 0;
    const auto terms = system_.contacts[contact].gap.terms();
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const auto variables = terms[k].variables();
        if (variables.empty()) continue;
        const auto& d = with_room(work, variables.size());
        terms[k].gradient(at, work, work.first);
        const auto& places = rows_[contact].scatter[k];
        for (std::size_t v = 0; v < variables.size(); ++v) {
            (places[v] < 0 ? rate : H[places[v]]) += d.first[v];
        }
    }
    return rate;
}

double Model::restitution(int contact, const Point& at, Workspace& work) const
{
    const auto& constant = constant_restitution_[contact];
    return constant ? *constant : system_.contacts[contact].restitution.value(at, work);
}

State make_state(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double t_s)
{
    const auto contacts = static_cast<std::size_t>(model.contacts());
    return {.t_s = t_s,
            .q = q,
            .u = u,
            .percussion_Ns = std::vector<double>(contacts, 0.0),
            .closed = std::vector<char>(contacts, 0)};
}

}  // namespace carom
