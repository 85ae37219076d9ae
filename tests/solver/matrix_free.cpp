#include "solver/matrix_free.hpp"

#include "carom/onestep/residual.hpp"
#include "carom/solver/solve.hpp"
#include "solver/rigid_contacts.hpp"
#include "solver/round_contacts.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace carom;
using test::near;

namespace {

/// Layers of spheres of different masses on a floor, each touching its neighbours, pressed down.
SphereContacts pile(int side, int layers, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.5, 2.0);
    std::vector<SphereBody> bodies;
    std::vector<SphereContact> contacts;
    const auto at = [&](int i, int j, int k) { return (k * side + j) * side + i; };
    for (int k = 0; k < layers; ++k) {
        for (int j = 0; j < side; ++j) {
            for (int i = 0; i < side; ++i) {
                const double inverse = uniform(random);
                bodies.push_back({.v = {uniform(random) - 1.2, uniform(random) - 1.2, -uniform(random)},
                                  .inverse_mass = inverse,
                                  .inverse_spin = 2.5 * inverse});
                const auto touch = [&](int other, std::array<double, 3> n) {
                    contacts.push_back({.normal = n, .friction = 0.4, .a = at(i, j, k), .b = other});
                };
                if (k == 0) touch(-1, {0, 0, 1});
                if (k > 0) touch(at(i, j, k - 1), {0.6, 0, 0.8});
                if (i > 0) touch(at(i - 1, j, k), {1, 0, 0});
                if (j > 0) touch(at(i, j - 1, k), {0, 0.8, -0.6});
            }
        }
    }
    return *SphereContacts::make(bodies, contacts);
}

/// Crates in a row of heaps, each on four corners on the one below: redundant contacts, arms and inertias of
/// any kind, one crate fixed, some contacts without friction, one body a bar with a singular inertia.
struct Heap {
    std::vector<RigidBody> bodies;
    std::vector<RigidContact> contacts;

    [[nodiscard]] RigidContacts made() const
    {
        RigidContacts result;
        REQUIRE(result.load(bodies, contacts).has_value());
        return result;
    }
};

Heap crates(int heaps, int layers, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.5, 2.0);
    Heap heap;
    for (int i = 0; i < heaps; ++i) {
        for (int k = 0; k < layers; ++k) {
            const int here = i * layers + k;
            Eigen::Matrix3d A = Eigen::Matrix3d::NullaryExpr([&] { return uniform(random) - 1; });
            A = (A * A.transpose() + Eigen::Matrix3d::Identity()).eval();
            if (here == 1) A = Eigen::Vector3d(3, 4, 0).asDiagonal();
            RigidBody body{.v = {uniform(random) - 1, uniform(random) - 1, -uniform(random)},
                           .w = {uniform(random) - 1, uniform(random) - 1, uniform(random) - 1},
                           .inverse_mass = uniform(random)};
            std::copy(A.data(), A.data() + 9, body.inverse_inertia.begin());
            if (here == 2) body = {};
            heap.bodies.push_back(body);
            for (int corner = 0; corner < 4; ++corner) {
                const double x = corner % 2 == 0 ? -0.5 : 0.5, y = corner < 2 ? -0.5 : 0.4;
                if (here == 2 && k == 0) continue;
                heap.contacts.push_back({.normal = {0.6 * x, 0, std::sqrt(1 - 0.09)},
                                         .arm_a = {x, y, -0.5},
                                         .arm_b = {x, y, 0.5},
                                         .shift_m_s = 0.1 * corner,
                                         .friction = corner == 3 ? 0.0 : 0.3 * uniform(random),
                                         .a = here,
                                         .b = k == 0 ? -1 : here - 1});
            }
            if (i > 0) {
                heap.contacts.push_back({.normal = {0, 0.8, 0.6},
                                         .arm_a = {0, -0.5, 0.1},
                                         .arm_b = {0, 0.5, -0.2},
                                         .friction = 0.7,
                                         .a = here,
                                         .b = here - layers});
            }
        }
    }
    return heap;
}

/// A problem of contacts in space with its contacts in another order.
OneStepProblem reordered(const OneStepProblem& problem, std::span<const int> order)
{
    OneStepProblem result;
    std::vector<int> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
        result.laws.push_back(problem.laws[static_cast<std::size_t>(order[k])]);
        result.offsets.push_back(3 * static_cast<int>(k + 1));
        for (int i = 0; i < 3; ++i) {
            result.U_free.push_back(problem.U_free[static_cast<std::size_t>(3 * order[k] + i)]);
            result.U_minus.push_back(problem.U_minus[static_cast<std::size_t>(3 * order[k] + i)]);
        }
    }
    result.W.begin(result.offsets);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto row = problem.W.row(order[k]);
        std::vector<BlockSparse::Entry> entries(row.begin(), row.end());
        std::ranges::sort(entries, {},
                          [&](const auto& entry) { return place[static_cast<std::size_t>(entry.column)]; });
        for (const auto& entry : entries) {
            const auto from = problem.W.block(order[k], entry);
            auto to = result.W.append(static_cast<int>(k), place[static_cast<std::size_t>(entry.column)]);
            std::copy(from.begin(), from.end(), to.begin());
        }
    }
    result.W.finish();
    return result;
}

}  // namespace

TEST_CASE("sweeps over bodies without the matrix are sweeps with it, colour by colour")
{
    for (const Sweep kind : {Sweep::GaussSeidel, Sweep::Psor}) {
        RigidContacts heap = crates(3, 3, 21).made();
        std::vector<double> P;
        const OneStepProblem problem = heap.assembled(P);
        const OneStepProblem by_colour = reordered(problem, heap.order());
        FlatProblem flat;
        flat.load(by_colour);
        Relaxation relaxation;
        relaxation.load(flat);
        std::vector<double> x(P.size(), 0.0);
        for (int sweep = 0; sweep < 20; ++sweep) {
            heap.sweep(kind);
            if (kind == Sweep::GaussSeidel) relaxation.gauss_seidel(flat, x);
            if (kind == Sweep::Psor) relaxation.psor(flat, x);
        }
        flat.scatter(by_colour, x, P);
        std::vector<double> P_free, in_order;
        (void)heap.assembled(in_order);
        for (const int c : heap.order()) {
            P_free.insert(P_free.end(), in_order.begin() + 3 * c, in_order.begin() + 3 * c + 3);
        }
        double worst = 0, largest = 0;
        for (std::size_t k = 0; k < P.size(); ++k) {
            worst = std::max(worst, std::abs(P[k] - P_free[k]));
            largest = std::max(largest, std::abs(P[k]));
        }
        CHECK(largest > 0.1);
        CHECK(worst <= 1e-11 * largest);  // rounding of 20 sweeps
        CHECK(heap.error().unit_free == near(residual(by_colour, P_free).unit_free, 1e-9));
        flat.gather(by_colour, P_free, x);
        CHECK(heap.error().siconos == near(flat.error(x, P).siconos, 1e-9));
    }
}

TEST_CASE("bodies: a run ends at the tolerance with the velocities of its percussions; a solution comes back")
{
    const Heap given = crates(4, 5, 22);
    RigidContacts heap = given.made();
    const int sweeps = heap.run({.tolerance = 1e-6, .max_iterations = 20000});
    CHECK(sweeps < 20000);
    CHECK(heap.error().unit_free <= 1e-6);

    // m (v - v_free) is the sum of the percussions on a body, and so for the turns
    for (std::size_t k = 0; k < given.bodies.size(); ++k) {
        Eigen::Vector3d push = Eigen::Vector3d::Zero(), turn = Eigen::Vector3d::Zero();
        for (std::size_t c = 0; c < given.contacts.size(); ++c) {
            const RigidContact& contact = given.contacts[c];
            const auto p = heap.percussion(static_cast<int>(c));
            const Eigen::Vector3d P(p[0], p[1], p[2]);
            for (const bool first : {true, false}) {
                if ((first ? contact.a : contact.b) != static_cast<int>(k)) continue;
                const auto& arm = first ? contact.arm_a : contact.arm_b;
                push += (first ? 1 : -1) * P;
                turn += (first ? 1 : -1) * Eigen::Vector3d(arm[0], arm[1], arm[2]).cross(P);
            }
        }
        const RigidBody& body = given.bodies[k];
        const Eigen::Vector3d v(heap.velocity(static_cast<int>(k)).data());
        const Eigen::Vector3d w(heap.angular_velocity(static_cast<int>(k)).data());
        const Eigen::Matrix3d inverse_J(body.inverse_inertia.data());
        CHECK((v - Eigen::Vector3d(body.v.data()) - body.inverse_mass * push).norm() < 1e-11);
        CHECK((w - Eigen::Vector3d(body.w.data()) - inverse_J * turn).norm() < 1e-11);
    }

    // the warm start is recognised; percussions of another solver are taken over
    std::vector<double> P;
    const OneStepProblem problem = heap.assembled(P);
    CHECK(heap.run({.tolerance = 1e-6, .max_iterations = 10}) == 1);
    const SolveReport report = solve(problem, {.tolerance = 1e-10}, P);
    REQUIRE(report.status == SolveStatus::Converged);
    heap.take_percussions(P);
    CHECK(heap.error().unit_free <= 2e-10);
}

TEST_CASE("contacts of bodies that make no sense are refused by number")
{
    const RigidBody body{.inverse_mass = 1}, wall{};
    const auto refused = [](std::vector<RigidBody> bodies, std::vector<RigidContact> contacts) {
        return RigidContacts{}.load(bodies, contacts).error();
    };
    CHECK(refused({body}, {{.a = 0, .b = 1}}).code == ErrorCode::WrongSize);
    CHECK(refused({body}, {{.normal = {0, 0, 2}, .a = 0}}).where.ends_with("contact 0"));
    CHECK(refused({body}, {{.friction = -1, .a = 0}}).code == ErrorCode::SettingOutOfRange);
    CHECK(refused({body, wall}, {{.a = 0}, {.a = 1}}).where.ends_with("contact 1"));
    CHECK(refused({{.inverse_mass = -1}}, {}).where.ends_with("body 0"));
}

TEST_CASE("a sweep without the matrix is a sweep with it")
{
    SphereContacts spheres = pile(4, 3, 11);
    std::vector<double> P;
    const OneStepProblem problem = spheres.assembled(P);
    FlatProblem flat;
    flat.load(problem);
    Relaxation relaxation;
    relaxation.load(flat);
    std::vector<double> x(static_cast<std::size_t>(flat.size()));
    flat.gather(problem, P, x);
    for (int sweep = 0; sweep < 20; ++sweep) {
        spheres.sweep();
        relaxation.gauss_seidel(flat, x);
    }
    flat.scatter(problem, x, P);
    std::vector<double> P_free;
    (void)spheres.assembled(P_free);
    double worst = 0, largest = 0;
    for (std::size_t k = 0; k < P.size(); ++k) {
        worst = std::max(worst, std::abs(P[k] - P_free[k]));
        largest = std::max(largest, std::abs(P[k]));
    }
    CHECK(largest > 0.1);
    CHECK(worst <= 1e-11 * largest);  // rounding of 20 sweeps; the iterated slip equation is solved to 1e-16

    // both errors are those of the independent residual
    CHECK(spheres.error() == near(residual(problem, P_free).unit_free, 1e-9));
}

TEST_CASE("momentum that contacts between spheres exchange is conserved, and the run ends at the tolerance")
{
    SphereContacts spheres = pile(5, 4, 5);
    const int sweeps = spheres.run({.tolerance = 1e-6, .max_iterations = 20000});
    CHECK(sweeps < 20000);
    CHECK(spheres.error() <= 1e-6);
    double floor_push = 0, momentum = 0;
    const SphereContacts start = pile(5, 4, 5);
    for (const SphereContact& contact : spheres.contacts()) {
        if (spheres.bodies()[contact.b].inverse_mass == 0) floor_push += contact.P[2];
    }
    for (std::size_t k = 0; k + 1 < spheres.bodies().size(); ++k) {
        momentum += (spheres.bodies()[k].v[2] - start.bodies()[k].v[2]) / spheres.bodies()[k].inverse_mass;
    }
    CHECK(momentum == near(floor_push, 1e-10 * std::abs(floor_push)));  // sums of some hundred terms
}

TEST_CASE("spreading contacts keeps them all and parts neighbours")
{
    const SphereContacts spheres = pile(6, 6, 3);
    const std::vector<SphereContact> before(spheres.contacts().begin(), spheres.contacts().end());
    const auto after = SphereContacts::spread(before);
    REQUIRE(after.size() == before.size());
    long sum_before = 0, sum_after = 0;
    int shared = 0;
    for (std::size_t k = 0; k < after.size(); ++k) {
        sum_before += 1000L * before[k].a + before[k].b;
        sum_after += 1000L * after[k].a + after[k].b;
        if (k > 0 && (after[k].a == after[k - 1].a || after[k].a == after[k - 1].b)) ++shared;
    }
    CHECK(sum_before == sum_after);
    CHECK(shared < static_cast<int>(after.size()) / 20);  // those left when the window runs dry
}

TEST_CASE("contacts that make no sense are refused by number")
{
    const SphereBody body{.inverse_mass = 1, .inverse_spin = 2.5}, wall{};
    CHECK(SphereContacts::make({body}, {{.a = 0, .b = 3}}).error().code == ErrorCode::WrongSize);
    CHECK(SphereContacts::make({body}, {{.normal = {0, 0, 2}, .a = 0}}).error().where.ends_with("contact 0"));
    CHECK(SphereContacts::make({body, wall}, {{.a = 0}, {.a = 1}}).error().where.ends_with("contact 1"));
    CHECK(SphereContacts::make({{.inverse_mass = -1}}, {}).error().code == ErrorCode::SettingOutOfRange);
}

namespace {

/// Spheres of different masses and arms, some frictionless contacts where asked, body 0 does not move; the
/// same problem for both kinds of sweeps.
struct RoundAndRigid {
    std::vector<RoundBody> round;
    std::vector<RigidBody> rigid;
    std::vector<RoundContact> contacts;

    RoundAndRigid(int count, double frictionless, unsigned seed)
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(0, 1);
        for (int k = 0; k < count; ++k) {
            RoundBody body;
            if (k > 0) {
                body = {.v = {uniform(random) - 0.5, uniform(random) - 0.5, -uniform(random)},
                        .inverse_mass = 0.5 + uniform(random),
                        .w = {uniform(random) - 0.5, uniform(random) - 0.5, uniform(random) - 0.5},
                        .inverse_inertia = 2 + 3 * uniform(random)};
            }
            const double J = body.inverse_inertia;
            round.push_back(body);
            rigid.push_back({.v = body.v,
                             .w = body.w,
                             .inverse_mass = body.inverse_mass,
                             .inverse_inertia = {J, 0, 0, 0, J, 0, 0, 0, J}});
        }
        for (int a = 1; a < count; ++a) {
            for (const int back : {1, 5, 11}) {
                double n[3] = {uniform(random) - 0.5, uniform(random) - 0.5, 0.2 + uniform(random)};
                const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
                contacts.push_back({.normal = {n[0] / size, n[1] / size, n[2] / size},
                                    .arm_a = 0.3 + uniform(random),
                                    .arm_b = a > back ? 0.3 + uniform(random) : 0.0,
                                    .shift_m_s = 0.1 * (uniform(random) - 0.5),
                                    .friction = uniform(random) < frictionless ? 0.0 : 0.4,
                                    .a = a,
                                    .b = std::max(0, a - back)});
            }
        }
    }

    /// Errors of these percussions by the matrix.
    Residual judged(const RoundContacts& sweeps) const
    {
        std::vector<RigidContact> same;
        for (std::size_t c = 0; c < contacts.size(); ++c) {
            const RoundContact& contact = contacts[c];
            RigidContact& to = same.emplace_back();
            to = {.normal = contact.normal,
                  .shift_m_s = contact.shift_m_s,
                  .P = sweeps.percussion(static_cast<int>(c)),
                  .friction = contact.friction,
                  .a = contact.a,
                  .b = contact.b};
            for (std::size_t k = 0; k < 3; ++k) {
                to.arm_a[k] = -contact.arm_a * contact.normal[k];
                to.arm_b[k] = contact.arm_b * contact.normal[k];
            }
        }
        RigidContacts matrix;
        REQUIRE(matrix.load(rigid, same));
        std::vector<double> P;
        const OneStepProblem problem = matrix.assembled(P);
        return residual(problem, P);
    }
};

}  // namespace

TEST_CASE("sweeps over round bodies solve the problem of their matrix")
{
    const RoundAndRigid all(90, 0.0, 5);
    RoundContacts sweeps;
    REQUIRE(sweeps.load(all.round, all.contacts));

    // wherever the sweeps are, their error is that of the matrix, to rounding
    for (const int count : {1, 3, 20}) {
        CHECK(sweeps.run({.tolerance = 1e-15, .max_iterations = count}) == count);
        CHECK(sweeps.error().unit_free == near(all.judged(sweeps).unit_free, 1e-12));
    }
    CHECK(sweeps.run({.tolerance = 1e-9, .max_iterations = 20000}) < 20000);
    CHECK(all.judged(sweeps).unit_free <= 1.01e-9);

    // and begun at the solution they are at the end
    auto warm = all.contacts;
    for (std::size_t c = 0; c < warm.size(); ++c) {
        warm[c].P = sweeps.percussion(static_cast<int>(c));
    }
    REQUIRE(sweeps.load(all.round, warm));
    CHECK(sweeps.run({.tolerance = 1e-8, .max_iterations = 100}) == 1);
}

TEST_CASE("round bodies without friction here and there")
{
    const RoundAndRigid all(60, 0.5, 9);
    RoundContacts sweeps;
    REQUIRE(sweeps.load(all.round, all.contacts));
    CHECK(sweeps.run({.tolerance = 1e-10, .max_iterations = 20000}) < 20000);
    // frictionless contacts count with three rows there and with one here: another scale, the same solution
    CHECK(all.judged(sweeps).unit_free <= 1e-9);
    for (std::size_t c = 0; c < all.contacts.size(); ++c) {
        if (all.contacts[c].friction > 0) continue;
        const auto P = sweeps.percussion(static_cast<int>(c));
        const auto& n = all.contacts[c].normal;
        CHECK(std::hypot(P[1] * n[2] - P[2] * n[1], P[2] * n[0] - P[0] * n[2], P[0] * n[1] - P[1] * n[0]) <
              1e-14);
    }
}

TEST_CASE("more contacts at one body than there are colours")
{
    // a large ball under 80 others: 64 of them find a colour, the rest have groups of their own
    std::vector<RoundBody> bodies(81, RoundBody{.v = {0, 0, -1}, .inverse_mass = 1, .inverse_inertia = 2.5});
    bodies[0].v = {0, 0, 1};
    bodies[0].inverse_mass = bodies[0].inverse_inertia = 1e-4;  // hardly moved by any of them
    std::vector<RoundContact> contacts;
    for (int k = 1; k <= 80; ++k) {
        contacts.push_back({.normal = {std::sin(k) * 0.6, std::cos(k) * 0.6, 0.8},
                            .arm_a = 0.1,
                            .arm_b = 1,
                            .friction = 0.3,
                            .a = k,
                            .b = 0});
    }
    RoundContacts sweeps;
    REQUIRE(sweeps.load(bodies, contacts));
    CHECK(sweeps.run({.tolerance = 1e-12, .max_iterations = 5000}) < 5000);
    // momentum along z: all of it is still there
    double before = 0, after = 0;
    for (int k = 0; k <= 80; ++k) {
        before += bodies[static_cast<std::size_t>(k)].v[2] / bodies[static_cast<std::size_t>(k)].inverse_mass;
        after += sweeps.velocity(k)[2] / bodies[static_cast<std::size_t>(k)].inverse_mass;
    }
    CHECK(after == near(before, 1e-9));
}

TEST_CASE("round bodies that make no sense are refused by name")
{
    std::vector<RoundBody> bodies(2, RoundBody{.inverse_mass = 1});
    RoundContacts sweeps;
    CHECK_FALSE(sweeps.load(bodies, std::vector{RoundContact{.a = 0, .b = 2}}));
    CHECK_FALSE(sweeps.load(bodies, std::vector{RoundContact{.normal = {0, 0, 2}, .a = 0, .b = 1}}));
    CHECK_FALSE(sweeps.load(bodies, std::vector{RoundContact{.friction = -1, .a = 0, .b = 1}}));
    bodies[0].inverse_mass = bodies[1].inverse_mass = 0;
    CHECK_FALSE(sweeps.load(bodies, std::vector{RoundContact{.a = 0, .b = 1}}));
    bodies[0].inverse_mass = -1;
    CHECK_FALSE(sweeps.load(bodies, {}));
}
