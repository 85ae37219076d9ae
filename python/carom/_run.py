"""Runs: columns as views of the library's memory, events, certificate, findings."""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _carom, _toml
from ._errors import Interrupted
from ._scene import PathLike, Scene

if TYPE_CHECKING:
    import pandas  # type: ignore[import]
    import xarray
    from matplotlib.figure import Figure  # type: ignore[import]

Array = NDArray[np.float64]
Listener = Callable[[_carom.Step], bool | None]


@dataclass(frozen=True)
class Finding:
    """Something that theory says about a run and its user should know."""

    code: str  #: stable, e.g. "energy_created"
    time_s: float  #: when it was seen first
    message: str
    count: int  #: how often
    uncertifies: bool  #: the run cannot be certified because of it
    about: str = ""  #: names

    def __str__(self) -> str:
        return f"{self.code} at {self.time_s:.6g} s: {self.message}"


@dataclass(frozen=True)
class StepContact:
    """One contact point that a step knew; components are (normal, t1, t2)."""

    name: str
    gap_m: float
    percussion_Ns: Array  #: on the first body
    velocity_before_m_s: Array
    velocity_after_m_s: Array
    point_m: Array  #: of bodies: where
    normal: Array  #: of bodies: towards the first body


@dataclass(frozen=True)
class Event:
    """Something that happened at a contact or constraint."""

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
    """All events of a run, in their order; numbers also as columns, which are views."""

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
        """The events of one kind, of one contact, or both."""
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


@dataclass(frozen=True)
class Certificate:
    """How far a run can be trusted; every number was measured after the fact."""

    max_residual: float  #: worst error of a step: the tolerance that it meets
    max_residual_time_s: float
    max_penetration_m: float  #: deepest overlap at the end of a step
    max_violation: float  #: of positions that constraints hold
    max_cone_violation_Ns: float
    energy_balance_J: float  #: what the ledger leaves unexplained
    energy_error: float  #: largest part of the energies that scheme and correction made
    energy_error_time_s: float
    energy: Mapping[str, float]  #: the lines of the ledger, J
    steps: int
    unsolved_steps: int
    selected_steps: int
    unexamined_steps: int

    def __repr__(self) -> str:
        lines = [
            f"{self.steps} steps, {self.unsolved_steps} unsolved",
            f"residual      {self.max_residual:.2g} at {self.max_residual_time_s:.6g} s",
            f"penetration   {self.max_penetration_m:.2g} m",
            f"energy        balance {self.energy_balance_J:.2g} J, made by the scheme {self.energy_error:.2g}",
        ]
        lines += [f"  {name:<22}{value: .6g}" for name, value in self.energy.items() if value != 0]
        return "\n".join(lines)


@dataclass(frozen=True)
class Snapshot:
    """The system at an instant that was asked for."""

    time_s: float
    reached: bool  #: False: the run ended before
    q: Array
    u: Array
    probes: Sequence[float]


class Columns(Mapping[str, Array]):
    """One column per name; ``columns["theta"]`` is a view. The whole is `array`, one row per frame."""

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


@dataclass(frozen=True)
class ContactTrack:
    """A contact over the frames of a run."""

    name: str
    gap_m: Array
    percussion_Ns: Array  #: normal, sum since the frame before
    friction_Ns: Array | None = None  #: tangential components, likewise; None: without friction
    coefficient: Array | None = None  #: largest mu of a step since the frame before

    def __repr__(self) -> str:
        return f"<contact {self.name}: {len(self.gap_m)} frames, largest percussion {self._largest():.4g} N s>"

    def _largest(self) -> float:
        return float(self.percussion_Ns.max(initial=0.0))


class BodyTrack:
    """A body over the frames of a run; positions and velocities are views."""

    def __init__(self, run: Run, name: str, first: int, position: Sequence[float], rotation: Sequence[float]) -> None:
        self.name = name
        self._run = run
        self._first = first
        self._fixed = (position, rotation)

    @property
    def is_fixed(self) -> bool:
        """It does not move."""
        return self._first < 0

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


@dataclass(frozen=True)
class BodyContacts:
    """Contacts of bodies, which come and go: rows `first_row[i]` to `first_row[i + 1]` are those of frame i."""

    first_row: NDArray[np.int64]
    first: NDArray[np.int64]  #: number of the body, one row per contact
    second: NDArray[np.int64]
    point_m: Array
    normal: Array  #: towards the first body
    percussion_Ns: Array  #: of the step on the first body, axes of the world
    gap_m: Array
    step_s: Array  #: length of the step, per frame

    def at(self, frame: int) -> slice:
        """The rows of a frame."""
        frames = len(self.first_row) - 1
        if not -frames <= frame < frames:
            raise IndexError(f"frame {frame} of {max(frames, 0)}")
        frame %= frames
        return slice(int(self.first_row[frame]), int(self.first_row[frame + 1]))

    def force_N(self, frame: int) -> Array:
        """Forces on the first bodies in a frame, (contacts, 3)."""
        return np.asarray(self.percussion_Ns[self.at(frame)] / self.step_s[frame])

    def __repr__(self) -> str:
        return f"<{len(self.first)} contacts in {max(len(self.first_row) - 1, 0)} frames>"


class Page:
    """The page of a run: one HTML text that needs nothing else. Notebooks show it."""

    def __init__(self, text: str, height_px: int = 720) -> None:
        self.html = text
        self.height_px = height_px

    def save(self, path: PathLike) -> None:
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self.height_px}" '
            'style="border:0" sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<page of {len(self.html) // 1000} kB; save(path) writes it, a notebook shows it>"


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
        """Normal percussions by contact, N s, sums since the frame before."""
        return Columns(self._columns["contacts"], self._array("percussion_Ns"))

    @cached_property
    def reaction_Ns(self) -> Columns:
        """Percussions of constraints, N s, sums since the frame before."""
        constraints = self._columns["constraints"]
        return Columns(constraints["reactions"], constraints["percussion_Ns"])

    @cached_property
    def contacts(self) -> dict[str, ContactTrack]:
        """The contacts of a system in coordinates."""
        friction = self._columns["friction"]
        empty = np.empty(0)
        tracks = {}
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
    def energy(self) -> dict[str, Array]:
        """``kinetic_J`` and ``potential_J``; the other lines of the ledger are sums since the start."""
        return dict(self._columns["energies"])

    @cached_property
    def probes(self) -> dict[str, Array]:
        """The probes of the scene."""
        return dict(self._columns["probes"])

    @property
    def residual(self) -> Array:
        """Worst error of a step since the frame before."""
        return self._array("residual")

    @cached_property
    def jumps(self) -> dict[str, Array]:
        """One row per step with an impact: ``time_s``, ``q``, ``u_minus``, ``u_plus``."""
        return dict(self._columns["jumps"])

    # tables, files, pictures

    def to_pandas(self) -> pandas.DataFrame:
        """The frames as a table: the columns of ``carom export --to csv``, with the time as index."""
        import pandas

        columns: dict[str, Array] = {}
        for name in self.coordinates:
            columns[name] = self.q[name]
        if len(self.u.array):
            columns |= {name + "'": self.u[name] for name in self.coordinates}
        for prefix, part in (("gap_m.", self.gap_m), ("percussion_Ns.", self.percussion_Ns)):
            if len(part.array):
                columns |= {prefix + name: part[name] for name in part}
        if len(self.residual):
            columns["residual"] = self.residual
        return pandas.DataFrame(columns | self.energy | self.probes, index=pandas.Index(self.t, name="time_s"))

    def to_xarray(self) -> xarray.Dataset:
        """The frames as a Dataset with the dimensions time_s, coordinate and contact."""
        import xarray

        data: dict[str, Any] = {"q": (("time_s", "coordinate"), self.q.array)}
        if len(self.u.array):
            data["u"] = (("time_s", "coordinate"), self.u.array)
        for name, part in (("gap_m", self.gap_m), ("percussion_Ns", self.percussion_Ns)):
            if len(part.array):
                data[name] = (("time_s", "contact"), part.array)
        data |= {name: ("time_s", values) for name, values in (self.energy | self.probes).items()}
        places = {"time_s": self.t, "coordinate": self.coordinates, "contact": list(self.gap_m)}
        return xarray.Dataset(data, coords=places, attrs={"title": self.title, "status": self.status})

    def plot(self, kind: str = "overview", **options: Any) -> Figure:
        """A picture of the run by matplotlib.

        Parameters
        ----------
        kind : {"overview", "coordinates", "velocities", "gaps", "energy", "phase", "contacts"}
            ``velocities`` shows jumps as jumps, ``energy`` the ledger, ``phase`` velocities over coordinates,
            ``contacts`` the network of contact forces of bodies in a frame (`frame`, by default the last).
        **options
            ``names``: coordinates to show; ``frame``: of ``contacts``; ``figsize``.
        """
        from ._plot import plot

        return plot(self, kind, **options)

    def show(self, height_px: int = 720) -> Page:
        """The page of ``carom report``, which a notebook shows in place."""
        return Page(self._raw.page(), height_px)

    def report(self, path: PathLike) -> None:
        """Writes the page of ``carom report``."""
        self.show().save(path)

    def export(self, path: PathLike) -> None:
        """Writes the run in the format that the ending names: csv, svg, html, gltf, glb, pvd (VTK)."""
        name = os.fspath(path)
        ending = os.path.splitext(name)[1]
        texts = {".csv": self._raw.csv, ".svg": self._raw.svg, ".html": self._raw.page}
        if ending in texts:
            with open(name, "w", encoding="utf-8") as file:
                file.write(texts[ending]())
        elif ending in (".gltf", ".glb"):
            self._must_draw()
            with open(name, "wb") as asset:
                asset.write(self._raw.gltf(ending == ".glb"))
        elif ending == ".pvd":
            self._must_draw()
            self._export_vtk(name)
        else:
            raise ValueError(f"{name}: the ending says no format; there are .csv, .svg, .html, .gltf, .glb, .pvd")

    def _must_draw(self) -> None:
        if not self._raw.draws:
            raise ValueError("the scene draws nothing, so there is nothing to export: add [[draw]] entries")

    def _export_vtk(self, name: str) -> None:
        folder = os.path.splitext(os.path.basename(name))[0] + "_frames"
        place = os.path.join(os.path.dirname(name), folder)
        os.makedirs(place, exist_ok=True)
        for frame in range(len(self.t)):
            file_name, text = self._raw.vtp(frame)
            with open(os.path.join(place, file_name), "w", encoding="utf-8") as file:
                file.write(text)
        with open(name, "w", encoding="utf-8") as file:
            file.write(self._raw.pvd(folder))

    def save(self, path: PathLike) -> None:
        """Writes the recording of the run, as ``carom run -o`` does; :func:`carom.open` reads it."""
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
            f"{len(self.events)} events, {len(self.t)} frames>"
        )

    def __str__(self) -> str:
        lines = [repr(self)[1:-1], repr(self.certificate)]
        lines += [f"finding       {finding}" for finding in self.findings]
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("runs are not pickled: run.save(path) writes them, carom.open(path) reads them")


class _Bar:
    """A bar on the terminal or in a notebook, for runs that take longer than a moment."""

    def __init__(self, start_s: float, duration_s: float, wanted: bool | None) -> None:
        seen = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
        self.wanted = seen if wanted is None else wanted
        self._start_s, self._duration_s = start_s, duration_s
        self._begin = time.monotonic()
        self._shown = False

    def __call__(self, time_s: float) -> None:
        passed = time.monotonic() - self._begin
        if passed < 0.5:
            return
        part = min(max((time_s - self._start_s) / self._duration_s, 0.0), 1.0)
        left = f", {passed / part - passed:.0f} s left" if part > 0.01 else ""
        full = round(30 * part)
        sys.stderr.write(f"\r[{'=' * full}{' ' * (30 - full)}] {time_s:.4g} s, {100 * part:.0f} %{left}   ")
        sys.stderr.flush()
        self._shown = True

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * 72 + "\r")
            sys.stderr.flush()


def _problems(given: str | None) -> tuple[str, int]:
    if given is None:
        return "", 0
    match = re.fullmatch(r"(all|failed)|worst:([1-9][0-9]{0,3}|10000)", given)
    if not match:
        raise ValueError(f"save_problems={given!r}: give 'all', 'failed', or 'worst:N' with N from 1 to 10000")
    return (match[1], 0) if match[1] else ("worst", int(match[2]))


def run_scene(
    scene: Scene,
    recording: PathLike | None,
    at_s: Sequence[float],
    save_problems: str | None,
    problem_folder: PathLike | None,
    columns: bool,
    listener: Listener | None,
    progress: bool | None,
) -> Run:
    """See :meth:`Scene.run`."""
    which, count = _problems(save_problems)
    if which and problem_folder is None:
        raise ValueError("save_problems needs a problem_folder to put them in")
    if listener is not None and not callable(listener):
        raise TypeError("listener is not a function")
    bar = _Bar(scene.start_s, scene.duration_s, progress)
    try:
        raw, interrupted = _carom.run(
            scene._raw,
            "" if recording is None else os.fspath(recording),
            [float(t) for t in at_s],
            which,
            count,
            "" if problem_folder is None else os.fspath(problem_folder),
            columns,
            listener,
            bar if bar.wanted else None,
        )
    finally:
        bar.end()
    run = Run(raw, scene)
    if interrupted:
        raise Interrupted(run)
    return run


def open_recording(path: PathLike) -> Run:
    """The run of a recording, finished or not.

    Examples
    --------
    >>> import carom, tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> file = os.path.join(folder, "run.h5")
    >>> run = carom.read_scene("scenes/pendulum_wall.toml", duration_s=0.5).run(file)
    >>> (carom.open(file).q["theta"] == run.q["theta"]).all()
    True
    """
    return Run(_carom.open(os.fspath(path)))


def resume(
    path: PathLike,
    duration_s: float | None = None,
    *,
    listener: Listener | None = None,
    progress: bool | None = None,
) -> Run:
    """Goes on with a recorded run to its end, or to a longer `duration_s`.

    The run ends as if it had never been interrupted, bit for bit.
    """
    pairs = [] if duration_s is None else _toml.overrides({"duration_s": duration_s})
    bar = _Bar(0.0, 1.0, False if progress is None else progress)
    raw, interrupted = _carom.resume(os.fspath(path), pairs, listener, bar if bar.wanted else None)
    run = Run(raw, Scene(raw.scene) if raw.scene is not None else None)
    if interrupted:
        raise Interrupted(run)
    return run
