"""Many runs of one scene, in one table."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _carom, _toml
from ._errors import Error
from ._progress import Bar
from ._scene import PathLike, Scene

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Order:
    """What can be said about the order of convergence of one quantity.

    Examples
    --------
    >>> import carom
    >>> table = carom.example_scene("pendulum_wall", duration_s=0.2).study(converge=4)
    >>> table.orders[0].quantity
    'theta'
    """

    quantity: str
    values: tuple[str, ...]  #: one per varied key
    h_s: Array  #: one per level
    value: Array
    error: Array  #: against the exact value, or between neighbours
    ratio: Array  #: orders by ratios of errors
    fitted: float  #: by least squares
    limit: float  #: for h to 0
    verdict: str  #: seen, irregular, roundoff, none or too_few

    def __repr__(self) -> str:
        return f"<order of {self.quantity}: {self.fitted:.3g} ({self.verdict})>"


@dataclass(frozen=True)
class Attractor:
    """What runs of a study settle on: the states at the strobe, once through.

    Examples
    --------
    >>> import carom
    >>> table = carom.example_scene("impact_oscillator").study(
    ...     vary={"coordinate.x.start": [-0.1, -0.2]}, strobe="period", skip=30, basin=1e-3, duration_s=120)
    >>> [one.period for one in table.attractors]
    [1]
    """

    period: int  #: in periods of the strobe
    points: Array  #: one row per sample: every coordinate followed by its velocity
    runs: int  #: that reach it

    def __repr__(self) -> str:
        return f"<attractor of period {self.period}: {self.runs} runs>"


class StudyTable:
    """The table of a study: one row per run, or per sample of a strobe.

    Examples
    --------
    >>> import carom
    >>> table = carom.example_scene("pendulum_wall", duration_s=0.2).study(repeat=3, perturb={"theta": 1e-3})
    >>> len(table), table["theta"].shape
    (3, (3,))
    """

    def __init__(self, answer: dict[str, Any]) -> None:
        self._columns: dict[str, Any] = answer["columns"]
        self.runs: int = answer["runs"]  #: that the study has
        self.quantities: list[str] = answer["quantities"]  #: columns with results of the motion
        self.statuses: dict[str, int] = answer["statuses"]  #: number of runs by status
        self.wall_s: float = answer["wall_s"]
        self.threads: int = answer["threads"]
        self.orders: list[Order] = [Order(values=tuple(one.pop("values")), **one) for one in answer["orders"]]
        attractors, of = answer["basins"] or ((), ())
        self.attractors: list[Attractor] = [Attractor(period, np.array(points), runs) for period, points, runs in attractors]
        #: with ``basin``: per combination of values its attractor; -1 irregular, -2 failed
        self.basin: NDArray[np.int64] = np.array(of, dtype=np.int64)

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            raise KeyError(f"{name!r}; there are: {', '.join(self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame.

        Examples
        --------
        >>> import carom
        >>> table = carom.example_scene("pendulum_wall", duration_s=0.2).study(vary={"parameters.e": [0.2, 0.8]})
        >>> table.to_pandas()["parameters.e"].tolist()
        [0.2, 0.8]
        """
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        ends = ", ".join(f"{count} {status}" for status, count in self.statuses.items())
        return f"<study of {self.runs} runs: {ends}; {len(self)} rows, {len(self._columns)} columns>"


def _axis(path: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{path}={values}"
    cells = [str(one) if isinstance(one, str) else _toml.value(one, path) for one in values]
    return f"{path}=" + ",".join(cells)


def study(
    scene: Scene | PathLike,
    vary: Mapping[str, Any] | None = None,
    *,
    repeat: int = 1,
    seed: int = 0,
    perturb: Mapping[str, float] | None = None,
    perturb_step_s: float | None = None,
    converge: int = 0,
    exact: Mapping[str, float] | None = None,
    at_s: Sequence[float] = (),
    impacts: int = 0,
    strobe: float | str | None = None,
    section: str = "",
    skip: int = 0,
    output: PathLike | None = None,
    threads: int = 0,
    shard: str = "",
    basin: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    progress: bool | None = None,
    **overrides: Any,
) -> StudyTable:
    """Runs a scene many times, on all cores, into one table.

    Parameters
    ----------
    scene : Scene or path
    vary : mapping
        Values by path, all combinations are run: ``{"parameters.e": [0, 0.5, 1]}``, or ``"0:1:0.1"`` with both ends.
    repeat, seed : int
        Runs of each combination; of all that is random.
    perturb : mapping
        Start data moved at random by at most so much: ``{"theta": 1e-6, "theta'": 1e-3}``.
    perturb_step_s : float
        Each run has a uniform step of its own, shorter by at most this much; 0 means a fifth of the step.
    converge : int
        Levels h, h/2, h/4, ...; the orders are in ``table.orders``.
    exact : mapping
        Exact values of columns, for the orders.
    at_s : sequence of float
        Instants at which the state is shown; impacts : number of instants of impacts to keep.
    strobe, section, skip
        Samples with this period, or where this formula of the state rises through zero, the first `skip` left out.
    output : path
        File of the table, .csv or .h5; the same study continues there.
    threads : int
        0: all cores. The table does not depend on it.
    shard : str
        "i/n": this part of the runs only.
    basin : float
        Sorts the starts by the attractor that they reach, into ``table.attractors`` and ``table.basin``: samples
        that differ by less than this part of the largest value are the same. Needs `strobe`, and `skip` past the
        transient.
    parameters, **overrides
        Values of the scene replaced, as in :func:`read_scene`.

    Examples
    --------
    >>> import carom
    >>> table = carom.study("scenes/pendulum_wall.toml", {"parameters.e": [0.2, 0.8]}, duration_s=1)
    >>> table.runs, sorted(table.statuses)
    (2, ['certified'])
    """
    from ._scene import _override_pairs

    pairs = _override_pairs(parameters, overrides)
    wishes = {
        "vary": [_axis(path, values) for path, values in (vary or {}).items()],
        "perturb": [f"{name}={float(width)!r}" for name, width in (perturb or {}).items()],
        "repeat": repeat,
        "seed": seed,
        "perturb_step_s": perturb_step_s,
        "levels": converge,
        "exact": dict(exact or {}),
        "at_s": [float(t) for t in at_s],
        "impacts": impacts,
        "strobe": "" if strobe is None else str(strobe),
        "section": section,
        "skip": skip,
        "output": "" if output is None else os.fspath(output),
        "threads": threads,
        "shard": shard,
        "basin": basin,
    }
    if basin is not None and (repeat != 1 or converge):
        raise ValueError("basin runs every start once: leave out repeat and converge")
    bar = Bar(progress)
    show = bar.study if bar.wanted else None
    try:
        return _table(_study_of(scene, pairs, wishes, show))
    finally:
        bar.end()


def _study_of(
    scene: Scene | PathLike, pairs: list[tuple[str, str]], wishes: dict[str, Any], show: Callable[[int, int], None] | None
) -> dict[str, Any]:
    if not isinstance(scene, Scene):
        return _carom.study(os.fspath(scene), pairs, wishes, show)
    if not scene.text:
        raise TypeError("a study needs a scene with a text, not one of Python functions")
    # a study reads its scene from a file; tables and meshes are searched for beside it
    with tempfile.TemporaryDirectory() as folder:
        at = scene._folder if scene._folder and os.access(scene._folder, os.W_OK) and "file" in scene.text else folder
        with tempfile.NamedTemporaryFile("w", suffix=".toml", dir=at, encoding="utf-8") as file:
            file.write(scene.text)
            file.flush()
            try:
                return _carom.study(file.name, pairs, wishes, show)
            except Error as error:
                raise error.about(file.name, scene._name) from None


def _table(answer: dict[str, Any]) -> StudyTable:
    if answer["interrupted"]:
        raise KeyboardInterrupt("the study was interrupted; its file keeps what is done")
    return StudyTable(answer)
