#!/usr/bin/env python3
"""A brute-force diagram of 10^5 orbits on two cores against one: wall time, in parts that take turns.

    benchmarks/orbits_threads.py [CAROM] [--parts 20] [--runs 100000] [--folder brute]

Each run is one frequency of the impact oscillator: 60 periods to settle, then the state of four more. Every part is computed on one thread and on two, one right
after the other, so that other work on the machine meets both. Parts that are done are kept in the folder: after an interruption repeat the command.
Wanted: two threads at least 1.8 times as fast as one, and the same tables byte for byte.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("carom", nargs="?", default="build/bin/carom")
options.add_argument("--parts", type=int, default=20)
options.add_argument("--runs", type=int, default=100000)
options.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("brute"))
given = options.parse_args()


def measured(part, threads):
    """Wall time of a part; the table stays in the folder."""
    table = given.folder / f"{threads}-{part}-of-{given.parts}-{given.runs}.csv"
    time_file = table.with_suffix(".json")
    if time_file.exists():
        return json.loads(time_file.read_text()), table
    table.unlink(missing_ok=True)
    command = [given.carom, "study", "scenes/impact_oscillator.toml", "--set", "integrator.time_step_s=1", "--set", "duration_s=64*2*pi/w",
               "--strobe", "period", "--skip", "60", "--vary", f"parameters.w=2.1:2.8:{0.7 / given.runs!r}",
               "--shard", f"{part}/{given.parts}", "--threads", str(threads), "--quiet", "-o", str(table)]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    wall_s = time.monotonic() - begun
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    time_file.write_text(json.dumps(wall_s))
    return wall_s, table


def main():
    given.folder.mkdir(parents=True, exist_ok=True)
    sums, ratios, orbits = {1: 0.0, 2: 0.0}, [], 0
    for part in range(1, given.parts + 1):
        walls, texts = {}, {}
        for threads in (1, 2) if part % 2 else (2, 1):
            walls[threads], table = measured(part, threads)
            texts[threads] = table.read_bytes()
            sums[threads] += walls[threads]
        if texts[1] != texts[2]:
            sys.exit(f"part {part}: the tables of one thread and of two differ")
        orbits += len({line.split(b",", 1)[0] for line in texts[1].splitlines()[1:]})
        ratios.append(walls[1] / walls[2])
        print(f"part {part}: {walls[1]:.2f} s, {walls[2]:.2f} s, {ratios[-1]:.2f} times", flush=True)
    ratios.sort()
    print(f"{orbits} orbits: {sums[1]:.1f} s on one thread, {sums[2]:.1f} s on two: {sums[1] / sums[2]:.3f} times; "
          f"median of the parts {ratios[len(ratios) // 2]:.3f}; same tables")


main()
