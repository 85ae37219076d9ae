"""
Friction and restitution from a noisy measurement
=================================================

A block is thrown on a rough floor, and its path is measured with noise. Which friction and restitution did it have? The
model is fitted by least squares over whole runs.
"""
import numpy as np
from matplotlib import pyplot
from scipy.optimize import least_squares

import carom

law = {"kind": "coulomb", "friction": "mu", "restitution": "e"}
block = carom.scene(
    {
        "title": "A block thrown on a floor",
        "duration_s": 1.2,
        "parameters": {"mu": 0.3, "e": 0.5},
        "coordinate": [{"name": "x", "start": 0.0, "start_velocity": 2.0}, {"name": "z", "start": 0.3}],
        "lagrangian": {"kinetic": "(x'^2 + z'^2)/2", "potential": "9.81*z"},
        "contact": [{"name": "floor", "gap": "z", "sliding": ["x'"], "law": law}],
        "record": {"every_s": 0.01},
    }
)


def path(mu, e):
    run = block.set({"mu": mu, "e": e}).run(progress=False)
    return run.t, np.column_stack([run.q["x"], run.q["z"]])


true = (0.27, 0.62)
t, exact = path(*true)
measured = exact + np.random.default_rng(7).normal(scale=0.005, size=exact.shape)


def misfit(p):
    return (path(*p)[1] - measured).ravel()


# impacts make the misfit bumpy: a coarse grid finds the valley, least squares its ground
start = min(np.mgrid[0.1:0.6:0.1, 0.1:1:0.1].reshape(2, -1).T, key=lambda p: (misfit(p) ** 2).sum())
fit = least_squares(misfit, x0=start, bounds=([0, 0], [1, 1]), diff_step=1e-3)
deviation = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac))) * 0.005
for name, value, width, wanted in zip(("mu", "e"), fit.x, deviation, true):
    print(f"{name} = {value:.4f} +- {width:.4f}, used {wanted}")

figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
axes.plot(*measured.T, ".", markersize=3, color="grey", label="measured")
axes.plot(*path(*fit.x)[1].T, label=f"fitted: mu = {fit.x[0]:.3f}, e = {fit.x[1]:.3f}")
axes.set(xlabel="x / m", ylabel="z / m")
axes.legend()
pyplot.show()
