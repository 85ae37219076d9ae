"""carom in notebooks: examples, pages and bars, run by a kernel."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import carom

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def executed(cells: list[str], folder: Path) -> list[Any]:
    """The outputs of code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return [output for cell in notebook.cells for output in cell.outputs]


def cells_of(example: Path) -> list[str]:
    """The code between the marks that sphinx-gallery makes cells of."""
    return [cell for cell in re.split(r"^# %%\n", example.read_text(), flags=re.M) if cell.strip()]


def with_data(outputs: list[Any], kind: str) -> list[str]:
    return [output["data"][kind] for output in outputs if kind in output.get("data", {})]


def test_an_example_a_page_and_a_bar(tmp_path: Path) -> None:
    page = "scene.run().show(height_px=300)"
    bar = (
        "import time\nbegin = time.monotonic()\n"
        "scene.set(duration_s=1000).run(columns=False, listener=lambda step: time.monotonic() < begin + 1.2)"
    )
    outputs = executed(["%matplotlib inline", *cells_of(ROOT / "examples/python/first_steps.py"), page, bar], tmp_path)
    assert len(with_data(outputs, "image/png")) == 1
    pages = with_data(outputs, "text/html")
    # one static page, in a frame that shares nothing with the notebook
    frames = [text for text in pages if text.startswith("<iframe")]
    assert len(frames) == 1 and 'height="300"' in frames[0] and 'sandbox="allow-scripts"' in frames[0]
    assert "http://" not in frames[0].split("srcdoc=")[0]
    # the bar was there, and at its end says how long it took
    assert any(re.search(r"took \d+\.\d s", text) for text in pages)
    assert "Run 'A ball on a floor': certified" in str(outputs)


@pytest.mark.skipif("CAROM_ALL_NOTEBOOKS" not in os.environ, reason="a long test of its own")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.stem)
def test_all_examples_as_notebooks(example: Path, tmp_path: Path) -> None:
    outputs = executed(["%matplotlib inline", *cells_of(example)], tmp_path)
    assert with_data(outputs, "image/png"), "an example ends with a picture"
    assert [one for one in outputs if one.output_type == "error"] == []


def test_pages_need_nothing_else() -> None:
    """All that a page loads is inside it."""
    html = carom.example_scene("pendulum_wall").run().show().html
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']?(https?:)?//", html)
