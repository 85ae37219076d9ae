"""The scenes that come with carom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _carom
from ._scene import Parameters, Scene, read_scene

_FOLDER = Path(__file__).parent / "scenes"


def example_scenes() -> list[str]:
    """Names of the scenes that come with carom.

    Examples
    --------
    >>> import carom
    >>> "pendulum_wall" in carom.example_scenes()
    True
    """
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def example_scene(name: str, parameters: Parameters = None, **overrides: Any) -> Scene:
    """A scene that comes with carom, with values replaced as in :func:`read_scene`.

    Examples
    --------
    >>> import carom
    >>> carom.example_scene("pendulum_wall", duration_s=1)
    <Scene 'Pendulum against a wall': 1 coordinate, 1 contact, moreau in steps of 0.001 s, 1 s>
    """
    names = example_scenes()
    if name not in names:
        near = _carom.nearest_name(name, names)
        raise ValueError(f"there is no scene {name!r}; " + (f"did you mean {near}?" if near else ", ".join(names)))
    return read_scene(_FOLDER / f"{name}.toml", parameters, **overrides)
