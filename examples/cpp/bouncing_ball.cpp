// A ball dropped on a floor, by the C++ interface: describe, check, run, read the report.

#include <carom/expression/record.hpp>
#include <carom/run/run.hpp>

#include <cstdio>

int main()
{
    using namespace carom;

    // describe: T = m/2 z'^2, V = m g z, gap z >= 0 with restitution 0.8
    const double mass_kg = 0.5, g = 9.81;
    LagrangianSystem system;
    system.coordinates = {{.name = "z", .unit = "m"}};
    system.kinetic = record(1, [&](auto&&, const auto& u, auto&&) { return mass_kg / 2 * u[0] * u[0]; });
    system.potential = record(1, [&](const auto& q, const auto&, const auto&) { return mass_kg * g * q[0]; });
    system.contacts = {{.name = "floor",
                        .gap = record(1, [](const auto& q, auto&&...) { return q[0]; }),
                        .restitution = Formula::constant(0.8)}};

    // check: every mistake at once
    const auto model = make_model(system);
    if (!model) {
        for (const Error& error : model.error())
            std::fputs(to_text(error).c_str(), stderr);
        return 2;
    }

    // run until the ball lies still
    State state = make_state(*model, Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Zero(1));
    const RunReport report =
        simulate(*model, {.time_step_s = 1e-4}, {}, {.duration_s = 10, .until = {.rest = true}}, state);

    std::printf("%s after %.4f s: z = %.2e m, %zu events, %.6f J lost in impacts, %.1e J unexplained\n",
                std::string(name_of(report.end)).c_str(), state.t_s, state.q[0], report.events.size(),
                -report.certificate.energy.impact_J, report.certificate.energy_balance_J);
    return report.status == RunStatus::Certified ? 0 : 1;
}
