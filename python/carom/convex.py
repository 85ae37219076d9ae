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
    """A nonempty closed convex set of R^n; constant.

    Examples
    --------
    >>> from carom import convex
    >>> convex.ball([0, 0], 1.0) & convex.half_space([1, 0], 0.5)
    <convex set in 2 dimensions: ...>
    """

    def __init__(self, raw: _carom.ConvexSet) -> None:
        self._raw = raw

    @property
    def dimension(self) -> int:
        """n of R^n."""
        return self._raw.dimension

    def contains(self, v: ArrayLike, tolerance: float = 1e-12) -> bool:
        """Whether the distance of v to the set is at most ``tolerance * (|v| + size)``.

        Examples
        --------
        >>> from carom import convex
        >>> convex.ball([0, 0], 1.0).contains([0.6, 0.8])
        True
        """
        return self._raw.contains(v, tolerance)

    def prox(self, z: ArrayLike, metric: ArrayLike | None = None) -> Array:
        """Nearest point to z; Euclidean, or in the metric of a symmetric positive definite matrix.

        Examples
        --------
        >>> from carom import convex
        >>> convex.half_space([1, 1], 0.0).prox([1.0, 1.0], metric=[[1, 0], [0, 3]]).round(6).tolist()
        [-0.5, 0.5]
        """
        return self._raw.prox(z, metric)

    def support(self, p: ArrayLike) -> float:
        """sup { p.v : v in C }, infinite where there is no bound.

        Examples
        --------
        >>> from carom import convex
        >>> convex.box([-1, -2], [1, 2]).support([1, 1])
        3.0
        """
        return self._raw.support(p)

    def polar_cone(self) -> ConvexSet | None:
        """{ p : p.v <= 0 for every v in C }; None if C is not a cone with apex 0.

        Examples
        --------
        >>> from carom import convex
        >>> convex.orthant(2).polar_cone().contains([-1, -3])
        True
        """
        polar = self._raw.polar_cone()
        return None if polar is None else ConvexSet(polar)

    def moved(self, shift: ArrayLike, scale: float = 1.0) -> ConvexSet:
        """scale C + shift.

        Examples
        --------
        >>> from carom import convex
        >>> convex.ball([0, 0], 1.0).moved([5, 0], scale=2.0).support([1, 0])
        7.0
        """
        return ConvexSet(_carom.set_moved(self._raw, scale, shift))

    def image(self, M: ArrayLike) -> ConvexSet:
        """{ M y : y in C }.

        Examples
        --------
        >>> from carom import convex
        >>> convex.ball([0, 0], 1.0).image([[3, 0], [0, 1]]).support([1, 0])
        3.0
        """
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
    """``{ v : |v - centre| <= radius }``.

    Examples
    --------
    >>> from carom import convex
    >>> convex.ball([0, 0], 1.0).prox([3, 4]).round(6).tolist()
    [0.6, 0.8]
    """
    return ConvexSet(_carom.set_ball(centre, radius))


def interval(lower: float, upper: float) -> ConvexSet:
    """[lower, upper]; ends may be infinite.

    Examples
    --------
    >>> from carom import convex
    >>> convex.interval(-1, 2).prox([5]).tolist()
    [2.0]
    """
    return ConvexSet(_carom.set_interval(lower, upper))


def box(lower: ArrayLike, upper: ArrayLike) -> ConvexSet:
    """Product of intervals; ends may be infinite.

    Examples
    --------
    >>> from carom import convex
    >>> convex.box([0, 0], [1, float("inf")]).prox([3, -4]).tolist()
    [1.0, 0.0]
    """
    return ConvexSet(_carom.set_box(lower, upper))


def ellipsoid(centre: ArrayLike, E: ArrayLike) -> ConvexSet:
    """``{ v : (v - centre).E^-1 (v - centre) <= 1 }``.

    Examples
    --------
    >>> from carom import convex
    >>> convex.ellipsoid([0, 0], [[4, 0], [0, 1]]).support([1, 0])
    2.0
    """
    return ConvexSet(_carom.set_ellipsoid(centre, E))


def half_space(normal: ArrayLike, bound: float) -> ConvexSet:
    """``{ v : normal.v <= bound }``.

    Examples
    --------
    >>> from carom import convex
    >>> convex.half_space([1, 0], 0.5).prox([2, 1]).tolist()
    [0.5, 1.0]
    """
    return ConvexSet(_carom.set_half_space(normal, bound))


def orthant(n: int) -> ConvexSet:
    """``{ v : v_i >= 0 }``.

    Examples
    --------
    >>> from carom import convex
    >>> convex.orthant(2).prox([-1, 2]).tolist()
    [0.0, 2.0]
    """
    return ConvexSet(_carom.set_orthant(n))


def cone(G: ArrayLike) -> ConvexSet:
    """``{ v : G v <= 0 }``.

    Examples
    --------
    >>> from carom import convex
    >>> convex.cone([[1, 0]]).prox([1, 2]).tolist()
    [0.0, 2.0]
    """
    return ConvexSet(_carom.set_cone(G))


def generated_cone(generators: ArrayLike) -> ConvexSet:
    """{ sum c_i g_i : c_i >= 0 }, the g_i rows.

    Examples
    --------
    >>> from carom import convex
    >>> convex.generated_cone([[1, 0], [1, 1]]).contains([2, 1])
    True
    """
    return ConvexSet(_carom.set_generated_cone(generators))


def polyhedron(G: ArrayLike, h: ArrayLike) -> ConvexSet:
    """``{ v : G v <= h }``.

    Examples
    --------
    >>> from carom import convex
    >>> convex.polyhedron([[1, 0], [0, 1]], [1, 1]).prox([3, 0]).round(6).tolist()
    [1.0, 0.0]
    """
    return ConvexSet(_carom.set_polyhedron(G, h))


def polytope(vertices: ArrayLike) -> ConvexSet:
    """Convex hull of points, one per row.

    Examples
    --------
    >>> from carom import convex
    >>> convex.polytope([[0, 0], [2, 0], [0, 2]]).prox([2, 2]).round(6).tolist()
    [1.0, 1.0]
    """
    return ConvexSet(_carom.set_polytope(vertices))


def second_order_cone(n: int, mu: float = 1.0) -> ConvexSet:
    """``{ v : |v_T| <= mu v_N }``, v_N the first component: Coulomb's cone.

    Examples
    --------
    >>> from carom import convex
    >>> convex.second_order_cone(3, mu=0.5).prox([-1, 0, 0]).tolist()
    [0.0, 0.0, 0.0]
    """
    return ConvexSet(_carom.set_second_order_cone(n, mu))


def subspace(directions: ArrayLike) -> ConvexSet:
    """Span of the columns.

    Examples
    --------
    >>> from carom import convex
    >>> convex.subspace([[1.0], [1.0]]).prox([2, 0]).round(6).tolist()
    [1.0, 1.0]
    """
    return ConvexSet(_carom.set_subspace(directions))


def singleton(point: ArrayLike) -> ConvexSet:
    """{ point }.

    Examples
    --------
    >>> from carom import convex
    >>> convex.singleton([1, 2]).prox([7, 7]).tolist()
    [1.0, 2.0]
    """
    return ConvexSet(_carom.set_singleton(point))


def intersection(sets: Sequence[ConvexSet]) -> ConvexSet:
    """``{ v : v in every C_i }``.

    Examples
    --------
    >>> from carom import convex
    >>> corner = convex.intersection([convex.half_space([1, 0], 0), convex.half_space([0, 1], 0)])
    >>> corner.prox([1, 1]).round(6).tolist()
    [0.0, 0.0]
    """
    return ConvexSet(_carom.set_intersection([one._raw for one in sets]))
