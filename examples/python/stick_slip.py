"""
Stick and slip, and its certificate
===================================

A block on a moving belt, held by a spring. While it sticks, friction balances the spring; it slips when that force
exceeds the static bound. The certificate says that this was solved, step by step, and where the energy went.
"""
import numpy as np
from matplotlib import pyplot

import carom

scene = carom.example_scene("stick_slip_belt", duration_s=6, **{"record.every_s": 1e-3})
run = scene.run()
print(run)
print(run.certificate)

contact = run.contacts["belt_contact"]
every_s = np.diff(run.t, prepend=run.t[0] - 1e-3)
friction_N = contact.friction_Ns[:, 0] / every_s
bound_N = contact.coefficient * contact.percussion_Ns / every_s
print(f"friction exceeds its bound by at most {np.max(np.abs(friction_N) - bound_N):.1e} N")

figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 6), layout="constrained")
above.plot(run.t, run.u["s"], label="block")
above.axhline(0.2, color="grey", linestyle="--", label="belt")
above.set_ylabel("velocity / (m/s)")
above.legend()
below.plot(run.t[1:], friction_N[1:], label="friction")
below.plot(run.t[1:], bound_N[1:], color="grey", linestyle="--", label="bound")
below.set(xlabel="t / s", ylabel="force / N")
below.legend()
figure.suptitle(f"{run.title} ({run.status})")
pyplot.show()
