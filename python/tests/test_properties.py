"""Properties over random scenes, and that nothing crashes or grows."""

from __future__ import annotations

import gc
import random
import resource
from typing import Any

import pytest
from conftest import BALL, BLOCK, PLAY
from hypothesis import given, settings
from hypothesis import strategies as st

import carom

NAMES = st.text("abcxyz", min_size=1, max_size=6).filter(lambda s: s not in ("exp", "abs"))
NUMBERS = st.floats(-1e3, 1e3, allow_nan=False)


@st.composite
def scenes(draw: st.DrawFn) -> dict[str, Any]:
    """A chain of masses and springs over a floor, with names, texts and numbers of any kind."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    law = {"kind": "unilateral", "restitution": draw(st.floats(0, 1))}
    return {
        "title": draw(st.text(max_size=20)),
        "duration_s": draw(st.floats(1e-3, 10)),
        "coordinate": [{"name": n, "start": draw(st.floats(0, 5)), "start_velocity": draw(NUMBERS)} for n in names],
        "lagrangian": {
            "kinetic": " + ".join(f"{n}'^2/2" for n in names),
            "potential": " + ".join(f"{draw(st.integers(1, 50))}*{n}^2/2" for n in names),
        },
        "contact": [{"name": f"floor_{n}", "gap": n, "law": law} for n in names],
        "integrator": {"time_step_s": draw(st.sampled_from([1e-2, 1e-3])), "correction": draw(st.booleans())},
    }


@settings(max_examples=150, deadline=None, derandomize=True)
@given(scenes())
def test_scenes_go_round_through_dictionaries_and_texts(content: dict[str, Any]) -> None:
    scene = carom.scene(content)
    assert scene.to_dict() == content
    again = carom.scene(scene.to_dict())
    assert again.to_dict() == content and again.coordinates == scene.coordinates
    assert carom.scene(scene.text).to_dict() == content
    assert (again.q == scene.q).all() and (again.u == scene.u).all()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["run", "forget", "read", "other"]), min_size=3, max_size=25), st.randoms(use_true_random=False))
def test_views_stay_valid_whatever_happens_to_their_run(actions: list[str], chance: random.Random) -> None:
    scenes_ = [carom.scene({**BALL, "duration_s": 0.6}), carom.scene({**BLOCK, "duration_s": 0.02}), carom.scene({**PLAY, "duration_s": 0.1})]
    runs: list[carom.Run] = []
    kept: list[tuple[Any, Any]] = []
    for action in actions:
        if action == "run":
            runs.append(chance.choice(scenes_).run(at_s=[0.01]))
        elif action == "read" and runs:
            run = chance.choice(runs)
            views = [run.t, run.q.array, run.u.array, run.residual, run.events.time_s, run.gap_m.array, run.snapshots[0].q, *run.jumps.values()]
            kept += [(view, view.copy()) for view in views]
        elif action == "forget" and runs:
            runs.pop(chance.randrange(len(runs)))
            gc.collect()
        elif action == "other":
            carom.scene(BALL).set(duration_s=0.01).run()
        for view, copy in kept:
            assert (view == copy).all()


def damaged(content: Any, chance: random.Random) -> Any:
    """A scene with some values replaced by others, of other kinds, keys lost or misspelt."""
    values = [0, -1, 1e308, float("nan"), float("inf"), "", "x", "1/0", "x'^", [], {}, True, [[1]], "\x00", "é", 2**70, None]
    if isinstance(content, dict):
        result: dict[str, Any] = {}
        for key, value in content.items():
            roll = chance.random()
            if roll < 0.03:
                continue
            name = key[::-1] if roll < 0.05 else key
            result[name] = chance.choice(values) if roll < 0.12 else damaged(value, chance)
        return result
    if isinstance(content, list):
        return [damaged(one, chance) for one in content if chance.random() > 0.03]
    return chance.choice(values) if chance.random() < 0.03 else content


def test_ten_thousand_damaged_scenes_raise_or_run() -> None:
    chance = random.Random(20)
    ran = refused = 0
    for _ in range(10_000):
        content = damaged(chance.choice([BALL, BLOCK, PLAY]), chance)
        try:
            scene = carom.scene(content)
        except carom.Error as error:
            assert error.mistakes and all(one.message and one.code for one in error.mistakes)
            refused += 1
            continue
        except TypeError as error:  # what TOML has no word for
            assert "cannot be part of a scene" in str(error)
            continue
        if scene.duration_s / scene.time_step_s < 3000:
            assert scene.run(columns=False).status in ("certified", "uncertified", "failed")
            ran += 1
    assert refused > 2000 and ran > 500


def memory_kB() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


@pytest.mark.parametrize("kind", ["runs", "scenes", "simulations", "mistakes"])
def test_memory_does_not_grow(kind: str) -> None:
    """A loss of one small object per turn would be above the bound."""
    short = carom.scene({**BALL, "duration_s": 0.02})

    def turn() -> None:
        if kind == "runs":
            run = short.run()
            assert run.q["z"][0] == 1.0 and len(run.events) == 0
        elif kind == "scenes":
            short.set({"e": 0.1})
        elif kind == "simulations":
            sim = short.simulation()
            sim.step(3)
            sim.restore(sim.snapshot())
        else:
            with pytest.raises(carom.Error):
                short.set(duration_s=-1)

    for _ in range(300):
        turn()
    gc.collect()
    before = memory_kB()
    turns = 10_000 if kind == "runs" else 1000
    for _ in range(turns):
        turn()
    gc.collect()
    assert memory_kB() - before < 600 + turns * 0.1
