"""
A gripper with a controller
===========================

Two fingers close on a part and lift it. The controller sees contact forces while it steps: it closes slowly until it feels
the part, and then grips as strongly as the motors can.
"""
import numpy as np
from matplotlib import pyplot

import carom

scene = carom.example_scene("gripper")
sim = scene.simulation()
times, grip, height, felt_s = [], [], [], []


def finger_force(at: carom.Simulation) -> float:
    """Normal force of the fingers on the part, in the last step."""
    sides = [one for one in at.contacts if "part" in one.name and ("left" in one.name or "right" in one.name)]
    return sum(float(one.percussion_Ns[0]) for one in sides) / scene.time_step_s / 2


def close_gently(at: carom.Simulation) -> None:
    """Slowly until the part is felt."""
    if not felt_s and finger_force(at) > 0.5:
        felt_s.append(at.time_s)
    rate = 0.05 if felt_s else 0.02
    at.set_motor("left_guide", rate)
    at.set_motor("right_guide", rate)


sim.control = close_gently
while sim.step() == 1:
    times.append(sim.time_s)
    grip.append(finger_force(sim))
    height.append(sim["part_z"])
print(sim)
print(f"felt at {felt_s[0]:.3f} s, lifted by {1e3 * (height[-1] - 0.04):.1f} mm, gripped with {np.mean(grip[-100:]):.2f} N")

figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 6), layout="constrained")
above.plot(times, grip)
above.axvline(felt_s[0], color="grey", linestyle="--", label="the part is felt")
above.set_ylabel("grip / N")
above.legend()
below.plot(times, height)
below.set(xlabel="t / s", ylabel="height of the part / m")
pyplot.show()
