#include "law/frictional_impact.hpp"

#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

using namespace carom;
using test::near;

namespace {

/// Contacts of any kind with any metric: rows, laws, friction up to 2, restitutions up to 1.
struct RandomContacts {
    Metric A = Metric::euclidean();
    ImpactContacts contacts;
    Eigen::VectorXd u_minus;
    std::mt19937 random;

    explicit RandomContacts(unsigned seed, int max_contacts) : random(seed)
    {
        std::normal_distribution<double> normal;
        const auto draw = [&] { return normal(random); };
        const int n = 3 + static_cast<int>(random() % 4);
        const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, draw);
        A = *Metric::from_matrix(root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n));
        std::vector<Law> laws;
        int rows = 0;
        const int m = 1 + static_cast<int>(random() % static_cast<unsigned>(max_contacts));
        for (int k = 0; k < m; ++k) {
            laws.push_back(law());
            rows += dimension(laws.back());
        }
        contacts = *make_impact_contacts(Eigen::MatrixXd::NullaryExpr(rows, n, draw), std::move(laws));
        u_minus = Eigen::VectorXd::NullaryExpr(n, draw);
    }

    Law law()
    {
        std::uniform_real_distribution<double> part(0, 1);
        const double mu = random() % 8 == 0 ? 0.0 : 2 * part(random);
        const double e = random() % 4 == 0 ? 1.0 : random() % 4 == 1 ? 0.0 : part(random);
        const std::vector<FrictionShape> shapes{
            FrictionInterval{}, FrictionInterval{.low = -0.2, .high = 1}, FrictionDisc{},
            FrictionEllipse{.half_axes = {0.4, 1.2}, .angle_rad = 0.7, .centre = {0.1, 0.2}},
            *make_polygon({{1, 0}, {0.2, 0.9}, {-1, 0.1}, {-0.3, -0.8}})};
        const std::size_t which = random() % (shapes.size() + 2);
        if (which == shapes.size()) return Unilateral{e};
        if (which > shapes.size()) return Coulomb{.shape = FrictionRough{2}, .friction = 0, .restitution = e};
        return Coulomb{.shape = shapes[which], .friction = mu, .restitution = e};
    }
};

double kinetic_J(const Metric& A, const Eigen::VectorXd& u)
{
    return A.dot(u, u) / 2;
}

/// Gaps between neighbours of n equal balls on a line.
ImpactContacts row_of_balls(int n, double e)
{
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n - 1, n);
    for (int i = 0; i + 1 < n; ++i) {
        H(i, i) = -1;
        H(i, i + 1) = 1;
    }
    return *make_impact_contacts(H, std::vector<Law>(static_cast<std::size_t>(n - 1), Unilateral{e}));
}

/// The same balls with springs F = depth^exponent between them, by the classical method of Runge and Kutta:
/// what LZB describes without following time.
Eigen::VectorXd after_springs(int n, double exponent)
{
    Eigen::MatrixXd y = Eigen::MatrixXd::Zero(n, 2);  // positions, velocities
    y(0, 1) = 1;
    const auto rate = [&](const Eigen::MatrixXd& at) {
        Eigen::MatrixXd dy = Eigen::MatrixXd::Zero(n, 2);
        dy.col(0) = at.col(1);
        for (int i = 0; i + 1 < n; ++i) {
            const double F = std::pow(std::max(0.0, at(i, 0) - at(i + 1, 0)), exponent);
            dy(i, 1) -= F;
            dy(i + 1, 1) += F;
        }
        return dy;
    };
    const double h = 1e-3;
    for (int step = 0; step < 40000; ++step) {
        const Eigen::MatrixXd k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2),
                              k4 = rate(y + h * k3);
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return y.col(1);
}

/// An answer that theory allows: from the cones, to V, and no energy created.
void check_admissible(const RandomContacts& data, const Impact& impact)
{
    const double scale = kinetic_J(data.A, data.u_minus);
    const auto judged = admissibility(data.A, data.contacts, data.u_minus, impact);
    RC_ASSERT(judged.energy_gained_J <= 1e-11 * scale);  // Runge and Kutta work to 1e-12
    RC_ASSERT(judged.outside_N <= 1e-10 * std::sqrt(scale));
    RC_ASSERT(judged.leaves_V_m_s <= 1e-9 * (data.contacts.rows * data.u_minus).norm());
}

}  // namespace

TEST_CASE("the energetic map never creates energy, for any metric, friction and restitution")
{
    test::holds_for(1000, [](unsigned seed) {
        const RandomContacts data(seed, 1);
        const auto impact = energetic_impact(data.A, data.contacts, data.u_minus, {});
        RC_ASSERT(impact.has_value());
        check_admissible(data, *impact);
    });
}

TEST_CASE("nor at several contacts")
{
    int ended = 0;
    test::holds([&](unsigned seed) {
        const RandomContacts data(seed, 3);
        const auto impact = energetic_impact(data.A, data.contacts, data.u_minus, {});
        if (!impact) return;  // contacts that no velocity opens together collide for ever
        ++ended;
        check_admissible(data, *impact);
    });
    CHECK(ended >= 150);  // of 200
}

TEST_CASE("the normal force gives back e^2 of the work that it took")
{
    test::holds_for(1000, [](unsigned seed) {
        RandomContacts data(seed, 1);
        const Law law = data.contacts.laws[0];
        const Eigen::MatrixXd G = data.A.whitened_covectors(data.contacts.rows.transpose());
        const Eigen::MatrixXd D = G.transpose() * G;  // symmetric: by rows or by columns
        Eigen::VectorXd U = data.contacts.rows * data.u_minus;
        U[0] = -std::abs(U[0]);
        const double e = restitution(law);
        const auto d = static_cast<std::size_t>(U.size());
        const Collision collision = collide(law, {D.data(), d * d}, {U.data(), d}, e);
        RC_ASSERT(collision.ended);
        RC_ASSERT(std::abs(collision.restitution_J - e * e * collision.compression_J) <=
                  1e-11 * collision.compression_J + 1e-13 * U.squaredNorm() / D(0, 0));
    });
}

TEST_CASE("sliding that stops and turns round within one impact: the example that Newton's form fails at")
{
    // kinetic matrix [[1, 0.8], [0.8, 1]], e = 0.9, mu = 0.7, u- = (-1, 0.8); W = [[1, -0.8], [-0.8, 1]] /
    // 0.36
    Eigen::Matrix2d matrix;
    matrix << 1, 0.8, 0.8, 1;
    const auto A = *Metric::from_matrix(matrix);
    const auto contacts =
        *make_impact_contacts(Eigen::Matrix2d::Identity(), {Coulomb{.friction = 0.7, .restitution = 0.9}});
    const Eigen::Vector2d u_minus(-1, 0.8);
    const auto impact = energetic_impact(A, contacts, u_minus, {});
    REQUIRE(impact.has_value());

    // it slides until p = 0.192, cannot be held (0.8 > 0.7), slides back; compression ends at U_N = 0
    const double p_1 = 0.8 * 0.36 / 1.5, U_1 = -1 + 1.56 / 0.36 * p_1, k = 0.44 / 0.36;
    const double taken = (1 - U_1) / 2 * p_1 + U_1 * U_1 / (2 * k);
    const double back = std::sqrt(2 * 0.81 * taken / k);
    CHECK(impact->u_plus[0] == near(k * back, 1e-14));
    CHECK(impact->u_plus[1] == near(-0.1 / 0.36 * (-U_1 / k + back), 1e-14));
    CHECK(kinetic_J(A, impact->u_plus) < kinetic_J(A, u_minus));

    // the law of each contact may be overruled: soft, the normal velocity is gone
    CHECK(energetic_impact(A, contacts, u_minus, {.restitution = 0.0})->u_plus[0] == near(0, 1e-15));
}

TEST_CASE("a particle meets a rough wall as in Newton's form: nothing couples its directions")
{
    for (const double e : {0.0, 0.5, 1.0}) {
        for (const double mu : {0.0, 0.3, 2.0}) {
            const auto contacts =
                *make_impact_contacts(Eigen::Matrix3d::Identity(),
                                      {Coulomb{.shape = FrictionDisc{}, .friction = mu, .restitution = e}});
            const Eigen::Vector3d u(-1.5, 0.6, -0.8);
            const double sliding = std::max(0.0, 1 - mu * (1 + e) * 1.5);
            const Eigen::Vector3d exact(e * 1.5, 0.6 * sliding, -0.8 * sliding);
            for (const auto& impact : {energetic_impact(Metric::euclidean(), contacts, u, {}),
                                       lzb_impact(Metric::euclidean(), contacts, u, {})}) {
                REQUIRE(impact.has_value());
                CHECK((impact->u_plus - exact).norm() <= 1e-12);
            }
        }
    }
}

TEST_CASE("friction in a polygon of many corners is friction in a disc, though computed in another way")
{
    std::vector<std::array<double, 2>> corners;
    constexpr int count = 2000;
    for (int i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * i / count;
        corners.push_back({std::cos(angle), std::sin(angle)});
    }
    Eigen::Matrix3d W;
    W << 2, 0.5, -0.7, 0.5, 1.5, 0.4, -0.7, 0.4, 3;
    for (const double mu : {0.2, 0.5, 1.0}) {
        const Eigen::Vector3d U(-1, 0.7, 0.9);
        const Coulomb disc{.shape = FrictionDisc{}, .friction = mu},
            polygon{.shape = *make_polygon(corners), .friction = mu};
        const Collision one = collide(disc, {W.data(), 9}, {U.data(), 3}, 0.8);
        const Collision two = collide(polygon, {W.data(), 9}, {U.data(), 3}, 0.8);
        REQUIRE(one.ended);
        REQUIRE(two.ended);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(one.P[i] == near(two.P[i], 1e-5));  // half an angle is 1.6e-3, what it misses its square
        }
    }
}

TEST_CASE("without friction and for one contact every map is Newton's")
{
    const auto contacts = *make_impact_contacts(Eigen::RowVector2d(0.3, 2), {Unilateral{0.6}});
    const auto A = *Metric::from_matrix(Eigen::Vector2d(2, 0.5).asDiagonal().toDenseMatrix());
    const Eigen::Vector2d u(0.5, -3);
    const auto canonical = canonical_impact(A, contacts.rows, u, 0.6);
    CHECK((energetic_impact(A, contacts, u, {})->u_plus - canonical->u_plus).norm() <= 1e-14);
    // in each step LZB keeps energy to roundoff, and there is but one velocity that has it
    CHECK((lzb_impact(A, contacts, u, {})->u_plus - canonical->u_plus).norm() <= 1e-12);
}

TEST_CASE("LZB never creates energy, with friction and without, whatever its resolution")
{
    int ended = 0;
    test::holds_for(60, [&](unsigned seed) {
        const RandomContacts data(seed, 3);
        const LzbSettings settings{
            .exponent = seed % 2 == 0 ? 1.0 : 1.5, .steps_per_radian = 20, .max_steps = 2000};
        const auto impact = lzb_impact(data.A, data.contacts, data.u_minus, settings);
        if (!impact) return;  // contacts that no velocity opens together push for ever
        ++ended;
        check_admissible(data, *impact);
    });
    CHECK(ended >= 40);
}

TEST_CASE(
    "LZB throws the last ball of Newton's cradle alone where each contact is softer than the one before")
{
    for (const int n : {3, 5}) {
        const ImpactContacts balls = row_of_balls(n, 1);
        const Eigen::VectorXd u_minus = Eigen::VectorXd::Unit(n, 0);
        const Eigen::VectorXd sequential =
            sequential_impact(Metric::euclidean(), balls.rows, u_minus, {.restitution = 1})->u_plus;
        CHECK((sequential - Eigen::VectorXd::Unit(n, n - 1)).norm() == 0);

        // a contact that is 10^6 times softer acts after the one before it: sequential
        LzbSettings settings;
        for (int k = 0; k + 1 < n; ++k) {
            settings.stiffness.push_back(std::pow(1e-6, k));
        }
        const auto impact = lzb_impact(Metric::euclidean(), balls, u_minus, settings);
        REQUIRE(impact.has_value());
        CHECK((impact->u_plus - sequential).norm() <= 1e-6);
        CHECK(impact->energy_loss_J == near(0, 1e-12));
    }
}

TEST_CASE("between equal balls LZB disperses a little, and less with a harder law of contact")
{
    const ImpactContacts balls = row_of_balls(5, 1);
    const Eigen::VectorXd u_minus = Eigen::VectorXd::Unit(5, 0);
    double last = 0;
    for (const double exponent : {1.0, 1.5, 3.0, 10.0}) {
        const auto impact = lzb_impact(Metric::euclidean(), balls, u_minus, {.exponent = exponent});
        REQUIRE(impact.has_value());
        // second order in 1/300, and a spring that lets go in the middle of a step
        if (exponent < 2) CHECK((impact->u_plus - after_springs(5, exponent)).norm() <= 1e-4);
        CHECK(impact->u_plus.sum() == near(1, 1e-13));
        CHECK(impact->energy_loss_J == near(0, 1e-12));
        CHECK(impact->u_plus[4] > last);  // towards (0, 0, 0, 0, 1)
        last = impact->u_plus[4];
    }
    CHECK(last > 0.999);
}

TEST_CASE("three balls on linear springs: LZB against the modes of vibration")
{
    // A u' = H^T F, F = H-displacement: symmetric about the middle, so the modes are known: while both
    // springs are squeezed  x' = H u  follows  x'' = -[[2, -1], [-1, 2]] x  with frequencies 1 and sqrt(3)
    const ImpactContacts balls = row_of_balls(3, 1);
    const auto impact = lzb_impact(Metric::euclidean(), balls, Eigen::Vector3d(1, 0, 0),
                                   {.exponent = 1, .steps_per_radian = 2000});
    REQUIRE(impact.has_value());

    // the first spring lets go where  sin t + sin(sqrt(3) t)/sqrt(3) = 0; then the second swings alone
    double low = 1.5, high = 3;
    for (int k = 0; k < 100; ++k) {
        const double t = (low + high) / 2;
        (std::sin(t) + std::sin(std::sqrt(3.0) * t) / std::sqrt(3.0) > 0 ? low : high) = t;
    }
    const double t = low, r = std::sqrt(3.0);
    const double rate_1 = (std::cos(t) + std::cos(r * t)) / 2, rate_2 = (std::cos(t) - std::cos(r * t)) / 2;
    const double depth_2 = (std::sin(t) - std::sin(r * t) / r) / 2;
    // U = -rate; the second pair has reduced mass 1/2: its energy comes back as speed of separation
    const double u_1 = (1 + 2 * rate_1 + rate_2) / 3, pair = (1 - u_1) / 2;
    const double apart = std::sqrt(rate_2 * rate_2 + 2 * depth_2 * depth_2);
    CHECK(impact->u_plus[0] == near(u_1, 1e-5));
    CHECK(impact->u_plus[1] == near(pair - apart / 2, 1e-5));
    CHECK(impact->u_plus[2] == near(pair + apart / 2, 1e-5));
}

TEST_CASE("maps with friction refuse data that do not fit")
{
    const auto code = [](const Expected<Impact>& impact) { return impact.error().code; };
    const ImpactContacts balls = row_of_balls(3, 1);
    const Metric A = Metric::euclidean();
    const Eigen::Vector3d u(1, 0, 0);
    CHECK(code(energetic_impact(A, balls, Eigen::Vector2d(1, 0), {})) == ErrorCode::WrongSize);
    CHECK(code(energetic_impact(A, balls, u, {.restitution = 1.5})) == ErrorCode::SettingOutOfRange);
    CHECK(code(energetic_impact(A, balls, u, {.max_collisions = 1})) == ErrorCode::SettingOutOfRange);
    CHECK(code(lzb_impact(A, balls, u, {.stiffness = {1, -1}})) == ErrorCode::SettingOutOfRange);
    CHECK(code(lzb_impact(A, balls, u, {.stiffness = {1}})) == ErrorCode::WrongSize);
    CHECK(code(lzb_impact(A, balls, u, {.exponent = 0.5})) == ErrorCode::SettingOutOfRange);
    CHECK(code(lzb_impact(A, balls, u, {.steps_per_radian = 1})) == ErrorCode::SettingOutOfRange);
    CHECK(code(lzb_impact(A, balls, u, {.max_steps = 3})) == ErrorCode::SettingOutOfRange);
    CHECK(make_impact_contacts(Eigen::Matrix2d::Identity(), {Unilateral{}}).error().code ==
          ErrorCode::WrongSize);
    CHECK(make_impact_contacts(Eigen::Matrix2d::Identity(), {Coulomb{.friction = -1}}).error().code ==
          ErrorCode::SettingOutOfRange);
}

TEST_CASE("percussions outside the friction cone, or that do not make the jump, are seen")
{
    const auto contacts = *make_impact_contacts(Eigen::Matrix2d::Identity(), {Coulomb{.friction = 0.5}});
    const Metric A = Metric::euclidean();
    const Eigen::Vector2d u_minus(-1, 1);
    Impact impact(Eigen::Vector2d(0, 0));  // sticks by P = (1, -1), friction allows 0.5
    CHECK(admissibility(A, contacts, u_minus, impact).outside_N > 0.4);
    impact.percussions_Ns = Eigen::Vector2d(1, -1);
    CHECK(admissibility(A, contacts, u_minus, impact).outside_N > 0.4);

    Impact fine(Eigen::Vector2d(0, 0.5));
    CHECK(admissibility(A, contacts, u_minus, fine).outside_N <= 1e-14);
    CHECK((percussions_of_jump(A, contacts, fine.u_plus - u_minus) - Eigen::Vector2d(1, -0.5)).norm() <=
          1e-14);
    fine.percussions_Ns = Eigen::Vector2d(1, -0.4);
    CHECK(admissibility(A, contacts, u_minus, fine).outside_N == near(0.1, 1e-14));
}
