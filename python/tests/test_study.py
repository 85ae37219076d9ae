"""Studies: grids, repetitions, convergence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import BALL, ROOT

import carom


def test_a_grid_on_any_number_of_threads(ball: carom.Scene) -> None:
    tables = [
        carom.study(ball, {"parameters.e": [0.2, 0.5, 0.8], "coordinate.z.start": "0.5:1.5:0.5"}, threads=n)
        for n in (1, 2)
    ]
    one, two = (table.to_pandas() for table in tables)
    assert len(one) == 9 and tables[0].statuses == {"certified": 9}
    assert one.drop(columns=[c for c in one if "wall" in c]).equals(two.drop(columns=[c for c in two if "wall" in c]))
    # a row is the run with these values
    alone = ball.set({"e": 0.8}, **{"coordinate.z.start": 1.5}).run()
    row = one[(one["parameters.e"] == 0.8) & (one["coordinate.z.start"] == 1.5)].iloc[0]
    assert row["z"] == alone._raw.q_end[0]


def test_orders_of_convergence() -> None:
    oscillator = carom.scene(
        {
            "duration_s": 1.0,
            "coordinate": [{"name": "x", "start": 1.0}],
            "lagrangian": {"kinetic": "x'^2/2", "potential": "x^2/2"},
            "integrator": {"time_step_s": 0.05},
        }
    )
    table = carom.study(oscillator, converge=5, exact={"x": float(np.cos(1.0))})
    order = next(one for one in table.orders if one.quantity == "x")
    assert order.verdict == "seen" and order.fitted == pytest.approx(2.0, abs=0.1)


def test_repetitions_are_random_and_repeatable(ball: carom.Scene) -> None:
    tables = [ball.study(repeat=5, seed=seed, perturb={"z": 0.01}) for seed in (1, 1, 2)]
    ends = [np.asarray(table["z"]) for table in tables]
    assert (ends[0] == ends[1]).all() and (ends[0] != ends[2]).any() and len(set(ends[0])) == 5


def test_a_table_in_a_file(tmp_path: Path, ball: carom.Scene) -> None:
    file = tmp_path / "table.csv"
    table = ball.study(vary={"parameters.e": [0.1, 0.9]}, output=file)
    assert file.read_text().count("\n") == 3 and table.runs == 2
    assert "2 runs" in repr(table) and "z" in table.quantities


def test_files_beside_a_scene_are_found(tmp_path: Path) -> None:
    (tmp_path / "drive.csv").write_text("0,0\n1,1\n")
    scene = {**BALL, "table": [{"name": "drive", "file": "drive.csv"}]}
    scene["probe"] = [{"name": "drive_now", "value": "table(drive, t)"}]
    table = carom.scene(scene, folder=tmp_path).study(vary={"parameters.e": [0.1, 0.2]})
    assert table.runs == 2
    assert not list(tmp_path.glob("*.toml"))


def test_mistakes_come_at_once(ball: carom.Scene) -> None:
    with pytest.raises(carom.Error) as caught:
        ball.study(vary={"parameters.f": [1, 2], "solver.tolerance": [-1]})
    assert len(caught.value.mistakes) >= 2
    with pytest.raises(carom.Error):
        carom.study(ROOT / "no.toml")
    with pytest.raises(KeyError, match="there are"):
        ball.study()["nothing"]
