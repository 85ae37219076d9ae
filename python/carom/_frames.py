"""The frames of a run: coordinates, contacts and bodies over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Value = TypeVar("Value")


@dataclass(frozen=True)
class Snapshot:
    """The system at an instant of `at_s`.

    Examples
    --------
    >>> import carom
    >>> carom.example_scene("pendulum_wall").run(at_s=[0.25]).snapshots[0].reached
    True
    """

    time_s: float
    reached: bool  #: False: the run ended before
    q: Array
    u: Array
    probes: Sequence[float]


class Columns(Mapping[str, Array]):
    """One column per name; ``columns["theta"]`` is a view. The whole is `array`, one row per frame.

    Examples
    --------
    >>> import carom
    >>> q = carom.example_scene("pendulum_wall").run().q
    >>> list(q), q["theta"].shape == (len(q.array),)
    (['theta'], True)
    """

    def __init__(self, names: Sequence[str], array: Array) -> None:
        self.names = list(names)
        self.array = array
        self._at = {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Array:
        if name not in self._at:
            raise KeyError(f"{name!r}; there are: {', '.join(self.names) or 'none'}")
        if self.array.shape[0] == 0:
            raise KeyError(f"{name!r} was not recorded: see [record] fields of the scene")
        column: Array = self.array[:, self._at[name]]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<{self.array.shape[0]} frames of {', '.join(self.names) or 'nothing'}>"


class Named(dict[str, Value]):
    """A dictionary whose KeyError says which names there are."""

    def __missing__(self, name: str) -> Value:
        raise KeyError(f"{name!r}; there are: {', '.join(self) or 'none'}")

    def __repr__(self) -> str:
        return f"<{', '.join(self) or 'nothing'}>"


@dataclass(frozen=True)
class ContactTrack:
    """A contact over the frames of a run.

    Examples
    --------
    >>> import carom
    >>> wall = carom.example_scene("pendulum_wall").run().contacts["wall"]
    >>> bool(wall.gap_m.min() > -0.01)
    True
    """

    name: str
    gap_m: Array
    percussion_Ns: Array  #: normal, sum since the previous frame
    friction_Ns: Array | None = None  #: tangential components, likewise; None: without friction
    coefficient: Array | None = None  #: largest mu of a step since the previous frame

    def __repr__(self) -> str:
        return f"<contact {self.name}: {len(self.gap_m)} frames, largest percussion {self._largest():.4g} N s>"

    def _largest(self) -> float:
        return float(self.percussion_Ns.max(initial=0.0))


@dataclass(frozen=True)
class StepContact:
    """One contact point that a step knew; components are (normal, t1, t2).

    Examples
    --------
    >>> import carom
    >>> sim = carom.example_scene("stack").simulation()
    >>> sim.step(), bool(sim.contacts[0].percussion_Ns[0] > 0)
    (1, True)
    """

    name: str
    gap_m: float
    percussion_Ns: Array  #: on the first body
    velocity_before_m_s: Array
    velocity_after_m_s: Array
    point_m: Array  #: of bodies: where
    normal: Array  #: of bodies: towards the first body


@dataclass(frozen=True)
class BodyContacts:
    """Contacts of bodies, which come and go: rows `first_row[i]` to `first_row[i + 1]` are those of frame i.

    Examples
    --------
    >>> import carom
    >>> contacts = carom.example_scene("stack", duration_s=0.05).run().body_contacts
    >>> contacts.point_m.shape == (len(contacts.first), 3)
    True
    """

    first_row: NDArray[np.int64]
    first: NDArray[np.int64]  #: number of the body, one row per contact
    second: NDArray[np.int64]
    point_m: Array
    normal: Array  #: towards the first body
    percussion_Ns: Array  #: of the step on the first body, axes of the world
    gap_m: Array
    step_s: Array  #: length of the step, per frame

    def at(self, frame: int) -> slice:
        """The rows of a frame.

        Examples
        --------
        >>> import carom
        >>> contacts = carom.example_scene("stack", duration_s=0.05).run().body_contacts
        >>> len(contacts.gap_m[contacts.at(-1)]) > 0
        True
        """
        frames = len(self.first_row) - 1
        if not -frames <= frame < frames:
            raise IndexError(f"frame {frame} of {max(frames, 0)}")
        frame %= frames
        return slice(int(self.first_row[frame]), int(self.first_row[frame + 1]))

    def force_N(self, frame: int) -> Array:
        """Forces on the first bodies in a frame, (contacts, 3).

        Examples
        --------
        >>> import carom
        >>> carom.example_scene("stack", duration_s=0.05).run().body_contacts.force_N(-1).shape[1]
        3
        """
        return np.asarray(self.percussion_Ns[self.at(frame)] / self.step_s[frame])

    def __repr__(self) -> str:
        return f"<{len(self.first)} contacts in {max(len(self.first_row) - 1, 0)} frames>"
