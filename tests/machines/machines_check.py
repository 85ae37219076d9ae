#!/usr/bin/env python3
"""Runs by mpirun give the bits of one process: result, certificate, ledger, events, recording. What ranks do not share is
refused by name, and a rank that is killed loses nothing before the last checkpoint.

usage: machines_check.py CAROM [--ranks 2,4] [--scenes pour,wall,hopper,chain,huge] [--kills N] [--part bits|input|kills]
Exit status: 0 all hold, 1 something does not, 77 there is no mpirun that starts programs, or CAROM was built without MPI.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks/machines"))
import scenes as made  # noqa: E402

PATIENCE_S = 120  # for a message; a run has five times as long


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def mpirun(ranks, words, **options):
    """The words on so many ranks, whoever calls and however many cores there are."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    environment = dict(os.environ, CAROM_MESSAGE_PATIENCE_S=str(PATIENCE_S), **options.pop("env", {}))
    return subprocess.run(command + words, capture_output=True, text=True, timeout=5 * PATIENCE_S, env=environment, **options)


def alone(words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=5 * PATIENCE_S, **options)


def result(done):
    """What a run printed, without what the clock says."""
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    data = json.loads(done.stdout)
    data.pop("timing", None)
    data.pop("recording", None)
    return json.dumps(data, sort_keys=True)


def recorded(file):
    """All that a recording holds, dataset by dataset."""
    import h5py

    found = {}

    def keep(name, node):
        if isinstance(node, h5py.Dataset):
            found[name] = (str(node.dtype), node.shape, repr(node[()].tolist() if node.shape else node[()]))

    with h5py.File(file) as run:
        run.visititems(keep)
    return found


class Failures(list):
    def check(self, holds, what):
        print(("ok      " if holds else "FAILED  ") + what, flush=True)
        if not holds:
            self.append(what)


def check_bits(carom, names, ranks, folder, failures):
    try:
        import h5py  # noqa: F401
        reads = True
    except ImportError:
        reads = False
        print("h5py is missing: recordings are not compared")
    for name in names:
        scene = folder / f"{name}.toml"
        scene.write_text(made.scene(name))
        words = [carom, "run", str(scene), "--json", "--no-svg", "--threads", "1", "-o"]
        one = alone(words + [str(folder / "one.h5")])
        expected = result(one)
        for count in ranks:
            many = mpirun(count, words + [str(folder / "many.h5")], env={"CAROM_MESSAGE_COUNTS": "1"})
            same = many.returncode == one.returncode and result(many) == expected
            failures.check(same, f"{name}: {count} ranks print what one process prints")
            if reads:
                failures.check(recorded(folder / "many.h5") == recorded(folder / "one.h5"), f"{name}: {count} ranks record what one process records")
            counts = [line for line in many.stderr.splitlines() if line.startswith("rank 0: ") and "messages" in line]
            print("        " + (counts[0] if counts else "no counts"))


def refused(failures, done, words, what):
    said = done.stdout + done.stderr
    failures.check(done.returncode == 2 and all(word in said for word in words), f"{what}: exit 2, and it is said")
    if failures and failures[-1].startswith(what):
        print(f"exit {done.returncode}\n{said[-1500:]}")
    failures.check(said.count(words[0]) == 1 if words else True, f"{what}: it is said once")


def check_input(carom, folder, failures):
    pour = folder / "pour.toml"
    pour.write_text(made.scene("pour"))
    short = ["--set", "duration_s=0.02", "--quiet"]
    refused(failures, mpirun(2, [carom, "run", str(ROOT / "scenes/pendulum_wall.toml")]), ["only scenes of bodies"], "a scene of coordinates")
    refused(failures, mpirun(2, [carom, "run", str(folder / "none.toml")]), ["none.toml"], "no such scene")
    refused(failures, mpirun(2, [carom, "run", str(pour), "--sensitivity", "gravity"]), ["derivatives are not shared"], "derivatives")
    refused(failures, mpirun(2, [carom, "run", str(pour), "-o", str(folder / "no/run.h5")]), ["no/run.h5"], "a recording that cannot be written")

    # ranks that read something else: a scene by a path that differs, a second program
    other = folder / "other.toml"
    other.write_text(made.scene("pour").replace("friction = 0.5", "friction = 0.4"))
    pick = folder / "pick.sh"
    pick.write_text(f'#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec {carom} run {other} --quiet; fi\nexec {carom} run {pour} --quiet\n')
    refused(failures, mpirun(2, ["sh", str(pick)]), ["rank 1 has another scene"], "another scene on a rank")
    copy = folder / "bin"
    copy.mkdir(exist_ok=True)
    for name in ("carom", "carom_mpi.so"):
        shutil.copy(pathlib.Path(carom).parent / name, copy / name)
    with open(copy / "carom", "ab") as program:
        program.write(b"another build")
    pick.write_text(f'#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec {copy}/carom run {pour} --quiet; fi\nexec {carom} run {pour} --quiet\n')
    refused(failures, mpirun(2, ["sh", str(pick)]), ["rank 1 has another build"], "another build on a rank")
    (copy / "carom_mpi.so").unlink()
    refused(failures, mpirun(2, [str(copy / "carom"), "run", str(pour)]), ["has no MPI"], "a build without MPI")

    # more ranks than bodies: nothing to share, the same result
    words = [carom, "run", str(ROOT / "scenes/coin.toml"), "--json", "--set", "duration_s=0.2"]
    failures.check(result(mpirun(4, words)) == result(alone(words)), "more ranks than bodies: the same result")

    # a file that may not grow, on the rank that writes
    done = mpirun(2, ["sh", "-c", f"ulimit -f 40; exec {carom} run {pour} -o {folder}/full.h5 --no-svg --quiet"])
    failures.check(done.returncode in (2, 3) and "could not be written" in done.stderr, "a full disk: it is said, and all ranks end")
    done = mpirun(2, [carom, "run", str(pour), *short])
    failures.check(done.returncode in (0, 1) and done.stdout == "", "quiet is quiet")


def check_resume(carom, folder, failures, kills):
    """Runs whose second rank is killed at random instants, and one that is interrupted: taken up by one process, or by two ranks again."""
    pour = folder / "pour.toml"
    pour.write_text(made.scene("pour"))
    run = [carom, "run", str(pour), "--json", "--no-svg", "--threads", "1", "--set", "duration_s=0.3", "-o"]
    begin = time.monotonic()
    expected = result(alone(run + [str(folder / "whole.h5")]))
    taken_s = time.monotonic() - begin
    chance = random.Random(23)
    for k in range(kills):
        file = folder / f"killed{k}.h5"
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"] + run + [str(file)]
        if os.geteuid() == 0:
            command.insert(1, "--allow-run-as-root")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
            while not file.exists() and job.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 1.5) * taken_s)
            ranks = children_of(job.pid)
            if ranks:
                os.kill(chance.choice(ranks), signal.SIGKILL)
            said = "".join(job.communicate(timeout=PATIENCE_S))
        if job.returncode in (0, 1) and '"certificate"' in said:
            print(f"        kill {k}: the run had ended")
        else:
            failures.check(job.returncode != 0 and "signal 9" in said, f"kill {k}: mpirun ends and says so")
        resume = [carom, "resume", str(file), "--json", "--no-svg", "--threads", "1"]
        again = alone(resume) if k % 2 == 0 else mpirun(2, resume)
        failures.check(result(again) == expected, f"kill {k}: resumed, the run is the uninterrupted one")


def children_of(pid):
    found = []
    for task in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = task.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(words[1]) == pid:
            found.append(int(task.parent.name))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("carom")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--scenes", default="pour,wall,hopper,chain,huge")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--part", default="bits,input,kills")
    options = parser.parse_args()
    carom = str(pathlib.Path(options.carom).resolve())
    if shutil.which("mpirun") is None:
        skip("there is no mpirun (section [machines] of packages.txt)")
    if "with MPI" not in alone([carom, "--version"]).stdout:
        skip("this carom was built without MPI (CAROM_MPI=ON)")
    if (started := mpirun(2, ["true"])).returncode != 0:
        skip(f"mpirun does not start programs here: {started.stderr.strip()[:300]}")
    failures = Failures()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        parts = options.part.split(",")
        if "bits" in parts:
            check_bits(carom, options.scenes.split(","), [int(n) for n in options.ranks.split(",")], folder, failures)
        if "input" in parts:
            check_input(carom, folder, failures)
        if "kills" in parts:
            check_resume(carom, folder, failures, options.kills)
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
