"""Parts of scenes as objects: bodies, materials, joints, lattices, ...; their fields are those of scene files."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from . import _carom


class Part:
    """A part of a scene. Fields are given by keyword, read and set as attributes, and checked by name at once.

    What the values must be is checked where the scene is made, with all other mistakes.
    """

    _keys: ClassVar[dict[str, str]] = {}
    _section: ClassVar[str] = ""
    _spread: ClassVar[bool] = False  # its fields are fields of the part that has it

    def __init__(self, **fields: Any) -> None:
        self._values: dict[str, Any] = {}
        for name, value in fields.items():
            setattr(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """As a scene has it.

        Examples
        --------
        >>> import carom
        >>> ball = carom.Shape(shape="sphere", radius_m=0.1)
        >>> carom.Body(name="ball", shape=ball, mass_kg=1.0).to_dict()
        {'name': 'ball', 'shape': 'sphere', 'radius_m': 0.1, 'mass_kg': 1.0}
        """
        fields: dict[str, Any] = {}
        for name, value in self._values.items():
            if isinstance(value, Part) and value._spread:
                fields |= value.to_dict()
            elif value is not None:
                fields[name] = _plain(value)
        return fields

    def replace(self, **fields: Any) -> Self:
        """One like it with other fields; this one stays.

        Examples
        --------
        >>> import carom
        >>> ball = carom.Body(name="ball", shape="sphere", radius_m=0.1)
        >>> ball.replace(name="other", radius_m=0.2)
        Body(name='other', shape='sphere', radius_m=0.2)
        """
        return type(self)(**(self._values | fields))

    def __copy__(self) -> Self:
        return self.replace()

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        if name not in self._keys:
            near = _carom.nearest_name(name, list(self._keys))
            hint = f"did you mean {near}?" if near else f"there are: {', '.join(self._keys)}"
            raise TypeError(f"{type(self).__name__} has no field {name!r}; {hint}")
        self._values[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._keys:
            raise AttributeError(name)
        return self._values.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Part) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _describe(section: str, doc: str, only: Sequence[str]) -> tuple[dict[str, str], str]:
    """The keys of a section with what each is, from the list that the reader of scenes uses."""
    keys: dict[str, str] = {}
    lines = [doc, "", "Parameters", "----------"]
    for path, kind, needed, unit, fallback, choices, help_text in _carom.scene_fields():
        if not path.startswith(section + "."):
            continue
        key = path[len(section) + 1 :]
        if "." in key or "[" in key or key == "*" or (only and key not in only):
            continue
        what = kind + (f", {unit}" if unit and unit != "-" else "") + (", needed" if needed else "")
        keys[key] = what
        lines.append(f"{key} : {what}")
        text = help_text + (f"; one of {', '.join(choices)}" if choices else "")
        lines.append(f"    {text}{f' (default {fallback})' if fallback else ''}".rstrip())
    return keys, "\n".join(lines)


def _part(name: str, section: str, doc: str, example: str, only: Sequence[str] = (), extra: str = "") -> type[Part]:
    """A class with the fields of a section: `only` these where given, spread over the part that has it; `extra` beside."""
    keys, description = _describe(section, doc, only)
    if extra:
        keys[extra] = f"carom.{extra.capitalize()}"
        description += f"\n{extra} : carom.{extra.capitalize()}\n    its fields, as an object"
    description += f"\n\nExamples\n--------\n>>> import carom\n{example}\n"
    part = type(name, (Part,), {"_keys": keys, "_section": section, "_spread": bool(only), "__doc__": description, "__module__": "carom"})
    parameters = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in keys]
    part.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return part


Shape = _part(
    "Shape",
    "body[]",
    "The shape of a body, for its field `shape`.",
    """>>> brick = carom.Shape(shape="box", size_m=[0.2, 0.1, 0.05])
>>> [carom.Body(name=f"brick{i}", shape=brick, position_m=[0, 0, 0.05 * i]).size_m for i in range(2)]
[None, None]
>>> carom.Body(name="brick", shape=brick).to_dict()["size_m"]
[0.2, 0.1, 0.05]""",
    only="shape radius_m length_m size_m vertices_m file scale normal triangles points height_m heights_m part".split(),
)
Lattice = _part(
    "Lattice",
    "body[]",
    "Many copies of a body, in a grid or at random, for its field `lattice`.",
    """>>> grid = carom.Lattice(copies=[3, 3, 2], jitter_m=0.001)
>>> carom.Body(name="grain", shape="sphere", radius_m=0.05, position_m=["0.2*i", "0.2*j", "0.1 + 0.2*k"], lattice=grid).lattice.copies
[3, 3, 2]""",
    only="copies jitter_m seed random within_m turn_at_random".split(),
)
Body = _part(
    "Body",
    "body[]",
    "A rigid body with a shape, or with `copies` a lattice of them.",
    """>>> ball = carom.Body(name="ball", shape="sphere", radius_m=0.1, position_m=[0, 0, 1], copies=[3, 1, 2])
>>> ball.radius_m
0.1""",
    extra="lattice",
)
ShapePart = _part(
    "ShapePart",
    "body[].part[]",
    "A part of a compound shape.",
    """>>> dumbbell = [carom.ShapePart(shape="sphere", radius_m=0.1, position_m=[x, 0, 0]) for x in (-0.2, 0.2)]
>>> carom.Body(name="dumbbell", shape="compound", part=dumbbell).to_dict()["part"][1]["position_m"]
[0.2, 0, 0]""",
)
Material = _part(
    "Material",
    "material[]",
    "What bodies are made of, for friction and impacts.",
    """>>> carom.Material(name="rubber", friction=0.8, restitution=0.7)
Material(name='rubber', friction=0.8, restitution=0.7)""",
)
MaterialPair = _part(
    "MaterialPair",
    "material_pair[]",
    "Two materials against each other.",
    """>>> carom.MaterialPair(first="steel", second="ice", friction=0.02).friction
0.02""",
)
Joint = _part(
    "Joint",
    "joint[]",
    "A joint between two bodies.",
    """>>> carom.Joint(name="elbow", kind="hinge", axis=[0, 1, 0]).kind
'hinge'""",
)
Spring = _part(
    "Spring",
    "spring[]",
    "Spring and damper between two bodies.",
    """>>> carom.Spring(first="base", second="mass", stiffness_N_m=1e4).stiffness_N_m
10000.0""",
)
Load = _part(
    "Load",
    "load[]",
    "A force or torque on a body, as formulas of time and places.",
    """>>> carom.Load(body="crate", force_N=["10*sin(t)", 0, 0]).body
'crate'""",
)
Group = _part(
    "Group",
    "group[]",
    "Bodies, springs and joints that are placed, and copied, together.",
    """>>> carom.Group(name="column", copies=[2, 1, 1]).copies
[2, 1, 1]""",
)
Draw = _part(
    "Draw",
    "draw[]",
    "Something that pictures show.",
    """>>> carom.Draw(kind="circle", radius_m=0.1).kind
'circle'""",
)
