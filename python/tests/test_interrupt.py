"""Ctrl-C, and bars that show how far a run is."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import carom

# sweeps that never come below such a tolerance: one solve would take hours
ENDLESS = '{"kind": "gauss_seidel", "tolerance": 1e-15, "max_sweeps": 2_000_000_000}'

CASES = {
    "a run": (
        "scene = carom.example_scene('pendulum_wall', duration_s=1e6)",
        "scene.run(columns=False)",
        "print(error.run.certificate.steps > 0, error.run.end, type(error).__name__)",
        "True stopped Interrupted",
    ),
    "a long solve": (
        f"scene = carom.example_scene('stack', solver={ENDLESS})",
        "scene.run()",
        "print(error.run.status, error.run.certificate.steps, type(error).__name__)",
        "interrupted 0 Interrupted",
    ),
    "a listener": (
        "scene = carom.example_scene('pendulum_wall', duration_s=1e6)",
        "scene.run(columns=False, listener=lambda step: time.sleep(0.001))",
        "print(error.run.end, type(error).__name__)",
        "stopped Interrupted",
    ),
    "a solve": (
        "r = np.random.default_rng(1); H = r.normal(size=(300, 120)); W = H @ H.T; q = H @ r.normal(size=120)",
        "carom.solve(W, q, np.full(100, 0.3), solver='gauss_seidel', tolerance=1e-16)",
        "print(type(error).__name__)",
        "KeyboardInterrupt",
    ),
    "steps by hand": (
        "sim = carom.example_scene('pendulum_wall', duration_s=1e6).simulation()",
        "sim.step(10**9)",
        "print(sim.steps > 0, sim.end, type(error).__name__)",
        "True None KeyboardInterrupt",
    ),
    "a study": (
        "scene = carom.example_scene('pendulum_wall', duration_s=1e6)",
        "scene.study(repeat=100)",
        "print(type(error).__name__)",
        "KeyboardInterrupt",
    ),
    "a handler of the program's own": (
        "heard = []; signal.signal(signal.SIGINT, lambda *_: heard.append(1))\n"
        "scene = carom.example_scene('pendulum_wall', duration_s=1e6)",
        "scene.run(columns=False, listener=lambda step: not heard)\nraise KeyboardInterrupt",
        "print(heard, type(error).__name__)",
        "[1] KeyboardInterrupt",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_ends_within_a_moment(case: str) -> None:
    prepare, work, tell, expected = CASES[case]
    indented = work.replace("\n", "\n    ")
    script = (
        "import carom, signal, time\nimport numpy as np\n"
        f"{prepare}\nprint('go', flush=True)\ntry:\n    {indented}\nexcept KeyboardInterrupt as error:\n    {tell}\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert child.stdout is not None and child.stdout.readline() == "go\n"
    time.sleep(0.5)
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out.strip() == expected and child.returncode == 0
    assert time.monotonic() - begin < 30  # on a loaded machine; alone a tenth of a second


def test_a_run_goes_on_after_an_interrupted_one() -> None:
    script = (
        "import carom, os, signal, threading\n"
        "scene = carom.example_scene('pendulum_wall', duration_s=1e6)\n"
        "for _ in range(3):\n"
        "    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    try:\n"
        "        scene.run(columns=False)\n"
        "    except carom.Interrupted:\n"
        "        print(scene.set(duration_s=1).run().status)\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.split() == ["certified"] * 3


def shown_on_a_terminal(script: str) -> str:
    """What a terminal gets to see. Containers without devpts have none to give: the test says so and is left out."""
    try:
        parent, child = pty.openpty()
    except OSError as error:
        pytest.skip(f"there is no pseudo-terminal here (no devpts): {error}")
    process = subprocess.Popen([sys.executable, "-c", script], stderr=child, stdout=child, env=os.environ)
    os.close(child)
    parts = []
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(parent)
    assert process.wait() == 0
    return b"".join(parts).decode()


LONG = "import carom, time\nscene = carom.example_scene('pendulum_wall', duration_s=1000)\n"
FOR_A_SECOND = "begin = time.monotonic()\ndef slow(step):\n    return time.monotonic() < begin + 1.2\n"


def test_a_terminal_sees_a_bar_that_goes_away(tmp_path: Path) -> None:
    seen = shown_on_a_terminal(LONG + FOR_A_SECOND + "scene.run(columns=False, listener=slow)")
    assert "\r[" in seen and "% " not in seen.splitlines()[-1].split("\r")[-1]
    assert " s, " in seen and seen.endswith("\r")
    # a run that was resumed has one too, from where it was
    file = tmp_path / "run.h5"
    carom.example_scene("pendulum_wall", duration_s=1000).run(file, columns=False, listener=lambda s: s.time_s < 500)
    seen = shown_on_a_terminal(f"import carom, time\n{FOR_A_SECOND}carom.resume({str(file)!r}, listener=slow)")
    parts = [int(one.split("%")[0].split(",")[-1]) for one in seen.split("\r[")[1:]]
    assert parts and min(parts) >= 50


def test_quick_runs_and_pipes_see_no_bar() -> None:
    assert shown_on_a_terminal("import carom\ncarom.example_scene('pendulum_wall').run()") == ""
    done = subprocess.run(
        [sys.executable, "-c", LONG + FOR_A_SECOND + "scene.run(columns=False, listener=slow)"], capture_output=True, check=True
    )
    assert done.stderr == b""
