#!/usr/bin/env python3
"""Runs random small scenes of bodies and looks for certified results that are wrong.

The rule is that of random_scenes.py; the reference is a step a hundred times smaller, and scenes whose reference does not settle
(h/100 against h/200) are set aside and counted: one to four discs, polygons, spheres, boxes or capsules over planes and plates that
stand or move, with friction, restitution, springs, hinges with stops, strings and motors.

    tests/truth/random_bodies.py --program build/bin/truth_batch --scenes 2000 --seed 1 --json results.jsonl --lies lies/
"""

import math
import random
import sys

from random_scenes import SAMPLES, RandomScene, main, number


class RandomBodies(RandomScene):
    """A few bodies, with what the comparison needs to know; it is written as a scene by RandomScene."""

    has_series = False

    def __init__(self, seed):
        rng = random.Random(f"bodies {seed}")
        self.seed = seed
        self.h = float(number(10 ** rng.uniform(-4.5, -1.3)))
        self.steps = SAMPLES * rng.randint(2, 16)
        self.family, self.contacts, self.bodies, self.lines, self.terms = [], [], [], [], []
        self.until = None
        self.near = min(1.0, 3 * self.h * self.steps)  # clearances, so that something happens in the time
        self.materials(rng)
        kind = rng.choice(["discs", "discs", "discs", "polygon", "polygon", "pendulum", "pendulum", "string", "belt", "plate", "spheres",
                           "spheres", "box", "spin"])
        self.family.append(kind)
        getattr(self, kind)(rng)
        if rng.random() < 0.1:
            self.until = f"{rng.choice(['', '-'])}{rng.choice(self.bodies)}_x - {number(rng.uniform(-0.5, 1))}".replace("- -", "+ ")
            self.family.append("until")
        self.kind = rng.choice(["moreau", "moreau", "moreau", "moreau_jean"])
        self.energy = " + ".join(self.terms)
        self.text = "\n".join(self.lines) + "\n"

    def materials(self, rng):
        self.mu = rng.choice([0, 0, rng.uniform(0.05, 1)])
        self.e = self.restitution(rng)
        self.lines += ["[[material]]", 'name = "skin"', f"friction = {number(self.mu)}", f"restitution = {number(self.e)}"]
        if self.mu > 0:
            self.family.append("friction")

    @staticmethod
    def point(values):
        return "[" + ", ".join(f'"{v}"' if isinstance(v, str) else number(v) for v in values) + "]"

    def obstacle(self, name, shape, at, *rest):
        self.lines += ["[[body]]", f'name = "{name}"', f'shape = "{shape}"', f"position_m = {self.point(at)}", *rest]

    def body(self, name, shape, at, v, w, mass, inertia, *rest, flat=True):
        """`inertia`: about one axis; in space that of a ball, or none, where energies of turning are not compared."""
        self.bodies.append(name)
        turn = self.point([w]) if flat else self.point(w)
        self.lines += ["[[body]]", f'name = "{name}"', f'shape = "{shape}"', f"mass_kg = {number(mass)}", f"position_m = {self.point(at)}",
                       f"velocity_m_s = {self.point(v)}", f"angular_velocity_rad_s = {turn}", *rest]
        up = f"{name}_y" if flat else f"{name}_z"
        axes = "xy" if flat else "xyz"
        self.terms += [f"{number(mass)}/2*(" + " + ".join(f"{name}_{a}'^2" for a in axes) + ")", f"{number(9.81 * mass)}*{up}"]
        if flat:
            self.terms.append(f"{inertia:.12g}/2*{name}_angle'^2")
        elif inertia:
            self.terms.append(f"{inertia:.12g}*2*(" + " + ".join(f"{name}_{a}'^2" for a in "wijk") + ")")

    def gap(self, name, formula):
        self.contacts.append((name, formula))

    def disc(self, rng, name, x, speed=3.0, y=None):
        """Over a floor, or at the height y."""
        mass, r = float(number(10 ** rng.uniform(-0.5, 0.5))), float(number(rng.uniform(0.05, 0.15)))
        at = (x, r + self.near * rng.uniform(0.01, 0.7) if y is None else y)
        self.body(name, "disc", at, (rng.uniform(-speed, speed), rng.uniform(-speed, speed)), rng.uniform(-10, 10), mass, mass * r * r / 2,
                  f"radius_m = {number(r)}")
        return r

    def floor(self):
        self.obstacle("floor", "plane", (0, 0))

    def discs(self, rng):
        """One to three discs over a floor, with a wall or two."""
        self.floor()
        count, radii = rng.randint(1, 3), []
        for k in range(count):
            radii.append(self.disc(rng, f"d{k}", (0.302 + 0.1 * self.near) * k))
            self.gap(f"floor_{k}", f"d{k}_y - {number(radii[k])}")
        for k in range(count):
            for j in range(k):
                self.gap(f"pair_{j}_{k}", f"hypot(d{k}_x - d{j}_x, d{k}_y - d{j}_y) - {radii[j] + radii[k]!r}")
        if rng.random() < 0.5:
            self.obstacle("left", "plane", (-0.151 - 0.15 * self.near, 0), "normal = [1, 0]")
        if rng.random() < 0.5:
            self.obstacle("right", "plane", (0.4 * count, 0), "normal = [-1, 0]")
        if count > 1 and rng.random() < 0.3:
            k = number(10 ** rng.uniform(0, 3))
            self.family.append("spring")
            self.lines += ["[[spring]]", 'first = "d0"', 'second = "d1"', f"stiffness_N_m = {k}", "rest_length_m = 0.4"]
            self.terms.append(f"{k}/2*(hypot(d1_x - d0_x, d1_y - d0_y) - 0.4)^2")

    def polygon(self, rng):
        """A block that falls, tips, rocks or slides; on another one at times."""
        self.floor()
        a, b = float(number(rng.uniform(0.05, 0.3))), float(number(rng.uniform(0.05, 0.3)))
        mass = float(number(rng.uniform(0.3, 3)))
        turned, high = rng.choice([0, 0, rng.uniform(-1, 1)]), rng.choice([0, self.near * rng.uniform(0, 0.4)])
        low = a * abs(math.sin(turned)) + b * abs(math.cos(turned))
        high = low / 2 + high + 1e-4 * (turned != 0)
        at_rest = turned == 0 and high == low / 2
        at = (0, f"{b}/2" if at_rest else high)
        v = (rng.uniform(-2, 2), 0 if at_rest else rng.uniform(-2, 1))
        w = 0 if at_rest else rng.uniform(-4, 4)
        corners = f"vertices_m = [[{-a / 2!r}, {-b / 2!r}], [{a / 2!r}, {-b / 2!r}], [{a / 2!r}, {b / 2!r}], [{-a / 2!r}, {b / 2!r}]]"
        self.body("block", "polygon", at, v, w, mass, mass * (a * a + b * b) / 12, corners, f"rotation_rad = [{turned!r}]")
        if rng.random() < 0.4:
            self.disc(rng, "d", rng.choice([-1, 1]) * (0.37 + self.near * rng.uniform(0, 0.2)))

    def pendulum(self, rng):
        """One or two links on hinges, with stops, friction, motors, against a wall or the floor."""
        links = rng.randint(1, 2)
        angle = rng.uniform(-1.4, 1.4)
        x, y = 0.0, 1.0
        length = 0.4
        at, hinges = [], [(0.0, 1.0)]
        for k in range(links):
            x, y = x + length * math.sin(angle), y - length * math.cos(angle)
            at.append((x, y))
            hinges.append((x, y))
        w = rng.uniform(-6, 6)
        for k in range(links):
            # all turn together about the first hinge
            v = (-w * (at[k][1] - 1.0), w * at[k][0])
            mass = float(number(rng.uniform(0.3, 3)))
            self.body(f"d{k}", "disc", tuple(repr(c) for c in at[k]), tuple(repr(c) for c in v), repr(w), mass, mass * 0.1 * 0.1 / 2, "radius_m = 0.1")
        for k in range(links):
            self.lines += ["[[joint]]", f'name = "hinge{k}"', f'first = "d{k}"', *([f'second = "d{k - 1}"'] if k else []),
                           f"point_m = {self.point([repr(c) for c in hinges[k]])}"]
            turn = []
            if rng.random() < 0.5:
                turn += [f"low_rad = {number(-self.near * rng.uniform(0.05, 1))}", f"high_rad = {number(self.near * rng.uniform(0.05, 1))}",
                         f"restitution = {number(self.restitution(rng))}"]
                self.family.append("stops")
            if rng.random() < 0.3:
                turn.append(f"friction_Nm = {number(10 ** rng.uniform(-2, 0.3))}")
                self.family.append("rubs")
            if rng.random() < 0.2:
                turn.append(f"damping_Nms = {number(10 ** rng.uniform(-3, 0))}")
            if turn:
                self.lines.append(f"turn = {{ {', '.join(turn)} }}")
        if rng.random() < 0.5:
            side = rng.choice([-1, 1])
            place = side * max(0.11, *(side * p[0] + 0.1 + self.near * rng.uniform(0.01, 0.3) for p in at))
            self.obstacle("wall", "plane", (place, 0), f"normal = [{-side}, 0]")
            self.gap("wall", f"{number(abs(place))} - {side}*d{links - 1}_x - 0.1")

    def string(self, rng):
        """A disc on a string that becomes taut, over a floor."""
        self.floor()
        x, y = rng.uniform(-0.3, 0.3), rng.uniform(0.6, 0.9)
        r = self.disc(rng, "d", x, y=y)
        far = math.hypot(float(number(x)), float(number(y)) - 1.2) - 0.1 + self.near * rng.uniform(0.01, 0.3)
        self.lines += ["[[joint]]", 'name = "cord"', 'kind = "string"', 'first = "d"', "second_point_m = [0, 1.2]",
                       f"length_m = {number(far + 0.1)}", f"restitution = {number(self.restitution(rng))}"]
        self.gap("floor", f"d_y - {number(r)}")
        self.gap("cord", f"{number(far + 0.1)} - hypot(d_x, d_y - 1.2)")

    def belt(self, rng):
        """A block or disc thrown on a slope."""
        angle = rng.uniform(0, 0.8)
        self.obstacle("slope", "plane", (0, 0), f"normal = [{math.sin(angle)!r}, {math.cos(angle)!r}]")
        r = float(number(rng.uniform(0.05, 0.2)))
        away = r + rng.choice([0, self.near * rng.uniform(0, 0.3)])
        mass = float(number(rng.uniform(0.3, 3)))
        u = rng.uniform(-3, 3)
        self.body("d", "disc", (repr(away * math.sin(angle)), repr(away * math.cos(angle))),
                  (repr(u * math.cos(angle)), repr(-u * math.sin(angle))), rng.uniform(-20, 20), mass, mass * r * r / 2, f"radius_m = {number(r)}")
        self.gap("slope", f"d_x*{math.sin(angle)!r} + d_y*{math.cos(angle)!r} - {number(r)}")

    def plate(self, rng):
        """A disc or two on a plate that shakes."""
        A, w = number(rng.uniform(0.001, 0.03)), number(10 ** rng.uniform(0, 1.8))
        self.lines += ["[[body]]", 'name = "plate"', 'shape = "plane"', 'motion = "prescribed"', f'position_m = ["0", "{A}*sin({w}*t)"]']
        for k in range(rng.randint(1, 2)):
            r = self.disc(rng, f"d{k}", 0.5 * k, 1.0)
            self.gap(f"plate_{k}", f"d{k}_y - {A}*sin({w}*t) - {number(r)}")

    def spheres(self, rng):
        """One to three spheres in space, over a floor, with a wall at times."""
        self.obstacle("floor", "plane", (0, 0, 0))
        for k in range(rng.randint(1, 3)):
            mass, r = float(number(10 ** rng.uniform(-0.5, 0.5))), float(number(rng.uniform(0.05, 0.15)))
            at = ((0.31 + 0.1 * self.near) * k, rng.uniform(-0.05, 0.05), r + self.near * rng.uniform(0.01, 0.7))
            self.body(f"d{k}", "sphere", at, [rng.uniform(-3, 3) for _ in range(3)], [rng.uniform(-15, 15) for _ in range(3)], mass,
                      0.4 * mass * r * r, f"radius_m = {number(r)}", flat=False)
            self.gap(f"floor_{k}", f"d{k}_z - {number(r)}")
        if rng.random() < 0.5:
            self.obstacle("wall", "plane", (-0.15 - 0.1 * self.near, 0, 0), "normal = [1, 0, 0]")

    def box(self, rng):
        """A box or capsule that falls and turns in space."""
        self.obstacle("floor", "plane", (0, 0, 0))
        mass, sides = float(number(rng.uniform(0.3, 3))), [float(number(rng.uniform(0.08, 0.3))) for _ in range(3)]
        shape = ("box", f"size_m = {self.point(sides)}") if rng.random() < 0.6 else (
            "capsule", f"radius_m = {number(sides[0] / 3)}\nlength_m = {number(sides[1])}")
        self.body("block", shape[0], (0, 0, 0.27 + self.near * rng.uniform(0, 0.3)), [rng.uniform(-2, 2) for _ in range(3)],
                  [rng.uniform(-6, 6) for _ in range(3)], mass, 0, shape[1], f"rotation_rad = {self.point([rng.uniform(-2, 2) for _ in range(3)])}",
                  flat=False)

    def spin(self, rng):
        """A body of three different inertias on a ball joint, or free: gyroscopic terms."""
        mass = float(number(rng.uniform(0.3, 3)))
        a, b = rng.uniform(0.01, 0.05), rng.uniform(0.01, 0.05)
        c = rng.uniform(abs(a - b), a + b)
        held = rng.random() < 0.6
        w = [rng.uniform(-20, 20) for _ in range(3)]
        at = [rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), -0.4] if held else [0, 0, 0]
        at = [float(number(x)) for x in at]
        w = [float(number(x)) for x in w]
        v = [w[1] * at[2] - w[2] * at[1], w[2] * at[0] - w[0] * at[2], w[0] * at[1] - w[1] * at[0]] if held else [1, 0, 2]
        self.body("top", "none", at, [repr(x) for x in v], w, mass, 0, f"inertia_kg_m2 = {self.point([a, b, c])}", flat=False)
        if held:
            self.lines += ["[[joint]]", 'name = "ball"', 'kind = "spherical"', 'first = "top"', "point_m = [0, 0, 0]"]


if __name__ == "__main__":
    sys.exit(main(RandomBodies, __doc__))
