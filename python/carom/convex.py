"""Closed convex sets: nearest points in any metric, support functions, polar cones.

>>> from carom import convex
>>> cone = convex.second_order_cone(3, mu=0.5)
>>> cone.prox([1.0, 2.0, 0.0]).round(6).tolist()
[1.6, 0.8, 0.0]
>>> convex.ball([0, 0], 2.0).support([3, 4])
10.0
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom

Array = NDArray[np.float64]


class ConvexSet:
    """A nonempty closed convex set of R^n; constant."""

    def __init__(self, raw: _carom.ConvexSet) -> None:
        self._raw = raw

    @property
    def dimension(self) -> int:
        """n of R^n."""
        return self._raw.dimension

    def contains(self, v: ArrayLike, tolerance: float = 1e-12) -> bool:
        """Whether the distance of v to the set is at most tolerance * (\\|v\\| + size)."""
        return self._raw.contains(v, tolerance)

    def prox(self, z: ArrayLike, metric: ArrayLike | None = None) -> Array:
        """Nearest point to z; Euclidean, or in the metric of a symmetric positive definite matrix."""
        return self._raw.prox(z, metric)

    def support(self, p: ArrayLike) -> float:
        """sup { p.v : v in C }, infinite where there is no bound."""
        return self._raw.support(p)

    def polar_cone(self) -> ConvexSet | None:
        """{ p : p.v <= 0 for every v in C }; None if C is no cone with apex 0."""
        polar = self._raw.polar_cone()
        return None if polar is None else ConvexSet(polar)

    def moved(self, shift: ArrayLike, scale: float = 1.0) -> ConvexSet:
        """scale C + shift."""
        return ConvexSet(_carom.set_moved(self._raw, scale, shift))

    def image(self, M: ArrayLike) -> ConvexSet:
        """{ M y : y in C }."""
        return ConvexSet(_carom.set_image(self._raw, M))

    def __add__(self, other: ConvexSet) -> ConvexSet:
        """Minkowski sum."""
        if not isinstance(other, ConvexSet):
            return NotImplemented
        return ConvexSet(_carom.set_sum([self._raw, other._raw]))

    def __and__(self, other: ConvexSet) -> ConvexSet:
        """Intersection."""
        if not isinstance(other, ConvexSet):
            return NotImplemented
        return intersection([self, other])

    def __repr__(self) -> str:
        return f"<convex set in {self.dimension} dimensions: {self._raw.name}>"


def ball(centre: ArrayLike, radius: float) -> ConvexSet:
    """{ v : |v - centre| <= radius }."""
    return ConvexSet(_carom.set_ball(centre, radius))


def interval(lower: float, upper: float) -> ConvexSet:
    """[lower, upper]; ends may be infinite."""
    return ConvexSet(_carom.set_interval(lower, upper))


def box(lower: ArrayLike, upper: ArrayLike) -> ConvexSet:
    """Product of intervals; ends may be infinite."""
    return ConvexSet(_carom.set_box(lower, upper))


def ellipsoid(centre: ArrayLike, E: ArrayLike) -> ConvexSet:
    """{ v : (v - centre).E^-1 (v - centre) <= 1 }."""
    return ConvexSet(_carom.set_ellipsoid(centre, E))


def half_space(normal: ArrayLike, bound: float) -> ConvexSet:
    """{ v : normal.v <= bound }."""
    return ConvexSet(_carom.set_half_space(normal, bound))


def orthant(n: int) -> ConvexSet:
    """{ v : v_i >= 0 }."""
    return ConvexSet(_carom.set_orthant(n))


def cone(G: ArrayLike) -> ConvexSet:
    """{ v : G v <= 0 }."""
    return ConvexSet(_carom.set_cone(G))


def generated_cone(generators: ArrayLike) -> ConvexSet:
    """{ sum c_i g_i : c_i >= 0 }, the g_i rows."""
    return ConvexSet(_carom.set_generated_cone(generators))


def polyhedron(G: ArrayLike, h: ArrayLike) -> ConvexSet:
    """{ v : G v <= h }."""
    return ConvexSet(_carom.set_polyhedron(G, h))


def polytope(vertices: ArrayLike) -> ConvexSet:
    """Convex hull of points, one per row."""
    return ConvexSet(_carom.set_polytope(vertices))


def second_order_cone(n: int, mu: float = 1.0) -> ConvexSet:
    """{ v : |v_T| <= mu v_N }, v_N the first component: Coulomb's cone."""
    return ConvexSet(_carom.set_second_order_cone(n, mu))


def subspace(directions: ArrayLike) -> ConvexSet:
    """Span of the columns."""
    return ConvexSet(_carom.set_subspace(directions))


def singleton(point: ArrayLike) -> ConvexSet:
    """{ point }."""
    return ConvexSet(_carom.set_singleton(point))


def intersection(sets: Sequence[ConvexSet]) -> ConvexSet:
    """{ v : v in every C_i }."""
    return ConvexSet(_carom.set_intersection([one._raw for one in sets]))
