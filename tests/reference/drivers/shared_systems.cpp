#include "shared_systems.hpp"

#include <fmt/format.h>

namespace carom::reference {

Model square_billiard(const Task& task)
{
    return model_of({.coordinates = {"x", "y"},
                     .kinetic = "(x'^2 + y'^2)/2",
                     .contacts = {{"left", "x", "1"},
                                  {"right", "1 - x", "1"},
                                  {"bottom", "y", "1"},
                                  {"top", "1 - y", "1"}}},
                    task);
}

Model parabola_billiard(const Task& task)
{
    return model_of({.coordinates = {"x", "y"},
                     .kinetic = "(x'^2 + y'^2)/2",
                     .potential = "g*y",
                     .contacts = {{"floor", "y - x^2/2", "1"}}},
                    task);
}

Model particle_on_obstacle(const Task& task)
{
    return model_of({.coordinates = {"x", "y", "z"},
                     .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                     .contacts = {{.name = "obstacle",
                                   .gap = "z",
                                   .restitution = "e",
                                   .friction = "mu",
                                   .shape = FrictionDisc{},
                                   .sliding = {"x'", "y'"}}}},
                    task);
}

Model mass_on_belt(const Task& task)
{
    return model_of({.coordinates = {"x", "y"},
                     .kinetic = "m/2*(x'^2 + y'^2)",
                     .potential = "k/2*x^2 + N*y",
                     .contacts = {{.name = "belt",
                                   .gap = "y",
                                   .friction = "mu_d",
                                   .static_friction = "mu_s",
                                   .position = {"x", "y"},
                                   .obstacle_velocity = {"vb", "0"}}}},
                    task);
}

Model klarbring_particle(const Task& task)
{
    const Eigen::MatrixXd K = task.matrix("K");
    const Eigen::VectorXd F = task.vector("F");
    return model_of({.coordinates = {"a", "b"},
                     .kinetic = "(a'^2 + b'^2)/2",
                     .potential = "(Ktt*a^2 + (Ktn + Knt)*a*b + Knn*b^2)/2 - Ft*a - Fn*b",
                     .contacts = {{.name = "obstacle",
                                   .gap = "-b",
                                   .restitution = "restitution",
                                   .friction = "mu",
                                   .sliding = {"a'"}}}},
                    task,
                    {{"Ktt", K(0, 0)},
                     {"Ktn", K(0, 1)},
                     {"Knt", K(1, 0)},
                     {"Knn", K(1, 1)},
                     {"Ft", F[0]},
                     {"Fn", F[1]},
                     {"restitution", task.number("e", 0)}});
}

Model row_of_masses(const Task& task, int n)
{
    SystemText text{.coordinates = {}, .kinetic = "0", .potential = "k*(drive*t - x1)^2/2"};
    for (int i = 1; i <= n; ++i) {
        text.coordinates.push_back(fmt::format("x{}", i));
    }
    for (int i = 1; i <= n; ++i) {
        text.coordinates.push_back(fmt::format("y{}", i));
        text.kinetic += fmt::format(" + (x{0}'^2 + y{0}'^2)/2", i);
        text.potential += fmt::format(" + N*y{}", i);
        if (i > 1) text.potential += fmt::format(" + k*(x{} - x{})^2/2", i - 1, i);
        text.contacts.push_back({.name = fmt::format("floor{}", i),
                                 .gap = fmt::format("y{}", i),
                                 .friction = "mu",
                                 .sliding = {fmt::format("x{}'", i)}});
    }
    return model_of(text, task);
}

}  // namespace carom::reference
