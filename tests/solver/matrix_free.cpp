#include "carom/solver/matrix_free.hpp"

#include "carom/onestep/residual.hpp"
#include "carom/solver/relaxation.hpp"
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

}  // namespace

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
