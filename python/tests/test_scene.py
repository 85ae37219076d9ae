"""Scenes from files, dictionaries and overrides."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import BALL, ROOT

import carom


def test_all_mistakes_come_at_once_with_line_and_hint(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('duration_s = -1\n[[coordinate]]\nname = "x"\nstrat = 0\n[lagrangian]\nkinetic = "x\'^2/2 + y"\n')
    with pytest.raises(carom.Error) as caught:
        carom.read_scene(file)
    mistakes = caught.value.mistakes
    assert {"unknown_key", "setting_out_of_range", "missing_key"} <= {one.code for one in mistakes}
    unknown = next(one for one in mistakes if one.code == "unknown_key")
    assert unknown.where.endswith("bad.toml:4:1")
    assert "start" in unknown.hint
    assert "strat" in str(caught.value)
    assert str(caught.value).count("hint") >= 0 and len(str(caught.value).splitlines()) > len(mistakes)


def test_a_missing_file_is_an_error_of_ours() -> None:
    with pytest.raises(carom.Error) as caught:
        carom.read_scene("no/such/scene.toml")
    assert caught.value.mistakes[0].code == "file_unreadable"


def test_overrides_by_path_by_dictionary_and_parameters() -> None:
    file = ROOT / "scenes" / "pendulum_wall.toml"
    scene = carom.read_scene(
        file, parameters={"e": 0.25}, duration_s=2, integrator={"time_step_s": 2e-3}, **{"solver.tolerance": 1e-6}
    )
    assert (scene.duration_s, scene.time_step_s) == (2.0, 2e-3)
    assert scene.to_dict()["parameters"]["e"] == 0.25
    assert scene.to_dict()["solver"]["tolerance"] == 1e-6
    with pytest.raises(carom.Error) as caught:
        carom.read_scene(file, **{"solver.tolerence": 1e-6, "duration_s": -2})
    assert {one.code for one in caught.value.mistakes} == {"unknown_key", "setting_out_of_range"}


def test_set_makes_a_new_scene(ball: carom.Scene) -> None:
    other = ball.set({"e": 0.9}, duration_s=0.5)
    assert (ball.duration_s, other.duration_s) == (1.0, 0.5)
    assert other.to_dict()["parameters"]["e"] == 0.9


def test_numpy_values_and_arrays_are_values_of_scenes() -> None:
    content = {**BALL, "duration_s": np.float64(0.5), "draw": [{"kind": "polyline", "points": np.zeros((2, 2))}]}
    scene = carom.scene(content)
    assert scene.duration_s == 0.5
    assert scene.to_dict()["draw"][0]["points"] == [[0.0, 0.0], [0.0, 0.0]]


def test_a_dictionary_is_the_scene_that_its_text_is(ball: carom.Scene) -> None:
    again = carom.scene(ball.to_dict())
    assert again.to_dict() == ball.to_dict()
    assert (again.run().q.array == ball.run().q.array).all()


def test_what_cannot_be_part_of_a_scene_is_named() -> None:
    with pytest.raises(TypeError, match=r"contact\[0\]\.gap: function"):
        carom.scene({**BALL, "contact": [{"name": "floor", "gap": lambda q: q}]})
    with pytest.raises(TypeError, match="key 3 is not a text"):
        carom.scene({3: 4})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        carom.scene(12)  # type: ignore[arg-type]
    with pytest.raises(carom.Error):
        carom.scene({**BALL, "duration_s": float("nan")})


def test_pickled_scenes_are_their_text(ball: carom.Scene) -> None:
    again = pickle.loads(pickle.dumps(ball))
    assert again.text == ball.text
    with pytest.raises(carom.Error) as caught:
        carom.scene({})
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.mistakes == caught.value.mistakes


def test_repr_says_what_the_scene_is(ball: carom.Scene, block: carom.Scene, play: carom.Scene) -> None:
    assert "1 coordinate, 1 contact, moreau in steps of 0.001 s" in repr(ball)
    assert "2 bodies" in repr(block)
    assert "sweeping" in repr(play)


def test_all_scenes_of_the_project_are_read() -> None:
    for file in sorted((ROOT / "scenes").glob("*.toml")):
        scene = carom.read_scene(file)
        assert scene.kind in ("coordinates", "bodies", "sweeping")


def test_inspect_says_what_theory_promises(ball: carom.Scene, block: carom.Scene, play: carom.Scene) -> None:
    inspection = carom.inspect(ball)
    assert inspection.promise == "one_solution" and inspection.good
    assert any(one.bearing == "holds" for one in inspection.hypotheses)
    assert carom.inspect(block)["mass_kg"] == 2.0
    assert carom.inspect(play).good
    several = carom.inspect(carom.read_scene(ROOT / "scenes" / "two_motions.toml"))
    assert not several.good
