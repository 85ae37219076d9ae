"""Impacts at one configuration: the velocity after a shock from the one before, and whether theory admits it.

A is the kinetic matrix, H has the gradients of the closed gaps as rows.

>>> from carom import impact
>>> import numpy as np
>>> result = impact.canonical(np.eye(2), [[0, 1]], [1.0, -2.0], restitution=0.5)
>>> result.u_plus.tolist()
[1.0, 1.0]
>>> impact.admissibility(np.eye(2), [[0, 1]], [1.0, -2.0], result.u_plus).is_admissible()
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Site:
    """Where an impact happens: what an impact map of a :class:`carom.System` gets as its first argument.

    Examples
    --------
    >>> import carom
    >>> def seen(site, u_minus):
    ...     return carom.impact.canonical(site.A, site.H, u_minus, 0.5).u_plus
    >>> ball = carom.System(coordinates={"z": 1.0}, kinetic="z'^2/2", potential="9.81*z",
    ...                     contacts=[carom.Contact("floor", gap="z")], impact_map=seen)
    >>> ball.run().status
    'certified'
    """

    A: Array  #: kinetic matrix
    H: Array  #: gradients of the closed gaps, one row each
    contacts: Sequence[int]  #: numbers of the closed contacts, in the order of the rows
    q: Array
    time_s: float


@dataclass(frozen=True)
class Impact:
    """What an impact did.

    Examples
    --------
    >>> from carom import impact
    >>> impact.canonical([[2.0]], [[1.0]], [-3.0], restitution=0.0)
    Impact(u_plus=array([0.]), percussions_Ns=array([6.]), energy_loss_J=9.0, collisions=1)
    """

    u_plus: Array
    percussions_Ns: Array  #: one per row of H
    energy_loss_J: float
    collisions: int  #: single collisions that the map went through


@dataclass(frozen=True)
class Admissibility:
    """How far a map is from being admissible: all three are zero for an admissible one.

    Examples
    --------
    >>> from carom import impact
    >>> impact.admissibility([[1.0]], [[1.0]], [-1.0], [2.0]).energy_gained_J
    1.5
    """

    leaves_V_m_s: float  #: worst approach speed left
    outside_N: float  #: part of the jump that no contact can give
    energy_gained_J: float

    def is_admissible(self, tolerance: float = 1e-9) -> bool:
        """All three are at most the tolerance.

        Examples
        --------
        >>> from carom import impact
        >>> impact.admissibility([[1.0]], [[1.0]], [-1.0], [2.0]).is_admissible()
        False
        """
        return max(self.leaves_V_m_s, self.outside_N, self.energy_gained_J) <= tolerance


def canonical(A: ArrayLike, H: ArrayLike, u_minus: ArrayLike, restitution: float) -> Impact:
    """u+ = prox(V, u-) - e prox(N, u-); e = 0 is Moreau's standard inelastic shock.

    Examples
    --------
    >>> from carom import impact
    >>> impact.canonical([[2.0]], [[1.0]], [-3.0], restitution=0.5).u_plus
    array([1.5])
    """
    return Impact(*_carom.canonical_impact(A, H, u_minus, restitution))


def sequential(
    A: ArrayLike, H: ArrayLike, u_minus: ArrayLike, restitution: float = 1.0, max_collisions: int = 100_000
) -> Impact:
    """Contacts collide one at a time, the first approaching one first, until none approaches.

    Examples
    --------
    >>> from carom import impact
    >>> balls = impact.sequential([[1, 0], [0, 1]], [[-1, 1]], [1.0, 0.0])
    >>> balls.u_plus.tolist(), balls.collisions
    ([0.0, 1.0], 1)
    """
    return Impact(*_carom.sequential_impact(A, H, u_minus, restitution, max_collisions))


def admissibility(A: ArrayLike, H: ArrayLike, u_minus: ArrayLike, u_plus: ArrayLike) -> Admissibility:
    """How far a jump from u- to u+ is from being admissible.

    Examples
    --------
    >>> from carom import impact
    >>> impact.admissibility([[1.0]], [[1.0]], [-1.0], [0.5])
    Admissibility(leaves_V_m_s=0.0, outside_N=0.0, energy_gained_J=0.0)
    """
    return Admissibility(*_carom.admissibility(A, H, u_minus, u_plus))
