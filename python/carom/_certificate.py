"""How far a run can be trusted: certificate and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A statement of theory about a run that the user should know.

    Examples
    --------
    >>> import carom
    >>> ball = carom.System(coordinates={"z": 1.0}, kinetic="z'^2/2", potential="9.81*z",
    ...                     contacts=[carom.Contact("floor", gap="z")], impact_map=lambda site, u: -1.2 * u)
    >>> [finding.code for finding in ball.run().findings]
    ['map_creates_energy', 'energy_created']
    """

    code: str  #: stable, e.g. "energy_created"
    time_s: float  #: when it was seen first
    message: str
    count: int  #: how often
    uncertifies: bool  #: the run cannot be certified because of it
    about: str = ""  #: names

    def __str__(self) -> str:
        return f"{self.code} at {self.time_s:.6g} s: {self.message}"


@dataclass(frozen=True)
class Certificate:
    """How far a run can be trusted; every number was measured after the fact.

    Examples
    --------
    >>> import carom
    >>> certificate = carom.example_scene("pendulum_wall").run().certificate
    >>> certificate.unsolved_steps, certificate.energy["impact_J"] < 0
    (0, True)
    """

    max_residual: float  #: worst error of a step: the tolerance that it meets
    max_residual_time_s: float
    max_penetration_m: float  #: deepest overlap at the end of a step
    max_violation: float  #: of positions that constraints hold
    max_cone_violation_Ns: float
    energy_balance_J: float  #: what the ledger leaves unexplained
    energy_error: float  #: largest part of the energies that scheme and correction made
    energy_error_time_s: float
    energy: Mapping[str, float]  #: the lines of the ledger, J
    steps: int
    unsolved_steps: int
    selected_steps: int
    unexamined_steps: int

    def __repr__(self) -> str:
        lines = [
            f"{self.steps} steps, {self.unsolved_steps} unsolved",
            f"residual      {self.max_residual:.2g} at {self.max_residual_time_s:.6g} s",
            f"penetration   {self.max_penetration_m:.2g} m",
            f"energy        balance {self.energy_balance_J:.2g} J, made by the scheme {self.energy_error:.2g}",
        ]
        lines += [f"  {name:<22}{value: .6g}" for name, value in self.energy.items() if value != 0]
        return "\n".join(lines)
