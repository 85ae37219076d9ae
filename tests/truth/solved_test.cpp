#include "support.hpp"

#include <cmath>

using namespace carom::test;

namespace {

/// Every kind of solver that scenes may name.
const std::vector<std::string>& solver_kinds()
{
    static const std::vector<std::string> kinds{
        "auto", "exact", "gauss_seidel", "psor", "anderson", "nonlinear_cg", "accelerated_gradients",
        "admm", "proximal_newton", "interior_point"};
    return kinds;
}

}  // namespace

TEST_CASE("walls that close on a point leave no solution, and every solver says so")
{
    for (const std::string& kind : solver_kinds()) {
        CAPTURE(kind);
        const auto run = run_of(defect("closing_walls"),
                                {"--set", "solver.kind=" + kind, "--set", "duration_s=1.05"});
        CHECK(run["status"] == "uncertified");
        const auto found = finding(run, "no_solution");
        REQUIRE(found.is_object());
        CHECK(found["time_s"].get<double>() == doctest::Approx(1.001).epsilon(1e-9));
        const auto message = found["message"].get<std::string>();
        CHECK(contains(message, "left and right"));
        CHECK(contains(message, "at least 1 m/s"));  // each wall comes with 1 m/s, their mean cannot be less
        CHECK(finding(run, "unsolved_step").is_null());
        // the point stays between them, pushed by neither more than by the other
        CHECK(std::abs(run["state"]["x"]["q"].get<double>()) < 1e-3);
    }
}
