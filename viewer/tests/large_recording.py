"""Makes a long recording of many bodies from a short one: balls that fall, bounce and turn, and some contacts.

    python3 large_recording.py SHORT.h5 LONG.h5 FRAMES CONTACTS_PER_FRAME

Nothing is simulated: pages only need numbers of the right kind and amount. Some positions are printed as JSON, to compare with:
a list of body, frame, x, y, z.
"""

import json
import shutil
import sys

import h5py
import numpy as np


def main(short: str, long: str, frames: int, contacts: int) -> None:
    shutil.copy(short, long)
    random = np.random.default_rng(1)
    with h5py.File(long, "r+") as file:
        step = float(file.attrs["time_step_s"])
        time = step * np.arange(frames)
        start = file["q"][0].reshape(-1, 7)
        bodies = len(start)
        turning = random.normal(size=(bodies, 3))
        sideways = 0.3 * random.normal(size=(bodies, 2))
        radius = 0.04
        for name in ("q", "u"):
            file[name].resize(frames, axis=0)
        for i, t in enumerate(time):
            q, u = start.copy(), np.zeros((bodies, 7))
            height = start[:, 2] - radius
            # a bounce without loss: the fall is folded up
            period = np.sqrt(8 * height / 9.81)
            phase = (t + period / 2) % period - period / 2
            q[:, 2] = radius + height - 9.81 / 2 * phase**2
            u[:, 2] = -9.81 * phase
            q[:, :2] += sideways * t
            u[:, :2] = sideways
            angle = np.linalg.norm(turning, axis=1) * t
            axis = turning / np.linalg.norm(turning, axis=1)[:, None]
            q[:, 3] = np.cos(angle / 2)
            q[:, 4:] = np.sin(angle / 2)[:, None] * axis
            file["q"][i] = q.ravel()
            file["u"][i] = u.ravel()
        looked_at = [(body, frame) for body in (0, 76, 4320, bodies - 1) for frame in (0, 1, 250, frames - 1)]
        print(json.dumps([[body, frame, *map(float, file["q"][frame, 7 * body : 7 * body + 3])] for body, frame in looked_at]))
        rows = frames * contacts
        group = file["bodies/contacts"]
        first = random.integers(1, bodies, rows)
        columns = {
            "first": first,
            "second": np.zeros(rows, dtype=np.int64),
            "point_m": random.uniform(0, 2, (rows, 3)),
            "normal": np.tile([0.0, 0.0, 1.0], (rows, 1)),
            "percussion_Ns": random.exponential(0.01, (rows, 3)),
            "gap_m": np.full(rows, -1e-6),
            "friction": np.full(rows, 0.5),
            "sliding_m_s": random.exponential(0.01, rows),
            "residual": random.exponential(1e-9, rows),
        }
        for name, values in columns.items():
            if name not in group:  # of an older version
                continue
            group[name].resize(rows, axis=0)
            group[name][...] = values
        for name, value in (("count", contacts), ("step_s", step)):
            group[name].resize(frames, axis=0)
            group[name][...] = value
        for name in [*(f"energy/{key}" for key in file["energy"]), "residual", "gap_m", "percussion_Ns"]:
            file[name].resize(frames, axis=0)
        file["time_s"].resize(frames, axis=0)
        file["time_s"][...] = time
        file.attrs["duration_s"] = time[-1]
        file["checkpoint"].attrs["next_frame"] = frames
        file["checkpoint"].attrs["body_contacts"] = rows


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
