#include "carom/system/lagrangian/model.hpp"

#include "carom/expression/record.hpp"
#include "carom/law/law.hpp"
#include "check_constraints.hpp"
#include "core/dense.hpp"
#include "core/mistake.hpp"
#include "expression/homogeneity.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace carom {
namespace {

/// Refuses velocities where only the configuration and the time make sense.
void refuse_velocity(const Formula& formula, const std::string& key, const char* what, Errors& errors)
{
    if (formula.depends_on(Variable::Kind::Velocity)) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, key, fmt::format("{} names a velocity", what),
                                 "it may depend on coordinates, parameters and t"));
    }
}

template <class Named>
void refuse_duplicates(const std::vector<Named>& things, const char* kind, Errors& errors)
{
    std::vector<std::string_view> names;
    for (const auto& thing : things)
        names.push_back(thing.name);
    std::ranges::sort(names);
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (names[i] == names[i - 1]) {
            errors.push_back(mistake(ErrorCode::DuplicateName, fmt::format("{}.{}.name", kind, names[i]),
                                     fmt::format("two things are called {}", names[i]),
                                     "give each its own name"));
        }
    }
}

void check_kinetic(const LagrangianSystem& system, Errors& errors)
{
    if (system.kinetic.terms().empty()) {
        errors.push_back(mistake(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                                 "the kinetic energy is zero",
                                 "give the system its mass, for example kinetic = \"m/2*x'^2\""));
        return;
    }
    if (system.kinetic.depends_on(Variable::Kind::Time)) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "lagrangian.kinetic",
                                 "the kinetic energy names t",
                                 "carom's kinetic energy depends on coordinates and velocities only"));
    }
    if (!system.kinetic.quadratic_in_velocities()) {
        errors.push_back(mistake(ErrorCode::KineticNotQuadratic, "lagrangian.kinetic",
                                 "the kinetic energy is not a quadratic form of the velocities",
                                 "every term must hold two velocities, as in m/2*x'^2 or m*l*cos(a)*x'*a'"));
    }
}

/// Formulas over the point of a particle: x, y(, z) and t only.
void check_over_point(const Formula& formula, std::size_t d, const std::string& key, const char* what,
                      Errors& errors)
{
    refuse_velocity(formula, key, what, errors);
    for (const Term& term : formula.terms()) {
        for (const Variable& variable : term.variables()) {
            if (variable.kind != Variable::Kind::Coordinate || variable.index < static_cast<int>(d)) continue;
            errors.push_back(mistake(ErrorCode::NotAllowedHere, key,
                                     fmt::format("{} names z in a plane", what),
                                     "give the position three components, or leave z out"));
            return;
        }
    }
}

void check_particle(const ContactParticle& particle, const std::string& key, Errors& errors)
{
    const std::size_t d = particle.position.size();
    if (d != 2 && d != 3) {
        errors.push_back(mistake(ErrorCode::WrongSize, key + ".position",
                                 fmt::format("the position has {} components", d),
                                 "give two in the plane or three in space"));
        return;
    }
    bool moves = false;
    for (const Formula& x : particle.position) {
        refuse_velocity(x, key + ".position", "the position", errors);
        moves = moves || x.depends_on(Variable::Kind::Coordinate);
    }
    if (!moves) {
        errors.push_back(mistake(ErrorCode::GradientVanishes, key + ".position",
                                 "the position names no coordinate",
                                 "a contact needs a particle that the motion can bring to the obstacle"));
    }
    if (!particle.surface.depends_on(Variable::Kind::Coordinate)) {
        errors.push_back(mistake(ErrorCode::GradientVanishes, key + ".surface",
                                 "the surface names neither x nor y nor z: its normal vanishes",
                                 "write the surface as a formula of x, y, z and t that is positive where the "
                                 "particle may be, for example y"));
    }
    check_over_point(particle.surface, d, key + ".surface", "the surface", errors);
    const auto check_vector = [&](const std::vector<Formula>& vector, const char* name) {
        if (!vector.empty() && vector.size() != d) {
            errors.push_back(
                mistake(ErrorCode::WrongSize, fmt::format("{}.{}", key, name),
                        fmt::format("{} has {} components, the position {}", name, vector.size(), d),
                        "give as many as the position has"));
        }
        for (const Formula& component : vector) {
            check_over_point(component, d, fmt::format("{}.{}", key, name), name, errors);
        }
    };
    check_vector(particle.obstacle_velocity, "obstacle_velocity");
    check_vector(particle.tangent, "tangent");
}

/// As many tangential directions as friction has, each affine in the velocities.
void check_friction(const Contact& contact, const std::string& key, Errors& errors)
{
    if (!contact.friction) return;
    if (auto shape = check(contact.friction->shape); !shape) {
        Error error = shape.error();
        error.where = key + ".law";
        errors.push_back(std::move(error));
    }
    const std::size_t wanted = static_cast<std::size_t>(tangential_dimension(contact.friction->shape));
    const std::size_t given =
        contact.particle ? contact.particle->position.size() - 1 : contact.sliding.size();
    if (wanted != given) {
        errors.push_back(mistake(
            ErrorCode::WrongSize, key + (contact.particle ? ".position" : ".sliding"),
            fmt::format("the contact has {} tangential directions, its friction {}", given, wanted),
            "an interval is friction in the plane; a disc, an ellipse and a polygon are friction in space"));
    }
    for (const Formula& velocity : contact.sliding) {
        for (const Term& term : velocity.terms()) {
            if (homogeneous_in_velocities(term, 0) || homogeneous_in_velocities(term, 1)) continue;
            errors.push_back(mistake(ErrorCode::NotAllowedHere, key + ".sliding",
                                     "the sliding velocity is not linear in the velocities",
                                     "write it as a sum of velocities times functions of q and t"));
            break;
        }
    }
}

void check_contacts(const LagrangianSystem& system, Errors& errors)
{
    for (const Contact& contact : system.contacts) {
        const std::string key = "contact." + contact.name;
        check_friction(contact, key, errors);
        if (contact.particle) {
            check_particle(*contact.particle, key, errors);
            continue;
        }
        refuse_velocity(contact.gap, key + ".gap", "the gap", errors);
        if (!contact.gap.depends_on(Variable::Kind::Coordinate)) {
            errors.push_back(mistake(ErrorCode::GradientVanishes, key + ".gap", "the gap names no coordinate",
                                     "a contact needs a gap that the motion can open and close"));
        }
    }
}

void check_drawings(const LagrangianSystem& system, Errors& errors)
{
    for (std::size_t i = 0; i < system.drawings.size(); ++i) {
        const auto good = check(system.drawings[i], static_cast<int>(system.contacts.size()),
                                fmt::format("draw number {}", i + 1));
        if (!good) errors.push_back(good.error());
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
    const auto entries = [&] {
        const auto values = A.values();
        return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
    };
    const Eigen::VectorXd values = entries();
    if (!values.allFinite()) {
        errors.push_back(
            mistake(ErrorCode::NotFinite, "lagrangian.kinetic",
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
        same = same && entries().isApprox(values, 1e-9);
    }
    if (!same) {
        errors.push_back(mistake(ErrorCode::KineticNotQuadratic, "lagrangian.kinetic",
                                 "the kinetic energy is not a quadratic form of the velocities",
                                 "every term must hold two velocities, as in m/2*x'^2 or m*l*cos(a)*x'*a'"));
        return;
    }

    std::ranges::copy(values, A.values().begin());

    // looked at with the diagonal scaled to one, so that units do not decide what is small
    Eigen::VectorXd diagonal(model.coordinates());
    for (int i = 0; i < model.coordinates(); ++i) {
        diagonal[i] = values[model.mass_pattern().slot(i, i)];
    }
    Eigen::Index worst = 0;
    if (!(diagonal.minCoeff(&worst) > 0)) {
        errors.push_back(mistake(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                                 fmt::format("the mass of coordinate {} is {}",
                                             model.system().coordinates[static_cast<std::size_t>(worst)].name,
                                             diagonal[worst]),
                                 "every coordinate needs a positive mass or inertia"));
        return;
    }
    if (model.coordinates() > 500) {  // eigenvalues of large systems cost too much: the factor decides
        if (!A.factorise()) {
            errors.push_back(mistake(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                                     "the kinetic matrix is not positive definite at the start",
                                     "some velocity has no kinetic energy: check masses and couplings"));
        }
        return;
    }
    const Eigen::MatrixXd dense = A.dense();
    const Eigen::VectorXd root = diagonal.cwiseSqrt();
    const Eigen::MatrixXd scaled =
        root.cwiseInverse().asDiagonal() * dense * root.cwiseInverse().asDiagonal();
    const SymmetricEigenpairs spectrum = symmetric_eigenpairs_of(scaled);
    if (!(spectrum.values[0] > 1e-13)) {
        errors.push_back(
            mistake(ErrorCode::MetricNotPositive, "lagrangian.kinetic",
                    fmt::format("the kinetic matrix is singular or negative at the start: a velocity "
                                "along {} has no kinetic energy (smallest eigenvalue {:.3g} of the "
                                "scaled matrix)",
                                coordinate_list(model.system(), spectrum.vectors.col(0)), spectrum.values[0]),
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
        errors.push_back(mistake(ErrorCode::NotFinite, "lagrangian.potential",
                                 "the potential or its gradient is infinite or not a number at the start",
                                 "look for a division by zero at the start values"));
    }
    model.given_forces(at, view(gradient), work);
    for (int i = 0; i < model.coordinates(); ++i) {
        if (!std::isfinite(gradient[i])) {
            const auto& name = model.system().coordinates[static_cast<std::size_t>(i)].name;
            errors.push_back(mistake(ErrorCode::NotFinite, "lagrangian.forces." + name,
                                     fmt::format("the force on {} is {} at the start", name, gradient[i]),
                                     "look for a division by zero at the start values"));
        }
    }
}

/// Numbers of the law at the start, sliding and sticking.
void check_law_start(const Model& model, const Point& at, int c, const std::string& key, Errors& errors)
{
    Workspace work;
    for (const bool sticks : {false, true}) {
        if (auto checked = check(model.law(c, at, sticks, work)); !checked) {
            Error error = checked.error();
            const auto field = error.where.rfind("::");
            error.where =
                key + ".law" + (field == std::string::npos ? "" : "." + error.where.substr(field + 2));
            errors.push_back(std::move(error));
            return;
        }
    }
    const Law sliding = model.law(c, at, false, work), sticking = model.law(c, at, true, work);
    if (!std::holds_alternative<Coulomb>(sliding)) return;
    const double dynamic = std::get<Coulomb>(sliding).friction,
                 at_rest = std::get<Coulomb>(sticking).friction;
    if (at_rest < dynamic) {
        errors.push_back(
            mistake(ErrorCode::SettingOutOfRange, key + ".law.static_friction",
                    fmt::format("the static coefficient {} is below the dynamic one {}", at_rest, dynamic),
                    "give a static coefficient that is not smaller"));
    }
}

void check_contact_start(const Model& model, const State& state, double tolerance_m, int c, Errors& errors)
{
    Workspace work;
    const Point at = point_of(state);
    const Contact& contact = model.system().contacts[static_cast<std::size_t>(c)];
    const std::string key = "contact." + contact.name;
    const double gap = model.gap_m(c, at, work);
    const auto d = static_cast<std::size_t>(model.dimension(c));
    const auto n = static_cast<Eigen::Index>(model.support(c).size());
    Eigen::VectorXd H(n * static_cast<Eigen::Index>(d)), b(static_cast<Eigen::Index>(d));
    model.contact_rows(c, at, view(H), view(b), work);
    if (!std::isfinite(gap) || !b.allFinite() || !H.allFinite()) {
        errors.push_back(
            contact.particle
                ? mistake(ErrorCode::GradientVanishes, key + ".surface",
                          "the surface has no normal where the particle is at the start: its gradient "
                          "vanishes, or a formula is not finite",
                          "write the surface so that it crosses zero with a slope, e.g. y instead of "
                          "y^2")
                : mistake(ErrorCode::NotFinite, key + ".gap",
                          "the gap or its gradient is infinite or not a number at the start",
                          "look for a division by zero or a root at the start values"));
        return;
    }
    const std::string gap_key = key + (contact.particle ? ".surface" : ".gap");
    if (gap < -tolerance_m) {
        errors.push_back(
            mistake(ErrorCode::GapViolated, gap_key,
                    fmt::format("the gap {} is {} m at the start: the parts overlap", contact.name, gap),
                    "start with every gap >= 0; the admissible side is where the formula is positive"));
    }
    if (std::abs(gap) <= tolerance_m && H.head(n).isZero(0.0)) {
        errors.push_back(mistake(
            ErrorCode::GradientVanishes, gap_key, "the gap is zero and its gradient vanishes at the start",
            "write the gap so that it crosses zero with a slope, e.g. x instead of x^2"));
    }
    check_law_start(model, at, c, key, errors);
}

}  // namespace

namespace {

/// All but the kinetic energy, which bodies bring with them.
Errors mistakes_of(const LagrangianSystem& system)
{
    Errors errors;
    if (system.coordinates.empty()) {
        errors.push_back(mistake(ErrorCode::MissingKey, "coordinate", "the system has no coordinate",
                                 "describe at least one, with name and start"));
    }
    if (!system.forces.empty() && system.forces.size() != system.coordinates.size()) {
        errors.push_back(mistake(
            ErrorCode::WrongSize, "lagrangian.forces",
            fmt::format("{} forces for {} coordinates", system.forces.size(), system.coordinates.size()),
            "give one force per coordinate, or none"));
    }
    refuse_duplicates(system.coordinates, "coordinate", errors);
    refuse_duplicates(system.contacts, "contact", errors);
    refuse_duplicates(system.probes, "probe", errors);
    refuse_velocity(system.potential, "lagrangian.potential", "the potential", errors);
    check_contacts(system, errors);
    detail::check_constraints(system, errors);
    check_drawings(system, errors);
    return errors;
}

}  // namespace

Expected<Model, Errors> make_model(LagrangianSystem system)
{
    Errors errors = mistakes_of(system);
    check_kinetic(system, errors);
    if (!errors.empty()) return errors;
    return Model(std::move(system));
}

Expected<Model, Errors> make_model(std::shared_ptr<const BodyModel> bodies, LagrangianSystem beside)
{
    const auto factors = std::make_shared<const BodyFactors>(std::move(bodies));
    if (Errors errors = factors->mistakes(); !errors.empty()) return errors;
    if (beside.coordinates.empty()) beside.coordinates = coordinate_names(factors->bodies().setup());
    Errors errors = mistakes_of(beside);
    if (static_cast<int>(beside.coordinates.size()) > factors->coordinates()) check_kinetic(beside, errors);
    if (!errors.empty()) return errors;
    return Model(std::move(beside), factors);
}

Errors check_start(const Model& model, const State& state, double tolerance_m)
{
    Errors errors;
    if (state.q.size() != model.coordinates() || state.u.size() != model.coordinates() ||
        state.percussion_Ns.size() != static_cast<std::size_t>(model.local_size()) ||
        state.closed.size() != static_cast<std::size_t>(model.contacts()) ||
        state.slides.size() != static_cast<std::size_t>(model.contacts())) {
        errors.push_back(mistake(ErrorCode::WrongSize, "State", "the state does not fit the model",
                                 "make it with make_state"));
        return errors;
    }
    for (int i = 0; i < model.coordinates(); ++i) {
        if (!std::isfinite(state.q[i]) || !std::isfinite(state.u[i])) {
            const auto& name = model.system().coordinates[static_cast<std::size_t>(i)].name;
            errors.push_back(
                mistake(ErrorCode::NotFinite, fmt::format("coordinate.{}.start", name),
                        fmt::format("{} starts at {} with velocity {}", name, state.q[i], state.u[i]),
                        "give finite numbers"));
        }
    }
    if (!errors.empty()) return errors;

    if (model.coordinates() > model.body_coordinates()) check_metric(model, state, errors);
    check_energies(model, state, errors);
    for (int c = 0; c < model.contacts(); ++c) {
        check_contact_start(model, state, tolerance_m, c, errors);
    }
    if (errors.empty()) detail::check_constraints_start(model, state, tolerance_m, errors);
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
        return mistake(
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
