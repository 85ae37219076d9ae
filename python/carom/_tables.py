"""Runs as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas  # type: ignore[import]
    import xarray

    from ._run import Run

Array = NDArray[np.float64]


def to_pandas(run: Run) -> pandas.DataFrame:
    """See :meth:`Run.to_pandas`."""
    import pandas

    columns: dict[str, Array] = {}
    for name in run.coordinates:
        columns[name] = run.q[name]
    if len(run.u.array):
        columns |= {name + "'": run.u[name] for name in run.coordinates}
    for prefix, part in (("gap_m.", run.gap_m), ("percussion_Ns.", run.percussion_Ns)):
        if len(part.array):
            columns |= {prefix + name: part[name] for name in part}
    if len(run.residual):
        columns["residual"] = run.residual
    return pandas.DataFrame(columns | run.energy | run.probes, index=pandas.Index(run.t, name="time_s"))


def to_xarray(run: Run) -> xarray.Dataset:
    """See :meth:`Run.to_xarray`."""
    import xarray

    data: dict[str, Any] = {"q": (("time_s", "coordinate"), run.q.array)}
    if len(run.u.array):
        data["u"] = (("time_s", "coordinate"), run.u.array)
    for name, part in (("gap_m", run.gap_m), ("percussion_Ns", run.percussion_Ns)):
        if part.array.size:
            data[name] = (("time_s", "contact"), part.array)
    data |= {name: ("time_s", values) for name, values in (run.energy | run.probes).items()}
    places: dict[str, Any] = {"time_s": run.t, "coordinate": run.coordinates}
    if len(run.gap_m):
        places["contact"] = list(run.gap_m)
    return xarray.Dataset(data, coords=places, attrs={"title": run.title, "status": run.status})
