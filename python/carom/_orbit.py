"""Derivatives of motions, periodic motions, branches over a parameter, Lyapunov exponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _carom
from ._certificate import Finding
from ._scene import Scene, _count

if TYPE_CHECKING:
    from ._run import Run

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NotDifferentiable:
    """Where a motion does not depend smoothly on its data.

    Examples
    --------
    >>> import carom
    >>> motion = carom.sensitivities(carom.example_scene("impact_oscillator"), "parameters.e")
    >>> motion.lost is None
    True
    """

    time_s: float
    kind: str  #: grazing, simultaneous, threshold, collapse, onset, map, formula, start
    place: str
    words: str
    order: int  #: of grazing: of the minimum of the gap
    instant_exponent: float
    state_exponent: float
    dgap_m: Array | None  #: of grazing: the gap by the data


@dataclass(frozen=True)
class SensitiveState:
    """The system at one instant; derivatives have one column per name of ``by``, or are None.

    Examples
    --------
    >>> import carom
    >>> motion = carom.sensitivities(carom.example_scene("impact_oscillator"), "parameters.e", at_s=[0.5])
    >>> motion.states[0].time_s
    0.5
    """

    time_s: float
    q: Array
    u: Array
    dq: Array | None
    du: Array | None
    probes: Array
    dprobes: Array | None
    one_sided: bool  #: they hold for changes that keep gaps open which only touched


@dataclass(frozen=True)
class SensitiveEvent:
    """An event; derivatives are None where it has none.

    Examples
    --------
    >>> import carom
    >>> motion = carom.sensitivities(carom.example_scene("impact_oscillator"), "parameters.e")
    >>> motion.events[0].dtime_s.shape
    (1,)
    """

    time_s: float
    kind: str
    place: str
    percussion_Ns: float
    dtime_s: Array | None
    dpercussion_Ns: Array | None


@dataclass(frozen=True)
class Sensitivities:
    """How a motion depends on starts and parameters, exactly, through all its events.

    Examples
    --------
    >>> import carom
    >>> carom.sensitivities(carom.example_scene("impact_oscillator"), "parameters.e").reached_end
    True
    """

    by: tuple[str, ...]
    reached_end: bool
    states: tuple[SensitiveState, ...]  #: at the requested instants, then at the end
    events: tuple[SensitiveEvent, ...]
    lost: NotDifferentiable | None  #: derivatives end there
    one_sided: tuple[NotDifferentiable, ...]
    dend_s: Array | None  #: of the instant at which ``until`` ended the run
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Orbit:
    """A periodic motion.

    Examples
    --------
    >>> import carom
    >>> found = carom.orbit(carom.example_scene("impact_oscillator"), period="2*pi/w", settle=50)
    >>> len(found.multipliers), found.q.shape
    (2, (1,))
    """

    converged: bool
    residual: float
    iterations: int
    trouble: str  #: where it did not converge: what to try
    period_s: float
    start_s: float
    q: Array
    u: Array
    multipliers: tuple[complex, ...]  #: the largest first; without the trivial one where there is a section
    stable: bool
    stability: str  #: stable, neutral (the largest moduli are 1 to within their rounding) or unstable
    rests: bool  #: nothing moves in the whole period: an equilibrium
    monodromy: Array
    dperiod_s: Array | None
    dstart: Array | None
    lowest: Array
    highest: Array
    events: tuple[SensitiveEvent, ...]
    shift: Array  #: of the coordinates in one period
    lost: NotDifferentiable | None  #: the orbit does not depend smoothly on its data there
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        if not self.converged:
            return f"<no orbit: residual {self.residual:.2g} after {self.iterations} iterations; {self.trouble}>"
        largest = f", largest multiplier {abs(self.multipliers[0]):.6g}" if self.multipliers else ""
        return f"<orbit of period {self.period_s:.9g} s: {self.stability}{largest}, {_count(self.events, 'event')}>"

    def run(self, scene: Scene, periods: int = 1) -> Run:
        """The motion of the orbit, by power series. `scene` is the one that the orbit was found in; on a branch, with the
        parameter set to the value of the orbit.

        Examples
        --------
        >>> import carom
        >>> scene = carom.example_scene("impact_oscillator")
        >>> found = carom.orbit(scene, period="2*pi/w", settle=50)
        >>> run = found.run(scene)
        >>> bool(abs(run.q["x"][-1] - run.q["x"][0]) < 1e-9)
        True
        """
        step_s = self.period_s / 400
        starting = scene.set(
            start_s=self.start_s,
            duration_s=periods * self.period_s,
            **{"integrator.kind": "series", "integrator.time_step_s": step_s, "record.every_s": step_s},
        )
        return _started(starting, self).run()


@dataclass(frozen=True)
class SpecialPoint:
    """Where something changes along a branch.

    Examples
    --------
    >>> import carom
    >>> scene = carom.example_scene("impact_oscillator")
    >>> carom.branch(scene, "parameters.w", 2.1, 2.8, period="2*pi/w").special[0].kind
    'period_doubling'
    """

    kind: str  #: fold, period_doubling, torus, branching, grazing, stick, slip, contact_lost, corner, events
    value: float
    place: str
    time_s: float
    slope: float  #: of the gap, reaction or acceleration that vanishes, by the parameter
    orbit: Orbit


@dataclass(frozen=True)
class Curve:
    """A special point followed over a second parameter; see :meth:`Branch.curve`.

    Examples
    --------
    >>> import carom
    >>> scene = carom.example_scene("impact_oscillator")
    >>> followed = carom.branch(scene, "parameters.w", 2.1, 2.8, period="2*pi/w")
    >>> followed.curve(0, "parameters.e", 0.78, 0.82, steps=4).kind
    'period_doubling'
    """

    kind: str
    place: str
    over: tuple[str, str]  #: both parameters
    first: Array  #: values of the first
    second: Array  #: and of the second, increasing
    orbits: tuple[Orbit, ...]
    end: str  #: how it ends below and above: range, or where the point is lost


@dataclass(frozen=True)
class Branch:
    """Orbits followed over a parameter.

    Examples
    --------
    >>> import carom
    >>> scene = carom.example_scene("impact_oscillator")
    >>> carom.branch(scene, "parameters.w", 2.1, 2.5, period="2*pi/w").end
    'range'
    """

    over: str
    values: Array
    orbits: tuple[Orbit, ...]
    special: tuple[SpecialPoint, ...]
    at: tuple[tuple[float, Orbit], ...]  #: orbits at exactly the requested values
    end: str  #: range, max_points, or why it ended
    _raw: _carom.Branch

    def __repr__(self) -> str:
        kinds = ", ".join(f"{point.kind} at {point.value:.6g}" for point in self.special)
        ends = f"{self.values[0]:.6g} to {self.values[-1]:.6g}" if len(self.values) else "nothing"
        return f"<branch over {self.over}: {len(self.orbits)} orbits, {ends}, ended by {self.end}; special: {kinds or 'none'}>"

    def doubled(self, index: int) -> Branch:
        """The branch of orbits of twice the period that leaves at ``special[index]``, a period doubling.

        Examples
        --------
        >>> import carom
        >>> scene = carom.example_scene("impact_oscillator")
        >>> followed = carom.branch(scene, "parameters.w", 2.1, 2.8, period="2*pi/w")
        >>> twice = followed.doubled(0)
        >>> bool(abs(twice.orbits[0].period_s * twice.values[0] / (4 * 3.14159265358979) - 1) < 1e-9)
        True
        """
        return _branch(self._raw.doubled(index))

    def past_grazing(self, index: int) -> Branch:
        """The branch of orbits with one impact more that begins at ``special[index]``, a grazing.

        Where no such orbit exists the branch has no points, and ``end`` says so.

        Examples
        --------
        >>> import carom
        >>> scene = carom.example_scene("impact_oscillator")
        >>> followed = carom.branch(scene, "parameters.w", 2.1, 2.8, period="2*pi/w")
        >>> followed.past_grazing(0)
        Traceback (most recent call last):
        ...
        ValueError: this special point is a period_doubling, not a grazing
        """
        return _branch(self._raw.past_grazing(index))

    def curve(self, index: int, over: str, low: float, high: float, *, steps: int = 20) -> Curve:
        """``special[index]`` followed over a second parameter, as ``carom branch --curve``.

        Examples
        --------
        >>> import carom
        >>> scene = carom.example_scene("impact_oscillator")
        >>> followed = carom.branch(scene, "parameters.w", 2.1, 2.8, period="2*pi/w")
        >>> bool((followed.curve(0, "parameters.e", 0.78, 0.82, steps=4).first > 2).all())
        True
        """
        _check_range(low, high)
        name = over.removeprefix("parameters.")
        raw = self._raw.curve(index, name, float(low), float(high), steps)
        raw["orbits"] = tuple(_orbit(one) for one in raw["orbits"])
        return Curve(over=(self.over, name), **raw)


@dataclass(frozen=True)
class Equilibrium:
    """A configuration in which the system can rest.

    Examples
    --------
    >>> import carom
    >>> mass = carom.System(coordinates={"x": 0.5}, kinetic="x'^2/2", potential="k*x^2/2 - x", parameters={"k": 2.0})
    >>> carom.equilibria(mass.scene(), "parameters.k", 1, 4).branches[0].points[0].q
    array([1.])
    """

    value: float  #: of the parameter
    q: Array
    r_N: Array  #: N, per closed contact
    eigenvalues: tuple[complex, ...]  #: of the motion near it, 1/s; of an edge of a set: none
    stable: bool


@dataclass(frozen=True)
class EquilibriumBranch:
    """Equilibria over a parameter; with friction, an edge of the set of equilibria.

    Examples
    --------
    >>> import carom
    >>> mass = carom.System(coordinates={"x": 0.5}, kinetic="x'^2/2", potential="k*x^2/2 - x", parameters={"k": 2.0})
    >>> carom.equilibria(mass.scene(), "parameters.k", 1, 4).branches[0].sides
    ()
    """

    sides: tuple[int, ...]  #: per closed contact with friction: -1 or 1
    points: tuple[Equilibrium, ...]
    special: tuple[tuple[str, float, str], ...]  #: kind, value of the parameter, place
    end: str

    def __repr__(self) -> str:
        kinds = ", ".join(f"{kind} at {value:.6g}" for kind, value, _ in self.special)
        return f"<branch of {len(self.points)} equilibria, ended by {self.end}; special: {kinds or 'none'}>"


@dataclass(frozen=True)
class Equilibria:
    """All branches of equilibria; see :func:`equilibria`.

    Examples
    --------
    >>> import carom
    >>> mass = carom.System(coordinates={"x": 0.5}, kinetic="x'^2/2", potential="k*x^2/2 - x", parameters={"k": 2.0})
    >>> carom.equilibria(mass.scene(), "parameters.k", 1, 4).contacts
    ()
    """

    contacts: tuple[str, ...]  #: the closed ones
    branches: tuple[EquilibriumBranch, ...]


@dataclass(frozen=True)
class Lyapunov:
    """Lyapunov exponents with their standard errors, the largest first.

    Examples
    --------
    >>> import carom
    >>> result = carom.lyapunov(carom.example_scene("impact_oscillator"), 2.856, discard=20, intervals=40)
    >>> result.errors_1_s.shape == result.exponents_1_s.shape
    True
    """

    exponents_1_s: Array
    errors_1_s: Array
    time_s: float
    impacts: int


def _orbit(raw: dict[str, Any]) -> Orbit:
    raw["multipliers"] = tuple(raw["multipliers"])
    raw["events"] = tuple(SensitiveEvent(**one) for one in raw["events"])
    raw["lost"] = None if raw["lost"] is None else NotDifferentiable(**raw["lost"])
    raw["findings"] = tuple(raw["findings"])
    return Orbit(**raw)


def _branch(raw: _carom.Branch) -> Branch:
    points = raw.points
    return Branch(
        over=raw.over,
        values=np.array([value for value, _ in points]),
        orbits=tuple(_orbit(one) for _, one in points),
        special=tuple(SpecialPoint(orbit=_orbit(one.pop("orbit")), **one) for one in raw.special),
        at=tuple((value, _orbit(one)) for value, one in raw.at),
        end=raw.end,
        _raw=raw,
    )


def _started(scene: Scene, guess: Orbit | Mapping[str, float] | None) -> Scene:
    """The scene with its start at an orbit, or at the coordinates ``x`` and velocities ``x'`` given."""
    if guess is None:
        return scene
    if isinstance(guess, Orbit):
        start = dict(zip(scene.coordinates, guess.q)) | {f"{name}'": u for name, u in zip(scene.coordinates, guess.u)}
    else:
        start = dict(guess)
    return scene.set(**{
        f"coordinate.{name[:-1]}.start_velocity" if name.endswith("'") else f"coordinate.{name}.start": float(value)
        for name, value in start.items()
    })


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _options(
    period: float | str,
    section: str,
    returns: int,
    settle: int,
    segments: int,
    shift: Mapping[str, float | str] | None,
    free: Sequence[str],
    by: Sequence[str],
    max_iterations: int,
    tolerance: float,
) -> dict[str, Any]:
    return {
        "period": period if isinstance(period, str) else repr(float(period)),
        "section": section,
        "returns": returns,
        "settle": settle,
        "segments": segments,
        "shift": {name: value if isinstance(value, str) else repr(float(value)) for name, value in (shift or {}).items()},
        "free": _names(free),
        "by": [name.removeprefix("parameters.") for name in _names(by)],
        "max_iterations": max_iterations,
        "tolerance": float(tolerance),
    }


def sensitivities(
    scene: Scene, by: str | Sequence[str], at_s: Sequence[float] = (), *, of_steps: bool = False
) -> Sensitivities:
    """Derivatives of a motion by ``parameters.NAME``, ``coordinate.NAME.start`` and ``.start_velocity``.

    With ``of_steps`` the derivatives are those of the steps of the integrator ``moreau``, not of the motion.

    Examples
    --------
    >>> import carom
    >>> motion = carom.sensitivities(carom.read_scene("scenes/impact_oscillator.toml"), "parameters.e")
    >>> motion.states[-1].dq.shape
    (1, 1)
    """
    raw = _carom.sensitivities(scene._raw, _names(by), [float(t) for t in at_s], of_steps)
    lost = raw["lost"]
    return Sensitivities(
        by=tuple(raw["by"]),
        reached_end=raw["reached_end"],
        states=tuple(SensitiveState(**one) for one in raw["states"]),
        events=tuple(SensitiveEvent(**one) for one in raw["events"]),
        lost=None if lost is None else NotDifferentiable(**lost),
        one_sided=tuple(NotDifferentiable(**one) for one in raw["one_sided"]),
        dend_s=raw["dend_s"],
        findings=tuple(raw["findings"]),
    )


def orbit(
    scene: Scene,
    *,
    period: float | str = "",
    section: str = "",
    returns: int = 1,
    settle: int = 0,
    segments: int = 1,
    shift: Mapping[str, float | str] | None = None,
    free: Sequence[str] = (),
    by: str | Sequence[str] = (),
    guess: Orbit | Mapping[str, float] | None = None,
    max_iterations: int = 40,
    tolerance: float = 1e-12,
) -> Orbit:
    """The periodic motion near the start of a scene, as ``carom orbit``.

    Parameters
    ----------
    scene : Scene
        One that the series integrator can run.
    period : float or str
        Of a driven system: seconds, or a formula of parameters such as ``"2*pi/w"``.
    section : str
        Of an autonomous system: the orbit begins where this formula of the state rises through zero.
    returns : int
        The orbit closes at this return to the section.
    settle : int
        Periods, or returns, that are run before the search.
    segments : int
        Of multiple shooting.
    shift, free
        Coordinates that advance by a given amount in a period, or by any amount.
    by : str or sequence of str
        Parameters by which the orbit is differentiated.
    guess : Orbit or mapping, optional
        Where to search, instead of the start of the scene: another orbit, or ``{"x": 0.1, "x'": 2.0}``.
    max_iterations, tolerance
        Of Newton's method.

    Examples
    --------
    >>> import carom
    >>> found = carom.orbit(carom.read_scene("scenes/impact_oscillator.toml"), period="2*pi/w", settle=50)
    >>> found.converged, found.stable
    (True, True)
    """
    options = _options(period, section, returns, settle, segments, shift, free, _names(by), max_iterations, tolerance)
    return _orbit(_carom.find_orbit(_started(scene, guess)._raw, options))


def branch(
    scene: Scene,
    over: str,
    low: float,
    high: float,
    *,
    period: float | str = "",
    section: str = "",
    returns: int = 1,
    settle: int = 0,
    segments: int = 1,
    shift: Mapping[str, float | str] | None = None,
    free: Sequence[str] = (),
    guess: Orbit | Mapping[str, float] | None = None,
    values: Sequence[float] = (),
    max_step: float = 0.02,
    max_points: int = 5000,
    upwards: bool = True,
) -> Branch:
    """Orbits over a parameter, by continuation from the one near the start of the scene.

    ``carom branch`` follows both directions; here `upwards` chooses one.

    Parameters
    ----------
    scene, period, section, returns, settle, segments, shift, free, guess
        As for :func:`orbit`.
    over : str
        The parameter, ``parameters.NAME``; `low` and `high` are its range, which has the value of the scene in it.
    values : sequence of float
        Orbits at exactly these values go to ``branch.at``.
    max_step : float
        Of the arclength, as a fraction of the range and of the size of the state.
    max_points : int
        Ends the branch after this many orbits.

    Examples
    --------
    >>> import carom
    >>> followed = carom.branch(carom.read_scene("scenes/impact_oscillator.toml"), "parameters.w", 2.1, 2.8, period="2*pi/w")
    >>> [point.kind for point in followed.special]
    ['period_doubling']
    """
    options = _options(period, section, returns, settle, segments, shift, free, (), 40, 1e-12)
    _check_range(low, high)
    if not 0 < max_step < np.inf or max_points < 1:
        raise ValueError(f"max_step is {max_step}, max_points {max_points}: give a step greater than zero and at least one point")
    options |= {
        "max_step": float(max_step),
        "max_points": max_points,
        "upwards": upwards,
        "values": [float(one) for one in values],
    }
    name = over.removeprefix("parameters.")
    return _branch(_carom.follow_branch(_started(scene, guess)._raw, options, name, float(low), float(high)))


def _check_range(low: float, high: float) -> None:
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"the range is from {low} to {high}: give two finite numbers, the smaller one first")


def equilibria(scene: Scene, over: str, low: float, high: float, *, steps: int = 100) -> Equilibria:
    """Equilibria over a parameter from the one near the start of the scene, as ``carom branch --equilibrium``.

    Contacts that are closed at the start stay closed. With friction, equilibria are a set: its edges are followed.

    Examples
    --------
    >>> import carom
    >>> mass = carom.System(coordinates={"x": 0.5}, kinetic="x'^2/2", potential="k*x^2/2 - x", parameters={"k": 2.0})
    >>> found = carom.equilibria(mass.scene(), "parameters.k", 1, 4)
    >>> found.branches[0].end
    'below: range; above: range'
    """
    _check_range(low, high)
    contacts, branches = _carom.follow_equilibria(scene._raw, over.removeprefix("parameters."), float(low), float(high), steps)
    return Equilibria(
        contacts=tuple(contacts),
        branches=tuple(
            EquilibriumBranch(
                sides=tuple(one["sides"]),
                points=tuple(Equilibrium(**point | {"eigenvalues": tuple(point["eigenvalues"])}) for point in one["points"]),
                special=tuple(one["special"]),
                end=one["end"],
            )
            for one in branches
        ),
    )


def lyapunov(scene: Scene, interval_s: float, *, discard: int = 100, intervals: int = 1000) -> Lyapunov:
    """Lyapunov exponents of the motion of a scene, by QR factorisation once per interval.

    Examples
    --------
    >>> import carom
    >>> scene = carom.read_scene("scenes/impact_oscillator.toml")
    >>> carom.lyapunov(scene, 2.856, discard=20, intervals=40).exponents_1_s.shape
    (2,)
    """
    if not 0 < interval_s < np.inf:
        raise ValueError(f"interval_s is {interval_s}: give the period of the forcing, or some time, s")
    finished, trouble, exponents, errors, time_s, impacts = _carom.lyapunov_exponents(
        scene._raw, float(interval_s), discard, intervals
    )
    if not finished:
        raise RuntimeError(f"no exponents: {trouble}")
    return Lyapunov(exponents, errors, time_s, impacts)
