"""The backend of pyproject.toml (PEP 517): CMake builds the module and the program, this packs them into a wheel.

It needs nothing but Python and what packages.txt lists in [core] and [python]. CAROM_BUILD names the build folder,
by default build/ of the tree, where what was built before is taken over.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """The sources as pip wants them; the same files give the same bytes."""
    folder = f"carom-{_version()}"
    metadata = _metadata({})
    with (
        open(Path(sdist_directory) / f"{folder}.tar.gz", "wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in _source_files():
            if name != "PKG-INFO":
                content = (ROOT / name).read_bytes()
                _add_source(archive, f"{folder}/{name}", content, os.access(ROOT / name, os.X_OK))
        _add_source(archive, f"{folder}/PKG-INFO", metadata, False)
    return f"{folder}.tar.gz"


def _source_files() -> list[str]:
    """What git knows, or in unpacked sources all that is there."""
    if (ROOT / "PKG-INFO").exists():
        files = [file.relative_to(ROOT) for file in ROOT.rglob("*") if file.is_file()]
        kept = [file for file in files if not file.parts[0].startswith("build") and "__pycache__" not in file.parts]
        return sorted(str(file) for file in kept)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def _add_source(archive: tarfile.TarFile, name: str, content: bytes, executable: bool) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o755 if executable else 0o644
    archive.addfile(entry, io.BytesIO(content))


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    _check_python()
    build = _build(Path(os.environ.get("CAROM_BUILD", ROOT / "build")))
    name = f"carom-{_version()}-{_tag()}.whl"
    with _Wheel(Path(wheel_directory) / name, f"carom-{_version()}.dist-info") as wheel:
        for file in sorted((ROOT / "python" / "carom").iterdir()):
            if file.suffix in (".py", ".pyi", ".mplstyle") or file.name == "py.typed":
                wheel.add(f"carom/{file.name}", file.read_bytes())
        for file in sorted((ROOT / "scenes").glob("*.toml")):
            wheel.add(f"carom/scenes/{file.name}", file.read_bytes())
        # where the program looks for the scenes of its gallery
        for file in sorted((ROOT / "scenes").rglob("*.toml")):
            shared = f"carom-{_version()}.data/data/share/carom/scenes"
            wheel.add(f"{shared}/{file.relative_to(ROOT / 'scenes')}", file.read_bytes())
        module = build / "python" / "carom" / f"_carom{sysconfig.get_config_var('EXT_SUFFIX')}"
        program = build / "bin" / "carom"
        wheel.add(f"carom/{module.name}", _stripped(module), executable=True)
        wheel.add(f"carom-{_version()}.data/scripts/carom", _stripped(program), executable=True)
        needed = _debian_libraries([module, program])
        _add_metadata(wheel, needed)
    return name


def _check_python() -> None:
    if sys.version_info[:2] != (3, 11):
        raise SystemExit(
            f"carom is built and tested with Python 3.11, this is {sys.version.split()[0]}: "
            "use that of Debian 12, /usr/bin/python3 -m venv --system-site-packages FOLDER"
        )


def _version() -> str:
    text = (ROOT / "include/carom/core/version.hpp").read_text()
    found = re.search(r'version = "([0-9.]+)"', text)
    assert found, "include/carom/core/version.hpp says no version"
    return found[1]


def _tag() -> str:
    return "cp311-cp311-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _run(*command: str | Path) -> None:
    print("+", *command, file=sys.stderr, flush=True)
    # pip hides the distribution's Python packages from what it starts; CMake and its tests shall see them
    seen = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    try:
        subprocess.run([str(part) for part in command], cwd=ROOT, check=True, stdout=sys.stderr, env=seen)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{command[0]} failed with status {error.returncode}, see above") from None
    except FileNotFoundError as error:
        raise SystemExit(f"{error.filename} is not installed: see [core] and [python] of packages.txt") from error


def _build(build: Path) -> Path:
    """Configures where needed, and builds."""
    cache = build / "CMakeCache.txt"
    if not cache.exists() or "CAROM_PYTHON_MODULE:BOOL=ON" not in cache.read_text():
        tests = [] if cache.exists() else ["-D", "CAROM_TESTS=OFF"]
        _run("cmake", "--preset", "release", "-B", build, "-D", "CAROM_PYTHON_MODULE=ON", *tests)
    _run("cmake", "--build", build, "--target", "carom_python", "carom_program")
    return build


def _stripped(file: Path) -> bytes:
    """Without the names of what is inside."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / file.name
        subprocess.run(["strip", "--strip-unneeded", "-o", str(small), str(file)], check=True)
        return small.read_bytes()


def _debian_libraries(files: list[Path]) -> dict[str, str]:
    """The packages of the shared libraries that are needed, with their versions; not what those need in turn."""

    def lines(*command: str) -> list[str]:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()

    libraries = set()
    for file in files:
        named = {line.split()[1] for line in lines("objdump", "-p", str(file)) if line.strip().startswith("NEEDED")}
        found = [line.split() for line in lines("ldd", str(file)) if "=> /" in line]
        libraries |= {words[2] for words in found if words[0] in named}
    packages: dict[str, str] = {}
    for library in sorted(libraries):
        # /lib is a link to /usr/lib, and dpkg knows a file by one of the two names
        for path in (library, os.path.realpath(library), "/usr/lib" + library.removeprefix("/lib")):
            owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
            if owner.returncode == 0:
                package = owner.stdout.split(":")[0].split(",")[0]
                packages[package] = _debian_version(package)
                break
    return packages


def _debian_version(package: str) -> str:
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return asked.stdout.strip()


# header libraries that are compiled in
_COMPILED_IN = {
    "libeigen3-dev": "MPL-2.0",
    "libfmt-dev": "MIT",
    "libcli11-dev": "BSD-3-Clause",
    "libtomlplusplus-dev": "MIT",
    "nlohmann-json3-dev": "MIT",
    "pybind11-dev": "BSD-3-Clause",
}


def _sbom(needed: dict[str, str]) -> bytes:
    """What the wheel is made of (PEP 770), as CycloneDX."""

    def component(package: str, version: str, scope: str, licence: str | None = None) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "type": "library",
            "name": package,
            "version": version,
            "scope": scope,
            "purl": f"pkg:deb/debian/{package}@{version}",
        }
        if licence:
            entry["licenses"] = [{"license": {"id": licence}}]
        return entry

    components = [component(p, _debian_version(p), "required", licence) for p, licence in _COMPILED_IN.items()]
    components += [component(p, version, "required") for p, version in needed.items()]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "name": "carom",
                "version": _version(),
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def _metadata(needed: dict[str, str]) -> bytes:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {file}" for file in project["license-files"]),
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
        *(f"Requires-External: {package} (>= {version})" for package, version in needed.items()),
    ]
    for extra, parts in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {one}; extra == '{extra}'" for one in parts)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text()]
    return "\n".join(lines).encode()


def _add_metadata(wheel: _Wheel, needed: dict[str, str]) -> None:
    folder = wheel.info
    wheel.add(f"{folder}/METADATA", _metadata(needed))
    head = f"Wheel-Version: 1.0\nGenerator: carom {_version()}\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    wheel.add(f"{folder}/WHEEL", head.encode())
    wheel.add(f"{folder}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{folder}/sboms/carom.cdx.json", _sbom(needed))


class _Wheel:
    """A zip file with a list of what is in it; the same input gives the same bytes."""

    def __init__(self, path: Path, info: str) -> None:
        self.info = info
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record: list[str] = []

    def __enter__(self) -> _Wheel:
        return self

    def __exit__(self, *problem: object) -> None:
        if problem[0] is None:
            self._record.append(f"{self.info}/RECORD,,")
            self._write(f"{self.info}/RECORD", ("\n".join(self._record) + "\n").encode(), False)
        self._zip.close()

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")
        self._write(name, content, executable)

    def _write(self, name: str, content: bytes, executable: bool) -> None:
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, content)
