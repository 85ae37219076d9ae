"""Runs are made: from scenes, from recordings, and resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from . import _carom, _toml
from ._errors import Error, Interrupted
from ._progress import Bar
from ._run import Listener, Run
from ._scene import PathLike, Scene


def _problems(given: str | None) -> tuple[str, int]:
    if given is None:
        return "", 0
    match = re.fullmatch(r"(all|failed)|worst:([1-9][0-9]{0,3}|10000)", given)
    if not match:
        raise ValueError(f"save_problems={given!r}: give 'all', 'failed', or 'worst:N' with N from 1 to 10000")
    return (match[1], 0) if match[1] else ("worst", int(match[2]))


def _has_no_text(recording: PathLike) -> bool:
    try:
        return not _carom.open(os.fspath(recording)).columns["scene_text"]
    except Error:
        return False


def _must_be_callable(listener: object) -> None:
    if listener is not None and not callable(listener):
        raise TypeError(f"listener is {type(listener).__name__}, not a function")


def run_scene(
    scene: Scene,
    recording: PathLike | None,
    at_s: Sequence[float],
    save_problems: str | None,
    problem_folder: PathLike | None,
    columns: bool,
    listener: Listener | None,
    progress: bool | None,
) -> Run:
    """See :meth:`Scene.run`."""
    which, count = _problems(save_problems)
    if which and problem_folder is None:
        raise ValueError("save_problems needs a problem_folder to put them in")
    _must_be_callable(listener)
    bar = Bar(progress)
    try:
        raw, interrupted = _carom.run(
            scene._raw,
            "" if recording is None else os.fspath(recording),
            [float(t) for t in at_s],
            which,
            count,
            "" if problem_folder is None else os.fspath(problem_folder),
            columns,
            listener,
            bar.run if bar.wanted else None,
        )
    finally:
        bar.end()
    run = Run(raw, scene)
    if interrupted:
        raise Interrupted(run)
    return run


def open_recording(path: PathLike) -> Run:
    """The run of a recording, finished or not.

    Examples
    --------
    >>> import carom, tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> file = os.path.join(folder, "run.h5")
    >>> run = carom.read_scene("scenes/pendulum_wall.toml", duration_s=0.5).run(file)
    >>> (carom.open(file).q["theta"] == run.q["theta"]).all()
    True
    """
    return Run(_carom.open(os.fspath(path)))


def resume(
    path: PathLike,
    duration_s: float | None = None,
    *,
    listener: Listener | None = None,
    progress: bool | None = None,
) -> Run:
    """Resumes a recorded run and takes it to its end, or to a longer `duration_s`.

    The run ends as if it had never been interrupted, bit for bit.

    Examples
    --------
    >>> import carom, os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> first = carom.example_scene("pendulum_wall", duration_s=0.5).run(file)
    >>> carom.resume(file, duration_s=1).time_s
    1.0
    """
    pairs = [] if duration_s is None else _toml.overrides({"duration_s": duration_s})
    _must_be_callable(listener)
    bar = Bar(progress)
    try:
        raw, interrupted = _carom.resume(os.fspath(path), pairs, listener, bar.run if bar.wanted else None)
    except Error:
        if _has_no_text(path):
            raise TypeError("this run is of a scene of Python functions, which no recording keeps: run the System again") from None
        raise
    finally:
        bar.end()
    run = Run(raw, Scene(raw.scene) if raw.scene is not None else None)
    if interrupted:
        raise Interrupted(run)
    return run
