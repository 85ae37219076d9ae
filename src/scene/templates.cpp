#include "scene/templates.hpp"

#include <array>

namespace carom {
namespace {

constexpr std::string_view bounce = R"toml(# A ball falls on a floor and bounces until it comes to rest.
# Units are SI. Run it with:  carom run THIS_FILE -o bounce.h5

title = "A bouncing ball"
duration_s = 10.0              # maximum duration
until = "rest"                 # ends earlier if everything is at rest

[parameters]                   # numbers for the formulas below; change one with --set parameters.e=0.5
m = 0.2                        # mass, kg
g = 9.81                       # gravity, m/s^2
e = 0.7                        # restitution: 0 inelastic, 1 elastic

[[coordinate]]                 # in formulas: z, and z' for its velocity
name = "z"                     # height of the ball's lowest point
start = 1.0
start_velocity = 0.0
unit = "m"

[lagrangian]
kinetic = "m/2*z'^2"           # kinetic energy, J
potential = "m*g*z"            # potential energy, J
# forces = { z = "-0.01*z'" }  # other forces, here air drag

[[contact]]                    # repeat for more contacts
name = "floor"
gap = "z"                      # distance in m, kept >= 0
law = { kind = "unilateral", restitution = "e" }

[[draw]]                       # a drawing for the page that carom report bounce.h5 writes
kind = "circle"                # point, segment, circle, polyline, trace
at = [0, "z + 0.05"]
radius_m = 0.05
colour = "blue"

[[draw]]
kind = "segment"
points = [[-0.5, 0], [0.5, 0]]
colour = "grey"

[[draw]]                       # the contact point, coloured by its status; arrows are impulses
kind = "point"
at = [0, "z"]
contact = "floor"
normal = [0, 1]

[integrator]
kind = "moreau"
time_step_s = 1e-3

[record]                       # contents of the recording that -o writes
every_s = 0.005
)toml";

constexpr std::string_view pendulum = R"toml(# A pendulum that swings against a wall below its pivot.
# Units are SI. Run it with:  carom run THIS_FILE -o pendulum.h5

title = "A pendulum against a wall"
duration_s = 8.0

[parameters]                   # --set parameters.e=0.5 changes one
l = 1.0                        # length, m
m = 1.0                        # mass, kg
g = 9.81                       # gravity, m/s^2
e = 0.8                        # restitution of the wall
omega = "sqrt(g/l)"            # a parameter can be a formula of others

[[coordinate]]                 # in formulas: theta, and theta' for its velocity
name = "theta"                 # angle from the vertical
start = 1.0
start_velocity = 0.0
unit = "rad"

[lagrangian]
kinetic = "m*l^2/2*theta'^2"
potential = "-m*g*l*cos(theta)"
forces = { theta = "-0.05*theta'" }   # friction in the pivot

[[contact]]
name = "wall"
gap = "l*sin(theta)"           # distance of the bob from the wall, m
law = { kind = "unilateral", restitution = "e" }

[[probe]]                      # a quantity to be shown and recorded
name = "phase"
value = "theta'/omega"
unit = "rad"

[[draw]]                       # what it looks like: carom report pendulum.h5 writes a page that shows it
kind = "segment"
points = [[0, 0], ["l*sin(theta)", "-l*cos(theta)"]]
colour = "blue"

[[draw]]
kind = "point"                 # the bob, coloured by the contact status; arrows are impulses
at = ["l*sin(theta)", "-l*cos(theta)"]
contact = "wall"
normal = ["cos(theta)", "sin(theta)"]

[[draw]]
kind = "segment"
points = [[0, 0], [0, "-1.2*l"]]
colour = "grey"

[integrator]
kind = "moreau"
time_step_s = 1e-3
)toml";

constexpr std::string_view shaker =
    R"toml(# Two stacked blocks on a table that begins to shake: a moving obstacle.
# Units are SI. Run it with:  carom run THIS_FILE -o shaker.h5

title = "Blocks on a shaker"
duration_s = 2.0

[parameters]
m = 1.0                        # mass of a block, kg
g = 9.81
f = 8.0                        # frequency, 1/s
omega = "2*pi*f"

[[table]]                      # a function by points: the amplitude of the shaking, m
name = "amplitude"
t_s = [0.0, 0.5, 1.5]
value = [0.0, 0.0, 0.01]

[[coordinate]]
name = "z1"                    # bottom of the lower block
start = 0.0

[[coordinate]]
name = "z2"                    # bottom of the upper block, relative to the top of the lower one at rest
start = 0.0

[lagrangian]
mass = [["m"], [0, "m"]]       # kinetic matrix, lower triangle
potential = "m*g*(z1 + z2)"

[[contact]]
name = "table_top"             # the table moves: t is in the gap
gap = "z1 - table(amplitude, t)*sin(omega*t)"
law = { kind = "unilateral", restitution = 0.2 }

[[contact]]
name = "between"
gap = "z2 - z1"
law = { kind = "unilateral", dissipation_index = 0.9 }   # Moreau's index: 1 inelastic, 0 elastic

[[probe]]
name = "height"
value = "(z1 + z2)/2"
unit = "m"

[[draw]]                       # what it looks like: carom report shaker.h5 writes a page that shows it
kind = "segment"
points = [[-0.1, "table(amplitude, t)*sin(omega*t)"], [0.1, "table(amplitude, t)*sin(omega*t)"]]
colour = "grey"

[[draw]]                       # the blocks, 3 cm high
kind = "polyline"
points = [[-0.05, "z1"], [0.05, "z1"], [0.05, "z1 + 0.03"], [-0.05, "z1 + 0.03"]]
closed = true
colour = "blue"

[[draw]]
kind = "polyline"
points = [[-0.05, "z2 + 0.03"], [0.05, "z2 + 0.03"], [0.05, "z2 + 0.06"], [-0.05, "z2 + 0.06"]]
closed = true
colour = "green"

[integrator]
kind = "moreau"
time_step_s = 2e-4
)toml";

constexpr std::array<Template, 3> all{{{"bounce", bounce}, {"pendulum", pendulum}, {"shaker", shaker}}};

}  // namespace

std::span<const Template> templates() noexcept
{
    return all;
}

}  // namespace carom
