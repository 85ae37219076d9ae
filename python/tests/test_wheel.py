"""What pip gets: the wheel of what is built, and the sources."""

from __future__ import annotations

import ast
import base64
import csv
import hashlib
import importlib.util
import io
import json
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from conftest import ROOT

import carom

BUILD = Path(carom.__file__).parents[2]


@pytest.fixture(scope="module")
def backend() -> ModuleType:
    """The backend of pyproject.toml; packs what is built already."""
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "python" / "build_backend.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._build = lambda folder: BUILD  # type: ignore[attr-defined]
    return module


def test_the_wheel_is_whole(backend: ModuleType, tmp_path: Path) -> None:
    if not (BUILD / "bin" / "carom").exists():
        pytest.skip("the program is not built")
    name = backend.build_wheel(str(tmp_path))
    assert name == f"carom-{carom.__version__}-cp311-cp311-linux_x86_64.whl"
    info = f"carom-{carom.__version__}.dist-info"
    with zipfile.ZipFile(tmp_path / name) as wheel:
        names = set(wheel.namelist())
        # every file is in the record with its hash
        rows = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
        assert {row[0] for row in rows} == names
        for path, digest, size in rows[:-1]:
            content = wheel.read(path)
            assert int(size) == len(content)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        metadata = wheel.read(f"{info}/METADATA").decode().splitlines()
        sbom = json.loads(wheel.read(f"{info}/sboms/carom.cdx.json"))
        program = wheel.getinfo(f"carom-{carom.__version__}.data/scripts/carom")
        assert program.external_attr >> 16 & 0o111 == 0o111 and wheel.read(program)[:4] == b"\x7fELF"
    # PEP 639
    assert {"Metadata-Version: 2.4", "License-Expression: Apache-2.0", "License-File: LICENSE"} <= set(metadata)
    assert f"{info}/licenses/LICENSE" in names
    # types, scenes, and the Debian libraries that are needed
    assert {"carom/py.typed", "carom/_carom.pyi", "carom/scenes/pendulum_wall.toml"} <= names
    assert f"carom-{carom.__version__}.data/data/share/carom/scenes/pendulum_wall.toml" in names  # of `carom gallery`
    external = [line.split()[1] for line in metadata if line.startswith("Requires-External:")]
    assert {"libhdf5-103-1", "libstdc++6"} <= set(external)
    # PEP 770: what is compiled in has a version and a licence
    assert sbom["bomFormat"] == "CycloneDX"
    parts = {part["name"]: part for part in sbom["components"]}
    assert set(external) <= set(parts)
    assert all(part["version"] for part in parts.values())
    assert parts["libeigen3-dev"]["licenses"] == [{"license": {"id": "MPL-2.0"}}]


def test_the_sources_are_whole(backend: ModuleType, tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a repository")
    name = backend.build_sdist(str(tmp_path))
    assert name == f"carom-{carom.__version__}.tar.gz"
    first = (tmp_path / name).read_bytes()
    with tarfile.open(tmp_path / name) as archive:
        names = {entry.name.split("/", 1)[1] for entry in archive}
        run = archive.getmember(f"carom-{carom.__version__}/run")
    assert {"PKG-INFO", "pyproject.toml", "CMakeLists.txt", "python/build_backend.py", "scenes/stack.toml"} <= names
    assert run.mode & 0o111 and not any(one.startswith("build") for one in names)
    # the same files, the same bytes
    backend.build_sdist(str(tmp_path))
    assert (tmp_path / name).read_bytes() == first


#: Names that NumPy 2.0 removed from its main namespace (its migration guide).
REMOVED = set(
    "add_docstring add_newdoc add_newdoc_ufunc alltrue asfarray byte_bounds cast cfloat clongfloat complex_ compat compare_chararrays "
    "cumproduct DataSource deprecate deprecate_with_doc disp fastCopyAndTranspose find_common_type float_ format_parser geterrobj "
    "get_array_wrap Inf Infinity infty issctype issubclass_ issubsctype longcomplex longfloat lookfor mat maximum_sctype msort NaN "
    "nbytes NINF NZERO obj2sctype PINF product PZERO recfromcsv recfromtxt round_ safe_eval sctype2char sctypeDict sctypes "
    "seterrobj set_numeric_ops set_string_function singlecomplex sometrue source string_ tracemalloc_domain unicode_ who in1d row_stack "
    "trapz int0 uint0 bool8 object0 str0 bytes0 void0 int bool float complex object str".split()
)


def test_nothing_uses_what_numpy_2_removed() -> None:
    assert hasattr(np, "product"), "NumPy 1.24 has what the list names"
    used = set()
    for folder in ("python", "examples/python", "benchmarks/python"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"):
                    used.add(node.attr)
                    assert node.attr not in REMOVED, f"{file}:{node.lineno}: np.{node.attr}"
    assert len(used) > 20
