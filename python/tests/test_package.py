"""What the package promises beside its results: types, names, no surprises."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conftest import ROOT

import carom

SCRIPT = '''
import carom
import numpy as np
from numpy.typing import NDArray

scene: carom.Scene = carom.read_scene("scene.toml", parameters={"e": 0.5}, duration_s=2.0)
run: carom.Run = scene.run(at_s=[0.5])
theta: NDArray[np.float64] = run.q["theta"]
status: str = run.status
first: carom.Event = run.events[0]
times: NDArray[np.float64] = run.events.time_s
energy: float = run.certificate.energy["impact_J"]
crate: NDArray[np.float64] = run.bodies["crate"].position


def control(sim: carom.Simulation) -> None:
    sim.set_force([-sim["theta"]])


sim: carom.Simulation = scene.simulation()
sim.control = control
taken: int = sim.step(10)
solution: carom.Solution = carom.solve(carom.Problem(np.eye(3), [-1.0, 0.0, 0.0], [0.3]))
percussions: NDArray[np.float64] = solution.P
table: carom.StudyTable = carom.study(scene, {"parameters.e": [0.1, 0.2]}, repeat=3)
nearest: NDArray[np.float64] = carom.convex.ball([0.0, 0.0], 1.0).prox([3.0, 4.0])
system = carom.System(coordinates={"x": 1.0}, kinetic=lambda q, u: u.x**2 / 2)
finer: carom.Scene = carom.read_scene("scene.toml", **{"solver.tolerance": 1e-6, "duration_s": 1.0})
other: carom.Scene = finer.set(**{"contact.wall.law.restitution": 0.5}).set({"e": 0.1}, duration_s=3)
found: carom.Orbit = carom.orbit(scene, period="2*pi/w", settle=10, guess={"theta": 0.1, "theta'": 2.0})
motion: carom.Run = found.run(scene)
followed: carom.Branch = carom.branch(scene, "parameters.w", 1, 2, period="2*pi/w", guess=found)
kinds: list[str] = [point.kind for point in followed.special]
try:
    system.scene()
except carom.Error as error:
    codes: list[str] = [mistake.code for mistake in error.mistakes]
'''


# xarray is left out: reading all of it takes half a minute, and one function of ours gives one of its objects
MYPY = "[mypy]\nstrict = True\n[mypy-xarray.*]\nfollow_imports = skip\n"


def test_a_script_of_a_user_passes_mypy_strict(tmp_path: Path) -> None:
    """And so do the files of the package, which mypy reads on the way."""
    (tmp_path / "good.py").write_text(SCRIPT)
    (tmp_path / "bad.py").write_text("import carom\n\nwrong: int = carom.read_scene('a.toml').title\n")
    (tmp_path / "mypy.ini").write_text(MYPY)
    done = subprocess.run(
        ["/usr/bin/mypy", "--cache-dir", str(tmp_path / "cache"), "-p", "carom", "-m", "good", "-m", "bad"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(Path(carom.__file__).parents[1])},
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[0] for line in lines] == ["bad.py"], done.stdout + done.stderr
    assert "Incompatible types" in lines[0]


def test_everything_public_has_a_docstring() -> None:
    for name in carom.__all__:
        thing = getattr(carom, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
        if inspect.isclass(thing):
            for key, member in vars(thing).items():
                if not key.startswith("_") and isinstance(member, property):
                    assert member.__doc__, f"{name}.{key}"


def public_things() -> Iterator[tuple[str, Any]]:
    """Classes and functions of the package and of its modules, and the methods of the classes."""
    for module in (carom, carom.convex, carom.impact):
        names = carom.__all__ if module is carom else [name for name in vars(module) if not name.startswith("_")]
        for name in names:
            thing = getattr(module, name)
            ours = getattr(thing, "__module__", "").startswith("carom") and thing.__module__ != "carom._carom"
            if not ours or not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for key, member in vars(thing).items():
                    function = member.__func__ if isinstance(member, classmethod) else member
                    if not key.startswith("_") and inspect.isfunction(function):
                        yield f"{module.__name__}.{name}.{key}", function


def test_everything_public_has_an_example() -> None:
    """Which are run by run_docstrings.py. Objects of the module are seen in the examples of others."""
    things = dict(public_things())
    assert len(things) > 100
    assert [name for name, thing in things.items() if ">>>" not in (thing.__doc__ or "")] == []


def test_bars_in_docstrings_are_not_taken_for_substitutions() -> None:
    """Sphinx replaces |word| by what a page defines: a norm needs double backquotes or backslashes."""
    for name, thing in public_things():
        prose = re.sub(r"``.*?``|>>>.*", "", thing.__doc__ or "")
        assert not re.search(r"(?<!\\)\|\w[^|\n]*(?<!\\)\|", prose), name


def test_the_stub_names_what_the_module_has() -> None:
    stub = (Path(carom.__file__).resolve().parent / "_carom.pyi").read_text()
    for name in dir(carom._carom):
        if not name.startswith("_"):
            assert f" {name}(" in stub or f"class {name}" in stub or f"\n{name}:" in stub, name


def test_python_keywords_are_keys_of_scenes() -> None:
    """Settings have one name: those of `System` and of builders are those of scenes."""
    paths = {path for path, *_ in carom._carom.scene_fields()}
    for name in ("title", "start_s", "duration_s", "until"):
        assert name in paths
    for part, section in ((carom.Body, "body[]"), (carom.Joint, "joint[]"), (carom.Material, "material[]")):
        assert part._keys and all(f"{section}.{key}" in paths for key in part._keys if key != "lattice")
    assert {"shape", "radius_m", "size_m"} <= set(carom.Shape._keys) and "copies" in carom.Lattice._keys
    assert set(carom.Shape._keys) | set(carom.Lattice._keys) < set(carom.Body._keys)


def test_defaults_are_those_of_the_program() -> None:
    """``carom solve`` and ``carom solve --compare``: tolerance 1e-8, all patience, no time limit."""
    for function in (carom.solve, carom.compare):
        defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
        assert defaults["tolerance"] == 1e-8 and defaults["time_limit_s"] == 0 and defaults["repeat"] == 1
        assert defaults["max_iterations"] == carom._carom.patient_sweeps


def test_importing_takes_no_heavy_packages() -> None:
    script = "import sys, carom; print([m for m in ('pandas', 'matplotlib', 'scipy', 'xarray') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert out.strip() == "[]"


def test_examples_are_short() -> None:
    for file in (ROOT / "examples" / "python").glob("*.py"):
        assert len(file.read_text().splitlines()) < 60, file.name
