"""Pictures of runs by matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import]
    from matplotlib.figure import Figure  # type: ignore[import]

    from ._run import Run

#: Style sheet of matplotlib with the colours, font and lines of ``carom figure``: ``pyplot.style.use(carom.style)``.
style = str(Path(__file__).with_name("carom.mplstyle"))

_MAX_LINES = 12  # in one panel; more cannot be distinguished
_MAX_PORTRAITS = 6  # in one picture


def _names(run: Run, names: Sequence[str] | None, most: int = _MAX_LINES) -> list[str]:
    if names is None:
        return _telling_names(run)[:most]
    unknown = [name for name in names if name not in run.coordinates]
    if unknown:
        raise KeyError(f"{unknown[0]!r}; there are: {', '.join(run.coordinates)}")
    return list(names)


def _telling_names(run: Run) -> list[str]:
    """Coordinates in their order; of bodies the places of those that travel farthest, no rotations."""
    moving = [track for track in run.bodies.values() if not track.is_fixed]
    if not moving:
        return run.coordinates
    moving.sort(key=lambda track: -float(np.ptp(track.position, axis=0).max()))
    places = [name for track in moving for name in track.names[: track.position.shape[1]]]
    of_bodies = {name for track in moving for name in track.names}
    return [name for name in run.coordinates if name not in of_bodies] + places


def _finish(run: Run, axes: Axes, label: str, time: bool = True) -> None:
    if time:
        axes.set_xlabel("t / s")
    axes.set_ylabel(label)
    lines = len(axes.get_legend_handles_labels()[1])
    if lines > 6:  # beside the curves, which it would hide
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="x-small")
    elif lines:
        axes.legend(loc="best", fontsize="small")
    axes.grid(alpha=0.3)


def _unit(run: Run, names: Sequence[str], rate: str = "") -> str:
    units = {run.units[name] for name in names}
    return f" / {units.pop()}{rate}" if len(units) == 1 and units != {""} else ""


def _coordinates(run: Run, axes: Axes, names: list[str]) -> None:
    for name in names:
        axes.plot(run.t, run.q[name], label=name)
    _finish(run, axes, "q" + _unit(run, names))


def _with_jumps(run: Run, name: str, what: str = "u") -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Velocity or place over time, with both limits at every impact: jumps are vertical."""
    column = run.coordinates.index(name)
    jumps = run.jumps
    before, after, frames = ("q", "q", run.q) if what == "q" else ("u_minus", "u_plus", run.u)
    t = np.concatenate([run.t, jumps["time_s"], jumps["time_s"]])
    values = np.concatenate([frames[name], jumps[before][:, column], jumps[after][:, column]])
    side = np.repeat([1, 0, 1], [len(run.t), len(jumps["time_s"]), len(jumps["time_s"])])
    order = np.lexsort((side, t))
    return t[order], values[order]


def _velocities(run: Run, axes: Axes, names: list[str]) -> None:
    for name in names:
        axes.plot(*_with_jumps(run, name), label=name + "'", linewidth=1)
    _finish(run, axes, "u" + _unit(run, names, "/s"))


def _gaps(run: Run, axes: Axes, names: list[str]) -> None:
    if not run.gap_m.array.size:
        raise ValueError("the run has no gaps: contacts of bodies come and go, plot('contacts') shows them; else see [record]")
    for name in list(run.gap_m)[:_MAX_LINES]:
        axes.plot(run.t, run.gap_m[name], label=name)
    axes.axhline(0, color="black", linewidth=0.5)
    _finish(run, axes, "gap / m")


def _energy(run: Run, axes: Axes, names: list[str]) -> None:
    for name, values in run.energy.items():
        if len(values) and np.any(values != 0):
            solid = name in ("kinetic_J", "potential_J")
            axes.plot(run.t, values, label=name[:-2], linestyle="-" if solid else "--", linewidth=1.5 if solid else 1)
    _finish(run, axes, "energy / J")


def _phase(run: Run, axes: Axes, name: str) -> None:
    """Velocity over place; jumps are vertical."""
    axes.plot(_with_jumps(run, name, "q")[1], _with_jumps(run, name, "u")[1], linewidth=0.8)
    _finish(run, axes, name + "'" + _unit(run, [name], "/s"), time=False)
    axes.set_xlabel(name + _unit(run, [name]))


def _phases(run: Run, names: list[str], figsize: tuple[float, float] | None) -> Figure:
    """One portrait per coordinate, side by side."""
    from matplotlib import pyplot  # type: ignore[import]

    columns = min(len(names), 3)
    rows = -(-len(names) // columns)
    size = figsize or (4.5 * columns, 4.2 * rows)
    figure, panels = pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for axes, name in zip(panels.flat, names):
        _phase(run, axes, name)
    for axes in list(panels.flat)[len(names) :]:
        axes.set_axis_off()
    return figure


def _contacts(run: Run, axes: Axes, frame: int, vertical: int) -> None:
    """Lines between the centres of bodies that push each other, as thick as the force is large."""
    rows = run.body_contacts.at(frame)
    contacts, forces = run.body_contacts, np.linalg.norm(run.body_contacts.force_N(frame), axis=1)
    tracks = list(run.bodies.values())
    largest = forces.max(initial=0.0) or 1.0
    for a, b, point, force in zip(contacts.first[rows], contacts.second[rows], contacts.point_m[rows], forces):
        ends = [t.position[frame] for t in (tracks[a], tracks[b]) if not t.is_fixed]
        for end in ends:
            axes.plot([end[0], point[0]], [end[vertical], point[vertical]], color="tab:red",
                      linewidth=6 * force / largest, alpha=0.7, solid_capstyle="round")
    moving = [t.position[frame] for t in tracks if not t.is_fixed]
    if moving:
        places = np.array(moving)
        axes.plot(places[:, 0], places[:, vertical], "o", color="black", markersize=2)
    axes.set_aspect("equal")
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m" if vertical == 1 else "z / m")
    axes.set_title(f"contact forces at {run.t[frame]:.4g} s, largest {forces.max(initial=0.0):.4g} N", fontsize="medium")


_PANELS: dict[str, Callable[[Any, Any, list[str]], None]] = {
    "coordinates": _coordinates,
    "velocities": _velocities,
    "gaps": _gaps,
    "energy": _energy,
}


def _overview(run: Run) -> list[str]:
    kinds = ["coordinates"]
    if len(run.u.array):
        kinds.append("velocities")
    if len(run.gap_m) and len(run.gap_m.array):
        kinds.append("gaps")
    if run.energy:
        kinds.append("energy")
    return kinds


def _rows(run: Run, kind: str, names: list[str], figsize: tuple[float, float] | None) -> Figure:
    """Panels over time, one above the other."""
    from matplotlib import pyplot

    kinds = _overview(run) if kind == "overview" else [kind]
    size = figsize or (8, 1 + 2.2 * len(kinds))
    figure, rows = pyplot.subplots(len(kinds), 1, figsize=size, layout="constrained", squeeze=False)
    for one, panel in zip(kinds, rows[:, 0]):
        _PANELS[one](run, panel, names)
    return figure


def _network(run: Run, frame: int, figsize: tuple[float, float] | None) -> Figure:
    from matplotlib import pyplot

    if not len(run.bodies):
        raise ValueError("a network of contacts is drawn for bodies; this run has coordinates")
    vertical = 1 if run.is_flat else 2
    places = np.array([track.position[frame] for track in run.bodies.values() if not track.is_fixed]).reshape(-1, vertical + 1)
    wide, high = np.ptp(places[:, [0, vertical]], axis=0) if len(places) else (1.0, 1.0)
    size = figsize or (7.5, float(np.clip(7.5 * high / (wide or 1.0), 2.5, 8.0)))
    figure, axes = pyplot.subplots(figsize=size, layout="constrained")
    _contacts(run, axes, frame, vertical)
    return figure


def plot(
    run: Run,
    kind: str = "overview",
    *,
    names: Sequence[str] | None = None,
    frame: int = -1,
    figsize: tuple[float, float] | None = None,
) -> Figure:
    """See :meth:`Run.plot`."""
    from matplotlib import pyplot

    with pyplot.style.context(style):
        return _styled_plot(run, kind, names, frame, figsize)


def _styled_plot(
    run: Run, kind: str, names: Sequence[str] | None, frame: int, figsize: tuple[float, float] | None
) -> Figure:
    if len(run.t) == 0:
        raise ValueError("the run has no frames: it was made with columns=False")
    if kind not in (*_PANELS, "overview", "phase", "contacts"):
        raise ValueError(f"kind={kind!r}: there are overview, {', '.join(_PANELS)}, phase, contacts")
    if kind == "contacts":
        return _network(run, frame, figsize)
    shown = _names(run, names, _MAX_PORTRAITS if kind == "phase" else _MAX_LINES)
    figure = _phases(run, shown, figsize) if kind == "phase" else _rows(run, kind, shown, figsize)
    if run.title:
        figure.suptitle(f"{run.title} ({run.status})", fontsize="medium")
    return figure
