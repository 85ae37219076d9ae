#include "stepping/mechanical_system.hpp"
#include "stepping/step_parts.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace carom;
using test::near;

namespace {

/// A system that writes down what it is asked, and does what it is told to.
class Told final : public MechanicalSystem {
public:
    std::string asked;
    std::string fails;                     ///< the stage that does
    std::map<SolverKind, double> created;  ///< part of the kinetic energy, by solver: unsolved then
    int force_passes = 1;                  ///< solutions that the forces ask for
    Energies start{.kinetic_J = 5, .potential_J = 1}, advanced{.kinetic_J = 3, .potential_J = 2},
        corrected{.kinetic_J = 2.5, .potential_J = 2.25};

    bool predict() override { return stage("predict"); }
    void detect() override { stage("detect"); }
    bool strike(StepReport&) override { return stage("strike"); }
    void drift(StepReport& report) override
    {
        passes_ = 0;
        if (!stage("drift")) report.status = StepStatus::NotFinite;
    }
    void solve(const SolverSettings& solver, StepReport& report) override
    {
        solver_ = solver.kind;
        report.solve.status = SolveStatus::Converged;
        if (created.contains(solver_)) {
            report.solve.status = SolveStatus::NotSolved;
            report.status = StepStatus::NotSolved;
        }
        if (!stage("solve")) report.status = StepStatus::LawOutOfRange;
    }
    bool drift_again(StepReport&) override { return ++passes_ < force_passes && stage("again"); }
    double created_J() override { return 7 * created[solver_]; }
    double free_kinetic_J() override { return 7; }
    std::vector<std::string> names_of(const OtherMotion&) const override { return {}; }
    std::span<const OtherMotion> other_motions() const override { return {}; }
    bool advance() override { return stage("advance"); }
    Energies energies_at_start() override { return start; }
    Energies energies_at_end() override { return corrected_ ? corrected : advanced; }
    void account(const Energies& from, const Energies& to, StepReport& report) override
    {
        stage("account");
        CHECK(from.kinetic_J == start.kinetic_J);
        CHECK(to.kinetic_J == advanced.kinetic_J);
        report.energy.correction_J = 0.125;  // of contacts that persist
    }
    bool correct(StepReport&) override
    {
        corrected_ = true;
        return stage("correct");
    }
    void watch(StepReport&) override { stage("watch"); }
    void commit(const StepReport&) override { stage("commit"); }

private:
    bool stage(const std::string& name)
    {
        asked += asked.empty() ? name : " " + name;
        return name != fails;
    }
    int passes_ = 0;
    bool corrected_ = false;
    SolverKind solver_ = SolverKind::Auto;
};

StepReport step(Told& system, const SolverSettings& solver = {})
{
    StepReport report;
    report.h_s = 0.01;
    take_step(system, 2.0, solver, report);
    return report;
}

}  // namespace

TEST_CASE("a step has one order")
{
    Told system;
    const StepReport report = step(system);
    CHECK(report.status == StepStatus::Solved);
    CHECK(system.asked == "predict detect strike drift solve advance account correct watch commit");

    // energies at both ends, and what the correction did, beside what the system has written there itself
    CHECK(report.at_end.kinetic_J == 2.5);
    CHECK(report.energy.kinetic_J == -2.5);
    CHECK(report.energy.potential_J == 1.25);
    CHECK(report.energy.correction_J == near(0.125 - 0.5 + 0.25, 1e-15));

    Told again;
    again.force_passes = 3;
    CHECK(step(again).status == StepStatus::Solved);
    CHECK(again.asked ==
          "predict detect strike drift solve again solve again solve advance account correct watch commit");
}

TEST_CASE("a step that fails says how, and leaves the state as it was")
{
    const std::map<std::string, StepStatus> ends{{"predict", StepStatus::MetricSingular},
                                                 {"strike", StepStatus::LawOutOfRange},
                                                 {"drift", StepStatus::NotFinite},
                                                 {"solve", StepStatus::LawOutOfRange},
                                                 {"advance", StepStatus::NotFinite}};
    for (const auto& [stage, status] : ends) {
        CAPTURE(stage);
        Told system;
        system.fails = stage;
        const StepReport report = step(system);
        CHECK(report.status == status);
        CHECK(report.h_s == 0.01);
        CHECK(system.asked.ends_with(stage));
    }
    Told system;
    system.corrected.potential_J = std::numeric_limits<double>::quiet_NaN();
    CHECK(step(system).status == StepStatus::NotFinite);
    CHECK(system.asked.find("commit") == std::string::npos);
}

TEST_CASE("percussions that create energy are not used: auto takes the place of the solver, or nobody does")
{
    const SolverSettings asked_for{.kind = SolverKind::GaussSeidel};
    {
        // missed its tolerance, and no harm done
        Told system;
        system.created[SolverKind::GaussSeidel] = 0.005;
        const StepReport report = step(system, asked_for);
        CHECK(report.status == StepStatus::NotSolved);
        CHECK(report.findings.empty());
        CHECK(system.asked.ends_with("commit"));
    }
    {
        Told system;
        system.created[SolverKind::GaussSeidel] = 0.02;
        const StepReport report = step(system, asked_for);
        CHECK(report.status == StepStatus::Solved);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].code == "solver_replaced");
        CHECK(report.findings[0].time_s == 2.0);
        CHECK(system.asked.ends_with("drift solve drift solve advance account correct watch commit"));
    }
    {
        Told system;
        system.created[SolverKind::GaussSeidel] = 0.02;
        system.created[SolverKind::Auto] = 0.03;
        const StepReport report = step(system, asked_for);
        CHECK(report.status == StepStatus::Undetermined);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].code == "unsolved_step");
        CHECK(report.findings[0].uncertifies);
        CHECK(system.asked.ends_with("drift solve drift solve"));
    }
}

TEST_CASE("the energy of a percussion from the free velocity on is positive for one that is too large only")
{
    // one contact, W = 1, U_free = -1: P = 1 stops it, P = 2 is elastic from there, more creates energy
    const auto created = [](double P, double shift = 0) {
        const std::vector<double> percussion{P}, U_free{-1 + shift}, U_plus{-1 + P};
        return energy_created_J(percussion, U_free, U_plus, shift);
    };
    CHECK(created(1) == near(-0.5, 1e-15));
    CHECK(created(2) == near(0.0, 1e-15));
    CHECK(created(3) == near(1.5, 1e-15));
    // a law that throws the contact out, U+ = 0.5, does so with energy that is not counted
    CHECK(created(1.5, -0.5) == near(1.5 * (-1 + 0.5) / 2 - 0.75, 1e-15));
    // one that may close leaves U+ = -0.5
    CHECK(created(0.5, 0.5) == near(0.5 * (-1 - 0.5) / 2, 1e-15));
}
