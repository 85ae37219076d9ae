"""
An environment for learning
===========================

A cart balances a pole by pushing, with walls at both ends of its track: reset, step and reward as gymnasium has them, without
the dependency. Snapshots make resets exact, and the walls are real contacts.
"""
import numpy as np
from matplotlib import pyplot

import carom
from carom import cos


class CartPole:
    """Observation: x, theta and their velocities; action: force on the cart, N."""

    def __init__(self, limit_N=12.0, steps_per_action=10):
        system = carom.System(
            coordinates=[carom.Coordinate("x"), carom.Coordinate("theta", unit="rad")],
            kinetic=lambda q, u: 0.55 * u.x**2 + 0.05 * u.x * u.theta * cos(q.theta) + 0.05 / 3 * u.theta**2,
            potential=lambda q: 0.4905 * cos(q.theta),
            contacts=[
                carom.Contact("left", gap=lambda q: q.x + 1, restitution=0.3),
                carom.Contact("right", gap=lambda q: 1 - q.x, restitution=0.3),
            ],
            duration_s=1000,
            integrator={"time_step_s": 2e-3},
        )
        self.sim = system.scene().simulation()
        self.limit_N, self.steps_per_action = limit_N, steps_per_action

    def reset(self, seed=0):
        random = np.random.default_rng(seed)
        self.sim.set_state(q=random.uniform(-0.1, 0.1, 2), u=random.uniform(-0.1, 0.1, 2))
        return np.r_[self.sim.q, self.sim.u]

    def step(self, action):
        self.sim.set_force([float(np.clip(action, -self.limit_N, self.limit_N)), 0.0])
        self.sim.step(self.steps_per_action)
        observation = np.r_[self.sim.q, self.sim.u]
        fallen = abs(observation[1]) > 0.8
        return observation, 1.0 - observation[1] ** 2, fallen


environment, figure = CartPole(), pyplot.figure(figsize=(8, 4.5), layout="constrained")
axes = figure.add_subplot(xlabel="t / s", ylabel="angle of the pole / rad")
for seed in range(5):
    observation, path, fallen = environment.reset(seed), [], False
    while not fallen and len(path) < 250:
        path.append(observation[1])
        observation, reward, fallen = environment.step(np.dot([1.5, 28.0, 2.5, 5.0], observation))
    axes.plot(0.02 * np.arange(len(path)), path, label=f"start {seed}: {'fell' if fallen else 'stands'}")
axes.legend()
pyplot.show()
