"""
A frictional catastrophe and its distribution
=============================================

A sliding rod digs itself into the ground (Moreau 1988, section 15): friction stops it in no time, as an impact would. When
exactly depends on the steps, so Moreau made many runs with random ones. A study does that on all cores.
"""
from matplotlib import pyplot

import carom

scene = carom.example_scene("frictional_catastrophe")
run = scene.run()
print(run)
for finding in run.findings:
    print(finding)

# %%
# 200 runs, each with a step of its own between 4/5 h and h
table = scene.study(repeat=200, perturb_step_s=0, seed=1)
print(table)
rows = table.to_pandas()
print(rows[table.quantities].describe().loc[["mean", "std", "min", "max"]].T)

figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(run.t, run.probes["slip"])
left.set(xlabel="t / s", ylabel="sliding velocity / (m/s)", title="one run")
left.grid(alpha=0.3)
right.hist(rows["phi'"], bins=30)
right.set(xlabel="phi' at the end / (rad/s)", ylabel="runs", title=f"{len(rows)} runs with random steps")
pyplot.show()
