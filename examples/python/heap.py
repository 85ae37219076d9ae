"""
A heap and its force chains
===========================

Discs fall into a box and come to rest. Parts of the scene are objects; the network shows which contacts carry the weight.
"""
import numpy as np
from matplotlib import pyplot

import carom

walls = [
    carom.Body(name="ground", shape="plane", normal=[0, 1, 0]),
    carom.Body(name="left", shape="plane", normal=[1, 0, 0], position_m=[-0.5, 0, 0]),
    carom.Body(name="right", shape="plane", normal=[-1, 0, 0], position_m=[0.5, 0, 0]),
]
random = np.random.default_rng(4)
grains = [
    carom.Body(
        name=f"grain{i}",
        shape="disc",
        radius_m=round(float(random.uniform(0.035, 0.055)), 4),
        mass_kg=1.0,
        position_m=[-0.42 + 0.12 * (i % 8), 0.08 + 0.12 * (i // 8), 0],
        velocity_m_s=[float(random.uniform(-0.1, 0.1)), 0, 0],
    )
    for i in range(40)
]
scene = carom.scene(
    {
        "title": "A heap of discs",
        "duration_s": 3.0,
        "until": "rest",
        "gravity_m_s2": [0, -9.81, 0],
        "material": [carom.Material(name="stone", friction=0.5)],
        "body": walls + grains,
        "integrator": {"time_step_s": 1e-3},
        "solver": {"tolerance": 1e-6},
    }
)
run = scene.run()
print(run)

contacts = run.body_contacts
rows = contacts.at(-1)
on_ground = (contacts.first[rows] == 0) | (contacts.second[rows] == 0)
weight = np.abs(contacts.force_N(-1)[on_ground, 1]).sum()
print(f"the ground carries {weight:.1f} N of {40 * 9.81:.1f} N, friction at the walls the difference")

figure = run.plot("contacts", figsize=(8, 6))
for grain, track in zip(grains, list(run.bodies.values())[len(walls):]):
    figure.axes[0].add_patch(pyplot.Circle(track.position[-1], grain.radius_m, fill=False, color="grey", linewidth=0.6))
pyplot.show()
