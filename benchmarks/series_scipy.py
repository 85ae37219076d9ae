#!/usr/bin/env python3
"""The series integrator against scipy's DOP853 with event location at 1e-12, on a chain of three particles with friction
and on the double pendulum with an obstacle.

usage: benchmarks/series_scipy.py [--build FOLDER] [--repeat N] [--no-record]

Both programs run in turns, warm, on one core; times are processor time of one whole run, the best of N samples of each. What carom is given
is a model of formulas: making its programs on series is part of its time. Errors are those of the final state, of both
programs against a third computation: extrapolation of Gragg's method (Bulirsch and Stoer) in numbers of 64 bits mantissa,
events by halving the last step. The result replaces its section of benchmarks/RESULTS.md.
"""
import argparse
import json
import pathlib
import platform
import subprocess
import time

import numpy as np
from scipy.integrate import solve_ivp

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = "<!-- benchmarks/series_scipy.py writes what follows -->"
LONG = np.longdouble


class Chain:
    """Masses on springs, the first pulled by a moving support; each sticks or slides against +-threshold."""

    title, scene, benchmark, end_s = "chain of three particles", "benchmarks/scenes/spring_chain.toml", "series_chain", 8.0
    names = ["x1", "x2", "x3"]

    def __init__(self, number):
        self.k, self.threshold = number(4), number(2)
        self.slip = np.zeros(3, dtype=number)
        self.y = np.zeros(6, dtype=number)

    def pull(self, t, x):
        k = self.k
        return np.array([k * (t - x[0]) + k * (x[1] - x[0]), k * (x[0] - x[1]) + k * (x[2] - x[1]), k * (x[1] - x[2])])

    def rates(self, t, y):
        force = self.pull(t, y[:3])
        return np.concatenate([y[3:], np.where(self.slip == 0, 0 * force, force - self.slip * self.threshold)])

    def events(self):
        """Functions that fall through zero."""
        result = []
        for i in range(3):
            if self.slip[i] == 0:
                result.append(lambda t, y, i=i: self.threshold - abs(self.pull(t, y[:3])[i]))
            else:
                result.append(lambda t, y, i=i, s=self.slip[i]: s * y[3 + i])
        return result

    def happens(self, i, t):
        force = self.pull(t, self.y[:3])[i]
        if self.slip[i] == 0:
            self.slip[i] = np.sign(force)
        else:
            self.y[3 + i] = 0
            self.slip[i] = np.sign(force) if abs(force) > self.threshold else 0


class Pendulum:
    """Two bars with springs and a follower force; the joint and the tip strike an obstacle."""

    title, scene, benchmark, end_s = ("double pendulum with obstacle", "scenes/double_pendulum_obstacle.toml",
                                      "series_double_pendulum", 4.0)
    names = ["q1", "q2"]

    def __init__(self, number):
        tenth = number(1) / number(10)
        self.l1, self.l2, self.m1, self.m2 = number(1), 8 * tenth, number(1), 7 * tenth
        self.k1, self.k2, self.follower, self.e = number(2), 15 * tenth, number(1), number(1) / number(2)
        self.y = np.array([5 * tenth, 4 * tenth, -number(1), 3 * tenth])

    def solved(self, q, force):
        """A(q)^-1 force."""
        a = (self.m1 / 3 + self.m2) * self.l1 ** 2
        b = self.m2 * self.l1 * self.l2 / 2 * np.cos(q[0] - q[1])
        d = self.m2 * self.l2 ** 2 / 3
        det = a * d - b * b
        return np.array([(d * force[0] - b * force[1]) / det, (a * force[1] - b * force[0]) / det])

    def rates(self, t, y):
        q, u = y[:2], y[2:]
        sine = np.sin(q[0] - q[1])
        s = self.m2 * self.l1 * self.l2 / 2 * sine
        turn = self.k2 * (q[1] - q[0])
        force = (-self.k1 * q[0] + turn + self.follower * self.l1 * sine - s * u[1] ** 2, -turn + s * u[0] ** 2)
        return np.concatenate([u, self.solved(q, force)])

    def events(self):
        return [lambda t, y: self.l1 * np.sin(y[0]), lambda t, y: self.l1 * np.sin(y[0]) + self.l2 * np.sin(y[1])]

    def happens(self, i, t):
        q, u = self.y[:2], self.y[2:]
        H = np.array([self.l1 * np.cos(q[0]), self.l2 * np.cos(q[1]) if i == 1 else 0 * q[1]])
        push = self.solved(q, H)
        self.y[2:] = u - (1 + self.e) * (H @ u) / (H @ push) * push


def by_scipy(kind):
    system = kind(float)
    t = 0.0
    while t < kind.end_s:
        events = system.events()
        for event in events:
            event.terminal, event.direction = True, -1
        run = solve_ivp(system.rates, (t, kind.end_s), system.y, method="DOP853", events=events, rtol=1e-12, atol=1e-12)
        t, system.y = run.t[-1], run.y[:, -1].copy()
        for i, instants in enumerate(run.t_events if run.status == 1 else []):
            if len(instants):
                system.happens(i, t)
    return system.y


def extrapolated(f, t, y, H, columns=7):
    """One step of H: Gragg's method with 2, 4, 6, ... parts, its error series in squares extrapolated to zero."""
    rows = []
    for j in range(columns):
        parts = 2 * (j + 1)
        h = H / parts
        before, now = y, y + h * f(t, y)
        for n in range(1, parts):
            before, now = now, before + 2 * h * f(t + n * h, now)
        row = [(before + now + h * f(t + H, now)) / 2]
        for k in range(1, j + 1):
            ratio = (LONG(j + 1) / LONG(j + 1 - k)) ** 2 - 1
            row.append(row[k - 1] + (row[k - 1] - rows[-1][k - 1]) / ratio)
        rows.append(row)
    return rows[-1][-1]


def precisely(kind, h=LONG(1) / LONG(64)):
    """The final state in extended precision."""
    system = kind(LONG)
    t, end = LONG(0), LONG(kind.end_s)
    fresh = set()
    while t < end:
        H = min(h, end - t)
        y = extrapolated(system.rates, t, system.y, H)
        first = None
        for i, event in enumerate(system.events()):
            # an event that has just happened starts from zero
            if event(t + H, y) < 0 and (i not in fresh or event(t + H / 2, extrapolated(system.rates, t, system.y, H / 2)) > 0):
                low, high = LONG(0), H
                for _ in range(90):
                    middle = (low + high) / 2
                    if event(t + middle, extrapolated(system.rates, t, system.y, middle)) > 0:
                        low = middle
                    else:
                        high = middle
                if first is None or high < first[0]:
                    first = (high, i)
        fresh = set()
        if first is not None:
            H, i = first
            y = extrapolated(system.rates, t, system.y, H)
        t, system.y = t + H, y
        if first is not None:
            system.happens(i, t)
            fresh = {i}
    return system.y


def by_carom(program, kind):
    """Final q and u of the named coordinates."""
    settings = ["integrator.kind=series", f"integrator.time_step_s={kind.end_s}", f"duration_s={kind.end_s}"]
    command = [program, "run", ROOT / kind.scene, "--json"] + [word for one in settings for word in ("--set", one)]
    state = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["state"]
    return np.array([state[name]["q"] for name in kind.names] + [state[name]["u"] for name in kind.names])


def carom_s(program, kind):
    """Processor time of one warm run, s: one sample, as short as the program can time it."""
    command = [program, f"--benchmark_filter=^{kind.benchmark}$", "--benchmark_format=json", "--benchmark_min_time=0.001"]
    entry = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["benchmarks"][0]
    return entry["cpu_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[entry["time_unit"]]


def measured(kind, build, repeat):
    theirs_s = ours_s = float("inf")
    by_scipy(kind)
    for _ in range(repeat):
        begin = time.process_time()
        theirs = by_scipy(kind)
        theirs_s = min(theirs_s, time.process_time() - begin)
        ours_s = min(ours_s, carom_s(build / "bin/carom_benchmarks", kind))
    exact = precisely(kind)
    error = [float(np.abs(state - exact).max()) for state in (by_carom(build / "bin/carom", kind), theirs)]
    met = "met" if theirs_s >= 50 * ours_s and error[0] <= error[1] else "missed"
    return (f"| {kind.title} | {1e3 * ours_s:.3f} | {1e3 * theirs_s:.1f} | {theirs_s / ours_s:.0f} | {met} "
            f"| {error[0]:.1e} | {error[1]:.1e} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--repeat", default=20, type=int)
    parser.add_argument("--no-record", action="store_true", help="print only")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    machine = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                   platform.processor())
    lines = [MARK, "", "## Series against DOP853", "",
             f"Machine: {machine}, one core. Written by `benchmarks/series_scipy.py` (docs/how-to/benchmarks.md). Processor time of",
             "one warm run, best of interleaved repetitions; scipy's DOP853 with rtol = atol = 1e-12 and its event location; errors of",
             "the final state against an extrapolation method in extended precision. Wanted: 50 times, at equal or better error.", "",
             "| system | carom, ms | scipy, ms | ratio | | error of carom | error of scipy |", "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += [measured(kind, build, arguments.repeat) for kind in (Chain, Pendulum)]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if not arguments.no_record:
        path = ROOT / "benchmarks/RESULTS.md"
        before, _, own = (path.read_text() if path.exists() else "").partition(MARK)
        _, mark, others = own.partition("<!-- benchmarks/")
        path.write_text(before.rstrip("\n") + "\n\n" + text + ("\n" + mark + others if mark else ""))


if __name__ == "__main__":
    main()
