"""The branch of one-impact orbits of scenes/impact_oscillator.toml over the forcing frequency, by scipy.

What a user writes without carom: motion between impacts, the impact, the saltation matrix, shooting, and a search for
the period doubling. Prints the doubling and the time. Compare with

    carom branch scenes/impact_oscillator.toml --period "2*pi/w" --over parameters.w=2.2:2.8
"""

import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

m, c, k, F, sigma, e = 1.0, 0.05, 1.0, 1.0, 0.0, 0.8
evaluations = 0


def rate(t, y, w):
    """State and its derivatives by the start: (x, v, X) with X 2 x 2."""
    x, v = y[:2]
    X = y[2:].reshape(2, 2)
    A = np.array([[0, 1], [-k / m, -c / m]])
    return np.concatenate([[v, (F * np.cos(w * t) - c * v - k * x) / m], (A @ X).ravel()])


def stop(t, y, w):
    return sigma - y[0]


stop.terminal, stop.direction = True, -1


def period_map(z, w, t0):
    """The state after a period of the forcing, and the derivative of that map."""
    global evaluations
    evaluations += 1
    t, end, y = t0, t0 + 2 * np.pi / w, np.concatenate([z, np.eye(2).ravel()])
    while t < end:
        part = solve_ivp(rate, (t, end), y, args=(w,), events=stop, rtol=1e-11, atol=1e-12, method="DOP853")
        t, y = part.t[-1], part.y[:, -1].copy()
        if part.status == 1:
            v = y[1]
            before = rate(t, y, w)[1]
            y[0], y[1] = sigma, -e * v
            after = rate(t, y, w)[1]
            S = np.array([[-e, 0], [(after + e * before) / v, -e]])
            y[2:] = (S @ y[2:].reshape(2, 2)).ravel()
            y[0] -= 1e-13  # off the event
    return y[:2], y[2:].reshape(2, 2)


def orbit(w, guess, t0):
    z = fsolve(lambda z: period_map(z, w, t0)[0] - z, guess, fprime=lambda z: period_map(z, w, t0)[1] - np.eye(2), xtol=1e-12)
    return z, np.linalg.eigvals(period_map(z, w, t0)[1])


def main():
    begin = time.process_time()
    values = np.linspace(2.2, 2.8, 100)
    z = np.array([-1.4, 1.5])
    t0 = 0.5
    tests, starts = [], []
    for w in values:
        z, multipliers = orbit(w, z, t0)
        starts.append(z)
        tests.append(np.prod(1 + multipliers).real)
    for i in range(len(values) - 1):
        if tests[i] * tests[i + 1] < 0:
            doubling = brentq(lambda w: np.prod(1 + orbit(w, starts[i], t0)[1]).real, values[i], values[i + 1], xtol=1e-12)
            print(f"period doubling at w = {doubling:.10f}")
    print(f"{len(values)} orbits, {evaluations} periods, {time.process_time() - begin:.1f} s")


main()
