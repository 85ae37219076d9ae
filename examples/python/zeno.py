"""
Zeno, and the series integrator
===============================

A ball with restitution makes infinitely many impacts in finite time. A time-stepping scheme passes through; the series
integrator finds every impact and the instant where they accumulate.
"""
import numpy as np
from matplotlib import pyplot

import carom

e, g, height = 0.7, 9.81, 1.0
ball = carom.System(
    title="Zeno's ball",
    coordinates={"z": height},
    kinetic=lambda q, u: u.z**2 / 2,
    potential=lambda q: g * q.z,
    contacts=[carom.Contact("floor", gap=lambda q: q.z, restitution=e)],
    duration_s=3,
)
ball.integrator = {"kind": "series"}
series = ball.run()
ball.integrator = {"kind": "moreau", "time_step_s": 1e-3}
stepping = ball.run()

# closed form: the first fall takes T, every flight after it e times the one before
first = np.sqrt(2 * height / g)
exact = first * (1 + e) / (1 - e)
found = [event.time_s for event in series.events if event.kind == "accumulation"]
print(series)
print(f"accumulation at {found[0]:.12f} s, exact {exact:.12f} s" if found else "no accumulation was found")

impacts = np.array([event.time_s for event in series.events.of(kind="impact")])
rest = [event.time_s for event in stepping.events.of(kind="contact_made")]
figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(series.t, series.q["z"], label="series")
left.plot(stepping.t, stepping.q["z"], "--", label=f"moreau, at rest from {rest[-1]:.3f} s")
left.set(xlabel="t / s", ylabel="z / m")
left.legend()
right.semilogy(exact - impacts, "o-", label="found")
right.semilogy(exact - first * (1 + 2 * np.cumsum(np.r_[0, e ** np.arange(1, len(impacts))])), "x", label="exact")
right.set(xlabel="impact", ylabel="time left to the accumulation / s")
right.legend()
pyplot.show()
