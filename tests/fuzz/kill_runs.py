#!/usr/bin/env python3
"""Kills runs whose frames are packed in the background, and what resumes them, at any moment.

usage: kill_runs.py PROGRAM [--runs N] [--seed S] [--duration SECONDS]

What is left must be inspected, shown and resumed, and end with the tables of a run that nobody killed, byte for byte, and with its
certificate. Exit status: 0 when every run did.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SCENE = """duration_s = {duration}
[integrator]
kind = "moreau"
time_step_s = 2e-3
[solver]
tolerance = 1e-3
[record]
every_s = 0.004
precision = "single"
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.05
copies = [8, 8, 4]
position_m = ["0.101*i", "0.101*j", "0.06 + 0.11*k"]
velocity_m_s = ["0.3*sin(i+k)", "0.2*cos(j)", 0]
"""


class Killer:
    def __init__(self, program, seed, folder):
        self.program, self.dice, self.folder = os.path.abspath(program), random.Random(seed), folder

    def command(self, *words):
        return subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, check=False)

    def kill(self, seconds, *words):
        """Ends the command by SIGKILL after a part of these seconds."""
        process = subprocess.Popen([self.program, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.dice.random() * seconds)
        process.kill()
        return process.wait() in (-9, 0)

    def tables(self, run):
        self.command("export", run, "--to", "csv", "-o", "tables.csv")
        with open(os.path.join(self.folder, "tables.csv"), "rb") as file:
            return file.read()

    def results(self, out):
        """What is printed of a run, but for the time it took and the names of its files."""
        return {key: value for key, value in json.loads(out).items() if key not in ("timing", "recording", "picture")}

    def complaint(self, seconds, tables, results):
        for name in os.listdir(self.folder):
            if name.startswith("killed"):
                os.remove(os.path.join(self.folder, name))
        if not self.kill(seconds, "run", "scene.toml", "-o", "killed.h5", "--no-svg"):
            return "the run failed"
        if not os.path.exists(os.path.join(self.folder, "killed.h5")):
            return None  # it had not begun
        while self.dice.random() < 0.5:
            if not self.kill(seconds, "resume", "killed.h5", "--no-svg"):
                return "what resumed it failed"
        for words in (("inspect", "killed.h5"), ("report", "killed.h5", "-o", "killed.html")):
            if self.command(*words).returncode not in (0, 1):
                return words[0] + " refuses what is left"
        resumed = self.command("resume", "killed.h5", "--no-svg", "--json")
        if resumed.returncode != 0:
            return "it is not resumed: " + resumed.stderr.decode("utf-8", "replace")
        if self.tables("killed.h5") != tables:
            return "its tables are others"
        if self.results(resumed.stdout) != results:
            return "its certificate is another one"
        left = [name for name in os.listdir(self.folder) if name.startswith("killed.h5.")]
        return f"{left} is left" if left else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--duration", type=float, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(options.program, options.seed, folder)
        with open(os.path.join(folder, "scene.toml"), "w", encoding="utf-8") as file:
            file.write(SCENE.format(duration=options.duration))
        begin = time.monotonic()
        whole = killer.command("run", "scene.toml", "-o", "whole.h5", "--no-svg", "--json")
        seconds = time.monotonic() - begin
        tables, results, failed = killer.tables("whole.h5"), killer.results(whole.stdout), 0
        for number in range(options.runs):
            why = killer.complaint(seconds, tables, results)
            if why:
                failed += 1
                print(f"run {number}: {why}", flush=True)
    print(f"{failed} of {options.runs} killed runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
