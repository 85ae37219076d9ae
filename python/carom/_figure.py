"""Figures that a scene describes, drawn by the library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import _carom
from ._errors import Error as Error  # raised where a figure is unknown or cannot be drawn

if TYPE_CHECKING:
    from os import PathLike

FORMATS = ("svg", "pdf", "png")


class FigureNumber(NamedTuple):
    """A number of a figure with its theoretical value.

    Examples
    --------
    >>> import carom
    >>> number = carom.example_scene("tractrix").figure("path").numbers[0]
    >>> abs(number.value - number.reference) < 1e-3
    True
    """

    label: str
    unit: str
    value: float
    reference: float
    error: float  #: relative; absolute where the reference is zero


class Figure:
    """A figure of a scene as a file: SVG, PDF or PNG. Notebooks show it.

    Examples
    --------
    >>> import carom
    >>> figure = carom.read_scene("scenes/tractrix.toml").figure("path")
    >>> figure.numbers[0].error < 1e-3
    True
    """

    def __init__(self, name: str, format: str, drawn: tuple[bytes, list[tuple[str, str, float, float, float]], list[str]]) -> None:
        self.name = name
        self.format = format
        self.data = drawn[0]
        self.numbers = [FigureNumber(*number) for number in drawn[1]]
        self.statuses = drawn[2]

    def save(self, file: str | PathLike[str]) -> Path:
        """Writes the file; its ending must be that of the format.

        Examples
        --------
        >>> import carom, os, tempfile
        >>> figure = carom.example_scene("tractrix").figure("path")
        >>> figure.save(os.path.join(tempfile.mkdtemp(), "path.svg")).name
        'path.svg'
        """
        path = Path(file)
        if path.suffix != "." + self.format:
            raise ValueError(f"the figure is {self.format}, the file {path.name!r} is not")
        path.write_bytes(self.data)
        return path

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.format == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None

    def __repr__(self) -> str:
        return f"<carom.Figure {self.name}, {self.format}, {len(self.data)} bytes>"


def draw(raw_scene: _carom.Scene, raw_run: _carom.Run | None, name: str | None, file: str | PathLike[str] | None,
         format: str | None, dpi: float) -> Figure:
    """See :meth:`Scene.figure`."""
    chosen = format or (Path(file).suffix[1:] if file is not None else "svg")
    if chosen not in FORMATS:
        raise ValueError(f"format {chosen!r}: there are {', '.join(FORMATS)}")
    if not 10 <= dpi <= 2400:
        raise ValueError(f"dpi is {dpi}; it can be 10 to 2400")
    names = _carom.figure_names(raw_scene)
    if name is None:
        if len(names) != 1:
            raise ValueError(f"the scene has {len(names)} figures: {', '.join(names) or 'none'}; name one")
        name = names[0]
    if raw_run is None:
        drawn = _carom.figure_of_scene(raw_scene, name, chosen, dpi)
    else:
        drawn = _carom.figure_of_run(raw_run, raw_scene, name, chosen, dpi)
    figure = Figure(name, chosen, drawn)
    if file is not None:
        figure.save(file)
    return figure
