"""Runs: what they give, and that arrays are views."""

from __future__ import annotations

import gc
import pickle
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import carom


def test_the_ball_falls_as_galileo_says_and_bounces_with_e(ball: carom.Scene) -> None:
    run = ball.run()
    assert run.status == "certified" and run.end == "duration"
    # free fall is exact for the midpoint rule; the impact is at sqrt(2 h / g)
    falling = run.t < 0.45
    assert np.abs(run.q["z"][falling] - (1 - 9.81 / 2 * run.t[falling] ** 2)).max() < 1e-9
    first = run.events[0]
    assert first.kind == "impact" and first.place == "floor"
    assert abs(first.time_s - np.sqrt(2 / 9.81)) < 1e-3
    assert first.velocity_after_m_s == pytest.approx(-0.5 * first.velocity_before_m_s, rel=1e-12)
    # what the impact took: (1 - e^2) of the kinetic energy there, and the ledger has all of it
    assert run.certificate.energy["impact_J"] == pytest.approx(sum(run.events.energy_J), rel=1e-9)
    assert abs(run.certificate.energy_balance_J) < 1e-12


def test_columns_are_views_of_the_library_s_memory(ball: carom.Scene) -> None:
    run = ball.run()
    # each time the arrays are asked for from the library, they are the same memory
    once, again = run._raw.columns, run._raw.columns
    for name in ("time_s", "q", "u", "gap_m", "percussion_Ns", "residual"):
        assert np.shares_memory(once[name], again[name]), name
        assert not once[name].flags.owndata and not once[name].flags.writeable
    assert np.shares_memory(run.q["z"], once["q"])
    assert np.shares_memory(run.energy["kinetic_J"], once["energies"]["kinetic_J"])
    assert np.shares_memory(run._raw.events["time_s"], run.events.time_s)
    with pytest.raises(ValueError, match="read-only"):
        run.q["z"][0] = 3


def test_views_outlive_the_run(ball: carom.Scene) -> None:
    run = ball.run()
    z, times = run.q["z"], run.events.time_s
    kept, kept_times = z.copy(), times.copy()
    del run
    gc.collect()
    for _ in range(20):
        ball.run()
    assert (z == kept).all() and (times == kept_times).all()


def test_bodies_by_name(block: carom.Scene) -> None:
    run = block.run()
    crate = run.bodies["crate"]
    assert crate.position.shape == (len(run.t), 3)
    assert np.shares_memory(crate.position, run.q.array)
    # it slides v^2 / (2 mu g) and stops
    assert crate.position[-1, 0] == pytest.approx(1 / (2 * 0.3 * 9.81), abs=2e-3)
    assert np.linalg.norm(crate.rotation, axis=1) == pytest.approx(1)
    assert crate.angular_velocity.shape == (len(run.t), 3)
    assert run.bodies["floor"].is_fixed
    # forces on the first body, here the floor
    force = run.body_contacts.force_N(-1)
    assert set(run.body_contacts.first[run.body_contacts.at(-1)]) == {0}
    assert force[:, 2].sum() == pytest.approx(-2 * 9.81, rel=1e-6)
    with pytest.raises(KeyError, match="there are: floor, crate"):
        run.bodies["create"]


def test_friction_of_contacts_in_coordinates() -> None:
    run = carom.read_scene(ROOT / "scenes" / "stick_slip_belt.toml", duration_s=3).run()
    track = run.contacts["belt_contact"]
    assert track.friction_Ns is not None and track.coefficient is not None
    bound = track.coefficient * track.percussion_Ns
    assert (np.abs(track.friction_Ns[:, 0]) <= bound + 1e-12).all()
    assert {"stick", "slip"} <= set(run.events.kind)
    with pytest.raises(KeyError, match="there are: belt_contact"):
        run.contacts["belt"]
    with pytest.raises(KeyError, match="there are: kinetic_J, potential_J"):
        run.energy["kinetic"]
    assert repr(run.contacts) == "<belt_contact>"


def test_sweeping_processes_run_too(play: carom.Scene) -> None:
    run = play.run(at_s=[0.5, 1.5])
    assert [round(float(one.q[0]), 2) for one in run.snapshots] == [0.75, -0.75]


def test_a_listener_sees_every_step_and_can_end_the_run(ball: carom.Scene) -> None:
    seen: list[float] = []

    def listener(step: carom.Step) -> bool:
        seen.append(step.time_s)
        return step.time_s < 0.1

    run = ball.run(listener=listener)
    assert len(seen) == run.certificate.steps and run.end == "stopped"
    assert seen[-1] == pytest.approx(0.1)


def test_a_step_cannot_be_read_after_its_call(ball: carom.Scene) -> None:
    kept: list[carom.Step] = []
    ball.run(listener=lambda step: kept.append(step))
    with pytest.raises(RuntimeError, match="this step is over"):
        kept[3].q  # noqa: B018


def test_an_exception_in_a_listener_comes_out(ball: carom.Scene) -> None:
    def listener(step: carom.Step) -> None:
        raise ZeroDivisionError("in the listener")

    with pytest.raises(ZeroDivisionError, match="in the listener"):
        ball.run(listener=listener)
    assert ball.run().status == "certified"


def test_contacts_of_a_step(block: carom.Scene) -> None:
    weights: list[float] = []

    def listener(step: carom.Step) -> None:
        weights.append(sum(float(one.percussion_Ns[0]) for one in step.contacts) / step.step_s)

    block.run(listener=listener)
    assert weights[-1] == pytest.approx(2 * 9.81, rel=1e-6)


def test_recordings_are_read_back_to_the_same_bits(tmp_path: Path, ball: carom.Scene, block: carom.Scene) -> None:
    for scene in (ball, block):
        file = tmp_path / "run.h5"
        run = scene.run(file, at_s=[0.25])
        again = carom.open(file)
        assert again.status == run.status and again.title == run.title
        for name, values in run.to_pandas().items():
            assert (again.to_pandas()[name] == values).all(), name
        assert list(again.events) == list(run.events)
        assert again.certificate == run.certificate
        assert (again.snapshots[0].q == run.snapshots[0].q).all()
        assert again.scene.to_dict() == scene.to_dict()


def test_save_writes_what_a_recording_has(tmp_path: Path, ball: carom.Scene, block: carom.Scene, play: carom.Scene) -> None:
    for scene in (ball, block, play):
        run = scene.run(at_s=[0.25])
        run.save(tmp_path / "saved.h5")
        recorded = scene.run(tmp_path / "recorded.h5", at_s=[0.25])
        saved = carom.open(tmp_path / "saved.h5")
        assert saved.to_pandas().equals(recorded.to_pandas())
        assert list(saved.events) == list(recorded.events)
        assert saved.certificate == recorded.certificate and saved.status == run.status
        assert (saved._raw.columns["jumps"]["u_plus"] == recorded._raw.columns["jumps"]["u_plus"]).all()
        # and it can go on, bit for bit
        if scene is not play:
            longer = carom.resume(tmp_path / "saved.h5", duration_s=1.25)
            whole = scene.set(duration_s=1.25).run()
            assert (longer._raw.q_end == whole._raw.q_end).all()


def test_resume_goes_on_bit_for_bit(tmp_path: Path, ball: carom.Scene) -> None:
    file = tmp_path / "run.h5"
    ball.run(file, listener=lambda step: step.time_s < 0.5)
    assert carom.open(file).status == "interrupted"
    resumed = carom.resume(file)
    assert (resumed.q.array == ball.run().q.array).all()
    with pytest.raises(carom.Error):
        carom.resume(tmp_path / "none.h5")


def test_tables(ball: carom.Scene) -> None:
    run = ball.run()
    frame = run.to_pandas()
    assert {"z", "z'", "gap_m.floor", "percussion_Ns.floor", "residual", "kinetic_J", "height"} <= set(frame.columns)
    assert frame.index.name == "time_s"
    data = run.to_xarray()
    assert data["q"].sel(coordinate="z").shape == run.t.shape
    assert data.attrs["status"] == "certified"


def test_files_and_pages(tmp_path: Path, ball: carom.Scene, block: carom.Scene) -> None:
    run = ball.run()
    for name in ("run.csv", "run.svg", "run.html"):
        run.export(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    assert (tmp_path / "run.csv").read_text().startswith("time_s,z,z'")
    run.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == run.show().html
    assert run.show()._repr_html_().startswith("<iframe srcdoc=")
    bodies = block.run()
    bodies.export(tmp_path / "run.glb")
    assert (tmp_path / "run.glb").read_bytes()[:4] == b"glTF"
    bodies.export(tmp_path / "run.pvd")
    assert len(list((tmp_path / "run_frames").iterdir())) == len(bodies.t)
    with pytest.raises(ValueError, match="the ending says no format"):
        run.export(tmp_path / "run.docx")
    with pytest.raises(ValueError, match="draws nothing"):
        run.export(tmp_path / "run.gltf")


def test_pictures(ball: carom.Scene, block: carom.Scene) -> None:
    from matplotlib import pyplot

    run = ball.run()
    for kind in ("overview", "coordinates", "velocities", "gaps", "energy", "phase"):
        assert run.plot(kind).axes
    # a velocity jumps: both limits are at the instant of the impact
    line = run.plot("velocities").axes[0].lines[0]
    steps = np.flatnonzero(np.diff(line.get_xdata()) == 0)
    assert np.abs(np.diff(line.get_ydata())[steps]).max() > 4
    assert block.run().plot("contacts").axes
    with pytest.raises(ValueError, match="there are overview"):
        run.plot("pie")
    with pytest.raises(ValueError, match="bodies"):
        run.plot("contacts")
    with pytest.raises(KeyError):
        run.plot("phase", names=["y"])
    pyplot.close("all")


def test_repr_of_results(ball: carom.Scene) -> None:
    run = ball.run()
    assert repr(run).startswith("<Run 'ball': certified, 1 s in 1000 steps")
    assert "impact" in repr(run.events) and "impact of floor" in repr(run.events[0])
    assert "penetration" in repr(run.certificate)
    assert "certified" in str(run)


def test_runs_are_not_pickled(ball: carom.Scene) -> None:
    with pytest.raises(TypeError, match=r"run\.save"):
        pickle.dumps(ball.run())


def test_without_columns(ball: carom.Scene) -> None:
    run = ball.run(columns=False)
    assert len(run.t) == 0 and run.certificate.steps == 1000
    with pytest.raises(KeyError, match="not recorded"):
        run.q["z"]
    with pytest.raises(ValueError, match="no frames"):
        run.plot()


def test_wrong_arguments(ball: carom.Scene, tmp_path: Path) -> None:
    with pytest.raises(carom.Error) as caught:
        ball.run(at_s=[-1, 0.5, 7])
    assert len(caught.value.mistakes) == 2
    with pytest.raises(carom.Error):
        ball.run(tmp_path / "no" / "folder.h5")
    with pytest.raises(ValueError, match="worst:N"):
        ball.run(save_problems="some")
    with pytest.raises(TypeError):
        ball.run(listener=3)  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError)):
        ball.run(at_s=["soon"])  # type: ignore[list-item]
    with pytest.raises(KeyError, match="there are: z"):
        ball.run().q["y"]


def test_problems_of_a_run_are_kept_and_solved(block: carom.Scene, tmp_path: Path) -> None:
    block.run(save_problems="worst:2", problem_folder=tmp_path / "problems")
    files = sorted((tmp_path / "problems").glob("*.hdf5"))
    assert len(files) == 2
    assert carom.solve(files[0]).solved


def test_two_threads_run_at_once(ball: carom.Scene, block: carom.Scene, tmp_path: Path) -> None:
    alone = [ball.run().q.array.copy(), block.run().q.array.copy()]
    results: dict[int, np.ndarray] = {}

    def work(i: int) -> None:
        for k in range(5):
            file = tmp_path / f"run_{i}_{k}.h5" if k % 2 else None
            results[i] = [ball, block][i % 2].run(file).q.array.copy()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        assert (results[i] == alone[i % 2]).all()


def test_the_lock_of_the_interpreter_is_released(ball: carom.Scene) -> None:
    long = ball.set(**{"duration_s": 400, "integrator.time_step_s": 1e-3})
    counted = 0
    done = threading.Event()

    def run() -> None:
        long.run(columns=False)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 20  # this thread went on meanwhile
