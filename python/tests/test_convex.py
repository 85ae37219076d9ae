"""Convex sets and impacts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom
from carom import convex, impact

NUMBERS = st.floats(-10, 10)
SETS = [
    convex.ball([0.5, 0, 0], 2.0),
    convex.box([-1, -2, 0], [1, 2, np.inf]),
    convex.ellipsoid([0, 0, 0], np.diag([1.0, 4.0, 0.25])),
    convex.half_space([1, 1, 0], 0.5),
    convex.orthant(3),
    convex.cone([[1, 0, 0], [0, 1, 1]]),
    convex.generated_cone([[1, 0, 0], [1, 1, 0], [0, 0, 1]]),
    convex.polyhedron([[1, 0, 0], [-1, 0, 0], [0, 1, 2]], [1, 1, 3]),
    convex.polytope([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    convex.second_order_cone(3, 0.5),
    convex.subspace([[1.0], [1.0], [0.0]]),
    convex.singleton([1, 2, 3]),
    convex.ball([0, 0, 0], 1.0).moved([1, 0, 0], 2.0),
    convex.ball([0, 0, 0], 1.0) + convex.box([0, 0, 0], [1, 1, 1]),
    convex.ball([0, 0, 0], 1.0) & convex.half_space([1, 0, 0], 0.5),
    convex.ball([0, 0], 1.0).image([[1, 0], [0, 1], [1, 1]]),
]
METRIC = np.array([[2.0, 0.5, 0], [0.5, 1.0, 0.1], [0, 0.1, 3.0]])


@pytest.mark.parametrize("at", range(len(SETS)))
@settings(max_examples=25, deadline=None, derandomize=True)
@given(z=st.tuples(NUMBERS, NUMBERS, NUMBERS), y=st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_nearest_points_are_nearest(at: int, z: tuple[float, ...], y: tuple[float, ...]) -> None:
    chosen = SETS[at]
    for metric in (None, METRIC):
        A = np.eye(3) if metric is None else metric
        x, other = chosen.prox(z, metric), chosen.prox(y, metric)
        assert chosen.contains(x, 1e-5)
        # (z - x).A(v - x) <= 0 for every v of the set, and prox does not expand
        size = 1 + np.abs(z).max() + np.abs(y).max()
        assert (np.array(z) - x) @ A @ (other - x) <= 1e-4 * size**2
        d = x - other
        e = np.array(z) - np.array(y)
        assert d @ A @ d <= e @ A @ e + 1e-4 * size**2


def test_support_and_polar() -> None:
    assert convex.ball([0, 0], 2).support([3, 4]) == pytest.approx(10)
    assert convex.orthant(2).support([1, 0]) == np.inf
    cone = convex.second_order_cone(3, 0.5)
    polar = cone.polar_cone()
    assert polar is not None and convex.ball([1, 0], 1).polar_cone() is None
    # Moreau's decomposition
    z = np.array([0.3, 1.0, -2.0])
    x, y = cone.prox(z), polar.prox(z)
    assert x + y == pytest.approx(z) and abs(x @ y) < 1e-12


def test_wrong_sets_and_points() -> None:
    with pytest.raises(carom.Error):
        convex.ball([0, 0], -1)
    with pytest.raises(carom.Error):
        convex.interval(2, 1)
    with pytest.raises(ValueError, match="3 components"):
        convex.ball([0, 0], 1).prox([1, 2, 3])
    with pytest.raises(carom.Error):
        convex.ball([0, 0], 1).prox([1, 2], [[1, 0], [0, -1]])
    for bad in ([np.nan, 0], "xy", [[1, 2]], None, [1j, 0]):
        with pytest.raises((ValueError, TypeError)):
            convex.ball([0, 0], 1).prox(bad)
    with pytest.raises(TypeError):
        convex.ball([0, 0], 1) + 3  # type: ignore[operator]


def test_newton_s_cradle_by_two_maps() -> None:
    # three equal balls in a row, the first one comes in: sequential impacts send the last one off
    A, H = np.eye(3), np.array([[-1.0, 1, 0], [0, -1, 1]])
    u = [1.0, 0, 0]
    sequential = impact.sequential(A, H, u)
    assert sequential.u_plus == pytest.approx([0, 0, 1]) and sequential.collisions == 2
    canonical = impact.canonical(A, H, u, 1.0)
    assert canonical.u_plus == pytest.approx([-1 / 3, 2 / 3, 2 / 3])
    for answer in (sequential, canonical):
        report = impact.admissibility(A, H, u, answer.u_plus)
        assert report.is_admissible(1e-12)
        assert A @ (answer.u_plus - u) == pytest.approx(H.T @ answer.percussions_Ns)
    assert impact.admissibility(A, H, u, [-2.0, 0, 3]).energy_gained_J == pytest.approx(6)
    with pytest.raises(ValueError):
        impact.canonical(A, H, [1.0, 0], 1.0)
    with pytest.raises(carom.Error):
        impact.canonical(A, H, u, 1.5)
