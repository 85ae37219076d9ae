"""
A convergence study
===================

Halve the step, look at the error: second order while the motion is smooth, first order once a velocity jumps inside a step.
"""
import numpy as np
from matplotlib import pyplot

import carom

scene = carom.scene(
    {
        "title": "An oscillator against a wall",
        "duration_s": 1.0,
        "coordinate": [{"name": "x", "start": 1.0}],
        "lagrangian": {"kinetic": "x'^2/2", "potential": "9*x^2/2"},
        "contact": [{"name": "wall", "gap": "x + 0.5", "law": {"restitution": 1.0}}],
        "integrator": {"time_step_s": 0.02},
    }
)

# the wall is met at cos(3 t) = -1/2; until then x = cos(3 t), afterwards the same motion backwards
t_wall = 2 * np.pi / 9
exact = {"x@0.5": np.cos(1.5), "x@1": np.cos(3 * (2 * t_wall - 1.0))}
table = scene.study(converge=8, at_s=[0.5, 1.0], exact=exact)
print(table)

figure, axes = pyplot.subplots(figsize=(7, 5), layout="constrained")
for order in table.orders:
    if order.quantity in exact:
        print(order)
        axes.loglog(order.h_s, order.error, "o-", label=f"{order.quantity} s: order {order.fitted:.2f} ({order.verdict})")
h = np.array([1.5e-4, 2e-2])
axes.loglog(h, 0.5 * h, ":", color="grey", label="h")
axes.loglog(h, 5 * h**2, "--", color="grey", label="h²")
axes.set(xlabel="step h / s", ylabel="error of x / m", title="before and after the impact")
axes.legend()
pyplot.show()
