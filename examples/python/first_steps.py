"""
First steps
===========

A ball falls on a floor. The scene is a dictionary with the keys of scene files; the run says how far it can be trusted.
"""
from matplotlib import pyplot

import carom

scene = carom.scene(
    {
        "title": "A ball on a floor",
        "duration_s": 3.0,
        "parameters": {"e": 0.8},
        "coordinate": [{"name": "z", "start": 1.0}],
        "lagrangian": {"kinetic": "z'^2/2", "potential": "9.81*z"},
        "contact": [{"name": "floor", "gap": "z", "law": {"restitution": "e"}}],
    }
)
print(scene)
print(scene.inspect().promise)  # what theory guarantees before anything is computed

# %%
# A run has a status, a certificate, events and columns.
run = scene.run()
print(run)
for event in run.events[:3]:
    print(event)

# %%
# Columns are NumPy arrays: views, nothing is copied.
print(f"highest point after the first impact: {run.q['z'][run.t > 0.5].max():.4f} m, expected {0.8**2:.4f} m")

# %%
# Values are replaced by their path, as with ``--set`` of the program.
soft = scene.set({"e": 0.2}).run()
print(f"energy lost in impacts: {-run.certificate.energy['impact_J']:.3f} J and {-soft.certificate.energy['impact_J']:.3f} J")

run.plot()
pyplot.show()
