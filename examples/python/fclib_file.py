"""
Solving an FCLIB file
=====================

One-step problems of a run are kept as FCLIB files, read back and solved. Whatever the solver says, both errors and the gap
of the bipotential are computed from the percussions alone.
"""
import tempfile
from pathlib import Path

import numpy as np
from matplotlib import pyplot

import carom

scene = carom.example_scene("stack", duration_s=0.05)
with tempfile.TemporaryDirectory() as folder:
    scene.run(save_problems="worst:1", problem_folder=folder)
    problem = carom.Problem.read(next(Path(folder).glob("*.hdf5")))
print(problem)
solution = carom.solve(problem, tolerance=1e-10)
print(solution)
for name, value in solution.check.items():
    print(f"  {name:<20}{value:.3g}")

# %%
# The same numbers by hand: velocities, and how far percussions are inside their cones
W, P = problem.W, solution.P.reshape(problem.contacts, -1)
print("U = W P + q:", np.allclose(solution.U, W @ solution.P + problem.q, atol=1e-9))
tangential = np.linalg.norm(P[:, 1:], axis=1)

figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
left.spy(W, markersize=1)
left.set_title(f"W: {W.shape[0]} rows, {W.nnz} entries", fontsize="medium")
right.bar(range(problem.contacts), P[:, 0], label="normal")
right.bar(range(problem.contacts), tangential, label="tangential")
right.plot(range(problem.contacts), problem.mu * P[:, 0], "k_", label="bound of friction")
right.set(xlabel="contact", ylabel="percussion / N s")
right.legend()
pyplot.show()
