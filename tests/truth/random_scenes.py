#!/usr/bin/env python3
"""Runs random small scenes and looks for certified results that are wrong.

A certified run is a lie if its states, its energy, its admissibility, its isolated impacts or the instant at which `until` ended
it differ from a reference by more than ten times what its own runs at neighbouring steps differ by, plus the tolerance. The
reference is the series integrator (two orders that agree) or, where series are not to be had, a step a hundred times smaller;
scenes whose reference does not settle (h/100 against h/200) are set aside and counted.

Every scene is judged twice. In the strict form the neighbouring step is h/2 alone. Where an impact falls within its step is a
matter of chance, and of a hundred scenes the runs at h and h/2 of one or two make the same error by chance; hence the other form,
with h/2 and three steps between h and h/2 at random. Each of them agrees with h to a tenth once in about ten times, all four once
in ten thousand: what differs from all four is compared with four more. Steps in simple ratios would not do: 8/9 h, 4/5 h and 8/11 h
see an impact next to the eighth step all at the same instant.

States are compared at eight instants. An impact is where it is up to a step, and up to the time in which it passes the distance that
places may differ by. At an instant that is so near to an impact of the run or the reference only the end of the run counts, and of
it only the places: velocities jump there, and when the impact was is compared by itself.

    tests/truth/random_scenes.py --program build/bin/truth_batch --scenes 10000 --seed 1 --json results.jsonl --lies lies/

A run that was interrupted goes on with the scenes that its --json file does not have yet. Exit status 0: no lie, and at least 80 % of
the settled scenes with h <= 1e-3 are certified.
"""

import argparse
import bisect
import collections
import json
import math
import multiprocessing
import os
import random
import select
import subprocess
import sys
import tempfile

SAMPLES = 8  # instants at which states are compared
TOLERANCE = 1e-7  # of the size of what is compared: the solver's 1e-8 in every step, with room for a few steps
REFERENCE_STEPS = 100_000  # the longest reference by time stepping
LONGEST_RUN_S = 120  # by the clock; a reference by series that takes longer is made by time stepping


def number(x):
    """Four digits are enough, and can be read."""
    return f"{x:.4g}"


def polynomial(rng, names, degree, size):
    """A random polynomial without constant term."""
    terms = []
    for _ in range(rng.randint(1, 3)):
        factors = [rng.choice(names) for _ in range(rng.randint(1, degree))]
        terms.append(f"{number(rng.uniform(-size, size))}*" + "*".join(factors))
    return " + ".join(terms).replace("+ -", "- ")


class RandomScene:
    """One to three coordinates, energies, forces, contacts, constraints; with what the comparison needs to know."""

    has_series = True  # the series integrator takes such scenes

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed = seed
        self.h = float(number(10 ** rng.uniform(-5, -1)))
        self.steps = SAMPLES * rng.randint(4, 60)
        self.family = []
        self.contacts = []
        self.until = None
        lines = []
        kind = rng.choice(["general"] * 12 + ["slide", "slide", "wedge", "ring", "limits", "tower", "row", "slope"])
        if kind == "general":
            self.names = ["x", "y", "z"][: rng.choice([1, 1, 2, 2, 2, 3])]
            self.starts(rng, lines)
            self.energies(rng, lines)
            self.make_contacts(rng, lines)
        else:
            self.family.append(kind)
            getattr(self, kind)(rng, lines)
        if rng.random() < 0.1:
            name = rng.choice(self.names)
            self.until = f"{rng.choice(['', '-'])}{name} - {number(rng.uniform(-0.5, 1))}".replace("- -", "+ ")
            self.family.append("until")
        self.kind = rng.choice(["moreau", "moreau", "moreau_jean"])
        self.text = "\n".join(lines) + "\n"

    def coordinates(self, lines, **starts):
        """name = (start, velocity), numbers or formulas."""
        self.names = list(starts)
        for name, (start, velocity) in starts.items():
            show = lambda x: f'"{x}"' if isinstance(x, str) else number(x)
            lines += ["[[coordinate]]", f'name = "{name}"', f"start = {show(start)}", f"start_velocity = {show(velocity)}"]

    def lagrangian(self, lines, kinetic, potential, forces=""):
        self.energy = f"{kinetic} + {potential}"
        lines += ["[lagrangian]", f'kinetic = "{kinetic}"', f'potential = "{potential}"']
        if forces:
            lines.append(f"forces = {{ {forces} }}")

    def contact(self, lines, gap, restitution, friction=0.0, sliding=()):
        name = f"c{len(self.contacts)}"
        lines += ["[[contact]]", f'name = "{name}"', f'gap = "{gap}"']
        if friction > 0:
            lines.append("sliding = [" + ", ".join(f'"{x}"' for x in sliding) + "]")
            lines.append(f'law = {{ kind = "coulomb", friction = {number(friction)}, restitution = {number(restitution)} }}')
        else:
            lines.append(f"law = {{ restitution = {number(restitution)} }}")
        self.contacts.append((name, gap))

    @staticmethod
    def restitution(rng):
        return rng.choice([0, 0, 1, rng.uniform(0, 1), rng.uniform(0, 1)])

    def slide(self, rng, lines):
        """On a rough floor or belt from the start, held by a spring: sliding, sticking, stick-slip."""
        m, k = 10 ** rng.uniform(-0.5, 0.5), 10 ** rng.uniform(0, 5)
        self.coordinates(lines, x=(rng.uniform(-0.5, 0.5), rng.uniform(-3, 3)), z=(0, 0))
        drive = f'x = "{number(rng.uniform(-20, 20))}*sin({number(10 ** rng.uniform(0, 2))}*t)"' if rng.random() < 0.4 else ""
        self.lagrangian(lines, f"{number(m)}/2*(x'^2 + z'^2)", f"{number(k)}/2*x^2 + {number(9.81 * m)}*z", drive)
        belt = f" - {number(rng.uniform(-1, 1))}" if rng.random() < 0.5 else ""
        self.contact(lines, "z", self.restitution(rng), rng.uniform(0.05, 1.2), [f"x'{belt}".replace("- -", "+ ")])

    def slope(self, rng, lines):
        """Down a frictionless or rough hill that curves, from its top; it may leave it."""
        c = rng.uniform(0.1, 2)
        self.coordinates(lines, x=(rng.uniform(-0.2, 0.2), rng.uniform(-2, 2)), y=(rng.uniform(0, 0.05), rng.uniform(-1, 0)))
        self.lagrangian(lines, "1/2*(x'^2 + y'^2)", f"9.81*y + {number(rng.uniform(0, 5))}/2*x^2")
        mu = rng.choice([0, 0, rng.uniform(0.05, 0.5)])
        slope = f"{number(2 * c)}*x"
        self.contact(lines, f"(y + {number(c)}*x^2)/sqrt(1 + ({slope})^2)", self.restitution(rng), mu,
                     [f"(x' - {slope}*y')/sqrt(1 + ({slope})^2)"])

    def wedge(self, rng, lines):
        """A point falls into a groove: two contacts at once."""
        a, b = rng.uniform(0.1, 1.2), rng.uniform(0.1, 1.2)
        self.coordinates(lines, x=(rng.uniform(-0.1, 0.1), rng.uniform(-1, 1)), z=(rng.uniform(0.3, 1), rng.uniform(-3, 1)))
        self.lagrangian(lines, "1/2*(x'^2 + z'^2)", "9.81*z" + (f" + {number(10 ** rng.uniform(0, 4))}/2*x^2" if rng.random() < 0.3 else ""))
        mu = rng.choice([0, rng.uniform(0.05, 0.6)])
        for angle, sign in ((a, 1), (b, -1)):
            cos, sin = f"cos({number(angle)})", f"sin({number(sign * angle)})"
            self.contact(lines, f"z*{cos} + x*{sin}", self.restitution(rng), mu, [f"x'*{cos} - z'*{sin}"])

    def ring(self, rng, lines):
        """A pendulum as a constraint, against a wall."""
        p, w, r = rng.uniform(-1.5, 1.5), rng.uniform(-6, 6), rng.uniform(0.3, 1.5)
        p, w, r = number(p), number(w), number(r)
        self.coordinates(lines, x=(f"{r}*sin({p})", f"{r}*{w}*cos({p})"), y=(f"-{r}*cos({p})", f"{r}*{w}*sin({p})"))
        self.lagrangian(lines, "1/2*(x'^2 + y'^2)", "9.81*y")
        lines += ["[[constraint]]", 'name = "rod"', f'zero = ["hypot(x, y) - {r}"]']
        if rng.random() < 0.7:
            wall = float(r) * (1 + rng.uniform(-0.2, 0.6)) if rng.random() < 0.5 else float(r)
            side = rng.choice(["x", "-x"])
            start = math.sin(float(p)) * float(r) * (1 if side == "x" else -1)
            self.contact(lines, f"{side} + {number(max(wall, 0.01 - start))}", self.restitution(rng))

    def limits(self, rng, lines):
        """A driven joint between two stops."""
        k, c = 10 ** rng.uniform(0, 5), 10 ** rng.uniform(-2, 1)
        self.coordinates(lines, q=(rng.uniform(-0.3, 0.3), rng.uniform(-5, 5)))
        drive = f'q = "-{number(c)}*q\' + {number(rng.uniform(-50, 50))}*sin({number(10 ** rng.uniform(0, 2))}*t)"'
        self.lagrangian(lines, f"{number(rng.uniform(0.05, 2))}/2*q'^2", f"{number(k)}/2*(q - {number(rng.uniform(0, 1.5))})^2", drive)
        self.contact(lines, f"{number(rng.uniform(0.35, 1))} - q", self.restitution(rng))
        self.contact(lines, f"q + {number(rng.uniform(0.35, 1))}", self.restitution(rng))

    def tower(self, rng, lines):
        """Two masses on a stiff spring fall on a floor; the spring has a stop."""
        m, M, k = rng.uniform(0.2, 2), rng.uniform(0.2, 2), 10 ** rng.uniform(1, 7)
        low, v = rng.uniform(0.01, 0.5), rng.uniform(-5, 1)
        self.coordinates(lines, a=(low, v), b=(low + 1, v))
        damper = number(10 ** rng.uniform(-1, 1.5))
        forces = f'a = "-{damper}*(a\' - b\')", b = "-{damper}*(b\' - a\')"' if rng.random() < 0.5 else ""
        self.lagrangian(lines, f"{number(m)}/2*a'^2 + {number(M)}/2*b'^2",
                        f"{number(k)}/2*(b - a - 1)^2 + {number(9.81 * m)}*a + {number(9.81 * M)}*b", forces)
        self.contact(lines, "a", self.restitution(rng))
        if rng.random() < 0.5:
            self.contact(lines, f"b - a - {number(rng.uniform(0.5, 0.95))}", self.restitution(rng))

    def row(self, rng, lines):
        """Three masses on a line between two walls."""
        masses = [number(rng.uniform(0.2, 3)) for _ in range(3)]
        self.coordinates(lines, x=(rng.uniform(0.05, 0.3), rng.uniform(-4, 4)), y=(rng.uniform(0.4, 0.6), rng.uniform(-4, 4)),
                         z=(rng.uniform(0.7, 0.95), rng.uniform(-4, 4)))
        self.lagrangian(lines, " + ".join(f"{m}/2*{n}'^2" for m, n in zip(masses, self.names)),
                        f"{number(10 ** rng.uniform(-1, 3))}/2*(y - 0.5)^2")
        for gap in ("x", "y - x", "z - y", "1 - z"):
            self.contact(lines, gap, self.restitution(rng))

    def starts(self, rng, lines):
        speed = 10 ** rng.uniform(-1, 1.3)
        for name in self.names:
            start = rng.uniform(0.02, 1) if name == self.names[-1] else rng.uniform(-1, 1)
            lines += ["[[coordinate]]", f'name = "{name}"', f"start = {number(start)}",
                      f"start_velocity = {number(rng.uniform(-speed, speed))}"]

    def energies(self, rng, lines):
        masses = [10 ** rng.uniform(-0.5, 0.5) for _ in self.names]
        kinetic = [f"{number(m)}/2*{n}'^2" for m, n in zip(masses, self.names)]
        if len(self.names) > 1 and rng.random() < 0.25:
            self.family.append("metric")
            kinetic.append(f"{number(rng.uniform(0.1, 1))}*{self.names[1]}^2*{self.names[0]}'^2")
        stiffness = 10 ** rng.uniform(0, 8 if rng.random() < 0.3 else 3)
        potential = [f"{number(stiffness * rng.uniform(0.3, 1))}/2*{n}^2" for n in self.names if rng.random() < 0.7]
        if stiffness > 1e4:
            self.family.append("stiff")
        if rng.random() < 0.6:
            potential.append(f"{number(rng.choice([9.81, rng.uniform(0.1, 30)]))}*{self.names[-1]}")
        if rng.random() < 0.4:
            self.family.append("polynomial")
            potential.append(polynomial(rng, self.names, 4, 3))
            potential += [f"{number(rng.uniform(1, 4))}*{n}^4" for n in self.names]
        self.energy = " + ".join(kinetic + potential)
        lines += ["[lagrangian]", f'kinetic = "{" + ".join(kinetic)}"']
        if potential:
            lines.append(f'potential = "{" + ".join(potential)}"'.replace("+ -", "- "))
        forces = {}
        for name in self.names:
            parts = []
            if rng.random() < 0.25:
                parts.append(f"-{number(10 ** rng.uniform(-2, 1.5))}*{name}'")
            if rng.random() < 0.2:
                parts.append(f"{number(rng.uniform(-20, 20))}*sin({number(10 ** rng.uniform(0, 2.5))}*t)")
            if parts:
                forces[name] = " + ".join(parts)
        if forces:
            self.family.append("forced")
            lines.append("forces = { " + ", ".join(f'{n} = "{f}"' for n, f in forces.items()) + " }")

    def make_contacts(self, rng, lines):
        last, first = self.names[-1], self.names[0]
        gaps = [last]
        if rng.random() < 0.25:
            gaps = [f"{last} - {number(rng.uniform(0.001, 0.02))}*sin({number(10 ** rng.uniform(0, 2.2))}*t)"]
            self.family.append("moving")
        elif len(self.names) > 1 and rng.random() < 0.35:
            gaps = [f"{last} + {number(rng.uniform(0.05, 0.8))}*{first}^2 + {number(rng.uniform(0, 0.01))}"]
            self.family.append("curved")
        if rng.random() < 0.3:
            gaps.append(f"{number(rng.uniform(1.1, 2))} - {last}")
        if len(self.names) > 1 and rng.random() < 0.3:
            gaps.append(f"{first} + {number(rng.uniform(1.1, 2))}")
        if rng.random() < 0.08:
            gaps = []
        friction = len(self.names) > 1 and "curved" not in self.family and rng.random() < 0.5
        for i, gap in enumerate(gaps):
            rough = friction and i == 0
            if rough:
                self.family.append("friction")
            sliding = [f"{n}'" for n in self.names if n != last]
            self.contact(lines, gap, self.restitution(rng), rng.uniform(0.05, 1) if rough else 0.0, sliding)
        if self.contacts:
            self.family.append("contact")

    def toml(self, kind, steps, extra=()):
        duration = self.h * self.steps
        probes = [f'[[probe]]\nname = "energy"\nvalue = "{self.energy}"']
        probes += [f'[[probe]]\nname = "gap_{name}"\nvalue = "{gap}"' for name, gap in self.contacts]
        integrator = ["[integrator]", f'kind = "{kind}"', f"time_step_s = {duration / steps!r}", *extra]
        until = [f'until = "{self.until}"'] if self.until else []
        return "\n".join([f"duration_s = {duration!r}", *until, self.text, *probes, *integrator]) + "\n"


class Sample:
    """A state: places, velocities, energy, overlaps."""

    def __init__(self, t_s, state, values, extra=()):
        overlaps = [min(0.0, self.real(v)) for k, v in values.items() if k.startswith("gap_")]
        self.t_s = t_s
        self.parts = ([*extra, *(self.real(c["q"]) for c in state.values())], [self.real(c["u"]) for c in state.values()],
                      [self.real(values["energy"])], overlaps)

    @staticmethod
    def real(x):
        return math.nan if x is None else float(x)

    def is_finite(self):
        return all(math.isfinite(x) for part in self.parts for x in part)


class Outcome:
    """What one run gave: states at the samples, or only where `until` ended it; impacts, verdict."""

    def __init__(self, told, only_end):
        self.status = told["status"]
        self.end = told.get("end")
        self.findings = [f["code"] for f in told.get("diagnosis", [])]
        self.impacts = sorted((e["time_s"], e["contact"], e["velocity_before_m_s"]) for e in told.get("events", []) if e["kind"] == "impact")
        self.impact_times = collections.defaultdict(list)
        for t, contact, _ in self.impacts:
            self.impact_times[contact].append(t)
        self.whole = self.status in ("certified", "uncertified") and (only_end or all(s["reached"] for s in told["probes"]))
        self.samples, self.start = [], None
        if not self.whole:
            return
        self.start = Sample(told["probes"][0]["time_s"], told["probes"][0]["state"], told["probes"][0]["values"])
        if only_end:
            self.samples.append(Sample(told["time_s"], told["state"], told["values"], [told["time_s"]]))
        else:
            self.samples += [Sample(s["time_s"], s["state"], s["values"]) for s in told["probes"]]  # the first is the start
        self.whole = all(sample.is_finite() for sample in self.samples)


class Program:
    """`carom`, or the program of tests/truth/batch, which runs one scene after the other without being started anew."""

    def __init__(self, path, folder):
        self.path = path
        self.file = os.path.join(folder, f"{os.getpid()}.toml")
        self.batch = None
        self.is_batch = "batch" in os.path.basename(path)

    def run(self, scene, kind, steps, extra=()):
        with open(self.file, "w") as f:
            f.write(scene.toml(kind, steps, extra))
        duration = scene.h * scene.steps
        times = ",".join(repr(duration * k / SAMPLES) for k in range(SAMPLES + 1))
        told = self.told_by_batch(times) if self.is_batch else self.told(times)
        return told and Outcome(told, scene.until is not None)

    def told(self, times):
        try:
            done = subprocess.run([self.path, "run", self.file, "--json", "--at", times], capture_output=True, timeout=LONGEST_RUN_S)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode not in (0, 1, 3):
            if done.returncode != 2 or b"internal" in done.stderr:
                raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode()[:400]}")
            return None
        return json.loads(done.stdout)

    def told_by_batch(self, times):
        if self.batch is None:
            self.batch = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.batch.stdin.write(f"{self.file}\t{times}\n".encode())
        self.batch.stdin.flush()
        if not select.select([self.batch.stdout], [], [], LONGEST_RUN_S)[0]:
            self.batch.kill()
            self.batch = None
            return None
        line = self.batch.stdout.readline()
        if not line:
            code, self.batch = self.batch.wait(), None
            raise RuntimeError(f"exit {code}")
        told = json.loads(line)
        return None if told["status"] == "bad_input" else told


def nearest_impact(outcome, t, contact):
    times = outcome.impact_times.get(contact, [])
    at = bisect.bisect_left(times, t)
    return min(times[max(0, at - 1): at + 1], key=lambda s: abs(s - t), default=None)


def is_near_impact(scene, run, reference, t, allowed_m):
    """Within two steps of an impact of the reference or of the run, and the time in which it passes the allowed distance."""
    for outcome in (reference, run):
        first = bisect.bisect_left(outcome.impacts, (t - 12.01 * scene.h,))
        for s, _, speed in outcome.impacts[first:]:
            if s > t + 12.01 * scene.h:
                break
            if abs(s - t) <= 2.01 * scene.h + allowed_m / max(abs(speed), 1e-300):
                return True
    return False


def what_counts(scene, run, reference, allowed_m):
    """For every sample which of its parts are compared."""
    last = len(reference.samples) - 1
    everything, places, nothing = (0, 1, 2, 3), (0, 3), ()
    return [everything if not is_near_impact(scene, run, reference, sample.t_s, allowed_m) else places if k == last else nothing
            for k, sample in enumerate(reference.samples)]


def difference(a, b, counts):
    """Largest differences of places, velocities, energy and overlap over the samples."""
    worst = [0.0, 0.0, 0.0, 0.0]
    for one, other, parts in zip(a.samples, b.samples, counts):
        for i in parts:
            for x, y in zip(one.parts[i], other.parts[i]):
                worst[i] = max(worst[i], abs(x - y))
    return worst


def sizes(reference):
    """Of places, velocities and energies in the run, its start included: where `until` or a groove has ended a motion, all of them may
    be next to zero, and a contact at rest is anywhere within the activation gap, 1e-9 of the scene's length. With the force F its
    energy is known to 1e-9 F length, about 1e-9 of the energy that the run began with, and not to a part of what is left."""
    size = [0.0, 0.0, 0.0, 0.0]
    for sample in [reference.start, *reference.samples]:
        for i in range(4):
            size[i] = max([size[i], *map(abs, sample.parts[i])])
    size[3] = size[0]
    return size


def isolated_impacts(scene, outcome):
    """Impacts that stand alone, away from the ends, and are much faster than what one step of acceleration makes."""
    found = []
    fastest = max((abs(v) for _, _, v in outcome.impacts), default=0)
    end = outcome.samples[-1].t_s
    times = sorted(t for t, _, _ in outcome.impacts)
    for t, contact, v in outcome.impacts:
        before, after = bisect.bisect_left(times, t), bisect.bisect_right(times, t)
        alone = (after - before == 1 and (before == 0 or t - times[before - 1] > 10 * scene.h)
                 and (after == len(times) or times[after] - t > 10 * scene.h))
        if alone and abs(v) > 0.05 * fastest and 5 * scene.h < t < end - 5 * scene.h:
            found.append((t, contact, abs(v)))
    return found


def misses_impact(scene, run, reference, family, allowed_m_s):
    """An isolated impact of the reference that the run does not have within ten times what its own family scatters. One that is
    slower than what velocities may differ by may be missing: it grazes."""
    for t, contact, speed in isolated_impacts(scene, reference):
        if speed <= allowed_m_s:
            continue
        mine = nearest_impact(run, t, contact)
        others = [nearest_impact(o, t, contact) for o in family]
        if mine is None:
            if all(o is None for o in others):
                return True
            continue
        own = max((math.inf if o is None else abs(o - mine) for o in others), default=0)
        if abs(mine - t) > 3 * scene.h + 10 * own:
            return True
    return False


def reference_of(program, scene):
    """The reference and its name, or None and the reason."""
    series = [program.run(scene, "series", SAMPLES, (f"order = {order}",)) for order in (24, 30)] if scene.has_series else []
    if series and all(o is not None and o.whole and o.status == "certified" for o in series):
        a, b = series
        size = sizes(a)
        agree = all(d <= 1e-8 * (s + 1e-9) + 1e-12 for d, s in zip(difference(a, b, what_counts(scene, a, b, 0)), size))
        if agree and a.end == b.end:
            return a, "series"
    if 200 * scene.steps > REFERENCE_STEPS:
        return None, "too long for a reference by time stepping"
    fine = [program.run(scene, "moreau", k * scene.steps) for k in (100, 200)]
    if any(o is None or not o.whole for o in fine):
        return None, "reference not finished"
    return fine, "time stepping"


def verdict(scene, run, companions, reference, settling):
    """One form of the comparison: (class, why, errors, what is allowed). `settling`: the reference at half the step, or none."""
    whole = [c for c in companions if c is not None and c.whole]
    size = sizes(reference)
    own = [0.0] * 4
    counts = [(0, 1, 2, 3)] * len(reference.samples)
    if run.whole:
        places = max((difference(run, c, counts)[0] for c in whole), default=0)
        counts = what_counts(scene, run, reference, 10 * places + TOLERANCE * size[0])
        for c in whole:
            own = [max(a, b) for a, b in zip(own, difference(run, c, counts))]
        own[0] = max(own[0], places)  # over the whole run
    allowed = [10 * d + TOLERANCE * s + 1e-12 for d, s in zip(own, size)]
    if settling is not None:
        unsettled = difference(settling, reference, counts)
        if any(u > 0.2 * a for u, a in zip(unsettled, allowed)) or settling.end != reference.end:
            return "set aside", "reference not settled", None, None
    if run.status != "certified":
        return "not certified", "", None, None
    if not run.whole:
        return "lie", "certified without a finite state", None, None
    error = difference(run, reference, counts)
    wrong = [n for n, e, a in zip(("place", "velocity", "energy", "admissibility"), error, allowed) if not e <= a]
    if misses_impact(scene, run, reference, whole, allowed[1]):
        wrong.append("impact")
    if run.end != reference.end:
        wrong = ["until"] if all(c.end == run.end for c in whole) else []
    return ("lie" if wrong else "true"), ", ".join(wrong), error, allowed


def neighbours(scene):
    """Numbers of steps of the neighbouring runs, in the order in which they are asked: the strict form, then four at once each."""
    rng = random.Random(f"neighbours of {scene.seed}")
    between = [round(scene.steps * (1 + (1 + 15 * (i + rng.random()) / 7) / 16)) for i in rng.sample(range(7), 7)]
    return (("strict", [2 * scene.steps]), ("class", between[:3]), ("class", between[3:]))


PROGRAMS = {}  # of this process


def judge(task):
    """One scene: class and details, and the class of the strict form. What is not certified is compared with nothing. What is right in
    the strict form is right in the other: more neighbours only allow more."""
    path, folder, kind_of_scene, seed = task
    scene = kind_of_scene(seed)
    program = PROGRAMS.get(path) or PROGRAMS.setdefault(path, Program(path, folder))
    label = {"seed": seed, "h": scene.h, "family": "+".join(scene.family) or "free", "kind": scene.kind}
    try:
        run = program.run(scene, scene.kind, scene.steps)
        if run is None:
            return {**label, "class": "refused", "strict": "refused"}
        label["status"] = run.status
        label["findings"] = sorted(set(run.findings))
        if run.status != "certified":
            return {**label, "class": "not certified", "strict": "not certified"}
        found, name = reference_of(program, scene)
        if found is None:
            return {**label, "class": "set aside", "why": name, "strict": "set aside"}
        settling, reference = (None, found) if name == "series" else found
        label["reference"] = name
        companions = []
        for form, steps in neighbours(scene):
            companions += [program.run(scene, scene.kind, n) for n in steps]
            kind, why, error, allowed = verdict(scene, run, companions, reference, settling)
            label[form] = kind
            if kind in ("lie", "set aside"):
                label["why" if form == "class" else "strictly"] = why
            if kind == "lie":
                label.update({"error": error, "allowed" if form == "class" else "strictly_allowed": allowed})
            if kind == "true":
                label["class"] = kind
                label.pop("why", None)
                break
    except RuntimeError as error:
        return {**label, "class": "crash", "strict": "crash", "why": str(error)}
    return label


def summary(results):
    """Counts by class and finding; True if there is no lie and enough is certified."""
    classes = collections.Counter(r["class"] + (": " + r["why"] if r["class"] == "set aside" else "") for r in results)
    for name, count in sorted(classes.items()):
        print(f"{name:60} {count}")
    print("strict form: " + ", ".join(f"{n} {c}" for n, c in sorted(collections.Counter(r["strict"] for r in results).items())))
    references = collections.Counter(r["reference"] for r in results if "reference" in r)
    print("references: " + ", ".join(f"{n} {c}" for n, c in references.items()))
    for form, why in (("class", "why"), ("strict", "strictly")):
        for r in results:
            if r[form] in ("lie", "crash"):
                print(f"{r[form]}{'' if form == 'class' else ' (strict)'}: seed {r['seed']}, {r['family']}, {r['kind']}, h = {r['h']}: {r.get(why, '')}")
    families = collections.Counter(f for r in results for f in r["family"].split("+"))
    print("families: " + ", ".join(f"{n} {c}" for n, c in families.most_common()))
    reasons = lambda of: collections.Counter(c for r in of if r["class"] == "not certified" for c in r["findings"] or ["no finding"])
    show = lambda counter: ", ".join(f"{n} {c}" for n, c in counter.most_common()) or "none"
    print("not certified: " + show(reasons(results)))
    # whether the reference of a run without a certificate settles was not looked at: the share is a lower bound
    fine = [r for r in results if r["class"] in ("true", "lie", "not certified") and r["h"] <= 1e-3]
    share = sum(r["class"] == "true" for r in fine) / len(fine) if fine else 1.0
    print(f"settled scenes with h <= 1e-3: {len(fine)}, certified at least {100 * share:.1f} %; not certified: {show(reasons(fine))}")
    return not any(r["class"] in ("lie", "crash") for r in results) and share >= 0.8


def main(kind_of_scene, description):
    """Judges scenes of a class that is made of a seed, as RandomScene is."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/carom")
    parser.add_argument("--scenes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="first seed; scene i has seed + i")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--lies", help="folder for the scenes of lies")
    parser.add_argument("--json", help="file for one line per scene; what it has is not run again")
    arguments = parser.parse_args()

    wanted = range(arguments.seed, arguments.seed + arguments.scenes)
    results = []
    if arguments.json and os.path.exists(arguments.json):
        with open(arguments.json) as f:
            results = [r for r in map(json.loads, f) if r["seed"] in wanted]
    known = {r["seed"] for r in results}
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(arguments.jobs) as pool:
        tasks = [(arguments.program, folder, kind_of_scene, seed) for seed in wanted if seed not in known]
        log = open(arguments.json, "a") if arguments.json else None
        for result in pool.imap_unordered(judge, tasks, chunksize=8):
            results.append(result)
            if log:
                log.write(json.dumps(result) + "\n")
                log.flush()
            if sys.stderr.isatty() and len(results) % 100 == 0:
                print(f"\r{len(results)} of {len(wanted)}", end="", file=sys.stderr)
    results.sort(key=lambda r: r["seed"])
    if arguments.lies:
        os.makedirs(arguments.lies, exist_ok=True)
        for r in results:
            if "lie" in (r["class"], r["strict"]):
                scene = kind_of_scene(r["seed"])
                with open(os.path.join(arguments.lies, f"{r['seed']}.toml"), "w") as f:
                    f.write(f"# {json.dumps(r)}\n" + scene.toml(scene.kind, scene.steps))
    return 0 if summary(results) else 1


if __name__ == "__main__":
    sys.exit(main(RandomScene, __doc__))
