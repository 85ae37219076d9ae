#!/usr/bin/env python3
"""Random members of the reference families of orbits: closed forms, and what roots and differences with 30 digits say (orbits/).

    sweep_orbits.py CAROM-REFERENCE COUNT SEED [FAMILY...]     COUNT members of each family; exit status 1 if one does not agree

Tolerances are those of the families in orbit_cases.json, and what a family knows about the quantity itself beside them.
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from math import acos, cos, pi, sin, sqrt, tan

try:
    from mpmath import cos as mpcos, quad, sqrt as mpsqrt
    from orbits import blocks, friction, oscillators, tables
    from orbits.common import Skip
except ImportError:
    sys.exit(77)  # mpmath or scipy is missing


def ball(r):
    """A ball that bounces: instants, their derivatives, and the instant at which impacts accumulate."""
    h0, v0, g, e, n = r.uniform(0.1, 2), r.uniform(-2, 2), r.uniform(1, 12), r.uniform(0.3, 0.95), r.randint(1, 4)
    s = sqrt(v0 * v0 + 2 * g * h0)
    powers = [sum(e**j for j in range(1, k)) for k in range(1, n + 2)]
    slopes = [sum(j * e ** (j - 1) for j in range(1, k)) for k in range(1, n + 1)]
    t = [(v0 + s) / g + 2 * s / g * p for p in powers]
    p = powers[:n]
    acc = (v0 + s) / g + 2 * s * e / (g * (1 - e))
    parameters = dict(h0=h0, v0=v0, g=g, e=e, n=n, T=0.6 * t[n - 1] + 0.4 * t[n], T2=1.2 * acc + 0.1)
    return parameters, {
        "impact_times": t[:n],
        "dt_k/dh0": [(1 + 2 * x) / s for x in p],
        "dt_k/dv0": [1 / g + v0 / (g * s) * (1 + 2 * x) for x in p],
        "dt_k/dg": [-(v0 + s * (1 + 2 * x)) / g**2 + h0 / (g * s) * (1 + 2 * x) for x in p],
        "dt_k/de": [2 * s / g * x for x in slopes],
        "det": e ** (2 * n),
        "t_acc": acc,
        "state_T2": [0.0, 0.0],
        "dz_T2/dz_0": [[0.0, 0.0], [0.0, 0.0]],
    }


def two_balls(r):
    """Two balls on a line that meet once: the state at T is linear in the start but for the instant."""
    m1, m2, e = r.uniform(0.1, 5), r.uniform(0.1, 5), r.choice([1.0, r.uniform(0.05, 1)])
    r1, r2 = r.uniform(0.01, 0.2), r.uniform(0.01, 0.2)
    x1, v1, v2 = r.uniform(-1, 1), r.uniform(0.5, 2), r.uniform(-1, 0.2)
    x2 = x1 + r1 + r2 + r.uniform(0.1, 1)
    w = v1 - v2
    t = (x2 - x1 - r1 - r2) / w
    T = t * r.uniform(1.3, 3)
    a, b = (1 + e) * m2 / (m1 + m2), (1 + e) * m1 / (m1 + m2)  # v1+ = v1 - a w, v2+ = v2 + b w
    # x1(T) = x1 + v1 T - a (w T - d), x2(T) = x2 + v2 T + b (w T - d), with d the gap at the start
    return dict(m=[m1, m2], r=[r1, r2], e=e, x0=[x1, x2], v0=[v1, v2], T=T), {
        "t_impact": t,
        "dt_impact/dz_0": [-1 / w, 1 / w, -t / w, t / w],
        "grad_x2_T": [b, 1 - b, b * T, T - b * T],
        "dz_T/dz_0": [[1 - a, a, T - a * T, a * T], [b, 1 - b, b * T, T - b * T], [0, 0, 1 - a, a], [0, 0, b, 1 - b]],
        "dz_T/dr1": [-a, b, 0, 0],
        "det": e * e,
    }


def thrown_up(r):
    """Elastic bounces: T = sqrt(8 H/g) without a spring, arcs of cosines with it."""
    g, H, kappa = r.uniform(1, 12), r.uniform(0.1, 2), r.choice([0.0, r.uniform(0.5, 60)])
    T, slope = sqrt(8 * H / g), sqrt(2 / (g * H))
    if kappa > 0:
        x, root = g / kappa / (H + g / kappa), sqrt(kappa)
        T = 2 * acos(x) / root
        slope = 2 * x / (H + g / kappa) / sqrt(1 - x * x) / root
    pull = g + kappa * H
    return dict(g=g, kappa=kappa, H=H), {
        "period": T,
        "v_impact": sqrt(2 * g * H + kappa * H * H),
        "monodromy": [[1.0, 0.0], [slope * pull, 1.0]],
        "det": 1.0,
        "trace": 2.0,
        "dT/dH": slope,
        "dT/dE": slope / pull,
    }


def rimless(r):
    """A wheel of spokes: slopes between the smallest and the one at which its foot lifts."""
    m, l, J, nsp, g = r.uniform(0.2, 4), r.uniform(0.3, 2), r.choice([0.0, r.uniform(0, 0.3)]), r.randint(7, 14), 9.81
    al = pi / nsp
    eta = (J + m * l * l * cos(2 * al)) / (J + m * l * l)
    kappa = m * g * l / (J + m * l * l)

    def speed(gamma):
        return sqrt(4 * kappa * sin(gamma) * sin(al) / (1 - eta * eta))
    low, high = 0.0, al  # the wheel passes the top: (eta w)^2 >= 2 kappa (1 - cos(gamma - alpha))
    for _ in range(200):
        middle = (low + high) / 2
        if (eta * speed(middle)) ** 2 > 2 * kappa * (1 - cos(middle - al)):
            high = middle
        else:
            low = middle

    def pressure(gamma):
        """Of the foot on the slope, over m, just before the next one lands."""
        w, th = speed(gamma), gamma + al
        return g * cos(gamma) - l * (w * w * cos(al) + kappa * sin(th) * sin(al))
    lifts = high
    while lifts < al and pressure(lifts) > 0 and lifts < high + 0.2:
        lifts += 1e-3
    gamma = r.uniform(high + 0.1 * (lifts - high), lifts - 0.1 * (lifts - high))
    w = speed(gamma)
    period = quad(lambda th: 1 / mpsqrt((eta * w) ** 2 + 2 * kappa * (mpcos(gamma - al) - mpcos(th))), [gamma - al, 0, gamma + al])
    return dict(m=m, l=l, J=J, nsp=nsp, gamma=gamma, g=g), {
        "alpha": al,
        "eta": eta,
        "omega_before": w,
        "omega_after": eta * w,
        "multiplier": eta * eta,
        "gamma_min": high,
        "step_period": period,
        "mean_speed": 2 * l * sin(al) / period,
        "domega_before/dgamma": w / (2 * tan(gamma)),
        "stable": True,
    }


def table(r):
    w, e, g, k = r.uniform(0.5, 8), r.uniform(0.15, 0.9), r.uniform(1, 12), r.randint(1, 3)
    fold = g * pi * k * (1 - e) / ((1 + e) * w * w)
    flip = sqrt((2 * g * (1 + e * e) / (1 + e) ** 2) ** 2 + (g * pi * k * (1 - e) / (1 + e)) ** 2) / (w * w)
    start = fold + r.uniform(0.2, 0.8) * (flip - fold)
    return dict(w=w, e=e, g=g, k=k, A_start=start), fold, flip


def flips(r):
    """One impact a period of a table: where its period doubles."""
    parameters, fold, flip = table(r)
    return parameters, {"A_flip": flip, "impact_phase": math.acos(fold / flip), "multipliers": [[-1.0, 0.0], [-parameters["e"] ** 2, 0.0]]}


def folds(r):
    """And where it is born."""
    parameters, fold, _ = table(r)
    offsets = [0.04, 0.01, 0.0025]
    return dict(parameters, offsets=offsets), {"A_fold": fold, "phase_at": [math.acos(1 / (1 + d)) for d in offsets]}


def inelastic(r):
    """A ball that does not bounce: where it leaves the table, and where its flight lasts one or two periods."""
    w, g = r.uniform(0.5, 8), r.uniform(1, 12)
    a = g / w**2
    return dict(w=w, g=g, factors=[1.1, 1.7, 2.6]), {"A_detach": a, "A_1": a * sqrt(1 + pi**2), "A_2": a * sqrt(1 + 4 * pi**2)}


def touches(r):
    """A driven oscillator that comes to touch its stop."""
    m, c, k, w, ph = r.uniform(0.3, 3), r.uniform(0.02, 0.3), r.uniform(0.5, 5), r.uniform(0.6, 4), r.uniform(0, 2)
    sigma, e = r.uniform(0.2, 1), r.uniform(0.3, 0.95)
    touch = sigma * abs(complex(k - m * w * w, c * w))
    offsets = [0.01, 0.0025]
    return dict(m=m, c=c, k=k, w=w, ph=ph, sigma=sigma, e=e, offsets=offsets, F_start=0.9 * touch), {
        "F_graze": touch,
        "v_first": [w * sigma * sqrt((1 + d) ** 2 - 1) for d in offsets],
    }


FAMILIES = {
    "SENS-BALL": ball, "SENS-TWOBALL": two_balls, "ORBIT-CONS": thrown_up, "ORBIT-RIMLESS": rimless, "BIF-FLIP-TABLE": flips, "BIF-FOLD-TABLE": folds,
    "BIF-STICK-INEL": inelastic, "BIF-GRAZE-OSC": touches, "ORBIT-IMPOSC": oscillators.orbit_oscillator, "BIF-FLIP-OSC": oscillators.oscillator_flip,
    "BIF-BRANCH-OSC": oscillators.oscillator_branch, "BIF-FOLD-OSC": oscillators.oscillator_fold, "BIF-GRAZE-ORBIT": oscillators.oscillator_grazes,
    "LYAP-OSC": oscillators.oscillator_exponents, "ORBIT-BTABLE": tables.orbit_table, "BIF-BRANCH-P2": tables.branch_two,
    "BIF-BRANCH-TABLE": tables.branch_table, "ORBIT-CHATTER": tables.chatter, "ORBIT-CHATINEL": tables.inelastic_rest, "BIF-STICK-DH": friction.den_hartog,
    "ORBIT-BELT": friction.belt, "ORBIT-BELTF": friction.driven_belt, "ORBIT-ROCK": blocks.rocking,
}


def size_of(value):
    return max(map(size_of, value), default=0) if isinstance(value, list) else abs(value)


def plain(value):
    """Numbers of 30 digits as doubles."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if isinstance(value, (bool, int, str)) else float(value)


def part_of(family, name):
    """The tolerance of a quantity over its size."""
    at_fold = {"v_before": 1e-5, "impact_phase": 1e-5, "multipliers": 1e-4} if family == "BIF-FOLD-OSC" else {}
    known = {**at_fold, "multipliers_at_flip_2": 1e-5, "impact_phases_at_flip_2": 1e-6, "A_flip_2": 1e-7, "t_acc": 1e-6, "contact_fraction": 1e-6, "gamma_min": 1e-9,
             "dt_acc/d(A,w,g)": 1e-5, "dt_acc/de": 1e-5, "v_before_at": 1e-7}
    return known.get(name, 1e-6 if "multiplier" in name or name in ("monodromy", "gap_slope") else 1e-7 if "/d" in name else 1e-8)


def quantity(family, name, value, further):
    value = plain(value)
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, (bool, str)):
        return {"name": name, "value": value, "accuracy": 0, "tol": 0}
    tolerance = part_of(family, name) * max(1, size_of(value)) + further.get(name, 0)
    return {"name": name, "value": value, "accuracy": 0, "tol": tolerance}


def drawn(family, seed, i):
    """A member; numbers that give no such orbit are drawn again."""
    for attempt in range(2000):
        try:
            return FAMILIES[family](random.Random(f"{seed} {family} {i} {attempt}" if attempt else f"{seed} {family} {i}"))
        except (Skip, ZeroDivisionError, ValueError):
            continue
    sys.exit(f"no numbers give a member of {family}")


def member(family, seed, i):
    parameters, values, *bounds = drawn(family, seed, i)
    further = bounds[0] if bounds else {}
    parameters = {name: plain(value) for name, value in parameters.items()}
    return {"id": f"{family}-{seed}-{i}", "family": family, "source": "closed form", "title": family, "statement": FAMILIES[family].__doc__ or "",
            "parameters": parameters, "outputs": list(values), "kind": "exact", "crosscheck": "", "tags": [],
            "reference": [quantity(family, name, value, further) for name, value in values.items()]}


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    cases = [member(family, seed, i) for family in sys.argv[4:] or FAMILIES for i in range(count)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"cases": cases}, file)
        file.flush()
        done = subprocess.run([program, "--integrator", "series", "--cases", file.name, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wrong = [one for one in answers if not one["pass"]]
    numbers = {case["id"]: case["parameters"] for case in cases}
    for one in wrong:
        print(json.dumps(one), json.dumps(numbers.get(one["id"])))
    told = {one["id"] for one in answers}
    missing = [case["id"] for case in cases if case["id"] not in told]
    print(f"{len(cases)} members, {len(answers)} quantities, {len(wrong)} wrong, {len(missing)} members without an answer {missing[:5]}")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
