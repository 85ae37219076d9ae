"""Two "machines" on one: network namespaces with names of their own, joined by a veth pair. Needs root and iproute2."""

import os
import pathlib
import shutil
import subprocess
import tempfile

ADDRESSES = ["10.77.23.1", "10.77.23.2"]


def why_not():
    """Why this machine has no namespaces to offer; empty: it has."""
    for tool in ("ip", "unshare", "hostname"):
        if shutil.which(tool) is None:
            return f"there is no {tool} (iproute2, util-linux)"
    name = f"carom_try_{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if tried.returncode != 0:
        return f"network namespaces are not allowed: {tried.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", name], check=False)
    return ""


class TwoMachines:
    """While it is entered there are two; mpirun() gives the words that start ranks by turns on both."""

    def __init__(self, delay_ms=0):
        self.names = [f"carom{os.getpid()}{side}" for side in "ab"]
        self.delay_ms, self.has_delay = delay_ms, False
        self.folder = None

    def ip(self, *words):
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        try:
            for name in self.names:
                self.ip("netns", "add", name)
            ends = [f"cv{os.getpid() % 100000}{side}" for side in "ab"]
            self.ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
            for name, end, address in zip(self.names, ends, ADDRESSES):
                self.ip("link", "set", end, "netns", name)
                self.ip("-n", name, "addr", "add", f"{address}/24", "dev", end)
                self.ip("-n", name, "link", "set", end, "up")
                self.ip("-n", name, "link", "set", "lo", "up")
            if self.delay_ms:
                done = [subprocess.run(["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", end, "root", "netem", "delay", f"{self.delay_ms}ms"],
                                       capture_output=True).returncode for name, end in zip(self.names, ends)]
                self.has_delay = done == [0, 0]
            # how mpirun starts its daemon on the other machine, in the place of ssh
            self.agent = pathlib.Path(self.folder.name) / "agent.sh"
            self.agent.write_text(f'#!/bin/sh\nshift\nexec ip netns exec {self.names[1]} unshare -u sh -c "hostname {self.names[1]}; $*"\n')
            self.agent.chmod(0o755)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        self.folder.cleanup()

    def mpirun(self, ranks=2):
        words = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), "--map-by", "node",
                 "--mca", "plm_rsh_agent", str(self.agent), "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "btl_tcp_if_include", "10.77.23.0/24",
                 "--mca", "oob_tcp_if_include", "10.77.23.0/24", "--host", ",".join(f"{address}:{ranks}" for address in ADDRESSES)]
        if os.geteuid() == 0:
            words.insert(1, "--allow-run-as-root")
        inside = f"hostname {self.names[0]}; exec \"$@\""
        return ["ip", "netns", "exec", self.names[0], "unshare", "-u", "sh", "-c", inside, "sh", *words]
