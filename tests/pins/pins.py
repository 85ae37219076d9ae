#!/usr/bin/env python3
"""Pins: what every scene and reference case gives, so that a rebuild of the inside can be seen to change nothing.

    tests/pins/pins.py same BEFORE AFTER [SCENE...]     two programs on one machine: bit for bit
    tests/pins/pins.py same --reference BEFORE AFTER    the same for two carom-reference
    tests/pins/pins.py check PROGRAM [SCENE...]         against tests/pins/scenes.json, within the tolerances there
    tests/pins/pins.py write PROGRAM [SCENE...]         writes that file, or the pins of these scenes in it

Bits are compared between two builds on one machine: all that `carom run --json` says but for the clock, in which numbers
read back to the same bits, and of carom-reference every line. Another processor may round sines differently, so the
committed file holds numbers with tolerances. They are measured: `write` runs every scene a second time without the fused
operations of this processor, as an older one would, and allows a hundred times the difference, at least 1e-9 of the
largest number of its kind and 1e-10 in SI units. Where that is more than a hundredth the motion is too sensitive to be pinned, and words alone
are: how it ended, whether it is certified.

Exit status: 0 all the same, 1 something differs, 2 it could not be compared.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = pathlib.Path(__file__).with_name("scenes.json")
FLOOR, FACTOR, SENSITIVE = 1e-9, 100.0, 1e-2
ROUNDING = 1e-10  # what rounding makes of a zero, SI units: our scenes are of the size of a metre, a kilogram, a second
MOST_NUMBERS = 40  # of a kind; more of them are pinned by their mean and root mean square

# scenes that we hand out, and those of the tests
FOLDERS = ["scenes", "tests/data/defects", "tests/data/twins"]

# how reference cases are computed: in coordinates, as bodies, by power series
REFERENCE = [[], ["--as", "bodies"], ["--integrator", "series"]]


def told_of(program, scene, other_processor=False):
    """What `carom run --json` says of a scene, without the clock."""
    environment = dict(os.environ)
    if other_processor:
        environment["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"
    done = subprocess.run([str(program), "run", str(scene), "--json"], capture_output=True, text=True, env=environment)
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        print(f"{scene}: exit status {done.returncode}, no JSON\n{done.stderr}", file=sys.stderr)
        sys.exit(2)
    told.pop("timing", None)
    return told


def numbers_of(told):
    """The numbers of a run by kind: coordinates, velocities, probes, lines of the ledger."""
    state = told["state"]
    kinds = {
        "q": {name: value["q"] for name, value in state.items()},
        "u": {name: value["u"] for name, value in state.items()},
        "values": told["values"],
        "energy_J": told["certificate"]["energy"],
        "time_s": {"time_s": told["time_s"]},
    }
    return {kind: shortened(numbers) for kind, numbers in kinds.items()}


def shortened(numbers):
    if len(numbers) <= MOST_NUMBERS:
        return numbers
    values = [x for x in numbers.values() if x is not None]
    n = max(1, len(values))
    return {"mean": math.fsum(values) / n, "rms": math.sqrt(math.fsum(x * x for x in values) / n)}


def words_of(told):
    return {"status": told["status"], "end": told["end"]}


def counts_of(told):
    """What may differ by one where the motion is sensitive: steps, and events by kind."""
    events = {}
    for event in told["events"]:
        events[event["kind"]] = events.get(event["kind"], 0) + 1
    return {"steps": told["steps"], "events": events}


def difference(one, other):
    if one is None or other is None:
        return 0.0 if one == other else math.inf
    return abs(one - other)


def pin_of(told, elsewhere):
    """The pin of a scene, from its run here and on another processor."""
    pin = {"words": words_of(told), "numbers": {}}
    if counts_of(told) == counts_of(elsewhere):
        pin["counts"] = counts_of(told)
    others = numbers_of(elsewhere)
    for kind, numbers in numbers_of(told).items():
        scale = max([abs(x) for x in numbers.values() if x is not None], default=0.0)
        apart = max([difference(x, others[kind].get(name)) for name, x in numbers.items()], default=0.0)
        within = max(FLOOR * scale, FACTOR * apart, ROUNDING)
        if within <= max(SENSITIVE * scale, ROUNDING):
            pin["numbers"][kind] = {"within": within, "values": numbers}
    return pin


def differences_from(pin, told):
    """What a run says otherwise than its pin."""
    wrong = []
    if words_of(told) != pin["words"]:
        wrong.append(f"{words_of(told)} instead of {pin['words']}")
    if "counts" in pin and counts_of(told) != pin["counts"]:
        wrong.append(f"{counts_of(told)} instead of {pin['counts']}")
    now = numbers_of(told)
    for kind, pinned in pin["numbers"].items():
        if set(now[kind]) != set(pinned["values"]):
            wrong.append(f"{kind}: other names")
            continue
        for name, value in pinned["values"].items():
            if not difference(value, now[kind][name]) <= pinned["within"]:
                wrong.append(f"{kind} {name}: {now[kind][name]} instead of {value}, within {pinned['within']:.1e}")
    return wrong


def pinned(scene):
    """The pin of a scene file; None when there is none."""
    return json.loads(FILE.read_text()).get(pathlib.Path(scene).stem)


def scene_called(name):
    """A scene file, or one of ours by its name alone."""
    for path in [pathlib.Path(name), *(ROOT / folder / f"{name}.toml" for folder in FOLDERS)]:
        if path.is_file():
            return path
    print(f"there is no scene {name}", file=sys.stderr)
    sys.exit(2)


def scenes(asked, *, all_of_them=False):
    """The scenes asked for; else those that we hand out, and on request those of the tests."""
    if asked:
        return [scene_called(name) for name in asked]
    folders = FOLDERS if all_of_them else FOLDERS[:1]
    return [scene for folder in folders for scene in sorted((ROOT / folder).glob("*.toml"))]


def first_difference(one, other, where=""):
    """Where two JSON values differ first."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in list(one) + [key for key in other if key not in one]:
            if key not in one or key not in other:
                return f"{where}.{key} is there only once"
            if one[key] != other[key]:
                return first_difference(one[key], other[key], f"{where}.{key}")
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{where} has {len(one)} and {len(other)} entries"
        for k, (a, b) in enumerate(zip(one, other)):
            if a != b:
                return first_difference(a, b, f"{where}[{k}]")
    return f"{where}: {one!r} and {other!r}"


def same_scenes(before, after, asked):
    count = refused = 0
    compared = scenes(asked, all_of_them=True)
    for scene in compared:
        one, other = told_of(before, scene), told_of(after, scene)
        refused += "state" not in one and "state" not in other
        if one != other:
            count += 1
            print(f"{scene.stem}: {first_difference(one, other)}")
    print(f"{len(compared)} scenes, {count} differ" + (f", {refused} are refused by both" if refused else ""))
    return count == 0


def reference_lines(program, way):
    done = subprocess.run([str(program), "--json", "--with-driver", *way], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if not lines:
        print(done.stderr, file=sys.stderr)
        sys.exit(2)
    return {(line["id"], line["name"]): line for line in map(json.loads, lines)}


def same_reference(before, after):
    total = count = 0
    for way in REFERENCE:
        one, other = reference_lines(before, way), reference_lines(after, way)
        total += len(one)
        for key in sorted(set(one) | set(other)):
            if one.get(key) != other.get(key):
                count += 1
                print(f"{' '.join(way)} {key[0]} {key[1]}: {first_difference(one.get(key), other.get(key))}")
    print(f"{total} reference values, {count} differ")
    return count == 0


def check(program, asked):
    good = True
    for scene in scenes(asked):
        pin = pinned(scene)
        wrong = ["there is no pin of it: tests/pins/pins.py write"] if pin is None else differences_from(pin, told_of(program, scene))
        for line in wrong:
            print(f"{scene.stem}: {line}")
        good = good and not wrong
    return good


def write(program, asked):
    pins = {scene.stem: pin_of(told_of(program, scene), told_of(program, scene, True)) for scene in scenes(asked)}
    known = json.loads(FILE.read_text()) if asked else {}
    FILE.write_text(json.dumps(known | pins, indent=1) + "\n")
    for name, pin in pins.items():
        loose = sorted({"q", "u", "values", "energy_J", "time_s"} - set(pin["numbers"]))
        print(f"{name}: {'words only for ' + ', '.join(loose) if loose else 'all numbers'}")
    return True


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["same", "check", "write"])
    arguments.add_argument("--reference", action="store_true", help="of carom-reference")
    arguments.add_argument("names", nargs="+")
    options = arguments.parse_args()
    if options.what == "same":
        if len(options.names) < 2:
            arguments.error("two programs are compared")
        before, after, *asked = options.names
        good = same_reference(before, after) if options.reference else same_scenes(before, after, asked)
    elif options.what == "check":
        good = check(options.names[0], options.names[1:])
    else:
        good = write(options.names[0], options.names[1:])
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
