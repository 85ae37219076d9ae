#include "core/dense.hpp"
#include "expression/term.hpp"
#include "state_samples.hpp"
#include "well_posedness_words.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace carom::detail {
namespace {

/// Sliding velocities below this part of what meets there count as none.
constexpr double no_sliding = 1e-9;

/// Sets of contacts whose continuations are enumerated.
constexpr std::size_t max_enumerated = 10;

bool is_number(const Formula& formula)
{
    return std::ranges::all_of(formula.terms(), [](const Term& term) { return term.variables().empty(); });
}

bool is_zero(const Formula& formula)
{
    Workspace work;
    return is_number(formula) && formula.value({}, work) == 0;
}

bool is_isotropic(const FrictionShape& shape)
{
    const auto* interval = std::get_if<FrictionInterval>(&shape);
    return std::holds_alternative<FrictionDisc>(shape) ||
           (interval != nullptr && interval->low == -1 && interval->high == 1);
}

/// Affine in the coordinates, by samples of its rows: they are the same everywhere.
bool has_constant_rows(const Model& model, int contact, const State& start, std::span<const State> samples)
{
    Workspace work;
    const auto rows_of = [&](const State& at) {
        const auto dimension = static_cast<std::size_t>(model.dimension(contact));
        std::vector<double> H(dimension * model.support(contact).size()), b(dimension);
        model.contact_rows(contact, point_of(at), H, b, work);
        H.insert(H.end(), b.begin(), b.end());
        return H;
    };
    const auto first = rows_of(start);
    return std::ranges::all_of(samples, [&](const State& at) { return rows_of(at) == first; });
}

/// The particle is its coordinates: position = [x, y(, z)].
bool is_plain_particle(const Model& model, const Contact& contact)
{
    if (!contact.particle || !model.has_constant_mass()) return false;
    std::set<int> used;
    for (const Formula& component : contact.particle->position) {
        if (component.terms().size() != 1) return false;
        const Term& term = component.terms().front();
        if (term.tape().size() != 1 || term.variables().size() != 1) return false;
        if (term.variables().front().kind != Variable::Kind::Coordinate) return false;
        used.insert(term.variables().front().index);
    }
    return used.size() == contact.particle->position.size();
}

/// W of one contact at a configuration is a number times the identity: that of a particle with its own mass.
bool has_isotropic_mass(const Model& model, int contact, const State& at)
{
    const auto A = metric_at(model, at.q);
    if (!A) return false;
    Workspace work;
    const auto support = model.support(contact);
    const auto dimension = static_cast<std::size_t>(model.dimension(contact));
    std::vector<double> entries(dimension * support.size()), b(dimension);
    model.contact_rows(contact, point_of(at), entries, b, work);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(dimension), model.coordinates());
    for (std::size_t r = 0; r < dimension; ++r) {
        for (std::size_t p = 0; p < support.size(); ++p)
            H(static_cast<Eigen::Index>(r), support[p]) = entries[r * support.size() + p];
    }
    const Eigen::MatrixXd G = A->whitened_covectors(H.transpose());
    const Eigen::MatrixXd W = G.transpose() * G;
    const double size = W.diagonal().mean();
    return (W - size * Eigen::MatrixXd::Identity(W.rows(), W.cols())).norm() <= 1e-9 * size;
}

/// Why theorem 2.1 of CB14 does not speak about a system; empty: it does. `shown` becomes false where that
/// was only seen in samples.
std::string not_particles(const Model& model, const State& start, std::span<const State> samples,
                          std::span<const ClosedConfiguration> places, bool& shown)
{
    const LagrangianSystem& system = model.system();
    if (system.impact_map) return "an impact map acts";
    if (model.constraints() > 0) return "constraints act beside the contacts";
    if (!model.has_constant_mass()) return "the kinetic matrix depends on the configuration";
    std::vector<int> owner(static_cast<std::size_t>(model.coordinates()), -1);
    for (int c = 0; c < model.contacts(); ++c) {
        const Contact& contact = system.contacts[static_cast<std::size_t>(c)];
        for (const int i : model.support(c)) {
            int& of = owner[static_cast<std::size_t>(i)];
            if (of >= 0)
                return fmt::format("{} and {} hold the same particle",
                                   system.contacts[static_cast<std::size_t>(of)].name, contact.name);
            of = c;
        }
        const bool steady =
            !contact.gap.depends_on(Variable::Kind::Time) &&
            (!contact.particle || (!contact.particle->surface.depends_on(Variable::Kind::Time) &&
                                   contact.particle->obstacle_velocity.empty()));
        if (!steady) return fmt::format("the obstacle of {} moves", contact.name);
        if (!is_number(contact.restitution))
            return fmt::format("the restitution of {} changes", contact.name);
        if (!contact.friction) continue;
        if (!is_number(contact.friction->coefficient) || contact.friction->static_coefficient)
            return fmt::format("the coefficient of friction of {} is not one number", contact.name);
        if (!is_isotropic(contact.friction->shape))
            return fmt::format("the friction of {} depends on the direction or has no bound", contact.name);
        if (!is_zero(contact.friction->tangential_restitution))
            return fmt::format("{} has a tangential restitution", contact.name);
    }
    for (const auto& [row, column] : model.mass_pattern().entries()) {
        const int a = owner[static_cast<std::size_t>(row)], b = owner[static_cast<std::size_t>(column)];
        if (a != b && (a >= 0 || b >= 0)) return "the kinetic energy couples particles";
    }
    for (int c = 0; c < model.contacts(); ++c) {
        const Contact& contact = system.contacts[static_cast<std::size_t>(c)];
        if (model.dimension(c) == 1) continue;
        if (static_cast<int>(model.support(c).size()) != model.dimension(c))
            return fmt::format("{} belongs to a body, not to a particle", contact.name);
        const std::string body = fmt::format("{} has no particle's inertia at its contact", contact.name);
        if (!has_isotropic_mass(model, c, start)) return body;
        if (is_plain_particle(model, contact) || has_constant_rows(model, c, start, samples)) continue;
        for (const ClosedConfiguration& place : places) {
            State at = start;
            at.q = place.q;
            if (std::ranges::find(place.contacts, c) != place.contacts.end() &&
                !has_isotropic_mass(model, c, at))
                return body;
        }
        shown = false;
    }
    return {};
}

/// CB14 (iii): a force on one particle in contact that depends on the velocity of another one.
std::string viscous_pair(const Model& model)
{
    std::vector<int> owner(static_cast<std::size_t>(model.coordinates()), -1);
    for (int c = 0; c < model.contacts(); ++c) {
        for (const int i : model.support(c))
            owner[static_cast<std::size_t>(i)] = c;
    }
    const auto& contacts = model.system().contacts;
    const auto& forces = model.system().forces;
    for (std::size_t i = 0; i < forces.size(); ++i) {
        if (owner[i] < 0) continue;
        for (const Term& term : forces[i].terms()) {
            for (const Variable& variable : term.variables()) {
                if (variable.kind != Variable::Kind::Velocity) continue;
                const int other = owner[static_cast<std::size_t>(variable.index)];
                if (other < 0 || other == owner[i]) continue;
                return fmt::format("the force on {} depends on the velocity of {}",
                                   contacts[static_cast<std::size_t>(owner[i])].name,
                                   contacts[static_cast<std::size_t>(other)].name);
            }
        }
    }
    return {};
}

/// Closed contacts of the start that stay closed to first order, with the accelerations of their gaps.
struct ClosedStart {
    std::vector<int> contacts;
    Eigen::MatrixXd W;     ///< accelerations of gaps per normal force, friction of sliding contacts included;
                           ///< empty where contacts are too many to be enumerated
    Eigen::VectorXd free;  ///< accelerations of gaps without reactions
    std::vector<double> margin;  ///< W_NN - mu sigma.W_NT of each alone, over W_NN
    bool sticks = false;  ///< some contact with friction does not slide: its force has no given direction
};

/// U_N of a contact a moment later on the motion without reactions.
double later_velocity(const Model& model, int contact, const State& start, const Eigen::VectorXd& a,
                      double dt)
{
    Workspace work;
    State at = start;
    at.q += dt * start.u + dt * dt / 2 * a;
    at.u += dt * a;
    at.t_s += dt;
    const auto support = model.support(contact);
    std::vector<double> row(support.size());
    double U = model.gap_gradient(contact, point_of(at), row, work);
    for (std::size_t p = 0; p < support.size(); ++p)
        U += row[p] * at.u[support[p]];
    return U;
}

ClosedStart closed_start(const Model& model, const State& start, const WellPosednessSettings& settings,
                         const WellPosedness& result)
{
    ClosedStart closed;
    const auto A = metric_at(model, start.q);
    if (!A) return closed;
    Workspace work;
    std::vector<Eigen::VectorXd> normal, pushed;  // rows of gaps, and what a unit normal force pushes
    for (std::size_t k = 0; k < result.start.contacts.size(); ++k) {
        const int c = result.start.contacts[k];
        const auto support = model.support(c);
        const auto dimension = static_cast<std::size_t>(model.dimension(c));
        std::vector<double> H(dimension * support.size()), b(dimension);
        model.contact_rows(c, point_of(start), H, b, work);
        std::vector<Eigen::VectorXd> rows(dimension, Eigen::VectorXd::Zero(model.coordinates()));
        Eigen::VectorXd U(static_cast<Eigen::Index>(dimension));
        double meets = 0;
        for (std::size_t r = 0; r < dimension; ++r) {
            for (std::size_t p = 0; p < support.size(); ++p)
                rows[r][support[p]] = H[r * support.size() + p];
            U[static_cast<Eigen::Index>(r)] = rows[r].dot(start.u) + b[r];
            meets += rows[r].cwiseAbs().dot(start.u.cwiseAbs()) + std::abs(b[r]);
        }
        if (std::abs(U[0]) > no_sliding * meets) continue;  // leaves, or an impact comes first
        Eigen::VectorXd push = rows[0];
        if (dimension > 1) {
            const Eigen::VectorXd U_T = U.tail(U.size() - 1);
            const auto& friction = *model.system().contacts[static_cast<std::size_t>(c)].friction;
            if (U_T.norm() <= no_sliding * meets || !is_isotropic(friction.shape)) {
                closed.sticks = true;
                continue;
            }
            const double mu = friction.coefficient.value(point_of(start), work);
            for (Eigen::Index r = 0; r < U_T.size(); ++r)
                push -= mu * U_T[r] / U_T.norm() * rows[static_cast<std::size_t>(r) + 1];
        }
        closed.contacts.push_back(c);
        normal.push_back(rows[0]);
        pushed.push_back(push);
    }
    const auto m = static_cast<Eigen::Index>(closed.contacts.size());
    const bool is_enumerated = closed.contacts.size() <= max_enumerated;
    if (is_enumerated) closed.W.resize(m, m);
    closed.free.resize(m);
    Dynamics dynamics(model);
    const Eigen::VectorXd a = dynamics.acceleration(start);
    const double dt = 1e-5 * std::max(settings.duration_s, 1e-3);
    for (Eigen::Index i = 0; i < m; ++i) {
        for (Eigen::Index j = 0; is_enumerated && j < m; ++j)
            closed.W(i, j) =
                normal[static_cast<std::size_t>(i)].dot(A->solve(pushed[static_cast<std::size_t>(j)]));
        const int c = closed.contacts[static_cast<std::size_t>(i)];
        closed.free[i] =
            (later_velocity(model, c, start, a, dt) - later_velocity(model, c, start, a, -dt)) / (2 * dt);
        const Eigen::VectorXd &row = normal[static_cast<std::size_t>(i)],
                              &push = pushed[static_cast<std::size_t>(i)];
        closed.margin.push_back(row.dot(A->solve(push)) / row.dot(A->solve(row)));
    }
    return closed;
}

/// How many continuations without a jump: sets of pressing contacts with F >= 0 that hold their gaps while
/// the others open. Isolated ones only: a singular set counts as undecided, -1.
int continuations(const ClosedStart& closed)
{
    const auto m = static_cast<Eigen::Index>(closed.contacts.size());
    const double size = closed.free.cwiseAbs().maxCoeff() + 1e-300;
    int found = 0;
    for (unsigned set = 0; set < (1U << static_cast<unsigned>(m)); ++set) {
        std::vector<int> pressing;
        for (int i = 0; i < m; ++i) {
            if ((set >> static_cast<unsigned>(i)) & 1U) pressing.push_back(i);
        }
        Eigen::VectorXd F = Eigen::VectorXd::Zero(m);
        if (!pressing.empty()) {
            const FullLu lu(closed.W(pressing, pressing));
            if (!lu.is_invertible()) return -1;
            F(pressing) = lu.solve(-closed.free(pressing));
        }
        const Eigen::VectorXd gap = closed.free + closed.W * F;
        bool good = true;
        for (int i = 0; i < m; ++i) {
            const bool presses = ((set >> static_cast<unsigned>(i)) & 1U) != 0;
            if (presses ? !(F[i] > 0) : !(gap[i] >= -1e-9 * size)) good = false;
            if (!presses && std::abs(gap[i]) <= 1e-9 * size && m > 1) return -1;  // decided by higher orders
        }
        if (good) ++found;
    }
    return found;
}

/// (WP-11): sliding contacts of the start against Painleve's condition.
void judge_painleve(const Model& model, const State& start, const WellPosednessSettings& settings,
                    WellPosedness& result)
{
    const ClosedStart closed = closed_start(model, start, settings, result);
    for (std::size_t k = 0; k < closed.contacts.size(); ++k) {
        if (closed.margin[k] > 0) continue;
        const std::string name = names_of(model, {&closed.contacts[k], 1}).front();
        const bool can_tell = !closed.sticks && closed.contacts.size() <= max_enumerated;
        const int found = can_tell ? continuations(closed) : -1;
        if (found == 0) {
            add(result, "no_continuation", Bearing::CostsExistence,
                fmt::format(
                    "{} slides at the start with W_NN - mu sigma W_NT = {:.4g} W_NN, not positive, and its "
                    "gap would close: no force can hold it open, the motion continues only with a velocity "
                    "jump",
                    name, closed.margin[k]),
                "Painleve 1895; M88 14; docs/theory/well_posedness.md (WP-11)");
        } else if (found > 1) {
            add(result, "several_continuations", Bearing::CostsUniqueness,
                fmt::format(
                    "{} slides at the start with W_NN - mu sigma W_NT = {:.4g} W_NN, not positive: {} "
                    "continuations satisfy all laws, with and without a force of the contact",
                    name, closed.margin[k], found),
                "Painleve 1895; M88 14; docs/theory/well_posedness.md (WP-11)");
        } else {
            add(result, "painleve", Bearing::CostsExistence,
                fmt::format(
                    "{} slides at the start with W_NN - mu sigma W_NT = {:.4g} W_NN, not positive: the "
                    "motion may have no continuation or several",
                    name, closed.margin[k]),
                "Painleve 1895; M88 14; docs/theory/well_posedness.md (WP-11)");
        }
        return;
    }
}

}  // namespace

void judge_friction(const Model& model, const State& start, const WellPosednessSettings& settings,
                    WellPosedness& result)
{
    const auto rubs = [](const Contact& contact) { return contact.friction.has_value(); };
    const auto& contacts = model.system().contacts;
    if (std::ranges::none_of(contacts, rubs)) return;

    // particles, each with an obstacle of its own: one motion (WP-10)
    bool shown = true;
    const auto samples = sampled_states(model, start, settings);
    const std::string reason = not_particles(model, start, samples, result.search.samples, shown);
    if (reason.empty()) {
        const std::string pair = viscous_pair(model);
        if (!pair.empty()) {
            add(result, "velocity_coupling", Bearing::CostsUniqueness,
                fmt::format(
                    "{}: uniqueness is proved only without viscous forces between particles in contact",
                    pair),
                "CB14 theorem 2.1 (iii)");
        } else {
            add(result, "friction_of_particles", shown ? Bearing::Holds : Bearing::Unrefuted,
                fmt::format(
                    "particles, each with an obstacle of its own, have Coulomb friction, and no force on one "
                    "of them depends on the velocity of another: one motion{}",
                    shown ? "" : "; that they are particles was tested in samples only"),
                "CB14 theorem 2.1 and section 5");
        }
        return;
    }
    for (const Contact& contact : contacts) {
        if (!rubs(contact)) continue;
        add(result, "friction", Bearing::CostsExistence,
            fmt::format("the contact {} has friction, and {}: no theorem guarantees existence or uniqueness",
                        contact.name, reason),
            "CB14 theorem 2.1; B02 example 13; M88 14");
    }
    judge_painleve(model, start, settings, result);
}

}  // namespace carom::detail
