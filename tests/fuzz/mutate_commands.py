#!/usr/bin/env python3
"""Runs whole commands of carom on damaged scenes, recordings, robots, tables, orbits, figures and contact problems.

usage: mutate_commands.py PROGRAM [--runs N] [--seed S] [--keep FOLDER] [--only KIND] [--sanitized]

Every command must end by itself or after one Ctrl-C, with an exit status that the manual knows (0, 1, 2, 3 or 130), never by a
signal, without the words "internal error", and with --json must print one JSON object. What fails is kept in FOLDER with its command.
Exit status: 0 when nothing failed. The same seed gives the same commands.
"""

import argparse
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = {0, 1, 2, 3, 130}
PATIENCE_S, AFTER_INTERRUPT_S = 20, 20
MEMORY_BYTES = 4 << 30

VALUES = """0 1 -1 2 7 0.5 1e-3 1e308 -1e308 1e-308 1e9 nan inf -inf 9007199254740993 true false "" "a" "x" "t" "1/0" "x+1" "sqrt(-1)"
"rest" "series" "moreau_jean" "box" "lzb" "listed" "plane" [] [1] [1,2] [1,2,3] [0,0,0] [[1,2],[3,4]] [[]] ["x","y"] [1,"a"] [{}] {}
{kind="coulomb"} {x=1} {kind=7} 1979-05-27 "e^z" "z_dot" "abs(x)" 1000000 "i" "../../etc/passwd" "\\u0000" """.split()

TABLE = "t_s,F_N\n0,1\n0.01,2\n0.02,-1\n1,0\n"
TABLE_SCENE = """duration_s = 0.05
[[table]]
name = "F"
file = "table.csv"
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "table(F, t)" }
"""
GRAINS = """duration_s = 0.02
[[group]]
name = "g"
copies = [2]
position_m = ["i", 0, 0]
[[group.body]]
name = "b"
shape = "sphere"
radius_m = "r"
copies = [2]
position_m = [0, "i", 1]
[[group.body.random]]
name = "r"
kind = "listed"
values = [0.1, 0.2]
[[body]]
name = "floor"
shape = "plane"
"""


NUMBER = re.compile(r"(?<![A-Za-z_0-9.])\d+(\.\d*)?([eE][-+]?\d+)?(?![A-Za-z_0-9.])")


def changed_number(line, dice):
    """Another number where one stands: scenes that are still read, and go further than their authors thought."""
    places = list(NUMBER.finditer(line.split("=", 1)[1]))
    if not places:
        return line
    key, value = line.split("=", 1)
    place = dice.choice(places)
    number = float(place.group())
    other = dice.choice((0.0, -number, 1e3 * number, 1e-3 * number, 1e6 * number, 1e-9 * number, 1e150, 1e-200, number + 1, 2 * number))
    text = repr(int(other)) if other == int(other) and abs(other) < 1e6 else repr(other)
    return key + "=" + value[:place.start()] + text + value[place.end():]


def changed_scene(text, dice):
    """Other numbers and type confusion, line by line."""
    lines = text.split("\n")
    if dice.random() < 0.5:
        for _ in range(dice.choice((1, 1, 2, 4))):
            i = dice.choice([i for i, line in enumerate(lines) if "=" in line and not line.lstrip().startswith("#")])
            lines[i] = changed_number(lines[i], dice)
        return "\n".join(lines)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        valued = [i for i, line in enumerate(lines) if "=" in line and not line.lstrip().startswith("#")]
        if not valued:
            break
        i, j = dice.choice(valued), dice.choice(valued)
        key = lambda n: lines[n].split("=", 1)[0]
        value = lambda n: lines[n].split("=", 1)[1]
        what = dice.randrange(11)
        if what == 0:
            del lines[i]
        elif what == 1:
            lines.insert(dice.randrange(len(lines)), lines[i])
        elif what == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif what == 3:
            lines[i], lines[j] = key(i) + "=" + value(j), key(j) + "=" + value(i)
        elif what == 4:
            lines[i] = key(j) + "=" + value(i)
        elif what == 5:
            lines[i] = key(i) + "= [" + value(i) + "]"
        elif what == 6:
            at = dice.randrange(len(lines[i]) + 1)
            lines[i] = lines[i][:at] + chr(dice.randrange(32, 127)) + lines[i][at + dice.randrange(2):]
        else:
            lines[i] = key(i) + "= " + dice.choice(VALUES)
    return "\n".join(lines)


def changed_bytes(data, dice):
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        if not data:
            break
        at = dice.randrange(len(data))
        what = dice.randrange(4)
        if what == 0:
            data[at] = dice.randrange(256)
        elif what == 1:
            data[at] ^= 1 << dice.randrange(8)
        elif what == 2:
            data[at:at + (dice.randrange(1, 64) if dice.random() < 0.8 else len(data))] = b""
        else:
            data[at:at + 8] = dice.choice((b"\0" * 8, b"\xff" * 8, b"\0\0\0\0\0\0\xf0\x7f", b"\0\0\0\0\0\0\xf8\x7f"))
    return bytes(data)


def changed_robot(text, dice):
    words = ["", "0", "-1", "abc", "inf", "nan", "1e400", "0,001", "1 2 3", "0 0 0", "world", "0x1", " 1", "1 "]
    quotes = [i for i, c in enumerate(text) if c == '"'][:-1]
    for _ in range(dice.choice((1, 1, 2, 4))):
        if dice.random() < 0.7 and len(quotes) > 1:
            first = dice.randrange(len(quotes) // 2) * 2
            end = text.find('"', quotes[first] + 1)
            text = text[:quotes[first] + 1] + dice.choice(words) + text[end:]
            quotes = [i for i, c in enumerate(text) if c == '"'][:-1]
        else:
            at = dice.randrange(len(text) + 1)
            text = text[:at] + dice.choice(("<", ">", "/", "<a>" * 60, "&amp;", "<!--", '"', "<link/>")) + text[at:]
    return text


def changed_table(text, dice):
    words = ["nan", "inf", "1e400", "-", "", "abc", "0,1", "1;2;3", "0x1", "\ufeff0", "#", "\0", "1e-320", "0.01"]
    lines = text.split("\n")
    for _ in range(dice.choice((1, 2, 3))):
        i = dice.randrange(len(lines))
        what = dice.randrange(4)
        if what == 0:
            lines[i] = dice.choice(words)
        elif what == 1:
            lines[i] = lines[i] + dice.choice((",", " ", ";")) + dice.choice(words)
        elif what == 2:
            lines.insert(i, lines[dice.randrange(len(lines))])
        else:
            del lines[i]
            lines = lines or [""]
    return "\n".join(lines)


class Attack:
    def __init__(self, program, seed, folder, sanitized):
        self.program, self.dice, self.folder, self.sanitized = program, random.Random(seed), folder, sanitized
        self.counts, self.failures, self.slow = {}, [], 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode, **({} if mode == "wb" else {"encoding": "utf-8", "errors": "replace"})) as file:
            file.write(content)
        return self.path(name)

    def command(self, *words):
        """The exit status and output; None where it had to be killed."""
        def prepare():
            # a shell in the background lets its children ignore Ctrl-C; here it counts
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # sanitizers reserve more addresses than any limit leaves them
            if not self.sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

        process = subprocess.Popen([self.program, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, preexec_fn=prepare)
        interrupted = False
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.slow += 1
            interrupted = True
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=AFTER_INTERRUPT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                return None, out, err
        status = process.returncode
        # commands that keep nothing let Ctrl-C end them
        if interrupted and status == -signal.SIGINT and words[0] not in ("run", "resume"):
            status, out = 130, b"{}"
        return status, out, err

    def complaint(self, words, status, out, err):
        if status is None:
            return "ignores Ctrl-C"
        if status < 0:
            return "ended by " + signal.Signals(-status).name
        if status not in KNOWN:
            return f"exit status {status}"
        if b"internal error" in err or b"Sanitizer" in err or b"runtime error" in err:
            return "internal error or sanitizer report"
        if status not in (0, 130) and not err and not out and "--quiet" not in words:
            return "fails without a word"
        if "--json" in words:
            try:
                if not isinstance(json.loads(out), (dict, list)):
                    return "no JSON object"
            except ValueError:
                return "no JSON"
        return None

    def check(self, kind, *words):
        status, out, err = self.command(*words)
        self.counts.setdefault(kind, {}).setdefault(status, 0)
        self.counts[kind][status] += 1
        why = self.complaint(words, status, out, err)
        if why:
            self.failures.append((why, kind, words, err[-400:].decode("utf-8", "replace")))
        return why

    def prepare(self):
        """Good things to damage."""
        self.scenes = []
        for name in sorted(glob.glob(os.path.join(ROOT, "scenes", "**", "*.toml"), recursive=True)):
            with open(name, encoding="utf-8") as file:
                self.scenes.append(file.read())
        self.figures = [scene for scene in self.scenes if "[[figure]]" in scene]
        self.scenes += [TABLE_SCENE, GRAINS]
        self.orbit = b""
        self.problems = []
        for name in ("OneObject-i100000-499", "Box_Stacks-i0122-82-5", "LMGC_GlobalFrictionContactProblem00046"):
            with open(os.path.join(ROOT, "tests/data/fclib", name + ".hdf5"), "rb") as file:
                self.problems.append(file.read())
        self.write("table.csv", TABLE)
        with open(os.path.join(ROOT, "tests/data/urdf/arm.urdf"), encoding="utf-8") as file:
            self.robot = file.read()
        self.recordings = []
        for name, duration, precision in (("pendulum_wall", "0.2", "double"), ("incline", "0.1", "double"), ("slider_crank", "0.05", "double"),
                                          ("stack", "0.02", "double"), ("stack", "0.03", "single"), ("wall", "0.02", "single")):
            run = self.path(f"{name}_{precision}.h5")
            scene = os.path.join(ROOT, "scenes", name + ".toml")
            self.command("run", scene, "-o", run, "--no-svg", "--quiet", "--set", "duration_s=" + duration, "--set", "record.precision=" + precision)
            if os.path.exists(run):
                with open(run, "rb") as file:
                    self.recordings.append(file.read())
        # a recording in parts is several files, one of which will be damaged or lost
        self.command("run", os.path.join(ROOT, "scenes", "stack.toml"), "-o", self.path("parts.h5"), "--no-svg", "--quiet",
                     "--set", "duration_s=0.02", "--set", "record.parts=2")
        self.parts = {}
        for name in sorted(glob.glob(self.path("parts.h5") + "*")):
            with open(name, "rb") as file:
                self.parts[os.path.basename(name)] = file.read()

    def attack_scene(self):
        scene = self.write("scene.toml", changed_scene(self.dice.choice(self.scenes), self.dice))
        short = ["--set", "duration_s=0.01"] if self.dice.random() < 0.9 else []
        what = self.dice.randrange(6)
        if what <= 2:
            return self.check("run", "run", scene, "--json", *short), scene
        if what == 3:
            return self.check("inspect", "inspect", scene, "--json"), scene
        if what == 4:
            for left in ("a.h5", "a.svg"):
                if os.path.exists(self.path(left)):
                    os.remove(self.path(left))
            why = self.check("record", "run", scene, "-o", self.path("a.h5"), "--quiet", *short)
            if not why and os.path.exists(self.path("a.h5")):
                why = self.check("report", "report", self.path("a.h5"), "-o", self.path("a.html"))
            return why, scene
        return self.check("study", "study", scene, "--repeat", "2", "--json", *short), scene

    def attack_recording(self):
        if self.parts and self.dice.random() < 0.25:
            run, damaged = self.path("parts.h5"), self.dice.choice(list(self.parts))
            for name, content in self.parts.items():
                self.write(name, changed_bytes(content, self.dice) if name == damaged else content)
            if self.dice.random() < 0.2:
                os.remove(self.path(damaged))
        else:
            run = self.write("damaged.h5", changed_bytes(self.dice.choice(self.recordings), self.dice))
        what = self.dice.randrange(5)
        if what == 0:
            return self.check("inspect recording", "inspect", run, "--json"), run
        if what == 1:
            return self.check("resume", "resume", run, "--json", "--no-svg", "--set", "duration_s=0.3"), run
        if what == 2:
            return self.check("report", "report", run, "-o", self.path("a.html")), run
        return self.check("export", "export", run, "--to", self.dice.choice(("csv", "svg", "gltf")), "-o", self.path("out")), run

    def attack_robot(self):
        robot = self.write("robot.urdf", changed_robot(self.robot, self.dice))
        return self.check("import", "import", robot), robot

    def attack_table(self):
        table = self.write("table.csv", changed_table(TABLE, self.dice))
        scene = self.write("with_table.toml", TABLE_SCENE)
        why = self.check("table", "run", scene, "--json")
        kept = self.write("bad_table.csv", open(table, "rb").read())
        self.write("table.csv", TABLE)
        return why, kept

    def attack_orbit(self):
        """A damaged scene, or a damaged orbit to begin with."""
        with open(os.path.join(ROOT, "scenes/impact_oscillator.toml"), encoding="utf-8") as file:
            good = file.read()
        orbit = ("--period", "2*pi/w", "--set", "duration_s=5")
        over = ("--over", "parameters.w=2.1:2.3", "--max-points", "5")
        if self.dice.random() < 0.5:
            scene = self.write("orbit.toml", changed_scene(good, self.dice))
            if self.dice.random() < 0.5:
                return self.check("orbit", "orbit", scene, *orbit, "--json"), scene
            return self.check("branch", "branch", scene, *orbit, *over, "--json"), scene
        scene = self.write("orbit.toml", good)
        if not self.orbit:
            self.command("orbit", scene, *orbit, "-o", self.path("orbit.json"))
            with open(self.path("orbit.json"), "rb") as file:
                self.orbit = file.read()
        bad = self.write("bad_orbit.json", changed_bytes(self.orbit, self.dice))
        what = self.dice.randrange(3)
        if what == 0:
            return self.check("guess", "orbit", scene, *orbit, "--guess", bad, "--json"), bad
        if what == 1:
            return self.check("from", "branch", scene, *orbit, *over, "--from", bad, "--json"), bad
        return self.check("page of an orbit", "report", bad, "-o", self.path("a.html")), bad

    def attack_figure(self):
        scene = self.write("figure.toml", changed_scene(self.dice.choice(self.figures), self.dice))
        short = ["--set", "duration_s=0.05"] if self.dice.random() < 0.8 else []
        return self.check("figure", "figure", scene, "-o", self.path("figure." + self.dice.choice(("svg", "pdf", "png"))), *short), scene

    def attack_problem(self):
        problem = self.write("problem.hdf5", changed_bytes(self.dice.choice(self.problems), self.dice))
        solver = self.dice.choice(("auto", "gauss_seidel", "admm", "interior_point"))
        return self.check("solve", "solve", problem, "--json", "--solver", solver, "--time-limit", "2"), problem

    def run(self, runs, keep, only):
        self.prepare()
        kinds = {"scene": (self.attack_scene, 6), "recording": (self.attack_recording, 3),
                 "robot": (self.attack_robot, 1), "table": (self.attack_table, 1),
                 "orbit": (self.attack_orbit, 1), "figure": (self.attack_figure, 1), "problem": (self.attack_problem, 1)}
        if only:
            kinds = {only: kinds[only]}
        bag = [attack for attack, weight in kinds.values() for _ in range(weight)]
        for number in range(runs):
            why, culprit = self.dice.choice(bag)()
            if why and keep:
                os.makedirs(keep, exist_ok=True)
                name = f"{number:06}_{os.path.basename(culprit)}"
                shutil.copy(culprit, os.path.join(keep, name))
                print(f"{why}: {' '.join(self.failures[-1][2])}\n  kept as {os.path.join(keep, name)}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="")
    parser.add_argument("--sanitized", action="store_true", help="the program has the address sanitizer in it")
    parser.add_argument("--only", choices=("scene", "recording", "robot", "table", "orbit", "figure", "problem"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        attack = Attack(os.path.abspath(options.program), options.seed, folder, options.sanitized)
        attack.run(options.runs, options.keep, options.only)
    for kind, statuses in sorted(attack.counts.items()):
        told = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items(), key=str))
        print(f"{kind:18} {told}")
    print(f"{attack.slow} commands were interrupted after {PATIENCE_S} s")
    for why, kind, words, err in attack.failures:
        print(f"FAILED {why}: carom {' '.join(words)}\n{err}", file=sys.stderr)
    print(f"{len(attack.failures)} of {sum(sum(s.values()) for s in attack.counts.values())} commands failed")
    return 1 if attack.failures else 0


if __name__ == "__main__":
    sys.exit(main())
