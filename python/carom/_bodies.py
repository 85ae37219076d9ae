"""Bodies over the frames of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._run import Run

Array = NDArray[np.float64]


class BodyTrack:
    """A body over the frames of a run; positions and velocities are views.

    Examples
    --------
    >>> import carom
    >>> run = carom.example_scene("stack", duration_s=0.05).run()
    >>> body = run.bodies[run.scene.bodies[-1]]
    >>> body.position.shape == (len(run.t), 3)
    True
    """

    def __init__(self, run: Run, name: str, first: int, position: Sequence[float], rotation: Sequence[float]) -> None:
        self.name = name
        self._run = run
        self._first = first
        self._fixed = (position, rotation)

    @property
    def is_fixed(self) -> bool:
        """It does not move."""
        return self._first < 0

    @property
    def names(self) -> list[str]:
        """Of its coordinates, places first; none where it is fixed."""
        count = 3 if self._run.is_flat else 7
        return [] if self.is_fixed else self._run.coordinates[self._first : self._first + count]

    def _part(self, array: Array, offset: int, count: int, fixed: Sequence[float]) -> Array:
        if self.is_fixed:
            return np.broadcast_to(np.asarray(fixed[:count]), (len(self._run.t), count))
        part: Array = array[:, self._first + offset : self._first + offset + count]
        return part

    @property
    def position(self) -> Array:
        """Centre of mass, m: (frames, 3), in the plane (frames, 2)."""
        return self._part(self._run.q.array, 0, 2 if self._run.is_flat else 3, self._fixed[0])

    @property
    def velocity(self) -> Array:
        """Of the centre of mass, m/s."""
        return self._part(self._run.u.array, 0, 2 if self._run.is_flat else 3, (0.0, 0.0, 0.0))

    @property
    def angle(self) -> Array:
        """In the plane: rad, turns are counted."""
        if not self._run.is_flat:
            raise AttributeError("a body in space has a rotation, not an angle")
        w, z = self._fixed[1][0], self._fixed[1][3]
        column: Array = self._part(self._run.q.array, 2, 1, (2 * float(np.arctan2(z, w)),))[:, 0]
        return column

    @property
    def rotation(self) -> Array:
        """In space: unit quaternions (w, i, j, k), (frames, 4)."""
        if self._run.is_flat:
            raise AttributeError("a body in the plane has an angle, not a rotation")
        return self._part(self._run.q.array, 3, 4, self._fixed[1])

    @property
    def angular_velocity(self) -> Array:
        """rad/s: in the plane (frames,), in space (frames, 3) in axes of the body."""
        if self._run.is_flat:
            column: Array = self._part(self._run.u.array, 2, 1, (0.0,))[:, 0]
            return column
        # W = 2 conj(q) q'
        q, r = self.rotation, self._part(self._run.u.array, 3, 4, (0.0, 0.0, 0.0, 0.0))
        w = q[:, :1] * r[:, 1:] - r[:, :1] * q[:, 1:] - np.cross(q[:, 1:], r[:, 1:])
        return np.asarray(2 * w)

    def __repr__(self) -> str:
        return f"<body {self.name}: {'fixed' if self.is_fixed else f'{len(self._run.t)} frames'}>"


class Bodies(Mapping[str, BodyTrack]):
    """The bodies of a run by name."""

    def __init__(self, tracks: Sequence[BodyTrack]) -> None:
        self._tracks = {track.name: track for track in tracks}

    def __getitem__(self, name: str) -> BodyTrack:
        if name not in self._tracks:
            raise KeyError(f"{name!r}; there are: {', '.join(list(self._tracks)[:20]) or 'none'}")
        return self._tracks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tracks)

    def __len__(self) -> int:
        return len(self._tracks)

    def __repr__(self) -> str:
        return f"<{len(self)} bodies: {', '.join(list(self)[:8])}{', ...' if len(self) > 8 else ''}>"
