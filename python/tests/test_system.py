"""Systems from Python functions: traced once into the same formulas as texts."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom import impact


def pendulum(**changes: Any) -> carom.System:
    parts: dict[str, Any] = {
        "coordinates": {"theta": (1.0, 0.2)},
        "kinetic": lambda q, u: u.theta**2 / 2,
        "potential": lambda q: -9.81 * carom.cos(q.theta),
        "forces": {"theta": lambda q, u, t: -0.1 * u.theta + 0.3 * np.sin(2 * t)},
        "contacts": [carom.Contact("wall", gap=lambda q: np.sin(q[0]), restitution=0.8)],
        "duration_s": 2.0,
    }
    return carom.System(**{**parts, **changes})


TEXT = {
    "duration_s": 2.0,
    "coordinate": [{"name": "theta", "start": 1.0, "start_velocity": 0.2}],
    "lagrangian": {
        "kinetic": "theta'^2/2",
        "potential": "-9.81*cos(theta)",
        "forces": {"theta": "-0.1*theta' + 0.3*sin(2*t)"},
    },
    "contact": [{"name": "wall", "gap": "sin(theta)", "law": {"restitution": 0.8}}],
}


@pytest.mark.parametrize("kind", ["moreau", "moreau_jean", "series"])
def test_functions_are_the_formulas_that_they_compute(kind: str) -> None:
    traced = pendulum(integrator={"kind": kind}).run()
    read = carom.scene({**TEXT, "integrator": {"kind": kind}}).run()
    assert traced.status == read.status == "certified"
    # the same operations, perhaps in another order
    assert np.abs(traced.q["theta"] - read.q["theta"]).max() < 1e-9
    assert len(traced.events) == len(read.events)


def test_texts_numbers_and_functions_mix() -> None:
    mixed = pendulum(potential="-g*cos(theta)", parameters={"g": 9.81}).run()
    assert np.abs(mixed.q["theta"] - pendulum().run().q["theta"]).max() < 1e-9
    only_text = pendulum(
        kinetic="theta'^2/2", potential=0, forces={}, contacts=[carom.Contact("wall", gap="sin(theta)")]
    ).scene()
    assert "theta'^2/2" in only_text.text


def test_a_branch_names_its_line_and_where() -> None:
    def gap(q: Any) -> Any:
        if q.theta > 0:  # a branch
            return q.theta
        return -q.theta

    with pytest.raises(TypeError, match=r"test_system\.py:\d+: this branch depends on q.*carom\.where"):
        pendulum(contacts=[carom.Contact("wall", gap=gap)]).scene()
    line = gap.__code__.co_firstlineno + 1
    with pytest.raises(TypeError, match=f":{line}:"):
        pendulum(contacts=[carom.Contact("wall", gap=gap)]).scene()


def test_where_minimum_and_their_like_are_traced() -> None:
    system = carom.System(
        coordinates={"x": 1.0},
        kinetic=lambda q, u: u.x**2 / 2,
        potential=lambda q: carom.where((q.x > 0) & ~(q.x > 5), q.x**2 / 2, 0.0 * q.x),
        probes=[
            carom.Probe("least", lambda q: carom.minimum(q.x, 0.5)),
            carom.Probe("most", lambda q: carom.maximum(q.x, 0.5)),
            carom.Probe("far", lambda q: carom.hypot(q.x, 1.0) + carom.arctan2(q.x, 1.0) + abs(q.x) + carom.sign(q.x)),
        ],
        integrator={"time_step_s": 1e-3},
    )
    run = system.run()
    x = run.q["x"]
    assert np.abs(x - np.cos(run.t)).max() < 1e-5
    assert (run.probes["least"] == np.minimum(x, 0.5)).all()
    assert (run.probes["most"] == np.maximum(x, 0.5)).all()
    assert np.allclose(run.probes["far"], np.hypot(x, 1) + np.arctan2(x, 1) + np.abs(x) + np.sign(x), atol=1e-15)
    assert float(carom.where(True, 1.0, 2.0)) == 1.0 and float(carom.minimum(1.0, 2.0)) == 1.0


def test_functions_with_defaults_are_functions_of_q() -> None:
    """``lambda q, i=i: ...`` is how functions are made in loops."""
    system = carom.System(
        coordinates={"a": 0.0, "b": 1.0, "c": 2.0},
        kinetic=lambda q, u: sum(v**2 for v in u) / 2,
        contacts=[carom.Contact(f"pair{i}", gap=lambda q, i=i: q[i + 1] - q[i]) for i in range(2)],
    )
    assert system.run().gap_m.array[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda q: math.sin(q.theta), "not those of math"),
        (lambda q: q.theta > 0, "gives a condition"),
        (lambda q: "theta", "gives str"),
        (lambda q: q.phi, "there are: theta"),
        (lambda: 1.0, "takes 0 arguments"),
        (lambda q: 1 / 0, "division by zero"),
        (lambda q: float(q.theta), "no values while the function is traced"),
    ],
)
def test_functions_that_cannot_be_formulas(function: Any, message: str) -> None:
    with pytest.raises((TypeError, AttributeError, ZeroDivisionError), match=message):
        pendulum(potential=function).scene()


def test_mistakes_of_systems_are_those_of_scenes() -> None:
    with pytest.raises(carom.Error) as caught:
        pendulum(contacts=[carom.Contact("wall", gap=lambda q: q.theta - 5)]).scene()
    assert caught.value.mistakes[0].code == "gap_violated"
    with pytest.raises(carom.Error) as caught:
        pendulum(integrator={"kind": "euler"}).scene()
    assert "moreau" in caught.value.mistakes[0].hint
    with pytest.raises(carom.Error):
        pendulum(forces={"phi": 1.0}).scene()


def test_friction_of_a_particle_on_a_surface() -> None:
    system = carom.System(
        coordinates={"x": (0.0, 1.5), "z": 0.0},
        kinetic=lambda q, u: (u.x**2 + u.z**2) / 2,
        potential=lambda q: 9.81 * q.z,
        contacts=[
            carom.Contact("floor", position=[lambda q: q.x, lambda q: q.z], surface=lambda p: p.y, friction=0.3)
        ],
        duration_s=1.0,
    )
    run = system.run()
    assert run.status == "certified"
    assert run.q["x"][-1] == pytest.approx(1.5**2 / (2 * 0.3 * 9.81), abs=2e-3)


def test_constraints_hold() -> None:
    system = carom.System(
        coordinates={"x": 1.0, "y": 0.0},
        kinetic="(x'^2 + y'^2)/2",
        potential=lambda q: 9.81 * q.y,
        constraints=[carom.Constraint("rod", zero=[lambda q: carom.hypot(q.x, q.y) - 1])],
    )
    run = system.run()
    assert np.abs(np.hypot(run.q["x"], run.q["y"]) - 1).max() < 1e-9


def test_a_scene_of_functions_is_written_as_text(tmp_path: Path) -> None:
    scene = pendulum().scene()
    again = carom.scene(scene.text)
    run = scene.run(tmp_path / "run.h5")
    # the same operations but for the order of sums
    for name in scene.coordinates:
        assert abs(run.q[name][-1] - again.run().q[name][-1]) < 1e-9
    assert carom.open(tmp_path / "run.h5").status == "certified"
    longer = carom.resume(tmp_path / "run.h5", duration_s=2 * scene.duration_s)
    assert longer.t[-1] == pytest.approx(2 * scene.duration_s)
    assert scene.set(duration_s=0.1).duration_s == 0.1
    assert pickle.loads(pickle.dumps(scene)).text == scene.text
    assert len(scene.study(vary={"duration_s": [0.1, 0.2]})) == 2


def test_a_function_that_no_text_can_say(tmp_path: Path) -> None:
    def deep(q: Any) -> Any:
        y = q.x
        for _ in range(60):
            y = carom.sin(y) * carom.cos(y)
        return y**2

    scene = carom.System(coordinates={"x": 0.1}, kinetic="x'^2/2", potential=deep, duration_s=0.1).scene()
    assert scene.text == ""
    scene.run(tmp_path / "run.h5")
    assert carom.open(tmp_path / "run.h5").status == "certified"
    with pytest.raises(TypeError, match="scene of Python functions"):
        carom.resume(tmp_path / "run.h5", duration_s=100)
    for use in (scene.to_dict, lambda: scene.set(duration_s=1), lambda: pickle.dumps(scene), scene.study):
        with pytest.raises(TypeError):
            use()
    with pytest.raises(carom.Error, match="cannot be written"):
        carom.sensitivities(scene, ["coordinate.x.start"])


def test_impact_maps_as_functions() -> None:
    def mirror(site: impact.Site, u_minus: Any) -> Any:
        return impact.canonical(site.A, site.H, u_minus, 0.5).u_plus

    parts: dict[str, Any] = {
        "coordinates": {"z": 1.0},
        "kinetic": lambda q, u: u.z**2 / 2,
        "potential": lambda q: 9.81 * q.z,
        "contacts": [carom.Contact("floor", gap=lambda q: q.z)],
    }
    run = carom.System(**parts, impact_map=mirror).run()
    first = run.events[0]
    # gravity acts for the rest of the step: g h
    assert first.velocity_after_m_s == pytest.approx(-0.5 * first.velocity_before_m_s, abs=9.81e-3 * 1.01)

    # a map that creates energy is named: (1.2^2 - 1) of the kinetic energy that came in
    gaining = carom.System(**parts, impact_map=lambda site, u: -1.2 * u).run()
    assert "map_creates_energy" in [finding.code for finding in gaining.findings]
    assert gaining.certificate.energy["impact_J"] == pytest.approx(0.44 * 9.81, rel=1e-2)

    def broken(site: impact.Site, u_minus: Any) -> Any:
        raise LookupError("in the map")

    with pytest.raises(LookupError, match="in the map"):
        carom.System(**parts, impact_map=broken).run()
    with pytest.raises(ValueError, match="another size"):
        carom.System(**parts, impact_map=lambda site, u: [1.0, 2.0]).run()


def test_parts_of_scenes_are_checked_by_name() -> None:
    body = carom.Body(name="ball", shape="sphere", radius_m=0.1, mass_kg=1, position_m=[0, 0, 0.3])
    body.velocity_m_s = [1, 0, 0]
    with pytest.raises(TypeError, match="did you mean radius_m"):
        carom.Body(name="ball", radius=0.1)
    with pytest.raises(TypeError, match="did you mean"):
        body.mass = 3
    scene = carom.scene(
        {
            "duration_s": 0.5,
            "material": [carom.Material(name="rubber", friction=0.5, restitution=0.2)],
            "body": [carom.Body(name="floor", shape="plane"), body],
        }
    )
    assert scene.bodies == ["floor", "ball"]
    assert scene.run().status == "certified"
    assert "radius_m" in (carom.Body.__doc__ or "") and "m" in repr(body)
    grid = carom.Body(name="grain", shape="sphere", radius_m=0.05, position_m=[0, 0, 0.05], copies=[3]).to_dict()
    assert grid["copies"] == [3]
    # shapes and lattices as objects of their own, which spread over the body
    shape = carom.Shape(shape="sphere", radius_m=0.05)
    lattice = carom.Lattice(copies=[2, 1, 3])
    grain = carom.Body(name="grain", shape=shape, mass_kg=1.0, position_m=["0.2*i", 0, "0.1 + 0.2*k"], lattice=lattice)
    assert grain.to_dict() == {
        "name": "grain", "shape": "sphere", "radius_m": 0.05, "mass_kg": 1.0, "position_m": ["0.2*i", 0, "0.1 + 0.2*k"], "copies": [2, 1, 3]
    }
    assert len(carom.scene({"duration_s": 0.1, "body": [carom.Body(name="floor", shape="plane"), grain]}).bodies) == 7
    with pytest.raises(TypeError, match="Shape has no field"):
        carom.Shape(shape="sphere", mass_kg=1.0)
    # copies do not share their fields
    other = copy.copy(body)
    other.radius_m = 5.0
    assert body.radius_m == 0.1 and body.replace(radius_m=0.3).radius_m == 0.3
    assert pickle.loads(pickle.dumps(body)) == body
