#!/usr/bin/env python3
"""Runs random scenes of parts that nothing couples, all together and each alone: what a run tells of one must not depend on the others.

Two to four parts, bodies, coordinates or both: oscillators, damped or not, two balls on a spring, balls and masses that bounce, pendulums, tops,
and things that only fly by, with much energy or little. The parts stand at the origin, 1e3 m or 1e6 m away from it; some scenes are
written in millimetres and grams.

A lie: all together are certified, and one of the parts alone is not, or the energy of a part differs by more than a third of what
it exchanges, in two samples in a row, from that of the same part alone at a hundredth of the step. A false alarm: every part alone
is certified, and all together are not. Parts whose references at h/100 and h/200 disagree are not compared.

    tests/truth/random_groups.py --program build/bin/truth_batch --scenes 500 --seed 1 --json groups.jsonl

Exit status 0: no lie, and no more than one false alarm in twenty scenes.
"""

import argparse
import collections
import json
import math
import multiprocessing
import os
import random
import sys
import tempfile

from random_scenes import Program

SAMPLES = 40
WRONG = 1 / 3  # of the energy: three times the tolerance of the rule


def number(x):
    return f"{x:.9g}"


class Part:
    """Lines of a scene: whole sections of bodies, or coordinates with their terms; and the energy as a formula."""

    def __init__(self, kind):
        self.kind = kind
        self.sections, self.coordinates, self.contacts = [], [], []
        self.kinetic, self.potential, self.forces = [], [], {}
        self.energy, self.moving = [], []  # of bodies, with and without potentials


class RandomGroups:
    until = None

    def __init__(self, seed):
        rng = random.Random(f"groups {seed}")
        self.seed = seed
        self.h = float(number(10 ** rng.uniform(-4, -1.7)))
        self.steps = SAMPLES * rng.randint(2, 12)
        self.small_units = rng.random() < 0.25  # millimetres and grams as numbers
        self.far = rng.choice([0, 0, 0, 1e3, 1e5 if self.small_units else 1e6])
        self.length, self.mass_unit = (1e3, 1e3) if self.small_units else (1.0, 1.0)
        self.kind = rng.choice(["moreau", "moreau", "moreau_jean", "theta 1"])
        what = rng.choice(["bodies", "coordinates", "both"])
        bodies = ["body_oscillator", "body_pair", "body_ball", "body_hinge", "body_top", "body_flyer"]
        coordinates = ["oscillator", "damped", "mass", "pendulum", "pair", "flyer"]
        self.parts = []
        for k in range(rng.randint(2, 4)):
            of = bodies if what == "bodies" else coordinates if what == "coordinates" else (bodies, coordinates)[k % 2]
            kind = rng.choice(of)
            part = Part(kind)
            getattr(self, kind)(rng, part, k)
            self.parts.append(part)

    # lengths, masses and velocities in the units of the scene

    def m(self, x):
        return number(x * self.length)

    def kg(self, x):
        return number(x * self.mass_unit)

    def g(self):
        return number(9.81 * self.length)

    def rate(self, rng):
        """Of oscillations: from ones that every step resolves to ones that none does."""
        return 10 ** rng.uniform(-1.3, 0.6) / self.h

    def flying_energy(self, rng):
        return 10 ** rng.uniform(-2, 3)

    # bodies

    def body(self, part, k, name, shape, at, v, mass, *rest):
        x = (self.far * 1 + 5.0 * k + at[0], at[1], at[2])
        part.sections.append("\n".join([
            "[[body]]", f'name = "{name}"', f'shape = "{shape}"', f"mass_kg = {self.kg(mass)}",
            f"position_m = [{', '.join(number(c * self.length) for c in x)}]",
            f"velocity_m_s = [{', '.join(number(c * self.length) for c in v)}]", *rest]))
        part.moving.append(f"{self.kg(mass)}/2*({name}_x'^2 + {name}_y'^2 + {name}_z'^2)")
        part.energy.append(f"{part.moving[-1]} + {self.kg(mass)}*{self.g()}*({name}_z - {self.m(at[2])})")

    def body_oscillator(self, rng, part, k):
        w, mass = self.rate(rng), 10 ** rng.uniform(-2, 1)
        damping = rng.choice([0, 0, 10 ** rng.uniform(-3, 0.5)]) * mass * w
        name = f"b{k}"
        self.body(part, k, name, "sphere", (0.3, 0, 1), (rng.uniform(-1, 1), 0, 0), mass, f"radius_m = {self.m(0.01)}")
        x0 = self.far + 5.0 * k
        part.sections.append("\n".join([
            "[[spring]]", f'first = "{name}"', f"second_point_m = [{number((x0 - 0.7) * self.length)}, 0, {self.m(1)}]",
            f"stiffness_N_m = {number(mass * w * w * self.mass_unit)}", f"damping_Ns_m = {number(damping * self.mass_unit)}", f"rest_length_m = {self.m(0.9)}"]))
        distance = f"hypot({name}_x - {number((x0 - 0.7) * self.length)}, hypot({name}_y, {name}_z - {self.m(1)}))"
        part.energy.append(f"{number(mass * w * w * self.mass_unit)}/2*({distance} - {self.m(0.9)})^2")

    def body_pair(self, rng, part, k):
        w, mass = self.rate(rng), 10 ** rng.uniform(-2, 1)
        one, other = f"b{k}", f"c{k}"
        self.body(part, k, one, "sphere", (0, 0, 1), (0, rng.uniform(-1, 1), 0), mass, f"radius_m = {self.m(0.01)}")
        self.body(part, k, other, "sphere", (0.5, 0, 1), (0, 0, rng.uniform(-1, 1)), mass, f"radius_m = {self.m(0.01)}")
        stiffness = number(mass * w * w / 2 * self.mass_unit)
        part.sections.append("\n".join(["[[spring]]", f'first = "{one}"', f'second = "{other}"', f"stiffness_N_m = {stiffness}",
                                        f"rest_length_m = {self.m(rng.uniform(0.3, 0.5))}"]))
        rest = part.sections[-1].split("= ")[-1]
        part.energy.append(f"{stiffness}/2*(hypot({one}_x - {other}_x, hypot({one}_y - {other}_y, {one}_z - {other}_z)) - {rest})^2")

    def body_ball(self, rng, part, k):
        """Over a plate of its own."""
        name, r = f"b{k}", 0.05
        part.sections.append("\n".join(["[[body]]", f'name = "plate{k}"', 'shape = "box"', f"size_m = [{self.m(2)}, {self.m(2)}, {self.m(0.2)}]",
                                        f"position_m = [{number((self.far + 5.0 * k) * self.length)}, 0, {self.m(-0.1)}]", 'motion = "fixed"',
                                        f'material = "m{k}"']))
        part.sections.append(f'[[material]]\nname = "m{k}"\nrestitution = {number(rng.choice([0, rng.uniform(0.3, 0.9)]))}\n'
                             f"friction = {number(rng.choice([0, 0.3]))}")
        self.body(part, k, name, "sphere", (0, 0, r + rng.uniform(0.1, 0.5)), (rng.uniform(-0.2, 0.2), 0, 0), 10 ** rng.uniform(-2, 1),
                  f"radius_m = {self.m(r)}", f'material = "m{k}"')

    def body_hinge(self, rng, part, k):
        name, mass = f"b{k}", 10 ** rng.uniform(-2, 1)
        length = 10 ** rng.uniform(-2.5, 0)
        self.body(part, k, name, "none", (length, 0, 1), (0, 0, 0), mass, "inertia_kg_m2 = [" + ", ".join([number(mass * length ** 2 * 0.1 * self.mass_unit * self.length ** 2)] * 3) + "]")
        x0 = self.far + 5.0 * k
        part.sections.append("\n".join(["[[joint]]", f'name = "hinge{k}"', f'first = "{name}"', f"point_m = [{number(x0 * self.length)}, 0, {self.m(1)}]",
                                        "axis = [0, 1, 0]"]))
        inertia = number(mass * length ** 2 * 0.1 * self.mass_unit * self.length ** 2)
        part.energy.append(f"{inertia}*2*(" + " + ".join(f"{name}_{a}'^2" for a in "wijk") + ")")

    def body_top(self, rng, part, k):
        name, mass = f"b{k}", 10 ** rng.uniform(-2, 1)
        self.body(part, k, name, "box", (0, 0, 1), (0, 0, 0), mass, f"size_m = [{self.m(0.1)}, {self.m(0.2)}, {self.m(0.3)}]",
                  f"angular_velocity_rad_s = [0.1, {number(10 ** rng.uniform(-1, 0.5) / self.h * 0.1)}, 0.1]")

    def body_flyer(self, rng, part, k):
        mass = 10 ** rng.uniform(-2, 1)
        self.body(part, k, f"b{k}", "sphere", (0, 3, 50), (0, math.sqrt(2 * self.flying_energy(rng) / mass), 0), mass, f"radius_m = {self.m(0.05)}")

    # coordinates

    def coordinate(self, part, name, at, v, mass):
        part.coordinates.append(f'[[coordinate]]\nname = "{name}"\nstart = {number(at)}\nstart_velocity = {number(v)}')
        part.kinetic.append(f"{number(mass)}*{name}'^2/2")

    def spring(self, part, formula):
        part.potential.append(formula)

    def oscillator(self, rng, part, k):
        w, mass, x0 = self.rate(rng), 10 ** rng.uniform(-2, 1) * self.mass_unit, self.far * self.length
        self.coordinate(part, f"x{k}", x0 + self.length, rng.uniform(-1, 1) * self.length, mass)
        self.spring(part, f"{number(mass * w * w)}*(x{k} - {number(x0)})^2/2")

    def damped(self, rng, part, k):
        w, mass, x0 = self.rate(rng), 10 ** rng.uniform(-2, 1) * self.mass_unit, self.far * self.length
        self.coordinate(part, f"x{k}", x0 + self.length, 0, mass)
        self.spring(part, f"{number(mass * w * w)}*(x{k} - {number(x0)})^2/2")
        part.forces[f"x{k}"] = f"-{number(mass * w * 10 ** rng.uniform(-2, 0.5))}*x{k}'"

    def mass(self, rng, part, k):
        x0, mass = self.far * self.length, 10 ** rng.uniform(-2, 1) * self.mass_unit
        self.coordinate(part, f"z{k}", x0 + rng.uniform(0.1, 0.5) * self.length, rng.uniform(-1, 1) * self.length, mass)
        self.spring(part, f"{number(mass)}*{self.g()}*(z{k} - {number(x0)})")
        part.contacts.append(f'[[contact]]\nname = "floor{k}"\ngap = "z{k} - {number(x0)}"\nlaw = {{ restitution = {number(rng.choice([0, rng.uniform(0.3, 0.9)]))} }}')

    def pendulum(self, rng, part, k):
        w, mass = self.rate(rng), 10 ** rng.uniform(-2, 1)
        self.coordinate(part, f"a{k}", rng.uniform(0.2, 2), 0, mass)
        self.spring(part, f"-{number(mass * w * w)}*cos(a{k})")

    def pair(self, rng, part, k):
        w, mass, x0 = self.rate(rng), 10 ** rng.uniform(-2, 1) * self.mass_unit, self.far * self.length
        self.coordinate(part, f"x{k}", x0, 0, mass)
        self.coordinate(part, f"y{k}", x0 + self.length, rng.uniform(-1, 1) * self.length, mass)
        self.spring(part, f"{number(mass * w * w / 2)}*(y{k} - x{k})^2/2")

    def flyer(self, rng, part, k):
        mass = 10 ** rng.uniform(-2, 1) * self.mass_unit
        self.coordinate(part, f"x{k}", self.far * self.length, math.sqrt(2 * self.flying_energy(rng) / 1.0) * self.length, mass)

    def toml(self, _kind, steps, only=None):
        """All parts, or one of them."""
        parts = self.parts if only is None else [self.parts[only]]
        join = lambda lists: [line for one in lists for line in one]
        kinetic, potential = join(p.kinetic for p in parts), join(p.potential for p in parts)
        forces = {name: force for p in parts for name, force in p.forces.items()}
        lines = [f"duration_s = {self.h * self.steps!r}"]
        if any(p.kind.startswith("body") for p in parts):
            lines.append(f"gravity_m_s2 = [0, 0, -{self.g()}]")
        lines += join(p.sections for p in parts) + join(p.coordinates for p in parts)
        if kinetic:
            lines += ["[lagrangian]", f'kinetic = "{" + ".join(kinetic)}"', f'potential = "{" + ".join(potential) or "0"}"']
        if forces:
            lines.append("forces = { " + ", ".join(f'{n} = "{f}"' for n, f in forces.items()) + " }")
        lines += join(p.contacts for p in parts)
        for k, part in enumerate(parts):
            energy = part.energy + part.kinetic + part.potential
            lines += ["[[probe]]", f'name = "energy_{k if only is None else only}"', f'value = "{" + ".join(energy)}"',
                      "[[probe]]", f'name = "moving_{k if only is None else only}"', f'value = "{" + ".join(part.kinetic + part.moving)}"']
        lines += ["[integrator]", f'kind = "{"moreau" if self.kind == "moreau" else "moreau_jean"}"', f"time_step_s = {self.h * self.steps / steps!r}"]
        if self.kind == "theta 1":
            lines.append("theta = 1.0")
        return "\n".join(lines) + "\n"




def run(program, scene, steps, only=None):
    with open(program.file, "w") as f:
        f.write(scene.toml(scene.kind, steps, only))
    duration = scene.h * scene.steps
    # at uneven instants: even ones may meet an oscillation at the same phase each time, and miss what it exchanges
    times = ",".join(repr(duration * (k - 0.618 * k % 1 / 2 * (k < SAMPLES)) / SAMPLES) for k in range(SAMPLES + 1))
    return program.told_by_batch(times) if program.is_batch else program.told(times)


def energies(told, k):
    """Of a part, at the samples; none where the run did not reach them."""
    if told is None or not all(s["reached"] for s in told["probes"]):
        return None
    values = [[s["values"][f"{name}_{k}"] for s in told["probes"]] for name in ("energy", "moving")]
    return values if all(v is not None for v in values[0] + values[1]) else None


def is_wrong(run_J, fine, finer):
    """The energy of a part, beside that of its references: off by a part of what it exchanges, for a while. None: not compared."""
    if fine is None or finer is None:
        return None
    scale = max(max(finer[1]) - min(finer[1]), max(finer[1]), max(finer[0]) - min(finer[0]))
    if any(abs(a - b) > 0.05 * scale for a, b in zip(fine[0], finer[0])):
        return None
    off = [abs(a - b) > WRONG * scale for a, b in zip(run_J[0], finer[0])]
    return any(a and b for a, b in zip(off, off[1:])) or off[-1]


PROGRAMS = {}


def judge(task):
    path, folder, seed = task
    scene = RandomGroups(seed)
    program = PROGRAMS.get(path) or PROGRAMS.setdefault(path, Program(path, folder))
    label = {"seed": seed, "h": scene.h, "kind": scene.kind, "far": scene.far, "parts": "+".join(p.kind for p in scene.parts),
             "units": "mm g" if scene.small_units else "m kg"}
    try:
        together = run(program, scene, scene.steps)
        if together is None:
            return {**label, "class": "refused"}
        label["status"] = together["status"]
        label["findings"] = sorted({f["code"] for f in together["diagnosis"]})
        alone = [run(program, scene, scene.steps, k) for k in range(len(scene.parts))]
        label["alone"] = [a and a["status"] for a in alone]
        label["alone_findings"] = [a and sorted({f["code"] for f in a["diagnosis"]}) for a in alone]
        if together["status"] != "certified":
            return {**label, "class": "false alarm" if set(label["alone"]) == {"certified"} else "not certified"}
        known = [f for f in label["alone_findings"] if f]
        if len({p.kind.startswith("body") for p in scene.parts}) == 2 and known and all(f == ["impact_instants"] for f in known):
            return {**label, "class": "no copy"}  # (LE-23) has none of bodies beside formulas
        if set(label["alone"]) != {"certified"}:
            return {**label, "class": "lie", "why": "one alone is not certified"}
        for k in range(len(scene.parts)):
            fine, finer = (energies(run(program, scene, n * scene.steps, k), k) for n in (100, 200))
            now = energies(together, k)
            if now is None or is_wrong(now, fine, finer):
                return {**label, "class": "lie", "why": f"energy of part {k}"}
    except RuntimeError as error:
        return {**label, "class": "crash", "why": str(error)}
    return {**label, "class": "true"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/truth_batch")
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", help="file for one line per scene")
    parser.add_argument("--show", type=int, help="print the scene of this seed and end")
    arguments = parser.parse_args()
    if arguments.show is not None:
        scene = RandomGroups(arguments.show)
        print(scene.toml(scene.kind, scene.steps))
        return 0
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(arguments.jobs) as pool:
        tasks = [(arguments.program, folder, seed) for seed in range(arguments.seed, arguments.seed + arguments.scenes)]
        results = sorted(pool.imap_unordered(judge, tasks, chunksize=4), key=lambda r: r["seed"])
    if arguments.json:
        with open(arguments.json, "w") as f:
            f.writelines(json.dumps(r) + "\n" for r in results)
    counts = collections.Counter(r["class"] for r in results)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    for r in results:
        if r["class"] in ("lie", "false alarm", "crash", "refused"):
            print(json.dumps(r))
    return 1 if counts["lie"] + counts["crash"] + counts["refused"] > 0 or counts["false alarm"] > len(results) / 20 else 0


if __name__ == "__main__":
    sys.exit(main())
