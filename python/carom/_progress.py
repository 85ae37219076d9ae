"""Bars for what takes longer than a moment: on the terminal, and in notebooks."""

from __future__ import annotations

import sys
import time
from typing import Any

_PATIENCE_S = 0.5  # what is over before needs no bar


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class Bar:
    """Shows how far something is, from its second call after a moment on.

    Parameters
    ----------
    wanted : bool or None
        None: on terminals and in notebooks.
    """

    def __init__(self, wanted: bool | None) -> None:
        self.wanted = _in_notebook() or _on_terminal() if wanted is None else wanted
        self._begin = time.monotonic()
        self._width = 0  # of the text on the terminal
        self._place: Any = None  # in the notebook

    def run(self, time_s: float, part: float) -> None:
        """A run is at `time_s`, so much of the whole."""
        self._show(part, f"{time_s:.4g} s")

    def study(self, done: int, total: int) -> None:
        """So many runs of a study are done."""
        self._show(done / total if total else 1.0, f"{done} of {total} runs")

    def end(self) -> None:
        """Takes the bar away from the terminal; a notebook keeps how long it took."""
        if self._place is not None:
            self._place.update(_Text(f"took {self._passed():.1f} s"))
        elif self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()

    def _passed(self) -> float:
        return time.monotonic() - self._begin

    def _show(self, part: float, text: str) -> None:
        passed = self._passed()
        if passed < _PATIENCE_S:
            return
        left = f", {passed / part - passed:.0f} s left" if part > 0.01 else ""
        text = f"{text}, {100 * part:.0f} %{left}"
        if _in_notebook():
            self._show_in_notebook(part, text)
            return
        full = round(30 * part)
        line = f"[{'=' * full}{' ' * (30 - full)}] {text}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = max(self._width, len(line))

    def _show_in_notebook(self, part: float, text: str) -> None:
        shown = _Text(text, part)
        if self._place is None:
            from IPython.display import display  # type: ignore[import]

            self._place = display(shown, display_id=True)
        else:
            self._place.update(shown)


class _Text:
    """What a notebook shows: a bar and a text."""

    def __init__(self, text: str, part: float | None = None) -> None:
        self._text = text
        self._part = part

    def _repr_html_(self) -> str:
        bar = "" if self._part is None else f'<progress value="{self._part:.4f}" max="1"></progress> '
        return f"<small>{bar}{self._text}</small>"

    def __repr__(self) -> str:
        return self._text
