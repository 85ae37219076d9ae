#!/usr/bin/env python3
"""The pins see what they are there for: another motion, another ending, other events; and nothing where nothing changed.

    tests/pins/pins_test.py PROGRAM
"""

import copy
import subprocess
import sys

import pins

program = sys.argv[1]
scene = pins.ROOT / "scenes/pendulum_wall.toml"
told = pins.told_of(program, scene)
pin = pins.pin_of(told, told)
assert pins.differences_from(pin, told) == []

# another step is another motion
finer = subprocess.run([program, "run", str(scene), "--json", "--set", "integrator.time_step_s=0.99e-3"],
                       capture_output=True, text=True, check=False).stdout
assert pins.differences_from(pin, pins.json.loads(finer))

for path, value in [(["status"], "uncertified"), (["end"], "rest"), (["steps"], told["steps"] + 1), (["events"], [])]:
    other = copy.deepcopy(told)
    other[path[0]] = value
    assert pins.differences_from(pin, other), path

# what is too sensitive has no number, but keeps its words
elsewhere = copy.deepcopy(told)
for state in elsewhere["state"].values():
    state["q"] += 1
loose = pins.pin_of(told, elsewhere)
assert "q" not in loose["numbers"] and "u" in loose["numbers"] and loose["words"]["end"] == told["end"]
assert pins.first_difference({"a": [1, 2]}, {"a": [1, 3]}) == ".a[1]: 2 and 3"

# a scene is named by its file or by its name alone; what is not there is not "the same"
assert pins.scenes(["pendulum_wall"]) == [scene] and pins.scenes([str(scene)]) == [scene]
for missing in ["no_such_scene", str(scene) + "x"]:
    try:
        pins.scenes([missing])
    except SystemExit as end:
        assert end.code == 2
    else:
        raise AssertionError(missing)
same = subprocess.run([sys.executable, pins.__file__, "same", program, program, "pendulum_wall"], capture_output=True,
                      text=True, check=False)
assert same.returncode == 0 and "1 scenes, 0 differ" in same.stdout, same
print("pins see changes")
