#include "carom/onestep/fclib.hpp"
#include "carom/convex/sets.hpp"
#include "carom/onestep/residual.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

const std::string data = std::string(CAROM_TEST_DATA) + "/fclib/";

/// A file of its own, removed at the end.
struct TemporaryFile {
    std::string path;
    TemporaryFile()
    {
        static std::mt19937_64 random(std::random_device{}());
        path =
            (std::filesystem::temp_directory_path() / ("carom_fclib_" + std::to_string(random()) + ".hdf5"))
                .string();
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
};

/// Two contacts in space and one joint, W symmetric, with numbers that differ everywhere.
FclibProblem small_problem()
{
    FclibProblem problem;
    problem.space_dimension = 3;
    problem.joints = 1;
    problem.mu = Eigen::Vector2d(0.3, 0.7);
    problem.q = (Eigen::VectorXd(7) << -1, 0.2, 0.1, -2, 0, 0.5, 0.25).finished();
    Eigen::MatrixXd A(7, 7);
    for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < 7; ++j) {
            A(i, j) = (i == j ? 4.0 : 0.0) + std::cos(i + j);
        }
    }
    problem.W = A.sparseView();
    problem.info = {.title = "small", .description = "two contacts", .math_info = ""};
    return problem;
}

std::vector<std::string> fields(const std::string& line)
{
    std::vector<std::string> result;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) {
        result.push_back(field);
    }
    return result;
}

void write_values(hid_t file, const char* path, hid_t type, std::vector<double> values)
{
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(dataset >= 0);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Sclose(space);
}

void add_group(hid_t file, const char* path)
{
    H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

void write_triplets(hid_t file, const std::string& group, int rows, int columns, std::vector<double> i,
                    std::vector<double> p, std::vector<double> x)
{
    add_group(file, group.c_str());
    write_values(file, (group + "/m").c_str(), H5T_STD_I32LE, {double(rows)});
    write_values(file, (group + "/n").c_str(), H5T_STD_I32LE, {double(columns)});
    write_values(file, (group + "/nz").c_str(), H5T_STD_I32LE, {double(x.size())});
    write_values(file, (group + "/nzmax").c_str(), H5T_STD_I32LE, {double(x.size())});
    write_values(file, (group + "/i").c_str(), H5T_STD_I32LE, std::move(i));
    write_values(file, (group + "/p").c_str(), H5T_STD_I32LE, std::move(p));
    write_values(file, (group + "/x").c_str(), H5T_IEEE_F64LE, std::move(x));
}

/// What is said about the small problem after a change through HDF5; `removed` goes first.
Error after(const char* removed, const std::function<void(hid_t)>& change)
{
    const TemporaryFile file;
    REQUIRE(write_fclib(file.path, small_problem()));
    const hid_t id = H5Fopen(file.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(id >= 0);
    REQUIRE(H5Ldelete(id, removed, H5P_DEFAULT) >= 0);
    change(id);
    H5Fclose(id);
    const auto read = read_fclib(file.path);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().where == file.path);
    CHECK_FALSE(read.error().hint.empty());
    return read.error();
}

}  // namespace

TEST_CASE("problems of other programs are read as h5py reads them")
{
    std::ifstream table(data + "expected.csv");
    std::string line;
    std::getline(table, line);
    int files = 0;
    for (; std::getline(table, line); ++files) {
        const auto expected = fields(line);
        REQUIRE(expected.size() == 9);
        CAPTURE(expected[0]);
        const auto problem = read_fclib(data + expected[0]);
        REQUIRE(problem.has_value());
        CHECK(problem->space_dimension == std::stoi(expected[1]));
        CHECK(problem->contacts() == std::stoi(expected[2]));
        CHECK(problem->joints == 0);

        // sums over up to 1e5 products of rounded terms; a condensed W also has the error of M^-1, cond M =
        // 1e7
        const double eps = problem->form == FclibForm::Global ? 1e-8 : 1e-11;
        Eigen::VectorXd z(problem->rows()), t(problem->rows());
        for (int k = 0; k < problem->rows(); ++k) {
            z[k] = std::cos(k);
            t[k] = std::sin(k + 0.5);
        }
        const double W_norm = problem->W.norm(), q_norm = problem->q.norm();
        const auto number = [&](std::size_t k) { return std::stod(expected[k]); };
        const double scale = W_norm * z.norm() * t.norm();
        CHECK(W_norm == near(number(3), eps * W_norm));
        CHECK(t.dot(problem->W * z) == near(number(4), eps * scale));
        CHECK(z.dot(problem->W * t) == near(number(5), eps * scale));
        CHECK(q_norm == near(number(6), eps * q_norm));
        CHECK(t.dot(problem->q) == near(number(7), eps * q_norm * t.norm()));
        CHECK(problem->mu.sum() == near(number(8), 1e-12 * number(8)));

        // the one-step problem is the same: its U for some P equals W P + q
        const auto loaded = one_step_problem(*problem);
        REQUIRE(loaded.has_value());
        REQUIRE(loaded->problem.size() == problem->rows());
        std::vector<double> U(loaded->rows.size());
        local_velocity(loaded->problem, std::span<const double>(z.data(), U.size()), U);
        const Eigen::VectorXd exact = problem->W * z + problem->q;
        const Eigen::Map<const Eigen::VectorXd> seen(U.data(), exact.size());
        CHECK((seen - exact).norm() <= 1e-13 * exact.norm() * std::sqrt(problem->rows()));
    }
    CHECK(files == 15);
}

TEST_CASE("a written problem is read back: joints, solution and text included")
{
    const TemporaryFile file;
    const FclibProblem problem = small_problem();
    const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(7, 1, 7);
    const FclibSolution solution{.r = r, .u = problem.W * r + problem.q};
    REQUIRE(write_fclib(file.path, problem, &solution));
    const auto read = read_fclib(file.path);
    REQUIRE(read.has_value());
    CHECK(Eigen::MatrixXd(read->W) == Eigen::MatrixXd(problem.W));
    CHECK(read->q == problem.q);
    CHECK(read->mu == problem.mu);
    CHECK(read->joints == 1);
    CHECK(read->info.title == "small");
    REQUIRE(read->stored.has_value());
    CHECK(*read->stored == r);

    // joints are bilateral, contacts have their coefficient
    const auto loaded = one_step_problem(*read);
    REQUIRE(loaded.has_value());
    REQUIRE(loaded->problem.interactions() == 3);
    CHECK(std::get<Coulomb>(loaded->problem.laws[1]).friction == 0.7);
    CHECK(std::holds_alternative<Bilateral>(loaded->problem.laws[2]));

    CHECK(write_fclib("/no/such/folder/x.hdf5", problem).error().code == ErrorCode::FileUnwritable);
    FclibProblem cut = problem;
    cut.q.conservativeResize(6);
    CHECK(write_fclib(file.path, cut).error().code == ErrorCode::WrongSize);
}

TEST_CASE("the global form with a joint is condensed: a bead on a rail falls on the floor")
{
    // two beads of 2 kg and 0.5 kg in a plane, tied by a joint to move alike in x; the second touches the
    // floor
    const TemporaryFile file;
    const hid_t id = H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    add_group(id, "/fclib_global");
    add_group(id, "/fclib_global/vectors");
    write_values(id, "/fclib_global/spacedim", H5T_STD_I32LE, {2});
    write_triplets(id, "/fclib_global/M", 4, 4, {0, 1, 2, 3}, {0, 1, 2, 3}, {2, 2, 0.5, 0.5});
    write_triplets(id, "/fclib_global/H", 4, 2, {3, 2}, {0, 1}, {1, 1});   // (N, T) of the second bead
    write_triplets(id, "/fclib_global/G", 4, 1, {0, 2}, {0, 0}, {1, -1});  // v_x1 - v_x2 + b = 0
    write_values(id, "/fclib_global/vectors/f", H5T_IEEE_F64LE, {2 * 3.0, 0, 0, 0.5 * -4.0});
    write_values(id, "/fclib_global/vectors/w", H5T_IEEE_F64LE, {0.5, 0});
    write_values(id, "/fclib_global/vectors/b", H5T_IEEE_F64LE, {-1});
    write_values(id, "/fclib_global/vectors/mu", H5T_IEEE_F64LE, {0.25});
    H5Fclose(id);

    const auto read = read_fclib(file.path);
    REQUIRE(read.has_value());
    REQUIRE(read->joints == 1);
    Eigen::Matrix3d W;
    W << 2, 0, 0,  // 1 / 0.5 kg
        0, 2, -2,  //
        0, -2, 2.5;
    CHECK((Eigen::MatrixXd(read->W) - W).norm() < 1e-15);
    CHECK((read->q - Eigen::Vector3d(0.5 - 4, 0, 3 - 1)).norm() < 1e-15);

    // by hand: U_N = 0 gives P_N = 1.75; it slides, so P_T = -0.25 * 1.75, and the joint follows
    const auto loaded = one_step_problem(*read);
    REQUIRE(loaded.has_value());
    const double P_T = -0.25 * 1.75, l = (2 * P_T - 2) / 2.5;
    const std::vector<double> P{1.75, P_T, l};
    CHECK(2 * P_T - 2 * l > 0);  // slides against P_T
    CHECK(residual(loaded->problem, P).unit_free < 1e-15);
}

TEST_CASE("what a law becomes in a file solves the same problem")
{
    // a frictionless contact with restitution, a bilateral row between, a frictional contact with restitution
    Eigen::MatrixXd W = 3 * Eigen::MatrixXd::Identity(5, 5);
    W(0, 1) = W(1, 0) = 0.5;
    W(1, 2) = W(2, 1) = -0.25;
    W(0, 4) = W(4, 0) = 0.125;
    const Eigen::VectorXd U_free = (Eigen::VectorXd(5) << -1, 0.5, -2, 0.1, 3).finished();
    const Eigen::VectorXd U_minus = (Eigen::VectorXd(5) << -2, 0, -4, 0.5, 0.25).finished();
    const auto problem = make_problem(
        W, U_free, U_minus,
        {Unilateral{.restitution = 0.5}, Bilateral{},
         Coulomb{
             .shape = FrictionDisc{}, .friction = 0.4, .restitution = 0.25, .tangential_restitution = 0.5}});
    REQUIRE(problem.has_value());
    const auto stored = fclib_problem(*problem);
    REQUIRE(stored.has_value());
    CHECK(stored->stored.contacts() == 2);
    CHECK(stored->stored.joints == 1);
    CHECK(stored->stored.mu == Eigen::Vector2d(0, 0.4));
    const auto loaded = one_step_problem(stored->stored);
    REQUIRE(loaded.has_value());
    REQUIRE(loaded->problem.size() == 5);

    // both residuals agree for any percussions, rows matched by the file: only the shifts moved into q, and
    // numerators do not see them
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 20; ++trial) {
        std::vector<double> P(5), P_file(5);
        Eigen::VectorXd by_row = Eigen::VectorXd::Zero(stored->stored.rows());
        for (std::size_t k = 0; k < 5; ++k) {
            P[k] = normal(random);
            by_row[stored->rows[k]] = P[k];
        }
        for (std::size_t k = 0; k < 5; ++k) {
            P_file[k] = by_row[loaded->rows[k]];
        }
        const Residual a = residual(*problem, P), b = residual(loaded->problem, P_file);
        CHECK(a.cone_violation_Ns == near(b.cone_violation_Ns, 1e-14));
        CHECK(a.approach_m_s == near(b.approach_m_s, 1e-14));
    }
}

TEST_CASE("laws that FCLIB does not know are stored as they are: the same problem to the last bit")
{
    const auto shared = [](auto set) -> std::shared_ptr<const ConvexSet> {
        REQUIRE(set.has_value());
        return std::make_shared<const std::remove_cvref_t<decltype(*set)>>(*set);
    };
    const Eigen::Vector2d ones(1, 1);
    Eigen::Matrix2d E;
    E << 4, 1, 1, 2;
    const double infinity = std::numeric_limits<double>::infinity();
    const auto polygon = make_polygon({{-0.3, -0.2}, {0.4, -0.2}, {0.1, 0.5}});
    REQUIRE(polygon);
    const std::vector<Law> laws{
        Unilateral{.restitution = 0.3},
        Coulomb{.shape = FrictionInterval{.low = -0.5, .high = 1}, .friction = 0.4, .restitution = 0.1},
        Coulomb{.shape = FrictionEllipse{.half_axes = {1, 0.5}, .angle_rad = 0.3}, .friction = 0.6},
        Coulomb{.shape = *polygon, .friction = 0.7, .tangential_restitution = 0.2},
        Coulomb{.shape = FrictionRough{.dimension = 2}},
        Bilateral{},
        Limited{.low = -0.2, .high = infinity, .rubs = true},
        Limited{.low = -0.01, .high = 0.02},
        NonFirm{.set = shared(Ball::make(Eigen::Vector2d::Zero(), 1)), .size = 0.05, .rubs = true},
        NonFirm{.set = shared(Box::make(-ones, Eigen::Vector2d(infinity, 2))), .size = 0.1},
        NonFirm{.set = shared(Ellipsoid::make(Eigen::Vector2d(0.1, 0), E)), .size = 0.2},
        NonFirm{.set = shared(Interval::make(-1, infinity)), .size = 0.3},
        Resisting{.friction = 0.5, .rolling = 0.02, .spinning = 0.01, .restitution = 0.4},
    };
    int n = 0;
    for (const Law& law : laws)
        n += dimension(law);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd H(n, n + 3);
    Eigen::VectorXd U_free(n), U_minus(n);
    for (double& value : H.reshaped())
        value = normal(random);
    for (int i = 0; i < n; ++i) {
        U_free[i] = normal(random);
        U_minus[i] = normal(random);
    }
    const Eigen::MatrixXd W = H * H.transpose();
    const auto problem = make_problem(W, U_free, U_minus, laws);
    REQUIRE(problem);
    const auto stored = fclib_problem(*problem);
    REQUIRE(stored);
    CHECK(stored->stored.form == FclibForm::Carom);
    CHECK(stored->stored.contacts() == 6);

    const TemporaryFile file;
    REQUIRE(write_fclib(file.path, stored->stored));
    const auto read = read_fclib(file.path);
    REQUIRE(read);
    CHECK(read->form == FclibForm::Carom);
    const auto loaded = one_step_problem(*read);
    REQUIRE(loaded);
    CHECK(loaded->problem.U_free == problem->U_free);
    CHECK(loaded->problem.U_minus == problem->U_minus);
    CHECK(loaded->problem.offsets == problem->offsets);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> P(static_cast<std::size_t>(n));
        for (double& value : P)
            value = normal(random);
        // bits, but for an ellipsoid, which is written by its matrix and not by the factor of it
        CHECK(residual(loaded->problem, P).unit_free == near(residual(*problem, P).unit_free, 1e-14));
    }

    // sets of other kinds are refused by name
    const auto whole =
        make_problem(Eigen::MatrixXd::Identity(2, 2), Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2),
                     {NonFirm{.set = shared(Singleton::make(Eigen::Vector2d::Zero()))}});
    REQUIRE(whole);
    CHECK(fclib_problem(*whole).error().code == ErrorCode::NotAllowedHere);
}

TEST_CASE("files that are not what they claim are refused by name")
{
    const auto vector = [](const char* path, std::vector<double> values, hid_t type) {
        return [=](hid_t file) { write_values(file, path, type, values); };
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();

    Error error = after("/fclib_local/W", [](hid_t) {});
    CHECK(error.message.find("/fclib_local/W") != std::string::npos);
    CHECK(error.code == ErrorCode::FileMalformed);

    error = after("/fclib_local/vectors/q",
                  vector("/fclib_local/vectors/q", {-1, nan, 0.1, -2, 0, 0.5}, H5T_IEEE_F64LE));
    CHECK(error.code == ErrorCode::NotFinite);
    CHECK(error.message.find("q[1]") != std::string::npos);

    error = after("/fclib_local/vectors/mu", vector("/fclib_local/vectors/mu", {0.3, -0.7}, H5T_IEEE_F64LE));
    CHECK(error.code == ErrorCode::SettingOutOfRange);

    error = after("/fclib_local/vectors/mu", vector("/fclib_local/vectors/mu", {0.3}, H5T_IEEE_F64LE));
    CHECK(error.code == ErrorCode::WrongSize);

    // a size that only the head claims takes no memory
    error = after("/fclib_local/W/m", vector("/fclib_local/W/m", {2e9}, H5T_STD_I32LE));
    CHECK(error.code == ErrorCode::WrongSize);

    error = after("/fclib_local/W/nz", vector("/fclib_local/W/nz", {1e6}, H5T_STD_I32LE));
    CHECK(error.message.find("nz") != std::string::npos);

    error = after("/fclib_local/W/p", vector("/fclib_local/W/p", {0, 9, 5, 6, 7, 8, 9}, H5T_STD_I32LE));
    CHECK(error.message.find("/p[2]") != std::string::npos);

    error = after("/fclib_local/W/i", vector("/fclib_local/W/i", std::vector<double>(36, 6), H5T_STD_I32LE));
    CHECK(error.message.find("/i[0]") != std::string::npos);

    error = after("/fclib_local/spacedim", vector("/fclib_local/spacedim", {4}, H5T_STD_I32LE));
    CHECK(error.message.find("spacedim") != std::string::npos);

    // links to elsewhere and data in other files
    error = after("/fclib_local/W", [](hid_t file) {
        H5Lcreate_external("other.hdf5", "/W", file, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
    });
    CHECK(error.message.find("link") != std::string::npos);
    error = after("/fclib_local/vectors/mu", [](hid_t file) {
        const hsize_t size = 2;
        const hid_t space = H5Screate_simple(1, &size, nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(list, "elsewhere.bin", 0, 16);
        H5Dclose(H5Dcreate2(file, "/fclib_local/vectors/mu", H5T_IEEE_F64LE, space, H5P_DEFAULT, list,
                            H5P_DEFAULT));
        H5Pclose(list);
        H5Sclose(space);
    });
    CHECK(error.message.find("another file") != std::string::npos);

    CHECK(read_fclib(data + "expected.csv").error().code == ErrorCode::FileMalformed);
    CHECK(read_fclib(data).error().code == ErrorCode::FileUnreadable);
    CHECK(read_fclib(data + "absent.hdf5").error().code == ErrorCode::FileUnreadable);
}

TEST_CASE("a mass matrix without inverse is told")
{
    const TemporaryFile file;
    const hid_t id = H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    add_group(id, "/fclib_global");
    add_group(id, "/fclib_global/vectors");
    write_values(id, "/fclib_global/spacedim", H5T_STD_I32LE, {2});
    write_triplets(id, "/fclib_global/M", 2, 2, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 1, 1});
    write_triplets(id, "/fclib_global/H", 2, 2, {0, 1}, {0, 1}, {1, 1});
    write_values(id, "/fclib_global/vectors/f", H5T_IEEE_F64LE, {1, 1});
    write_values(id, "/fclib_global/vectors/w", H5T_IEEE_F64LE, {0, 0});
    write_values(id, "/fclib_global/vectors/mu", H5T_IEEE_F64LE, {0.5});
    H5Fclose(id);
    const auto read = read_fclib(file.path);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == ErrorCode::MetricNotPositive);
    CHECK(read.error().where == file.path);
}
