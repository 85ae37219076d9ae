#!/usr/bin/env python3
"""What derivatives and branches cost: processor time in user mode, the best of some runs.

    benchmarks/orbits_cost.py [CAROM]

k derivatives of a long motion against the motion itself by power series (wanted: at most 1.5 (1 + k) runs), and a branch of more than
1000 orbits of the impact oscillator with multipliers and special points (wanted: 60 s).
"""
import os
import subprocess
import sys
import time

SCENE = "scenes/impact_oscillator.toml"
NAMES = ["parameters.e", "parameters.w", "coordinate.x.start", "coordinate.x.start_velocity", "parameters.F", "parameters.sigma", "parameters.c", "parameters.k"]
TRIALS = 3


def user_s(command):
    best = float("inf")
    for _ in range(TRIALS):
        before = os.times().children_user
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
        best = min(best, os.times().children_user - before)
    return best, done.stdout


def main():
    carom = sys.argv[1] if len(sys.argv) > 1 else "build/bin/carom"
    motion = [carom, "run", SCENE, "--set", "integrator.kind=series", "--set", "integrator.time_step_s=10", "--set", "duration_s=60000"]
    plain, _ = user_s(motion + ["--json"])
    print(f"motion of 60000 s: {plain:.2f} s")
    for k in (1, 2, 4, 8):
        cost, _ = user_s(motion + ["--sensitivity", ",".join(NAMES[:k]), "--json"])
        print(f"{k} derivatives: {cost:.2f} s, {cost / plain:.2f} runs (at most {1.5 * (1 + k):g})")
    begun = time.monotonic()
    cost, text = user_s([carom, "branch", SCENE, "--period", "2*pi/w", "--over", "parameters.w=2.1:2.8", "--max-step", "0.002"])
    print(f"branch: {cost:.2f} s (at most 60), {(time.monotonic() - begun) / TRIALS:.1f} s by the clock\n{text}", end="")


main()
