"""
Comparing solvers
=================

All solvers on the same problems, and their performance profile: the part of the problems that each solves within a factor
of the fastest.
"""
import numpy as np
from matplotlib import pyplot

import carom


def random_problem(contacts, seed):
    """Contacts of 3 contacts/2 bodies at random, redundant where there are few degrees of freedom."""
    random = np.random.default_rng(seed)
    H = random.normal(size=(3 * contacts, 2 * contacts + 2))
    u = random.normal(size=2 * contacts + 2)
    return carom.Problem(H @ H.T, H @ u, np.full(contacts, 0.3))


problems = [random_problem(contacts, seed) for contacts in (2, 5, 10) for seed in range(3)]
compared = carom.compare(problems, tolerance=1e-8, time_limit_s=1, max_iterations=20_000)
print(compared)
table = compared.to_pandas()
print(table.groupby("solver", sort=False).agg(solved=("status", lambda s: (s == "solved").mean()), time_s=("time_s", "median")))

two = table[table["solver"].isin(["gauss_seidel", "proximal_newton"])]
print(two.pivot_table(index="contacts", columns="solver", values="iterations", aggfunc="median"))

figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
for name, part in compared.profile.items():
    style = {"linewidth": 3, "zorder": 3} if name in set(two["solver"]) else {"linewidth": 1.2, "linestyle": "--"}
    axes.step(compared.factors, part, where="post", label=name, **style)
axes.set(xscale="log", xlabel="times the time of the fastest solver", ylabel="fraction of the problems solved", ylim=(0, 1.02))
axes.legend(fontsize="small", loc="lower right")
axes.grid(alpha=0.3)
pyplot.show()
