// carom on the scenes of scene.py: scene.py wall | mechanics_carom [seconds=1] [tolerance=1e-8]; one JSON
// line.
#include "stepping/body_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <time.h>

using namespace carom;

namespace {

constexpr double side_m = 4.2;

Body plane(const Vec3& normal, double offset_m)
{
    Body body;
    body.name = "plane";
    body.motion = BodyMotion::Fixed;
    body.shape = PlaneShape{.normal = normal, .offset_m = offset_m};
    return body;
}

/// Bodies of the scene, as scene.py writes them; spheres have walls around them.
BodySetup read_scene(std::istream& lines, bool& round)
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.5, .restitution = 0}};
    setup.gravity_m_s2 = {0, 0, -9.81};
    setup.bodies.push_back(plane(Vec3::UnitZ(), 0));
    std::string kind;
    double x = 0, y = 0, z = 0, size = 0;
    while (lines >> kind >> x >> y >> z >> size) {
        Body body;
        body.name = "b" + std::to_string(setup.bodies.size());
        round = kind == "sphere";
        if (round) {
            body.shape = SphereShape{size};
        } else {
            body.shape = BoxShape{Vec3::Constant(size)};
        }
        body.mass_kg = 1;
        body.pose.position_m = {x, y, z};
        setup.bodies.push_back(body);
    }
    if (round) {
        for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
            setup.bodies.push_back(plane(axis, 0));
            setup.bodies.push_back(plane(-axis, -side_m));
        }
    }
    for (std::size_t k = 0; k < setup.bodies.size(); ++k) {
        setup.bodies[k].name += "_" + std::to_string(k);
    }
    return setup;
}

double cpu_s()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::stod(argv[1]) : 1.0;
    SolverSettings solver;
    solver.tolerance = argc > 2 ? std::stod(argv[2]) : 1e-8;
    const MoreauSettings settings{.time_step_s = 0.005};
    bool round = false;
    const auto model = make_body_model(read_scene(std::cin, round));
    if (!model) {
        std::fprintf(stderr, "%s\n", to_text(model.error().front()).c_str());
        return 2;
    }
    State state = make_body_state(*model);
    BodyStepMemory scratch;

    // both errors of every step: unit-free, and as Siconos states it
    double unit_free = 0, siconos = 0, deepest = 0;
    std::size_t contacts = 0;
    int unsolved = 0;
    const int steps = static_cast<int>(seconds / settings.time_step_s + 0.5);
    const double before = cpu_s();
    for (int k = 0; k < steps; ++k) {
        const StepReport report = body_step(*model, settings, solver, state, scratch);
        unit_free = std::max(unit_free, report.solve.residual.unit_free);
        siconos = std::max(siconos, report.solve.residual.siconos);
        deepest = std::max(deepest, report.max_penetration_m);
        contacts = std::max(contacts, scratch.contacts.size());
        if (report.status != StepStatus::Solved) ++unsolved;
    }
    const double cpu = cpu_s() - before;
    std::printf("{\"engine\":\"carom\",\"scene\":\"%s\",\"steps\":%d,\"cpu_s\":%.4g,\"steps_per_cpu_s\":%.4g,"
                "\"tolerance\":%g,\"contacts\":%zu,\"worst_residual\":%.2e,\"worst_unit_free\":%.2e,"
                "\"steps_above_tolerance\":%d,\"deepest_m\":%.2e}\n",
                round ? "spheres" : "wall", steps, cpu, steps / cpu, solver.tolerance, contacts, siconos,
                unit_free, unsolved, deepest);
}
