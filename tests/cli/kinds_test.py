#!/usr/bin/env python3
"""Every cell of the table of docs/reference/kinds_of_scenes.md, by running scenes.

    tests/cli/kinds_test.py PROGRAM

A cell that says yes is tried; one that says why not is refused by name, or has nothing that could be asked for.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TWINS = ROOT / "tests/data/twins"
PAGE = ROOT / "docs/reference/kinds_of_scenes.md"
PROGRAM = sys.argv[1]
failures = []

# one system of each kind, which slides, bounces or yields; sets instead of an integrator
JEAN = ["--set", "integrator.kind=moreau_jean"]
KINDS = {
    "coordinates, `moreau`": (TWINS / "block_coordinates.toml", []),
    "coordinates, `moreau_jean`": (TWINS / "block_coordinates.toml", JEAN),
    "bodies, `moreau`": (TWINS / "block_bodies.toml", []),
    "bodies, `moreau_jean`": (TWINS / "block_bodies.toml", JEAN),
    "sweeping": (ROOT / "scenes/play.toml", []),
}
SWEEPING = "sweeping"


def carom(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"status": f"exit {done.returncode}", "words": done.stdout + done.stderr}


def run(scene, *arguments):
    return carom("run", scene, "--json", *arguments)


def expect(what, seen):
    if not seen:
        failures.append(what)


def refused(answer, *words):
    """By name: a message that says what there is not."""
    text = json.dumps(answer)
    return answer["status"] == "bad_input" and all(word in text for word in words)


def codes(answer):
    return {finding["code"] for finding in answer["diagnosis"]}


def events(kind, scene, scheme):
    return len(run(scene, *scheme)["events"]) > 0


def findings(kind, scene, scheme):
    if kind == SWEEPING:
        # what can go wrong is the set: it is lost within the run, or too fast for the steps allowed
        narrowing = scene.read_text().replace("- slack\"]", "- slack + t/2\"]")  # empty from 4 slack on
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "narrowing.toml"
            file.write_text(narrowing)
            lost = run(file)
        fast = run(ROOT / "scenes/tractrix.toml", "--set", "sweeping.tolerance_per_s=1e-9",
                   "--set", "sweeping.smallest_step_s=1e-3")
        return lost["status"] == "failed" and abs(lost["time_s"] - 1.6) < 2e-3 and codes(lost) == {"no_set"} and \
            fast["status"] == "uncertified" and "unsolved_step" in codes(fast) and \
            run(scene)["status"] == "certified" and not codes(run(scene))
    twin = "coordinates" if kind.startswith("coordinates") else "bodies"
    seen = json.dumps(run(TWINS / f"catastrophe_{twin}.toml", *scheme))
    return "frictional_catastrophe" in seen


def kept_problems(folder, scene, scheme):
    run(scene, *scheme, "-o", pathlib.Path(folder) / "run.h5", "--save-problems", "worst:2")
    return sorted(pathlib.Path(folder).rglob("step_*.hdf5"))


def keeps_problems(scene, scheme):
    with tempfile.TemporaryDirectory() as folder:
        kept = kept_problems(folder, scene, scheme)
        return len(kept) == 2 and all(carom("solve", file, "--json")["status"] == "solved" for file in kept)


def problems(kind, scene, scheme):
    if kind != SWEEPING:
        return keeps_problems(scene, scheme)
    with tempfile.TemporaryDirectory() as folder:
        return not kept_problems(folder, scene, scheme)


def constraints(kind, scene, scheme):
    names = ["skate", "ring", "winch"]  # nonholonomic, with friction, limited
    twin = "coordinates" if kind.startswith("coordinates") else "bodies"
    if kind == SWEEPING:
        with tempfile.TemporaryDirectory() as folder:
            held = pathlib.Path(folder) / "held.toml"
            held.write_text(scene.read_text() + '\n[[constraint]]\nname = "held"\nzero = ["u"]\n')
            return refused(run(held), "constraint")
    # certified; and their steps, whose reactions have limits, are solved again from their files
    return all(run(TWINS / f"{name}_{twin}.toml", *scheme)["status"] == "certified" for name in names) and \
        all(keeps_problems(TWINS / f"{name}_{twin}.toml", scheme) for name in names)


def start(kind, scene, scheme):
    begun, later = run(scene, *scheme), run(scene, *scheme, "--set", "start_s=3")
    return abs(later["time_s"] - begun["time_s"] - 3) < 1e-9 or kind == SWEEPING and later["time_s"] >= 3


# an elastic ball that a step of 0.02 m takes from 0.012 m before the wall to 0.008 m behind it
BALL = """
duration_s = 0.2
{gravity}

{system}

[integrator]
time_step_s = 0.01
"""
BALLS = {
    "coordinates": BALL.format(gravity="", system="""
[[coordinate]]
name = "x"
start = 0.112
start_velocity = -2

[lagrangian]
kinetic = "x'^2/2"

[[contact]]
name = "wall"
gap = "x"
law = { kind = "unilateral", restitution = 1 }
"""),
    "bodies": BALL.format(gravity="gravity_m_s2 = [0, 0, 0]", system="""
[[material]]
name = "m"
restitution = 1

[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [0, 0, 0.212]
velocity_m_s = [0, 0, -2]
material = "m"

[[body]]
name = "wall"
shape = "plane"
motion = "fixed"
material = "m"
"""),
}


def overlaps_m(kind):
    """With contacts at the midpoint, where the ball is seen behind the wall, and at the end, before it gets there."""
    with tempfile.TemporaryDirectory() as folder:
        ball = pathlib.Path(folder) / "ball.toml"
        ball.write_text(BALLS[kind.split(",")[0]])
        return [run(ball, "--set", f"integrator.cone_point={point}")["certificate"]["max_penetration_m"]
                for point in ("midpoint", "end")]


def cone_point(kind, scene, scheme):
    answer = run(scene, *scheme, "--set", "integrator.cone_point=end")
    if kind.endswith("`moreau`"):
        midpoint_m, end_m = overlaps_m(kind)
        return answer["status"] == "certified" and abs(midpoint_m - 0.008) < 1e-12 and end_m < 1e-12
    return refused(answer, "cone_point" if kind != SWEEPING else "integrator")


def resume(kind, scene, scheme):
    whole = run(scene, *scheme)
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "run.h5"
        if kind == SWEEPING:
            run(scene, *scheme, "-o", recording)
            longer = carom("resume", recording, "--json", "--set", f"duration_s={2 * whole['time_s']}")
            return carom("resume", recording, "--json")["state"] == whole["state"] and refused(longer, "sweep")
        duration = whole["time_s"]
        run(scene, *scheme, "-o", recording, "--set", f"duration_s={duration / 2}")
        answer = carom("resume", recording, "--json", "--set", f"duration_s={duration}")
        return answer["state"] == whole["state"]


def solved(kind, scene, scheme):
    """A step whose error is above the tolerance counts as unsolved, whatever its method says: here the tolerance is below rounding. Of
    sweeps a step that misses what was asked for; tests/truth/solved_test.cpp has both errors."""
    if kind == SWEEPING:
        scene, hard = ROOT / "scenes/tractrix.toml", ["--set", "sweeping.tolerance_per_s=1e-9", "--set", "sweeping.smallest_step_s=1e-3"]
    else:
        hard = ["--set", "solver.tolerance=1e-18"]
    good, missed = run(scene, *scheme), run(scene, *scheme, *hard)
    return good["status"] == "certified" and good["certificate"]["unsolved_steps"] == 0 and good["certificate"]["max_residual"] <= 1e-8 and \
        missed["status"] == "uncertified" and "unsolved_step" in codes(missed) and missed["certificate"]["unsolved_steps"] > 0


def study(kind, scene, scheme):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "study.csv"
        done = subprocess.run([PROGRAM, "study", str(scene), *scheme, "--repeat", "2", "-o", str(table)],
                              capture_output=True, text=True)
        return done.returncode == 0 and table.exists()


ROWS = {
    "events and statuses": events,
    "findings": findings,
    "`--save-problems`": problems,
    "`[[constraint]]`: nonholonomic, limited, with friction": constraints,
    "`start_s`": start,
    "`cone_point`": cone_point,
    "resume": resume,
    "study": study,
    "solved means": solved,
}

table = [re.split(r"\s*\|\s*", line.strip())[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("|")]
head, rows = table[0], {row[0]: row[1:] for row in table[2:]}
expect(f"columns of the page: {head[1:]}", head[1:] == list(KINDS))
for name, look in ROWS.items():
    expect(f"the page has no row {name}", name in rows)
    for kind, (scene, scheme) in KINDS.items():
        try:
            good = look(kind, scene, scheme)
        except (KeyError, TypeError) as error:
            good = False
            print(f"{name}, {kind}: {error!r}")
        expect(f"{name}, {kind}", good)

# bodies, coordinates with equations of their own, and a motor limited by one of them, in one scene: all that a kind of scene has
MIXED = ROOT / "scenes/controlled_arm.toml"
whole = run(MIXED)
expect("the mixed scene is certified", whole["status"] == "certified" and len(whole["events"]) > 0 and not codes(whole))
expect("its steps are solved again from their files", keeps_problems(MIXED, []))
with tempfile.TemporaryDirectory() as folder:
    recording, table, page = (pathlib.Path(folder) / name for name in ("run.h5", "study.csv", "run.html"))
    run(MIXED, "-o", recording, "--set", f"duration_s={0.4 * whole['time_s']}")
    resumed = carom("resume", recording, "--json", "--set", f"duration_s={whole['time_s']}")
    expect("it ends as if it had not been interrupted",
           all(resumed[key] == whole[key] for key in ("state", "status", "events", "certificate", "diagnosis")))
    varied = carom("study", MIXED, "--vary", "parameters.w0=1:2:0.5", "--set", "duration_s=0.5", "-o", table, "--json")
    expect("it is studied", varied["status"] == "certified" and varied["statuses"] == {"certified": 3} and table.exists())
    carom("report", recording, "-o", page)
    expect("it has a page", page.exists() and "shoulder" in page.read_text())
    told = carom("inspect", recording, "--json")
    expect("its recording is certified", told["status"] == "certified" and "current" in json.dumps(told["probes"]))

print("\n".join(f"not so: {failure}" for failure in failures) or f"{len(ROWS) * len(KINDS)} cells")
sys.exit(1 if failures else 0)
