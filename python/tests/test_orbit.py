"""Derivatives, orbits, branches and exponents."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import carom

BALLS = """
title = "two balls"
duration_s = 1
[[coordinate]]
name = "a"
start = 0
start_velocity = 1
[[coordinate]]
name = "b"
start = 0.7
[lagrangian]
kinetic = "a'^2/2 + b'^2/2"
[[contact]]
name = "balls"
gap = "b - a - 0.2"
law = { restitution = 1 }
"""


@pytest.fixture
def oscillator(tmp_path):
    return carom.read_scene("scenes/impact_oscillator.toml")


def test_equal_balls_exchange_their_velocities(tmp_path):
    path = tmp_path / "balls.toml"
    path.write_text(BALLS)
    by = [f"coordinate.{name}.{what}" for what in ("start", "start_velocity") for name in "ab"]
    motion = carom.sensitivities(carom.read_scene(path), by)
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


def test_mistakes_are_named(oscillator):
    with pytest.raises(carom.Error, match="omega"):
        carom.sensitivities(oscillator, "parameters.omega")
    with pytest.raises(carom.Error, match="no multiple"):
        carom.orbit(oscillator, period=2.0)
    with pytest.raises(carom.Error, match="omega"):
        carom.branch(oscillator, "parameters.omega", 0, 1, period="2*pi/w")
