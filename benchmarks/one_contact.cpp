// Exact solution of one frictional contact in space, isotropic friction: sticking, sliding, and open ones.

#include "solver/one_contact.hpp"

#include <benchmark/benchmark.h>

#include <Eigen/Dense>

#include <array>
#include <random>
#include <vector>

namespace {

using namespace carom;

struct Problem {
    std::array<double, 9> W{};
    std::array<double, 3> b{};
};

/// Contacts of random rigid bodies, W = 1/m + (r x .)^T I^-1 (r x .), that end in the status asked for.
std::vector<Problem> problems_with(ContactStatus wanted, const Coulomb& law)
{
    std::mt19937 engine(20240901);
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(engine()) / 4294967295.0;
    };
    std::vector<Problem> problems;
    while (problems.size() < 1024) {
        const Eigen::Vector3d r(between(-1, 1), between(-1, 1), between(-1, 1));
        const Eigen::Vector3d inertia(between(0.2, 1), between(0.2, 1), between(0.2, 1));
        Eigen::Matrix3d cross;
        cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
        const Eigen::Matrix3d W = between(0.5, 2) * Eigen::Matrix3d::Identity() +
                                  cross.transpose() * inertia.cwiseInverse().asDiagonal() * cross;
        Problem problem;
        for (int i = 0; i < 3; ++i) {
            problem.b[i] = between(-1, i == 0 ? 0.2 : 1);
            for (int j = 0; j < 3; ++j) {
                problem.W[3 * i + j] = W(i, j);
            }
        }
        std::array<double, 3> P{};
        if (solve_one_contact(law, problem.W, problem.b, P) == wanted) problems.push_back(problem);
    }
    return problems;
}

void one_contact(benchmark::State& run, ContactStatus status)
{
    const Coulomb law{.shape = FrictionDisc{}, .friction = 0.5};
    const std::vector<Problem> problems = problems_with(status, law);
    for (auto _ : run) {
        for (const Problem& problem : problems) {
            std::array<double, 3> P{};
            benchmark::DoNotOptimize(solve_one_contact(law, problem.W, problem.b, P));
            benchmark::DoNotOptimize(P);
        }
    }
    run.counters["steps"] = static_cast<double>(problems.size());
}

}  // namespace

BENCHMARK_CAPTURE(one_contact, open, ContactStatus::Open);
BENCHMARK_CAPTURE(one_contact, stick, ContactStatus::Stick);
BENCHMARK_CAPTURE(one_contact, slip, ContactStatus::Slip);
