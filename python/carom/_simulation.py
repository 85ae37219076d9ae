"""Scenes stepped by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom
from ._certificate import Certificate, Finding
from ._frames import StepContact
from ._scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """Coordinates and velocities at an instant; of bodies as ``run.q`` has them.

    Examples
    --------
    >>> import carom
    >>> carom.example_scene("pendulum_wall").simulation().state.time_s
    0.0
    """

    time_s: float
    q: Array
    u: Array


class Simulation:
    """A scene at its start, to be stepped by hand.

    Steps are those of ``scene.run()``, bit for bit, as long as the caller applies nothing. Forces, wrenches and motors that are
    set act from the next step on until they are changed; their work is in the line ``given_forces_J`` of the ledger.

    Parameters
    ----------
    scene : Scene

    Examples
    --------
    >>> import carom
    >>> sim = carom.read_scene("scenes/pendulum_wall.toml").simulation()
    >>> sim.step(100)
    100
    >>> here = sim.snapshot()
    >>> there = sim.step(50), sim.q
    >>> sim.restore(here)
    >>> bool(sim.step(50) == 50 and (sim.q == there[1]).all())
    True
    """

    def __init__(self, scene: Scene) -> None:
        self._raw = _carom.Simulation(scene._raw)
        self._step = self._raw.step
        self.scene = scene
        #: Called before every step with the simulation: sets forces, wrenches, motors.
        self.control: Callable[[Simulation], Any] | None = None

    def step(self, count: int = 1) -> int:
        """Takes up to `count` steps and says how many: fewer where the run ended.

        Examples
        --------
        >>> import carom
        >>> sim = carom.example_scene("pendulum_wall", duration_s=0.1).simulation()
        >>> sim.step(), sim.step(1000)
        (1, 99)
        """
        if self.control is None:
            return self._step(count)
        for taken in range(count):
            self.control(self)
            if self._step(1) == 0:
                return taken
        return count

    @property
    def time_s(self) -> float:
        """Time, s."""
        return self._raw.time_s

    @property
    def steps(self) -> int:
        """Steps taken since the start, or since the state was set."""
        return self._raw.steps

    @property
    def q(self) -> Array:
        """Coordinates, a copy."""
        return self._raw.q

    @property
    def u(self) -> Array:
        """Velocities, a copy; right limits."""
        return self._raw.u

    @property
    def state(self) -> State:
        """Time, coordinates and velocities; setting it begins a new run from there."""
        return State(self.time_s, self.q, self.u)

    @state.setter
    def state(self, state: State) -> None:
        self.set_state(state.q, state.u)

    def set_state(self, q: ArrayLike | None = None, u: ArrayLike | None = None) -> None:
        """Other coordinates or velocities from here on, at the same time; steps and certificate begin again.

        Examples
        --------
        >>> import carom
        >>> sim = carom.example_scene("pendulum_wall").simulation()
        >>> sim.set_state(q=[0.5], u=[0.0])
        >>> sim["theta"]
        0.5
        """
        self._raw.set_state(self.q if q is None else q, self.u if u is None else u)

    def __getitem__(self, name: str) -> float:
        """A coordinate by its name, or a velocity: ``sim["theta"]``, ``sim["theta'"]``."""
        key, values = (name[:-1], self.u) if name.endswith("'") else (name, self.q)
        names = self.scene.coordinates
        if key not in names:
            raise KeyError(f"{name!r}; there are: {', '.join(names)}")
        return float(values[names.index(key)])

    def set_force(self, force: ArrayLike | Mapping[str, float]) -> None:
        """Given forces, one per coordinate or by name, beside those of the scene.

        Examples
        --------
        >>> import carom
        >>> cart = carom.System(coordinates={"x": 0.0}, kinetic=lambda q, u: u.x**2).scene().simulation()
        >>> cart.set_force({"x": 4.0})
        >>> cart.step(100), round(cart["x'"], 6)  # 4 N on 2 kg for 0.1 s
        (100, 0.2)
        """
        if isinstance(force, Mapping):
            names = self.scene.coordinates
            unknown = [name for name in force if name not in names]
            if unknown:
                raise KeyError(f"{unknown[0]!r}; there are: {', '.join(names)}")
            force = [float(force.get(name, 0.0)) for name in names]
        self._raw.set_force(force)

    def set_wrench(self, body: str, force_N: ArrayLike = (0, 0, 0), torque_Nm: ArrayLike = (0, 0, 0)) -> None:
        """Force at the centre of mass of a body and torque about it, axes of the world.

        Examples
        --------
        >>> import carom
        >>> ball = carom.Body(name="ball", shape="sphere", radius_m=0.1, mass_kg=2.0)
        >>> sim = carom.scene({"duration_s": 1, "gravity_m_s2": [0, 0, 0], "body": [ball]}).simulation()
        >>> sim.set_wrench("ball", force_N=[4, 0, 0])
        >>> sim.step(100), round(float(sim.u[0]), 6)
        (100, 0.2)
        """
        self._raw.set_wrench(body, force_N, torque_Nm)

    def set_motor(self, joint: str, rate: float) -> None:
        """The rate of the motor of a joint, rad/s or m/s, in place of that of the scene.

        Examples
        --------
        >>> import carom
        >>> sim = carom.example_scene("gripper").simulation()
        >>> sim.set_motor("left_guide", 0.02)
        >>> sim.step(10)
        10
        """
        self._raw.set_motor(joint, rate)

    def snapshot(self) -> _carom.Snapshot:
        """All that the simulation is between two steps.

        Examples
        --------
        >>> import carom
        >>> sim = carom.example_scene("pendulum_wall").simulation()
        >>> sim.snapshot()
        <carom._carom.Snapshot object at ...>
        """
        return self._raw.snapshot()

    def restore(self, snapshot: _carom.Snapshot) -> None:
        """Goes back to a snapshot, and on from it bit for bit.

        Examples
        --------
        >>> import carom
        >>> sim = carom.example_scene("pendulum_wall").simulation()
        >>> start = sim.snapshot()
        >>> sim.step(100)
        100
        >>> sim.restore(start)
        >>> sim.steps
        0
        """
        self._raw.restore(snapshot)

    @property
    def contacts(self) -> list[StepContact]:
        """Contacts of the last step."""
        return self._raw.contacts

    @property
    def energy(self) -> dict[str, float]:
        """The ledger of the last step, J."""
        return self._raw.energy

    @property
    def end(self) -> str | None:
        """Why it ended; None while it continues."""
        return self._raw.end

    @property
    def status(self) -> str:
        """What a run that ended here would be: "certified", "uncertified" or "failed"."""
        return self._raw.report()[0]

    @property
    def certificate(self) -> Certificate:
        """How far the steps so far can be trusted."""
        return Certificate(**self._raw.report()[1])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What theory says about them."""
        return tuple(self._raw.report()[2])

    def __repr__(self) -> str:
        ended = f", ended by {self.end}" if self.end else ""
        return f"<Simulation of {self.scene.title!r} at {self.time_s:.6g} s after {self.steps} steps{ended}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("simulations are not pickled: pickle the scene and the state")
