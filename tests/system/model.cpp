#include "carom/system/lagrangian/model.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include "carom/expression/record.hpp"
#include "expression/workspace.hpp"
#include "support/near.hpp"
#include "support/property.hpp"
#include "support/systems.hpp"
#include "system/lagrangian/contact_coupling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace carom;
using test::model_of;
using test::near;
using test::system_of;
using test::vector;

namespace {

/// Two homogeneous bars, B02 example 4: m1 = 1, m2 = 0.7, l1 = 1, l2 = 0.8.
const test::Sketch double_pendulum{
    .coordinates = {"q1", "q2"},
    .kinetic = "((1/3 + 0.7)*q1'^2 + 0.7*0.8^2/3*q2'^2 + 0.7*0.8*cos(q1 - q2)*q1'*q2')/2",
    .potential = "0",
    .forces = {"sin(q1 - q2) - 3.5*q1 + 1.5*q2", "1.5*(q1 - q2)"},
    .contacts = {{"joint", "sin(q1)"}, {"tip", "sin(q1) + 0.8*sin(q2)"}}};

bool has_code(const Errors& errors, ErrorCode code)
{
    return std::any_of(errors.begin(), errors.end(), [&](const Error& error) { return error.code == code; });
}

Errors errors_of(const test::Sketch& sketch)
{
    const auto model = make_model(system_of(sketch));
    return model ? Errors{} : model.error();
}

Errors start_errors(const test::Sketch& sketch, std::initializer_list<double> q,
                    std::initializer_list<double> u)
{
    const Model model = model_of(sketch);
    return check_start(model, make_state(model, vector(q), vector(u)), 1e-9);
}

}  // namespace

TEST_CASE("the double pendulum has the kinetic matrix and velocity terms of the textbook")
{
    const Model model = model_of(double_pendulum);
    Workspace work;
    MassMatrix A(model.mass_pattern());
    test::holds([&](int a, int b, int c, int d) {
        const Eigen::Vector2d q(0.01 * (a % 300), 0.01 * (b % 300)), u(0.01 * (c % 500), 0.01 * (d % 500));
        Eigen::Vector2d terms;
        model.kinetic_terms({{q.data(), 2}, {u.data(), 2}, 0}, A, {terms.data(), 2}, work);

        // B02 example 4: g_11, g_12, g_22 and the squares of the velocities in the equations of motion
        const double coupling = 0.5 * 0.7 * 0.8 * std::cos(q[0] - q[1]);
        const Eigen::MatrixXd dense = A.dense();
        RC_ASSERT(std::abs(dense(0, 0) - (1.0 / 3 + 0.7)) <= 1e-14);
        RC_ASSERT(std::abs(dense(0, 1) - coupling) <= 1e-14);
        RC_ASSERT(std::abs(dense(1, 1) - 0.7 * 0.64 / 3) <= 1e-14);
        const double turn = 0.5 * 0.7 * 0.8 * std::sin(q[0] - q[1]);
        RC_ASSERT(std::abs(terms[0] - turn * u[1] * u[1]) <= 1e-12);
        RC_ASSERT(std::abs(terms[1] + turn * u[0] * u[0]) <= 1e-12);
    });
}

TEST_CASE("the rate of a gap along a motion is H u + b, moving obstacles included")
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"wave", "y - 0.1*sin(3*x - 2*t)"}}});
    Workspace work;
    test::holds([&](int a, int b, int c, int d, int e) {
        const Eigen::Vector2d q(0.01 * (a % 300), 0.01 * (b % 300)), u(0.01 * (c % 500), 0.01 * (d % 500));
        const double t = 0.01 * (e % 300), step = 1e-5;
        std::vector<double> H(2);
        const double b_rate = model.gap_gradient(0, {{q.data(), 2}, {}, t}, H, work);
        const auto gap_at = [&](double s) {
            const Eigen::Vector2d moved = q + s * u;
            return model.gap_m(0, {{moved.data(), 2}, {}, t + s}, work);
        };
        // central difference: error of order step^2 times third derivatives below 10^3
        const double difference = (gap_at(step) - gap_at(-step)) / (2 * step);
        RC_ASSERT(std::abs(H[0] * u[0] + H[1] * u[1] + b_rate - difference) <= 1e-6);
    });
}

TEST_CASE("the kinetic energy is u.A u / 2 and the factor solves A x = b")
{
    const Model model = model_of(double_pendulum);
    Workspace work;
    MassMatrix A(model.mass_pattern());
    const Eigen::Vector2d q(0.4, -1.1), u(1.3, -0.6);
    const Point at{{q.data(), 2}, {u.data(), 2}, 0};
    Eigen::Vector2d terms;
    model.kinetic_terms(at, A, {terms.data(), 2}, work);
    CHECK(A.squared_norm({u.data(), 2}) / 2 == near(model.kinetic_energy(at, work), 1e-15));

    REQUIRE(A.factorise());
    Eigen::Vector2d x = u, product;
    A.solve({x.data(), 2});
    A.multiply({x.data(), 2}, {product.data(), 2});
    CHECK((product - u).norm() <= 1e-14);
}

TEST_CASE("masses that do not know each other are islands, and contacts see only their own")
{
    const Model model = model_of({.coordinates = {"a", "b", "c", "d"},
                                  .kinetic = "a'^2/2 + b'^2 + (c' + d')^2/2 + d'^2",
                                  .contacts = {{"ab", "b - a"}, {"cd", "d - c"}, {"bc", "c - b"}}});
    CHECK(model.mass_pattern().islands() == 3);
    CHECK(model.has_constant_mass());
    CHECK(std::vector<int>(model.coupling().neighbours(0).begin(), model.coupling().neighbours(0).end()) ==
          std::vector{0, 2});
    CHECK(std::vector<int>(model.coupling().neighbours(1).begin(), model.coupling().neighbours(1).end()) ==
          std::vector{1, 2});

    Workspace work;
    MassMatrix A(model.mass_pattern());
    Eigen::VectorXd terms(4), q = Eigen::VectorXd::Zero(4);
    model.kinetic_terms({view(q), view(q), 0}, A, view(terms), work);
    REQUIRE(A.factorise());
    Eigen::VectorXd x = vector({1, 2, 3, 4});
    const Eigen::VectorXd b = x;
    A.solve(view(x));
    CHECK((A.dense() * x - b).norm() <= 1e-14);
}

TEST_CASE("a system written as C++ functions is the one written as text")
{
    LagrangianSystem system;
    system.coordinates = {{.name = "q1"}, {.name = "q2"}};
    system.kinetic = record(2, [](const auto& q, const auto& u, const auto&) {
        using std::cos;
        return ((1.0 / 3 + 0.7) * u[0] * u[0] + 0.7 * 0.64 / 3 * u[1] * u[1] +
                0.7 * 0.8 * cos(q[0] - q[1]) * u[0] * u[1]) /
               2;
    });
    system.contacts = {{.name = "joint",
                        .gap = record(2,
                                      [](const auto& q, const auto&, const auto&) {
                                          using std::sin;
                                          return sin(q[0]);
                                      }),
                        .restitution = {}}};
    const auto by_functions = make_model(std::move(system));
    REQUIRE(by_functions.has_value());
    const Model by_text = model_of(double_pendulum);
    Workspace work;
    const Eigen::VectorXd q = vector({0.3, 0.9}), u = vector({-1, 2});
    CHECK(by_functions->kinetic_energy({view(q), view(u), 0}, work) ==
          near(by_text.kinetic_energy({view(q), view(u), 0}, work), 1e-15));
    CHECK(by_functions->gap_m(0, {view(q), {}, 0}, work) == near(std::sin(0.3), 1e-16));
}

TEST_CASE("a constant kinetic matrix becomes its quadratic form")
{
    const Eigen::Matrix2d A = (Eigen::Matrix2d() << 2, 0.5, 0.5, 1).finished();
    const auto kinetic = kinetic_energy_of(A);
    REQUIRE(kinetic.has_value());
    Workspace work;
    const Eigen::Vector2d u(3, -1), q(0, 0);
    CHECK(kinetic->value({{q.data(), 2}, {u.data(), 2}, 0}, work) == near(u.dot(A * u) / 2, 1e-15));
    CHECK_FALSE(kinetic_energy_of(Eigen::MatrixXd(2, 3)).has_value());
    CHECK_FALSE(kinetic_energy_of((Eigen::Matrix2d() << 1, 2, 3, 4).finished()).has_value());
}

TEST_CASE("systems that make no mechanical sense are refused by name")
{
    CHECK(has_code(errors_of({.coordinates = {}, .kinetic = "0"}), ErrorCode::MissingKey));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "0"}), ErrorCode::MetricNotPositive));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'"}), ErrorCode::KineticNotQuadratic));
    CHECK(
        has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'^2 + x^2"}), ErrorCode::KineticNotQuadratic));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'^2*(1 + t)"}), ErrorCode::NotAllowedHere));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'^2", .potential = "x*x'"}),
                   ErrorCode::NotAllowedHere));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'^2", .contacts = {{"wall", "x'"}}}),
                   ErrorCode::NotAllowedHere));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'^2", .contacts = {{"wall", "1 + t"}}}),
                   ErrorCode::GradientVanishes));
    CHECK(has_code(errors_of({.coordinates = {"x"}, .kinetic = "x'^2", .forces = {"1", "2"}}),
                   ErrorCode::WrongSize));
    CHECK(has_code(
        errors_of({.coordinates = {"x"}, .kinetic = "x'^2", .contacts = {{"a", "x"}, {"a", "1 - x"}}}),
        ErrorCode::DuplicateName));
}

TEST_CASE("all mistakes of a system come at once")
{
    CHECK(errors_of({.coordinates = {"x"}, .kinetic = "x'", .potential = "x'", .contacts = {{"w", "2"}}})
              .size() == 3);
}

TEST_CASE("starts that make no mechanical sense are refused by name")
{
    const test::Sketch ball{.coordinates = {"x"}, .kinetic = "x'^2/2", .contacts = {{"floor", "x", "1/2"}}};
    CHECK(start_errors(ball, {1}, {0}).empty());
    CHECK(has_code(start_errors(ball, {-0.1}, {0}), ErrorCode::GapViolated));
    CHECK(has_code(start_errors(ball, {std::nan("")}, {0}), ErrorCode::NotFinite));

    test::Sketch strange = ball;
    strange.kinetic = "-x'^2/2";
    CHECK(has_code(start_errors(strange, {1}, {0}), ErrorCode::MetricNotPositive));
    strange.kinetic = "x'*abs(x')";
    CHECK(has_code(start_errors(strange, {1}, {0.5}), ErrorCode::KineticNotQuadratic));
    strange.kinetic = "x'^2/x";
    CHECK(has_code(start_errors(strange, {0}, {0}), ErrorCode::NotFinite));
    strange = ball;
    strange.contacts = {{"floor", "x^2"}};
    CHECK(has_code(start_errors(strange, {0}, {0}), ErrorCode::GradientVanishes));
    strange.contacts = {{"floor", "x", "2"}};
    CHECK(has_code(start_errors(strange, {1}, {0}), ErrorCode::SettingOutOfRange));
    strange = ball;
    strange.potential = "1/x";
    CHECK(has_code(start_errors(strange, {0}, {0}), ErrorCode::NotFinite));
    strange = ball;
    strange.forces = {"1/x"};
    CHECK(has_code(start_errors(strange, {0}, {0}), ErrorCode::NotFinite));

    // a velocity along x = y moves no mass
    const test::Sketch singular{.coordinates = {"x", "y"}, .kinetic = "(x' - y')^2/2"};
    CHECK(has_code(start_errors(singular, {0, 0}, {0, 0}), ErrorCode::MetricNotPositive));

    const Model model = model_of(ball);
    CHECK(has_code(check_start(model, State{}, 1e-9), ErrorCode::WrongSize));
}
