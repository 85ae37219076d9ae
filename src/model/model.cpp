#include "carom/model/model.hpp"

#include <algorithm>

namespace carom {
namespace {

/// Place of the second derivative (a, b), a >= b, in a lower triangle by rows.
int triangle(int a, int b)
{
    return a * (a + 1) / 2 + b;
}

bool is_constant(const Formula& formula)
{
    return std::all_of(formula.terms().begin(), formula.terms().end(),
                       [](const Term& term) { return term.variables().empty(); });
}

/// Neither what it evaluates nor the status of the contact changes its numbers.
bool is_constant_law(const Contact& contact)
{
    if (!is_constant(contact.restitution)) return false;
    if (!contact.friction) return true;
    const ContactFriction& friction = *contact.friction;
    return !friction.static_coefficient && is_constant(friction.coefficient) &&
           is_constant(friction.tangential_restitution);
}

}  // namespace

Model::Model(LagrangianSystem system) : system_(std::move(system))
{
    prepare_kinetic();
    prepare_contacts();
    for (const Formula& force : system_.forces) {
        forces_name_velocity_ = forces_name_velocity_ || force.depends_on(Variable::Kind::Velocity);
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

void Model::prepare_contacts()
{
    for (const Contact& contact : system_.contacts) {
        geometry_.emplace_back(contact);
        offsets_.push_back(offsets_.back() + contact.dimension());
    }
    coupling_ = coupling_through(mass_pattern_);
    Workspace work;
    for (int c = 0; c < contacts(); ++c) {
        const bool constant = is_constant_law(system_.contacts[c]);
        constant_law_.push_back(std::nullopt);
        if (constant) constant_law_.back() = law(c, {}, false, work);
    }
}

ContactCoupling Model::coupling_through(const MassPattern& pattern) const
{
    std::vector<std::span<const int>> supports;
    for (const ContactGeometry& geometry : geometry_) {
        supports.emplace_back(geometry.support());
    }
    return {pattern, supports};
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
        work.make_room(terms[k].variables().size());
        terms[k].hessian(at, work, work.first, work.second);
        const KineticScatter& scatter = kinetic_scatter_[k];
        for (const auto& pair : scatter.velocity_velocity) {
            values[pair.slot] += work.second[pair.second];
        }
        for (const auto& pair : scatter.velocity_coordinate) {
            c[pair.i] += work.second[pair.second] * at.u[pair.j];
        }
        for (const auto& [place, i] : scatter.coordinate) {
            c[i] -= work.first[place];
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
        work.make_room(variables.size());
        term.gradient(at, work, work.first);
        for (std::size_t k = 0; k < variables.size(); ++k) {
            (variables[k].kind == Variable::Kind::Time ? rate : gradient[variables[k].index]) +=
                work.first[k];
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
    return geometry_[contact].gap_m(at, work);
}

double Model::gap_gradient(int contact, const Point& at, std::span<double> H, Workspace& work) const
{
    double b = 0;
    geometry_[contact].rows(at, H, {&b, 1}, work);
    return b;
}

void Model::contact_rows(int contact, const Point& at, std::span<double> H, std::span<double> b,
                         Workspace& work) const
{
    geometry_[contact].rows(at, H, b, work);
}

double Model::restitution(int contact, const Point& at, Workspace& work) const
{
    const auto& constant = constant_law_[contact];
    return constant ? carom::restitution(*constant) : system_.contacts[contact].restitution.value(at, work);
}

Law Model::law(int contact, const Point& at, bool sticks, Workspace& work) const
{
    if (static_cast<std::size_t>(contact) < constant_law_.size() && constant_law_[contact]) {
        return *constant_law_[contact];
    }
    const Contact& c = system_.contacts[contact];
    const double e = c.restitution.value(at, work);
    if (!c.friction) return Unilateral{.restitution = e};
    const Formula& mu =
        sticks && c.friction->static_coefficient ? *c.friction->static_coefficient : c.friction->coefficient;
    return Coulomb{.shape = c.friction->shape,
                   .friction = mu.value(at, work),
                   .restitution = e,
                   .tangential_restitution = c.friction->tangential_restitution.value(at, work)};
}

State make_state(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double t_s)
{
    const auto contacts = static_cast<std::size_t>(model.contacts());
    return {.t_s = t_s,
            .q = q,
            .u = u,
            .percussion_Ns = std::vector<double>(static_cast<std::size_t>(model.local_size()), 0.0),
            .closed = std::vector<char>(contacts, 0),
            .slides = std::vector<char>(contacts, 0)};
}

}  // namespace carom
