"""
An elastoplastic truss
======================

Three bars under a load that goes to and fro. The stresses are swept by a moving convex set: a sweeping process of Moreau.
The same set is at hand for projections in the metric of the elastic energy.
"""
import numpy as np
from matplotlib import pyplot

import carom
from carom import convex

scene = carom.example_scene("elastoplastic_truss")
print(scene.inspect().good, "one solution is guaranteed")
run = scene.run()
print(run)

# %%
# One catching-up step by hand: the nearest admissible stress, in the metric of the elastic energy
yield1, yield2, k1, k2 = 900.0, 600.0, 1e5, 2e5
elastic = convex.box([-yield1, -yield2, -yield1], [yield1, yield2, yield1])
self_stress = convex.subspace([[1.0], [-np.sqrt(2)], [1.0]])
admissible = elastic & self_stress.moved([0.0, 1500.0, 0.0])
print("stress under full load:", admissible.prox([0.0, 0.0, 0.0], np.diag([1 / k1, 1 / k2, 1 / k1])).round(2), "N")

figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, line in zip(run.coordinates, ("-", "-", "--")):
    left.plot(run.t, run.q[name], line, label=name)
left.set(xlabel="t / s", ylabel="stress / N", title="forces in the bars")
left.legend()
right.plot(1e3 * run.probes["displacement"], run.probes["load"])
right.set(xlabel="displacement / mm", ylabel="load / N", title="hysteresis")
right.grid(alpha=0.3)
pyplot.show()
