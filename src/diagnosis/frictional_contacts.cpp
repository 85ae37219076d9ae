#include "expression/term.hpp"
#include "interval_proofs.hpp"
#include "state_samples.hpp"
#include "well_posedness_words.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace carom::detail {
namespace {

bool is_number(const Formula& formula)
{
    return std::ranges::all_of(formula.terms(), [](const Term& term) { return term.variables().empty(); });
}

bool is_zero(const Formula& formula)
{
    Workspace work;
    return is_number(formula) && formula.value({}, work) == 0;
}

/// H is the same everywhere and b depends on the time alone, by the structure of the formulas: in a frame that
/// moves with the obstacle it rests (WP-8).
bool rests_in_a_moving_frame(const Contact& contact)
{
    using Kind = Variable::Kind;
    const auto keeps_its_gradient = [](const Formula& formula) {
        return has_constant_gradient(formula, {Kind::Coordinate});
    };
    const auto goes_by_time = [](const Formula& velocity) { return !velocity.depends_on(Kind::Coordinate); };
    if (contact.particle) {
        const ContactParticle& particle = *contact.particle;
        return std::ranges::all_of(particle.position, keeps_its_gradient) &&
               keeps_its_gradient(particle.surface) && std::ranges::all_of(particle.tangent, is_number) &&
               std::ranges::all_of(particle.obstacle_velocity, goes_by_time);
    }
    return keeps_its_gradient(contact.gap) &&
           std::ranges::all_of(contact.sliding, [&](const Formula& velocity) {
               return goes_by_time(velocity) && has_constant_gradient(velocity, {Kind::Velocity});
           });
}

/// The obstacle moves, or its surface does: b is not zero everywhere. Sliding velocities are sampled.
bool obstacle_moves(const Model& model, int contact, const State& start,
                    std::span<const ClosedConfiguration> places)
{
    const Contact& here = model.system().contacts[static_cast<std::size_t>(contact)];
    const auto by_time = [](const Formula& formula) { return formula.depends_on(Variable::Kind::Time); };
    if (here.particle) {
        const ContactParticle& particle = *here.particle;
        return by_time(particle.surface) || std::ranges::any_of(particle.position, by_time) ||
               !std::ranges::all_of(particle.obstacle_velocity, is_zero);
    }
    if (by_time(here.gap) || std::ranges::any_of(here.sliding, by_time)) return true;
    Workspace work;
    State at = start;
    at.u.setZero();
    const auto slides_at_rest = [&](const Eigen::VectorXd& q) {
        at.q = q;
        return std::ranges::any_of(
            here.sliding, [&](const Formula& velocity) { return velocity.value(point_of(at), work) != 0; });
    };
    return slides_at_rest(start.q) || std::ranges::any_of(places, [&](const ClosedConfiguration& place) {
               return slides_at_rest(place.q);
           });
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
std::string not_particles(const Model& model, const State& start, std::span<const ClosedConfiguration> places,
                          bool& shown)
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
        if (obstacle_moves(model, c, start, places) && !rests_in_a_moving_frame(contact))
            return fmt::format("the obstacle of {} moves", contact.name);
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
        if (is_plain_particle(model, contact) || rests_in_a_moving_frame(contact)) continue;
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

}  // namespace

void judge_friction(const Model& model, const State& start, const WellPosednessSettings& settings,
                    WellPosedness& result)
{
    const auto rubs = [](const Contact& contact) { return contact.friction.has_value(); };
    const auto& contacts = model.system().contacts;
    if (std::ranges::none_of(contacts, rubs)) return;

    // particles, each with an obstacle of its own: one motion (WP-10)
    bool shown = true;
    const std::string reason = not_particles(model, start, result.search.samples, shown);
    if (reason.empty()) {
        const std::string pair = viscous_pair(model);
        if (!pair.empty()) {
            add(result, "velocity_coupling", Bearing::CostsUniqueness,
                fmt::format(
                    "{}: uniqueness is proved only without viscous forces between particles in contact",
                    pair),
                "CB14 theorem 2.1 (iii)");
        } else {
            bool moves = false;
            for (int c = 0; c < model.contacts(); ++c)
                moves = moves || obstacle_moves(model, c, start, result.search.samples);
            add(result, "friction_of_particles", shown ? Bearing::Holds : Bearing::Unrefuted,
                fmt::format(
                    "particles, each with an obstacle of its own{}, have Coulomb friction, and no force on "
                    "one of them depends on the velocity of another: one motion{}",
                    moves ? " that rests in a frame that moves with it" : "",
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
