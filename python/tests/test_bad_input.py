"""Whatever is given: an answer or an exception, never a crash, never nonsense."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import BALL, BLOCK
from hypothesis import given, settings
from hypothesis import strategies as st

import carom
from carom import convex, impact

EYE = np.eye(3)

#: What no array of numbers is, or none of the right size, or with values that are none.
BAD_VECTORS: list[Any] = [
    None,
    "abc",
    ["a", "b", "c"],
    [1j, 0, 0],
    np.array([1, 2, 3], dtype=complex),
    np.array([object(), 1, 2], dtype=object),
    np.array(["2020-01-01"] * 3, dtype="datetime64[D]"),
    [[1, 2, 3]],
    np.zeros((3, 3, 3)),
    [],
    [1, 2],
    np.zeros(4),
    [np.nan, 0, 0],
    [np.inf, 0, 0],
    [1, [2, 3]],
    {"w": 1},
    np.array(["1", "2", "3"]),
    7.5,
]

EXPECTED = (TypeError, ValueError, KeyError)  # carom.Error is a ValueError


@pytest.mark.parametrize("bad", BAD_VECTORS, ids=repr)
def test_vectors_that_are_none(bad: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: convex.ball([0, 0, 0], 1.0).prox(bad),
        lambda: convex.ball([0, 0, 0], 1.0).support(bad),
        lambda: convex.ball([0, 0, 0], 1.0).moved(bad),
        lambda: impact.canonical(EYE, [[1, 0, 0]], bad, 0.5),
        lambda: impact.admissibility(EYE, [[1, 0, 0]], [-1, 0, 0], bad),
        lambda: carom.solve(EYE, bad, [0.5]),
        lambda: carom.Problem(EYE, bad, [0.5]),
        lambda: carom.scene(BLOCK).simulation().set_wrench("crate", force_N=bad),
        lambda: THREE.simulation().set_force(bad),
    ]
    for call in calls:
        with pytest.raises(EXPECTED):
            call()
    if bad is not None:  # which leaves the state as it is
        with pytest.raises(EXPECTED):
            THREE.simulation().set_state(q=bad)


THREE = carom.scene(
    {
        "duration_s": 1.0,
        "coordinate": [{"name": name, "start": 0.0} for name in "xyz"],
        "lagrangian": {"kinetic": "(x'^2 + y'^2 + z'^2)/2"},
    }
)


@pytest.mark.parametrize(
    "bad", [None, "W", EYE[0], np.zeros((3, 2)), np.zeros((2, 2)), EYE * np.nan, EYE * 1j, [[1, 2], [3]], np.zeros((3, 3, 1))], ids=repr
)
def test_matrices_that_are_none(bad: Any) -> None:
    for call in (
        lambda: carom.solve(bad, [-1, 0, 0], [0.5]),
        lambda: impact.canonical(bad, [[1, 0, 0]], [-1, 0, 0], 0.5),
        lambda: convex.ball([0, 0, 0], 1).prox([1, 2, 3], bad) if bad is not None else carom.Problem(bad, [1], [1]),
    ):
        with pytest.raises(EXPECTED):
            call()


@pytest.mark.parametrize(("q", "mu"), [([-1, 0, 0], None), (None, [0.5])])
def test_solve_wants_all_three(q: Any, mu: Any) -> None:
    with pytest.raises(TypeError, match="both q and mu"):
        carom.solve(EYE, q, mu)
    with pytest.raises(TypeError, match="is not a problem"):
        carom.solve(EYE)


def test_negative_friction_unknown_solvers_and_bad_tolerances() -> None:
    for call in (
        lambda: carom.solve(EYE, [-1, 0, 0], [-0.5]),
        lambda: carom.solve(EYE, [-1, 0, 0], [0.5], solver="magic"),
        lambda: carom.solve(EYE, [-1, 0, 0], [0.5], tolerance=-1),
        lambda: carom.solve(EYE, [-1, 0, 0], [0.5], tolerance=float("nan")),
        lambda: carom.solve(EYE, [-1, 0, 0], [0.5], max_iterations=0),
        lambda: carom.solve(EYE, [-1, 0, 0], [0.5], repeat=0),
    ):
        with pytest.raises(EXPECTED):
            call()


@pytest.mark.parametrize(
    "layout", [lambda x: x[::2], lambda x: x[::-1][::2][::-1], lambda x: x[::2].astype(np.float32), lambda x: x[::2].astype(">f8"),
               lambda x: x[::2].astype(np.int8), lambda x: np.asfortranarray(np.tile(x[::2], (2, 1)))[1], lambda x: list(x[::2])]
)
def test_arrays_of_every_layout_are_the_same_numbers(layout: Callable[[Any], Any]) -> None:
    padded = np.array([-2.0, 9, 1, 9, 3])  # every second one counts
    given = layout(padded)
    assert carom.solve(EYE, given, [0.5]).P == pytest.approx(carom.solve(EYE, [-2, 1, 3], [0.5]).P)
    assert convex.ball([0, 0, 0], 1.0).prox(given) == pytest.approx(np.array([-2, 1, 3]) / np.sqrt(14))
    sim = THREE.simulation()
    sim.set_state(u=given)
    assert sim.u.tolist() == [-2, 1, 3]
    W = np.arange(36, dtype=float).reshape(6, 6)
    W = W @ W.T + 100 * np.eye(6)
    q = np.array([-1.0, 0.2, 0.1])
    want = carom.solve(np.ascontiguousarray(W[::2, ::2]), q, [0.3]).P
    assert carom.solve(W[::2, ::2], q, [0.3]).P == pytest.approx(want)
    assert carom.solve(np.asfortranarray(W)[::2, ::2], q, [0.3]).P == pytest.approx(want)


def test_given_arrays_are_copied() -> None:
    sim = THREE.simulation()
    force = np.array([1.0, 0, 0])
    sim.set_force(force)
    force[:] = 1e9
    sim.step(10)
    assert sim.u[0] == pytest.approx(10 * THREE.time_step_s)
    W, q = np.eye(3), np.array([-1.0, 0, 0])
    problem = carom.Problem(W, q, [0.5])
    W[:], q[:] = 7, 7
    assert carom.solve(problem).P.tolist() == [1.0, 0.0, 0.0] and problem.W.toarray().tolist() == np.eye(3).tolist()


def test_what_is_handed_out_outlives_its_owner() -> None:
    ball = carom.scene(BALL)
    run = ball.run()
    problem = carom.Problem(EYE, [-1, 0, 0], [0.5])
    sim = ball.simulation()
    here = sim.snapshot()
    kept = [run.q, run.energy["kinetic_J"], run.events, run.contacts["floor"].gap_m, run.jumps["u_plus"], problem.q, problem.mu]
    copies = [np.array(one.array if isinstance(one, carom.Columns) else one.time_s if isinstance(one, carom.Events) else one) for one in kept]
    before = run.q["z"].copy()
    columns = run.q
    del run, problem, sim, ball
    gc.collect()
    churn = [carom.scene(BALL).run() for _ in range(10)]
    assert (columns["z"] == before).all() and len(churn) == 10
    for one, copy in zip(kept, copies):
        now = one.array if isinstance(one, carom.Columns) else one.time_s if isinstance(one, carom.Events) else one
        assert (np.asarray(now) == copy).all()
    # a snapshot outlives its simulation
    other = carom.scene(BALL).simulation()
    other.restore(here)
    assert other.step() == 1


@pytest.mark.parametrize("where", ["listener", "control", "impact_map", "progress"])
@pytest.mark.parametrize("raised", [RuntimeError, MemoryError, StopIteration, SystemExit, KeyboardInterrupt])
def test_whatever_a_callback_raises_comes_out(where: str, raised: type[BaseException]) -> None:
    def call(*_: Any) -> Any:
        raise raised("from inside")

    ball = carom.scene(BALL)
    with pytest.raises(raised) as caught:
        if where == "listener":
            ball.run(listener=call)
        elif where == "control":
            sim = ball.simulation()
            sim.control = call
            sim.step(3)
        elif where == "impact_map":
            contact = carom.Contact("floor", gap="z")
            carom.System(coordinates={"z": 0.001}, kinetic="z'^2/2", potential="9.81*z", contacts=[contact], impact_map=call).run()
        else:
            from carom import _carom

            long = ball.set(duration_s=1e5)
            _carom.run(long._raw, "", [], "", 0, "", False, None, call)
            raise raised("from inside")  # Ctrl-C is handed back, not raised, one floor below
    assert raised is KeyboardInterrupt or "from inside" in str(caught.value)
    assert ball.run().status == "certified"  # and nothing of it is left behind


def test_a_map_that_raises_ends_the_run_at_once() -> None:
    calls = []

    def call(site: impact.Site, u_minus: Any) -> Any:
        calls.append(site.time_s)
        raise LookupError("in the map")

    contact = carom.Contact("floor", gap="z")
    ball = carom.System(
        coordinates={"z": 0.01}, kinetic="z'^2/2", potential="9.81*z", contacts=[contact], impact_map=call, duration_s=1e6
    )
    with pytest.raises(LookupError):
        ball.run(columns=False)
    assert len(calls) < 10
    sim = ball.scene().simulation()
    with pytest.raises(LookupError):
        sim.step(10**9)


@pytest.mark.parametrize("answer", [None, "up", [np.nan], [1.0, 2.0], [[1.0]], 3.0, object(), [1j]], ids=repr)
def test_answers_of_maps_that_are_none(answer: Any) -> None:
    contact = carom.Contact("floor", gap="z")
    ball = carom.System(
        coordinates={"z": 0.001}, kinetic="z'^2/2", potential="9.81*z", contacts=[contact], impact_map=lambda site, u: answer
    )
    with pytest.raises(EXPECTED):
        ball.run()


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(["duration_s", "coordinate", "lagrangian", "contact", "body", "joint", "set", "sweeping", "solver", "draw"])


def test_a_number_is_no_file(tmp_path: Path) -> None:
    # 1 is standard output to Python's open, which would be closed behind the text
    scene = carom.example_scene("pendulum_wall", duration_s=0.01)
    for save in (scene.save, scene.run().show().save):
        with pytest.raises(TypeError):
            save(1)  # type: ignore[arg-type]
        save(tmp_path / "kept")
        assert (tmp_path / "kept").stat().st_size > 100


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.dictionaries(KEYS | st.text(max_size=8), JUNK, max_size=4))
def test_dictionaries_of_junk_are_refused(content: dict[str, Any]) -> None:
    with pytest.raises((carom.Error, TypeError)):
        carom.scene(content)


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_closing_the_program_in_the_middle_of_runs(seconds: float) -> None:
    """Daemon threads that still begin or run when the interpreter ends; the exit status is the program's."""
    script = (
        "import carom, sys, threading, time\n"
        "scene = carom.example_scene('pendulum_wall', duration_s=1e6)\n"
        "for _ in range(4):\n"
        "    threading.Thread(target=scene.run, kwargs={'columns': False}, daemon=True).start()\n"
        f"time.sleep({seconds})\nprint('end')\nsys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "end\n" and done.returncode == 7, done.stderr
