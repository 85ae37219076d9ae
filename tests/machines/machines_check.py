#!/usr/bin/env python3
"""Runs by mpirun give the bits of one process: result, certificate, ledger, events, recording, in one file or in parts. What
ranks do not share is refused by name, a rank that is killed loses nothing before the last checkpoint, and Ctrl-C ends all.

usage: machines_check.py CAROM [--ranks 2,4] [--scenes pour,wall,hopper,chain,huge,kinds] [--kills N] [--part bits,words,input,stop,kills,namespaces]
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
sys.dont_write_bytecode = True  # the tree stays as it is
import scenes as made  # noqa: E402
import two_machines  # noqa: E402

PATIENCE_S = 120  # for a message; a run has five times as long


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def starts(ranks):
    """So many ranks, whoever calls and however many cores there are."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    return command


def mpirun(ranks, words, starter=None, **options):
    """The words on so many ranks; `starter`: how they are started elsewhere."""
    command = starter or starts(ranks)
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


def recorded(file, whole=True):
    """All that a recording holds, dataset by dataset; without `whole` the text of the scene, which overrides change, is left out."""
    import h5py

    found = {}

    def keep(name, node):
        if isinstance(node, h5py.Dataset) and (whole or name != "scene"):
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
            # one file a rank: the parts of a recording, which h5py reads as one
            parts = mpirun(count, words + [str(folder / "parts.h5"), "--set", f"record.parts={count}"])
            failures.check(parts.returncode == one.returncode and result(parts) == expected, f"{name}: {count} ranks, a file each: they print the same")
            if reads:
                failures.check((folder / f"parts.h5.part{count - 1}").exists() and recorded(folder / "parts.h5", whole=False) == recorded(folder / "one.h5", whole=False),
                               f"{name}: {count} ranks, a file each: h5py reads what one process records")
            tables = [alone([carom, "export", str(folder / file), "--to", "csv", "-o", "-"]).stdout for file in ("parts.h5", "one.h5")]
            failures.check(tables[0] == tables[1] and len(tables[0]) > 1000, f"{name}: {count} ranks, a file each: carom export reads the same")
            one_again = alone([carom, "export", str(folder / "parts.h5"), "--to", "h5", "-o", str(folder / "merged.h5")])
            failures.check(one_again.returncode == 0 and (not reads or recorded(folder / "merged.h5", whole=False) == recorded(folder / "one.h5", whole=False)),
                           f"{name}: {count} ranks, a file each: merged, it is the recording of one process")
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
    # and on the other rank, which has only a part: a folder of its own that is full
    pick.write_text(f'#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then ulimit -f 40; fi\nexec {carom} run {pour} -o {folder}/half.h5 --no-svg --quiet --set record.parts=2 --set record.checkpoint_steps=4\n')
    done = mpirun(2, ["sh", str(pick)])
    failures.check(done.returncode in (2, 3) and "half.h5.part1" in done.stderr and "rank 1" in done.stderr, "a full disk on the second rank: it is said, and all ranks end")
    if "half.h5.part1" not in done.stderr:
        print(f"exit {done.returncode}\n{done.stderr[-1500:]}")
    again = alone([carom, "resume", str(folder / "half.h5"), "--json", "--no-svg", "--threads", "1"])
    failures.check(result(again) == result(alone([carom, "run", str(pour), "--json", "--no-svg", "--threads", "1"])), "a full disk on the second rank: resumed, nothing is lost")
    done = mpirun(2, [carom, "run", str(pour), *short])
    failures.check(done.returncode in (0, 1) and done.stdout == "", "quiet is quiet")


def words_of_all(carom, folder, failures):
    """Findings, probes, `until`, impact maps, joints: what a run says, on ranks that share the contact points of this scene."""
    text = made.scene("hopper", 8).replace("duration_s = 0.05", "duration_s = 0.05\nuntil = \"t - 0.031\"")
    text += '''
[[probe]]
name = "on_the_slope"
force_on = "slope"
direction = [0, 0, 1]
[[probe]]
name = "time_left"
value = "1 - t"
'''
    scenes = {"until, probes and findings": (text, ["--set", "integrator.energy_tolerance=1e-9"]),
              "poisson": (made.scene("pour", 6) + '\n[impact]\nkind = "poisson"\nrestitution = 0.5\n', ["--set", "duration_s=0.03"])}
    for name in ("bowling", "heap", "gripper", "dominoes"):
        scenes[name] = ((ROOT / f"scenes/{name}.toml").read_text(), ["--set", "duration_s=0.05", "--at", "0.013,0.04"])
    for name, (scene, options) in scenes.items():
        file = folder / "words.toml"
        file.write_text(scene)
        words = [carom, "run", str(file), "--json", "--no-svg", "--threads", "1", *options]
        one = alone(words)
        if one.returncode == 2:
            failures.check(False, f"{name}: refused: {one.stderr[-600:]}")
            continue
        many = mpirun(2, words)
        failures.check(many.returncode == one.returncode and result(many) == result(one), f"{name}: two ranks say what one process says (exit {one.returncode})")
        data = json.loads(one.stdout)
        print(f"        {data['status']}, {data['steps']} steps, {len(data['diagnosis'])} findings, {len(data.get('events', []))} events")


class Job:
    """A run of two ranks that is still going on, once it has a file."""

    def __init__(self, words, file, env=None):
        environment = dict(os.environ, CAROM_MESSAGE_PATIENCE_S=str(PATIENCE_S), **(env or {}))
        self.process = subprocess.Popen(starts(2) + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
        while not file.exists() and self.process.poll() is None:
            time.sleep(0.01)

    def end(self):
        """Exit status and what was said; a run that hangs fails here."""
        out, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, said


def long_run(carom, folder, *options):
    """A run of a second or more, and the whole of it."""
    pour = folder / "pour.toml"
    pour.write_text(made.scene("pour"))
    return [carom, "run", str(pour), "--json", "--no-svg", "--threads", "1", "--set", "duration_s=0.3", *options, "-o"]


def resumed(carom, file, ranks):
    words = [carom, "resume", str(file), "--json", "--no-svg", "--threads", "1"]
    return alone(words) if ranks == 1 else mpirun(ranks, words)


def check_stop(carom, folder, failures):
    """Ctrl-C and kill, to mpirun, to a rank, and as a terminal sends it: to all of them."""
    run = long_run(carom, folder, "--set", "record.parts=2", "--set", "record.checkpoint_steps=5")
    expected = result(alone(run + [str(folder / "whole.h5")]))

    def to_rank(number):
        def send(job):
            os.kill(sorted(children_of(job.process.pid))[number], signal.SIGINT)
        return send

    ways = {"SIGINT to the first rank": to_rank(0), "SIGINT to the second rank": to_rank(1),
            "SIGINT to mpirun": lambda job: os.kill(job.process.pid, signal.SIGINT),
            "SIGTERM to mpirun": lambda job: os.kill(job.process.pid, signal.SIGTERM),
            "Ctrl-C in a terminal": lambda job: os.killpg(job.process.pid, signal.SIGINT)}
    for number, (name, send) in enumerate(ways.items()):
        file = folder / f"stopped{number}.h5"
        job = Job(run + [str(file)], file)
        time.sleep(0.5)
        send(job)
        status, out, said = job.end()
        if name.startswith("SIGINT to the"):
            failures.check(status == 130, f"{name}: exit status 130")
            failures.check(out.count('"certificate"') == 1, f"{name}: the first rank says once how far it came")
        failures.check(status != 0, f"{name}: the run ends (exit {status})")
        again = resumed(carom, file, 1 + number % 2)
        failures.check(result(again) == expected, f"{name}: resumed, the run is the uninterrupted one")


def check_progress(carom, folder, failures):
    """Progress, once, by the first rank, in a run of more than two seconds."""
    scene = folder / "small.toml"
    scene.write_text(made.scene("pour", 6))
    run = [carom, "run", str(scene), "--threads", "1", "--set", "duration_s=80"]
    done = mpirun(2, run)
    lines = [line for line in done.stderr.splitlines() if line.startswith("[") and "steps/s" in line]
    seconds = [float(line.split("t = ")[1].split(" s")[0]) for line in lines]
    failures.check(done.returncode in (0, 1) and len(lines) > 0 and seconds == sorted(set(seconds)), f"progress: {len(lines)} lines, each once")
    quiet = mpirun(2, run + ["--quiet"])
    failures.check("steps/s" not in quiet.stderr, "progress: none where it is not wanted")


def check_kills(carom, folder, failures, kills):
    """Runs of which a rank, or mpirun, is killed at random instants: taken up by one process, or by two ranks again."""
    chance = random.Random(23)
    for form, options in enumerate(([], ["--set", "record.parts=2", "--set", "record.checkpoint_steps=4"])):
        run = long_run(carom, folder, *options)
        begin = time.monotonic()
        expected = result(alone(run + [str(folder / "whole.h5")]))
        taken_s = time.monotonic() - begin
        for k in range(form, kills, 2):
            file = folder / f"killed{k}.h5"
            job = Job(run + [str(file)], file)
            time.sleep(chance.uniform(0, 1.5) * taken_s)
            ranks = children_of(job.process.pid)
            if ranks:
                os.kill(chance.choice(ranks), signal.SIGKILL)
            status, out, said = job.end()
            if status in (0, 1) and '"certificate"' in out:
                print(f"        kill {k}: the run had ended")
            else:
                failures.check(status != 0 and "signal 9" in out + said, f"kill {k}: mpirun ends and says so")
            again = resumed(carom, file, 1 + k % 3)
            failures.check(result(again) == expected, f"kill {k}: resumed, the run is the uninterrupted one")
            for left in folder.glob(f"killed{k}.h5*"):
                left.unlink()


def check_namespaces(carom, names, folder, failures):
    """Ranks on two "machines" that only a network joins: the same bits, also where it is slow."""
    if why := two_machines.why_not():
        print(f"skipped: two machines: {why}")
        return
    for delay_ms in (0, 1):
        with two_machines.TwoMachines(delay_ms) as machines:
            if delay_ms and not machines.has_delay:
                print("skipped: tc netem: this kernel has none")
                continue
            hosts = mpirun(2, ["hostname"], starter=machines.mpirun(2)).stdout.split()
            failures.check(sorted(hosts) == sorted(machines.names), "ranks are on two machines")
            for name in names:
                scene = folder / f"{name}.toml"
                scene.write_text(made.scene(name))
                words = [carom, "run", str(scene), "--json", "--no-svg", "--threads", "1"]
                file = folder / "apart.h5"
                expected = alone(words)
                many = mpirun(2, words + ["-o", str(file), "--set", "record.parts=2"], starter=machines.mpirun(2), env={"CAROM_MESSAGE_COUNTS": "1"})
                what = f"{name}: ranks on two machines" + (f", {delay_ms} ms apart" if delay_ms else "")
                same = many.returncode == expected.returncode and result(many) == result(expected)
                failures.check(same, f"{what}, print what one process prints")
                for line in many.stderr.splitlines():
                    if line.startswith("rank ") and "messages" in line:
                        print("        " + line)


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
    parser.add_argument("--scenes", default="pour,wall,hopper,chain,huge,kinds")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--part", default="bits,words,input,stop,kills,namespaces")
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
        if "words" in parts:
            words_of_all(carom, folder, failures)
        if "stop" in parts:
            check_stop(carom, folder, failures)
            check_progress(carom, folder, failures)
        if "kills" in parts:
            check_kills(carom, folder, failures, options.kills)
        if "namespaces" in parts:
            check_namespaces(carom, options.scenes.split(","), folder, failures)
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
