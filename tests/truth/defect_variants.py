#!/usr/bin/env python3
"""The scenes of tests/data/defects with other numbers: does each still tell the truth?

Every scene there was once certified or promised wrongly. A cure that fits its numbers only is none. Here masses, speeds, sizes, steps and
instants are drawn at random, and what must be said follows from theory: a closed form, a theorem, or that no motion exists.

    tests/truth/defect_variants.py --program build/bin/carom --variants 20 --seed 1

Exit status 0: every variant tells the truth.
"""

import argparse
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

VARIANTS = {}


def variant(function):
    """A function of a source of numbers that gives a scene and what is wrong with what is said of it, or nothing."""
    VARIANTS[function.__name__] = function
    return function


def log(rng, low, high):
    """Evenly distributed in its logarithm, to four digits."""
    return float(f"{10 ** rng.uniform(math.log10(low), math.log10(high)):.4g}")


def codes(told):
    return [f["code"] for f in told.get("diagnosis", [])]


def never_certified(command="run", wants=()):
    def wrong(told):
        if told["status"] == "certified":
            return "certified, and no motion exists or it is not the only one"
        if wants and not any(c in wants for c in codes(told)):
            return f"none of {wants} is said, but {codes(told)}"
        return None
    return command, wrong


def end_is(name, exact, tolerance, must=False):
    """If certified the end of this coordinate must be `exact`; `must`: it must be certified."""
    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}" if must else None
        error = abs(told["state"][name]["q"] - exact)
        return None if error <= tolerance else f"{name} ends off by {error:.3g}, {tolerance:.3g} is allowed"
    return "run", wrong


def promises(*allowed, code=None):
    def wrong(told):
        if told["promise"] not in allowed:
            return f"promises {told['promise']}"
        if code and all(h["code"] != code for h in told["hypotheses"]):
            return f"{code} is not said"
        return None
    return "inspect", wrong


def coordinate(name, start, velocity=0, unit=""):
    text = f'[[coordinate]]\nname = "{name}"\nstart = {start}\nstart_velocity = {velocity}\n'
    return text + (f'unit = "{unit}"\n' if unit else "")


def stepped(h, kind="moreau"):
    return f'[integrator]\nkind = "{kind}"\ntime_step_s = {h!r}\n'


@variant
def stiff_spring(rng):
    """x'' = -k/m x: stable for h w < 2; the energy of an end beyond the start is created."""
    m, k, x, h = log(rng, 1e-2, 1e2), log(rng, 1e2, 1e9), log(rng, 1e-3, 10), log(rng, 1e-5, 1e-1)
    n = rng.randint(30, 300)
    scene = (f"duration_s = {n * h!r}\n" + coordinate("x", x) +
             f'[lagrangian]\nkinetic = "{m}*x\'^2/2"\npotential = "{k}/2*x^2"\n' + stepped(h))
    hw = h * math.sqrt(k / m)

    def wrong(told):
        if told["status"] == "certified" and abs(told["state"]["x"]["q"]) > 1.2 * x:
            return f"certified with |x| = {abs(told['state']['x']['q']):.3g} from {x}, h w = {hw:.3g}"
        if hw < 0.5 and told["status"] != "certified":
            return f"not certified with h w = {hw:.3g}: {codes(told)}"
        return None
    return scene, "run", wrong


@variant
def bullet(rng):
    """A particle against a peg of radius r: straight on while b >= r, else it never comes behind the peg on its line."""
    r, v, e = log(rng, 1e-3, 0.1), log(rng, 1, 1000), rng.choice([0, 0.5, 1])
    b, far, h = rng.uniform(-1.5, 1.5) * r, rng.uniform(0.3, 2), log(rng, 1e-5, 1e-2)
    duration = 2 * far / v
    scene = (f"duration_s = {duration!r}\n" + coordinate("x", -far, v) + coordinate("y", b) +
             '[lagrangian]\nkinetic = "(x\'^2 + y\'^2)/2"\n[[contact]]\nname = "peg"\n'
             f'gap = "hypot(x, y) - {r}"\nlaw = {{ restitution = {e} }}\n' + stepped(min(h, duration)))

    def wrong(told):
        if told["status"] != "certified" or abs(abs(b) - r) < 0.02 * r:
            return None
        x, y = told["state"]["x"]["u"], told["state"]["y"]["u"]
        if abs(b) > r:
            return None if math.hypot(x - v, y) < 1e-9 * v else "deflected by what it misses"
        # mirror at the surface: n = (-cos a, sin a), sin a = b/r
        s = b / r
        c = math.sqrt(1 - s * s)
        exact = (v - (1 + e) * v * c * c, (1 + e) * v * c * s)
        off = math.hypot(x - exact[0], y - exact[1]) / v
        return None if off < 0.25 else f"leaves with a velocity that is wrong by {off:.2g} of its own"
    return scene, "run", wrong


@variant
def jumping_wall(rng):
    """A wall that jumps onto a mass leaves no motion; one that jumps away does nothing."""
    to, x, when = rng.uniform(-1, 1.5), rng.uniform(0.05, 1), rng.uniform(0.2, 0.8)
    scene = ("duration_s = 1\n" + coordinate("x", x) + '[lagrangian]\nkinetic = "x\'^2/2"\n[[contact]]\nname = "wall"\n'
             f'gap = "x - if(t < {when}, 0, {to})"\n' + stepped(log(rng, 1e-4, 2e-2), rng.choice(["moreau", "moreau_jean"])))
    if to > x + 1e-3:
        return scene, *never_certified()
    return scene, *end_is("x", x, 1e-9, must=True)


@variant
def closing_walls(rng):
    """Walls that meet leave no place for a point between them."""
    a, v, m = log(rng, 0.1, 10), log(rng, 0.1, 10), log(rng, 1e-3, 1e3)
    solver = rng.choice(["auto", "interior_point", "gauss_seidel"])
    scene = (f"duration_s = {rng.uniform(1.1, 2) * a / v!r}\n" + coordinate("x", 0) + f'[lagrangian]\nkinetic = "{m}*x\'^2/2"\n'
             f'[[contact]]\nname = "left"\ngap = "x + {a} - {v}*t"\n[[contact]]\nname = "right"\ngap = "{a} - {v}*t - x"\n'
             f'[solver]\nkind = "{solver}"\n' + stepped(a / v * log(rng, 1e-3, 2e-2)))
    return scene, *never_certified()


@variant
def contradictory_drives(rng):
    v, a, h = log(rng, 0.1, 10), log(rng, 0.05, 10), log(rng, 1e-4, 1e-2)
    text = (f"duration_s = {rng.uniform(50, 200) * h!r}\n" + coordinate("x", 0, v) + '[lagrangian]\nkinetic = "x\'^2/2"\n'
            f'[[constraint]]\nname = "first"\nvelocity = ["x\' - {v}"]\n[[constraint]]\nname = "second"\n'
            f'velocity = ["{log(rng, 0.1, 10)}*(x\' - {v} - {a}*t)"]\n' + stepped(h))
    if rng.random() < 0.5:
        return text, *never_certified(wants=("constraints_contradict", "no_solution", "unsolved_step"))
    return text, *promises("none_promised", code="constraints_contradict")


@variant
def kink_constraint(rng):
    k, v = log(rng, 0.2, 5), log(rng, 0.3, 3)
    scene = (f"duration_s = {rng.uniform(1.3, 2) / v!r}\n" + coordinate("x", 1, -v) + coordinate("y", k, -k * v) +
             f'[lagrangian]\nkinetic = "{log(rng, 0.1, 10)}*(x\'^2 + y\'^2)/2"\n[[constraint]]\nname = "path"\n'
             f'zero = ["y - {k}*abs(x)"]\n' + stepped(log(rng, 1e-4, 1e-2)))
    if k < 0.6:  # it turns by less than 60 degrees
        return None
    return scene, *never_certified(wants=("constraint_turns", "singular_configuration"))


@variant
def parallelogram(rng):
    l, v = log(rng, 0.3, 3), log(rng, 0.3, 3)
    base = float(f"{l * rng.uniform(1.2, 3):.4g}")
    scene = (f"duration_s = {rng.uniform(1.2, 1.6) / v!r}\n" + coordinate("a", 1, -v, "rad") + coordinate("b", 0, 0, "rad") +
             coordinate("c", 1, -v, "rad") + '[lagrangian]\nkinetic = "(a\'^2 + b\'^2 + c\'^2)/2"\n[[constraint]]\nname = "loop"\n'
             f'zero = ["{l}*cos(a) + {base}*cos(b) - {l}*cos(c) - {base}", "{l}*sin(a) + {base}*sin(b) - {l}*sin(c)"]\n' +
             stepped(log(rng, 1e-4, 5e-3)))
    return scene, *never_certified(wants=("singular_configuration", "constraint_turns", "several_solutions"))


@variant
def pinch(rng):
    scene = ("duration_s = 0.3\n" + coordinate("a", 0) + coordinate("b", 0, log(rng, 1, 5)) + coordinate("c", 0, -log(rng, 0.1, 0.9)) +
             '[lagrangian]\nkinetic = "(a\'^2 + b\'^2 + c\'^2)/2"\n[[contact]]\nname = "f1"\ngap = "a"\n[[contact]]\nname = "f2"\n'
             f'gap = "{log(rng, 0.3, 3)}*b*c - a"\n[[contact]]\nname = "f3"\ngap = "b + c"\n' + stepped(log(rng, 1e-4, 1e-2)))
    return scene, *never_certified()


@variant
def pole(rng):
    at, h = log(rng, 0.2, 5), log(rng, 1e-4, 5e-3)
    beyond = rng.random() < 0.7
    scene = (f"duration_s = {at * (rng.uniform(1.1, 2) if beyond else rng.uniform(0.2, 0.8))!r}\n" + coordinate("q", log(rng, 0.1, 10)) +
             f'[lagrangian]\nkinetic = "q\'^2/2"\nforces = {{ q = "{log(rng, 0.5, 5)}*q/({at} - t)^{rng.choice([1, 2, 3])}" }}\n' + stepped(at * h))
    if beyond:
        return scene, *never_certified()
    return scene, "run", lambda told: None if told["status"] == "certified" else f"not certified: {codes(told)}"


@variant
def resting_on_plate(rng):
    """A w^2 < g: a ball that never leaves its plate has no impact."""
    w, part, e = log(rng, 2, 400), rng.uniform(0.1, 0.9), rng.uniform(0, 1)
    A = part * 9.81 / w ** 2
    h = rng.uniform(0.002, 0.05) / w
    n = rng.randint(100, 1000)
    scene = (f"duration_s = {n * h!r}\n" + coordinate("z", 0, repr(A * w)) + f'[lagrangian]\nkinetic = "{log(rng, 1e-2, 1e2)}*z\'^2/2"\n'
             f'potential = "0*z"\n'.replace("0*z", "9.81*z") + f'[[contact]]\nname = "plate"\ngap = "z - {A!r}*sin({w}*t)"\n'
             f'law = {{ restitution = {e:.3g} }}\n' + stepped(h))
    scene = scene.replace(scene[scene.index('kinetic'):scene.index('\n', scene.index('kinetic'))], 'kinetic = "z\'^2/2"')

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        impacts = sum(event["kind"] == "impact" for event in told["events"])
        exact = A * math.sin(w * told["time_s"])
        error = abs(told["state"]["z"]["q"] - exact)
        if impacts:
            return f"{impacts} impacts"
        return None if error <= (h * w) ** 2 * A + 1e-9 else f"off the plate by {error:.3g} m of {A:.3g}"
    return scene, "run", wrong


@variant
def ring_scaled(rng):
    """A bead on a rough ring without gravity: its speed falls like exp(-mu angle), however the equation is scaled."""
    r, v, mu, scale, h = log(rng, 0.1, 5), log(rng, 0.3, 10), rng.uniform(0.05, 0.6), log(rng, 1e-3, 1e3), log(rng, 1e-5, 3e-4)
    duration = 1000 * h
    scene = (f"duration_s = {duration!r}\n" + coordinate("x", r) + coordinate("y", 0, v) + '[lagrangian]\nkinetic = "(x\'^2 + y\'^2)/2"\n'
             f'[[constraint]]\nname = "ring"\nzero = ["{scale}*(hypot(x, y) - {r})"]\nvelocity = ["(x*y\' - y*x\')/hypot(x, y)"]\n'
             f'law = {{ kind = "friction", friction = {mu:.4g} }}\n' + stepped(h))

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        speed = math.hypot(told["state"]["x"]["u"], told["state"]["y"]["u"])
        exact = v / (1 + float(f"{mu:.4g}") * v / r * duration)
        return None if abs(speed - exact) <= 5 * (h * v / r) * v else f"speed {speed:.5g} for {exact:.5g}"
    return scene, "run", wrong


@variant
def threshold_order(rng):
    """A force F (1 + c t^n) against a threshold of exactly F slips at once: x = c F/m / ((n+1)(n+2)) at t = 1."""
    n, F, c, m = rng.randint(1, 40), log(rng, 0.1, 10), log(rng, 0.1, 10), log(rng, 0.1, 10)
    scene = ("duration_s = 1\n" + coordinate("x", 0) + coordinate("y", 0) + f'[lagrangian]\nkinetic = "{m}*(x\'^2 + y\'^2)/2"\n'
             f'forces = {{ x = "{F}*(1 + {c}*t^{n})", y = "-2*{F}" }}\n[[contact]]\nname = "floor"\ngap = "y"\nsliding = ["x\'"]\n'
             'law = { kind = "coulomb", friction = 0.5 }\n' + stepped(rng.choice([0.1, 0.3, 0.5, 1.0]), "series"))
    exact = c * F / m / ((n + 1) * (n + 2))
    return scene, *end_is("x", exact, 1e-12 * exact)


@variant
def until_between_reports(rng):
    z, g, part = log(rng, 0.1, 100), log(rng, 0.1, 100), rng.uniform(0.1, 0.9)
    level = float(f"{part * z:.6g}")
    kind = rng.choice(["series", "moreau", "moreau_jean"])
    fall = math.sqrt(2 * (z - level) / g)
    scene = (f"duration_s = {3 * fall!r}\nuntil = \"{level} - z\"\n" + coordinate("z", z) + f'[lagrangian]\nkinetic = "z\'^2/2"\n'
             f'potential = "{g}*z"\n' + stepped(fall * rng.uniform(0.01, 0.4), kind))

    def wrong(told):
        if told["end"] != "formula" or abs(told["time_s"] - fall) > 1e-9 * fall:
            return f"ends by {told['end']} at {told['time_s']:.9g} s for {fall:.9g}"
        return None
    return scene, "run", wrong


@variant
def bump_in_time(rng):
    """exp(-1/(t - t0)^2) is smooth and not analytic: inside the run it costs uniqueness, outside nothing."""
    t0, inside = rng.uniform(-2, 2), rng.random() < 0.5
    start = t0 - rng.uniform(0.2, 1) if inside else t0 + rng.uniform(0.2, 1)
    scene = (f"start_s = {start:.4g}\nduration_s = 2.0\n" + coordinate("q", 0) + '[lagrangian]\nkinetic = "q\'^2/2"\n'
             f'forces = {{ q = "-if(t > {t0:.4g}, {log(rng, 0.1, 10)}*exp(-1/(t - {t0:.4g})^2), 0)" }}\n'.replace("- -", "+ ") +
             '[[contact]]\nname = "floor"\ngap = "q"\nlaw = { restitution = 1 }\n' + stepped(1e-3))
    return scene, *(promises("possibly_several", code="not_analytic_in_time") if inside else promises("one_solution"))


@variant
def limit_not_lipschitz(rng):
    F, c, p = log(rng, 0.3, 10), log(rng, 0.5, 5), rng.choice(["1/3", "1/2", "2/3"])
    scene = ("duration_s = 1\n" + coordinate("x", 0) + f'[lagrangian]\nkinetic = "x\'^2/2"\nforces = {{ x = "{F}" }}\n[[constraint]]\n'
             f'name = "brake"\nvelocity = ["x\'"]\nlaw = {{ kind = "limited", limit = "max(0, {F} - {c}*abs(x\')^({p}))" }}\n' + stepped(1e-4))
    return scene, *promises("possibly_several", "none_promised")


@variant
def klarbring(rng):
    """Particles with friction, analytic data: one motion (CB14 theorem 2.1)."""
    k = [log(rng, 0.5, 5) for _ in range(2)]
    scene = ("duration_s = 2\n" + coordinate("x", round(rng.uniform(-2, 2), 3)) + coordinate("y", round(rng.uniform(0.1, 1), 3)) +
             f'[lagrangian]\nkinetic = "{log(rng, 0.1, 10)}*(x\'^2 + y\'^2)/2"\npotential = "({k[0]}*x^2 + 0.5*x*y + {k[1]}*y^2)/2"\n'
             f'forces = {{ y = "-{log(rng, 0.1, 10)}" }}\n[[contact]]\nname = "floor"\ngap = "y"\nsliding = ["x\'"]\n'
             f'law = {{ kind = "coulomb", friction = {rng.uniform(0.05, 1.5):.3g} }}\n' + stepped(0.1, "series"))
    return scene, *promises("one_solution")


@variant
def damper_mixed(rng):
    """A damper between a rough and a smooth particle breaks (iii) of CB14 theorem 2.1."""
    c = log(rng, 0.1, 10)
    scene = ("duration_s = 1\n" + "".join(coordinate(n, s) for n, s in (("x1", 0), ("y1", 0), ("x2", 1), ("y2", 0))) +
             '[lagrangian]\nkinetic = "(x1\'^2 + y1\'^2 + x2\'^2 + y2\'^2)/2"\npotential = "9.81*(y1 + y2)"\n'
             f'forces = {{ x1 = "{c}*(x2\' - x1\')", x2 = "{c}*(x1\' - x2\')", y1 = "{c}*(y2\' - y1\')", y2 = "{c}*(y1\' - y2\')" }}\n'
             '[[contact]]\nname = "one"\ngap = "y1"\nsliding = ["x1\'"]\n'
             f'law = {{ kind = "coulomb", friction = {rng.uniform(0.05, 1):.3g} }}\n[[contact]]\nname = "two"\ngap = "y2"\n' + stepped(0.1, "series"))
    return scene, *promises("none_promised", "possibly_several", "no_obstacle_found")


@variant
def freewheel_start(rng):
    """A start outside the domain of the law (B02 1.34): the shock of the first step is told."""
    scene = ("duration_s = 1\n" + coordinate("a", 0, log(rng, 0.1, 10), "rad") + coordinate("b", 0, 0, "rad") +
             f'[lagrangian]\nkinetic = "{log(rng, 0.05, 5)}/2*a\'^2 + {log(rng, 0.05, 5)}/2*b\'^2"\nforces = {{ a = "{log(rng, 0.1, 1)}" }}\n'
             '[[constraint]]\nname = "freewheel"\nvelocity = ["a\' - b\'"]\nlaw = { kind = "limited", high = 0 }\n' + stepped(1e-3))
    return scene, "run", lambda told: None if "start_outside_law" in codes(told) else f"start_outside_law is not said: {codes(told)}"


@variant
def stiff_pendulum(rng):
    """A stiff rod for a rigid one, with the implicit scheme: certified, and on its circle."""
    l, k, h, e = log(rng, 0.3, 3), log(rng, 1e6, 1e9), log(rng, 1e-4, 1e-3), rng.uniform(0, 1)
    scene = (f"duration_s = {min(2.0, 2000 * h)!r}\n" + coordinate("x", f'"{l}*sin(1)"') + coordinate("y", f'"-{l}*cos(1)"') +
             f'[lagrangian]\nkinetic = "(x\'^2 + y\'^2)/2"\npotential = "9.81*y + {k}/2*(hypot(x, y) - {l})^2"\n[[contact]]\nname = "wall"\n'
             f'gap = "x"\nlaw = {{ restitution = {e:.3g} }}\n' + stepped(h, "moreau_jean"))

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        off = abs(math.hypot(told["state"]["x"]["q"], told["state"]["y"]["q"]) - l)
        return None if off <= 1e-3 * l else f"{off:.3g} m off its circle"
    return scene, "run", wrong


@variant
def rod_coordinates(rng):
    """Painleve's rod whose sliding ends smoothly in the series has no catastrophe in time steps either."""
    v, mu, h = rng.uniform(0.5, 4.5), rng.uniform(0.2, 1.6), log(rng, 1e-5, 3e-4)
    scene = (f"duration_s = {0.05!r}\n[parameters]\nmu = {mu:.4g}\nl = 1.0\n" + coordinate("x", 0, f"{v:.4g}") + coordinate("y", '"l*sin(pi/4)"') +
             coordinate("th", '"pi/4"', 0, "rad") + '[lagrangian]\nkinetic = "(x\'^2 + y\'^2)/2 + l^2/6*th\'^2"\npotential = "9.81*y"\n'
             '[[contact]]\nname = "tip"\nposition = ["x + l*cos(th)", "y - l*sin(th)"]\nsurface = "y"\n'
             'law = { kind = "coulomb", friction = "mu" }\n' + stepped(h))
    exact = {}

    def wrong(told):
        series = exact.get("series")
        if series is None or series["status"] != "certified":
            return None
        if "frictional_catastrophe" in codes(told):
            return "a catastrophe where series have none"
        if told["status"] == "certified":
            off = abs(told["state"]["th"]["q"] - series["state"]["th"]["q"])
            return None if off <= 50 * h else f"off by {off:.3g} rad"
        return None
    wrong.also = lambda run: exact.update(series=run(scene.replace('kind = "moreau"', 'kind = "series"').replace(f"time_step_s = {h!r}", "time_step_s = 0.01")))
    return scene, "run", wrong


@variant
def zero_inertia_hinge(rng):
    """A point on a massless arm swings as a pendulum does: energy says how fast it is at the bottom."""
    l, a = log(rng, 0.2, 3), rng.uniform(0.3, 2.5)
    scene = (f"duration_s = {1.5 * math.sqrt(l):.4g}\n[[body]]\nname = \"bob\"\nshape = \"none\"\nmass_kg = {log(rng, 0.1, 10)}\ninertia_kg_m2 = [0, 0, 0]\n"
             f"centre_m = [0, 0, {-l}]\nrotation_rad = [0, {a:.4g}, 0]\n[[joint]]\nname = \"pin\"\nfirst = \"bob\"\naxis = [0, 1, 0]\n" + stepped(log(rng, 1e-4, 1e-3)))

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        state = told["state"]
        z, speed2 = state["bob_z"]["q"], sum(state[f"bob_{i}"]["u"] ** 2 for i in "xyz")
        exact = 2 * 9.81 * (-l * math.cos(float(f"{a:.4g}")) - z)
        return None if abs(speed2 - exact) <= 1e-3 * 9.81 * l else f"v^2 = {speed2:.5g} for {exact:.5g}"
    return scene, "run", wrong


@variant
def stack_coarse(rng):
    """Boxes on each other stand still, certified, however coarse the step."""
    n, size, m = rng.randint(3, 20), log(rng, 0.02, 1), log(rng, 0.1, 10)
    scene = (f"duration_s = 0.2\n[[material]]\nname = \"m\"\nfriction = 0.6\n[[body]]\nname = \"ground\"\nshape = \"plane\"\n[[body]]\nname = \"b\"\n"
             f"shape = \"box\"\nsize_m = [{size}, {size}, {size}]\ncopies = [{n}]\nposition_m = [0, 0, \"{size}*(0.5 + i)\"]\nmass_kg = {m}\n" +
             stepped(log(rng, 5e-4, 1e-2)) + "[solver]\ntolerance = 1e-3\n")

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        off = max(abs(told["state"][f"b_{i}_z"]["q"] - size * (0.5 + i)) for i in range(n))
        return None if off <= 2e-3 * size * n else f"a box has moved by {off / size:.2g} of its size"
    return scene, "run", wrong


def run_scene(program, folder, command, text):
    """`command`: run or inspect; refused: run, and the scene may be an error; answered: the same, and what is told does not matter."""
    file = os.path.join(folder, "scene.toml")
    with open(file, "w") as f:
        f.write(text)
    may_be_wrong = command in ("refused", "answered")
    done = subprocess.run([program, "run" if may_be_wrong else command, file, "--json"], capture_output=True, timeout=120)
    if may_be_wrong:
        error = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
        if done.returncode not in (0, 1, 2, 3) or "internal" in error or (done.returncode == 2 and len(error) < 20):
            raise RuntimeError(f"exit {done.returncode}: {error[:300]}")
        return {"code": done.returncode, "stderr": error}
    if done.returncode == 2 or done.returncode < 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode()[:300]}")
    return json.loads(done.stdout)


def main(variants, about):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/carom")
    parser.add_argument("--variants", type=int, default=20, help="of every scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="names of scenes")
    parser.add_argument("--show", action="store_true", help="print scenes that are told wrongly")
    arguments = parser.parse_args()
    counts, failed = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, make in variants.items():
            if arguments.only and name not in arguments.only:
                continue
            for k in range(arguments.variants):
                made = make(random.Random(f"{name} {arguments.seed + k}"))
                if made is None:
                    continue
                scene, command, wrong = made
                if hasattr(wrong, "also"):
                    wrong.also(lambda text: run_scene(arguments.program, folder, "run", text))
                counts[name] += 1
                try:
                    why = wrong(run_scene(arguments.program, folder, command, scene))
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    why = str(error)
                if why:
                    failed += 1
                    print(f"{name} {arguments.seed + k}: {why}")
                    if arguments.show:
                        print(scene)
    print(", ".join(f"{n} {c}" for n, c in counts.items()))
    print(f"{sum(counts.values())} variants, {failed} told wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(VARIANTS, __doc__))
