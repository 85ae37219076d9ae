#include "drivers.hpp"
#include "simulation.hpp"
#include "stepping/scratch.hpp"

#include "expression/parse.hpp"

#include <array>

namespace carom::reference {

/// M88-CORR: linear correction of a violated disc f = q1^2 + q2^2 - 1.25 <= 0 in a kinetic metric A, by
/// correct_violations (Moreau 1988, remark 11.1).
void drive_correction(const Task& task, Answers& answers)
{
    Vocabulary vocabulary;
    LagrangianSystem system;
    for (const char* name : {"q1", "q2"}) {
        static_cast<void>(value_of(vocabulary.add_coordinate(name)));
        system.coordinates.push_back({.name = name, .unit = "m"});
    }
    system.kinetic = value_of(kinetic_energy_of(task.matrix("A")));
    system.contacts.push_back({.name = "disc",
                               .gap = value_of(parse_formula("1.25 - q1^2 - q2^2", vocabulary)),
                               .restitution = {}});
    const auto model = make_model(std::move(system));
    const Eigen::VectorXd q_F = task.vector("q_F");
    if (!model || q_F.size() != 2) throw DriverFailure("A and q_F do not make a system of two coordinates");

    Scratch scratch(*model);
    Eigen::VectorXd q_C = q_F;
    static_cast<void>(correct_violations(*model, std::array{0}, 0, q_C, scratch));
    const auto f = [&](const Eigen::VectorXd& q) {
        return Json(-model->gap_m(0, {view(q), view(scratch.u_start), 0}, scratch.work));
    };
    answers.give("f(q_F)", Means::Exact, [&] { return f(q_F); });
    answers.give("q_C", Means::Exact, [&] { return list_of(q_C); });
    answers.give("f(q_C)", Means::Exact, [&] { return f(q_C); });
}

}  // namespace carom::reference
