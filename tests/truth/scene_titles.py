#!/usr/bin/env python3
"""Scenes that we hand out do what their titles say: a statement of physics for each one that no other test looks at.

    tests/truth/scene_titles.py PROGRAM scenes [NAME ...]

Scenes with figures that carry references are looked at by tests/figure/gallery_check.py, most scenes of bodies by
tests/cli/body_scenes_test.cpp; whatever is in neither has to be here.
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile


class Run:
    """A run of a scene: what `carom run --json` prints, and its frames by name."""

    def __init__(self, program, file, *sets):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "run.h5"
            words = [word for one in sets for word in ("--set", one)]
            done = subprocess.run([program, "run", file, "--json", "--no-svg", "-o", record, *words], capture_output=True, text=True)
            assert done.returncode in (0, 1), done.stderr  # 1: not certified, which tests/truth/scene_findings.py looks at
            self.told = json.loads(done.stdout)
            text = subprocess.run([program, "export", record, "--to", "csv", "-o", "-"], capture_output=True, text=True, check=True).stdout
        rows = list(csv.reader(text.splitlines()))
        self.columns = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
        self.t = self.columns["time_s"]

    def __getitem__(self, name):
        return self.columns[name]

    def last(self, name):
        return self.columns[name][-1]

    def rows(self, *names):
        return zip(self.t, *(self.columns[name] for name in names))

    def impacts(self, contact=None):
        return [e for e in self.told["events"] if e["kind"] == "impact" and contact in (None, e["contact"])]


def near(x, wanted, tolerance, what=""):
    assert abs(x - wanted) <= tolerance, f"{what} {x} is not {wanted} within {tolerance}"


def at_most(x, limit, what=""):
    assert x <= limit, f"{what} {x} is above {limit}"


def returns(run, contact, e, tolerance=1e-9):
    """Every impact gives back e of the velocity (IM-2)."""
    found = run.impacts(contact)
    assert found, f"nothing strikes {contact}"
    for event in found:
        near(event["velocity_after_m_s"], -e * event["velocity_before_m_s"], tolerance * max(1, abs(event["velocity_before_m_s"])), contact)


def ball_on_table(run):
    returns(run, "plate", 0.5)
    for t, z in run.rows("z"):
        at_most(1.287 * math.sin(t) - z, 1e-9, "the ball is below the table by")
    assert len(run.impacts()) >= 2


def bead_on_ring(run):
    for _, x, y in run.rows("x", "y"):
        near(math.hypot(x, y), 0.5, 1e-6)
    assert run.told["end"] != "duration", "it comes to rest"
    # gravity along the ring is held by friction: |x| <= mu |y|
    at_most(abs(run.last("x")), 0.2 * abs(run.last("y")) + 1e-3)
    at_most(math.hypot(run.last("x'"), run.last("y'")), 1e-6)


def bouncing_balls(run):
    assert run.told["end"] != "duration", "they come to rest"
    for name, height in (("z1", 0.05), ("z2", 0.15), ("z3", 0.25)):
        near(run.last(name), height, 1e-6, name)
    assert len(run.impacts()) > 50


def bowl(run):
    x, y, z = (run.last(name) for name in ("px", "py", "pz"))
    near(z, 0.8 * (x * x + y * y), 1e-6, "it lies on the bowl:")
    at_most(1.6 * math.hypot(x, y), 0.15 + 1e-6, "the slope where it rests")
    at_most(math.hypot(*(run.last(name) for name in ("px'", "py'", "pz'"))), 1e-6)


def coin(run):
    for _, x, y in run.rows("coin_x", "coin_y"):
        at_most(math.hypot(x, y), 0.05 * 0.0376, "the centre wanders by")
    # it goes round: the tilt keeps, the axis does not: after half a turn of the precession it leans the other way
    rate = math.sqrt(4 * 9.81 / (0.0376 * math.sin(0.3)))
    half = min(range(len(run.t)), key=lambda i: abs(run.t[i] - math.pi / rate))
    leaning = [2 * (run["coin_i"][k] * run["coin_k"][k] + run["coin_w"][k] * run["coin_j"][k]) for k in (0, half)]
    near(leaning[0], math.sin(0.3), 1e-9, "axis along x at the start")
    near(leaning[1], -math.sin(0.3), 0.1 * math.sin(0.3), "axis along x half a turn later")


def controlled_arm(run, again):
    angle = run["upper_angle"]
    near(max(angle), 1.2, 1e-3, "the upper stop")
    for elbow in (b - a for a, b in zip(angle, run["fore_angle"])):
        assert -0.6 - 1e-3 <= elbow <= 0.3 + 1e-3, elbow
    # without torque the arm falls onto the table, 0.3 m below: the disc of its end lies there
    near(again("joint.shoulder.turn.motor_limit_Nm=1e-9").last("fore_y"), -0.25, 1e-4, "without its motor the end is at")


def coulomb_oscillator(run):
    path = sum(abs(b - a) for a, b in zip(run["x"], run["x"][1:]))
    near(run.last("friction_J"), -path, 2e-3 * path, "friction takes the load times the path:")


def counting_collisions(run):
    assert len(run.impacts()) == 31, f"{len(run.impacts())} collisions: the digits of pi"


def cradle(run):
    out = max(run["pendulum_4_ball_x"]) - 0.4
    near(out, 0.5 * math.sin(0.6), 0.02 * 0.5, "the last ball swings out by")
    for i in (1, 2, 3):
        at_most(max(abs(x - 0.1 * i) for x in run[f"pendulum_{i}_ball_x"]), 0.02, f"ball {i} stays within")


def crowd(run):
    assert run.told["end"] != "duration", "all are outside before the time is over"
    at_most(0.6 - min(run.last(f"x{i}") for i in range(1, 7)), 1e-2, "the last one is in the way by")
    people = [list(zip(run[f"x{i}"], run[f"y{i}"])) for i in range(1, 7)]
    for i in range(6):
        for j in range(i):
            for a, b in zip(people[i], people[j]):
                at_most(0.6 - math.dist(a, b), 1e-6, "two of them overlap by")


def diode_rectifier(run):
    # the capacitor holds the largest of what the source gave, each discharged since: u(t) = max_s V sin(2 pi f s) exp(-(t - s)/RC)
    held = 0.0
    instants = [1e-6 * k for k in range(60001)]
    wanted = {}
    for before, now in zip([0.0, *instants], instants):
        held = max(held * math.exp(-(now - before) / 0.02), 10 * math.sin(2 * math.pi * 50 * now))
        wanted[round(now * 1e6)] = held
    for t, u in run.rows("u"):
        near(u, wanted[round(t * 1e6)], 0.02, f"voltage at {t} s:")


def elastoplastic_truss(run):
    for _, s1, s2, s3, load in run.rows("s1", "s2", "s3", "load"):
        near(s1, s3, 1e-6)
        near(s2 + math.sqrt(2) * s1, load, 1e-6, "balance")
        at_most(abs(s2), 600 + 1e-6)
    near(max(run["s2"]), 600, 1e-6, "the middle bar yields at")
    near(max(run["s1"]), 900 / math.sqrt(2), 1e-6, "the inclined bars carry the rest:")


def gear_backlash(run):
    returns(run, "front", 0.9)
    returns(run, "back", 0.9)
    at_most(max(abs(x) for x in run["x"]), 1 + 1e-9, "the tooth is beside the middle of its gap by")


def impact_oscillator(run):
    returns(run, "stop", 0.8)
    at_most(max(run["x"]), 1e-9, "the mass is behind the stop by")


def incline(run):
    near(math.dist(*([run[f"stays_{k}"][i] for k in "xyz"] for i in (0, -1))), 0, 1e-6, "the rough crate moves by")
    # a = g (sin - mu cos), tan = 0.5, mu = 0.49
    way = math.dist(*([run[f"slides_{k}"][i] for k in "xyz"] for i in (0, -1)))
    near(way, 9.81 * 0.01 / math.hypot(1, 0.5) * 2.0**2 / 2, 2e-3, "the smooth crate slides by")


def motor_clutch_brake(run):
    at = min(range(len(run.t)), key=lambda i: abs(run.t[i] - 3.9))
    near(run["a'"][at], run["b'"][at], 1e-6, "through the clutch both shafts turn with")
    near(run.last("a'"), 20, 1e-6, "the motor without its load")
    near(run.last("b'"), 0, 1e-6, "the brake holds the load:")


def oblique_disc(run):
    # it slides through the impact: P_T = mu P_N against the sliding 2 + 3 R > 0
    fall = math.sqrt(0.5**2 + 2 * 9.81 * 0.7)
    p = 1.6 * fall
    near(run.last("x'"), 2 - 0.1 * p, 1e-9)
    near(run.last("th'"), 3 - 0.1 * 0.1 * p / 0.005, 1e-9)
    returns(run, "floor", 0.6)


def parabola_billiard(run):
    energy = [u * u / 2 + v * v / 2 + y for _, u, v, y in run.rows("x'", "y'", "y")]
    near(max(energy), min(energy), 5e-3, "energy over the run:")  # the free flight of a step errs by g^2 h^2 / 8, impacts by g v h / 2
    for _, x, y in run.rows("x", "y"):
        at_most(x * x / 2 - y, 2e-3, "below the parabola by")  # less than a step of the fastest


def pendulum_wall(run):
    returns(run, "wall", 0.8, 1e-6)
    at_most(-min(run["theta"]), 4e-3, "behind the wall by")  # a step of the fastest
    assert len(run.impacts()) >= 4


def plastic_hinge(run):
    moment = [200 * (a - p) for _, a, p in run.rows("a", "p")]
    assert run.last("p") > 0.1, "the hinge has yielded"
    late = [p for t, p in run.rows("p") if t > 3]
    at_most(max(late) - min(late), 1e-9, "it yields no more, but for")
    # the last swing is about the load of the weight
    last = [m for t, m in zip(run.t, moment) if t > 5]
    near((max(last) + min(last)) / 2, 9.81 * math.cos(run.last("a")), 0.5, "moment of the weight:")


def play(run):
    u = 0.0
    for t, seen in run.rows("u"):
        v = math.sin(math.pi * t)
        u = min(max(u, v - 0.4), v + 0.4)
        near(seen, u, 1e-9, f"output at {t} s:")


def pour(run):
    for i in range(4):
        for j in range(3):
            for k in range(5):
                x, y, z = (run.last(f"ball_{i}_{j}_{k}_{axis}") for axis in "xyz")
                at_most(max(abs(x), abs(y)), 0.2 + 1e-3, "a ball is outside the box:")
                at_most(0.05 - z, 1e-3, "a ball is below the floor by")
    at_most(run.last("kinetic_J"), 0.001 * abs(run.last("impact_J")), "they have come to rest but for")


def ratchet(run):
    drum = run["drum"]
    at_most(max(a - b for a, b in zip(drum, drum[1:])), 1e-12, "it turns back by")
    assert drum[-1] > 6, "it has been wound up"


def rimless_wheel(run):
    # on a foot the hub is a pendulum; landing keeps eta = cos(2 al) of its speed (no inertia about the hub)
    al, gamma, g = math.pi / 8, 0.12, 9.81
    foot = 2 * math.sin(al)
    potential = lambda x, y: g * (y * math.cos(gamma) - x * math.sin(gamma))
    landing = potential(foot / 2, math.cos(al))
    before = 1.4**2 / 2 + potential(-foot / 2, math.cos(al)) - landing
    x, y, u, v = (run.last(name) for name in ("x", "y", "x'", "y'"))
    assert x > foot / 2, "it has landed on its next foot"
    near((u * u + v * v) / 2 + potential(x, y), before * math.cos(2 * al) ** 2 + landing, 1e-9, "energy after the landing:")
    near(math.hypot(x - foot, y), 1, 1e-9, "it stands on its next foot:")


def rod_double_pendulum(run):
    energy = []
    for _, x1, y1, x2, y2, u1, v1, u2, v2 in run.rows("x1", "y1", "x2", "y2", "x1'", "y1'", "x2'", "y2'"):
        near(math.hypot(x1, y1), 1, 1e-6)
        near(math.hypot(x2 - x1, y2 - y1), 0.8, 1e-6)
        energy.append((u1 * u1 + v1 * v1) / 2 + 0.3 * (u2 * u2 + v2 * v2) + 9.81 * (y1 + 0.6 * y2))
    near(max(energy), min(energy), 1e-2, "energy over the run:")


def rolling_wheel(run):
    near(run.last("x'"), 0.2 * run.last("phi'"), 1e-9, "it rolls:")
    near(run.last("y"), 0.2, 1e-6, "it touches:")
    # from x' = 1 without spin: x' + r phi'/2 is kept by a percussion at the rim
    near(run.last("x'"), 2 / 3, 1e-6)


def shaken_block(run):
    for _, x, y, theta in run.rows("x", "y", "theta"):
        for side in (-1, 1):
            at_most(-(y - side * 0.1 * math.sin(theta) - 0.4 * math.cos(theta)), 1e-9, "a corner is in the ground by")
    # one period of the ground later it does the same
    period = 2 * math.pi / 14
    at = min(range(len(run.t)), key=lambda i: abs(run.t[i] - period))
    near(run["theta"][at], 0.0738, 2e-3, "angle after a period:")


def skate(run):
    w, s = 1.5, 2.0
    for t, x, y in run.rows("x", "y"):
        near(x, s / (2 * w * w) * math.sin(w * t) ** 2, 2e-3, f"downhill at {t} s:")
        near(y, s / (2 * w * w) * (w * t - math.sin(2 * w * t) / 2), 2e-3, f"across at {t} s:")


def sliding_block(run):
    stop = 2.0**2 / (2 * 9.81 * (math.sin(0.3) + 0.5 * math.cos(0.3)))
    near(run.last("x"), stop, 1e-9)
    near(run.last("x'"), 0, 1e-12)


def square_billiard(run):
    for _, x, y, u, v in run.rows("x", "y", "x'", "y'"):
        near(abs(u), 1, 1e-9)
        near(abs(v), 0.61803398875, 1e-9)
        at_most(max(-x, x - 1, -y, y - 1), 1e-3, "outside the square by")  # a step


def three_balls_wall(run):
    for contact, e in (("first", 0.8), ("second", 0.9), ("wall", 0.7)):
        returns(run, contact, e)
    for _, a, b, c in run.rows("x1", "x2", "x3"):
        assert a + 0.2 <= b + 1e-9 and b + 0.2 <= c + 1e-9 and c + 0.1 <= 2 + 1e-9
    assert all(abs(e["energy_J"]) > 0 for e in run.impacts())


def triangle_billiard(run):
    half = math.sqrt(3) / 4
    corners = [(0.5, 0), (0.75, half), (0.25, half)]  # the middles of the sides
    for _, x, y in run.rows("x", "y"):
        off = min(segment_distance((x, y), corners[i], corners[i - 1]) for i in range(3))
        at_most(off, 0.05, "away from the triangle of the middles by")  # an impact shifts the path by less than a step: 300 of them


def segment_distance(p, a, b):
    along = [b[k] - a[k] for k in (0, 1)]
    part = sum((p[k] - a[k]) * along[k] for k in (0, 1)) / sum(x * x for x in along)
    part = min(1, max(0, part))
    return math.dist(p, [a[k] + part * along[k] for k in (0, 1)])


def two_balls(run):
    near(run.last("a'"), 0, 1e-12)
    near(run.last("b'"), 1, 1e-12)
    near(run.last("b"), 0.7 + 0.5, 1e-9)


def wedge(run):
    a = math.radians(35)
    relative = 4 * 9.81 * math.sin(a) / (3 + math.sin(a) ** 2)
    for t, way, momentum in run.rows("way_down", "momentum"):
        near(momentum, 0, 1e-9)
        near(way, relative * t * t / 2, 5e-3, f"down the slope at {t} s:")


def wedge_billiard(run):
    for _, x, y, u, v in run.rows("x", "y", "x'", "y'"):
        near((u * u + v * v) / 2 + y, (0.3**2 + 0.9539392014169457**2) / 2 + 0.5, 1e-9, "energy:")
        at_most(abs(x) * math.cos(1) - y * math.sin(1), 1e-9, "outside the wedge by")


def woodpecker(run):
    # it pecks with a period, and comes down by the same way each time
    pecks = [e["time_s"] for e in run.impacts("beak")]
    starts = [b for a, b in zip([-1, *pecks], pecks) if b - a > 0.05]
    assert len(starts) >= 8, f"{len(starts)} pecks"
    periods = [b - a for a, b in zip(starts, starts[1:])][2:]
    near(max(periods), min(periods), 0.05 * max(periods), "period:")
    y_at = lambda t: run["y"][min(range(len(run.t)), key=lambda i: abs(run.t[i] - t))]
    falls = [y_at(a) - y_at(b) for a, b in zip(starts, starts[1:])][2:]
    assert min(falls) > 0
    near(max(falls), min(falls), 0.2 * max(falls), "it comes down by")


def elsewhere(scenes):
    """Scenes that other tests look at."""
    tests = (pathlib.Path(__file__).parents[1] / "cli" / "body_scenes_test.cpp").read_text()
    return {file.stem for file in scenes if "[[figure.number]]" in file.read_text() or f'"{file.stem}"' in tests}


def main():
    program, folder, *names = sys.argv[1:]
    scenes = sorted(pathlib.Path(folder).glob("*.toml"))
    looks = {name: value for name, value in globals().items() if callable(value)}
    unseen = [file.stem for file in scenes if file.stem not in looks and file.stem not in elsewhere(scenes)]
    wrong = [f"{name}: no test looks at it" for name in unseen]
    for file in scenes:
        if file.stem not in looks or (names and file.stem not in names):
            continue
        look = looks[file.stem]
        try:
            run = Run(program, file)
            if look.__code__.co_argcount == 2:
                look(run, lambda *sets, file=file: Run(program, file, *sets))
            else:
                look(run)
        except (AssertionError, KeyError) as problem:
            wrong.append(f"{file.stem}: {problem!r}" if isinstance(problem, KeyError) else f"{file.stem}: {problem}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
