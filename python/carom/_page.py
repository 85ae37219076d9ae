"""The page of a run."""

from __future__ import annotations

import html
import os

from ._scene import PathLike


class Page:
    """The page of a run: one HTML text that needs nothing else. Notebooks show it.

    Examples
    --------
    >>> import carom
    >>> carom.example_scene("pendulum_wall").run().show(height_px=400).height_px
    400
    """

    def __init__(self, text: str, height_px: int = 720) -> None:
        self.html = text
        self.height_px = height_px

    def save(self, path: PathLike) -> None:
        """Writes the page.

        Examples
        --------
        >>> import carom, os, tempfile
        >>> carom.example_scene("pendulum_wall").run().show().save(os.path.join(tempfile.mkdtemp(), "run.html"))
        """
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self.height_px}" '
            'style="border:0" sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<page of {len(self.html) // 1000} kB; save(path) writes it, a notebook shows it>"
