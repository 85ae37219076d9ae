"""What a run left behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _carom, _figure
from ._bodies import Bodies, BodyTrack
from ._certificate import Certificate, Finding
from ._events import Events
from ._frames import BodyContacts, Columns, ContactTrack, Named, Snapshot
from ._page import Page
from ._scene import PathLike, Scene, _count

if TYPE_CHECKING:
    import pandas  # type: ignore[import]
    import xarray
    from matplotlib.figure import Figure  # type: ignore[import]

Array = NDArray[np.float64]
Listener = Callable[[_carom.Step], bool | None]


class Run:
    """What a run left behind.

    Columns are views of the library's memory: they cannot be written, cost nothing, and keep it alive.

    Examples
    --------
    >>> import carom
    >>> run = carom.read_scene("scenes/pendulum_wall.toml").run()
    >>> run.status
    'certified'
    >>> run.q["theta"].shape == run.t.shape
    True
    >>> run.events[0].kind
    'impact'
    """

    def __init__(self, raw: _carom.Run, scene: Scene | None = None) -> None:
        self._raw = raw
        self._scene = scene

    # how it ended

    @property
    def status(self) -> str:
        """"certified", "uncertified" or "failed"; "interrupted" or "unfinished"."""
        return self._raw.status

    @property
    def end(self) -> str:
        """Why the run ended: "duration", "rest", "formula", ..."""
        return self._raw.end

    @property
    def time_s(self) -> float:
        """Where it ended, s."""
        return self._raw.time_s

    @property
    def scene(self) -> Scene:
        """The scene that was run."""
        if self._scene is None:
            self._scene = Scene(_carom.read_scene_text(self._columns["scene_text"], self.title, [], ""), self.title)
        return self._scene

    @property
    def title(self) -> str:
        """Of the scene."""
        return self._scene.title if self._scene is not None else str(self._columns["title"])

    @cached_property
    def certificate(self) -> Certificate:
        """How far the run can be trusted."""
        return Certificate(**self._raw.certificate)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What theory says about it."""
        return tuple(self._raw.findings)

    @cached_property
    def events(self) -> Events:
        """What happened at contacts and constraints."""
        return Events(self._raw.events)

    @cached_property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """The system at the instants of `at_s`."""
        return tuple(Snapshot(*one) for one in self._raw.snapshots)

    @property
    def wall_s(self) -> float:
        """Time that the steps took, s."""
        return self._raw.wall_s

    @property
    def recording(self) -> str:
        """The file of the run; empty: none."""
        return self._raw.recording

    # columns

    @cached_property
    def _columns(self) -> dict[str, Any]:
        return self._raw.columns

    def _array(self, name: str) -> Array:
        array: Array = self._columns[name]
        return array

    @property
    def t(self) -> Array:
        """Time of the frames, s."""
        return self._array("time_s")

    @cached_property
    def q(self) -> Columns:
        """Coordinates by name."""
        return Columns(self.coordinates, self._array("q"))

    @cached_property
    def u(self) -> Columns:
        """Velocities by the name of their coordinate; right limits."""
        return Columns(self.coordinates, self._array("u"))

    @property
    def coordinates(self) -> list[str]:
        """Names, in the order of the columns."""
        names = [name for name, _ in self._columns["coordinates"]]
        return names or (self._scene.coordinates if self._scene is not None else [])

    @property
    def units(self) -> dict[str, str]:
        """Unit of every coordinate."""
        return dict(self._columns["coordinates"])

    @property
    def is_flat(self) -> bool:
        """Bodies in the plane."""
        return bool(self._columns["flat"])

    @cached_property
    def gap_m(self) -> Columns:
        """Gaps by contact, m."""
        return Columns(self._columns["contacts"], self._array("gap_m"))

    @cached_property
    def percussion_Ns(self) -> Columns:
        """Normal percussions by contact, N s, sums since the previous frame."""
        return Columns(self._columns["contacts"], self._array("percussion_Ns"))

    @cached_property
    def reaction_Ns(self) -> Columns:
        """Percussions of constraints, N s, sums since the previous frame."""
        constraints = self._columns["constraints"]
        return Columns(constraints["reactions"], constraints["percussion_Ns"])

    @cached_property
    def contacts(self) -> Named[ContactTrack]:
        """The contacts of a system in coordinates; those of bodies come and go: `body_contacts`."""
        friction = self._columns["friction"]
        empty = np.empty(0)
        tracks: Named[ContactTrack] = Named()
        for name in self._columns["contacts"]:
            gap = self.gap_m[name] if len(self.gap_m.array) else empty
            percussion = self.percussion_Ns[name] if len(self.percussion_Ns.array) else empty
            tracks[name] = ContactTrack(name, gap, percussion, *friction.get(name, (None, None)))
        return tracks

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies by name."""
        return Bodies([BodyTrack(self, *one) for one in self._columns["bodies"]])

    @cached_property
    def body_contacts(self) -> BodyContacts:
        """The contacts of bodies, frame by frame."""
        return BodyContacts(**self._columns["body_contacts"])

    @cached_property
    def energy(self) -> Named[Array]:
        """``kinetic_J`` and ``potential_J``; the other lines of the ledger are sums since the start."""
        return Named(self._columns["energies"])

    @cached_property
    def probes(self) -> Named[Array]:
        """The probes of the scene."""
        return Named(self._columns["probes"])

    @property
    def residual(self) -> Array:
        """Worst error of a step since the previous frame."""
        return self._array("residual")

    @cached_property
    def jumps(self) -> Named[Array]:
        """One row per step with an impact: ``time_s``, ``q``, ``u_minus``, ``u_plus``."""
        return Named(self._columns["jumps"])

    # tables, files, pictures

    def to_pandas(self) -> pandas.DataFrame:
        """The frames as a table: the columns of ``carom export --to csv``, with the time as index.

        Examples
        --------
        >>> import carom
        >>> table = carom.example_scene("pendulum_wall").run().to_pandas()
        >>> table.index.name, list(table.columns[:2])
        ('time_s', ['theta', "theta'"])
        """
        from ._tables import to_pandas

        return to_pandas(self)

    def to_xarray(self) -> xarray.Dataset:
        """The frames as a Dataset with the dimensions time_s, coordinate and contact.

        Examples
        --------
        >>> import carom
        >>> data = carom.example_scene("pendulum_wall").run().to_xarray()
        >>> data["q"].dims
        ('time_s', 'coordinate')
        """
        from ._tables import to_xarray

        return to_xarray(self)

    def plot(self, kind: str = "overview", **options: Any) -> Figure:
        """A picture of the run by matplotlib.

        Parameters
        ----------
        kind : {"overview", "coordinates", "velocities", "gaps", "energy", "phase", "contacts"}
            ``velocities`` shows jumps as jumps, ``energy`` the ledger, ``phase`` velocities over coordinates,
            ``contacts`` the network of contact forces of bodies in a frame (`frame`, by default the last).
        **options
            ``names``: coordinates to show; ``frame``: of ``contacts``; ``figsize``.

        Examples
        --------
        >>> import carom
        >>> figure = carom.example_scene("pendulum_wall").run().plot("phase")
        >>> len(figure.axes)
        1
        """
        from ._plot import plot

        return plot(self, kind, **options)

    def figure(self, name: str | None = None, file: PathLike | None = None, *, format: str | None = None,
               dpi: float = 200) -> _figure.Figure:
        """A ``[[figure]]`` of the scene, drawn from this run; see :meth:`Scene.figure`. Figures that need further runs
        (``over``, ``set``, ``orbit``, strobes, numbers at an instant) make them.

        Examples
        --------
        >>> import carom
        >>> carom.example_scene("tractrix").run().figure("path").format
        'svg'
        """
        return _figure.draw(self.scene._raw, self._raw, name, file, format, dpi)

    def show(self, height_px: int = 720) -> Page:
        """The page of ``carom report``, which a notebook shows in place.

        Examples
        --------
        >>> import carom
        >>> page = carom.example_scene("pendulum_wall").run().show()
        >>> "<html" in page.html
        True
        """
        return Page(self._raw.page(), height_px)

    def report(self, path: PathLike) -> None:
        """Writes the page of ``carom report``.

        Examples
        --------
        >>> import carom, os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "run.html")
        >>> carom.example_scene("pendulum_wall").run().report(file)
        >>> os.path.getsize(file) > 10_000
        True
        """
        self.show().save(path)

    def export(self, path: PathLike) -> None:
        """Writes the run in the format that the ending names: csv, svg, html, gltf, glb, pvd (VTK).

        Examples
        --------
        >>> import carom, os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "run.csv")
        >>> carom.example_scene("pendulum_wall").run().export(file)
        >>> open(file).readline()[:12]
        'time_s,theta'
        """
        from ._export import export

        export(self._raw, os.fspath(path))

    def save(self, path: PathLike) -> None:
        """Writes the recording of the run, as ``carom run -o`` does; :func:`carom.open` reads it.

        Examples
        --------
        >>> import carom, os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "run.h5")
        >>> carom.example_scene("pendulum_wall").run().save(file)
        >>> carom.open(file).status
        'certified'
        """
        name = os.fspath(path)
        if self.recording:
            if os.path.abspath(self.recording) != os.path.abspath(name):
                shutil.copyfile(self.recording, name)
            return
        self._raw.save(name)

    def __repr__(self) -> str:
        steps = self.certificate.steps
        ended = "" if self.end == "duration" else f", ended by {self.end}"
        return (
            f"<Run {self.title!r}: {self.status}, {self.time_s:.6g} s in {steps} steps{ended}, "
            f"{_count(self.events, 'event')}, {_count(self.t, 'frame')}>"
        )

    def __str__(self) -> str:
        lines = [repr(self)[1:-1], repr(self.certificate)]
        lines += [f"finding       {finding}" for finding in self.findings]
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("runs are not pickled: run.save(path) writes them, carom.open(path) reads them")
