#!/usr/bin/env python3
"""The series integrator against scipy's DOP853 with event location at 1e-12, on a chain of three particles with friction
and on the double pendulum with an obstacle.

usage: benchmarks/series_scipy.py [--carom build/bin/carom]

Prints, for both systems: seconds of either program, their ratio, and the errors of the final state. The error of scipy is
measured against carom, the error of carom against its own run of another order.
"""
import argparse
import json
import pathlib
import subprocess
import time

import numpy as np
from scipy.integrate import solve_ivp

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = dict(method="DOP853", rtol=1e-12, atol=1e-12)


def terminal(function, direction):
    function.terminal, function.direction = True, direction
    return function


def chain(end_s=8.0, k=4.0, threshold=2.0):
    """Masses on springs, the first pulled by a moving support; each sticks or slides against +-threshold."""
    def pull(t, x):
        return np.array([k * (t - x[0]) + k * (x[1] - x[0]), k * (x[0] - x[1]) + k * (x[2] - x[1]), k * (x[1] - x[2])])

    def rates(slip):
        def f(t, y):
            force = pull(t, y[:3])
            return np.concatenate([y[3:], np.where(slip == 0, 0.0, force - slip * threshold)])
        return f

    t, y, slip = 0.0, np.zeros(6), np.zeros(3)
    while t < end_s:
        events = []
        for i in range(3):
            if slip[i] == 0:
                events.append(terminal(lambda t, y, i=i: threshold - abs(pull(t, y[:3])[i]), -1))
            else:
                events.append(terminal(lambda t, y, i=i, s=slip[i]: s * y[3 + i], -1))
        run = solve_ivp(rates(slip), (t, end_s), y, events=events, **SETTINGS)
        t, y = run.t[-1], run.y[:, -1].copy()
        for i in range(3):
            if run.status != 1 or len(run.t_events[i]) == 0:
                continue
            force = pull(t, y[:3])[i]
            if slip[i] == 0:
                slip[i] = np.sign(force)
            else:
                y[3 + i] = 0.0
                slip[i] = np.sign(force) if abs(force) > threshold else 0
    return y


def pendulum(end_s=4.0, l1=1.0, l2=0.8, m1=1.0, m2=0.7, k1=2.0, k2=1.5, lam=1.0, e=0.5):
    """Two bars with springs and a follower force; the joint and the tip strike an obstacle."""
    def metric(q):
        off = m2 * l1 * l2 / 2 * np.cos(q[0] - q[1])
        return np.array([[(m1 / 3 + m2) * l1 ** 2, off], [off, m2 * l2 ** 2 / 3]])

    def f(t, y):
        q, u = y[:2], y[2:]
        s = m2 * l1 * l2 / 2 * np.sin(q[0] - q[1])
        force = np.array([-k1 * q[0] + k2 * (q[1] - q[0]) + lam * l1 * np.sin(q[0] - q[1]) - s * u[1] ** 2,
                          -k2 * (q[1] - q[0]) + s * u[0] ** 2])
        return np.concatenate([u, np.linalg.solve(metric(q), force)])

    gaps = [terminal(lambda t, y: l1 * np.sin(y[0]), -1),
            terminal(lambda t, y: l1 * np.sin(y[0]) + l2 * np.sin(y[1]), -1)]
    rows = [lambda q: np.array([l1 * np.cos(q[0]), 0.0]),
            lambda q: np.array([l1 * np.cos(q[0]), l2 * np.cos(q[1])])]
    t, y = 0.0, np.array([0.5, 0.4, -1.0, 0.3])
    while t < end_s:
        run = solve_ivp(f, (t, end_s), y, events=gaps, **SETTINGS)
        t, y = run.t[-1], run.y[:, -1].copy()
        for i in range(2):
            if run.status == 1 and len(run.t_events[i]):
                H = rows[i](y[:2])
                push = np.linalg.solve(metric(y[:2]), H)
                y[2:] -= (1 + e) * (H @ y[2:]) / (H @ push) * push
    return y


def by_carom(carom, scene, duration_s, names, order=24):
    """Final q and u of the named coordinates, and the processor's seconds in the integrator."""
    command = [carom, "run", str(scene), "--json", "--set", "integrator.kind=series", "--set",
               f"integrator.time_step_s={duration_s}", "--set", f"duration_s={duration_s}", "--set",
               f"integrator.order={order}"]
    result = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    state = result["state"]
    values = [state[name]["q"] for name in names] + [state[name]["u"] for name in names]
    return np.array(values), result["timing"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carom", default=str(ROOT / "build/bin/carom"))
    carom = parser.parse_args().carom
    cases = [("chain of three particles", chain, 8.0, ROOT / "benchmarks/scenes/spring_chain.toml", ["x1", "x2", "x3"]),
             ("double pendulum with obstacle", pendulum, 4.0, ROOT / "scenes/double_pendulum_obstacle.toml",
              ["q1", "q2"])]
    for title, function, end_s, scene, names in cases:
        begin = time.process_time()
        theirs = function(end_s)
        seconds = time.process_time() - begin
        ours, timing = by_carom(carom, scene, end_s, names)
        other, _ = by_carom(carom, scene, end_s, names, order=32)
        print(f"{title}: scipy {seconds:.3f} s, carom {timing}, errors {np.abs(theirs - ours).max():.1e} and "
              f"{np.abs(other - ours).max():.1e}")


if __name__ == "__main__":
    main()
