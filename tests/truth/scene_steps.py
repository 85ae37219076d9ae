#!/usr/bin/env python3
"""Runs the scenes that we hand out with their own step, half of it and twice it, by every integrator that they allow, and lists what is found: each finding is justified in
docs/verification.md, or a false alarm.

    tests/truth/scene_steps.py --program build/bin/carom [--scene card_house] [--json results.jsonl]
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tomllib

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
FACTORS = (1, 0.5, 2)


def ways_of(scene):
    """(name, arguments) of all runs of a scene."""
    if "sweeping" in scene:
        step = scene["sweeping"].get("time_step_s", 1e-3)
        return [(f"sweeping h*{f:g}", ["--set", f"sweeping.time_step_s={step * f!r}"]) for f in FACTORS]
    own = scene.get("integrator", {})
    ways = []
    for kind in ("moreau", "moreau_jean", "series"):
        to_kind = [] if kind == own.get("kind", "moreau") else ["--set", f"integrator.kind={kind}"]
        for factor in FACTORS if kind != "series" else (1,):
            step = own.get("time_step_s", 1e-3) * factor
            keeps = factor == 1 and not to_kind
            to_step = [] if kind == "series" or keeps else ["--set", f"integrator.time_step_s={step!r}"]
            ways.append((f"{kind} h*{factor:g}", to_kind + to_step))
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--scene", help="this one only")
    parser.add_argument("--json", help="results, one run per line")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    counts = collections.Counter()
    found = collections.defaultdict(list)
    results = open(options.json, "w") if options.json else None
    for file in sorted(SCENES.glob(f"{options.scene or '*'}.toml")):
        for way, arguments in ways_of(tomllib.loads(file.read_text())):
            command = [options.program, "run", str(file), "--json", *arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
                told = json.loads(done.stdout)
            except subprocess.TimeoutExpired:
                told = {"status": "timeout"}
            counts[told["status"]] += 1
            for finding in told.get("diagnosis", []):
                found[file.stem, finding["code"]].append(way)
            if results:
                print(json.dumps({"scene": file.stem, "way": way, "told": told}), file=results, flush=True)
    for (scene, code), ways in found.items():
        print(f"{scene}: {code}: {', '.join(dict.fromkeys(ways))}")
    print(dict(counts))


main()
