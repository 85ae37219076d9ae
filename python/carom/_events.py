"""What happened at contacts and constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """Something that happened at a contact or constraint.

    Examples
    --------
    >>> import carom
    >>> first = carom.example_scene("pendulum_wall").run().events[0]
    >>> first.kind, first.place
    ('impact', 'wall')
    """

    time_s: float
    step: int
    kind: str  #: impact, contact_made, contact_lost, stick, slip, accumulation, engage, lock, release
    place: str  #: name of the contact or constraint
    percussion_Ns: float  #: normal
    velocity_before_m_s: float
    velocity_after_m_s: float
    energy_J: float
    slip_rad: float
    status_before: str
    status_after: str

    def __repr__(self) -> str:
        return (
            f"<{self.kind} of {self.place} at {self.time_s:.6g} s: {self.percussion_Ns:.4g} N s, "
            f"{self.velocity_before_m_s:.4g} -> {self.velocity_after_m_s:.4g} m/s>"
        )


class Events(Sequence[Event]):
    """All events of a run, in their order; numbers also as columns, which are views.

    Examples
    --------
    >>> import carom
    >>> events = carom.example_scene("pendulum_wall").run().events
    >>> events.kind[0], events.time_s.shape == (len(events),)
    ('impact', True)
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = columns

    @property
    def time_s(self) -> Array:
        """When, s."""
        return self._array("time_s")

    @property
    def percussion_Ns(self) -> Array:
        """Normal percussions, N s."""
        return self._array("percussion_Ns")

    @property
    def velocity_before_m_s(self) -> Array:
        """Normal velocities before, m/s; negative approaches."""
        return self._array("velocity_before_m_s")

    @property
    def velocity_after_m_s(self) -> Array:
        """Normal velocities after, m/s."""
        return self._array("velocity_after_m_s")

    @property
    def energy_J(self) -> Array:
        """What each did to the kinetic energy, J."""
        return self._array("energy_J")

    @property
    def kind(self) -> list[str]:
        """What happened."""
        return list(self._columns["kind"])

    @property
    def place(self) -> list[str]:
        """Where: names of contacts and constraints."""
        return list(self._columns["place"])

    def of(self, kind: str | None = None, place: str | None = None) -> list[Event]:
        """The events of one kind, of one contact, or both.

        Examples
        --------
        >>> import carom
        >>> events = carom.example_scene("pendulum_wall").run().events
        >>> all(one.kind == "impact" for one in events.of(kind="impact", place="wall"))
        True
        """
        return [
            self[i]
            for i in range(len(self))
            if kind in (None, self._columns["kind"][i]) and place in (None, self._columns["place"][i])
        ]

    def _array(self, name: str) -> Array:
        column: Array = self._columns[name]
        return column

    def __len__(self) -> int:
        return len(self._columns["kind"])

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        values = {field.name: self._columns[field.name][index] for field in fields(Event)}
        return Event(**{name: float(v) if isinstance(v, np.floating) else v for name, v in values.items()})

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for kind in self._columns["kind"]:
            counts[kind] = counts.get(kind, 0) + 1
        return f"<{len(self)} events: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()) + ">"
