#!/usr/bin/env python3
"""Runs random small scenes and looks for certified results that are wrong.

A certified run is a lie if its states, its energy, its admissibility or its isolated impacts differ from a reference by more than
ten times the difference of its own runs at neighbouring steps, plus the tolerance. The reference is the series integrator
(two orders that agree) or, where series are not to be had, a step a hundred times smaller; scenes whose reference does not
settle (h/100 against h/200) are set aside and counted. Neighbouring steps are h/2 and three steps a little shorter than h: where
an impact falls within its step is a matter of chance, and two runs may agree by chance.

    tests/truth/random_scenes.py --program build/bin/carom --scenes 10000 --seed 1 --lies lies/

Exit status 0: no lie, and at least 80 % of the settled scenes with h <= 1e-3 are certified.
"""

import argparse
import collections
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile

SAMPLES = 8  # instants at which states are compared
TOLERANCE = 1e-7  # of the size of what is compared: the solver's 1e-8 in every step, with room for a few steps
REFERENCE_STEPS = 100_000  # the longest reference by time stepping


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
    """One to three coordinates, a confining potential, forces, contacts; with what the comparison needs to know."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed = seed
        self.names = ["x", "y", "z"][: rng.choice([1, 1, 2, 2, 2, 3])]
        self.h = float(number(10 ** rng.uniform(-5, -1)))
        self.steps = SAMPLES * rng.randint(4, 60)
        self.family = []
        self.contacts = []
        lines = []
        self.starts(rng, lines)
        self.energies(rng, lines)
        self.make_contacts(rng, lines)
        self.kind = rng.choice(["moreau", "moreau", "moreau_jean"])
        self.text = "\n".join(lines) + "\n"

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
            restitution = rng.choice([0, 0, 1, rng.uniform(0, 1), rng.uniform(0, 1)])
            lines += ["[[contact]]", f'name = "c{i}"', f'gap = "{gap}"']
            if friction and i == 0:
                self.family.append("friction")
                sliding = [n for n in self.names if n != last]
                lines.append("sliding = [" + ", ".join(f'"{n}\'"' for n in sliding) + "]")
                lines.append(f"law = {{ kind = \"coulomb\", friction = {number(rng.uniform(0.05, 1))}, restitution = {number(restitution)} }}")
            else:
                lines.append(f"law = {{ restitution = {number(restitution)} }}")
            self.contacts.append((f"c{i}", gap))
        if self.contacts:
            self.family.append("contact")

    def toml(self, kind, steps, extra=()):
        duration = self.h * self.steps
        probes = [f'[[probe]]\nname = "energy"\nvalue = "{self.energy}"']
        probes += [f'[[probe]]\nname = "gap_{name}"\nvalue = "{gap}"' for name, gap in self.contacts]
        integrator = ["[integrator]", f'kind = "{kind}"', f"time_step_s = {duration / steps!r}", *extra]
        return "\n".join([f"duration_s = {duration!r}", self.text, *probes, *integrator]) + "\n"


class Outcome:
    """What one run gave: states at the samples, impacts, verdict."""

    def __init__(self, told):
        self.status = told["status"]
        self.findings = [f["code"] for f in told.get("diagnosis", [])]
        self.whole = self.status in ("certified", "uncertified") and all(s["reached"] for s in told["probes"])
        self.impacts = [(e["time_s"], e["contact"], e["velocity_before_m_s"]) for e in told.get("events", []) if e["kind"] == "impact"]
        self.samples = []
        if self.whole:
            for sample in told["probes"]:
                values = sample["values"]
                state = sample["state"]
                self.samples.append((
                    [state[n]["q"] for n in state],
                    [state[n]["u"] for n in state],
                    [values["energy"]],
                    [min(0.0, v) for k, v in values.items() if k.startswith("gap_")],
                ))
            self.whole = all(isinstance(x, float) and math.isfinite(x) for s in self.samples for part in s for x in map(lambda v: float(v) if v is not None else math.nan, part))


class Program:
    def __init__(self, path, folder):
        self.path = path
        self.file = os.path.join(folder, f"{os.getpid()}.toml")

    def run(self, scene, kind, steps, extra=()):
        with open(self.file, "w") as f:
            f.write(scene.toml(kind, steps, extra))
        duration = scene.h * scene.steps
        times = [duration * k / SAMPLES for k in range(1, SAMPLES + 1)]
        call = [self.path, "run", self.file, "--json", "--at", ",".join(map(repr, times))]
        try:
            done = subprocess.run(call, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode not in (0, 1, 3):
            if done.returncode != 2 or b"internal" in done.stderr:
                raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode()[:400]}")
            return None
        return Outcome(json.loads(done.stdout))


def near_impact(scene, reference, t):
    """Velocities that jump within two steps of an instant are not compared there."""
    return any(abs(t - impact[0]) <= 2.01 * scene.h for impact in reference.impacts)


def difference(scene, a, b, reference):
    """Largest differences of places, velocities, energy and overlap over the samples."""
    worst = [0.0, 0.0, 0.0, 0.0]
    duration = scene.h * scene.steps
    for k, (one, other) in enumerate(zip(a.samples, b.samples)):
        jumps = near_impact(scene, reference, duration * (k + 1) / SAMPLES)
        for i in range(4):
            if i in (1, 2) and jumps:
                continue
            for x, y in zip(one[i], other[i]):
                worst[i] = max(worst[i], abs(x - y))
    return worst


def sizes(reference):
    size = [0.0, 0.0, 0.0, 0.0]
    for sample in reference.samples:
        for i in range(4):
            size[i] = max([size[i], *map(abs, sample[i])])
    size[3] = size[0]
    return size


def isolated_impacts(scene, outcome):
    """Impacts that stand alone, away from the ends, and are much faster than what one step of acceleration makes."""
    found = []
    fastest = max((abs(v) for _, _, v in outcome.impacts), default=0)
    duration = scene.h * scene.steps
    for i, (t, contact, v) in enumerate(outcome.impacts):
        others = [abs(t - s) for j, (s, _, _) in enumerate(outcome.impacts) if j != i]
        if min(others, default=math.inf) > 10 * scene.h and abs(v) > 0.05 * fastest and 5 * scene.h < t < duration - 5 * scene.h:
            found.append((t, contact))
    return found


def misses_impact(scene, run, reference, family):
    """An isolated impact of the reference that the run does not have, within ten times what its own family scatters."""
    for t, contact in isolated_impacts(scene, reference):
        nearest = lambda outcome: min((abs(t - s) for s, c, _ in outcome.impacts if c == contact), default=math.inf)
        if nearest(run) > 3 * scene.h + 10 * max((nearest(o) for o in family), default=0):
            return True
    return False


def reference_of(program, scene, companions):
    """The reference and its name, or None and the reason."""
    series = [program.run(scene, "series", SAMPLES, (f"order = {order}",)) for order in (24, 30)]
    if all(o is not None and o.whole and o.status == "certified" for o in series):
        a, b = series
        size = sizes(a)
        if all(d <= 1e-8 * (s + 1e-9) + 1e-12 for d, s in zip(difference(scene, a, b, a), size)):
            return a, "series"
    if 200 * scene.steps > REFERENCE_STEPS:
        return None, "too long for a reference by time stepping"
    fine = [program.run(scene, "moreau", k * scene.steps) for k in (100, 200)]
    if any(o is None or not o.whole for o in fine):
        return None, "reference not finished"
    return fine, "time stepping"


def judge(task):
    """One scene: (class, details)."""
    path, folder, seed = task
    scene = RandomScene(seed)
    program = Program(path, folder)
    run = program.run(scene, scene.kind, scene.steps)
    label = {"seed": seed, "h": scene.h, "family": "+".join(scene.family) or "free", "kind": scene.kind}
    if run is None:
        return {**label, "class": "refused"}
    label["status"] = run.status
    label["findings"] = sorted(set(run.findings))
    companions = [program.run(scene, scene.kind, n) for n in
                  (2 * scene.steps, scene.steps * 9 // 8, scene.steps * 5 // 4, scene.steps * 11 // 8)]
    found, name = reference_of(program, scene, companions)
    if found is None:
        return {**label, "class": "set aside", "why": name}
    reference = found if name == "series" else found[1]
    whole = [c for c in companions if c is not None and c.whole]
    own = [0.0] * 4
    if run.whole:
        for c in whole:
            own = [max(a, b) for a, b in zip(own, difference(scene, run, c, reference))]
    size = sizes(reference)
    allowed = [10 * d + TOLERANCE * s + 1e-12 for d, s in zip(own, size)]
    if name != "series":
        unsettled = difference(scene, found[0], found[1], reference)
        if any(u > 0.2 * a for u, a in zip(unsettled, allowed)):
            return {**label, "class": "set aside", "why": "reference not settled"}
    if run.status != "certified":
        return {**label, "class": "not certified"}
    if not run.whole:
        return {**label, "class": "lie", "why": "certified without a finite state"}
    error = difference(scene, run, reference, reference)
    names = ("place", "velocity", "energy", "admissibility")
    wrong = [n for n, e, a in zip(names, error, allowed) if not e <= a]
    if misses_impact(scene, run, reference, whole):
        wrong.append("impact")
    if wrong:
        return {**label, "class": "lie", "why": ", ".join(wrong), "error": error, "allowed": allowed, "reference": name}
    return {**label, "class": "true", "reference": name}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/carom")
    parser.add_argument("--scenes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="first seed; scene i has seed + i")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--lies", help="folder for the scenes of lies")
    parser.add_argument("--json", help="file for one line per scene")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(arguments.jobs) as pool:
        tasks = [(arguments.program, folder, arguments.seed + i) for i in range(arguments.scenes)]
        results = []
        for result in pool.imap_unordered(judge, tasks, chunksize=8):
            results.append(result)
            if sys.stderr.isatty() and len(results) % 100 == 0:
                print(f"\r{len(results)} of {len(tasks)}", end="", file=sys.stderr)
    results.sort(key=lambda r: r["seed"])
    if arguments.json:
        with open(arguments.json, "w") as f:
            for result in results:
                f.write(json.dumps(result) + "\n")

    classes = collections.Counter(r["class"] + (": " + r["why"] if r["class"] == "set aside" else "") for r in results)
    for name, count in sorted(classes.items()):
        print(f"{name:60} {count}")
    references = collections.Counter(r["reference"] for r in results if "reference" in r)
    print("references: " + ", ".join(f"{n} {c}" for n, c in references.items()))
    for r in results:
        if r["class"] == "lie":
            print(f"lie: seed {r['seed']}, {r['family']}, {r['kind']}, h = {r['h']}: {r['why']}")
            if arguments.lies:
                os.makedirs(arguments.lies, exist_ok=True)
                scene = RandomScene(r["seed"])
                with open(os.path.join(arguments.lies, f"{r['seed']}.toml"), "w") as f:
                    f.write(f"# {json.dumps(r)}\n" + scene.toml(scene.kind, scene.steps))
    fine = [r for r in results if r["class"] in ("true", "lie", "not certified") and r["h"] <= 1e-3]
    certified = sum(r["class"] == "true" for r in fine)
    share = certified / len(fine) if fine else 1.0
    print(f"settled scenes with h <= 1e-3: {len(fine)}, certified {100 * share:.1f} %")
    reasons = collections.Counter(c for r in fine if r["class"] == "not certified" for c in r["findings"] or ["no finding"])
    print("not certified, with h <= 1e-3: " + (", ".join(f"{n} {c}" for n, c in reasons.most_common()) or "none"))
    return 0 if not any(r["class"] == "lie" for r in results) and share >= 0.8 else 1


if __name__ == "__main__":
    sys.exit(main())
