"""Scenes: from files, from dictionaries, with values replaced."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _carom, _figure, _toml
from ._errors import Mistake

if TYPE_CHECKING:
    from ._inspect import Inspection
    from ._run import Listener, Run
    from ._simulation import Simulation
    from ._study import StudyTable

PathLike = str | os.PathLike[str]


#: A mapping of names to values, or None. Any for type checkers, which else refuse ``**{"solver.tolerance": 1e-6}``: they take
#: it for a value of every keyword.
Parameters = Any


class Scene:
    """A system, its start and how to run it: read, checked, and constant.

    Scenes come from :func:`read_scene`, :func:`scene`, :class:`System` and :func:`import_urdf`.

    Examples
    --------
    >>> import carom
    >>> ball = carom.scene({
    ...     "duration_s": 1,
    ...     "coordinate": [{"name": "z", "start": 1}],
    ...     "lagrangian": {"kinetic": "z'^2/2", "potential": "9.81*z"},
    ...     "contact": [{"name": "floor", "gap": "z", "law": {"restitution": 0.5}}],
    ... })
    >>> ball.kind, ball.duration_s
    ('coordinates', 1.0)
    >>> ball.set(duration_s=2).duration_s
    2.0
    """

    __slots__ = ("_folder", "_name", "_raw")

    def __init__(self, raw: _carom.Scene, name: str = "scene", folder: str = "") -> None:
        self._raw = raw
        self._name = name
        self._folder = folder

    @property
    def title(self) -> str:
        """What the scene shows."""
        return self._raw.title

    @property
    def text(self) -> str:
        """The scene as TOML; empty where Python functions are part of it."""
        return self._raw.text

    @property
    def kind(self) -> str:
        """"coordinates", "bodies" or "sweeping"."""
        return self._raw.kind

    @property
    def integrator(self) -> str:
        """"moreau", "moreau_jean" or "series"; "sweeping" for sweeping processes."""
        return self._raw.integrator

    @property
    def time_step_s(self) -> float:
        """Length of a step, s."""
        return self._raw.time_step_s

    @property
    def start_s(self) -> float:
        """Time at which a run begins, s."""
        return self._raw.start_s

    @property
    def duration_s(self) -> float:
        """How long a run lasts at most, s."""
        return self._raw.duration_s

    @property
    def length_m(self) -> float:
        """Typical length, the scale for small gaps, m."""
        return self._raw.length_m

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates, in the order of `q`."""
        return [name for name, _ in self._raw.coordinates]

    @property
    def units(self) -> dict[str, str]:
        """Unit of every coordinate."""
        return dict(self._raw.coordinates)

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts of a system in coordinates."""
        return self._raw.contacts

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._raw.bodies

    @property
    def q(self) -> NDArray[np.float64]:
        """Coordinates at the start."""
        return self._raw.q

    @property
    def u(self) -> NDArray[np.float64]:
        """Velocities at the start."""
        return self._raw.u

    @property
    def warnings(self) -> Sequence[Mistake]:
        """What is probably not intended."""
        return self._raw.warnings

    def set(self, parameters: Parameters = None, **overrides: Any) -> Scene:
        """The scene with values replaced; this one stays as it is.

        Parameters
        ----------
        parameters : mapping, optional
            Values of ``[parameters]``.
        **overrides
            Values by their path, as after ``--set``: ``duration_s=2``, ``integrator={"time_step_s": 1e-4}``,
            ``**{"solver.tolerance": 1e-6, "coordinate.x.start": 0.1}``.

        Examples
        --------
        >>> import carom
        >>> ball = carom.example_scene("pendulum_wall")
        >>> ball.set({"e": 0.3}, duration_s=2, **{"solver.tolerance": 1e-6}).duration_s
        2.0
        """
        pairs = _override_pairs(parameters, overrides)
        if not self.text:
            raise TypeError("this scene of Python functions has no text: change the System and make it again")
        return Scene(_carom.read_scene_text(self.text, self._name, pairs, self._folder), self._name, self._folder)

    def to_dict(self) -> dict[str, Any]:
        """The scene as nested dictionaries; ``carom.scene(s.to_dict())`` is the same scene.

        Examples
        --------
        >>> import carom
        >>> carom.example_scene("pendulum_wall").to_dict()["coordinate"][0]["name"]
        'theta'
        """
        if not self.text:
            raise TypeError("this scene of Python functions has no text, and so no dictionary")
        return tomllib.loads(self.text)

    def save(self, path: PathLike) -> None:
        """Writes the scene as a TOML file.

        Examples
        --------
        >>> import carom, os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "mine.toml")
        >>> carom.example_scene("pendulum_wall", duration_s=2).save(file)
        >>> carom.read_scene(file).duration_s
        2.0
        """
        if not self.text:
            raise TypeError("this scene of Python functions has no text that could be written")
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.text)

    @property
    def figures(self) -> list[str]:
        """Names of the ``[[figure]]`` tables."""
        return _carom.figure_names(self._raw)

    def figure(self, name: str | None = None, file: PathLike | None = None, *, format: str | None = None,
               dpi: float = 200) -> _figure.Figure:
        """Runs the scene as often as a ``[[figure]]`` of it needs and draws the figure, as ``carom figure`` does.

        Parameters
        ----------
        name : str, optional
            Of the figure; not needed where the scene has one.
        file : path, optional
            Written as well; its ending, .svg, .pdf or .png, says the format.
        format : {"svg", "pdf", "png"}, optional
            Where no file says it; by default svg.
        dpi : float
            Dots per inch of png.

        Examples
        --------
        >>> import carom
        >>> scene = carom.example_scene("tractrix")
        >>> scene.figure(scene.figures[0], format="png").data[1:4]
        b'PNG'
        """
        return _figure.draw(self._raw, None, name, file, format, dpi)

    def run(
        self,
        recording: PathLike | None = None,
        *,
        at_s: Sequence[float] = (),
        save_problems: str | None = None,
        problem_folder: PathLike | None = None,
        columns: bool = True,
        listener: Listener | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Runs the scene from its start to its end.

        Parameters
        ----------
        recording : path, optional
            File that the run is recorded in while it runs.
        at_s : sequence of float
            Instants to keep in ``run.snapshots``; they do not change the motion.
        save_problems : {"all", "failed", "worst:N"}, optional
            One-step problems to keep as FCLIB files in `problem_folder`.
        columns : bool
            Frames in memory. Without them only the end, events and certificate are kept.
        listener : callable, optional
            Called with every :class:`Step`; ``False`` ends the run after it.
        progress : bool, optional
            Shows a bar; by default on terminals and in notebooks, if the run takes a while.

        Returns
        -------
        Run

        Raises
        ------
        Error
            Instants outside the run, files that cannot be written.
        Interrupted
            Ctrl-C; the exception has the run so far.

        Examples
        --------
        >>> import carom
        >>> run = carom.example_scene("pendulum_wall").run(at_s=[0.5])
        >>> run.status, run.snapshots[0].time_s
        ('certified', 0.5)
        """
        from ._running import run_scene

        return run_scene(self, recording, at_s, save_problems, problem_folder, columns, listener, progress)

    def simulation(self) -> Simulation:
        """The scene at its start, to be stepped by hand.

        Examples
        --------
        >>> import carom
        >>> carom.example_scene("pendulum_wall").simulation().step(10)
        10
        """
        from ._simulation import Simulation

        return Simulation(self)

    def inspect(self) -> Inspection:
        """What theory says of the scene before it is run.

        Examples
        --------
        >>> import carom
        >>> carom.example_scene("pendulum_wall").inspect().promise
        'one_solution'
        """
        from ._inspect import inspect

        return inspect(self)

    def study(self, vary: Mapping[str, Any] | None = None, **options: Any) -> StudyTable:
        """Many runs of this scene in one table; the options are those of :func:`study`.

        Examples
        --------
        >>> import carom
        >>> carom.example_scene("pendulum_wall", duration_s=1).study(vary={"parameters.e": [0.2, 0.8]}).runs
        2
        """
        from ._study import study

        return study(self, vary, **options)

    def __repr__(self) -> str:
        what = {
            "coordinates": f"{_count(self.coordinates, 'coordinate')}, {_count(self.contacts, 'contact')}",
            "bodies": _count(self.bodies, "body", "bodies"),
            "sweeping": f"sweeping process in {_count(self.coordinates, 'dimension')}",
        }[self.kind]
        return f"<Scene {self.title!r}: {what}, {self.integrator} in steps of {self.time_step_s:g} s, {self.duration_s:g} s>"

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.text:
            raise TypeError("a scene of Python functions cannot be pickled: functions are code")
        return (_from_text, (self.text, self._name, self._folder))


def _count(things: Sized, one: str, several: str = "") -> str:
    """"1 contact", "2 contacts"."""
    return f"{len(things)} {one if len(things) == 1 else several or one + 's'}"


def _from_text(text: str, name: str, folder: str) -> Scene:
    return Scene(_carom.read_scene_text(text, name, [], folder), name, folder)


def _override_pairs(parameters: Mapping[str, Any] | None, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters is {type(parameters).__name__}, not a mapping of names to values")
    pairs = _toml.overrides({"parameters": dict(parameters)}) if parameters else []
    return pairs + _toml.overrides(given)


def read_scene(path: PathLike, parameters: Parameters = None, **overrides: Any) -> Scene:
    """Reads a scene file, with values replaced.

    Parameters
    ----------
    path : path
        A TOML file.
    parameters : mapping, optional
        Values of ``[parameters]``.
    **overrides
        Values by their path: ``duration_s=2``, ``**{"solver.tolerance": 1e-6}``.

    Raises
    ------
    Error
        All mistakes of the file and the overrides, with line and hint.

    Examples
    --------
    >>> import carom
    >>> s = carom.read_scene("scenes/pendulum_wall.toml", duration_s=1, **{"solver.tolerance": 1e-6})
    >>> s.coordinates
    ['theta']
    """
    name = os.fspath(path)
    pairs = _override_pairs(parameters, overrides)
    return Scene(_carom.read_scene(name, pairs), name, os.path.dirname(os.path.abspath(name)))


def scene(
    content: Mapping[str, Any] | str,
    *,
    name: str = "scene",
    folder: PathLike = "",
    parameters: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> Scene:
    """A scene from nested dictionaries, or from its TOML text.

    Keys and values are those of scene files; NumPy arrays, tuples and the builders of this package
    (:class:`Body`, :class:`Material`, :class:`Joint`, ...) may be part of it. Table and mesh files are searched for
    below `folder`.

    Examples
    --------
    >>> import carom
    >>> s = carom.scene("duration_s = 1\\n[[coordinate]]\\nname = 'x'\\nstart = 0\\n[lagrangian]\\nkinetic = \\"x'^2/2\\"")
    >>> s.to_dict()["coordinate"]
    [{'name': 'x', 'start': 0}]
    """
    if not isinstance(content, (str, Mapping)):
        raise TypeError(f"a scene is a dictionary or a text, not {type(content).__name__}")
    text = content if isinstance(content, str) else _toml.document(content)
    pairs = _override_pairs(parameters, overrides)
    where = os.fspath(folder)
    return Scene(_carom.read_scene_text(text, name, pairs, where), name, where)


def import_urdf(path: PathLike, *, floating: bool = False, hold: bool = False) -> Scene:
    """The scene of a robot in URDF.

    Parameters
    ----------
    path : path
    floating : bool
        The root link moves; else it is fixed.
    hold : bool
        Motors hold all joints still, as strong as their effort.

    Examples
    --------
    >>> import carom
    >>> carom.import_urdf("tests/data/none.urdf")
    Traceback (most recent call last):
    carom._errors.Error: ...
    """
    name = os.fspath(path)
    text = _carom.import_urdf(name, floating, hold)
    return _from_text(text, name, os.path.dirname(os.path.abspath(name)))
