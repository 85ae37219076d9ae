#!/usr/bin/python3
"""The ball of scenes/bouncing_ball.toml by Siconos' Moreau-Jean scheme (Debian's python3-siconos).

Prints one JSON line: nanoseconds of processor time per step, best of several runs, the loop over steps inside Siconos.
Exit status 77: Siconos is not installed.
"""
import json
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
try:
    import siconos.kernel as sk
except ImportError:
    print("python3-siconos is not installed", file=sys.stderr)
    sys.exit(77)

DURATION_S, STEP_S, RUNS = 10.0, 1e-3, 20


def ball():
    body = sk.LagrangianLinearTIDS([1.0], [0.0], [[1.0]])
    body.setFExtPtr([-9.81])
    floor = sk.Interaction(sk.NewtonImpactNSL(0.9), sk.LagrangianLinearTIR([[1.0]]))
    system = sk.NonSmoothDynamicalSystem(0.0, DURATION_S)
    system.insertDynamicalSystem(body)
    system.link(floor, body)
    scheme = sk.TimeStepping(system, sk.TimeDiscretisation(0.0, STEP_S), sk.MoreauJeanOSI(0.5), sk.LCP())
    return scheme, body


def main():
    # Siconos reports progress on standard output
    shown = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    best_s = float("inf")
    for _ in range(RUNS):
        scheme, body = ball()
        begin_s = time.process_time()
        scheme.run()
        best_s = min(best_s, time.process_time() - begin_s)
    sys.stdout.flush()
    os.dup2(shown, 1)
    steps = round(DURATION_S / STEP_S)
    os.write(1, (json.dumps({"steps": steps, "ns_per_step": 1e9 * best_s / steps, "z_m": float(body.q()[0])}) + "\n").encode())


main()
