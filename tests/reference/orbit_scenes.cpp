#include "orbit_scenes.hpp"

#include "orbit_scene_texts.hpp"

#include <fmt/format.h>

namespace carom::reference {

std::string OrbitScene::text(const std::map<std::string, double>& others) const
{
    std::string out = "[parameters]\n";
    for (const auto& [name, value] : parameters) {
        const auto other = others.find(name);
        out += fmt::format("{} = {:.17g}\n", name, other == others.end() ? value : other->second);
    }
    return out + body;
}

Scene OrbitScene::read(double duration_s, double start_s, const std::map<std::string, double>& others) const
{
    const std::string head =
        fmt::format("title = \"orbit\"\nduration_s = {:.17g}\nstart_s = {:.17g}\n", duration_s, start_s);
    auto scene = read_scene_text(head + text(others) + "\n[integrator]\nkind = \"series\"\n", "orbit");
    if (!scene) {
        const Error& first = scene.error().front();
        throw DriverFailure(first.where + ": " + first.message);
    }
    return std::move(*scene);
}

void take(const Task& task, std::initializer_list<const char*> names, OrbitScene& scene)
{
    for (const char* name : names) {
        scene.parameters[name] = task.number(name);
    }
}

Json matrix_of(const Eigen::MatrixXd& M)
{
    Json rows = Json::array();
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
        Json row = Json::array();
        for (Eigen::Index j = 0; j < M.cols(); ++j) {
            row.push_back(M(i, j));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

OrbitScene pendulum_scene(const Task& task, bool wall)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"theta"}};
    take(task, {"g", "l", "c", "theta0", "omega0"}, scene);
    scene.body = orbit_scene::pendulum;
    if (!wall) return scene;
    take(task, {"theta_w", "e"}, scene);
    scene.body += orbit_scene::pendulum_wall;
    return scene;
}

OrbitScene ball_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"z"}};
    take(task, {"h0", "v0", "g", "e"}, scene);
    scene.body = R"toml(
[[coordinate]]
name = "z"
start = "h0"
start_velocity = "v0"
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "floor"
gap = "z"
law = { restitution = "e" }
)toml";
    return scene;
}

OrbitScene table_scene(const Task& task)
{
    OrbitScene scene{
        .parameters = {{"A", 0}, {"ph", 0}, {"e", 0}, {"z0", 0}, {"v0", 0}}, .body = {}, .state = {"z"}};
    take(task, {"w", "g"}, scene);
    for (const char* name : {"A", "ph", "e", "z0", "v0"}) {
        scene.parameters[name] = task.number(name, 0);
    }
    scene.body = R"toml(
[[coordinate]]
name = "z"
start = "z0"
start_velocity = "v0"
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "plate"
gap = "z - A*sin(w*t + ph)"
law = { restitution = "e" }
)toml";
    return scene;
}

OrbitScene two_ball_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x1", "x2"}};
    const auto m = task.vector("m"), r = task.vector("r"), x = task.vector("x0"), v = task.vector("v0");
    for (int i = 0; i < 2; ++i) {
        scene.parameters[fmt::format("m{}", i + 1)] = m[i];
        scene.parameters[fmt::format("r{}", i + 1)] = r[i];
        scene.body += fmt::format(
            "[[coordinate]]\nname = \"x{}\"\nstart = {:.17g}\nstart_velocity = {:.17g}\n", i + 1, x[i], v[i]);
    }
    take(task, {"e"}, scene);
    scene.body += R"toml(
[lagrangian]
kinetic = "m1/2*x1'^2 + m2/2*x2'^2"
[[contact]]
name = "balls"
gap = "x2 - x1 - r1 - r2"
law = { restitution = "e" }
)toml";
    return scene;
}

OrbitScene chain_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x1", "x2", "x3"}};
    const auto m = task.vector("m"), r = task.vector("r"), e = task.vector("e"), x = task.vector("x0"),
               v = task.vector("v0");
    for (int i = 0; i < 3; ++i) {
        scene.parameters[fmt::format("m{}", i + 1)] = m[i];
        scene.parameters[fmt::format("r{}", i + 1)] = r[i];
        scene.parameters[fmt::format("e{}", i + 1)] = e[i];
        scene.body += fmt::format(
            "[[coordinate]]\nname = \"x{}\"\nstart = {:.17g}\nstart_velocity = {:.17g}\n", i + 1, x[i], v[i]);
    }
    take(task, {"a", "xw"}, scene);
    scene.body += R"toml(
[lagrangian]
kinetic = "m1/2*x1'^2 + m2/2*x2'^2 + m3/2*x3'^2"
potential = "-a*(m1*x1 + m2*x2 + m3*x3)"
[[contact]]
name = "first"
gap = "x2 - x1 - r1 - r2"
law = { restitution = "e1" }
[[contact]]
name = "second"
gap = "x3 - x2 - r2 - r3"
law = { restitution = "e2" }
[[contact]]
name = "wall"
gap = "xw - x3 - r3"
law = { restitution = "e3" }
)toml";
    return scene;
}

OrbitScene oblique_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x", "y", "th"}};
    take(task, {"m", "R", "J", "g", "mu", "e"}, scene);
    const auto q = task.vector("q0"), v = task.vector("v0");
    for (std::size_t i = 0; i < 3; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        scene.body +=
            fmt::format("[[coordinate]]\nname = \"{}\"\nstart = {:.17g}\nstart_velocity = {:.17g}\n",
                        scene.state[i], q[k], v[k]);
    }
    scene.body += R"toml(
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2) + J/2*th'^2"
potential = "m*g*y"
[[contact]]
name = "floor"
gap = "y - R"
sliding = ["x' + R*th'"]
law = { kind = "coulomb", friction = "mu", restitution = "e" }
)toml";
    return scene;
}

OrbitScene belt_scene(const Task& task)
{
    OrbitScene scene{
        .parameters = {{"F", 0}, {"w", 1}, {"ph", 0}, {"x0", 0}, {"v0", 0}}, .body = {}, .state = {"x"}};
    take(task, {"m", "k", "c", "N", "mu_s", "mu_d", "vb"}, scene);
    for (const char* name : {"F", "ph", "x0", "v0"}) {
        scene.parameters[name] = task.number(name, 0);
    }
    scene.parameters["w"] = task.number("w", 1);
    const bool driven = scene.parameters["F"] != 0 || task.parameters.contains("F");
    scene.body = orbit_scene::belt;
    const std::string drive = " + F*cos(w*t + ph)";
    if (!driven) scene.body.erase(scene.body.find(drive), drive.size());
    return scene;
}

OrbitScene oscillator_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x"}};
    take(task, {"m", "c", "k", "e"}, scene);
    for (const char* name : {"F", "w", "ph", "sigma", "x0", "v0"}) {
        scene.parameters[name] = task.number(name, 0);
    }
    scene.body = orbit_scene::oscillator;
    return scene;
}

OrbitScene parabola_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x", "y"}};
    take(task, {"m", "g", "a", "e"}, scene);
    const auto q = task.vector("q0"), v = task.vector("v0");
    scene.parameters["px0"] = task.number("m") * v[0];
    scene.parameters["py0"] = task.number("m") * v[1];
    scene.body = fmt::format(R"toml(
[[coordinate]]
name = "x"
start = {:.17g}
start_velocity = "px0/m"
[[coordinate]]
name = "y"
start = {:.17g}
start_velocity = "py0/m"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[contact]]
name = "curve"
position = ["x", "y"]
surface = "y - a*x^2"
law = {{ restitution = "e" }}
[[probe]]
name = "px"
value = "m*x'"
[[probe]]
name = "py"
value = "m*y'"
)toml",
                             q[0], q[1]);
    return scene;
}

OrbitScene slide_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x"}};
    take(task, {"mu", "alpha", "g", "v0"}, scene);
    scene.body = R"toml(
[[coordinate]]
name = "x"
start = 0
start_velocity = "v0"
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*(x*sin(alpha) + y*cos(alpha))"
[[contact]]
name = "plane"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = "mu" }
)toml";
    return scene;
}

OrbitScene double_pendulum_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"q1", "q2"}};
    take(task, {"l1", "l2", "m1", "m2", "k1", "k2", "lam", "e"}, scene);
    const auto q = task.vector("q0"), v = task.vector("v0");
    for (int i = 0; i < 2; ++i) {
        scene.body += fmt::format(
            "[[coordinate]]\nname = \"q{}\"\nstart = {:.17g}\nstart_velocity = {:.17g}\nunit = \"rad\"\n",
            i + 1, q[i], v[i]);
    }
    scene.body += std::string(orbit_scene::double_pendulum) + orbit_scene::double_pendulum_obstacle;
    scene.body += R"toml(
[[probe]]
name = "p1"
value = "(m1/3 + m2)*l1^2*q1' + m2/2*l1*l2*cos(q1 - q2)*q2'"
[[probe]]
name = "p2"
value = "m2/2*l1*l2*cos(q1 - q2)*q1' + m2*l2^2/3*q2'"
)toml";
    return scene;
}

/// The hub moves on arcs about the feet, which lie on the slope at equal distances; x along the slope. On all
/// of these arcs the wheel turns at x'/y. The landing is the family's own map.
OrbitScene rimless_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x", "y"}};
    take(task, {"m", "l", "J", "gamma", "g", "nsp"}, scene);
    scene.parameters["speed0"] = 1;
    scene.body = R"toml(
al = "pi/nsp"
d = "2*l*sin(al)"
eta = "(J + m*l^2*cos(2*al))/(J + m*l^2)"
[[coordinate]]
name = "x"
start = "-l*sin(al)"
start_velocity = "speed0*cos(al)"
[[coordinate]]
name = "y"
start = "l*cos(al)"
start_velocity = "speed0*sin(al)"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2) + J/2*(x'/y)^2"
potential = "m*g*(y*cos(gamma) - x*sin(gamma))"
[[contact]]
name = "foot"
gap = "sqrt(x^2 + y^2) - l"
[[contact]]
name = "next_foot"
gap = "sqrt((x - d)^2 + y^2) - l"
[impact]
kind = "formulas"
velocities = { x = "eta*(cos(2*al)*x' - sin(2*al)*y')", y = "eta*(sin(2*al)*x' + cos(2*al)*y')" }
)toml";
    return scene;
}

/// A block on two corners that do not slip or bounce; theta clockwise, the frame moves with the base.
OrbitScene rocking_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"theta"}};
    take(task, {"b", "h", "g", "a_over_g", "w", "ph"}, scene);
    const auto guess = task.vector("guess");
    scene.parameters["th0"] = guess[0];
    scene.parameters["om0"] = guess[1];
    scene.parameters["s"] = guess[0] < 0 ? -1 : 1;
    scene.body = R"toml(
[[coordinate]]
name = "x"
start = "s*b*(1 - cos(th0)) + h*sin(th0)"
start_velocity = "(s*b*sin(th0) + h*cos(th0))*om0"
[[coordinate]]
name = "y"
start = "s*b*sin(th0) + h*cos(th0)"
start_velocity = "(s*b*cos(th0) - h*sin(th0))*om0"
[[coordinate]]
name = "theta"
start = "th0"
start_velocity = "om0"
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + (b^2 + h^2)/6*theta'^2"
potential = "g*y"
forces = { x = "-a_over_g*g*cos(w*t + ph)" }
[[contact]]
name = "right"
position = ["x + b*cos(theta) - h*sin(theta)", "y - b*sin(theta) - h*cos(theta)"]
surface = "y"
law = { kind = "rough" }
[[contact]]
name = "left"
position = ["x - b*cos(theta) - h*sin(theta)", "y + b*sin(theta) - h*cos(theta)"]
surface = "y"
law = { kind = "rough" }
)toml";
    return scene;
}

OrbitScene elastic_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x"}};
    take(task, {"g", "kappa", "H"}, scene);
    scene.body = R"toml(
[[coordinate]]
name = "x"
start = "H"
[lagrangian]
kinetic = "x'^2/2"
potential = "g*x + kappa/2*x^2"
[[contact]]
name = "floor"
gap = "x"
law = { restitution = 1 }
)toml";
    return scene;
}

/// Friction of constant size F0: a mass pressed on a floor by F0 with the coefficient 1.
OrbitScene coulomb_scene(const Task& task)
{
    OrbitScene scene{.parameters = {{"F", 0}, {"x0", 0}, {"v0", 0}}, .body = {}, .state = {"x"}};
    take(task, {"m", "k", "F0", "w"}, scene);
    scene.body = R"toml(
[[coordinate]]
name = "x"
start = "x0"
start_velocity = "v0"
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "k/2*x^2 + F0*y"
forces = { x = "F*cos(w*t)" }
[[contact]]
name = "floor"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = 1 }
)toml";
    return scene;
}

OrbitScene wedge_scene(const Task& task)
{
    OrbitScene scene{.parameters = {}, .body = {}, .state = {"x", "y"}};
    take(task, {"theta", "g", "x0", "y0", "vx0", "vy0"}, scene);
    scene.body = R"toml(
[[coordinate]]
name = "x"
start = "x0"
start_velocity = "vx0"
[[coordinate]]
name = "y"
start = "y0"
start_velocity = "vy0"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[[contact]]
name = "right"
gap = "y*sin(theta) - x*cos(theta)"
law = { restitution = 1 }
[[contact]]
name = "left"
gap = "y*sin(theta) + x*cos(theta)"
law = { restitution = 1 }
)toml";
    return scene;
}

}  // namespace carom::reference
