"""Derivatives, orbits, branches and exponents."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import carom

@pytest.fixture
def oscillator(tmp_path):
    return carom.read_scene("scenes/impact_oscillator.toml")


def test_equal_balls_exchange_their_velocities():
    by = [f"coordinate.{name}.{what}" for what in ("start", "start_velocity") for name in "ab"]
    motion = carom.sensitivities(carom.read_scene("scenes/two_balls.toml"), by)
    # x_b(1) = x_a + 0.2 + v_a: gradient (1, 0, 1, 0)
    np.testing.assert_allclose(motion.states[-1].dq[1], [1, 0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(motion.events[0].dtime_s, [-1, 1, -0.5, 0.5], atol=1e-15)
    assert motion.lost is None


def test_multipliers_of_one_impact_have_the_product_e_squared_times_damping(oscillator):
    found = carom.orbit(oscillator, period="2*pi/w", settle=50, by="parameters.w")
    assert found.converged
    impacts = [event for event in found.events if event.kind == "impact"]
    assert len(impacts) == 1
    product = found.multipliers[0] * found.multipliers[1]
    assert product == pytest.approx(np.linalg.det(found.monodromy), rel=1e-9)
    # T = 2 pi / w
    w = 2 * math.pi / found.period_s
    assert found.dperiod_s[0] == pytest.approx(-found.period_s / w, rel=1e-12)


def test_the_branch_goes_through_its_doubling(oscillator):
    followed = carom.branch(oscillator, "parameters.w", 2.1, 2.8, period="2*pi/w")
    flip = next(point for point in followed.special if point.kind == "period_doubling")
    assert min(abs(m + 1) for m in flip.orbit.multipliers) < 1e-8
    before = [one.stable for value, one in zip(followed.values, followed.orbits) if value < flip.value - 1e-6]
    after = [one.stable for value, one in zip(followed.values, followed.orbits) if value > flip.value + 1e-6]
    assert all(before) and not any(after)


def test_exponents_are_those_of_the_multipliers(oscillator):
    found = carom.orbit(oscillator, period="2*pi/w", settle=100)
    growth = carom.lyapunov(oscillator, found.period_s, discard=200, intervals=400)
    expected = math.log(abs(found.multipliers[0] * found.multipliers[1])) / found.period_s
    assert growth.exponents_1_s.sum() == pytest.approx(expected, rel=1e-6)
    assert cmath.isfinite(found.multipliers[0])


def test_the_motion_of_an_orbit_closes(oscillator):
    found = carom.orbit(oscillator, period="2*pi/w", settle=50)
    run = found.run(oscillator)
    assert run.t[-1] - run.t[0] == pytest.approx(found.period_s, rel=1e-12)
    # an orbit closes to its residual, relative to a state of size one
    assert abs(run.q["x"][-1] - run.q["x"][0]) < 1e-9 and abs(run.u["x"][-1] - run.u["x"][0]) < 1e-9
    assert sum(event.kind == "impact" for event in run.events) == 1


def test_a_guess_replaces_the_start(oscillator):
    found = carom.orbit(oscillator, period="2*pi/w", settle=50)
    # from the orbit itself Newton has nothing to do; from a start nearby it comes back
    again = carom.orbit(oscillator, period="2*pi/w", guess=found)
    assert again.iterations <= 1
    near = carom.orbit(oscillator, period="2*pi/w", guess={"x": found.q[0] + 1e-3, "x'": found.u[0]})
    np.testing.assert_allclose([*near.q, *near.u], [*found.q, *found.u], atol=1e-9)
    with pytest.raises(carom.Error, match="y"):
        carom.orbit(oscillator, period="2*pi/w", guess={"y": 0.0})


def test_doubled_orbits_leave_at_the_doubling(oscillator):
    followed = carom.branch(oscillator, "parameters.w", 2.1, 2.8, period="2*pi/w", values=[2.3, 2.4])
    assert [value for value, _ in followed.at] == [2.3, 2.4]
    assert followed.at[0][1].period_s == pytest.approx(2 * math.pi / 2.3, rel=1e-12)
    index = [point.kind for point in followed.special].index("period_doubling")
    twice = followed.doubled(index)
    assert twice.orbits[0].period_s == pytest.approx(4 * math.pi / twice.values[0], rel=1e-9)
    assert twice.values[0] == pytest.approx(followed.special[index].value, abs=0.05)
    assert all(len([e for e in one.events if e.kind == "impact"]) == 2 for one in twice.orbits[:3])
    with pytest.raises(IndexError):
        followed.doubled(99)


def test_the_curve_of_a_doubling_is_one_of_multipliers_minus_one(oscillator):
    followed = carom.branch(oscillator, "parameters.w", 2.1, 2.8, period="2*pi/w")
    curve = followed.curve(0, "parameters.e", 0.78, 0.82, steps=4)
    assert curve.over == ("w", "e") and curve.second[0] == pytest.approx(0.78) and curve.second[-1] == pytest.approx(0.82)
    for one in curve.orbits:
        assert min(abs(m + 1) for m in one.multipliers) < 1e-5


def test_equilibria_of_a_spring_are_those_of_statics():
    # k x = 1, and the motion near it is x'' = -k x: eigenvalues +-i sqrt(k)
    mass = carom.System(coordinates={"x": 0.5}, kinetic="x'^2/2", potential="k*x^2/2 - x", parameters={"k": 2.0})
    (branch,) = carom.equilibria(mass.scene(), "parameters.k", 1, 4).branches
    for point in branch.points:
        assert point.q[0] == pytest.approx(1 / point.value, rel=1e-9)
        assert abs(point.eigenvalues[0].imag) == pytest.approx(math.sqrt(point.value), rel=1e-6)


def test_basins_sort_starts_by_their_attractor():
    # a ball in a double well with damping: two attractors, by the sign of the start
    scene = carom.scene(
        {
            "duration_s": 60,
            "coordinate": [{"name": "x", "start": 1.2}],
            "lagrangian": {"kinetic": "x'^2/2", "potential": "x^4/4 - x^2/2", "forces": {"x": "-x'"}},
            "integrator": {"kind": "series", "time_step_s": 0.1},
        }
    )
    starts = [-0.9, -0.5, 0.5, 0.9]
    table = scene.study(vary={"coordinate.x.start": starts}, strobe=1.0, skip=50, basin=1e-3)
    assert [one.period for one in table.attractors] == [1, 1] and [one.runs for one in table.attractors] == [2, 2]
    for start, which in zip(starts, table.basin):
        assert table.attractors[which].points[0][0] == pytest.approx(math.copysign(1, start), abs=1e-6)
    with pytest.raises(ValueError, match="every start once"):
        scene.study(vary={"coordinate.x.start": starts}, strobe=1.0, basin=1e-3, repeat=2)


def test_mistakes_of_a_study_name_the_scene(oscillator):
    with pytest.raises(carom.Error, match="impact_oscillator") as caught:
        oscillator.study(vary={"coordinate.x.start": [0.5]})
    assert "tmp" not in str(caught.value)


def test_mistakes_are_named(oscillator):
    with pytest.raises(carom.Error, match="omega"):
        carom.sensitivities(oscillator, "parameters.omega")
    with pytest.raises(carom.Error, match="not a multiple"):
        carom.orbit(oscillator, period=2.0)
    with pytest.raises(carom.Error, match="omega"):
        carom.branch(oscillator, "parameters.omega", 0, 1, period="2*pi/w")


def test_past_grazing_the_orbits_begin_where_the_free_motion_touches_its_stop():
    w, c, sigma = 2.2, 0.05, 0.5
    scene = carom.System(
        coordinates={"x": (-0.2, 0.3)},
        kinetic="x'^2/2",
        potential="x^2/2",
        forces={"x": "F*cos(w*t) - c*x'"},
        contacts=[carom.Contact("stop", gap="sigma - x", restitution=0.8)],
        parameters={"w": w, "F": 1.0, "c": c, "sigma": sigma},
        duration_s=10,
    ).scene()
    free = carom.branch(scene, "parameters.F", 0.5, 3, period="2*pi/w")
    index = next(i for i, point in enumerate(free.special) if point.kind == "grazing")
    # the amplitude of the free motion is F over this root: it grazes where that is sigma
    assert free.special[index].value == pytest.approx(sigma * math.hypot(1 - w * w, c * w), rel=1e-10)
    past = free.past_grazing(index)
    assert len(past.orbits) > 10
    assert all(any(event.kind == "impact" for event in orbit.events) for orbit in past.orbits)


def test_derivatives_of_steps_are_those_of_the_midpoint_rule():
    scene = carom.System(
        coordinates={"x": 1.0},
        kinetic="x'^2/2",
        potential="x^2/2",
        duration_s=0.5,
        integrator={"kind": "moreau", "time_step_s": 0.1},
    ).scene()
    motion = carom.sensitivities(scene, "coordinate.x.start", of_steps=True)
    # the scheme is linear here: u' = u - h (q + h u/2), q' = q + h (u + u')/2
    q, u, h = 1.0, 0.0, 0.1
    for _ in range(5):
        after = u - h * (q + h * u / 2)
        q, u = q + h * (u + after) / 2, after
    assert motion.states[-1].dq[0, 0] == pytest.approx(q, rel=1e-13)
    assert motion.states[-1].du[0, 0] == pytest.approx(u, rel=1e-13)
