#include "carom/model/model.hpp"

#include "carom/expression/record.hpp"
#include "carom/law/law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace carom {
namespace {

Error at_key(ErrorCode code, std::string key, std::string message, std::string hint)
{
    return {.code = code,
            .where = std::move(key),
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// Refuses velocities where only the configuration and the time make sense.
void refuse_velocity(const Formula& formula, const std::string& key, const char* what, Errors& errors)
{
    if (formula.depends_on(Variable::Kind::Velocity)) {
        errors.push_back(at_key(ErrorCode::NotAllowedHere, key, fmt::format("{} names a velocity", what),
                                "it may depend on coordinates, parameters and t"));
    }
}

template <class Named>
void refuse_duplicates(const std::vector<Named>& things, const char* kind, Errors& errors)
{
    std::set<std::string> seen;
    for (const auto& thing : things) {
        if (!seen.insert(thing.name).second) {
            errors.push_back(at_key(ErrorCode::DuplicateName, fmt::format("{}.{}.name", kind, thing.name),
                                    fmt::format("two things are called {}", thing.name),
                                    "give each its own name"));
        }
    }
}

void check_kinetic(const LagrangianSystem& system, Errors& errors)
{
    if (system.kinetic.terms().empty()) {
        errors.push_back(at_key(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                                "the kinetic energy is zero",
                                "give the system its mass, for example kinetic = \"m/2*x'^2\""));
        return;
    }
    if (system.kinetic.depends_on(Variable::Kind::Time)) {
        errors.push_back(at_key(ErrorCode::NotAllowedHere, "lagrangian.kinetic", "the kinetic energy names t",
                                "carom's kinetic energy depends on coordinates and velocities only"));
    }
    if (!system.kinetic.quadratic_in_velocities()) {
        errors.push_back(at_key(ErrorCode::KineticNotQuadratic, "lagrangian.kinetic",
                                "the kinetic energy is not a quadratic form of the velocities",
                                "every term must hold two velocities, as in m/2*x'^2 or m*l*cos(a)*x'*a'"));
    }
}

void check_contacts(const LagrangianSystem& system, Errors& errors)
{
    for (const Contact& contact : system.contacts) {
        const std::string key = "contact." + contact.name;
        refuse_velocity(contact.gap, key + ".gap", "the gap", errors);
        if (!contact.gap.depends_on(Variable::Kind::Coordinate)) {
            errors.push_back(at_key(ErrorCode::GradientVanishes, key + ".gap", "the gap names no coordinate",
                                    "a contact needs a gap that the motion can open and close"));
        }
    }
}

std::string coordinate_list(const LagrangianSystem& system, const Eigen::VectorXd& direction)
{
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    return system.coordinates[static_cast<std::size_t>(largest)].name;
}

/// A must be positive definite; if not, names the coordinate that moves most in the offending direction.
void check_metric(const Model& model, const State& state, Errors& errors)
{
    Workspace work;
    MassMatrix A(model.mass_pattern());
    Eigen::VectorXd c(model.coordinates());
    model.kinetic_terms(point_of(state), A, view(c), work);
    const Eigen::MatrixXd dense = A.dense();
    if (!dense.allFinite()) {
        errors.push_back(
            at_key(ErrorCode::NotFinite, "lagrangian.kinetic",
                   "the kinetic energy is infinite or not a number at the start",
                   "look for a division by zero or a root of a negative number at the start values"));
        return;
    }

    // a form of degree two that is not quadratic, such as x'*abs(x'), has a matrix that depends on the
    // velocity
    const Eigen::VectorXd some = Eigen::VectorXd::LinSpaced(model.coordinates(), -1.0, 0.7), back = -some;
    bool same = true;
    for (const Eigen::VectorXd& u : {some, back}) {
        model.kinetic_terms({view(state.q), view(u), state.t_s}, A, view(c), work);
        same = same && A.dense().isApprox(dense, 1e-9);
    }
    if (!same) {
        errors.push_back(at_key(ErrorCode::KineticNotQuadratic, "lagrangian.kinetic",
                                "the kinetic energy is not a quadratic form of the velocities",
                                "every term must hold two velocities, as in m/2*x'^2 or m*l*cos(a)*x'*a'"));
        return;
    }

    // looked at with the diagonal scaled to one, so that units do not decide what is small
    const Eigen::VectorXd diagonal = dense.diagonal();
    Eigen::Index worst = 0;
    if (!(diagonal.minCoeff(&worst) > 0)) {
        errors.push_back(at_key(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                                fmt::format("the mass of coordinate {} is {}",
                                            model.system().coordinates[static_cast<std::size_t>(worst)].name,
                                            diagonal[worst]),
                                "every coordinate needs a positive mass or inertia"));
        return;
    }
    if (model.coordinates() > 500) {  // eigenvalues of large systems cost too much: the factor decides
        if (!A.factorise()) {
            errors.push_back(at_key(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                                    "the kinetic matrix is not positive definite at the start",
                                    "some velocity has no kinetic energy: check masses and couplings"));
        }
        return;
    }
    const Eigen::VectorXd root = diagonal.cwiseSqrt();
    const Eigen::MatrixXd scaled =
        root.cwiseInverse().asDiagonal() * dense * root.cwiseInverse().asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(scaled);
    if (!(spectrum.eigenvalues()[0] > 1e-13)) {
        errors.push_back(
            at_key(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                   fmt::format("the kinetic matrix is singular or negative at the start: a velocity "
                               "along {} has no kinetic energy (smallest eigenvalue {:.3g} of the "
                               "scaled matrix)",
                               coordinate_list(model.system(), spectrum.eigenvectors().col(0)),
                               spectrum.eigenvalues()[0]),
                   "every motion of the coordinates must move a mass"));
    }
}

void check_energies(const Model& model, const State& state, Errors& errors)
{
    Workspace work;
    const Point at = point_of(state);
    Eigen::VectorXd gradient(model.coordinates());
    const double rate = model.potential_gradient(at, view(gradient), work);
    if (!std::isfinite(model.potential_energy(at, work) + rate) || !gradient.allFinite()) {
        errors.push_back(at_key(ErrorCode::NotFinite, "lagrangian.potential",
                                "the potential or its gradient is infinite or not a number at the start",
                                "look for a division by zero at the start values"));
    }
    model.given_forces(at, view(gradient), work);
    for (int i = 0; i < model.coordinates(); ++i) {
        if (!std::isfinite(gradient[i])) {
            const auto& name = model.system().coordinates[static_cast<std::size_t>(i)].name;
            errors.push_back(at_key(ErrorCode::NotFinite, "lagrangian.forces." + name,
                                    fmt::format("the force on {} is {} at the start", name, gradient[i]),
                                    "look for a division by zero at the start values"));
        }
    }
}

void check_contact_start(const Model& model, const State& state, double tolerance_m, int c, Errors& errors)
{
    Workspace work;
    const Point at = point_of(state);
    const Contact& contact = model.system().contacts[static_cast<std::size_t>(c)];
    const std::string key = "contact." + contact.name;
    const double gap = model.gap_m(c, at, work);
    Eigen::VectorXd H(static_cast<Eigen::Index>(model.support(c).size()));
    const double b = model.gap_gradient(c, at, view(H), work);
    if (!std::isfinite(gap) || !std::isfinite(b) || !H.allFinite()) {
        errors.push_back(at_key(ErrorCode::NotFinite, key + ".gap",
                                "the gap or its gradient is infinite or not a number at the start",
                                "look for a division by zero or a root at the start values"));
        return;
    }
    if (gap < -tolerance_m) {
        errors.push_back(
            at_key(ErrorCode::GapViolated, key + ".gap",
                   fmt::format("the gap {} is {} m at the start: the parts overlap", contact.name, gap),
                   "begin with every gap >= 0; the admissible side is where the formula is positive"));
    }
    if (std::abs(gap) <= tolerance_m && H.isZero(0.0)) {
        errors.push_back(at_key(ErrorCode::GradientVanishes, key + ".gap",
                                "the gap is zero and its gradient vanishes at the start",
                                "write the gap so that it crosses zero with a slope, e.g. x instead of x^2"));
    }
    const double e = model.restitution(c, at, work);
    if (auto checked = check(Law{Unilateral{.restitution = e}}); !checked) {
        Error error = checked.error();
        error.where = key + ".law.restitution";
        errors.push_back(std::move(error));
    }
}

}  // namespace

Expected<Model, Errors> make_model(LagrangianSystem system)
{
    Errors errors;
    if (system.coordinates.empty()) {
        errors.push_back(at_key(ErrorCode::MissingKey, "coordinate", "the system has no coordinate",
                                "describe at least one, with name and start"));
    }
    if (!system.forces.empty() && system.forces.size() != system.coordinates.size()) {
        errors.push_back(at_key(
            ErrorCode::WrongSize, "lagrangian.forces",
            fmt::format("{} forces for {} coordinates", system.forces.size(), system.coordinates.size()),
            "give one force per coordinate, or none"));
    }
    refuse_duplicates(system.coordinates, "coordinate", errors);
    refuse_duplicates(system.contacts, "contact", errors);
    refuse_duplicates(system.probes, "probe", errors);
    check_kinetic(system, errors);
    refuse_velocity(system.potential, "lagrangian.potential", "the potential", errors);
    check_contacts(system, errors);

    if (!errors.empty()) return errors;
    return Model(std::move(system));
}

Errors check_start(const Model& model, const State& state, double tolerance_m)
{
    Errors errors;
    if (state.q.size() != model.coordinates() || state.u.size() != model.coordinates() ||
        state.percussion_Ns.size() != static_cast<std::size_t>(model.contacts()) ||
        state.closed.size() != static_cast<std::size_t>(model.contacts())) {
        errors.push_back(at_key(ErrorCode::WrongSize, "State", "the state does not fit the model",
                                "make it with make_state"));
        return errors;
    }
    for (int i = 0; i < model.coordinates(); ++i) {
        if (!std::isfinite(state.q[i]) || !std::isfinite(state.u[i])) {
            const auto& name = model.system().coordinates[static_cast<std::size_t>(i)].name;
            errors.push_back(
                at_key(ErrorCode::NotFinite, fmt::format("coordinate.{}.start", name),
                       fmt::format("{} starts at {} with velocity {}", name, state.q[i], state.u[i]),
                       "give finite numbers"));
        }
    }
    if (!errors.empty()) return errors;

    check_metric(model, state, errors);
    check_energies(model, state, errors);
    for (int c = 0; c < model.contacts(); ++c) {
        check_contact_start(model, state, tolerance_m, c, errors);
    }
    return errors;
}

ImpactMap impact_map_of(std::vector<Formula> velocities_after)
{
    return [formulas = std::move(velocities_after)](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        Workspace work;
        Eigen::VectorXd u_plus = u_minus;
        for (std::size_t i = 0; i < formulas.size(); ++i) {
            u_plus[static_cast<Eigen::Index>(i)] =
                formulas[i].value({view(site.q), view(u_minus), site.t_s}, work);
        }
        return u_plus;
    };
}

Expected<Formula> kinetic_energy_of(const Eigen::MatrixXd& A)
{
    if (A.rows() != A.cols() || A.rows() == 0 || !A.allFinite() || !A.isApprox(A.transpose(), 1e-14)) {
        return at_key(
            ErrorCode::WrongSize, "kinetic_energy_of",
            fmt::format("the kinetic matrix is {} x {}, or not symmetric, or not finite", A.rows(), A.cols()),
            "give a square symmetric matrix of numbers");
    }
    const int n = static_cast<int>(A.rows());
    return record(n, [&](const auto& /*q*/, const auto& u, const auto& /*t*/) {
        auto sum = 0.5 * A(0, 0) * u[0] * u[0];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                if (A(i, j) == 0 || (i == 0 && j == 0)) continue;
                sum = sum + (i == j ? 0.5 : 1.0) * A(i, j) * u[i] * u[j];
            }
        }
        return sum;
    });
}

}  // namespace carom
