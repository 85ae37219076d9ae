"""One-step problems: from files or arrays, solved and proved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom
from ._scene import PathLike

Array = NDArray[np.float64]

#: Names of the solvers.
solvers: list[str] = list(_carom.solvers)


class Problem:
    """A one-step problem ``U = W P + q`` with Coulomb's law between U and P in every contact.

    Parameters
    ----------
    W : array or scipy sparse matrix, (n, n)
        Delassus operator, 1/kg.
    q : array, (n,)
        Velocities if nothing acted, m/s; per contact (N, T) or (N, T1, T2).
    mu : array, (contacts,)
        Friction coefficients; 0: without friction.
    dimension : {2, 3}, optional
        Rows per contact; else what the sizes say.
    joints : int
        Rows after those of the contacts, which stay zero.

    Examples
    --------
    >>> import carom, numpy as np
    >>> problem = carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5])
    >>> (carom.solve(problem).P + 0.0).round(6).tolist()
    [1.0, -0.2, 0.0]
    """

    def __init__(
        self, W: Any, q: ArrayLike, mu: ArrayLike, *, dimension: int | None = None, joints: int = 0
    ) -> None:
        velocities = np.atleast_1d(_numbers(q, "q"))
        coefficients = np.atleast_1d(_numbers(mu, "mu"))
        rows = velocities.size - joints
        if dimension is None:
            dimension = 3 if coefficients.size == 0 else rows // coefficients.size
        if dimension not in (2, 3) or rows != dimension * coefficients.size:
            raise ValueError(
                f"{rows} rows for {coefficients.size} contacts: two or three rows per contact are needed"
            )
        starts, columns, values = _rows_of(W)
        self._raw = _carom.make_problem(starts, columns, values, velocities, coefficients, dimension, joints)

    @classmethod
    def read(cls, path: PathLike) -> Problem:
        """A problem from an FCLIB file.

        Examples
        --------
        >>> import carom, numpy as np, os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "problem.hdf5")
        >>> carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5]).write(file)
        >>> carom.Problem.read(file).contacts
        1
        """
        problem = cls.__new__(cls)
        problem._raw = _carom.read_problem(os.fspath(path))
        return problem

    def write(self, path: PathLike) -> None:
        """Writes it as an FCLIB file.

        Examples
        --------
        >>> import carom, numpy as np, os, tempfile
        >>> carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5]).write(os.path.join(tempfile.mkdtemp(), "problem.hdf5"))
        """
        self._raw.write(os.fspath(path))

    @property
    def contacts(self) -> int:
        """How many."""
        return self._raw.contacts

    @property
    def q(self) -> Array:
        """Velocities if nothing acted, m/s."""
        return self._raw.q

    @property
    def mu(self) -> Array:
        """Friction coefficients."""
        return self._raw.mu

    @property
    def W(self) -> Any:
        """Delassus operator, 1/kg, as a scipy sparse matrix."""
        from scipy.sparse import coo_matrix  # type: ignore[import]

        rows, columns, values = self._raw.W
        return coo_matrix((values, (rows, columns)), shape=(self._raw.rows, self._raw.rows)).tocsr()

    def __repr__(self) -> str:
        return f"<Problem {self._raw.title or self._raw.name!r}: {self.contacts} contacts, {self._raw.rows} rows>"


def _numbers(given: Any, name: str) -> Array:
    """As doubles; texts, dates and complex numbers are none."""
    array = np.asarray(given)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"{name} is not an array of numbers but of {array.dtype}")
    return np.asarray(array, dtype=float)


def _rows_of(W: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Row by row: where each begins, columns, values."""
    if hasattr(W, "tocsr"):
        sparse = W.tocsr()
        if sparse.shape[0] != sparse.shape[1]:
            raise ValueError(f"W is not square: {sparse.shape}")
        return np.asarray(sparse.indptr, np.int64), np.asarray(sparse.indices, np.int64), _numbers(sparse.data, "W")
    dense = _numbers(W, "W")
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise ValueError(f"W is not a square matrix: {dense.shape}")
    n = dense.shape[0]
    return np.arange(0, n * n + 1, n or 1, dtype=np.int64), np.tile(np.arange(n, dtype=np.int64), n), dense.ravel()


@dataclass(frozen=True)
class Solution:
    """Percussions of a one-step problem, and what is proved of them from (P, W P + q) alone.

    Examples
    --------
    >>> import carom, numpy as np
    >>> solution = carom.solve(np.eye(3), [-1, 0.2, 0], [0.5])
    >>> solution.status, solution.U[0] == 0, solution.gap_J < 1e-12
    ('solved', True, True)
    """

    P: Array  #: percussions, N s
    U: Array  #: velocities, m/s
    status: str  #: "solved", or how the solve ended
    solver: str  #: that gave the answer
    iterations: int
    time_s: float
    check: Mapping[str, float]  #: errors: unit_free, velocity, siconos, gap_J (bipotential), ...
    asymmetry: float  #: of W
    negative_eigenvalues: int
    hidden_velocity_error: float | None
    warnings: Sequence[str]

    @property
    def solved(self) -> bool:
        """Both errors are below the tolerance."""
        return self.status == "solved"

    @property
    def unit_free_error(self) -> float:
        """Natural-map error without units, which the tolerance is of."""
        return self.check["unit_free"]

    @property
    def siconos_error(self) -> float:
        """Error by the formula of Siconos, for comparisons."""
        return self.check["siconos"]

    @property
    def gap_J(self) -> float:
        """Gap of the bipotential: zero where the law holds."""
        return self.check["gap_J"]

    def __repr__(self) -> str:
        return (
            f"<Solution: {self.status} by {self.solver} in {self.iterations} iterations, errors "
            f"{self.check['unit_free']:.2g} (unit-free), {self.check['siconos']:.2g} (Siconos), gap {self.gap_J:.2g} J>"
        )


def _problem(given: Any) -> Problem:
    if isinstance(given, Problem):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Problem.read(given)
    raise TypeError(f"{type(given).__name__} is not a problem: give a Problem, a file, or W, q and mu")


def _task(solver: str, tolerance: float, max_iterations: int, time_limit_s: float, repeat: int) -> _carom.SolveTask:
    return _carom.SolveTask(solver, tolerance, max_iterations, 1.0, time_limit_s, repeat)


def solve(
    problem: Any,
    q: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    *,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = _carom.patient_sweeps,
    time_limit_s: float = 0.0,
    repeat: int = 1,
) -> Solution:
    """Solves a one-step problem, from arrays or an FCLIB file, as ``carom solve``; :func:`compare` runs all solvers.

    Parameters
    ----------
    problem : Problem, path, or array or scipy sparse matrix W
    q, mu : array
        With W: velocities if nothing acted, and friction coefficients, as in :class:`Problem`.
    solver : str
        One of :data:`solvers`.
    tolerance : float
        Of the unit-free error and of Siconos' error.
    max_iterations : int
        Sweeps or iterations.
    time_limit_s : float
        0: none.
    repeat : int
        Solves from P = 0; ``time_s`` is that of the fastest.

    Examples
    --------
    >>> import carom, numpy as np
    >>> solution = carom.solve(np.eye(3), [-1, 0.2, 0], [0.5])
    >>> (solution.P + 0.0).round(6).tolist()
    [1.0, -0.2, 0.0]
    >>> carom.solve("no_such_file.hdf5")
    Traceback (most recent call last):
    carom._errors.Error: ...
    """
    if (q is None) != (mu is None):
        raise TypeError("W comes with both q and mu: solve(W, q, mu)")
    given = _problem(problem) if q is None or mu is None else Problem(problem, q, mu)
    task = _task(solver, tolerance, max_iterations, time_limit_s, repeat)
    return Solution(**_carom.solve(given._raw, task))


@dataclass(frozen=True)
class ComparedRun:
    """One solver on one problem.

    Examples
    --------
    >>> import carom, numpy as np
    >>> carom.compare([carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5])]).runs[0].contacts
    1
    """

    problem: str
    solver: str
    contacts: int
    status: str
    time_s: float
    unit_free: float
    siconos: float
    iterations: int
    ratio: float  #: times slower than the fastest; infinite where it failed


@dataclass(frozen=True)
class Comparison:
    """All solvers on the same problems, and their performance profile.

    Examples
    --------
    >>> import carom, numpy as np
    >>> compared = carom.compare([carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5])])
    >>> sorted(compared.profile) == sorted(carom.solvers)
    True
    """

    runs: tuple[ComparedRun, ...]
    factors: Array
    profile: Mapping[str, Array]  #: per solver: the fraction of the problems solved within each factor

    def to_pandas(self) -> Any:
        """The runs as a DataFrame.

        Examples
        --------
        >>> import carom, numpy as np
        >>> table = carom.compare([carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5])]).to_pandas()
        >>> "unit_free" in table.columns
        True
        """
        import pandas  # type: ignore[import]

        return pandas.DataFrame([vars(run) for run in self.runs])

    def __repr__(self) -> str:
        solved = sum(run.status == "solved" for run in self.runs)
        return f"<Comparison of {len(self.profile)} solvers: {solved} of {len(self.runs)} runs solved>"


def compare(
    problems: Sequence[Problem | PathLike],
    *,
    tolerance: float = 1e-8,
    max_iterations: int = _carom.patient_sweeps,
    time_limit_s: float = 0.0,
    repeat: int = 1,
) -> Comparison:
    """All solvers on the same problems, as ``carom solve --compare``.

    Parameters
    ----------
    problems : sequence of Problem or path
    tolerance, max_iterations, time_limit_s, repeat
        As in :func:`solve`, of each solver on each problem. Some solvers fail on some problems: a time limit keeps
        the comparison short.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import carom, numpy as np
    >>> compared = carom.compare([carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5])])
    >>> {run.status for run in compared.runs}
    {'solved'}
    """
    raw = [_problem(one)._raw for one in problems]
    answer = _carom.compare(raw, _task("auto", tolerance, max_iterations, time_limit_s, repeat))
    return Comparison(tuple(ComparedRun(*run) for run in answer["runs"]), answer["factors"], answer["profile"])
