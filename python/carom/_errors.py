"""What goes wrong, as exceptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True)
class Mistake:
    """One mistake in the data that were given.

    Examples
    --------
    >>> import carom
    >>> try:
    ...     carom.example_scene("pendulum_wall", duration_s=-1)
    ... except carom.Error as error:
    ...     print(error.mistakes[0].code, error.mistakes[0].hint != "")
    setting_out_of_range True
    """

    code: str  #: stable, e.g. "unknown_key"
    where: str  #: file:line:column, or the name of a setting
    message: str  #: what is wrong, with the value seen
    hint: str  #: what to do about it
    excerpt: str = ""  #: the line of text with a caret under the place
    text: str = ""  #: all of it, as the program prints it

    def __str__(self) -> str:
        return self.text.rstrip("\n") or f"{self.where}: {self.message}"


class Error(ValueError):
    """Data that carom refuses, with all their mistakes at once.

    Examples
    --------
    >>> import carom
    >>> try:
    ...     carom.scene({"duration_s": -1, "coordinate": []})
    ... except carom.Error as error:
    ...     print(sorted({mistake.code for mistake in error.mistakes}))
    ['missing_key', 'setting_out_of_range']
    """

    mistakes: tuple[Mistake, ...]  #: in the order of the text

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(one) for one in self.mistakes))

    def __reduce__(self) -> tuple[type[Error], tuple[tuple[Mistake, ...]]]:
        return (Error, (self.mistakes,))

    def about(self, file: str, name: str) -> Error:
        """The same mistakes, reported for `name` instead of `file`.

        Examples
        --------
        >>> import carom
        >>> carom.Error([carom.Mistake("unknown_key", "/tmp/x.toml:3:1", "what", "")]).about("/tmp/x.toml", "ball")
        Error('ball:3:1: what')
        """
        return Error(
            replace(one, where=one.where.replace(file, name), text=one.text.replace(file, name)) for one in self.mistakes
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. The step was finished; `run` is what there is so far.

    Examples
    --------
    >>> import carom
    >>> scene = carom.example_scene("pendulum_wall")
    >>> try:
    ...     run = scene.run()
    ... except carom.Interrupted as stopped:
    ...     run = stopped.run
    >>> run.status
    'certified'
    """

    run: Run

    def __init__(self, run: Run) -> None:
        super().__init__("interrupted after the step; Interrupted.run is what there is so far")
        self.run = run
