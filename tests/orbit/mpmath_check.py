#!/usr/bin/env python3
"""Derivatives of `carom run --sensitivity` against central differences of runs with 40 digits, by another program (mpmath_motion.py):
the families of derivatives, and those of the series integrator whose motion is smooth where it is looked at.

    mpmath_check.py CAROM SCENES [fast | NAME...]
    mpmath_check.py CAROM SCENES random COUNT SEED      the same systems with other numbers; motions without derivatives are counted
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import mpmath
except ImportError:
    sys.exit(77)

from mpmath import cos, mpf, pi, sin
from mpmath_motion import STEP, power, root, run, smooth, waves

TOLERANCE = 1e-10
SMALL = mpf(10) ** (-12)


def fragment(name):
    """A part of a scene that the reference runner has as well."""
    with open(os.path.join(os.path.dirname(__file__), "scenes", name + ".toml")) as file:
        return file.read()


def scene_of(title, duration, parameters, name):
    """A scene whose parameters get their numbers from a case; those that it does not have are one."""
    numbers = "".join(f"{one} = 1\n" for one in parameters.split())
    return f'title = "{title}"\nduration_s = {duration}\n[parameters]\n{numbers}' + (fragment(name) if name else "")


def one_mode(start, rhs, guards=()):
    """A system with one set of equations; guards are (guard, reset of the state)."""
    wrapped = [(guard, lambda y, t, p, reset=reset: (0, reset(y, t, p))) for guard, reset in guards]
    return {"start": lambda p: (0, start(p)), "rhs": lambda mode: rhs, "guards": lambda mode: wrapped}


# ---- pendulums

PENDULUM = scene_of("pendulum", 3, "g l c theta_w e theta0 omega0", "pendulum")


def swings(y, t, p):
    s, _ = waves(y[0])
    return [y[1], s * (-p["g"] / p["l"]) - y[1] * p["c"]]


def pendulum(wall):
    guards = [(lambda y, t, p: y[0] - p["theta_w"], lambda y, t, p: [y[0], -p["e"] * y[1]])] if wall else []
    return dict(text=PENDULUM + (fragment("pendulum_wall") if wall else ""), model=one_mode(lambda p: [p["theta0"], p["omega0"]], swings, guards),
                out=lambda y, p: {"theta": (y[0], y[1])})


# ---- oscillators and tables

DRIVEN = scene_of("oscillator", 10, "m c k F w ph sigma e x0 v0", "oscillator")


def oscillates(y, t, p):
    _, drive = waves(t * p["w"] + p["ph"])
    return [y[1], (drive * p["F"] - y[1] * p["c"] - y[0] * p["k"]) / p["m"]]


OSCILLATOR = dict(
    text=DRIVEN, out=lambda y, p: {"x": (y[0], y[1])},
    model=one_mode(lambda p: [p["x0"], p["v0"]], oscillates, [(lambda y, t, p: p["sigma"] - y[0], lambda y, t, p: [y[0], -p["e"] * y[1]])]))


def struck_by_table(y, t, p):
    speed = p["A"] * p["w"] * cos(p["w"] * t + p["ph"])
    return [y[0], speed - p["e"] * (y[1] - speed)]


TABLE = dict(
    scene="ball_on_table.toml", out=lambda y, p: {"z": (y[0], y[1])}, starts={"z0": "coordinate.z.start", "v0": "coordinate.z.start_velocity"},
    sets=["start_s=0"],
    model=one_mode(lambda p: [p["z0"], p["v0"]], lambda y, t, p: [y[1], -p["g"]],
                   [(lambda y, t, p: y[0] - p["A"] * sin(p["w"] * t + p["ph"]), struck_by_table)]))


# ---- balls on a line

def balls(count):
    m = [f"m{i + 1}" for i in range(count)]

    def strike(i, j, e):
        def reset(y, t, p):
            a, b = y[count + i], y[count + j]
            share = (1 + p[e]) * (a - b) / (p[m[i]] + p[m[j]])
            z = list(y)
            z[count + i] -= p[m[j]] * share
            z[count + j] += p[m[i]] * share
            return z
        return reset
    return m, strike


_, strike_two = balls(2)
TWO_BALLS = dict(
    scene="two_balls.toml", out=lambda y, p: {"a": (y[0], y[2]), "b": (y[1], y[3])},
    starts={"a": "coordinate.a.start", "b": "coordinate.b.start", "ua": "coordinate.a.start_velocity", "ub": "coordinate.b.start_velocity"},
    model=one_mode(lambda p: [p["a"], p["b"], p["ua"], p["ub"]], lambda y, t, p: [y[2], y[3], mpf(0), mpf(0)],
                   [(lambda y, t, p: y[1] - y[0] - p["r1"] - p["r2"], strike_two(0, 1, "e"))]))

_, strike_three = balls(3)


def off_wall(y, t, p):
    return [*y[:5], -p["e3"] * y[5]]


CHAIN = dict(
    scene="three_balls_wall.toml", out=lambda y, p: {f"x{i + 1}": (y[i], y[3 + i]) for i in range(3)},
    starts={**{f"q{i}": f"coordinate.x{i}.start" for i in (1, 2, 3)}, **{f"u{i}": f"coordinate.x{i}.start_velocity" for i in (1, 2, 3)}},
    model=one_mode(lambda p: [p["q1"], p["q2"], p["q3"], p["u1"], p["u2"], p["u3"]],
                   lambda y, t, p: [y[3], y[4], y[5], p["pull"], p["pull"], p["pull"]],
                   [(lambda y, t, p: y[1] - y[0] - 2 * p["r"], strike_three(0, 1, "e1")),
                    (lambda y, t, p: y[2] - y[1] - 2 * p["r"], strike_three(1, 2, "e2")),
                    (lambda y, t, p: p["wall"] - y[2] - p["r"], off_wall)]))

COUNTING = """
title = "counting"
duration_s = 3
[parameters]
M = 100
[[coordinate]]
name = "s"
start = 1
[[coordinate]]
name = "b"
start = 2
start_velocity = -1
[lagrangian]
kinetic = "s'^2/2 + M/2*b'^2"
[[contact]]
name = "wall"
gap = "s"
law = { restitution = 1 }
[[contact]]
name = "masses"
gap = "b - s"
law = { restitution = 1 }
"""


def exchange(y, t, p):
    share = 2 * (y[2] - y[3]) / (1 + p["M"])
    return [y[0], y[1], y[2] - p["M"] * share, y[3] + share]


COUNT = dict(
    text=COUNTING, out=lambda y, p: {"s": (y[0], y[2]), "b": (y[1], y[3])}, starts={"qs": "coordinate.s.start", "ub": "coordinate.b.start_velocity"},
    model=one_mode(lambda p: [p["qs"], mpf(2), mpf(0), p["ub"]], lambda y, t, p: [y[2], y[3], mpf(0), mpf(0)],
                   [(lambda y, t, p: y[0], lambda y, t, p: [y[0], y[1], -y[2], y[3]]), (lambda y, t, p: y[1] - y[0], exchange)]))

# ---- in the plane

FALLING = """
title = "falling"
duration_s = 2
[parameters]
m = 1
g = 9.81
a = 0.5
e = 1
mu = 0
x0 = 0.4
y0 = 1.2
vx = 0.5
vy = 0
[[coordinate]]
name = "x"
start = "x0"
start_velocity = "vx"
[[coordinate]]
name = "y"
start = "y0"
start_velocity = "vy"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[contact]]
name = "curve"
position = ["x", "y"]
surface = "y - a*x^2"
law = { kind = "coulomb", friction = "mu", restitution = "e" }
"""


def off_curve(y, t, p):
    nx, ny = -2 * p["a"] * y[0], mpf(1)
    length = mpmath.sqrt(nx * nx + ny * ny)
    nx, ny = nx / length, ny / length
    normal, along = nx * y[2] + ny * y[3], ny * y[2] - nx * y[3]
    most = -p["mu"] * (1 + p["e"]) * normal
    along = mpf(0) if abs(along) <= most else along - most * (1 if along > 0 else -1)
    normal = -p["e"] * normal
    return [y[0], y[1], normal * nx + along * ny, normal * ny - along * nx]


FALL = dict(text=FALLING, out=lambda y, p: {"x": (y[0], y[2]), "y": (y[1], y[3])},
            model=one_mode(lambda p: [p["x0"], p["y0"], p["vx"], p["vy"]], lambda y, t, p: [y[2], y[3], mpf(0), -p["g"]],
                           [(lambda y, t, p: y[1] - p["a"] * y[0] ** 2, off_curve)]))


def off_floor(y, t, p):
    """A disc: slides through the impact, or sticks."""
    normal = -(1 + p["e"]) * p["m"] * y[4]
    slip, W = y[3] + p["R"] * y[5], 1 / p["m"] + p["R"] ** 2 / p["J"]
    P = -slip / W
    if abs(P) > p["mu"] * normal:
        P = -p["mu"] * normal * (1 if slip > 0 else -1)
    return [y[0], y[1], y[2], y[3] + P / p["m"], -p["e"] * y[4], y[5] + p["R"] * P / p["J"]]


DISC = dict(
    scene="oblique_disc.toml", out=lambda y, p: {"x": (y[0], y[3]), "y": (y[1], y[4]), "th": (y[2], y[5])},
    starts={"qx": "coordinate.x.start", "qy": "coordinate.y.start", "qt": "coordinate.th.start", "ux": "coordinate.x.start_velocity",
            "uy": "coordinate.y.start_velocity", "ut": "coordinate.th.start_velocity"},
    model=one_mode(lambda p: [p["qx"], p["qy"], p["qt"], p["ux"], p["uy"], p["ut"]],
                   lambda y, t, p: [y[3], y[4], y[5], mpf(0), -p["g"], mpf(0)], [(lambda y, t, p: y[1] - p["R"], off_floor)]))

SQUARE = """
title = "square"
duration_s = 5
[[coordinate]]
name = "x"
start = 0.2
start_velocity = 1
[[coordinate]]
name = "y"
start = 0.3
start_velocity = 0.61803398875
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[[contact]]
name = "left"
gap = "x"
law = { restitution = 1 }
[[contact]]
name = "right"
gap = "1 - x"
law = { restitution = 1 }
[[contact]]
name = "bottom"
gap = "y"
law = { restitution = 1 }
[[contact]]
name = "top"
gap = "1 - y"
law = { restitution = 1 }
"""


def turned(i):
    return lambda y, t, p: [-v if k == 2 + i else v for k, v in enumerate(y)]


BILLIARD = dict(
    text=SQUARE, out=lambda y, p: {"x": (y[0], y[2]), "y": (y[1], y[3])},
    starts={"qx": "coordinate.x.start", "qy": "coordinate.y.start", "ux": "coordinate.x.start_velocity", "uy": "coordinate.y.start_velocity"},
    model=one_mode(lambda p: [p["qx"], p["qy"], p["ux"], p["uy"]], lambda y, t, p: [y[2], y[3], mpf(0), mpf(0)],
                   [(lambda y, t, p, i=i: y[i], turned(i)) for i in (0, 1)] + [(lambda y, t, p, i=i: 1 - y[i], turned(i)) for i in (0, 1)]))

# ---- friction

BELT = scene_of("belt", 4, "m k c N mu_s mu_d vb F w ph x0 v0", "belt")


def belt_needs(y, t, p):
    """The friction that would hold the mass on the belt."""
    return p["c"] * p["vb"] + p["k"] * y[0] - p["F"] * waves(p["w"] * t + p["ph"])[1]


def belt_rhs(side):
    def slides(y, t, p):
        drive = waves(t * p["w"] + p["ph"])[1] * p["F"]
        return [y[1], (drive - y[1] * p["c"] - y[0] * p["k"] - side * p["mu_d"] * p["N"]) / p["m"]]
    return slides if side != 0 else lambda y, t, p: [p["vb"], mpf(0)]


def belt_lands(side):
    def act(y, t, p):
        holds = abs(belt_needs(y, t, p)) <= p["mu_s"] * p["N"]
        return (0 if holds else -side), [y[0], p["vb"]]
    return act


def belt_guards(mode):
    if mode != 0:
        return [(lambda y, t, p: mode * (y[1] - p["vb"]), belt_lands(mode))]
    return [(lambda y, t, p: p["mu_s"] * p["N"] - belt_needs(y, t, p), lambda y, t, p: (-1, y)),
            (lambda y, t, p: p["mu_s"] * p["N"] + belt_needs(y, t, p), lambda y, t, p: (1, y))]


STICK_SLIP = dict(
    text=BELT, out=lambda y, p: {"x": (y[0], y[1])},
    model={"start": lambda p: (1 if p["v0"] > p["vb"] else -1, [p["x0"], p["v0"]]), "rhs": belt_rhs, "guards": belt_guards})


def block_stops(y, t, p):
    return 0, [y[0], mpf(0)]


BLOCK = dict(
    scene="sliding_block.toml", out=lambda y, p: {"x": (y[0], y[1])}, starts={"v0": "coordinate.x.start_velocity"},
    model={"start": lambda p: (1, [mpf(0), p["v0"]]),
           "rhs": lambda mode: (lambda y, t, p: [y[1], -p["g"] * (sin(p["alpha"]) + p["mu"] * cos(p["alpha"]))]) if mode else (lambda y, t, p: [mpf(0), mpf(0)]),
           "guards": lambda mode: [(lambda y, t, p: y[1], block_stops)] if mode else []})

SLOPE = """
title = "slope"
duration_s = 1
[parameters]
slope = 0.349065850398866
mu = 0.3
g = 9.81
v0 = 1
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 0
start_velocity = "v0"
[[coordinate]]
name = "z"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "g*(z*cos(slope) - x*sin(slope))"
[[contact]]
name = "plane"
position = ["x", "y", "z"]
surface = "z"
law = { kind = "coulomb", friction = "mu" }
"""


def slides_in_space(y, t, p):
    speed, drag = root(y[2] * y[2] + y[3] * y[3]), p["mu"] * p["g"] * cos(p["slope"])
    return [y[2], y[3], p["g"] * sin(p["slope"]) - y[2] / speed * drag, -(y[3] / speed * drag)]


SPACE = dict(text=SLOPE, out=lambda y, p: {"x": (y[0], y[2]), "y": (y[1], y[3])},
             model=one_mode(lambda p: [mpf(0), mpf(0), mpf(0), p["v0"]], slides_in_space))

# a particle on the outside of a cylinder (side 1: it leaves), or in a bowl (side -1), with friction
ROUND = """
title = "round"
duration_s = 1
[parameters]
R = 1
mu = 0.3
g = 9.81
v0 = 2.2
th0 = 0
[[coordinate]]
name = "x"
start = "R*sin(th0)"
start_velocity = "v0*cos(th0)"
[[coordinate]]
name = "y"
start = "HEIGHT"
start_velocity = "RISE"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[[contact]]
name = "round"
position = ["x", "y"]
surface = "SURFACE"
law = { kind = "coulomb", friction = "mu" }
"""
CYLINDER = ROUND.replace("HEIGHT", "R*cos(th0)").replace("RISE", "-v0*sin(th0)").replace("SURFACE", "sqrt(x^2 + y^2) - R")
BOWL = ROUND.replace("HEIGHT", "-R*cos(th0)").replace("RISE", "v0*sin(th0)").replace("SURFACE", "R - sqrt(x^2 + y^2)")


def on_cylinder(mode):
    def slides(y, t, p):
        s, c = waves(y[0])
        press = c * p["g"] - y[1] * y[1] * p["R"]
        return [y[1], (s * p["g"] - press * p["mu"]) / p["R"]]
    return slides if mode == 0 else lambda y, t, p: [y[2], y[3], mpf(0), -p["g"]]


def leaves(y, t, p):
    R, th, om = p["R"], y[0], y[1]
    return 1, [R * sin(th), R * cos(th), R * om * cos(th), -R * om * sin(th)]


def of_circle(up):
    def out(y, p):
        if len(y) == 4:
            return {"x": (y[0], y[2]), "y": (y[1], y[3])}
        R, th, om = p["R"], y[0], y[1]
        return {"x": (R * sin(th), R * om * cos(th)), "y": (up * R * cos(th), -up * R * om * sin(th))}
    return out


LEAVE = dict(text=CYLINDER, out=of_circle(1),
             model={"start": lambda p: (0, [p["th0"], p["v0"] / p["R"]]), "rhs": on_cylinder,
                    "guards": lambda mode: [(lambda y, t, p: p["g"] * cos(y[0]) - p["R"] * y[1] ** 2, leaves)] if mode == 0 else []})


def in_bowl(side):
    def slides(y, t, p):
        s, c = waves(y[0])
        press = c * p["g"] + y[1] * y[1] * p["R"]
        return [y[1], (-(s * p["g"]) - press * (side * p["mu"])) / p["R"]]
    return slides


HOLLOW = dict(text=BOWL, out=of_circle(-1),
              model={"start": lambda p: (1, [p["th0"], p["v0"] / p["R"]]), "rhs": in_bowl,
                     "guards": lambda side: [(lambda y, t, p: side * y[1], lambda y, t, p: (-side, [y[0], mpf(0)]))]})

# ---- a kinetic matrix that depends on the configuration

DOUBLE = scene_of("double pendulum", 2, "l1 l2 m1 m2 k1 k2 lam e a0 b0 ua ub", "") + "".join(f"""
[[coordinate]]
name = "{name}"
start = "{start}"
start_velocity = "{velocity}"
unit = "rad"
""" for name, start, velocity in (("q1", "a0", "ua"), ("q2", "b0", "ub"))) + fragment("double_pendulum")


def mass(a, b, p):
    return (p["m1"] / 3 + p["m2"]) * p["l1"] ** 2, p["m2"] / 2 * p["l1"] * p["l2"] * cos(a - b), p["m2"] * p["l2"] ** 2 / 3


def double(y, t, p):
    a, b, u, v = y
    s, c = waves(a - b)
    half = p["m2"] / 2 * p["l1"] * p["l2"]
    A, C = (p["m1"] / 3 + p["m2"]) * p["l1"] ** 2, p["m2"] * p["l2"] ** 2 / 3
    B = c * half
    f = (b - a) * p["k2"] - a * p["k1"] + s * (p["lam"] * p["l1"]) - s * v * v * half
    g = (a - b) * p["k2"] + s * u * u * half
    det = A * C - B * B
    return [u, v, (f * C - g * B) / det, (g * A - f * B) / det]


def struck(row):
    def reset(y, t, p):
        A, B, C = mass(y[0], y[1], p)
        n = row(y, p)
        det = A * C - B * B
        wa, wb = (C * n[0] - B * n[1]) / det, (A * n[1] - B * n[0]) / det
        U = n[0] * y[2] + n[1] * y[3]
        P = -(1 + p["e"]) * U / (n[0] * wa + n[1] * wb)
        return [y[0], y[1], y[2] + P * wa, y[3] + P * wb]
    return reset


def double_pendulum(obstacle):
    guards = [(lambda y, t, p: p["l1"] * sin(y[0]), struck(lambda y, p: (p["l1"] * cos(y[0]), mpf(0)))),
              (lambda y, t, p: p["l1"] * sin(y[0]) + p["l2"] * sin(y[1]),
               struck(lambda y, p: (p["l1"] * cos(y[0]), p["l2"] * cos(y[1]))))] if obstacle else []
    return dict(text=DOUBLE + (fragment("double_pendulum_obstacle") if obstacle else ""), out=lambda y, p: {"q1": (y[0], y[2]), "q2": (y[1], y[3])},
                model=one_mode(lambda p: [p["a0"], p["b0"], p["ua"], p["ub"]], double, guards))


BLOW_UP = dict(text="""
title = "blow up"
duration_s = 0.8
[[coordinate]]
name = "q"
start = 0
start_velocity = 1
[lagrangian]
kinetic = "q'^2/2"
forces = { q = "q'^2" }
""", out=lambda y, p: {"q": (y[0], y[1])}, starts={"q0": "coordinate.q.start", "u0": "coordinate.q.start_velocity"},
               model=one_mode(lambda p: [p["q0"], p["u0"]], lambda y, t, p: [y[1], y[1] * y[1]]))


# a force that is not Lipschitz at q = 0, away from there
CUBE_ROOT = dict(text="""
title = "cube root"
duration_s = 1
[[coordinate]]
name = "q"
start = 0.001
[lagrangian]
kinetic = "q'^2/2"
forces = { q = "6*q^(1/3)" }
""", out=lambda y, p: {"q": (y[0], y[1])}, starts={"q0": "coordinate.q.start", "u0": "coordinate.q.start_velocity"},
                 step=mpf("0.0037"),
                 model=one_mode(lambda p: [p["q0"], p["u0"]], lambda y, t, p: [y[1], power(y[0], mpf(1) / 3) * 6]))

# a force with all derivatives zero where it begins: two integrals of it, the motion being straight without it
SMOOTH = dict(text="""
title = "smooth force"
duration_s = 0.6
[parameters]
strength = 71
delay = 0.625
width = 0.4166666666666667
u0 = -0.041666666666666664
[[coordinate]]
name = "q"
start = 0
start_velocity = "u0"
[lagrangian]
kinetic = "q'^2/2"
forces = { q = "if(t < delay + width/400, 0, strength*exp(1/((t - delay)/width*((t - delay)/width - 1))))" }
[[contact]]
name = "stop"
gap = "-q"
law = { restitution = 1 }
""", out=lambda y, p: {"q": (y[0], y[1])})


def pushed(p, end):
    """q and q' by quadrature."""
    bump = lambda s: mpmath.exp(1 / ((s - p["delay"]) / p["width"] * ((s - p["delay"]) / p["width"] - 1)))
    places = mpmath.linspace(p["delay"] + p["width"] / 400, end, 8)
    once = mpmath.quad(bump, places)
    twice = mpmath.quad(lambda s: (end - s) * bump(s), places)
    return [p["u0"] * end + p["strength"] * twice, p["u0"] + p["strength"] * once]


SMOOTH["exact"] = pushed

TRIANGLE = """
title = "triangle"
duration_s = 4
[[coordinate]]
name = "x"
start = 0.5
start_velocity = 0.5
[[coordinate]]
name = "y"
start = 0
start_velocity = 0.8660254037844386
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[[contact]]
name = "base"
gap = "y"
law = { restitution = 1 }
[[contact]]
name = "left"
gap = "(sqrt(3)*x - y)/2"
law = { restitution = 1 }
[[contact]]
name = "right"
gap = "(sqrt(3)*(1 - x) - y)/2"
law = { restitution = 1 }
"""


def off_side(nx, ny):
    def reset(y, t, p):
        U = nx * y[2] + ny * y[3]
        return [y[0], y[1], y[2] - 2 * U * nx, y[3] - 2 * U * ny]
    return reset


ROOT_3 = mpmath.sqrt(3)
TRIANGULAR = dict(
    text=TRIANGLE, out=lambda y, p: {"x": (y[0], y[2]), "y": (y[1], y[3])},
    starts={"qx": "coordinate.x.start", "ux": "coordinate.x.start_velocity", "uy": "coordinate.y.start_velocity"},
    model=one_mode(lambda p: [p["qx"], mpf(0), p["ux"], p["uy"]], lambda y, t, p: [y[2], y[3], mpf(0), mpf(0)],
                   [(lambda y, t, p: y[1], off_side(mpf(0), mpf(1))),
                    (lambda y, t, p: (ROOT_3 * y[0] - y[1]) / 2, off_side(ROOT_3 / 2, -mpf(1) / 2)),
                    (lambda y, t, p: (ROOT_3 * (1 - y[0]) - y[1]) / 2, off_side(-ROOT_3 / 2, -mpf(1) / 2))]))

# a mass on coupled springs below a rough ceiling, inelastic
KLARBRING = """
title = "coupled springs"
duration_s = 6
[parameters]
K11 = 4
K12 = 1.5
K22 = 3
F1 = 1
F2 = 1.2
mu = 0.4
a = -1.2
b = 0
va = 0
vb = 0
[[coordinate]]
name = "x"
start = "a"
start_velocity = "va"
[[coordinate]]
name = "y"
start = "b"
start_velocity = "vb"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "K11*x^2/2 + K12*x*y + K22*y^2/2 - F1*x - F2*y"
[[contact]]
name = "ceiling"
position = ["x", "y"]
surface = "-y"
law = { kind = "coulomb", friction = "mu" }
"""


def spring_pull(y, p):
    return p["F1"] - p["K11"] * y[0], p["F2"] - p["K12"] * y[0]


def springs(mode):
    def slides(y, t, p):
        pull, press = spring_pull(y, p)
        return [y[1], pull - press * (mode * p["mu"])]

    def flies(y, t, p):
        return [y[2], y[3], p["F1"] - y[0] * p["K11"] - y[1] * p["K12"], p["F2"] - y[0] * p["K12"] - y[1] * p["K22"]]
    return flies if mode == "free" else slides if mode != 0 else lambda y, t, p: [mpf(0), mpf(0)]


def meets_ceiling(y, t, p):
    """Friction takes mu times the momentum that the ceiling takes, or all slip."""
    slip, most = y[2], p["mu"] * y[3]
    return slips_on([y[0], mpf(0) if abs(slip) <= most else slip - most * (1 if slip > 0 else -1)], 0, p)


def slips_on(y, before, p):
    """The status at this velocity: slip, or what forces make of rest; `before` tells which way it came."""
    pull, press = spring_pull(y, p)
    if y[1] != 0:
        return (1 if y[1] > 0 else -1), y
    if abs(pull) <= p["mu"] * press:
        return 0, y
    return (1 if pull > 0 else -1), y


def spring_guards(mode):
    if mode == "free":
        return [(lambda y, t, p: -y[1], meets_ceiling)]
    if mode == 0:
        return []
    return [(lambda y, t, p: spring_pull(y, p)[1], lambda y, t, p: ("free", [y[0], mpf(0), y[1], mpf(0)])),
            (lambda y, t, p: mode * y[1], lambda y, t, p: slips_on([y[0], mpf(0)], mode, p))]


def spring_out(y, p):
    return {"x": (y[0], y[2]), "y": (y[1], y[3])} if len(y) == 4 else {"x": (y[0], y[1]), "y": (mpf(0), mpf(0))}


COUPLED = dict(text=KLARBRING, out=spring_out,
               model={"start": lambda p: ("free", [p["a"], p["b"], p["va"], p["vb"]]) if p.get("b", 0) < 0 else slips_on([p["a"], mpf(0)], 0, p),
                      "rhs": springs, "guards": spring_guards})

# three masses in a row on a rough floor, pulled by the first spring
PULLED = """
title = "spring chain"
duration_s = 8
[parameters]
k = 4
N = 10
mu = 0.2
drive = 1
""" + "".join(f"""
[[coordinate]]
name = "x{i}"
start = 0
[[coordinate]]
name = "y{i}"
start = 0
""" for i in (1, 2, 3)) + """
[lagrangian]
kinetic = "(x1'^2 + x2'^2 + x3'^2 + y1'^2 + y2'^2 + y3'^2)/2"
potential = "k/2*((x1 - drive*t)^2 + (x2 - x1)^2 + (x3 - x2)^2) + N*(y1 + y2 + y3)"
""" + "".join(f"""
[[contact]]
name = "floor{i}"
position = ["x{i}", "y{i}"]
surface = "y"
law = {{ kind = "coulomb", friction = "mu" }}
""" for i in (1, 2, 3))


def row_forces(y, t, p):
    """Of the springs on each mass."""
    pulls = [(t * p["drive"] - y[0]) * p["k"], (y[0] - y[1]) * p["k"], (y[1] - y[2]) * p["k"]]
    return [pulls[0] - pulls[1], pulls[1] - pulls[2], pulls[2]]


def row_rhs(mode):
    def rates(y, t, p):
        forces = row_forces(y, t, p)
        return [y[3 + i] if mode[i] else mpf(0) for i in range(3)] + \
               [forces[i] - mode[i] * p["mu"] * p["N"] if mode[i] else mpf(0) for i in range(3)]
    return rates


def row_guards(mode):
    guards = []

    def becomes(i, status):
        def act(y, t, p):
            new, z = list(mode), list(y)
            z[3 + i] = mpf(0)
            new[i] = status if status is not None else 0
            if status is None:
                force = row_forces(z, t, p)[i]
                if abs(force) > p["mu"] * p["N"]:
                    new[i] = 1 if force > 0 else -1
            return tuple(new), z
        return act
    for i in range(3):
        if mode[i] != 0:
            guards.append((lambda y, t, p, i=i: mode[i] * y[3 + i], becomes(i, None)))
        else:
            for side in (1, -1):
                guards.append((lambda y, t, p, i=i, side=side: p["mu"] * p["N"] - side * row_forces(y, t, p)[i], becomes(i, side)))
    return guards


ROW = dict(text=PULLED, out=lambda y, p: {f"x{i + 1}": (y[i], y[3 + i]) for i in range(3)},
           model={"start": lambda p: ((0, 0, 0), [mpf(0)] * 6), "rhs": row_rhs, "guards": row_guards})

# statuses that higher orders decide, and what does not move the threshold itself
PRESSED = """
title = "threshold"
duration_s = 1
[parameters]
N = 2
mu = 0.5
f = 1.3
a = 0
b = 0
c = 0
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "N*y"
forces = { x = "f + a*t + b*t^2 + c*t^3" }
[[contact]]
name = "floor"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = "mu" }
"""


def tangential(t, p):
    return p.get("f", mpf(1)) + p.get("a", 0) * t + p.get("b", 0) * t * t + p.get("c", 0) * t * t * t


def threshold(p):
    return p.get("mu", mpf(1) / 2) * p.get("N", mpf(2))


def pressed(sticks, f="1"):
    return dict(text=PRESSED.replace("f = 1.3", "f = " + f), out=lambda y, p: {"x": (y[0], y[1])},
                model={"start": lambda p: (0 if sticks else 1, [mpf(0), mpf(0)]),
                       "rhs": lambda mode: (lambda y, t, p: [y[1], tangential(t, p) - threshold(p)]) if mode else (lambda y, t, p: [mpf(0), mpf(0)]),
                       "guards": lambda mode: [] if mode else [(lambda y, t, p: threshold(p) - tangential(t, p), lambda y, t, p: (1, y))]})


CASCADE = dict(text="""
title = "cascade"
duration_s = 1
[parameters]
a = 0.2
mu3 = 0.6
""" + "".join(f"""
[[coordinate]]
name = "x{i}"
start = 0
[[coordinate]]
name = "y{i}"
start = 0
""" for i in (1, 2, 3)) + """
[lagrangian]
kinetic = "(x1'^2 + x2'^2 + x3'^2 + y1'^2 + y2'^2 + y3'^2)/2"
forces = { x1 = "0.5 + t^2", y1 = "-1", y2 = "x1", x3 = "a*t^4", y3 = "-x1" }
""" + "".join(f"""
[[contact]]
name = "floor{i}"
position = ["x{i}", "y{i}"]
surface = "y"
law = {{ kind = "coulomb", friction = {mu} }}
""" for i, mu in ((1, "0.5"), (2, "0.5"), (3, '"mu3"'))),
               out=lambda y, p: {"x1": (y[0], y[3]), "y2": (y[1], y[4]), "x3": (y[2], y[5])},
               model=one_mode(lambda p: [mpf(0)] * 6, lambda y, t, p: [y[3], y[4], y[5], t * t, y[0], t * t * t * t * p["a"] - y[0] * p["mu3"]]))


# ---- impacts and slip in space

STRUCK = """
title = "struck"
duration_s = 1
[parameters]
mu = 0.5
e = 0.5
vn = 2
vx = 3
vy = -4
[[coordinate]]
name = "x"
start = 0
start_velocity = "vx"
[[coordinate]]
name = "y"
start = 0
start_velocity = "vy"
[[coordinate]]
name = "z"
start = 0.7
start_velocity = "-vn"
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[[contact]]
name = "floor"
position = ["x", "y", "z"]
surface = "z"
law = { kind = "coulomb", friction = "mu", restitution = "e" }
"""


def off_floor_in_space(y, t, p):
    speed, most = mpmath.sqrt(y[3] ** 2 + y[4] ** 2), -p["mu"] * (1 + p["e"]) * y[5]
    part = mpf(0) if speed <= most else 1 - most / speed
    return [*y[:3], part * y[3], part * y[4], -p["e"] * y[5]]


STRIKE = dict(text=STRUCK, out=lambda y, p: {"x": (y[0], y[3]), "y": (y[1], y[4]), "z": (y[2], y[5])},
              model=one_mode(lambda p: [mpf(0), mpf(0), mpf("0.7"), p["vx"], p["vy"], -p["vn"]], lambda y, t, p: [y[3], y[4], y[5], mpf(0), mpf(0), mpf(0)],
                             [(lambda y, t, p: y[2], off_floor_in_space)]))

# a particle pressed on a floor by N, dragged by (f + a t, g + b t): it holds until friction is at its static bound
DRAGGED = """
title = "dragged"
duration_s = 2
[parameters]
f = 0
a = 1
g = 0.6
b = 0
N = 2
mu = 0.5
mu_s = 0.5
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 0
[[coordinate]]
name = "z"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "N*z"
forces = { x = "f + a*t", y = "g + b*t" }
[[contact]]
name = "floor"
position = ["x", "y", "z"]
surface = "z"
law = { kind = "coulomb", friction = "mu", static_friction = "mu_s" }
"""


def begins_to_slip(F, rate, R, s, terms=44):
    """x, y, x', y' a time s after slip began from rest under F + rate t, by U = S d with series of S and d."""
    size = mpmath.sqrt(F[0] ** 2 + F[1] ** 2)
    d = [[F[0] / size, F[1] / size]]
    e = (-d[0][1], d[0][0])
    force = lambda k: F if k == 0 else rate if k == 1 else (mpf(0), mpf(0))
    along, sigma = [], []

    def extend(k):
        along.append(sum(force(j)[0] * d[k - j][0] + force(j)[1] * d[k - j][1] for j in range(min(k, 1) + 1)))
        sigma.append((along[k] - (R if k == 0 else 0)) / (k + 1))
    extend(0)
    for k in range(1, terms):
        rest = [force(k)[i] - sum((along[j] + (k - j) * sigma[j]) * d[k - j][i] for j in range(1, k)) for i in (0, 1)]
        across = (e[0] * rest[0] + e[1] * rest[1]) / (k * sigma[0] + size)
        onwards = -sum(d[j][0] * d[k - j][0] + d[j][1] * d[k - j][1] for j in range(1, k)) / 2
        d.append([onwards * d[0][i] + across * e[i] for i in (0, 1)])
        extend(k)
    u = [[mpf(0), mpf(0)]]
    for k in range(1, terms):
        u.append([sum(sigma[j] * d[k - 1 - j][i] for j in range(k)) for i in (0, 1)])
    x = [sum(u[k][i] * s ** (k + 1) / (k + 1) for k in range(terms)) for i in (0, 1)]
    return x + [sum(u[k][i] * s ** k for k in range(terms)) for i in (0, 1)]


def dragged(p, end, first=mpf("0.02"), terms=44):
    F = lambda t: (p["f"] + p["a"] * t, p["g"] + p["b"] * t)
    bound = p["mu_s"] * p["N"]
    A, B, C = p["a"] ** 2 + p["b"] ** 2, p["f"] * p["a"] + p["g"] * p["b"], p["f"] ** 2 + p["g"] ** 2 - bound ** 2
    when = (-B + mpmath.sqrt(B * B - A * C)) / A

    def slides(y, t, p):
        speed, R = root(y[2] * y[2] + y[3] * y[3]), p["mu"] * p["N"]
        return [y[2], y[3], t * p["a"] + p["f"] - y[2] / speed * R, t * p["b"] + p["g"] - y[3] / speed * R]
    # S grows like the time where the static bound is higher, else like its square
    start = begins_to_slip(F(when), (p["a"], p["b"]), p["mu"] * p["N"], first, terms)
    return smooth(slides, start, when + first, end, p)


DRAG = dict(text=DRAGGED, out=lambda y, p: {"x": (y[0], y[2]), "y": (y[1], y[3])}, exact=dragged)

# a force at the bound that turns: slip begins with the third power of the time, and its series do not converge but tell it to
# exp(-3/t^2)
TURN = {"f": mpf(1), "a": mpf(0), "g": mpf(0), "N": mpf(2), "mu": mpf("0.5"), "mu_s": mpf("0.5")}
TURNED = dict(DRAG, text=DRAGGED.replace("f = 0\na = 1\ng = 0.6\n", "f = 1\na = 0\ng = 0\n"),
              exact=lambda p, end: dragged({**TURN, **p}, end, mpf("0.15"), 140))


# a particle that slides on a rough slope and stops: F along x, friction R. With the angle theta between slip and F,
# S ~ tan(theta/2)^(R/F) / sin(theta), and theta falls to zero
with open(os.path.join(os.path.dirname(__file__), "stopping.toml")) as stopping:
    STOPPING = stopping.read()


def stops(p, end):
    """Where it stops: x = integral of U dt, dt = -S dtheta / (F sin theta)."""
    first, speed, ratio = mpmath.atan2(p["vy"], p["vx"]), mpmath.sqrt(p["vx"] ** 2 + p["vy"] ** 2), p["R"] / p["F"]
    S = lambda th: speed * (mpmath.tan(th / 2) / mpmath.tan(first / 2)) ** ratio * sin(first) / sin(th)
    way = [mpmath.quad(lambda th: S(th) ** 2 * turn(th) / (p["F"] * sin(th)), [0, first / 4, first]) for turn in (cos, sin)]
    return way + [mpf(0), mpf(0)]


STOP = dict(text=STOPPING, out=lambda y, p: {"x": (y[0], y[2]), "y": (y[1], y[3])}, exact=stops)


def case(system, end, **numbers):
    return {**system, "end": end, "numbers": {name: str(value) for name, value in numbers.items()}}


# name: system, instant, numbers of the open case of that family. Not here: B-EX8-MULTI, an impact map without a motion. CB-STATUS-2
# depends smoothly on the rate at which its force turns; with another threshold slip begins later by a root
CASES = {
    "SENS-FREE-1": case(pendulum(False), 3, g=9.81, l=1, c=0, theta0=1.2, omega0=0),
    "SENS-FREE-2": case(pendulum(False), 4, g=9.81, l=0.7, c=0.3, theta0=2.5, omega0=-0.8),
    "SENS-PENDWALL-1": case(pendulum(True), 3, g=9.81, l=1, c=0, theta_w=0, e=0.8, theta0=1, omega0=0),
    "SENS-BALL-1": case(FALL, 2.1, m=1, g=9.81, a=0, e=0.8, mu=0, x0=0, y0=1, vx=0.1, vy=0),
    "SENS-BALL-2": case(FALL, 1.15, m=1, g=9.81, a=0, e=0.5, mu=0, x0=0, y0=0.5, vx=0.1, vy=1.5),
    "SENS-TWOBALL-1": case(TWO_BALLS, 1, m1=1, m2=1, r1=0.1, r2=0.1, e=1, a=0, b=0.7, ua=1, ub=0),
    "SENS-TWOBALL-2": case(TWO_BALLS, 1.3, m1=2, m2=0.5, r1=0.1, r2=0.05, e=0.6, a=-0.2, b=0.9, ua=1.5, ub=-0.4),
    "SENS-OBLIQUE-1": case(DISC, 0.6, m=1, R=0.1, J=0.005, g=9.81, mu=0.1, e=0.6, qx=0, qy=0.8, qt=0, ux=2, uy=-0.5, ut=3),
    "SENS-OBLIQUE-2": case(DISC, 0.9, m=1, R=0.1, J=0.004, g=9.81, mu=0.6, e=0.5, qx=0.2, qy=1, qt=0.3, ux=1, uy=0.4, ut=-4),
    "SENS-STICKSLIP-1": case(STICK_SLIP, 4, m=1, k=10, c=0, N=10, mu_s=0.4, mu_d=0.25, vb=0.2, F=0, w=1, ph=0, x0=0.5, v0=-0.1),
    "SENS-STICKSLIP-2": case(STICK_SLIP, 6, m=1, k=4, c=0.1, N=5, mu_s=0.3, mu_d=0.3, vb=0.5, F=3, w=1.3, ph=0.4, x0=0.2, v0=0.1),
    "SENS-CHAIN-1": case(CHAIN, 2.5, m1=1, m2=2, m3=0.5, r=0.1, e1=0.8, e2=0.9, e3=0.7, pull=0, wall=2, q1=0, q2=0.6, q3=1.3, u1=1.5, u2=0.2, u3=-0.3),
    "SENS-CHAIN-2": case(CHAIN, 1.85, m1=3, m2=1, m3=2, r=0.125, e1=1, e2=0.6, e3=0.5, pull=0.7, wall=2.5, q1=0, q2=0.7, q3=1.4, u1=0.9, u2=-0.4, u3=0.3),
    "SENS-SYMPLECTIC-1": case(FALL, 2, m=1, g=9.81, a=0.5, e=1, mu=0, x0=0.4, y0=1.2, vx=0.5, vy=0),
    "SENS-SYMPLECTIC-2": case(FALL, 1.5, m=2, g=9.81, a=0.3, e=0.7, mu=0, x0=-0.5, y0=1, vx=1, vy=0.3),
    "SENS-TABLE-1": case(TABLE, 1.4, A=0.05, w=6, ph=0.3, e=0.8, g=9.81, z0=0.5, v0=0),
    "SENS-TABLE-2": case(TABLE, 0.8, A=0.02, w=15, ph=0, e=0.6, g=9.81, z0=0.3, v0=0.5),
    "SENS-PARAM-1": case(OSCILLATOR, 9, m=1, c=0, k=1, F=1, w=2.2, ph=0, sigma=0, e=0.8, x0=-0.3, v0=0.2),
    "SENS-PARAM-2": case(OSCILLATOR, 8, m=2, c=0.3, k=8, F=3, w=1.7, ph=0.5, sigma=0.2, e=0.6, x0=-0.2, v0=0.5),
    "SENS-SLIDE-1": case(BLOCK, 1, mu=0.5, alpha=0.3, g=9.81, v0=2),
    "SENS-DPEND-1": case(double_pendulum(True), 2.2, l1=1, l2=0.8, m1=1, m2=0.7, k1=2, k2=1.5, lam=0, e=1, a0=0.5, b0=0.4, ua=-1, ub=0.3),
    "SENS-DPEND-2": case(double_pendulum(True), 2.2, l1=1, l2=0.8, m1=1, m2=0.7, k1=2, k2=1.5, lam=1, e=0.5, a0=0.5, b0=0.4, ua=-1, ub=0.3),
    "B-CE2": case(BLOW_UP, 0.8, q0=0, u0=1),
    "B-EX4-1": case(double_pendulum(False), 2, l1=1, l2=1, m1=1, m2=1, k1=1, k2=1, lam=1, a0=0.3, b0=-0.2, ua=0, ub=0.5),
    "B-ZENO-1": case(FALL, 3, m=1, g=9.81, a=0, e=0.8, mu=0, x0=0, y0=1, vx=0.1, vy=0),
    "C-PARAB-1": case(FALL, 8, m=1, g=1, a=0.5, e=1, mu=0, x0=0.4, y0=1.5, vx=0.3, vy=0),
    "C-PI-1": case(COUNT, 2.2, M=100, qs=1, ub=-1),
    "C-BILL-1": case(BILLIARD, 5.3, qx=0.2, qy=0.3, ux=1, uy=0.61803398875),
    "CB-IMP-1": case(FALL, 1.1, m=1, g=9.81, a=0, e=0.5, mu=0.5, x0=0, y0=2, vx=5, vy=-1),
    "CB-BOUNCE-1": case(FALL, 0.9, m=1, g=9.81, a=0, e=0.5, mu=0.2, x0=0, y0=0.5, vx=3, vy=0),
    "CB-INCLINE3D-1": case(SPACE, 0.7, slope=0.349065850398866, mu=0.3, g=9.81, v0=1),
    "CB-INCLINE3D-2": case(SPACE, 0.7, slope=0.523598775598299, mu=0.5773502691896257, g=9.81, v0=2),
    "CB-BOWL-1": case(HOLLOW, 1.6, R=1, mu=0.2, g=9.81, v0=0.5, th0=-1.3),
    "CB-CYL-1": case(LEAVE, 0.9, R=1, mu=0.3, g=9.81, v0=2.2, th0=0),
    "M88-LEAVE-1": case(LEAVE, 1.3, R=1, mu=0, g=9.81, v0=0.5, th0=0),
    "C-DENHART-1": case(STICK_SLIP, 9, m=1, k=1, c=0, N=1, mu_s=0.3, mu_d=0.3, vb=0, F=1, w=0.8, ph=0, x0=2, v0=0.01),
    "C-BELT-1": case(STICK_SLIP, 5, m=1, k=10, c=0, N=10, mu_s=0.4, mu_d=0.25, vb=0.2, F=0, w=1, ph=0, x0=0, v0=0.1),
    "C-IMPOSC-1": case(OSCILLATOR, 12, m=1, c=0, k=1, F=1, w=2.2, ph=0, sigma=0, e=0.8, x0=-1.5, v0=1.6),
    "B-CE1": case(CUBE_ROOT, 1, q0=0.001, u0=0),
    "B-CE6": case(FALL, 2.6, m=1, g=2, a=0, e=0.5, mu=0, x0=0, y0=1, vx=0.1, vy=0),
    "B-CE7": case(SMOOTH, 0.83, strength=71.125187888547925, delay=0.625, width=0.4166666666666667, u0=-0.041666666666666664),
    "C-BILL-3": case(TRIANGULAR, 4.1, qx=0.5, ux=0.5, uy=0.8660254037844386),
    "CB-KLAR-1": case(COUPLED, 6, K11=4, K12=1.5, K22=3, F1=1, F2=1.2, mu=0.4, a=-1.2),
    "CB-KLAR-2": case(COUPLED, 6, K11=6, K12=2, K22=5, F1=0.5, F2=0.8, mu=0.3, a=0.6, b=-0.5, va=1, vb=0),
    "CB-CHAIN-1": case(ROW, 8, k=4, N=10, mu=0.2, drive=1),
    "CB-STATUS-1a": case(pressed(False), 1, a=1),
    "CB-STATUS-1c": case(pressed(False), 1, b=1),
    "CB-STATUS-1d": case(pressed(True), 1, b=-1, c=2),
    "CB-STATUS-1f": case(pressed(False, "1.3"), 1, f=1.3, N=2, mu=0.5),
    "CB-STATUS-2": case(TURNED, 1, b=1),
    "CB-STATUS-3": case(CASCADE, 1, a=0.2, mu3=0.6),
    "CB-IMP-1 in space": case(STRIKE, 0.9, vn=2, vx=3, vy=-4, mu=0.5, e=0.5),
    "CB-IMP-2": case(STRIKE, 0.9, vn=3, vx=0.5, vy=0.2, mu=0.4, e=0.8),
    "slip begins in space": case(DRAG, 1.6, f=0, a=1, g=0.6, b=0.1, N=2, mu=0.5, mu_s=0.5),
    "slip begins in space, less friction": case(DRAG, 1.6, f=0, a=1, g=0.6, b=-0.2, N=2, mu=0.4, mu_s=0.5),
    "slip ends in space": case(STOP, 1.2, F=2, R=4, vx=0.4, vy=1.5),
    "slip ends in space, turned back": case(STOP, 1.2, F=3, R=4, vx=-0.7, vy=1.1),
    "slip ends in space, hardly turning": case(STOP, 1.2, F=0.3, R=4, vx=0.9, vy=1.7),
    "C-COLLAPSE-1": case(CHAIN, 1.6, m1=1, m2=1, m3=1, r=0, e1=0.1, e2=0.1, e3=1, pull=0, wall=100, q1=0, q2=0.9, q3=2, u1=1, u2=0, u3=-1),
    "B-EX8-1": case(double_pendulum(True), 3.6, l1=1, l2=0.8, m1=1, m2=0.7, k1=2, k2=1.5, lam=1, e=0.5, a0=0.5, b0=0.4, ua=-1, ub=0.3),
    "B-EX8-2": case(double_pendulum(True), 3.6, l1=1, l2=0.8, m1=1, m2=0.7, k1=2, k2=1.5, lam=1, e=1, a0=0.5, b0=0.4, ua=-1, ub=0.3),
    "C-BTABLE-1": case(TABLE, 0.13, A=0.0008, w=125.66370614359172, ph=0, e=0.5, g=9.81, z0=0.0005, v0=0.24),
}
FAST = ["SENS-PENDWALL-1", "SENS-TABLE-1", "SENS-STICKSLIP-1", "SENS-SLIDE-1", "SENS-OBLIQUE-1", "SENS-CHAIN-1"]


def drawn(r):
    """A system of one of the families of derivatives with random numbers, twelve digits of them."""
    def u(low, high):
        return float(f"{r.uniform(low, high):.12g}")

    def e():
        return r.choice([1, u(0.02, 0.2), u(0.2, 0.95), u(0.2, 0.95), u(0.95, 0.999)])
    kind = r.choice(["pendulum", "fall", "two", "disc", "belt", "chain", "table", "oscillator", "block", "double"])
    if kind == "pendulum":
        return kind, case(pendulum(True), u(1, 4), g=u(1, 10), l=u(0.3, 2), c=u(0, 0.5), theta_w=u(-0.6, 0.3), e=e(), theta0=u(0.5, 1.6), omega0=u(-3, 3))
    if kind == "fall":
        return kind, case(FALL, u(0.8, 2.5), m=u(0.1, 5), g=u(1, 10), a=r.choice([0, u(0.05, 0.8), u(-0.5, 0)]), e=e(), mu=r.choice([0, 0, u(0.05, 0.6)]),
                          x0=u(-0.5, 0.5), y0=u(0.5, 1.5), vx=u(-2, 2), vy=u(-1, 1))
    if kind == "two":
        return kind, case(TWO_BALLS, u(1.5, 3), m1=u(0.01, 5), m2=u(0.01, 5), r1=u(0.01, 0.2), r2=u(0.01, 0.2), e=e(), a=u(-1, 0), b=u(0.5, 1.5), ua=u(0.5, 2),
                          ub=u(-1, 0.2))
    if kind == "disc":
        return kind, case(DISC, u(0.7, 1.1), m=u(0.1, 5), R=u(0.05, 0.3), J=u(0.001, 0.05), g=u(5, 10), mu=r.choice([u(0.02, 0.2), u(0.2, 2)]), e=u(0.4, 1),
                          qx=u(-1, 1), qy=u(0.6, 1), qt=u(-1, 1), ux=u(-3, 3), uy=u(-1, 1), ut=u(-8, 8))
    if kind == "belt":
        mu = u(0.05, 0.6)
        return kind, case(STICK_SLIP, u(2, 8), m=u(0.3, 3), k=u(1, 15), c=u(0, 0.5), N=u(2, 12), mu_s=float(f"{mu * r.uniform(1, 2):.12g}"), mu_d=mu, vb=u(0.1, 0.7),
                          F=r.choice([0, u(0.5, 4)]), w=u(0.5, 3), ph=u(0, 6), x0=u(-0.8, 0.8), v0=u(-0.8, 0.8))
    if kind == "chain":
        return kind, case(CHAIN, u(1.5, 3), m1=u(0.2, 3), m2=u(0.2, 3), m3=u(0.2, 3), r=u(0.02, 0.14), e1=e(), e2=e(), e3=e(), pull=r.choice([0, u(-1, 1)]),
                          wall=u(1.8, 2.6), q1=u(-0.2, 0.1), q2=u(0.5, 0.8), q3=u(1.2, 1.5), u1=u(0.3, 1.8), u2=u(-0.5, 0.5), u3=u(-0.5, 0.5))
    if kind == "table":
        return kind, case(TABLE, u(0.5, 1.6), A=u(0.005, 0.08), w=u(2, 15), ph=u(-3, 3), e=e(), g=u(5, 10), z0=u(0.3, 0.6), v0=u(-0.5, 0.5))
    if kind == "oscillator":
        return kind, case(OSCILLATOR, u(4, 12), m=u(0.3, 3), c=u(0, 0.4), k=u(0.5, 9), F=u(-3, 3), w=u(0.5, 4), ph=u(-3, 3), sigma=u(-0.2, 0.4), e=e(), x0=u(-1, -0.3),
                          v0=u(-0.5, 0.8))
    if kind == "block":
        return kind, case(BLOCK, u(0.3, 2), mu=u(0.4, 3), alpha=u(0.02, 0.35), g=u(1, 10), v0=u(0.3, 3))
    return kind, case(double_pendulum(True), u(1, 3), l1=u(0.5, 1.3), l2=u(0.5, 1.3), m1=u(0.3, 2), m2=u(0.3, 2), k1=u(0.5, 3), k2=u(0.5, 3), lam=u(0, 1.2), e=e(),
                      a0=u(0.2, 0.6), b0=u(0.2, 0.5), ua=u(-1.5, 0.3), ub=u(-0.8, 0.8))


def check_random(carom, folder, count, seed):
    """Other numbers: what is told is right. False: something is wrong."""
    without, wrong = 0, []
    for i in range(count):
        kind, one = drawn(random.Random(f"{seed} {i}"))
        try:
            good = check(carom, folder, f"{kind} {seed} {i}", one)
        except ArithmeticError as reason:  # no derivative there, or too many impacts for the other program
            without += 1
            print(f"{kind} {seed} {i}: {str(reason)[-160:]!r}")
            continue
        if not good:
            wrong.append(i)
            print(one["numbers"], one["end"])
    print(f"{count} motions, {without} not compared, {len(wrong)} wrong")
    return not wrong


def derivatives(carom, folder, one):
    """By carom: {(coordinate, 0 or 1): {number: derivative}}."""
    starts = one.get("starts", {})
    names = {number: starts.get(number, "parameters." + number) for number in one["numbers"]}
    path = f"{folder}/{one.get('scene')}"
    if "text" in one:
        with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
            file.write(one["text"])
            path = file.name
    sets = [f"{names[number]}={value}" for number, value in one["numbers"].items()]
    sets += [f"duration_s={one['end']}", *one.get("sets", [])]
    command = [carom, "run", path, "--sensitivity", ",".join(names.values()), "--json"]
    for text in sets:
        command += ["--set", text]
    done = subprocess.run(command, capture_output=True, text=True)
    if "text" in one:
        os.unlink(path)
    if done.returncode != 0:
        raise ArithmeticError(done.stderr + done.stdout[-600:])
    last = json.loads(done.stdout)["states"][-1]["coordinates"]
    return {(coordinate, i): {number: mpf(last[coordinate][key][name]) for number, name in names.items()}
            for coordinate in last for i, key in enumerate(("dq", "du"))}


def check(carom, folder, name, one):
    told = derivatives(carom, folder, one)
    exact_numbers = {number: mpf(value) for number, value in one["numbers"].items()}
    worst = largest = mpf(0)
    for number in exact_numbers:
        ends = []
        for sign in (1, -1):
            p = {**exact_numbers, number: exact_numbers[number] + sign * SMALL}
            end = mpf(str(one["end"]))
            ends.append(one["out"](one["exact"](p, end) if "exact" in one else run(one["model"], p, end, one.get("step", STEP)), p))
        for coordinate, pair in ends[0].items():
            for i in (0, 1):
                exact = (pair[i] - ends[1][coordinate][i]) / (2 * SMALL)
                largest = max(largest, abs(exact))
                worst = max(worst, abs(exact - told[coordinate, i][number]))
    error = float(worst / largest)
    print(f"{name}: {error:.1e} of the largest derivative, {float(largest):.3g}", flush=True)
    return error <= TOLERANCE


def main():
    carom, folder, *wanted = sys.argv[1:]
    if wanted and wanted[0] == "random":
        return 0 if check_random(carom, folder, int(wanted[1]), int(wanted[2])) else 1
    names = FAST if wanted == ["fast"] else wanted or list(CASES)
    return 0 if all([check(carom, folder, name, CASES[name]) for name in names]) else 1


sys.exit(main())
