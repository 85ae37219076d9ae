"""Systems in coordinates, from Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _carom, _toml
from ._scene import Scene
from ._trace import Formula, traced

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True)
class Coordinate:
    """A coordinate and its start.

    Examples
    --------
    >>> import carom
    >>> carom.Coordinate("theta", start=0.3, unit="rad")
    Coordinate(name='theta', start=0.3, start_velocity=0.0, unit='rad')
    """

    name: str
    start: float = 0.0
    start_velocity: float = 0.0
    unit: str = "m"


@dataclass(frozen=True)
class Contact:
    """A unilateral contact: its gap, and for friction the sliding velocities; or a particle and a surface.

    Formulas are texts, numbers, or functions of q, of (q, u) or of (q, u, t).

    Examples
    --------
    >>> import carom
    >>> floor = carom.Contact("floor", gap=lambda q: q.z, restitution=0.5)
    >>> floor.name
    'floor'
    """

    name: str
    gap: Formula | None = None
    restitution: Formula | None = None
    friction: Formula | None = None  #: Coulomb's coefficient
    static_friction: Formula | None = None
    tangential_restitution: Formula | None = None
    sliding: Sequence[Formula] = ()
    position: Sequence[Formula] = ()  #: of the particle, two or three
    surface: Formula | None = None  #: over x, y(, z), positive outside
    obstacle_velocity: Sequence[Formula] = ()


@dataclass(frozen=True)
class Constraint:
    """Positions or velocities that stay zero.

    Examples
    --------
    >>> import carom
    >>> rod = carom.Constraint("rod", zero=[lambda q: carom.hypot(q.x, q.y) - 1])
    >>> rod.name
    'rod'
    """

    name: str
    zero: Sequence[Formula] = ()
    velocity: Sequence[Formula] = ()
    only_while: str = ""  #: name of a contact


@dataclass(frozen=True)
class Probe:
    """A quantity to record.

    Examples
    --------
    >>> import carom
    >>> carom.Probe("energy", "x'^2/2", "J").unit
    'J'
    """

    name: str
    value: Formula
    unit: str = ""


def _coordinates(given: Any) -> list[Coordinate]:
    if isinstance(given, Mapping):
        pairs = [(name, start if isinstance(start, (tuple, list)) else (start,)) for name, start in given.items()]
        return [Coordinate(name, *start) for name, start in pairs]
    return [one if isinstance(one, Coordinate) else Coordinate(one) for one in given]


@dataclass
class System:
    """A system of coordinates described in Python.

    Functions are called once, with symbols in place of numbers, and become the same formulas as texts: derivatives,
    power series and certificates work as with them. Branches are written :func:`where`.

    Parameters
    ----------
    coordinates : mapping or sequence
        Start values by name, ``{"theta": 0.3}`` or ``{"theta": (0.3, 1.0)}`` with a velocity; or :class:`Coordinate`.
    kinetic, potential : formula
        J.
    forces : mapping
        By the name of their coordinate.
    contacts, constraints, probes : sequence
    parameters : mapping
        Numbers that texts can name.
    impact_map : callable, optional
        ``f(site, u_minus)`` gives u_plus in place of the restitutions; see :mod:`carom.impact`.
    duration_s, start_s, until
        As in scenes; `until` may be ``"rest"`` or a formula.
    integrator, solver, record : mapping
        The sections of scenes: ``integrator={"kind": "series"}``.

    Examples
    --------
    >>> import carom
    >>> pendulum = carom.System(
    ...     coordinates={"theta": 1.0},
    ...     kinetic=lambda q, u: u.theta**2 / 2,
    ...     potential=lambda q: -9.81 * carom.cos(q.theta),
    ...     contacts=[carom.Contact("wall", gap=lambda q: carom.sin(q.theta), restitution=0.8)],
    ...     duration_s=2,
    ... )
    >>> pendulum.run().status
    'certified'
    """

    coordinates: Any
    kinetic: Formula
    potential: Formula | None = None
    forces: Mapping[str, Formula] = field(default_factory=dict)
    contacts: Sequence[Contact] = ()
    constraints: Sequence[Constraint] = ()
    probes: Sequence[Probe] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    impact_map: Callable[..., Any] | None = None
    title: str = "system"
    start_s: float = 0.0
    duration_s: float = 1.0
    until: Formula | None = None
    integrator: Mapping[str, Any] = field(default_factory=dict)
    solver: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)

    def scene(self) -> Scene:
        """The scene of the system, checked.

        Examples
        --------
        >>> import carom
        >>> carom.System(coordinates={"x": 1.0}, kinetic="x'^2/2", potential=lambda q: q.x**2 / 2).scene().coordinates
        ['x']
        """
        places = _coordinates(self.coordinates)
        names = [one.name for one in places]
        spec = {
            "coordinates": [(one.name, float(one.start), float(one.start_velocity), one.unit) for one in places],
            "kinetic": traced(self.kinetic, names),
            "potential": traced(self.potential, names),
            "forces": {name: traced(force, names) for name, force in self.forces.items()},
            "contacts": [_contact(one, names) for one in self.contacts],
            "constraints": [_constraint(one, names) for one in self.constraints],
            "probes": [(one.name, traced(one.value, names), one.unit) for one in self.probes],
            "parameters": {name: float(value) for name, value in self.parameters.items()},
            "impact_map": self.impact_map,
            "until": None if self.until == "rest" else traced(self.until, names),
        }
        return Scene(_carom.make_scene(spec, self._settings()), self.title)

    def run(self, *args: Any, **options: Any) -> Run:
        """``self.scene().run(...)``.

        Examples
        --------
        >>> import carom
        >>> carom.System(coordinates={"x": 1.0}, kinetic="x'^2/2", potential=lambda q: q.x**2 / 2).run().status
        'certified'
        """
        return self.scene().run(*args, **options)

    def _settings(self) -> _carom.Scene:
        """What scenes say about times, integrator, solver and record, read by the reader of scenes."""
        frame = {
            "title": self.title,
            "start_s": self.start_s,
            "duration_s": self.duration_s,
            "until": "rest" if self.until == "rest" else None,
            "coordinate": [{"name": "x", "start": 0}],
            "lagrangian": {"kinetic": "x'^2/2"},
            "integrator": dict(self.integrator) or None,
            "solver": dict(self.solver) or None,
            "record": dict(self.record) or None,
        }
        return _carom.read_scene_text(_toml.document(frame), self.title, [], "")


def _contact(contact: Contact, names: Sequence[str]) -> dict[str, Any]:
    axes = ["x", "y", "z"][: len(contact.position)]
    return {
        "name": contact.name,
        "gap": traced(contact.gap, names),
        "restitution": traced(contact.restitution, names),
        "friction": traced(contact.friction, names),
        "static_friction": traced(contact.static_friction, names),
        "tangential_restitution": traced(contact.tangential_restitution, names),
        "sliding": [traced(one, names) for one in contact.sliding],
        "position": [traced(one, names) for one in contact.position],
        "surface": traced(contact.surface, axes),
        "obstacle_velocity": [traced(one, axes) for one in contact.obstacle_velocity],
    }


def _constraint(constraint: Constraint, names: Sequence[str]) -> dict[str, Any]:
    return {
        "name": constraint.name,
        "zero": [traced(one, names) for one in constraint.zero],
        "velocity": [traced(one, names) for one in constraint.velocity],
        "only_while": constraint.only_while,
    }
