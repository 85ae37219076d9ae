#!/usr/bin/env python3
"""Derivatives of `carom run --sensitivity` against central differences of runs with 40 digits.

The runs are another program: Taylor series in mpmath, events by Newton's method. Usage: mpmath_check.py CAROM SCENES
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    from mpmath import cos, mp, mpf, sin
except ImportError:
    sys.exit(77)

mp.dps = 40
ORDER = 40
TOLERANCE = 1e-10


def pendulum(state, t, p):
    """Taylor coefficients of theta'' = -(9.81/l) sin(theta) - 0.1/l^2 theta'."""
    x, v = [state[0]], [state[1]]
    s, c = [sin(x[0])], [cos(x[0])]
    for k in range(ORDER):
        x.append(v[k] / (k + 1))
        v.append((-mpf("9.81") / p["l"] * s[k] - mpf("0.1") / p["l"] ** 2 * v[k]) / (k + 1))
        s.append(sum((i + 1) * x[i + 1] * c[k - i] for i in range(k + 1)) / (k + 1))
        c.append(-sum((i + 1) * x[i + 1] * s[k - i] for i in range(k + 1)) / (k + 1))
    return x, v


def oscillator(state, t, p):
    """Taylor coefficients of m x'' = -c x' - k x + F cos(w t)."""
    x, v = [state[0]], [state[1]]
    drive = [p["F"] * cos(p["w"] * t)]
    other = [p["F"] * sin(p["w"] * t)]
    for k in range(ORDER):
        x.append(v[k] / (k + 1))
        v.append((drive[k] - p["c"] * v[k] - p["k"] * x[k]) / p["m"] / (k + 1))
        drive.append(-p["w"] * other[k] / (k + 1))
        other.append(p["w"] * drive[k] / (k + 1))
    return x, v


def value(c, s):
    total = mpf(0)
    for a in reversed(c):
        total = total * s + a
    return total


def first_root(gap, rate, h):
    """The first root of a gap that falls, on a grid and by Newton's method; None without one."""
    before = gap(mpf(0))
    for i in range(1, 9):
        s = h * i / 8
        if gap(s) < 0:
            for _ in range(60):
                step = gap(s) / rate(s)
                s -= step
                if abs(step) < mpf(10) ** (-38):
                    break
            return s
        before = gap(s)
    return None


def run(series, gap_of, p, e, state, t, end, h=mpf("0.05")):
    """State at the end. gap_of gives the gap of a position, velocity and time, its rate, and the velocity of the obstacle."""
    while t < end:
        x, v = series(state, t, p)
        step = min(h, end - t)
        gap = lambda s: gap_of(value(x, s), value(v, s), t + s, p)[0]
        rate = lambda s: gap_of(value(x, s), value(v, s), t + s, p)[1]
        hit = first_root(gap, rate, step) if rate(mpf(0)) < 0 or gap(mpf(0)) > mpf(10) ** (-30) else None
        step = hit if hit is not None else step
        state = [value(x, step), value(v, step)]
        t += step
        if hit is not None:
            wall = gap_of(state[0], state[1], t, p)[2]
            state[1] = wall - e(p) * (state[1] - wall)
    return state


def falling(state, t, p):
    """Taylor coefficients of z'' = -g."""
    rest = [mpf(0)] * (ORDER - 2)
    return [state[0], state[1], -p["g"] / 2] + rest, [state[1], -p["g"], mpf(0)] + rest


def belt(p, state, t, end, h=mpf("0.05")):
    """Stick and slip on a belt: m x'' + c x' + k x = f, f = mu N against slip, stick while |c vb + k x| <= mu_s N."""
    small = mpf(10) ** (-36)
    sticks = False
    while t < end:
        step = min(h, end - t)
        if sticks:
            # x moves with the belt until the spring and the dashpot reach the bound
            lasts = (p["mu_s"] * p["N"] - p["c"] * p["vb"] - p["k"] * state[0]) / (p["k"] * p["vb"])
            step = min(lasts, end - t)
            state = [state[0] + p["vb"] * step, p["vb"]]
            t += step
            sticks = t >= end
            if not sticks:
                side = mpf(-1)
            continue
        if abs(state[1] - p["vb"]) > small:
            side = mpf(1) if state[1] > p["vb"] else mpf(-1)
        x, v = [state[0]], [state[1]]
        for k in range(ORDER):
            x.append(v[k] / (k + 1))
            force = -side * p["mu_d"] * p["N"] if k == 0 else mpf(0)
            v.append((force - p["c"] * v[k] - p["k"] * x[k]) / p["m"] / (k + 1))
        slip = lambda s: side * (value(v, s) - p["vb"])
        rate = lambda s: side * sum(i * v[i] * s ** (i - 1) for i in range(1, len(v)))
        hit = first_root(slip, rate, step) if slip(mpf(0)) > small or rate(mpf(0)) < 0 else None
        step = hit if hit is not None else step
        state = [value(x, step), value(v, step)]
        t += step
        if hit is not None:
            state[1] = p["vb"]
            sticks = abs(p["c"] * p["vb"] + p["k"] * state[0]) <= p["mu_s"] * p["N"]
            side = -side
    return state


TABLE = """
title = "table"
duration_s = 1.4
[parameters]
A = 0.05
w = 6
ph = 0.3
e = 0.8
g = 9.81
[[coordinate]]
name = "z"
start = 0.5
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "plate"
gap = "z - A*sin(w*t + ph)"
law = { restitution = "e" }
"""

BELT = """
title = "belt"
duration_s = 4
[parameters]
m = 1
k = 10
c = 0.1
N = 10
mu_s = 0.4
mu_d = 0.25
vb = 0.2
[[coordinate]]
name = "x"
start = 0.5
start_velocity = -0.1
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "m*x'^2/2 + y'^2/2"
potential = "k*x^2/2 + N*y"
forces = { x = "-c*x'" }
[[contact]]
name = "belt"
position = ["x", "y"]
surface = "y"
obstacle_velocity = ["vb", "0"]
law = { kind = "coulomb", friction = "mu_d", static_friction = "mu_s" }
"""


CASES = {
    "pendulum_wall.toml": dict(
        series=pendulum, gap=lambda x, v, t, p: (p["l"] * sin(x), p["l"] * cos(x) * v, mpf(0)), e=lambda p: p["e"],
        parameters={"l": "1", "e": "0.8"}, start=["1", "0"], coordinate="theta", end="3.3"),
    "impact_oscillator.toml": dict(
        series=oscillator, gap=lambda x, v, t, p: (p["sigma"] - x, -v, mpf(0)), e=lambda p: p["e"],
        parameters={"m": "1", "c": "0.05", "k": "1", "F": "1", "w": "2.2", "sigma": "0", "e": "0.8"},
        start=["-0.5", "0.1"], coordinate="x", end="7.7"),
    "table": dict(
        text=TABLE, series=falling, e=lambda p: p["e"],
        gap=lambda z, v, t, p: (z - p["A"] * sin(p["w"] * t + p["ph"]), v - p["A"] * p["w"] * cos(p["w"] * t + p["ph"]),
                                p["A"] * p["w"] * cos(p["w"] * t + p["ph"])),
        parameters={"A": "0.05", "w": "6", "ph": "0.3", "e": "0.8", "g": "9.81"}, start=["0.5", "0"], coordinate="z", end="1.4"),
    "belt": dict(
        text=BELT, motion=belt, parameters={"m": "1", "k": "10", "c": "0.1", "N": "10", "mu_s": "0.4", "mu_d": "0.25", "vb": "0.2"},
        start=["0.5", "-0.1"], coordinate="x", end="4"),
}


def end_of(case, p, state):
    if "motion" in case:
        return case["motion"](p, state, mpf(0), mpf(case["end"]))
    return run(case["series"], case["gap"], p, case["e"], state, mpf(0), mpf(case["end"]))


def check(carom, folder, scene, case):
    names = ["parameters." + name for name in case["parameters"]]
    names += [f"coordinate.{case['coordinate']}.start", f"coordinate.{case['coordinate']}.start_velocity"]
    path = f"{folder}/{scene}"
    if "text" in case:
        with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
            file.write(case["text"])
            path = file.name
    command = [carom, "run", path, "--set", "integrator.kind=series", "--set", f"duration_s={case['end']}",
               "--sensitivity", ",".join(names), "--json"]
    out = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    if "text" in case:
        os.unlink(path)
    last = out["states"][-1]["coordinates"][case["coordinate"]]
    small = mpf(10) ** (-12)
    worst = largest = mpf(0)
    for name in names:
        ends = []
        for sign in (1, -1):
            p = {key: mpf(text) for key, text in case["parameters"].items()}
            state = [mpf(text) for text in case["start"]]
            if name.startswith("parameters."):
                p[name[11:]] += sign * small
            else:
                state[1 if name.endswith("velocity") else 0] += sign * small
            ends.append(end_of(case, p, state))
        for i, key in enumerate(("dq", "du")):
            exact = (ends[0][i] - ends[1][i]) / (2 * small)
            largest = max(largest, abs(exact))
            worst = max(worst, abs(exact - mpf(last[key][name])))
    error = float(worst / largest)
    print(f"{scene}: {error:.1e} of the largest derivative, {float(largest):.3g}")
    return error <= TOLERANCE


def main():
    good = [check(sys.argv[1], sys.argv[2], scene, case) for scene, case in CASES.items()]
    return 0 if all(good) else 1


sys.exit(main())
