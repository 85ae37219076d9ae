#!/usr/bin/env python3
"""Runs a scene that we hand out: it ends certified, or a finding that is justified costs the certificate; its findings are those that docs/verification.md justifies, and its
numbers are those of tests/pins/scenes.json.

    tests/truth/scene_findings.py PROGRAM docs/verification.md scenes/wall.toml
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pins"))
import pins


def justified(page, scene):
    """The findings that the table of the page lists for a scene: rows | `scene` | `code` | why |."""
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", pathlib.Path(page).read_text(), re.MULTILINE)
    return {code for name, code in rows if name == scene}


def main():
    program, page, file = sys.argv[1:]
    done = subprocess.run([program, "run", file, "--json"], capture_output=True, text=True)
    told = json.loads(done.stdout)
    wanted = justified(page, pathlib.Path(file).stem)
    found = {finding["code"] for finding in told["diagnosis"]}
    costs = {finding["code"] for finding in told["diagnosis"] if finding["uncertifies"]}
    status = "uncertified" if costs and costs <= wanted else "certified"
    if told["status"] != status or (status == "certified" and done.returncode != 0):
        sys.exit(f"{file}: exit status {done.returncode}, {told['status']}\n{done.stderr}")
    for finding in told["diagnosis"]:
        print(f"{finding['code']} at {finding['time_s']} s: {finding['message']}")
    if found != wanted:
        sys.exit(f"{file}: findings {sorted(found)}, but {page} justifies {sorted(wanted)}")
    pin = pins.pinned(file)
    wrong = ["it has no pin"] if pin is None else pins.differences_from(pin, told)
    if wrong:
        sys.exit("\n".join([f"{file}: another motion than the pinned one (tests/pins/pins.py)", *wrong]))


main()
