"""Reads a recording with plain h5py and compares it, bit for bit, with the table that carom made of it.

read_recording.py RUN.h5 RUN.csv
"""

import csv
import sys

try:
    import h5py
except ImportError:
    print("skipped: h5py is not installed (Debian: python3-h5py)")
    sys.exit(77)

with open(sys.argv[2], newline="") as table:
    rows = list(csv.DictReader(table))

with h5py.File(sys.argv[1]) as run:
    assert run.attrs["format"].decode() == "carom-run"
    assert "certificate" not in run, "the run was killed: it has no end"
    names = [name.decode() for name in run["coordinates/name"]]
    columns = {"time_s": run["time_s"][:], "residual": run["residual"][:]}
    for i, name in enumerate(names):
        columns[name] = run["q"][:, i]
        columns[name + "'"] = run["u"][:, i]
    assert run["checkpoint"].attrs["next_frame"] == len(rows)

for name, values in columns.items():
    assert len(values) == len(rows), name
    assert all(float(row[name]) == value for row, value in zip(rows, values)), name
print(f"h5py {h5py.__version__}: {len(rows)} frames, {len(columns)} columns, the same numbers")
