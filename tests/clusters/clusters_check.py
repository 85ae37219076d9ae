#!/usr/bin/env python3
"""The commands of docs/how-to/clusters.md, run on this machine: a Slurm array on a private cluster of one node, and GNU
parallel over ssh to a private server. Every merged table must have the bits of a study that was never split.

usage: clusters_check.py CAROM
Exit status: 0 all hold, 1 something does not, 77 a tool is missing (slurm-wlm, munge, parallel, openssh-server) or root is.
"""

import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/clusters.md").read_text()
TOOLS = ("sbatch", "slurmctld", "slurmd", "munged", "parallel", "ssh", "ssh-keygen")
PATIENCE_S = 120


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, holds):
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {PATIENCE_S} s in vain: {what}")
        time.sleep(0.2)


def shell(line, where, env=None, check=True):
    done = subprocess.run(["bash", "-c", line], cwd=where, env=env, capture_output=True, text=True, timeout=300)
    if check and done.returncode != 0:
        raise RuntimeError(f"{line}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


@contextlib.contextmanager
def daemon(words, log, env=None):
    with open(log, "w") as file:
        process = subprocess.Popen(words, stdout=file, stderr=file, env=env)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


@contextlib.contextmanager
def slurm(folder):
    """A cluster of this machine alone. Gives the environment in which sbatch and squeue find it."""
    key, sock = folder / "munge.key", folder / "munge.sock"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    host = socket.gethostname().split(".")[0]
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(f"""
ClusterName=check
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={sock}
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP MaxTime=INFINITE
""")
    env = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
    munge = ["munged", "--foreground", "--force", f"--socket={sock}", f"--key-file={key}", f"--pid-file={folder}/munge.pid",
             f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"]
    with daemon(munge, folder / "munged.out"):
        wait_for("munge", sock.exists)
        with daemon(["slurmctld", "-D", "-i"], folder / "slurmctld.out", env), \
                daemon(["slurmd", "-D", "-N", host], folder / "slurmd.out", env):
            def idle():
                state = shell("sinfo -h -o %T", folder, env, check=False).stdout.strip()
                return state == "idle"
            try:
                wait_for("the node of the cluster", idle)
            except RuntimeError:
                for name in ("slurmctld.out", "slurmd.out"):
                    print(f"--- {name}\n" + "".join((folder / name).read_text().splitlines(True)[-20:]))
                raise
            yield env


@contextlib.contextmanager
def ssh_server(folder):
    """Gives the words for --sshlogin that lead to it."""
    port = free_port()
    for name in ("host_key", "user_key"):
        shell(f"ssh-keygen -q -t ed25519 -N '' -f {folder}/{name}", folder)
    shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
    (folder / "sshd_config").write_text(f"""
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile {folder}/sshd.pid
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
MaxStartups 50
""")
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    with daemon([shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-f", str(folder / "sshd_config")], folder / "sshd.out"):
        login = (f"ssh -p {port} -i {folder}/user_key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "
                 "-o LogLevel=ERROR 127.0.0.1")
        wait_for("the ssh server", lambda: shell(f"{login} true", folder, check=False).returncode == 0)
        yield login


def work_folder(folder, program):
    folder.mkdir()
    (folder / "scenes").symlink_to(ROOT / "scenes")
    (folder / "carom").symlink_to(program)
    return folder


def block(start):
    """The fenced or indented commands of the page that begin with this text."""
    fenced = re.search(r"```bash\n(" + re.escape(start) + r".*?)```", PAGE, re.S)
    if fenced:
        return fenced.group(1)
    lines = re.search(r"((?:^    .*\n)*?^    " + re.escape(start) + r".*\n(?:^    .*\n)*)", PAGE, re.M)
    return "".join(line[4:] for line in lines.group(1).splitlines(True))


def check_slurm(folder, program, whole):
    work = work_folder(folder / "array", program)
    (work / "study.sbatch").write_text(block("#!/bin/bash"))
    with slurm(folder) as env:
        env = dict(env, PATH=f"{work}:{env['PATH']}")
        shell("sbatch study.sbatch", work, env)
        wait_for("the array", lambda: shell("squeue -h", work, env).stdout.strip() == "")
        merge = block("carom study --merge").strip()
        shell(merge, work, env)
        assert (work / "all.csv").read_bytes() == whole, "Slurm: the merged table differs from a study in one piece"

        # a shard that was killed is named, submitted again, and the table is whole
        (work / "part3.csv").unlink()
        (work / "all.csv").unlink()
        told = shell(merge, work, env, check=False)
        assert told.returncode == 1 and "--shard 3/8" in told.stdout + told.stderr, told.stdout + told.stderr
        again = re.search(r"`(sbatch --array=3 [^`]*)`", PAGE).group(1)
        shell(again, work, env)
        wait_for("the shard", lambda: shell("squeue -h", work, env).stdout.strip() == "")
        shell(merge, work, env)
        assert (work / "all.csv").read_bytes() == whole, "Slurm: the table differs after a shard was repeated"
    print("Slurm: an array of 8 shards, a lost shard submitted again: the bits of one study")


def check_parallel(folder, program, whole):
    work = work_folder(folder / "parallel", program)
    env = dict(os.environ, PATH=f"{work}:{os.environ['PATH']}", HOME=str(folder))
    with ssh_server(folder) as login:
        line = block("parallel --sshlogin")
        line = line.replace("--sshlogin a.example,b.example", f"--sshlogin '2/{login}' --env PATH")
        line = line.replace("--workdir .", f"--workdir {work}")
        shell(line, work, env)
        shell(block("carom study --merge").strip(), work, env)
        assert (work / "all.csv").read_bytes() == whole, "parallel: the merged table differs from a study in one piece"

        # repeated, it does nothing
        before = {file.name: file.stat().st_mtime_ns for file in work.glob("part*.csv")}
        assert len(before) == 8
        shell(line, work, env)
        assert before == {file.name: file.stat().st_mtime_ns for file in work.glob("part*.csv")}
    print("GNU parallel over ssh: 8 shards, the bits of one study; repeated with --resume it does nothing")


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    missing = [tool for tool in TOOLS if not shutil.which(tool)] + \
              [tool for tool in ("sshd",) if not (shutil.which(tool) or os.path.exists(f"/usr/sbin/{tool}"))]
    if missing:
        skip("no " + ", ".join(missing))
    if os.geteuid() != 0:
        skip("a private cluster needs root")
    with tempfile.TemporaryDirectory(prefix="clusters_") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        study = re.search(r"exec (carom study .*?)\s*\\\n", block("#!/bin/bash")).group(1)
        work = work_folder(folder / "whole", program)
        shell(f"./{study} -o all.csv", work)
        whole = (work / "all.csv").read_bytes()
        for check in (check_slurm, check_parallel):
            place = folder / check.__name__
            place.mkdir()
            check(place, program, whole)
    return 0


if __name__ == "__main__":
    sys.exit(main())
