"""What theory says of a scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _carom
from ._scene import Scene


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis of a theorem, and whether the scene satisfies it.

    Examples
    --------
    >>> import carom
    >>> [one.bearing for one in carom.example_scene("pendulum_wall").inspect().hypotheses][0]
    'holds'
    """

    code: str  #: stable, e.g. "dependent_gradients"
    bearing: str  #: holds, not_refuted, condition, ...: what it means for the guarantee
    message: str
    theory: str  #: where it is stated


@dataclass(frozen=True)
class Inspection:
    """What theory says of a scene before it is run; of bodies, what there is and what touches at the start.

    Examples
    --------
    >>> import carom
    >>> carom.example_scene("two_motions").inspect().good
    False
    """

    kind: str  #: of the scene
    good: bool  #: nothing is against the scene
    facts: Mapping[str, Any]
    hypotheses: tuple[Hypothesis, ...] = field(default=())

    @property
    def promise(self) -> str:
        """Of a system in coordinates: one_solution, no_obstacle_found, possibly_several or none_promised."""
        return str(self.facts.get("promise", "one_solution" if self.good else "none_promised"))

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.promise if self.kind != 'bodies' else ('good' if self.good else 'overlaps')}"]
        lines += [f"{one.bearing:<16}{one.message} ({one.theory})" for one in self.hypotheses]
        lines += [f"{name:<20}{value}" for name, value in self.facts.items() if self.kind == "bodies"]
        return "\n".join(lines)


def inspect(scene: Scene) -> Inspection:
    """What theory says of a scene before it is run, as ``carom inspect``.

    Examples
    --------
    >>> import carom
    >>> carom.inspect(carom.read_scene("scenes/pendulum_wall.toml")).kind
    'coordinates'
    """
    good, facts = _carom.inspect(scene._raw)
    hypotheses = tuple(Hypothesis(*one) for one in facts.pop("hypotheses", ()))
    return Inspection(scene.kind, good, facts, hypotheses)
