"""Scenes stepped by hand."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from conftest import BALL, ROOT

import carom

CART = {
    "duration_s": 5.0,
    "coordinate": [{"name": "x", "start": 0.0}, {"name": "y", "start": 0.0}],
    "lagrangian": {"kinetic": "x'^2 + y'^2/2", "forces": {"y": "-0.5*y'"}},
    "integrator": {"time_step_s": 0.01},
}


@pytest.mark.parametrize("name", ["ball", "block", "play"])
def test_steps_are_those_of_a_run_bit_for_bit(name: str, request: pytest.FixtureRequest) -> None:
    scene: carom.Scene = request.getfixturevalue(name)
    run = scene.run()
    sim = scene.simulation()
    total = run.certificate.steps
    assert sim.step(7) == 7
    while sim.step() == 1:
        pass
    assert sim.steps == total and sim.end == run.end
    assert (sim.q == run._raw.q_end).all() and (sim.u == run._raw.u_end).all()
    assert sim.certificate == run.certificate and sim.status == run.status
    assert sim.step() == 0 and sim.step(10) == 0


def test_snapshots_are_restored_bit_for_bit(block: carom.Scene, ball: carom.Scene) -> None:
    for scene in (block, ball):
        sim = scene.simulation()
        sim.step(100)
        here = sim.snapshot()
        sim.step(150)
        there, energy = sim.q, sim.energy
        sim.restore(here)
        assert sim.steps == 100
        sim.step(150)
        assert (sim.q == there).all() and sim.energy == energy
        other = scene.simulation()
        other.restore(here)
        other.step(150)
        assert (other.q == there).all()
    with pytest.raises(carom.Error):
        block.simulation().restore(ball.simulation().snapshot())


def test_a_force_moves_as_newton_says_and_the_ledger_has_its_work() -> None:
    sim = carom.scene(CART).simulation()
    sim.set_force({"x": 4.0})
    sim.step(100)
    # x'' = 4 / 2, exact for the midpoint rule under a constant force
    assert sim["x"] == pytest.approx(2.0 / 2 * 1.0**2, rel=1e-12)
    assert sim["x'"] == pytest.approx(2.0, rel=1e-12)
    certificate = sim.certificate
    assert certificate.energy["given_forces_J"] == pytest.approx(4.0 * sim["x"], rel=1e-12)
    assert abs(certificate.energy_balance_J) < 1e-12
    sim.set_force([0.0, 0.0])
    before = sim["x'"]
    sim.step(10)
    assert sim["x'"] == before


def test_control_is_called_before_every_step() -> None:
    sim = carom.scene(CART).simulation()
    times: list[float] = []

    def hold(at: carom.Simulation) -> None:
        times.append(at.time_s)
        at.set_force([-20 * (at["x"] - 1) - 8 * at["x'"], 0.0])

    sim.control = hold
    assert sim.step(400) == 400
    assert len(times) == 400 and times[:3] == pytest.approx([0.0, 0.01, 0.02])
    assert sim["x"] == pytest.approx(1.0, abs=1e-3)

    def broken(at: carom.Simulation) -> None:
        raise RuntimeError("no more")

    sim.control = broken
    with pytest.raises(RuntimeError, match="no more"):
        sim.step()
    sim.control = None
    assert sim.step() == 1


def test_wrenches_and_contacts_of_bodies(block: carom.Scene) -> None:
    sim = block.simulation()
    sim.set_state(u=np.zeros(7))
    # below mu m g the crate stays, above it accelerates by (F - mu m g) / m
    sim.set_wrench("crate", [5.0, 0, 0])
    sim.step(100)
    assert abs(sim["crate_x'"]) < 1e-9
    normal = sum(float(one.percussion_Ns[0]) for one in sim.contacts) / block.time_step_s
    assert normal == pytest.approx(2 * 9.81, rel=1e-6)
    before = sim["crate_x'"]
    sim.set_wrench("crate", [10.0, 0, 0])
    sim.step(100)
    expected = (10 - 0.3 * 2 * 9.81) / 2 * 100 * block.time_step_s
    assert sim["crate_x'"] - before == pytest.approx(expected, rel=1e-6)
    assert sim.certificate.energy["given_forces_J"] > 0
    assert abs(sim.certificate.energy_balance_J) < 1e-9
    with pytest.raises(carom.Error):
        sim.set_wrench("create", [1, 0, 0])
    with pytest.raises(ValueError):
        sim.set_wrench("crate", [1, 0])


def test_motors_take_a_rate() -> None:
    scene = carom.read_scene(ROOT / "scenes" / "gripper.toml")
    sim = scene.simulation()
    sim.set_motor("left_guide", 0.0)
    sim.set_motor("right_guide", 0.0)
    start = sim["left_x"]
    sim.step(100)
    assert sim["left_x"] == pytest.approx(start, abs=1e-6)  # held open
    sim.set_motor("left_guide", 0.05)
    sim.step(100)
    assert sim["left_x"] > start + 1e-3
    with pytest.raises(carom.Error, match="no joint with a motor"):
        sim.set_motor("hand", 1.0)
    with pytest.raises(carom.Error):
        sim.set_motor("left_guide", float("nan"))


def test_state_in_and_out(ball: carom.Scene, block: carom.Scene) -> None:
    sim = ball.simulation()
    sim.step(10)
    state = sim.state
    sim.set_state(q=[0.5], u=[0.0])
    assert sim["z"] == 0.5 and sim.time_s == pytest.approx(0.01) and sim.steps == 0
    sim.step(100)
    assert sim["z"] == pytest.approx(0.5 - 9.81 / 2 * 0.1**2, rel=1e-9)
    sim.state = state
    assert sim["z"] == state.q[0]
    with pytest.raises(carom.Error) as caught:
        sim.set_state(q=[-0.5])
    assert caught.value.mistakes[0].code == "gap_violated"
    bodies = block.simulation()
    q = bodies.q
    q[:3] = [0.3, 0.2, 1.0]
    bodies.set_state(q=q)
    assert bodies.q[:3] == pytest.approx([0.3, 0.2, 1.0])


def test_wrong_data_raise_and_break_nothing(ball: carom.Scene, play: carom.Scene) -> None:
    sim = ball.simulation()
    for bad in ([1.0, 2.0], [float("nan")], [[1.0]], "x", None, [1 + 2j], [object()]):
        with pytest.raises((carom.Error, TypeError, ValueError)):
            sim.set_force(bad)  # type: ignore[arg-type]
        with pytest.raises((carom.Error, TypeError, ValueError)):
            sim.set_state(q=bad if bad is not None else "y", u=[0.0])  # type: ignore[arg-type]
    sim.set_force(np.arange(4.0)[::4])  # not contiguous: copied
    with pytest.raises((TypeError, ValueError)):
        sim.step(-1)
    with pytest.raises(TypeError):
        sim.step("many")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        sim["zz"]
    with pytest.raises(carom.Error):
        play.simulation().set_force([1.0])
    with pytest.raises(carom.Error):
        carom.scene({**BALL, "integrator": {"kind": "series"}}).simulation().set_force([1.0])
    with pytest.raises(TypeError):
        pickle.dumps(sim)
    assert sim.step(5) == 5 and "after 5 steps" in repr(sim)


def test_the_scene_may_go_away(ball: carom.Scene) -> None:
    sim = carom.scene(BALL).simulation()
    contacts = sim.contacts
    sim.scene = ball
    sim.step(600)
    snapshot = sim.snapshot()
    del sim, contacts
    other = ball.simulation()
    other.restore(snapshot)
    assert other.steps == 600


def test_one_simulation_in_two_threads_is_refused() -> None:
    """Steps work without the interpreter: a second thread would change the memory that they use."""
    sim = carom.example_scene("pendulum_wall", duration_s=1e6).simulation()
    entered, refused = threading.Event(), []

    def work() -> None:
        entered.set()
        sim.step(100_000)

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait()
    while thread.is_alive():
        for touch in (lambda: sim.step(), lambda: sim.q, lambda: sim.snapshot(), lambda: sim.set_force([1.0])):
            try:
                touch()
            except RuntimeError as error:
                refused.append(str(error))
    thread.join()
    assert refused and all("another thread" in one for one in refused)
    assert sim.steps >= 100_000 and sim.step(2) == 2
