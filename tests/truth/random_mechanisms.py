#!/usr/bin/env python3
"""Runs random mechanisms in coordinates and looks for certified results that are wrong.

The rule is that of random_scenes.py, the scenes have another structure: carts with pendulums, double pendulums with stops, beads on
curves, particles with strings, metrics that couple all coordinates, obstacles that jump or follow tables, polynomials of degree up to
eight, friction with restitution, brakes and motors with limits, ends by `until`; more of them with coarse steps.

    tests/truth/random_mechanisms.py --program build/bin/truth_batch --scenes 2000 --seed 1 --json results.jsonl --lies lies/
"""

import random
import sys

from random_scenes import SAMPLES, RandomScene, main, number


class RandomMechanism(RandomScene):
    """A mechanism of one to three coordinates; written as a scene by RandomScene."""

    def __init__(self, seed):
        rng = random.Random(f"mechanism {seed}")
        self.seed = seed
        self.h = float(number(10 ** rng.uniform(-4.5, -1)))
        self.steps = SAMPLES * rng.randint(3, 40)
        self.family, self.contacts, self.until = [], [], None
        lines = []
        kind = rng.choice(["cart", "cart", "double_pendulum", "bead", "cord", "coupled", "coupled", "jumping_floor", "table_floor", "well", "pushed",
                           "brake", "bouncing_slide", "chain"])
        self.family.append(kind)
        getattr(self, kind)(rng, lines)
        if rng.random() < 0.12:
            name = rng.choice(self.names)
            self.until = f"{rng.choice(['', '-'])}{name} - {number(rng.uniform(-0.5, 1))}".replace("- -", "+ ")
            self.family.append("until")
        self.kind = rng.choice(["moreau", "moreau", "moreau_jean"])
        self.text = "\n".join(lines) + "\n"

    def cart(self, rng, lines):
        """A cart between walls carries a pendulum."""
        M, m, l = (float(number(rng.uniform(0.3, 3))) for _ in range(3))
        self.coordinates(lines, x=(rng.uniform(-0.3, 0.3), rng.uniform(-3, 3)), p=(rng.uniform(-2, 2), rng.uniform(-4, 4)))
        k = number(10 ** rng.uniform(-1, 3)) if rng.random() < 0.5 else "0"
        self.lagrangian(lines, f"{M + m!r}/2*x'^2 + {number(m * l)}*x'*p'*cos(p) + {number(m * l * l)}/2*p'^2",
                        f"-{number(9.81 * m * l)}*cos(p) + {k}/2*x^2",
                        f'x = "-{number(10 ** rng.uniform(-1, 1))}*x\'"' if rng.random() < 0.3 else "")
        self.contact(lines, f"x + {number(rng.uniform(0.32, 1))}", self.restitution(rng))
        if rng.random() < 0.6:
            self.contact(lines, f"{number(rng.uniform(0.32, 1))} - x", self.restitution(rng))
        if rng.random() < 0.4:
            self.contact(lines, f"{number(rng.uniform(2.05, 2.6))} - p", self.restitution(rng))

    def double_pendulum(self, rng, lines):
        """Two links, the tip against a wall or the knee against a stop."""
        a, b = rng.uniform(-1, 1), rng.uniform(-1, 1)
        self.coordinates(lines, a=(a, rng.uniform(-3, 3)), b=(b, rng.uniform(-3, 3)))
        m = number(rng.uniform(0.2, 2))
        self.lagrangian(lines, f"(1 + {m})/2*a'^2 + {m}*a'*b'*cos(a - b) + {m}/2*b'^2", f"-9.81*(1 + {m})*cos(a) - 9.81*{m}*cos(b)")
        if rng.random() < 0.6:
            self.contact(lines, f"{number(1.75 + rng.uniform(0, 0.2))} - sin(a) - sin(b)", self.restitution(rng))
        else:
            self.contact(lines, f"b - a + {number(max(0.0, a - b) + rng.uniform(0.05, 0.5))}", self.restitution(rng))

    def bead(self, rng, lines):
        """A point above a wavy floor."""
        w, A = rng.uniform(1, 8), rng.uniform(0.02, 0.2)
        self.coordinates(lines, x=(rng.uniform(-0.5, 0.5), rng.uniform(-3, 3)), z=(A + rng.uniform(0.01, 0.6), rng.uniform(-3, 2)))
        self.lagrangian(lines, "(x'^2 + z'^2)/2", f"9.81*z + {number(rng.uniform(0, 20))}/2*x^2")
        slope = f"({number(A * w)}*cos({number(w)}*x))"
        mu = rng.choice([0, rng.uniform(0.05, 0.8)])
        self.contact(lines, f"(z - {number(A)}*sin({number(w)}*x))/sqrt(1 + {slope}^2)", self.restitution(rng), mu,
                     [f"(x' + {slope}*z')/sqrt(1 + {slope}^2)"])

    def cord(self, rng, lines):
        """A particle on a string, against a wall."""
        self.coordinates(lines, x=(rng.uniform(-0.4, 0.4), rng.uniform(-3, 3)), y=(rng.uniform(-0.6, 0.4), rng.uniform(-3, 3)))
        self.lagrangian(lines, "(x'^2 + y'^2)/2", f"9.81*y + {number(rng.uniform(0, 30))}/2*y^2")
        length = number(rng.uniform(0.75, 1.1))
        lines += ["[[string]]", 'name = "cord"', f"length_m = {length}", 'points = [["x", "y"], ["0", "0"]]', f"restitution = {number(self.restitution(rng))}"]
        self.contacts.append(("cord", f"{length} - hypot(x, y)"))
        if rng.random() < 0.5:
            self.contact(lines, f"x + {number(rng.uniform(0.42, 0.9))}", self.restitution(rng))

    def coupled(self, rng, lines):
        """Two or three coordinates coupled by a constant or varying metric."""
        names = ["x", "y", "z"][: rng.randint(2, 3)]
        self.coordinates(lines, **{n: (rng.uniform(0.05, 0.8), rng.uniform(-3, 3)) for n in names})
        kinetic = [f"{number(rng.uniform(0.5, 2))}/2*{n}'^2" for n in names]
        for i, n in enumerate(names):
            for m in names[:i]:
                kinetic.append(f"{number(rng.uniform(-0.2, 0.2))}*{n}'*{m}'" + rng.choice(["", f"*cos({m})", f"*sin({n} - {m})"]))
        potential = [f"{number(10 ** rng.uniform(0, 3))}/2*({rng.choice(names)} - {rng.choice(names)} - {number(rng.uniform(0, 1))})^2"
                     for _ in range(2)] + [f"{number(rng.uniform(1, 20))}*{names[-1]}", f"{number(rng.uniform(1, 50))}/2*{names[0]}^2"]
        self.lagrangian(lines, " + ".join(kinetic).replace("+ -", "- "), " + ".join(potential))
        for n in names:
            if rng.random() < 0.7:
                self.contact(lines, n, self.restitution(rng))

    def jumping_floor(self, rng, lines):
        """A floor that starts and stops suddenly, or steps down."""
        t1, v = rng.uniform(0.1, 0.5) * self.h * self.steps, rng.uniform(-0.5, 0.5)
        self.coordinates(lines, z=(rng.uniform(0.01, 0.4), rng.uniform(-3, 1)), x=(0, rng.uniform(-1, 1)))
        self.lagrangian(lines, "(x'^2 + z'^2)/2", f"9.81*z + {number(rng.uniform(0, 40))}/2*x^2")
        floor = rng.choice([f"{number(v)}*max(0, t - {number(t1)})", f"if(t < {number(t1)}, 0, -{number(abs(v) / 10)})"])
        self.contact(lines, f"z - {floor}", self.restitution(rng), rng.choice([0, rng.uniform(0.1, 0.8)]), ["x'"])

    def table_floor(self, rng, lines):
        """A floor that follows data."""
        T = self.h * self.steps
        times = [0] + sorted(rng.uniform(0.02, 1) * T for _ in range(rng.randint(2, 6)))
        lines += ["[[table]]", 'name = "data"', f"t_s = [{', '.join(repr(t) for t in times)}]",
                  f"value = [{', '.join(number(rng.uniform(-0.1, 0.1) * min(1, 5 * T)) for _ in times)}]"]
        self.coordinates(lines, z=(rng.uniform(0.11, 0.5), rng.uniform(-3, 1)))
        self.lagrangian(lines, "z'^2/2", "9.81*z")
        self.contact(lines, "z - table(data, t)", self.restitution(rng))

    def well(self, rng, lines):
        """A double well of high degree, with a wall."""
        d = rng.choice([4, 6, 8])
        self.coordinates(lines, x=(rng.uniform(-1, 1), rng.uniform(-2, 2)), y=(rng.uniform(-1, 1), rng.uniform(-2, 2)))
        self.lagrangian(lines, "(x'^2 + y'^2)/2", f"{number(rng.uniform(0.5, 5))}*x^{d} - {number(rng.uniform(0, 5))}*x^2 + {number(rng.uniform(0.5, 5))}*y^{d} "
                        f"+ {number(rng.uniform(-2, 2))}*x*y + {number(rng.uniform(-1, 1))}*x^3*y^2".replace("+ -", "- "),
                        f'x = "-{number(10 ** rng.uniform(-2, 0.5))}*x\'"' if rng.random() < 0.3 else "")
        self.contact(lines, f"{number(rng.uniform(1.02, 1.5))} - x", self.restitution(rng))
        if rng.random() < 0.4:
            self.contact(lines, f"{number(rng.uniform(1.45, 2.5))} + x - y^2/2", self.restitution(rng))

    def pushed(self, rng, lines):
        """Two blocks in a row pushed by a force of time against each other and a wall, rough."""
        self.coordinates(lines, x=(0, rng.uniform(0, 2)), y=(rng.uniform(0.05, 0.3), rng.uniform(-2, 2)))
        m = number(rng.uniform(0.3, 3))
        w = number(10 ** rng.uniform(0, 1.5))
        self.lagrangian(lines, f"x'^2/2 + {m}/2*y'^2", f"{number(10 ** rng.uniform(0, 3))}/2*y^2", f'x = "{number(rng.uniform(-20, 20))}*cos({w}*t)"')
        self.contact(lines, "y - x", self.restitution(rng))
        self.contact(lines, f"{number(rng.uniform(0.35, 0.6))} - y", self.restitution(rng))
        if rng.random() < 0.6:
            limit = number(rng.uniform(0.1, 5))
            lines += ["[[constraint]]", 'name = "rub"', 'velocity = ["x\'"]', f'law = {{ kind = "limited", limit = {limit} }}']

    def brake(self, rng, lines):
        """A wheel with a brake or motor drives another through a spring."""
        self.coordinates(lines, a=(0, rng.uniform(-5, 5)), b=(rng.uniform(-0.5, 0.5), rng.uniform(-5, 5)))
        self.lagrangian(lines, f"{number(rng.uniform(0.2, 2))}/2*a'^2 + {number(rng.uniform(0.2, 2))}/2*b'^2",
                        f"{number(10 ** rng.uniform(0, 3))}/2*(a - b)^2", f'b = "{number(rng.uniform(-5, 5))}*sin({number(10 ** rng.uniform(0, 1.5))}*t)"')
        rate = rng.choice(["a'", f"a' - {number(rng.uniform(0, 4))}"])
        lines += ["[[constraint]]", 'name = "brake"', f'velocity = ["{rate}"]', f'law = {{ kind = "limited", limit = {number(10 ** rng.uniform(-1, 1))} }}']
        if rng.random() < 0.5:
            self.contact(lines, f"b + {number(rng.uniform(0.55, 2))}", self.restitution(rng))

    def bouncing_slide(self, rng, lines):
        """Thrown on a rough floor in space, it bounces and slides."""
        self.coordinates(lines, x=(0, rng.uniform(-3, 3)), y=(0, rng.uniform(-3, 3)), z=(rng.uniform(0.005, 0.3), rng.uniform(-3, 1)))
        k = number(rng.uniform(0, 30))
        self.lagrangian(lines, "(x'^2 + y'^2 + z'^2)/2", f"9.81*z + {k}/2*(x^2 + y^2)")
        self.contact(lines, "z", self.restitution(rng), rng.uniform(0.05, 1), ["x'", "y'"])

    def chain(self, rng, lines):
        """Three masses on springs between walls, struck."""
        self.coordinates(lines, a=(rng.uniform(-0.2, 0), rng.uniform(-5, 5)), b=(rng.uniform(0.2, 0.4), rng.uniform(-2, 2)), c=(rng.uniform(0.6, 0.8), rng.uniform(-2, 2)))
        k, l = (number(10 ** rng.uniform(0, 5)) for _ in range(2))
        self.lagrangian(lines, " + ".join(f"{number(rng.uniform(0.3, 3))}/2*{n}'^2" for n in self.names),
                        f"{k}/2*(b - a - 0.4)^2 + {l}/2*(c - b - 0.4)^2")
        self.contact(lines, f"a + {number(rng.uniform(0.22, 0.4))}", self.restitution(rng))
        if rng.random() < 0.6:
            self.contact(lines, f"{number(rng.uniform(0.85, 1.2))} - c", self.restitution(rng))
        if rng.random() < 0.5:
            self.contact(lines, "b - a - 0.1", self.restitution(rng))


if __name__ == "__main__":
    sys.exit(main(RandomMechanism, __doc__))
