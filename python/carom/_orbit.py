"""Derivatives of motions, motions that repeat, branches over a parameter, Lyapunov exponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _carom
from ._scene import Scene

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
    kind: str  #: grazing, simultaneous, threshold, collapse, onset, map, start
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
    states: tuple[SensitiveState, ...]  #: at the instants asked for, then at the end
    events: tuple[SensitiveEvent, ...]
    lost: NotDifferentiable | None  #: derivatives end there
    one_sided: tuple[NotDifferentiable, ...]


@dataclass(frozen=True)
class Orbit:
    """A motion that repeats.

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
    monodromy: Array
    dperiod_s: Array | None
    dstart: Array | None
    lowest: Array
    highest: Array
    events: tuple[SensitiveEvent, ...]


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

    kind: str  #: fold, period_doubling, torus, grazing, stick, contact_lost, corner, events
    value: float
    place: str
    time_s: float
    orbit: Orbit


@dataclass(frozen=True)
class Branch:
    """Orbits followed over a parameter.

    Examples
    --------
    >>> import carom
    >>> scene = carom.example_scene("impact_oscillator")
    >>> carom.branch(scene, "parameters.w", 2.3, 2.5, period="2*pi/w").end
    'range'
    """

    over: str
    values: Array
    orbits: tuple[Orbit, ...]
    special: tuple[SpecialPoint, ...]
    end: str  #: range, max_points, or why it ended


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
    return Orbit(**raw)


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
    }


def sensitivities(scene: Scene, by: str | Sequence[str], at_s: Sequence[float] = ()) -> Sensitivities:
    """Derivatives of a motion by ``parameters.NAME``, ``coordinate.NAME.start`` and ``.start_velocity``.

    Examples
    --------
    >>> import carom
    >>> motion = carom.sensitivities(carom.read_scene("scenes/impact_oscillator.toml"), "parameters.e")
    >>> motion.states[-1].dq.shape
    (1, 1)
    """
    raw = _carom.sensitivities(scene._raw, _names(by), [float(t) for t in at_s])
    lost = raw["lost"]
    return Sensitivities(
        by=tuple(raw["by"]),
        reached_end=raw["reached_end"],
        states=tuple(SensitiveState(**one) for one in raw["states"]),
        events=tuple(SensitiveEvent(**one) for one in raw["events"]),
        lost=None if lost is None else NotDifferentiable(**lost),
        one_sided=tuple(NotDifferentiable(**one) for one in raw["one_sided"]),
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
) -> Orbit:
    """The motion that repeats near the start of a scene, as ``carom orbit``.

    Examples
    --------
    >>> import carom
    >>> found = carom.orbit(carom.read_scene("scenes/impact_oscillator.toml"), period="2*pi/w", settle=50)
    >>> found.converged, found.stable
    (True, True)
    """
    options = _options(period, section, returns, settle, segments, shift, free, _names(by))
    return _orbit(_carom.find_orbit(scene._raw, options))


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
    max_step: float = 0.02,
    max_points: int = 5000,
    upwards: bool = True,
) -> Branch:
    """Orbits from the one near the start of the scene on, over a parameter; ``carom branch`` goes both ways.

    Examples
    --------
    >>> import carom
    >>> followed = carom.branch(carom.read_scene("scenes/impact_oscillator.toml"), "parameters.w", 2.1, 2.8, period="2*pi/w")
    >>> [point.kind for point in followed.special]
    ['period_doubling']
    """
    options = _options(period, section, returns, settle, segments, shift, free, ())
    name = over.removeprefix("parameters.")
    raw = _carom.follow_branch(scene._raw, options, name, float(low), float(high), float(max_step), max_points, upwards)
    return Branch(
        over=name,
        values=np.array([value for value, _ in raw["points"]]),
        orbits=tuple(_orbit(one) for _, one in raw["points"]),
        special=tuple(
            SpecialPoint(kind, value, place, time_s, _orbit(one)) for kind, value, place, time_s, one in raw["special"]
        ),
        end=raw["end"],
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
    finished, trouble, exponents, errors, time_s, impacts = _carom.lyapunov_exponents(
        scene._raw, float(interval_s), discard, intervals
    )
    if not finished:
        raise RuntimeError(f"no exponents: {trouble}")
    return Lyapunov(exponents, errors, time_s, impacts)
