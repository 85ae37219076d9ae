"""
Double pendulum with an obstacle
================================

Ballard's double pendulum (2002, examples 4 and 8): two bars with spiral springs, a force that follows the second bar, and
a wall that joint and tip must not cross. The system is written as Python functions, which are traced into formulas.
"""
from matplotlib import pyplot

import carom
from carom import cos, sin

l1, l2, m1, m2, k1, k2, force = 1.0, 0.8, 1.0, 0.7, 2.0, 1.5, 1.0


def kinetic(q, u):
    coupling = m2 * l1 * l2 / 2 * cos(q.q1 - q.q2) * u.q1 * u.q2
    return (m1 / 3 + m2) * l1**2 / 2 * u.q1**2 + m2 * l2**2 / 6 * u.q2**2 + coupling


def tip(q):
    return l1 * sin(q.q1) + l2 * sin(q.q2)


system = carom.System(
    title="Double pendulum with an obstacle",
    coordinates=[carom.Coordinate("q1", 0.5, -1.0, "rad"), carom.Coordinate("q2", 0.4, 0.3, "rad")],
    kinetic=kinetic,
    potential=lambda q: k1 / 2 * q.q1**2 + k2 / 2 * (q.q2 - q.q1) ** 2,
    forces={"q1": lambda q: force * l1 * sin(q.q1 - q.q2)},
    contacts=[
        carom.Contact("joint", gap=lambda q: l1 * sin(q.q1), restitution=0.5),
        carom.Contact("tip", gap=tip, restitution=0.5),
    ],
    duration_s=12,
    integrator={"kind": "series"},  # analytic data: the motion itself, by power series
    record={"every_s": 5e-3},
)
run = system.run()
print(run)
print(run.certificate)

run.plot("phase")
pyplot.show()
