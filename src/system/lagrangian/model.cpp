#include "carom/system/lagrangian/model.hpp"

#include "expression/derivative.hpp"
#include "expression/term.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "system/lagrangian/contact_coupling.hpp"
#include "system/lagrangian/contact_geometry.hpp"
#include "system/lagrangian/mass_matrix.hpp"

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

struct Model::Inside {
    /// Where the derivatives of one term of the kinetic energy go.
    struct KineticScatter {
        struct Pair {
            int second;  ///< place of the second derivative within the term
            int i, j;    ///< coordinates
            int slot;    ///< in the kinetic matrix, for pairs of velocities
        };
        std::vector<Pair> velocity_velocity, velocity_coordinate;
        std::vector<std::pair<int, int>> coordinate;  ///< place of dT/dq_i within the term, and i
    };
    /// What a step asks of the whole system, each evaluated at once (EX-10).
    struct Programs {
        Program energies;  ///< kinetic, potential
        Program kinetic;   ///< values of A by slot, then c; without results where it would be too long
        Program potential_gradient;  ///< dV/dq, then dV/dt
        Program forces;
    };

    MassPattern mass_pattern;
    Programs programs;
    std::vector<KineticScatter> kinetic_scatter;
    std::vector<ContactGeometry> geometry;
    ContactCoupling coupling;
    std::vector<std::optional<Law>> constant_law;  ///< of contacts whose law is constant
};

Model::Model(LagrangianSystem system, std::shared_ptr<const BodyFactors> bodies)
    : system_(std::move(system)),
      bodies_(std::move(bodies)),
      body_model_(bodies_ ? &bodies_->bodies() : nullptr),
      inside_(std::make_shared<Inside>()),
      mass_pattern_(&inside_->mass_pattern),
      coupling_(&inside_->coupling)
{
    prepare_kinetic();
    prepare_programs();
    prepare_contacts();
    forces_name_velocity_ = static_cast<bool>(system_.force_function);
    for (const Formula& force : system_.forces) {
        forces_name_velocity_ = forces_name_velocity_ || force.depends_on(Variable::Kind::Velocity);
    }
}

int Model::body_coordinates() const noexcept
{
    return bodies_ ? bodies_->coordinates() : 0;
}

void Model::prepare_kinetic()
{
    // bodies alone have no need of it: their blocks are masses and inertias
    if (bodies_ && !bodies_->has_formulas()) return;
    std::vector<std::pair<int, int>> coupled;
    if (bodies_) {
        coupled = bodies_->coupled();
        driven_ = bodies_->driven();
    }
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
    inside_->mass_pattern = MassPattern(coordinates(), coupled);
    constant_mass_ = !system_.kinetic.depends_on(Variable::Kind::Coordinate) &&
                     (!bodies_ || bodies_->has_constant_metric());

    inside_->kinetic_scatter.reserve(system_.kinetic.terms().size());
    for (const Term& term : system_.kinetic.terms()) {
        Inside::KineticScatter scatter;
        const auto variables = term.variables();
        for (int a = 0; a < static_cast<int>(variables.size()); ++a) {
            const Variable& first = variables[a];
            if (first.kind == Variable::Kind::Coordinate) scatter.coordinate.emplace_back(a, first.index);
            if (first.kind != Variable::Kind::Velocity) continue;
            for (int b = 0; b <= a; ++b) {
                const Variable& second = variables[b];  // coordinates come before velocities
                if (second.kind == Variable::Kind::Velocity) {
                    scatter.velocity_velocity.push_back(
                        {triangle(a, b), first.index, second.index,
                         inside_->mass_pattern.slot(first.index, second.index)});
                } else {
                    scatter.velocity_coordinate.push_back({triangle(a, b), first.index, second.index, -1});
                }
            }
        }
        inside_->kinetic_scatter.push_back(std::move(scatter));
    }
}

namespace {

using Kind = Variable::Kind;

/// Nodes that the program of the kinetic terms may grow to; beyond it duals take less memory and time.
constexpr std::size_t longest_program = 200000;

/// A bound of what two differentiations of every term make.
std::size_t length_of_second_derivatives(const Formula& formula)
{
    std::size_t length = 0;
    for (const Term& term : formula.terms()) {
        length += static_cast<std::size_t>(term.tape().size()) * (term.variables().size() + 1) * 8;
    }
    return length;
}

std::size_t length_of(const Formula& formula)
{
    std::size_t length = 0;
    for (const Term& term : formula.terms()) {
        length += static_cast<std::size_t>(term.tape().size());
    }
    return length;
}

/// dV/dq, then dV/dt, term by term.
std::vector<int> gradient_of_terms(Graph& g, const Formula& potential, int coordinates)
{
    std::vector<int> results(static_cast<std::size_t>(coordinates) + 1, g.constant(0));
    for (const Term& term : potential.terms()) {
        const auto variables = term.variables();
        const auto derivatives = gradient(g, add_formula(g, Formula({term}, {})), variables);
        for (std::size_t k = 0; k < variables.size(); ++k) {
            int& sum = variables[k].kind == Kind::Time ? results.back() : results[variables[k].index];
            sum = g.add(sum, derivatives[k]);
        }
    }
    return results;
}

/// Values of A by slot, then c_i = sum_j d2T/du_i dq_j u_j - dT/dq_i (LS-2), term by term.
Program kinetic_program(const Formula& kinetic, const MassPattern& pattern)
{
    Graph g;
    const std::size_t slots = pattern.entries().size();
    std::vector<int> results(slots + static_cast<std::size_t>(pattern.coordinates()), g.constant(0));
    const auto c = std::span(results).subspan(slots);
    for (const Term& term : kinetic.terms()) {
        const auto all = term.variables();
        const auto first_velocity =
            std::ranges::find_if(all, [](const Variable& v) { return v.kind == Kind::Velocity; });
        const std::span<const Variable> q(all.begin(), first_velocity);
        const std::span<const Variable> u(first_velocity, all.end());
        const int T = add_formula(g, Formula({term}, {}));
        const auto T_q = gradient(g, T, q);
        for (std::size_t i = 0; i < q.size(); ++i) {
            int& c_i = c[q[i].index];
            c_i = g.subtract(c_i, T_q[i]);
        }
        const auto momenta = gradient(g, T, u);
        for (std::size_t i = 0; i < u.size(); ++i) {
            const auto p_q = gradient(g, momenta[i], q);
            int& c_i = c[u[i].index];
            for (std::size_t j = 0; j < q.size(); ++j) {
                c_i = g.add(c_i, g.multiply(p_q[j], g.variable({Kind::Velocity, q[j].index})));
            }
            const auto p_u = gradient(g, momenta[i], u.first(i + 1));
            for (std::size_t j = 0; j <= i; ++j) {
                int& A_ij = results[pattern.slot(u[i].index, u[j].index)];
                A_ij = g.add(A_ij, p_u[j]);
            }
        }
    }
    return {g, results};
}

}  // namespace

void Model::prepare_programs()
{
    Graph g;
    // terms of very large systems are evaluated one by one; bodies alone have none
    const bool alone = bodies_ && !bodies_->has_formulas();
    if (!alone && length_of(system_.kinetic) + length_of(system_.potential) <= longest_program) {
        const int both[] = {add_formula(g, system_.kinetic), add_formula(g, system_.potential)};
        inside_->programs.energies = {g, both};
        inside_->programs.potential_gradient = {g, gradient_of_terms(g, system_.potential, coordinates())};
    }

    std::vector<int> results;
    for (const Formula& force : system_.forces) {
        results.push_back(add_formula(g, force));
    }
    inside_->programs.forces = {g, results};
    if (length_of_second_derivatives(system_.kinetic) <= longest_program) {
        inside_->programs.kinetic = kinetic_program(system_.kinetic, inside_->mass_pattern);
    }
}

void Model::prepare_contacts()
{
    for (const Contact& contact : system_.contacts) {
        inside_->geometry.emplace_back(contact);
        offsets_.push_back(offsets_.back() + contact.dimension());
    }
    prepare_constraints();
    for (const ContactGeometry& geometry : inside_->geometry)
        supports_.push_back(geometry.support());
    for (const ConstraintPart& part : parts_)
        supports_.push_back(constraint_geometry_[part.constraint]->support());
    inside_->coupling = coupling_through(inside_->mass_pattern);
    Workspace work;
    for (int c = 0; c < contacts(); ++c) {
        const bool constant = is_constant_law(system_.contacts[c]);
        inside_->constant_law.push_back(std::nullopt);
        if (constant) inside_->constant_law.back() = law(c, {}, false, work);
    }
}

void Model::prepare_constraints()
{
    const auto& contacts_named = system_.contacts;
    const auto& named = system_.constraints;
    const auto place = [](const auto& things, const std::string& name) {
        const auto found =
            std::ranges::find_if(things, [&](const auto& thing) { return thing.name == name; });
        return name.empty() || found == things.end() ? -1 : static_cast<int>(found - things.begin());
    };
    for (int j = 0; j < constraints(); ++j) {
        const Constraint& constraint = named[static_cast<std::size_t>(j)];
        const auto geometry = geometry_of(constraint);
        constraint_geometry_.push_back(geometry);
        first_part_.push_back(interactions());
        for (const ConstraintPart& part :
             parts_of(constraint, j, geometry->positions(), geometry->velocities())) {
            parts_.push_back(part);
            offsets_.push_back(offsets_.back() + part.dimension);
        }
        only_while_.push_back(place(contacts_named, constraint.only_while));
        auto& pressing = pressed_by_.emplace_back();
        for (const ReactionLimit& limit : constraint.limits) {
            pressing.push_back(place(named, limit.pressed_by));
        }
    }
    first_part_.push_back(interactions());
}

void Model::constraint_rows(int constraint, const Point& at, std::span<double> H, std::span<double> b,
                            Workspace& work) const
{
    const ConstraintGeometry& geometry = *constraint_geometry_[constraint];
    geometry.rows(at, H, b, work);
    const auto& map = system_.constraints[constraint].map;
    if (map.empty()) return;

    // R = H^T lambda with lambda = L x: the rows of x are L^T H
    const auto n = static_cast<std::size_t>(geometry.velocities());
    const auto first = static_cast<std::size_t>(geometry.positions());
    const std::size_t length = geometry.support().size();
    std::vector<double> mapped(n * length), mapped_b(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const double L_ik = map[i][k].value(at, work);
            for (std::size_t p = 0; p < length; ++p) {
                mapped[k * length + p] += L_ik * H[(first + i) * length + p];
            }
            mapped_b[k] += L_ik * b[first + i];
        }
    }
    std::copy(mapped.begin(), mapped.end(), H.begin() + static_cast<std::ptrdiff_t>(first * length));
    std::copy(mapped_b.begin(), mapped_b.end(), b.begin() + static_cast<std::ptrdiff_t>(first));
}

ContactCoupling Model::coupling_through(const MassPattern& pattern) const
{
    std::vector<std::span<const int>> supports;
    for (int i = 0; i < interactions(); ++i) {
        supports.emplace_back(support(i));
    }
    return {pattern, supports};
}

double Model::kinetic_energy(const Point& at, Workspace& work) const
{
    return system_.kinetic.value(at, work) + (bodies_ ? bodies_->kinetic_energy_J(at) : 0.0);
}

double Model::potential_energy(const Point& at, Workspace& work) const
{
    return system_.potential.value(at, work) + (bodies_ ? bodies_->potential_energy_J(at) : 0.0);
}

std::array<double, 2> Model::energies(const Point& at, Workspace& work) const
{
    if (bodies_ || inside_->programs.energies.results() == 0)
        return {kinetic_energy(at, work), potential_energy(at, work)};
    std::array<double, 2> result{};
    inside_->programs.energies.run(at, work, result);
    return result;
}

void Model::kinetic_terms(const Point& at, MassMatrix& A, std::span<double> c, Workspace& work) const
{
    const auto values = A.values();
    if (inside_->programs.kinetic.results() > 0) {
        inside_->programs.kinetic.run(at, work, values, c);
        if (bodies_) bodies_->add_kinetic_terms(at, A.pattern(), values, c);
        return;
    }
    std::fill(values.begin(), values.end(), 0.0);
    std::fill(c.begin(), c.end(), 0.0);
    const auto terms = system_.kinetic.terms();
    for (std::size_t k = 0; k < terms.size(); ++k) {
        work.make_room(terms[k].variables().size());
        terms[k].hessian(at, work, work.first, work.second);
        const Inside::KineticScatter& scatter = inside_->kinetic_scatter[k];
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
    if (bodies_) bodies_->add_kinetic_terms(at, A.pattern(), values, c);
}

double Model::potential_gradient(const Point& at, std::span<double> gradient, Workspace& work) const
{
    double rate = 0;
    if (inside_->programs.potential_gradient.results() > 0) {
        inside_->programs.potential_gradient.run(at, work, gradient, {&rate, 1});
        if (bodies_) bodies_->add_potential_gradient(at, gradient);
        return rate;
    }
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (const Term& term : system_.potential.terms()) {
        const auto variables = term.variables();
        work.make_room(variables.size());
        term.gradient(at, work, work.first);
        for (std::size_t k = 0; k < variables.size(); ++k) {
            (variables[k].kind == Kind::Time ? rate : gradient[variables[k].index]) += work.first[k];
        }
    }
    if (bodies_) bodies_->add_potential_gradient(at, gradient);
    return rate;
}

void Model::given_forces(const Point& at, std::span<double> F, Workspace& work) const
{
    if (system_.forces.empty()) std::fill(F.begin(), F.end(), 0.0);
    inside_->programs.forces.run(at, work, F);
    if (system_.force_function) system_.force_function(at, F);
}

double Model::gap_m(int contact, const Point& at, Workspace& work) const
{
    return inside_->geometry[contact].gap_m(at, work);
}

double Model::gap_gradient(int contact, const Point& at, std::span<double> H, Workspace& work) const
{
    double b = 0;
    inside_->geometry[contact].rows(at, H, {&b, 1}, work);
    return b;
}

double Model::gap_curvature(int contact, const Point& at, Workspace& work) const
{
    return inside_->geometry[contact].curvature(at, work);
}

void Model::contact_rows(int contact, const Point& at, std::span<double> H, std::span<double> b,
                         Workspace& work) const
{
    inside_->geometry[contact].rows(at, H, b, work);
}

double Model::restitution(int contact, const Point& at, Workspace& work) const
{
    const auto& constant = inside_->constant_law[contact];
    return constant ? carom::restitution(*constant) : system_.contacts[contact].restitution.value(at, work);
}

Law Model::law(int contact, const Point& at, bool sticks, Workspace& work) const
{
    if (static_cast<std::size_t>(contact) < inside_->constant_law.size() && inside_->constant_law[contact]) {
        return *inside_->constant_law[contact];
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
    State state;
    if (const BodyModel* bodies = model.bodies()) {
        state = make_body_state(*bodies);
        const bool fit = q.size() == model.coordinates() && u.size() == model.coordinates();
        if (fit) place_bodies(*bodies, view(q), view(u), state);
    }
    const auto contacts = static_cast<std::size_t>(model.contacts());
    state.t_s = t_s;
    state.q = q;
    state.u = u;
    state.percussion_Ns.assign(static_cast<std::size_t>(model.local_size()), 0.0);
    state.closed.assign(contacts, 0);
    state.slides.assign(contacts, 0);
    return state;
}

}  // namespace carom
